//! Method bodies with probes, and who calls whom.
//!
//! In: the classes under test and the probes of their methods. Out: [`Body`]s by method, callees cut to a few steps.

use probat_analysis::callgraph::CallGraph;
use probat_analysis::{ClassId, MethodId, World};
use probat_search::catalogue::{Body, BodyId, OwnerId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::survey::Probes;

/// Bodies in catalogue order, and where each method's is.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub list: Vec<Body>,
    pub of: FxHashMap<MethodId, BodyId>,
}

/// How many callees of a body are kept.
const MAX_CALLEES: usize = 64;

pub(crate) fn bodies(
    world: &World<'_>,
    graph: &CallGraph,
    targets: &[(ClassId, OwnerId)],
    probes: &dyn Probes,
) -> Bodies {
    let mut found = Bodies::default();
    for &(class, owner) in targets {
        let name = &world.class(class).name;
        for method in world.methods_of(class) {
            let range = probes.of(name, world.method_name(method), world.method_descriptor_text(method));
            if let Some(probes) = range {
                found.of.insert(method, BodyId(found.list.len() as u32));
                found.list.push(Body { owner, probes, callees: Box::from([]) });
            }
        }
    }
    let mut methods: Vec<(MethodId, BodyId)> =
        found.of.iter().map(|(method, body)| (*method, *body)).collect();
    methods.sort_by_key(|(_, body)| *body);
    for (method, body) in methods {
        found.list[body.0 as usize].callees = callees(graph, &found.of, method);
    }
    found
}

/// How many methods are looked at for that: a call through an interface may have thousands of targets.
const MAX_SEEN: usize = 4 * MAX_CALLEES;

/// Bodies reached within three calls, nearest first.
fn callees(graph: &CallGraph, of: &FxHashMap<MethodId, BodyId>, from: MethodId) -> Box<[BodyId]> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::from_iter([from]);
    let mut level = vec![from];
    for _ in 0..3 {
        let mut next = Vec::new();
        for &callee in level.iter().flat_map(|&method| graph.callees(method)) {
            if seen.len() > MAX_SEEN || found.len() == MAX_CALLEES {
                return found.into();
            }
            if seen.insert(callee) {
                next.push(callee);
                found.extend(of.get(&callee));
            }
        }
        level = next;
    }
    found.into()
}
