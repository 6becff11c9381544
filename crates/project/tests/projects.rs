//! Jars, folders, artifacts and projects, with build tools that are small scripts: what is asked of them, and what becomes of
//! their answers. The real Maven is asked by the tests of the command line.

#![allow(clippy::unwrap_used, reason = "a test ends where something is not as expected")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use expect_test::expect;
use probat_classpath::{ClassPath, Classes, OpenOptions};
use probat_project::{Kind, Pattern, Project, ProjectError, Request, Tools, resolve, select};

struct Bed {
    dir: tempfile::TempDir,
    tools: Tools,
}

impl Bed {
    fn new(files: &[(&str, &str)]) -> Bed {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for folder in ["work", "bin"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", dir.path().join("bin").display());
        let tools = Tools { path: Some(path.into()), home: None, ..Tools::default() };
        Bed { dir, tools }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// A program that notes its arguments, sets `$out` to what follows `-Dmdep.outputFile=`, and runs `body`.
    fn program(&self, path: &str, body: &str) {
        let log = self.at("calls");
        let text = format!(
            "#!/bin/sh\necho \"$@\" >> '{}'\nfor word in \"$@\"; do case $word in -Dmdep.outputFile=*) out=${{word#*=}};; \
             -Doutput=*) model=${{word#*=}};; esac; done\n{body}\n",
            log.display()
        );
        let path = self.at(path);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn calls(&self) -> String {
        let text = fs::read_to_string(self.at("calls")).unwrap_or_default();
        text.replace(&self.dir.path().display().to_string(), "BED")
    }

    fn resolve(&self, words: &[&str]) -> Result<Project, ProjectError> {
        self.resolve_with(words, &[])
    }

    fn resolve_with(&self, words: &[&str], class_path: &[PathBuf]) -> Result<Project, ProjectError> {
        let words: Vec<String> =
            words.iter().map(|word| word.replace("BED", &self.dir.path().display().to_string())).collect();
        let (here, work) = (self.at("nowhere"), self.at("work"));
        resolve(&Request { words: &words, class_path, here: &here, work: &work, tools: &self.tools })
    }

    fn shown(&self, project: &Project) -> String {
        let list = |paths: &[PathBuf]| {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            paths.join(" ").replace(&self.dir.path().display().to_string(), "BED")
        };
        let tests =
            project.layout.as_ref().map(|layout| list(&[layout.test_sources.clone(), layout.build.clone()]));
        format!(
            "under test: {}\nclass path: {}\njunit: {}\nrelease: {:?}\nlayout: {}\nnotes: {:?}\n",
            list(&project.under_test),
            list(&project.class_path),
            list(&project.junit),
            project.release,
            tests.unwrap_or_default(),
            project.notes
        )
    }
}

#[test]
fn a_jar_and_a_class_path_need_no_tool() {
    let bed = Bed::new(&[("app.jar", ""), ("lib.jar", "")]);
    let project = bed.resolve_with(&["BED/app.jar", "com.acme.*"], &[bed.at("lib.jar")]).unwrap();
    expect![[r#"
        under test: BED/app.jar
        class path: BED/app.jar BED/lib.jar
        junit: 
        release: None
        layout: 
        notes: []
    "#]]
    .assert_eq(&bed.shown(&project));
    assert_eq!(project.patterns, [Pattern::parse("com.acme.*").unwrap()]);
    assert_eq!(bed.calls(), "");
}

#[test]
fn an_artifact_is_fetched_by_maven_with_what_it_needs() {
    let bed = Bed::new(&[]);
    bed.program("bin/mvn", "printf '/m2/csv-1.0.jar:/m2/io-2.jar' > \"$out\"");
    let project = bed.resolve(&["org.x:csv:1.0"]).unwrap();
    expect![[r#"
        under test: /m2/csv-1.0.jar
        class path: /m2/csv-1.0.jar /m2/io-2.jar
        junit: 
        release: None
        layout: 
        notes: []
    "#]]
    .assert_eq(&bed.shown(&project));
    let pom = fs::read_to_string(bed.at("work/maven/pom.xml")).unwrap();
    assert!(
        pom.contains("<groupId>org.x</groupId><artifactId>csv</artifactId><version>1.0</version>"),
        "{pom}"
    );
}

#[test]
fn without_maven_and_without_network_the_user_hears_what_to_do() {
    let mut bed = Bed::new(&[]);
    bed.program("bin/mvn", "echo '[ERROR] Cannot access central in offline mode -> [Help 1]'; exit 1");
    bed.tools.offline = true;
    let error = bed.resolve(&["org.x:csv:1.0"]).unwrap_err();
    assert!(matches!(error, ProjectError::Offline { .. }), "{error}");
    assert!(bed.calls().contains(" -o "), "{}", bed.calls());
    bed.tools.path = Some("/nowhere".into());
    let error = bed.resolve(&["org.x:csv:1.0"]).unwrap_err();
    assert!(matches!(error, ProjectError::NoTool { tool: "Maven", .. }), "{error}");
    assert!(error.is_about_the_machine());
}

/// What `help:effective-pom` would say.
const MODEL: &str =
    "<project><properties><maven.compiler.release>11</maven.compiler.release></properties></project>";

#[test]
fn a_maven_project_is_compiled_only_if_it_is_not() {
    let bed = Bed::new(&[("p/pom.xml", "<project/>")]);
    bed.program(
        "bin/mvn",
        &format!(
            "case \"$*\" in *compile*) mkdir -p target/classes/a && touch target/classes/a/B.class;; *) \
             printf '/m2/lib.jar:/m2/junit-jupiter-api-5.9.2.jar' > \"$out\"; echo '{MODEL}' > \"$model\";; esac"
        ),
    );
    let first = bed.resolve(&["BED/p"]).unwrap();
    expect![[r#"
        under test: BED/p/target/classes
        class path: BED/p/target/classes /m2/lib.jar
        junit: /m2/junit-jupiter-api-5.9.2.jar
        release: Some(11)
        layout: BED/p/src/test/java BED/p/target
        notes: ["compiled the project first: `mvn compile`"]
    "#]]
    .assert_eq(&bed.shown(&first));
    assert_eq!(first.kind, Kind::Maven);
    let second = bed.resolve(&["BED/p/pom.xml"]).unwrap();
    assert_eq!(second.notes, Vec::<String>::new());
    expect![[r#"
        -q -B -Dstyle.color=never dependency:build-classpath help:effective-pom -Dmdep.outputFile=BED/work/class-path -Doutput=BED/work/effective.xml
        -q -B -Dstyle.color=never compile
        -q -B -Dstyle.color=never dependency:build-classpath help:effective-pom -Dmdep.outputFile=BED/work/class-path -Doutput=BED/work/effective.xml
    "#]]
    .assert_eq(&bed.calls());
}

/// Who changes a source and runs again wants to hear about the change.
#[test]
fn a_source_newer_than_the_classes_is_compiled_first() {
    let bed = Bed::new(&[
        ("p/pom.xml", "<project/>"),
        ("p/src/main/java/a/B.java", "class B {}"),
        ("p/target/classes/a/B.class", ""),
    ]);
    let answer = format!("printf '' > \"$out\"; echo '{MODEL}' > \"$model\"");
    let touch = |path: &str, seconds: u64| {
        let file = fs::File::options().append(true).open(bed.at(path)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
    };
    touch("p/src/main/java/a/B.java", 1_000);
    touch("p/target/classes/a/B.class", 1_001);
    bed.program("bin/mvn", &format!("case \"$*\" in *compile*) ;; *) {answer};; esac"));
    assert_eq!(bed.resolve(&["BED/p"]).unwrap().notes, Vec::<String>::new());
    touch("p/src/main/java/a/B.java", 2_000);
    let notes = bed.resolve(&["BED/p"]).unwrap().notes;
    assert_eq!(notes, ["compiled the project first: `mvn compile`, as `B.java` is newer than the classes"]);
    bed.program(
        "bin/mvn",
        &format!("case \"$*\" in *compile*) echo '[ERROR] no'; exit 1;; *) {answer};; esac"),
    );
    let notes = bed.resolve(&["BED/p"]).unwrap().notes;
    assert_eq!(
        notes,
        [
            "`B.java` is newer than the classes, which are tested as they are: compiling the project with Maven failed: \
          `mvn -q -B -Dstyle.color=never compile` said: no"
        ]
    );
}

/// Ctrl-C does not wait for a build tool.
#[test]
fn a_build_tool_that_runs_is_ended_by_a_stop() {
    static STOP: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(true);
    let mut bed = Bed::new(&[("p/pom.xml", "<project/>")]);
    bed.tools.stop = Some(&STOP);
    bed.program("bin/mvn", "exec sleep 600");
    let error = bed.resolve(&["BED/p"]).unwrap_err();
    assert_eq!(error.to_string(), "asking Maven for the class path was interrupted");
    assert_eq!(bed.calls().lines().count(), 1, "nothing else is asked");
}

#[test]
fn the_wrapper_of_the_project_is_preferred() {
    let bed = Bed::new(&[("p/pom.xml", "<project/>"), ("p/target/classes/B.class", "")]);
    bed.program("p/mvnw", "touch \"$out\"");
    bed.program("bin/mvn", "exit 1");
    assert_eq!(bed.resolve(&["BED/p"]).unwrap().kind, Kind::Maven);
}

#[test]
fn a_parent_without_classes_names_its_modules_before_maven_is_asked() {
    let bed = Bed::new(&[(
        "p/pom.xml",
        "<project><modules><module>core</module><module>web</module></modules></project>",
    )]);
    // Modules that need each other and are in no repository.
    bed.program("bin/mvn", "exit 1");
    let error = bed.resolve(&["BED/p"]).unwrap_err();
    assert_eq!(error.ways_out(), ["name one of its modules: core, web"]);
    assert_eq!(bed.calls(), "");
}

#[test]
fn a_module_that_needs_its_siblings_is_asked_from_above() {
    let bed = Bed::new(&[
        ("p/pom.xml", "<project/>"),
        ("p/core/pom.xml", "<project/>"),
        ("p/core/target/classes/B.class", ""),
    ]);
    bed.program(
        "bin/mvn",
        "case \"$*\" in *-am*) printf '/p/util/target/classes' > \"$out\";; *) exit 1;; esac",
    );
    let project = bed.resolve(&["BED/p/core"]).unwrap();
    assert!(project.class_path.contains(&PathBuf::from("/p/util/target/classes")));
    assert!(bed.calls().lines().last().unwrap().contains("-pl core -am compile"), "{}", bed.calls());
    bed.program(
        "bin/mvn",
        "case \"$*\" in *-am*) echo '[ERROR] COMPILATION ERROR' ;; *) echo '[ERROR] no util';; esac; exit 1",
    );
    let error = bed.resolve(&["BED/p/core"]).unwrap_err();
    assert!(error.to_string().contains("COMPILATION"), "{error}");
}

#[test]
fn a_gradle_project_answers_through_an_init_script() {
    let bed = Bed::new(&[
        ("g/build.gradle.kts", ""),
        ("g/build/classes/java/main/a/B.class", ""),
        ("m2/lib.jar", ""),
    ]);
    // The script names the file the answer goes to.
    bed.program(
        "g/gradlew",
        "while [ \"$1\" != -I ]; do shift; done; answer=$(sed -n \"s/.*def out = new File('\\(.*\\)').*/\\1/p\" \"$2\")\n\
         printf 'classes\\t%s/build/classes/java/main\\npath\\t%s/build/classes/java/main\\npath\\t%s/build/resources/main\\npath\\t%s/../m2/lib.jar\\nrelease\\t17\\n' \
         \"$PWD\" \"$PWD\" \"$PWD\" \"$PWD\" > \"$answer\"",
    );
    let project = bed.resolve(&["BED/g"]).unwrap();
    expect![[r#"
        under test: BED/g/build/classes/java/main
        class path: BED/g/build/classes/java/main BED/g/../m2/lib.jar
        junit: 
        release: Some(17)
        layout: BED/g/src/test/java BED/g/build
        notes: []
    "#]]
    .assert_eq(&bed.shown(&project));
}

#[test]
fn without_gradle_what_is_built_is_taken_and_that_is_said() {
    let mut bed = Bed::new(&[
        ("g/build.gradle", ""),
        ("g/build/classes/java/main/B.class", ""),
        ("h/build.gradle", ""),
    ]);
    bed.tools.path = Some("/nowhere".into());
    let project = bed.resolve(&["BED/g"]).unwrap();
    assert!(project.notes[0].contains("no Gradle"), "{:?}", project.notes);
    let error = bed.resolve(&["BED/h"]).unwrap_err();
    assert!(matches!(error, ProjectError::NoTool { tool: "Gradle", .. }), "{error}");
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let bed = Bed::new(&[("app.jar", ""), ("p/pom.xml", "")]);
    assert!(matches!(bed.resolve(&[]), Err(ProjectError::NothingNamed)));
    assert!(matches!(bed.resolve(&["BED/p", "BED/app.jar"]), Err(ProjectError::ProjectAndOthers)));
    assert!(matches!(bed.resolve_with(&[], &[bed.at("app.jar")]), Err(ProjectError::OnlyAClassPath)));
}

/// Classes of folders are known by the names of their files.
fn classes(bed: &Bed, places: &[&str]) -> Classes {
    let paths: Vec<PathBuf> = places.iter().map(|place| bed.at(place)).collect();
    Classes { jdk: None, path: ClassPath::open(&paths, &OpenOptions { release: 17 }) }
}

#[track_caller]
fn chosen(
    bed: &Bed,
    under_test: &[&str],
    patterns: &[&str],
    excluded: &[&str],
) -> Result<String, ProjectError> {
    let parse = |texts: &[&str]| texts.iter().map(|text| Pattern::parse(text).unwrap()).collect::<Vec<_>>();
    let places: Vec<PathBuf> = under_test.iter().map(|place| bed.at(place)).collect();
    let found = select(&classes(bed, &["main", "lib"]), &places, &parse(patterns), &parse(excluded))?;
    Ok(found.classes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

#[test]
fn only_classes_of_the_places_under_test_are_chosen() {
    let bed = Bed::new(&[
        ("main/com/acme/Cart.class", ""),
        ("main/com/acme/Cart$Line.class", ""),
        ("main/com/acme/Tax.class", ""),
        ("main/com/acme/package-info.class", ""),
        ("main/module-info.class", ""),
        ("lib/org/lib/Cart.class", ""),
    ]);
    let all = "com.acme.Cart com.acme.Cart$Line com.acme.Tax";
    assert_eq!(chosen(&bed, &["main"], &[], &[]).unwrap(), all);
    assert_eq!(chosen(&bed, &["main"], &["Cart"], &[]).unwrap(), "com.acme.Cart com.acme.Cart$Line");
    assert_eq!(chosen(&bed, &["main"], &["com.acme.*"], &["Cart"]).unwrap(), "com.acme.Tax");
    assert_eq!(chosen(&bed, &[], &["org.lib.*"], &[]).unwrap(), "org.lib.Cart");
    let error = chosen(&bed, &["main"], &["Crat"], &[]).unwrap_err();
    assert_eq!(error.ways_out(), ["did you mean `com.acme.Cart`?"]);
    let error = chosen(&bed, &["main"], &["com.acne.*"], &[]).unwrap_err();
    assert_eq!(error.ways_out(), ["did you mean `com.acme.*`?"]);
}

#[test]
fn a_folder_is_read_where_it_is() {
    let bed = Bed::new(&[("main/A.class", "")]);
    assert!(Path::new(&bed.at("main/A.class")).exists());
    assert_eq!(bed.resolve(&["BED/main"]).unwrap().under_test, [bed.at("main")]);
}
