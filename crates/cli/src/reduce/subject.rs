//! What is run and what is recorded.
//!
//! In: arguments. Out: [`Subject`]: the class path with tests and a JUnit, the classes under test, a plan of the recording.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use probat_analysis::World;
use probat_model::{ClassName, Type};
use probat_project::{JUnitKind, Pattern, Tools, find_artifacts, find_junit};
use probat_protocol::{Limits, Rule, WorkerConfig};
use probat_reduce::{LISTENER, Planned, plan};
use probat_supervisor::discovery::Jvm;
use probat_supervisor::plan_probes;

use super::args::ReduceArgs;
use super::calls::METHOD_FILTER;
use super::launch::Entry;
use crate::exit::Exit;
use crate::explore::Source;
use crate::failure::Failure;
use crate::generate::project_failure;
use crate::library::Library;
use crate::progress::Progress;
use crate::run::worker_config;

/// Packages of test frameworks and what they bring along.
const FRAMEWORKS: [&str; 13] = [
    "org/junit/",
    "junit/",
    "org/hamcrest/",
    "org/opentest4j/",
    "org/apiguardian/",
    "org/mockito/",
    "org/assertj/",
    "org/testng/",
    "org/easymock/",
    "net/bytebuddy/",
    "org/objenesis/",
    "org/powermock/",
    "org/jspecify/",
];

/// Names that tests for JUnit 3 and 4 have in them.
const OLD: [&[u8]; 2] = [b"Lorg/junit/Test;", b"junit/framework/TestCase"];

/// What all engines implement.
const ENGINE: &str = "org/junit/platform/engine/TestEngine";

/// Tokens of a state that are read. Suites make hundreds of thousands of calls; a larger state is unlike every other.
const STATE_TOKENS: u32 = 1 << 16;

/// A run's surroundings.
#[derive(Debug)]
pub struct Subject {
    pub config: WorkerConfig,
    pub entry: Entry,
    pub plan: Planned,
    pub tests: PathBuf,
    pub existing: Option<PathBuf>,
    pub classes: Vec<ClassName>,
    /// Superclasses of test classes, by binary name, nearest first.
    pub above: BTreeMap<String, Vec<String>>,
    /// Test classes that cannot be loaded, and the class they lack. One of them would keep JUnit from finding any.
    pub unloadable: Vec<(ClassName, ClassName)>,
    /// A test class for something else than JUnit, and what that is.
    foreign: Option<(String, &'static str)>,
}

/// Finds it all; `work` is a folder of ours.
pub fn find(args: &ReduceArgs, jvm: &Jvm, work: &Path) -> Result<Subject, Failure> {
    let tests = place(&args.tests, "--tests")?;
    let existing = args.existing.as_deref().map(|path| place(path, "--existing")).transpose()?;
    let mut paths = vec![tests.clone()];
    paths.extend(existing.clone());
    let library = open(jvm, &paths, &args.jvm.classpath, &[])?;
    let (entry, jars) = junit(args, &library, &paths, work)?;
    let library = open(jvm, &paths, &args.jvm.classpath, &jars)?;
    let classes = under_test(args, &library, &paths)?;
    let plan = planned(&library, &classes)?;
    let mut config = worker_config(&args.jvm, jvm, &library)?;
    settle(args, &mut config);
    let bytes =
        classes.iter().filter_map(|name| Some((name.clone(), library.classes.find(name).ok()??.bytes)));
    config.instrumentation = plan_probes(bytes).instrumentation;
    let unloadable = unloadable(&library, &paths);
    let above = above(&library, &paths);
    let foreign = foreign(&library, std::slice::from_ref(&tests));
    Ok(Subject { config, entry, plan, tests, existing, classes, above, unloadable, foreign })
}

impl Subject {
    /// What else is there, if JUnit finds no test: tests for something else, or sources.
    pub fn why_no_tests(&self, given: &Path) -> Option<Failure> {
        if let Some((class, framework)) = &self.foreign {
            return Some(
                Failure::new(
                    Exit::Nothing,
                    format!("the tests in `{}` are for {framework}, as `{class}` is", given.display()),
                )
                .hint("only tests for JUnit 3, 4 and 5 can be reduced"),
            );
        }
        let is_source = |path: &Path| path.extension().is_some_and(|extension| extension == "java");
        let source = files_below(&self.tests).into_iter().find(|path| is_source(path))?;
        Some(
            Failure::new(
                Exit::Nothing,
                format!(
                    "there are no compiled tests in `{}`, only sources such as `{}`",
                    given.display(),
                    source.display()
                ),
            )
            .hint("compile them, and give the folder with the class files, such as target/test-classes"),
        )
    }
}

/// Files of a folder and of those in it, in the order of their names; nothing of what cannot be read.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let below =
        paths.iter().filter(|path| path.is_dir() && !path.is_symlink()).flat_map(|path| files_below(path));
    let mut all: Vec<PathBuf> = below.collect();
    all.extend(paths.into_iter().filter(|path| path.is_file()));
    all
}

/// Frameworks whose tests JUnit does not find, and what their test classes mention.
const OTHERS: [(&str, &[u8]); 2] =
    [("TestNG", b"Lorg/testng/annotations/"), ("Spock", b"spock/lang/Specification")];

/// A test class that is written for another framework.
fn foreign(library: &Library, tests: &[PathBuf]) -> Option<(String, &'static str)> {
    let own = library.classes.path.iter().filter(|class| is_test(class.entry.origin.path(), tests));
    own.filter_map(|class| {
        let read = class.read().ok()?;
        let name = OTHERS.iter().find(|(_, mark)| mentions(&read.bytes, &[*mark]))?.0;
        Some((class.name.to_binary(), name))
    })
    .min()
}

/// How to start JUnit, and the jars that the class path lacks for it: none if a launcher is there with the engines that the tests need, else
/// the launcher that belongs to the engines there, as builds do it, else one with everything in it.
fn junit(
    args: &ReduceArgs,
    library: &Library,
    tests: &[PathBuf],
    work: &Path,
) -> Result<(Entry, Vec<PathBuf>), Failure> {
    let has = |class: &str| library.classes.contains(&ClassName::internal(class));
    let own_engines = args.junit_jars.is_empty() && has_engines(library, tests);
    if own_engines && has("org/junit/platform/console/ConsoleLauncher") {
        return Ok((Entry::Console, Vec::new()));
    }
    if own_engines && has("org/junit/platform/launcher/core/LauncherFactory") {
        return Ok((Entry::Interface(has(METHOD_FILTER)), Vec::new()));
    }
    let _progress = Progress::start("looking for JUnit");
    let tools = Tools::of_this_machine(args.offline);
    if own_engines && let Some((version, jars)) = launcher_of(library, &tools, work) {
        return Ok((Entry::Interface(leaves_methods_out(&version)), jars));
    }
    let kind = if needs_junit4(library) { JUnitKind::JUnit4 } else { JUnitKind::JUnit5 };
    let found = find_junit(&tools, kind, &args.junit_jars, &[], work);
    Ok((Entry::Console, found.map_err(|error| project_failure(&error))?.jars))
}

/// The launcher that belongs to the engines on the class path, and its version; `None` if Maven has none.
fn launcher_of(library: &Library, tools: &Tools, work: &Path) -> Option<(String, Vec<PathBuf>)> {
    let engine = library.classes.path.entry_of(&ClassName::internal(ENGINE))?;
    let jar = engine.entry.origin.path()?.file_name()?.to_string_lossy().into_owned();
    let version = jar.strip_prefix("junit-platform-engine-")?.strip_suffix(".jar")?.to_owned();
    let wanted = format!("org.junit.platform:junit-platform-launcher:{version}").parse().ok()?;
    let jars = find_artifacts(tools, &[wanted], work, "fetching JUnit's launcher").ok()?;
    Some((version, jars))
}

/// Whether a launcher of this version can leave out single methods.
fn leaves_methods_out(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    let first = numbers.next().unwrap_or(0);
    first > 1 || first == 1 && numbers.next().unwrap_or(0) >= 12
}

/// Whether the engines that the tests are written for are on the class path.
fn has_engines(library: &Library, tests: &[PathBuf]) -> bool {
    let has = |class: &str| library.classes.contains(&ClassName::internal(class));
    let (mut old, mut new) = (false, false);
    let own = library.classes.path.iter().filter(|class| is_test(class.entry.origin.path(), tests));
    for class in own {
        let Ok(read) = class.read() else { continue };
        old |= mentions(&read.bytes, &OLD);
        new |= mentions(&read.bytes, &[b"org/junit/jupiter/"]);
    }
    has(ENGINE)
        && (!old || has("org/junit/vintage/engine/VintageTestEngine"))
        && (!new || has("org/junit/jupiter/engine/JupiterTestEngine"))
}

fn mentions(bytes: &[u8], marks: &[&[u8]]) -> bool {
    marks.iter().any(|mark| bytes.windows(mark.len()).any(|window| window == *mark))
}

/// Superclasses of test classes, as far as they are on the class path.
fn above(library: &Library, tests: &[PathBuf]) -> BTreeMap<String, Vec<String>> {
    let own = library.classes.path.iter().filter(|class| is_test(class.entry.origin.path(), tests));
    let chain = |name: &ClassName| {
        let next = |name: &ClassName| library.file(name)?.super_name().ok().flatten();
        let chain = std::iter::successors(next(name), next);
        chain.map(|name| name.to_binary()).take_while(|name| name != "java.lang.Object").collect()
    };
    own.map(|class| (class.name.to_binary(), chain(class.name))).collect()
}

/// Test classes that name a class that is not there where a JVM looks when it lists their members.
fn unloadable(library: &Library, tests: &[PathBuf]) -> Vec<(ClassName, ClassName)> {
    let own = library.classes.path.iter().filter(|class| is_test(class.entry.origin.path(), tests));
    let mut found = Vec::new();
    for class in own {
        let Some(file) = library.file(class.name) else { continue };
        let mut named: Vec<ClassName> = file.super_name().ok().flatten().into_iter().collect();
        named.extend(file.interface_names().unwrap_or_default());
        for method in &file.methods {
            let Ok(descriptor) = method.descriptor(&file.pool) else { continue };
            named.extend(descriptor.params.iter().chain(&descriptor.returns).filter_map(class_of));
        }
        named.extend(file.fields.iter().filter_map(|field| class_of(&field.ty(&file.pool).ok()?)));
        if let Some(missing) = named.into_iter().find(|name| !library.classes.contains(name)) {
            found.push((class.name.clone(), missing));
        }
    }
    found
}

/// The class that a type names, through arrays.
fn class_of(ty: &Type) -> Option<ClassName> {
    match ty {
        Type::Class(name) => Some(name.clone()),
        Type::Array(element) => class_of(element),
        _ => None,
    }
}

fn is_test(path: Option<&Path>, tests: &[PathBuf]) -> bool {
    path.is_some_and(|path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        tests.contains(&path)
    })
}

fn place(path: &Path, option: &str) -> Result<PathBuf, Failure> {
    if !path.exists() {
        return Err(Failure::new(Exit::BadInput, format!("there is no `{}`", path.display())).hint(format!(
            "`{option}` is a folder with compiled test classes, such as target/test-classes, or a jar"
        )));
    }
    Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// JUnit stands before the class path, which may have parts of another release of it: releases do not mix.
fn open(jvm: &Jvm, tests: &[PathBuf], class_path: &str, junit: &[PathBuf]) -> Result<Library, Failure> {
    let mut words: Vec<String> = tests.iter().chain(junit).map(|path| path.display().to_string()).collect();
    if !class_path.is_empty() {
        words.push(class_path.to_owned());
    }
    Library::open(&jvm.home, &words.join(":"))
}

/// Whether tests are written for JUnit 4 and its classes are not there.
fn needs_junit4(library: &Library) -> bool {
    if library.classes.contains(&ClassName::internal("org/junit/Test")) {
        return false;
    }
    library.classes.path.iter().any(|class| class.read().is_ok_and(|read| mentions(&read.bytes, &OLD)))
}

fn under_test(args: &ReduceArgs, library: &Library, tests: &[PathBuf]) -> Result<Vec<ClassName>, Failure> {
    let patterns = args.classes.iter().map(|text| Pattern::parse(text)).collect::<Result<Vec<_>, _>>();
    let patterns = patterns.map_err(|error| project_failure(&error))?;
    let all = library
        .classes
        .path
        .iter()
        .filter(|class| !class.shadowed && !is_test(class.entry.origin.path(), tests));
    let names = all.map(|class| class.name.clone()).filter(|name| {
        !FRAMEWORKS.iter().any(|prefix| name.as_internal().starts_with(prefix))
            && !matches!(name.simple(), "module-info" | "package-info")
            && (patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(name)))
    });
    let mut names: Vec<ClassName> = names.collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        let text = if patterns.is_empty() {
            "there are no classes under test".to_owned()
        } else {
            format!("no class under test matches `{}`", args.classes.join("`, `"))
        };
        return Err(Failure::new(Exit::Nothing, text)
            .hint("name the folder or jar with the code that the tests test with `--classpath`"));
    }
    Ok(names)
}

fn planned(library: &Library, classes: &[ClassName]) -> Result<Planned, Failure> {
    let _progress = Progress::start("reading the classes under test");
    let listener = library.file(&ClassName::internal(LISTENER)).ok_or_else(|| {
        Failure::new(Exit::Missing, format!("this JUnit has no class `{}`", LISTENER.replace('/', ".")))
            .hint("name `junit-platform-console-standalone` 1.10 or newer with `--junit-jar`")
    })?;
    let source = Source(library);
    let mut world = World::new(&source);
    Ok(plan(&mut world, classes, &listener))
}

fn settle(args: &ReduceArgs, config: &mut WorkerConfig) {
    let limit = args.time_limit_per_test;
    config.limits = Limits {
        call_cpu: limit,
        call_wall: 3 * limit,
        heap_bytes: 1 << 30,
        metaspace_bytes: 512 << 20,
        threads: 2000,
        state_tokens: STATE_TOKENS,
        file_bytes: 4 << 30,
        ..Limits::default()
    };
    for field in &args.ignored_fields {
        config.rules.push(match field.rsplit_once('.') {
            Some((class, field)) => {
                Rule::IgnoreField { class: Some(ClassName::binary(class)), field: field.to_owned() }
            }
            None => Rule::IgnoreField { class: None, field: field.clone() },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_left_out_by_launchers_from_1_12_on() {
        for (version, can) in
            [("1.8.2", false), ("1.11.4", false), ("1.12.0", true), ("6.0.1", true), ("x", false)]
        {
            assert_eq!(leaves_methods_out(version), can, "{version}");
        }
    }
}
