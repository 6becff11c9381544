//! A tiny machine for tests: classes whose methods are Rust functions over a heap of a few values.
//!
//! In: operations and items. Out: observations as a worker would give them: outcomes, states, an edge per method and outcome, and the
//! contracts of `equals` and `hashCode` where a class breaks them on purpose.

use std::collections::BTreeMap;
use std::hash::Hasher;

use probat_model::{
    ClassName, Contract, End, JavaString, Literal, MethodDescriptor, Observation, Operation, OperationTable,
    ProbeId, Refusal, Slow, StateHash, StateSeen, Step, StepId, StepOutcome, Thrown, Value, Violation,
};
use probat_protocol::Item;

use crate::catalogue::{Body as CodeBody, BodyId, CallableId, Catalogue, Owner, OwnerId};
use crate::executor::Executor;
use crate::types::fake::Lines;

/// A value of the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum V {
    Void,
    Null,
    Bool(bool),
    Int(i32),
    Text(String),
    Ref(usize),
}

/// An object.
#[derive(Debug, Clone)]
pub struct Obj {
    pub class: String,
    pub fields: Vec<V>,
}

/// All objects of a run.
#[derive(Debug, Default)]
pub struct Heap(pub Vec<Obj>);

impl Heap {
    /// The object behind a reference.
    pub fn at(&mut self, value: &V) -> &mut Obj {
        match value {
            V::Ref(at) => &mut self.0[*at],
            other => panic!("{other:?} is no object"),
        }
    }

    pub fn int(&mut self, value: &V, field: usize) -> i32 {
        match self.at(value).fields[field] {
            V::Int(number) => number,
            ref other => panic!("{other:?} is no number"),
        }
    }

    fn linearise(&self, value: &V, seen: &mut Vec<usize>, out: &mut String) {
        match value {
            V::Ref(at) => match seen.iter().position(|known| known == at) {
                Some(known) => out.push_str(&format!("#{known} ")),
                None => {
                    seen.push(*at);
                    out.push_str(&format!("{}( ", self.0[*at].class));
                    self.0[*at].fields.iter().for_each(|field| self.linearise(field, seen, out));
                    out.push_str(") ");
                }
            },
            other => out.push_str(&format!("{other:?} ")),
        }
    }

    /// The canonical text of a value.
    pub fn text(&self, value: &V) -> String {
        let mut out = String::new();
        self.linearise(value, &mut Vec::new(), &mut out);
        out
    }
}

/// A method: the receiver or new object first; `Err` is the class of an exception.
pub type Body = fn(&mut Heap, &[V]) -> Result<V, &'static str>;

/// The machine.
#[derive(Debug, Default)]
pub struct Fake {
    bodies: BTreeMap<(String, String), Body>,
    /// Classes that are compared by their fields; the others by identity.
    by_fields: Vec<String>,
    pub runs: usize,
}

impl Fake {
    pub fn new(by_fields: &[&str]) -> Self {
        let by_fields = by_fields.iter().map(|class| (*class).to_owned()).collect();
        Fake { by_fields, ..Fake::default() }
    }

    /// Adds a member under test: `new` makes a constructor, `static x` a static method.
    pub fn add(
        &mut self,
        catalogue: &mut Catalogue,
        lines: &Lines,
        class: &str,
        name: &str,
        descriptor: &str,
        body: Body,
    ) -> CallableId {
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        let named = ClassName::internal(class);
        let plain = name.strip_prefix("static ").unwrap_or(name);
        let operation = match name {
            "new" => Operation::Construct { class: named.clone(), descriptor },
            _ if plain != name => Operation::CallStatic {
                class: named.clone(),
                name: plain.into(),
                descriptor,
                interface: false,
            },
            _ => Operation::Call { class: named.clone(), name: plain.into(), descriptor, interface: false },
        };
        self.bodies.insert((class.to_owned(), plain.to_owned()), body);
        let id = catalogue.add_plain(operation, lines);
        let ty = catalogue.types.intern(&probat_model::Type::Class(named), lines);
        let owner = match catalogue.owners.iter().position(|owner| owner.ty == ty) {
            Some(at) => OwnerId(at as u32),
            None => {
                catalogue.owners.push(Owner { ty, literals: Default::default() });
                OwnerId(catalogue.owners.len() as u32 - 1)
            }
        };
        let probes = catalogue.probes..catalogue.probes + 2;
        let body = BodyId(catalogue.bodies.len() as u32);
        catalogue.bodies.push(CodeBody { owner, probes, callees: Box::from([]) });
        catalogue.probes += 2;
        let callable = &mut catalogue.callables[id.0 as usize];
        callable.owner = Some(owner);
        callable.body = Some(body);
        id
    }

    /// Runs one item.
    pub fn observe(&mut self, table: &OperationTable, item: &Item) -> Observation {
        self.runs += 1;
        let mut run = Run { fake: self, heap: Heap::default(), values: Vec::new(), edges: Vec::new() };
        let mut seen = Observation {
            end: End::Completed,
            steps: Vec::new(),
            edges: Vec::new(),
            states: vec![None; item.observe.states.len()],
            violations: Vec::new(),
            taints: Vec::new(),
            leaks: Vec::new(),
            compared: Vec::new(),
            slow: Slow(false),
        };
        let steps = item.sequence.steps();
        for (at, step) in steps.iter().enumerate() {
            let id = StepId(at as u16);
            let outcome = run.step(table, step);
            let ended = match &outcome {
                StepOutcome::Returned(_) => None,
                StepOutcome::Threw(_) => Some(End::Threw(id)),
                StepOutcome::Refused(_) => Some(End::Refused(id)),
            };
            seen.steps.push((id, outcome));
            if let Some(end) = ended
                && !item.past_exceptions
            {
                seen.end = end;
                break;
            }
            for (request, state) in item.observe.states.iter().zip(&mut seen.states) {
                if usize::from(request.after) == at {
                    *state =
                        run.values[usize::from(request.roots[0].0)].as_ref().map(|value| run.state(value));
                }
            }
        }
        if item.observe.contracts && seen.end == End::Completed {
            seen.violations = run.violations(steps);
        }
        seen.edges = run.edges;
        seen.edges.sort();
        seen.edges.dedup();
        seen
    }
}

impl Executor for Fake {
    type Error = std::convert::Infallible;

    fn run(&mut self, table: &OperationTable, items: Vec<Item>) -> Result<Vec<Observation>, Self::Error> {
        Ok(items.iter().map(|item| self.observe(table, item)).collect())
    }
}

struct Run<'f> {
    fake: &'f Fake,
    heap: Heap,
    values: Vec<Option<V>>,
    edges: Vec<ProbeId>,
}

impl Run<'_> {
    fn step(&mut self, table: &OperationTable, step: &Step) -> StepOutcome {
        let mut args: Vec<V> = Vec::new();
        for arg in &step.args {
            match &self.values[usize::from(arg.0)] {
                Some(value) => args.push(value.clone()),
                None => {
                    self.values.push(None);
                    return StepOutcome::Refused(Refusal::MissingArgument { argument: 0 });
                }
            }
        }
        let operation = table.get(step.operation);
        if matches!(operation, Operation::Call { .. }) && args[0] == V::Null {
            self.values.push(None);
            return StepOutcome::Refused(Refusal::NullReceiver);
        }
        match self.perform(operation, args) {
            Ok(value) => {
                let shown = self.shown(&value);
                self.values.push(Some(value));
                StepOutcome::Returned(shown)
            }
            Err(class) => {
                self.values.push(None);
                let class = ClassName::internal(class);
                StepOutcome::Threw(Thrown { class, message: None, cause: None, frames: Vec::new() })
            }
        }
    }

    fn perform(&mut self, operation: &Operation, mut args: Vec<V>) -> Result<V, &'static str> {
        match operation {
            Operation::Literal(Literal::Int(value)) => Ok(V::Int(*value)),
            Operation::Literal(Literal::Boolean(value)) => Ok(V::Bool(*value)),
            Operation::Literal(Literal::String(text)) => Ok(V::Text(text.to_lossy())),
            Operation::Literal(Literal::Null(_)) => Ok(V::Null),
            Operation::Convert { .. } => Ok(args.remove(0)),
            Operation::ArrayOf { .. } => {
                self.heap.0.push(Obj { class: "array".into(), fields: args });
                Ok(V::Ref(self.heap.0.len() - 1))
            }
            Operation::Construct { class, .. } => {
                self.heap.0.push(Obj { class: class.as_internal().into(), fields: Vec::new() });
                let made = V::Ref(self.heap.0.len() - 1);
                args.insert(0, made.clone());
                if class.as_internal() != "java/lang/Object" {
                    self.invoke(class.as_internal(), "new", &args)?;
                }
                Ok(made)
            }
            Operation::Call { name, .. } if name == "equals" && !self.has(&args, "equals") => {
                Ok(V::Bool(self.equal(&args[0], &args[1])))
            }
            Operation::Call { name, .. } if name == "hashCode" && !self.has(&args, "hashCode") => {
                Ok(V::Int(self.hash(&args[0])))
            }
            Operation::Call { name, .. } => {
                let class = self.heap.at(&args[0]).class.clone();
                self.invoke(&class, name, &args)
            }
            Operation::CallStatic { class, name, .. } => self.invoke(class.as_internal(), name, &args),
            other => panic!("{other:?}"),
        }
    }

    fn has(&mut self, args: &[V], name: &str) -> bool {
        let V::Ref(at) = &args[0] else { return false };
        self.fake.bodies.contains_key(&(self.heap.0[*at].class.clone(), name.to_owned()))
    }

    fn invoke(&mut self, class: &str, name: &str, args: &[V]) -> Result<V, &'static str> {
        let key = (class.to_owned(), name.to_owned());
        let at = self.fake.bodies.keys().position(|known| *known == key).unwrap_or_else(|| panic!("{key:?}"));
        let result = self.fake.bodies[&key](&mut self.heap, args);
        self.edges.push(ProbeId(at as u32 * 2 + u32::from(result.is_err())));
        result
    }

    fn equal(&self, one: &V, other: &V) -> bool {
        match (one, other) {
            (V::Ref(a), V::Ref(_)) if self.fake.by_fields.contains(&self.heap.0[*a].class) => {
                self.heap.text(one) == self.heap.text(other)
            }
            _ => one == other,
        }
    }

    fn hash(&self, value: &V) -> i32 {
        match value {
            V::Ref(at) if !self.fake.by_fields.contains(&self.heap.0[*at].class) => *at as i32 + 1000,
            _ => {
                let mut hasher = rustc_hash::FxHasher::default();
                hasher.write(self.heap.text(value).as_bytes());
                hasher.finish() as i32
            }
        }
    }

    fn state(&self, value: &V) -> StateSeen {
        let text = self.heap.text(value);
        let hash = StateHash(xxhash_rust::xxh3::xxh3_128(text.as_bytes()));
        StateSeen { hash, tokens: 1, truncated: false, stored: None }
    }

    fn shown(&self, value: &V) -> Value {
        match value {
            V::Void => Value::Void,
            V::Null => Value::Null,
            V::Bool(value) => Value::Boolean(*value),
            V::Int(value) => Value::Int(*value),
            V::Text(text) => {
                let text: JavaString = text.as_str().into();
                Value::String { length: text.units().len() as u32, text }
            }
            V::Ref(at) if self.heap.0[*at].class == "array" => {
                let class = ClassName::internal("[Ljava/lang/Object;");
                Value::Array { class, length: self.heap.0[*at].fields.len() as u32 }
            }
            V::Ref(at) => Value::Object { class: ClassName::internal(&self.heap.0[*at].class) },
        }
    }

    /// An `equals` that says no to itself, and equal objects with different hash codes, on what the last step touched.
    fn violations(&mut self, steps: &[Step]) -> Vec<Violation> {
        let last = steps.len() - 1;
        let touched = steps[last].args.iter().copied().chain([StepId(last as u16)]);
        let mut found = Vec::new();
        let mut objects: Vec<(StepId, V)> = Vec::new();
        for step in touched {
            let Some(value @ V::Ref(_)) = self.values[usize::from(step.0)].clone() else { continue };
            if !self.has(std::slice::from_ref(&value), "equals") {
                continue;
            }
            if self.told("equals", &[value.clone(), value.clone()]) == Ok(V::Bool(false)) {
                let contract = Contract::EqualsReflexive;
                found.push(Violation { contract, steps: vec![step], thrown: None });
            }
            for (earlier, other) in objects.clone() {
                let is_equal = self.told("equals", &[other.clone(), value.clone()]) == Ok(V::Bool(true));
                if is_equal && self.hash_told(&other) != self.hash_told(&value) {
                    let contract = Contract::EqualsHashCode;
                    found.push(Violation { contract, steps: vec![earlier, step], thrown: None });
                }
            }
            objects.push((step, value));
        }
        found
    }

    /// What a method of an object says, without taking an edge.
    fn told(&mut self, name: &str, args: &[V]) -> Result<V, &'static str> {
        let class = self.heap.at(&args[0]).class.clone();
        let body = self.fake.bodies[&(class, name.to_owned())];
        body(&mut self.heap, args)
    }

    fn hash_told(&mut self, of: &V) -> V {
        if self.has(std::slice::from_ref(of), "hashCode") {
            return self.told("hashCode", std::slice::from_ref(of)).unwrap_or(V::Void);
        }
        V::Int(self.hash(of))
    }
}
