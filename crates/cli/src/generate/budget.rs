//! How long a run may take.
//!
//! In: what the user said, the number of classes. Out: [`Budget`]. A person waits: ten seconds per class, three minutes in all.

use std::time::Duration;

use probat_model::ClassName;

use super::args::GenerateArgs;

const PER_CLASS: Duration = Duration::from_secs(10);
const LEAST: Duration = Duration::from_secs(10);
const MOST: Duration = Duration::from_secs(180);

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub time: Duration,
    /// The user named the time: it binds even where steps are limited too.
    pub is_time_said: bool,
    pub steps: Option<u64>,
}

/// Decides.
pub fn budget(args: &GenerateArgs, targets: &[ClassName]) -> Budget {
    let classes = top_level_classes(targets).max(1) as u32;
    let per_class = args.time_limit_per_class.map(|each| each * classes);
    let said = match (args.time_limit, per_class) {
        (Some(total), Some(each)) => Some(total.min(each)),
        (total, each) => total.or(each),
    };
    let time = said.unwrap_or_else(|| (PER_CLASS * classes).clamp(LEAST, MOST));
    Budget { time, is_time_said: said.is_some(), steps: args.step_limit }
}

/// Nested classes share the time of their host.
pub fn top_level_classes(targets: &[ClassName]) -> usize {
    let mut hosts: Vec<ClassName> = targets.iter().map(ClassName::host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    #[track_caller]
    fn check(args: &[&str], classes: usize, seconds: u64) {
        let words = ["probat", "generate"].iter().chain(args);
        let Command::Generate(args) = Cli::try_parse_from(words).unwrap().command else { panic!() };
        let targets: Vec<ClassName> =
            (0..classes).map(|at| ClassName::internal(&format!("a/C{at}"))).collect();
        assert_eq!(budget(&args, &targets).time, Duration::from_secs(seconds));
    }

    #[test]
    fn ten_seconds_per_class_but_never_more_than_three_minutes() {
        check(&[], 1, 10);
        check(&[], 5, 50);
        check(&[], 900, 180);
        check(&["--time-limit", "7s"], 900, 7);
        check(&["--time-limit-per-class", "2s"], 3, 6);
        check(&["--time-limit-per-class", "2s", "--time-limit", "4s"], 3, 4);
    }

    #[test]
    fn nested_classes_count_with_their_host() {
        let names = ["a/B", "a/B$C", "a/B$C$1", "a/D", "$E"].map(ClassName::internal);
        assert_eq!(top_level_classes(&names), 3);
    }
}
