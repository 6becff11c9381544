//! The options that decide how the search goes about its work, and what they mean to it.
//!
//! In: arguments. Out: [`CampaignConfig`] and what the survey must know. A mode sets everything at once; the other options change one thing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use probat_model::{ClassName, ContractFamily, Literal, MethodDescriptor, Operation};
use probat_search::campaign::{CampaignConfig, Exceptions, FaultConfig};
use probat_search::strategy::{Batch, Grades, Inputs, Methods, Pruning, Sequences};
use probat_survey::SurveyOptions;

use super::args::literal;

/// How often a reference is null where the user allows it.
const NULLS: f64 = 0.05;

/// How often it is in robustness testing, and how often a number or text is an extreme one.
const ROBUST: f64 = 0.2;

/// What a sequence that closes something keeps of its weight, where that is held against it.
const PENALTY: f64 = 0.25;

const SEARCH: &str = "How it searches";

#[derive(Debug, Clone, Args)]
pub struct TechniqueArgs {
    /// The technique; the options below change it in one point each
    #[arg(long, value_enum, default_value = "best", help_heading = SEARCH)]
    pub mode: Mode,
    /// Let null be an argument now and then
    #[arg(long, help_heading = SEARCH)]
    pub nulls: bool,
    /// A value to use as an argument: 42, 42L, 1.5, 'c', true, or any text; may be repeated
    #[arg(long = "literal", value_name = "VALUE", value_parser = literal, allow_hyphen_values = true, help_heading = SEARCH)]
    pub literals: Vec<Literal>,
    /// A script as `probat run` takes it, or a folder of them, whose objects the search begins with; may be repeated
    #[arg(long, value_name = "PATH", help_heading = SEARCH)]
    pub seed_sequences: Vec<PathBuf>,
    /// A class whose public static methods are contracts of yours: `ok(Cart c)` judges objects, `before_add(Cart c, int n)` and
    /// `after_add(Cart c, int n, int result)` calls of `add`; false or an exception is a failure; may be repeated
    #[arg(long, value_name = "CLASS", help_heading = SEARCH)]
    pub contracts: Vec<String>,
    /// Contracts of ours not to check; may be repeated
    #[arg(long, value_enum, value_name = "CONTRACTS", value_delimiter = ',', help_heading = SEARCH)]
    pub without_contracts: Vec<FamilyChoice>,
    /// Do not check any contracts, yours included
    #[arg(long, help_heading = SEARCH)]
    pub no_contracts: bool,
    /// What becomes of a call that throws: a test that asserts it, or nothing (default: `discard` in mode `drt` and those to compare with it, otherwise `assert`)
    #[arg(long, value_enum, value_name = "WHAT", help_heading = SEARCH)]
    pub exceptions: Option<ExceptionChoice>,
    /// Go on after a call that threw: tests catch its exception and make further calls, which shows what a failed call leaves behind
    #[arg(long, help_heading = SEARCH)]
    pub past_exceptions: bool,
    /// An exception class that counts as an error wherever it is thrown, subclasses included; may be repeated
    #[arg(long = "error-exception", value_name = "CLASS", help_heading = SEARCH)]
    pub error_exceptions: Vec<String>,
    /// Assume no preconditions: pass null and extreme values, and report every exception a method does not declare
    #[arg(long, help_heading = SEARCH)]
    pub robust: bool,
    /// Which objects may be used again in longer tests (default: `equals` in mode `drt`, otherwise `state`)
    #[arg(long, value_enum, value_name = "BY", help_heading = SEARCH)]
    pub prune: Option<PruneChoice>,
    /// Tell objects apart by a static method of your own: `com.acme.Same.same` takes two objects and gives a boolean
    #[arg(long, value_name = "METHOD", value_parser = equality, conflicts_with = "prune", help_heading = SEARCH)]
    pub equality: Option<Operation>,
    /// Never pass on a number of larger magnitude that a call gave; for modes and options in which such numbers are passed on at all
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub number_limit: Option<u64>,
    /// How often a call is repeated, from 0 to 1 (default: 0.1 in mode `drt`, otherwise 0)
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = SEARCH)]
    pub repeat: Option<f64>,
    /// How many times at most (default: 100 in mode `drt`, otherwise 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = SEARCH)]
    pub repeat_max: Option<u16>,
    /// Keep the relevance of methods to each other in this file: written if it is not there, otherwise read in place of computing it (for mode
    /// `recgen` and `--with relevance`)
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub relevance_table: Option<PathBuf>,
    /// How many calls deep the fields a method touches are looked for, for the relevance of methods to each other (default: all)
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub call_depth: Option<u32>,
    /// An ingredient of the search to leave out, to see what it is worth; may be repeated
    #[arg(long, value_enum, value_name = "INGREDIENT", value_delimiter = ',', help_heading = SEARCH)]
    pub without: Vec<Ingredient>,
    /// An ingredient to add that the mode does not have; may be repeated
    #[arg(long = "with", value_enum, value_name = "EXTRA", value_delimiter = ',', help_heading = SEARCH)]
    pub extras: Vec<Extra>,
}

/// A technique with all its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// The best we have
    Best,
    /// Directed random testing as its author ran it: public members, even choices, `equals` tells objects apart, calls that throw are discarded
    Drt,
    /// MUT-aware recommendation as its author ran it: sequences drawn by shared fields, receivers reused, batches after failures
    Recgen,
    /// Terms from the top down: calls that yield what a call needs, three deep, learning nothing (compare with `drt`)
    TopDown,
    /// Terms from the bottom up, built upon whether they are legal or not (compare with `drt`)
    BottomUp,
    /// Terms from the bottom up, built upon if they are legal (compare with `drt`)
    BottomUpLegal,
    /// `drt` with all its filters and heuristics off
    DrtUnpruned,
    /// Undirected generation over the types that calls take and yield (compare with `recgen`)
    Undirected,
    /// Feedback, but no recommendation (compare with `recgen`)
    Feedback,
    /// Inputs as far as can be from those used before (compare with `recgen`)
    Adaptive,
    /// A random walk: one sequence is made longer with random calls on what it holds, until a call fails; then another begins
    RandomWalk,
}

impl Mode {
    /// Whether the settings that are not a choice of what to try are RecGen's; else they are our own, or those of directed random testing.
    fn is_beside_recgen(self) -> bool {
        match self {
            Mode::Recgen | Mode::Undirected | Mode::Feedback | Mode::Adaptive => true,
            Mode::Best
            | Mode::Drt
            | Mode::TopDown
            | Mode::BottomUp
            | Mode::BottomUpLegal
            | Mode::DrtUnpruned
            | Mode::RandomWalk => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExceptionChoice {
    Assert,
    Discard,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PruneChoice {
    /// Those in a state that is new for their type
    State,
    /// Those that equal no earlier one
    Equals,
    /// Results, and arguments that the call changed
    Mutation,
    /// All of a sequence of calls that was not made before
    Syntactic,
    /// All
    Off,
}

/// Contracts that every class should keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FamilyChoice {
    /// `equals` is reflexive, symmetric, false for null, throws nothing and agrees with `hashCode`
    Equals,
    /// `hashCode` throws nothing and answers the same twice
    HashCode,
    /// `toString` throws nothing and gives a text
    ToString,
    /// `compareTo` is an order that agrees with `equals`
    CompareTo,
    /// `clone` gives another, equal object of the same class
    Clone,
    /// An iterator that has a next element gives it
    Iterator,
    /// `size`, `isEmpty`, `toArray` and iterators of collections and maps agree
    Collection,
    /// No `NullPointerException` without a null argument
    NullPointer,
    /// No `assert` of the code fails
    Assertion,
}

impl FamilyChoice {
    pub fn family(self) -> ContractFamily {
        match self {
            FamilyChoice::Equals => ContractFamily::Equals,
            FamilyChoice::HashCode => ContractFamily::HashCode,
            FamilyChoice::ToString => ContractFamily::ToString,
            FamilyChoice::CompareTo => ContractFamily::CompareTo,
            FamilyChoice::Clone => ContractFamily::Clone,
            FamilyChoice::Iterator => ContractFamily::Iterator,
            FamilyChoice::Collection => ContractFamily::Collection,
            FamilyChoice::NullPointer => ContractFamily::NullPointer,
            FamilyChoice::Assertion => ContractFamily::Assertion,
        }
    }
}

/// What the search can do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ingredient {
    /// Literals found in the code
    MinedLiterals,
    /// Values the code compared its arguments with
    Comparisons,
    /// Boundaries, neighbours and mutations of literals
    Variation,
    /// Choosing what still has something to reach
    AdaptiveChoice,
    /// Keeping only objects in a new state
    States,
    /// Stand-ins for interfaces and abstract classes
    Stubs,
    /// Looking for a way to make a missing type
    Demand,
    /// Repeating a call
    Repetition,
    /// Using one value twice in a test
    Reuse,
    /// Drawing sequences by the fields they share with the method under test
    Relevance,
    /// Arguments from the receiver's own sequence
    ReceiverReuse,
    /// All combinations after five failures
    Batch,
    /// Never passing on a null that a call gave
    NullPruning,
    /// Never passing on a large number that a call gave
    NumberPruning,
    /// Passing on a text that a call gave as a literal, without the calls that led to it
    LiteralTexts,
    /// Seldom looking at the arguments of members that were never seen to change any
    Habits,
    /// Asking laws between two objects, such as that of `equals`, of objects that are made alike
    Pairs,
    /// Several calls on one object where none changes it, so that it is made once
    Siblings,
}

/// What can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// Drawing sequences by the fields they share with the method under test
    Relevance,
    /// The same, where a field that is written counts more than one that both only read
    GradedRelevance,
    /// The same, where a sequence that calls `close` and the like counts less
    DestroyerPenalty,
    /// Passing on numbers that calls gave
    Numbers,
    /// Classes that are exceptions, which mode `recgen` leaves out
    ExceptionClasses,
}

/// What the survey must know of it.
pub fn survey(args: &TechniqueArgs, options: SurveyOptions) -> SurveyOptions {
    let classic = args.mode != Mode::Best;
    SurveyOptions {
        package_private: options.package_private && !classic,
        skip_exceptions: args.mode.is_beside_recgen() && !args.extras.contains(&Extra::ExceptionClasses),
        call_depth: args.call_depth,
        ..options
    }
}

/// What the search must know of it.
pub fn campaign(args: &TechniqueArgs, seed: u64) -> CampaignConfig {
    let mut config = match args.mode {
        Mode::Best => CampaignConfig::default(),
        Mode::Drt => CampaignConfig::drt(),
        Mode::Recgen => CampaignConfig::recgen(),
        Mode::RandomWalk => CampaignConfig::random_walk(),
        Mode::TopDown => CampaignConfig::top_down(),
        Mode::BottomUp => CampaignConfig::bottom_up(false),
        Mode::BottomUpLegal => CampaignConfig::bottom_up(true),
        Mode::DrtUnpruned => CampaignConfig::drt_unpruned(),
        Mode::Undirected => CampaignConfig::undirected(),
        Mode::Feedback => CampaignConfig::feedback(),
        Mode::Adaptive => CampaignConfig::adaptive(),
    };
    config.seed = seed;
    config.contracts = !args.no_contracts;
    config.literals.seeds = args.literals.clone();
    config.past_exceptions = args.past_exceptions;
    if args.nulls {
        config.assemble.null = NULLS;
    }
    if let Some(choice) = args.exceptions {
        config.exceptions = match choice {
            ExceptionChoice::Assert => Exceptions::Assert,
            ExceptionChoice::Discard => Exceptions::Discard,
        };
    }
    let exceptions = args.error_exceptions.iter().map(|name| ClassName::binary(name)).collect();
    config.faults = FaultConfig { exceptions, robust: args.robust };
    if args.robust {
        config.assemble.null = ROBUST;
        config.literals.variation = true;
        config.literals.extremes = ROBUST;
    }
    config.assemble.repeat = args.repeat.unwrap_or(config.assemble.repeat);
    config.assemble.repeat_max = args.repeat_max.unwrap_or(config.assemble.repeat_max);
    prune(args, &mut config);
    args.extras.iter().for_each(|extra| add(*extra, &mut config));
    args.without.iter().for_each(|ingredient| remove(*ingredient, &mut config));
    config
}

fn prune(args: &TechniqueArgs, config: &mut CampaignConfig) {
    let strategy = &mut config.strategy;
    if let Some(choice) = args.prune {
        strategy.pruning = match choice {
            PruneChoice::State => Pruning::State,
            PruneChoice::Equals => Pruning::Equals,
            PruneChoice::Mutation => Pruning::Mutation,
            PruneChoice::Syntactic => Pruning::Syntactic,
            PruneChoice::Off => Pruning::Off,
        };
    }
    if let Some(method) = &args.equality {
        strategy.pruning = Pruning::Custom(method.clone());
    }
    strategy.largest = args.number_limit.or(strategy.largest);
}

fn add(extra: Extra, config: &mut CampaignConfig) {
    let strategy = &mut config.strategy;
    let mut grades = match strategy.sequences {
        Sequences::Relevant(grades) => grades,
        Sequences::LeastUsed | Sequences::Uniform | Sequences::Farthest => Grades::PLAIN,
    };
    match extra {
        Extra::Relevance => {}
        Extra::GradedRelevance => grades.by_access = true,
        Extra::DestroyerPenalty => grades.destroyers = PENALTY,
        Extra::Numbers => return strategy.numbers = true,
        Extra::ExceptionClasses => return,
    }
    strategy.sequences = Sequences::Relevant(grades);
}

fn remove(ingredient: Ingredient, config: &mut CampaignConfig) {
    let strategy = &mut config.strategy;
    match ingredient {
        Ingredient::MinedLiterals => config.literals.mined = false,
        Ingredient::Comparisons => config.literals.feedback = false,
        Ingredient::Variation => config.literals.variation = false,
        Ingredient::AdaptiveChoice => strategy.methods = Methods::Uniform,
        Ingredient::States => strategy.pruning = Pruning::Syntactic,
        Ingredient::Stubs => config.assemble.stubs = false,
        Ingredient::Demand => config.assemble.demand = false,
        Ingredient::Repetition => config.assemble.repeat = 0.0,
        Ingredient::Reuse => config.assemble.reuse = 0.0,
        Ingredient::Relevance => strategy.sequences = Sequences::Uniform,
        Ingredient::ReceiverReuse => {
            if let Inputs::Recommended { receiver } = &mut strategy.inputs {
                *receiver = 0.0;
            }
        }
        Ingredient::Batch => strategy.batch = None::<Batch>,
        Ingredient::NullPruning => strategy.prune_null = false,
        Ingredient::NumberPruning => strategy.largest = None,
        Ingredient::LiteralTexts => strategy.literal_texts = false,
        Ingredient::Habits => strategy.watch_all = true,
        Ingredient::Pairs => config.pairs = false,
        Ingredient::Siblings => config.assemble.followers = 0,
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("write a number from 0 to 1, such as 0.1".into()),
    }
}

fn equality(text: &str) -> Result<Operation, String> {
    let Some((class, name)) = text.rsplit_once('.') else {
        return Err("write the class and the method, such as com.acme.Same.same".into());
    };
    let descriptor =
        MethodDescriptor::parse("(Ljava/lang/Object;Ljava/lang/Object;)Z").expect("a well-formed descriptor");
    let class = ClassName::binary(class);
    Ok(Operation::CallStatic { class, name: name.into(), descriptor, interface: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn of(words: &[&str]) -> (CampaignConfig, SurveyOptions) {
        let all = ["probat", "generate", "app.jar"].iter().chain(words);
        let Command::Generate(args) = Cli::try_parse_from(all).unwrap().command else { panic!() };
        (campaign(&args.technique, args.seed), survey(&args.technique, SurveyOptions::default()))
    }

    #[test]
    fn modes_set_the_defaults_of_their_sources() {
        let (best, best_survey) = of(&[]);
        assert_eq!(best, CampaignConfig { seed: 1, ..CampaignConfig::default() });
        assert!(best_survey.package_private && !best_survey.skip_exceptions);
        let (drt, drt_survey) = of(&["--mode", "drt"]);
        assert_eq!((drt.strategy.methods, &drt.strategy.pruning), (Methods::Uniform, &Pruning::Equals));
        assert_eq!((drt.assemble.repeat, drt.assemble.repeat_max), (0.1, 100));
        assert_eq!((drt.exceptions, drt.assemble.null), (Exceptions::Discard, 0.0));
        assert!(!drt_survey.package_private && !drt_survey.skip_exceptions);
        let (recgen, recgen_survey) = of(&["--mode", "recgen"]);
        assert_eq!(recgen.strategy.batch, Some(Batch { after: 5, cap: 64 }));
        assert_eq!(recgen.strategy.inputs, Inputs::Recommended { receiver: 0.5 });
        assert!(recgen_survey.skip_exceptions);
        assert!(!of(&["--mode", "recgen", "--with", "exception-classes"]).1.skip_exceptions);
    }

    #[test]
    fn every_ingredient_changes_something() {
        for ingredient in Ingredient::value_variants() {
            let name = ingredient.to_possible_value().unwrap();
            let changes = |mode: &str| {
                let (with, without) =
                    (of(&["--mode", mode]).0, of(&["--mode", mode, "--without", name.get_name()]).0);
                with != without
            };
            assert!(["best", "drt", "recgen"].iter().any(|mode| changes(mode)), "{}", name.get_name());
        }
    }

    #[test]
    fn single_options_change_one_thing() {
        let (config, _) = of(&["--with", "graded-relevance,destroyer-penalty", "--prune", "mutation"]);
        let grades = Grades { by_access: true, destroyers: PENALTY };
        assert_eq!(config.strategy.sequences, Sequences::Relevant(grades));
        assert_eq!(config.strategy.pruning, Pruning::Mutation);
        let (config, _) = of(&["--error-exception", "java.lang.IllegalStateException", "--robust"]);
        assert_eq!(config.faults.exceptions, [ClassName::internal("java/lang/IllegalStateException")]);
        assert!(config.faults.robust && config.assemble.null > 0.0);
        let (config, _) = of(&["--equality", "com.acme.Same.same"]);
        assert!(matches!(config.strategy.pruning, Pruning::Custom(_)));
    }
}
