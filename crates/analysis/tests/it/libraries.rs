//! Whole libraries: every analysis runs over every class without a crash, and says how long it took.
//!
//! `PROBAT_TEST_JARS` lists jars; without it, one module of the JDK stands in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::cfg::Cfg;
use probat_analysis::effects::{Effect, EffectOptions, Effects};
use probat_analysis::fields::{FieldAccess, FieldOptions};
use probat_analysis::nondeterminism::Nondeterminism;
use probat_analysis::{ClassId, World};
use probat_classpath::{ClassPath, Classes, JdkImage, OpenOptions};
use probat_model::ClassName;

use crate::support::{Source, fixtures, jdk_home};

/// Runs everything and returns a line of figures; panics only where an analysis does.
fn analyse(world: &mut World<'_>, names: &[ClassName], must_load: bool) -> String {
    let mut out = String::new();
    let mut since = Instant::now();
    let mut lap = |what: &str| {
        let _ = write!(out, "{what} {:?}, ", since.elapsed());
        since = Instant::now();
    };
    let scope: Vec<ClassId> = names.iter().map(|name| world.load(name)).collect();
    lap("load");
    let graph = CallGraph::build(world, &scope, CallGraphOptions::default());
    lap("calls");
    let fields = FieldAccess::analyse(world, &graph, &FieldOptions::default());
    lap("fields");
    let effects = Effects::analyse(world, &graph, EffectOptions::default());
    lap("effects");
    let outcomes = Nondeterminism::analyse(world, &graph, 64);
    lap("nondeterminism");
    let (mut blocks, mut loops, mut constants) = (0, 0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for &class in &scope {
        assert!(
            !must_load || world.class(class).is_loaded(),
            "{}: {:?}",
            world.class(class).name,
            world.class(class).presence
        );
        constants += world.literals(class).total().strings.len();
        world.abstract_methods(class);
        world.functional_interface(class);
        world.members(class, "");
        world.is_nameable(class, "");
        for method in world.methods_of(class) {
            let access = fields.transitive(method);
            assert!(!access.is_relevant_to(&Default::default()));
            let effect = effects.of(world, method);
            *kinds.entry(format!("{effect:?}")).or_default() += 1;
            // The table of known methods forgives the JDK its caches.
            if effect == Effect::Pure && !world.class(class).name.as_internal().starts_with("java/") {
                let mut written = fields.direct(method).written_fields();
                assert!(
                    written.all(|field| !world.field(field).is_static()),
                    "{}",
                    world.describe_method(method)
                );
            }
            outcomes.of(method);
            if let Some(code) = world.code(method) {
                let cfg = Cfg::of(&code);
                blocks += cfg.blocks.len();
                loops += cfg.loops().len();
                cfg.post_dominators();
            }
        }
    }
    lap("the rest");
    let _ = write!(out, "{blocks} blocks, {loops} loops, {constants} strings, effects {kinds:?}, {world:?}");
    out
}

#[test]
fn libraries_are_analysed_without_a_crash() {
    let module = std::env::var("PROBAT_TEST_MODULE").unwrap_or_else(|_| "java.logging".into());
    let jdk = JdkImage::open(&jdk_home()).unwrap();
    let names: Vec<_> =
        jdk.iter().filter(|class| class.module == Some(&module)).map(|class| class.name.clone()).collect();
    assert!(!names.is_empty(), "no classes in {module}");
    let nothing: [PathBuf; 0] = [];
    let options = OpenOptions { release: 17 };
    let mut source = Source(Classes { jdk: Some(jdk), path: ClassPath::open(&nothing, &options) });
    let figures = analyse(&mut World::new(&source), &names, true);
    println!("{module}: {} classes, {figures}", names.len());
    let jars = std::env::var_os("PROBAT_TEST_JARS").unwrap_or_default();
    for jar in std::env::split_paths(&jars).filter(|jar| !jar.as_os_str().is_empty()) {
        let path = ClassPath::open(&[&jar], &options);
        assert!(path.problems().is_empty(), "{:?}", path.problems());
        let names: Vec<_> =
            path.iter().filter(|class| !class.shadowed).map(|class| class.name.clone()).collect();
        source.0.path = path;
        let figures = analyse(&mut World::new(&source), &names, true);
        println!("{}: {} classes, {figures}", jar.display(), names.len());
    }
}

/// Bytes of compiled classes are changed at places drawn from a fixed seed.
#[test]
fn damaged_classes_are_survived() {
    let fixtures = &fixtures().0.path;
    let mut state = 1u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let wanted = ["effects", "graphs", "literals", "fields"];
    for class in fixtures.iter().filter(|class| wanted.contains(&class.name.package())) {
        let whole = class.read().unwrap().bytes.into_owned();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            let source = |name: &ClassName| {
                if name == class.name {
                    return Some(bytes.clone());
                }
                fixtures.find(name).ok().flatten().map(|found| found.bytes.into_owned())
            };
            analyse(&mut World::new(&source), std::slice::from_ref(class.name), false);
        }
    }
}
