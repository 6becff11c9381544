//! Stubs: lambdas, and anonymous classes.
//!
//! In: a [`StubSpec`], whose methods are those of the class file, bridges included. Out: source in which each method of the source
//! language is written once, with the types it has in the stubbed type.

use probat_model::{Literal, StepId, StubBehaviour, StubMethod, StubSpec, Type};

use crate::expression::{Printer, Text};
use crate::java::Method;
use crate::statement::{EmitError, Stop};
use crate::typing::{Static, Typing};

/// A method as the stub's source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub name: String,
    pub params: Vec<Type>,
    pub returns: Option<Type>,
    pub behaviour: StubBehaviour,
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
        names: Vec::new(),
        is_generic: false,
    };
    let all = typing.scope.methods(&spec.of, &method.name);
    let Some(declared) = all.into_iter().find(|found| found.descriptor == method.descriptor) else {
        return plain;
    };
    let Some(given) = typing.as_super(&spec.of, &[], &declared.owner) else { return plain };
    let (names, is_generic) = (declared.names.clone(), !declared.parameters.is_empty());
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

fn returned(declared: &Method, erase: impl Fn(&crate::java::JavaType, &Type) -> Type) -> Option<Type> {
    Some(erase(declared.returns.as_ref()?, declared.descriptor.returns.as_ref()?))
}

impl Printer<'_, '_> {
    pub fn stub(&mut self, spec: &StubSpec, args: &[StepId]) -> Result<Text, Stop> {
        let own = spec.constructor.as_ref().map_or(0, |c| c.params.len());
        let of = Type::Class(spec.of.clone());
        let name = self.type_name(&of)?;
        let methods = written(self.typing, spec);
        if let ([method], true) = (methods.as_slice(), spec.is_interface)
            && !method.is_generic
        {
            let (params, body) = self.stub_method(method, &args[own..], false)?;
            let params = if method.params.len() == 1 { params } else { format!("({params})") };
            let bare = format!("{params} -> {body}");
            let text = format!("({name}) {bare}");
            return Ok(Text { lambda: Some(bare), ..Text::loose(text, Static::of(&of)) });
        }
        let params = spec.constructor.as_ref().map_or(&[][..], |c| &c.params);
        let mut list = Vec::new();
        for (&arg, param) in args[..own].iter().zip(params) {
            let value = self.value(arg)?;
            let exact = value.ty == Static::of(param);
            list.push(if exact { value.text } else { self.cast(&value, param)?.text });
        }
        let mut text = format!("new {name}({}) {{\n", list.join(", "));
        for (at, method) in methods.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            let (params, body) = self.stub_method(method, &args[own..], true)?;
            let returns = match &method.returns {
                Some(ty) => self.type_name(ty)?,
                None => "void".into(),
            };
            let body = if body.is_empty() { " {}".into() } else { format!(" {{\n        {body}\n    }}") };
            text.push_str(&format!("    @Override\n    public {returns} {}({params}){body}\n", method.name));
        }
        text.push('}');
        Ok(Text::atom(text, Static::of(&of)))
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
        for (name, ty) in names.iter().zip(&method.params) {
            params.push(if typed { format!("{} {name}", self.type_name(ty)?) } else { name.clone() });
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
