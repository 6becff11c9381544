//! Why branches were not reached, in words.
//!
//! In: branches with their reasons, as the job found them. Out: [`Explained`], for the report, and a page of text: reasons by how many branches they cost,
//! then the classes with most of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use probat_analysis::decision::{Decision, Looks};
use probat_generate::{Dead, DropReason, Illegal, NotWritten, Uncalled, Unreached, Why};
use probat_model::{Frame, Leak, MethodDescriptor, TaintKind};
use probat_search::tally::{Cause, Stop};
use serde::{Deserialize, Serialize};

use super::numbers::{count, plural};

/// Everything that was not reached.
#[derive(Debug, Clone, Serialize)]
pub struct Explained {
    pub branches: usize,
    /// By reason, the largest first.
    pub groups: Vec<ReasonGroup>,
    /// The class with most first.
    pub classes: Vec<ClassUnreached>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonGroup {
    pub reason: String,
    pub words: String,
    pub branches: usize,
    /// The largest first.
    pub top: Vec<Share>,
}

/// What stands behind a part of a group: a type, an exception, a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub what: String,
    pub branches: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct ClassUnreached {
    pub class: String,
    pub branches: Vec<BranchUnreached>,
}

#[derive(Debug, Clone, Serialize)]
pub struct BranchUnreached {
    pub method: String,
    pub line: Option<u16>,
    /// Which way: `entry`, `== 0`, `case 3`.
    pub branch: String,
    pub reason: &'static str,
    pub what: String,
    /// Operands seen, where it threw and how often.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Where control stopped, if that is not at the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
}

/// A reason: its name for programs, its words for people, and what it is about.
struct Reason {
    name: &'static str,
    words: &'static str,
    what: String,
    detail: String,
}

/// Things listed in a group of the report.
const LISTED: usize = 40;

/// Puts reasons into words.
pub fn explained(unreached: &[Unreached]) -> Explained {
    let mut groups: BTreeMap<(&'static str, &'static str), BTreeMap<String, usize>> = BTreeMap::new();
    let mut classes: BTreeMap<String, Vec<BranchUnreached>> = BTreeMap::new();
    for one in unreached {
        let Reason { name, words, what, detail } = reason(&one.why);
        *groups.entry((name, words)).or_default().entry(what.clone()).or_default() += 1;
        let descriptor = MethodDescriptor::parse(&one.descriptor).map(|parsed| parsed.to_string());
        classes.entry(one.class.to_string()).or_default().push(BranchUnreached {
            method: format!("{}{}", one.method, descriptor.unwrap_or_default()),
            line: one.line,
            branch: one.branch.clone(),
            reason: name,
            what,
            detail,
            behind: one.behind.as_ref().map(place),
        });
    }
    let groups = groups.into_iter().map(|((reason, words), shares)| {
        let branches = shares.values().sum();
        let (reason, words) = (reason.to_owned(), words.to_owned());
        ReasonGroup { reason, words, branches, top: largest(shares, LISTED) }
    });
    let mut groups: Vec<ReasonGroup> = groups.collect();
    groups.sort_by_key(|group| (Reverse(group.branches), group.reason.clone()));
    let classes = classes.into_iter().map(|(class, branches)| ClassUnreached { class, branches });
    let mut classes: Vec<ClassUnreached> = classes.collect();
    classes.sort_by_key(|class| (Reverse(class.branches.len()), class.class.clone()));
    Explained { branches: unreached.len(), groups, classes }
}

/// The largest shares first.
pub fn largest(shares: BTreeMap<String, usize>, most: usize) -> Vec<Share> {
    let shares = shares.into_iter().filter(|(what, _)| !what.is_empty());
    let mut all: Vec<Share> = shares.map(|(what, branches)| Share { what, branches }).collect();
    all.sort_by_key(|share| (Reverse(share.branches), share.what.clone()));
    all.truncate(most);
    all
}

fn plain(name: &'static str, words: &'static str, what: impl Into<String>) -> Reason {
    Reason { name, words, what: what.into(), detail: String::new() }
}

fn reason(why: &Why) -> Reason {
    match why {
        Why::NoReceiver(class) => plain("no-receiver", "no object to call it on", class),
        Why::NoArgument(ty) => plain("no-argument", "no value of a type it needs", ty),
        Why::Exception { cause, times } => exception(cause.as_ref(), *times),
        Why::Comparison { asks, seen } => comparison(asks, seen),
        Why::NothingThrown(caught) => {
            plain("nothing-thrown", "nothing was thrown that is caught there", caught)
        }
        Why::NeverLegal(why) => illegal(why),
        Why::NeverCalled(who) => plain(
            "never-called",
            "nothing that tests can reach calls it",
            match who {
                Uncalled::Code => "",
                Uncalled::Supertype => "a bridge, for calls through a supertype",
                Uncalled::Serialisation => "for serialisation",
            },
        ),
        Why::NeverRun => plain("never-run", "made as a lambda or method reference, which nobody called", ""),
        Why::Stopped(stop) => plain(
            "stopped",
            "ran out of time or memory, or killed the JVM",
            match stop {
                Stop::TimedOut => "time",
                Stop::Exhausted => "memory",
                Stop::Died => "killed the JVM",
            },
        ),
        Why::Tainted(kind) => plain("tainted", "tried what the sandbox forbids", forbidden(*kind)),
        Why::Outlasting(leak) => {
            plain("outlasting", "left behind what would disturb other tests", left_behind(*leak))
        }
        Why::Uninitialised(class, cause) => {
            let cause = cause.as_ref().map_or(String::new(), |cause| format!(" caused by {cause}"));
            plain("uninitialised", "a class could not be initialised", format!("{class}{cause}"))
        }
        Why::Initialiser => plain(
            "initialiser",
            "in or below a static initialiser, which runs once and is credited to no test",
            "",
        ),
        Why::Dead(dead) => plain(
            "dead",
            "no run can come there",
            match dead {
                Dead::Private => "private, and nothing calls it",
                Dead::Synthetic => "made by the compiler, and nothing calls it",
                Dead::Unconnected => "no instruction leads there",
                Dead::Assertions => "only with assertions disabled",
            },
        ),
        Why::NotTried => plain("not-tried", "not tried in the time given", ""),
        Why::Excluded => plain("excluded", "left out as you asked", ""),
        Why::Discarded(class) => plain(
            "discarded",
            "only by calls that throw, which `--exceptions discard` leaves out",
            class.to_string(),
        ),
        Why::NotWritten(why) => plain(
            "not-written",
            "found, but its test was not written",
            match why {
                NotWritten::Dropped(DropReason::Unprintable) => "has no source form",
                NotWritten::Dropped(DropReason::Uncompilable) => "does not compile",
                NotWritten::Dropped(DropReason::Unstable) => "failed in a fresh JVM",
                NotWritten::Dropped(DropReason::Unchecked) => "not checked in time",
                NotWritten::Unstable => "behaved differently in a fresh JVM",
                NotWritten::NeedsAssertions => "passes only with assertions enabled",
                NotWritten::TooLong => "adds too little for its length (--size all writes it)",
                NotWritten::NoTime => "no time was left to finish it",
            },
        ),
    }
}

fn exception(cause: Option<&Cause>, times: u32) -> Reason {
    const WORDS: &str = "something throws before it";
    let Some(cause) = cause else {
        return plain("exception", WORDS, "an exception that is caught further out");
    };
    let from = cause.at.as_ref().map_or(String::new(), |at| format!(" from {}.{}", at.class, at.method));
    let detail = match (&cause.at, times) {
        (Some(at), 1..) => format!("at {}, {}", place(at), plural(u64::from(times), "time")),
        _ => String::new(),
    };
    Reason { name: "exception", words: WORDS, what: format!("{}{from}", cause.exception), detail }
}

fn illegal(why: &Illegal) -> Reason {
    let what = match why {
        Illegal::Early(exception, call) => format!("{call} throws {exception}"),
        Illegal::Refused(why) => why.clone(),
        Illegal::Scattered => "no one test can use all it needs".into(),
    };
    plain("never-legal", "every try ended before the call was made", what)
}

fn comparison(asks: &Decision, seen: &[(String, String)]) -> Reason {
    let (name, words) = match asks.looks {
        Looks::Call => ("comparison-call", "a call always gave the opposite"),
        Looks::Flag => ("comparison-flag", "a field always held the opposite"),
        Looks::Number => ("comparison-number", "numbers never compared so"),
        Looks::Null => ("comparison-null", "always null, or never"),
        Looks::Class => ("comparison-class", "always of that class, or never"),
        Looks::Identity => ("comparison-identity", "always the same object, or never"),
        Looks::Key => ("comparison-switch", "a switch never had that key"),
        Looks::Assertions => ("dead", "no run can come there"),
    };
    let at = if asks.at.is_empty() { String::new() } else { format!("{} ", asks.at) };
    // What keys there are differs from switch to switch and tells nothing in a sum.
    let what = if asks.looks == Looks::Key { String::new() } else { format!("{at}never {}", asks.wanted) };
    let pair = |(left, right): &(String, String)| match right.is_empty() {
        true => left.clone(),
        false => format!("{left} with {right}"),
    };
    let seen: Vec<String> = seen.iter().map(pair).collect();
    let detail = if seen.is_empty() { String::new() } else { format!("seen: {}", seen.join("; ")) };
    Reason { name, words, what, detail }
}

fn forbidden(kind: TaintKind) -> &'static str {
    match kind {
        TaintKind::Exit => "ending the JVM",
        TaintKind::Process => "starting a program",
        TaintKind::FileWrite => "writing a file",
        TaintKind::Network => "the network",
        TaintKind::Threads => "threads that stay",
        TaintKind::Stdin => "standard input",
        TaintKind::NativeLibrary => "a native library",
        TaintKind::Display => "a display",
        TaintKind::Listing => "the contents of a folder",
        TaintKind::Asking => "whether a file is there",
    }
}

fn left_behind(leak: Leak) -> &'static str {
    match leak {
        Leak::SystemProperties => "system properties",
        Leak::Locale => "the default locale",
        Leak::TimeZone => "the default time zone",
        Leak::StandardStreams => "standard streams",
        Leak::SecurityProviders => "security settings",
        Leak::Statics => "static fields",
        Leak::ThreadLocals => "thread-locals",
        Leak::Interrupt => "an interrupted thread",
        Leak::Files => "files",
        Leak::Threads => "threads",
    }
}

/// `com.acme.Cart.add:12`.
fn place(frame: &Frame) -> String {
    let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
    format!("{}.{}{line}", frame.class, frame.method)
}

/// Shares of a group, classes and rows of a class that are shown; the report has them all.
const SHARES: usize = 4;
const CLASSES: usize = 6;
const ROWS: usize = 5;

/// For people.
pub fn render(explained: &Explained, of: u64, out: &mut String) {
    if explained.branches == 0 {
        return;
    }
    let (missed, all) = (count(explained.branches as u64), count(of));
    out.push_str(&format!("\nNot reached by the tests: {missed} of {all} branches\n"));
    explained.groups.iter().for_each(|group| show_group(group, out));
    out.push_str("\nWhere most is left:\n");
    for class in explained.classes.iter().take(CLASSES) {
        show_class(class, out);
    }
    if explained.classes.len() > CLASSES {
        let rest = plural((explained.classes.len() - CLASSES) as u64, "more class");
        out.push_str(&format!("  … and {rest}, in the report\n"));
    }
}

/// `    120  something throws before it: java.lang.Error from a.B.c 80, …`
pub fn show_group(group: &ReasonGroup, out: &mut String) {
    let shares: Vec<String> = group
        .top
        .iter()
        .take(SHARES)
        .map(|share| format!("{} {}", share.what, count(share.branches as u64)))
        .collect();
    let dots = if group.top.len() > SHARES { ", …" } else { "" };
    let colon = if shares.is_empty() { "" } else { ": " };
    let branches = count(group.branches as u64);
    out.push_str(&format!("{branches:>9}  {}{colon}{}{dots}\n", group.words, shares.join(", ")));
}

fn show_class(class: &ClassUnreached, out: &mut String) {
    out.push_str(&format!("  {}: {}\n", class.class, count(class.branches.len() as u64)));
    // Branches of a method that share a reason are one row.
    let mut rows: BTreeMap<(&str, &str, &str), Vec<&BranchUnreached>> = BTreeMap::new();
    for branch in &class.branches {
        rows.entry((&branch.method, branch.reason, &branch.what)).or_default().push(branch);
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(key, branches)| (Reverse(branches.len()), *key));
    for ((method, reason, what), branches) in rows.iter().take(ROWS) {
        let mut lines: Vec<u16> = branches.iter().filter_map(|branch| branch.line).collect();
        lines.dedup();
        let mut text: Vec<String> = lines.iter().take(ROWS).map(u16::to_string).collect();
        text.extend((lines.len() > ROWS).then(|| "…".to_owned()));
        let lines = if text.is_empty() { String::new() } else { format!(" line {}", text.join(", ")) };
        let what = if what.is_empty() { String::new() } else { format!(": {what}") };
        let detail = branches.iter().find(|branch| !branch.detail.is_empty());
        let detail = detail.map_or(String::new(), |branch| format!(" ({})", branch.detail));
        let behind = branches[0].behind.as_ref().map_or(String::new(), |place| format!(", behind {place}"));
        let method = short(method);
        out.push_str(&format!("    {method}{lines}: {reason}{what}{detail}{behind}\n"));
    }
    if rows.len() > ROWS {
        out.push_str("    …\n");
    }
}

/// `add(java.lang.String)` as `add(String)`: the report has the packages.
fn short(method: &str) -> String {
    let Some((name, parameters)) = method.split_once('(') else { return method.to_owned() };
    let simple = |ty: &str| ty.rsplit('.').next().unwrap_or(ty).to_owned();
    let parameters: Vec<String> = parameters.split(", ").map(simple).collect();
    format!("{name}({}", parameters.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::ClassName;

    fn unreached(line: u16, why: Why) -> Unreached {
        Unreached {
            class: ClassName::internal("shop/Cart"),
            method: "add".into(),
            descriptor: "(ILjava/lang/String;)V".into(),
            line: Some(line),
            branch: "== 0".into(),
            why,
            behind: None,
        }
    }

    #[test]
    fn reasons_are_counted_and_the_largest_comes_first() {
        let at = Frame { class: ClassName::internal("shop/Check"), method: "not".into(), line: Some(7) };
        let cause = Cause { exception: ClassName::internal("java/lang/Error"), at: Some(at) };
        let asks = Decision { looks: Looks::Number, at: String::new(), wanted: "equal".into(), compared: 0 };
        let seen = vec![("1".to_owned(), "424242".to_owned())];
        let all = [
            unreached(3, Why::Comparison { asks, seen }),
            unreached(4, Why::Exception { cause: Some(cause.clone()), times: 20 }),
            unreached(5, Why::Exception { cause: Some(cause), times: 20 }),
            unreached(9, Why::NoArgument("shop.Coupon".into())),
        ];
        let mut text = String::new();
        render(&explained(&all), 40, &mut text);
        expect_test::expect![[r#"

            Not reached by the tests: 4 of 40 branches
                    2  something throws before it: java.lang.Error from shop.Check.not 2
                    1  numbers never compared so: never equal 1
                    1  no value of a type it needs: shop.Coupon 1

            Where most is left:
              shop.Cart: 4
                add(int, String) line 4, 5: exception: java.lang.Error from shop.Check.not (at shop.Check.not:7, 20 times)
                add(int, String) line 3: comparison-number: never equal (seen: 1 with 424242)
                add(int, String) line 9: no-argument: shop.Coupon
        "#]]
        .assert_eq(&text);
    }
}
