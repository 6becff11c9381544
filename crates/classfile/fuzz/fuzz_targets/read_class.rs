//! Any bytes can be read, looked at, decoded and encoded without a panic or more memory than they justify.
//!
//! In: bytes from the fuzzer. Out: nothing, or a crash that is a defect of ours.

#![no_main]

#[path = "../../tests/corpus/everything.rs"]
mod everything;

use libfuzzer_sys::fuzz_target;
use probat_classfile::ClassFile;
use probat_classfile::code::text::render;

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::read(bytes) else { return };
    assert_eq!(class.write().expect("what was read can be written"), bytes);
    everything::look_at(&class);
    let mut edited = class.clone();
    for (at, method) in class.methods.iter().enumerate() {
        let Ok(Some(code)) = class.code(method) else { continue };
        if edited.set_code(at, &code).is_ok() {
            let back = edited.code(&edited.methods[at]).expect("what was encoded can be decoded");
            let back = back.expect("code was just set");
            assert_eq!(render(&back, &edited.pool), render(&code, &class.pool));
        }
        let places: Vec<usize> = (0..=code.nodes.len().min(30)).collect();
        let _ = class.clone().frames_before(at, &code, &places);
    }
});
