//! What each ingredient of the search brings: coverage with it and without, over seeds and subjects.
//!
//! In: subjects, a budget, seeds. Out: per ingredient the mean and the spread of coverage, and what it brings. By default coverage is that of searches in this process,
//! which costs no more than the searches; measured, it is that of written suites by JaCoCo. A difference that the spread explains is not taken for one.

use std::fmt::Write;

use serde::Serialize;

use super::args::{BenchGenerateArgs, words};
use super::report::Spread;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, message, print, print_json};
use crate::generate::trial::{Limit, Prepared, Variant, variants};

/// Grows when a key changes its meaning or goes.
const SCHEMA: u32 = 1;

/// Coverage of a suite that `generate` writes with these options, in percent: subject, its number, options, seed.
pub type Measure<'m> = dyn FnMut(&str, usize, &[String], u64) -> Result<f64, Failure> + 'm;

/// What each ingredient brings.
#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    /// `search`, or `jacoco` of written suites.
    coverage: &'static str,
    time_limit_seconds: Option<f64>,
    step_limit: Option<u64>,
    seeds: u64,
    subjects: Vec<String>,
    /// With all that the mode has, per subject.
    base: Vec<Spread>,
    ingredients: Vec<IngredientReport>,
    /// Ingredients that the mode does not have, so that leaving them out changes nothing.
    absent: Vec<String>,
}

/// An ingredient left out or added.
#[derive(Debug, Serialize)]
struct IngredientReport {
    /// As `generate` is told.
    options: Vec<String>,
    /// Per subject.
    coverage: Vec<Spread>,
    /// Points of coverage that having it brings, per subject and on average.
    brings: Vec<f64>,
    mean: f64,
    /// Whether it brings more than the spread explains anywhere.
    is_felt: bool,
    /// Whether it takes more than that somewhere.
    harms: bool,
}

/// Runs `bench generate --ablation`.
pub fn run(
    args: &BenchGenerateArgs,
    subjects: &[&str],
    measure: Option<&mut Measure<'_>>,
) -> Result<Exit, Failure> {
    let (present, absent): (Vec<Variant>, Vec<Variant>) =
        variants()?.into_iter().partition(|one| one.changes);
    let coverage = if measure.is_some() { "jacoco" } else { "search" };
    let mut columns: Vec<Vec<Spread>> = vec![Vec::new(); present.len() + 1];
    let mut prepared: Option<(usize, Prepared)> = None;
    let mut by_search = |text: &str, number: usize, options: &[String], seed: u64| -> Result<f64, Failure> {
        // A subject is found once.
        let found = match prepared.take() {
            Some((at, found)) if at == number => found,
            _ => Prepared::find(&words(text), args.java_home.as_deref())?,
        };
        let (_, found) = prepared.insert((number, found));
        by_search(args, found, options, seed)
    };
    let measure: &mut Measure<'_> = match measure {
        Some(measure) => measure,
        None => &mut by_search,
    };
    for (number, text) in subjects.iter().enumerate() {
        for (at, column) in columns.iter_mut().enumerate() {
            let options: &[String] = if at == 0 { &[] } else { &present[at - 1].options };
            let what = if at == 0 { "all there is".to_owned() } else { options.join(" ") };
            message("measuring", &format!("{text}: {what} ({} of {})", at + 1, present.len() + 1));
            let mut values = Vec::new();
            for seed in 1..=args.seeds {
                values.push(measure(text, number, options, seed)?);
            }
            column.push(Spread::of(&values));
        }
    }
    let base = columns.remove(0);
    let ingredients =
        present.into_iter().zip(columns).map(|(one, found)| compare(one, &base, found)).collect();
    let report = Report {
        schema: SCHEMA,
        coverage,
        time_limit_seconds: args.step_limit.is_none().then_some(args.time_limit.as_secs_f64()),
        step_limit: args.step_limit,
        seeds: args.seeds,
        subjects: subjects.iter().map(ToString::to_string).collect(),
        base,
        ingredients,
        absent: absent.into_iter().map(|one| one.options.join(" ")).collect(),
    };
    match args.format {
        Format::Text => print(&render(&report))?,
        Format::Json => print_json(&report)?,
    }
    Ok(Exit::Fine)
}

/// A search in this process.
fn by_search(
    args: &BenchGenerateArgs,
    prepared: &Prepared,
    options: &[String],
    seed: u64,
) -> Result<f64, Failure> {
    let limit = args.step_limit.map_or(Limit::Time(args.time_limit), Limit::Steps);
    let options: Vec<&str> = args.options.iter().chain(options).map(String::as_str).collect();
    let (reached, all) = prepared.search(&options, seed, limit)?.branches();
    Ok(reached as f64 * 100.0 / all.max(1) as f64)
}

fn compare(variant: Variant, base: &[Spread], found: Vec<Spread>) -> IngredientReport {
    let sign = if variant.adds { 1.0 } else { -1.0 };
    let brings: Vec<f64> = base.iter().zip(&found).map(|(base, one)| sign * (one.mean - base.mean)).collect();
    let width = |spread: &Spread| spread.most - spread.least;
    let noise = |at: usize| width(&base[at]).max(width(&found[at]));
    let is_felt = brings.iter().enumerate().any(|(at, points)| *points > noise(at));
    let harms = brings.iter().enumerate().any(|(at, points)| -points > noise(at));
    let mean = brings.iter().sum::<f64>() / brings.len().max(1) as f64;
    IngredientReport { options: variant.options, coverage: found, brings, mean, is_felt, harms }
}

fn render(report: &Report) -> String {
    let mut out = String::new();
    let limit = match (report.step_limit, report.time_limit_seconds) {
        (Some(steps), _) => format!("{steps} steps"),
        (None, time) => format!("{} s", time.unwrap_or_default()),
    };
    let by = match report.coverage {
        "jacoco" => "branches of the written suites, by JaCoCo",
        _ => "branches reached by the search; `--measured` asks JaCoCo of written suites",
    };
    let _ = writeln!(out, "{limit} each, {} seeds; coverage: {by}", report.seeds);
    let width = report.ingredients.iter().map(|one| one.options.join(" ").len()).max().unwrap_or(0).max(12);
    for (at, subject) in report.subjects.iter().enumerate() {
        let _ = writeln!(
            out,
            "\n{subject}\n  {:<width$} {:>7} {:>15} {:>8}",
            "", "mean", "least to most", "brings"
        );
        let mut row = |name: &str, spread: &Spread, brings: Option<f64>| {
            let brings = brings.map_or(String::new(), |points| format!("{points:+.2}"));
            let range = format!("{:.1} to {:.1}", spread.least, spread.most);
            let _ = writeln!(out, "  {name:<width$} {:>6.2}% {range:>15} {brings:>8}", spread.mean);
        };
        row("all there is", &report.base[at], None);
        for one in &report.ingredients {
            row(&one.options.join(" "), &one.coverage[at], Some(one.brings[at]));
        }
    }
    let _ = writeln!(out, "\nover all subjects, points of coverage");
    let mut sorted: Vec<&IngredientReport> = report.ingredients.iter().collect();
    sorted.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    for one in &sorted {
        let verdict = match (one.is_felt, one.harms) {
            (true, false) => "",
            (true, true) => "  helps here and harms there",
            (false, true) => "  harms",
            (false, false) => "  brings nothing that the spread does not explain",
        };
        let _ = writeln!(out, "  {:<width$} {:>+7.2}{verdict}", one.options.join(" "), one.mean);
    }
    if report.seeds == 1 {
        let _ = writeln!(out, "One seed shows no spread: take at least three before you believe it.");
    }
    if !report.absent.is_empty() {
        let _ = writeln!(out, "Changes nothing in this mode: {}", report.absent.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(mean: f64, width: f64) -> Spread {
        Spread { mean, least: mean - width / 2.0, most: mean + width / 2.0 }
    }

    #[test]
    fn what_the_spread_explains_is_nothing() {
        let without = |name: &str| Variant {
            options: vec!["--without".into(), name.into()],
            adds: false,
            changes: true,
        };
        let base = [spread(60.0, 2.0), spread(40.0, 1.0)];
        let good = compare(without("demand"), &base, vec![spread(50.0, 2.0), spread(40.5, 1.0)]);
        assert!(good.is_felt && !good.harms);
        assert!((good.brings[0] - 10.0).abs() < 1e-9 && (good.mean - 4.75).abs() < 1e-9);
        let idle = compare(without("reuse"), &base, vec![spread(59.0, 2.0), spread(40.9, 1.0)]);
        assert!(!idle.is_felt && !idle.harms);
        let added = Variant { adds: true, ..without("numbers") };
        let bad = compare(added, &base, vec![spread(57.0, 2.0), spread(40.0, 1.0)]);
        assert!(bad.harms && !bad.is_felt && bad.brings[0] < 0.0);
    }
}
