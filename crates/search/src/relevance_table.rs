//! The relevance of members to each other, as a table that can be kept (spec 004 row R3).
//!
//! In: a catalogue. Out: [`RelevanceTable`]: members by name, and which of them touch common fields. Relevance is symmetric, so each pair is
//! kept once. Reading and writing it is the caller's business.

use probat_model::Operation;
use rustc_hash::FxHashMap;

use crate::catalogue::{CallableId, Catalogue};
use crate::relevance::{Relevance, is_call};
use crate::strategy::Grades;

/// Who is relevant to whom.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RelevanceTable {
    /// Methods and constructors, in the order of the catalogue.
    pub members: Vec<String>,
    /// By member: itself and later ones that are relevant to it, ascending, each with its grade.
    pub rows: Vec<Vec<(u32, f32)>>,
}

impl RelevanceTable {
    /// Computes the table; `name` says what a member is called.
    pub fn of(catalogue: &Catalogue, grades: Grades, name: &dyn Fn(&Operation) -> String) -> Self {
        let calls = calls(catalogue);
        let members = calls.iter().map(|id| name(operation(catalogue, *id))).collect();
        let row = |at: usize| -> Vec<(u32, f32)> {
            let grade = |other: &CallableId| Relevance::between(catalogue, grades, calls[at], *other) as f32;
            let later = calls.iter().enumerate().skip(at).map(|(place, other)| (place as u32, grade(other)));
            later.filter(|(_, grade)| *grade > 0.0).collect()
        };
        RelevanceTable { members, rows: (0..calls.len()).map(row).collect() }
    }

    /// The grade of a pair, in either order.
    pub fn between(&self, one: usize, other: usize) -> f32 {
        let (row, place) = (one.min(other), one.max(other) as u32);
        let Some(row) = self.rows.get(row) else { return 0.0 };
        row.binary_search_by_key(&place, |(place, _)| *place).map_or(0.0, |at| row[at].1)
    }

    /// The first member that differs from what the catalogue has, as it is here and there.
    pub fn differs(
        &self,
        catalogue: &Catalogue,
        name: &dyn Fn(&Operation) -> String,
    ) -> Option<(Option<String>, Option<String>)> {
        let there: Vec<String> = calls(catalogue).iter().map(|id| name(operation(catalogue, *id))).collect();
        let most = self.members.len().max(there.len());
        (0..most)
            .map(|at| (self.members.get(at).cloned(), there.get(at).cloned()))
            .find(|(here, there)| here != there)
    }
}

impl Relevance {
    /// Takes relevance from a table made for this catalogue.
    pub fn load(&mut self, catalogue: &Catalogue, table: &RelevanceTable) {
        let calls = calls(catalogue);
        let places: FxHashMap<CallableId, usize> =
            calls.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        for (at, &id) in calls.iter().enumerate() {
            if catalogue.callable(id).owner.is_some() {
                self.set_row(id, |other| places.get(&other).map_or(0.0, |&place| table.between(at, place)));
            }
        }
    }
}

fn calls(catalogue: &Catalogue) -> Vec<CallableId> {
    let all = (0..catalogue.callables.len() as u32).map(CallableId);
    all.filter(|id| is_call(operation(catalogue, *id))).collect()
}

fn operation(catalogue: &Catalogue, id: CallableId) -> &Operation {
    catalogue.operations.get(catalogue.callable(id).operation)
}
