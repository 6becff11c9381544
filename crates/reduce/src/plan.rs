//! What to record.
//!
//! In: classes under test, class files. Out: [`Planned`]: numbers for their methods, and what a worker needs to know of them.
//! Static fields that a method or what it calls reads, and that something writes, are inputs of the method.

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::fields::{FieldAccess, FieldOptions};
use probat_analysis::{ClassId, MethodId, World};
use probat_classfile::{AccessFlags, ClassFile};
use probat_model::ClassName;
use probat_protocol::{Listener, RecordedClass, RecordedMethod, RecordingSpec, StaticField};

/// Through this class JUnit's launcher tells of tests.
pub const LISTENER: &str = "org/junit/platform/launcher/core/ExecutionListenerAdapter";

/// More classes make the analysis of static fields too slow to be worth it.
const ANALYSED: usize = 1500;

/// Static fields of one method at most; a method that reads more depends on everything anyway.
const STATICS: usize = 40;

/// A recording, and the names of what it numbers.
#[derive(Debug, Clone)]
pub struct Planned {
    pub spec: RecordingSpec,
    /// By number: class and method as a person reads them.
    pub names: Vec<String>,
    /// Static fields were looked for.
    pub has_statics: bool,
}

/// Numbers the methods of the classes; `listener` is the class file of [`LISTENER`].
pub fn plan(world: &mut World<'_>, classes: &[ClassName], listener: &ClassFile) -> Planned {
    let ids: Vec<ClassId> = classes.iter().map(|class| world.load(class)).collect();
    let has_statics = ids.len() <= ANALYSED;
    let access = has_statics.then(|| {
        let options = CallGraphOptions { through_object: false, ..CallGraphOptions::default() };
        let graph = CallGraph::build(world, &ids, options);
        FieldAccess::analyse(world, &graph, &FieldOptions { statics: true })
    });
    let written = access.as_ref().map(|access| written(world, &ids, access)).unwrap_or_default();
    let mut spec = RecordingSpec::default();
    let mut names = Vec::new();
    for &id in &ids {
        if !world.class(id).is_loaded() {
            continue;
        }
        let first = names.len() as u32;
        let mut methods = Vec::new();
        for method in world.methods_of(id) {
            names.push(world.describe_method(method));
            let statics =
                access.as_ref().map(|access| statics(world, access, &written, method)).unwrap_or_default();
            methods.push(RecordedMethod { name: world.method_name(method).to_owned(), statics });
        }
        spec.classes.push(RecordedClass {
            class: world.class(id).name.clone(),
            first,
            methods,
            has_equals: has_equals(world, id),
        });
    }
    spec.listener = listener_of(listener, names.len() as u32);
    Planned { spec, names, has_statics }
}

/// Static fields that a method other than an initialiser writes, or that hold something mutable.
fn written(world: &World<'_>, ids: &[ClassId], access: &FieldAccess) -> Vec<bool> {
    let mut written = vec![false; world.field_count()];
    for &id in ids {
        for method in world.methods_of(id) {
            if world.method_name(method) == "<clinit>" {
                continue;
            }
            for field in access.direct(method).written_fields() {
                written[field.index()] = true;
            }
        }
    }
    written
}

fn statics(world: &World<'_>, access: &FieldAccess, written: &[bool], method: MethodId) -> Vec<StaticField> {
    let read = access.transitive(method).read_fields();
    let inputs = read.filter(|field| {
        let info = world.field(*field);
        info.is_static()
            && (written.get(field.index()).copied().unwrap_or(false) || !info.access.has(AccessFlags::FINAL))
    });
    let mut fields: Vec<StaticField> = inputs
        .map(|field| {
            let info = world.field(field);
            StaticField {
                class: world.class(info.class).name.clone(),
                name: world.text(info.name).to_owned(),
                descriptor: world.text(info.descriptor).to_owned(),
            }
        })
        .collect();
    fields.sort();
    fields.truncate(STATICS);
    fields
}

fn has_equals(world: &World<'_>, id: ClassId) -> bool {
    world.superclasses(id).any(|above| {
        world.class(above).name.as_internal() != "java/lang/Object"
            && world.declared_method(above, "equals", "(Ljava/lang/Object;)Z").is_some()
    })
}

fn listener_of(file: &ClassFile, first: u32) -> Option<Listener> {
    let number = |name: &str| {
        let at = file
            .methods
            .iter()
            .position(|method| method.name(&file.pool).is_ok_and(|found| found == name))?;
        Some(first + at as u32)
    };
    Some(Listener {
        class: file.name().ok()?,
        first,
        started: number("executionStarted")?,
        finished: number("executionFinished")?,
        skipped: number("executionSkipped")?,
    })
}
