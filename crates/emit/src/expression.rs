//! Expressions: a step as the text of its value.
//!
//! In: steps and the variables some of them have. Out: Java expressions, cast where a compiler would otherwise choose another
//! overload or refuse. An argument of an overloaded member is cast to the very parameter type, so what was run is what is compiled.

use probat_model::{
    ClassName, Literal, Operation, OperationTable, Step, StepId, StubBehaviour, StubMethod, StubSpec, Type,
};

use crate::literal::{java_char, java_double, java_float, java_int, java_long, java_string};
use crate::names::{Imports, Variables};
use crate::scope::Scope;
use crate::statement::EmitError;

/// Source text, and whether it stands in any context without parentheses.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub text: String,
    pub atom: bool,
    /// Static type of the text; `None` for a bare `null`.
    pub ty: Option<Type>,
}

impl Text {
    fn atom(text: impl Into<String>, ty: Type) -> Self {
        Text { text: text.into(), atom: true, ty: Some(ty) }
    }

    fn loose(text: impl Into<String>, ty: Type) -> Self {
        Text { text: text.into(), atom: false, ty: Some(ty) }
    }

    fn tight(&self) -> String {
        if self.atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// Prints expressions of one method.
pub(crate) struct Printer<'a, 's> {
    pub table: &'a OperationTable,
    pub steps: &'a [Step],
    pub scope: &'s dyn Scope,
    pub imports: &'a mut Imports<'s>,
    pub variables: Variables,
    /// Variable and its declared type, for steps that have one.
    pub named: Vec<Option<(String, Type)>>,
    pub raw: bool,
    pub deprecated: bool,
}

impl Printer<'_, '_> {
    pub fn operation(&self, step: StepId) -> &Operation {
        self.table.get(self.steps[usize::from(step.0)].operation)
    }

    /// A type's name, noting raw use.
    pub fn type_name(&mut self, ty: &Type) -> String {
        let mut element = ty;
        while let Type::Array(inner) = element {
            element = inner;
        }
        if let Type::Class(name) = element {
            self.raw |= self.scope.is_generic(name);
        }
        self.imports.ty(ty)
    }

    fn class_name(&mut self, class: &ClassName) -> String {
        self.raw |= self.scope.is_generic(class);
        self.imports.class(class)
    }

    /// The value of a step: its variable, or its expression.
    pub fn value(&mut self, step: StepId) -> Result<Text, EmitError> {
        match &self.named[usize::from(step.0)] {
            Some((name, ty)) => Ok(Text::atom(name.clone(), ty.clone())),
            None => self.expression(step),
        }
    }

    /// The value of a step where `want` is expected; with `exact`, of just that static type.
    pub fn argument(&mut self, step: StepId, want: &Type, exact: bool) -> Result<String, EmitError> {
        let value = self.value(step)?;
        Ok(self.fit(value, want, exact).text)
    }

    fn fit(&mut self, value: Text, want: &Type, exact: bool) -> Text {
        let fits = match &value.ty {
            None => !exact,
            Some(have) if exact => have == want,
            Some(have) => have == want || self.converts(have, want),
        };
        if fits {
            return value;
        }
        let name = self.type_name(want);
        Text::loose(format!("({name}) {}", value.tight()), want.clone())
    }

    /// Assignable, boxing included.
    fn converts(&self, have: &Type, want: &Type) -> bool {
        match (have.is_reference(), want.is_reference()) {
            (true, true) => self.scope.is_subtype(have, want),
            (false, true) => self.scope.is_subtype(&boxed(have), want),
            (true, false) => *have == boxed(want),
            (false, false) => have == want,
        }
    }

    /// A receiver: cast to the class that declares the member if its static type does not have it.
    fn receiver(&mut self, step: StepId, class: &ClassName) -> Result<String, EmitError> {
        let mut value = self.value(step)?;
        let want = Type::Class(class.clone());
        if let Operation::Convert { from, to: Type::Class(name) } = self.operation(step).clone()
            && self.named[usize::from(step.0)].is_none()
            && from.is_primitive()
        {
            let name = self.class_name(&name);
            value = Text::atom(format!("{name}.valueOf({})", value.text), boxed(&from));
        }
        Ok(self.fit(value, &want, false).tight())
    }

    fn arguments(&mut self, args: &[StepId], params: &[Type], exact: bool) -> Result<String, EmitError> {
        let mut out = Vec::with_capacity(args.len());
        for (&arg, param) in args.iter().zip(params) {
            out.push(self.argument(arg, param, exact)?);
        }
        Ok(out.join(", "))
    }

    /// The expression a step is.
    pub fn expression(&mut self, step: StepId) -> Result<Text, EmitError> {
        let args = self.steps[usize::from(step.0)].args.clone();
        let operation = self.operation(step).clone();
        self.deprecated |= self.scope.is_deprecated(&operation);
        let exact = self.scope.is_overloaded(&operation);
        Ok(match &operation {
            Operation::Literal(literal) => self.literal(literal)?,
            Operation::Construct { class, descriptor } => {
                let list = self.arguments(&args, &descriptor.params, exact)?;
                let name = self.class_name(class);
                Text::atom(format!("new {name}({list})"), Type::Class(class.clone()))
            }
            Operation::CallStatic { class, name, descriptor, .. } => {
                let list = self.arguments(&args, &descriptor.params, exact)?;
                let class = self.class_name(class);
                call_text(format!("{class}.{name}({list})"), descriptor.returns.as_ref())
            }
            Operation::Call { class, name, descriptor, .. } => {
                let receiver = self.receiver(args[0], class)?;
                let list = self.arguments(&args[1..], &descriptor.params, exact)?;
                call_text(format!("{receiver}.{name}({list})"), descriptor.returns.as_ref())
            }
            Operation::GetStatic { class, name, ty } => {
                let class = self.class_name(class);
                Text::atom(format!("{class}.{name}"), ty.clone())
            }
            Operation::GetField { class, name, ty } => {
                let receiver = self.receiver(args[0], class)?;
                Text::atom(format!("{receiver}.{name}"), ty.clone())
            }
            Operation::PutStatic { class, name, ty } => {
                let value = self.argument(args[0], ty, false)?;
                let class = self.class_name(class);
                Text::loose(format!("{class}.{name} = {value}"), ty.clone())
            }
            Operation::PutField { class, name, ty } => {
                let receiver = self.receiver(args[0], class)?;
                let value = self.argument(args[1], ty, false)?;
                Text::loose(format!("{receiver}.{name} = {value}"), ty.clone())
            }
            Operation::NewArray { element } => {
                let length = self.argument(args[0], &Type::Int, false)?;
                let (base, dims) = self.array_parts(element);
                Text::atom(format!("new {base}[{length}]{dims}"), element.clone().array())
            }
            Operation::ArrayOf { element, length } => {
                let list = self.arguments(&args, &vec![element.clone(); *length as usize], false)?;
                let name = self.type_name(element);
                let text = if list.is_empty() {
                    format!("new {name}[] {{}}")
                } else {
                    format!("new {name}[] {{{list}}}")
                };
                Text::atom(text, element.clone().array())
            }
            Operation::ArrayGet { element } => {
                let array = self.argument(args[0], &element.clone().array(), false)?;
                let index = self.argument(args[1], &Type::Int, false)?;
                Text::atom(format!("{array}[{index}]"), element.clone())
            }
            Operation::ArraySet { element } => {
                let array = self.argument(args[0], &element.clone().array(), false)?;
                let index = self.argument(args[1], &Type::Int, false)?;
                let value = self.argument(args[2], element, false)?;
                Text::loose(format!("{array}[{index}] = {value}"), element.clone())
            }
            Operation::ArrayLength => {
                Text::atom(format!("{}.length", self.value(args[0])?.tight()), Type::Int)
            }
            Operation::Cast { to } => {
                let value = self.value(args[0])?;
                let name = self.type_name(to);
                Text::loose(format!("({name}) {}", value.tight()), to.clone())
            }
            Operation::Convert { from, to } => self.convert(args[0], from, to)?,
            Operation::Stub(spec) => self.stub(spec, &args)?,
            Operation::Restore(_) => return Err(EmitError::RestoredState),
        })
    }

    fn array_parts(&mut self, element: &Type) -> (String, String) {
        let name = self.type_name(element);
        let at = name.find('[').unwrap_or(name.len());
        (name[..at].to_owned(), name[at..].to_owned())
    }

    fn convert(&mut self, arg: StepId, from: &Type, to: &Type) -> Result<Text, EmitError> {
        let value = self.value(arg)?;
        if from.is_primitive() && to.is_reference() {
            // The compiler boxes it; the static type already is the box, so casts are made against that.
            return Ok(Text { text: value.text, atom: value.atom, ty: Some(boxed(from)) });
        }
        if from.is_reference() {
            let unboxed = self.fit(value, &boxed(to), false);
            return Ok(Text { ty: Some(boxed(to)), ..unboxed });
        }
        let name = self.type_name(to);
        Ok(Text::loose(format!("({name}) {}", value.tight()), to.clone()))
    }

    fn literal(&mut self, literal: &Literal) -> Result<Text, EmitError> {
        let ty = literal.ty();
        let number = |text: String| {
            let atom = !text.starts_with('-');
            Text { text, atom, ty: Some(ty.clone()) }
        };
        Ok(match literal {
            Literal::Null(_) => Text { text: "null".into(), atom: true, ty: None },
            Literal::Boolean(value) => Text::atom(value.to_string(), ty),
            Literal::Byte(value) => Text::loose(format!("(byte) {}", parenthesised(i64::from(*value))), ty),
            Literal::Short(value) => Text::loose(format!("(short) {}", parenthesised(i64::from(*value))), ty),
            Literal::Char(unit) => Text::atom(java_char(*unit), ty),
            Literal::Int(value) => number(java_int(*value)),
            Literal::Long(value) => number(java_long(*value)),
            Literal::Float(bits) => number(java_float(*bits)),
            Literal::Double(bits) => number(java_double(*bits)),
            Literal::String(text) => {
                if text.units().len() > MAX_LITERAL {
                    return Err(EmitError::LongString(text.units().len()));
                }
                Text::atom(java_string(text), ty)
            }
            Literal::Class(of) => Text::atom(format!("{}.class", self.imports.ty(of)), ty),
        })
    }

    fn stub(&mut self, spec: &StubSpec, args: &[StepId]) -> Result<Text, EmitError> {
        let own = spec.constructor.as_ref().map_or(0, |c| c.params.len());
        let name = self.class_name(&spec.of);
        let ty = Type::Class(spec.of.clone());
        if let ([method], true) = (spec.methods.as_slice(), spec.is_interface) {
            let (params, body) = self.stub_method(method, &args[own..], false)?;
            let params = if method.descriptor.params.len() == 1 { params } else { format!("({params})") };
            return Ok(Text::loose(format!("({name}) {params} -> {body}"), ty));
        }
        let params = spec.constructor.as_ref().map_or(&[][..], |c| &c.params);
        let list = self.arguments(&args[..own], params, true)?;
        let mut text = format!("new {name}({list}) {{\n");
        for method in &spec.methods {
            let (params, body) = self.stub_method(method, &args[own..], true)?;
            let returns = match &method.descriptor.returns {
                Some(ty) => self.type_name(ty),
                None => "void".into(),
            };
            text.push_str(&format!(
                "            @Override\n            public {returns} {}({params}) {body}\n",
                method.name
            ));
        }
        text.push_str("        }");
        Ok(Text::atom(text, ty))
    }

    /// Parameters and body of a stub's method, as a lambda or as a method.
    fn stub_method(
        &mut self,
        method: &StubMethod,
        captured: &[StepId],
        typed: bool,
    ) -> Result<(String, String), EmitError> {
        let mut names = Vec::new();
        for at in 0..method.descriptor.params.len() {
            let name = self.variables.fresh(["a", "b", "c", "d", "e"].get(at).copied().unwrap_or("p"));
            names.push(name);
        }
        let mut params = Vec::new();
        for (name, ty) in names.iter().zip(&method.descriptor.params) {
            params.push(if typed { format!("{} {name}", self.type_name(ty)) } else { name.clone() });
        }
        let returns = method.descriptor.returns.as_ref();
        let value = match (&method.behaviour, returns) {
            (StubBehaviour::Throw(class), _) => {
                let class = self.class_name(class);
                return Ok((params.join(", "), format!("{{ throw new {class}(); }}")));
            }
            (_, None) => return Ok((params.join(", "), "{}".into())),
            (StubBehaviour::Default, Some(ty)) => zero(ty),
            (StubBehaviour::Constant(literal), Some(ty)) => {
                let text = self.literal(literal)?;
                self.fit(text, ty, false).text
            }
            (StubBehaviour::Parameter(at), Some(ty)) => {
                let from = &method.descriptor.params[usize::from(*at)];
                let text = Text::atom(names[usize::from(*at)].clone(), from.clone());
                self.fit(text, ty, false).text
            }
            (StubBehaviour::Captured(at), Some(ty)) => {
                self.argument(captured[usize::from(*at)], ty, false)?
            }
        };
        let body = if typed { format!("{{ return {value}; }}") } else { value };
        Ok((params.join(", "), body))
    }
}

/// Longest text we print as one literal; class files end at 65535 bytes.
const MAX_LITERAL: usize = 10_000;

fn call_text(text: String, returns: Option<&Type>) -> Text {
    Text { text, atom: true, ty: returns.cloned() }
}

fn parenthesised(value: i64) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

fn zero(ty: &Type) -> String {
    match ty {
        Type::Boolean => "false".into(),
        Type::Char => "'\\0'".into(),
        Type::Byte => "(byte) 0".into(),
        Type::Short => "(short) 0".into(),
        Type::Int => "0".into(),
        Type::Long => "0L".into(),
        Type::Float => "0.0f".into(),
        Type::Double => "0.0".into(),
        Type::Class(_) | Type::Array(_) => "null".into(),
    }
}

/// The box of a primitive type; other types stay.
pub(crate) fn boxed(ty: &Type) -> Type {
    Type::class(match ty {
        Type::Boolean => "java/lang/Boolean",
        Type::Byte => "java/lang/Byte",
        Type::Char => "java/lang/Character",
        Type::Short => "java/lang/Short",
        Type::Int => "java/lang/Integer",
        Type::Long => "java/lang/Long",
        Type::Float => "java/lang/Float",
        Type::Double => "java/lang/Double",
        Type::Class(_) | Type::Array(_) => return ty.clone(),
    })
}
