//! The small shop of `tests/corpus/shop`, compiled, and the real binary run on it.
//!
//! In: the first JDK found, the jars of `PROBAT_TEST_JARS`. Out: folders below a temporary directory, and what the binary said.

#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use probat_supervisor::discovery::{Jvm, Places, discover, discover_all};

/// A JDK, a temporary folder, and the shop compiled in `classes` there.
pub struct Bed {
    pub dir: tempfile::TempDir,
    pub jdk: Jvm,
}

/// What one run of the binary did.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Bed {
    /// With the shop compiled for Java 11, so that any JVM can run it.
    pub fn with_shop() -> Bed {
        Bed::with("shop")
    }

    /// A folder of the corpus, compiled to `classes`.
    pub fn with(folder: &str) -> Bed {
        let bed = Bed::empty();
        bed.compile(&sources(&corpus(folder)), "classes");
        bed
    }

    pub fn empty() -> Bed {
        let named = std::env::var_os("PROBAT_TEST_JDKS").unwrap_or_default();
        let named = std::env::split_paths(&named).filter(|home| !home.as_os_str().is_empty());
        let named =
            named.filter_map(|home| discover(&Places { explicit: Some(home), ..Places::default() }).ok());
        let mut all: Vec<Jvm> = named.chain(discover_all(&Places::of_this_machine(None)).jvms).collect();
        all.retain(|jvm| jvm.home.join("bin/javac").is_file());
        let jdk = all.into_iter().next().expect("no JDK found: set JAVA_HOME or PROBAT_TEST_JDKS");
        Bed { dir: tempfile::tempdir().unwrap(), jdk }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Compiles sources into a folder of the bed, with the jars given on the class path.
    pub fn compile_with(
        &self,
        sources: &[PathBuf],
        into: &str,
        class_path: &[PathBuf],
        release: Option<&str>,
    ) {
        let mut command = Command::new(self.jdk.home.join("bin/javac"));
        command.env("LC_ALL", "C.UTF-8");
        command.args(["-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-d"]).arg(self.at(into));
        if let Some(release) = release {
            command.args(["--release", release]);
        }
        command.arg("-cp").arg(std::env::join_paths(class_path).unwrap()).args(sources);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    pub fn compile(&self, sources: &[PathBuf], into: &str) {
        self.compile_with(sources, into, &[], Some("11"));
    }

    /// Writes a Java source into the bed and compiles it.
    pub fn compile_text(&self, name: &str, text: &str, into: &str) {
        let path = self.at("sources").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.compile(&[path], into);
    }

    /// Runs `probat generate` in the bed.
    pub fn generate(&self, args: &[&str]) -> Run {
        self.generate_in(self.dir.path(), args)
    }

    pub fn generate_in(&self, folder: &Path, args: &[&str]) -> Run {
        self.command(folder, args).output().map(Run::of).unwrap()
    }

    /// Runs any command of probat in the bed.
    pub fn probat(&self, args: &[&str]) -> Run {
        self.any_command(self.dir.path(), args).output().map(Run::of).unwrap()
    }

    /// The same in a folder of the bed.
    pub fn probat_in(&self, folder: &Path, args: &[&str]) -> Run {
        self.any_command(folder, args).output().map(Run::of).unwrap()
    }

    /// `probat generate`, to be changed before it is run.
    pub fn command(&self, folder: &Path, args: &[&str]) -> Command {
        self.any_command(folder, &[&["generate"], args].concat())
    }

    /// Any command of probat, to be changed before it is run.
    pub fn any_command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probat"));
        command.args(args).current_dir(folder).env("JAVA_HOME", &self.jdk.home);
        command
    }

    /// Runs compiled tests under the console launcher; gives what it printed.
    pub fn run_junit(&self, launcher: &Path, class_path: &[PathBuf], scanned: &Path) -> Run {
        self.run_junit_with(&[], launcher, class_path, scanned)
    }

    /// The same, with options for the JVM.
    pub fn run_junit_with(
        &self,
        options: &[&str],
        launcher: &Path,
        class_path: &[PathBuf],
        scanned: &Path,
    ) -> Run {
        let path = std::env::join_paths(class_path).unwrap();
        let done = Command::new(self.jdk.home.join("bin/java"))
            .args(options)
            .arg("-jar")
            .arg(launcher)
            .args(["execute", "--disable-banner", "--details=tree", "--include-classname=.*", "--class-path"])
            .arg(path)
            .arg(format!("--scan-class-path={}", scanned.display()))
            .output()
            .unwrap();
        Run::of(done)
    }
}

impl Run {
    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn expect(&self, code: i32, said: &[&str]) {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        for text in said {
            assert!(
                self.err.contains(text) || self.out.contains(text),
                "`{text}` is not in:\n{}\n{}",
                self.out,
                self.err
            );
        }
        for bad in ["panicked", "probat has a bug", "\tat "] {
            assert!(!self.err.contains(bad), "{}", self.err);
        }
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }
}

/// Waits until workers of a process have used so many hundredths of a second of processor time.
pub fn wait_until_worked(pid: u32, hundredths: u64) {
    loop {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the process ended early").flatten();
        let lists =
            threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
        let workers: Vec<String> =
            lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
        let ticks = |worker: &String| -> u64 {
            let stat = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
            // After the name in parentheses: state, parent and so on; user and system time are the 12th and 13th of these.
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum()
        };
        if workers.iter().map(ticks).sum::<u64>() >= hundredths {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// The launcher among the jars that `./check` fetched. Without any the test has to end early, which is said.
pub fn launcher() -> Option<PathBuf> {
    fetched("junit-platform-console-standalone")
}

/// JUnit 4 and what it needs, among them.
pub fn junit4() -> Option<Vec<PathBuf>> {
    Some(vec![fetched("junit-4.")?, fetched("hamcrest-core-")?])
}

/// A jar of `PROBAT_TEST_JARS`. Where there are some, as under `./check`, all must be there.
fn fetched(start: &str) -> Option<PathBuf> {
    let Some(jars) = std::env::var_os("PROBAT_TEST_JARS") else {
        skipped(&format!("no `{start}` jar: PROBAT_TEST_JARS is not set, `./check` sets it"));
        return None;
    };
    let found = std::env::split_paths(&jars)
        .find(|jar| jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start)));
    assert!(found.is_some(), "PROBAT_TEST_JARS has no `{start}` jar, so part of this test cannot run");
    found
}

/// Whether Maven may fetch what a test needs.
pub fn maven() -> bool {
    let is_allowed = std::env::var_os("PROBAT_TEST_MAVEN").is_some_and(|value| value == "1");
    if !is_allowed {
        skipped("it needs Maven, and PROBAT_TEST_MAVEN is not 1; `./check` sets it");
    }
    is_allowed
}

/// Whether there is a Gradle that can build with `testCompile`: releases before 7, such as that of Debian.
pub fn gradle() -> bool {
    let said = std::process::Command::new("gradle").arg("--version").output();
    let text = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned()).unwrap_or_default();
    let release =
        text.lines().find_map(|line| line.strip_prefix("Gradle ")?.split('.').next()?.parse::<u32>().ok());
    let is_there = release.is_some_and(|release| release < 7);
    if !is_there {
        skipped("it needs a Gradle before 7; `./check` installs Debian's");
    }
    is_there
}

/// Says, past the harness, which keeps what a passing test prints, that a test or the rest of it does not run.
fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}, from here on: {why}");
}

pub fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name)
}

/// Java sources below a folder, sorted.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = files(folder).into_keys().map(|name| folder.join(name)).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "java"));
    found
}

/// All files below a folder with their contents, by their paths from there.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}
