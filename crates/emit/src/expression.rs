//! Expressions: a step as the text of its value.
//!
//! In: steps and the variables some of them have. Out: Java expressions with their static types, cast where a compiler would otherwise
//! choose another overload or refuse. Calls are in `call`, stubs in `stub`.

use probat_model::{ClassName, JavaString, Literal, Operation, OperationTable, Step, StepId, Type};

use crate::imports::Imports;
use crate::infer::Inference;
use crate::java::{Argument, JavaType, boxed};
use crate::literal::{java_char, java_double, java_float, java_int, java_long, java_text};
use crate::names::Variables;
use crate::scope::Deprecation;
use crate::statement::{EmitError, Stop};
use crate::typing::{Fit, Static, Typing};

/// Source text and its static type.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub text: String,
    /// Whether it stands before a dot or after a cast without parentheses.
    pub atom: bool,
    pub ty: Static,
    /// The place of use takes part in deciding the type.
    pub free: bool,
    pub lambda: Option<Lambda>,
    /// The variable it is.
    pub variable: Option<StepId>,
    /// The step it is, if that could have a variable instead.
    pub inlined: Option<StepId>,
}

/// A lambda without its leading cast.
#[derive(Debug, Clone)]
pub(crate) struct Lambda {
    pub text: String,
    /// Whether it returns nothing or a primitive.
    pub returns_plain: bool,
    /// Whether it is right for any type arguments: it has no use for what it gets, and what it gives is of every type.
    pub is_neutral: bool,
}

impl Text {
    pub fn atom(text: impl Into<String>, ty: Static) -> Self {
        Text { text: text.into(), atom: true, ty, free: false, lambda: None, variable: None, inlined: None }
    }

    pub fn loose(text: impl Into<String>, ty: Static) -> Self {
        Text { atom: false, ..Text::atom(text, ty) }
    }

    pub fn tight(&self) -> String {
        if self.atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// Prints expressions of one method.
pub(crate) struct Printer<'a, 's> {
    pub table: &'a OperationTable,
    pub steps: &'a [Step],
    pub typing: &'a Typing<'s>,
    pub imports: Imports<'s>,
    pub variables: Variables,
    /// Variable and its declared type, for steps that have one.
    pub named: Vec<Option<(String, JavaType)>>,
    /// The type that the next expression is declared as, where it leaves a choice.
    pub wish: Option<JavaType>,
    pub raw: bool,
    pub unchecked: bool,
    /// Calls of which it is not certain what a compiler makes of them.
    pub doubts: u32,
    pub deprecated: Deprecation,
}

/// The first release with `String.repeat`.
const REPEAT: u32 = 11;

impl Printer<'_, '_> {
    pub fn operation(&self, step: StepId) -> &Operation {
        self.table.get(self.steps[usize::from(step.0)].operation)
    }

    /// A type that source can name, of which the erasure is known.
    pub fn type_name(&mut self, ty: &Type) -> Result<String, Stop> {
        self.java_name(&self.typing.wild(ty))
    }

    /// A type as source writes it, noting raw use.
    pub fn java_name(&mut self, ty: &JavaType) -> Result<String, Stop> {
        Ok(match ty {
            JavaType::Class(name, arguments) => {
                let is_raw = arguments.is_empty() && self.typing.is_generic(name);
                self.raw |= is_raw;
                let bare = match self.typing.generic_outer(name).filter(|_| !is_raw) {
                    Some(outer) if !self.typing.mixes() => self.inside(name, &outer)?,
                    found => {
                        self.raw |= found.is_some();
                        self.class_name(name)?
                    }
                };
                if arguments.is_empty() {
                    return Ok(bare);
                }
                let mut list = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    list.push(match argument {
                        Argument::Any => "?".to_owned(),
                        Argument::Extends(ty) if *ty == JavaType::class("java/lang/Object") => "?".to_owned(),
                        Argument::Exact(ty) => self.java_name(ty)?,
                        Argument::Extends(ty) => format!("? extends {}", self.java_name(ty)?),
                        Argument::Super(ty) => format!("? super {}", self.java_name(ty)?),
                    });
                }
                format!("{bare}<{}>", list.join(", "))
            }
            JavaType::Array(element) => format!("{}[]", self.java_name(element)?),
            JavaType::Primitive(ty) => ty.to_string(),
            JavaType::OfClass(_) | JavaType::OfMethod(_) | JavaType::Opaque(_) => {
                return Err(EmitError::Unnameable(format!("{ty:?}")).into());
            }
        })
    }

    /// An inner class of a generic one, `Table<?>.Row`: without arguments for the class around it, it would be raw (JLS §4.8).
    fn inside(&mut self, class: &ClassName, outer: &ClassName) -> Result<String, Stop> {
        let name = self.typing.scope.source_name(class);
        let simple = name.rsplit('.').next().unwrap_or(&name);
        self.class_name(class)?;
        let outer = self.java_name(&self.typing.any(&Type::Class(outer.clone())))?;
        Ok(format!("{outer}.{simple}"))
    }

    /// The name of a type before a dot or `class`, where a bare name is not raw.
    pub fn bare_name(&mut self, ty: &Type) -> Result<String, Stop> {
        if !self.typing.is_nameable(ty) {
            return Err(EmitError::Unnameable(ty.to_string()).into());
        }
        Ok(match ty {
            Type::Class(name) => self.imports.class(name),
            Type::Array(element) => format!("{}[]", self.bare_name(element)?),
            primitive => primitive.to_string(),
        })
    }

    pub fn class_name(&mut self, class: &ClassName) -> Result<String, Stop> {
        self.bare_name(&Type::Class(class.clone()))
    }

    /// The value of a step: its variable, or its expression.
    pub fn value(&mut self, step: StepId) -> Result<Text, Stop> {
        match &self.named[usize::from(step.0)] {
            Some((name, ty)) => {
                Ok(Text { variable: Some(step), ..Text::atom(name.clone(), Static::Is(ty.clone())) })
            }
            None => {
                let is_call = matches!(
                    self.operation(step),
                    Operation::Construct { .. } | Operation::CallStatic { .. } | Operation::Call { .. }
                );
                Ok(Text { inlined: is_call.then_some(step), ..self.expression(step)? })
            }
        }
    }

    /// A value cast to a type.
    pub fn cast(&mut self, value: &Text, to: &Type) -> Result<Text, Stop> {
        self.cast_as(value, self.typing.cast_type(&value.ty, to))
    }

    pub fn cast_as(&mut self, value: &Text, ty: JavaType) -> Result<Text, Stop> {
        let name = self.java_name(&ty)?;
        Ok(Text::loose(format!("({name}) {}", value.tight()), Static::Is(ty)))
    }

    /// A value where one of the type is assigned: cast if need be.
    pub fn assigned(&mut self, value: Text, want: &Type) -> Result<Text, Stop> {
        if let Some(bare) = &value.lambda
            && self.typing.erasure(&value.ty).as_ref() == Some(want)
        {
            return Ok(Text { text: bare.text.clone(), lambda: None, ..value });
        }
        let fit = self.typing.reduce(&value.ty, &JavaType::of(want), &mut Inference::default());
        if fit >= Fit::Boxed || value.free { Ok(value) } else { self.cast(&value, want) }
    }

    /// A text as an expression, and whether that is one literal or call.
    pub fn text(&self, text: &JavaString) -> (String, bool) {
        java_text(text, self.typing.scope.release().is_none_or(|release| release >= REPEAT))
    }

    fn argument(&mut self, step: StepId, want: &Type) -> Result<Text, Stop> {
        let value = self.value(step)?;
        self.assigned(value, want)
    }

    /// The expression a step is.
    pub fn expression(&mut self, step: StepId) -> Result<Text, Stop> {
        let wish = self.wish.take();
        let args = self.steps[usize::from(step.0)].args.clone();
        let operation = self.operation(step).clone();
        self.deprecated = self.deprecated.max(self.typing.scope.deprecation(&operation));
        Ok(match &operation {
            Operation::Literal(literal) => self.literal(literal)?,
            Operation::Construct { .. } | Operation::CallStatic { .. } | Operation::Call { .. } => {
                self.call(&operation, &args, wish.as_ref())?
            }
            Operation::GetStatic { class, name, .. } => {
                let (ty, _) = self.field(class, class, name)?;
                let class = self.class_name(class)?;
                Text::atom(format!("{class}.{name}"), ty)
            }
            Operation::GetField { class, name, .. } => {
                let (receiver, ty) = self.field_of(args[0], class, name)?;
                Text::atom(format!("{receiver}.{name}"), ty)
            }
            Operation::PutStatic { class, name, ty } => {
                self.field(class, class, name)?;
                let value = self.argument(args[0], ty)?.text;
                let class = self.class_name(class)?;
                Text::loose(format!("{class}.{name} = {value}"), Static::of(ty))
            }
            Operation::PutField { class, name, ty } => {
                let (receiver, _) = self.field_of(args[0], class, name)?;
                let value = self.argument(args[1], ty)?.text;
                Text::loose(format!("{receiver}.{name} = {value}"), Static::of(ty))
            }
            Operation::NewArray { .. }
            | Operation::ArrayOf { .. }
            | Operation::ArrayGet { .. }
            | Operation::ArraySet { .. }
            | Operation::ArrayLength => self.array(&operation, &args)?,
            Operation::Cast { to } => {
                let value = self.value(args[0])?;
                self.cast(&value, to)?
            }
            Operation::Convert { from, to } => self.convert(args[0], from, to)?,
            Operation::Stub(spec) => self.stub(spec, &args)?,
            Operation::Restore(_) => return Err(EmitError::RestoredState.into()),
        })
    }

    fn array(&mut self, operation: &Operation, args: &[StepId]) -> Result<Text, Stop> {
        Ok(match operation {
            Operation::NewArray { element } => {
                let length = self.argument(args[0], &Type::Int)?.text;
                let name = self.type_name(element)?;
                let at = name.find('[').unwrap_or(name.len());
                let text = format!("new {}[{length}]{}", &name[..at], &name[at..]);
                Text::loose(text, Static::Is(self.typing.wild(&element.clone().array())))
            }
            Operation::ArrayOf { element, .. } => {
                let mut list = Vec::with_capacity(args.len());
                for &arg in args {
                    list.push(match self.small_constant(arg, element) {
                        Some(number) => number,
                        None => self.argument(arg, element)?.text,
                    });
                }
                let name = self.type_name(element)?;
                let text = if list.is_empty() {
                    let at = name.find('[').unwrap_or(name.len());
                    format!("new {}[0]{}", &name[..at], &name[at..])
                } else {
                    format!("new {name}[] {{{}}}", list.join(", "))
                };
                Text::loose(text, Static::Is(self.typing.wild(&element.clone().array())))
            }
            Operation::ArrayGet { element } => {
                let place = self.place(args, element)?;
                Text::atom(place, Static::Is(self.typing.wild(element)))
            }
            Operation::ArraySet { element } => {
                let place = self.place(args, element)?;
                let value = self.argument(args[2], element)?.text;
                Text::loose(format!("{place} = {value}"), Static::of(element))
            }
            _ => {
                let value = self.value(args[0])?;
                let value = match self.typing.erasure(&value.ty) {
                    Some(Type::Array(_)) => value,
                    _ => self.cast(&value, &Type::class("java/lang/Object").array())?,
                };
                Text::atom(format!("{}.length", value.tight()), Static::of(&Type::Int))
            }
        })
    }

    /// `array[index]`.
    fn place(&mut self, args: &[StepId], element: &Type) -> Result<String, Stop> {
        let array = self.argument(args[0], &element.clone().array())?.tight();
        let index = self.argument(args[1], &Type::Int)?.text;
        Ok(format!("{array}[{index}]"))
    }

    /// Numbers that need no cast among the elements of a small type (JLS §5.2).
    fn small_constant(&self, step: StepId, element: &Type) -> Option<String> {
        match (self.operation(step), element) {
            (Operation::Literal(Literal::Byte(value)), Type::Byte) => Some(value.to_string()),
            (Operation::Literal(Literal::Short(value)), Type::Short) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The static type of a field seen in a class, and whether it is the one that `class` declares.
    fn field(&self, seen_in: &ClassName, class: &ClassName, name: &str) -> Result<(Static, bool), Stop> {
        let found = self.typing.scope.field(seen_in, name);
        let found = found.filter(|field| field.access.allows(&field.owner, &self.typing.package));
        let Some(field) = found else {
            return Err(EmitError::Inaccessible(format!("{class}.{name}")).into());
        };
        let erased = self.typing.erase_with(&field.ty, &self.typing.shape(&field.owner).parameters, &[]);
        let ty = if field.ty.is_open() { Static::Below(erased) } else { Static::Is(field.ty.clone()) };
        let is_same = seen_in == class
            || self.typing.scope.field(class, name).is_some_and(|other| other.owner == field.owner);
        Ok((ty, is_same))
    }

    /// The object whose field is meant, and the field's static type.
    fn field_of(&mut self, object: StepId, class: &ClassName, name: &str) -> Result<(String, Static), Stop> {
        let mut receiver = self.value(object)?;
        let want = Type::Class(class.clone());
        let seen_in = match self.typing.erasure(&receiver.ty) {
            Some(Type::Class(have)) if self.typing.scope.is_subtype(&Type::Class(have.clone()), &want) => {
                Some(have)
            }
            _ => None,
        };
        let seen = match &seen_in {
            Some(have) => self.field(have, class, name).ok().filter(|(_, is_same)| *is_same),
            None => None,
        };
        let ty = match seen {
            Some((ty, _)) => ty,
            None => {
                receiver = self.cast(&receiver, &want)?;
                self.field(class, class, name)?.0
            }
        };
        let ty = match (&ty, &receiver.ty) {
            // Through a raw object, fields are raw.
            (Static::Is(ty), Static::Is(JavaType::Class(have, given)))
                if given.is_empty() && self.typing.is_generic(have) =>
            {
                Static::of(&self.typing.erase(ty))
            }
            (Static::Below(erased), Static::Is(JavaType::Class(have, given))) if !self.typing.is_raw() => {
                match self.typing.scope.field(have, name) {
                    Some(field) => {
                        let given = self.typing.as_super(have, given, &field.owner).unwrap_or_default();
                        self.typing.seen(&field.ty, &given, erased)
                    }
                    None => ty,
                }
            }
            _ => ty,
        };
        Ok((receiver.tight(), ty))
    }

    fn convert(&mut self, arg: StepId, from: &Type, to: &Type) -> Result<Text, Stop> {
        let value = self.value(arg)?;
        if from.is_primitive() && to.is_reference() {
            // The compiler boxes it.
            return Ok(value);
        }
        if from.is_reference() && to.is_primitive() {
            return self.assigned(value, &boxed(to));
        }
        self.cast(&value, to)
    }

    pub fn literal(&mut self, literal: &Literal) -> Result<Text, Stop> {
        let ty = Static::of(&literal.ty());
        let number = |text: String| Text { atom: !text.starts_with('-'), ..Text::atom(text, ty.clone()) };
        Ok(match literal {
            Literal::Null(_) => Text::atom("null", Static::Null),
            Literal::Boolean(value) => Text::atom(value.to_string(), ty),
            Literal::Byte(value) => Text::loose(format!("(byte) {value}"), ty),
            Literal::Short(value) => Text::loose(format!("(short) {value}"), ty),
            Literal::Char(unit) => Text::atom(java_char(*unit), ty),
            Literal::Int(value) => number(java_int(*value)),
            Literal::Long(value) => number(java_long(*value)),
            Literal::Float(bits) => number(java_float(*bits)),
            Literal::Double(bits) => number(java_double(*bits)),
            Literal::String(text) => {
                let (text, atom) = self.text(text);
                Text { atom, ..Text::atom(text, ty) }
            }
            Literal::Class(of) => {
                let name = self.bare_name(of)?;
                let argument = Argument::Exact(JavaType::of(&boxed(of)));
                let ty = JavaType::Class(ClassName::internal("java/lang/Class"), vec![argument]);
                Text::atom(format!("{name}.class"), Static::Is(ty))
            }
        })
    }
}
