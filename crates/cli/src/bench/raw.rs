//! Measuring in a process of its own, without a supervisor.
//!
//! In: a mix and a mode. Out: what `probat bench-raw`, which is this program again, measured. The child reads frames
//! from its standard input and answers one line.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use probat_protocol::{FrameKind, Item, WorkerConfig, encode_batch, encode_message, write_frame};
use probat_worker::bench::{Measured, Mode, measure};

use super::mix::Mix;
use crate::args::{BenchRawArgs, RawMode};
use crate::exit::Exit;
use crate::failure::{Failure, print};

/// What a JVM does when nothing is said.
const AS_USUAL: [&str; 3] = [
    "-XX:TieredStopAtLevel=4",
    "-Dsun.reflect.inflationThreshold=15",
    "-Djdk.reflect.useNativeAccessorOnly=false",
];

/// Starts a child that measures one mode.
pub fn start(mode: RawMode, time: Duration, config: &WorkerConfig, mix: &Mix) -> Result<Measured, Failure> {
    let fail = |what: &str, error: &dyn std::fmt::Display| {
        Failure::new(Exit::Missing, format!("cannot measure {mode:?}: {what}: {error}"))
    };
    let (name, millis) = (mode.name(), time.as_millis().to_string());
    let mut child = Command::new("/proc/self/exe")
        .args(["bench-raw", name, millis.as_str()])
        .current_dir(&config.sandbox.scratch)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| fail("cannot start", &error))?;
    let mut stdin = child.stdin.take().expect("a pipe was asked for");
    let sent = send(&mut stdin, config, mix);
    drop(stdin);
    let output = child.wait_with_output().map_err(|error| fail("no answer", &error))?;
    if !output.status.success() {
        return Err(Failure::new(Exit::Missing, format!("measuring {mode:?} failed")));
    }
    sent.map_err(|error| fail("cannot say what to measure", &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse(&text).ok_or_else(|| fail("no sense in the answer", &text.trim()))
}

fn send(out: &mut impl Write, config: &WorkerConfig, mix: &Mix) -> std::io::Result<()> {
    write_frame(out, FrameKind::Configure, &encode_message(config))?;
    write_frame(out, FrameKind::Define, &encode_message(mix.table.since(0)))?;
    let items: Vec<Item> =
        mix.sequences.iter().map(|sequence| Item { sequence: sequence.clone(), ..Item::default() }).collect();
    let mut batch = Vec::new();
    encode_batch(0, items.iter(), &mut batch);
    write_frame(out, FrameKind::Batch, &batch)?;
    out.flush()
}

/// The child's side: measures and prints.
pub fn answer(args: &BenchRawArgs) -> Result<Exit, Failure> {
    let mode = match args.mode {
        RawMode::JavaLoop => Mode::JavaLoop,
        RawMode::RawJni => Mode::RawJni,
        RawMode::Reflection => Mode::Reflection,
    };
    let time = Duration::from_millis(args.millis);
    let measured = measure(mode, time, &mut std::io::stdin().lock())
        .map_err(|error| Failure::caused(Exit::Missing, &error))?;
    let Measured { calls, wall, cpu } = measured;
    print(&format!("{calls} {} {}\n", wall.as_nanos(), cpu.as_nanos()))?;
    // A JVM lives in this process: leave without its farewells.
    probat_os::exit_now(i32::from(Exit::Fine.code()))
}

fn parse(text: &str) -> Option<Measured> {
    let numbers: Vec<u64> = text.split_whitespace().map_while(|part| part.parse().ok()).collect();
    let [calls, wall, cpu] = numbers[..] else { return None };
    Some(Measured { calls, wall: Duration::from_nanos(wall), cpu: Duration::from_nanos(cpu) })
}

/// A worker's configuration for a child that has no class loader of ours.
pub fn config(pipeline: &WorkerConfig, scratch: &Path) -> WorkerConfig {
    let mut config = pipeline.clone();
    let joined = std::env::join_paths(&config.class_path).unwrap_or_default();
    config.jvm_options.push(format!("-Djava.class.path={}", joined.to_string_lossy()));
    config.sandbox.scratch = scratch.to_path_buf();
    // As fast as the JVM can: workers do without the second compiler and without generated code for reflection.
    config.jvm_options.extend(AS_USUAL.map(str::to_owned));
    config
}
