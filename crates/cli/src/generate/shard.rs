//! One of several runs that are merged later.
//!
//! In: `--shard 2/4`, and the outcome of a run. Out: its seed, the words of the command that all shards share, and the file to merge.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use probat_generate::{Counts, Outcome, Run, Shards, code_of, shard_seed};

use super::subject::Subject;
use super::write::{WriteError, replace_bytes};

/// The file a shard leaves beside its report.
pub const FILE: &str = "probat-shard";

/// Most shards of one campaign.
const MOST: u16 = 10_000;

/// Options that may differ from shard to shard, or that whoever merges decides: those with a value, and those without.
const OWN_VALUES: [&str; 12] = [
    "--shard",
    "--seed",
    "--step-limit",
    "--time-limit",
    "--time-limit-per-class",
    "--plateau",
    "--output",
    "--failing-output",
    "--workers",
    "--format",
    "--java-home",
    "--junit-jar",
];
const OWN_FLAGS: [&str; 5] = ["--no-plateau", "--resume", "--accept", "--unverified", "--offline"];

/// Which of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardChoice {
    /// From 1.
    pub index: u16,
    pub of: u16,
}

impl ShardChoice {
    pub fn seed(self, base: u64) -> u64 {
        shard_seed(base, self.index)
    }
}

impl std::fmt::Display for ShardChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("write which of how many, from 1: 1/4 to 4/4 (at most {MOST})");
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of) = (index.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        match (1..=of).contains(&index) && of <= MOST {
            true => Ok(ShardChoice { index, of }),
            false => Err(wrong()),
        }
    }
}

/// The words after `generate` that all shards share.
pub fn shared_words(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        let name = word.split('=').next().unwrap_or(&word);
        // `-ofolder` is one word.
        let is_short = word.starts_with("-o") && word.len() > 2;
        if OWN_VALUES.contains(&name) || name == "-o" {
            skip = !word.contains('=');
        } else if !OWN_FLAGS.contains(&name) && !is_short {
            kept.push(word);
        }
    }
    kept
}

/// Where the file goes.
pub fn place(report: &Path) -> PathBuf {
    report.with_file_name(FILE)
}

/// A run as others will find it.
pub fn shards(
    choice: ShardChoice,
    base_seed: u64,
    step_limit: u64,
    subject: &Subject,
    outcome: &mut Outcome,
) -> Option<Shards> {
    let found = outcome.found.take()?;
    let run = Run {
        base_seed,
        seed: choice.seed(base_seed),
        index: choice.index,
        of: choice.of,
        step_limit,
        counts: Counts::of(outcome),
        found,
    };
    let code = code_of(&subject.library.classes, &subject.targets);
    // The program and `generate` come first.
    Some(Shards { words: shared_words(std::env::args().skip(2)), code, runs: vec![run] })
}

/// Writes the file.
pub fn write(report: &Path, shards: &Shards) -> Result<(), WriteError> {
    replace_bytes(&place(report), &shards.to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!("2/4".parse(), Ok(ShardChoice { index: 2, of: 4 }));
        for wrong in ["0/4", "5/4", "2", "a/b", "1/0", "1/70000", "-1/4", "1/20000"] {
            assert!(wrong.parse::<ShardChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_differs_from_shard_to_shard_is_left_out() {
        let words = [
            "app.jar",
            "--shard",
            "2/4",
            "--mode",
            "drt",
            "--output=x",
            "-o",
            "y",
            "-oz",
            "--nulls",
            "--unverified",
            "--time-limit",
            "5s",
            "com.acme.*",
        ];
        let kept = shared_words(words.iter().map(ToString::to_string));
        assert_eq!(kept, ["app.jar", "--mode", "drt", "--nulls", "com.acme.*"]);
    }
}
