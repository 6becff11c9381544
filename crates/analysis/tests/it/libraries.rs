//! Whole libraries: every analysis runs over every class without a crash, and says how long it took.
//!
//! `PROBAT_TEST_JARS` lists jars; without it, one module of the JDK stands in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::cfg::Cfg;
use probat_analysis::effects::{Effect, Effects};
use probat_analysis::fields::{FieldAccess, FieldOptions};
use probat_analysis::nondeterminism::Nondeterminism;
use probat_analysis::{ClassId, World};
use probat_classpath::{ClassPath, Classes, JdkImage, OpenOptions};
use probat_model::ClassName;

use crate::support::{Source, jdk_home};

/// Runs everything and returns a line of figures; panics only where an analysis does.
fn analyse(world: &mut World<'_>, names: &[ClassName]) -> String {
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
    let effects = Effects::analyse(world, &graph);
    lap("effects");
    let outcomes = Nondeterminism::analyse(world, &graph, 64);
    lap("nondeterminism");
    let (mut blocks, mut loops, mut constants) = (0, 0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for &class in &scope {
        assert!(
            world.class(class).is_loaded(),
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
            assert!(
                effect != Effect::Pure
                    || fields.direct(method).written_fields().all(|f| !world.field(f).is_static())
            );
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
    let figures = analyse(&mut World::new(&source), &names);
    println!("{module}: {} classes, {figures}", names.len());
    for jar in std::env::split_paths(&std::env::var_os("PROBAT_TEST_JARS").unwrap_or_default()) {
        let path = ClassPath::open(&[&jar], &options);
        assert!(path.problems().is_empty(), "{:?}", path.problems());
        let names: Vec<_> =
            path.iter().filter(|class| !class.shadowed).map(|class| class.name.clone()).collect();
        source.0.path = path;
        let figures = analyse(&mut World::new(&source), &names);
        println!("{}: {} classes, {figures}", jar.display(), names.len());
    }
}
