//! Contracts of the user: methods of theirs that judge objects and calls.
//!
//! In: what the configuration lists. Out: for an object or a call, the contracts that concern it, looked up once per class loader.
//! A contract whose class cannot be loaded judges nothing.

use probat_jvm::{Env, Method, Ref, Trust, Value};
use probat_model::{Contract, Judges, Operation, StepId, Target, Type, UserContract, Violation};
use rustc_hash::FxHashMap;

use super::{Called, Check, Interrupted, Subject};
use crate::thrown::{Bounds, Sorter};
use crate::types::{TypeId, Types};

/// The contracts of the user, and what is known about classes and operations.
#[derive(Debug)]
pub struct UserContracts {
    all: Vec<UserContract>,
    /// By contract; empty until something is to be judged with the current loader.
    ready: Vec<Option<Ready>>,
    /// Contracts of objects, by class.
    of_class: FxHashMap<u32, Box<[u16]>>,
    /// Contracts of calls, by operation.
    of_operation: FxHashMap<u32, Box<[u16]>>,
    judges_calls: bool,
}

/// A contract with its method looked up.
#[derive(Debug)]
struct Ready {
    method: Method,
    is_static: bool,
    /// The type judged, or the class of receivers.
    of: Option<TypeId>,
}

/// What looking methods up needs.
#[derive(Debug)]
pub struct Lookup<'a> {
    pub types: &'a mut Types,
    pub sorter: &'a Sorter,
    pub bounds: Bounds,
}

impl UserContracts {
    pub fn new(all: Vec<UserContract>) -> Self {
        let judges_calls = all.iter().any(|one| !matches!(one.judges, Judges::Object(_)));
        UserContracts {
            all,
            ready: Vec::new(),
            of_class: FxHashMap::default(),
            of_operation: FxHashMap::default(),
            judges_calls,
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether any contract is about calls.
    #[inline]
    pub fn judges_calls(&self) -> bool {
        self.judges_calls
    }

    /// Forgets what belongs to a loader that is gone.
    pub fn forget(&mut self) {
        self.ready.clear();
        self.of_class.clear();
    }

    /// Finds methods and classes with the current loader, the first time only.
    pub fn prepare(&mut self, env: &mut Env<'_>, lookup: &mut Lookup<'_>) {
        if self.ready.len() == self.all.len() {
            return;
        }
        self.ready = self.all.iter().map(|contract| ready(env, lookup, contract)).collect();
    }

    /// Notes which contracts concern the class of an object. [`UserContracts::prepare`] comes first.
    pub fn note(&mut self, env: &Env<'_>, types: &Types, object: Ref<'_>, class: u32) {
        if self.of_class.contains_key(&class) {
            return;
        }
        let fits = |(at, contract): (usize, &UserContract)| {
            let is_object = matches!(contract.judges, Judges::Object(_));
            let of = self.ready[at].as_ref()?.of.filter(|_| is_object)?;
            env.is_instance_of(object, types.loaded(of)?.class.get()).then_some(at as u16)
        };
        let found = self.all.iter().enumerate().filter_map(fits).collect();
        self.of_class.insert(class, found);
    }

    /// Asks what concerns an object.
    pub fn alone(&self, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
        for &at in self.of_class.get(&one.class).map_or(&[][..], |found| found) {
            let Some(ready) = &self.ready[usize::from(at)] else { continue };
            let answer = if ready.is_static {
                check.call_static(&ready.method, &[Value::Object(Some(one.object))])?
            } else {
                check.call(&ready.method, one.object, &[])?
            };
            check.judged(at, vec![one.step], answer);
        }
        Ok(())
    }

    /// Contracts that may concern the calls of an operation.
    fn of_calls(&mut self, id: u32, operation: &Operation) -> &[u16] {
        let all = &self.all;
        self.of_operation.entry(id).or_insert_with(|| {
            let concerns = |contract: &UserContract| match &contract.judges {
                Judges::Object(_) => false,
                Judges::Before(call) | Judges::After(call) => call.may_be(operation),
            };
            let found = all.iter().enumerate().filter(|(_, contract)| concerns(contract));
            found.map(|(at, _)| at as u16).collect()
        })
    }

    /// Whether a contract judges this very call: receivers of other classes are none of its business.
    fn judges(&self, at: u16, types: &Types, env: &Env<'_>, args: &[Value<'_>]) -> Option<&Ready> {
        let ready = self.ready[usize::from(at)].as_ref()?;
        let Some(of) = ready.of else { return Some(ready) };
        match args.first() {
            Some(Value::Object(Some(receiver))) => {
                env.is_instance_of(*receiver, types.loaded(of)?.class.get()).then_some(ready)
            }
            _ => None,
        }
    }

    /// Whether any precondition of a call refuses its arguments.
    pub fn refuses(
        &mut self,
        check: &mut Check<'_, '_, '_>,
        types: &Types,
        (id, operation): (u32, &Operation),
        args: &[Value<'_>],
    ) -> Result<bool, Interrupted> {
        let concerned = self.of_calls(id, operation).to_vec();
        for at in concerned {
            if !matches!(self.all[usize::from(at)].judges, Judges::Before(_)) {
                continue;
            }
            let Some(ready) = self.judges(at, types, check.env, args) else { continue };
            match check.call_static(&ready.method, args)? {
                Called::Gave(Value::Boolean(false)) | Called::Threw(_) => return Ok(true),
                Called::Gave(_) | Called::Ended | Called::Nothing => {}
            }
        }
        Ok(false)
    }

    /// Asks the postconditions of a call that returned; `args` ends with its result, if it has one.
    pub fn after(
        &mut self,
        check: &mut Check<'_, '_, '_>,
        types: &Types,
        (id, operation): (u32, &Operation),
        args: &[Value<'_>],
        steps: &[StepId],
    ) -> Result<(), Interrupted> {
        let concerned = self.of_calls(id, operation).to_vec();
        for at in concerned {
            if !matches!(self.all[usize::from(at)].judges, Judges::After(_)) {
                continue;
            }
            let Some(ready) = self.judges(at, types, check.env, args) else { continue };
            let answer = check.call_static(&ready.method, args)?;
            check.judged(at, steps.to_vec(), answer);
        }
        Ok(())
    }
}

impl<'f> Check<'_, '_, 'f> {
    fn call_static(&mut self, method: &Method, args: &[Value<'_>]) -> Result<Called<'f>, Interrupted> {
        self.watched(|env| env.call_static(method, args, Trust::Caller))
    }

    /// Notes a violation if the answer is no.
    fn judged(&mut self, at: u16, steps: Vec<StepId>, answer: Called<'_>) {
        let thrown = match answer {
            Called::Gave(Value::Boolean(false)) => None,
            Called::Threw(thrown) => Some(thrown),
            Called::Gave(_) | Called::Ended | Called::Nothing => return,
        };
        self.violations.push(Violation { contract: Contract::User(at), steps, thrown });
    }
}

/// Looks a contract's method up; its class is initialised now, not while an object is judged.
fn ready(env: &mut Env<'_>, lookup: &mut Lookup<'_>, contract: &UserContract) -> Option<Ready> {
    let (class, name, descriptor, is_static) = match &contract.operation {
        Operation::Call { class, name, descriptor, .. } => (class, name, descriptor, false),
        Operation::CallStatic { class, name, descriptor, .. } => (class, name, descriptor, true),
        _ => return None,
    };
    let id = loaded(env, lookup, &Type::Class(class.clone()))?;
    if lookup.types.initialise(env, id, lookup.sorter, lookup.bounds, Vec::new).is_some() {
        return None;
    }
    let class = lookup.types.loaded(id)?.class.get();
    let descriptor = descriptor.descriptor();
    let found = if is_static {
        env.static_method(class, name, &descriptor)
    } else {
        env.method(class, name, &descriptor)
    };
    let method = found.ok()?;
    let of = match &contract.judges {
        Judges::Object(ty) => Some(loaded(env, lookup, ty)?),
        Judges::Before(call) | Judges::After(call) => match &call.target {
            Target::Receiver(class) => Some(loaded(env, lookup, &Type::Class(class.clone()))?),
            Target::Static(_) | Target::New(_) => None,
        },
    };
    Some(Ready { method, is_static, of })
}

fn loaded(env: &mut Env<'_>, lookup: &mut Lookup<'_>, ty: &Type) -> Option<TypeId> {
    let id = lookup.types.id(ty);
    lookup.types.load(env, id).is_ok().then_some(id)
}
