//! Names of test methods: method, situation, outcome.
//!
//! In: the tests of one class: the operation under test, its arguments, how it ended. Out: an identifier each. Tests that would share a name say
//! more of their situation: what each argument is, which types the parameters have, what happened to the receiver before; only
//! those that even then are alike are numbered.

use std::collections::{BTreeMap, BTreeSet};

use probat_emit::{Ending, Expected, TestCase, is_keyword};
use probat_model::{Contract, Literal, Operation, OperationId, OperationTable, Step, StepId, Type};

/// Methods every class has, which a test must not override, and those that tests call by their bare names.
const TAKEN: [&str; 21] = [
    "toString",
    "hashCode",
    "equals",
    "clone",
    "finalize",
    "getClass",
    "notify",
    "notifyAll",
    "wait",
    "main",
    "run",
    "fail",
    "assertEquals",
    "assertTrue",
    "assertFalse",
    "assertNull",
    "assertNotNull",
    "assertSame",
    "assertThrows",
    "assertDoesNotThrow",
    "assertArrayEquals",
];

/// Longest name, in characters.
const LONGEST: usize = 100;

/// A test to name.
pub(crate) struct Unnamed<'a> {
    pub case: &'a TestCase,
    /// The operation under test.
    pub operation: OperationId,
    pub result: Option<&'a Expected>,
    pub stands_for: Cases,
}

impl<'a> Unnamed<'a> {
    /// A test that has a method of its own.
    pub fn alone(case: &'a TestCase, operation: OperationId, result: Option<&'a Expected>) -> Self {
        Unnamed { case, operation, result, stands_for: Cases::One }
    }
}

/// What a name is for. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cases {
    /// The one test.
    One,
    /// Several cases, which the one given stands for.
    Many {
        /// All are of one overload.
        one_overload: bool,
        /// All come to the same kind of end.
        one_end: bool,
    },
}

/// Names for all tests of one class, in their order; each is new to those given.
pub(crate) fn names(
    tests: &[Unnamed<'_>],
    table: &OperationTable,
    given: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut detail = vec![0; tests.len()];
    let mut names: Vec<String> = tests.iter().map(|test| name(test, table, 0)).collect();
    for level in 1..=MOST_DETAIL {
        let alike = count(&names);
        for (at, test) in tests.iter().enumerate() {
            if alike[&names[at]] > 1 {
                detail[at] = level;
            }
            if detail[at] == level {
                names[at] = name(test, table, level);
            }
        }
    }
    for name in &mut names {
        if is_keyword(name) || TAKEN.contains(&name.as_str()) {
            name.push_str("Test");
        }
        let base = name.clone();
        let mut number = 1;
        while !given.insert(name.clone()) {
            number += 1;
            *name = format!("{base}_{number}");
        }
    }
    names
}

fn count(names: &[String]) -> BTreeMap<String, u32> {
    let mut all = BTreeMap::new();
    for name in names {
        *all.entry(name.clone()).or_insert(0) += 1;
    }
    all
}

/// Levels of detail: what is special of the arguments; every argument; parameter types too; what came before as well.
const MOST_DETAIL: u32 = 3;

fn name(test: &Unnamed<'_>, table: &OperationTable, detail: u32) -> String {
    let steps = &test.case.steps;
    let operation = table.get(test.operation);
    let call = steps.iter().rposition(|step| step.operation == test.operation).unwrap_or(steps.len() - 1);
    let has_receiver = matches!(operation, Operation::Call { .. });
    let args = &steps[call].args[usize::from(has_receiver)..];
    let receiver = has_receiver.then(|| steps[call].args[0]);
    let mut name = subject(operation);
    if let Cases::Many { one_overload, one_end } = test.stands_for {
        if detail >= 2 && one_overload {
            name.push_str(&types(operation));
        }
        name.push_str(&kind(&test.case.ending, test.result, one_end));
        return name.chars().take(LONGEST).collect();
    }
    if detail >= 2 {
        name.push_str(&types(operation));
    }
    let words: Vec<String> = args
        .iter()
        .filter_map(|&arg| match detail {
            0 => special(table, steps, arg).map(str::to_owned),
            _ => Some(shape(table, steps, arg, receiver)),
        })
        .collect();
    if !words.is_empty() {
        name.push_str("_with");
        name.push_str(&joined(words));
    }
    if detail >= 3
        && let Some(before) = receiver.and_then(|receiver| before(table, steps, receiver, call))
    {
        name.push_str(&before);
    }
    name.push_str(&outcome(&test.case.ending, test.result));
    name.chars().take(LONGEST).collect()
}

/// `NullAndZero`; a word that follows itself is said once, and no more than three are.
fn joined(mut words: Vec<String>) -> String {
    words.dedup();
    words.iter().take(3).map(|word| capital(word)).collect::<Vec<_>>().join("And")
}

fn subject(operation: &Operation) -> String {
    match operation {
        Operation::Construct { class, .. } => format!("new{}", last_part(class.simple())),
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => clean(name),
        Operation::GetStatic { name, .. } | Operation::GetField { name, .. } => {
            format!("field{}", capital(&clean(name)))
        }
        _ => "sequence".into(),
    }
}

/// `OfIntAndString`.
fn types(operation: &Operation) -> String {
    let params = match operation {
        Operation::Construct { descriptor, .. }
        | Operation::Call { descriptor, .. }
        | Operation::CallStatic { descriptor, .. } => &descriptor.params,
        _ => return String::new(),
    };
    if params.is_empty() {
        return String::new();
    }
    format!("Of{}", params.iter().take(4).map(type_word).collect::<Vec<_>>().join("And"))
}

fn type_word(ty: &Type) -> String {
    match ty {
        Type::Class(name) => capital(&last_part(name.simple())),
        Type::Array(element) => format!("{}Array", type_word(element)),
        primitive => capital(&primitive.to_string()),
    }
}

/// What is special about an argument, if one word can say it.
fn special(table: &OperationTable, steps: &[Step], arg: StepId) -> Option<&'static str> {
    let Operation::Literal(literal) = table.get(steps[usize::from(arg.0)].operation) else { return None };
    match literal {
        Literal::Null(_) => Some("null"),
        Literal::Int(0) | Literal::Long(0) | Literal::Byte(0) | Literal::Short(0) => Some("zero"),
        Literal::Int(v) if *v < 0 => Some("negative"),
        Literal::Long(v) if *v < 0 => Some("negative"),
        Literal::String(text) if text.units().is_empty() => Some("emptyString"),
        Literal::Double(bits) if f64::from_bits(*bits).is_nan() => Some("nan"),
        _ => None,
    }
}

/// What an argument is: `5`, `emptyArrayList`, `itself`.
fn shape(table: &OperationTable, steps: &[Step], arg: StepId, receiver: Option<StepId>) -> String {
    if Some(arg) == receiver {
        return "itself".into();
    }
    if let Some(word) = special(table, steps, arg) {
        return word.into();
    }
    let step = &steps[usize::from(arg.0)];
    match table.get(step.operation) {
        Operation::Literal(literal) => literal_word(literal),
        Operation::Convert { .. } | Operation::Cast { .. } => shape(table, steps, step.args[0], receiver),
        Operation::Construct { class, .. } => {
            let simple = last_part(class.simple());
            let touched = steps.iter().filter(|other| other.args.contains(&arg)).count() > 1;
            let holds = ["List", "Set", "Map", "Deque", "Queue", "Bag", "Collection", "Vector"]
                .iter()
                .any(|end| simple.ends_with(end));
            match (holds && step.args.is_empty(), touched) {
                (true, false) => format!("empty{}", capital(&simple)),
                _ => simple,
            }
        }
        Operation::GetStatic { name, .. } => constant_word(name),
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => clean(name),
        Operation::GetField { name, .. } => clean(name),
        Operation::ArrayOf { length: 0, .. } => "emptyArray".into(),
        Operation::ArrayOf { .. } => format!("array{}", of_arguments(table, steps, arg)),
        Operation::Stub(spec) => format!("stub{}", capital(&last_part(spec.of.simple()))),
        _ => "array".into(),
    }
}

fn literal_word(literal: &Literal) -> String {
    match literal {
        Literal::Boolean(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        Literal::Byte(value) => format!("byte{}", value.to_string().replace('-', "Minus")),
        Literal::Short(value) => format!("short{}", value.to_string().replace('-', "Minus")),
        Literal::Char(unit) => match char::from_u32(u32::from(*unit)).filter(char::is_ascii_alphanumeric) {
            Some(c) => format!("char{}", c.to_ascii_uppercase()),
            None => "char".into(),
        },
        Literal::Float(bits) => number_word(f64::from(f32::from_bits(*bits)), "float"),
        Literal::Double(bits) => number_word(f64::from_bits(*bits), "double"),
        Literal::String(text) => {
            let word = clean(&text.to_lossy());
            let count = word.chars().count();
            match count == text.units().len() {
                true if count <= 16 => word,
                // Enough to tell it from others.
                _ => format!("text{}", capital(&word.chars().take(10).collect::<String>())),
            }
        }
        Literal::Class(ty) => format!("{}Class", type_word(ty)),
        Literal::Null(_) => "null".into(),
    }
}

/// `1point5`; a number with many digits is told by its type.
fn number_word(value: f64, ty: &str) -> String {
    let text = value.to_string();
    match text.len() <= 8 && value.is_finite() {
        true => text.replace('.', "point").replace('-', "minus"),
        false => ty.to_owned(),
    }
}

/// `CASE_INSENSITIVE` gives `CaseInsensitive`.
fn constant_word(name: &str) -> String {
    let is_shouting = name.chars().all(|c| !c.is_lowercase());
    let part = |part: &str| if is_shouting { capital(&part.to_lowercase()) } else { capital(part) };
    clean(name).split('_').map(part).collect()
}

/// `_afterAdd`: the last call on the receiver before the one under test; `_onNew` without any.
fn before(table: &OperationTable, steps: &[Step], receiver: StepId, call: usize) -> Option<String> {
    let earlier = steps[..call].iter().rev().find_map(|step| match table.get(step.operation) {
        Operation::Call { name, .. } if step.args.first() == Some(&receiver) => Some(clean(name)),
        _ => None,
    });
    match (earlier, table.get(steps[usize::from(receiver.0)].operation)) {
        (Some(name), _) => Some(format!("_after{}", capital(&name))),
        (None, Operation::Construct { class, .. }) => {
            Some(format!("_onNew{}{}", last_part(class.simple()), of_arguments(table, steps, receiver)))
        }
        (None, Operation::CallStatic { name, .. } | Operation::Call { name, .. }) => {
            Some(format!("_on{}{}", capital(&clean(name)), of_arguments(table, steps, receiver)))
        }
        (None, Operation::GetStatic { name, .. }) => Some(format!("_on{}", constant_word(name))),
        _ => None,
    }
}

/// `Of5AndText`: what a step was given.
fn of_arguments(table: &OperationTable, steps: &[Step], step: StepId) -> String {
    let args = &steps[usize::from(step.0)].args;
    let words: Vec<String> = args.iter().map(|&arg| shape(table, steps, arg, None)).collect();
    if words.is_empty() { String::new() } else { format!("Of{}", joined(words)) }
}

fn last_part(simple: &str) -> String {
    clean(simple.rsplit('$').next().unwrap_or(simple))
}

/// How several cases end, whatever value each gives.
fn kind(ending: &Ending, result: Option<&Expected>, one_end: bool) -> String {
    match (ending, result) {
        (Ending::Throws { .. }, _) if !one_end => "_throws".into(),
        (Ending::Returns, Some(Expected::Null | Expected::NotNull | Expected::Boolean(_)))
        | (Ending::Throws { .. }, _)
            if one_end =>
        {
            outcome(ending, result)
        }
        _ => String::new(),
    }
}

fn outcome(ending: &Ending, result: Option<&Expected>) -> String {
    match (ending, result) {
        (Ending::Throws { class, .. }, _) => {
            let simple = class.simple();
            format!("_throws{}", simple.rsplit('$').next().unwrap_or(simple))
        }
        (Ending::BreaksRule { rule, .. }, _) => {
            format!("_breaks{}", capital(&clean(rule.name.rsplit('.').next().unwrap_or(&rule.name))))
        }
        (Ending::Breaks { contract, .. }, _) => match contract {
            Contract::NullPointer => "_throwsNullPointerException".into(),
            Contract::AssertionError => "_throwsAssertionError".into(),
            other => format!("_breaks{other:?}"),
        },
        (_, Some(Expected::Null)) => "_returnsNull".into(),
        (_, Some(Expected::NotNull)) => "_returnsNotNull".into(),
        (_, Some(Expected::Boolean(value))) => format!("_returns{}", if *value { "True" } else { "False" }),
        (_, Some(Expected::Int(i32::MAX) | Expected::Long(i64::MAX))) => "_returnsMaxValue".into(),
        (_, Some(Expected::Int(i32::MIN) | Expected::Long(i64::MIN))) => "_returnsMinValue".into(),
        (_, Some(Expected::Int(value))) if *value >= 0 => format!("_returns{value}"),
        (_, Some(Expected::Int(_))) => "_returnsNegative".into(),
        (_, Some(Expected::Long(value))) if *value >= 0 => format!("_returns{value}"),
        (_, Some(Expected::Constant(_, name))) => format!("_returns{}", constant_word(name)),
        (_, Some(Expected::String(text))) if text.units().is_empty() => "_returnsEmptyString".into(),
        _ => String::new(),
    }
}

/// The characters that a Java identifier may have (JLS §3.8); circled letters are letters to Unicode alone.
fn clean(name: &str) -> String {
    let is_circled = |c: char| matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    name.chars()
        .filter(|&c| {
            c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphabetic() && !is_circled(c))
        })
        .collect()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor, Sequence};

    /// A test of a call with these literals, which gives a result.
    fn named(all: &[(&str, &[Literal], Ending, Option<Expected>)]) -> Vec<String> {
        let mut table = OperationTable::new();
        let mut tests = Vec::new();
        for (name, literals, ending, result) in all {
            let params: Vec<Type> = literals.iter().map(Literal::ty).collect();
            let operation = table.intern(Operation::CallStatic {
                class: ClassName::internal("a/Fraction"),
                name: (*name).into(),
                descriptor: MethodDescriptor { params, returns: None },
                interface: false,
            });
            let mut sequence = Sequence::new();
            let mut args = Vec::new();
            for literal in *literals {
                let literal = table.intern(Operation::Literal(literal.clone()));
                args.push(sequence.push(&table, literal, []).unwrap());
            }
            sequence.push(&table, operation, args).unwrap();
            let case = TestCase {
                name: String::new(),
                steps: sequence.steps().to_vec(),
                checks: Vec::new(),
                caught: Vec::new(),
                ending: ending.clone(),
                notes: Vec::new(),
                raw: false,
            };
            tests.push((case, operation, result.clone()));
        }
        let unnamed: Vec<Unnamed<'_>> = tests
            .iter()
            .map(|(case, operation, result)| Unnamed::alone(case, *operation, result.as_ref()))
            .collect();
        names(&unnamed, &table, &mut BTreeSet::new())
    }

    #[test]
    fn names_say_method_situation_and_outcome() {
        let throws =
            Ending::Throws { class: ClassName::internal("java/lang/ArithmeticException"), message: None };
        let found = named(&[
            ("getFraction", &[Literal::Int(-3), Literal::Int(0)], throws, None),
            ("isFraction", &[], Ending::Returns, Some(Expected::Boolean(true))),
            ("fail", &[], Ending::Returns, None),
            ("count", &[], Ending::Returns, Some(Expected::Int(i32::MAX))),
            ("least", &[], Ending::Returns, Some(Expected::Long(i64::MIN))),
        ]);
        assert_eq!(
            found,
            [
                "getFraction_withNegativeAndZero_throwsArithmeticException",
                "isFraction_returnsTrue",
                "failTest",
                "count_returnsMaxValue",
                "least_returnsMinValue"
            ]
        );
    }

    #[test]
    fn tests_that_would_share_a_name_say_more() {
        let string = |text: &str| Literal::String(text.into());
        let found = named(&[
            ("parse", &[string("abc")], Ending::Returns, None),
            ("parse", &[string("a b")], Ending::Returns, None),
            ("parse", &[Literal::Int(5)], Ending::Returns, None),
            ("parse", &[Literal::Long(5)], Ending::Returns, None),
            ("parse", &[Literal::Long(5)], Ending::Returns, None),
        ]);
        assert_eq!(
            found,
            [
                "parse_withAbc",
                "parse_withTextAb",
                "parseOfInt_with5",
                "parseOfLong_with5",
                "parseOfLong_with5_2"
            ]
        );
    }

    #[test]
    fn letters_beyond_ascii_stay() {
        let result = Some(Expected::Boolean(true));
        let found = named(&[("länge\u{24b6}", &[], Ending::Returns, result)]);
        assert_eq!(found, ["länge_returnsTrue"]);
        let long = "ß".repeat(300);
        assert_eq!(named(&[(long.as_str(), &[], Ending::Returns, None)]), ["ß".repeat(100)]);
    }
}
