//! The calls on states as tests.
//!
//! In: an [`Exploration`] that kept its links. Out: [`ExploredTest`]s: the shortest way to a state, then calls. Calls that leave the
//! state as it is share one test; every other call has its own (spec 000 §2.3), unless it is on the way to a state that has tests. So the
//! last call of each is made nowhere else in that state, and no test is redundant.

use probat_model::{Step, StepId};

use crate::explorer::Exploration;
use crate::nodes::{NodeId, Target};

/// A test before it is run again for what its calls give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExploredTest {
    /// As a person reads it: the way to the state, then what is tried there.
    pub title: String,
    /// Part of a Java identifier: what is tried.
    pub name: String,
    pub steps: Vec<Step>,
    /// Steps whose results are told: the calls that are tried, and for one test of each state the call that leads there.
    pub tried: Vec<StepId>,
}

/// The tests of at most so many, those on states near the constructor first; whether these are all.
pub fn explored_tests(found: &Exploration, most: usize) -> (Vec<ExploredTest>, bool) {
    let mut tests = Vec::new();
    for at in 0..found.nodes.len() {
        let node = NodeId(at as u32);
        let calls = (0..found.plan.calls.len() as u16).map(|call| (call, found.nodes.target(node, call)));
        let calls: Vec<(u16, Target)> = calls.collect();
        let unchanged: Vec<u16> = calls
            .iter()
            .filter(|(_, target)| *target == Target::State(node))
            .map(|(call, _)| *call)
            .collect();
        let changing = calls.iter().filter(|(call, target)| match target {
            Target::State(to) => *to != node && !is_on_the_way(found, node, *call, *to),
            Target::Threw => true,
            Target::Broken | Target::Unknown => false,
        });
        let mut groups: Vec<Vec<u16>> = changing.map(|(call, _)| vec![*call]).collect();
        if !unchanged.is_empty() {
            groups.insert(0, unchanged);
        }
        for (at, group) in groups.iter().enumerate() {
            if tests.len() == most {
                return (tests, false);
            }
            tests.push(test(found, node, group, at == 0));
        }
    }
    (tests, true)
}

/// Whether a call is the one that first led to a state on which calls were tried.
fn is_on_the_way(found: &Exploration, node: NodeId, call: u16, to: NodeId) -> bool {
    let is_first = found.nodes.parent(to) == Some(node) && found.nodes.action(to) == call;
    is_first && found.nodes.is_expanded(to)
}

/// A test of some calls; the first of a state also tells what the call that leads there gives.
fn test(found: &Exploration, node: NodeId, calls: &[u16], is_first: bool) -> ExploredTest {
    let (constructor, path) = found.nodes.path(node);
    let mut steps = Vec::new();
    let receiver = found.plan.constructors[usize::from(constructor)].append(StepId(0), &mut steps);
    let mut last = None;
    for call in path {
        last = Some(found.plan.calls[usize::from(call)].append(receiver, &mut steps));
    }
    let mut tried: Vec<StepId> = last.filter(|_| is_first).into_iter().collect();
    for call in calls {
        tried.push(found.plan.calls[usize::from(*call)].append(receiver, &mut steps));
    }
    let shown: Vec<&str> =
        calls.iter().map(|call| found.plan.calls[usize::from(*call)].text.as_str()).collect();
    let name = match calls {
        [one] => found.plan.calls[usize::from(*one)].method.clone(),
        _ => "unchanged".to_owned(),
    };
    ExploredTest { title: format!("{}; {}", found.path_text(node), shown.join("; ")), name, steps, tried }
}
