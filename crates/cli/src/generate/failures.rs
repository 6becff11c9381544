//! Failures in words.
//!
//! In: what the search found. Out: the rule broken, and why a person should care.

use probat_generate::{FailureReport, contract_in_words};
use probat_model::{Contract, Thrown};
use probat_search::campaign::FailureKind;
use probat_supervisor::describe;

use super::known::Known;
use super::report::FailureFound;

/// One entry of the report.
pub fn found(report: &FailureReport, known: &Known) -> FailureFound {
    let failure = &report.failure;
    let member = describe(&report.member);
    let kind = key(&failure.kind);
    let thrown = failure.violation.as_ref().and_then(|violation| violation.thrown.as_ref());
    FailureFound {
        known: known.contains(&member, kind),
        member,
        kind,
        rule: rule(&failure.kind),
        why: why(&failure.kind),
        times: failure.times,
        is_suspect: matches!(failure.kind, FailureKind::Contract(_) | FailureKind::Died),
        thrown: thrown.map(stack).unwrap_or_default(),
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

/// A short stable name.
pub fn key(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::TimedOut => "timed-out",
        FailureKind::Exhausted => "exhausted",
        FailureKind::Died => "jvm-died",
        FailureKind::Contract(contract) => match contract {
            Contract::EqualsReflexive => "equals-reflexive",
            Contract::EqualsNull => "equals-null",
            Contract::EqualsSymmetric => "equals-symmetric",
            Contract::EqualsThrows => "equals-throws",
            Contract::HashCodeThrows => "hash-code-throws",
            Contract::HashCodeConsistent => "hash-code-consistent",
            Contract::EqualsHashCode => "equals-hash-code",
            Contract::ToStringThrows => "to-string-throws",
            Contract::ToStringNull => "to-string-null",
            Contract::CompareToReflexive => "compare-to-reflexive",
            Contract::CompareToAntisymmetric => "compare-to-antisymmetric",
            Contract::CompareToEquals => "compare-to-equals",
            Contract::CloneThrows => "clone-throws",
            Contract::NullPointer => "null-pointer",
            Contract::AssertionError => "assertion-error",
        },
    }
}

fn rule(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::TimedOut => "a call ends in time",
        FailureKind::Exhausted => "a call does not use up memory or stack",
        FailureKind::Died => "the JVM survives a call",
        FailureKind::Contract(contract) => contract_in_words(*contract),
    }
}

fn why(kind: &FailureKind) -> &'static str {
    match kind {
        FailureKind::TimedOut => {
            "an endless loop, a lock nobody opens, or work that grows too fast with its input"
        }
        FailureKind::Exhausted => "endless recursion, or memory taken on the word of an argument",
        FailureKind::Died => {
            "no Java code should be able to end the JVM; native code or a bug of the JVM is at work"
        }
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
            Contract::NullPointer => {
                "no argument was null, so the code tripped over a null of its own making"
            }
            Contract::AssertionError => "the code itself says that this cannot happen",
        },
    }
}
