//! What a search has found so far, on disk, so that a run that is killed loses only seconds.
//!
//! In: a campaign, now and then. Out: a file with the sequences worth a test or a report; read again, they are where the next run begins.
//! The file is of this version of probat only: it is no archive.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probat_model::{Operation, OperationId, OperationTable, Step};
use probat_protocol::{decode_message, encode_message};
use probat_search::campaign::Campaign;
use serde::{Deserialize, Serialize};

/// What the file begins with.
const FORMAT: &str = concat!("probat unfinished ", env!("CARGO_PKG_VERSION"));

/// When it is written first, and how often after that.
const FIRST: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_secs(5);

/// Writing may take one part in so many of the time.
const SHARE: u32 = 50;

/// The sequences of an unfinished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    format: String,
    operations: Vec<Operation>,
    tests: Vec<Kept>,
}

/// A sequence and the call it is there for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    call: OperationId,
    steps: Vec<Step>,
}

/// Why an unfinished run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnfinishedError {
    #[error("cannot read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{0}` is not an unfinished run of this version of probat")]
    Foreign(PathBuf),
}

impl Unfinished {
    /// What a campaign has found.
    pub(crate) fn of(campaign: &Campaign<'_>) -> Self {
        let catalogue = &campaign.catalogue;
        let mut table = OperationTable::new();
        let mut local = |id: OperationId| table.intern(catalogue.operations.get(id).clone());
        let witnesses = campaign.archive().select();
        let found = witnesses.iter().map(|chosen| (chosen.witness.callable, &chosen.witness.steps));
        let failures = campaign.failures().map(|failure| (failure.callable, &failure.steps));
        let tests = found
            .chain(failures)
            .map(|(callable, steps)| Kept {
                call: local(catalogue.callable(callable).operation),
                steps: steps
                    .iter()
                    .map(|step| Step { operation: local(step.operation), args: step.args.clone() })
                    .collect(),
            })
            .collect();
        let operations = (0..table.len()).map(|at| table.get(OperationId(at as u32)).clone()).collect();
        Unfinished { format: FORMAT.to_owned(), operations, tests }
    }

    /// Reads a file that a run left behind.
    pub fn read(path: &Path) -> Result<Self, UnfinishedError> {
        let bytes =
            std::fs::read(path).map_err(|source| UnfinishedError::Read { path: path.to_owned(), source })?;
        let foreign = || UnfinishedError::Foreign(path.to_owned());
        let found: Unfinished = decode_message(&bytes).map_err(|_| foreign())?;
        if found.format == FORMAT && found.is_sound() { Ok(found) } else { Err(foreign()) }
    }

    /// Whether all that it refers to is there.
    pub(crate) fn is_sound(&self) -> bool {
        let known = self.operations.len();
        self.tests.iter().all(|kept| {
            let calls = kept.steps.iter().map(|step| step.operation).chain([kept.call]);
            calls.into_iter().all(|id| (id.0 as usize) < known)
                && kept
                    .steps
                    .iter()
                    .enumerate()
                    .all(|(at, step)| step.args.iter().all(|arg| usize::from(arg.0) < at))
        })
    }

    /// How many sequences there are, and how many steps they have.
    pub fn size(&self) -> (usize, u64) {
        (self.tests.len(), self.tests.iter().map(|kept| kept.steps.len() as u64).sum())
    }

    #[cfg(test)]
    pub(crate) fn empty() -> Self {
        Unfinished { format: FORMAT.to_owned(), operations: Vec::new(), tests: Vec::new() }
    }

    /// Written beside and moved into place: what is there is always whole.
    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let beside = path.with_extension("part");
        std::fs::write(&beside, encode_message(self))?;
        std::fs::rename(&beside, path)
    }

    /// Hands all sequences to a campaign; gives how many it takes.
    pub(crate) fn plant(&self, campaign: &mut Campaign<'_>) -> usize {
        let mut table = OperationTable::new();
        let ids: Vec<OperationId> = self.operations.iter().map(|known| table.intern(known.clone())).collect();
        let mut taken = 0;
        for kept in &self.tests {
            let translate =
                |step: &Step| Step { operation: ids[step.operation.0 as usize], args: step.args.clone() };
            let steps: Vec<Step> = kept.steps.iter().map(translate).collect();
            let is_sequence = probat_model::Sequence::from_steps(&table, steps.clone()).is_ok();
            let call = &self.operations[kept.call.0 as usize];
            taken += usize::from(is_sequence && campaign.resume(&table, call, &steps));
        }
        taken
    }
}

/// Writes now and then what there is.
#[derive(Debug)]
pub(crate) struct Keeper<'p> {
    path: Option<&'p Path>,
    next: Instant,
}

impl<'p> Keeper<'p> {
    pub fn new(path: Option<&'p Path>) -> Self {
        Keeper { path, next: Instant::now() + FIRST }
    }

    /// Is told that the search goes on.
    pub fn look(&mut self, campaign: &Campaign<'_>) {
        let Some(path) = self.path.filter(|_| Instant::now() >= self.next) else { return };
        let start = Instant::now();
        // A full disk is no reason to stop searching; it is told when the tests are written.
        let _ = Unfinished::of(campaign).write(path);
        self.next = Instant::now() + EVERY.max(start.elapsed() * SHARE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor, StepId};

    fn sample() -> Unfinished {
        let class = ClassName::internal("p/C");
        let descriptor = MethodDescriptor::parse("()V").unwrap();
        let make = Operation::Construct { class: class.clone(), descriptor: descriptor.clone() };
        let call = Operation::Call { class, name: "run".into(), descriptor, interface: false };
        let steps = vec![
            Step { operation: OperationId(0), args: Default::default() },
            Step { operation: OperationId(1), args: [StepId(0)].into_iter().collect() },
        ];
        let kept = Kept { call: OperationId(1), steps };
        Unfinished { format: FORMAT.to_owned(), operations: vec![make, call], tests: vec![kept] }
    }

    #[test]
    fn what_was_written_is_read_and_what_is_foreign_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/unfinished");
        sample().write(&path).unwrap();
        assert_eq!(Unfinished::read(&path).unwrap(), sample());
        std::fs::write(&path, "something else").unwrap();
        assert!(matches!(Unfinished::read(&path), Err(UnfinishedError::Foreign(_))));
        let mut wrong = sample();
        wrong.tests[0].steps[1].operation = OperationId(7);
        wrong.write(&path).unwrap();
        assert!(matches!(Unfinished::read(&path), Err(UnfinishedError::Foreign(_))));
        assert!(matches!(Unfinished::read(&folder.path().join("none")), Err(UnfinishedError::Read { .. })));
    }
}
