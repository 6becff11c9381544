//! Whether a folder is a Java home that will do.
//!
//! In: a folder. Out: [`Jvm`], or the reason against it. Reads the file `release`; asks the `java` in it only without one.

use std::fs;
use std::path::{Path, PathBuf};

use super::ask;

/// Older JVMs lack what workers build on.
pub const OLDEST_FEATURE: u32 = 11;
/// The newest JVM this probat was tested with.
pub const NEWEST_FEATURE: u32 = 25;

/// The version of a Java, ordered by age.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JavaVersion {
    /// 11, 17, 25.
    pub feature: u32,
    /// The numbers after that, as far as they are numbers.
    pub rest: Vec<u32>,
    /// As it calls itself, `17.0.15`.
    pub text: String,
}

impl JavaVersion {
    /// Reads `17.0.15`, `25-ea`, `1.8.0_402`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split(['.', '-', '+', '_']).map_while(|part| part.parse::<u32>().ok());
        let feature = match numbers.next()? {
            1 => numbers.next()?,
            feature => feature,
        };
        Some(JavaVersion { feature, rest: numbers.collect(), text: text.to_owned() })
    }
}

/// A JVM that workers can load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jvm {
    /// Without symbolic links.
    pub home: PathBuf,
    pub libjvm: PathBuf,
    pub version: JavaVersion,
    /// It can compile Java source.
    pub has_compiler: bool,
    /// Where it was found: `--java-home`, `JAVA_HOME`, `PATH`, or a folder.
    pub found_in: String,
    /// What may not work with it.
    pub warnings: Vec<String>,
}

/// Where JVM libraries lie below a home, the usual place first.
const LIBRARIES: [&str; 5] = [
    "lib/server/libjvm.so",
    "lib/server/libjvm.dylib",
    "lib/client/libjvm.so",
    "lib/minimal/libjvm.so",
    "lib/zero/libjvm.so",
];

/// Whether a folder is worth a word when it will not do.
pub(super) fn looks_like_one(home: &Path) -> bool {
    let below = |path: &str| home.join(path).is_file();
    below("release") && (below("bin/java") || below("lib/modules"))
        || below("bin/java")
        || LIBRARIES.iter().any(|library| below(library))
}

pub(super) fn inspect(home: &Path, found_in: &str) -> Result<Jvm, String> {
    let home = fs::canonicalize(home).map_err(|e| e.to_string().to_lowercase())?;
    if !home.is_dir() {
        return Err("not a folder".into());
    }
    let release = Release::read(&home);
    let version = version(&home, &release)?;
    let feature = version.feature;
    if feature < OLDEST_FEATURE {
        return Err(format!("is Java {feature}, older than {OLDEST_FEATURE}"));
    }
    let library = LIBRARIES.iter().map(|library| home.join(library)).find(|library| library.is_file());
    let libjvm = library.ok_or_else(|| format!("has no `{}`", LIBRARIES[0]))?;
    release.check_machine()?;
    let modules = release.get("MODULES").unwrap_or_default();
    let has_compiler =
        home.join("bin/javac").is_file() || modules.split(' ').any(|module| module == "jdk.compiler");
    Ok(Jvm {
        warnings: release.warnings(feature),
        home,
        libjvm,
        version,
        has_compiler,
        found_in: found_in.into(),
    })
}

fn version(home: &Path, release: &Release) -> Result<JavaVersion, String> {
    if let Some(version) = release.get("JAVA_VERSION").and_then(JavaVersion::parse) {
        return Ok(version);
    }
    let java = home.join("bin/java");
    if !java.is_file() {
        let has_library = LIBRARIES.iter().any(|library| home.join(library).is_file());
        return Err(if has_library {
            "tells its version neither in a file `release` nor by a `bin/java`".into()
        } else {
            "is no Java home: it has no file `release` and no `bin/java`".into()
        });
    }
    let answer = ask::version(&java).ok_or("its `bin/java` does not tell its version")?;
    JavaVersion::parse(&answer).ok_or_else(|| format!("has a version that makes no sense, `{answer}`"))
}

/// The file `release`: lines of `NAME="value"`.
struct Release(String);

impl Release {
    fn read(home: &Path) -> Self {
        Release(fs::read_to_string(home.join("release")).unwrap_or_default())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == name).then(|| value.trim().trim_matches('"'))
        })
    }

    /// A library for another processor or C library cannot be loaded into this process.
    fn check_machine(&self) -> Result<(), String> {
        let ours = std::env::consts::ARCH;
        let same = |arch: &str| arch == ours || (arch == "amd64" && ours == "x86_64");
        if let Some(arch) = self.get("OS_ARCH").filter(|arch| !same(arch)) {
            return Err(format!("is built for {arch}, not for {ours}"));
        }
        match self.get("LIBC") {
            Some("musl") if cfg!(target_env = "gnu") => Err("is built for musl, not for glibc".into()),
            _ => Ok(()),
        }
    }

    fn warnings(&self, feature: u32) -> Vec<String> {
        let mut warnings = Vec::new();
        if feature > NEWEST_FEATURE {
            warnings.push(format!("Java {feature} is newer than {NEWEST_FEATURE}, the newest tested"));
        }
        if let Some(variant) =
            self.get("JVM_VARIANT").filter(|variant| !variant.eq_ignore_ascii_case("hotspot"))
        {
            warnings.push(format!("the JVM is {variant}; only HotSpot is tested"));
        }
        warnings
    }
}
