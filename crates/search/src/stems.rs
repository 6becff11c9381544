//! Several calls on one object: what leads to it is run once for all of them.
//!
//! In: a candidate whose receiver came from the pool. Out: which other members may be called on that receiver, and how the candidates that do
//! are marked. Only members that hardly ever change their receiver take part, so that each finds it as the one before did. "Hardly ever", because
//! a getter that fills a cache changes it once in a while.
//!
//! ```text
//! a, b = …; c = new C(a, b); c.add(1);   c.size()        leads: all steps are run
//!                                        c.isEmpty()     follows: its last call alone is run
//! ```
//!
//! The worker goes back to the first step where it cannot go on: after an exception on the way, a change outside of objects, a new class.

use rustc_hash::FxHashMap;

use crate::catalogue::{CallableId, Catalogue};
use crate::types::{TypeId, TypeTable};

/// Where a candidate begins to differ from the one run before it. Match without `_`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stem {
    /// All of it is its own.
    #[default]
    None,
    /// So many steps are run for those that follow, too.
    Leads(u16),
    /// So many steps are those of the one before.
    Follows(u16),
}

impl Stem {
    /// How many steps are shared.
    pub fn steps(self) -> u16 {
        match self {
            Stem::None => 0,
            Stem::Leads(steps) | Stem::Follows(steps) => steps,
        }
    }

    /// How many steps were run for an earlier one.
    pub fn saved(self) -> u16 {
        match self {
            Stem::None | Stem::Leads(_) => 0,
            Stem::Follows(steps) => steps,
        }
    }
}

/// Steps below which a stem saves nothing worth the trouble.
pub const SHORTEST: usize = 2;

/// Looks at a receiver, before and after a call, that it takes to know what a member does to it.
const CONVINCING: u32 = 6;

/// Of so many looks one may show a change, if the member is to be taken for one that leaves its receiver alone.
const TOLERANCE: u32 = 12;

/// Once a member is known, one of so many runs that could be looked at is.
const SELDOM: u32 = 8;

/// What is known of a member.
#[derive(Debug, Clone, Copy, Default)]
struct Manner {
    looks: u32,
    changes: u32,
    /// Runs that were not looked at since the last that was.
    skipped: u32,
}

/// Members under test by the type they are called on, and which of them leave their receivers alone.
#[derive(Debug, Default)]
pub struct Members {
    by_receiver: FxHashMap<TypeId, Vec<CallableId>>,
    manners: Vec<Manner>,
}

impl Members {
    pub fn new(catalogue: &Catalogue) -> Self {
        let mut by_receiver: FxHashMap<TypeId, Vec<CallableId>> = FxHashMap::default();
        for (at, callable) in catalogue.callables.iter().enumerate() {
            if callable.has_receiver && callable.owner.is_some() {
                by_receiver.entry(callable.params[0]).or_default().push(CallableId(at as u32));
            }
        }
        Members { by_receiver, manners: vec![Manner::default(); catalogue.callables.len()] }
    }

    /// Whether it is worth looking what the next run of a member does to its receiver.
    pub fn is_worth_a_look(&mut self, callable: CallableId) -> bool {
        let Some(manner) = self.manners.get_mut(callable.0 as usize) else { return false };
        manner.skipped += 1;
        let is_due = manner.looks < CONVINCING || manner.skipped >= SELDOM;
        if is_due {
            manner.skipped = 0;
        }
        is_due
    }

    /// Learns whether a call left its receiver as it was.
    pub fn note(&mut self, callable: CallableId, is_changed: bool) {
        if let Some(manner) = self.manners.get_mut(callable.0 as usize) {
            manner.looks = manner.looks.saturating_add(1);
            manner.changes += u32::from(is_changed);
        }
    }

    /// Whether a member is taken to leave its receiver alone.
    pub fn is_calm(&self, callable: CallableId) -> bool {
        self.manners.get(callable.0 as usize).is_some_and(|manner| {
            manner.looks >= CONVINCING && manner.changes.saturating_mul(TOLERANCE) <= manner.looks
        })
    }

    /// The members that can be called on an object of a type and leave it alone.
    pub fn calm_on(&self, ty: TypeId, types: &TypeTable) -> Vec<CallableId> {
        let all = types.supers(ty).iter().filter_map(|above| self.by_receiver.get(above)).flatten();
        all.copied().filter(|&member| self.is_calm(member)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::OwnerId;
    use crate::types::fake::Lines;
    use probat_model::{ClassName, MethodDescriptor, Operation, Type};

    #[test]
    fn who_is_known_is_looked_at_now_and_then() {
        let mut catalogue = Catalogue::new();
        let operation = Operation::Call {
            class: ClassName::internal("A"),
            name: "size".into(),
            descriptor: MethodDescriptor::parse("()I").unwrap(),
            interface: false,
        };
        let size = catalogue.add_plain(operation, &Lines(""));
        let mut members = Members::new(&catalogue);
        for _ in 0..CONVINCING {
            assert!(members.is_worth_a_look(size));
            members.note(size, false);
        }
        let looks = (0..10 * SELDOM).filter(|_| members.is_worth_a_look(size)).count();
        assert_eq!(looks, 10);
    }

    #[test]
    fn members_take_part_once_they_left_enough_receivers_alone() {
        let lines = Lines("Sub: Base");
        let mut catalogue = Catalogue::new();
        let mut member = |class: &str, name: &str| {
            let operation = Operation::Call {
                class: ClassName::internal(class),
                name: name.into(),
                descriptor: MethodDescriptor::parse("()V").unwrap(),
                interface: false,
            };
            let id = catalogue.add_plain(operation, &lines);
            catalogue.callables[id.0 as usize].owner = Some(OwnerId(0));
            id
        };
        let [size, clear, own] = [member("Base", "size"), member("Base", "clear"), member("Sub", "own")];
        let sub = catalogue.types.intern(&Type::class("Sub"), &lines);
        let base = catalogue.types.intern(&Type::class("Base"), &lines);
        let mut members = Members::new(&catalogue);
        assert!(members.calm_on(sub, &catalogue.types).is_empty(), "nothing is known yet");
        for look in 0..CONVINCING {
            members.note(size, false);
            members.note(clear, look == 3);
            members.note(own, false);
        }
        let mut on_sub = members.calm_on(sub, &catalogue.types);
        on_sub.sort();
        assert_eq!((on_sub, members.calm_on(base, &catalogue.types)), (vec![size, own], vec![size]));
        members.note(size, true);
        assert!(!members.is_calm(size), "one change in seven looks is too many");
        (0..TOLERANCE).for_each(|_| members.note(size, false));
        assert!(members.is_calm(size), "once in a while it may fill a cache");
        (0..TOLERANCE).for_each(|_| members.note(size, true));
        assert!(!members.is_calm(size));
    }
}
