//! Stubs: lambdas, and anonymous classes.
//!
//! In: a [`StubSpec`], whose methods are those of the class file, bridges included. Out: source in which each method of the source
//! language is written once, with the types it has in the stubbed type.

use probat_model::{Literal, StepId, StubBehaviour, StubMethod, StubSpec, Type};

use crate::expression::{Lambda, Printer, Text};
use crate::infer::Inference;
use crate::java::{Argument, JavaType, Method};
use crate::statement::{EmitError, Stop};
use crate::typing::{Fit, Static, Typing};

/// A method as the stub's source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub name: String,
    pub params: Vec<Type>,
    pub returns: Option<Type>,
    pub behaviour: StubBehaviour,
    /// Parameters and result with type arguments; none where only the erased ones will do.
    spelled: Option<(Vec<JavaType>, Option<JavaType>)>,
    /// Names of the parameters, if the class file has them.
    names: Vec<String>,
    /// It has type parameters, so no lambda can stand for it.
    is_generic: bool,
}

/// The methods source has to write: of those that are one method there, the one with the narrowest result.
pub(crate) fn written(typing: &Typing<'_>, spec: &StubSpec) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    for method in &spec.methods {
        let one = as_member(typing, spec, method);
        let same = found.iter_mut().find(|other| other.name == one.name && other.params == one.params);
        match same {
            None => found.push(one),
            Some(other) => {
                if let (Some(new), Some(old)) = (&one.returns, &other.returns)
                    && new != old
                    && typing.scope.is_subtype(new, old)
                {
                    *other = one;
                }
            }
        }
    }
    found
}

fn as_member(typing: &Typing<'_>, spec: &StubSpec, method: &StubMethod) -> Written {
    let plain = Written {
        name: method.name.clone(),
        params: method.descriptor.params.clone(),
        returns: method.descriptor.returns.clone(),
        behaviour: method.behaviour.clone(),
        spelled: None,
        names: Vec::new(),
        is_generic: false,
    };
    let all = typing.scope.methods(&spec.of, &method.name);
    let Some(declared) = all.into_iter().find(|found| found.descriptor == method.descriptor) else {
        return plain;
    };
    let own = arguments(typing.objects(&Type::Class(spec.of.clone())));
    let Some(given) = typing.as_super(&spec.of, &own, &declared.owner) else { return plain };
    let (names, is_generic) = (declared.names.clone(), !declared.parameters.is_empty());
    let plain = Written { spelled: spelled(typing, &declared, &given), ..plain };
    if given.is_empty() && typing.is_generic(&declared.owner) {
        return Written { names, is_generic, ..plain };
    }
    let erase = |ty: &crate::java::JavaType, erased: &Type| match typing.fill(ty, &given) {
        Some(filled) => typing.erase_with(&filled, &[], &declared.parameters),
        None => erased.clone(),
    };
    let params =
        declared.params.iter().zip(&declared.descriptor.params).map(|(ty, erased)| erase(ty, erased));
    let params = params.collect();
    let returns = returned(&declared, erase);
    Written { params, returns, names, is_generic, ..plain }
}

/// The types of a method's source in a class with these arguments.
fn spelled(
    typing: &Typing<'_>,
    declared: &Method,
    given: &[Argument],
) -> Option<(Vec<JavaType>, Option<JavaType>)> {
    let fill = |ty: &JavaType| typing.fill(ty, given).filter(|filled| typing.is_spelled(filled));
    let params = declared.params.iter().map(fill).collect::<Option<_>>()?;
    let returns = match &declared.returns {
        Some(ty) => Some(fill(ty)?),
        None => None,
    };
    (!typing.is_raw() && declared.parameters.is_empty()).then_some((params, returns))
}

fn arguments(ty: Option<JavaType>) -> Vec<Argument> {
    match ty {
        Some(JavaType::Class(_, arguments)) => arguments,
        _ => Vec::new(),
    }
}

fn returned(declared: &Method, erase: impl Fn(&crate::java::JavaType, &Type) -> Type) -> Option<Type> {
    Some(erase(declared.returns.as_ref()?, declared.descriptor.returns.as_ref()?))
}

impl Printer<'_, '_> {
    pub fn stub(&mut self, spec: &StubSpec, args: &[StepId]) -> Result<Text, Stop> {
        let own = spec.constructor.as_ref().map_or(0, |c| c.params.len());
        let erased = Type::Class(spec.of.clone());
        let of = self.typing.objects(&erased).unwrap_or_else(|| JavaType::of(&erased));
        let name = self.java_name(&of)?;
        let methods = written(self.typing, spec);
        if let ([method], true) = (methods.as_slice(), spec.is_interface)
            && !method.is_generic
        {
            let (params, body) = self.stub_method(method, &args[own..], false)?;
            let params = if method.params.len() == 1 { params } else { format!("({params})") };
            let bare = format!("{params} -> {body}");
            let text = format!("({name}) {bare}");
            let returns_plain = method.returns.as_ref().is_none_or(Type::is_primitive);
            let is_neutral = match &method.behaviour {
                StubBehaviour::Throw(_) | StubBehaviour::Default => true,
                StubBehaviour::Constant(_) => returns_plain,
                StubBehaviour::Parameter(_) | StubBehaviour::Captured(_) => false,
            };
            let lambda = Some(Lambda { text: bare, returns_plain, is_neutral });
            return Ok(Text { lambda, ..Text::loose(text, Static::Is(of)) });
        }
        let list = self.constructor_arguments(spec, &of, &args[..own])?;
        let mut text = format!("new {name}({list}) {{\n");
        for method in &methods {
            let (params, body) = self.stub_method(method, &args[own..], true)?;
            let returns = match (&method.spelled, &method.returns) {
                (Some((_, Some(ty))), _) => self.java_name(ty)?,
                (_, Some(ty)) => self.java_name(&JavaType::of(ty))?,
                (_, None) => "void".into(),
            };
            let body = if body.is_empty() { "{}".into() } else { format!("{{ {body} }}") };
            text.push_str(&format!("    @Override public {returns} {}({params}) {body}\n", method.name));
        }
        text.push('}');
        Ok(Text::atom(text, Static::Is(of)))
    }

    /// What an anonymous class passes on, cast where it is not what the constructor takes.
    fn constructor_arguments(
        &mut self,
        spec: &StubSpec,
        of: &JavaType,
        args: &[StepId],
    ) -> Result<String, Stop> {
        let Some(constructor) = &spec.constructor else { return Ok(String::new()) };
        let declared = self.typing.declared(&spec.of, "<init>", &constructor.params);
        let given = arguments(Some(of.clone()));
        let mut list = Vec::new();
        for (at, (&arg, param)) in args.iter().zip(&constructor.params).enumerate() {
            let value = self.value(arg)?;
            let formal = match &declared {
                Some(declared) if !self.typing.is_raw() => self.typing.fill(&declared.params[at], &given),
                _ => None,
            };
            let fits = formal.is_some_and(|formal| {
                let mut notes = Inference::default();
                self.typing.reduce(&value.ty, &formal, &mut notes) >= Fit::Boxed && value.ty != Static::Null
            });
            let exact = fits || value.ty == Static::of(param);
            list.push(if exact { value.text } else { self.cast(&value, param)?.text });
        }
        Ok(list.join(", "))
    }

    /// Parameters and body of a stub's method, as a lambda or as a method.
    fn stub_method(
        &mut self,
        method: &Written,
        captured: &[StepId],
        typed: bool,
    ) -> Result<(String, String), Stop> {
        let outside = self.variables.clone();
        let names: Vec<String> = (0..method.params.len())
            .map(|at| match method.names.get(at) {
                Some(name) if typed => self.variables.fresh(name),
                _ => self.variables.fresh(["a", "b", "c", "d", "e"].get(at).copied().unwrap_or("p")),
            })
            .collect();
        let mut params = Vec::new();
        for (at, (name, erased)) in names.iter().zip(&method.params).enumerate() {
            params.push(match &method.spelled {
                _ if !typed => name.clone(),
                Some((spelled, _)) => format!("{} {name}", self.java_name(&spelled[at])?),
                None => format!("{} {name}", self.java_name(&JavaType::of(erased))?),
            });
        }
        let body = self.stub_body(method, &names, captured, typed)?;
        self.variables = outside;
        Ok((params.join(", "), body))
    }

    fn stub_body(
        &mut self,
        method: &Written,
        names: &[String],
        captured: &[StepId],
        typed: bool,
    ) -> Result<String, Stop> {
        let value = match (&method.behaviour, &method.returns) {
            (StubBehaviour::Throw(class), _) => {
                let class = self.class_name(class)?;
                let body = format!("throw new {class}();");
                return Ok(if typed { body } else { format!("{{ {body} }}") });
            }
            (_, None) => return Ok(if typed { String::new() } else { "{}".into() }),
            (StubBehaviour::Default, Some(ty)) => zero(ty),
            (StubBehaviour::Constant(literal), Some(ty)) => match small(literal, ty) {
                Some(number) => number,
                None => {
                    let text = self.literal(literal)?;
                    self.assigned(text, ty)?.text
                }
            },
            (StubBehaviour::Parameter(at), Some(ty)) => {
                let at = usize::from(*at);
                let (Some(name), Some(from)) = (names.get(at), method.params.get(at)) else {
                    return Err(EmitError::Unfit(method.name.clone()).into());
                };
                let text = Text::atom(name.clone(), Static::of(from));
                self.assigned(text, ty)?.text
            }
            (StubBehaviour::Captured(at), Some(ty)) => {
                let value = self.value(captured[usize::from(*at)])?;
                self.assigned(value, ty)?.text
            }
        };
        Ok(if typed { format!("return {value};") } else { value })
    }
}

/// A constant of a small type needs no cast where it is returned.
fn small(literal: &Literal, returns: &Type) -> Option<String> {
    match (literal, returns) {
        (Literal::Byte(value), Type::Byte) => Some(value.to_string()),
        (Literal::Short(value), Type::Short) => Some(value.to_string()),
        _ => None,
    }
}

fn zero(ty: &Type) -> String {
    match ty {
        Type::Boolean => "false".into(),
        Type::Char => "'\\0'".into(),
        Type::Byte | Type::Short | Type::Int => "0".into(),
        Type::Long => "0L".into(),
        Type::Float => "0.0f".into(),
        Type::Double => "0.0".into(),
        Type::Class(_) | Type::Array(_) => "null".into(),
    }
}
