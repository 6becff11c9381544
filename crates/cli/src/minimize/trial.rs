//! Compiles and runs candidates, many at a time.
//!
//! In: bodies of methods. Out: what each threw. Every wave is a class of its own name with one method per body; bodies that a compiler refuses
//! are left out and the rest is compiled again. One worker runs them all.

use std::fs;
use std::path::PathBuf;

use probat_generate::{Compiler, compile, test_item};
use probat_model::{ClassName, End, JavaString, OperationTable, StepOutcome, Thrown};
use probat_protocol::{Item, Reset};
use probat_supervisor::Fleet;

use super::java::{Kind, Statement, TestClass, tokens};
use super::shrink::Judge;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet;

/// Rounds of compiling: one kind of error hides the next.
const ROUNDS: usize = 4;

/// How a body ended. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    Passed,
    /// The exception, and the method of the code under test that raised it. An assertion of the test itself has none, and is told by its message,
    /// which says what came instead.
    Threw {
        class: ClassName,
        at: Option<String>,
        message: Option<String>,
    },
    /// A compiler refuses it, or it did not come to an end.
    Nothing,
}

/// Where candidates are tried.
pub struct Bench<'a> {
    pub source: &'a str,
    pub class: &'a TestClass,
    pub compiler: Compiler,
    pub fleet: Fleet,
    /// What the fleet was told so far.
    pub table: OperationTable,
    /// Sources are written there.
    pub work: PathBuf,
    /// On the class path of the fleet.
    pub classes: PathBuf,
    pub waves: usize,
    pub runs: usize,
}

impl Bench<'_> {
    /// How each body ends.
    pub fn run(&mut self, bodies: &[String]) -> Result<Vec<Ended>, Failure> {
        if bodies.is_empty() {
            return Ok(Vec::new());
        }
        self.waves += 1;
        let name = format!("{}Wave{}", self.class.name, self.waves);
        let mut is_in = vec![true; bodies.len()];
        for round in 0.. {
            let (text, starts) = self.unit(&name, bodies, &is_in);
            let path = self.work.join(format!("{name}.java"));
            fs::write(&path, text).map_err(|error| {
                Failure::new(Exit::Missing, format!("cannot write `{}`: {error}", path.display()))
            })?;
            let found = compile(&self.compiler, &[path], &self.classes)
                .map_err(|error| Failure::caused(Exit::Missing, &error))?;
            if found.is_empty() {
                break;
            }
            let blamed: Vec<usize> = found
                .iter()
                .filter_map(|error| starts.iter().rfind(|(line, _)| *line <= error.line))
                .map(|(_, at)| *at)
                .collect();
            if blamed.is_empty() || round == ROUNDS {
                let first = &found[0];
                let text = format!("the test class does not compile: line {}: {}", first.line, first.message);
                return Err(Failure::new(Exit::BadInput, text).hint("is all it needs in `--classpath`?"));
            }
            blamed.into_iter().for_each(|at| is_in[at] = false);
        }
        self.execute(&name, &is_in)
    }

    /// The class of a wave, and the line at which each body starts.
    fn unit(&self, name: &str, bodies: &[String], is_in: &[bool]) -> (String, Vec<(u32, usize)>) {
        let rename = |text: &str| renamed(text, &self.class.name, name);
        let mut text = rename(&self.source[self.class.head.clone()]);
        for other in &self.class.others {
            text.push('\n');
            text.push_str(&rename(&self.source[other.clone()]));
        }
        text.push('\n');
        let mut starts = Vec::new();
        for (at, body) in bodies.iter().enumerate().filter(|(at, _)| is_in[*at]) {
            starts.push((text.lines().count() as u32 + 1, at));
            text.push_str(&format!("public void probat{at}() throws Throwable {{\n{}\n}}\n", rename(body)));
        }
        text.push_str("}\n");
        (text, starts)
    }

    fn execute(&mut self, name: &str, is_in: &[bool]) -> Result<Vec<Ended>, Failure> {
        let package = self.class.package.replace('.', "/");
        let full = if package.is_empty() { name.to_owned() } else { format!("{package}/{name}") };
        let class = ClassName::internal(&full);
        let chosen: Vec<usize> = (0..is_in.len()).filter(|&at| is_in[at]).collect();
        let items: Vec<Item> = chosen
            .iter()
            .map(|at| test_item(&mut self.table, &class, &format!("probat{at}"), Reset::Fields))
            .collect();
        self.runs += items.len();
        let seen = self.fleet.run(&self.table, items).map_err(|error| fleet::failure(&error))?;
        let mut ended = vec![Ended::Nothing; is_in.len()];
        for (at, seen) in chosen.into_iter().zip(seen) {
            ended[at] = match (&seen.end, seen.steps.last()) {
                (End::Completed, _) => Ended::Passed,
                (End::Threw(_), Some((_, StepOutcome::Threw(thrown)))) => {
                    let at = raised_by(thrown, &class);
                    let said = thrown.message.as_ref().map(JavaString::to_lossy);
                    let message = said.filter(|_| at.is_none());
                    Ended::Threw { class: thrown.class.clone(), at, message }
                }
                _ => Ended::Nothing,
            };
        }
        Ok(ended)
    }
}

/// The innermost method outside of test frameworks; none if that is the test itself.
fn raised_by(thrown: &Thrown, test: &ClassName) -> Option<String> {
    let frameworks = ["org/junit/", "org/opentest4j/", "junit/framework/", "org/hamcrest/"];
    let frame = thrown.frames.iter().find(|frame| {
        !frameworks.iter().any(|prefix| frame.class.as_internal().replace('.', "/").starts_with(prefix))
    })?;
    let is_test = frame.class.to_binary() == test.to_binary();
    (!is_test).then(|| format!("{}.{}", frame.class.to_binary(), frame.method))
}

/// The text with one name in place of another.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let Ok(all) = tokens(text) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for token in all.iter().filter(|token| token.kind == Kind::Word && &text[token.span.clone()] == from) {
        out.push_str(&text[done..token.span.start]);
        out.push_str(to);
        done = token.span.end;
    }
    out.push_str(&text[done..]);
    out
}

/// The statements as a body.
pub fn body(statements: &[Statement]) -> String {
    statements.iter().map(|one| format!("        {}\n", one.text)).collect()
}

/// Judges candidates of one test: their last statement must fail as the test did, and all before it must not.
pub struct SameFailure<'b, 'a> {
    pub bench: &'b mut Bench<'a>,
    pub failure: Ended,
}

impl Judge for SameFailure<'_, '_> {
    type Error = Failure;

    fn judge(&mut self, candidates: &[Vec<Statement>]) -> Result<Vec<bool>, Failure> {
        let bodies: Vec<String> = candidates
            .iter()
            .flat_map(|candidate| {
                let before = candidate.len().saturating_sub(1);
                [body(candidate), body(&candidate[..before])]
            })
            .collect();
        let ended = self.bench.run(&bodies)?;
        Ok(ended.chunks(2).map(|pair| pair[0] == self.failure && pair[1] == Ended::Passed).collect())
    }
}
