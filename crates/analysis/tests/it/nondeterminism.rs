//! What differs from run to run.

use probat_analysis::callgraph::CallGraphOptions;
use probat_analysis::nondeterminism::{Influence, Nondeterminism};

use crate::support::package;

#[test]
fn influences_are_found_through_calls() {
    let mut loaded = package("nondeterminism");
    let graph = loaded.graph(CallGraphOptions::default());
    let found = Nondeterminism::analyse(&loaded.world, &graph, 16);
    let cases: [(&str, &[Influence]); 12] = [
        ("now", &[Influence::Time]),
        ("later", &[Influence::Time]),
        ("muchLater", &[Influence::Time]),
        ("today", &[Influence::Time]),
        ("given", &[]),
        ("dice", &[Influence::Random]),
        ("seeded", &[]),
        ("identity", &[Influence::IdentityHash]),
        ("home", &[Influence::Environment]),
        ("thread", &[Influence::Threads]),
        ("plain", &[]),
        ("mixed", &[Influence::Time, Influence::Random]),
    ];
    for (name, expected) in cases {
        let method = loaded.method("nondeterminism/Outcomes", name);
        let kinds: Vec<_> = found.of(method).iter().map(|reached| reached.influence).collect();
        assert_eq!(kinds, expected, "{name}");
    }
}

#[test]
fn the_chain_of_calls_names_the_culprit() {
    let mut loaded = package("nondeterminism");
    let graph = loaded.graph(CallGraphOptions::default());
    let found = Nondeterminism::analyse(&loaded.world, &graph, 16);
    let method = loaded.method("nondeterminism/Outcomes", "muchLater");
    assert_eq!(
        loaded.method_names(found.chain(method, Influence::Time)),
        [
            "nondeterminism.Outcomes.muchLater()",
            "nondeterminism.Outcomes.later()",
            "nondeterminism.Outcomes.now()",
            "java.lang.System.currentTimeMillis()",
        ]
    );
}

#[test]
fn calls_beyond_the_depth_are_not_followed() {
    let mut loaded = package("nondeterminism");
    let graph = loaded.graph(CallGraphOptions::default());
    let found = Nondeterminism::analyse(&loaded.world, &graph, 2);
    let later = loaded.method("nondeterminism/Outcomes", "later");
    let much_later = loaded.method("nondeterminism/Outcomes", "muchLater");
    assert_eq!((found.of(later).len(), found.of(much_later).len()), (1, 0));
    assert_eq!(found.of(later)[0].distance, 2);
}
