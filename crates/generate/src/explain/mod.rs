//! Why branches were not reached.
//!
//! In: what a campaign counted on its way, the probes, the classes under test, what became of the tests. Out: [`Unreached`]: every branch that no
//! written test takes, with the one reason nearest to its root: the place where control stopped, however far before the branch that is.
//!
//! ```text
//! branch ─▶ found, but its test was not written?   ─▶ NotWritten
//!        ─▶ taken by runs that count for nothing?  ─▶ Tainted, Stopped, Uninitialised, …
//!        ─▶ method entered?  yes: what stands before it in the method (analysis::reach)
//!                            no:  what became of its calls, or who could call it (methods)
//! ```
//!
//! Words are the command line's business.

mod methods;
mod operands;
mod run;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use probat_analysis::callgraph::CallGraph;
use probat_analysis::decision::{Decision, Looks, decision};
use probat_analysis::reach::{Before, Probed, Reach};
use probat_analysis::{MethodId, World};
use probat_model::{ClassName, Frame, Leak, ProbeId, TaintKind};
use probat_search::archive::Ending;
use probat_search::campaign::Campaign;
use probat_search::tally::{Cause, Lost, Stop};
use probat_supervisor::{ProbeTable, ProbedEdge, ProbedMethod};

pub(crate) use run::{reasons, reserve};

use crate::verify::{DropReason, Dropped};

/// A branch that no written test takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Unreached {
    pub class: ClassName,
    pub method: String,
    /// As the class file spells it.
    pub descriptor: String,
    pub line: Option<u16>,
    /// For people: `== 0`, `entry`.
    pub branch: String,
    pub why: Why,
    /// Where control stopped, if that is not at the branch itself.
    pub behind: Option<Frame>,
}

/// Why a branch was not reached. Match without `_`.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// No object of this class to call it on.
    NoReceiver(String),
    /// No value of this type.
    NoArgument(String),
    /// Something throws before it; `None` if that was caught further out, so that nobody saw it.
    Exception {
        cause: Option<Cause>,
        times: u32,
    },
    /// A comparison always came out otherwise.
    Comparison {
        asks: Decision,
        seen: Vec<(String, String)>,
    },
    /// Nothing of this was thrown where it would be caught.
    NothingThrown(String),
    /// Every try of the call ended before it was made.
    NeverLegal(Illegal),
    /// Nothing that tests can reach calls it.
    NeverCalled(Uncalled),
    /// A lambda or method reference was made, and nobody called it.
    NeverRun,
    Stopped(Stop),
    Tainted(TaintKind),
    /// It leaves behind what no test may.
    Outlasting(Leak),
    /// A class could not be initialised: what was thrown, and its cause.
    Uninitialised(ClassName, Option<ClassName>),
    /// In a static initialiser, which runs once and is credited to no test.
    Initialiser,
    /// No run of the program can come here.
    Dead(Dead),
    /// Not drawn in the time given.
    NotTried,
    /// The user left the method out.
    Excluded,
    /// Exceptions are not asserted in this run.
    Discarded(ClassName),
    /// Found, but not among the tests written.
    NotWritten(NotWritten),
}

/// Why no try was legal. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Illegal {
    /// A call that prepares for it threw: the exception, and the call.
    Early(ClassName, String),
    /// The JVM would not make the call.
    Refused(String),
    /// No source could use all that it needs.
    Scattered,
}

/// Who would have to call a method. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uncalled {
    /// Code that was found, and that tests cannot reach; or code that was not found.
    Code,
    /// Somebody who knows only a supertype: it is a bridge of the compiler's.
    Supertype,
    /// Java serialisation.
    Serialisation,
}

/// Why code is dead. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dead {
    /// A private method that nothing calls.
    Private,
    /// A method of the compiler's that nothing calls.
    Synthetic,
    /// No instruction leads there.
    Unconnected,
    /// Only where assertions are disabled.
    Assertions,
}

/// Why a test that was found is not there. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotWritten {
    Dropped(DropReason),
    /// It behaved differently in a fresh JVM before it had assertions.
    Unstable,
    /// It would only pass where assertions are enabled.
    NeedsAssertions,
    /// It adds too little for its length.
    TooLong,
    /// No time was left for it.
    NoTime,
}

/// What an explanation is drawn from.
pub(crate) struct Evidence<'a, 'w> {
    pub campaign: &'a Campaign<'a>,
    pub probes: &'a ProbeTable,
    pub world: &'a RefCell<World<'w>>,
    pub graph: &'a CallGraph,
    /// Edges the written tests take.
    pub written: &'a BTreeSet<ProbeId>,
    pub dropped: &'a [Dropped],
    pub unstable: &'a [ProbeId],
    /// Edges of tests that add too little for their length.
    pub too_long: &'a BTreeSet<ProbeId>,
    /// Methods the user left out, as `class.method`.
    pub excluded: &'a [String],
}

/// A comparison whose operands are worth knowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compares {
    /// Place in the list of what was not reached.
    pub unreached: usize,
    /// The method by its place in the table of probes, and the instruction.
    pub method: usize,
    pub node: usize,
    /// The edge that was taken instead.
    pub instead: ProbeId,
}

/// Explains every branch that no written test takes, in the order of classes and code.
pub(crate) fn explain(evidence: &Evidence<'_, '_>) -> (Vec<Unreached>, Vec<Compares>) {
    let mut explainer = Explainer::new(evidence);
    let (mut found, mut compares) = (Vec::new(), Vec::new());
    for (method, probed) in evidence.probes.methods().iter().enumerate() {
        for (at, edge) in evidence.probes.edges_of(method).iter().enumerate() {
            if evidence.written.contains(&edge.probe) {
                continue;
            }
            let root = match evidence.campaign.archive().is_covered(edge.probe.0) {
                true => Root::here(Why::NotWritten(explainer.not_written(edge.probe))),
                false => explainer.edge(method, at, 0),
            };
            if let (Why::Comparison { asks, .. }, Some((of, instead))) = (&root.why, root.decided) {
                compares.push(Compares { unreached: found.len(), method: of, node: asks.compared, instead });
            }
            found.push(Unreached {
                class: probed.class.clone(),
                method: probed.name.clone(),
                descriptor: probed.descriptor.clone(),
                line: edge.line,
                branch: direction(edge),
                why: root.why,
                behind: root.behind,
            });
        }
    }
    (found, compares)
}

/// `== 0` of `size line 12: == 0`.
fn direction(edge: &ProbedEdge) -> String {
    edge.text.split_once(": ").map_or(&*edge.text, |(_, direction)| direction).to_owned()
}

/// A reason and where it stands.
#[derive(Debug, Clone, PartialEq)]
struct Root {
    why: Why,
    behind: Option<Frame>,
    /// Of a comparison: its method, and the edge that was taken instead.
    decided: Option<(usize, ProbeId)>,
}

impl Root {
    fn here(why: Why) -> Root {
        Root { why, behind: None, decided: None }
    }

    /// The same reason for what lies behind it; the innermost place stays.
    fn seen_from(self, place: Frame) -> Root {
        Root { behind: Some(self.behind.unwrap_or(place)), ..self }
    }
}

/// Calls followed back before it is given up.
const DEEPEST: usize = 40;

struct Explainer<'a, 'w> {
    evidence: &'a Evidence<'a, 'w>,
    reaches: BTreeMap<usize, Option<Rc<Reach<'a>>>>,
    methods: methods::Methods,
    dropped: BTreeMap<ProbeId, DropReason>,
}

impl<'a, 'w> Explainer<'a, 'w> {
    fn new(evidence: &'a Evidence<'a, 'w>) -> Self {
        let edges = evidence.dropped.iter().flat_map(|one| one.edges.iter().map(|edge| (*edge, one.reason)));
        Explainer {
            methods: methods::Methods::new(evidence),
            reaches: BTreeMap::new(),
            dropped: edges.collect(),
            evidence,
        }
    }

    fn method(&self, method: usize) -> &'a ProbedMethod {
        &self.evidence.probes.methods()[method]
    }

    /// How far control came in a method.
    fn reach(&mut self, method: usize) -> Option<Rc<Reach<'a>>> {
        if !self.reaches.contains_key(&method) {
            let id = self.methods.id(method);
            let code = id.and_then(|id| self.evidence.world.borrow().code(id));
            let archive = self.evidence.campaign.archive();
            let edges = self.evidence.probes.edges_of(method);
            let edges = edges.iter().map(|edge| Probed {
                kind: &edge.kind,
                node: edge.node,
                taken: archive.is_covered(edge.probe.0),
            });
            let reach = code.map(|code| Rc::new(Reach::new(code, edges.collect())));
            self.reaches.insert(method, reach);
        }
        self.reaches[&method].clone()
    }

    fn not_written(&self, edge: ProbeId) -> NotWritten {
        if let Some(&reason) = self.dropped.get(&edge) {
            return NotWritten::Dropped(reason);
        }
        if self.evidence.unstable.contains(&edge) {
            return NotWritten::Unstable;
        }
        let ending = self.evidence.campaign.archive().witness(edge).map(|witness| &witness.ending);
        match ending {
            Some(Ending::Threw(class)) if class.as_internal() == "java/lang/AssertionError" => {
                NotWritten::NeedsAssertions
            }
            _ if self.evidence.too_long.contains(&edge) => NotWritten::TooLong,
            _ => NotWritten::NoTime,
        }
    }

    /// Why an edge that no run took was not, by its place among those of its method.
    fn edge(&mut self, method: usize, at: usize, depth: usize) -> Root {
        let edge = &self.evidence.probes.edges_of(method)[at];
        if let Some(lost) = self.evidence.campaign.tally().and_then(|tally| tally.lost(edge.probe)) {
            return Root::here(why_lost(lost));
        }
        let Some(reach) = self.reach(method) else { return Root::here(Why::Dead(Dead::Unconnected)) };
        self.before(method, &reach, reach.before(at), Some(at), depth)
    }

    /// What stands before a place in a method; `of` is the edge it is about, where it is one.
    fn before(
        &mut self,
        method: usize,
        reach: &Reach<'_>,
        before: Before,
        of: Option<usize>,
        depth: usize,
    ) -> Root {
        let edges = self.evidence.probes.edges_of(method);
        match before {
            Before::NotEntered => self.never_entered(method, depth),
            Before::Dead => Root::here(Why::Dead(Dead::Unconnected)),
            Before::NothingThrown => {
                let caught = of.map(|at| direction(&edges[at])).unwrap_or_default();
                Root::here(Why::NothingThrown(caught.trim_start_matches("catch ").to_owned()))
            }
            Before::Behind(other) => {
                let edge = &edges[other];
                let place = self.place(method, edge.line);
                self.edge(method, other, depth).seen_from(place)
            }
            Before::Decided { node, instead } => {
                let asks = of.and_then(|at| self.asks(method, reach, node, &edges[at]));
                match asks {
                    Some(Decision { looks: Looks::Assertions, .. }) => {
                        Root::here(Why::Dead(Dead::Assertions))
                    }
                    Some(asks) => {
                        let decided = Some((method, edges[instead].probe));
                        Root { why: Why::Comparison { asks, seen: Vec::new() }, behind: None, decided }
                    }
                    None => Root::here(Why::Dead(Dead::Unconnected)),
                }
            }
            Before::Throws(nodes) => {
                let lines = nodes.into_iter().flat_map(|nodes| reach.lines(nodes)).collect();
                self.throws(method, lines)
            }
        }
    }

    fn asks(&self, method: usize, reach: &Reach<'_>, node: usize, edge: &ProbedEdge) -> Option<Decision> {
        let id = self.methods.id(method)?;
        let world = self.evidence.world.borrow();
        let file = world.file(world.method(id).class)?.clone();
        decision(&reach.code, &file.pool, node, &edge.kind)
    }

    /// What leaves a method at these lines most often.
    fn throws(&self, method: usize, mut lines: Vec<u16>) -> Root {
        lines.sort_unstable();
        lines.dedup();
        let tally = self.evidence.campaign.tally();
        let places = lines.iter().map(|line| Some(*line)).chain([None]);
        let causes = places.filter_map(|line| tally?.thrown_at(&self.place(method, line)));
        let most = causes.max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
        let why = match most {
            Some((cause, times)) => Why::Exception { cause: Some(cause.clone()), times },
            None => self.fate(method).unwrap_or(Why::Exception { cause: None, times: 0 }),
        };
        Root { why, behind: Some(self.place(method, lines.first().copied())), decided: None }
    }

    fn place(&self, method: usize, line: Option<u16>) -> Frame {
        let probed = self.method(method);
        Frame { class: probed.class.clone(), method: probed.name.clone(), line: line.map(u32::from) }
    }
}

fn why_lost(lost: &Lost) -> Why {
    match lost {
        Lost::Tainted(kind) => Why::Tainted(*kind),
        Lost::Outlasting(leak) => Why::Outlasting(*leak),
        Lost::Stopped(stop) => Why::Stopped(*stop),
        Lost::Unusable(class, cause) => Why::Uninitialised(class.clone(), cause.clone()),
        Lost::Early(class) => {
            Why::Exception { cause: Some(Cause { exception: class.clone(), at: None }), times: 0 }
        }
        Lost::Discarded(class) => Why::Discarded(class.clone()),
    }
}

/// The method of a world behind a probed one.
fn method_id(world: &World<'_>, probed: &ProbedMethod) -> Option<MethodId> {
    world.declared_method(world.find(&probed.class)?, &probed.name, &probed.descriptor)
}
