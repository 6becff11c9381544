//! One test shown while the search still goes on.
//!
//! In: a campaign that has found something. Out: the source of one test, shortened and seen to behave alike twice, for somebody who waits. It is
//! neither compiled nor kept: the suite is made when the search is over. A JVM of its own is started for it beside the search.

use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use probat_emit::{Scope, Style, test_class_source};
use probat_model::{ClassName, Observation, Operation, OperationTable};
use probat_protocol::Item;
use probat_search::archive::{Ending, Witness};
use probat_search::campaign::Campaign;
use probat_search::executor::Executor;
use probat_search::length::LINE;
use probat_supervisor::{Fleet, FleetConfig, FleetError, StartError};

use crate::executor::FleetExecutor;
use crate::finish::{Finished, finish_few};
use crate::suite::{Purpose, group};

/// A test to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstTest {
    /// The class it is about.
    pub subject: ClassName,
    /// The test method alone.
    pub source: String,
}

/// How long a search goes on before a test is looked for.
const AFTER: Duration = Duration::from_millis(1500);

/// When it is given up: what comes so late comes with the others.
const BEFORE: Duration = Duration::from_secs(20);

/// How long shortening may hold the search up.
const SHORTENING: Duration = Duration::from_millis(400);

/// Tests that are tried together; the best that has something to assert is shown.
const TRIED: usize = 6;

/// The longest test worth showing, in lines.
const LINES: u32 = 10;

/// Looks for a test to show.
pub(crate) struct Preview {
    start: Instant,
    config: Option<FleetConfig>,
    starting: Option<JoinHandle<Result<Fleet, StartError>>>,
}

impl Preview {
    /// Without a configuration nothing is shown.
    pub fn new(config: Option<FleetConfig>) -> Self {
        let config = config.map(|config| FleetConfig { workers: 1, ..config });
        Preview { start: Instant::now(), config, starting: None }
    }

    /// Is told that the search goes on; gives a test once.
    pub fn look(
        &mut self,
        campaign: &mut Campaign<'_>,
        scope: &dyn Scope,
        style: &Style,
    ) -> Option<FirstTest> {
        if self.config.is_some() && self.start.elapsed() >= AFTER && campaign.archive().edges() > 0 {
            let config = self.config.take()?;
            self.starting = Some(std::thread::spawn(move || Fleet::start(config)));
        }
        if !self.starting.as_ref()?.is_finished() {
            return None;
        }
        let mut fleet = self.starting.take()?.join().ok()?.ok()?;
        if self.start.elapsed() > BEFORE {
            return None;
        }
        // Whatever goes wrong here costs a look, not the run.
        show(campaign, &mut fleet, scope, style).ok().flatten()
    }
}

fn show(
    campaign: &mut Campaign<'_>,
    fleet: &mut Fleet,
    scope: &dyn Scope,
    style: &Style,
) -> Result<Option<FirstTest>, FleetError> {
    let start = Instant::now();
    let fleet = Mutex::new(FleetExecutor(fleet));
    let (mut one, mut two) = (Turns(&fleet), Turns(&fleet));
    let chosen = worth_showing(campaign);
    let tests = finish_few(campaign, chosen, &mut one, &mut two, &|| start.elapsed() > SHORTENING)?;
    let best = tests.into_iter().find(|test| !test.case.checks.is_empty());
    Ok(best.and_then(|best| source(campaign, best, scope, style)))
}

/// One worker for both looks at a test.
struct Turns<'m, 'f>(&'m Mutex<FleetExecutor<'f>>);

impl Executor for Turns<'_, '_> {
    type Error = FleetError;

    fn run(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, FleetError> {
        let mut fleet = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        fleet.run(table, items)
    }
}

/// Short runs that give something and come far, the best first.
fn worth_showing(campaign: &Campaign<'_>) -> Vec<Witness> {
    let catalogue = &campaign.catalogue;
    let mut found: Vec<&Witness> = campaign
        .archive()
        .witnesses()
        .filter(|witness| {
            let callable = catalogue.callable(witness.callable);
            let operation = catalogue.operations.get(callable.operation);
            let is_call = matches!(operation, Operation::Call { .. } | Operation::CallStatic { .. });
            witness.ending == Ending::Returned
                && witness.length <= LINES * LINE
                && is_call
                && callable.result.is_some()
                && callable.owner.is_some()
                && !callable.varies
        })
        .collect();
    found.sort_by_key(|witness| (std::cmp::Reverse(witness.edges.len()), witness.length, witness.callable));
    found.dedup_by_key(|witness| witness.callable);
    found.into_iter().take(TRIED).cloned().collect()
}

/// The test method, as it will stand in a file.
fn source(campaign: &Campaign<'_>, test: Finished, scope: &dyn Scope, style: &Style) -> Option<FirstTest> {
    let file = group(&campaign.catalogue, vec![test], Purpose::Passing).into_iter().next()?;
    let source = test_class_source(&file.class, &campaign.catalogue.operations, scope, style);
    if !source.refused.is_empty() {
        return None;
    }
    Some(FirstTest { subject: file.subject, source: method(&source.text)? })
}

/// The first test method of a class, without the class around it.
fn method(source: &str) -> Option<String> {
    let lines = source.lines().skip_while(|line| !line.trim_start().starts_with("@Test"));
    let mut kept = Vec::new();
    for line in lines {
        kept.push(line.strip_prefix("    ").unwrap_or(line));
        if line == "    }" {
            return Some(kept.join("\n"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_shown_without_its_class() {
        let source = "import a.B;\n\nclass BTest {\n\n    @Test\n    void one() {\n        if (x) {\n        }\n    }\n\n    @Test\n    void two() {\n    }\n}\n";
        assert_eq!(method(source).as_deref(), Some("@Test\nvoid one() {\n    if (x) {\n    }\n}"));
        assert_eq!(method("class A {\n}\n"), None);
    }
}
