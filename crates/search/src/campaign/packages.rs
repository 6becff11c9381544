//! Candidates that one test in one package can be.
//!
//! In: candidates. Out: those whose steps source in the package of the class under test can use.

use probat_model::{OperationId, Step, Type};

use super::Campaign;
use crate::assemble::{Candidate, NoCandidate};
use crate::catalogue::CallableId;

/// Draws for a candidate whose steps can stand in one package.
const DRAWS: u32 = 4;

impl Campaign<'_> {
    /// A candidate; several are drawn if steps of theirs belong into different packages.
    pub(super) fn gathered(&mut self, callable: CallableId) -> Result<Candidate, NoCandidate> {
        for _ in 0..DRAWS {
            let candidate = self.assembler(callable).candidate()?;
            if self.is_gathered(callable, &candidate.steps) {
                return Ok(candidate);
            }
        }
        Err(NoCandidate::Scattered)
    }

    /// Whether a test of the callable can have these steps.
    pub fn is_gathered(&mut self, callable: CallableId, steps: &[Step]) -> bool {
        let Some(package) = self.test_package(callable) else { return true };
        self.homes.allow(steps, &package, &self.catalogue.operations, self.hierarchy)
    }

    /// Whether a test of the callable can use an operation.
    pub fn is_usable(&mut self, callable: CallableId, operation: OperationId) -> bool {
        let Some(package) = self.test_package(callable) else { return true };
        self.homes.allows(operation, &package, &self.catalogue.operations, self.hierarchy)
    }

    /// The package tests of a callable stand in: that of its class under test.
    fn test_package(&self, callable: CallableId) -> Option<String> {
        let owner = self.catalogue.callable(callable).owner?;
        match self.catalogue.types.get(self.catalogue.owners[owner.0 as usize].ty) {
            Type::Class(name) => Some(name.package().to_owned()),
            _ => None,
        }
    }
}
