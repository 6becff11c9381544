//! How a search chooses. One small type per question, each answered in a place of its own, so that techniques stand side by side.
//!
//! | question | type | answered by |
//! |---|---|---|
//! | which callable is tried next | [`Methods`] | `schedule` |
//! | where an input comes from | [`Inputs`] | `assemble::eager`, `assemble::actions`, `assemble::recommended`, `assemble::walk`, `assemble::terms` |
//! | which stored sequence gives it | [`Sequences`] | `pool`, `relevance`, `distance` |
//! | whether all combinations are tried after failures | [`Batch`] | `batch` |
//! | which values of a legal sequence may serve again | [`Pruning`] | `novelty`, `equality` |
//!
//! In: nothing. Out: plain data. A technique is a [`Strategy`], a choice of answers; what is not asked here is asked of everyone alike.

use probat_model::Operation;

/// Which callable is tried next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Methods {
    /// Each as often as any other (spec 001 §2.4, spec 004 §2.3).
    Uniform,
    /// By the uncovered code it can reach and by how it fared.
    Promising,
}

/// Where an input comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Inputs {
    /// Literals, values at hand, the pool, and where these fail or now and then anyway, calls that make the type.
    Eager,
    /// One of the applicable actions, each as likely: reuse, fetch, null (spec 001 §2.4).
    Actions,
    /// The pool, but what the receiver's own sequence made is preferred with this probability (spec 004 §2.5).
    Recommended { receiver: f64 },
    /// What the walk itself holds, and literals: one sequence is made longer, call by call, until it fails (spec 001 §2.2).
    Walk,
    /// A call that yields the type, each as likely, and so on for its inputs; so deep, where only what takes no input is left. Nothing is
    /// learned from runs (spec 001 §2.2, spec 004 §5).
    TopDown { depth: u8 },
    /// A component of its own for every input, each as likely: one object never serves twice (spec 001 §2.2).
    Components,
}

/// Which stored sequence gives a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sequences {
    /// The least used and shortest of three.
    LeastUsed,
    Uniform,
    /// By relevance to the method under test, and by length (spec 004 §2.5).
    Relevant(Grades),
    /// Of some drawn evenly, the one whose value is farthest from those used last (spec 004 §5).
    Farthest,
}

/// How relevance is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grades {
    /// A field that one method writes counts in full, a field both only read counts half.
    pub by_access: bool,
    /// What a sequence with a call such as `close` keeps of its weight; 1 for no penalty.
    pub destroyers: f64,
}

impl Grades {
    /// Relevance is 0 or 1 and nothing is held against a sequence (spec 004 §2.1).
    pub const PLAIN: Grades = Grades { by_access: false, destroyers: 1.0 };
}

/// All combinations of recommended inputs, once single ones fail (spec 004 §2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Failures in a row before it.
    pub after: u32,
    /// Most combinations of one batch.
    pub cap: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Batch { after: 5, cap: 64 }
    }
}

/// Which values of a legal sequence may serve again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pruning {
    /// Those in a state that is new for their type.
    State,
    /// Those unlike every earlier value, as `equals` sees it (spec 001 §2.8).
    Equals,
    /// The same, as a static method of the user sees it: two objects in, a boolean out.
    Custom(Operation),
    /// Results, and arguments that the call changed.
    Mutation,
    /// All, if the sequence was not built before.
    Syntactic,
    /// All, even of a sequence built before.
    Off,
}

/// Calls nested in a term that is made from the top down. The sources leave it open.
const TOP_DOWN: u8 = 3;

/// Answers to all questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    pub methods: Methods,
    pub inputs: Inputs,
    pub sequences: Sequences,
    pub batch: Option<Batch>,
    pub pruning: Pruning,
    /// A sequence that broke a contract is built upon.
    pub extend_violators: bool,
    /// A sequence that threw is built upon as if it had not.
    pub extend_illegal: bool,
    /// A null that a call gave is never passed on.
    pub prune_null: bool,
    /// Numbers that calls gave may be arguments.
    pub numbers: bool,
    /// A number of larger magnitude that a call gave is never passed on.
    pub largest: Option<u64>,
    /// A text that a call gave is passed on as a literal, without the calls that led to it.
    pub literal_texts: bool,
    /// Receivers and arguments are looked at after every call, even of members that were never seen to change any.
    pub watch_all: bool,
}

impl Strategy {
    /// The best we have.
    pub fn best() -> Self {
        Strategy {
            methods: Methods::Promising,
            inputs: Inputs::Eager,
            sequences: Sequences::LeastUsed,
            batch: None,
            pruning: Pruning::State,
            extend_violators: true,
            extend_illegal: false,
            prune_null: true,
            numbers: false,
            largest: None,
            literal_texts: true,
            watch_all: false,
        }
    }

    /// Directed random testing as its author ran it (spec 001 §2.4, §2.8, §2.18). The limit on numbers is ours, as the source gives none.
    pub fn drt() -> Self {
        Strategy {
            methods: Methods::Uniform,
            inputs: Inputs::Actions,
            sequences: Sequences::Uniform,
            batch: None,
            pruning: Pruning::Equals,
            extend_violators: false,
            extend_illegal: false,
            prune_null: true,
            numbers: true,
            largest: Some(1_000_000),
            literal_texts: false,
            watch_all: true,
        }
    }

    /// Without a filter on which values and which sequences serve again.
    fn unpruned() -> Self {
        Strategy { pruning: Pruning::Off, prune_null: false, largest: None, ..Strategy::drt() }
    }

    /// The random walk that directed random testing is compared with (spec 001 §2.2, §3.4): no component set and no filter.
    pub fn random_walk() -> Self {
        Strategy { inputs: Inputs::Walk, ..Strategy::unpruned() }
    }

    /// Terms from the top down (spec 001 §2.2).
    pub fn top_down() -> Self {
        Strategy { inputs: Inputs::TopDown { depth: TOP_DOWN }, ..Strategy::unpruned() }
    }

    /// Terms from the bottom up; with `legal`, only of legal ones (spec 001 §2.2).
    pub fn bottom_up(legal: bool) -> Self {
        Strategy { inputs: Inputs::Components, extend_illegal: !legal, ..Strategy::unpruned() }
    }

    /// Directed random testing with all its filters off (spec 001 §2.2).
    pub fn drt_unpruned() -> Self {
        Strategy { extend_illegal: true, ..Strategy::unpruned() }
    }

    /// RecGen as its author ran it (spec 004 §2.3–2.6).
    pub fn recgen() -> Self {
        Strategy {
            methods: Methods::Uniform,
            inputs: Inputs::Recommended { receiver: 0.5 },
            sequences: Sequences::Relevant(Grades::PLAIN),
            batch: Some(Batch::default()),
            pruning: Pruning::State,
            extend_violators: true,
            extend_illegal: false,
            prune_null: true,
            numbers: false,
            largest: None,
            literal_texts: false,
            watch_all: true,
        }
    }

    /// What RecGen is compared with: undirected generation over the types that calls take and yield (spec 004 §5).
    pub fn undirected() -> Self {
        Strategy {
            inputs: Inputs::TopDown { depth: TOP_DOWN },
            sequences: Sequences::Uniform,
            batch: None,
            pruning: Pruning::Off,
            ..Strategy::recgen()
        }
    }

    /// What RecGen is compared with: feedback without recommendation (spec 004 §5).
    pub fn feedback() -> Self {
        Strategy { inputs: Inputs::Actions, sequences: Sequences::Uniform, batch: None, ..Strategy::recgen() }
    }

    /// What RecGen is compared with: inputs far from those used (spec 004 §5).
    pub fn adaptive() -> Self {
        Strategy { sequences: Sequences::Farthest, ..Strategy::feedback() }
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Strategy::best()
    }
}
