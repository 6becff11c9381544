//! The user's build tools: where they are, how they are run, what their complaints mean.
//!
//! In: PATH, a project folder. Out: a program to run, and its answer or a [`ProjectError`] in words a user understands.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::ProjectError;

/// What there is to work with.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    /// `PATH`.
    pub path: Option<OsString>,
    /// The user's home, where Maven keeps what it fetched.
    pub home: Option<PathBuf>,
    /// Tools must not use the network.
    pub offline: bool,
    /// Set when the user wants to stop: a tool that runs is ended then.
    pub stop: Option<&'static AtomicBool>,
}

impl Tools {
    /// The environment of this process.
    pub fn of_this_machine(offline: bool) -> Self {
        Tools {
            path: env::var_os("PATH"),
            home: env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from),
            offline,
            stop: None,
        }
    }

    /// A program on `PATH`.
    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        let path = self.path.as_ref()?;
        env::split_paths(path).map(|folder| folder.join(name)).find(|program| is_program(program))
    }

    /// The project's own wrapper script, or else the program on `PATH`.
    pub(crate) fn wrapper_or(&self, root: Option<&Path>, wrapper: &str, name: &str) -> Option<PathBuf> {
        let above = root.into_iter().flat_map(Path::ancestors).take(4);
        above
            .map(|folder| folder.join(wrapper))
            .find(|script| is_program(script))
            .or_else(|| self.on_path(name))
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// One run of a build tool.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub program: &'a Path,
    pub args: Vec<OsString>,
    pub folder: &'a Path,
    /// A noun phrase for messages: "asking Maven for the class path".
    pub purpose: &'a str,
    pub stop: Option<&'static AtomicBool>,
}

/// Runs it to its end; gives what it printed.
pub(crate) fn run(call: &Call<'_>) -> Result<String, ProjectError> {
    let tool_error = |detail: String| ProjectError::Tool {
        purpose: call.purpose.to_owned(),
        command: command_line(call),
        detail,
    };
    let mut child = Command::new(call.program)
        .args(&call.args)
        .current_dir(call.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| tool_error(error.to_string()))?;
    let Some((mut text, complaints)) = listen(&mut child, call.stop) else {
        // It may have heard of the interrupt itself, and be gone.
        let _ = child.kill();
        let _ = child.wait();
        return Err(ProjectError::Interrupted { purpose: call.purpose.to_owned() });
    };
    let status = child.wait().map_err(|error| tool_error(error.to_string()))?;
    if status.success() {
        return Ok(text);
    }
    if is_wanted(call.stop) {
        return Err(ProjectError::Interrupted { purpose: call.purpose.to_owned() });
    }
    text.push_str(&complaints);
    Err(explain(&text, call.purpose, tool_error))
}

/// How often it is looked whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(100);

fn is_wanted(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Relaxed))
}

/// What a program prints on both streams, up to its end; `None` if a stop is wanted before that.
fn listen(child: &mut Child, stop: Option<&'static AtomicBool>) -> Option<(String, String)> {
    let streams: [Box<dyn Read + Send>; 2] = [
        Box::new(child.stdout.take().expect("it was asked for")),
        Box::new(child.stderr.take().expect("it was asked for")),
    ];
    let (send, receive) = mpsc::channel();
    for (at, mut stream) in streams.into_iter().enumerate() {
        let send = send.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read before an error is what there is.
            let _ = stream.read_to_end(&mut bytes);
            // Nobody listens any more after a stop.
            let _ = send.send((at, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    drop(send);
    let mut texts = [String::new(), String::new()];
    loop {
        match receive.recv_timeout(LOOK) {
            Ok((at, text)) => texts[at] = text,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if is_wanted(stop) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    let [out, err] = texts;
    Some((out, err))
}

/// The command as the user would type it.
pub(crate) fn command_line(call: &Call<'_>) -> String {
    let name = call.program.file_name().unwrap_or(call.program.as_os_str());
    let words = std::iter::once(name).chain(call.args.iter().map(OsString::as_os_str));
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Words by which tools say that they cannot reach a repository.
const NETWORK: [&str; 9] = [
    "in offline mode",
    "Unknown host",
    "UnknownHostException",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "Connection refused",
    "Connect timed out",
    "No cached version of",
];

fn explain(text: &str, purpose: &str, other: impl Fn(String) -> ProjectError) -> ProjectError {
    let complaints: Vec<String> = complaints(text);
    let detail = first_sentence(&complaints).unwrap_or_else(|| "nothing".into());
    let network = complaints.iter().find(|line| NETWORK.iter().any(|word| line.contains(word)));
    if let Some(line) = network {
        return ProjectError::Offline { purpose: purpose.to_owned(), detail: line.clone() };
    }
    if let Some(artifact) = complaints.iter().find_map(|line| missing_artifact(line)) {
        return ProjectError::NoSuchArtifact { artifact };
    }
    other(detail)
}

/// The first complaint. Where a line ends with a colon, what it is about stands in the next.
fn first_sentence(complaints: &[String]) -> Option<String> {
    let (first, rest) = complaints.split_first()?;
    let mut whole = first.clone();
    for line in rest {
        if !whole.ends_with(':') {
            break;
        }
        whole = format!("{whole} {line}");
    }
    Some(whole)
}

/// The lines that complain, without the tool's decoration; the last lines if none does.
fn complaints(text: &str) -> Vec<String> {
    let clean = |line: &str| {
        let line = line.split(" -> [Help").next().unwrap_or(line).trim();
        line.trim_start_matches("[ERROR]").trim().to_owned()
    };
    let text = without_colours(text);
    let marked: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("[ERROR]") || line.starts_with("> ") || line.starts_with("error:"))
        .map(clean)
        .filter(|line| !line.is_empty() && !line.starts_with("[Help") && !line.starts_with("To see the full"))
        // A heading says nothing.
        .filter(|line| line.trim_end_matches([' ', ':']) != "COMPILATION ERROR")
        .collect();
    if !marked.is_empty() {
        return marked;
    }
    let mut last: Vec<String> =
        text.lines().rev().map(clean).filter(|line| !line.is_empty()).take(3).collect();
    last.reverse();
    last
}

/// Maven resets colours even where it was told to use none, in front of the line that matters.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

/// `Could not find artifact g:a:jar:v in central (…)`.
fn missing_artifact(line: &str) -> Option<String> {
    let after =
        ["Could not find artifact ", "Could not find "].iter().find_map(|head| line.split(head).nth(1))?;
    let name = after.split([' ', ',']).next()?.trim_end_matches('.');
    let parts: Vec<&str> = name.split(':').collect();
    match parts.as_slice() {
        [group, artifact, _, version] => Some(format!("{group}:{artifact}:{version}")),
        [group, artifact, _, classifier, version] => {
            Some(format!("{group}:{artifact}:{version}:{classifier}"))
        }
        [_, _, _] => Some(name.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let other = |detail| ProjectError::Tool { purpose: "p".into(), command: "mvn x".into(), detail };
        assert_eq!(explain(text, "asking Maven", other).to_string(), expected);
    }

    #[test]
    fn a_missing_artifact_is_told_from_a_missing_network() {
        check(
            "[ERROR] Failed to execute goal on project p: Could not resolve dependencies: Could not find artifact \
             org.x:y:jar:9 in central (https://mirror.example) -> [Help 1]\n[ERROR] \n",
            "artifact `org.x:y:9` is in none of your repositories",
        );
        check(
            "[ERROR] Cannot access central in offline mode and the artifact org.x:y:jar:9 has not been downloaded -> [Help 1]\n",
            "asking Maven needs the network: Cannot access central in offline mode and the artifact org.x:y:jar:9 has not been downloaded",
        );
    }

    #[test]
    fn other_complaints_are_quoted_without_decoration() {
        check(
            "[INFO] x\n[ERROR] Non-parseable POM -> [Help 1]\n[ERROR] To see the full stack trace\n",
            "p failed: `mvn x` said: Non-parseable POM",
        );
        check(
            "\u{1b}[0m[ERROR] It is broken -> [Help 1]\n[ERROR] Re-run Maven using the -X switch\n\u{1b}[0m",
            "p failed: `mvn x` said: It is broken",
        );
        check(
            "[ERROR] COMPILATION ERROR : \n[ERROR] /p/A.java:[3,9] ';' expected\n[ERROR] Failed to execute goal\n",
            "p failed: `mvn x` said: /p/A.java:[3,9] ';' expected",
        );
        check(
            "[ERROR] Failed to execute goal a:enforce on project p: \n[ERROR] Rule 0 failed with message:\n\
             [ERROR] Detected Maven Version: 3.8 is not in the allowed range [3.9,).\n[ERROR] -> [Help 1]\n",
            "p failed: `mvn x` said: Failed to execute goal a:enforce on project p: Rule 0 failed with message: \
             Detected Maven Version: 3.8 is not in the allowed range [3.9,).",
        );
        check("line one\nline two\n\n", "p failed: `mvn x` said: line one");
    }

    #[test]
    fn a_wrapper_in_a_folder_above_wins_over_path() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let module = dir.path().join("core");
        std::fs::create_dir(&module).unwrap();
        let wrapper = dir.path().join("mvnw");
        std::fs::write(&wrapper, "").unwrap();
        let tools = Tools { path: Some("/nowhere".into()), ..Tools::default() };
        assert_eq!(tools.wrapper_or(Some(&module), "mvnw", "mvn"), None, "it is not executable");
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(tools.wrapper_or(Some(&module), "mvnw", "mvn"), Some(wrapper));
    }
}
