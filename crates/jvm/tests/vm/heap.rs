//! Frames, globals, tags, finding instances.

use probat_jvm::{Env, Trust, Value, Vm};

use crate::calls::{call_static, class, thrown_class};
use crate::{Case, assemble};

pub fn cases() -> Vec<Case> {
    vec![
        Case { options: &["-Xmx24m"], ..Case::plain("a_million_calls_leave_nothing_behind", no_leak) },
        Case::plain("frames_nest_and_can_keep_one", frames),
        Case::plain("a_panic_in_a_frame_pops_it", unwinding),
        Case::plain("globals_outlive_frames_and_weaks_do_not", globals),
        Case::plain("instances_of_a_class_are_found", instances),
        Case::plain("tags_and_hashes_identify", tags),
    ]
}

/// Leaked references would keep 100 MB alive in 24; under `-Xcheck:jni` the VM would also complain.
fn no_leak(_vm: Vm, env: &mut Env<'_>) {
    let copy = env.method(class(env, "java/lang/Object"), "clone", "()Ljava/lang/Object;").unwrap();
    let array = env.new_array::<i8>(80).unwrap();
    let mut made = 0;
    for _ in 0..50_000 {
        env.with_frame(20, |env| {
            for _ in 0..20 {
                let answer = env.call(&copy, array.get().erase(), &[], Trust::Caller);
                made += usize::from(matches!(answer, Ok(Some(Value::Object(Some(_))))));
            }
        })
        .unwrap();
    }
    assert_eq!(made, 1_000_000);
    // The same without frames, each given back.
    for _ in 0..100_000 {
        let text = env.new_string(&[0x61; 200]).unwrap();
        env.delete(text);
    }
}

fn frames(_vm: Vm, env: &mut Env<'_>) {
    let outer = env.new_string_from("outer").unwrap().keep();
    let kept = env
        .with_frame_keeping(4, |env| {
            let inner = env.new_string_from("inner").unwrap().keep();
            let innermost = env.with_frame(4, |env| {
                let text = env.new_string_from("innermost").unwrap();
                (env.string_text(text.get(), 99), env.string_text(inner, 99), env.string_text(outer, 99))
            });
            assert_eq!(innermost.unwrap(), ("innermost".into(), "inner".into(), "outer".into()));
            Some(inner.erase())
        })
        .unwrap()
        .unwrap();
    assert_eq!(env.string_text(env.cast(kept.get()).unwrap(), 99), "inner");
    assert!(env.with_frame_keeping(4, |_| None).unwrap().is_none());
    let same =
        env.with_frame_keeping(4, |env| Some(env.local(outer).unwrap().keep().erase())).unwrap().unwrap();
    assert!(env.is_same(same.get(), outer.erase()));
    env.ensure_local_capacity(500).unwrap();
}

fn unwinding(vm: Vm, env: &mut Env<'_>) {
    let weak = std::cell::RefCell::new(None);
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        env.with_frame(4, |env| {
            let text = env.new_array::<i8>(10).unwrap();
            *weak.borrow_mut() = Some(env.weak(text.get()).unwrap());
            panic!("on purpose");
        })
    }));
    assert!(unwound.is_err());
    vm.jvmti().force_gc().unwrap();
    assert!(env.upgrade(weak.borrow().as_ref().unwrap()).is_none());
}

fn globals(vm: Vm, env: &mut Env<'_>) {
    let (global, weak) = env
        .with_frame(4, |env| {
            let text = env.new_array::<i8>(3).unwrap();
            (env.global(text.get()).unwrap(), env.weak(text.get()).unwrap())
        })
        .unwrap();
    vm.jvmti().force_gc().unwrap();
    assert_eq!(env.array_length(global.get()), 3);
    let upgraded = env.upgrade(&weak).unwrap();
    assert!(env.is_same(upgraded.get().erase(), global.get().erase()));
    env.delete(upgraded);
    // A global is good on another thread, and can be dropped there.
    std::thread::spawn(move || {
        let mut attached = vm.attach_daemon("other").unwrap();
        assert_eq!(attached.env().array_length(global.get()), 3);
        drop(global);
    })
    .join()
    .unwrap();
    vm.jvmti().force_gc().unwrap();
    assert!(env.upgrade(&weak).is_none());
}

fn instances(vm: Vm, env: &mut Env<'_>) {
    let class = env.define_class("t/Answer", None, &assemble::answer()).unwrap();
    let constructor = env.constructor(class.get(), "()V").unwrap();
    let kept = env.field(class.get(), "kept", "I").unwrap();
    assert!(vm.jvmti().instances(env, class.get(), 77, 100).unwrap().is_empty());
    let made: Vec<_> = (0..5).map(|_| env.new_object(&constructor, &[], Trust::Nothing).unwrap()).collect();
    for (at, object) in made.iter().enumerate() {
        env.set(&kept, object.get(), Value::Int(at as i32), Trust::Nothing).unwrap();
    }
    let mut found: Vec<i32> = Vec::new();
    for object in vm.jvmti().instances(env, class.get(), 77, 100).unwrap() {
        let Ok(Value::Int(number)) = env.get(&kept, object.get(), Trust::Nothing) else {
            panic!("not an Answer")
        };
        found.push(number);
        env.delete(object);
    }
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3, 4]);
    assert_eq!(vm.jvmti().instances(env, class.get(), 77, 2).unwrap().len(), 2);
    assert!(vm.jvmti().objects_with_tag(env, 77).unwrap().is_empty());
    let mut made = made.into_iter();
    env.delete(made.next().unwrap());
    vm.jvmti().force_gc().unwrap();
    // `found` was deleted, the limited list was not; one of the two it names may be the one given back.
    assert!(vm.jvmti().instances(env, class.get(), 77, 100).unwrap().len() >= 4);
}

fn tags(vm: Vm, env: &mut Env<'_>) {
    let (left, right) = (env.new_array::<i8>(1).unwrap(), env.new_array::<i8>(1000).unwrap());
    let (left, right) = (left.get().erase(), right.get().erase());
    assert_eq!(vm.jvmti().tag(left).unwrap(), 0);
    vm.jvmti().set_tag(left, -5).unwrap();
    vm.jvmti().set_tag(right, 6).unwrap();
    assert_eq!((vm.jvmti().tag(left).unwrap(), vm.jvmti().tag(right).unwrap()), (-5, 6));
    let found = vm.jvmti().objects_with_tag(env, 6).unwrap();
    assert!(found.len() == 1 && env.is_same(found[0].get(), right));
    let hash = vm.jvmti().object_hash_code(left).unwrap();
    vm.jvmti().force_gc().unwrap();
    assert_eq!(vm.jvmti().object_hash_code(left).unwrap(), hash);
    let args = [Value::Object(Some(left))];
    let identity = call_static(env, "java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I", &args);
    assert!(matches!(identity, Ok(Some(Value::Int(identity))) if identity == hash));
    assert!(vm.jvmti().object_size(right).unwrap() > vm.jvmti().object_size(left).unwrap() + 900);
    let thrown = env.new_array::<i64>(1 << 28).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.OutOfMemoryError");
}
