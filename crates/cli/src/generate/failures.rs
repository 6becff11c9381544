//! Failures in words.
//!
//! In: what the search found. Out: the rule broken, and why a person should care.

use probat_generate::{FailureReport, contract_in_words, failure_key, known_key, user_contract};
use probat_model::{Contract, Thrown, UserContract};
use probat_search::campaign::FailureKind;
use probat_supervisor::describe;

use super::known::Known;
use super::report::FailureFound;

/// All of them, those with one cause as one entry.
pub fn all(reports: &[FailureReport], contracts: &[UserContract], known: &Known) -> Vec<FailureFound> {
    let mut causes: Vec<FailureFound> = Vec::new();
    for one in reports.iter().map(|report| found(report, contracts, known)) {
        match causes.iter_mut().find(|cause| is_same_cause(cause, &one)) {
            Some(cause) => join(cause, one),
            None => causes.push(one),
        }
    }
    causes
}

/// The same exception from the same line. Without a stack nothing can be said.
fn is_same_cause(a: &FailureFound, b: &FailureFound) -> bool {
    let class = |found: &FailureFound| {
        found.thrown.first().and_then(|line| line.split(':').next().map(str::to_owned))
    };
    a.kind == b.kind
        && a.contract == b.contract
        && a.known == b.known
        && a.thrown.get(1).is_some_and(|place| b.thrown.get(1) == Some(place))
        && class(a) == class(b)
}

/// The member that is on the stack itself speaks for the others.
fn join(cause: &mut FailureFound, mut other: FailureFound) {
    let is_on_stack = |found: &FailureFound| {
        let member = found.member.split('(').next().unwrap_or(&found.member);
        found
            .thrown
            .iter()
            .any(|line| line.strip_prefix("at ").and_then(|line| line.split(' ').next()) == Some(member))
    };
    if !is_on_stack(cause) && is_on_stack(&other) {
        std::mem::swap(&mut cause.member, &mut other.member);
        std::mem::swap(&mut cause.thrown, &mut other.thrown);
    }
    cause.also.push(other.member);
    cause.times += other.times;
    cause.after_steps = cause.after_steps.min(other.after_steps);
}

/// One entry of the report.
fn found(report: &FailureReport, contracts: &[UserContract], known: &Known) -> FailureFound {
    let failure = &report.failure;
    let member = describe(&report.member);
    let kind = failure_key(&failure.kind);
    let broken = failure.violation.as_ref().and_then(|violation| violation.thrown.as_ref());
    let thrown = broken.or(failure.thrown.as_ref());
    let known_key = known_key(&failure.kind, contracts);
    let contract = user_contract(&failure.kind, contracts);
    FailureFound {
        known: known.contains(&member, &known_key),
        member,
        kind,
        known_key,
        rule: match contract {
            Some(contract) => format!("{} holds", contract.name),
            None => rule(&failure.kind).to_owned(),
        },
        contract: contract.map(|contract| contract.name.clone()),
        why: why(&failure.kind),
        times: failure.times,
        after_steps: failure.after_steps,
        after_seconds: 0.0,
        is_suspect: match failure.kind {
            // Good advice that many good classes do not follow.
            FailureKind::Contract(Contract::CompareToEquals) => false,
            FailureKind::Contract(_) | FailureKind::Exception(_) | FailureKind::Died => true,
            FailureKind::TimedOut | FailureKind::Exhausted | FailureKind::Exits => false,
        },
        thrown: thrown.map(stack).unwrap_or_default(),
        also: Vec::new(),
        source: None,
    }
}

/// How many frames of a stack are shown.
const FRAMES: usize = 5;

fn stack(thrown: &Thrown) -> Vec<String> {
    let mut lines = vec![match &thrown.message {
        Some(message) => format!("{}: {}", thrown.class, message.to_lossy()),
        None => thrown.class.to_string(),
    }];
    lines.extend(thrown.frames.iter().take(FRAMES).map(|frame| match frame.line {
        Some(line) => format!("at {}.{} (line {line})", frame.class, frame.method),
        None => format!("at {}.{}", frame.class, frame.method),
    }));
    lines
}

fn rule(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::TimedOut => "a call ends in time",
        FailureKind::Exhausted => "a call does not use up memory or stack",
        FailureKind::Died => "the JVM survives a call",
        FailureKind::Exits => "a call leaves the JVM running",
        FailureKind::Exception(_) => "no exception that counts as an error",
        FailureKind::Contract(contract) => contract_in_words(*contract),
    }
}

fn why(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::TimedOut => {
            "an endless loop, a lock nobody opens, or work that grows too fast with its input"
        }
        FailureKind::Exhausted => "endless recursion, or memory taken on the word of an argument",
        FailureKind::Exits => "whoever calls it loses everything else that runs in the JVM",
        FailureKind::Died => {
            "no Java code should be able to end the JVM; native code or a bug of the JVM is at work"
        }
        FailureKind::Exception(_) => "you asked for it to be reported: callers are not told to expect it",
        FailureKind::Contract(contract) => match contract {
            Contract::EqualsReflexive => "collections will not find the object they hold",
            Contract::EqualsNull => "callers compare with null and expect false",
            Contract::EqualsSymmetric => "whether a collection finds the object depends on who asks whom",
            Contract::EqualsThrows => "collections call equals on whatever they hold",
            Contract::HashCodeThrows => "the object cannot be a key or an element of a hash table",
            Contract::HashCodeConsistent => "hash tables lose an object whose hash changes by itself",
            Contract::EqualsHashCode => "hash tables take equal objects for different ones",
            Contract::ToStringThrows => "logging or debugging the object fails",
            Contract::ToStringNull => "callers of toString do not expect null",
            Contract::CompareToReflexive => "sorted collections will not find the object they hold",
            Contract::CompareToAntisymmetric => "sorting fails, or gives an order that depends on the start",
            Contract::CompareToEquals => "sorted collections take different objects for the same",
            Contract::CloneThrows => "the class says it can be cloned",
            Contract::CloneSame
            | Contract::CloneClass
            | Contract::CloneEquals
            | Contract::IteratorNext
            | Contract::IterableNext
            | Contract::CollectionSize
            | Contract::CollectionEmpty
            | Contract::CollectionArray
            | Contract::CollectionIterator
            | Contract::MapSize
            | Contract::MapEmpty => probat_emit::consequence(*contract),
            Contract::NullPointer => {
                "no argument was null, so the code tripped over a null of its own making"
            }
            Contract::AssertionError => "the code itself says that this cannot happen",
            Contract::User(_) => "you wrote that it should",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(member: &str, thrown: &[&str]) -> FailureFound {
        let kind = FailureKind::Contract(Contract::NullPointer);
        FailureFound {
            member: member.into(),
            kind: failure_key(&kind),
            contract: None,
            known_key: failure_key(&kind).into(),
            rule: rule(&kind).into(),
            why: why(&kind),
            times: 1,
            after_steps: 1,
            after_seconds: 0.0,
            known: false,
            is_suspect: true,
            thrown: thrown.iter().map(ToString::to_string).collect(),
            also: Vec::new(),
            source: None,
        }
    }

    #[test]
    fn one_line_that_throws_is_one_failure_told_by_the_method_it_is_in() {
        let stack = ["java.lang.NullPointerException: x", "at a.B.c (line 7)", "at a.B.d (line 9)"];
        let mut cause = failure("a.B.toString()", &stack);
        let other = failure("a.B.d(int)", &stack);
        assert!(is_same_cause(&cause, &other));
        join(&mut cause, other);
        assert_eq!((cause.member.as_str(), cause.times), ("a.B.d(int)", 2));
        assert_eq!(cause.also, ["a.B.toString()"]);
        assert!(!is_same_cause(
            &cause,
            &failure("a.B.d(int)", &["java.lang.NullPointerException", "at a.B.c (line 8)"])
        ));
        assert!(!is_same_cause(&failure("x", &[]), &failure("y", &[])));
    }
}
