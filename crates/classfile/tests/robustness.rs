//! Broken classes give errors, never panics.
//!
//! In: real classes with bytes changed, added and taken away, and classes cut off at every place. Out: whatever can
//! still be read is read, decoded, encoded and read again.

#![allow(clippy::unwrap_used, reason = "tests stop at surprises")]

mod corpus;

use std::sync::{LazyLock, Mutex};

use corpus::everything::look_at;
use probat_classfile::code::text::{parse, render};
use probat_classfile::{AccessFlags, ClassFile, ConstantPool, Method};
use proptest::prelude::*;

/// A class that needs no JDK: branches, a switch, a handler, frames.
fn small_class() -> Vec<u8> {
    let mut pool = ConstantPool::new();
    let this_class = pool.add_class("Small").unwrap();
    let super_class = Some(pool.add_class("java/lang/Object").unwrap());
    let name = pool.add_text("f").unwrap();
    let descriptor = pool.add_text("(ILjava/lang/String;)V").unwrap();
    let text = "
        start:
            iload 0
            tableswitch 1 [one, two] end
        one:
            new java/lang/Object
            dup
            invokespecial java/lang/Object.<init> ()V
            ifnull end
        two:
            iload 0
            lookupswitch [-1: one, 5: end] two
        caught:
            pop
            ldc string \"text\"
            pop
        end:
            return
        frame one [int, java/lang/String] []
        frame two [int, java/lang/String] []
        frame caught [int] [java/lang/Exception]
        frame end [int] []
        line start 1
        line end 2
        catch start two caught java/lang/Exception
        local start end 0 number I";
    let mut code = parse(text, &mut pool).unwrap();
    (code.max_stack, code.max_locals) = (2, 2);
    let mut class = ClassFile {
        minor: 0,
        major: 61,
        pool,
        access: AccessFlags::PUBLIC,
        this_class,
        super_class,
        interfaces: Vec::new(),
        fields: Vec::new(),
        methods: vec![Method { access: AccessFlags::STATIC, name, descriptor, attributes: Vec::new() }],
        attributes: Vec::new(),
    };
    class.set_code(0, &code).unwrap();
    class.write().unwrap()
}

/// Some of each kind, small ones first: mutations hit structure rather than text.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let seeds = Mutex::new(Vec::new());
    if let Some(image) = corpus::images().last() {
        corpus::each_class_of_image(image, |name, bytes| {
            let chosen = name.bytes().map(u32::from).sum::<u32>() % 97 == 0 || name.contains("module-info");
            if chosen && bytes.len() < 6000 {
                seeds.lock().unwrap().push((name.to_string(), bytes.to_vec()));
            }
        });
    }
    let mut seeds = seeds.into_inner().unwrap();
    seeds.sort();
    std::iter::once(small_class()).chain(seeds.into_iter().map(|(_, bytes)| bytes)).collect()
});

/// Does all that can be done with some bytes.
fn use_bytes(bytes: &[u8]) {
    let Ok(class) = ClassFile::read(bytes) else { return };
    assert_eq!(class.write().unwrap(), bytes);
    look_at(&class);
    let mut edited = class.clone();
    for (at, method) in class.methods.iter().enumerate() {
        let Ok(Some(code)) = class.code(method) else { continue };
        let shown = render(&code, &class.pool);
        if edited.set_code(at, &code).is_ok() {
            let back = edited.code(&edited.methods[at]).unwrap().unwrap();
            assert_eq!(render(&back, &edited.pool), shown);
        }
        let all: Vec<usize> = (0..=code.nodes.len()).collect();
        // On a copy: it adds constants, which then show up in the text of later methods.
        let _ = class.clone().frames_before(at, &code, &all[..all.len().min(50)]);
    }
}

/// One change of a byte string; positions are fractions of its length.
#[derive(Debug, Clone)]
enum Change {
    Set(u16, u8),
    SetWide(u16, u16),
    Insert(u16, u8),
    Remove(u16),
    Cut(u16),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: u16| usize::from(at) * bytes.len() / 65536;
        match *self {
            Change::Set(at, value) => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|byte| *byte = value);
            }
            Change::SetWide(at, value) => {
                let at = place(at);
                bytes.iter_mut().skip(at).zip(value.to_be_bytes()).for_each(|(byte, new)| *byte = new);
            }
            Change::Insert(at, value) => bytes.insert(place(at), value),
            Change::Remove(at) if !bytes.is_empty() => drop(bytes.remove(place(at))),
            Change::Remove(_) => {}
            Change::Cut(at) => bytes.truncate(place(at)),
        }
    }
}

fn changes() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (any::<u16>(), any::<u8>()).prop_map(|(at, value)| Change::Set(at, value)),
        4 => (any::<u16>(), prop_oneof![Just(0), Just(u16::MAX), 0..300u16])
            .prop_map(|(at, value)| Change::SetWide(at, value)),
        1 => (any::<u16>(), any::<u8>()).prop_map(|(at, value)| Change::Insert(at, value)),
        1 => any::<u16>().prop_map(Change::Remove),
        1 => any::<u16>().prop_map(Change::Cut),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_classes_never_panic(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(changes(), 1..6)) {
        let mut bytes = seed.get(&SEEDS).clone();
        changes.iter().for_each(|change| change.apply(&mut bytes));
        use_bytes(&bytes);
    }
}

#[test]
fn a_class_cut_off_anywhere_is_an_error() {
    let bytes = small_class();
    for length in 0..bytes.len() {
        let error = ClassFile::read(&bytes[..length]).unwrap_err();
        assert!(error.offset as usize <= length, "{error}");
    }
    use_bytes(&bytes);
}

#[test]
fn each_single_byte_of_a_class_may_be_wrong() {
    let bytes = small_class();
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at].wrapping_add(1)] {
            let mut changed = bytes.clone();
            changed[at] = value;
            use_bytes(&changed);
        }
    }
}

#[test]
fn a_newer_class_is_read_and_says_so() {
    let mut bytes = small_class();
    assert!(!ClassFile::read(&bytes).unwrap().is_newer_than_supported());
    bytes[7] = 99;
    assert!(ClassFile::read(&bytes).unwrap().is_newer_than_supported());
}
