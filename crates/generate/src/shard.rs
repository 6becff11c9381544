//! What the runs of a campaign found, on disk, so that runs made anywhere can be put together.
//!
//! In: finished searches. Out: a file of runs, each with the sequences worth a test or a report, its counts and the states it met. A file
//! of several runs is their union: it can be made twice, in any order, and of unions. Which sequences are worth a test is not decided here:
//! whoever merges runs them again.

use std::io;
use std::path::{Path, PathBuf};

use probat_classpath::Classes;
use probat_model::{ClassName, Contract, Operation, StateHash};
use probat_protocol::{decode_message, encode_message};
use probat_search::campaign::{Campaign, FailureKind};
use serde::{Deserialize, Serialize};

use crate::outcome::{FailureReport, Outcome};
use crate::unfinished::Unfinished;

/// The first line of a file, before the version.
const HEAD: &str = "probat shard ";

/// The version whose files are read.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of the hash that follows the first line.
const HASH: usize = 16;

/// The runs of a campaign, or some of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shards {
    /// What was tested and how: the words of the command that do not differ from run to run.
    pub words: Vec<String>,
    /// Stands for the bytes of the classes under test.
    pub code: u128,
    /// In the order of [`Run::place`].
    pub runs: Vec<Run>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// As the user gave it, and as it was used.
    pub base_seed: u64,
    pub seed: u64,
    /// It is this one, counted from 1, of so many.
    pub index: u16,
    pub of: u16,
    /// As a step limit, repeats the search.
    pub step_limit: u64,
    pub counts: Counts,
    pub found: Found,
}

/// What a search leaves for others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub sequences: Unfinished,
    /// States of the objects it met, ascending; half of each hash is enough to tell them apart.
    pub states: Vec<u64>,
    pub failures: Vec<Seen>,
}

/// What is counted in a run, and added over runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub sequences: u64,
    pub steps: u64,
    pub legal: u64,
    pub threw: u64,
    pub refused: u64,
    pub stopped: u64,
    pub tainted: u64,
    pub depths: Vec<u64>,
    pub jvms_started: u64,
    pub jvms_died: u64,
    pub jvms_replaced: std::collections::BTreeMap<String, u64>,
}

/// How often a failure was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub member: Operation,
    pub kind: Kind,
    pub times: u32,
    pub after_steps: u64,
}

/// [`FailureKind`] in a file. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Contract(Contract),
    Exception(ClassName),
    TimedOut,
    Exhausted,
    Died,
    Exits,
}

impl From<&FailureKind> for Kind {
    fn from(kind: &FailureKind) -> Self {
        match kind {
            FailureKind::Contract(contract) => Kind::Contract(*contract),
            FailureKind::Exception(class) => Kind::Exception(class.clone()),
            FailureKind::TimedOut => Kind::TimedOut,
            FailureKind::Exhausted => Kind::Exhausted,
            FailureKind::Died => Kind::Died,
            FailureKind::Exits => Kind::Exits,
        }
    }
}

/// Why runs cannot be read or put together.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error("cannot read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{0}` is no result of a shard")]
    Foreign(PathBuf),
    #[error("`{path}` was made by probat {found}, and this is probat {VERSION}")]
    Version { path: PathBuf, found: String },
    #[error("`{0}` is damaged")]
    Damaged(PathBuf),
}

impl Run {
    /// What stands for a run when runs are put in order. Equal runs have equal places, and others other ones.
    fn place(&self) -> (u64, u16, u16, u64, Vec<u8>) {
        (self.base_seed, self.of, self.index, self.step_limit, encode_message(self))
    }
}

impl Found {
    /// What a search leaves for others.
    pub(crate) fn of(campaign: &Campaign<'_>) -> Self {
        let states = campaign.pool().known_states().into_iter().map(|state| state.0 as u64);
        let catalogue = &campaign.catalogue;
        let failures = campaign.failures().map(|failure| Seen {
            member: catalogue.operations.get(catalogue.callable(failure.callable).operation).clone(),
            kind: (&failure.kind).into(),
            times: failure.times,
            after_steps: failure.after_steps,
        });
        Found { sequences: Unfinished::of(campaign), states: states.collect(), failures: failures.collect() }
    }
}

impl Counts {
    /// Of a run that is over.
    pub fn of(outcome: &Outcome) -> Self {
        let totals = &outcome.totals;
        Counts {
            sequences: totals.sequences,
            steps: totals.steps,
            legal: totals.legal,
            threw: totals.threw,
            refused: totals.refused,
            stopped: totals.stopped,
            tainted: totals.tainted,
            depths: outcome.depths.clone(),
            jvms_started: outcome.fleet.starts,
            jvms_died: outcome.fleet.death_count,
            jvms_replaced: outcome.fleet.spent_because.clone(),
        }
    }

    fn add(&mut self, other: &Counts) {
        self.sequences += other.sequences;
        self.steps += other.steps;
        self.legal += other.legal;
        self.threw += other.threw;
        self.refused += other.refused;
        self.stopped += other.stopped;
        self.tainted += other.tainted;
        self.jvms_started += other.jvms_started;
        self.jvms_died += other.jvms_died;
        self.depths.resize(self.depths.len().max(other.depths.len()), 0);
        self.depths.iter_mut().zip(&other.depths).for_each(|(sum, more)| *sum += more);
        for (why, times) in &other.jvms_replaced {
            *self.jvms_replaced.entry(why.clone()).or_default() += times;
        }
    }
}

impl Seen {
    /// Whether it is what a report is about, or has the same cause.
    fn is_in(&self, report: &FailureReport) -> bool {
        let is =
            |member: &Operation, kind: &FailureKind| *member == self.member && Kind::from(kind) == self.kind;
        is(&report.member, &report.failure.kind) || report.also.iter().any(|(member, kind)| is(member, kind))
    }
}

impl Shards {
    /// Adds the runs of another file; those that are there already are not there twice.
    pub fn join(&mut self, other: Shards) {
        self.runs.extend(other.runs);
        self.runs.sort_by_cached_key(Run::place);
        self.runs.dedup();
        // Which of two spellings is kept must not depend on the order either.
        if other.words < self.words {
            self.words = other.words;
        }
    }

    /// What was counted in all runs.
    pub fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        self.runs.iter().for_each(|run| sum.add(&run.counts));
        sum
    }

    /// Distinct states over all runs.
    pub fn states(&self) -> usize {
        let mut all: Vec<u64> = self.runs.iter().flat_map(|run| run.found.states.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    /// Gives a failure the counts of all runs.
    pub fn recount(&self, report: &mut FailureReport) {
        let seen: Vec<&Seen> = self.seen().filter(|seen| seen.is_in(report)).collect();
        if let Some(first) = seen.iter().map(|seen| seen.after_steps).min() {
            report.failure.times = seen.iter().map(|seen| seen.times).sum();
            report.failure.after_steps = first;
        }
    }

    /// Failures of the runs that are not among these, each once.
    pub fn not_among(&self, reports: &[FailureReport]) -> Vec<&Seen> {
        let is_there = |seen: &Seen| reports.iter().any(|report| seen.is_in(report));
        let mut missed: Vec<&Seen> = Vec::new();
        for seen in self.seen().filter(|seen| !is_there(seen)) {
            if !missed.iter().any(|known| known.member == seen.member && known.kind == seen.kind) {
                missed.push(seen);
            }
        }
        missed
    }

    fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.runs.iter().flat_map(|run| &run.found.failures)
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let content = encode_message(self);
        let hash = StateHash::of(&content).0.to_le_bytes();
        [format!("{HEAD}{VERSION}\n").as_bytes(), &hash, &content].concat()
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, ShardError> {
        let bytes =
            std::fs::read(path).map_err(|source| ShardError::Read { path: path.to_owned(), source })?;
        let foreign = || ShardError::Foreign(path.to_owned());
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(foreign)?;
        let first = std::str::from_utf8(&bytes[..end]).map_err(|_| foreign())?;
        let found = first.strip_prefix(HEAD).ok_or_else(foreign)?;
        if found != VERSION {
            return Err(ShardError::Version { path: path.to_owned(), found: found.to_owned() });
        }
        let damaged = || ShardError::Damaged(path.to_owned());
        let (hash, content) = bytes[end + 1..].split_at_checked(HASH).ok_or_else(damaged)?;
        if StateHash::of(content).0.to_le_bytes() != hash {
            return Err(damaged());
        }
        let shards: Shards = decode_message(content).map_err(|_| damaged())?;
        let is_sound = shards.runs.iter().all(|run| run.found.sequences.is_sound());
        if is_sound { Ok(shards) } else { Err(damaged()) }
    }
}

/// The seed of one shard: others for others, and the same however many there are.
pub fn shard_seed(base: u64, index: u16) -> u64 {
    let bytes = [base.to_le_bytes().as_slice(), &index.to_le_bytes()].concat();
    // Short enough to be typed.
    (StateHash::of(&bytes).0 >> 80) as u64
}

/// Stands for the bytes of the classes under test.
pub fn code_of(classes: &Classes, targets: &[ClassName]) -> u128 {
    let mut names: Vec<&ClassName> = targets.iter().collect();
    names.sort();
    let mut all = Vec::new();
    for name in names {
        let bytes = classes.find(name).ok().flatten().map(|found| StateHash::of(&found.bytes).0);
        all.extend(name.as_internal().as_bytes());
        all.extend(bytes.unwrap_or_default().to_le_bytes());
    }
    StateHash::of(&all).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(index: u16, states: &[u64], times: u32) -> Run {
        let member = Operation::Construct {
            class: ClassName::internal("p/C"),
            descriptor: probat_model::MethodDescriptor::parse("()V").unwrap(),
        };
        let seen = Seen { member, kind: Kind::Contract(Contract::EqualsNull), times, after_steps: 40 };
        Run {
            base_seed: 1,
            seed: shard_seed(1, index),
            index,
            of: 3,
            step_limit: 100,
            counts: Counts { sequences: 10, depths: vec![1; usize::from(index)], ..Counts::default() },
            found: Found { sequences: Unfinished::empty(), states: states.to_vec(), failures: vec![seen] },
        }
    }

    fn shards(runs: &[Run]) -> Shards {
        let mut all = Shards { words: vec!["app.jar".into()], code: 7, runs: Vec::new() };
        for run in runs {
            all.join(Shards { runs: vec![run.clone()], ..all.clone() });
        }
        all
    }

    /// spec 001 row 50
    #[test]
    fn a_union_is_the_same_in_any_order_and_of_unions() {
        let [one, two, three] = [run(1, &[1, 2], 4), run(2, &[2, 3], 5), run(3, &[9], 1)];
        let all = shards(&[one.clone(), two.clone(), three.clone()]);
        assert_eq!(all.to_bytes(), shards(&[three.clone(), one.clone(), two.clone()]).to_bytes());
        let mut again = all.clone();
        again.join(shards(&[two]));
        again.join(all.clone());
        assert_eq!(again.to_bytes(), all.to_bytes());
        assert_eq!((all.runs.len(), all.states(), all.counts().sequences), (3, 4, 30));
        assert_eq!(all.counts().depths, [3, 2, 1]);
        assert_eq!(all.not_among(&[]).len(), 1, "one failure, seen in three runs");
    }

    #[test]
    fn seeds_of_shards_differ() {
        let mut seeds: Vec<u64> =
            (0..20).flat_map(|base| (1..=50).map(move |at| shard_seed(base, at))).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 1000);
    }

    #[test]
    fn what_is_damaged_foreign_or_of_another_version_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("probat-shard");
        let whole = shards(&[run(1, &[1], 1)]);
        let check = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Shards::read(&path)
        };
        let bytes = whole.to_bytes();
        assert_eq!(check(&bytes).unwrap(), whole);
        for at in [bytes.len() - 1, bytes.len() / 2, HEAD.len() + VERSION.len() + 2] {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(matches!(check(&flipped), Err(ShardError::Damaged(_))), "{at}");
        }
        assert!(matches!(check(&bytes[..bytes.len() - 9]), Err(ShardError::Damaged(_))));
        assert!(matches!(check(b"something else\n"), Err(ShardError::Foreign(_))));
        assert!(
            matches!(check(b"probat shard 0.0.0\n"), Err(ShardError::Version { found, .. }) if found == "0.0.0")
        );
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Shards::read(&path), Err(ShardError::Read { .. })));
    }
}
