//! What speaks against a failure being a bug.
//!
//! In: the steps of a failure, what was seen of them, what class files say. Out: [`Doubt`]s, and with them how likely it is that a
//! maintainer would call it a bug. Each doubt names something that the test did and no client would, or that the code does on purpose.

use probat_model::{
    ClassName, Contract, Literal, Operation, OperationTable, Step, StepId, StubBehaviour, StubMethod, Thrown,
    Type,
};
use probat_search::campaign::{FailureKind, is_entangled};
use probat_search::homes::Home;

use super::facts::Facts;
use super::null::missing;

/// How likely a failure is a bug that somebody should look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    Likely,
    Possible,
    Unlikely,
}

/// A reason to think that the code is not at fault. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// A member takes part that only its own package or subclasses can use.
    OwnPackage,
    /// A class of a package named `internal` takes part.
    Internal,
    /// A cast failed, and the test gave a generic parameter whatever it had; or it gave a `Class` of a class that a type parameter does not allow.
    IllTyped,
    /// A field is null that another method sets: the object waits for it.
    NotSetUp,
    /// The null was looked for and refused.
    Refused,
    /// What was handed in threw it.
    HandedIn,
    /// An object was used after it was closed.
    Closed,
    /// An object was given what it is made of, or what is made of it.
    Entangled,
    /// A collection was changed while something looked at it.
    Changed,
    /// `equals` is about identity, and no copy is its original.
    Identity,
    /// It did not happen again, or not where the classes had just been loaded.
    NotRepeated,
    /// It ran into a limit with a stand-in of the test or a thread of the JVM in its hands, which may never end.
    Endless,
    /// A stand-in of the test compares, and what it says is no order.
    Disorder,
    /// Null was given.
    NullGiven,
    /// The code throws it on purpose.
    Deliberate,
    /// The JDK threw it, on what the code gave it.
    InJdk,
    /// A deprecated member takes part.
    Deprecated,
    /// The null came as a value whose type the caller chooses, such as an element of a collection.
    NullElement,
    /// A method that the test called has an assertion about what it was given.
    Precondition,
    /// The rule is advice, which its own documentation allows to leave aside.
    Advice,
    /// A limit on time or memory was reached, which much work does too.
    Limit,
}

impl Doubt {
    /// The most that can be said of a failure with this doubt.
    pub fn leaves(self) -> Likelihood {
        match self {
            Doubt::OwnPackage
            | Doubt::Internal
            | Doubt::IllTyped
            | Doubt::NotSetUp
            | Doubt::Refused
            | Doubt::HandedIn
            | Doubt::Closed
            | Doubt::Entangled
            | Doubt::Changed
            | Doubt::Identity
            | Doubt::NotRepeated
            | Doubt::Endless
            | Doubt::Disorder => Likelihood::Unlikely,
            Doubt::NullGiven
            | Doubt::Deliberate
            | Doubt::InJdk
            | Doubt::Deprecated
            | Doubt::NullElement
            | Doubt::Precondition
            | Doubt::Advice
            | Doubt::Limit => Likelihood::Possible,
        }
    }
}

/// How likely a failure with these doubts is a bug.
pub fn likelihood(doubts: &[Doubt]) -> Likelihood {
    doubts.iter().map(|doubt| doubt.leaves()).max().unwrap_or(Likelihood::Likely)
}

/// A failure as it was last seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub table: &'a OperationTable,
    pub steps: &'a [Step],
    pub kind: &'a FailureKind,
    pub thrown: Option<&'a Thrown>,
    /// Steps whose values broke a contract.
    pub of: &'a [StepId],
    /// Run-time classes of what the steps gave.
    pub classes: &'a [Option<ClassName>],
    /// Steps that gave null.
    pub nulls: &'a [StepId],
    pub is_repeated: bool,
}

/// Packages whose code is not what a user tests.
const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/org/"];

pub(crate) fn is_jdk(class: &ClassName) -> bool {
    JDK.iter().any(|package| class.as_internal().starts_with(package))
}

/// Everything that speaks against it, in the order of the enum.
pub(crate) fn doubts(evidence: &Evidence<'_>, facts: &dyn Facts) -> Vec<Doubt> {
    let is_asked_for = match evidence.kind {
        // The user said that it must not happen.
        FailureKind::Contract(Contract::User(_)) | FailureKind::Exception(_) => true,
        FailureKind::Contract(_)
        | FailureKind::TimedOut
        | FailureKind::Exhausted
        | FailureKind::Died
        | FailureKind::Exits => false,
    };
    let mut found = Vec::new();
    if !evidence.is_repeated {
        found.push(Doubt::NotRepeated);
    }
    if is_asked_for {
        return found;
    }
    of_steps(evidence, facts, &mut found);
    of_kind(evidence, facts, &mut found);
    if let Some(thrown) = evidence.thrown {
        of_thrown(evidence, thrown, facts, &mut found);
    }
    if *evidence.kind == FailureKind::Contract(Contract::CloneEquals) && is_about_identity(evidence, facts) {
        found.push(Doubt::Identity);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What the kind of failure says by itself.
fn of_kind(evidence: &Evidence<'_>, facts: &dyn Facts, found: &mut Vec<Doubt>) {
    match evidence.kind {
        FailureKind::TimedOut | FailureKind::Exhausted => {
            found.push(Doubt::Limit);
            if hands_in_endless(evidence, facts) {
                found.push(Doubt::Endless);
            }
        }
        FailureKind::Died if hands_in_endless(evidence, facts) => found.push(Doubt::Endless),
        // "Strongly recommended, but not strictly required" (`Comparable`); "not absolute requirements" (`Object.clone`).
        FailureKind::Contract(
            Contract::CompareToEquals | Contract::CloneSame | Contract::CloneClass | Contract::CloneEquals,
        ) => found.push(Doubt::Advice),
        FailureKind::Contract(_) | FailureKind::Exception(_) | FailureKind::Died | FailureKind::Exits => {}
    }
}

/// Whether a stand-in takes part, which gives the same answer for ever, or a thread that the JVM runs for itself.
fn hands_in_endless(evidence: &Evidence<'_>, facts: &dyn Facts) -> bool {
    let thread = ClassName::internal("java/lang/Thread");
    let is_thread = |class: &ClassName| is_jdk(class) && facts.is_subclass(class, &thread);
    let gives_thread = |operation: &Operation| match operation.result() {
        Some(Type::Class(class)) => is_thread(&class),
        _ => false,
    };
    let mut operations = evidence.steps.iter().map(|step| evidence.table.get(step.operation));
    operations.any(|operation| matches!(operation, Operation::Stub(_)) || gives_thread(operation))
        || evidence.classes.iter().flatten().any(is_thread)
}

/// What the test did.
fn of_steps(evidence: &Evidence<'_>, facts: &dyn Facts, found: &mut Vec<Doubt>) {
    let operations = || evidence.steps.iter().map(|step| evidence.table.get(step.operation));
    if operations().any(|operation| facts.home(operation) != Home::Anywhere || is_mangled(operation)) {
        found.push(Doubt::OwnPackage);
    }
    if operations().filter_map(owner).any(is_internal) {
        found.push(Doubt::Internal);
    }
    if operations().any(|operation| facts.is_deprecated(operation)) {
        found.push(Doubt::Deprecated);
    }
    if gives_wrong_class(evidence, facts) {
        found.push(Doubt::IllTyped);
    }
    if operations().any(compares_badly) {
        found.push(Doubt::Disorder);
    }
    if is_entangled(evidence.table, evidence.steps) {
        found.push(Doubt::Entangled);
    }
    let last = evidence.steps.len().saturating_sub(1);
    let closes = |at: usize, operation: &Operation| match operation {
        Operation::Call { name, .. } => {
            name == "close" && (at < last || *evidence.kind != FailureKind::Contract(Contract::NullPointer))
        }
        _ => false,
    };
    if operations().enumerate().any(|(at, operation)| closes(at, operation)) {
        found.push(Doubt::Closed);
    }
}

/// Whether a stand-in puts anything before itself: an order answers 0 to that.
fn compares_badly(operation: &Operation) -> bool {
    let Operation::Stub(spec) = operation else { return false };
    let is_bad = |method: &StubMethod| {
        matches!(method.name.as_str(), "compare" | "compareTo")
            && match &method.behaviour {
                StubBehaviour::Constant(Literal::Int(answer)) => *answer != 0,
                StubBehaviour::Throw(_) => true,
                StubBehaviour::Constant(_)
                | StubBehaviour::Default
                | StubBehaviour::Parameter(_)
                | StubBehaviour::Captured(_) => false,
            }
    };
    matches!(spec.of.as_internal(), "java/util/Comparator" | "java/lang/Comparable")
        && spec.methods.iter().any(is_bad)
}

/// Whether a call got a `Class` that its type parameter does not allow, as no source without a raw type does.
fn gives_wrong_class(evidence: &Evidence<'_>, facts: &dyn Facts) -> bool {
    let given = |step: StepId| match evidence
        .steps
        .get(usize::from(step.0))
        .map(|step| evidence.table.get(step.operation))
    {
        Some(Operation::Literal(Literal::Class(of))) => Some(of),
        _ => None,
    };
    evidence.steps.iter().any(|step| {
        let operation = evidence.table.get(step.operation);
        let mut each = step.args.iter().enumerate();
        each.any(|(at, &arg)| given(arg).is_some_and(|class| facts.breaks_bound(operation, at, class)))
    })
}

/// What was thrown, and by whom.
fn of_thrown(evidence: &Evidence<'_>, thrown: &Thrown, facts: &dyn Facts, found: &mut Vec<Doubt>) {
    let class = thrown.class.as_internal();
    let null_given = || {
        let is_null =
            |step: &Step| matches!(evidence.table.get(step.operation), Operation::Literal(Literal::Null(_)));
        let passes_null = |step: &Step| step.args.iter().any(|arg| evidence.nulls.contains(arg));
        evidence.steps.iter().any(|step| is_null(step) || passes_null(step))
    };
    match class {
        "java/lang/ClassCastException" | "java/lang/ArrayStoreException" => {
            let operations = evidence.steps.iter().map(|step| evidence.table.get(step.operation));
            if operations.into_iter().any(|operation| facts.takes_generics(operation)) {
                found.push(Doubt::IllTyped);
            }
        }
        "java/util/ConcurrentModificationException" => found.push(Doubt::Changed),
        "java/lang/NullPointerException" => of_null(thrown, facts, found),
        "java/lang/AssertionError" if is_called_by_test(evidence, thrown) => found.push(Doubt::Precondition),
        _ => {}
    }
    if class == "java/lang/NullPointerException" && null_given() {
        found.push(Doubt::NullGiven);
    }
    let Some(top) = thrown.frames.first() else { return };
    let is_refusal = class == "java/lang/NullPointerException" && is_null_check(&top.method);
    if class != "java/lang/AssertionError" && !is_jdk(&top.class) && facts.throws_itself(top) {
        found.push(if class == "java/lang/NullPointerException" {
            Doubt::Refused
        } else {
            Doubt::Deliberate
        });
        if is_guest(evidence, &top.class, facts) {
            found.push(Doubt::HandedIn);
        }
    } else if is_jdk(&top.class) && !is_refusal {
        found.push(Doubt::InJdk);
    }
}

/// Where a null came from.
fn of_null(thrown: &Thrown, facts: &dyn Facts, found: &mut Vec<Doubt>) {
    let Some(top) = thrown.frames.first() else { return };
    if is_null_check(&top.method) {
        found.push(Doubt::Refused);
    }
    let Some(name) = missing(thrown) else { return };
    // A variable; not a field, nor what a call gave.
    if !name.contains(['.', '(']) && !is_jdk(&top.class) && facts.takes_elements(top) {
        found.push(Doubt::NullElement);
    }
    if let Some((class, field)) = given_by_getter(&name, facts)
        && !is_jdk(&class)
        && facts.is_set_later(&class, &field)
    {
        found.push(Doubt::NotSetUp);
    }
    let Some(field) = name.strip_prefix("this.").map(str::to_owned) else { return };
    if is_jdk(&top.class) {
        // The JDK makes whole objects, unless somebody calls what is there for subclasses.
        found.push(Doubt::HandedIn);
    } else if facts.is_set_later(&top.class, &field) {
        found.push(Doubt::NotSetUp);
    }
}

/// The class and the field that `a.B.getC()` gives.
fn given_by_getter(name: &str, facts: &dyn Facts) -> Option<(ClassName, String)> {
    let (class, method) = name.strip_suffix("()")?.rsplit_once('.')?;
    let class = ClassName::internal(&class.replace('.', "/"));
    let field = facts.getter_of(&class, method)?;
    Some((class, field))
}

/// Whether a compiler made the name: `$` is for such (JLS §3.8), as in what only its own module can call in Kotlin.
fn is_mangled(operation: &Operation) -> bool {
    match operation {
        Operation::Call { name, .. } | Operation::CallStatic { name, .. } => name.contains('$'),
        _ => false,
    }
}

/// Whether the innermost method is the one that the last step calls.
fn is_called_by_test(evidence: &Evidence<'_>, thrown: &Thrown) -> bool {
    let called = evidence.steps.last().map(|step| evidence.table.get(step.operation));
    let (Some(top), Some(called)) = (thrown.frames.first(), called) else { return false };
    match called {
        Operation::Call { class, name, .. } | Operation::CallStatic { class, name, .. } => {
            *class == top.class && *name == top.method
        }
        Operation::Construct { class, .. } => *class == top.class && top.method == "<init>",
        _ => false,
    }
}

/// Whether a method is there to refuse null, by its name.
fn is_null_check(method: &str) -> bool {
    let lower = method.to_ascii_lowercase();
    ["notnull", "nonnull"].iter().any(|word| lower.contains(word))
}

/// Whether a class is that of something the test made and handed in, and not of what was judged.
fn is_guest(evidence: &Evidence<'_>, class: &ClassName, facts: &dyn Facts) -> bool {
    let last = evidence.steps.last();
    let receiver = last.and_then(|step| step.args.first()).copied();
    let judged: Vec<StepId> =
        if evidence.of.is_empty() { receiver.into_iter().collect() } else { evidence.of.to_vec() };
    let is_a = |step: usize| {
        evidence.classes.get(step).and_then(Option::as_ref).is_some_and(|own| facts.is_subclass(own, class))
    };
    let of_judged = judged.iter().any(|step| is_a(usize::from(step.0)));
    !of_judged && (0..evidence.steps.len()).any(is_a)
}

fn is_about_identity(evidence: &Evidence<'_>, facts: &dyn Facts) -> bool {
    let classes = evidence.of.iter().filter_map(|step| evidence.classes.get(usize::from(step.0))?.as_ref());
    classes.into_iter().any(|class| facts.is_equal_by_identity(class))
}

fn owner(operation: &Operation) -> Option<&ClassName> {
    match operation {
        Operation::Construct { class, .. }
        | Operation::Call { class, .. }
        | Operation::CallStatic { class, .. }
        | Operation::GetStatic { class, .. }
        | Operation::PutStatic { class, .. }
        | Operation::GetField { class, .. }
        | Operation::PutField { class, .. } => Some(class),
        _ => None,
    }
}

fn is_internal(class: &ClassName) -> bool {
    !is_jdk(class) && class.package().split('/').any(|part| part == "internal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{Frame, JavaString, MethodDescriptor, StubSpec};

    /// Answers by name: classes that begin with `Hidden` are not public, methods named `refuse` throw, `Base` is above all.
    struct Named;

    impl Facts for Named {
        fn home(&self, operation: &Operation) -> Home {
            let is_hidden = owner(operation).is_some_and(|class| class.simple().starts_with("Hidden"));
            if is_hidden { Home::In("a".into()) } else { Home::Anywhere }
        }

        fn is_deprecated(&self, operation: &Operation) -> bool {
            owner(operation).is_some_and(|class| class.simple() == "Old")
        }

        fn takes_generics(&self, operation: &Operation) -> bool {
            matches!(operation, Operation::Call { name, .. } if name == "add")
        }

        fn breaks_bound(&self, operation: &Operation, argument: usize, class: &Type) -> bool {
            self.takes_generics(operation) && argument == 1 && *class == Type::class("a/Wrong")
        }

        fn declarer(&self, class: &ClassName, _: &str, _: &str) -> Option<ClassName> {
            Some(class.clone())
        }

        fn is_subclass(&self, class: &ClassName, of: &ClassName) -> bool {
            class == of || of.simple() == "Base"
        }

        fn throws_itself(&self, frame: &Frame) -> bool {
            frame.method == "refuse"
        }

        fn is_set_later(&self, _: &ClassName, field: &str) -> bool {
            field == "later"
        }

        fn getter_of(&self, _: &ClassName, method: &str) -> Option<String> {
            method.strip_prefix("get").map(str::to_lowercase)
        }

        fn is_equal_by_identity(&self, class: &ClassName) -> bool {
            class.simple() == "Alone"
        }

        fn takes_elements(&self, frame: &Frame) -> bool {
            frame.method == "compare"
        }
    }

    /// `receiver = new R(); other = new G(); receiver.call(other)`, and what was thrown where.
    #[track_caller]
    fn check(classes: [&str; 2], call: &str, thrown: Option<(&str, &str, &str)>, expected: &[Doubt]) {
        let mut table = OperationTable::new();
        let class = |name: &str| ClassName::internal(name);
        let descriptor = |text: &str| MethodDescriptor::parse(text).unwrap();
        let mut steps = Vec::new();
        for name in classes {
            let new = Operation::Construct { class: class(name), descriptor: descriptor("()V") };
            steps.push(Step { operation: table.intern(new), args: Default::default() });
        }
        let operation = table.intern(Operation::Call {
            class: class(classes[0]),
            name: call.into(),
            descriptor: descriptor("(Ljava/lang/Object;)V"),
            interface: false,
        });
        steps.push(Step { operation, args: [StepId(0), StepId(1)].into_iter().collect() });
        let thrown = thrown.map(|(exception, of, method)| Thrown {
            class: class(exception),
            message: None,
            cause: None,
            frames: vec![Frame { class: class(of), method: method.into(), line: Some(1) }],
        });
        let contract = if thrown.is_some() { Contract::ToStringThrows } else { Contract::EqualsSymmetric };
        let evidence = Evidence {
            table: &table,
            steps: &steps,
            kind: &FailureKind::Contract(contract),
            thrown: thrown.as_ref(),
            of: &[StepId(0)],
            classes: &[Some(class(classes[0])), Some(class(classes[1])), None],
            nulls: &[],
            is_repeated: true,
        };
        assert_eq!(doubts(&evidence, &Named), expected);
    }

    const INDEX: &str = "java/lang/ArrayIndexOutOfBoundsException";
    const STATE: &str = "java/lang/IllegalStateException";
    const CAST: &str = "java/lang/ClassCastException";
    const NULL: &str = "java/lang/NullPointerException";

    #[test]
    fn an_accident_in_public_code_is_not_doubted() {
        check(["a/R", "a/G"], "call", Some((INDEX, "a/R", "get")), &[]);
        check(["a/R", "a/G"], "call", None, &[]);
    }

    #[test]
    fn who_throws_on_purpose_and_who_was_handed_in_are_told() {
        check(["a/R", "a/G"], "call", Some((STATE, "a/R", "refuse")), &[Doubt::Deliberate]);
        check(["a/R", "a/G"], "call", Some((STATE, "a/G", "refuse")), &[Doubt::HandedIn, Doubt::Deliberate]);
        check(["a/R", "a/G"], "call", Some((STATE, "a/Base", "refuse")), &[Doubt::Deliberate]);
        check(["a/R", "a/G"], "call", Some((NULL, "a/R", "refuse")), &[Doubt::Refused]);
        check(["a/R", "a/G"], "call", Some((NULL, "java/util/Objects", "requireNonNull")), &[Doubt::Refused]);
        check(["a/R", "a/G"], "call", Some((NULL, "java/util/TreeMap", "put")), &[Doubt::InJdk]);
    }

    #[test]
    fn a_failed_cast_is_doubted_where_generics_were_given_anything() {
        check(["a/R", "a/G"], "add", Some((CAST, "a/R", "get")), &[Doubt::IllTyped]);
        check(["a/R", "a/G"], "call", Some((CAST, "a/R", "get")), &[]);
    }

    #[test]
    fn a_class_that_a_type_parameter_does_not_allow_is_doubted() {
        let mut table = OperationTable::new();
        let mut given = |class: &str, call: &str| {
            let literal = table.intern(Operation::Literal(Literal::Class(Type::class(class))));
            let operation = table.intern(Operation::Call {
                class: ClassName::internal("a/R"),
                name: call.into(),
                descriptor: MethodDescriptor::parse("(Ljava/lang/Class;)V").unwrap(),
                interface: false,
            });
            let receiver = table.intern(Operation::Literal(Literal::Null(Type::class("a/R"))));
            let steps = vec![
                Step { operation: receiver, args: Default::default() },
                Step { operation: literal, args: Default::default() },
                Step { operation, args: [StepId(0), StepId(1)].into_iter().collect() },
            ];
            let kind = FailureKind::Contract(Contract::NullPointer);
            let evidence = Evidence {
                table: &table,
                steps: &steps,
                kind: &kind,
                thrown: None,
                of: &[],
                classes: &[],
                nulls: &[],
                is_repeated: true,
            };
            doubts(&evidence, &Named)
        };
        assert_eq!(given("a/Wrong", "add"), [Doubt::IllTyped]);
        assert_eq!(given("a/Right", "add"), []);
        assert_eq!(given("a/Wrong", "call"), []);
    }

    #[test]
    fn what_no_client_would_do_is_doubted() {
        check(["a/Hidden", "a/G"], "call", None, &[Doubt::OwnPackage]);
        check(["a/internal/R", "a/G"], "call", None, &[Doubt::Internal]);
        check(["a/R", "a/G"], "close", None, &[Doubt::Closed]);
        check(["a/Old", "a/G"], "call", None, &[Doubt::Deprecated]);
        check(["a/R", "a/G"], "setSize$module", None, &[Doubt::OwnPackage]);
    }

    /// Makes a value, calls a method with it, and fails in some way.
    fn of(value: Operation, nulls: &[StepId], kind: FailureKind, thrown: Option<Thrown>) -> Vec<Doubt> {
        let mut table = OperationTable::new();
        let value = table.intern(value);
        let class = ClassName::internal("a/R");
        let descriptor = MethodDescriptor::parse("(Ljava/lang/Object;)V").unwrap();
        let call = Operation::CallStatic { class, name: "call".into(), descriptor, interface: false };
        let steps = [
            Step { operation: value, args: Default::default() },
            Step { operation: table.intern(call), args: [StepId(0)].into_iter().collect() },
        ];
        let evidence = Evidence {
            table: &table,
            steps: &steps,
            kind: &kind,
            thrown: thrown.as_ref(),
            of: &[StepId(0)],
            classes: &[Some(ClassName::internal("a/Alone"))],
            nulls,
            is_repeated: true,
        };
        doubts(&evidence, &Named)
    }

    fn text() -> Operation {
        Operation::Literal(Literal::String("a".into()))
    }

    fn thrown_in(exception: &str, class: &str, method: &str, message: Option<&str>) -> Option<Thrown> {
        let frame = Frame { class: ClassName::internal(class), method: method.into(), line: Some(1) };
        let message = message.map(JavaString::from);
        Some(Thrown { class: ClassName::internal(exception), message, cause: None, frames: vec![frame] })
    }

    #[test]
    fn advice_and_limits_prove_nothing() {
        for contract in [Contract::CompareToEquals, Contract::CloneSame, Contract::CloneClass] {
            assert_eq!(of(text(), &[], FailureKind::Contract(contract), None), [Doubt::Advice]);
        }
        let copy = FailureKind::Contract(Contract::CloneEquals);
        assert_eq!(of(text(), &[], copy, None), [Doubt::Identity, Doubt::Advice]);
        assert_eq!(of(text(), &[], FailureKind::TimedOut, None), [Doubt::Limit]);
        let stub = Operation::Stub(StubSpec {
            of: ClassName::internal("java/util/Iterator"),
            is_interface: true,
            constructor: None,
            captures: Vec::new(),
            methods: Vec::new(),
        });
        assert_eq!(of(stub, &[], FailureKind::Exhausted, None), [Doubt::Endless, Doubt::Limit]);
        let class = ClassName::internal("a/Threads");
        let descriptor = MethodDescriptor::parse("()Ljava/lang/Thread;").unwrap();
        let thread = Operation::CallStatic { class, name: "find".into(), descriptor, interface: false };
        assert_eq!(of(thread, &[], FailureKind::Died, None), [Doubt::Endless]);
        assert_eq!(of(text(), &[], FailureKind::Died, None), []);
    }

    #[test]
    fn a_stand_in_that_is_no_order_proves_nothing() {
        let compare = |behaviour| {
            let descriptor = MethodDescriptor::parse("(Ljava/lang/Object;Ljava/lang/Object;)I").unwrap();
            Operation::Stub(StubSpec {
                of: ClassName::internal("java/util/Comparator"),
                is_interface: true,
                constructor: None,
                captures: Vec::new(),
                methods: vec![StubMethod { name: "compare".into(), descriptor, behaviour }],
            })
        };
        let kind = FailureKind::Contract(Contract::AssertionError);
        let always = |answer| compare(StubBehaviour::Constant(Literal::Int(answer)));
        assert_eq!(of(always(1), &[], kind.clone(), None), [Doubt::Disorder]);
        assert_eq!(of(always(0), &[], kind.clone(), None), []);
        assert_eq!(of(compare(StubBehaviour::Default), &[], kind, None), []);
    }

    #[test]
    fn an_assertion_of_the_method_called_is_about_its_arguments() {
        let kind = FailureKind::Contract(Contract::AssertionError);
        let here = thrown_in("java/lang/AssertionError", "a/R", "call", None);
        assert_eq!(of(text(), &[], kind.clone(), here), [Doubt::Precondition]);
        let deeper = thrown_in("java/lang/AssertionError", "a/R", "inner", None);
        assert_eq!(of(text(), &[], kind, deeper), []);
    }

    #[test]
    fn a_null_that_came_as_a_value_is_told() {
        let kind = FailureKind::Contract(Contract::CloneThrows);
        let because = |name: &str| Some(format!("Cannot invoke \"a.B.c()\" because \"{name}\" is null"));
        let at = |method: &str, name: &str| thrown_in(NULL, "a/R", method, because(name).as_deref());
        assert_eq!(of(text(), &[], kind.clone(), at("compare", "one")), [Doubt::NullElement]);
        assert_eq!(of(text(), &[], kind.clone(), at("compare", "a.B.get()")), []);
        assert_eq!(of(text(), &[], kind.clone(), at("get", "<local4>")), []);
        assert_eq!(of(text(), &[], kind.clone(), at("get", "a.B.getLater()")), [Doubt::NotSetUp]);
        assert_eq!(of(text(), &[], kind.clone(), at("get", "a.B.getOther()")), []);
        assert_eq!(of(text(), &[StepId(0)], kind, at("get", "node")), [Doubt::NullGiven]);
    }

    #[test]
    fn one_grave_doubt_is_enough() {
        assert_eq!(likelihood(&[]), Likelihood::Likely);
        assert_eq!(likelihood(&[Doubt::Deprecated, Doubt::InJdk]), Likelihood::Possible);
        assert_eq!(likelihood(&[Doubt::Internal, Doubt::Deprecated]), Likelihood::Unlikely);
    }
}
