//! What the techniques came to, as data.
//!
//! In: searches. Out: [`Report`]. Packages are summed from classes and subjects from packages, so that totals are the weighted rows
//! (spec 004 row R22).

use std::collections::{BTreeMap, BTreeSet};

use probat_model::{Contract, Operation};
use probat_search::campaign::FailureKind;
use probat_supervisor::describe;
use serde::Serialize;

use crate::generate::trial::Searched;

/// Grows when a key changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// Numbers of tests at which coverage is told.
pub const FIRST: [u64; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/// One run of `probat bench baselines`.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: u32,
    pub probat: &'static str,
    pub java: String,
    pub cores: usize,
    /// Of each search: one of the two.
    pub time_limit_seconds: Option<f64>,
    pub step_limit: Option<u64>,
    pub seeds: u64,
    pub subjects: Vec<SubjectReport>,
}

#[derive(Debug, Serialize)]
pub struct SubjectReport {
    pub subject: String,
    /// Nested ones not counted.
    pub classes: usize,
    /// As the technique sees them that sees most.
    pub members: usize,
    pub branches: u64,
    pub techniques: Vec<TechniqueReport>,
}

/// A technique on a subject.
#[derive(Debug, Serialize)]
pub struct TechniqueReport {
    pub technique: &'static str,
    /// What `generate` is told.
    pub options: Vec<&'static str>,
    /// One per seed.
    pub runs: Vec<RunReport>,
}

#[derive(Debug, Serialize)]
pub struct RunReport {
    pub seed: u64,
    pub sequences: u64,
    pub steps: u64,
    /// Sequences that ran to their end without an exception: the tests that the sources count.
    pub legal: u64,
    pub states: usize,
    pub branches_reached: u64,
    pub branches: u64,
    /// When the last new branch was reached.
    pub best_after_seconds: f64,
    /// Sequences that broke a contract; pairs of a member and a contract; members.
    pub violating: u64,
    pub reported: usize,
    pub failing_members: usize,
    /// The same of contracts on values, which no exception breaks; and the classes concerned.
    pub value_violating: u64,
    pub value_classes: usize,
    /// Calls before a call, on average.
    pub mean_depth: f64,
    pub packages: Vec<PackageReport>,
    /// Branches reached by the first so many tests.
    pub first: Vec<FirstReport>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackageReport {
    pub package: String,
    pub branches_reached: u64,
    pub branches: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FirstReport {
    pub tests: u64,
    pub branches_reached: usize,
}

impl RunReport {
    pub fn new(seed: u64, searched: &Searched) -> Self {
        let packages = packages(searched);
        let (branches_reached, branches) = searched.branches();
        let last = searched.growth.last();
        let contracts =
            searched.failures.iter().filter(|one| matches!(one.failure.kind, FailureKind::Contract(_)));
        let values = contracts.clone().filter(|one| is_about_values(&one.failure.kind));
        RunReport {
            seed,
            sequences: searched.totals.sequences,
            steps: searched.totals.steps,
            legal: searched.totals.legal,
            states: searched.states,
            branches_reached,
            branches,
            best_after_seconds: last
                .map_or(0.0, |last| last.elapsed.saturating_sub(last.barren).as_secs_f64()),
            violating: contracts.clone().map(|one| u64::from(one.failure.times)).sum(),
            reported: contracts.clone().count(),
            failing_members: contracts.map(|one| describe(&one.member)).collect::<BTreeSet<_>>().len(),
            value_violating: values.clone().map(|one| u64::from(one.failure.times)).sum(),
            value_classes: values.filter_map(|one| class_of(&one.member)).collect::<BTreeSet<_>>().len(),
            mean_depth: mean_depth(&searched.depths),
            first: first(searched),
            packages,
        }
    }

    pub fn percent(&self) -> f64 {
        share(self.branches_reached, self.branches)
    }
}

/// `a` of `b` in percent; of nothing, nothing.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

impl TechniqueReport {
    /// The mean over seeds.
    pub fn mean(&self, of: impl Fn(&RunReport) -> f64) -> f64 {
        self.runs.iter().map(of).sum::<f64>() / self.runs.len().max(1) as f64
    }
}

fn packages(searched: &Searched) -> Vec<PackageReport> {
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for class in searched.classes.iter().filter(|class| class.edges > 0) {
        let sum = sums.entry(class.class.package().replace('/', ".")).or_default();
        sum.0 += u64::from(class.reached);
        sum.1 += u64::from(class.edges);
    }
    let report =
        |(package, (branches_reached, branches))| PackageReport { package, branches_reached, branches };
    sums.into_iter().map(report).collect()
}

/// Told after the round in which a test was run.
fn first(searched: &Searched) -> Vec<FirstReport> {
    let at = |tests: u64| searched.growth.iter().find(|progress| progress.legal >= tests);
    let rows = FIRST.iter().filter_map(|&tests| {
        at(tests).map(|progress| FirstReport { tests, branches_reached: progress.edges })
    });
    rows.collect()
}

fn mean_depth(depths: &[u64]) -> f64 {
    let calls: u64 = depths.iter().sum();
    let weighted: f64 = (0..).zip(depths).map(|(depth, count)| f64::from(depth) * *count as f64).sum();
    if calls == 0 { 0.0 } else { weighted / calls as f64 }
}

/// Contracts that a wrong value breaks (spec 001 §2.6, the variant of 8.3).
fn is_about_values(kind: &FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::Contract(
            Contract::EqualsReflexive
                | Contract::EqualsNull
                | Contract::EqualsSymmetric
                | Contract::EqualsHashCode
                | Contract::HashCodeConsistent
        )
    )
}

fn class_of(member: &Operation) -> Option<String> {
    match member {
        Operation::Construct { class, .. }
        | Operation::Call { class, .. }
        | Operation::CallStatic { class, .. } => Some(class.to_string()),
        _ => None,
    }
}
