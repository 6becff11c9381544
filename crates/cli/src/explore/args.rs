//! The command line of `explore`.
//!
//! In: arguments. Out: [`ExploreArgs`].

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use probat_explore::{MethodFilter, Pool, Strategy};

use crate::args::{Format, JvmArgs};
use crate::duration;

/// Try every sequence of so many calls on a class, and tell which states it can reach.
///
/// Starts from the constructors and calls every method with every argument on every state that is reached, breadth first. States
/// are compared by what the objects hold, so two ways to the same state are followed once. The result is exact up to
/// the bound: the states, the calls that throw, the shortest way to each.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExploreArgs {
    /// Classes to explore, one after the other: `com.acme.Cart`, `Cart`, `java.util.TreeMap`
    #[arg(value_name = "CLASS", required = true)]
    pub classes: Vec<String>,
    #[command(flatten)]
    pub jvm: JvmArgs,
    /// Calls made after the constructor, at most
    #[arg(long, short = 'n', value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=10_000), help_heading = WHAT)]
    pub bound: u16,
    /// Methods to call, as `push,pop` or `remove(Object)`; `new(int)` picks a constructor (default: all public ones)
    #[arg(long, value_name = "METHODS", value_parser = methods, help_heading = WHAT)]
    pub methods: Vec<Methods>,
    /// Argument values, for a type (`int=0..4`, `String=a,b`, `Comparator=null`) or for one parameter, counted from 0
    /// (`put.1=0`, `new.0=16`); integers box where an object is wanted; may be repeated
    #[arg(long = "pool", value_name = "KEY=VALUES", value_parser = Pool::parse, allow_hyphen_values = true, help_heading = WHAT)]
    pub pools: Vec<Pool>,
    /// A folder or jar with compiled JUnit tests: values they pass to the classes are arguments where no pool is given
    #[arg(long, value_name = "DIR_OR_JAR", help_heading = WHAT)]
    pub harvest: Option<PathBuf>,
    /// The jar `junit-platform-console-standalone` to run those tests with, if Maven cannot get it; may be repeated
    #[arg(long = "junit-jar", value_name = "JAR", help_heading = WHAT)]
    pub junit_jars: Vec<PathBuf>,
    /// Do not use literals of the code as arguments where no pool is given
    #[arg(long, help_heading = WHAT)]
    pub no_literals: bool,
    /// Call package-private members too
    #[arg(long, help_heading = WHAT)]
    pub package_private: bool,
    /// A field that is no state, as `modCount` (always left out) or `com.acme.Cart.cache`; may be repeated
    #[arg(long = "ignore-field", value_name = "FIELD", help_heading = WHAT)]
    pub ignored_fields: Vec<String>,

    /// Time for everything; what was found until then is told
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration::parse, help_heading = LIMITS)]
    pub time_limit: Duration,
    /// Memory for states, such as 500MB or 2GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = size, help_heading = LIMITS)]
    pub memory_limit: usize,
    /// Stop after so many states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    pub max_states: Option<u64>,
    /// JVMs that work at once (default: one per core); the result is the same with any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = LIMITS)]
    pub workers: Option<u16>,
    /// CPU time one call may take
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration::parse, help_heading = LIMITS)]
    pub time_limit_per_call: Duration,
    /// How an object is brought into a state: by the calls that led there, or by putting a snapshot back
    #[arg(long, value_enum, default_value = "auto", help_heading = LIMITS)]
    pub strategy: StrategyChoice,

    /// Write the tests there as JUnit 5 source, and the graph of states as DOT and SVG; of large graphs the first levels
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Tests written at most, those with the fewest calls first
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub max_tests: usize,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

const WHAT: &str = "What is tried";
const LIMITS: &str = "How far";

const EXAMPLES: &str = "\
Examples:
  probat explore --classpath classes --bound 5 --pool int=0..4 com.acme.IntSet
  probat explore --bound 5 --methods put,remove --pool int=0..4 --pool put.1=0 java.util.TreeMap
  # arguments from literals of the code
  probat explore --classpath app.jar --bound 3 Cart
  # as tests and as a picture
  probat explore --classpath classes --bound 3 --output explored Cart

  probat explore --classpath classes --harvest test-classes --bound 3 Cart

Ctrl-C ends the search and shows what there is; a second Ctrl-C quits at once.

Exit codes: 0 fine, also when a limit was reached; 2 bad input, 4 nothing to explore, 5 something missing, 130 interrupted.";

/// How states are reached again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StrategyChoice {
    /// Whichever is faster on this class, by trying both now and then
    Auto,
    /// Run the calls again
    Rerun,
    /// Put a snapshot back
    Restore,
}

impl StrategyChoice {
    /// The strategy to begin with.
    pub fn first(self) -> Strategy {
        match self {
            StrategyChoice::Auto | StrategyChoice::Rerun => Strategy::Rerun,
            StrategyChoice::Restore => Strategy::Restore,
        }
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StrategyChoice::Auto => "auto",
            StrategyChoice::Rerun => "rerun",
            StrategyChoice::Restore => "restore",
        }
    }
}

/// Several methods in one word.
#[derive(Debug, Clone)]
pub struct Methods(pub Vec<MethodFilter>);

/// `push,pop`, `put(Object,Object),remove`.
fn methods(text: &str) -> Result<Methods, String> {
    let mut words = vec![String::new()];
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            ',' if depth == 0 => {
                words.push(String::new());
                continue;
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        words.last_mut().expect("there is always one").push(c);
    }
    let filters = words.iter().map(|word| {
        MethodFilter::parse(word)
            .ok_or_else(|| format!("`{word}` is no method: write `add` or `remove(Object)`"))
    });
    filters.collect::<Result<_, _>>().map(Methods)
}

/// `500MB`, `2GB`.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: f64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "KB" | "K" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        _ => return Err(format!("`{text}` is no size: write a number and a unit, such as 500MB or 2GB")),
    };
    match digits.parse::<f64>() {
        Ok(number) if (1e5..=1e13).contains(&(number * unit)) => Ok((number * unit) as usize),
        Ok(_) => Err(format!("`{text}` is not between 100KB and 10000GB")),
        Err(_) => Err(format!("`{text}` is no size: write a number and a unit, such as 500MB or 2GB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_parentheses_belong_to_the_method() {
        let found = methods("put(Object, Object),remove").unwrap().0;
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["put(Object, Object)", "remove"]);
        assert!(methods("a,,b").is_err() && methods("add(int").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!((size("2GB"), size("1.5m")), (Ok(2_000_000_000), Ok(1_500_000)));
        for bad in ["", "2", "GB", "0MB", "-1GB", "2TB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
