//! Tests with the calls they made.
//!
//! In: events in the order they were recorded. Out: [`Suite`]: tests that passed, and problems: those that did not, or that have no record.

use std::collections::BTreeMap;

use probat_model::word::is_identifier;
use probat_model::{ClassName, Literal, StateHash};
use probat_protocol::{CallSeen, RecordEvent, TestEnd};

/// A test that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// JUnit's unique id.
    pub id: String,
    pub name: String,
    /// Distinct calls, in order of first occurrence.
    pub calls: Vec<CallSeen>,
    pub threw: Vec<(u32, ClassName)>,
    pub edges: Vec<u32>,
}

/// What is the matter with a test. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    Failed,
    /// It used up its time, or never came back.
    Hung,
    /// An assumption did not hold, or it is switched off.
    Skipped,
    /// It ended its JVM.
    Died,
    /// A class it needs is not there.
    Unloadable,
}

/// A test that is not assessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub id: String,
    pub name: String,
    pub kind: ProblemKind,
    pub detail: String,
}

/// Two objects that break the contract of `equals`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnequalPair {
    pub class: ClassName,
    pub rule: String,
    pub left: String,
    pub right: String,
}

/// What a run of a suite gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suite {
    /// In the order they ran.
    pub tests: Vec<Test>,
    pub problems: Vec<Problem>,
    pub unequal: Vec<UnequalPair>,
    /// Classes whose objects stood for their whole states where `equals` was asked for, and why.
    pub by_state: Vec<(ClassName, String)>,
    /// How entry states in sequence form read.
    pub texts: BTreeMap<StateHash, String>,
    /// Values passed: method, parameter, literal.
    pub arguments: Vec<(u32, u32, Literal)>,
    /// Calls recorded, and states among them too large to read.
    pub calls: u64,
    pub large: u64,
    /// Ids of tests whose calls were too many to look at all.
    pub cut_off: Vec<String>,
    /// Calls on threads that are not recorded, and ids of the tests that made them.
    pub elsewhere: u64,
    pub used_threads: Vec<String>,
    /// The test that was running when the events ended.
    pub unfinished: Option<(String, String)>,
}

impl Suite {
    /// Reads events.
    pub fn of(events: Vec<RecordEvent>) -> Suite {
        let mut suite = Suite::default();
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut running: Option<Test> = None;
        for event in events {
            match event {
                RecordEvent::Started { id, name, is_test } => {
                    names.insert(id.clone(), name.clone());
                    if is_test {
                        running =
                            Some(Test { id, name, calls: Vec::new(), threw: Vec::new(), edges: Vec::new() });
                    }
                }
                RecordEvent::Calls { calls, all, large, cut_off, elsewhere, threw, edges } => {
                    suite.elsewhere += elsewhere;
                    suite.calls += all;
                    suite.large += large;
                    if let (true, Some(test)) = (cut_off, &running) {
                        suite.cut_off.push(test.id.clone());
                    }
                    if let (true, Some(test)) = (elsewhere > 0, &running) {
                        suite.used_threads.push(test.id.clone());
                    }
                    if let Some(test) = &mut running {
                        (test.calls, test.threw, test.edges) = (calls, threw, edges);
                    }
                }
                RecordEvent::Finished { id, end } => {
                    let name = names.get(&id).cloned().unwrap_or_default();
                    suite.finished(&mut running, id, name, end);
                }
                RecordEvent::Skipped { id, name, reason } => {
                    suite.problems.push(Problem { id, name, kind: ProblemKind::Skipped, detail: reason });
                }
                RecordEvent::Text { state, text } => {
                    suite.texts.entry(state).or_insert(text);
                }
                RecordEvent::Unequal { class, rule, left, right } => {
                    suite.unequal.push(UnequalPair { class, rule, left, right });
                }
                RecordEvent::ByState { class, reason } => suite.by_state.push((class, reason)),
                RecordEvent::Argument { method, parameter, literal } => {
                    suite.arguments.push((method, parameter, literal));
                }
            }
        }
        suite.unfinished = running.map(|test| (test.id, test.name));
        suite
    }

    fn finished(&mut self, running: &mut Option<Test>, id: String, name: String, end: TestEnd) {
        let is_running = running.as_ref().is_some_and(|test| test.id == id);
        let (kind, detail) = match end {
            TestEnd::Passed => {
                if is_running {
                    self.tests.extend(running.take());
                }
                return;
            }
            TestEnd::Failed(detail) => (ProblemKind::Failed, detail),
            TestEnd::Aborted(detail) => (ProblemKind::Skipped, detail),
            TestEnd::Stopped => (ProblemKind::Hung, "it was stopped when its time was up".into()),
        };
        if is_running {
            *running = None;
        }
        self.problems.push(Problem { id, name, kind, detail });
    }
}

/// Class (binary name) and method of a unique id; nested classes follow their outer class with `$`.
pub fn includes(id: &str) -> Option<(String, Option<String>)> {
    let mut class: Option<String> = None;
    let mut method = None;
    for part in id.split("]/") {
        let (kind, value) = part.trim_start_matches('[').trim_end_matches(']').split_once(':')?;
        let value = decoded(value);
        match kind {
            "class" | "runner" => class = Some(value),
            "nested-class" => class = class.map(|outer| format!("{outer}${value}")),
            "method" | "test-template" | "test-factory" => {
                method = value.split('(').next().map(str::to_owned)
            }
            // The Vintage engine: `[test:add(com.acme.CartTest)]`.
            "test" => method = value.split(['(', '[']).next().map(str::to_owned),
            _ => {}
        }
    }
    Some((class?, method))
}

/// What a build is told in order to run a test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selected {
    /// Its binary name.
    pub class: String,
    /// `None` where the class as a whole is meant.
    pub method: Option<String>,
    /// Its runs are called `name[…]`, as those of `Parameterized` in JUnit 4.
    pub is_numbered: bool,
}

/// As [`includes`], for builds: a test of JUnit 4 belongs to the class that it names itself, whatever class runs it; of a test that is not named after a method,
/// the class is meant.
pub fn selected(id: &str) -> Option<Selected> {
    let (class, method) = includes(id)?;
    let mut selected = Selected { class, method, is_numbered: false };
    let last = id.rsplit("]/").next().unwrap_or(id).trim_end_matches(']');
    if let Some(test) = last.strip_prefix("[test:") {
        let test = decoded(test);
        selected.is_numbered = test.contains('[');
        let own = test.strip_suffix(')').and_then(|test| test.rsplit_once('(')).map(|(_, class)| class);
        let is_class = |name: &&str| name.split('.').all(is_identifier);
        selected.class = own.filter(is_class).map_or(selected.class, str::to_owned);
    }
    selected.method = selected.method.filter(|method| is_identifier(method));
    Some(selected)
}

/// Brackets and other signs of ids are written as `%5B`.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(id: &str, is_test: bool) -> RecordEvent {
        RecordEvent::Started { id: id.into(), name: id.into(), is_test }
    }

    fn finished(id: &str, end: TestEnd) -> RecordEvent {
        RecordEvent::Finished { id: id.into(), end }
    }

    #[test]
    fn tests_that_pass_are_kept_and_others_told() {
        let suite = Suite::of(vec![
            started("c", false),
            started("a", true),
            finished("a", TestEnd::Passed),
            started("b", true),
            finished("b", TestEnd::Failed("no".into())),
            started("d", true),
            finished("d", TestEnd::Stopped),
            finished("c", TestEnd::Passed),
            started("e", true),
        ]);
        assert_eq!(suite.tests.iter().map(|test| test.id.as_str()).collect::<Vec<_>>(), ["a"]);
        let kinds: Vec<ProblemKind> = suite.problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(kinds, [ProblemKind::Failed, ProblemKind::Hung]);
        assert_eq!(suite.unfinished, Some(("e".into(), "e".into())));
    }

    #[test]
    fn unique_ids_name_classes_and_methods() {
        for (id, class, method) in [
            (
                "[engine:junit-jupiter]/[class:a.CartTest]/[method:add(int, java.lang.String)]",
                "a.CartTest",
                Some("add"),
            ),
            (
                "[engine:junit-jupiter]/[class:a.T]/[nested-class:In]/[test-template:p(int)]/[test-template-invocation:#2]",
                "a.T$In",
                Some("p"),
            ),
            ("[engine:junit-vintage]/[runner:T]/[test:old(T)]", "T", Some("old")),
            ("[engine:junit-vintage]/[runner:T]/[test:%5B1%5D]/[test:old%5B1%5D(T)]", "T", Some("old")),
            ("[engine:junit-jupiter]/[class:T]", "T", None),
        ] {
            assert_eq!(includes(id), Some((class.to_owned(), method.map(str::to_owned))), "{id}");
        }
        assert_eq!(includes("[engine:x]"), None);
    }

    #[test]
    fn builds_are_told_the_class_that_a_test_names() {
        for (id, class, method, is_numbered) in [
            (
                "[engine:junit-jupiter]/[class:a.T]/[test-template:p(int)]/[test-template-invocation:#2]",
                "a.T",
                Some("p"),
                false,
            ),
            (
                "[engine:junit-vintage]/[runner:a.All]/[test:a.All$In]/[test:old(a.All$In)]",
                "a.All$In",
                Some("old"),
                false,
            ),
            (
                "[engine:junit-vintage]/[runner:a.T]/[test:%5B5 of it%5D]/[test:old%5B5 of it%5D(a.T)]",
                "a.T",
                Some("old"),
                true,
            ),
            (
                "[engine:junit-vintage]/[runner:a.Stories]/[test:it rains(Feature: weather)]",
                "a.Stories",
                None,
                false,
            ),
            ("[engine:junit-jupiter]/[class:T]", "T", None, false),
        ] {
            let method = method.map(str::to_owned);
            assert_eq!(selected(id), Some(Selected { class: class.to_owned(), method, is_numbered }), "{id}");
        }
    }
}
