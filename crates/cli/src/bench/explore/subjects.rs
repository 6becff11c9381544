//! The structures measured, with what the study found on them (spec 000 §3.2).

/// One structure.
#[derive(Debug)]
pub struct Subject {
    pub name: &'static str,
    /// In internal form.
    pub class: &'static str,
    /// `None` for a class of the JDK.
    pub source: Option<&'static str>,
    pub methods: &'static [&'static str],
    /// The smallest argument; there are as many as calls.
    pub first: i32,
    /// A pool for another parameter.
    pub pool: Option<&'static str>,
    /// The bound at which both ways of reaching a state are compared: far enough for the start of the JVM not to matter.
    pub compared_at: u16,
    /// The largest bound the study finished: bound, states, seconds.
    pub study: (u16, u64, f64),
}

macro_rules! source {
    ($name:literal) => {
        Some(include_str!(concat!("../../../../../tests/corpus/explore/explore/", $name, ".java")))
    };
}

pub const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "BinSearchTree",
        class: "explore/BinSearchTree",
        source: source!("BinSearchTree"),
        methods: &["add", "remove"],
        first: 0,
        pool: None,
        compared_at: 8,
        study: (6, 731, 23.05),
    },
    Subject {
        name: "TreeMap",
        class: "java/util/TreeMap",
        source: None,
        methods: &["put", "remove(Object)"],
        first: 0,
        pool: Some("put.1=0"),
        compared_at: 9,
        study: (7, 537, 41.89),
    },
    Subject {
        name: "LinkedList",
        class: "explore/LinkedList",
        source: source!("LinkedList"),
        methods: &["add", "remove", "removeLast"],
        first: 0,
        pool: None,
        compared_at: 6,
        study: (5, 3906, 32.61),
    },
    Subject {
        name: "UBStack",
        class: "explore/UBStack",
        source: source!("UBStack"),
        methods: &["push", "pop"],
        first: 1,
        pool: None,
        compared_at: 8,
        study: (6, 3235, 31.83),
    },
    Subject {
        name: "IntStack",
        class: "explore/IntStack",
        source: source!("IntStack"),
        methods: &["push", "pop"],
        first: 1,
        pool: None,
        compared_at: 6,
        study: (5, 4836, 12.76),
    },
    Subject {
        name: "HeapArray",
        class: "explore/HeapArray",
        source: source!("HeapArray"),
        methods: &["insert", "extractMax"],
        first: 0,
        pool: None,
        compared_at: 7,
        study: (5, 664, 3.75),
    },
];
