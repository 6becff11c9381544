//! What only a process started as a worker can show: its descriptors, limits, and the sandbox.
//!
//! The test starts itself with the name of a behaviour, reads what that prints on the up pipe, and compares.

#![allow(clippy::print_stdout)]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};

use probat_os::heartbeat::{Heartbeat, Phase};
use probat_os::limits::{self, ProcessLimits};
use probat_os::pipe::pipe;
use probat_os::process::{Ended, ExitStatus, Program, spawn};
use probat_os::worker_end::{self, WorkerEnd};
use probat_os::{exit_now, sandbox};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    if let [_, name, scratch] = args.as_slice()
        && let Some((_, behaviour, _)) = TESTS.iter().find(|(known, ..)| known == name)
    {
        let end = worker_end::take().expect("started as a worker");
        behaviour(end, Path::new(scratch));
        exit_now(0);
    }
    let mut failed = 0;
    for (name, _, check) in TESTS {
        match std::panic::catch_unwind(|| check(name)) {
            Ok(()) => println!("test {name} ... ok"),
            Err(_) => {
                println!("test {name} ... FAILED");
                failed += 1;
            }
        }
    }
    println!("{} passed, {failed} failed", TESTS.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Behaviour = fn(WorkerEnd, &Path);
type Check = fn(&str);

const TESTS: &[(&str, Behaviour, Check)] = &[
    ("descriptors_move_out_of_reach", descriptors_inside, descriptors),
    ("heartbeat_survives_a_crash", heartbeat_inside, heartbeat),
    ("limits_hold", limits_inside, limits_hold),
    ("the_sandbox_denies_and_allows", sandbox_inside, sandbox_holds),
    ("a_worker_dies_with_its_parent_thread", parent_inside, parent),
];

/// What a run of a behaviour left behind.
struct Run {
    said: String,
    ended: Ended,
    beat: probat_os::heartbeat::Beat,
    /// Holds the worker's `scratch`.
    folder: tempfile::TempDir,
}

/// Starts this test as a worker; `input` goes down its pipe.
fn run(name: &str, input: &[u8]) -> Run {
    let folder = tempfile::tempdir().expect("a directory");
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).expect("a scratch directory");
    let (down, up) = (pipe(65536).expect("pipe"), pipe(65536).expect("pipe"));
    let memory = Heartbeat::create().expect("heartbeat");
    let null = File::open("/dev/null").expect("null device");
    let executable = std::env::current_exe().expect("own path");
    let args: [OsString; 2] = [name.into(), scratch.into()];
    let environment: Vec<_> = std::env::vars_os().collect();
    let descriptors = [
        (null.as_fd(), 0),
        (down.read.as_fd(), worker_end::DOWN),
        (up.write.as_fd(), worker_end::UP),
        (memory.as_fd(), worker_end::HEARTBEAT),
    ];
    let program =
        Program { path: &executable, args: &args, environment: &environment, descriptors: &descriptors };
    let mut child = spawn(&program).expect("a worker");
    drop((down.read, up.write));
    File::from(down.write).write_all(input).expect("the pipe takes a few bytes");
    let mut said = String::new();
    File::from(up.read).read_to_string(&mut said).expect("text from the worker");
    let ended = child.wait().expect("an end");
    Run { said, ended, beat: memory.reader().beat(), folder }
}

fn descriptors_inside(mut end: WorkerEnd, _: &Path) {
    let mut input = String::new();
    end.down.read_to_string(&mut input).expect("input");
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")
        .expect("descriptors")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd > 2 && fd < 64)
        .collect();
    // One of them is the directory being read.
    let low = open.len() - 1;
    let twice = worker_end::take().is_err();
    let numbers = [end.down.as_raw_fd(), end.up.as_raw_fd()].map(|fd| fd >= 64);
    writeln!(end.up, "{input} {low} {twice} {numbers:?}").expect("the pipe is open");
}

fn descriptors(name: &str) {
    let run = run(name, b"hello");
    assert_eq!(run.said, "hello 0 true [true, true]\n");
    assert_eq!(run.ended.status, ExitStatus::Exited(0));
}

fn heartbeat_inside(end: WorkerEnd, _: &Path) {
    end.heartbeat.set_batch(9);
    end.heartbeat.set_item(3);
    end.heartbeat.set_step(17);
    std::process::abort();
}

fn heartbeat(name: &str) {
    let run = run(name, b"");
    assert_eq!((run.beat.batch, run.beat.item, run.beat.step), (9, 3, Some(17)));
    assert_eq!((run.beat.phase, run.ended.status), (Phase::Running, ExitStatus::Signalled(6)));
}

fn limits_inside(mut end: WorkerEnd, scratch: &Path) {
    let limits = ProcessLimits {
        file_bytes: 1000,
        open_files: 800,
        cpu: Some(Duration::from_secs(100)),
        processes: None,
    };
    let failures = limits::apply(&limits);
    limits::first_to_go().expect("may be raised by anyone");
    let file = scratch.join("large");
    let text = fs::read_to_string("/proc/self/limits").expect("limits");
    let of = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).expect("a line per limit");
        line[name.len()..].split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    };
    let rows = ["Max core file size", "Max file size", "Max open files", "Max cpu time"].map(of);
    let score = fs::read_to_string("/proc/self/oom_score_adj").expect("score");
    writeln!(end.up, "{} {rows:?} {}", failures.len(), score.trim()).expect("the pipe is open");
    // Dies of SIGXFSZ, for it has no handler as a JVM has.
    fs::write(file, [0; 1001]).expect("not reached");
}

fn limits_hold(name: &str) {
    let run = run(name, b"");
    assert_eq!(run.said, "0 [\"0 0\", \"1000 1000\", \"800 800\", \"100 100\"] 1000\n");
    assert_eq!(run.ended.status, ExitStatus::Signalled(25));
    assert!(fs::metadata(run.folder.path().join("scratch/large")).expect("it was made").len() <= 1000);
}

fn sandbox_inside(mut end: WorkerEnd, scratch: &Path) {
    let outside = scratch.parent().expect("scratch lies in the test's directory");
    let precious = outside.join("precious");
    fs::write(&precious, "text").expect("still allowed");
    let report = sandbox::apply(scratch);
    let path = precious.as_path();
    let inside = scratch.join("mine");
    let now = SystemTime::UNIX_EPOCH;
    let denied: [(&str, io::Result<()>); 12] = [
        ("write", fs::write(path, "x")),
        ("truncate", File::create(path).map(drop)),
        ("remove", fs::remove_file(path)),
        ("rename", fs::rename(path, scratch.join("stolen"))),
        ("mkdir", fs::create_dir(outside.join("new"))),
        ("chmod", fs::set_permissions(path, fs::Permissions::from_mode(0o777))),
        ("touch", File::open(path).and_then(|file| file.set_modified(now))),
        ("exec", Command::new("/bin/true").status().map(drop)),
        ("tcp", TcpListener::bind("127.0.0.1:0").map(drop)),
        ("udp", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("unix", UnixListener::bind(scratch.join("socket")).map(drop)),
        ("kill", kill_parent()),
    ];
    let allowed: [(&str, io::Result<()>); 7] = [
        ("read", fs::read(path).map(drop)),
        ("list", fs::read_dir("/").map(drop)),
        ("scratch", fs::write(&inside, "x").and_then(|()| fs::remove_file(&inside))),
        ("null", fs::write("/dev/null", "x")),
        ("pair", UnixStream::pair().map(drop)),
        ("thread", std::thread::Builder::new().spawn(|| ()).map(|thread| thread.join().expect("no panic"))),
        ("signal", raise_nothing()),
    ];
    writeln!(end.up, "{report:?}").expect("the pipe is open");
    for (name, result) in denied {
        let kind = result.err().map(|e| e.kind());
        writeln!(end.up, "{name} {kind:?}").expect("the pipe is open");
    }
    for (name, result) in allowed {
        writeln!(end.up, "{name} {result:?}").expect("the pipe is open");
    }
    let text = fs::read_to_string(path).expect("still readable");
    writeln!(end.up, "precious {text}").expect("the pipe is open");
}

fn kill_parent() -> io::Result<()> {
    use nix::sys::signal::kill;
    Ok(kill(nix::unistd::getppid(), None)?)
}

fn raise_nothing() -> io::Result<()> {
    use nix::sys::signal::kill;
    Ok(kill(nix::unistd::getpid(), None)?)
}

fn sandbox_holds(name: &str) {
    let run = run(name, b"");
    let mut lines = run.said.lines();
    let report = lines.next().unwrap_or_default();
    // On a kernel without a part, the report must say so and the rest of this test has nothing to show.
    let whole = report.contains("landlock_missing: None") && report.contains("seccomp: true");
    if !whole {
        assert!(report.contains("Some(\""), "{report}");
        println!("     the kernel lacks a part of the sandbox: {report}");
        return;
    }
    for line in lines.by_ref().take(12) {
        assert!(line.ends_with("Some(PermissionDenied)"), "should be denied: {line}");
    }
    for line in lines.by_ref().take(7) {
        assert!(line.ends_with("Ok(())"), "should be allowed: {line}");
    }
    assert_eq!(lines.next(), Some("precious text"));
    assert_eq!(run.ended.status, ExitStatus::Exited(0));
}

fn parent_inside(mut end: WorkerEnd, _: &Path) {
    limits::die_with_parent().expect("allowed");
    end.up.write_all(b"ready").expect("the pipe is open");
    let mut nothing = Vec::new();
    // The test keeps the other end open: only the signal ends this.
    let _ = end.down.read_to_end(&mut nothing);
}

fn parent(name: &str) {
    let (down, up) = (pipe(4096).expect("pipe"), pipe(4096).expect("pipe"));
    let name = name.to_owned();
    let starter = std::thread::spawn(move || {
        let memory = Heartbeat::create().expect("heartbeat");
        let executable = std::env::current_exe().expect("own path");
        let args: [OsString; 2] = [name.into(), "/".into()];
        let descriptors = [
            (down.read.as_fd(), worker_end::DOWN),
            (up.write.as_fd(), worker_end::UP),
            (memory.as_fd(), worker_end::HEARTBEAT),
        ];
        let program = Program { path: &executable, args: &args, environment: &[], descriptors: &descriptors };
        let child = spawn(&program).expect("a worker");
        drop(up.write);
        let mut ready = [0; 5];
        let mut up = File::from(up.read);
        up.read_exact(&mut ready).expect("it stands");
        (child, down.write, up)
    });
    let (mut child, _down, _up) = starter.join().expect("the starter does not panic");
    assert_eq!(child.wait().expect("an end").status, ExitStatus::Signalled(9));
}
