//! Other threads: stopping, interrupting, their processor time, their start and end.

use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use probat_jvm::{CallError, Class, Env, Field, Global, Hooks, Ref, Thread, Trust, Value, Vm, Wants};

use crate::calls::{class, object};
use crate::{Case, assemble};

pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("a_busy_loop_is_stopped", stop_busy_loop),
        Case::plain("a_sleeper_is_interrupted", interrupt),
        Case::plain("processor_time_of_another_thread_grows", cpu_time),
        Case { hooks: || Box::new(Watch), ..Case::plain("threads_are_told_of", told_of) },
        Case::plain("a_dead_thread_cannot_be_stopped", dead_thread),
        Case::plain("an_unattached_thread_is_turned_away", unattached),
    ]
}

fn loops<'f>(env: &Env<'f>) -> Ref<'f, Class> {
    env.define_class("t/Loops", None, &assemble::loops()).unwrap().keep()
}

fn this_thread(vm: Vm, env: &Env<'_>) -> Global<Thread> {
    env.global(vm.jvmti().current_thread(env).unwrap().get()).unwrap()
}

/// Waits until the loop has begun.
fn await_started(env: &Env<'_>, started: &Field) {
    while !matches!(env.get_static(started), Ok(Value::Int(1))) {
        std::thread::yield_now();
    }
}

fn stop_busy_loop(vm: Vm, env: &mut Env<'_>) {
    let loops = loops(env);
    let spin = env.static_method(loops, "spin", "()V").unwrap();
    let started = env.static_field(loops, "started", "I").unwrap();
    let me = this_thread(vm, env);
    let error = env.exception("java/lang/ThreadDeath", "time is up");
    let error = env.global(error.get()).unwrap();
    let stopper = std::thread::spawn(move || {
        let mut attached = vm.attach_daemon("watchdog").unwrap();
        let env = attached.env();
        await_started(&env, &started);
        assert!(vm.jvmti().thread_state(me.get()).unwrap().is_runnable());
        vm.jvmti().stop_thread(me.get(), error.get()).unwrap();
        error
    });
    let Err(CallError::Threw(thrown)) = env.call_static(&spin, &[], Trust::Nothing) else {
        panic!("it ended")
    };
    let error = stopper.join().unwrap();
    assert!(env.is_same(thrown.get().erase(), error.get().erase()));
    let answer = crate::calls::call_static(env, "java/lang/Math", "abs", "(I)I", &[Value::Int(-1)]);
    assert!(matches!(answer, Ok(Some(Value::Int(1)))));
}

fn interrupt(vm: Vm, env: &mut Env<'_>) {
    let sleep = env.static_method(class(env, "java/lang/Thread"), "sleep", "(J)V").unwrap();
    let me = this_thread(vm, env);
    let waker = std::thread::spawn(move || {
        let _attached = vm.attach_daemon("waker").unwrap();
        while !vm.jvmti().thread_state(me.get()).unwrap().is_waiting() {
            std::thread::yield_now();
        }
        vm.jvmti().interrupt_thread(me.get()).unwrap();
    });
    let Err(CallError::Threw(thrown)) = env.call_static(&sleep, &[Value::Long(600_000)], Trust::Nothing)
    else {
        panic!("it slept through")
    };
    assert_eq!(crate::calls::thrown_class(env, thrown), "java.lang.InterruptedException");
    waker.join().unwrap();
}

fn cpu_time(vm: Vm, env: &mut Env<'_>) {
    let loops = loops(env);
    let started = env.static_field(loops, "started", "I").unwrap();
    let spin = env.static_method(loops, "spin", "()V").unwrap();
    let (send, receive) = mpsc::channel();
    let other = std::thread::spawn(move || {
        let mut attached = vm.attach_daemon("spinner").unwrap();
        let env = attached.env();
        send.send(this_thread(vm, &env)).unwrap();
        assert!(matches!(env.call_static(&spin, &[], Trust::Nothing), Err(CallError::Threw(_))));
    });
    let thread = receive.recv().unwrap();
    await_started(env, &started);
    let first = vm.jvmti().thread_cpu_time(thread.get()).unwrap();
    while vm.jvmti().thread_cpu_time(thread.get()).unwrap() < first + Duration::from_millis(5) {
        std::thread::yield_now();
    }
    let death = env.exception("java/lang/ThreadDeath", "enough");
    vm.jvmti().stop_thread(thread.get(), death.get()).unwrap();
    other.join().unwrap();
}

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Watch;

impl Hooks for Watch {
    fn wants(&self) -> Wants {
        Wants { class_files: false, threads: true }
    }

    fn thread_start(&self, env: &mut Env<'_>, thread: Ref<'_, Thread>) {
        note("start", env, thread);
    }

    fn thread_end(&self, env: &mut Env<'_>, thread: Ref<'_, Thread>) {
        note("end", env, thread);
    }
}

fn note(what: &str, env: &Env<'_>, thread: Ref<'_, Thread>) {
    let weak = env.weak(thread).unwrap();
    assert!(env.upgrade(&weak).is_some());
    SEEN.lock().unwrap().push(what.into());
}

fn seen(what: &str) -> usize {
    SEEN.lock().unwrap().iter().filter(|seen| *seen == what).count()
}

fn told_of(vm: Vm, env: &mut Env<'_>) {
    let (starts, ends) = (seen("start"), seen("end"));
    let thread_class = class(env, "java/lang/Thread");
    let constructor = env.constructor(thread_class, "(Ljava/lang/String;)V").unwrap();
    let name = env.new_string_from("mine").unwrap();
    let thread =
        env.new_object(&constructor, &[Value::Object(Some(name.get().erase()))], Trust::Nothing).unwrap();
    let info = vm.jvmti().thread_info(env, env.cast(thread.get()).unwrap()).unwrap();
    assert_eq!((info.name.as_str(), info.is_daemon), ("mine", false));
    for name in ["start", "join"] {
        let method = env.method(thread_class, name, "()V").unwrap();
        env.call(&method, thread.get(), &[], Trust::Nothing).unwrap();
    }
    // `join` returns when the thread has ended, which is told of before.
    assert!(seen("start") > starts && seen("end") > ends);
    assert!(vm.jvmti().thread_state(env.cast(thread.get()).unwrap()).unwrap().is_terminated());
    let threads = vm.jvmti().all_threads(env).unwrap();
    let names: Vec<String> =
        threads.iter().map(|thread| vm.jvmti().thread_info(env, thread.get()).unwrap().name).collect();
    assert!(
        names.iter().any(|name| name == "main") && names.iter().any(|name| name == "Finalizer"),
        "{names:?}"
    );
}

fn unattached(vm: Vm, env: &mut Env<'_>) {
    let me = this_thread(vm, env);
    let error = std::thread::spawn(move || {
        let error = vm.jvmti().thread_cpu_time(me.get()).unwrap_err();
        // Only leaks, since there is nobody to give it back.
        drop(me);
        error
    });
    assert_eq!(error.join().unwrap().name, "JVMTI_ERROR_UNATTACHED_THREAD");
}

fn dead_thread(vm: Vm, env: &mut Env<'_>) {
    let constructor = env.constructor(class(env, "java/lang/Thread"), "()V").unwrap();
    let thread = env.new_object(&constructor, &[], Trust::Nothing).unwrap();
    let thread = env.cast::<Thread>(thread.get()).unwrap();
    let death = env.exception("java/lang/ThreadDeath", "never");
    let error = vm.jvmti().stop_thread(thread, death.get()).unwrap_err();
    assert_eq!((error.function, error.name.as_str()), ("StopThread", "JVMTI_ERROR_THREAD_NOT_ALIVE"));
    let current =
        crate::calls::call_static(env, "java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", &[]);
    let mine = vm.jvmti().current_thread(env).unwrap();
    assert!(env.is_same(object(current), mine.get().erase()));
}
