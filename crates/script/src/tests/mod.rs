//! Scripts in, sequences and messages out: what the tests of meaning and of mistakes share.

mod meaning;
mod mistakes;
mod written;

use std::fmt::Write;

use expect_test::Expect;
use probat_model::{Operation, StubBehaviour};

use crate::fake::Fake;
use crate::{Script, read};

/// The steps as text, one per line, or the messages.
fn render(text: &str) -> String {
    match read(text, &Fake::new()) {
        Ok(script) => show(&script, text),
        Err(problems) => problems.iter().map(|problem| problem.render("s", text)).collect(),
    }
}

fn show(script: &Script, text: &str) -> String {
    let mut out = String::new();
    for (at, step) in script.sequence.steps().iter().enumerate() {
        let args: Vec<String> = step.args.iter().map(|arg| arg.0.to_string()).collect();
        let name = script.names[at].as_ref().map_or(String::new(), |name| format!(" as {name}"));
        let shown = operation(script.table.get(step.operation));
        let _ = writeln!(out, "{at}{name}: {shown} [{}]", args.join(" "));
    }
    for note in &script.notes {
        out.push_str(&note.render("s", text));
    }
    out
}

fn operation(operation: &Operation) -> String {
    match operation {
        Operation::Literal(literal) => format!("literal {literal:?}"),
        Operation::Construct { class, descriptor } => format!("new {class}{}", descriptor.descriptor()),
        Operation::CallStatic { class, name, descriptor, interface } => {
            format!(
                "static {class}.{name}{}{}",
                descriptor.descriptor(),
                if *interface { " interface" } else { "" }
            )
        }
        Operation::Call { class, name, descriptor, interface } => {
            format!(
                "call {class}.{name}{}{}",
                descriptor.descriptor(),
                if *interface { " interface" } else { "" }
            )
        }
        Operation::GetStatic { class, name, ty } => format!("getstatic {class}.{name} {ty}"),
        Operation::PutStatic { class, name, ty } => format!("putstatic {class}.{name} {ty}"),
        Operation::GetField { class, name, ty } => format!("getfield {class}.{name} {ty}"),
        Operation::PutField { class, name, ty } => format!("putfield {class}.{name} {ty}"),
        Operation::NewArray { element } => format!("newarray {element}"),
        Operation::ArrayOf { element, length } => format!("arrayof {element} {length}"),
        Operation::ArrayGet { element } => format!("arrayget {element}"),
        Operation::ArraySet { element } => format!("arrayset {element}"),
        Operation::ArrayLength => "arraylength".into(),
        Operation::Cast { to } => format!("cast {to}"),
        Operation::Convert { from, to } => format!("convert {from} {to}"),
        Operation::Stub(spec) => {
            let constructor = spec.constructor.as_ref().map_or(String::new(), |c| c.descriptor());
            let mut out = format!("stub {}{constructor}", spec.of);
            for method in &spec.methods {
                let shown = match &method.behaviour {
                    StubBehaviour::Constant(literal) => format!("{literal:?}"),
                    other => format!("{other:?}"),
                };
                let _ = write!(out, " {}{}={shown}", method.name, method.descriptor.descriptor());
            }
            out
        }
        Operation::Restore(_) => "restore".into(),
    }
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&render(text));
}

#[test]
fn lines_know_their_steps_and_results() {
    let text = "a = \"x\".length()\nb = a\nString.valueOf(b)\n";
    let script = read(text, &Fake::new()).unwrap();
    let lines: Vec<_> =
        script.lines.iter().map(|line| (line.span.of(text), line.steps.clone(), line.result)).collect();
    let step = |at| Some(probat_model::StepId(at));
    assert_eq!(
        lines,
        [
            ("a = \"x\".length()", 0..2, step(1)),
            ("b = a", 2..2, step(1)),
            ("String.valueOf(b)", 2..3, step(2))
        ]
    );
    assert_eq!(script.lines[1].name.as_deref(), Some("b"));
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let text = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(render(&text).contains("levels of nesting"));
    let text = format!("x = {}1", "(int) ".repeat(5000));
    assert!(render(&text).contains("levels of nesting"));
}

#[test]
fn a_sequence_that_grows_too_long_is_an_error() {
    let text = "\"x\".length()\n".repeat(40_000);
    assert!(render(&text).contains("at most 65535 steps"));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_us_panic(text in "[a-z(){}\\[\\].,;:=<>\\-\"'0-9 \n\\\\u#/*?é]{0,80}") {
        render(&text);
    }

    #[test]
    fn no_order_of_words_makes_us_panic(words in proptest::collection::vec(proptest::sample::select(vec![
        "new ", "int", "[", "]", "(", ")", "{", "}", "stub ", "List", "->", "x", "=", ".", ",", "1", "\"s\"",
        "import ", "java.util.*", "\n", "null", "throw ", "return ", "String", "<", ">", "class", "length", "::", "-",
    ]), 0..24)) {
        render(&words.concat());
    }
}
