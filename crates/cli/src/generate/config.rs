//! The configuration file: options of a project that nobody wants to type again.
//!
//! In: `probat.toml` of the current folder, or the file of `--config`. Out: the arguments with what the file adds. Keys are the long names
//! of options; unknown ones are errors, with near ones. What stands on the command line comes first.

use std::fs;
use std::path::{Path, PathBuf};

use probat_classpath::near_names;
use toml::{Table, Value};

use super::args::{GenerateArgs, literal};
use crate::exit::Exit;
use crate::failure::{Failure, message};

/// Name of the file that is read without being asked for.
pub const FILE: &str = "probat.toml";

/// Commands that have a table.
const TABLES: [&str; 1] = ["generate"];

/// Keys of `[generate]`, each a list of texts.
const KEYS: [&str; 5] = ["contracts", "error-exception", "exclude", "exclude-method", "literal"];

/// The arguments with what the file adds.
pub fn with_file(args: &GenerateArgs) -> Result<GenerateArgs, Failure> {
    let mut args = args.clone();
    let Some(path) = place(&args) else { return Ok(args) };
    let text = fs::read_to_string(&path).map_err(|error| {
        Failure::new(Exit::BadInput, format!("cannot read `{}`: {error}", path.display()))
            .hint("name another file with `--config`")
    })?;
    message("note", &format!("using `{}`", path.display()));
    add(&mut args, &text, &path)?;
    Ok(args)
}

fn place(args: &GenerateArgs) -> Option<PathBuf> {
    args.config.clone().or_else(|| Some(PathBuf::from(FILE)).filter(|path| path.is_file()))
}

fn add(args: &mut GenerateArgs, text: &str, path: &Path) -> Result<(), Failure> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let said = error.message();
        Failure::new(Exit::BadInput, format!("`{}`, line {line}: {said}", path.display()))
            .hint("the file is TOML: `[generate]`, then lines such as `contracts = [\"com.acme.CartRules\"]`")
    })?;
    for (name, value) in &table {
        if !TABLES.contains(&name.as_str()) {
            return Err(unknown(path, name, "", &TABLES));
        }
        let Value::Table(generate) = value else {
            let text = format!("`{}`: `{name}` is no table", path.display());
            return Err(
                Failure::new(Exit::BadInput, text).hint(format!("write `[{name}]` on a line of its own"))
            );
        };
        for (key, value) in generate {
            if !KEYS.contains(&key.as_str()) {
                return Err(unknown(path, key, name, &KEYS));
            }
            set(args, key, texts(path, key, value)?, path)?;
        }
    }
    Ok(())
}

fn set(args: &mut GenerateArgs, key: &str, texts: Vec<String>, path: &Path) -> Result<(), Failure> {
    match key {
        "contracts" => args.technique.contracts.extend(texts),
        "error-exception" => args.technique.error_exceptions.extend(texts),
        "exclude" => args.exclude.extend(texts),
        "exclude-method" => args.excluded_methods.extend(texts),
        _ => {
            for text in texts {
                let value = literal(&text)
                    .map_err(|why| Failure::new(Exit::BadInput, format!("`{}`: {why}", path.display())))?;
                args.technique.literals.push(value);
            }
        }
    }
    Ok(())
}

/// A list of texts, or one.
fn texts(path: &Path, key: &str, value: &Value) -> Result<Vec<String>, Failure> {
    let wrong = || {
        let text = format!("`{}`: `{key}` is a list of texts", path.display());
        Failure::new(Exit::BadInput, text).hint(format!("write `{key} = [\"...\", \"...\"]`"))
    };
    match value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(all) => {
            all.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        _ => Err(wrong()),
    }
}

fn unknown(path: &Path, name: &str, table: &str, known: &[&str]) -> Failure {
    let (thing, place) = match table {
        "" => ("table", String::new()),
        table => ("key", format!(" in `[{table}]`")),
    };
    let text = format!("`{}`: there is no {thing} `{name}`{place}", path.display());
    let near = near_names(name, known.iter().copied(), 3);
    Failure::new(Exit::BadInput, text).hint(match near.is_empty() {
        true => format!("{thing}s are `{}`", known.join("`, `")),
        false => format!("did you mean `{}`?", near.join("`, `")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn with(text: &str) -> Result<GenerateArgs, String> {
        let words = ["probat", "generate", "app.jar", "--contracts", "a.First"];
        let Command::Generate(args) = Cli::try_parse_from(words).unwrap().command else { panic!() };
        let mut args = *args;
        let done = add(&mut args, text, Path::new("probat.toml"));
        done.map(|()| args).map_err(|failure| format!("{}\n{}", failure.message, failure.hints.join("\n")))
    }

    #[test]
    fn lists_add_to_the_command_line() {
        let args = with("[generate]\ncontracts = ['b.Second']\nexclude = 'a.internal.*'\nliteral = ['42']\n")
            .unwrap();
        assert_eq!(args.technique.contracts, ["a.First", "b.Second"]);
        assert_eq!(args.exclude, ["a.internal.*"]);
        assert_eq!(args.technique.literals, [probat_model::Literal::Int(42)]);
    }

    #[test]
    fn mistakes_are_named_with_near_names() {
        for (text, said) in [
            ("[generate]\ncontract = []", "no key `contract` in `[generate]`\ndid you mean `contracts`?"),
            ("[generat]\n", "no table `generat`\ndid you mean `generate`?"),
            ("generate = 1", "`generate` is no table"),
            ("[generate]\ncontracts = 7", "`contracts` is a list of texts"),
            ("[generate]\n\ncontracts = [", "line 3: "),
        ] {
            let error = with(text).unwrap_err();
            assert!(error.contains(said), "{text}\n{error}");
        }
    }
}
