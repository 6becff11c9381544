//! Supertypes for the search, and which source can use what, from class files.
//!
//! In: run-time classes as the search meets them. Out: their supertypes, and homes of operations. Classes are loaded into the world on the way.

use std::cell::RefCell;

use probat_analysis::World;
use probat_model::{ClassName, Operation};
use probat_search::homes::Home;
use probat_search::types::Hierarchy;

use crate::home::home;

/// The world, shared by everything that asks about classes while a search runs.
#[derive(Debug)]
pub struct Lineage<'w, 's> {
    pub world: &'w RefCell<World<'s>>,
}

impl Hierarchy for Lineage<'_, '_> {
    fn supertypes(&self, class: &ClassName) -> Vec<ClassName> {
        let mut world = self.world.borrow_mut();
        let id = world.load(class);
        let object = "java/lang/Object";
        let mut above: Vec<ClassName> = world
            .class(id)
            .supertypes()
            .iter()
            .filter(|&&other| other != id)
            .map(|&other| world.class(other).name.clone())
            .filter(|name| name.as_internal() != object)
            .collect();
        if class.as_internal() != object {
            above.push(ClassName::internal(object));
        }
        above
    }

    fn home(&self, operation: &Operation) -> Home {
        home(&mut self.world.borrow_mut(), operation)
    }
}
