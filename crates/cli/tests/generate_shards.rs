//! `probat generate --shard` and `probat merge`: the real binary and a real JVM on classes that break laws.
//!
//! Work is bounded by steps, so that a slow machine sees what a fast one sees.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;

use serde_json::Value;
use shop::{Bed, Run, files, launcher};

/// A bed in which shards were run: `s1`, `s2` and so on.
fn sharded(count: u16) -> (Bed, Vec<Value>) {
    let bed = Bed::with("laws");
    let reports = (1..=count).map(|index| shard(&bed, index, count)).collect();
    (bed, reports)
}

fn shard(bed: &Bed, index: u16, of: u16) -> Value {
    let classes = bed.at("classes").display().to_string();
    let (shard, output) = (format!("{index}/{of}"), format!("s{index}"));
    let args = [
        classes.as_str(),
        "--shard",
        &shard,
        "--output",
        &output,
        "--step-limit",
        "8000",
        "--unverified",
        "--format",
        "json",
    ];
    let run = bed.generate(&args);
    run.expect(3, &[]);
    run.json()
}

/// Merges in a folder of its own, so that all paths in the result are the same.
fn merge(bed: &Bed, folder: &str, shards: &[&str]) -> Run {
    let here = bed.at(folder);
    fs::create_dir_all(&here).unwrap();
    let shards: Vec<String> = shards.iter().map(|name| bed.at(name).display().to_string()).collect();
    let mut args = vec!["merge", "--output", "out", "--format", "json"];
    let junit = launcher().map(|jar| jar.display().to_string());
    match &junit {
        Some(jar) => args.extend(["--junit-jar", jar]),
        None => args.push("--unverified"),
    }
    args.extend(shards.iter().map(String::as_str));
    bed.probat_in(&here, &args)
}

fn number(report: &Value, key: &str) -> u64 {
    report["totals"][key].as_u64().unwrap_or_else(|| panic!("{key}: {report:#}"))
}

fn times(report: &Value) -> u64 {
    let failures = report["failures"].as_array().unwrap();
    failures.iter().map(|failure| failure["times"].as_u64().unwrap()).sum()
}

/// spec 001 row 50
#[test]
fn merged_in_any_order_twice_or_with_its_parts_shards_give_the_same_bytes() {
    let (bed, shards) = sharded(3);
    let seeds: Vec<&Value> = shards.iter().map(|report| &report["seed"]).collect();
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[0] != seeds[2]);
    assert_eq!(shards[1]["shard"], "2/3");

    let first = merge(&bed, "first", &["s1", "s2", "s3"]);
    first.expect(3, &[]);
    let report = first.json();
    for (at, shard) in shards.iter().enumerate() {
        assert!(number(&report, "branches_reached") >= number(shard, "branches_reached"), "shard {at}");
    }
    let sum = |key: &str| shards.iter().map(|shard| number(shard, key)).sum::<u64>();
    assert_eq!(number(&report, "sequences"), sum("sequences"));
    assert!(number(&report, "states") < sum("states"), "what several met counts once");
    assert!(shards.iter().all(|shard| number(&report, "states") >= number(shard, "states")));
    assert_eq!(times(&report), shards.iter().map(times).sum::<u64>(), "{report:#}");
    assert_eq!(report["merged"]["runs"].as_array().unwrap().len(), 3);
    assert_eq!(report["merged"]["not_seen_again"].as_array().unwrap().len(), 0, "{report:#}");
    assert_eq!(report["end"], "merged");
    let most = shards.iter().map(|shard| shard["failures"].as_array().unwrap().len()).max().unwrap();
    assert!(report["failures"].as_array().unwrap().len() >= most);

    let all = files(&bed.at("first"));
    assert!(
        all.keys().any(|name| name.starts_with("out/") && name.ends_with("ProbatTest.java")),
        "{:?}",
        all.keys()
    );
    assert!(all.keys().any(|name| name.starts_with("out-failing/")), "{:?}", all.keys());
    for (folder, shards) in [
        ("turned", &["s3", "s1", "s2"][..]),
        ("twice", &["s2", "s2", "s1", "s3", "s1"]),
        ("with-parts", &["s1", "first/out", "s3"]),
        ("alone", &["first/out"]),
    ] {
        let again = merge(&bed, folder, shards);
        again.expect(3, &[]);
        assert_eq!(again.out, first.out, "{folder}");
        let others = files(&bed.at(folder));
        assert_eq!(others.keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>(), "{folder}");
        for (name, bytes) in &all {
            assert!(others[name] == *bytes, "{folder}: {name} differs");
        }
    }
}

#[test]
fn what_cannot_be_merged_is_named_and_what_is_missing_is_said() {
    let (bed, _) = sharded(2);
    merge(&bed, "partly", &["s1", "nowhere"]).expect(3, &["nowhere", "shard 2/2 is missing"]);
    merge(&bed, "none", &["nowhere"]).expect(2, &["none of the shards", "--shard 1/4"]);
    merge(&bed, "foreign", &["classes"]).expect(2, &["none of the shards"]);

    let file = bed.at("s2/probat-shard");
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&file, &damaged).unwrap();
    merge(&bed, "damaged", &["s1", "s2"]).expect(2, &["s2/probat-shard", "is damaged"]);
    let end = whole.iter().position(|byte| *byte == b'\n').unwrap();
    fs::write(&file, [b"probat shard 0.0.1".as_slice(), &whole[end..]].concat()).unwrap();
    merge(&bed, "version", &["s1", "s2"]).expect(2, &["s2/probat-shard", "probat 0.0.1"]);
    fs::write(&file, "hello\n").unwrap();
    merge(&bed, "hello", &["s1", "s2"]).expect(2, &["s2/probat-shard", "no result of a shard"]);

    // Another command, another number of shards.
    let classes = bed.at("classes").display().to_string();
    let limits = ["--step-limit", "2000", "--unverified"];
    let run = |args: &[&str]| bed.generate(&[&[classes.as_str()], args, &limits].concat());
    assert!(matches!(run(&["--shard", "2/2", "--output", "s4", "--nulls"]).code, 0 | 3));
    merge(&bed, "command", &["s1", "s4"]).expect(2, &["s4/probat-shard", "different commands", "--nulls"]);
    assert!(matches!(run(&["--shard", "2/5", "--output", "s5"]).code, 0 | 3));
    merge(&bed, "number", &["s1", "s5"]).expect(2, &["s5/probat-shard", "of 2 shards", "of 5"]);
    run(&["--shard", "5/4", "--output", "s6"]).expect(2, &["--shard", "1/4 to 4/4"]);

    // Other code under the same name.
    bed.compile_text(
        "laws/Late.java",
        "package laws; public class Late { public int one() { return 1; } }",
        "classes",
    );
    merge(&bed, "changed", &["s1"]).expect(2, &["not what the shards tested"]);
    shard(&bed, 2, 2);
    merge(&bed, "code", &["s1", "s2"]).expect(2, &["s2/probat-shard", "different code"]);
}
