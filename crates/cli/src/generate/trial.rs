//! One search in this process, and no tests: what techniques and ingredients are measured with.
//!
//! In: a subject as `generate` takes it, options of `generate`, a limit. Out: what the search reached and found. The subject is found once for any
//! number of searches; all that differs between them is what the options say.

use std::path::Path;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use probat_generate::{ClassReport, FailureReport, FirstTest, HuntProgress, Outcome, Phase, Watch};
use probat_search::campaign::Totals;
use probat_survey::SurveyOptions;

use super::args::GenerateArgs;
use super::budget::Budget;
use super::known::Known;
use super::subject::{self, Subject};
use super::technique::{self, Extra, Ingredient};
use super::{job, job_failure};
use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::failure::Failure;

/// Time that nobody waits for, where steps are the limit.
const ENOUGH: Duration = Duration::from_secs(86_400);

/// How long each search goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Of searching: reading classes and starting JVMs is not counted.
    Time(Duration),
    Steps(u64),
}

/// A subject that is ready to be searched.
#[derive(Debug)]
pub struct Prepared {
    words: Vec<String>,
    subject: Subject,
    work: tempfile::TempDir,
}

/// What a search came to.
#[derive(Debug)]
pub struct Searched {
    pub totals: Totals,
    pub states: usize,
    /// Calls by how many came before them.
    pub depths: Vec<u64>,
    /// Members under test.
    pub members: usize,
    pub classes: Vec<ClassReport>,
    pub failures: Vec<FailureReport>,
    /// After each round.
    pub growth: Vec<HuntProgress>,
}

impl Searched {
    /// Branches reached, and all of them.
    pub fn branches(&self) -> (u64, u64) {
        let sum = |of: fn(&ClassReport) -> u32| self.classes.iter().map(|class| u64::from(of(class))).sum();
        (sum(|class| class.reached), sum(|class| class.edges))
    }
}

/// Keeps what it is told.
#[derive(Debug, Default)]
struct Kept(Vec<HuntProgress>);

impl Watch for Kept {
    fn phase(&mut self, _: Phase) {}

    fn first_test(&mut self, _: &FirstTest) {}

    fn progress(&mut self, progress: &HuntProgress) {
        self.0.push(*progress);
    }
}

impl Prepared {
    /// Finds a subject: the words that `generate` would be given.
    pub fn find(words: &[String], java_home: Option<&Path>) -> Result<Self, Failure> {
        let mut words = words.to_vec();
        if let Some(home) = java_home {
            words.extend(["--java-home".to_owned(), home.display().to_string()]);
        }
        let work = tempfile::Builder::new().prefix("probat-bench-").tempdir().map_err(|error| {
            Failure::new(Exit::Missing, format!("cannot make a temporary folder: {error}"))
                .hint("point TMPDIR to a directory you may write to")
        })?;
        let subject = subject::find(&arguments(&words, &[])?, work.path(), None)?;
        Ok(Prepared { words, subject, work })
    }

    pub fn java(&self) -> &str {
        &self.subject.jvm.version.text
    }

    /// Classes under test, nested ones not counted.
    pub fn classes(&self) -> usize {
        super::budget::top_level_classes(&self.subject.targets)
    }

    /// Searches once.
    pub fn search(&self, options: &[&str], seed: u64, limit: Limit) -> Result<Searched, Failure> {
        let args = GenerateArgs { seed, no_plateau: true, ..arguments(&self.words, options)? };
        let budget = match limit {
            Limit::Time(time) => Budget { time, is_time_said: true, steps: None },
            Limit::Steps(steps) => Budget { time: ENOUGH, is_time_said: false, steps: Some(steps) },
        };
        let mut job = job(&args, &self.subject, &budget, &Known::default(), self.work.path())?;
        job.options.search_only = true;
        let mut kept = Kept::default();
        let outcome =
            probat_generate::run(&job, &mut kept, &|| false).map_err(|error| job_failure(&error))?;
        let Outcome { totals, states, depths, members, classes, failures, .. } = outcome;
        Ok(Searched { totals, states, depths, members, classes, failures, growth: kept.0 })
    }
}

/// The search of mode `best` with one ingredient less or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// What `generate` is told.
    pub options: Vec<String>,
    /// Whether something is added.
    pub adds: bool,
    /// Whether that makes a difference in this mode at all.
    pub changes: bool,
}

/// Every ingredient that can be left out or added.
pub fn variants() -> Result<Vec<Variant>, Failure> {
    let names = |all: Vec<Option<clap::builder::PossibleValue>>| -> Vec<String> {
        all.into_iter().flatten().map(|value| value.get_name().to_owned()).collect()
    };
    let less = names(Ingredient::value_variants().iter().map(ValueEnum::to_possible_value).collect());
    let more = names(Extra::value_variants().iter().map(ValueEnum::to_possible_value).collect());
    let less = less.into_iter().map(|name| ("--without", name));
    let more = more.into_iter().map(|name| ("--with", name));
    let settings = |options: &[&str]| -> Result<_, Failure> {
        let args = arguments(&["app.jar".to_owned()], options)?.technique;
        Ok((technique::campaign(&args, 1), technique::survey(&args, SurveyOptions::default())))
    };
    let base = settings(&[])?;
    less.chain(more)
        .map(|(word, name)| {
            let changes = settings(&[word, &name])? != base;
            Ok(Variant { options: vec![word.to_owned(), name], adds: word == "--with", changes })
        })
        .collect()
}

fn arguments(words: &[String], options: &[&str]) -> Result<GenerateArgs, Failure> {
    let fixed = ["probat", "generate", "--unverified"];
    let all = fixed.iter().copied().chain(words.iter().map(String::as_str)).chain(options.iter().copied());
    let parsed = Cli::try_parse_from(all).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::new(Exit::BadInput, format!("`generate` does not take `{}`: {first}", words.join(" ")))
    })?;
    match parsed.command {
        Command::Generate(args) => Ok(*args),
        _ => Err(Failure::new(Exit::BadInput, "only `generate` can be measured so")),
    }
}
