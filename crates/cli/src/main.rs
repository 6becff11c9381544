//! The command line of probat.
//!
//! In: arguments, files, a JVM. Out: data on standard output, messages on standard error, an exit code of [`exit::Exit`].
//! The only part that prints. A panic anywhere becomes a short notice and exit code 1.

mod args;
mod bench;
mod doctor;
mod duration;
mod exit;
mod explore;
mod failure;
mod fleet;
mod generate;
mod java;
mod library;
mod minimize;
mod pit;
mod progress;
mod reduce;
mod run;

use std::process::ExitCode;

use args::{BenchCommand, Cli, Command};
use clap::Parser;
use exit::Exit;
use failure::Failure;

fn main() -> ExitCode {
    failure::install_panic_notice();
    let cli = Cli::parse();
    if matches!(cli.command, Command::Worker) {
        return probat_worker::main();
    }
    let done = std::panic::catch_unwind(|| dispatch(&cli.command));
    match done {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            failure.print();
            failure.exit.into()
        }
        // The notice is already printed.
        Err(_) => Exit::Bug.into(),
    }
}

fn dispatch(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => run::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Merge(args) => generate::merge(args),
        Command::Explore(args) => explore::run(args),
        Command::Reduce(args) => reduce::run(args),
        Command::Minimize(args) => minimize::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Bench(BenchCommand::Exec(args)) => bench::exec(args),
        Command::Bench(BenchCommand::Generate(args)) => bench::suite::run(args),
        Command::Bench(BenchCommand::Explore(args)) => bench::explore::run(args),
        Command::Bench(BenchCommand::Minimize(args)) => bench::minimize::run(args),
        Command::Bench(BenchCommand::Baselines(args)) => bench::baselines::run(args),
        Command::BenchRaw(args) => bench::raw::answer(args),
        Command::Worker => unreachable!("a worker never comes here"),
    }
}
