//! `probat generate` on what cannot be used: each case names the thing and the way out, with the exit code it is documented to have,
//! and nothing of the user's is touched.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use shop::{Bed, files};

const FAST: [&str; 5] = ["--unverified", "--step-limit", "3000", "--output", "out"];

fn with<'a>(args: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(FAST).collect()
}

#[test]
fn nothing_named_shows_examples() {
    let bed = Bed::empty();
    bed.generate(&[]).expect(2, &["nothing was named to test", "probat generate app.jar"]);
    bed.generate(&["--classpath", "."]).expect(2, &["not which of them to test", "com.acme.*"]);
}

#[test]
fn no_class_matches_and_near_ones_are_shown() {
    let bed = Bed::with_shop();
    bed.generate(&with(&["classes", "Crat"]))
        .expect(4, &["no class matches `Crat`", "did you mean `shop.Cart`"]);
    bed.generate(&with(&["classes", "sohp.*"])).expect(4, &["did you mean `shop.*`?"]);
    bed.generate(&with(&["classes", "--exclude", "shop.*"])).expect(4, &["`shop.*` leaves every class out"]);
}

#[test]
fn a_method_nobody_has_is_named_with_near_ones() {
    let bed = Bed::with_shop();
    bed.generate(&with(&["classes", "Cart", "--method", "Cart.ad"]))
        .expect(2, &["no class under test has a method", "`add`"]);
}

#[test]
fn an_exception_that_is_nowhere_is_named() {
    let bed = Bed::with_shop();
    bed.generate(&with(&["classes", "Cart", "--error-exception", "java.lang.IllegalStateExeption"]))
        .expect(2, &["there is no class `java.lang.IllegalStateExeption`", "--error-exception"]);
}

/// That nothing is broken is a good end.
#[test]
fn errors_only_without_errors_is_fine() {
    let bed = Bed::empty();
    bed.compile_text(
        "a/Fine.java",
        "package a; public class Fine { public static int two() { return 2; } }",
        "classes",
    );
    bed.generate(&with(&["classes", "--errors-only"])).expect(0, &["No failing tests: nothing broke a rule"]);
}

#[test]
fn a_slip_in_a_path_is_answered() {
    let bed = Bed::with_shop();
    bed.generate(&with(&["./clases"])).expect(2, &["`./clases` does not exist", "./classes"]);
    bed.generate(&with(&["classes", "--classpath", "libs/none.jar"]))
        .expect(2, &["libs/none.jar", "--classpath"]);
}

#[test]
fn nothing_callable_says_why() {
    let bed = Bed::empty();
    bed.compile_text(
        "a/Closed.java",
        "package a; class Closed { private Closed() {} private static int f() { return 1; } }",
        "classes",
    );
    bed.generate(&with(&["classes"])).expect(4, &["nothing can be tested", "a.Closed"]);
}

#[test]
fn what_is_no_jar_is_named() {
    let bed = Bed::empty();
    fs::write(bed.at("app.jar"), "this is no jar").unwrap();
    bed.generate(&with(&["app.jar"])).expect(2, &["app.jar"]);
    fs::write(bed.at("A.java"), "class A {}").unwrap();
    bed.generate(&with(&["A.java"])).expect(2, &["Java source", "compile it"]);
    fs::create_dir(bed.at("empty")).unwrap();
    bed.generate(&with(&["empty"])).expect(2, &["no classes below `empty`"]);
    // A zip file of nothing.
    fs::write(bed.at("none.jar"), [&b"PK\x05\x06"[..], &[0; 18]].concat()).unwrap();
    bed.generate(&with(&["none.jar"])).expect(4, &["there are no classes to test", "is it built?"]);
}

#[test]
fn a_budget_of_zero_is_refused() {
    let bed = Bed::with_shop();
    bed.generate(&["classes", "--time-limit", "0s"]).expect(2, &["0s", "between"]);
    bed.generate(&["classes", "--step-limit", "0"]).expect(2, &["--step-limit"]);
    bed.generate(&["classes", "--time-limit", "10"]).expect(2, &["unit"]);
}

#[test]
fn a_missing_dependency_is_named_with_what_it_costs() {
    let bed = Bed::empty();
    bed.compile_text("lib/Base.java", "package lib; public class Base { }", "base");
    let source = bed.at("sources/app/App.java");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, "package app; public class App extends lib.Base { public int one() { return 1; } }")
        .unwrap();
    bed.compile_with(&[source], "classes", &[bed.at("base")], Some("11"));
    bed.compile_text(
        "app/Fine.java",
        "package app; public class Fine { public int two() { return 2; } }",
        "classes",
    );
    let run = bed.generate(&with(&["classes"]));
    run.expect(0, &["`lib.Base` is not on the class path", "app.App", "--classpath"]);
    assert!(bed.at("out/app/FineProbatTest.java").exists(), "the rest goes on: {}", run.err);
}

#[test]
fn a_class_that_kills_every_worker_is_reported_and_the_rest_go_on() {
    let bed = Bed::empty();
    bed.compile_text(
        "a/Ends.java",
        "package a; public class Ends { static { if (true) Runtime.getRuntime().halt(3); } public static int f() { return 1; } }",
        "classes",
    );
    bed.compile_text(
        "a/Fine.java",
        "package a; public class Fine { public static int two() { return 2; } }",
        "classes",
    );
    let run = bed.generate(&with(&["classes"]));
    assert!([0, 3].contains(&run.code), "{}\n{}", run.out, run.err);
    assert!(bed.at("out/a/FineProbatTest.java").exists(), "{}\n{}", run.out, run.err);
    assert!(run.out.contains("a.Ends"), "{}\n{}", run.out, run.err);
}

#[test]
fn a_class_whose_initialiser_throws_is_reported_and_the_rest_go_on() {
    let bed = Bed::empty();
    bed.compile_text(
        "a/Broken.java",
        "package a; public class Broken { static int n = Integer.parseInt(\"none\"); public static int f() { return n; } }",
        "classes",
    );
    bed.compile_text(
        "a/Fine.java",
        "package a; public class Fine { public static int two() { return 2; } }",
        "classes",
    );
    let run = bed.generate(&with(&["classes"]));
    run.expect(0, &["a.Broken.f()", "a static initialiser", "java.lang.NumberFormatException"]);
    assert!(bed.at("out/a/FineProbatTest.java").exists(), "{}\n{}", run.out, run.err);
}

#[test]
fn a_damaged_class_is_named_before_the_search_and_the_rest_go_on() {
    let bed = Bed::empty();
    for name in ["Cut", "Fine"] {
        let text = format!("package a; public class {name} {{ public static int two() {{ return 2; }} }}");
        bed.compile_text(&format!("a/{name}.java"), &text, "classes");
    }
    let cut = bed.at("classes/a/Cut.class");
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let run = bed.generate(&with(&["classes"]));
    run.expect(0, &["class `a.Cut` in", "is damaged", "build or download them again"]);
    assert!(bed.at("out/a/FineProbatTest.java").exists(), "{}\n{}", run.out, run.err);
}

#[test]
fn files_of_the_user_are_never_overwritten() {
    let bed = Bed::with_shop();
    let mine = bed.at("out/shop/CurrencyProbatTest.java");
    fs::create_dir_all(mine.parent().unwrap()).unwrap();
    fs::write(&mine, "my own test\n").unwrap();
    bed.generate(&with(&["classes", "Currency"])).expect(0, &["CurrencyProbatTest.java.new", "is not ours"]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "my own test\n");
    assert!(files(&bed.at("out")).contains_key("shop/CurrencyProbatTest.java.new"));
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let bed = Bed::with_shop();
    fs::write(bed.at("out"), "a file").unwrap();
    let run = bed.generate(&with(&["classes", "Currency"]));
    run.expect(5, &["cannot write", "`out` is a file", "--output"]);
    assert!(!run.err.contains("testing:"), "before the search: {}", run.err);
    assert_eq!(fs::read_to_string(bed.at("out")).unwrap(), "a file");
    // Nobody may make files there, whoever one is.
    let run = bed.generate(&[
        "classes",
        "Currency",
        "--unverified",
        "--step-limit",
        "3000",
        "--output",
        "/proc/probat",
    ]);
    run.expect(5, &["cannot write to `/proc`", "--output"]);
    assert!(!run.err.contains("testing:"), "before the search: {}", run.err);
}

#[test]
fn without_a_compiler_it_is_said_before_the_search() {
    let bed = Bed::with_shop();
    // A Java home that has everything but the compiler.
    let home = bed.at("jre");
    fs::create_dir_all(home.join("bin")).unwrap();
    for name in ["lib", "release", "conf", "jmods"] {
        if bed.jdk.home.join(name).exists() {
            std::os::unix::fs::symlink(bed.jdk.home.join(name), home.join(name)).unwrap();
        }
    }
    let java = home.join("bin/java");
    fs::write(&java, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).unwrap();
    let home = home.display().to_string();
    let run = bed.generate(&["classes", "--java-home", &home, "--step-limit", "3000"]);
    run.expect(5, &["has no compiler", "--unverified"]);
    assert!(!run.err.contains("testing:"), "{}", run.err);
    bed.generate(&with(&["classes", "Currency", "--java-home", &home])).expect(0, &["NOT compiled or run"]);
}

#[test]
fn being_offline_is_said_before_the_search() {
    let bed = Bed::with_shop();
    let bin = bed.at("bin");
    fs::create_dir(&bin).unwrap();
    let mvn = bin.join("mvn");
    fs::write(
        &mvn,
        "#!/bin/sh\nprintf '\\033[0m[ERROR] Cannot access central in offline mode -> [Help 1]'\nexit 1\n",
    )
    .unwrap();
    fs::set_permissions(&mvn, fs::Permissions::from_mode(0o755)).unwrap();
    let run = bed
        .command(bed.dir.path(), &["classes", "--step-limit", "3000"])
        .env("HOME", bed.dir.path())
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(5), "{err}");
    for text in ["there is no JUnit", "offline", "--junit-jar", "--unverified"] {
        assert!(err.contains(text), "{text}: {err}");
    }
    assert!(!err.contains("testing:"), "{err}");
}

#[test]
fn a_class_for_a_newer_java_is_named() {
    let bed = Bed::with_shop();
    // The version is in bytes 6 and 7; 44 + 99 is no Java of ours.
    let path = bed.at("classes/shop/Currency.class");
    let mut bytes = fs::read(&path).unwrap();
    bytes[7] = 143;
    fs::write(&path, bytes).unwrap();
    bed.generate(&with(&["classes"])).expect(2, &["shop.Currency", "compiled for Java 99", "--java-home"]);
}

#[test]
fn a_project_and_a_jar_at_once_are_refused() {
    let bed = Bed::with_shop();
    fs::create_dir(bed.at("p")).unwrap();
    fs::write(bed.at("p/pom.xml"), "<project/>").unwrap();
    bed.generate(&with(&["p", "classes"])).expect(2, &["at once"]);
    bed.generate(&with(&["org.x:y"])).expect(2, &["lacks a version"]);
}
