//! `probat explore` on structures whose states and tests are known exactly (spec 000 §3.2).

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::process::{Command, Stdio};

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

/// Explores with nothing but what is said.
fn explore_as_text(bed: &Bed, words: &str) -> Run {
    bed.probat(&[&["explore", "--classpath", "classes"], &words.split(' ').collect::<Vec<_>>()[..]].concat())
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

/// `auto` measures both ways on this class and goes on with the faster one; what is found is the same.
#[test]
fn the_faster_way_is_found_out_and_changes_nothing() {
    let bed = bed();
    bed.compile_text(
        "a/Costly.java",
        "package a; public class Costly { private int a, b, c;
         public Costly() { long x = 1; for (int i = 0; i < 200_000; i++) x = x * 31 + i; a = x == 0 ? 1 : 0; }
         public void set(int to) { a = to; } public void move(int by) { b = (b + by) % 97; } public void turn() { c = (c + a) % 89; } }",
        "classes",
    );
    for words in [
        "--pool int=1..7 --bound 7 UBStack",
        "--methods add,remove --pool int=0..6 --bound 7 BinSearchTree",
        "--pool int=1..6 --bound 5 a.Costly",
    ] {
        let json = |strategy: &str| {
            let run = explore(&bed, &format!("{words} --strategy {strategy}"));
            run.expect(0, &[]);
            run.json()
        };
        let (auto, rerun) = (json("auto"), json("rerun"));
        let found = |json: &serde_json::Value| {
            let class = &json["classes"][0];
            ["states", "tests", "complete", "levels", "exceptions"].map(|key| class[key].clone())
        };
        assert_eq!(found(&auto), found(&rerun), "{words}");
        assert_eq!(
            (&rerun["classes"][0]["strategy"], &rerun["classes"][0]["trials"]),
            (&"rerun".into(), &serde_json::json!([]))
        );
        let class = &auto["classes"][0];
        let trials = class["trials"].as_array().unwrap();
        assert!(!trials.is_empty(), "{words}: {class:#}");
        let mut now = "rerun";
        for trial in trials {
            let speed = |way: &str| trial[format!("{way}_tests_per_second")].as_f64().unwrap();
            let other = if now == "rerun" { "restore" } else { "rerun" };
            now = if speed(other) > 1.1 * speed(now) { other } else { now };
            assert_eq!(trial["chosen"], now, "{words}: {trial:#}");
        }
        assert_eq!(class["strategy"], now, "{words}: {class:#}");
    }
    let text = explore_as_text(&bed, "--pool int=1..7 --bound 7 UBStack");
    text.expect(0, &["states were reached by ", "tests after "]);
}

/// Where a snapshot is not the object, calls are run again: a weak reference is not kept in one.
#[test]
fn where_snapshots_differ_calls_are_run_again() {
    let bed = bed();
    bed.compile_text(
        "a/Apart.java",
        "package a; public class Apart { private static final java.util.Map<Apart, Integer> ADDED = new java.util.WeakHashMap<>();
         private int sum, last;
         public void add(int by) { ADDED.merge(this, 1, Integer::sum); sum += by; }
         public void look(int by) { last = by * ADDED.getOrDefault(this, 0); } }",
        "classes",
    );
    let words = "--pool int=1..9 --bound 4 a.Apart";
    let rerun = explore(&bed, &format!("{words} --strategy rerun")).json();
    let auto = explore(&bed, words).json();
    assert_eq!((&auto["states"], &auto["tests"]), (&rerun["states"], &rerun["tests"]));
    let class = &auto["classes"][0];
    assert_eq!(class["strategy_reason"], "calls on snapshots did something else", "{class:#}");
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
    assert_eq!(json["states"], 500);
    // The same whatever the workers, and no more than asked for even if that is little.
    let few = |more: &str| {
        let run = explore(&bed, &format!("--pool int=0..4 --bound 9 --max-states 50 {more} LinkedList"));
        let json = run.json();
        (json["states"].clone(), json["tests"].clone(), json["classes"][0]["levels"].clone())
    };
    assert_eq!(few("--workers 1"), few("--workers 2"));
    assert_eq!(few("--workers 1").0, 50);
    let run = explore(&bed, "--pool int=0..9 --bound 30 --memory-limit 1MB LinkedList");
    run.expect(0, &[]);
    let class = &run.json()["classes"][0];
    assert_eq!((&class["complete"], &class["ended_by"]), (&false.into(), &"the memory limit".into()));
    let bytes = class["states"].as_f64().unwrap() * class["bytes_per_state"].as_f64().unwrap();
    // The table of states doubles when it grows.
    assert!((5e5..4e6).contains(&bytes), "{bytes} bytes: {class}");
    let words = "--pool int=0..2 --methods add,removeLast --bound 40 --time-limit 5s LinkedList";
    let run = explore_as_text(&bed, words);
    run.expect(
        0,
        &[
            // Said long before the time is up.
            "all sequences of 40 calls take more than",
            "hint: a bound of",
            "INCOMPLETE, ended by the time limit on the way to 40 calls",
            "to go on: a smaller --bound",
        ],
    );
}

/// The time limit does not wait for thousands of slow calls that were handed out together.
#[test]
fn slow_calls_do_not_hold_limits_up() {
    let bed = bed();
    bed.compile_text(
        "a/Slow.java",
        "package a; public class Slow { int value; public void set(int to) throws Exception { Thread.sleep(200); value = to; } }",
        "classes",
    );
    let words = "--format json --pool int=1..5000 --bound 1 --time-limit 5s a.Slow";
    let run = explore_as_text(&bed, words);
    run.expect(0, &[]);
    let json = run.json();
    assert_eq!(json["classes"][0]["ended_by"], "the time limit", "{json}");
    assert!((1..4000).contains(&json["states"].as_u64().unwrap()), "{json}");
}

/// Spec 000 row 31: Ctrl-C leaves what was found, in the same forms.
#[test]
fn ctrl_c_leaves_what_was_found() {
    let bed = bed();
    let words =
        "explore --classpath classes --format json --pool int=0..4 --bound 60 --output out LinkedList";
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = bed.any_command(bed.dir.path(), &words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Two seconds of processor time are more than a JVM needs to start.
    shop::wait_until_worked(child.id(), 200);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let run = Run::of(child.wait_with_output().unwrap());
    run.expect(130, &[]);
    let json = run.json();
    let class = &json["classes"][0];
    assert_eq!((&class["complete"], &class["ended_by"]), (&false.into(), &"Ctrl-C".into()), "{json}");
    assert!(json["states"].as_u64().unwrap() > 0, "{json}");
    assert!(bed.at("out/explore.LinkedList.dot").exists() && bed.at("out/explore.LinkedList.svg").exists());
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
            "all its constructors are private\nhint: name a class that can be made with `new`",
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
