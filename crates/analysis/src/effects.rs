//! What methods change: nothing, their receiver, their arguments, or the world outside.
//!
//! In: a [`CallGraph`]. Out: [`Effects`]: a [`Summary`] per method, from which purity follows.
//! Objects made during a call may be changed freely, even after they were handed on: they were not there before.
//! Of an argument, the object itself and what it leads to are told apart; of a new object they are not.
//! Conservative: native code, unread bodies and unknown call sites change everything. Class initialisation,
//! locks and stack traces change nothing that counts.

use crate::callgraph::CallGraph;
use crate::heap::summarise;
use crate::known::known_summary;
use crate::world::{FieldId, MethodId, World};

/// A set of places a value may come from. In summaries: [`OUTSIDE`], [`parameter`]s, their [`contents`] and [`FRESH`];
/// inside a method, the bits from `FIRST_SITE` on are the places where it makes objects.
pub type Places = u64;

/// What was there before and is no argument: statics, results of unknown calls.
pub const OUTSIDE: Places = 1;

/// An object made during the call.
pub const FRESH: Places = 1 << 63;

pub(crate) const MAX_PARAMETERS: usize = 12;
pub(crate) const FIRST_SITE: usize = 1 + 2 * MAX_PARAMETERS;
pub(crate) const LAST_SITE: usize = 62;

/// All arguments themselves.
pub(crate) const PARAMETERS: Places = ((1 << MAX_PARAMETERS) - 1) << 1;

/// What means something outside of the method that finds it: all but its own sites.
pub(crate) const VISIBLE: Places = (1 << FIRST_SITE) - 1;

/// An argument, the receiver being number 0. Those beyond the twelfth count as outside.
pub fn parameter(number: usize) -> Places {
    if number < MAX_PARAMETERS { 2 << number } else { OUTSIDE }
}

/// What an argument leads to through fields and array elements.
pub fn contents(number: usize) -> Places {
    if number < MAX_PARAMETERS { 2 << (MAX_PARAMETERS + number) } else { OUTSIDE }
}

/// What a call does to objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// What it changes.
    pub mutates: Places,
    /// Where its result may come from.
    pub returns: Places,
    /// What a new result may hold on to.
    pub fresh_holds: Places,
    /// What comes to hold on to what.
    pub holds: Vec<(Places, Places)>,
    /// Why it changes the outside; if it does, the rest is not told.
    pub reason: Option<Reason>,
}

impl Summary {
    /// Of a method that changes the outside: nothing else about it matters.
    pub(crate) fn of_anything(reason: Reason) -> Summary {
        Summary { mutates: OUTSIDE, reason: Some(reason), ..Summary::default() }
    }
}

/// Why a method is taken to change the outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It writes a static field.
    Static(FieldId),
    /// It changes an object that it got from a static field or an unknown place.
    Object,
    /// It calls a method whose body is not known.
    Unknown(MethodId),
    /// It runs a call site of an unknown kind, or its code makes no sense.
    Opaque,
    /// It calls a method that changes the outside.
    Through(MethodId),
}

/// What a method changes, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that was there before.
    Pure,
    /// The receiver alone, or what it leads to; for constructors, the object being made.
    Receiver,
    /// Arguments too, or only those.
    Arguments,
    /// Anything.
    Outside,
}

/// What is taken for granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectOptions {
    /// Implementations outside of the scope do what `Collection.size`, `Object.equals` and the like promise. Off, a
    /// call that may leave the scope may change anything.
    pub trust_contracts: bool,
}

/// Summaries of all methods of a scope.
#[derive(Debug)]
pub struct Effects {
    pub(crate) options: EffectOptions,
    summaries: Vec<Option<Summary>>,
}

impl Effects {
    /// Summarises every method of the scope, callees first.
    pub fn analyse(world: &World<'_>, graph: &CallGraph, options: EffectOptions) -> Effects {
        let mut effects = Effects { options, summaries: vec![None; world.method_count()] };
        let components = graph.graph().components();
        for members in components.bottom_up() {
            let members: Vec<MethodId> = members.iter().map(|&member| MethodId(member)).collect();
            let bodies: Vec<MethodId> =
                members.into_iter().filter(|&method| effects.begin(world, graph, method)).collect();
            let mut is_changing = !bodies.is_empty();
            while is_changing {
                is_changing = false;
                for &method in &bodies {
                    if effects.summary(method).is_some_and(|known| known.reason.is_some()) {
                        continue;
                    }
                    let next = summarise(world, graph, &effects, method);
                    let known = &mut effects.summaries[method.index()];
                    is_changing |= known.as_ref() != Some(&next);
                    *known = Some(next);
                }
                is_changing &= bodies.len() > 1 || graph.callees(bodies[0]).contains(&bodies[0]);
            }
        }
        effects
    }

    /// Sets what is known without looking; tells whether there is a body to look at.
    fn begin(&mut self, world: &World<'_>, graph: &CallGraph, method: MethodId) -> bool {
        let known = known_summary(world, method);
        let has_body = known.is_none() && graph.direct_access(method).is_some();
        self.summaries[method.index()] = if has_body { Some(Summary::default()) } else { known };
        has_body
    }

    /// What is known of a method; nothing for bodies that were not read.
    pub fn summary(&self, method: MethodId) -> Option<&Summary> {
        self.summaries.get(method.index())?.as_ref()
    }

    /// What a method changes.
    pub fn of(&self, world: &World<'_>, method: MethodId) -> Effect {
        let Some(summary) = self.summary(method) else { return Effect::Outside };
        let receiver = if world.method(method).is_static() { 0 } else { parameter(0) | contents(0) };
        match summary.mutates {
            0 => Effect::Pure,
            mutates if mutates & OUTSIDE != 0 => Effect::Outside,
            mutates if mutates & !receiver == 0 => Effect::Receiver,
            _ => Effect::Arguments,
        }
    }

    /// Whether a method changes nothing that was there before; a constructor may fill the object being made.
    pub fn is_pure(&self, world: &World<'_>, method: MethodId) -> bool {
        match self.of(world, method) {
            Effect::Pure => true,
            Effect::Receiver => {
                let is_itself = |summary: &Summary| summary.mutates == parameter(0);
                world.method_name(method) == "<init>" && self.summary(method).is_some_and(is_itself)
            }
            Effect::Arguments | Effect::Outside => false,
        }
    }
}
