//! What the commands print: scripts run on real JVMs, checks of the machine, help.
//!
//! In: scripts. Out: the text and JSON of the real binary. Times, paths and versions are not looked at.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

#[path = "common/jvms.rs"]
#[allow(dead_code, reason = "each test binary uses a part of this")]
mod jvms;
#[path = "common/material.rs"]
#[allow(dead_code, reason = "each test binary uses a part of this")]
mod material;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect, expect_file};
use material::{Place, Said, class_returning};
use serde_json::Value;

/// Runs a script on every JVM and compares what is printed.
#[track_caller]
fn check(args: &[&str], script: &str, code: i32, expected: Expect) {
    let mut last = String::new();
    for jvm in jvms::full() {
        let place = Place::new();
        place.script(script);
        let home = jvm.home.display().to_string();
        let said = place.run(&[&["run", "--java-home", &home], args, &["s"]].concat());
        assert_eq!(said.code, code, "{}{}", said.stdout, said.stderr);
        said.is_calm();
        let shown = without_line_numbers(&said.stdout);
        assert!(last.is_empty() || last == shown, "JVMs disagree:\n{last}\n{shown}");
        last = shown;
    }
    expected.assert_eq(&last);
}

/// Every JDK has its own.
fn without_line_numbers(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let frame = line.trim_start().starts_with("at ");
        out.push_str(line.rfind(" line ").filter(|_| frame).map_or(line, |at| &line[..at]));
        out.push('\n');
    }
    out
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", said.stdout, said.stderr))
}

#[test]
fn results_and_changes_are_shown_line_by_line() {
    check(
        &[],
        r#"import java.util.*
list = new ArrayList<String>()
list.add("b"); list.add("a")
other = list
Collections.sort(list)
n = list.size()
it = other.iterator()
it.next()
it.remove()
map = new TreeMap()
map.put("k", list)
c = 'x'
d = Double.NaN
a = new int[] {1, 2, 3}
a[0] = 7
a[0]
null
"#,
        0,
        expect![[r#"
             2 | list = new ArrayList<String>()
                 = ArrayList []
             3 | list.add("b")
                 = true
                 ~ list changed
                       ArrayList (1 element)
                       + [0]: "b"
             3 | list.add("a")
                 = true
                 ~ list changed
                       ArrayList (2 elements)
                         … 1 unchanged
                       + [1]: "a"
             4 | other = list
                 = java.util.ArrayList
             5 | Collections.sort(list)
                 ~ list changed
                       ArrayList (2 elements)
                       ~ [0]: "b" → "a"
                       ~ [1]: "a" → "b"
             6 | n = list.size()
                 = 2
             7 | it = other.iterator()
                 = java.util.ArrayList$Itr
                 ~ it is
                     ArrayList.Itr
                       cursor: 0
                       expectedModCount: 3
                       lastRet: -1
                       this$0: ArrayList ["a", "b"]
             8 | it.next()
                 = "a"
                 ~ it changed
                       ArrayList.Itr
                       ~ cursor: 0 → 1
                         expectedModCount: 3
                       ~ lastRet: -1 → 0
                         this$0: ArrayList ["a", "b"]
             9 | it.remove()
                 ~ list changed
                       ArrayList (1 element)
                       ~ [0]: "a" → "b"
                       - [1]: "b"
                 ~ it changed
                       ArrayList.Itr
                       ~ cursor: 1 → 0
                       ~ expectedModCount: 3 → 4
                       ~ lastRet: 0 → -1
                         this$0: ArrayList (1 element)
                         ~ [0]: "a" → "b"
                         - [1]: "b"
            10 | map = new TreeMap()
                 = TreeMap {}
            11 | map.put("k", list)
                 = null
                 ~ map changed
                       TreeMap (1 entry)
                       + ["k"]: ArrayList ["b"]
            12 | c = 'x'
                 = 'x'
            13 | d = Double.NaN
                 = NaN
            14 | a = new int[] {1, 2, 3}
                 = int[] [1, 2, 3]
            15 | a[0] = 7
                 ~ a changed
                       int[] (3 elements)
                       ~ [0]: 1 → 7
                         … 2 unchanged
            16 | a[0]
                 = 7
            17 | null
                 = null

            all 17 lines ran
        "#]],
    );
}

#[test]
fn an_exception_ends_the_script() {
    check(
        &["--states", "none"],
        r#"n = Integer.parseInt("5")
Integer.parseInt("x")
Integer.parseInt("6")
"#,
        3,
        expect![[r#"
            1 | n = Integer.parseInt("5")
                = 5
            2 | Integer.parseInt("x")
                ! threw java.lang.NumberFormatException: For input string: "x"
                    at java.lang.NumberFormatException.forInputString
                    at java.lang.Integer.parseInt
                    at java.lang.Integer.parseInt

            ended by the exception in line 2; 1 line was not run
        "#]],
    );
}

#[test]
fn past_exceptions_the_rest_runs_too() {
    check(
        &["--states", "none", "--past-exceptions"],
        r#"a = Integer.valueOf("x")
b = Integer.valueOf("6")
a.intValue()
b.intValue()
"#,
        3,
        expect![[r#"
            1 | a = Integer.valueOf("x")
                ! threw java.lang.NumberFormatException: For input string: "x"
                    at java.lang.NumberFormatException.forInputString
                    at java.lang.Integer.parseInt
                    at java.lang.Integer.valueOf
            2 | b = Integer.valueOf("6")
                = java.lang.Integer
            3 | a.intValue()
                ! not run: `a` has no value, because the line that makes it failed
            4 | b.intValue()
                = 6

            all 4 lines were tried, 2 failed
        "#]],
    );
}

#[test]
fn only_the_last_state_if_wanted() {
    check(
        &["--states", "last"],
        r#"list = new java.util.ArrayList()
list.add(1)
list.add(2)
"#,
        0,
        expect![[r#"
            1 | list = new java.util.ArrayList()
                = java.util.ArrayList
            2 | list.add(1)
                = true
            3 | list.add(2)
                = true
                ~ list is ArrayList [1, 2]

            all 3 lines ran
        "#]],
    );
}

#[test]
fn lambdas_and_stubs_run() {
    check(
        &["--states", "none"],
        r#"import java.util.*
import java.util.function.*
kept = "kept"
((Supplier) () -> 5).get()
((Function) x -> x).apply("same")
((Function) x -> kept).apply(1)
((BiFunction) (a, b) -> b).apply(1, 2)
((ToIntFunction) x -> 7).applyAsInt("")
l = stub List { size: 3, get: "x", isEmpty: true }
l.size()
l.get(0)
l.isEmpty()
n = stub Number { longValue: 4 }
n.longValue()
n.byteValue()
((Runnable) () -> { }).run()
((Callable) () -> { throw new IllegalStateException() }).call()
import java.util.concurrent.Callable
"#,
        3,
        expect![[r#"
             3 | kept = "kept"
                 = "kept"
             4 | ((Supplier) () -> 5).get()
                 = java.lang.Integer
             5 | ((Function) x -> x).apply("same")
                 = "same"
             6 | ((Function) x -> kept).apply(1)
                 = "kept"
             7 | ((BiFunction) (a, b) -> b).apply(1, 2)
                 = java.lang.Integer
             8 | ((ToIntFunction) x -> 7).applyAsInt("")
                 = 7
             9 | l = stub List { size: 3, get: "x", isEmpty: true }
                 = probat.stub.Probat$Stub530e3ad316b7cf43
            10 | l.size()
                 = 3
            11 | l.get(0)
                 = "x"
            12 | l.isEmpty()
                 = true
            13 | n = stub Number { longValue: 4 }
                 = probat.stub.Probat$Stubffca27483b8af14e
            14 | n.longValue()
                 = 4L
            15 | n.byteValue()
                 = 0
            16 | ((Runnable) () -> { }).run()
            17 | ((Callable) () -> { throw new IllegalStateException() }).call()
                 ! threw java.lang.IllegalStateException
                     at probat.stub.Probat$Stub8a65e22958e621ac.call

            ended by the exception in line 17
        "#]],
    );
}

#[test]
fn a_call_that_takes_too_long_is_stopped() {
    check(
        &["--states", "none", "--time-limit-per-call", "200ms"],
        r#"import java.util.stream.*
one = Math.max(0, 1)
Stream.generate(() -> 1).count()
two = 2
"#,
        3,
        expect![[r#"
            2 | one = Math.max(0, 1)
                = 1
            3 | Stream.generate(() -> 1).count()
                ! stopped: it took longer than the limit for one call

            ended by the time limit in line 3; 1 line was not run
        "#]],
    );
}

#[test]
fn contracts_and_taints_are_told() {
    check(
        &["--states", "none", "--past-exceptions"],
        r#"o = stub java.util.AbstractMap { toString: null }
System.setProperty("probat.test", "1")
System.exit(3)
Math.max(1, 2)
"#,
        3,
        expect![[r#"
            1 | o = stub java.util.AbstractMap { toString: null }
                = probat.stub.Probat$Stubd93519fb7b965630
            2 | System.setProperty("probat.test", "1")
                = null
            3 | System.exit(3)
                ! threw java.lang.SecurityException: ending the JVM is not allowed here
                    at java.lang.Runtime.exit
                    at java.lang.System.exit
            4 | Math.max(1, 2)
                = 2

            stopped: line 3 tried what no test should do: Exit (ending the JVM)
            put back afterwards: SystemProperties
            all 4 lines were tried, 1 failed
        "#]],
    );
}

#[test]
fn private_members_are_used_and_reported() {
    let place = Place::new();
    place.script("l = new java.util.LinkedList()\nl.size = 5\nl.size()\n");
    let said = place.run(&["run", "--states", "none", "--no-contracts", "s"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert!(
        said.stderr.contains("field `size` of `java.util.LinkedList` is package-private"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("= 5"), "{}", said.stdout);
}

#[test]
fn a_script_comes_from_standard_input_too() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_probat"))
        .args(["run", "-"])
        .env("JAVA_HOME", &jvms::newest().home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"Math.max(3, 4)").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("= 4"));
}

#[test]
fn edges_are_credited_to_the_line_that_took_them_first() {
    let place = Place::new();
    place.write("classes/shop/Cart.class", &class_returning("shop/Cart", 5, None));
    place.script("shop.Cart.total()\nshop.Cart.total()\n");
    let said = place.run(&["run", "--edges", "--classpath", "classes", "--format", "json", "s"]);
    let report = json(&said);
    assert_eq!(report["lines"][0]["edges"][0]["edge"], "total: entry");
    assert_eq!(report["lines"][1]["edges"].as_array().unwrap().len(), 0);
    assert_eq!(report["coverage"]["taken"], 1);
    assert_eq!(report["coverage"]["edges"], 1);
}

#[test]
fn the_code_of_the_jdk_can_be_watched() {
    let place = Place::new();
    place.script("l = new java.util.ArrayList()\nl.add(1)\nl.isEmpty()\n");
    let report = json(&place.run(&["run", "--edges", "--format", "json", "s"]));
    for line in report["lines"].as_array().unwrap() {
        assert!(!line["edges"].as_array().unwrap().is_empty(), "{line}");
    }
}

#[test]
fn what_the_code_printed_is_shown_on_request() {
    let place = Place::new();
    place.script("System.out.println(\"hello from below\")\n");
    let said = place.run(&["run", "--show-output", "s"]);
    // The script itself is shown, too; what was printed stands on a line of its own.
    assert!(said.stdout.lines().any(|line| line.trim() == "hello from below"), "{}", said.stdout);
    assert!(!place.run(&["run", "s"]).stdout.lines().any(|line| line.trim() == "hello from below"));
}

/// Every key a report has must be explained.
#[test]
fn the_reference_explains_every_key() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/json.md");
    let page = std::fs::read_to_string(page).unwrap();
    let place = Place::new();
    place.write("classes/shop/Cart.class", &class_returning("shop/Cart", 5, None));
    place.script("shop.Cart.total()\nl = new java.util.ArrayList()\nl.add(\"x\")\nl.toArray()\nSystem.exit(1)\nl.get(7)\n");
    let args =
        ["--edges", "--show-output", "--past-exceptions", "--classpath", "classes", "--format", "json"];
    let mut keys = BTreeSet::new();
    collect_keys(&json(&place.run(&[&["run"], &args[..], &["s"]].concat())), &mut keys);
    collect_keys(&json(&place.run(&["doctor", "--format", "json"])), &mut keys);
    let bench = ["bench", "exec", "--format", "json", "--rounds", "1", "--time-each", "50ms"];
    let measured = json(&place.run(&bench));
    for speed in
        ["java_loop", "raw_jni", "pipeline", "pipeline_observed", "pipeline_two_workers", "reflection"]
    {
        assert!(measured[speed].as_f64().unwrap() > 0.0, "{measured}");
    }
    collect_keys(&measured, &mut keys);
    let missing: Vec<&String> = keys.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/reference/json.md does not explain {missing:?}");
}

fn collect_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                keys.insert(key.clone());
                collect_keys(value, keys);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| collect_keys(value, keys)),
        _ => {}
    }
}

#[test]
fn doctor_names_the_jvm_and_what_is_in_force() {
    let place = Place::new();
    let said = place.run(&["doctor", "--format", "json"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let report = json(&said);
    let chosen = report["jvms"].as_array().unwrap().iter().find(|jvm| jvm["chosen"] == true).unwrap();
    assert_eq!(chosen["home"], jvms::newest().home.display().to_string());
    let names: Vec<&str> =
        report["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    for name in
        ["jvm", "compiler", "worker", "landlock", "seccomp", "guards", "limits", "temporary files", "maven"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn ctrl_c_ends_a_run_and_says_so() {
    let place = Place::new();
    place.script("import java.util.stream.*\nStream.generate(() -> 1).count()\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_probat"))
        .args(["run", "--time-limit-per-call", "10m", "--show-output", "s"])
        .env("JAVA_HOME", &jvms::newest().home)
        .current_dir(place.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_running(child.id());
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait().map(|status| status.code());
    assert_eq!(output.unwrap(), Some(130));
}

/// Waits until the process has a worker that uses CPU time: its script runs.
fn wait_until_running(pid: u32) {
    let children = format!("/proc/{pid}/task/{pid}/children");
    loop {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let mut workers = Vec::new();
        for thread in threads {
            let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            workers.extend(list.split_whitespace().map(str::to_owned));
        }
        let ticks = |worker: &String| -> u64 {
            let stat = std::fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
            let after = stat.rsplit(')').next().unwrap_or_default();
            after.split_whitespace().nth(11).and_then(|user| user.parse().ok()).unwrap_or(0)
        };
        // Far more than a JVM needs to start.
        if workers.iter().map(ticks).sum::<u64>() > 400 {
            return;
        }
        assert!(std::path::Path::new(&children).exists(), "it ended by itself");
        std::thread::yield_now();
    }
}

#[test]
fn help_teaches() {
    let place = Place::new();
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/help");
    for (page, args) in [
        ("run", &["run", "--help"][..]),
        ("doctor", &["doctor", "--help"]),
        ("bench-exec", &["bench", "exec", "--help"]),
    ] {
        let said = place.run_with(args, |command| {
            command.env("COLUMNS", "100");
        });
        assert_eq!(said.code, 0);
        expect_file![format!("{pages}/{page}.txt")].assert_eq(&said.stdout);
    }
    assert!(place.run(&["--version"]).stdout.starts_with("probat "));
}

/// The guide's scripts are run, so that they stay true.
#[test]
fn the_scripts_of_the_guide_run() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/scripts.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut scripts = 0;
    for block in page.split("```java\n").skip(1) {
        let script = block.split("```").next().unwrap();
        let place = Place::new();
        place.script(script);
        let said = place.run(&["run", "s"]);
        assert_eq!(said.code, 0, "{script}\n{}{}", said.stdout, said.stderr);
        scripts += 1;
    }
    assert!(scripts >= 5, "{scripts}");
}
