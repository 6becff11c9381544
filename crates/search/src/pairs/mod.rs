//! Laws between objects: `equals`, `hashCode` and `compareTo` asked of many pairs at once.
//!
//! In: stored sequences, by the types of what they make. Out: [`Meeting`]s, which are sequences that make a handful of objects and put them into one
//! array, so that whoever checks contracts on what the last step touched checks them on every pair; and for a law that was broken
//! there, a candidate that makes just the objects concerned and asks again:
//!
//! ```text
//! meeting:    a = …; a' = a with a literal changed; b = …; …; new Object[] {a, a', b, …}
//! candidate:  a = …; a' = …; a.equals(a')
//! ```
//!
//! Two objects that are equal and should not be, or the other way round, are rare among objects drawn one by one. Among objects made by almost the same
//! steps they are not. Runs nothing, and notes no failure: a candidate is judged like any other.

mod near;

use std::collections::VecDeque;

use probat_model::{Contract, End, Observation, Operation, OperationId, Step, StepId, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::assemble::Candidate;
use crate::catalogue::{CallableId, Catalogue};
use crate::pool::{Pool, PoolValue};
use crate::rng::Rng;
use crate::store::Store;
use crate::types::TypeId;

/// Of all steps, one in so many is spent on meetings.
const SHARE: u64 = 20;

/// Objects that meet: as many as contracts are checked on at once.
const MEMBERS: usize = 8;

/// Steps that may lead to one of them.
const LONGEST: u16 = 12;

/// Draws of a member that is short enough and holds no stand-in, whose laws nobody keeps.
const DRAWS: usize = 6;

/// How a member comes by: made like an earlier one, with literals changed or not, or drawn; of the drawn ones, some may be of a related type.
const VARIED: f64 = 0.5;
const COPIED: f64 = 0.1;
const RELATED: f64 = 0.25;

/// Candidates that ask again for one law of one method.
const ASKED: u32 = 6;

/// What a meeting that had to be stopped counts, against those of other types.
const STOPPED: u32 = 50;

/// Tells the choices made here from those of the search, which would otherwise change with them.
const SALT: u64 = 0x7061_6972;

/// Steps that make an object.
#[derive(Debug, Clone, PartialEq)]
struct Member {
    ty: TypeId,
    steps: Vec<Step>,
    /// The step that gives it.
    value: u16,
}

/// Objects that meet, ready to run.
#[derive(Debug, Clone)]
pub struct Meeting {
    of: TypeId,
    members: Vec<Member>,
    pub steps: Vec<Step>,
}

impl Meeting {
    fn new(of: TypeId, members: Vec<Member>, operations: &mut probat_model::OperationTable) -> Self {
        let mut steps = Vec::new();
        let met: SmallVec<[StepId; 4]> = members.iter().map(|member| append(member, &mut steps)).collect();
        let all = Operation::ArrayOf { element: Type::class("java/lang/Object"), length: met.len() as u32 };
        steps.push(Step { operation: operations.intern(all), args: met });
        Meeting { of, members, steps }
    }

    /// The member that a step belongs to.
    fn member_at(&self, step: StepId) -> Option<usize> {
        let mut end = 0;
        self.members.iter().position(|member| {
            end += member.steps.len();
            usize::from(step.0) < end
        })
    }

    /// The member that a step gives.
    fn made(&self, step: StepId) -> Option<&Member> {
        let at = self.steps.last()?.args.iter().position(|&met| met == step)?;
        self.members.get(at)
    }
}

/// Appends the steps of a member; answers the one that gives it.
fn append(member: &Member, steps: &mut Vec<Step>) -> StepId {
    let base = steps.len() as u16;
    steps.extend(member.steps.iter().map(|step| Step {
        operation: step.operation,
        args: step.args.iter().map(|arg| StepId(arg.0 + base)).collect(),
    }));
    StepId(base + member.value)
}

/// Who compares the objects of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Judge {
    callable: CallableId,
    operation: OperationId,
}

/// What meetings are chosen by.
#[derive(Debug)]
pub struct Pairs {
    rng: Rng,
    /// `equals` and `compareTo` of classes under test.
    equals: FxHashMap<TypeId, Judge>,
    orders: FxHashMap<TypeId, Judge>,
    judges: FxHashMap<TypeId, Option<Judge>>,
    /// Meetings by type.
    met: FxHashMap<TypeId, u32>,
    asked: FxHashMap<(CallableId, Contract), u32>,
    again: VecDeque<Meeting>,
    found: VecDeque<Candidate>,
    steps: u64,
}

/// What meetings are made of.
#[derive(Debug)]
pub struct Makings<'a> {
    pub catalogue: &'a mut Catalogue,
    pub store: &'a Store,
    pub pool: &'a Pool,
}

impl Pairs {
    pub fn new(catalogue: &Catalogue, seed: u64) -> Self {
        let (mut equals, mut orders) = (FxHashMap::default(), FxHashMap::default());
        for (at, callable) in catalogue.callables.iter().enumerate() {
            let Operation::Call { name, descriptor, .. } = catalogue.operations.get(callable.operation)
            else {
                continue;
            };
            let judge = Judge { callable: CallableId(at as u32), operation: callable.operation };
            let [param] = &descriptor.params[..] else { continue };
            match (name.as_str(), &descriptor.returns) {
                _ if callable.owner.is_none() => {}
                ("equals", Some(Type::Boolean)) if *param == Type::class("java/lang/Object") => {
                    equals.insert(callable.params[0], judge);
                }
                ("compareTo", Some(Type::Int)) => {
                    orders.insert(callable.params[0], judge);
                }
                _ => {}
            }
        }
        Pairs {
            rng: Rng::new(seed ^ SALT),
            equals,
            orders,
            judges: FxHashMap::default(),
            met: FxHashMap::default(),
            asked: FxHashMap::default(),
            again: VecDeque::new(),
            found: VecDeque::new(),
            steps: 0,
        }
    }

    /// A candidate that shows a law broken in a meeting.
    pub fn next_candidate(&mut self) -> Option<Candidate> {
        self.found.pop_front()
    }

    /// A meeting, if it is time for one: `total` is all steps so far.
    pub fn next_meeting(&mut self, total: u64, makings: &mut Makings<'_>) -> Option<Meeting> {
        if self.steps * SHARE > total {
            return None;
        }
        let meeting = match self.again.pop_front() {
            Some(meeting) => meeting,
            None => self.arrange(makings)?,
        };
        self.steps += meeting.steps.len() as u64;
        Some(meeting)
    }

    /// Objects of the type that met least.
    fn arrange(&mut self, makings: &mut Makings<'_>) -> Option<Meeting> {
        let mut least: Option<(u32, TypeId)> = None;
        for values in makings.pool.by_type() {
            let Some(ty) = values.first().map(|value| value.ty) else { continue };
            let met = self.met.get(&ty).copied().unwrap_or(0);
            if least.is_none_or(|(fewest, _)| met < fewest) && self.judge(ty, makings.catalogue).is_some() {
                least = Some((met, ty));
            }
        }
        let (_, ty) = least?;
        *self.met.entry(ty).or_default() += 1;
        let members = self.members(ty, makings);
        (members.len() > 1).then(|| Meeting::new(ty, members, &mut makings.catalogue.operations))
    }

    /// Who compares objects of this type: the nearest `equals` under test, else the nearest `compareTo`.
    fn judge(&mut self, ty: TypeId, catalogue: &Catalogue) -> Option<Judge> {
        if let Some(&known) = self.judges.get(&ty) {
            return known;
        }
        let above = catalogue.types.supers(ty);
        let nearest = |judges: &FxHashMap<TypeId, Judge>| above.iter().find_map(|ty| judges.get(ty).copied());
        let judge = nearest(&self.equals).or_else(|| nearest(&self.orders));
        self.judges.insert(ty, judge);
        judge
    }

    fn members(&mut self, ty: TypeId, makings: &mut Makings<'_>) -> Vec<Member> {
        let mut members: Vec<Member> = self.drawn(ty, makings).into_iter().collect();
        for _ in 0..2 * MEMBERS {
            if members.len() == MEMBERS || members.is_empty() {
                break;
            }
            let member = if self.rng.chance(VARIED) {
                let mut near = members[self.rng.below(members.len())].clone();
                near::vary(&mut near.steps, &mut makings.catalogue.operations, &mut self.rng).then_some(near)
            } else if self.rng.chance(COPIED) {
                Some(members[self.rng.below(members.len())].clone())
            } else {
                let related = self.related(ty, makings);
                self.drawn(related, makings)
            };
            members.extend(member);
        }
        members
    }

    /// Mostly the type itself; sometimes one above it, whose other subtypes may know each other or not.
    fn related(&mut self, ty: TypeId, makings: &Makings<'_>) -> TypeId {
        if !self.rng.chance(RELATED) {
            return ty;
        }
        let types = &makings.catalogue.types;
        let object = Type::class("java/lang/Object");
        let above: Vec<TypeId> =
            types.supers(ty).iter().copied().filter(|&above| *types.get(above) != object).collect();
        self.rng.pick(&above).copied().unwrap_or(ty)
    }

    /// A member that can be used as the type: the shorter of two, among those that are no trouble.
    fn drawn(&mut self, ty: TypeId, makings: &Makings<'_>) -> Option<Member> {
        let mut best: Option<PoolValue> = None;
        let mut taken = 0;
        for _ in 0..DRAWS {
            let value = makings.pool.draw_evenly(ty, &mut self.rng)?;
            if value.length > LONGEST || !is_plain(&value, makings) {
                continue;
            }
            best = best.filter(|best| best.length <= value.length).or(Some(value));
            taken += 1;
            if taken == 2 {
                break;
            }
        }
        let value = best?;
        let mut steps = Vec::new();
        makings.store.flatten(value.sequence, &mut steps);
        Some(Member { ty: value.ty, steps, value: value.step })
    }

    /// Learns from a meeting. One that a member ended is held again without it.
    pub fn saw(&mut self, meeting: Meeting, seen: &Observation, catalogue: &mut Catalogue) {
        match seen.end {
            End::Completed if seen.is_harmless() => self.ask_again(&meeting, seen, catalogue),
            End::Completed => {}
            End::Threw(step) | End::Refused(step) => {
                let Some(out) = meeting.member_at(step) else { return };
                let Meeting { of, mut members, .. } = meeting;
                members.remove(out);
                if members.len() > 1 {
                    self.again.push_back(Meeting::new(of, members, &mut catalogue.operations));
                }
            }
            End::TimedOut(_) | End::Exhausted(_) | End::Died { .. } => {
                *self.met.entry(meeting.of).or_default() += STOPPED;
            }
        }
    }

    fn ask_again(&mut self, meeting: &Meeting, seen: &Observation, catalogue: &Catalogue) {
        for violation in &seen.violations {
            let of: Option<Vec<&Member>> = violation.steps.iter().map(|&step| meeting.made(step)).collect();
            let Some((judge, one, other)) = of.and_then(|of| self.parties(&of, catalogue)) else { continue };
            let asked = self.asked.entry((judge.callable, violation.contract)).or_default();
            if *asked < ASKED {
                *asked += 1;
                self.found.push_back(candidate(one, other, judge));
            }
        }
    }

    /// Which of them is asked, by which method, and about whom.
    fn parties<'m>(
        &mut self,
        of: &[&'m Member],
        catalogue: &Catalogue,
    ) -> Option<(Judge, &'m Member, Option<&'m Member>)> {
        let (first, last) = (*of.first()?, *of.last()?);
        for (one, other) in [(first, last), (last, first)] {
            let Some(judge) = self.judge(one.ty, catalogue) else { continue };
            let takes = catalogue.callable(judge.callable).params.get(1).copied()?;
            if catalogue.types.is_subtype(other.ty, takes) {
                return Some((judge, one, (of.len() > 1).then_some(other)));
            }
        }
        None
    }
}

/// Makes an object, and another if there is one, and has them compared.
fn candidate(one: &Member, other: Option<&Member>, judge: Judge) -> Candidate {
    let mut steps = Vec::new();
    let first = append(one, &mut steps);
    let second = other.map_or(first, |other| append(other, &mut steps));
    let call = steps.len() as u16;
    steps.push(Step { operation: judge.operation, args: [first, second].into_iter().collect() });
    let mut touched: SmallVec<[u16; 6]> = SmallVec::from_slice(&[first.0, second.0]);
    touched.dedup();
    Candidate {
        callable: judge.callable,
        parts: SmallVec::new(),
        tail: 0,
        call,
        steps,
        touched,
        attempt: None,
        sites: Vec::new(),
        substituted: false,
        receiver: None,
        is_unhurried: false,
        is_weighed: false,
        stem: Default::default(),
    }
}

/// Whether no stand-in takes part: nobody keeps the laws of those.
fn is_plain(value: &PoolValue, makings: &Makings<'_>) -> bool {
    let mut plain = true;
    makings.store.operations(value.sequence, &mut |operation| {
        plain &= !matches!(makings.catalogue.operations.get(operation), Operation::Stub(_));
    });
    plain
}
