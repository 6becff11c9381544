//! What `probat doctor` looks at, one thing at a time.
//!
//! In: the machine. Out: a [`Check`] each: how it is, and what to do if it is not well. Changes nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probat_protocol::{Hello, Limits};
use probat_supervisor::discovery::{Found, Jvm};
use serde::Serialize;

use crate::java::INSTALL;

/// Less room than this is worth a word.
const LITTLE_ROOM: u64 = 256 << 20;

/// How something is. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    /// probat works, but not all of it.
    Warning,
    /// probat cannot work.
    Missing,
}

impl Status {
    pub fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Missing => "missing",
        }
    }
}

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub status: Status,
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Check {
        Check { name, status: Status::Ok, detail: detail.into(), hint: None }
    }

    fn not_ok(
        name: &'static str,
        status: Status,
        detail: impl Into<String>,
        hint: impl Into<String>,
    ) -> Check {
        Check { name, status, detail: detail.into(), hint: Some(hint.into()) }
    }
}

/// The JVM that would be used.
pub fn jvm(chosen: Result<&Jvm, String>, found: &Found) -> Vec<Check> {
    let jvm = match chosen {
        Ok(jvm) => jvm,
        Err(why) => return vec![Check::not_ok("jvm", Status::Missing, why, INSTALL)],
    };
    let why = match jvm.found_in.as_str() {
        place @ ("--java-home" | "JAVA_HOME") => format!("named by {place}"),
        "PATH" => "the `java` on PATH".into(),
        folder => format!("the newest in {folder}"),
    };
    let mut checks =
        vec![Check::ok("jvm", format!("Java {} in {} ({why})", jvm.version.text, jvm.home.display()))];
    for warning in &jvm.warnings {
        checks.push(Check::not_ok(
            "jvm",
            Status::Warning,
            warning.clone(),
            "choose another with `--java-home`",
        ));
    }
    let others: Vec<String> = found
        .jvms
        .iter()
        .filter(|other| other.home != jvm.home)
        .map(|other| format!("Java {} in {}", other.version.text, other.home.display()))
        .collect();
    if !others.is_empty() {
        checks.push(Check::ok("other jvms", others.join(", ")));
    }
    checks
}

/// Whether tests can be compiled.
pub fn compiler(jvm: &Jvm, found: &Found) -> Check {
    if jvm.has_compiler {
        return Check::ok("compiler", "the JDK's own");
    }
    let other = found.jvms.iter().find(|other| other.has_compiler);
    let hint = match other {
        Some(other) => format!("use one that has it: `--java-home {}`", other.home.display()),
        None => "install a JDK, on Debian: `apt install openjdk-17-jdk-headless`".into(),
    };
    let detail = "this JVM is a JRE without compiler: code can be run, tests cannot be compiled";
    Check::not_ok("compiler", Status::Warning, detail, hint)
}

/// The build tool that fetches libraries.
pub fn maven() -> Check {
    let answer = Command::new("mvn").args(["-B", "-v"]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let said = answer.ok().filter(|answer| answer.status.success());
    match said.and_then(|answer| String::from_utf8_lossy(&answer.stdout).lines().next().map(str::to_owned)) {
        Some(version) => Check::ok("maven", plain(&version)),
        None => Check::not_ok(
            "maven",
            Status::Warning,
            "no `mvn` that works; only needed to fetch libraries",
            "on Debian: `apt install maven`",
        ),
    }
}

/// A line without what colours it.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.find(|c: char| c.is_ascii_alphabetic()).map_or("", |end| &after[end + 1..]);
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// Room for temporary files.
pub fn temporary_files(place: &Path) -> Check {
    let shown = place.display();
    match probat_os::disk::free_bytes(place) {
        Ok(free) if free >= LITTLE_ROOM => {
            Check::ok("temporary files", format!("{shown}, {} free", size(free)))
        }
        Ok(free) => Check::not_ok(
            "temporary files",
            Status::Warning,
            format!("{shown} has only {} free", size(free)),
            "free some space, or point TMPDIR to another disk",
        ),
        Err(error) => Check::not_ok(
            "temporary files",
            Status::Missing,
            format!("{shown}: {error}"),
            "point TMPDIR to a directory you may write to",
        ),
    }
}

/// What a worker that stands says of its protection.
pub fn sandbox(hello: &Hello, wanted: bool) -> Vec<Check> {
    let report = &hello.sandbox;
    let kernel = "a kernel from 5.13 on has it; in a container it must be allowed there";
    let off = "leave out --no-sandbox";
    let hint = if wanted { kernel } else { off };
    let mut checks = Vec::new();
    checks.push(match report.landlock {
        Some(abi) => Check::ok(
            "landlock",
            format!("ABI {abi}: the code under test writes only to its scratch directory"),
        ),
        None => {
            let why = report.landlock_missing.as_deref().unwrap_or("not asked for");
            Check::not_ok(
                "landlock",
                Status::Warning,
                format!("files are not protected by the kernel: {why}"),
                hint,
            )
        }
    });
    checks.push(match report.seccomp {
        true => Check::ok("seccomp", "no network, no processes"),
        false => {
            let why = report.seccomp_missing.as_deref().unwrap_or("not asked for");
            let detail = format!("network and processes are not protected by the kernel: {why}");
            Check::not_ok("seccomp", Status::Warning, detail, hint)
        }
    });
    checks.push(match report.guards {
        true => Check::ok("guards", "exit, processes, files and network are stopped inside the JVM"),
        false => Check::not_ok(
            "guards",
            Status::Warning,
            "nothing is stopped inside the JVM; only the kernel protects this machine",
            "try another JVM",
        ),
    });
    checks
}

/// The limits workers run under.
pub fn limits(limits: &Limits) -> Check {
    let detail = format!(
        "heap {}, direct memory {}, stack {}, {} threads, files up to {}; a call may take {:?} of CPU and {:?} in all",
        size(limits.heap_bytes),
        size(limits.direct_bytes),
        size(limits.stack_bytes),
        limits.threads,
        size(limits.file_bytes),
        limits.call_cpu,
        limits.call_wall
    );
    Check::ok("limits", detail)
}

/// A worker that stands, or why none does.
pub fn worker(started: Result<&Hello, String>) -> Check {
    match started {
        Ok(hello) => Check::ok("worker", format!("runs Java {} ({})", hello.java_version, hello.java_vendor)),
        Err(why) => Check::not_ok(
            "worker",
            Status::Missing,
            why,
            "try another JVM with `--java-home`; `--no-sandbox` tells whether the sandbox is at fault",
        ),
    }
}

/// Where temporary files go.
pub fn temporary_place() -> PathBuf {
    std::env::temp_dir()
}

/// `512 MiB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{} KiB", bytes >> 10),
        0x10_0000..0x2_8000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_supervisor::discovery::JavaVersion;

    fn jre() -> Jvm {
        Jvm {
            home: "/opt/jre".into(),
            libjvm: "/opt/jre/lib/server/libjvm.so".into(),
            version: JavaVersion::parse("21.0.1").unwrap(),
            has_compiler: false,
            found_in: "JAVA_HOME".into(),
            warnings: vec!["it is odd".into()],
        }
    }

    #[test]
    fn a_jre_without_compiler_is_told_and_a_jdk_named() {
        let jdk = Jvm { home: "/opt/jdk".into(), has_compiler: true, ..jre() };
        let found = Found { jvms: vec![jre(), jdk], rejected: Vec::new() };
        let check = compiler(&jre(), &found);
        assert_eq!(check.status, Status::Warning);
        assert_eq!(check.hint.unwrap(), "use one that has it: `--java-home /opt/jdk`");
        let lines: Vec<String> = jvm(Ok(&jre()), &found).into_iter().map(|check| check.detail).collect();
        assert_eq!(
            lines,
            ["Java 21.0.1 in /opt/jre (named by JAVA_HOME)", "it is odd", "Java 21.0.1 in /opt/jdk"]
        );
    }

    #[test]
    fn colour_is_taken_off() {
        assert_eq!(plain("\u{1b}[1mApache Maven 3.8.7\u{1b}[m "), "Apache Maven 3.8.7");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!([size(2048), size(512 << 20), size(20 << 30)], ["2 KiB", "512 MiB", "20 GiB"]);
    }

    #[test]
    fn what_is_not_in_force_is_a_warning() {
        let mut hello = Hello {
            java_version: "17".into(),
            java_vendor: "x".into(),
            sandbox: Default::default(),
            missing_guards: Vec::new(),
            initial_edges: Vec::new(),
            uninitialised: Vec::new(),
            initial_leaks: Vec::new(),
        };
        hello.sandbox.landlock_missing = Some("the kernel has none".into());
        let checks = sandbox(&hello, true);
        assert!(checks.iter().all(|check| check.status == Status::Warning));
        assert!(checks[0].detail.ends_with("the kernel has none"));
    }
}
