//! Standard input, and floods on standard output.

use probat_model::{TaintKind, Value};

use crate::common::survive;

#[test]
fn standard_input_is_empty() {
    survive(
        |s| s.call("Streams.readIn", &[]),
        |it| {
            it.gave(&Value::Int(-1));
            it.same_worker();
        },
    );
}

#[test]
fn reading_descriptor_zero_is_intercepted() {
    survive(
        |s| s.call("Streams.readDescriptor", &[]),
        |it| {
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Stdin, "");
            it.same_worker();
        },
    );
}

#[test]
fn a_flood_on_standard_output_goes_nowhere() {
    survive(
        |s| s.call("Streams.floodOut", &[]),
        |it| {
            it.gave(&Value::Int(1));
            it.same_worker();
        },
    );
}

/// Thirteen megabytes past `System.out` reach the supervisor, which keeps a little; the protocol does not notice.
#[test]
fn a_flood_on_descriptor_one_breaks_nothing() {
    survive(
        |s| s.call("Streams.floodDescriptor", &[]),
        |it| {
            it.gave(&Value::Int(1));
            it.same_worker();
            assert!(it.stats.bytes_printed >= 200 << 16, "{}", it.stats.bytes_printed);
            assert!(it.output.len() <= 3 * (16 << 10), "{}", it.output.len());
        },
    );
}

/// The descriptors of the protocol itself are open to anybody who guesses their numbers.
#[test]
fn bytes_on_the_protocols_own_descriptor_cost_one_worker() {
    survive(
        |s| s.call("Streams.floodProtocol", &[]),
        |it| {
            let named = it.stats.deaths.iter().all(|death| {
                death.culprit.as_ref().is_none_or(|it| it.description.contains("floodProtocol"))
            });
            assert!(named, "{it:#?}");
            assert!(it.stats.quarantined.is_empty(), "{it:#?}");
        },
    );
}
