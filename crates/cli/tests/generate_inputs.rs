//! What a user gives `probat generate` besides classes, and what it lists of them: the real binary on `tests/corpus/inputs`.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;
use shop::{Bed, Run, launcher, sources};

fn inputs() -> Bed {
    Bed::with("inputs")
}

fn generate(bed: &Bed, class: &str, output: &str, more: &[&str]) -> Run {
    let fixed =
        ["classes", class, "--seed", "1", "--step-limit", "10000", "--workers", "1", "--format", "json"];
    let output = ["--output", output, "--unverified"];
    bed.generate(&fixed.iter().chain(&output).chain(more).copied().collect::<Vec<_>>())
}

const SECRET: &str = "import vault.*
vault = new Vault()
vault.turn(\"2rix\")
vault.turn(\"3op8\")
vault.turn(\"4lvj\")
";

/// spec 004 row R18: what a script makes serves as an argument, from a file and from a folder.
#[test]
fn sequences_of_the_user_give_the_search_what_it_would_not_find() {
    let bed = inputs();
    // Comparisons would tell the words one by one.
    let blind = ["--without", "comparisons,mined-literals"];
    let covered = |run: &Run| {
        let report = run.json();
        let all = report["classes"].as_array().unwrap().to_owned();
        let class = all.iter().find(|class| class["class"] == "vault.Vault").unwrap().clone();
        class["branches_covered"].as_u64().unwrap()
    };
    let without = generate(&bed, "vault.Vault", "without", &blind);
    fs::create_dir(bed.at("seeds")).unwrap();
    fs::write(bed.at("seeds/open.txt"), SECRET).unwrap();
    fs::write(bed.at("seeds/throws.txt"), "new vault.Vault().turn(Integer.toString(1).substring(9))")
        .unwrap();
    for place in ["seeds", "seeds/open.txt"] {
        let words = [&blind[..], &["--seed-sequences", place]].concat();
        let with = generate(&bed, "vault.Vault", "with", &words);
        assert!(covered(&with) > covered(&without), "{}\n{}", with.out, without.out);
        let report = with.json();
        assert_eq!(report["seeds"][0]["file"], "seeds/open.txt");
        assert!(report["seeds"][0]["values"].as_u64().unwrap() > 0);
        let text: String =
            sources(&bed.at("with")).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        assert!(
            text.contains("turn(\"4lvj\")") && text.contains("assertEquals(1, Vault.weigh(vault))"),
            "{text}"
        );
        if place == "seeds" {
            assert_eq!(report["seeds"][1]["values"], 0);
            assert!(with.err.contains("`seeds/throws.txt` is of no use as a seed: step"), "{}", with.err);
        }
    }
    fs::write(bed.at("wrong.txt"), "new vault.Vault().turm(\"x\")").unwrap();
    generate(&bed, "vault.Vault", "out", &["--seed-sequences", "wrong.txt"])
        .expect(2, &["wrong.txt", "turm", "1 error in `wrong.txt`"]);
    generate(&bed, "vault.Vault", "out", &["--seed-sequences", "none.txt"])
        .expect(2, &["cannot read `none.txt`"]);
}

/// Public members as `javap` shows them: names with parameter types.
fn javap(bed: &Bed, class: &str) -> BTreeSet<String> {
    let run = Command::new(bed.jdk.home.join("bin/javap"))
        .args(["-public", "-cp"])
        .arg(bed.at("classes"))
        .arg(class)
        .output()
        .unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let members = text.lines().filter(|line| line.starts_with("  public") && line.ends_with(';'));
    members
        .map(|line| {
            let line = line.trim().trim_end_matches(';').replace("...", "[]");
            let (head, rest) = line.split_once('(').unwrap_or((&line, ""));
            let name = head.rsplit(' ').next().unwrap();
            let is_field = !line.contains('(');
            if is_field { name.to_owned() } else { format!("{name}({}", rest.replace(", ", ",")) }
        })
        .collect()
}

/// spec 001 row 2
#[test]
fn the_listing_is_what_javap_shows_and_the_literals() {
    let bed = inputs();
    let list = |more: &[&str]| {
        let fixed = ["classes", "poly.*", "--list", "--format", "json"];
        bed.generate(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let run = list(&["--public-only"]);
    run.expect(0, &[]);
    let listing = run.json();
    let classes = listing["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 3, "{listing}");
    for class in classes {
        let shown: BTreeSet<String> = class["operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|operation| {
                let name = operation["name"].as_str().unwrap();
                let is_field = operation["kind"].as_str().unwrap().ends_with("field");
                let parameters: Vec<&str> = operation["parameters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|ty| ty.as_str().unwrap())
                    .collect();
                if is_field { name.to_owned() } else { format!("{name}({})", parameters.join(",")) }
            })
            .collect();
        assert_eq!(shown, javap(&bed, class["class"].as_str().unwrap()), "{listing}");
    }
    let literals = |class: &str| -> Vec<Value> {
        let found = classes.iter().find(|one| one["class"] == class).unwrap();
        found["literals"].as_array().unwrap().clone()
    };
    assert!(literals("poly.Poly").contains(&Value::String("17".into())), "{listing}");
    let all = list(&[]).json().to_string();
    assert!(
        all.contains("\"hidden\"") && all.contains("\"isConstant\"") && !all.contains("\"secret\""),
        "{all}"
    );
    let text = bed.generate(&["classes", "poly.Rat", "--list", "--public-only"]);
    text.expect(0, &["poly.Rat\n", "  new poly.Rat(int, int)\n", "  poly.Rat plus(poly.Rat)\n"]);
    assert!(!bed.at("probat-tests").exists());
}

/// spec 001 row 35: a visitor counts calls and says so above each test.
#[test]
fn a_visitor_annotates_what_is_written() {
    let bed = inputs();
    let text = |folder: &str| -> String {
        sources(&bed.at(folder)).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    };
    generate(&bed, "poly.Rat", "plain", &[]).expect(0, &[]);
    assert!(!text("plain").contains("in the search"));
    generate(&bed, "poly.Rat", "said", &["--annotate", "calls"]).expect(0, &[]);
    let said = text("said");
    let remarks = said.lines().filter(|line| line.contains(" was called ")).collect::<Vec<_>>();
    let tests = said.split("@Test").collect::<Vec<_>>();
    let is_said =
        |before: &&&str| before.trim_end().lines().last().is_some_and(|line| line.contains(" was called "));
    assert_eq!(tests.iter().filter(is_said).count(), tests.len() - 1, "{said}");
    assert!(
        remarks
            .iter()
            .all(|line| line.trim().starts_with("//") && line.contains(" times in the search and ")),
        "{said}"
    );
    let without: String = said.lines().filter(|line| !line.contains(" was called ")).collect();
    let plain: String = text("plain").lines().collect();
    let body = |text: &str| text.split_once("package").unwrap().1.to_owned();
    assert_eq!(body(&without), body(&plain));
}

/// spec 004 row R3: the table is written once, read afterwards, and is the same; the search is too.
#[test]
fn the_table_of_relevance_is_kept_in_a_file() {
    let bed = inputs();
    let with = |output: &str, table: &str| {
        generate(&bed, "poly.*", output, &["--mode", "recgen", "--relevance-table", table])
    };
    let java = |folder: &str| -> Vec<String> {
        sources(&bed.at(folder)).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    };
    with("made", "one.txt").expect(0, &[]);
    let one = fs::read_to_string(bed.at("one.txt")).unwrap();
    with("read", "one.txt").expect(0, &[]);
    assert_eq!(fs::read_to_string(bed.at("one.txt")).unwrap(), one);
    assert_eq!(java("made"), java("read"));
    with("again", "two.txt").expect(0, &[]);
    assert_eq!(fs::read_to_string(bed.at("two.txt")).unwrap(), one);
    let number = |member: &str| {
        one.lines().filter_map(|line| line.strip_prefix("member ")).position(|line| line == member).unwrap()
    };
    let (coefficient, exponent) = (number("poly.Mono.coefficient()"), number("poly.Mono.exponent()"));
    let degree = number("poly.Poly.degree()");
    let are_relevant = |a: usize, b: usize| {
        let row =
            one.lines().find(|line| line.split(' ').next() == Some(&a.min(b).to_string())).unwrap_or("");
        row.split(' ').skip(1).any(|pair| pair == format!("{}:1", a.max(b)))
    };
    assert!(are_relevant(exponent, degree) && !are_relevant(coefficient, exponent), "{one}");
    fs::write(bed.at("odd.txt"), one.replace("member poly.Mono.exponent()", "member poly.Mono.weight()"))
        .unwrap();
    with("out", "odd.txt").expect(2, &["of other code", "poly.Mono.weight()", "poly.Mono.exponent()"]);
    fs::write(bed.at("bad.txt"), "x").unwrap();
    with("out", "bad.txt").expect(2, &["`bad.txt`, line 1: this is no table of relevance"]);
}

/// A JVM takes no class from elsewhere into a package of a signed jar: tests of it stand beside, and use what is public.
#[test]
fn tests_of_a_signed_jar_stand_in_a_package_of_their_own() {
    let bed = Bed::empty();
    let text = "package safe;\npublic final class Lock {\n    private Lock() {}\n\
         public static int half(int turns) { return turns / 2; }\n\
         static int secret(int turns) { return turns + 1; }\n}\n";
    bed.compile_text("safe/Lock.java", text, "classes");
    let tool = |name: &str, args: &[&str]| {
        let run =
            Command::new(bed.jdk.home.join("bin").join(name)).args(args).current_dir(bed.at(".")).output();
        Run::of(run.unwrap()).expect(0, &[]);
    };
    let key = ["-keystore", "keys", "-storepass", "changeit"];
    tool("jar", &["cf", "lock.jar", "-C", "classes", "."]);
    let make = ["-genkeypair", "-alias", "own", "-dname", "CN=own", "-keyalg", "RSA"];
    tool("keytool", &[&make[..], &key[..]].concat());
    tool("jarsigner", &[&key[..], &["lock.jar", "own"][..]].concat());

    let jar = launcher();
    let shown = jar.as_ref().map(|jar| jar.display().to_string());
    let mut args = vec!["lock.jar", "--seed", "1", "--step-limit", "2000", "--output", "out"];
    match &shown {
        Some(jar) => args.extend(["--junit-jar", jar]),
        None => args.push("--unverified"),
    }
    bed.generate(&args).expect(0, &[]);
    let found = sources(&bed.at("out"));
    assert_eq!(found, [bed.at("out/probat/safe/LockProbatTest.java")]);
    let source = fs::read_to_string(&found[0]).unwrap();
    assert!(source.contains("Lock.half(") && !source.contains("secret"), "{source}");
    let Some(jar) = jar else { return };
    bed.compile_with(&found, "tests", &[bed.at("lock.jar"), jar.clone()], None);
    bed.run_junit(&jar, &[bed.at("tests"), bed.at("lock.jar")], &bed.at("tests"))
        .expect(0, &["1 tests successful"]);
}
