//! Which probe is which edge, decided once for all workers of a run.
//!
//! In: the classes to instrument, as bytes. Out: [`ProbeTable`]: the numbers workers are told, and what each number means.
//! A worker plans the same class alike, so only where each class begins travels. Reads no files and changes no class.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use probat_classfile::code::Cond;
use probat_classfile::passes::comparisons::{Comparison, ComparisonSite};
use probat_classfile::passes::edges::{Depth, EdgeKind, MAP_PAGE, plan};
use probat_classfile::passes::{PassSet, instrument};
use probat_classfile::{ClassFile, ReadError};
use probat_model::{ClassName, ProbeId, Type};
use probat_protocol::{ClassProbes, Instrumentation};

/// One way control can go in the classes under test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedEdge {
    pub probe: ProbeId,
    pub line: Option<u16>,
    pub kind: EdgeKind,
    /// For people: `size line 12: == 0`.
    pub text: Box<str>,
    /// The instruction that decides, in the nodes of the method's code as it was read.
    pub node: usize,
    method: u32,
}

/// A method and the probes in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedMethod {
    pub class: ClassName,
    pub name: String,
    /// As the class file spells it, `(I)V`.
    pub descriptor: String,
    /// Empty for a method without code and for one too large to be probed.
    pub probes: Range<u32>,
    pub depth: Depth,
}

/// A place where values are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedSite {
    /// Edges that depend on the outcome, as far as lines tell.
    pub edges: Vec<ProbeId>,
    pub kind: SiteKind,
    /// The method, and the instruction in the nodes of its code.
    place: (u32, usize),
}

/// What is compared at a place. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteKind {
    /// Integers; with `exact`, only whether they are equal.
    Integers { exact: bool },
    /// Floating numbers, reported as the bits of doubles.
    Floats,
    /// An integer with these.
    Keys(Vec<i32>),
    /// References, by identity or by a call such as `equals`.
    References,
    /// The class of an object with this type.
    Class(Type),
}

fn site_kind(comparison: Comparison) -> Option<SiteKind> {
    Some(match comparison {
        Comparison::Ints(cond) | Comparison::Zero(cond) => {
            SiteKind::Integers { exact: matches!(cond, Cond::Eq | Cond::Ne | Cond::IcmpEq | Cond::IcmpNe) }
        }
        // Which relation is asked for, only the jump behind it knows.
        Comparison::Longs => SiteKind::Integers { exact: false },
        Comparison::Floats | Comparison::Doubles => SiteKind::Floats,
        Comparison::Keys(keys) => SiteKind::Keys(keys),
        Comparison::Identity | Comparison::Call { .. } => SiteKind::References,
        Comparison::Class(name) => SiteKind::Class(Type::Class(name)),
        Comparison::ArrayClass(descriptor) => SiteKind::Class(Type::parse(&descriptor).ok()?),
    })
}

/// All probes of a run.
#[derive(Debug, Default)]
pub struct ProbeTable {
    /// What workers are told.
    pub instrumentation: Instrumentation,
    /// Classes that cannot be read and get no probes.
    pub unreadable: Vec<(ClassName, ReadError)>,
    /// Grouped by class, classes sorted.
    methods: Vec<ProbedMethod>,
    /// Ascending by probe.
    edges: Vec<ProbedEdge>,
    sites: Vec<ProbedSite>,
}

/// Numbers the edges of all classes, in the order of their names whatever the order they come in; of two classes
/// of one name the first counts.
pub fn plan_probes<'a>(classes: impl IntoIterator<Item = (ClassName, Cow<'a, [u8]>)>) -> ProbeTable {
    let mut sorted = BTreeMap::new();
    for (name, bytes) in classes {
        sorted.entry(name).or_insert(bytes);
    }
    let mut table = ProbeTable::default();
    for (name, bytes) in sorted {
        match ClassFile::read(&bytes) {
            Ok(class) => table.add(name, &class),
            Err(error) => table.unreadable.push((name, error)),
        }
    }
    table
}

impl ProbeTable {
    fn add(&mut self, name: ClassName, class: &ClassFile) {
        let plan = plan(class);
        let first = self.instrumentation.probes;
        let first_method = self.methods.len() as u32;
        for (method, planned) in class.methods.iter().zip(&plan.methods) {
            let start = first + planned.first;
            self.methods.push(ProbedMethod {
                class: name.clone(),
                name: method.name(&class.pool).map(Cow::into_owned).unwrap_or_default(),
                descriptor: class.pool.text(method.descriptor).map(Cow::into_owned).unwrap_or_default(),
                probes: start..start + planned.count,
                depth: planned.depth,
            });
        }
        for edge in plan.edges {
            self.edges.push(ProbedEdge {
                probe: ProbeId(first + edge.number),
                line: edge.line,
                text: edge.describe(class).into(),
                method: first_method + edge.method,
                kind: edge.kind,
                node: edge.node,
            });
        }
        let count = plan.count.next_multiple_of(MAP_PAGE);
        self.instrumentation.classes.push(ClassProbes {
            class: name,
            first: ProbeId(first),
            count,
            first_site: 0,
        });
        self.instrumentation.probes += count;
    }

    /// Numbers the comparisons of the same classes too, so that workers watch them. `bytes` gives what the probes were
    /// planned from.
    pub fn watch_comparisons<'a>(&mut self, bytes: impl Fn(&ClassName) -> Option<Cow<'a, [u8]>>) {
        let mut first_site = 0;
        for at in 0..self.instrumentation.classes.len() {
            let class = &mut self.instrumentation.classes[at];
            class.first_site = first_site;
            let name = class.class.clone();
            // The same passes as a worker's, so that both count alike.
            let passes = PassSet {
                edges: Some(class.first),
                statics: true,
                comparisons: Some(first_site),
                ..PassSet::NONE
            };
            let Some(done) = bytes(&name).and_then(|bytes| instrument(&bytes, &passes).ok()) else {
                continue;
            };
            first_site += done.comparisons.len() as u32;
            self.add_sites(&name, done.comparisons);
        }
        self.instrumentation.sites = first_site;
    }

    fn add_sites(&mut self, class: &ClassName, comparisons: Vec<ComparisonSite>) {
        let first = self.methods.partition_point(|method| method.class < *class) as u32;
        for site in comparisons {
            let kind = site_kind(site.kind);
            // A place that cannot be told about keeps its number and decides nothing.
            let edges = kind.as_ref().map(|_| self.edges_near(first + site.method, site.line));
            let kind = kind.unwrap_or(SiteKind::References);
            let place = (first + site.method, site.node);
            self.sites.push(ProbedSite { edges: edges.unwrap_or_default(), kind, place });
        }
    }

    /// The branches of a method on a line, or else on the next line that has some.
    fn edges_near(&self, method: u32, line: Option<u16>) -> Vec<ProbeId> {
        let start = self.edges.partition_point(|edge| edge.method < method);
        let branches = self.edges[start..].iter().take_while(|edge| edge.method == method).filter(|edge| {
            matches!(edge.kind, EdgeKind::Taken(_) | EdgeKind::NotTaken(_) | EdgeKind::SwitchArm { .. })
        });
        let nearest = branches.clone().map(|edge| edge.line).filter(|at| *at >= line).min();
        branches.filter(|edge| Some(edge.line) == nearest).map(|edge| edge.probe).collect()
    }

    /// Places where values are compared, by their numbers.
    pub fn sites(&self) -> &[ProbedSite] {
        &self.sites
    }

    /// The number of the place where an instruction compares values, if it is watched. Methods go by their place in [`ProbeTable::methods`].
    pub fn site_at(&self, method: usize, node: usize) -> Option<u32> {
        let place = (u32::try_from(method).ok()?, node);
        self.sites.binary_search_by_key(&place, |site| site.place).ok().map(|at| at as u32)
    }

    /// The edges of the method at this place in [`ProbeTable::methods`].
    pub fn edges_of(&self, method: usize) -> &[ProbedEdge] {
        let start = self.edges.partition_point(|edge| (edge.method as usize) < method);
        let count = self.edges[start..].partition_point(|edge| edge.method as usize == method);
        &self.edges[start..start + count]
    }

    /// The edge behind a probe; `None` for numbers left out between methods.
    pub fn edge(&self, probe: ProbeId) -> Option<&ProbedEdge> {
        let at = self.edges.binary_search_by_key(&probe, |edge| edge.probe).ok()?;
        Some(&self.edges[at])
    }

    /// The method a probe is in.
    pub fn method(&self, probe: ProbeId) -> Option<&ProbedMethod> {
        self.edge(probe).map(|edge| &self.methods[edge.method as usize])
    }

    /// A line for people: `shop.Cart.size line 12: == 0`.
    pub fn describe(&self, probe: ProbeId) -> String {
        match (self.edge(probe), self.method(probe)) {
            (Some(edge), Some(method)) => format!("{}.{}", method.class, edge.text),
            _ => format!("probe {}", probe.0),
        }
    }

    /// All edges, ascending by probe.
    pub fn edges(&self) -> &[ProbedEdge] {
        &self.edges
    }

    /// All methods of instrumented classes, grouped by class.
    pub fn methods(&self) -> &[ProbedMethod] {
        &self.methods
    }

    /// The methods of one class, in the order of the class file.
    pub fn methods_of(&self, class: &ClassName) -> &[ProbedMethod] {
        let start = self.methods.partition_point(|method| method.class < *class);
        let count = self.methods[start..].partition_point(|method| method.class == *class);
        &self.methods[start..start + count]
    }

    /// The probes in a method's body; `None` if it has none.
    pub fn probes_of(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<Range<u32>> {
        let mut methods = self.methods_of(class).iter();
        let found = methods.find(|method| method.name == name && method.descriptor == descriptor)?;
        (!found.probes.is_empty()).then(|| found.probes.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_classfile::build::ClassBuilder;
    use probat_classfile::{AccessFlags, Insn};

    /// A class with this many methods, each a bare `return`.
    fn class(name: &str, methods: usize) -> (ClassName, Cow<'static, [u8]>) {
        let mut builder = ClassBuilder::new(AccessFlags::PUBLIC, name, "java/lang/Object", &[]).unwrap();
        for at in 0..methods {
            let code = vec![Insn::Return(None)];
            builder.straight_method(AccessFlags::STATIC, &format!("m{at}"), "()V", 0, code).unwrap();
        }
        (ClassName::internal(name), builder.finish().unwrap().into())
    }

    #[test]
    fn numbers_follow_names_and_pages_are_not_shared() {
        let table = plan_probes([class("b/B", 70), class("a/A", 1), class("b/B", 3)]);
        let told: Vec<_> =
            table.instrumentation.classes.iter().map(|class| (class.first.0, class.count)).collect();
        assert_eq!(told, [(0, 64), (64, 128)]);
        assert_eq!(table.instrumentation.probes, 192);
        assert_eq!(table.describe(ProbeId(0)), "a.A.m0: entry");
        assert_eq!(table.describe(ProbeId(64)), "b.B.m0: entry");
        assert_eq!(table.describe(ProbeId(1)), "probe 1");
        assert_eq!(table.edges().len(), 71);
    }

    #[test]
    fn a_method_knows_its_probes() {
        let table = plan_probes([class("b/B", 2), class("a/A", 1)]);
        let b = ClassName::internal("b/B");
        assert_eq!(table.probes_of(&b, "m1", "()V"), Some(65..66));
        assert_eq!(table.probes_of(&b, "m1", "(I)V"), None);
        assert_eq!(table.methods_of(&b).len(), 2);
        assert_eq!(table.method(ProbeId(65)).unwrap().name, "m1");
        assert_eq!(table.methods_of(&ClassName::internal("c/C")), []);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let broken = (ClassName::internal("a/Broken"), Cow::Borrowed(&b"not a class"[..]));
        let table = plan_probes([broken, class("b/B", 1)]);
        assert_eq!(table.unreadable.len(), 1);
        assert_eq!(table.instrumentation.classes.len(), 1);
    }
}
