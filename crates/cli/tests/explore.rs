//! `probat explore` on structures whose states and tests are known exactly (spec 000 §3.2).

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use shop::{Bed, Run, sources};

fn bed() -> Bed {
    Bed::with("explore")
}

/// Explores with the corpus on the class path; time limits are far away.
fn explore(bed: &Bed, words: &str) -> Run {
    let mut args = vec!["explore", "--classpath", "classes", "--format", "json", "--time-limit", "60m"];
    args.extend(["--time-limit-per-call", "60s"]);
    args.extend(words.split(' '));
    bed.probat(&args)
}

#[track_caller]
fn check(bed: &Bed, words: &str, states: u64, tests: u64) {
    let run = explore(bed, words);
    run.expect(0, &[]);
    let json = run.json();
    assert_eq!((&json["states"], &json["tests"]), (&states.into(), &tests.into()), "{words}");
    assert_eq!(json["complete"], true, "{words}");
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
}

/// Spec 000 row 27.
#[test]
fn search_trees_have_the_states_and_tests_of_the_formula() {
    let bed = bed();
    let five = "--methods add,remove --pool int=0..4 --bound 5 explore.BinSearchTree";
    check(&bed, &format!("{five} --workers 1"), 188, 1460);
    check(&bed, &format!("{five} --workers 2"), 188, 1460);
    check(&bed, &format!("{five} --strategy restore"), 188, 1460);
    check(&bed, "--methods add,remove --pool int=0..5 --bound 6 BinSearchTree", 731, 7188);
}

/// Spec 000 row 28.
#[test]
fn linked_lists_have_the_states_and_tests_of_the_formula() {
    let bed = bed();
    let five = "--methods add,remove,removeLast --pool int=0..4 --bound 5 explore.LinkedList";
    check(&bed, &format!("{five} --workers 2"), 3906, 8591);
    check(&bed, &format!("{five} --strategy restore"), 3906, 8591);
}

/// Spec 000 row 28, on the JDK's own class.
#[test]
fn the_jdks_tree_map_is_explored_without_its_modification_counter() {
    let bed = bed();
    for (bound, states, tests) in [(5, 72, 560), (6, 185, 2076), (7, 537, 6580)] {
        let last = bound - 1;
        let words = format!(
            "--methods put,remove --pool int=0..{last} --pool put.1=0 --bound {bound} java.util.TreeMap"
        );
        check(&bed, &words, states, tests);
        if bound == 5 {
            check(&bed, &format!("{words} --strategy restore"), states, tests);
            check(&bed, &words.replace("put,remove", "put(Object,Object),remove(Object)"), states, tests);
        }
    }
}

#[test]
fn stacks_and_heaps_have_the_states_and_tests_of_the_simulation() {
    let bed = bed();
    check(&bed, "--pool int=1..5 --bound 5 IntStack", 4836, 5766);
    check(&bed, "--pool int=1..5 --bound 5 UBStack", 656, 1950);
    check(&bed, "--pool int=1..6 --bound 6 UBStack", 3235, 13734);
    check(&bed, "--pool int=0..4 --bound 5 HeapArray", 664, 1296);
    check(&bed, "--pool int=0..4 --bound 5 HeapArray --strategy restore", 664, 1296);
    check(&bed, "--pool int=1..5 --bound 5 UBStack --strategy restore", 656, 1950);
}

#[test]
fn levels_exceptions_and_the_shortest_way_to_them_are_told() {
    let bed = bed();
    let json = explore(&bed, "--pool int=0..1 --bound 3 --methods add,removeLast LinkedList").json();
    let class = &json["classes"][0];
    assert_eq!(class["class"], "explore.LinkedList");
    let states: Vec<u64> =
        class["levels"].as_array().unwrap().iter().map(|level| level["states"].as_u64().unwrap()).collect();
    assert_eq!(states, [1, 2, 4, 8]);
    assert_eq!(class["exceptions"][0]["exception"], "java.util.NoSuchElementException");
    assert_eq!(class["exceptions"][0]["example"], "new LinkedList(); removeLast()");
    let text =
        bed.probat(&["explore", "--classpath", "classes", "--pool", "int=0..1", "--bound", "3", "UBStack"]);
    text.expect(
        0,
        &[
            "explore.UBStack: ",
            "all sequences of up to 3 calls",
            "unchanged",
            "push throws java.lang.ArrayIndexOutOfBoundsException",
        ],
    );
}

/// Spec 000 row 26: without pools and tests, from the usual values and the literals of the code.
#[test]
fn arguments_need_nobody_to_name_them() {
    let bed = bed();
    bed.compile_text(
        "a/Door.java",
        "package a; public class Door { enum Side { LEFT, RIGHT } private int state; private Side side;
         public void enter(int code) { if (code == 4711) state = 1; }
         public void turn(Side to) { side = to; } public void name(String n) { if (n.equals(\"sesame\")) state = 2; } }",
        "classes",
    );
    let json = explore(&bed, "--bound 2 a.Door").json();
    // 3 values of `state` by 3 of `side`.
    assert_eq!((&json["states"], &json["classes"][0]["closed"]), (&9.into(), &false.into()));
    let fewer = explore(&bed, "--bound 2 --no-literals a.Door").json();
    assert_eq!((&fewer["states"], &fewer["classes"][0]["closed"]), (&3.into(), &true.into()));
}

/// Spec 000 row 31.
#[test]
fn limits_leave_marked_partial_results() {
    let bed = bed();
    let run = explore(&bed, "--pool int=0..4 --bound 9 --max-states 500 LinkedList");
    run.expect(0, &[]);
    let json = run.json();
    assert_eq!(
        (&json["complete"], &json["classes"][0]["ended_by"]),
        (&false.into(), &"the state limit".into())
    );
    assert!(json["states"].as_u64().unwrap() >= 500);
    let run = explore(&bed, "--pool int=0..9 --bound 30 --memory-limit 1MB LinkedList");
    run.expect(0, &[]);
    assert_eq!(run.json()["classes"][0]["ended_by"], "the memory limit");
    let words = [
        "explore",
        "--classpath",
        "classes",
        "--pool",
        "int=0..9",
        "--bound",
        "40",
        "--time-limit",
        "2s",
        "LinkedList",
    ];
    let run = bed.probat(&words);
    run.expect(
        0,
        &["INCOMPLETE, ended by the time limit on the way to 40 calls", "to go on: a smaller --bound"],
    );
}

#[test]
fn bad_input_is_named_with_the_way_out() {
    let bed = bed();
    bed.compile_text(
        "a/Odd.java",
        "package a; public abstract class Odd { public void go() {}
         public static class Hidden { private Hidden() {} public void go() {} }
         public static class Needs { public Needs(Runnable r) {} public void go() {} }
         public static class Fails { public Fails() { throw new IllegalStateException(); } public void go() {} }
         public class Inside { public void go() {} }
         public static class Mute { } }",
        "classes",
    );
    for (words, code, said) in [
        ("a.Odd", 4, "it is abstract"),
        ("a.Odd.Inside", 4, "needs an object of the class around it"),
        (
            "a.Odd.Hidden",
            4,
            "has no constructor that can be used\n  Odd$Hidden: all constructors are private",
        ),
        ("a.Odd.Needs", 4, "no value for parameter 0 of type java.lang.Runnable"),
        ("a.Odd.Fails", 4, "new Odd.Fails() throws java.lang.IllegalStateException"),
        ("a.Odd.Mute", 4, "has no method that can be called"),
        ("explore.IntStak", 2, "did you mean explore.IntStack"),
        ("--methods push,poop IntStack", 2, "has no method `poop`; it has pop(), push(int)"),
        ("--pool long=1..3 IntStack", 2, "no parameter takes the pool `long`"),
        ("--pool push.1=3 IntStack", 2, "no parameter takes the pool `push.1`"),
        ("--pool int=x IntStack", 2, "`x` is no value of type int"),
        ("--pool int=5..1 IntStack", 2, "is an empty range"),
        ("--bound 0 IntStack", 2, "--bound"),
    ] {
        explore(&bed, words).expect(code, &[said]);
    }
    explore(&bed, "a.Odd.Needs --pool Runnable=null --bound 1").expect(0, &[]);
}

#[test]
fn the_states_are_drawn() {
    let bed = bed();
    let run = explore(&bed, "--pool int=0..1 --bound 2 --methods add,removeLast --output drawn LinkedList");
    run.expect(0, &[]);
    assert_eq!(run.json()["files"].as_array().unwrap().len(), 3);
    let dot = std::fs::read_to_string(bed.at("drawn/explore.LinkedList.dot")).unwrap();
    assert!(
        dot.contains("s0 -> s1 [label=\"add(0)\"];") && dot.contains("s1 -> s0 [label=\"removeLast()\"];"),
        "{dot}"
    );
    assert!(dot.contains("thrown by removeLast()"), "{dot}");
    let svg = std::fs::read_to_string(bed.at("drawn/explore.LinkedList.svg")).unwrap();
    assert_eq!(svg.matches("<circle").count(), 7, "{svg}");
}

/// Spec 000 rows 23, 29, 30: what is written compiles, passes, and has nothing redundant in it.
#[test]
fn the_tests_that_are_written_pass_and_none_is_redundant() {
    let Some(jar) = shop::launcher() else { return };
    let bed = bed();
    let words = "--pool int=0..2 --bound 3 --methods add,remove,contains --output out BinSearchTree";
    explore(&bed, words).expect(0, &[]);
    bed.compile_with(&sources(&bed.at("out")), "tests", &[bed.at("classes"), jar.clone()], None);
    let jar = jar.display().to_string();
    let args =
        ["reduce", "--classpath", "classes", "--tests", "tests", "--junit-jar", &jar, "--format", "json"];
    let run = bed.probat(&args);
    run.expect(0, &[]);
    let json = run.json();
    assert!(json["tests"].as_u64().unwrap() > 20, "{json}");
    assert_eq!((&json["redundant"], &json["problems"]), (&serde_json::json!([]), &serde_json::json!([])));
}

/// Spec 000 row 25.
#[test]
fn arguments_of_existing_tests_are_used() {
    let Some(jar) = shop::launcher() else { return };
    let bed = bed();
    let test = bed.at("StackTest.java");
    std::fs::write(
        &test,
        "import org.junit.jupiter.api.Test;
         class StackTest { @Test void t() { explore.IntStack s = new explore.IntStack(); s.push(4711); s.push(-3); } }",
    )
    .unwrap();
    bed.compile_with(&[test], "tests", &[bed.at("classes"), jar.clone()], None);
    let words = format!("--harvest tests --junit-jar {} --bound 1 --output out IntStack", jar.display());
    let json = explore(&bed, &words);
    json.expect(0, &[]);
    assert_eq!((&json.json()["states"], &json.json()["tests"]), (&3.into(), &3.into()));
    let source = std::fs::read_to_string(bed.at("out/explore/IntStackStatesTest.java")).unwrap();
    assert!(source.contains("push(4711)") && source.contains("push(-3)"), "{source}");
}
