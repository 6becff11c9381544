//! What a call through the wrappers costs, beside the same call made with the bare bindings.
//!
//! In: a Java home as the argument, or `JAVA_HOME`. Out: nanoseconds per operation, best of several rounds.
//! `cargo run --release -p probat-jvm --example raw_calls -- /usr/lib/jvm/some-jdk`

#![allow(clippy::print_stdout, reason = "printing is all it does")]
#![allow(clippy::unwrap_used, reason = "a measurement ends where something is not as expected")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use jni_simple::{JNI_GetCreatedJavaVMs_first, JNI_VERSION_1_8, JNIEnv, jtypes};
use probat_jvm::{Env, NoHooks, Trust, Value, Vm, VmOptions, find_library};

const CALLS: u32 = 4_400;
const ROUNDS: u32 = 600;

fn main() {
    let home = std::env::args()
        .nth(1)
        .or_else(|| std::env::var("JAVA_HOME").ok())
        .expect("a Java home, or JAVA_HOME");
    let body = move || {
        let library = find_library(Path::new(&home)).unwrap();
        let arguments = ["-XX:+UseSerialGC", "-Xmx256m"].map(String::from).to_vec();
        let options = VmOptions { library, arguments, hooks: Box::new(NoHooks), panic_fd: 2 };
        let (vm, mut attached) = Vm::create(options).unwrap();
        say(&format!("{:?}", vm.jvmti().version().unwrap()));
        let mut env = attached.env();
        bare();
        wrapped(&mut env);
        observing(vm, &mut env);
    };
    std::thread::Builder::new().stack_size(16 << 20).spawn(body).unwrap().join().unwrap();
    // The VM is never destroyed.
    std::process::exit(0)
}

fn say(line: &str) {
    println!("{line}");
}

fn time(name: &str, mut operation: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..CALLS {
            operation();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    say(&format!("{best:8.1} ns  {name}"));
}

/// The bindings alone, nothing checked.
fn bare() {
    // SAFETY: one VM was created and is never destroyed.
    let vm = unsafe { JNI_GetCreatedJavaVMs_first() }.unwrap().unwrap();
    // SAFETY: the version asks for JNI functions.
    let env = unsafe { vm.GetEnv::<JNIEnv>(JNI_VERSION_1_8) }.unwrap();
    // SAFETY: the class exists.
    let integer = unsafe { env.FindClass(c"java/lang/Integer") };
    // SAFETY: the method exists.
    let signum = unsafe { env.GetStaticMethodID(integer, c"signum", c"(I)I") };
    // SAFETY: the method exists.
    let value = unsafe { env.GetMethodID(integer, c"intValue", c"()I") };
    // SAFETY: the method exists.
    let of = unsafe { env.GetStaticMethodID(integer, c"valueOf", c"(I)Ljava/lang/Integer;") };
    let args = jtypes_of(7);
    // SAFETY: the method takes one int.
    let seven = unsafe { env.CallStaticObjectMethodA(integer, of, args.as_ptr()) };
    let check = || {
        // SAFETY: always allowed.
        let _ = black_box(unsafe { env.ExceptionCheck() });
    };
    time("bare    static (I)I", || {
        // SAFETY: the method takes one int.
        black_box(unsafe { env.CallStaticIntMethodA(integer, signum, black_box(&args).as_ptr()) });
    });
    time("bare    static (I)I + ExceptionCheck", || {
        // SAFETY: the method takes one int.
        black_box(unsafe { env.CallStaticIntMethodA(integer, signum, black_box(&args).as_ptr()) });
        check();
    });
    time("bare    virtual ()I + ExceptionCheck", || {
        // SAFETY: the method takes nothing, and the receiver is an Integer.
        black_box(unsafe { env.CallIntMethodA(seven, value, args.as_ptr()) });
        check();
    });
    time("bare    static (I)Object + DeleteLocalRef", || {
        // SAFETY: the method takes one int.
        let object = unsafe { env.CallStaticObjectMethodA(integer, of, black_box(&args).as_ptr()) };
        // SAFETY: a local reference, not used again.
        unsafe { env.DeleteLocalRef(object) };
    });
}

fn jtypes_of(value: i32) -> [jni_simple::jtype; 1] {
    use jni_simple::jtype;
    jtypes!(value)
}

fn wrapped(env: &mut Env<'_>) {
    let integer = env.find_class("java/lang/Integer").unwrap().keep();
    let signum = env.static_method(integer, "signum", "(I)I").unwrap();
    let value = env.method(integer, "intValue", "()I").unwrap();
    let compare = env.method(integer, "compareTo", "(Ljava/lang/Integer;)I").unwrap();
    let of = env.static_method(integer, "valueOf", "(I)Ljava/lang/Integer;").unwrap();
    let Some(Value::Object(Some(seven))) = env.call_static(&of, &[Value::Int(7)], Trust::Nothing).unwrap()
    else {
        panic!("valueOf answers an object");
    };
    time("wrapped static (I)I", || {
        black_box(env.call_static(&signum, black_box(&[Value::Int(7)]), Trust::Nothing).unwrap());
    });
    time("wrapped virtual ()I, trusted", || {
        black_box(env.call(&value, seven, &[], Trust::Caller).unwrap());
    });
    time("wrapped virtual ()I, checked", || {
        black_box(env.call(&value, seven, &[], Trust::Nothing).unwrap());
    });
    let arg = [Value::Object(Some(seven))];
    time("wrapped virtual (Integer)I, trusted", || {
        black_box(env.call(&compare, seven, black_box(&arg), Trust::Caller).unwrap());
    });
    time("wrapped virtual (Integer)I, checked", || {
        black_box(env.call(&compare, seven, black_box(&arg), Trust::Nothing).unwrap());
    });
    time("wrapped 22 static (I)Object in a frame, each", {
        let mut env = ManyInFrame { env, left: 0 };
        let of = &of;
        move || {
            env.call(|env| {
                black_box(env.call_static(of, &[Value::Int(7)], Trust::Caller).unwrap());
            });
        }
    });
}

/// Counts calls so that every 22nd opens a frame and makes 22 at once.
struct ManyInFrame<'e, 'f> {
    env: &'e mut Env<'f>,
    left: u32,
}

impl ManyInFrame<'_, '_> {
    fn call(&mut self, operation: impl Fn(&Env<'_>)) {
        if self.left > 0 {
            self.left -= 1;
            return;
        }
        self.left = 21;
        self.env.with_frame(32, |env| (0..22).for_each(|_| operation(env))).unwrap();
    }
}

fn observing(vm: Vm, env: &mut Env<'_>) {
    let integer = env.find_class("java/lang/Integer").unwrap().keep();
    let constructor = env.constructor(integer, "(I)V").unwrap();
    let value = env.field(integer, "value", "I").unwrap();
    let seven = env.new_object(&constructor, &[Value::Int(7)], Trust::Nothing).unwrap().keep();
    let text = env.new_string_from("twenty units of text").unwrap().keep();
    let coder = env.object_class(text.erase()).keep();
    let bytes = env.field(coder, "value", "[B").unwrap();
    let map = env.new_array::<i8>(65536).unwrap().keep();
    let mut buffer = vec![0; 65536];
    let mut units = [0; 64];
    time("IsInstanceOf", || {
        black_box(env.is_instance_of(seven, integer));
    });
    time("GetIntField, trusted", || {
        black_box(env.get(&value, seven, Trust::Caller).unwrap());
    });
    time("GetObjectField + delete, trusted", || {
        env.delete(env.get_object(&bytes, text.erase(), Trust::Caller).unwrap().unwrap());
    });
    time("GetObjectClass + delete", || env.delete(env.object_class(seven)));
    time("GetObjectHashCode", || {
        black_box(vm.jvmti().object_hash_code(seven).unwrap());
    });
    time("string_units, 20 units", || {
        black_box(env.string_units(text, &mut units));
    });
    time("NewObject + delete", || {
        env.delete(env.new_object(&constructor, &[Value::Int(7)], Trust::Caller).unwrap());
    });
    time("with_frame", || env.with_frame(32, |_| ()).unwrap());
    time("get_region, 4 KiB", || env.get_region(map, 0, &mut buffer[..4096]).unwrap());
    time("get_region, 64 KiB", || env.get_region(map, 0, &mut buffer).unwrap());
    time("with_critical_bytes", || {
        black_box(env.with_critical_bytes(map, false, |bytes| bytes.bytes().len()).unwrap());
    });
}
