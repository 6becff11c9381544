//! Literals.

use probat_analysis::literals::Literals;
use probat_model::JavaString;

use crate::support::package;

fn show(literals: &Literals) -> String {
    let mut parts: Vec<String> = Vec::new();
    let times = |text: String, count: &u32| if *count == 1 { text } else { format!("{text} x{count}") };
    parts.extend(literals.ints.iter().map(|(value, count)| times(format!("{value}"), count)));
    parts.extend(literals.longs.iter().map(|(value, count)| times(format!("{value}L"), count)));
    parts.extend(
        literals.floats.iter().map(|(bits, count)| times(format!("{:?}f", f32::from_bits(*bits)), count)),
    );
    parts.extend(
        literals.doubles.iter().map(|(bits, count)| times(format!("{:?}", f64::from_bits(*bits)), count)),
    );
    parts.extend(literals.strings.iter().map(|(value, count)| times(format!("{value}"), count)));
    parts.extend(literals.classes.iter().map(|(value, count)| times(format!("{value}.class"), count)));
    parts.join(", ")
}

#[track_caller]
fn check(method: &str, expected: &str) {
    let mut loaded = package("literals");
    let class = loaded.class("literals/Literals");
    let method = loaded.method("literals/Literals", method);
    let found = loaded.world.literals(class);
    let of = found.methods.iter().find(|(id, _)| *id == method).map(|(_, literals)| literals);
    assert_eq!(of.map(show).unwrap_or_default(), expected);
}

#[test]
fn numbers_come_from_pushes_increments_and_the_pool() {
    check("numbers", "-5, 3, 1000, 70000");
    check("doubles", "2.5f, 3.14, -0.0");
    check("longs", "5L");
    check("nothing", "");
}

#[test]
fn class_constants_may_be_arrays() {
    check("types", "java.lang.String[].class");
}

#[test]
fn concatenation_recipes_give_their_text() {
    check("concat", r#""!", "n=""#);
}

#[test]
fn case_labels_count_and_hashes_of_case_strings_do_not() {
    check("choose", "1 x4, 7, 9, 5000");
    let mut loaded = package("literals");
    let class = loaded.class("literals/Literals");
    let words = loaded.method("literals/Literals", "words");
    let found = loaded.world.literals(class);
    let (_, literals) = found.methods.iter().find(|(id, _)| *id == words).unwrap();
    assert_eq!(literals.strings.len(), 2);
    assert!(literals.ints.keys().all(|key| key.abs() < 10), "{}", show(literals));
}

#[test]
fn strings_keep_lone_surrogates() {
    let mut loaded = package("literals");
    let class = loaded.class("literals/Literals");
    let total = loaded.world.literals(class).total();
    assert_eq!(total.strings.get(&JavaString::from_units(&[0xd800, 0x78])), Some(&1));
}

#[test]
fn constant_fields_and_totals_are_counted() {
    let mut loaded = package("literals");
    let class = loaded.class("literals/Literals");
    let found = loaded.world.literals(class);
    assert_eq!(show(&found.fields), r#"1099511627776L, "constant""#);
    let total = found.total();
    assert_eq!(total.ints[&1000], 1);
    assert_eq!(total.longs[&(1 << 40)], 1);
}
