//! Which fields methods read and write, by themselves and through what they call.
//!
//! In: a [`CallGraph`]. Out: [`FieldAccess`]: for each method the set N(f) of spec 004 §2.1, reads and writes apart,
//! and the relevance of methods to each other.
//! A store into an array that came out of a field counts as a write of that field (spec 004 §2.2). Objects are not
//! told apart: a field is a field of any instance.

use std::sync::Arc;

use probat_classfile::{Insn, PoolIndex};
use rustc_hash::FxHashMap;

use crate::bits::BitSet;
use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
use crate::flow::{Domain, interpret};
use crate::links::Links;
use crate::world::{ClassId, FieldId, MethodId, World};

/// What counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOptions {
    /// Static fields count too.
    pub statics: bool,
}

impl Default for FieldOptions {
    fn default() -> Self {
        FieldOptions { statics: true }
    }
}

/// Fields a method touches, as indices of [`FieldId`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Access {
    pub reads: BitSet,
    pub writes: BitSet,
}

/// How two methods meet in the fields they touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Overlap {
    /// Fields one of them writes and the other reads or writes.
    pub written: usize,
    /// Fields both only read.
    pub read: usize,
}

/// Field access of all methods of a scope.
#[derive(Debug)]
pub struct FieldAccess {
    direct: FxHashMap<MethodId, Access>,
    /// Per method, by index; methods that reach the same fields share one.
    transitive: Vec<Option<Arc<Access>>>,
    empty: Access,
}

impl Access {
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }

    /// Whether a field is read or written.
    pub fn touches(&self, field: FieldId) -> bool {
        self.reads.contains(field.index()) || self.writes.contains(field.index())
    }

    /// Fields read, in the order of loading.
    pub fn read_fields(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.reads.iter().map(|at| FieldId(at as u32))
    }

    /// Fields written, in the order of loading.
    pub fn written_fields(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.writes.iter().map(|at| FieldId(at as u32))
    }

    /// relevance(f, g) of spec 004 §2.1: whether both touch some field.
    pub fn is_relevant_to(&self, other: &Access) -> bool {
        self.reads.intersects(&other.reads)
            || self.reads.intersects(&other.writes)
            || self.writes.intersects(&other.reads)
            || self.writes.intersects(&other.writes)
    }

    /// Relevance in grades (spec 004 §2.8): fields changed by one and used by the other weigh more than fields both
    /// only look at.
    pub fn overlap(&self, other: &Access) -> Overlap {
        let common = |a: &BitSet, b: &BitSet| a.iter().filter(|&field| b.contains(field)).collect::<BitSet>();
        let mut written = common(&self.writes, &other.reads);
        written.union_with(&common(&self.writes, &other.writes));
        written.union_with(&common(&self.reads, &other.writes));
        let read = common(&self.reads, &other.reads);
        Overlap { written: written.len(), read: read.len() - read.common(&written) }
    }

    fn include(&mut self, other: &Access) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
    }
}

impl FieldAccess {
    /// Collects what every method of the scope touches.
    pub fn analyse(world: &World<'_>, graph: &CallGraph, options: &FieldOptions) -> FieldAccess {
        let mut direct = FxHashMap::default();
        for method in graph.methods(world) {
            let Some(found) = graph.direct_access(method) else { continue };
            let counts = |field: &&FieldId| options.statics || !world.field(**field).is_static();
            let stored = array_stores(world, graph, method);
            let access = Access {
                reads: found.reads.iter().filter(counts).map(|field| field.index()).collect(),
                writes: found
                    .writes
                    .iter()
                    .chain(&stored)
                    .filter(counts)
                    .map(|field| field.index())
                    .collect(),
            };
            direct.insert(method, access);
        }
        let transitive = close(graph, &direct);
        FieldAccess { direct, transitive, empty: Access::default() }
    }

    /// What a method's own instructions touch.
    pub fn direct(&self, method: MethodId) -> &Access {
        self.direct.get(&method).unwrap_or(&self.empty)
    }

    /// What a method and everything it can call touch: N(f).
    pub fn transitive(&self, method: MethodId) -> &Access {
        self.transitive.get(method.index()).and_then(Option::as_deref).unwrap_or(&self.empty)
    }

    /// As [`FieldAccess::transitive`], but only through so many calls; depth 0 is the method itself.
    pub fn within(&self, graph: &CallGraph, method: MethodId, depth: u32) -> Access {
        let mut access = Access::default();
        let mut seen = BitSet::new();
        seen.insert(method.index());
        let mut layer = vec![method];
        for _ in 0..=depth {
            let mut next = Vec::new();
            for method in layer {
                access.include(self.direct(method));
                for &callee in graph.callees(method) {
                    if !seen.contains(callee.index()) {
                        seen.insert(callee.index());
                        next.push(callee);
                    }
                }
            }
            layer = next;
        }
        access
    }

    /// relevance(f, g) of spec 004 §2.1 over transitive access.
    pub fn is_relevant(&self, one: MethodId, other: MethodId) -> bool {
        self.transitive(one).is_relevant_to(self.transitive(other))
    }
}

/// Unions along the call graph, once per circle of calls.
fn close(graph: &CallGraph, direct: &FxHashMap<MethodId, Access>) -> Vec<Option<Arc<Access>>> {
    let calls = graph.graph();
    let components = calls.components();
    let mut closed: Vec<Option<Arc<Access>>> = vec![None; calls.len()];
    let mut shared: FxHashMap<Arc<Access>, ()> = FxHashMap::default();
    for members in components.bottom_up() {
        let mut access = Access::default();
        for &member in members {
            if let Some(own) = direct.get(&MethodId(member)) {
                access.include(own);
            }
            for &callee in calls.successors(member) {
                if let Some(known) = &closed[callee as usize] {
                    access.include(known);
                }
            }
        }
        if access.is_empty() {
            continue;
        }
        let access = Arc::new(access);
        let access = match shared.get_key_value(&access) {
            Some((known, ())) => known.clone(),
            None => {
                shared.insert(access.clone(), ());
                access
            }
        };
        for &member in members {
            closed[member as usize] = Some(access.clone());
        }
    }
    closed
}

/// Fields whose arrays a method stores into.
fn array_stores(world: &World<'_>, graph: &CallGraph, method: MethodId) -> Vec<FieldId> {
    let class = world.method(method).class;
    let (Some(code), Some(file)) = (world.code(method), world.file(class)) else { return Vec::new() };
    let stores = code.insns().any(|insn| matches!(insn, Insn::ArrayStore(_)));
    let loads = code.insns().any(|insn| matches!(insn, Insn::GetField(_) | Insn::GetStatic(_)));
    if !stores || !loads {
        return Vec::new();
    }
    let mut domain = ArrayFields { links: graph.links(), class, world, stored: BitSet::new() };
    // What could be followed before code turned out to be nonsense still counts.
    let _ = interpret(&code, &Cfg::of(&code), &file.pool, &mut domain, Vec::new());
    domain.stored.iter().map(|at| FieldId(at as u32)).collect()
}

/// Tracks the fields a reference may have been loaded from; arrays in arrays belong to the same field.
struct ArrayFields<'a> {
    links: &'a Links,
    class: ClassId,
    world: &'a World<'a>,
    stored: BitSet,
}

impl ArrayFields<'_> {
    fn loaded(&self, index: PoolIndex) -> BitSet {
        let field = self.links.field(self.class, index);
        let is_array =
            |field: &FieldId| self.world.text(self.world.field(*field).descriptor).starts_with('[');
        field.filter(is_array).into_iter().map(FieldId::index).collect()
    }
}

impl Domain for ArrayFields<'_> {
    type Value = BitSet;

    fn plain(&self) -> BitSet {
        BitSet::new()
    }

    fn caught(&self) -> BitSet {
        BitSet::new()
    }

    fn join(&self, one: &BitSet, other: &BitSet) -> BitSet {
        let mut both = one.clone();
        both.union_with(other);
        both
    }

    fn step(&mut self, _node: usize, insn: &Insn, operands: &[BitSet]) -> BitSet {
        match insn {
            Insn::GetField(index) | Insn::GetStatic(index) => self.loaded(*index),
            Insn::ArrayLoad(_) => operands[0].clone(),
            Insn::ArrayStore(_) => {
                self.stored.union_with(&operands[0]);
                BitSet::new()
            }
            _ => BitSet::new(),
        }
    }
}
