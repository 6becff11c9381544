//! Statements: variables, calls, assertions.
//!
//! In: one [`TestCase`]. Out: the lines of its method's body. The order of effects is the order of the steps. A draft that turns out
//! too wide is written again with more variables.

use std::collections::BTreeSet;

use probat_model::{ClassName, JavaString, Operation, OperationTable, StepId, Type};

use crate::case::{Asked, Ending, Expected, TestCase};
use crate::class::Framework;
use crate::contract::{Broken, comment_on, comment_on_rule};
use crate::expression::{Printer, Text};
use crate::imports::Imports;
use crate::java::JavaType;
use crate::layout::{fits, wrap};
use crate::names::{Variables, wish_for_method, wish_for_type};
use crate::plan::{Plan, plan};
use crate::scope::Deprecation;
use crate::share::making;
use crate::typing::Typing;

/// Why a test cannot be printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    #[error("an object rebuilt from a stored state has no source form")]
    RestoredState,
    #[error("`{0}` cannot be used from the test's package")]
    Inaccessible(String),
    #[error("type `{0}` cannot be named in the test's package")]
    Unnameable(String),
    #[error("`{0}` does not fit its place")]
    Unfit(String),
    #[error("{0} characters of code are more than a method should have")]
    TooLong(usize),
}

/// Why a draft ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    Refused(EmitError),
    /// Write again, with a variable for this step.
    Name(StepId),
}

impl From<EmitError> for Stop {
    fn from(error: EmitError) -> Self {
        Stop::Refused(error)
    }
}

/// A printed method body.
#[derive(Debug)]
pub(crate) struct Body {
    pub lines: Vec<String>,
    /// Widest exception to declare, if any is checked.
    pub throws: Option<&'static str>,
    pub raw: bool,
    pub unchecked: bool,
    /// Calls of which it is not certain what a compiler makes of them.
    pub doubts: u32,
    pub deprecated: Deprecation,
    /// Static assertion methods used.
    pub asserts: Vec<&'static str>,
}

impl Body {
    /// Kinds of warnings a compiler gives, as `@SuppressWarnings` names them.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        match self.deprecated {
            Deprecation::None => {}
            Deprecation::Deprecated => kinds.push("deprecation"),
            Deprecation::ForRemoval => kinds.extend(["deprecation", "removal"]),
        }
        kinds.extend(self.raw.then_some("rawtypes"));
        kinds.extend(self.unchecked.then_some("unchecked"));
        kinds
    }

    /// What speaks against it, worst first.
    pub fn faults(&self) -> (u32, bool, bool) {
        (self.doubts, self.raw, self.unchecked)
    }
}

/// Where statements begin.
pub(crate) const COLUMN: usize = 8;

/// A method's code ends at 64 KiB; text is several times that.
const MAX_BODY: usize = 100_000;

pub(crate) fn body<'s>(
    case: &TestCase,
    table: &OperationTable,
    typing: &Typing<'s>,
    imports: &mut Imports<'s>,
    variables: &mut Variables,
    framework: Framework,
) -> Result<Body, EmitError> {
    let mut named = BTreeSet::new();
    loop {
        let mut writer = Writer {
            case,
            plan: plan(case, table, &named),
            printer: Printer {
                table,
                steps: &case.steps,
                typing,
                imports: imports.clone(),
                variables: variables.clone(),
                named: vec![None; case.steps.len()],
                wish: None,
                raw: false,
                unchecked: false,
                doubts: 0,
                deprecated: Deprecation::None,
            },
            framework,
            lines: Vec::new(),
            asserts: Vec::new(),
            throws: None,
        };
        match writer.write() {
            Ok(()) => {
                writer.share();
                let Writer { printer, lines, asserts, throws, .. } = writer;
                let length = lines.iter().map(String::len).sum();
                if length > MAX_BODY {
                    return Err(EmitError::TooLong(length));
                }
                (*imports, *variables) = (printer.imports, printer.variables);
                return Ok(Body {
                    lines,
                    throws,
                    raw: printer.raw,
                    unchecked: printer.unchecked || (printer.raw && typing.mixes()),
                    doubts: printer.doubts,
                    deprecated: printer.deprecated,
                    asserts,
                });
            }
            Err(Stop::Refused(error)) => return Err(error),
            Err(Stop::Name(step)) => {
                named.insert(step);
            }
        }
    }
}

pub(crate) struct Writer<'a, 's> {
    case: &'a TestCase,
    plan: Plan,
    pub(crate) printer: Printer<'a, 's>,
    framework: Framework,
    pub(crate) lines: Vec<String>,
    pub(crate) asserts: Vec<&'static str>,
    throws: Option<&'static str>,
}

impl Writer<'_, '_> {
    fn write(&mut self) -> Result<(), Stop> {
        for at in 0..self.case.steps.len() {
            self.step(StepId(at as u16))?;
        }
        if let Ending::Breaks { contract, steps, .. } = &self.case.ending {
            let broken = self.printer.broken(*contract, steps, self.framework)?;
            if !broken.lines.is_empty() {
                self.comment();
            }
            for line in broken.lines {
                self.lines.extend(wrap(&line, COLUMN));
            }
            self.asserts.extend(broken.method);
        }
        if let Ending::BreaksRule { rule, .. } = &self.case.ending
            && let Asked::Reflection { operation, of } = &rule.asked
        {
            let asked = self.printer.reflected(rule, operation, *of, self.framework)?;
            self.throws = Some(self.throws.unwrap_or("Exception"));
            self.rule(asked);
        }
        Ok(())
    }

    /// Adds what asks a contract of the user.
    fn rule(&mut self, asked: Broken) {
        self.comment();
        for line in asked.lines {
            self.lines.extend(wrap(&line, COLUMN));
        }
        self.asserts.extend(asked.method);
    }

    fn step(&mut self, step: StepId) -> Result<(), Stop> {
        let operation = self.printer.operation(step).clone();
        let is_last = usize::from(step.0) + 1 == self.case.steps.len();
        if is_last && let Ending::Throws { class, message } = &self.case.ending {
            return self.throwing(step, class, message.as_ref());
        }
        if let Some(caught) = self.case.caught.iter().find(|caught| caught.step == step) {
            return self.caught(caught);
        }
        if let Some(known) = self.made_before(step) {
            self.printer.named[usize::from(step.0)] = Some(known);
            return Ok(());
        }
        self.note_checked(step);
        if self.plan.inline[usize::from(step.0)] {
            return Ok(());
        }
        if is_last
            && let Ending::BreaksRule { rule, .. } = &self.case.ending
            && rule.asked == Asked::LastStep
        {
            let text = self.printer.expression(step)?.text;
            let asked = self.printer.ruled(rule, &text, self.framework);
            self.rule(asked);
            return Ok(());
        }
        if is_last && self.is_plain_failure() {
            self.comment();
        }
        if is_last && self.asserts_nothing() && is_statement(&operation) {
            return self.returning(step);
        }
        let checks: Vec<Expected> = self.checks_of(step);
        let count = self.plan.uses[usize::from(step.0)].count;
        if count == 0 && checks.len() == 1 && operation.result().is_some() {
            let value = self.printer.expression(step)?;
            return self.check(step, &value, &checks[0]);
        }
        if count == 0 && checks.is_empty() && is_statement(&operation) {
            let text = self.printer.expression(step)?.text;
            return self.statement(step, format!("{text};"));
        }
        self.declare(step, &operation)?;
        for expected in checks {
            let value = self.printer.value(step)?;
            self.check(step, &value, &expected)?;
        }
        Ok(())
    }

    /// The variable of an earlier case that holds an object made like this one; each serves for one object.
    fn made_before(&self, step: StepId) -> Option<(String, JavaType)> {
        let making = making(self.case, self.printer.table, step)?;
        let known = self.printer.variables.shared.get(&making)?;
        let is_taken = self.printer.named.iter().flatten().any(|(name, _)| *name == known.0);
        (!is_taken).then(|| known.clone())
    }

    /// Lets later cases use the objects of this one.
    fn share(&mut self) {
        for at in 0..self.case.steps.len() {
            let making = making(self.case, self.printer.table, StepId(at as u16));
            if let (Some(making), Some(named)) = (making, &self.printer.named[at])
                && matches!(&named.1, JavaType::Class(_, arguments) if arguments.is_empty())
            {
                self.printer.variables.shared.entry(making).or_insert_with(|| named.clone());
            }
        }
    }

    /// Whether all there is to say is that the last call returns.
    fn asserts_nothing(&self) -> bool {
        let TestCase { checks, caught, ending, .. } = self.case;
        checks.is_empty() && caught.is_empty() && *ending == Ending::Returns
    }

    /// A call of which it is asserted that it throws nothing.
    fn returning(&mut self, step: StepId) -> Result<(), Stop> {
        let text = self.printer.expression(step)?.text;
        match self.framework {
            Framework::JUnit5 | Framework::Java => {
                self.asserts.push("assertDoesNotThrow");
                self.statement(step, format!("assertDoesNotThrow(() -> {text});"))
            }
            // It has no assertion for that.
            Framework::JUnit4 => {
                self.lines.push("// Throws nothing.".into());
                self.statement(step, format!("{text};"))
            }
        }
    }

    fn checks_of(&self, step: StepId) -> Vec<Expected> {
        let mut found: Vec<Expected> = Vec::new();
        for check in self.case.checks.iter().filter(|check| check.step == step) {
            found.push(check.expected.clone());
        }
        found
    }

    /// Whether the last call fails by itself.
    fn is_plain_failure(&self) -> bool {
        use probat_model::Contract::{AssertionError, NullPointer};
        matches!(self.case.ending, Ending::Breaks { contract: NullPointer | AssertionError, .. })
    }

    fn comment(&mut self) {
        if let Ending::Breaks { contract, thrown, .. } = &self.case.ending {
            let lines = comment_on(*contract, thrown.as_ref());
            self.lines.extend(lines.into_iter().map(|line| format!("// {line}")));
        }
        if let Ending::BreaksRule { rule, thrown } = &self.case.ending {
            let lines = comment_on_rule(rule, thrown.as_ref());
            self.lines.extend(lines.into_iter().map(|line| format!("// {line}")));
        }
    }

    /// Has the method declare what a step may throw.
    pub(crate) fn note_checked(&mut self, step: StepId) {
        let operation = self.printer.operation(step);
        let above = self.through_declared(step, operation);
        let scope = self.printer.typing.scope;
        let checked = [Some(operation), above.as_ref()].map(|one| one.map(|one| scope.checked(one)));
        for class in checked.into_iter().flatten().flatten() {
            let wide = if class.as_internal() == "java/lang/Throwable" { "Throwable" } else { "Exception" };
            if self.throws != Some("Throwable") {
                self.throws = Some(wide);
            }
        }
    }

    /// The same call through the type that its receiver is declared with: what that declares is what a compiler goes by, where the receiver is not cast.
    fn through_declared(&self, step: StepId, operation: &Operation) -> Option<Operation> {
        let Operation::Call { name, descriptor, .. } = operation else { return None };
        let receiver = *self.case.steps[usize::from(step.0)].args.first()?;
        let Some(Type::Class(class)) = self.printer.operation(receiver).result() else { return None };
        Some(Operation::Call { class, name: name.clone(), descriptor: descriptor.clone(), interface: false })
    }

    /// Adds a statement; one that is too wide is written again in smaller parts if it has any.
    fn statement(&mut self, step: StepId, text: String) -> Result<(), Stop> {
        if !fits(&text, COLUMN)
            && let Some(part) = self.largest_part(step)
        {
            return Err(Stop::Name(part));
        }
        self.lines.extend(wrap(&text, COLUMN));
        Ok(())
    }

    /// The last inlined call of an expression.
    fn largest_part(&self, step: StepId) -> Option<StepId> {
        let args = &self.case.steps[usize::from(step.0)].args;
        args.iter().rev().find_map(|&arg| {
            if !self.plan.inline[usize::from(arg.0)] {
                return None;
            }
            match self.printer.operation(arg) {
                Operation::Literal(_) | Operation::Convert { .. } | Operation::GetStatic { .. } => None,
                Operation::Stub(_) => None,
                _ => Some(arg),
            }
        })
    }

    fn declare(&mut self, step: StepId, operation: &Operation) -> Result<(), Stop> {
        let erased = operation.result().unwrap_or(Type::class("java/lang/Object"));
        let erased = self.printer.typing.nameable(&erased);
        self.printer.wish = self.wish(step, &erased);
        let value = self.printer.expression(step)?;
        let value = self.printer.assigned(value, &erased)?;
        let ty = self.printer.typing.held(&value.ty, &erased);
        let declared = self.printer.java_name(&ty)?;
        let wishes = self.wishes(step, operation, &erased);
        let name = self.printer.variables.first_free(&wishes);
        self.statement(step, format!("{declared} {name} = {};", value.text))?;
        self.printer.named[usize::from(step.0)] = Some((name, ty));
        Ok(())
    }

    /// What a variable could be called, best first.
    fn wishes(&self, step: StepId, operation: &Operation, ty: &Type) -> Vec<String> {
        let own = match operation {
            Operation::Call { name, .. }
            | Operation::CallStatic { name, .. }
            | Operation::GetField { name, .. } => wish_for_method(name, ty),
            _ => wish_for_type(ty),
        };
        let mut wishes = vec![own];
        wishes.extend(self.role(step));
        wishes
    }

    /// The name of the parameter the value is passed for, if the class file has it.
    fn role(&self, step: StepId) -> Option<String> {
        let (user, place) = self.plan.uses[usize::from(step.0)].by?;
        let user = &self.case.steps[usize::from(user.0)];
        let (method, args) = self.called(user)?;
        let place = place.checked_sub(user.args.len() - args.len())?;
        method.names.get(place).filter(|name| name.len() > 2 && !name.starts_with("arg")).cloned()
    }

    pub(crate) fn throwing(
        &mut self,
        step: StepId,
        class: &ClassName,
        message: Option<&JavaString>,
    ) -> Result<(), Stop> {
        let operation = self.printer.operation(step).clone();
        let mut text = self.printer.expression(step)?.text;
        if !is_statement(&operation) {
            let ty = operation.result().unwrap_or(Type::class("java/lang/Object"));
            let ty = self.printer.typing.nameable(&ty);
            text = format!("{{ {} value = {text}; }}", self.printer.type_name(&ty)?);
        }
        let class = self.printer.typing.nameable(&Type::Class(class.clone()));
        let name = self.printer.bare_name(&class)?;
        self.asserts.push("assertThrows");
        let Some(message) = message else {
            self.lines.extend(wrap(&format!("assertThrows({name}.class, () -> {text});"), COLUMN));
            return Ok(());
        };
        self.asserts.push("assertEquals");
        let message = self.printer.text(message).0;
        let at_once =
            format!("assertEquals({message}, assertThrows({name}.class, () -> {text}).getMessage());");
        let at_once = wrap(&at_once, COLUMN);
        let variables = self.printer.variables.clone();
        let thrown = self.printer.variables.fresh("thrown");
        let apart = format!("{name} {thrown} = assertThrows({name}.class, () -> {text});");
        let mut apart = wrap(&apart, COLUMN);
        apart.extend(wrap(&format!("assertEquals({message}, {thrown}.getMessage());"), COLUMN));
        if at_once.len() < apart.len() {
            self.printer.variables = variables;
            self.lines.extend(at_once);
        } else {
            self.lines.extend(apart);
        }
        Ok(())
    }

    fn check(&mut self, step: StepId, value: &Text, expected: &Expected) -> Result<(), Stop> {
        let assertion = self.printer.assertion(value, expected, self.framework)?;
        self.asserts.push(assertion.method);
        // An assertion on a variable has no parts to name.
        if value.variable.is_some() {
            self.lines.extend(wrap(&assertion.text, COLUMN));
            return Ok(());
        }
        self.statement(step, assertion.text)
    }
}

/// Whether the expression may stand alone before a semicolon.
pub(crate) fn is_statement(operation: &Operation) -> bool {
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
