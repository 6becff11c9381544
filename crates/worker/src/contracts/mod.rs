//! Contracts that every object ought to keep (spec 001 §2.6), checked on what the last step touched.
//!
//! In: the receiver, arguments and result of a step. Out: [`Violation`]s. One file per family.
//! Runs `equals`, `hashCode` and friends of the code under test, each call watched like a step; stack overflow and
//! exhausted memory in one of them say nothing about a contract.

mod clone;
mod collection;
mod compare_to;
mod equals;
mod hash_code;
mod iterator;
mod nulls;
mod throwing;
mod to_string;
mod user;

use probat_jvm::{CallError, Class, Env, Global, Method, MethodId, Ref, Trust, Value};
use probat_model::{Contract, ContractFamily, StepId, Thrown, Violation};
use probat_protocol::WorkerConfig;
use rustc_hash::FxHashMap;

use crate::class_key::Named;
use crate::fault::Fault;
use crate::jdk;
use crate::shared::Shared;
use crate::stubs;
use crate::thrown::{self, Bounds, Sort, Sorter};
use crate::watch::Place;

use collection::CollectionKit;
pub use nulls::holds_null;
pub use user::{Lookup, UserContracts};

/// Objects looked at per step; pairs grow with the square.
pub const MANY: usize = 8;

/// An object to check, and the step it came from.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'v> {
    pub step: StepId,
    pub object: Ref<'v>,
    pub class: u32,
    pub profile: Profile,
}

/// Which contracts concern a class: those whose methods it does not just inherit from `Object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Profile {
    pub equals: bool,
    pub hash_code: bool,
    pub to_string: bool,
    pub compare_to: bool,
    pub clone: bool,
    pub iterator: bool,
    pub collection: bool,
    pub map: bool,
}

/// The methods of the contracts, and what is known about classes.
#[derive(Debug)]
pub struct Contracts {
    equals: Method,
    hash_code: Method,
    to_string: Method,
    compare_to: Method,
    clone: Method,
    comparable: Global<Class>,
    cloneable: Global<Class>,
    collections: CollectionKit,
    iterators: Global<Class>,
    collection: Global<Class>,
    map: Global<Class>,
    /// What other threads may change at any time promises less.
    shared: [Global<Class>; 2],
    unchecked: Vec<ContractFamily>,
    profiles: FxHashMap<u32, Profile>,
    pub user: UserContracts,
}

/// Packages whose contracts the JDK's own tests have settled. What breaks in them is the doing of what they hold.
const TRUSTED: [&str; 4] = ["java/", "javax/", "jdk/", "sun/"];

/// Whether a class, in internal form, is in one of them.
pub fn is_trusted(name: &str) -> bool {
    TRUSTED.iter().any(|package| name.starts_with(package))
}

impl Contracts {
    pub fn new(env: &mut Env<'_>, config: &WorkerConfig) -> Result<Self, Fault> {
        let object = "java/lang/Object";
        Ok(Contracts {
            equals: jdk::method(env, object, "equals", "(Ljava/lang/Object;)Z")?,
            hash_code: jdk::method(env, object, "hashCode", "()I")?,
            to_string: jdk::method(env, object, "toString", "()Ljava/lang/String;")?,
            compare_to: jdk::method(env, "java/lang/Comparable", "compareTo", "(Ljava/lang/Object;)I")?,
            clone: jdk::method(env, object, "clone", "()Ljava/lang/Object;")?,
            comparable: jdk::class(env, "java/lang/Comparable")?,
            cloneable: jdk::class(env, "java/lang/Cloneable")?,
            collections: CollectionKit::new(env)?,
            iterators: jdk::class(env, "java/util/Iterator")?,
            collection: jdk::class(env, "java/util/Collection")?,
            map: jdk::class(env, "java/util/Map")?,
            shared: [
                jdk::class(env, "java/util/concurrent/ConcurrentMap")?,
                jdk::class(env, "java/util/concurrent/BlockingQueue")?,
            ],
            unchecked: config.unchecked.clone(),
            profiles: FxHashMap::default(),
            user: UserContracts::new(config.contracts.clone()),
        })
    }

    /// Forgets classes whose loader is gone.
    pub fn forget(&mut self) {
        self.profiles.clear();
        self.user.forget();
    }

    /// What concerns the class of an object.
    pub fn profile(&mut self, env: &Env<'_>, object: Ref<'_>, named: Named<'_>) -> Profile {
        if let Some(&known) = self.profiles.get(&named.key.0) {
            return known;
        }
        let simple = named.name.rsplit('/').next().unwrap_or(named.name);
        let profile =
            if is_trusted(named.name) || named.name.starts_with('[') || simple.starts_with(stubs::PREFIX) {
                Profile::default()
            } else {
                self.checked(self.look(env, object, named.name))
            };
        self.profiles.insert(named.key.0, profile);
        profile
    }

    /// Without what is switched off.
    fn checked(&self, profile: Profile) -> Profile {
        let is_on = |family| !self.unchecked.contains(&family);
        Profile {
            equals: profile.equals && is_on(ContractFamily::Equals),
            hash_code: profile.hash_code && is_on(ContractFamily::HashCode),
            to_string: profile.to_string && is_on(ContractFamily::ToString),
            compare_to: profile.compare_to && is_on(ContractFamily::CompareTo),
            clone: profile.clone && is_on(ContractFamily::Clone),
            iterator: profile.iterator && is_on(ContractFamily::Iterator),
            collection: profile.collection && is_on(ContractFamily::Collection),
            map: profile.map && is_on(ContractFamily::Collection),
        }
    }

    /// What an exception that left a step says, unless that is switched off.
    pub fn verdict(&self, step: StepId, thrown: &Thrown, saw_null: bool) -> Option<Violation> {
        let violation = throwing::verdict(step, thrown, saw_null)?;
        let family = match violation.contract {
            Contract::NullPointer => ContractFamily::NullPointer,
            _ => ContractFamily::Assertion,
        };
        (!self.unchecked.contains(&family)).then_some(violation)
    }

    fn look(&self, env: &Env<'_>, object: Ref<'_>, name: &str) -> Profile {
        let is_a = |class: &Global<Class>| env.is_instance_of(object, class.get());
        let settled = !collection::is_fleeting(name) && !self.shared.iter().any(is_a);
        let class = env.object_class(object);
        let overrides = |inherited: MethodId, name: &str, descriptor: &str| {
            env.method(class.get(), name, descriptor).is_ok_and(|method| method.id() != inherited)
        };
        let profile = Profile {
            equals: overrides(self.equals.id(), "equals", "(Ljava/lang/Object;)Z"),
            hash_code: overrides(self.hash_code.id(), "hashCode", "()I"),
            to_string: overrides(self.to_string.id(), "toString", "()Ljava/lang/String;"),
            compare_to: env.is_instance_of(object, self.comparable.get()),
            clone: env.is_instance_of(object, self.cloneable.get())
                && overrides(self.clone.id(), "clone", "()Ljava/lang/Object;"),
            iterator: settled && is_a(&self.iterators),
            collection: settled && is_a(&self.collection),
            map: settled && is_a(&self.map),
        };
        env.delete(class);
        profile
    }

    /// Checks all contracts on the objects, alone and in pairs.
    pub fn check(&self, check: &mut Check<'_, '_, '_>, subjects: &[Subject<'_>]) -> Result<(), Interrupted> {
        for (at, one) in subjects.iter().enumerate() {
            equals::alone(self, check, one)?;
            hash_code::alone(self, check, one)?;
            to_string::alone(self, check, one)?;
            compare_to::alone(self, check, one)?;
            clone::alone(self, check, one)?;
            collection::alone(self, check, one)?;
            self.user.alone(check, one)?;
            for other in &subjects[at + 1..] {
                equals::pair(self, check, one, other)?;
                compare_to::pair(self, check, one, other)?;
            }
        }
        for one in subjects {
            iterator::last(self, check, one)?;
        }
        Ok(())
    }
}

/// Checking ended early. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// The watchdog gave up on a call, and what it threw did not come out.
    Stopped,
    /// What the watchdog threw came out of the call, so nothing is left of it.
    Ended,
    /// The heap was full in a call; there is room again once the sequence is over.
    Heap,
    /// Other memory ran out in a call.
    Memory,
}

/// One round of checks.
#[derive(Debug)]
pub struct Check<'c, 'e, 'f> {
    pub env: &'e mut Env<'f>,
    pub shared: &'c Shared,
    pub sorter: &'c Sorter,
    pub bounds: Bounds,
    pub place: Place,
    pub violations: Vec<Violation>,
    /// An iterator that was judged has gone on.
    pub took_element: bool,
}

/// What the JVM answers to a call.
type Answer<'f> = Result<Option<Value<'f>>, CallError<'f>>;

/// What a contract's method did. Match without `_`.
#[derive(Debug)]
enum Called<'f> {
    Gave(Value<'f>),
    /// A method without result returned.
    Ended,
    Threw(Thrown),
    /// The stack overflowed: no verdict.
    Nothing,
}

impl<'f> Check<'_, '_, 'f> {
    fn call(
        &mut self,
        method: &Method,
        receiver: Ref<'_>,
        args: &[Value<'_>],
    ) -> Result<Called<'f>, Interrupted> {
        // Receivers are instances of the class the method was looked up in: `Object`, what their profile says, or what a
        // contract of the user judges; the one parameter there is takes any object.
        self.watched(|env| env.call(method, receiver, args, Trust::Caller))
    }

    /// Makes a call of ours, watched like a step.
    fn watched(&mut self, call: impl FnOnce(&mut Env<'f>) -> Answer<'f>) -> Result<Called<'f>, Interrupted> {
        self.shared.watch.enter(self.place);
        let called = match call(self.env) {
            Ok(Some(value)) => Ok(Called::Gave(value)),
            Ok(None) => Ok(Called::Ended),
            Err(CallError::Rejected(_)) => Ok(Called::Nothing),
            Err(CallError::Threw(exception)) => {
                let exception = exception.into_local();
                if self.shared.is_stop(self.env, exception.get()) {
                    self.env.delete(exception);
                    let _ = self.shared.watch.leave();
                    return Err(Interrupted::Ended);
                }
                let called = match self.sorter.sort(self.env, exception.get()) {
                    Sort::Memory if thrown::is_about_the_heap(self.env, exception.get()) => {
                        Err(Interrupted::Heap)
                    }
                    Sort::Memory => Err(Interrupted::Memory),
                    Sort::Stack => Ok(Called::Nothing),
                    Sort::Ordinary | Sort::Initialiser => {
                        Ok(Called::Threw(thrown::report(self.env, exception.get(), self.bounds)))
                    }
                };
                self.env.delete(exception);
                called
            }
        };
        if self.shared.watch.leave() { Err(Interrupted::Stopped) } else { called }
    }

    /// Calls a method that gives a boolean; an exception is a violation of `throws`.
    fn boolean(
        &mut self,
        method: &Method,
        one: &Subject<'_>,
        arg: Option<&Subject<'_>>,
        throws: Contract,
    ) -> Result<Option<bool>, Interrupted> {
        match self.call(method, one.object, &[Value::Object(arg.map(|arg| arg.object))])? {
            Called::Gave(Value::Boolean(answer)) => Ok(Some(answer)),
            Called::Threw(thrown) => {
                // Who was asked about whom: a test that asks otherwise may well pass.
                let of: Vec<&Subject<'_>> = std::iter::once(one).chain(arg).collect();
                self.violated(throws, &of, Some(thrown));
                Ok(None)
            }
            Called::Gave(_) | Called::Ended | Called::Nothing => Ok(None),
        }
    }

    /// Calls a method that gives an `int`; exceptions go to `threw`.
    fn int(
        &mut self,
        method: &Method,
        receiver: Ref<'_>,
        args: &[Value<'_>],
    ) -> Result<Result<i32, Option<Thrown>>, Interrupted> {
        Ok(match self.call(method, receiver, args)? {
            Called::Gave(Value::Int(answer)) => Ok(answer),
            Called::Threw(thrown) => Err(Some(thrown)),
            Called::Gave(_) | Called::Ended | Called::Nothing => Err(None),
        })
    }

    /// Calls a method that gives a boolean; what it throws is no answer.
    fn answer(
        &mut self,
        method: &Method,
        receiver: Ref<'_>,
        args: &[Value<'_>],
    ) -> Result<Option<bool>, Interrupted> {
        Ok(match self.call(method, receiver, args)? {
            Called::Gave(Value::Boolean(answer)) => Some(answer),
            Called::Gave(_) | Called::Ended | Called::Threw(_) | Called::Nothing => None,
        })
    }

    fn is_of_one_class(&self, one: Ref<'_>, other: Ref<'_>) -> bool {
        let (one, other) = (self.env.object_class(one), self.env.object_class(other));
        let same = self.env.is_same(one.get().erase(), other.get().erase());
        self.env.delete(one);
        self.env.delete(other);
        same
    }

    fn violated(&mut self, contract: Contract, on: &[&Subject<'_>], thrown: Option<Thrown>) {
        let mut steps: Vec<StepId> = on.iter().map(|subject| subject.step).collect();
        steps.dedup();
        let violation = Violation { contract, steps, thrown };
        if !self.violations.contains(&violation) {
            self.violations.push(violation);
        }
    }
}
