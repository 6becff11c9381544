//! The result of a run for a person.
//!
//! In: [`Report`]. Out: a screen of text: what was written, what looks wrong, what was not reached and why, how to go on.

use super::explain;
use super::failures::UNLIKELY;
use super::gather::what_was_written;
use super::numbers::{count, percent, plural};
use super::report::{BrokenTest, ClassCovered, FailureFound, FileState, FileWritten, Group, Report};

/// Entries of a list before it is cut.
const SHOWN: usize = 3;

/// Failures shown in full.
const FAILURES: usize = 10;

/// Renders the report.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    head(report, &mut out);
    changes(report, &mut out);
    coverage(report, &mut out);
    failures(report, &mut out);
    untested(report, &mut out);
    dropped(report, &mut out);
    if let Some(explained) = &report.explain {
        explain::render(explained, report.totals.branches, &mut out);
    }
    printed(report, &mut out);
    out.push_str(&format!("\nMore time would help: {}.\n", report.more_time.words));
    out.push_str(&format!("The same again:  {}\n", report.command));
    out
}

/// What the code printed, line by line.
fn printed(report: &Report, out: &mut String) {
    let Some(printed) = &report.printed else { return };
    match printed.trim_end() {
        "" => out.push_str("\nThe code under test printed nothing.\n"),
        some => {
            out.push_str("\nPrinted by the code under test, the last of it:\n");
            some.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    }
}

fn head(report: &Report, out: &mut String) {
    if let Some(merged) = &report.merged {
        let runs = plural(merged.runs.len() as u64, "run");
        let sequences = plural(merged.sequences as u64, "sequence");
        out.push_str(&format!("Merged {runs}: {sequences} were run again.\n"));
        if !merged.missing.is_empty() {
            out.push_str(&format!("Missing: shard {}.\n", merged.missing.join(", ")));
        }
        if !merged.not_seen_again.is_empty() {
            let failures = plural(merged.not_seen_again.len() as u64, "failure");
            let named = merged.not_seen_again.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
            out.push_str(&format!("{failures} of the shards did not come again: {named}\n"));
        }
    }
    if report.resumed > 0 {
        let found = plural(report.resumed as u64, "sequence");
        out.push_str(&format!("Began with {found} of a run that was cut off.\n"));
    }
    if report.is_clean() {
        out.push_str("No failing tests: nothing broke a rule.\n");
        return;
    }
    if report.tests == 0 {
        out.push_str(&format!("No tests: {}.\n", why_nothing(report)));
        return;
    }
    let checked = match report.verified {
        true if report.files.iter().all(|file| file.path.ends_with(".probat")) => "each read again",
        true => "each compiled and passed twice in fresh JVMs",
        false => "NOT compiled or run",
    };
    out.push_str(&format!("{} in {}, {checked}.\n", what_was_written(report), report.output));
}

/// An empty result explains itself.
pub fn why_nothing(report: &Report) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for group in report.untestable.iter().take(SHOWN) {
        reasons.push(format!("{}: {}", plural(group.members.len() as u64, "class"), group.reason));
    }
    for group in report.untested.iter().take(SHOWN) {
        reasons.push(format!("{}: {}", plural(group.members.len() as u64, "member"), group.reason));
    }
    if !report.dropped.is_empty() {
        let first = &report.dropped[0];
        reasons.push(format!(
            "{} dropped, the first because it {}",
            plural(report.dropped.len() as u64, "test"),
            first.reason
        ));
    }
    if !report.unstable.is_empty() {
        let members = plural(report.unstable.len() as u64, "member");
        reasons.push(format!("{members} behaved differently in a fresh JVM"));
    }
    match (reasons.is_empty(), report.totals.sequences) {
        (false, _) => reasons.join("; "),
        (true, 0) => "nothing was run in the time given".into(),
        (true, _) => "nothing that was run is worth a test".into(),
    }
}

/// What a second run changed, and what it left alone.
fn changes(report: &Report, out: &mut String) {
    for file in &report.files {
        let beside = match file.state {
            FileState::BesideEdited => "you edited the file that was there",
            FileState::BesideForeign => "the file that was there is not ours",
            FileState::New | FileState::Unchanged | FileState::Replaced => continue,
        };
        out.push_str(&format!("  {}: written here because {beside}\n", file.path));
    }
    let replaced: Vec<&FileWritten> = report.files.iter().filter(|file| file.difference.is_some()).collect();
    let unchanged = report.files.iter().filter(|file| file.state == FileState::Unchanged).count();
    let told = behaviour(report);
    if replaced.is_empty() && unchanged == 0 && told.is_empty() {
        return;
    }
    let sum = |of: fn(&FileWritten) -> usize| replaced.iter().map(|file| of(file)).sum::<usize>() as u64;
    let added = sum(|file| file.difference.as_ref().map_or(0, |found| found.added.len()));
    let removed = sum(|file| file.difference.as_ref().map_or(0, |found| found.removed.len()));
    let behave = if told.len() == 1 { "behaves" } else { "behave" };
    out.push_str(&format!(
        "Since the last run: {} added, {removed} removed, {} {behave} differently; {} unchanged.\n",
        plural(added, "test"),
        told.len(),
        plural(unchanged as u64, "file")
    ));
    told.iter().take(2 * SHOWN).for_each(|change| out.push_str(change));
    more(told.len(), 2 * SHOWN, out);
}

/// Where behaviour changed: tests that make the same calls in both versions, and former tests that fail now.
fn behaviour(report: &Report) -> Vec<String> {
    let mut told = Vec::new();
    let mut known: Vec<(&str, &str)> = Vec::new();
    let broken = report.no_longer_pass.as_deref();
    for file in report.files.iter().filter(|file| !file.fails) {
        for change in file.difference.iter().flat_map(|difference| &difference.changed) {
            let fails = |one: &BrokenTest| one.class == file.class && one.test == change.before;
            // A test that still passes found no other behaviour, whatever the new one looks like.
            if broken.is_none_or(|broken| broken.iter().any(fails)) {
                known.push((&file.class, &change.before));
                let (was, is) = (&change.was, &change.is);
                told.push(format!("  {} {}\n    was: {was}\n    is:  {is}\n", file.class, change.after));
            }
        }
    }
    for one in broken.unwrap_or_default() {
        if !known.contains(&(one.class.as_str(), one.test.as_str())) {
            let was = one.was.as_deref().map(|was| format!("    was: {was}\n")).unwrap_or_default();
            told.push(format!("  {} {}\n{was}    now: {}\n", one.class, one.test, first_line(&one.says)));
        }
    }
    told
}

fn coverage(report: &Report, out: &mut String) {
    let totals = &report.totals;
    if totals.branches == 0 {
        return;
    }
    out.push_str(&format!(
        "\nCoverage: {} of {} branches ({})",
        count(totals.branches_covered),
        count(totals.branches),
        percent(totals.branches_covered, totals.branches)
    ));
    // Tests that were dropped or left out leave something behind.
    if totals.branches_covered * 100 < totals.branches_reached * 99 {
        out.push_str(&format!("; the search reached {}", count(totals.branches_reached)));
    }
    out.push('\n');
    let mut classes: Vec<&ClassCovered> = report.classes.iter().collect();
    let missed = |class: &ClassCovered| class.branches - class.branches_covered;
    // What has most left to reach comes first: a share says little of small classes.
    classes.sort_by_key(|class| (std::cmp::Reverse(missed(class)), class.class.clone()));
    let width = classes.iter().take(2 * SHOWN).map(|class| class.class.len()).max().unwrap_or(0);
    let mut row = |word: &str, class: &ClassCovered| {
        let share = percent(u64::from(class.branches_covered), u64::from(class.branches));
        out.push_str(&format!(
            "  {word:<5} {:<width$}  {share:>4}  {} of {}\n",
            class.class, class.branches_covered, class.branches
        ));
    };
    if classes.len() <= 2 * SHOWN {
        classes.iter().for_each(|class| row("", class));
        return;
    }
    classes[..SHOWN].iter().for_each(|class| row("least", class));
    let mut best: Vec<&ClassCovered> = classes[SHOWN..].to_vec();
    best.sort_by_key(|class| (missed(class), std::cmp::Reverse(class.branches), class.class.clone()));
    best[..SHOWN].iter().for_each(|class| row("most", class));
}

/// A rule that is advice: breaking it is no reason to fail.
const ADVICE: &str = "compare-to-equals";

/// Calls that ask for the JVM to end, which some are made for.
const EXITS: &str = "exits";

fn failures(report: &Report, out: &mut String) {
    let (suspects, others): (Vec<&FailureFound>, Vec<&FailureFound>) =
        report.failures.iter().filter(|failure| !failure.known).partition(|failure| failure.is_suspect);
    let (advice, others): (Vec<&FailureFound>, Vec<&FailureFound>) =
        others.into_iter().partition(|failure| failure.kind == ADVICE);
    let (exits, limits): (Vec<&FailureFound>, Vec<&FailureFound>) =
        others.into_iter().partition(|failure| failure.kind == EXITS);
    let known = report.failures.iter().filter(|failure| failure.known).count();
    let (unlikely, suspects): (Vec<&FailureFound>, Vec<&FailureFound>) =
        suspects.into_iter().partition(|failure| failure.likelihood == UNLIKELY);
    suspected(&suspects, out);
    doubted(&unlikely, out);
    if suspects.len() + unlikely.len() > 0 && report.failing_tests > 0 {
        let tests = plural(report.failing_tests as u64, "test");
        out.push_str(&format!("  {tests} in {} that fail because of it\n", report.failing_output));
    }
    if !limits.is_empty() {
        out.push_str(&format!("\nRan out of time or memory: {}\n", count(limits.len() as u64)));
        for failure in limits.iter().take(SHOWN) {
            out.push_str(&format!("  {}: {}\n", failure.member, failure.why));
        }
        more(limits.len(), SHOWN, out);
    }
    if !exits.is_empty() {
        out.push_str(&format!("\nWould end the JVM, and were kept from it: {}\n", count(exits.len() as u64)));
        for failure in exits.iter().take(SHOWN) {
            let source = failure.source.as_ref().map_or(String::new(), |path| format!(": {path}"));
            out.push_str(&format!("  {}{source}\n", failure.member));
        }
        more(exits.len(), SHOWN, out);
    }
    if let [first, ..] = advice.as_slice() {
        out.push_str(&format!(
            "\nWorth knowing: {} compare as equal what is not, first {} – {}\n",
            plural(advice.len() as u64, "member"),
            first.member,
            first.why
        ));
    }
    if known > 0 {
        out.push_str(&format!("\nKnown and accepted: {}\n", plural(known as u64, "failure")));
    }
}

/// What may be a bug: the rule, why it is on the list, how to see it.
fn suspected(suspects: &[&FailureFound], out: &mut String) {
    if suspects.is_empty() {
        return;
    }
    out.push_str(&format!("\nMay be bugs: {}\n", count(suspects.len() as u64)));
    for failure in suspects.iter().take(FAILURES) {
        out.push_str(&format!("  {}. {}\n", failure.rank, failure.member));
        out.push_str(&format!("     broken: {} – {}\n", failure.rule, failure.why));
        out.push_str(&format!("     {}: {}\n", failure.likelihood, reason(failure)));
        for line in failure.thrown.iter().take(SHOWN) {
            out.push_str(&format!("       {}\n", cut(line)));
        }
        if let Some(line) = &failure.reproduction {
            out.push_str(&format!("     try: {}\n", cut(line)));
        }
        if let Some(source) = &failure.source {
            out.push_str(&format!("     a program that does it: {source}\n"));
        }
        if !failure.also.is_empty() {
            let others = plural(failure.also.len() as u64, "other member");
            out.push_str(&format!("     also seen through {others}\n"));
        }
    }
    more(suspects.len(), FAILURES, out);
}

/// Why a failure is where it is.
fn reason(failure: &FailureFound) -> String {
    match failure.doubts.as_slice() {
        [] => "any client can make these calls, and nothing odd was given".to_owned(),
        doubts => format!("but {}", doubts.join("; ")),
    }
}

/// What is hardly a bug, counted by what speaks against it.
fn doubted(unlikely: &[&FailureFound], out: &mut String) {
    if unlikely.is_empty() {
        return;
    }
    let causes = plural(unlikely.len() as u64, "cause");
    out.push_str(&format!("\nHardly bugs: {causes}, in the report\n"));
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for doubt in unlikely.iter().filter_map(|failure| failure.doubts.first()) {
        match counts.iter_mut().find(|(known, _)| known == doubt) {
            Some((_, count)) => *count += 1,
            None => counts.push((doubt, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (doubt, of) in counts.iter().take(2 * SHOWN) {
        out.push_str(&format!("  {}: {doubt}\n", count(*of as u64)));
    }
}

/// Long lines end where a person stops reading.
fn cut(line: &str) -> String {
    const WIDTH: usize = 500;
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    line.chars().take(WIDTH).chain(" …".chars()).collect()
}

fn more(all: usize, shown: usize, out: &mut String) {
    if all > shown {
        out.push_str(&format!("  … and {} more, in the report\n", count((all - shown) as u64)));
    }
}

fn untested(report: &Report, out: &mut String) {
    if !report.skipped.is_empty() {
        let classes = plural(report.skipped.len() as u64, "class");
        out.push_str(&format!(
            "\nSkipped: {classes}; more time, or fewer classes at once, would reach them\n"
        ));
        list(&Group { reason: "most code in".into(), members: report.skipped.clone() }, out);
    }
    let members: u64 = report.untested.iter().map(|group| group.members.len() as u64).sum();
    if members > 0 {
        out.push_str(&format!("\nNot tested: {}\n", plural(members, "member")));
        report.untested.iter().take(2 * SHOWN).for_each(|group| list(group, out));
        more(report.untested.len(), 2 * SHOWN, out);
    }
    let classes: u64 = report.untestable.iter().map(|group| group.members.len() as u64).sum();
    if classes > 0 && report.tests > 0 {
        out.push_str(&format!("\nNo test can call: {}\n", plural(classes, "class")));
        report.untestable.iter().take(SHOWN).for_each(|group| list(group, out));
    }
}

/// `  reason: a, b, c and 4 more`.
fn list(group: &Group, out: &mut String) {
    let named: Vec<&str> = group.members.iter().take(SHOWN).map(String::as_str).collect();
    let rest = match group.members.len().saturating_sub(SHOWN) {
        0 => String::new(),
        rest => format!(" and {} more", count(rest as u64)),
    };
    out.push_str(&format!("  {}: {}{rest}\n", group.reason, named.join(", ")));
}

fn dropped(report: &Report, out: &mut String) {
    if report.left_out_for_size.tests > 0 {
        let tests = plural(report.left_out_for_size.tests as u64, "test case");
        let adds = match report.left_out_for_size.branches as u64 {
            0 => "add no branch".to_owned(),
            branches => format!("would add {}", plural(branches, "branch")),
        };
        out.push_str(&format!("\nLeft out for size: {tests} that {adds} (--size all writes them)\n"));
    }
    if report.left_out > 0 {
        let tests = plural(report.left_out as u64, "test");
        out.push_str(&format!("\nLeft out: {tests} that could not be checked in the time given\n"));
    }
    if !report.dropped.is_empty() {
        out.push_str(&format!("\nDropped: {}\n", plural(report.dropped.len() as u64, "test")));
        for one in report.dropped.iter().take(SHOWN) {
            out.push_str(&format!("  {} {}: {}\n", one.test, one.reason, first_line(&one.detail)));
        }
        more(report.dropped.len(), SHOWN, out);
    }
    if !report.unstable.is_empty() {
        let mut members = report.unstable.clone();
        members.sort();
        members.dedup();
        let reason = "\nBehaved differently in a fresh JVM, not tested".to_owned();
        list(&Group { reason, members }, out);
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}
