//! What the search may do: callables, how types can be made, which code each callable can reach.
//!
//! In: facts gathered from class files by whoever builds a [`Catalogue`]. Out: the same, indexed for choosing.
//! Plain data: nothing here reads a class file or chooses anything.

use std::ops::Range;
use std::sync::Arc;

use probat_model::{ClassName, JavaString, Operation, OperationId, OperationTable, ProbeId, Step, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::types::{Hierarchy, TypeId, TypeTable};

/// Index of a callable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallableId(pub u32);

/// Index of a class under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(pub u32);

/// Index of a method body with probes, callable from a test or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

/// Fields a callable may touch, directly or through what it calls; sorted numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldAccess {
    pub reads: Box<[u32]>,
    pub writes: Box<[u32]>,
}

impl FieldAccess {
    /// Whether two methods may touch a common field (spec 004 §2.1).
    pub fn overlaps(&self, other: &FieldAccess) -> bool {
        meets(&self.writes, &other.writes)
            || meets(&self.writes, &other.reads)
            || meets(&self.reads, &other.writes)
            || meets(&self.reads, &other.reads)
    }

    /// Overlap graded by who writes: 1 where one writes what the other touches, ½ where both only read.
    pub fn graded(&self, other: &FieldAccess) -> f64 {
        let written = meets(&self.writes, &other.reads)
            || meets(&self.reads, &other.writes)
            || meets(&self.writes, &other.writes);
        if written {
            1.0
        } else if meets(&self.reads, &other.reads) {
            0.5
        } else {
            0.0
        }
    }
}

fn meets(one: &[u32], two: &[u32]) -> bool {
    let (mut a, mut b) = (0, 0);
    while a < one.len() && b < two.len() {
        match one[a].cmp(&two[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

/// An operation the search may append, with what choosing needs to know of it.
#[derive(Debug, Clone)]
pub struct Callable {
    pub operation: OperationId,
    /// Receiver first.
    pub params: Arc<[TypeId]>,
    pub result: Option<TypeId>,
    pub has_receiver: bool,
    /// The class under test it belongs to; `None` for what only helps to make values.
    pub owner: Option<OwnerId>,
    pub body: Option<BodyId>,
    pub access: FieldAccess,
    /// Changes nothing that outlives it.
    pub pure: bool,
    /// Its result depends on time, chance, identity or the machine.
    pub varies: bool,
    /// Whether it may reach what the next call may find different: the time, chance, identity hashes, other threads.
    pub fickle: bool,
    /// Exceptions it declares.
    pub throws: Box<[ClassName]>,
    /// Takes one boolean besides its receiver, so both values are worth having.
    pub is_switch: bool,
}

/// What it takes to call a callable, cheap to have beside the catalogue.
#[derive(Debug, Clone)]
pub struct Signature {
    pub operation: OperationId,
    pub params: Arc<[TypeId]>,
    pub result: Option<TypeId>,
    pub has_receiver: bool,
    pub owner: Option<OwnerId>,
}

impl Callable {
    pub fn signature(&self) -> Signature {
        let Callable { operation, result, has_receiver, owner, .. } = *self;
        Signature { operation, params: Arc::clone(&self.params), result, has_receiver, owner }
    }
}

/// A method body with probes.
#[derive(Debug, Clone)]
pub struct Body {
    pub owner: OwnerId,
    pub probes: Range<u32>,
    /// Bodies it may call.
    pub callees: Box<[BodyId]>,
}

/// How an interface or abstract class can be stood in for.
#[derive(Debug, Clone)]
pub struct Stand {
    /// Stubs with different behaviour, simplest first.
    pub operations: Vec<OperationId>,
    /// Probability that a stub is taken although the type can be made otherwise.
    pub share: f64,
}

/// Literals of a class under test, heaviest first, each with how often it occurs.
#[derive(Debug, Clone, Default)]
pub struct OwnerLiterals {
    pub ints: Vec<(i64, u32)>,
    pub doubles: Vec<(f64, u32)>,
    pub strings: Vec<(JavaString, u32)>,
    pub classes: Vec<(Type, u32)>,
}

/// A class under test.
#[derive(Debug, Clone)]
pub struct Owner {
    pub ty: TypeId,
    pub literals: OwnerLiterals,
}

/// Everything a search can draw on.
#[derive(Debug, Default)]
pub struct Catalogue {
    pub operations: OperationTable,
    pub types: TypeTable,
    pub callables: Vec<Callable>,
    pub bodies: Vec<Body>,
    pub owners: Vec<Owner>,
    /// Packages of theirs, in internal form, that take no tests.
    pub closed: FxHashSet<String>,
    /// Number of probes in all.
    pub probes: u32,
    /// Probes of bodies that themselves reach for what differs from run to run; ascending ranges.
    pub wavering: Vec<Range<u32>>,
    /// The same of code that reaches for what the next call may find different.
    pub fickle: Vec<Range<u32>>,
    /// Calls that go straight to such code of others.
    pub fickle_calls: FxHashSet<OperationId>,
    /// Names of the fields that [`FieldAccess`] counts, where the class under test that declares them is known with all its code.
    pub fields: Vec<Option<Box<str>>>,
    stands: FxHashMap<TypeId, Stand>,
    /// Callables whose result can be used as the type.
    producers: FxHashMap<TypeId, Vec<CallableId>>,
}

impl Catalogue {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn callable(&self, id: CallableId) -> &Callable {
        &self.callables[id.0 as usize]
    }

    /// Whether one of these edges belongs to code that itself reaches for what differs from run to run.
    pub fn wavers(&self, edges: &[ProbeId]) -> bool {
        takes_one_of(&self.wavering, edges)
    }

    /// Whether one of these edges belongs to code that itself reaches for what the next call may find different.
    pub fn is_fickle(&self, edges: &[ProbeId]) -> bool {
        takes_one_of(&self.fickle, edges)
    }

    /// Whether a run of these steps reached for what the next call may find different.
    pub fn left_to_chance(&self, steps: &[Step], edges: &[ProbeId]) -> bool {
        let calls = || steps.iter().any(|step| self.fickle_calls.contains(&step.operation));
        self.is_fickle(edges) || !self.fickle_calls.is_empty() && calls()
    }

    /// Whether a class is under test.
    pub fn is_owner(&self, class: &Type) -> bool {
        self.owners.iter().any(|owner| self.types.get(owner.ty) == class)
    }

    /// Whether a call may touch what is at this path of an object under test, such as `items[2].size`: false only if no code it may run reads or
    /// writes a field of the name the path begins with.
    pub fn may_touch(&self, callable: &Callable, path: &str) -> bool {
        let name = path.split(['.', '[']).next().unwrap_or_default();
        let is_it = |field: &Option<Box<str>>| field.as_deref() == Some(name);
        let touches = |id: &u32| self.fields.get(*id as usize).is_none_or(is_it);
        let is_known = self.fields.iter().any(is_it);
        !is_known || callable.access.reads.iter().chain(&callable.access.writes).any(touches)
    }

    /// The callable that makes this call.
    pub fn callable_of(&self, operation: OperationId) -> Option<CallableId> {
        let found = self.callables.iter().position(|callable| callable.operation == operation)?;
        Some(CallableId(found as u32))
    }

    /// The same, if it is under test.
    pub fn under_test(&self, operation: OperationId) -> Option<CallableId> {
        self.callable_of(operation).filter(|&id| self.callable(id).owner.is_some())
    }

    /// Adds a callable and files it under every type its result can stand for.
    pub fn add(&mut self, callable: Callable) -> CallableId {
        let id = CallableId(self.callables.len() as u32);
        if let Some(result) = callable.result {
            for &above in self.types.supers(result) {
                self.producers.entry(above).or_default().push(id);
            }
        }
        self.callables.push(callable);
        id
    }

    /// Adds an operation that needs no more than its types.
    pub fn add_plain(&mut self, operation: Operation, hierarchy: &dyn Hierarchy) -> CallableId {
        let params = operation.params().iter().map(|ty| self.types.intern(ty, hierarchy)).collect();
        let result = operation.result().map(|ty| self.types.intern(&ty, hierarchy));
        let has_receiver = matches!(operation, Operation::Call { .. });
        let operation = self.operations.intern(operation);
        self.add(Callable {
            operation,
            params,
            result,
            has_receiver,
            owner: None,
            body: None,
            access: FieldAccess::default(),
            pure: false,
            varies: false,
            fickle: false,
            is_switch: false,
            throws: Box::from([]),
        })
    }

    /// Callables whose result can be used where `ty` is wanted.
    pub fn producers(&self, ty: TypeId) -> &[CallableId] {
        self.producers.get(&ty).map_or(&[], Vec::as_slice)
    }

    pub fn set_stand(&mut self, ty: TypeId, stand: Stand) {
        self.stands.insert(ty, stand);
    }

    pub fn stand(&self, ty: TypeId) -> Option<&Stand> {
        self.stands.get(&ty)
    }
}

/// Whether one of these edges lies in one of these ascending ranges.
fn takes_one_of(ranges: &[Range<u32>], edges: &[ProbeId]) -> bool {
    !ranges.is_empty()
        && edges.iter().any(|edge| {
            let after = ranges.partition_point(|range| range.start <= edge.0);
            after > 0 && ranges[after - 1].contains(&edge.0)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(reads: &[u32], writes: &[u32]) -> FieldAccess {
        FieldAccess { reads: reads.into(), writes: writes.into() }
    }

    #[test]
    fn a_call_may_touch_what_it_reads_and_what_nobody_knows_of() {
        let mut catalogue = Catalogue::new();
        catalogue.fields = vec![Some("mean".into()), None, Some("random".into())];
        let operation = catalogue.operations.intern(Operation::ArrayLength);
        let callable = Callable {
            operation,
            params: Arc::from([]),
            result: None,
            has_receiver: false,
            owner: None,
            body: None,
            access: access(&[0], &[]),
            pure: true,
            varies: false,
            fickle: false,
            throws: Box::from([]),
            is_switch: false,
        };
        let touched = ["mean", "random.seed[3]", "random[0]", "other.mean", ""]
            .map(|path| catalogue.may_touch(&callable, path));
        assert_eq!(touched, [true, false, false, true, true]);
    }

    /// spec 004 rows R3 and R23
    #[test]
    fn relevance_is_symmetric_and_graded() {
        let setter = access(&[], &[1, 7]);
        let getter = access(&[7], &[]);
        let other = access(&[2], &[3]);
        for (a, b) in [(&setter, &getter), (&getter, &other), (&setter, &other)] {
            assert_eq!(a.overlaps(b), b.overlaps(a));
            assert_eq!(a.graded(b), b.graded(a));
        }
        assert!(setter.overlaps(&getter) && !getter.overlaps(&other));
        let reader = access(&[7], &[]);
        assert!(getter.graded(&reader) < getter.graded(&setter));
    }
}
