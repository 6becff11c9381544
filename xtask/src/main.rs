//! Chores of the project: everything `./check` does after it has installed what the system lacks.
//!
//! In: a chore's name. Out: its exit code. Each chore prints a line before it starts and stops at the first failure.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod check;
mod materials;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask check [--quick] | tidy | materials

  check      formatting, lints, tidy, dependency policy, all tests
  --quick    leave out what needs Maven, PyPI or minutes
  tidy       the rules no other tool knows: crate edges, file heads, sizes, words
  materials  fetch the JVMs and libraries that tests use, print where they are";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["check"] => check::run(&root(), false),
        ["check", "--quick"] => check::run(&root(), true),
        ["tidy"] => tidy::run(&root()),
        ["materials"] => materials::fetch(&root()).map(|found| {
            println!("PROBAT_TEST_JARS={}", found.jars);
            println!("PROBAT_TEST_JDKS={}", found.jdks);
        }),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the workspace").to_owned()
}
