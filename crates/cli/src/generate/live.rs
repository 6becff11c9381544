//! What is seen while a run goes on.
//!
//! In: phases and progress of a job. Out: one line on a terminal, renewed; a plain line every few seconds elsewhere. Also keeps
//! how coverage grew, which says whether more time would help.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use probat_generate::{FirstTest, HuntProgress, Phase, Watch};

use super::budget::Budget;
use super::numbers::{count, percent, plural, seconds};
use crate::failure::{message, show};

/// How often a plain line is printed.
const PLAIN: Duration = Duration::from_secs(5);

/// How often the line on a terminal is renewed.
const LIVE: Duration = Duration::from_millis(150);

/// Watches a job and tells the person.
#[derive(Debug)]
pub struct Live {
    budget: Budget,
    start: Instant,
    bar: Option<ProgressBar>,
    drawn: Option<(Instant, u64)>,
    last: Option<HuntProgress>,
    growth: Growth,
    /// Steps and time where failures were met.
    met: Vec<(u64, Duration)>,
    quiet: bool,
}

/// How coverage grew: elapsed time and edges, where edges rose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Growth {
    samples: Vec<(Duration, usize)>,
}

impl Live {
    /// `quiet` shows nothing and only keeps what was seen.
    pub fn new(budget: Budget, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Live {
            budget,
            start: Instant::now(),
            bar,
            drawn: None,
            last: None,
            growth: Growth::default(),
            met: Vec::new(),
            quiet,
        }
    }

    /// The last that was heard.
    pub fn last(&self) -> Option<&HuntProgress> {
        self.last.as_ref()
    }

    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// When so many steps had been executed; exact only where a failure was met.
    pub fn time_of(&self, steps: u64) -> Duration {
        let after = self.met.iter().find(|(at, _)| *at >= steps);
        after.map_or_else(|| self.last.map_or(Duration::ZERO, |last| last.elapsed), |(_, when)| *when)
    }

    /// Removes the line.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(text.to_owned()),
            None => show(&format!("{text}\n")),
        }
    }

    fn left(&self, progress: &HuntProgress) -> String {
        match self.budget.steps {
            Some(steps) => format!("{} steps left", count(steps.saturating_sub(progress.steps))),
            None => format!("{} left", seconds(self.budget.time.saturating_sub(self.start.elapsed()))),
        }
    }
}

impl Watch for Live {
    fn phase(&mut self, phase: Phase) {
        if self.quiet && self.bar.is_none() && self.drawn.is_none() && phase == Phase::Reading {
            return;
        }
        self.say(&format!("{} …", words(phase)));
    }

    fn progress(&mut self, progress: &HuntProgress) {
        self.growth.add(progress.elapsed, progress.edges);
        let before = self.last.replace(*progress);
        if progress.failures > before.map_or(0, |before| before.failures) {
            self.met.push((progress.steps, progress.elapsed));
        }
        let interval = if self.bar.is_some() { LIVE } else { PLAIN };
        let (when, sequences) = self.drawn.unwrap_or((self.start, 0));
        if self.drawn.is_some() && when.elapsed() < interval {
            return;
        }
        let window = if self.drawn.is_some() { when.elapsed() } else { progress.elapsed };
        let rate = (progress.sequences - sequences) as f64 / window.as_secs_f64().max(1e-3);
        if before.is_some() || self.bar.is_none() {
            self.say(&line(progress, rate, &self.left(progress)));
        }
        self.drawn = Some((Instant::now(), progress.sequences));
    }

    fn first_test(&mut self, test: &FirstTest) {
        if self.quiet {
            return;
        }
        match &self.bar {
            Some(bar) => bar.suspend(|| show(&framed(test))),
            None => show(&framed(test)),
        }
    }
}

/// A test as it is shown while the search goes on.
fn framed(test: &FirstTest) -> String {
    let lines = test.source.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n");
    format!(
        "a first test, for {} (checked with the others when the search is over):\n{}",
        test.subject,
        lines.collect::<String>()
    )
}

/// `searching: 1,200 sequences/s, 83% legal, …`.
fn line(progress: &HuntProgress, rate: f64, left: &str) -> String {
    format!(
        "searching: {} sequences/s, {} legal, {} states, {} of {} branches, {}, {left}",
        count(rate as u64),
        percent(progress.legal, progress.sequences),
        count(progress.states as u64),
        count(progress.edges as u64),
        count(u64::from(progress.of_edges)),
        plural(progress.failures as u64, "failure"),
    )
}

/// A phase as a participle.
pub fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Reading => "reading classes",
        Phase::Starting => "starting JVMs",
        Phase::Searching => "searching",
        Phase::Finishing => "shortening tests and adding assertions",
        Phase::Judging => "looking at the failures",
        Phase::Compiling => "compiling the tests",
        Phase::Running => "running the tests twice in fresh JVMs",
        Phase::Explaining => "finding out why branches were not reached",
    }
}

/// Says that a stop was heard, once.
pub fn tell_stop() {
    message("note", "stopping the search; what was found is being finished (Ctrl-C again to quit)");
}

impl Growth {
    fn add(&mut self, elapsed: Duration, edges: usize) {
        if self.samples.last().is_none_or(|(_, last)| edges > *last) {
            self.samples.push((elapsed, edges));
        }
    }

    /// Edges gained in the second half of a search that took `elapsed`.
    ///
    /// Coverage of random search grows like a logarithm, so as much time again brings about as much as the last doubling.
    pub fn of_last_doubling(&self, elapsed: Duration) -> usize {
        let at_half =
            self.samples.iter().rev().find(|(when, _)| *when <= elapsed / 2).map_or(0, |(_, edges)| *edges);
        self.samples.last().map_or(0, |(_, edges)| edges - at_half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_rate_legality_states_edges_failures_and_time() {
        let progress = HuntProgress {
            elapsed: Duration::from_secs(4),
            sequences: 40_000,
            steps: 200_000,
            legal: 33_200,
            states: 1204,
            edges: 512,
            of_edges: 700,
            failures: 1,
            barren: Duration::ZERO,
        };
        expect_test::expect![
            "searching: 12,345 sequences/s, 83% legal, 1,204 states, 512 of 700 branches, 1 failure, 14s left"
        ]
        .assert_eq(&line(&progress, 12_345.6, "14s left"));
    }

    #[test]
    fn a_test_is_shown_with_its_class() {
        let test = FirstTest {
            subject: probat_model::ClassName::internal("shop/Cart"),
            source: "@Test\nvoid one() {\n\n    go();\n}".into(),
        };
        expect_test::expect![[r#"
            a first test, for shop.Cart (checked with the others when the search is over):
                @Test
                void one() {

                    go();
                }
        "#]]
        .assert_eq(&framed(&test));
    }

    #[test]
    fn growth_of_the_second_half_is_the_estimate() {
        let mut growth = Growth::default();
        for (second, edges) in [(0, 10), (1, 40), (1, 40), (4, 60), (7, 65)] {
            growth.add(Duration::from_secs(second), edges);
        }
        assert_eq!(growth.of_last_doubling(Duration::from_secs(10)), 5);
        assert_eq!(growth.of_last_doubling(Duration::from_secs(2)), 25);
        assert_eq!(Growth::default().of_last_doubling(Duration::from_secs(2)), 0);
    }
}
