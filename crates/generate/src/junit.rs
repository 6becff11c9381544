//! Runs test classes under the real JUnit launcher, inside a worker of ours.
//!
//! In: a class path with compiled tests and the launcher, a fleet of one worker that has it. Out: a verdict per test.
//! The launcher is called like any other code: its console runner writes a report into scratch, which is read from here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use probat_model::{
    ClassName, End, JavaString, Literal, MethodDescriptor, Operation, OperationTable, Sequence, StepId,
    StepOutcome, Type,
};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_supervisor::{Fleet, FleetError};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// What became of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// First line of what was thrown.
    Failed(String),
}

/// Verdicts by test class and method.
#[derive(Debug, Default)]
pub struct JUnitRun {
    pub verdicts: Vec<(ClassName, String, Verdict)>,
    /// Where tests stopped that failed, if their classes know their lines.
    pub lines: BTreeMap<(ClassName, String), u32>,
}

/// Why there are no verdicts.
#[derive(Debug, thiserror::Error)]
pub enum JUnitError {
    #[error(transparent)]
    Fleet(#[from] FleetError),
    #[error("the JUnit launcher did not finish: {0}")]
    Launcher(String),
    #[error("the JUnit launcher left no report")]
    NoReport,
    #[error("the JUnit report cannot be read: {0}")]
    Report(String),
}

/// Where the launcher's result class stands: it has moved between releases.
const RESULTS: [&str; 2] =
    ["org/junit/platform/console/options/CommandResult", "org/junit/platform/console/command/CommandResult"];

/// In which order tests are run. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As JUnit does by itself, and so do users.
    Usual,
    /// By chance, from this seed.
    Random(u64),
}

impl Order {
    /// Options of the launcher.
    fn options(self) -> Vec<String> {
        match self {
            Order::Usual => vec!["--reports-dir=reports".into()],
            Order::Random(seed) => vec![
                format!("--reports-dir=reports{seed}"),
                "--config=junit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random"
                    .into(),
                "--config=junit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random"
                    .into(),
                format!("--config=junit.jupiter.execution.order.random.seed={seed}"),
            ],
        }
    }
}

/// Runs all tests found in a directory of class files once in each of these orders: what a test leaves behind in one round, all others find in the
/// next.
pub fn run_junit(fleet: &mut Fleet, tests: &Path, orders: &[Order]) -> Result<JUnitRun, JUnitError> {
    // A worker knows operations by their numbers: one table serves all rounds.
    let mut table = OperationTable::new();
    for &order in orders {
        launch(fleet, &mut table, tests, order)?;
    }
    let mut reports = Vec::new();
    find_reports(fleet.scratch(), &mut reports);
    if reports.is_empty() {
        return Err(JUnitError::NoReport);
    }
    let mut run = JUnitRun::default();
    for report in reports {
        let text = fs::read_to_string(&report).map_err(|error| JUnitError::Report(error.to_string()))?;
        read_report(&text, &mut run)?;
    }
    Ok(run)
}

/// One run of the launcher, which leaves a report.
fn launch(
    fleet: &mut Fleet,
    table: &mut OperationTable,
    tests: &Path,
    order: Order,
) -> Result<(), JUnitError> {
    let mut last = None;
    for result in RESULTS {
        let sequence = launcher_call(table, tests, order, result);
        let observe = Observe { values: Values::Last, ..Observe::default() };
        let item = Item { sequence, observe, reset: Reset::None, past_exceptions: false, ..Item::default() };
        let seen = fleet.run(table, vec![item])?.pop().ok_or(JUnitError::NoReport)?;
        let is_elsewhere = matches!(seen.end, End::Refused(_));
        last = Some(seen);
        if !is_elsewhere {
            break;
        }
    }
    let seen = last.ok_or(JUnitError::NoReport)?;
    match &seen.end {
        End::Completed => Ok(()),
        End::Threw(_) => {
            let text = match seen.steps.last() {
                Some((_, StepOutcome::Threw(thrown))) => {
                    let message = thrown.message.as_ref().map(JavaString::to_lossy).unwrap_or_default();
                    format!("{}: {message}", thrown.class)
                }
                _ => "it threw".into(),
            };
            Err(JUnitError::Launcher(text))
        }
        End::Refused(_) => {
            let text = seen.steps.last().map(|(_, outcome)| format!("{outcome:?}")).unwrap_or_default();
            Err(JUnitError::Launcher(text))
        }
        End::Exhausted(_) => Err(JUnitError::Launcher("memory ran out".into())),
        End::TimedOut(_) => Err(JUnitError::Launcher("it took too long".into())),
        End::Died { .. } => Err(JUnitError::Launcher("the JVM died".into())),
    }
}

/// `ConsoleLauncher.run(new PrintWriter(new StringWriter()), …, new String[] {…})`.
fn launcher_call(table: &mut OperationTable, tests: &Path, order: Order, result: &str) -> Sequence {
    let mut sequence = Sequence::new();
    let mut push = |operation: Operation, args: &[StepId]| {
        let id = table.intern(operation);
        sequence.push(table, id, args.iter().copied()).expect("written here")
    };
    let construct = |class: &str, descriptor: &str| Operation::Construct {
        class: ClassName::internal(class),
        descriptor: MethodDescriptor::parse(descriptor).expect("written here"),
    };
    let text = push(construct("java/io/StringWriter", "()V"), &[]);
    let writer = push(construct("java/io/PrintWriter", "(Ljava/io/Writer;)V"), &[text]);
    let mut words: Vec<String> =
        ["execute", "--disable-banner", "--details=none", "--include-classname=.*"].map(str::to_owned).into();
    words.push(format!("--scan-class-path={}", tests.display()));
    words.extend(order.options());
    let words: Vec<StepId> = words
        .iter()
        .map(|word| push(Operation::Literal(Literal::String(word.as_str().into())), &[]))
        .collect();
    let element = Type::class("java/lang/String");
    let array = push(Operation::ArrayOf { element, length: words.len() as u32 }, &words);
    let run = Operation::CallStatic {
        class: ClassName::internal("org/junit/platform/console/ConsoleLauncher"),
        name: "run".into(),
        descriptor: MethodDescriptor::parse(&format!(
            "(Ljava/io/PrintWriter;Ljava/io/PrintWriter;[Ljava/lang/String;)L{result};"
        ))
        .expect("written here"),
        interface: false,
    };
    push(run, &[writer, writer, array]);
    sequence
}

fn find_reports(below: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(below) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() {
            find_reports(&path, found);
        } else if name.starts_with("TEST-") && name.ends_with(".xml") {
            found.push(path);
        }
    }
}

fn read_report(text: &str, run: &mut JUnitRun) -> Result<(), JUnitError> {
    let mut reader = Reader::from_str(text);
    let bad = |error: &dyn std::fmt::Display| JUnitError::Report(error.to_string());
    let mut current: Option<(ClassName, String, Verdict)> = None;
    loop {
        match reader.read_event().map_err(|error| bad(&error))? {
            Event::Start(start) if start.name().as_ref() == "testcase" => current = Some(test_case(&start)?),
            Event::Empty(start) if start.name().as_ref() == "testcase" => {
                run.verdicts.push(test_case(&start)?)
            }
            Event::Start(start) | Event::Empty(start)
                if matches!(start.name().as_ref(), "failure" | "error" | "skipped") =>
            {
                if let Some((_, _, verdict)) = &mut current {
                    let said = attribute(&start, "message")?.filter(|message| !message.is_empty());
                    // An exception without a message has a name at least.
                    let told = if said.is_some() { said } else { attribute(&start, "type")? };
                    *verdict = Verdict::Failed(told.unwrap_or_default());
                }
            }
            Event::Text(text) => run.learn_line(current.as_ref(), &text),
            Event::CData(text) => run.learn_line(current.as_ref(), &text),
            Event::End(end) if end.name().as_ref() == "testcase" => run.verdicts.extend(current.take()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

impl JUnitRun {
    /// Reads `at p.T.a(T.java:12)` in the trace of a failed test.
    fn learn_line(&mut self, test: Option<&(ClassName, String, Verdict)>, trace: &str) {
        let Some((class, name, Verdict::Failed(_))) = test else { return };
        let simple = class.simple();
        let place = format!("{class}.{name}({simple}.java:");
        let mut lines = trace.lines().filter_map(|line| line.split_once(&place)).map(|(_, rest)| rest);
        let number = lines.next().and_then(|rest| rest.trim_end().strip_suffix(')')?.parse().ok());
        // A lambda of the test stands deeper in the trace than the test itself, whose line has the statement.
        if let Some(number) = number {
            self.lines.entry((class.clone(), name.clone())).or_insert(number);
        }
    }
}

fn test_case(start: &BytesStart<'_>) -> Result<(ClassName, String, Verdict), JUnitError> {
    let class = attribute(start, "classname")?.unwrap_or_default();
    let name = attribute(start, "name")?.unwrap_or_default();
    let name = name.split('(').next().unwrap_or(&name).to_owned();
    Ok((ClassName::binary(&class), name, Verdict::Passed))
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, JUnitError> {
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| JUnitError::Report(error.to_string()))?;
        if attribute.key.as_ref() == name {
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| JUnitError::Report(error.to_string()))?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gives_a_verdict_per_test() {
        let text = r#"<testsuite><testcase name="a()" classname="p.T" time="0"/>
            <testcase name="b()" classname="p.T"><failure message="expected: &lt;1&gt;"><![CDATA[E: x
	at q.Assert.f(Assert.java:3)
	at p.T.b(T.java:12)
]]></failure></testcase></testsuite>"#;
        let mut run = JUnitRun::default();
        read_report(text, &mut run).unwrap();
        let class = ClassName::internal("p/T");
        assert_eq!(
            run.verdicts,
            [
                (class.clone(), "a".into(), Verdict::Passed),
                (class.clone(), "b".into(), Verdict::Failed("expected: <1>".into())),
            ]
        );
        assert_eq!(run.lines.into_iter().collect::<Vec<_>>(), [((class, "b".into()), 12)]);
    }
}
