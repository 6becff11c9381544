//! One test before it is text.
//!
//! In: steps, and what was observed of them. Out: [`TestCase`].

use probat_model::{ClassName, Contract, JavaString, Operation, Step, StepId, Thrown, Type};

/// A value an assertion can spell.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    Null,
    NotNull,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(JavaString),
    /// An enum constant.
    Constant(ClassName, String),
    /// The very object another step gave.
    Same(StepId),
    /// An array with these elements.
    Array(Type, Vec<Expected>),
}

/// What is asserted of the result of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    pub step: StepId,
    pub expected: Expected,
}

/// A step before the last one that throws; the test goes on after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caught {
    pub step: StepId,
    pub class: ClassName,
    /// Asserted if one is given.
    pub message: Option<JavaString>,
}

/// How the last step ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    Returns,
    /// It throws; the message is asserted if one is given.
    Throws {
        class: ClassName,
        message: Option<JavaString>,
    },
    /// The values of these steps break a contract: what is printed fails as long as they do. Of a call that throws, the step is
    /// the last one.
    Breaks {
        contract: Contract,
        steps: Vec<StepId>,
        thrown: Option<Thrown>,
    },
    /// A contract of the user is broken: what is printed asks it, and fails as long as it says no.
    BreaksRule {
        rule: Rule,
        thrown: Option<Thrown>,
    },
}

/// A contract of the user, as a test asks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// `com.acme.CartRules.totalIsNeverNegative`.
    pub name: String,
    /// Whether it answers; otherwise it only can throw.
    pub answers: bool,
    pub asked: Asked,
}

/// How a contract of the user is asked. Match without `_`.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// The last step of the test is the call.
    LastStep,
    /// By reflection, since source cannot call the method.
    Reflection { operation: Operation, of: StepId },
}

/// A test method.
#[derive(Debug, Clone, PartialEq)]
pub struct TestCase {
    /// A Java identifier.
    pub name: String,
    pub steps: Vec<Step>,
    /// Ordered by step; several may speak of one.
    pub checks: Vec<Check>,
    /// Ordered by step; no other step uses their results.
    pub caught: Vec<Caught>,
    pub ending: Ending,
    /// Lines of comment above the method.
    pub notes: Vec<String>,
    /// Whether generic types are written without arguments: a compiler refused them with.
    pub raw: bool,
}
