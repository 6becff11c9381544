//! One cause, one entry: which failures are the same seen through different members.
//!
//! In: failures as they were last seen. Out: a [`Cause`] for each. An exception belongs to the method of the code under test that it
//! came out of first; a null that a class left in a field, to that class; a broken law of objects, to the class that declares the method
//! which breaks it; running out of time or memory, to the class that was called.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use probat_model::{ClassName, Contract, Thrown};
use probat_search::campaign::FailureKind;

use super::doubt::{Evidence, is_jdk};
use super::facts::Facts;
use super::null::missing;

/// What failures have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// The exception, and the method or what was null.
    Thrown { class: ClassName, at: String },
    /// The law, and the classes whose methods break it.
    Law { law: &'static str, classes: Vec<ClassName> },
    /// The kind, and the class of the member.
    Limit { kind: &'static str, class: String },
    /// Nothing else is known.
    Member { kind: FailureKind, member: String },
}

/// The cause of a failure; `member` is what was called, in words.
pub(crate) fn cause(evidence: &Evidence<'_>, member: &str, facts: &dyn Facts) -> Cause {
    let alone = || Cause::Member { kind: evidence.kind.clone(), member: member.to_owned() };
    match evidence.kind {
        FailureKind::TimedOut | FailureKind::Exhausted => {
            let kind = if *evidence.kind == FailureKind::TimedOut { "time" } else { "memory" };
            Cause::Limit { kind, class: class_of(member) }
        }
        FailureKind::Died | FailureKind::Exits => alone(),
        FailureKind::Contract(Contract::User(_)) => alone(),
        FailureKind::Exception(_) => evidence.thrown.and_then(thrown_at).unwrap_or_else(alone),
        FailureKind::Contract(contract) => {
            let thrown = evidence.thrown.and_then(thrown_at);
            thrown.or_else(|| broken_law(*contract, evidence, facts)).unwrap_or_else(alone)
        }
    }
}

/// The innermost frame that is not the JDK's; of a null that an object holds, what holds it.
fn thrown_at(thrown: &Thrown) -> Option<Cause> {
    let frame = thrown.frames.iter().find(|frame| !is_jdk(&frame.class)).or(thrown.frames.first())?;
    let is_held = |name: &String| name.starts_with("this.") || name.ends_with(')');
    let is_innermost = thrown.frames.first().is_some_and(|first| first.class == frame.class);
    let at = match missing(thrown).filter(is_held).filter(|_| is_innermost) {
        Some(held) => format!("{} {held}", frame.class),
        // The JDK numbers the packages of proxies by their class loaders.
        None if frame.class.as_internal().starts_with("jdk/proxy") => format!("a proxy.{}", frame.method),
        None => format!("{}.{}", frame.class, frame.method),
    };
    Some(Cause::Thrown { class: thrown.class.clone(), at })
}

/// The law a contract is part of, and the method that keeps it.
fn law(contract: Contract) -> Option<(&'static str, &'static str, &'static str)> {
    const EQUALS: &str = "(Ljava/lang/Object;)Z";
    Some(match contract {
        Contract::EqualsReflexive | Contract::EqualsNull | Contract::EqualsSymmetric => {
            ("equals", "equals", EQUALS)
        }
        Contract::EqualsHashCode | Contract::HashCodeConsistent => ("hashCode", "hashCode", "()I"),
        Contract::CompareToReflexive | Contract::CompareToAntisymmetric => {
            ("compareTo", "compareTo", "(Ljava/lang/Object;)I")
        }
        Contract::CompareToEquals => ("order", "compareTo", "(Ljava/lang/Object;)I"),
        Contract::CloneSame | Contract::CloneClass => ("clone", "clone", "()Ljava/lang/Object;"),
        // A copy differs where `equals` says so.
        Contract::CloneEquals => ("copy", "equals", EQUALS),
        Contract::ToStringNull => ("toString", "toString", "()Ljava/lang/String;"),
        Contract::IteratorNext => ("next", "next", "()Ljava/lang/Object;"),
        Contract::IterableNext | Contract::CollectionIterator => {
            ("iterator", "iterator", "()Ljava/util/Iterator;")
        }
        Contract::CollectionSize | Contract::MapSize => ("size", "size", "()I"),
        Contract::CollectionEmpty | Contract::MapEmpty => ("isEmpty", "isEmpty", "()Z"),
        Contract::CollectionArray => ("toArray", "toArray", "()[Ljava/lang/Object;"),
        Contract::EqualsThrows
        | Contract::HashCodeThrows
        | Contract::ToStringThrows
        | Contract::CloneThrows
        | Contract::NullPointer
        | Contract::AssertionError
        | Contract::User(_) => return None,
    })
}

/// Whose method breaks a law. Of two objects it is the one under test; of two such, the one made from the other.
fn broken_law(contract: Contract, evidence: &Evidence<'_>, facts: &dyn Facts) -> Option<Cause> {
    let (law, name, descriptor) = law(contract)?;
    let mut of: Vec<(usize, ClassName)> = Vec::new();
    for step in evidence.of {
        let at = usize::from(step.0);
        let class = evidence.classes.get(at)?.as_ref()?;
        let declarer = facts.declarer(class, name, descriptor).unwrap_or_else(|| class.clone());
        // What is inherited from the JDK is broken by what the subclass does.
        of.push((at, if is_jdk(&declarer) { class.clone() } else { declarer }));
    }
    if of.iter().any(|(_, class)| !is_jdk(class)) {
        of.retain(|(_, class)| !is_jdk(class));
    }
    if let [(first, _), (second, _)] = of[..] {
        if is_made_from(evidence, second, first) {
            of.remove(0);
        } else if is_made_from(evidence, first, second) {
            of.remove(1);
        }
    }
    let mut classes: Vec<ClassName> = of.into_iter().map(|(_, class)| class).collect();
    classes.sort_unstable();
    classes.dedup();
    Some(Cause::Law { law, classes })
}

/// Whether one step's value was made from another's.
fn is_made_from(evidence: &Evidence<'_>, made: usize, from: usize) -> bool {
    let mut open = vec![made];
    while let Some(at) = open.pop() {
        for arg in &evidence.steps[at].args {
            let arg = usize::from(arg.0);
            if arg == from {
                return true;
            }
            open.push(arg);
        }
    }
    false
}

/// Of two classes that disagree, the one that disagrees with others too is to blame.
pub(crate) fn settle(causes: &mut [Cause]) {
    let mut seen: BTreeMap<(&'static str, ClassName), BTreeSet<Vec<ClassName>>> = BTreeMap::new();
    for cause in causes.iter() {
        if let Cause::Law { law, classes } = cause {
            for class in classes {
                seen.entry((law, class.clone())).or_default().insert(classes.clone());
            }
        }
    }
    for cause in causes {
        let Cause::Law { law, classes } = cause else { continue };
        if let [one, other] = classes.as_slice() {
            let company = |class: &ClassName| seen.get(&(*law, class.clone())).map_or(0, BTreeSet::len);
            match company(one).cmp(&company(other)) {
                Ordering::Greater => *classes = vec![one.clone()],
                Ordering::Less => *classes = vec![other.clone()],
                Ordering::Equal => {}
            }
        }
    }
}

impl Cause {
    /// Whether an object that this cause is about takes part in another failure of the same law: then that is an effect of this.
    pub fn explains(&self, other: &Cause, evidence: &Evidence<'_>, facts: &dyn Facts) -> bool {
        let (Cause::Law { law, classes }, Cause::Law { law: of, .. }) = (self, other) else { return false };
        let FailureKind::Contract(contract) = evidence.kind else { return false };
        let Some((_, name, descriptor)) = self::law(*contract).filter(|_| law == of) else { return false };
        let [class] = classes.as_slice() else { return false };
        evidence.classes.iter().flatten().any(|own| {
            own == class || facts.declarer(own, name, descriptor).is_some_and(|declarer| declarer == *class)
        })
    }
}

/// The class of a member in words: `a.B.c(int)` and `new a.B(int)` are both of `a.B`.
fn class_of(member: &str) -> String {
    let name = member.split('(').next().unwrap_or(member);
    match name.strip_prefix("new ") {
        Some(class) => class.to_owned(),
        None => name.rsplit_once('.').map_or(name, |(class, _)| class).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{Frame, JavaString};

    fn thrown(message: &str, frames: &[(&str, &str)]) -> Thrown {
        let frame = |(class, method): &(&str, &str)| Frame {
            class: ClassName::internal(class),
            method: (*method).to_owned(),
            line: Some(7),
        };
        Thrown {
            class: ClassName::internal("java/lang/NullPointerException"),
            message: Some(JavaString::from(message)),
            cause: None,
            frames: frames.iter().map(frame).collect(),
        }
    }

    fn at(thrown: &Thrown) -> String {
        match thrown_at(thrown) {
            Some(Cause::Thrown { at, .. }) => at,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exceptions_belong_to_the_innermost_method_that_is_not_the_jdks() {
        let one = thrown("x", &[("java/util/TreeMap", "compare"), ("a/B", "put"), ("a/C", "fill")]);
        assert_eq!(at(&one), "a.B.put");
        assert_eq!(at(&thrown("x", &[("java/util/TreeMap", "compare")])), "java.util.TreeMap.compare");
    }

    #[test]
    fn a_null_that_an_object_holds_is_one_cause_for_all_its_methods() {
        let text = "Cannot invoke \"java.util.Map.get(Object)\" because \"this.map\" is null";
        let (get, size) = (thrown(text, &[("a/B", "get")]), thrown(text, &[("a/B", "size")]));
        assert_eq!(at(&get), at(&size));
        let local = "Cannot invoke \"java.util.Map.get(Object)\" because \"map\" is null";
        assert_ne!(at(&thrown(local, &[("a/B", "get")])), at(&thrown(local, &[("a/B", "size")])));
    }

    #[test]
    fn who_disagrees_with_many_is_to_blame() {
        let law = |classes: &[&str]| Cause::Law {
            law: "hashCode",
            classes: classes.iter().map(|class| ClassName::internal(class)).collect(),
        };
        let mut causes = [law(&["a/A", "a/Bad"]), law(&["a/B", "a/Bad"]), law(&["a/X", "a/Y"])];
        settle(&mut causes);
        assert_eq!(causes, [law(&["a/Bad"]), law(&["a/Bad"]), law(&["a/X", "a/Y"])]);
    }

    #[test]
    fn members_tell_their_class() {
        assert_eq!(class_of("a.B.c(int)"), "a.B");
        assert_eq!(class_of("new a.B$C(java.lang.String)"), "a.B$C");
    }
}
