//! Statements: which results get a variable, which are written where they are used, what is asserted.
//!
//! In: one [`TestCase`]. Out: the lines of its method's body. The order of effects is the order of the steps.

use probat_model::{ClassName, Operation, OperationTable, StepId, Type};

use crate::case::{Check, Ending, Expected, TestCase};
use crate::class::Framework;
use crate::expression::Printer;
use crate::literal::{java_char, java_double, java_float, java_int, java_long, java_string};
use crate::names::{Imports, Variables, wish_for_method, wish_for_type};
use crate::scope::Scope;

/// Why a test cannot be printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    #[error("an object rebuilt from a stored state has no source form")]
    RestoredState,
    #[error("a string of {0} characters is longer than a literal should be")]
    LongString(usize),
}

/// A printed method body.
#[derive(Debug)]
pub(crate) struct Body {
    pub lines: Vec<String>,
    /// Widest exception to declare, if any is checked.
    pub throws: Option<&'static str>,
    pub raw: bool,
    pub deprecated: bool,
    /// Static assertion methods used.
    pub asserts: Vec<&'static str>,
}

pub(crate) fn body<'s>(
    case: &TestCase,
    table: &OperationTable,
    scope: &'s dyn Scope,
    imports: &mut Imports<'s>,
    framework: Framework,
) -> Result<Body, EmitError> {
    let printer = Printer {
        table,
        steps: &case.steps,
        scope,
        imports,
        variables: Variables::default(),
        named: vec![None; case.steps.len()],
        raw: false,
        deprecated: false,
    };
    let mut writer = Writer {
        case,
        printer,
        framework,
        uses: uses(case),
        lines: Vec::new(),
        asserts: Vec::new(),
        throws: None,
    };
    for at in 0..case.steps.len() {
        writer.step(StepId(at as u16))?;
    }
    if let Ending::Fails { assertion } = &case.ending {
        writer.lines.push(assertion.clone());
    }
    let Writer { printer, lines, asserts, throws, .. } = writer;
    Ok(Body { lines, throws, raw: printer.raw, deprecated: printer.deprecated, asserts })
}

/// For each step: how many later steps use its result, and the last that does.
struct Uses {
    count: u32,
    last: usize,
    checks: u32,
}

fn uses(case: &TestCase) -> Vec<Uses> {
    let mut all: Vec<Uses> = case.steps.iter().map(|_| Uses { count: 0, last: 0, checks: 0 }).collect();
    for (at, step) in case.steps.iter().enumerate() {
        for arg in &step.args {
            let of = &mut all[usize::from(arg.0)];
            of.count += 1;
            of.last = at;
        }
    }
    for check in &case.checks {
        all[usize::from(check.step.0)].checks += 1;
        if let Expected::Same(other) = check.expected {
            // Two mentions keep it out of line.
            all[usize::from(other.0)].count += 2;
        }
    }
    all
}

struct Writer<'a, 's> {
    case: &'a TestCase,
    printer: Printer<'a, 's>,
    framework: Framework,
    uses: Vec<Uses>,
    lines: Vec<String>,
    asserts: Vec<&'static str>,
    throws: Option<&'static str>,
}

impl Writer<'_, '_> {
    fn step(&mut self, step: StepId) -> Result<(), EmitError> {
        let operation = self.printer.operation(step).clone();
        self.note_checked(&operation);
        let is_last = usize::from(step.0) + 1 == self.case.steps.len();
        if is_last && let Ending::Throws { class, message } = &self.case.ending {
            return self.throwing(step, class, message.as_ref());
        }
        let checks: Vec<Check> =
            self.case.checks.iter().filter(|check| check.step == step).cloned().collect();
        if self.in_line(step, &operation) {
            return Ok(());
        }
        let of = &self.uses[usize::from(step.0)];
        if of.count == 0 && checks.len() == 1 && operation.result().is_some() {
            let text = self.printer.expression(step)?.text;
            return self.check(&text, &operation, &checks[0].expected);
        }
        if of.count == 0 && checks.is_empty() && is_statement(&operation) {
            let text = self.printer.expression(step)?.text;
            self.lines.push(format!("{text};"));
            return Ok(());
        }
        self.declare(step, &operation)?;
        for check in checks {
            let text = self.printer.value(step)?.text;
            self.check(&text, &operation, &check.expected)?;
        }
        Ok(())
    }

    fn note_checked(&mut self, operation: &Operation) {
        for class in self.printer.scope.checked(operation) {
            let wide = if class.as_internal() == "java/lang/Throwable" { "Throwable" } else { "Exception" };
            if self.throws != Some("Throwable") {
                self.throws = Some(wide);
            }
        }
    }

    /// Whether the step is written where it is used, or not at all.
    fn in_line(&self, step: StepId, operation: &Operation) -> bool {
        let of = &self.uses[usize::from(step.0)];
        if of.checks > 0 {
            return false;
        }
        match operation {
            Operation::Literal(_) => true,
            Operation::Convert { .. } | Operation::Stub(_) => of.count <= 1,
            Operation::GetStatic { .. } | Operation::ArrayOf { .. } | Operation::Cast { .. } => of.count == 1,
            Operation::Construct { .. } => {
                of.count == 1 && !self.is_throwing(of.last) && self.is_next_statement(step, of.last)
            }
            _ => false,
        }
    }

    /// Whether this is the step that throws: it must be alone in its assertion.
    fn is_throwing(&self, step: usize) -> bool {
        matches!(self.case.ending, Ending::Throws { .. }) && step + 1 == self.case.steps.len()
    }

    /// Whether nothing with an effect stands between a step and its user.
    fn is_next_statement(&self, step: StepId, user: usize) -> bool {
        let between = usize::from(step.0) + 1..user;
        between.clone().all(|at| {
            matches!(
                self.printer.operation(StepId(at as u16)),
                Operation::Literal(_) | Operation::Convert { .. } | Operation::GetStatic { .. }
            )
        })
    }

    fn declare(&mut self, step: StepId, operation: &Operation) -> Result<(), EmitError> {
        let text = self.printer.expression(step)?.text;
        let ty = operation.result().unwrap_or(Type::class("java/lang/Object"));
        let wish = match operation {
            Operation::Call { name, .. }
            | Operation::CallStatic { name, .. }
            | Operation::GetField { name, .. } => wish_for_method(name, &ty),
            _ => wish_for_type(&ty),
        };
        let name = self.printer.variables.fresh(&wish);
        let declared = self.printer.type_name(&ty);
        self.lines.push(format!("{declared} {name} = {text};"));
        let visible = self.visible(&ty);
        self.printer.named[usize::from(step.0)] = Some((name, visible));
        Ok(())
    }

    /// The type a variable really has: the nearest one that can be named.
    fn visible(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Class(name) => Type::Class(self.printer.imports.nameable(name)),
            Type::Array(element) => self.visible(element).array(),
            primitive => primitive.clone(),
        }
    }

    fn throwing(
        &mut self,
        step: StepId,
        class: &ClassName,
        message: Option<&probat_model::JavaString>,
    ) -> Result<(), EmitError> {
        let operation = self.printer.operation(step).clone();
        let mut text = self.printer.expression(step)?.text;
        if !is_statement(&operation) {
            text = format!("String.valueOf({text})");
        }
        let class = self.printer.imports.nameable(class);
        let name = self.printer.type_name(&Type::Class(class));
        self.assert_method("assertThrows");
        let Some(message) = message else {
            self.lines.push(format!("assertThrows({name}.class, () -> {text});"));
            return Ok(());
        };
        let thrown = self.printer.variables.fresh("thrown");
        self.lines.push(format!("{name} {thrown} = assertThrows({name}.class, () -> {text});"));
        self.assert_method("assertEquals");
        self.lines.push(format!("assertEquals({}, {thrown}.getMessage());", java_string(message)));
        Ok(())
    }

    fn assert_method(&mut self, name: &'static str) {
        if !self.asserts.contains(&name) {
            self.asserts.push(name);
        }
    }

    fn check(&mut self, text: &str, operation: &Operation, expected: &Expected) -> Result<(), EmitError> {
        let static_type = operation.result();
        let line = match expected {
            Expected::Null => self.unary("assertNull", text),
            Expected::NotNull => self.unary("assertNotNull", text),
            Expected::Boolean(value) if static_type == Some(Type::Boolean) => {
                self.unary(if *value { "assertTrue" } else { "assertFalse" }, text)
            }
            Expected::Same(other) => {
                let other = self.printer.value(*other)?.text;
                self.assert_method("assertSame");
                format!("assertSame({other}, {text});")
            }
            Expected::Array(element, values) => {
                let list: Vec<String> = values.iter().map(|value| self.spell(value)).collect();
                let name = self.printer.type_name(element);
                self.assert_method("assertArrayEquals");
                let delta = self.delta(element);
                format!("assertArrayEquals(new {name}[] {{{}}}, {text}{delta});", list.join(", "))
            }
            value => {
                let spelled = self.spell(value);
                self.assert_method("assertEquals");
                let delta = static_type.as_ref().map_or("", |ty| self.delta(ty));
                let text = self.same_kind(value, static_type.as_ref(), text);
                format!("assertEquals({spelled}, {text}{delta});")
            }
        };
        self.lines.push(line);
        Ok(())
    }

    /// JUnit 4 compares floating point with a tolerance, and with nothing else.
    fn delta(&self, ty: &Type) -> &'static str {
        match (self.framework, ty) {
            (Framework::JUnit4, Type::Double) => ", 0.0",
            (Framework::JUnit4, Type::Float) => ", 0.0f",
            _ => "",
        }
    }

    /// `assertEquals(5, x)` is ambiguous for an `Object` or a box: compare objects there.
    fn same_kind(&self, expected: &Expected, static_type: Option<&Type>, text: &str) -> String {
        let primitive = !matches!(expected, Expected::String(_) | Expected::Constant(..));
        match static_type {
            Some(ty) if primitive && ty.is_reference() => format!("(Object) {text}"),
            _ => text.to_owned(),
        }
    }

    fn unary(&mut self, name: &'static str, text: &str) -> String {
        self.assert_method(name);
        format!("{name}({text});")
    }

    fn spell(&mut self, value: &Expected) -> String {
        match value {
            Expected::Null | Expected::NotNull | Expected::Same(_) => "null".into(),
            Expected::Boolean(value) => value.to_string(),
            Expected::Byte(value) => format!("(byte) {value}"),
            Expected::Short(value) => format!("(short) {value}"),
            Expected::Char(value) => java_char(*value),
            Expected::Int(value) => java_int(*value),
            Expected::Long(value) => java_long(*value),
            Expected::Float(value) => java_float(value.to_bits()),
            Expected::Double(value) => java_double(value.to_bits()),
            Expected::String(text) => java_string(text),
            Expected::Constant(class, name) => {
                let class = self.printer.imports.class(class);
                format!("{class}.{name}")
            }
            Expected::Array(element, values) => {
                let list: Vec<String> = values.iter().map(|value| self.spell(value)).collect();
                format!("new {}[] {{{}}}", self.printer.type_name(element), list.join(", "))
            }
        }
    }
}

/// Whether the expression may stand alone before a semicolon.
fn is_statement(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Construct { .. }
            | Operation::Call { .. }
            | Operation::CallStatic { .. }
            | Operation::PutField { .. }
            | Operation::PutStatic { .. }
            | Operation::ArraySet { .. }
    )
}
