//! Failures in words.
//!
//! In: what the search found. Out: the rule broken, and why a person should care.

use probat_generate::{
    Doubt, FailureReport, Likelihood, contract_in_words, failure_key, known_key, user_contract,
};
use probat_model::{Contract, Operation, Thrown, UserContract};
use probat_search::campaign::FailureKind;
use probat_supervisor::describe;

use super::known::Known;
use super::report::FailureFound;

/// Nothing speaks against a bug.
pub const LIKELY: &str = "likely";

/// The code is hardly at fault.
pub const UNLIKELY: &str = "unlikely";

/// All of them, one entry per cause, the strongest first.
pub fn all(reports: &[FailureReport], contracts: &[UserContract], known: &Known) -> Vec<FailureFound> {
    reports.iter().zip(1..).map(|(report, rank)| found(report, rank, contracts, known)).collect()
}

/// One entry of the report. A cause that was accepted through any of its members is known.
fn found(report: &FailureReport, rank: usize, contracts: &[UserContract], known: &Known) -> FailureFound {
    let failure = &report.failure;
    let broken = failure.violation.as_ref().and_then(|violation| violation.thrown.as_ref());
    let thrown = broken.or(failure.thrown.as_ref());
    let contract = user_contract(&failure.kind, contracts);
    let key = |member: &Operation, kind: &FailureKind| (describe(member), known_key(kind, contracts));
    let mut keys = vec![key(&report.member, &failure.kind)];
    keys.extend(report.also.iter().map(|(member, kind)| key(member, kind)));
    let member = describe(&report.member);
    let mut also: Vec<String> = keys[1..].iter().map(|(other, _)| other.clone()).collect();
    also.retain(|other| *other != member);
    also.sort();
    also.dedup();
    FailureFound {
        rank,
        likelihood: likelihood(report.likelihood),
        known: keys.iter().any(|(member, kind)| known.contains(member, kind)),
        member,
        kind: failure_key(&failure.kind),
        keys,
        rule: match contract {
            Some(contract) => format!("{} holds", contract.name),
            None => rule(&failure.kind).to_owned(),
        },
        contract: contract.map(|contract| contract.name.clone()),
        why: why(&failure.kind),
        doubts: report.doubts.iter().map(|&doubt| doubt_in_words(doubt)).collect(),
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
        also,
        reproduction: report.reproduction.clone(),
        source: None,
    }
}

/// The word of the report for it.
fn likelihood(of: Likelihood) -> &'static str {
    match of {
        Likelihood::Likely => LIKELY,
        Likelihood::Possible => "possible",
        Likelihood::Unlikely => UNLIKELY,
    }
}

/// What speaks against a bug.
fn doubt_in_words(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::OwnPackage => "it takes members that only their own package or subclasses can call",
        Doubt::Internal => "it takes classes of a package named internal",
        Doubt::IllTyped => "a generic parameter was given what its type does not allow",
        Doubt::NotSetUp => "the object waits for a field that another method sets",
        Doubt::Refused => "the code looks for null and refuses it",
        Doubt::HandedIn => "an object that the test handed in throws it",
        Doubt::Closed => "the object was closed before",
        Doubt::Entangled => "an object was given what it is made of, or what is made of it",
        Doubt::Changed => "a collection was changed while something looked at it",
        Doubt::Identity => "equals is about identity, so no copy is equal to its original",
        Doubt::NotRepeated => "it did not happen a second time, or not with freshly loaded classes",
        Doubt::NullGiven => "null was given",
        Doubt::Deliberate => "the code throws it on purpose",
        Doubt::InJdk => "the JDK throws it on what it was given",
        Doubt::Deprecated => "deprecated members take part",
        Doubt::Disorder => "a stand-in of the test compares, and what it says is no order",
        Doubt::Endless => "a stand-in of the test or a thread of the JVM, which may never end, was handed in",
        Doubt::NullElement => "the null came as a value whose type callers choose, such as an element",
        Doubt::Precondition => "it is an assertion about what the method was given",
        Doubt::Advice => "the rule is advice that a class may leave aside",
        Doubt::Limit => "a limit was reached, which much work does too",
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
