//! Sequences of the user that the search begins with.
//!
//! In: files and folders named with `--seed-sequences`, each file a script as `probat run` takes it. Out: sequences for the job, the literals
//! in them, and afterwards what became of each. A script that cannot be read stops the command and is explained where it is wrong.

use std::fs;
use std::path::{Path, PathBuf};

use probat_generate::SeedSequence;
use probat_model::{End, Literal, Operation, Type};
use probat_search::campaign::Seeded;

use super::report::SeedUsed;
use crate::exit::Exit;
use crate::failure::{Failure, warn};
use crate::library::Library;
use crate::run;

/// What the scripts hold.
#[derive(Debug, Default)]
pub struct Seeds {
    pub sequences: Vec<SeedSequence>,
    /// Values that the scripts spell out.
    pub literals: Vec<Literal>,
}

/// Reads all scripts.
pub fn read(places: &[PathBuf], library: &Library) -> Result<Seeds, Failure> {
    let mut seeds = Seeds::default();
    for path in files(places)? {
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).map_err(|error| cannot_read(&path, &error))?;
        let script = run::resolve(&name, &text, library)?;
        for step in script.sequence.steps() {
            if let Operation::Literal(literal) = script.table.get(step.operation)
                && is_drawn(literal)
                && !seeds.literals.contains(literal)
            {
                seeds.literals.push(literal.clone());
            }
        }
        seeds.sequences.push(SeedSequence { name, table: script.table, sequence: script.sequence });
    }
    Ok(seeds)
}

/// Numbers, characters and texts; the rest is known anyway.
fn is_drawn(literal: &Literal) -> bool {
    match literal {
        Literal::Null(_) | Literal::Boolean(_) | Literal::Class(_) => false,
        other => other.ty() != Type::Boolean,
    }
}

/// The files meant, those of a folder by name.
fn files(places: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for place in places {
        if !place.is_dir() {
            all.push(place.clone());
            continue;
        }
        let entries = fs::read_dir(place).map_err(|error| cannot_read(place, &error))?;
        let mut inside: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file() && !is_hidden(path))
            .collect();
        if inside.is_empty() {
            let text = format!("there is no script in `{}`", place.display());
            return Err(
                Failure::new(Exit::BadInput, text).hint("every file of the folder is read as one script")
            );
        }
        inside.sort();
        all.extend(inside);
    }
    Ok(all)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Exit::BadInput, format!("cannot read `{}`: {error}", path.display()))
        .hint("`--seed-sequences` takes a script, as `probat run` does, or a folder of scripts")
}

/// What became of them, for the report; those that gave nothing are told of.
pub fn used(seeds: &[SeedSequence], seeded: &[Seeded]) -> Vec<SeedUsed> {
    let told = |(seed, seeded): (&SeedSequence, &Seeded)| {
        let file = seed.name.clone();
        let (values, problem) = match seeded {
            Seeded::Waiting => (0, Some("there was no time to run it".to_owned())),
            Seeded::Gave(values) => (*values, None),
            Seeded::Failed(end) => (0, Some(in_words(end.as_ref()))),
        };
        if let Some(problem) = &problem {
            warn(&format!("`{file}` is of no use as a seed: {problem}"));
        }
        SeedUsed { file, values, problem }
    };
    seeds.iter().zip(seeded).map(told).collect()
}

fn in_words(end: Option<&End>) -> String {
    match end {
        None | Some(End::Completed) => "it tries something that no test may do".into(),
        Some(End::Threw(step)) => format!("step {} throws", step.0 + 1),
        Some(End::Refused(step)) => format!("step {} cannot be run", step.0 + 1),
        Some(End::TimedOut(step)) => format!("step {} takes too long", step.0 + 1),
        Some(End::Exhausted(step)) => format!("step {} uses up memory or stack", step.0 + 1),
        Some(End::Died { .. }) => "it ends the JVM".into(),
    }
}
