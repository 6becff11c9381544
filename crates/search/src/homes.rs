//! Where the steps of a test can stand together.
//!
//! In: what the class path says of each operation. Out: whether source in one package can use them all. A test that mixes members
//! that only their own packages can use has no source form, so it is not worth running.

use probat_model::{OperationId, OperationTable, Step};

use crate::types::Hierarchy;

/// Which source can use an operation. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    Anywhere,
    /// Source in this package alone, in internal form.
    In(String),
    Nowhere,
}

/// Homes of operations, asked once each.
#[derive(Debug, Default)]
pub(crate) struct Homes {
    known: Vec<Option<Home>>,
}

impl Homes {
    /// Whether source anywhere can use all steps.
    pub fn are_public(&mut self, steps: &[Step], table: &OperationTable, hierarchy: &dyn Hierarchy) -> bool {
        // No package has this name.
        self.allow(steps, "*", table, hierarchy)
    }

    /// Whether source in the package can use all steps.
    pub fn allow(
        &mut self,
        steps: &[Step],
        package: &str,
        table: &OperationTable,
        hierarchy: &dyn Hierarchy,
    ) -> bool {
        steps.iter().all(|step| self.allows(step.operation, package, table, hierarchy))
    }

    /// Whether source in the package can use the operation.
    pub fn allows(
        &mut self,
        operation: OperationId,
        package: &str,
        table: &OperationTable,
        hierarchy: &dyn Hierarchy,
    ) -> bool {
        let at = operation.0 as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        match self.known[at].get_or_insert_with(|| hierarchy.home(table.get(operation))) {
            Home::Anywhere => true,
            Home::In(only) => only == package,
            Home::Nowhere => false,
        }
    }
}
