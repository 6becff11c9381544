//! Pruning by `equals`, or by an equality of the user (spec 001 §2.8).
//!
//! In: legal sequences with values whose newness only running code can tell. Out: questions, which are sequences to run, and from their
//! answers the values that equal no earlier one. No object outlives its sequence, so an earlier value is made again beside the new one:
//!
//! ```text
//! hash:     steps, steps again, v.hashCode(), v'.hashCode()     tells which earlier values can be equal at all
//! compare:  steps, steps of an earlier value w, v.equals(w), …
//! ```
//!
//! A hash code that differs between two copies of one value comes from identity, in the value itself or in something it holds. Such a value
//! equals no other, and its hash code, which depends on the history of a JVM, decides nothing.

use std::collections::VecDeque;

use probat_model::{
    ClassName, MethodDescriptor, Observation, Operation, OperationId, OperationTable, Step, StepId, Value,
};
use rustc_hash::FxHashMap;

use crate::assemble::Candidate;
use crate::store::{SequenceId, Store};
use crate::types::TypeId;

/// Earlier values a new one is compared with, the latest first; more of one hash are rare.
const RIVALS: usize = 16;

/// Steps of one question; earlier values that would make it longer are left out.
const LONGEST: usize = 4000;

/// A value that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    pub step: u16,
    pub ty: TypeId,
    bucket: Option<Bucket>,
    /// How many of its rivals it was compared with.
    compared: usize,
    equal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Bucket {
    /// What `hashCode` gave, twice.
    Hash(i32),
    /// It equals nothing but itself.
    Alone,
    /// A user's equality has no hash code: all values of the type.
    Type(TypeId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rival {
    sequence: SequenceId,
    step: u16,
}

/// A question, ready to run.
#[derive(Debug, Clone)]
pub struct Question {
    pub candidate: Candidate,
    pub values: Vec<Asked>,
    /// Steps of the run: those of the candidate, and what tells.
    pub steps: Vec<Step>,
    /// Which value each telling step speaks of.
    tells: Vec<(StepId, usize)>,
    is_comparison: bool,
}

/// What came of a question. Match without `_`.
#[derive(Debug)]
pub enum Answer {
    /// It must be asked again, against earlier values.
    More,
    /// The values that equal no earlier one.
    New(Box<Candidate>, Vec<Asked>),
}

/// All values that are unlike each other, and the questions not yet run.
#[derive(Debug)]
pub struct Equality {
    equals: OperationId,
    hash_code: Option<OperationId>,
    known: FxHashMap<Bucket, Vec<Rival>>,
    waiting: VecDeque<Question>,
}

impl Equality {
    /// By `equals` of the values; or by a static method that takes two objects.
    pub fn new(operations: &mut OperationTable, custom: Option<&Operation>) -> Self {
        let of_object = |name: &str, descriptor: &str| Operation::Call {
            class: ClassName::internal("java/lang/Object"),
            name: name.into(),
            descriptor: MethodDescriptor::parse(descriptor).expect("a well-formed descriptor"),
            interface: false,
        };
        let (equals, hash_code) = match custom {
            Some(method) => (operations.intern(method.clone()), None),
            None => (
                operations.intern(of_object("equals", "(Ljava/lang/Object;)Z")),
                Some(operations.intern(of_object("hashCode", "()I"))),
            ),
        };
        Equality { equals, hash_code, known: FxHashMap::default(), waiting: VecDeque::new() }
    }

    /// Asks about values of a legal sequence.
    pub fn ask(&mut self, store: &Store, candidate: Candidate, values: &[(u16, TypeId)]) {
        let asked = |&(step, ty): &(u16, TypeId)| Asked { step, ty, bucket: None, compared: 0, equal: false };
        let mut values: Vec<Asked> = values.iter().map(asked).collect();
        let mut steps = candidate.steps.clone();
        let Some(hash_code) = self.hash_code else {
            values.iter_mut().for_each(|value| value.bucket = Some(Bucket::Type(value.ty)));
            self.compare(store, candidate, values);
            return;
        };
        let copy = steps.len() as u16;
        for step in &candidate.steps {
            let args = step.args.iter().map(|arg| StepId(arg.0 + copy)).collect();
            steps.push(Step { operation: step.operation, args });
        }
        let mut tells = Vec::new();
        for (at, value) in values.iter().enumerate() {
            for of in [value.step, value.step + copy] {
                tells.push((StepId(steps.len() as u16), at));
                steps.push(Step { operation: hash_code, args: [StepId(of)].into_iter().collect() });
            }
        }
        self.waiting.push_back(Question { candidate, values, steps, tells, is_comparison: false });
    }

    /// The next question to run.
    pub fn next_question(&mut self) -> Option<Question> {
        self.waiting.pop_front()
    }

    /// Learns from a question that ran past exceptions. A value whose own methods throw is no good to anyone else.
    pub fn answered(&mut self, store: &Store, mut question: Question, seen: &Observation) -> Answer {
        for &(step, at) in &question.tells {
            let value = &mut question.values[at];
            match (question.is_comparison, seen.value(step)) {
                (false, Some(Value::Int(hash))) => {
                    let own = Bucket::Hash(*hash);
                    value.bucket = Some(match value.bucket {
                        Some(first) if first != own => Bucket::Alone,
                        _ => own,
                    });
                }
                (true, Some(Value::Boolean(false))) => {}
                _ => value.equal = true,
            }
        }
        let Question { candidate, mut values, .. } = question;
        values.retain(|value| !value.equal && value.bucket.is_some());
        // Others may have been accepted while this question ran.
        if values.iter().any(|value| self.rivals(value).len() > value.compared) {
            self.compare(store, candidate, values);
            return Answer::More;
        }
        Answer::New(Box::new(candidate), values)
    }

    /// Notes values that were found new, and where the store keeps their sequence.
    pub fn accept(&mut self, values: &[Asked], sequence: SequenceId) {
        for value in values {
            if let Some(bucket) = value.bucket.filter(|bucket| *bucket != Bucket::Alone) {
                self.known.entry(bucket).or_default().push(Rival { sequence, step: value.step });
            }
        }
    }

    fn rivals(&self, value: &Asked) -> &[Rival] {
        value.bucket.and_then(|bucket| self.known.get(&bucket)).map_or(&[], Vec::as_slice)
    }

    fn compare(&mut self, store: &Store, candidate: Candidate, mut values: Vec<Asked>) {
        let mut steps = candidate.steps.clone();
        let mut tells = Vec::new();
        for (at, value) in values.iter_mut().enumerate() {
            let Some(rivals) = value.bucket.and_then(|bucket| self.known.get(&bucket)) else { continue };
            let unmet = &rivals[value.compared..];
            value.compared = rivals.len();
            for rival in unmet.iter().rev().take(RIVALS) {
                if steps.len() + store.length(rival.sequence) >= LONGEST {
                    break;
                }
                let base = steps.len() as u16;
                store.flatten(rival.sequence, &mut steps);
                tells.push((StepId(steps.len() as u16), at));
                let args = [StepId(value.step), StepId(base + rival.step)].into_iter().collect();
                steps.push(Step { operation: self.equals, args });
            }
        }
        self.waiting.push_back(Question { candidate, values, steps, tells, is_comparison: true });
    }
}
