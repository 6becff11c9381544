//! The calls that start JUnit.
//!
//! In: a place with tests, tests to leave out. Out: a sequence that runs the rest, by the console launcher or by the interface of the launcher,
//! and ends with what JUnit printed, if anything.

use std::path::Path;

use probat_model::{ClassName, Literal, MethodDescriptor, Operation, OperationTable, Sequence, StepId, Type};

use super::launch::Killers;

/// `ConsoleLauncher.run(writer, writer, new String[] {…})`.
pub fn console_call(table: &mut OperationTable, tests: &Path, killers: &Killers, result: &str) -> Sequence {
    let mut words = vec![
        "execute".to_owned(),
        "--disable-banner".into(),
        "--details=none".into(),
        "--include-classname=.*".into(),
        format!("--scan-class-path={}", tests.display()),
    ];
    let (methods, classes) = killers.patterns();
    words.extend(methods.iter().map(|pattern| format!("--exclude-methodname={pattern}")));
    words.extend(classes.iter().map(|pattern| format!("--exclude-classname={pattern}")));
    let mut call = Builder::new(table);
    let text = call.construct("java/io/StringWriter", "()V", &[]);
    let writer = call.construct("java/io/PrintWriter", "(Ljava/io/Writer;)V", &[text]);
    let words = call.strings(&words);
    let descriptor = format!("(Ljava/io/PrintWriter;Ljava/io/PrintWriter;[Ljava/lang/String;)L{result};");
    let console = "org/junit/platform/console/ConsoleLauncher";
    call.call_static(console, "run", &descriptor, false, &[writer, writer, words]);
    call.call("java/io/StringWriter", "toString", "()Ljava/lang/String;", false, &[text]);
    call.sequence
}

/// `LauncherFactory.create().execute(request().selectors(selectClasspathRoots(…)).filters(…).build())`. Where JUnit is too old to leave out
/// single methods, `by_method` is false, and classes are left out as a whole.
pub fn interface_call(
    table: &mut OperationTable,
    tests: &Path,
    killers: &Killers,
    by_method: bool,
) -> Sequence {
    let (methods, classes) = match killers.patterns() {
        found if by_method => found,
        _ => (Vec::new(), killers.classes()),
    };
    let mut call = Builder::new(table);
    let place = call.string(&tests.display().to_string());
    let file = call.construct("java/io/File", "(Ljava/lang/String;)V", &[place]);
    let path = call.call("java/io/File", "toPath", "()Ljava/nio/file/Path;", false, &[file]);
    let singleton = "(Ljava/lang/Object;)Ljava/util/Set;";
    let places = call.call_static("java/util/Collections", "singleton", singleton, false, &[path]);
    let selectors = "org/junit/platform/engine/discovery/DiscoverySelectors";
    let roots = "(Ljava/util/Set;)Ljava/util/List;";
    let selected = call.call_static(selectors, "selectClasspathRoots", roots, false, &[places]);
    let mut filters = vec![call.filter(CLASS_FILTER, "includeClassNamePatterns", &[".*".to_owned()])];
    if !classes.is_empty() {
        filters.push(call.filter(CLASS_FILTER, "excludeClassNamePatterns", &classes));
    }
    if !methods.is_empty() {
        filters.push(call.filter(METHOD_FILTER, "excludeMethodNamePatterns", &methods));
    }
    let filters = call.array("org/junit/platform/engine/Filter", &filters);
    let request = call.call_static(BUILDER, "request", &format!("()L{BUILDER};"), false, &[]);
    let choose = format!("(Ljava/util/List;)L{BUILDER};");
    call.call(BUILDER, "selectors", &choose, false, &[request, selected]);
    let filter = format!("([Lorg/junit/platform/engine/Filter;)L{BUILDER};");
    call.call(BUILDER, "filters", &filter, false, &[request, filters]);
    let build = format!("()L{REQUEST};");
    let request = call.call(BUILDER, "build", &build, false, &[request]);
    let factory = "org/junit/platform/launcher/core/LauncherFactory";
    let launcher = call.call_static(factory, "create", &format!("()L{LAUNCHER};"), false, &[]);
    let listeners = call.array("org/junit/platform/launcher/TestExecutionListener", &[]);
    let execute = format!("(L{REQUEST};[Lorg/junit/platform/launcher/TestExecutionListener;)V");
    call.call(LAUNCHER, "execute", &execute, true, &[launcher, request, listeners]);
    call.sequence
}

const BUILDER: &str = "org/junit/platform/launcher/core/LauncherDiscoveryRequestBuilder";
const REQUEST: &str = "org/junit/platform/launcher/LauncherDiscoveryRequest";
const LAUNCHER: &str = "org/junit/platform/launcher/Launcher";
const CLASS_FILTER: &str = "org/junit/platform/engine/discovery/ClassNameFilter";
/// In JUnit from 5.12 on.
pub const METHOD_FILTER: &str = "org/junit/platform/launcher/MethodFilter";

/// A sequence being written.
struct Builder<'t> {
    table: &'t mut OperationTable,
    sequence: Sequence,
}

impl<'t> Builder<'t> {
    fn new(table: &'t mut OperationTable) -> Self {
        Builder { table, sequence: Sequence::new() }
    }

    fn push(&mut self, operation: Operation, args: &[StepId]) -> StepId {
        let id = self.table.intern(operation);
        self.sequence.push(self.table, id, args.iter().copied()).expect("written here")
    }

    fn construct(&mut self, class: &str, descriptor: &str, args: &[StepId]) -> StepId {
        let descriptor = MethodDescriptor::parse(descriptor).expect("written here");
        self.push(Operation::Construct { class: ClassName::internal(class), descriptor }, args)
    }

    fn call(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        interface: bool,
        args: &[StepId],
    ) -> StepId {
        let descriptor = MethodDescriptor::parse(descriptor).expect("written here");
        let class = ClassName::internal(class);
        self.push(Operation::Call { class, name: name.into(), descriptor, interface }, args)
    }

    fn call_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        interface: bool,
        args: &[StepId],
    ) -> StepId {
        let descriptor = MethodDescriptor::parse(descriptor).expect("written here");
        let class = ClassName::internal(class);
        self.push(Operation::CallStatic { class, name: name.into(), descriptor, interface }, args)
    }

    fn string(&mut self, text: &str) -> StepId {
        self.push(Operation::Literal(Literal::String(text.into())), &[])
    }

    fn strings(&mut self, texts: &[String]) -> StepId {
        let texts: Vec<StepId> = texts.iter().map(|text| self.string(text)).collect();
        self.array("java/lang/String", &texts)
    }

    fn array(&mut self, element: &str, elements: &[StepId]) -> StepId {
        let length = elements.len() as u32;
        self.push(Operation::ArrayOf { element: Type::class(element), length }, elements)
    }

    /// A static method of an interface that makes a filter of patterns.
    fn filter(&mut self, class: &str, name: &str, patterns: &[String]) -> StepId {
        let patterns = self.strings(patterns);
        let descriptor = format!("([Ljava/lang/String;)L{class};");
        self.call_static(class, name, &descriptor, true, &[patterns])
    }
}
