//! How long reading, decoding and encoding take, over all classes of each JDK image found.
//!
//! In: the corpus of the tests. Out: microseconds of one core per class, best of three.
//! Run: `cargo bench -p probat-classfile`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at surprises and prints figures"
)]

#[path = "../tests/corpus/mod.rs"]
mod corpus;

use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use probat_classfile::ClassFile;

/// Time this thread has had a core; where the system does not tell, time since the start.
fn cpu_time(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.as_deref().and_then(|line| line.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// The shortest of three runs.
fn best(mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    let mut time = || {
        let before = cpu_time(start);
        run();
        cpu_time(start) - before
    };
    [time(), time(), time()].into_iter().min().unwrap()
}

fn decode_all(class: &ClassFile) {
    for method in &class.methods {
        black_box(class.code(method).unwrap());
    }
}

fn decode_and_encode_all(class: &mut ClassFile) {
    for at in 0..class.methods.len() {
        if let Some(code) = class.code(&class.methods[at]).unwrap() {
            class.set_code(at, &code).unwrap();
        }
    }
}

fn main() {
    for image in corpus::images() {
        let classes = Mutex::new(Vec::new());
        corpus::each_class_of_image(&image, |_, bytes| classes.lock().unwrap().push(bytes.to_vec()));
        let classes = classes.into_inner().unwrap();
        let size: usize = classes.iter().map(Vec::len).sum();
        println!("{}: {} classes, {} MB", image.display(), classes.len(), size / 1_000_000);
        let report = |what: &str, time: Duration| {
            println!("  {what:<32}{:>8.1} us/class", time.as_secs_f64() * 1e6 / classes.len() as f64);
        };
        let all = |run: fn(ClassFile)| {
            best(|| classes.iter().for_each(|bytes| run(ClassFile::read(bytes).unwrap())))
        };
        report("read", all(|class| drop(black_box(class))));
        report("read, write", all(|class| drop(black_box(class.write().unwrap()))));
        report("read, decode", all(|class| decode_all(&class)));
        report(
            "read, decode, encode, write",
            all(|mut class| {
                decode_and_encode_all(&mut class);
                black_box(class.write().unwrap());
            }),
        );
    }
}
