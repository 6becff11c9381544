//! Finds a JVM to run code on.
//!
//! In: what the user said, the environment, the known install folders. Out: one [`Jvm`], or every place looked at with the
//! reason why nothing there will do. Loads nothing; starts a `java` only to ask one whose files do not tell.

mod ask;
mod home;

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub use home::{JavaVersion, Jvm, NEWEST_FEATURE, OLDEST_FEATURE};

/// Where to look. [`Places::of_this_machine`] is what users get.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// `--java-home`: this or nothing.
    pub explicit: Option<PathBuf>,
    /// `JAVA_HOME`.
    pub java_home: Option<PathBuf>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// Folders whose subfolders may be Java homes.
    pub folders: Vec<PathBuf>,
}

/// Folders of packages, container images and installers.
const SYSTEM_FOLDERS: [&str; 7] = [
    "/usr/lib/jvm",
    "/usr/lib64/jvm",
    "/usr/java",
    "/usr/local",
    "/opt",
    "/opt/java",
    "/snap/openjdk/current",
];

/// Folders of version managers and editors, below the user's home.
const USER_FOLDERS: [&str; 5] = [
    ".sdkman/candidates/java",
    ".jdks",
    ".gradle/jdks",
    ".asdf/installs/java",
    ".local/share/mise/installs/java",
];

/// Where macOS keeps them, in the system and below the user's home.
const MAC_FOLDER: &str = "Library/Java/JavaVirtualMachines";

impl Places {
    /// The environment of this process and the folders known for this kind of machine.
    pub fn of_this_machine(explicit: Option<PathBuf>) -> Self {
        let mut folders: Vec<PathBuf> = SYSTEM_FOLDERS.iter().map(PathBuf::from).collect();
        folders.push(Path::new("/").join(MAC_FOLDER));
        if let Some(home) = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from) {
            folders.extend(USER_FOLDERS.iter().chain([&MAC_FOLDER]).map(|folder| home.join(folder)));
        }
        Places {
            explicit,
            java_home: env::var_os("JAVA_HOME").filter(|home| !home.is_empty()).map(PathBuf::from),
            path: env::var_os("PATH"),
            folders,
        }
    }
}

/// A place looked at in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// `JAVA_HOME`, `PATH`, or a folder.
    pub place: String,
    pub reason: String,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// Why there is no JVM.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    #[error("`{}` is no Java that probat can use: {reason}", home.display())]
    Explicit { home: PathBuf, reason: String },
    #[error("no Java from {OLDEST_FEATURE} to {NEWEST_FEATURE} found; looked at{}", list(.0))]
    Nowhere(Vec<Rejected>),
}

fn list(rejected: &[Rejected]) -> String {
    rejected.iter().map(|rejected| format!("\n  {rejected}")).collect()
}

/// Everything found, best first, and everything rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub jvms: Vec<Jvm>,
    pub rejected: Vec<Rejected>,
}

/// The JVM to use: the one named, else `JAVA_HOME`, else the `java` on `PATH`, else the newest in a known folder.
///
/// A `JAVA_HOME` that is set but of no use is told in the warnings of what is used instead.
pub fn discover(places: &Places) -> Result<Jvm, DiscoveryError> {
    if let Some(home) = &places.explicit {
        let fail = |reason| DiscoveryError::Explicit { home: home.clone(), reason };
        return home::inspect(&home_of(home), "--java-home").map_err(fail);
    }
    let mut found = discover_all(places);
    if found.jvms.is_empty() {
        return Err(DiscoveryError::Nowhere(found.rejected));
    }
    let mut chosen = found.jvms.swap_remove(0);
    let ignored = found.rejected.iter().find(|rejected| rejected.place.starts_with("JAVA_HOME"));
    if let (Some(ignored), true) = (ignored, places.java_home.is_some()) {
        chosen.warnings.push(format!("not used, {ignored}"));
    }
    Ok(chosen)
}

/// All JVMs on this machine, in order of preference, each home once.
pub fn discover_all(places: &Places) -> Found {
    let mut found = Found::default();
    match &places.explicit {
        Some(home) => look_at(&mut found, &home_of(home), "--java-home"),
        None => found.reject("--java-home", "not given"),
    }
    match &places.java_home {
        Some(home) => look_at(&mut found, &home_of(home), "JAVA_HOME"),
        None => found.reject("JAVA_HOME", "not set"),
    }
    look_on_path(&mut found, places.path.as_ref());
    let mut installed = Found::default();
    for folder in &places.folders {
        look_below(&mut installed, folder);
    }
    // Newest first; of equals those that can compile, then by place, so that the choice is always the same.
    installed.jvms.sort_by(|a, b| {
        let rank = |jvm: &Jvm| (jvm.version.feature <= NEWEST_FEATURE, jvm.version.clone(), jvm.has_compiler);
        rank(b).cmp(&rank(a)).then_with(|| a.home.cmp(&b.home))
    });
    for jvm in installed.jvms {
        found.keep(jvm);
    }
    found.rejected.extend(installed.rejected);
    found
}

impl Found {
    fn reject(&mut self, place: impl Into<String>, reason: impl Into<String>) {
        self.rejected.push(Rejected { place: place.into(), reason: reason.into() });
    }

    /// Many ways lead to one home.
    fn keep(&mut self, jvm: Jvm) {
        if !self.jvms.iter().any(|known| known.home == jvm.home) {
            self.jvms.push(jvm);
        }
    }
}

fn look_at(found: &mut Found, home: &Path, place: &str) {
    match home::inspect(home, place) {
        Ok(jvm) => found.keep(jvm),
        Err(reason) => found.reject(format!("{place} (`{}`)", home.display()), reason),
    }
}

/// Users also name the program `…/bin/java`, or a macOS bundle, where a home is meant.
fn home_of(named: &Path) -> PathBuf {
    let bundle = named.join("Contents/Home");
    if bundle.is_dir() {
        return bundle;
    }
    match (named.is_file(), named.parent().and_then(Path::parent)) {
        (true, Some(home)) => home.to_path_buf(),
        _ => named.to_path_buf(),
    }
}

fn look_on_path(found: &mut Found, path: Option<&OsString>) {
    let Some(path) = path else { return found.reject("PATH", "not set") };
    let java = env::split_paths(path).map(|folder| folder.join("java")).find(|java| java.is_file());
    let Some(java) = java else { return found.reject("PATH", "no `java` in any of its folders") };
    let place = format!("PATH (`{}`)", java.display());
    let home = fs::canonicalize(&java).ok().and_then(|real| Some(real.parent()?.parent()?.to_path_buf()));
    let beside =
        home.ok_or_else(|| "leads nowhere".to_string()).and_then(|home| home::inspect(&home, "PATH"));
    // Not beside its library: a script of a version manager, or a stub of the system. It knows its home.
    let answered = beside.or_else(|reason| match ask::java_home(&java) {
        Some(home) => home::inspect(&home, "PATH"),
        None => Err(reason),
    });
    match answered {
        Ok(jvm) => found.keep(jvm),
        Err(reason) => found.reject(place, reason),
    }
}

fn look_below(found: &mut Found, folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return found.reject(folder.display().to_string(), "not there");
    };
    let mut homes: Vec<PathBuf> = entries.flatten().map(|entry| home_of(&entry.path())).collect();
    homes.sort();
    homes.retain(|home| home::looks_like_one(home));
    if homes.is_empty() {
        return found.reject(folder.display().to_string(), "no Java in it");
    }
    for home in homes {
        match home::inspect(&home, &folder.display().to_string()) {
            Ok(jvm) => found.keep(jvm),
            Err(reason) => found.reject(home.display().to_string(), reason),
        }
    }
}

#[cfg(test)]
mod tests;
