//! Tests that `probat generate` must not write, because they would fail in a later run or make others fail: the real binary, a real JVM.
//!
//! Each fixture is a class that tempts it. What is written is run under the real launcher where there is one, in surroundings that differ.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

mod shop;

use std::fs;
use std::process::Command;

use shop::{Bed, Run, launcher, sources};

/// Surroundings in which users run tests.
const SURROUNDINGS: [&[&str]; 3] = [
    &["-ea"],
    &[
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:hashCode=2",
        "-Duser.language=tr",
        "-Duser.timezone=Asia/Tokyo",
    ],
    &["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=0", "-XX:+UseParallelGC", "-Xmx256m"],
];

/// The source of all tests for one class, which passed in all surroundings and left the working folder empty.
fn written(class: &str, text: &str) -> String {
    written_and_run(class, text, SURROUNDINGS.into_iter())
}

/// The same, run once with each of these options.
fn written_and_run(class: &str, text: &str, runs: impl Iterator<Item = &'static [&'static str]>) -> String {
    let bed = Bed::empty();
    bed.compile_text(&format!("steady/{class}.java"), text, "classes");
    let jar = launcher();
    let mut args =
        vec!["classes", "--seed", "1", "--workers", "1", "--step-limit", "6000", "--output", "out"];
    match &jar {
        Some(jar) => {
            std::os::unix::fs::symlink(jar, bed.at("junit.jar")).unwrap();
            args.extend(["--junit-jar", "junit.jar"]);
        }
        None => args.push("--unverified"),
    }
    bed.generate(&args).expect(0, &[]);
    let found = sources(&bed.at("out"));
    let source: String = found.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let Some(jar) = jar else { return source };
    bed.compile_with(&found, "tests", &[bed.at("classes"), jar.clone()], None);
    let here = bed.at("here");
    fs::create_dir(&here).unwrap();
    let others = bed.at("others");
    fs::create_dir(&others).unwrap();
    fs::write(others.join("draft"), "of somebody else").unwrap();
    for options in runs {
        let path = std::env::join_paths([bed.at("tests"), bed.at("classes"), jar.clone()]).unwrap();
        let done = Command::new(bed.jdk.home.join("bin/java"))
            .args(options)
            .arg(format!("-Djava.io.tmpdir={}", others.display()))
            .arg("-cp")
            .arg(path)
            .args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"])
            .args(["--details=tree", "--include-classname=.*"])
            .arg(format!("--scan-class-path={}", bed.at("tests").display()))
            .current_dir(&here)
            .output()
            .unwrap();
        Run::of(done).expect(0, &[]);
    }
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0, "{source}");
    assert!(others.join("draft").is_file(), "{source}");
    source
}

#[track_caller]
fn check(source: &str, there: &[&str], not_there: &[&str]) {
    for text in there {
        assert!(source.contains(text), "`{text}` is not in:\n{source}");
    }
    for text in not_there {
        assert!(!source.contains(text), "`{text}` is in:\n{source}");
    }
}

#[test]
fn no_test_writes_a_file_that_is_not_temporary() {
    let source = written(
        "Ledger",
        "package steady;
import java.io.*;
import java.nio.file.*;
public class Ledger {
    public String title(int year) { return \"ledger of \" + year; }
    public void save(String name) throws IOException { try (Writer out = new FileWriter(name)) { out.write(1); } }
    public void keep(String name) throws IOException { Files.write(Paths.get(name), new byte[1]); }
    public boolean folder(String name) { return new File(name).mkdirs(); }
    public boolean draft() throws IOException {
        File file = File.createTempFile(\"ledger\", null);
        return file.exists() && file.delete();
    }
}",
    );
    check(&source, &[".title(", ".draft("], &["void save()", "void keep()", "folder_returnsTrue"]);
}

#[test]
fn no_test_depends_on_what_lies_in_the_working_folder() {
    let source = written(
        "Desk",
        "package steady;
import java.io.File;
public class Desk {
    public int drawers(int wanted) { return wanted > 3 ? 3 : wanted; }
    public String papers() { return \"papers: \" + new File(\".\").list().length; }
    public boolean isTidy() { return !new File(\"src\").exists() && !new File(\"pom.xml\").exists(); }
}",
    );
    check(&source, &[".drawers("], &["papers: ", "assertTrue", "assertFalse"]);
}

#[test]
fn no_test_empties_a_folder_that_others_use_too() {
    let source = written(
        "Broom",
        "package steady;
import java.io.*;
import java.nio.file.*;
public class Broom {
    public int bristles(int wanted) { return wanted > 3 ? 3 : wanted; }
    public static File attic() { return new File(System.getProperty(\"java.io.tmpdir\")); }
    public void sweep(File folder) {
        File[] files = folder.listFiles();
        if (files != null) for (File file : files) file.delete();
    }
    public void wipe() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(attic().toPath())) {
            for (Path file : files) Files.delete(file);
        }
    }
    public static File named(String name) { return new File(name); }
    public void burn(File heap) { if (heap.isDirectory() && !heap.getName().isEmpty()) wreck(heap); }
    private void wreck(File heap) { throw new IllegalStateException(\"here the heap would burn\"); }
    public boolean mark(String name) throws IOException { return Files.exists(Paths.get(name)); }
    public boolean toss() { return new File(attic(), \"draft\").delete(); }
    public void paint() throws IOException { try (Writer out = new FileWriter(new File(attic(), \"draft\"))) { out.write(1); } }
    public boolean tidyUp() throws IOException {
        File folder = Files.createTempDirectory(\"broom\").toFile();
        new File(folder, \"dust\").createNewFile();
        sweep(folder);
        return folder.delete();
    }
}",
    );
    check(
        &source,
        &[".bristles(", ".tidyUp("],
        &[".sweep(", ".wipe(", ".toss(", ".paint(", "burn(named", "burn(new File(\"a", "assertFalse"],
    );
}

#[test]
fn tests_that_take_their_jvm_along_cost_no_other_class_its_tests() {
    let source = written(
        "Glutton",
        "package steady;
public class Glutton {
    public int eat(int wanted) {
        boolean tame = false;
        assert tame = true;
        if (!tame) throw new OutOfMemoryError(\"all eaten\");
        return wanted > 3 ? 3 : wanted;
    }
}
class Sparrow {
    int peck(int wanted) { return wanted > 5 ? 5 : wanted; }
}
class Wren {
    int peck(int wanted) { return wanted > 7 ? 7 : wanted; }
}",
    );
    check(&source, &["new Sparrow().peck(", "new Wren().peck("], &[".eat("]);
}

#[test]
fn no_test_changes_what_all_tests_share() {
    let source = written(
        "Settings",
        "package steady;
import java.util.*;
public class Settings {
    public int count(String text) { return text.length(); }
    public void speak(String language) { Locale.setDefault(new Locale(language)); }
    public void move(int hours) { TimeZone.setDefault(new SimpleTimeZone(hours, \"Nowhere\")); }
    public void note(String value) { System.setProperty(\"steady.note\", value); }
    public void hush() { System.out.close(); }
    public void deafen() { System.setErr(null); }
    public void disturb() { Thread.currentThread().interrupt(); }
}",
    );
    check(&source, &[".count("], &["void speak", "void move", "void hush", "void deafen", "void disturb"]);
    assert!(!source.contains(".note(\""), "{source}");
}

#[test]
fn no_test_starts_a_thread() {
    let source = written(
        "Crew",
        "package steady;
import java.util.concurrent.*;
public class Crew {
    private volatile int done;
    public int size(int half) { return 2 * half; }
    public int work() throws InterruptedException {
        Thread worker = new Thread(() -> done++);
        worker.start();
        worker.join();
        return done;
    }
    public Future<Integer> later(int number) {
        ExecutorService pool = Executors.newSingleThreadExecutor(r -> { Thread t = new Thread(r); t.setDaemon(true); return t; });
        return pool.submit(() -> number);
    }
}",
    );
    check(&source, &[".size("], &[".work(", ".later("]);
}

#[test]
fn no_test_is_given_what_comes_from_chance() {
    let source = written(
        "Dice",
        "package steady;
import java.util.*;
public class Dice {
    private final int eyes;
    private Dice(int eyes) { this.eyes = eyes; }
    public static Dice roll() { return new Dice(new Random().nextInt(1000)); }
    public static String mark(Object thing) { return Integer.toHexString(System.identityHashCode(thing)); }
    public static int half(int whole) { return whole / 2; }
    public boolean isHigh() { return eyes > 20; }
    public String read() {
        if (eyes < 20) { throw new IllegalStateException(); }
        return \"high\";
    }
    public int sides() { return 1000; }
}",
    );
    // That a die has sides does not depend on what it shows.
    check(&source, &["Dice.half(", "assertEquals(1000, Dice.roll().sides())"], &["isHigh()", "read()"]);
    for test in source.split("@Test").filter(|test| test.contains("Dice.mark(")) {
        check(test, &[], &["assertEquals", "assertTrue", "assertFalse", "assertThrows"]);
    }
}

#[test]
fn no_test_needs_what_others_left_behind() {
    let source = written(
        "Register",
        "package steady;
import java.util.*;
public class Register {
    private static final List<String> NAMES = new ArrayList<>();
    private Register() {}
    public static int add(String name) {
        NAMES.add(name);
        return name.length();
    }
    public static String newest() {
        if (NAMES.isEmpty()) { throw new IllegalStateException(\"empty\"); }
        return \"a name\";
    }
    public static int half(int whole) { return whole / 2; }
}",
    );
    check(&source, &["Register.half(", "Register.add("], &[]);
    for test in source.split("@Test").filter(|test| test.contains("\"a name\"")) {
        check(test, &["Register.add("], &[]);
    }
}

#[test]
fn no_test_depends_on_the_day_it_is_run() {
    let source = written(
        "Diary",
        "package steady;
import java.time.*;
public class Diary {
    private static final int FIRST = LocalDate.now().getYear();
    private final long begun;
    private final int lines;
    public Diary(int lines) { this.begun = System.currentTimeMillis(); this.lines = lines; }
    public static int firstYear() { return FIRST; }
    public static boolean isNew(int year) { return year >= FIRST; }
    public static int today() { return Instant.now().atZone(ZoneOffset.UTC).getDayOfYear(); }
    public int pages() { return lines / 30; }
    public boolean isOdd() { return begun / 60000 % 2 == 1; }
    public String season() {
        if (begun / 86400000L % 2 == 1) { throw new IllegalStateException(\"odd day\"); }
        return \"even\";
    }
    public boolean isOlderThan(Diary other) { return begun < other.begun; }
}",
    );
    // How many pages a diary has is no matter of when it was begun.
    check(&source, &[".pages())"], &["isOdd()", "season()", "isOlderThan("]);
    for test in source.split("@Test").filter(|test| test.contains("firstYear()") || test.contains("today()"))
    {
        check(test, &[], &["assertEquals"]);
    }
}

/// spec 001 row 33
#[test]
fn ten_runs_of_what_is_kept_all_pass() {
    let source = written_and_run(
        "Timer",
        "package steady;
import java.util.Random;
public class Timer {
    private final long begun = System.nanoTime();
    private final int limit;
    private int laps;
    public Timer(int limit) { this.limit = limit; }
    public long elapsed() { return System.nanoTime() - begun; }
    public boolean isOver() { return System.currentTimeMillis() % 100 > limit; }
    public int shuffled() { return new Random().nextInt(1000) + laps; }
    public int lap() { return ++laps; }
    public boolean isDone() { return laps >= limit; }
}",
        std::iter::repeat_n(&[][..], 10),
    );
    check(&source, &[".lap()", ".isDone()"], &[]);
    let is_timed =
        |test: &&str| ["elapsed()", "isOver()", "shuffled()"].iter().any(|call| test.contains(call));
    for test in source.split("@Test").filter(is_timed) {
        check(test, &["assertDoesNotThrow("], &["assertEquals", "assertTrue", "assertFalse"]);
    }
}

/// spec 001 row 31
#[test]
fn observers_of_the_jdks_own_classes_are_asserted() {
    let bed = Bed::empty();
    let args =
        ["java.util.BitSet", "--seed", "1", "--step-limit", "100000", "--unverified", "--output", "out"];
    bed.generate(&args).expect(0, &[]);
    let source: String =
        sources(&bed.at("out")).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    // A clone drops the words that are not used, so its size is another.
    check(&source, &[".size());", "assertEquals(64, new BitSet().size());", ".clone()"], &[]);
}

#[test]
fn nothing_is_asserted_of_the_machine() {
    let source = written(
        "Machine",
        "package steady;
import java.nio.file.*;
import java.util.*;
public class Machine {
    public static int cores() { return Runtime.getRuntime().availableProcessors(); }
    public static boolean isLarge() { return Runtime.getRuntime().maxMemory() > 1000; }
    public static String folder() { return System.getenv(\"PATH\"); }
    public static String screen() {
        if (System.getProperty(\"java.awt.headless\") == null) { throw new IllegalStateException(); }
        return \"told\";
    }
    public static String user() { return System.getProperty(\"user.name\"); }
    public static boolean inBox() { return Files.exists(Paths.get(\"/proc/1/cgroup\")); }
    public static boolean isKnown(int twice) { return TimeZone.getDefault() != null && twice / 2 == 3; }
    public static int offset() { return TimeZone.getDefault().getRawOffset(); }
}",
    );
    check(&source, &["assertTrue(Machine.isKnown("], &["assertEquals(0, Machine.offset())"]);
    for call in ["cores()", "isLarge()", "folder()", "user()", "inBox()", "offset()"] {
        let all = source.split("assert").filter(|assertion| assertion.contains(&format!("Machine.{call}")));
        all.for_each(|assertion| assert!(assertion.starts_with("DoesNotThrow"), "{assertion}"));
    }
}

#[test]
fn nothing_is_asserted_of_the_order_of_constants_and_immutable_sets() {
    let source = written(
        "Palette",
        "package steady;
import java.util.*;
public class Palette {
    public enum Colour { RED, GREEN, BLUE }
    public static Colour first() { return new HashSet<>(Arrays.asList(Colour.values())).iterator().next(); }
    public static String word() { return Set.of(\"a\", \"b\", \"c\", \"d\").iterator().next(); }
    public static int code(Colour colour) { return colour.hashCode(); }
    public static Colour last() { return Colour.values()[2]; }
}",
    );
    check(&source, &["Palette.last()"], &[]);
    for call in ["Palette.first()", "Palette.word()", "Palette.code("] {
        let all = source.split("@Test").filter(|test| test.contains(call));
        all.for_each(|test| check(test, &[], &["assertEquals", "assertThrows(IllegalState"]));
    }
}

#[test]
fn nothing_is_asserted_of_members_that_tools_add_or_of_class_loaders() {
    let source = written(
        "Mirror",
        "package steady;
public class Mirror {
    private int one;
    private int two;
    public int fields() { return Mirror.class.getDeclaredFields().length; }
    public int methods() { return Mirror.class.getDeclaredMethods().length; }
    public int half(int whole) { return whole / 2; }
    public boolean isLoadedFromOutside() {
        String loader = Mirror.class.getClassLoader().getClass().getName();
        if (loader.equals(\"java.net.URLClassLoader\")) { return true; }
        return false;
    }
}",
    );
    check(&source, &[".half("], &[]);
    for call in [".fields()", ".methods()"] {
        let all = source.split("@Test").filter(|test| test.contains(call));
        all.for_each(|test| check(test, &[], &["assertEquals"]));
    }
}

#[test]
fn no_test_depends_on_what_other_tests_left_in_static_fields() {
    let source = written(
        "Register",
        "package steady;
public class Register {
    private static int last;
    public static String tidy(String name) { return name.trim(); }
    public static int next() { return ++last; }
}",
    );
    check(&source, &["Register.tidy("], &[]);
    // Only a second round of all tests in one JVM shows it.
    if launcher().is_some() {
        check(&source, &[], &["Register.next()"]);
    }
}

#[test]
fn words_in_the_users_language_cost_a_test_no_more_than_the_words() {
    let source = written(
        "Clerk",
        "package steady;
import java.util.Locale;
public class Clerk {
    private static boolean german() { return Locale.getDefault().getLanguage().equals(\"de\"); }
    public static int price(int units) {
        if (units < 0) throw new IllegalArgumentException(german() ? \"zu wenig\" : \"too few\");
        return units * 3;
    }
    public static Bill bill(int units) { return new Bill(units); }
    public static class Bill {
        private final int units;
        Bill(int units) { this.units = units; }
        public int getTotal() { return units == 7 ? 22 : units * 3; }
        public String getTitle() { return german() ? \"Rechnung\" : \"bill\"; }
    }
}",
    );
    check(&source, &["IllegalArgumentException.class", "getTotal()"], &[]);
    // Only a run in that language shows it.
    if launcher().is_some() {
        check(&source, &[], &["too few", "\"bill\""]);
    }
}
