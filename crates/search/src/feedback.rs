//! What the code compares its arguments with comes back as arguments.
//!
//! In: places where code under test compares values, each with the edges it decides; comparisons seen at those places.
//! Out: the places a run should report, candidates with substituted literals, types that `instanceof` asks for.
//! A place is of interest only while one of its edges is missing, and only for so many tries.
//! Depends on nothing but what was absorbed, so the search stays the same on any number of workers.

use std::collections::VecDeque;

use probat_model::{Compared, Literal, Operand, Operation, StepId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::archive::Archive;
use crate::assemble::Candidate;
use crate::catalogue::{BodyId, CallableId, Catalogue};
use crate::literals::Literals;
use crate::stems::Stem;
use crate::substitute::{Compares, substitutes};
use crate::types::{Hierarchy, TypeId};

/// A place where values are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Edges that depend on the outcome.
    pub probes: Box<[u32]>,
    pub compares: Compares,
}

/// Places a run is asked about.
const ASKED: usize = 24;

/// Substitutes tried for a place before it is given up.
const TRIES: u32 = 240;

/// Candidates that wait at most.
const WAITING: usize = 2048;

/// Literals of a candidate that are substituted, the last ones first.
const LITERALS: usize = 8;

/// Candidates made from one run.
const MADE: usize = 24;

/// Rounds after which the places of a callable are looked up again.
const FRESH: u64 = 8;

/// Types remembered per callable.
const TYPES: usize = 8;

/// All that is known about comparisons.
#[derive(Debug, Default)]
pub struct Feedback {
    places: Vec<Place>,
    by_body: FxHashMap<BodyId, Vec<u32>>,
    tries: Vec<u32>,
    waiting: VecDeque<Candidate>,
    /// Places of a callable, and the round they were looked up in.
    asked: FxHashMap<CallableId, (u64, Vec<u32>)>,
    types: FxHashMap<CallableId, SmallVec<[TypeId; 2]>>,
}

impl Feedback {
    /// Places by their number.
    pub fn new(places: Vec<Place>, catalogue: &Catalogue) -> Self {
        let mut bodies: Vec<(u32, u32, BodyId)> = (0u32..)
            .zip(&catalogue.bodies)
            .map(|(at, body)| (body.probes.start, body.probes.end, BodyId(at)))
            .collect();
        bodies.sort_unstable();
        let mut by_body: FxHashMap<BodyId, Vec<u32>> = FxHashMap::default();
        for (site, place) in (0u32..).zip(&places) {
            let Some(&probe) = place.probes.first() else { continue };
            let at = bodies.partition_point(|(start, _, _)| *start <= probe);
            if let Some(&(_, end, body)) = at.checked_sub(1).map(|at| &bodies[at])
                && probe < end
            {
                by_body.entry(body).or_default().push(site);
            }
        }
        Feedback { tries: vec![0; places.len()], places, by_body, ..Feedback::default() }
    }

    fn is_open(&self, site: u32, archive: &Archive) -> bool {
        let at = site as usize;
        self.tries.get(at).is_some_and(|tries| *tries < TRIES)
            && self.places[at].probes.iter().any(|probe| !archive.is_covered(*probe))
    }

    /// The places a run of this callable should report: of its own body first, then of what that calls.
    pub fn sites(
        &mut self,
        callable: CallableId,
        round: u64,
        catalogue: &Catalogue,
        archive: &Archive,
    ) -> Vec<u32> {
        if self.places.is_empty() {
            return Vec::new();
        }
        if let Some((since, sites)) = self.asked.get(&callable)
            && round < since + FRESH
        {
            return sites.clone();
        }
        let sites = self.look_up(callable, catalogue, archive);
        self.asked.insert(callable, (round, sites.clone()));
        sites
    }

    fn look_up(&self, callable: CallableId, catalogue: &Catalogue, archive: &Archive) -> Vec<u32> {
        let mut bodies: Vec<BodyId> = catalogue.callable(callable).body.into_iter().collect();
        let mut sites = Vec::new();
        let mut at = 0;
        while at < bodies.len() && at < 4 * ASKED && sites.len() < ASKED {
            let body = bodies[at];
            at += 1;
            let own = self.by_body.get(&body).map_or(&[][..], Vec::as_slice);
            sites.extend(own.iter().copied().filter(|site| self.is_open(*site, archive)));
            for callee in &catalogue.bodies[body.0 as usize].callees {
                if !bodies.contains(callee) {
                    bodies.push(*callee);
                }
            }
        }
        sites.truncate(ASKED);
        sites
    }

    /// Types that code reached from this callable asked its objects for.
    pub fn types(&self, callable: CallableId) -> &[TypeId] {
        self.types.get(&callable).map_or(&[], SmallVec::as_slice)
    }

    /// The next candidate made from a comparison.
    pub fn next_candidate(&mut self) -> Option<Candidate> {
        self.waiting.pop_front()
    }

    /// Learns from the comparisons of a run.
    pub fn learn(
        &mut self,
        candidate: &Candidate,
        compared: &[Compared],
        archive: &Archive,
        known: &mut Known<'_>,
    ) {
        let mut room = MADE.min(WAITING.saturating_sub(self.waiting.len()));
        for seen in compared {
            if !self.is_open(seen.site, archive) {
                continue;
            }
            self.remember(candidate, seen, known);
            if room == 0 {
                continue;
            }
            let turn = self.tries[seen.site as usize] as usize;
            let compares = self.places[seen.site as usize].compares.clone();
            let made = variants(candidate, &compares, seen, turn, known);
            for variant in made.into_iter().take(room) {
                self.tries[seen.site as usize] += 1;
                self.waiting.push_back(Candidate { substituted: true, ..variant });
                room -= 1;
            }
        }
    }

    /// Values go to the pool of the class, classes to the callable.
    fn remember(&mut self, candidate: &Candidate, seen: &Compared, known: &mut Known<'_>) {
        let place = &self.places[seen.site as usize];
        if let Compares::Class(ty) = &place.compares {
            let ty = known.catalogue.types.intern(ty, known.hierarchy);
            let types = self.types.entry(candidate.callable).or_default();
            if !types.contains(&ty) && types.len() < TYPES {
                types.push(ty);
            }
            self.tries[seen.site as usize] += 1;
            return;
        }
        let Some(owner) = known.catalogue.callable(candidate.callable).owner else { return };
        for operand in [&seen.left, &seen.right] {
            match (operand, &place.compares) {
                (Operand::Text(text), _) => known.literals.saw_string(owner, text.clone()),
                (Operand::Bits(bits), Compares::Floats) => {
                    known.literals.saw_double(owner, f64::from_bits(bits.cast_unsigned()));
                }
                (Operand::Bits(bits), _) if bits.unsigned_abs() > 16 => known.literals.saw_int(owner, *bits),
                _ => {}
            }
        }
    }
}

/// What learning draws on and adds to.
pub struct Known<'a> {
    pub catalogue: &'a mut Catalogue,
    pub hierarchy: &'a dyn Hierarchy,
    pub literals: &'a mut Literals,
    /// Only small numbers: the callable was seen to exhaust memory or time.
    pub tame: bool,
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

/// The candidate again, with one literal or the length of one array changed.
fn variants(
    candidate: &Candidate,
    compares: &Compares,
    seen: &Compared,
    turn: usize,
    known: &mut Known<'_>,
) -> Vec<Candidate> {
    let mut made = Vec::new();
    let mut looked_at = 0;
    for (at, step) in candidate.steps.iter().enumerate().rev() {
        match known.catalogue.operations.get(step.operation).clone() {
            Operation::Literal(literal) => {
                looked_at += 1;
                for other in substitutes(&literal, compares, &seen.left, &seen.right, turn) {
                    if !(known.tame && is_wild(&other)) {
                        let operation = known.catalogue.operations.intern(Operation::Literal(other));
                        made.push(changed(candidate, at, operation, step.args.clone()));
                    }
                }
            }
            Operation::ArrayOf { element, length } => {
                looked_at += 1;
                for length in lengths(compares, seen, length) {
                    let mut args = step.args.clone();
                    let Some(&filler) = args.last() else { continue };
                    args.resize(length as usize, filler);
                    let again = Operation::ArrayOf { element: element.clone(), length };
                    let operation = known.catalogue.operations.intern(again);
                    made.push(changed(candidate, at, operation, args));
                }
            }
            _ => {}
        }
        if looked_at == LITERALS {
            break;
        }
    }
    made
}

/// Lengths an array could have instead of the one that was compared.
fn lengths(compares: &Compares, seen: &Compared, length: u32) -> Vec<u32> {
    let (Compares::Integers { exact }, Operand::Bits(left), Operand::Bits(right)) =
        (compares, &seen.left, &seen.right)
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (from, to) in [(*left, *right), (*right, *left)] {
        let near = if *exact { 0..=0 } else { -1..=1 };
        if from == i64::from(length) {
            found.extend(near.map(|by| to.wrapping_add(by)).filter(|to| (0..=8).contains(to) && *to != from));
        }
    }
    found.into_iter().map(|length| length as u32).collect()
}

/// A change in a stored part makes the whole sequence its own.
fn changed(
    candidate: &Candidate,
    at: usize,
    operation: probat_model::OperationId,
    args: SmallVec<[StepId; 4]>,
) -> Candidate {
    let mut variant = Candidate {
        attempt: None,
        receiver: None,
        is_unhurried: false,
        is_weighed: false,
        stem: Stem::None,
        ..candidate.clone()
    };
    if at < usize::from(candidate.tail) {
        variant.parts.clear();
        variant.tail = 0;
    }
    variant.steps[at].operation = operation;
    variant.steps[at].args = args.into_iter().collect();
    variant
}

/// Numbers a call that allocates what it is told should not get.
fn is_wild(literal: &Literal) -> bool {
    match literal {
        Literal::Int(value) => value.unsigned_abs() > 64,
        Literal::Long(value) => value.unsigned_abs() > 64,
        Literal::Short(value) => value.unsigned_abs() > 64,
        Literal::Float(bits) => f32::from_bits(*bits).is_nan() || f32::from_bits(*bits).abs() > 64.0,
        Literal::Double(bits) => f64::from_bits(*bits).is_nan() || f64::from_bits(*bits).abs() > 64.0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Body, OwnerId};
    use crate::literals::LiteralConfig;
    use crate::types::fake::Lines;
    use probat_model::{ClassName, MethodDescriptor, ProbeId, Step};

    const LINES: Lines = Lines("");

    struct World {
        catalogue: Catalogue,
        literals: Literals,
        archive: Archive,
        feedback: Feedback,
        candidate: Candidate,
    }

    /// `A.check(5)`, whose body has two edges and one place that decides the second.
    fn world() -> World {
        let mut catalogue = Catalogue::new();
        let check = Operation::CallStatic {
            class: ClassName::internal("A"),
            name: "check".into(),
            descriptor: MethodDescriptor::parse("(I)V").unwrap(),
            interface: false,
        };
        let callable = catalogue.add_plain(check, &LINES);
        catalogue.bodies.push(Body { owner: OwnerId(0), probes: 0..2, callees: Box::from([]) });
        catalogue.callables[0].body = Some(BodyId(0));
        catalogue.probes = 2;
        let five = catalogue.operations.intern(Operation::Literal(Literal::Int(5)));
        let call = catalogue.callable(callable).operation;
        let steps = vec![
            Step { operation: five, args: SmallVec::new() },
            Step { operation: call, args: SmallVec::from_slice(&[StepId(0)]) },
        ];
        let candidate = Candidate {
            callable,
            parts: SmallVec::new(),
            steps,
            tail: 0,
            call: 1,
            touched: SmallVec::new(),
            attempt: None,
            sites: Vec::new(),
            substituted: false,
            receiver: None,
            is_unhurried: false,
            is_weighed: false,
            stem: Default::default(),
        };
        let place = Place { probes: Box::from([1]), compares: Compares::Integers { exact: true } };
        World {
            feedback: Feedback::new(vec![place], &catalogue),
            literals: Literals::new(LiteralConfig::default(), 0),
            archive: Archive::new(2, false),
            catalogue,
            candidate,
        }
    }

    fn learn(world: &mut World, left: i64, right: i64) {
        let mut known = Known {
            catalogue: &mut world.catalogue,
            hierarchy: &LINES,
            literals: &mut world.literals,
            tame: false,
        };
        let seen = [Compared { site: 0, left: Operand::Bits(left), right: Operand::Bits(right) }];
        world.feedback.learn(&world.candidate, &seen, &world.archive, &mut known);
    }

    #[test]
    fn the_other_operand_takes_the_place_of_the_argument() {
        let mut world = world();
        assert_eq!(world.feedback.sites(CallableId(0), 0, &world.catalogue, &world.archive), [0]);
        learn(&mut world, 5, 424_242);
        let made = world.feedback.next_candidate().unwrap();
        let literal = world.catalogue.operations.get(made.steps[0].operation);
        assert_eq!(literal, &Operation::Literal(Literal::Int(424_242)));
    }

    #[test]
    fn nothing_is_asked_once_the_edges_are_covered() {
        let mut world = world();
        world.archive.credit(&[ProbeId(1)]);
        assert!(world.feedback.sites(CallableId(0), 0, &world.catalogue, &world.archive).is_empty());
        learn(&mut world, 5, 424_242);
        assert!(world.feedback.next_candidate().is_none());
    }

    #[test]
    fn a_place_is_given_up_after_many_tries() {
        let mut world = world();
        for other in 0..i64::from(TRIES) {
            learn(&mut world, 5, 1000 + other);
        }
        assert!(world.feedback.sites(CallableId(0), 0, &world.catalogue, &world.archive).is_empty());
    }
}
