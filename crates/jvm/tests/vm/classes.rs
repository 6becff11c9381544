//! Defining classes, hooks that rewrite them, listing what they declare.

use std::sync::atomic::{AtomicU8, Ordering};

use probat_jvm::{ArrayOf, Class, ClassFile, Env, Hooks, Loader, Ref, Str, Trust, Value, Vm, Wants};

use crate::assemble::{self, ClassBuilder, PUBLIC_STATIC};
use crate::calls::{call_static, class, object, thrown_class};
use crate::{Case, Ends};

/// What the hook makes of 41; zero lets the class through.
static CONSTANT: AtomicU8 = AtomicU8::new(42);

#[derive(Debug)]
struct Rewrite;

impl Hooks for Rewrite {
    fn wants(&self) -> Wants {
        Wants { class_files: true, threads: false }
    }

    fn class_file(&self, class: &ClassFile<'_, '_>) -> Option<Vec<u8>> {
        match class.name {
            Some("t/Answer") => {}
            Some("java/util/ArrayList") if class.existing.is_some() => return Some(class.bytes.to_vec()),
            _ => return None,
        }
        assert!(class.loader.is_some(), "the class has the system loader");
        let constant = CONSTANT.load(Ordering::Relaxed);
        if let Some(existing) = class.existing {
            assert!(class.env.is_same(existing.erase(), existing.erase()));
        }
        if constant == 0 { None } else { assemble::with_answer(class.bytes, 41, constant) }
    }
}

#[derive(Debug)]
struct Panics;

impl Hooks for Panics {
    fn wants(&self) -> Wants {
        Wants { class_files: true, threads: false }
    }

    fn class_file(&self, class: &ClassFile<'_, '_>) -> Option<Vec<u8>> {
        assert_ne!(class.name, Some("t/Answer"), "this class is not wanted");
        None
    }
}

pub fn cases() -> Vec<Case> {
    let rewriting = |name, run| Case { hooks: || Box::new(Rewrite), ..Case::plain(name, run) };
    vec![
        rewriting("the_class_hook_rewrites", hook_rewrites),
        rewriting("retransformation_changes_a_loaded_class", retransforms),
        rewriting("the_class_hook_can_be_switched_off", hook_switches),
        Case {
            hooks: || Box::new(Panics),
            ends: Ends::Aborting("probat: panic in the class hook: "),
            ..Case::plain("a_panic_in_a_hook_aborts_with_a_message", hook_panics)
        },
        Case::plain("the_boot_loader_takes_classes_of_java_lang", boot_loader),
        Case::plain("bad_class_files_are_refused", bad_class_files),
        Case::plain("members_are_listed_without_initialising", lists_members),
        Case::plain("loaded_classes_have_signatures", loaded_classes),
        Case::plain("class_relations_are_answered", relations),
    ]
}

pub fn system_loader<'f>(env: &Env<'f>) -> Ref<'f, Loader> {
    let get = "()Ljava/lang/ClassLoader;";
    let loader = object(call_static(env, "java/lang/ClassLoader", "getSystemClassLoader", get, &[]));
    env.cast(loader).unwrap()
}

fn define_answer<'f>(env: &Env<'f>) -> Ref<'f, Class> {
    env.define_class("t/Answer", Some(system_loader(env)), &assemble::answer()).unwrap().keep()
}

fn answer(env: &Env<'_>, class: Ref<'_, Class>) -> i32 {
    let answer = env.static_method(class, "answer", "()I").unwrap();
    match env.call_static(&answer, &[], Trust::Nothing) {
        Ok(Some(Value::Int(answer))) => answer,
        other => panic!("no answer: {other:?}"),
    }
}

fn hook_rewrites(_vm: Vm, env: &mut Env<'_>) {
    let class = define_answer(env);
    assert_eq!(answer(env, class), 42);
}

fn retransforms(vm: Vm, env: &mut Env<'_>) {
    CONSTANT.store(0, Ordering::Relaxed);
    let answers = define_answer(env);
    assert_eq!(answer(env, answers), 41);
    CONSTANT.store(43, Ordering::Relaxed);
    assert!(vm.jvmti().is_modifiable(answers).unwrap());
    vm.jvmti().retransform(&[answers, class(env, "java/util/ArrayList")]).unwrap();
    assert_eq!(answer(env, answers), 43);
    // The hook starts from the original bytes every time.
    CONSTANT.store(44, Ordering::Relaxed);
    vm.jvmti().retransform(&[answers]).unwrap();
    assert_eq!(answer(env, answers), 44);
    let error = vm.jvmti().retransform(&[class(env, "[I")]).unwrap_err();
    assert_eq!(error.to_string(), "RetransformClasses failed with JVMTI_ERROR_UNMODIFIABLE_CLASS");
}

fn hook_switches(vm: Vm, env: &mut Env<'_>) {
    vm.jvmti().set_class_hook(false).unwrap();
    let class = define_answer(env);
    assert_eq!(answer(env, class), 41);
    vm.jvmti().set_class_hook(true).unwrap();
    vm.jvmti().retransform(&[class]).unwrap();
    assert_eq!(answer(env, class), 42);
}

fn hook_panics(_vm: Vm, env: &mut Env<'_>) {
    define_answer(env);
}

fn boot_loader(vm: Vm, env: &mut Env<'_>) {
    let name = "java/lang/$ProbatTest";
    let bytes = ClassBuilder::new(name, "java/lang/Object").field(PUBLIC_STATIC, "map", "[B").bytes();
    let probe = env.define_class(name, None, &bytes).unwrap();
    assert!(vm.jvmti().class_loader(env, probe.get()).unwrap().is_none());
    let module = env.method(class(env, "java/lang/Class"), "getModule", "()Ljava/lang/Module;").unwrap();
    let module = object(env.call(&module, probe.get().erase(), &[], Trust::Nothing));
    let name = env.method(class(env, "java/lang/Module"), "getName", "()Ljava/lang/String;").unwrap();
    let name = env.cast::<Str>(object(env.call(&name, module, &[], Trust::Nothing))).unwrap();
    assert_eq!(env.string_text(name, 100), "java.base");
    // Seen from the system loader too.
    let seen = env.load_class("java.lang.$ProbatTest", true, Some(system_loader(env))).unwrap();
    assert!(env.is_same(seen.get().erase(), probe.get().erase()));
    let map = env.static_field(probe.get(), "map", "[B").unwrap();
    let bytes = env.array_of::<i8>(&[1, 2, 3]).unwrap();
    env.set_static(&map, Value::Object(Some(bytes.get().erase())), Trust::Nothing).unwrap();
    let Ok(Value::Object(Some(read))) = env.get_static(&map) else { panic!("the map is gone") };
    assert_eq!(env.array_length(env.cast::<ArrayOf<i8>>(read).unwrap()), 3);
    // Another loader may not define there.
    let other = ClassBuilder::new("java/lang/$Other", "java/lang/Object").bytes();
    let thrown = env.define_class("java/lang/$Other", Some(system_loader(env)), &other).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.SecurityException");
}

fn bad_class_files(_vm: Vm, env: &mut Env<'_>) {
    let bytes = assemble::answer();
    for cut in [0, 4, 10, bytes.len() - 1] {
        let thrown = env.define_class("t/Answer", None, &bytes[..cut]).unwrap_err();
        assert_eq!(thrown_class(env, thrown), "java.lang.ClassFormatError", "cut at {cut}");
    }
    let thrown = env.define_class("t/Other", None, &bytes).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.NoClassDefFoundError");
}

fn lists_members(vm: Vm, env: &mut Env<'_>) {
    let loader = system_loader(env);
    let class = env.define_class("t/Loops", Some(loader), &assemble::loops()).unwrap();
    let prepared = env.load_class("t.Loops", false, Some(loader)).unwrap();
    // Listing needs a prepared class, and linking prepares.
    let link = env.new_object_array(class_of_class(env), 1, Some(prepared.get().erase())).unwrap();
    assert!(link.is_some());
    if !vm.jvmti().class_status(class.get()).unwrap().is_prepared() {
        let error = vm.jvmti().class_fields(class.get()).unwrap_err();
        assert_eq!(error.name, "JVMTI_ERROR_CLASS_NOT_PREPARED");
        env.static_method(class.get(), "dive", "()V").unwrap();
    }
    let fields = vm.jvmti().class_fields(class.get()).unwrap();
    assert_eq!(fields.len(), 1);
    assert_eq!(
        (fields[0].name.as_str(), fields[0].descriptor.as_str(), fields[0].modifiers),
        ("started", "I", 0x48)
    );
    assert_eq!(env.static_field(class.get(), "started", "I").unwrap().id(), fields[0].id);
    let mut methods = vm.jvmti().class_methods(class.get()).unwrap();
    methods.sort_by(|left, right| left.name.cmp(&right.name));
    let names: Vec<_> =
        methods.iter().map(|method| (method.name.as_str(), method.descriptor.as_str())).collect();
    assert_eq!(names, [("dive", "()V"), ("spin", "()V")]);
    assert_eq!(env.static_method(class.get(), "dive", "()V").unwrap().id(), methods[0].id);
    assert!(vm.jvmti().class_status(class.get()).unwrap().is_initialized());
}

fn class_of_class<'f>(env: &Env<'f>) -> Ref<'f, Class> {
    class(env, "java/lang/Class")
}

fn loaded_classes(vm: Vm, env: &mut Env<'_>) {
    let mut found = false;
    env.with_frame(1, |env| {
        for class in vm.jvmti().loaded_classes(env).unwrap() {
            let (signature, generic) = vm.jvmti().class_signature(class.get()).unwrap();
            if signature == "Ljava/util/HashMap;" {
                found = generic.unwrap().starts_with("<K:Ljava/lang/Object;V:");
            }
            env.delete(class);
        }
    })
    .unwrap();
    assert!(found);
    let status = vm.jvmti().class_status(class(env, "[I")).unwrap();
    assert!(status.is_array() && !status.is_primitive());
}

fn relations(vm: Vm, env: &mut Env<'_>) {
    let (list, array_list) = (class(env, "java/util/List"), class(env, "java/util/ArrayList"));
    assert!(env.is_assignable_from(list, array_list));
    assert!(!env.is_assignable_from(array_list, list));
    let parent = env.super_class(array_list).unwrap();
    assert_eq!(env.class_name(parent.get(), 100).unwrap(), "java.util.AbstractList");
    assert_eq!(env.class_name(parent.get(), 4).unwrap(), "java");
    assert!(env.super_class(class(env, "java/lang/Object")).is_none() && env.super_class(list).is_none());
    let names: Vec<String> = vm
        .jvmti()
        .interfaces(env, array_list)
        .unwrap()
        .iter()
        .map(|interface| env.class_name(interface.get(), 100).unwrap())
        .collect();
    assert_eq!(names[0], "java.util.List");
    assert_eq!(vm.jvmti().class_modifiers(list).unwrap() & 0x0200, 0x0200);
    assert!(env.cast::<Class>(list.erase()).is_some() && env.cast::<Str>(list.erase()).is_none());
}
