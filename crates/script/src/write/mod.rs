//! From a sequence to the script that means it: the way back of [`read`](crate::read).
//!
//! In: steps, what to remark on some of them, and [`Types`]. Out: text that was read again and makes the same calls on the same values, or
//! [`Unwritable`]. Casts are left out where the calls are the same without them.

mod name;
mod same;
mod spell;

use std::collections::BTreeMap;

use probat_model::{ClassName, Operation, OperationTable, Step, StepId, Type};

use crate::resolve::Hierarchy;
use crate::types::Types;
use name::Names;
use same::is_same;

/// Why a sequence has no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    #[error("an object rebuilt from a stored state has no text form")]
    Restored,
    #[error("a stub that gives a constant kept elsewhere has no text form")]
    Captured,
    #[error("read again, the text means other calls{0}")]
    Other(String),
}

/// A sequence to write.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    pub table: &'a OperationTable,
    pub steps: &'a [Step],
    /// Comments above everything.
    pub head: &'a [String],
    /// Comments on what steps gave, by step.
    pub remarks: &'a BTreeMap<StepId, String>,
}

/// Writes a script and reads it again.
pub fn write(what: &Written<'_>, types: &dyn Types) -> Result<String, Unwritable> {
    let hierarchy = Hierarchy::new(types);
    let mut said = String::new();
    for casts in [false, true] {
        let text = Writer::new(what, &hierarchy, casts).write()?;
        match crate::read(&text, types) {
            Ok(script) if is_same(what, &script) => return Ok(text),
            Ok(_) => {}
            Err(problems) => {
                said = problems.first().map_or(String::new(), |problem| format!(": {}", problem.message));
            }
        }
    }
    Err(Unwritable::Other(said))
}

struct Writer<'a> {
    what: &'a Written<'a>,
    hierarchy: &'a Hierarchy<'a>,
    /// Say the type of every argument.
    casts: bool,
    names: Names,
    /// The variable of a step.
    variables: Vec<Option<String>>,
    lines: Vec<String>,
}

/// Text, its static type, and whether it stands before a dot as it is.
struct Piece {
    text: String,
    ty: Type,
    atom: bool,
}

impl Piece {
    fn tight(&self) -> String {
        if self.atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl<'a> Writer<'a> {
    fn new(what: &'a Written<'a>, hierarchy: &'a Hierarchy<'a>, casts: bool) -> Self {
        let variables = vec![None; what.steps.len()];
        Writer { what, hierarchy, casts, names: Names::default(), variables, lines: Vec::new() }
    }

    fn write(mut self) -> Result<String, Unwritable> {
        for at in 0..self.what.steps.len() {
            self.step(StepId(at as u16))?;
        }
        let mut out: String = self.what.head.iter().map(|line| format!("// {line}\n")).collect();
        for import in self.names.imports() {
            out.push_str(&format!("import {import}\n"));
        }
        for line in self.lines {
            out.push_str(&line);
            out.push('\n');
        }
        Ok(out)
    }

    fn operation(&self, step: StepId) -> &'a Operation {
        self.what.table.get(self.what.steps[usize::from(step.0)].operation)
    }

    fn args(&self, step: StepId) -> &'a [StepId] {
        &self.what.steps[usize::from(step.0)].args
    }

    fn step(&mut self, step: StepId) -> Result<(), Unwritable> {
        let operation = self.operation(step);
        let uses = self.what.steps.iter().flat_map(|other| &other.args).filter(|arg| **arg == step).count();
        if is_inline(operation, uses) {
            return Ok(());
        }
        let piece = self.expression(step)?;
        let remark = self.what.remarks.get(&step).map_or(String::new(), |text| format!("    // {text}"));
        let line = match (uses, operation.result()) {
            (1.., Some(ty)) => {
                let name = self.names.variable(&ty);
                let line = format!("{name} = {}{remark}", piece.text);
                self.variables[usize::from(step.0)] = Some(name);
                line
            }
            _ => format!("{}{remark}", piece.text),
        };
        self.lines.push(line);
        Ok(())
    }

    /// The value of a step.
    fn value(&mut self, step: StepId) -> Result<Piece, Unwritable> {
        let ty = self.operation(step).result().unwrap_or(Type::class("java/lang/Object"));
        match &self.variables[usize::from(step.0)] {
            Some(name) => Ok(Piece { text: name.clone(), ty, atom: true }),
            None => self.expression(step),
        }
    }

    fn expression(&mut self, step: StepId) -> Result<Piece, Unwritable> {
        let args = self.args(step);
        let operation = self.operation(step);
        let ty = operation.result().unwrap_or(Type::class("java/lang/Object"));
        let text = match operation {
            Operation::Literal(literal) => {
                let (text, atom) = spell::literal(literal, self.casts, &mut self.names);
                return Ok(Piece { text, ty, atom });
            }
            Operation::Convert { to, .. } => return self.convert(args[0], to),
            Operation::Cast { to } => {
                let value = self.value(args[0])?;
                return Ok(self.cast(&value, to));
            }
            Operation::Construct { class, descriptor } => {
                let list = self.list(args, &descriptor.params)?;
                format!("new {}({list})", self.names.class(class))
            }
            Operation::CallStatic { class, name, descriptor, .. } => {
                let list = self.list(args, &descriptor.params)?;
                format!("{}.{name}({list})", self.names.class(class))
            }
            Operation::Call { class, name, descriptor, .. } => {
                let receiver = self.object(args[0], class)?;
                let list = self.list(&args[1..], &descriptor.params)?;
                format!("{receiver}.{name}({list})")
            }
            Operation::GetStatic { class, name, .. } => format!("{}.{name}", self.names.class(class)),
            Operation::PutStatic { class, name, ty } => {
                let value = self.argument(args[0], ty)?;
                format!("{}.{name} = {value}", self.names.class(class))
            }
            Operation::GetField { class, name, .. } => format!("{}.{name}", self.object(args[0], class)?),
            Operation::PutField { class, name, ty } => {
                format!("{}.{name} = {}", self.object(args[0], class)?, self.argument(args[1], ty)?)
            }
            Operation::NewArray { element } => {
                let length = self.argument(args[0], &Type::Int)?;
                let name = self.names.ty(element);
                let at = name.find('[').unwrap_or(name.len());
                format!("new {}[{length}]{}", &name[..at], &name[at..])
            }
            Operation::ArrayOf { element, .. } => {
                let wanted = vec![element.clone(); args.len()];
                let list = self.list(args, &wanted)?;
                format!("new {}[] {{{list}}}", self.names.ty(element))
            }
            Operation::ArrayGet { element } => self.place(args, element)?,
            Operation::ArraySet { element } => {
                format!("{} = {}", self.place(args, element)?, self.argument(args[2], element)?)
            }
            Operation::ArrayLength => format!("{}.length", self.value(args[0])?.tight()),
            Operation::Stub(spec) => self.stub(spec, args)?,
            Operation::Restore(_) => return Err(Unwritable::Restored),
        };
        Ok(Piece { text, ty, atom: true })
    }

    fn convert(&mut self, arg: StepId, to: &Type) -> Result<Piece, Unwritable> {
        let value = self.value(arg)?;
        if value.ty.is_primitive() && to.is_reference() && !self.casts {
            return Ok(Piece { ty: to.clone(), ..value });
        }
        Ok(self.cast(&value, to))
    }

    fn cast(&mut self, value: &Piece, to: &Type) -> Piece {
        let text = format!("({}) {}", self.names.ty(to), value.tight());
        Piece { text, ty: to.clone(), atom: false }
    }

    fn place(&mut self, args: &[StepId], element: &Type) -> Result<String, Unwritable> {
        let array = self.value(args[0])?;
        let want = element.clone().array();
        let array = if array.ty == want { array } else { self.cast(&array, &want) };
        Ok(format!("{}[{}]", array.tight(), self.argument(args[1], &Type::Int)?))
    }

    /// An object as an instance of a class.
    fn object(&mut self, step: StepId, class: &ClassName) -> Result<String, Unwritable> {
        let value = self.value(step)?;
        let want = Type::Class(class.clone());
        let fits = if self.casts { value.ty == want } else { self.hierarchy.is_subtype(&value.ty, &want) };
        Ok(if fits { value.tight() } else { self.cast(&value, &want).tight() })
    }

    fn argument(&mut self, step: StepId, want: &Type) -> Result<String, Unwritable> {
        let value = self.value(step)?;
        let fits = value.ty == *want
            || (!self.casts && (value.text == "null" || self.hierarchy.is_subtype(&value.ty, want)));
        Ok(if fits { value.text } else { self.cast(&value, want).text })
    }

    fn list(&mut self, args: &[StepId], wanted: &[Type]) -> Result<String, Unwritable> {
        let each: Result<Vec<String>, Unwritable> =
            args.iter().zip(wanted).map(|(&arg, want)| self.argument(arg, want)).collect();
        Ok(each?.join(", "))
    }
}

/// Steps without a statement of their own.
fn is_inline(operation: &Operation, uses: usize) -> bool {
    match operation {
        Operation::Literal(_) | Operation::Convert { .. } => true,
        // One that nobody uses is there for what it throws.
        Operation::Cast { .. } => uses > 0,
        _ => false,
    }
}
