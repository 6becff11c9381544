//! Where branches and time went, over all subjects.
//!
//! In: what `generate --explain` said of each run. Out: reasons summed over all runs, and a table of seconds.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::report::{SubjectReport, phase, short};
use crate::generate::explain::{ReasonGroup, largest, show_group};

/// Things listed in a group.
const LISTED: usize = 40;

/// The groups of one run; none if it was not asked to explain.
pub fn groups(said: &Value) -> Vec<ReasonGroup> {
    serde_json::from_value(said["explain"]["groups"].clone()).unwrap_or_default()
}

/// Branches, and how many of them each thing stands behind.
type Sum = (usize, BTreeMap<String, usize>);

/// Groups of several runs as one list, the largest first.
pub fn summed<'a>(all: impl Iterator<Item = &'a ReasonGroup>) -> Vec<ReasonGroup> {
    let mut by_reason: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for group in all {
        let (branches, shares) = by_reason.entry((&group.reason, &group.words)).or_default();
        *branches += group.branches;
        for share in &group.top {
            *shares.entry(share.what.clone()).or_default() += share.branches;
        }
    }
    let sums = by_reason.into_iter().map(|((reason, words), (branches, shares))| ReasonGroup {
        reason: reason.to_owned(),
        words: words.to_owned(),
        branches,
        top: largest(shares, LISTED),
    });
    let mut sums: Vec<ReasonGroup> = sums.collect();
    sums.sort_by_key(|group| (Reverse(group.branches), group.reason.clone()));
    sums
}

/// For people.
pub fn render(out: &mut String, groups: &[ReasonGroup], subjects: &[SubjectReport]) {
    let _ = writeln!(out, "\nBranches not reached, over all runs");
    groups.iter().for_each(|group| show_group(group, out));
    let _ = writeln!(out, "\nSeconds of each run");
    let columns =
        ["reading", "starting", "searching", "finishing", "judging", "compiling", "running", "explaining"];
    let _ = write!(out, "{:<34}", "");
    columns.iter().for_each(|column| {
        let _ = write!(out, " {column:>10}");
    });
    let _ = writeln!(out, " {:>9} {:>9} {:>9} {:>6}", "waiting", "own CPU", "JVM CPU", "idle %");
    for subject in subjects {
        for ours in &subject.ours {
            let name = format!("{} (seed {})", short(&subject.subject), ours.seed);
            let _ = write!(out, "{name:<34}");
            columns.iter().for_each(|column| {
                let _ = write!(out, " {:>10.1}", phase(&ours.phases, column));
            });
            let of = |key: &str| ours.profile[key].as_f64().unwrap_or(0.0);
            let _ = writeln!(
                out,
                " {:>9.1} {:>9.1} {:>9.1} {:>6.0}",
                of("waiting_seconds"),
                of("own_cpu_seconds"),
                of("worker_cpu_seconds"),
                100.0 * of("idle_share")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_several_runs_add_up() {
        let said = |ty: &str, branches: usize| {
            serde_json::json!({"explain": {"groups": [{
                "reason": "no-argument", "words": "no value", "branches": branches,
                "top": [{"what": ty, "branches": branches}, {"what": "b.B", "branches": 1}]}]}})
        };
        let runs = [groups(&said("a.A", 5)), groups(&said("a.A", 2)), groups(&Value::Null)];
        let all = summed(runs.iter().flatten());
        assert_eq!((all.len(), all[0].branches), (1, 7));
        let top: Vec<(&str, usize)> =
            all[0].top.iter().map(|one| (one.what.as_str(), one.branches)).collect();
        assert_eq!(top, [("a.A", 7), ("b.B", 2)]);
    }
}
