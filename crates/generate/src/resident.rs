//! The user's compiler in a JVM that stays.
//!
//! In: sources, as for a compiler of their own. Out: the same class files and objections. A compiler that was just started spends most of its time on
//! getting warm, and a suite is compiled several times until there is no objection left: the second time takes a tenth of the first.
//! The compiler is called like any other code, in a worker, through the entry that the JDK has for that. Where it gives no answer, a process does, and
//! where `javac` is not that of the JVM's own JDK: who puts something in its place wants it to be asked.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use probat_model::{
    ClassName, End, Literal, MethodDescriptor, Operation, OperationTable, Sequence, StepId, Type, Value,
};
use probat_protocol::{Item, Observe, Reset, Values};
use probat_supervisor::{Fleet, FleetConfig};

use crate::compile::{CompileError, Compiler, Diagnostic, arguments, compile, outcome};

/// Compiles, with a compiler that stays as long as it answers.
#[derive(Debug)]
pub(crate) struct Workshop {
    compiler: Compiler,
    /// How to start it; nothing once it was started.
    waiting: Option<FleetConfig>,
    resident: Option<Resident>,
}

impl Workshop {
    /// Nothing is started before there is something to compile.
    pub fn new(compiler: Compiler, config: FleetConfig) -> Self {
        let waiting = is_of_one_jdk(&compiler.javac, &config.config.libjvm).then_some(config);
        Workshop { compiler, waiting, resident: None }
    }

    /// Compiles all files into `into`; an empty list means that all is well.
    pub fn compile(&mut self, files: &[PathBuf], into: &Path) -> Result<Vec<Diagnostic>, CompileError> {
        if let Some(config) = self.waiting.take() {
            self.resident = Fleet::start(config).ok().map(Resident::new);
        }
        if let Some(resident) = &mut self.resident {
            match resident.compile(&self.compiler, files, into) {
                Answer::Compiled(result) => return result,
                Answer::Silence => self.resident = None,
            }
        }
        compile(&self.compiler, files, into)
    }
}

/// Whether both lie in one folder of a JDK, wherever links to them stand.
fn is_of_one_jdk(javac: &Path, libjvm: &Path) -> bool {
    let (Ok(javac), Ok(libjvm)) = (javac.canonicalize(), libjvm.canonicalize()) else { return false };
    let home = javac.parent().and_then(Path::parent);
    home.is_some_and(|home| libjvm.starts_with(home))
}

/// What came of asking.
enum Answer {
    Compiled(Result<Vec<Diagnostic>, CompileError>),
    /// The JVM has no compiler, or is lost.
    Silence,
}

#[derive(Debug)]
struct Resident {
    fleet: Fleet,
    table: OperationTable,
    /// Times it was asked: what it writes has a name of its own each time.
    asked: u32,
}

impl Resident {
    fn new(fleet: Fleet) -> Self {
        Resident { fleet, table: OperationTable::new(), asked: 0 }
    }

    fn compile(&mut self, compiler: &Compiler, files: &[PathBuf], into: &Path) -> Answer {
        self.asked += 1;
        // A worker writes to its own folder only; both names are relative to that.
        let (classes, said) = (format!("classes{}", self.asked), format!("said{}", self.asked));
        let written = match arguments(compiler, files, Path::new(&classes), into) {
            Ok(written) => written,
            Err(error) => return Answer::Compiled(Err(error)),
        };
        let sequence = call(&mut self.table, &written, &said);
        let observe = Observe { values: Values::All, ..Observe::default() };
        let item = Item { sequence, observe, reset: Reset::None, past_exceptions: false, ..Item::default() };
        let Some(seen) = self.fleet.run(&self.table, vec![item]).ok().and_then(|mut seen| seen.pop()) else {
            return Answer::Silence;
        };
        let (End::Completed, Some(&Value::Int(code))) = (&seen.end, seen.value(COMPILES)) else {
            return Answer::Silence;
        };
        let Some(folder) = self.folder_with(&said) else { return Answer::Silence };
        let Ok(text) = fs::read_to_string(folder.join(&said)) else { return Answer::Silence };
        let moved = move_all(&folder.join(&classes), into);
        let moved = moved.map_err(|source| CompileError::Write { path: into.to_owned(), source });
        Answer::Compiled(moved.and_then(|()| outcome(&text, code == 0)))
    }

    /// The folder of the worker that left a file of this name.
    fn folder_with(&self, name: &str) -> Option<PathBuf> {
        let folders = fs::read_dir(self.fleet.scratch()).ok()?.flatten().map(|entry| entry.path());
        folders.into_iter().find(|folder| folder.join(name).is_file())
    }
}

/// The step that compiles.
const COMPILES: StepId = StepId(4);

/// `Main.compile(new String[] {"@arguments"}, writer); writer.close();`
fn call(table: &mut OperationTable, arguments: &Path, said: &str) -> Sequence {
    let mut sequence = Sequence::new();
    let mut push = |operation: Operation, args: &[StepId]| {
        let id = table.intern(operation);
        sequence.push(table, id, args.iter().copied()).expect("written here")
    };
    let text = |text: &str| Operation::Literal(Literal::String(text.into()));
    let descriptor = |text: &str| MethodDescriptor::parse(text).expect("written here");
    let writer_class = ClassName::internal("java/io/PrintWriter");
    let name = push(text(said), &[]);
    let descriptor_of_new = descriptor("(Ljava/lang/String;)V");
    let writer =
        push(Operation::Construct { class: writer_class.clone(), descriptor: descriptor_of_new }, &[name]);
    let word = push(text(&format!("@{}", arguments.display())), &[]);
    let words = push(Operation::ArrayOf { element: Type::class("java/lang/String"), length: 1 }, &[word]);
    let compile = Operation::CallStatic {
        class: ClassName::internal("com/sun/tools/javac/Main"),
        name: "compile".into(),
        descriptor: descriptor("([Ljava/lang/String;Ljava/io/PrintWriter;)I"),
        interface: false,
    };
    let step = push(compile, &[words, writer]);
    debug_assert_eq!(step, COMPILES);
    let close = Operation::Call {
        class: writer_class,
        name: "close".into(),
        descriptor: descriptor("()V"),
        interface: false,
    };
    push(close, &[writer]);
    sequence
}

/// Moves everything below a folder, if it is there.
fn move_all(from: &Path, into: &Path) -> io::Result<()> {
    fs::create_dir_all(into)?;
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let (from, into) = (entry.path(), into.join(entry.file_name()));
        if from.is_dir() {
            move_all(&from, &into)?;
        } else if fs::rename(&from, &into).is_err() {
            // It lies on another disk.
            fs::copy(&from, &into)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_compiler_of_another_place_is_a_process() {
        let places = tempfile::tempdir().unwrap();
        let at = |path: &str| places.path().join(path);
        for path in ["jdk/bin/javac", "jdk/lib/server/libjvm.so", "shim/bin/javac"] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "").unwrap();
        }
        symlink(at("jdk"), at("default")).unwrap();
        symlink(at("jdk/lib"), at("shim/lib")).unwrap();
        assert!(is_of_one_jdk(&at("default/bin/javac"), &at("jdk/lib/server/libjvm.so")));
        assert!(!is_of_one_jdk(&at("shim/bin/javac"), &at("shim/lib/server/libjvm.so")));
        assert!(!is_of_one_jdk(&at("jdk/bin/nothing"), &at("jdk/lib/server/libjvm.so")));
    }
}
