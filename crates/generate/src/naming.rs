//! Names of test methods: method, situation, outcome.
//!
//! In: the operation under test and how it ended. Out: an identifier, numbered where it would repeat.

use std::collections::BTreeMap;

use probat_emit::{Ending, Expected, is_keyword};
use probat_model::{Contract, Literal, Operation};

/// Methods every class has, which a test must not override.
const INHERITED: [&str; 9] =
    ["toString", "hashCode", "equals", "clone", "finalize", "getClass", "notify", "notifyAll", "wait"];

/// Hands out names that are unique in one class.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeMap<String, u32>,
}

impl Names {
    /// A name for a test of `operation`, whose literal arguments are `literals`.
    pub fn name(
        &mut self,
        operation: &Operation,
        literals: &[Option<&Literal>],
        ending: &Ending,
        result: Option<&Expected>,
    ) -> String {
        let mut name = subject(operation);
        if let Some(situation) = situation(literals) {
            name.push('_');
            name.push_str(&situation);
        }
        name.push_str(&outcome(ending, result));
        name.truncate(100);
        let count = self.taken.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            name = format!("{name}_{count}");
        }
        if is_keyword(&name) || INHERITED.contains(&name.as_str()) {
            name.push_str("Test");
        }
        name
    }
}

fn subject(operation: &Operation) -> String {
    match operation {
        Operation::Construct { class, .. } => {
            let simple = class.simple();
            format!("new{}", simple.rsplit('$').next().unwrap_or(simple))
        }
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => clean(name),
        Operation::GetStatic { name, .. } | Operation::GetField { name, .. } => {
            format!("field{}", capital(&clean(name)))
        }
        _ => "sequence".into(),
    }
}

/// What is special about the arguments, if one word can say it.
fn situation(literals: &[Option<&Literal>]) -> Option<String> {
    let mut words: Vec<&str> = literals
        .iter()
        .flatten()
        .filter_map(|literal| match literal {
            Literal::Null(_) => Some("null"),
            Literal::Int(0) | Literal::Long(0) | Literal::Byte(0) | Literal::Short(0) => Some("zero"),
            Literal::Int(v) if *v < 0 => Some("negative"),
            Literal::Long(v) if *v < 0 => Some("negative"),
            Literal::String(text) if text.units().is_empty() => Some("emptyString"),
            Literal::Double(bits) if f64::from_bits(*bits).is_nan() => Some("nan"),
            _ => None,
        })
        .collect();
    words.dedup();
    match words.as_slice() {
        [] => None,
        [first, rest @ ..] => {
            let mut text = format!("with{}", capital(first));
            for word in rest.iter().take(2) {
                text.push_str("And");
                text.push_str(&capital(word));
            }
            Some(text)
        }
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
        (_, Some(Expected::Int(value))) if *value >= 0 => format!("_returns{value}"),
        (_, Some(Expected::Int(_))) => "_returnsNegative".into(),
        (_, Some(Expected::String(text))) if text.units().is_empty() => "_returnsEmptyString".into(),
        _ => String::new(),
    }
}

fn clean(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor};

    #[test]
    fn names_say_method_situation_and_outcome() {
        let operation = Operation::CallStatic {
            class: ClassName::internal("a/Fraction"),
            name: "getFraction".into(),
            descriptor: MethodDescriptor::parse("(II)V").unwrap(),
            interface: false,
        };
        let (zero, minus) = (Literal::Int(0), Literal::Int(-3));
        let mut names = Names::default();
        let throws =
            Ending::Throws { class: ClassName::internal("java/lang/ArithmeticException"), message: None };
        let args = [Some(&minus), Some(&zero)];
        assert_eq!(
            names.name(&operation, &args, &throws, None),
            "getFraction_withNegativeAndZero_throwsArithmeticException"
        );
        assert_eq!(
            names.name(&operation, &[], &Ending::Returns, Some(&Expected::Boolean(true))),
            "getFraction_returnsTrue"
        );
        assert_eq!(
            names.name(&operation, &[], &Ending::Returns, Some(&Expected::Boolean(true))),
            "getFraction_returnsTrue_2"
        );
    }
}
