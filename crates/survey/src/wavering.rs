//! Where code under test reaches for what differs from run to run.
//!
//! In: the call graph, and what each method can reach. Out: probes: whoever takes none of them reached for nothing.

use std::ops::Range;

use probat_analysis::callgraph::CallGraph;
use probat_analysis::nondeterminism::{Influence, Nondeterminism, influence_of};
use probat_analysis::{MethodId, World};
use probat_classfile::passes::edges::leads_to;
use probat_classfile::{ClassFile, Insn};
use probat_search::catalogue::BodyId;

use crate::bodies::Bodies;

/// Probes behind which, before the next, a source of what differs in one of these ways is called, or a method without probes on the way to one;
/// ascending ranges.
pub(crate) fn wavering(
    world: &World<'_>,
    graph: &CallGraph,
    reached: &Nondeterminism,
    bodies: &Bodies,
    counts: fn(Influence) -> bool,
) -> Vec<Range<u32>> {
    let differs = |callee: &&MethodId| {
        influence_of(world, **callee).is_some_and(counts)
            || (!bodies.of.contains_key(*callee)
                && reached.of(**callee).iter().any(|reached| counts(reached.influence)))
    };
    let mut found: Vec<Range<u32>> = Vec::new();
    let all: Vec<(MethodId, BodyId)> = bodies.of.iter().map(|(&method, &body)| (method, body)).collect();
    for (method, body) in all {
        let called: Vec<MethodId> = graph.callees(method).iter().filter(differs).copied().collect();
        if !called.is_empty() {
            let probes = &bodies.list[body.0 as usize].probes;
            found.extend(calling(world, method, probes, &called).unwrap_or_else(|| vec![probes.clone()]));
        }
    }
    found.sort_unstable_by_key(|range| range.start);
    found
}

/// The probes of a method that lead to a call of one of these; `None` where that cannot be told.
fn calling(
    world: &World<'_>,
    method: MethodId,
    probes: &Range<u32>,
    called: &[MethodId],
) -> Option<Vec<Range<u32>>> {
    let file = world.file(world.method(method).class)?;
    let at = file.find_method(world.method_name(method), world.method_descriptor_text(method))?;
    let names: Vec<(&str, &str)> = called
        .iter()
        .map(|&callee| (world.method_name(callee), world.method_descriptor_text(callee)))
        .collect();
    let told = |insn: &Insn| match call(file, insn) {
        Call::None => false,
        Call::Hidden => true,
        Call::Of(name, descriptor) => names.contains(&(name.as_str(), descriptor.as_str())),
    };
    // A callee that no instruction names is called in some other way: by an initialiser, by reflection.
    let code = world.code(method)?;
    let is_named = |(name, descriptor): &(&str, &str)| {
        code.insns().any(|insn| match call(file, insn) {
            Call::None => false,
            Call::Hidden => true,
            Call::Of(called, with) => called == *name && with == *descriptor,
        })
    };
    if !names.iter().all(is_named) {
        return None;
    }
    let leads = leads_to(file, at, &told)?;
    if leads.len() != probes.len() {
        return None;
    }
    let hit = probes.clone().zip(leads).filter(|(_, leads)| *leads);
    Some(hit.map(|(probe, _)| probe..probe + 1).collect())
}

/// What an instruction calls.
enum Call {
    None,
    /// Something that it does not name itself.
    Hidden,
    Of(String, String),
}

fn call(file: &ClassFile, insn: &Insn) -> Call {
    match insn {
        Insn::InvokeVirtual(index)
        | Insn::InvokeSpecial(index)
        | Insn::InvokeStatic(index)
        | Insn::InvokeInterface(index) => match file.pool.member_ref(*index) {
            Ok(member) => Call::Of(member.name.into_owned(), member.descriptor.into_owned()),
            Err(_) => Call::Hidden,
        },
        Insn::InvokeDynamic(_) => Call::Hidden,
        _ => Call::None,
    }
}
