//! Broken contracts: an assertion that fails as long as the contract is broken, and what to say of it.
//!
//! In: a contract and the values that break it. Out: statements, after a comment that says what ought to hold, why it matters and
//! where an exception came from.

use probat_model::{ClassName, Contract, Operation, StepId, Thrown, Type};

use crate::assertion::null;
use crate::case::Rule;
use crate::class::Framework;
use crate::comment;
use crate::expression::{Printer, Text};
use crate::statement::{EmitError, Stop};

const OBJECT: &str = "java/lang/Object";
const COMPARABLE: &str = "java/lang/Comparable";
const ITERATOR: &str = "java/util/Iterator";
const COLLECTION: &str = "java/util/Collection";
const MAP: &str = "java/util/Map";

/// Stack frames shown.
const FRAMES: usize = 3;

/// What ought to hold.
pub fn contract_in_words(contract: Contract) -> &'static str {
    match contract {
        Contract::EqualsReflexive => "an object is equal to itself",
        Contract::EqualsNull => "no object is equal to null",
        Contract::EqualsSymmetric => "equals is symmetric",
        Contract::EqualsThrows => "equals throws nothing",
        Contract::HashCodeThrows => "hashCode throws nothing",
        Contract::HashCodeConsistent => "hashCode gives the same number twice",
        Contract::EqualsHashCode => "equal objects have equal hash codes",
        Contract::ToStringThrows => "toString throws nothing",
        Contract::ToStringNull => "toString gives a text",
        Contract::CompareToReflexive => "an object compares as equal to itself",
        Contract::CompareToAntisymmetric => "compareTo changes its sign when the sides change",
        Contract::CompareToEquals => "what compares as equal is equal",
        Contract::CloneThrows => "clone throws nothing",
        Contract::CloneSame => "a clone is another object",
        Contract::CloneClass => "a clone is of the same class",
        Contract::CloneEquals => "a clone is equal to its original",
        Contract::IteratorNext => "an iterator that has a next element gives it",
        Contract::IterableNext => "iterating over a collection ends where hasNext says so",
        Contract::CollectionSize | Contract::MapSize => "no size is negative",
        Contract::CollectionEmpty | Contract::MapEmpty => "isEmpty agrees with size",
        Contract::CollectionArray => "toArray has as many elements as size says",
        Contract::CollectionIterator => "an iterator gives as many elements as size says",
        Contract::NullPointer => "no NullPointerException without a null argument",
        Contract::AssertionError => "no assertion of the code fails",
        Contract::User(_) => "a contract of yours holds",
    }
}

/// Why someone should care.
pub fn consequence(contract: Contract) -> &'static str {
    match contract {
        Contract::EqualsReflexive | Contract::EqualsHashCode | Contract::HashCodeConsistent => {
            "hash tables and lists lose such objects"
        }
        Contract::EqualsNull => "callers take such an object for an absent one",
        Contract::EqualsSymmetric => "whether a collection finds such an object depends on who asks whom",
        Contract::EqualsThrows | Contract::HashCodeThrows => "putting such an object into a collection fails",
        Contract::ToStringThrows | Contract::ToStringNull => "logging or debugging such an object fails",
        Contract::CompareToReflexive | Contract::CompareToAntisymmetric => {
            "sorting and sorted collections give wrong or no results"
        }
        Contract::CompareToEquals => "sorted and hashed collections disagree about such objects",
        Contract::CloneThrows => "a class that is Cloneable promises that clone works",
        Contract::CloneSame => "whoever changes the copy changes the original",
        Contract::CloneClass | Contract::CloneEquals => {
            "whoever works with the copy works with something else"
        }
        Contract::IteratorNext | Contract::IterableNext => "every loop over it fails at its end",
        Contract::CollectionSize
        | Contract::MapSize
        | Contract::CollectionEmpty
        | Contract::MapEmpty
        | Contract::CollectionArray
        | Contract::CollectionIterator => "copying and looping lose elements or make some up",
        Contract::NullPointer => "nobody passed null, so the null is the code's own",
        Contract::AssertionError => {
            "the code states that this never happens (seen where assertions are enabled)"
        }
        Contract::User(_) => "a contract of yours says no",
    }
}

/// Lines of the comment, without slashes.
pub(crate) fn comment_on(contract: Contract, thrown: Option<&Thrown>) -> Vec<String> {
    let mut out = comment::lines(&format!("Broken contract: {}.", contract_in_words(contract)));
    out.extend(comment::lines(&format!("Perhaps a bug: {}.", consequence(contract))));
    out.extend(thrown.map(stack).unwrap_or_default());
    out
}

/// Lines of the comment on a contract of the user, without slashes.
pub(crate) fn comment_on_rule(rule: &Rule, thrown: Option<&Thrown>) -> Vec<String> {
    let mut out = comment::lines(&format!(
        "Broken contract: {} {}.",
        rule.name,
        match thrown {
            Some(_) => "throws nothing",
            None => "answers true",
        }
    ));
    out.extend(thrown.map(stack).unwrap_or_default());
    out
}

/// What was thrown and where.
fn stack(thrown: &Thrown) -> Vec<String> {
    let message = thrown.message.as_ref().map_or(String::new(), |text| format!(": {}", text.to_lossy()));
    let mut said = format!("{}{message}", thrown.class);
    if said.chars().count() > 200 {
        said = said.chars().take(200).chain("...".chars()).collect();
    }
    let mut out = comment::lines(&said);
    for frame in thrown.frames.iter().take(FRAMES) {
        let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
        out.push(format!("    at {}", comment::line(&format!("{}.{}{line}", frame.class, frame.method))));
    }
    out
}

/// What fails, and the assertion method it needs.
pub(crate) struct Broken {
    pub lines: Vec<String>,
    pub method: Option<&'static str>,
}

impl Printer<'_, '_> {
    /// Statements that fail as long as the contract is broken. The call that throws is a step of its own, so there is none for it.
    pub fn broken(
        &mut self,
        contract: Contract,
        steps: &[StepId],
        framework: Framework,
    ) -> Result<Broken, Stop> {
        let plain = |lines: Vec<String>| Broken { lines, method: None };
        if matches!(contract, Contract::NullPointer | Contract::AssertionError | Contract::User(_)) {
            return Ok(plain(Vec::new()));
        }
        let first = *steps.first().ok_or_else(|| EmitError::Unfit("a contract without values".into()))?;
        let a = self.value(first)?;
        let b = match steps.get(1) {
            Some(&second) => self.value(second)?,
            None => a.clone(),
        };
        let equals = |printer: &mut Self, a: &Text, b: &Text| printer.invoke(OBJECT, "equals", a, Some(b));
        let equal = |text: String| Broken { lines: vec![text], method: Some("assertEquals") };
        Ok(match contract {
            Contract::NullPointer | Contract::AssertionError | Contract::User(_) => {
                unreachable!("returned above")
            }
            Contract::EqualsReflexive => {
                let text = equals(self, &a, &a)?.text;
                holds("assertTrue", &text, contract, framework)
            }
            Contract::EqualsNull => {
                let text = equals(self, &a, &null())?.text;
                holds("assertFalse", &text, contract, framework)
            }
            Contract::EqualsSymmetric => {
                let (there, back) = (equals(self, &a, &b)?.text, equals(self, &b, &a)?.text);
                equal(format!("assertEquals({there}, {back});"))
            }
            Contract::EqualsThrows if steps.len() > 1 => {
                plain(vec![format!("{};", equals(self, &a, &b)?.text)])
            }
            Contract::EqualsThrows => plain(vec![format!("{};", equals(self, &a, &null())?.text)]),
            Contract::HashCodeThrows => {
                plain(vec![format!("{};", self.invoke(OBJECT, "hashCode", &a, None)?.text)])
            }
            Contract::HashCodeConsistent => {
                let text = self.invoke(OBJECT, "hashCode", &a, None)?.text;
                equal(format!("assertEquals({text}, {text});"))
            }
            Contract::EqualsHashCode => {
                let same = equals(self, &a, &b)?.text;
                let one = self.invoke(OBJECT, "hashCode", &a, None)?.text;
                let other = self.invoke(OBJECT, "hashCode", &b, None)?.text;
                holds("assertTrue", &format!("!{same} || {one} == {other}"), contract, framework)
            }
            Contract::ToStringThrows => {
                plain(vec![format!("{};", self.invoke(OBJECT, "toString", &a, None)?.text)])
            }
            Contract::ToStringNull => {
                let text = self.invoke(OBJECT, "toString", &a, None)?.text;
                Broken { lines: vec![format!("assertNotNull({text});")], method: Some("assertNotNull") }
            }
            Contract::CompareToReflexive => {
                let order = self.invoke(COMPARABLE, "compareTo", &a, Some(&a))?.text;
                equal(format!("assertEquals(0, {order});"))
            }
            Contract::CompareToAntisymmetric => {
                let there = self.invoke(COMPARABLE, "compareTo", &a, Some(&b))?.text;
                let back = self.invoke(COMPARABLE, "compareTo", &b, Some(&a))?.text;
                equal(format!("assertEquals(Integer.signum({there}), -Integer.signum({back}));"))
            }
            Contract::CompareToEquals => {
                let order = self.invoke(COMPARABLE, "compareTo", &a, Some(&b))?.text;
                let same = equals(self, &a, &b)?.text;
                equal(format!("assertEquals({same}, {order} == 0);"))
            }
            Contract::CloneThrows => plain(vec![format!("{};", self.cloned(&a)?.text)]),
            Contract::CloneSame => {
                let copy = self.cloned(&a)?.text;
                Broken {
                    lines: vec![format!("assertNotSame({}, {copy});", a.text)],
                    method: Some("assertNotSame"),
                }
            }
            Contract::CloneClass => {
                let copy = self.cloned(&a)?;
                let (own, other) = (
                    self.invoke(OBJECT, "getClass", &a, None)?,
                    self.invoke(OBJECT, "getClass", &copy, None)?,
                );
                equal(format!("assertEquals({}, {});", own.text, other.text))
            }
            Contract::CloneEquals => {
                let copy = self.cloned(&a)?;
                let text = equals(self, &a, &copy)?.text;
                holds("assertTrue", &text, contract, framework)
            }
            Contract::IteratorNext => {
                let has_next = self.invoke(ITERATOR, "hasNext", &a, None)?.text;
                let next = self.invoke(ITERATOR, "next", &a, None)?.text;
                plain(vec![format!("if ({has_next}) {{"), format!("    {next};"), "}".into()])
            }
            Contract::IterableNext => {
                let each = self.variables.fresh("element");
                let all = self.assigned(a, &Type::class(COLLECTION))?.tight();
                plain(vec![format!("for (Object {each} : {all}) {{"), "}".into()])
            }
            Contract::CollectionSize | Contract::MapSize => {
                let size = self.invoke(container(contract), "size", &a, None)?.text;
                holds("assertTrue", &format!("{size} >= 0"), contract, framework)
            }
            Contract::CollectionEmpty | Contract::MapEmpty => {
                let size = self.invoke(container(contract), "size", &a, None)?.text;
                let empty = self.invoke(container(contract), "isEmpty", &a, None)?.text;
                equal(format!("assertEquals({size} == 0, {empty});"))
            }
            Contract::CollectionArray => {
                let size = self.invoke(COLLECTION, "size", &a, None)?.text;
                let array = self.invoke(COLLECTION, "toArray", &a, None)?.text;
                equal(format!("assertEquals({size}, {array}.length);"))
            }
            Contract::CollectionIterator => {
                let size = self.invoke(COLLECTION, "size", &a, None)?.text;
                let (count, each) = (self.variables.fresh("count"), self.variables.fresh("element"));
                let all = self.assigned(a, &Type::class(COLLECTION))?.tight();
                let lines = vec![
                    format!("int {count} = 0;"),
                    format!("for (Object {each} : {all}) {{"),
                    format!("    {count}++;"),
                    "}".into(),
                    format!("assertEquals({size}, {count});"),
                ];
                Broken { lines, method: Some("assertEquals") }
            }
        })
    }

    /// Asks a contract of the user whose call is this expression.
    pub fn ruled(&self, rule: &Rule, call: &str, framework: Framework) -> Broken {
        if rule.answers {
            condition_with("assertTrue", call, &rule.name, framework)
        } else {
            Broken { lines: vec![format!("{call};")], method: None }
        }
    }

    /// Asks a contract of the user that only its own class can call.
    pub fn reflected(
        &mut self,
        rule: &Rule,
        operation: &Operation,
        of: StepId,
        framework: Framework,
    ) -> Result<Broken, Stop> {
        let (class, name, descriptor, is_static) = match operation {
            Operation::Call { class, name, descriptor, .. } => (class, name, descriptor, false),
            Operation::CallStatic { class, name, descriptor, .. } => (class, name, descriptor, true),
            _ => return Err(EmitError::Unfit(rule.name.clone()).into()),
        };
        let value = self.value(of)?;
        let holder = self.class_name(class)?;
        let method = self.imports.class(&ClassName::internal("java/lang/reflect/Method"));
        let variable = self.variables.fresh("contract");
        let mut words = vec![format!("\"{name}\"")];
        for param in &descriptor.params {
            words.push(format!("{}.class", self.bare_name(param)?));
        }
        let given = if is_static { format!("null, {}", value.text) } else { value.text };
        let call = format!("{variable}.invoke({given})");
        let call = if rule.answers { format!("(boolean) {call}") } else { call };
        let asked = self.ruled(rule, &call, framework);
        let mut lines = vec![
            format!("{method} {variable} = {holder}.class.getDeclaredMethod({});", words.join(", ")),
            format!("{variable}.setAccessible(true);"),
        ];
        lines.extend(asked.lines);
        Ok(Broken { lines, method: asked.method })
    }
}

fn container(contract: Contract) -> &'static str {
    if matches!(contract, Contract::MapSize | Contract::MapEmpty) { MAP } else { COLLECTION }
}

/// A condition with the contract as its message.
fn holds(method: &'static str, condition: &str, contract: Contract, framework: Framework) -> Broken {
    condition_with(method, condition, contract_in_words(contract), framework)
}

fn condition_with(method: &'static str, condition: &str, words: &str, framework: Framework) -> Broken {
    let line = match framework {
        Framework::JUnit5 | Framework::Java => format!("{method}({condition}, \"{words}\");"),
        Framework::JUnit4 => format!("{method}(\"{words}\", {condition});"),
    };
    Broken { lines: vec![line], method: Some(method) }
}
