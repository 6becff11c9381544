//! Contracts of the user, found in class files.
//!
//! In: classes under test, whose methods may be annotated, and classes whose public static methods are contracts. Out:
//! [`UserContract`]s, and the methods that look like contracts but cannot be one, each with the reason.
//!
//! ```text
//! annotated      @CheckRep boolean ok()           void ok()           static boolean ok(Cart cart)
//! of an object   public static boolean any(Cart cart)                 or void, and throws
//! of a call      public static boolean before_add(Cart cart, int price)
//!                public static boolean after_add(Cart cart, int price, int result)
//! ```

use probat_analysis::{ClassId, MethodId, World};
use probat_classfile::AccessFlags;
use probat_model::{ClassName, JudgedCall, Judges, MethodDescriptor, Operation, Target, Type, UserContract};

/// Simple names of annotations that make a method a contract, whatever their package.
pub const ANNOTATIONS: [&str; 2] = ["CheckRep", "Invariant"];

const BEFORE: &str = "before_";
const AFTER: &str = "after_";

/// A method that looks like a contract and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoContract {
    /// `com.acme.CartRules.before_ad`.
    pub method: String,
    pub reason: String,
    /// The name of a method it is about that no class under test has.
    pub about: Option<String>,
}

/// What was found in some classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contracts {
    pub found: Vec<UserContract>,
    pub refused: Vec<NoContract>,
}

/// A method to look at.
struct Candidate {
    id: MethodId,
    class: ClassName,
    name: String,
    descriptor: MethodDescriptor,
    is_static: bool,
    is_private: bool,
    is_interface: bool,
}

impl Candidate {
    fn full_name(&self) -> String {
        format!("{}.{}", self.class.to_binary().replace('$', "."), self.name)
    }

    fn contract(&self, judges: Judges) -> UserContract {
        let (class, name, descriptor) = (self.class.clone(), self.name.clone(), self.descriptor.clone());
        let interface = self.is_interface;
        let operation = if self.is_static {
            Operation::CallStatic { class, name, descriptor, interface }
        } else {
            Operation::Call { class, name, descriptor, interface }
        };
        UserContract { name: self.full_name(), operation, is_private: self.is_private, judges }
    }

    fn refused(&self, reason: impl Into<String>) -> NoContract {
        NoContract { method: self.full_name(), reason: reason.into(), about: None }
    }

    /// Whether it answers as a contract does.
    fn answers(&self) -> bool {
        matches!(self.descriptor.returns, None | Some(Type::Boolean))
    }
}

/// Methods of the classes and of what they extend that are annotated as contracts.
pub fn annotated(world: &mut World<'_>, classes: &[ClassName]) -> Contracts {
    let mut open: Vec<ClassId> = classes.iter().map(|class| world.load(class)).collect();
    let mut seen = std::collections::BTreeSet::new();
    let mut out = Contracts::default();
    while let Some(class) = open.pop() {
        if !seen.insert(class) || world.class(class).name.as_internal().starts_with("java/") {
            continue;
        }
        open.extend(world.class(class).supertypes());
        for candidate in candidates(world, class) {
            if is_annotated(world, candidate.id) {
                match of_object(&candidate) {
                    Ok(contract) => out.found.push(contract),
                    Err(refused) => out.refused.push(refused),
                }
            }
        }
    }
    out.found.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

/// The public static methods of a class as contracts about the classes under test.
pub fn of_class(world: &mut World<'_>, class: &ClassName, under_test: &[ClassName]) -> Contracts {
    let id = world.load(class);
    let called = members(world, under_test);
    let mut out = Contracts::default();
    for candidate in candidates(world, id) {
        let is_public = world.method(candidate.id).access.has(AccessFlags::PUBLIC);
        if !candidate.is_static || !is_public || candidate.name == "main" {
            continue;
        }
        if !candidate.answers() {
            out.refused.push(candidate.refused("it gives neither a boolean nor nothing"));
            continue;
        }
        match candidate.name.split_once('_').map(|(kind, name)| (format!("{kind}_"), name)) {
            Some((kind, name)) if kind == BEFORE || kind == AFTER => {
                let found = of_calls(world, &candidate, name, kind == AFTER, &called);
                match found {
                    Ok(contracts) => out.found.extend(contracts),
                    Err(refused) => out.refused.push(refused),
                }
            }
            _ => match of_object(&candidate) {
                Ok(contract) => out.found.push(contract),
                Err(refused) => out.refused.push(refused),
            },
        }
    }
    out.found.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

fn candidates(world: &World<'_>, class: ClassId) -> Vec<Candidate> {
    let of = world.class(class);
    let mut found = Vec::new();
    for id in world.methods_of(class) {
        let method = world.method(id);
        let name = world.method_name(id).to_owned();
        if name.starts_with('<') || method.is_unknown() || method.access.has(AccessFlags::SYNTHETIC) {
            continue;
        }
        let Some(descriptor) = world.method_descriptor(id) else { continue };
        found.push(Candidate {
            id,
            class: of.name.clone(),
            name,
            descriptor,
            is_static: method.is_static(),
            is_private: method.is_private(),
            is_interface: of.is_interface(),
        });
    }
    found
}

fn is_annotated(world: &World<'_>, method: MethodId) -> bool {
    let found = world.method(method);
    let Some(file) = world.file(found.class) else { return false };
    let (name, descriptor) = (world.method_name(method), world.method_descriptor_text(method));
    let Some(at) = file.find_method(name, descriptor) else { return false };
    let attributes = file.methods[at].attributes(&file.pool);
    [true, false].iter().any(|&visible| {
        let all = attributes.annotations(visible).unwrap_or_default();
        all.iter().any(|annotation| match &annotation.ty {
            Type::Class(class) => {
                ANNOTATIONS.contains(&class.simple().rsplit('$').next().unwrap_or_default())
            }
            _ => false,
        })
    })
}

/// A contract of one object: its own method without parameters, or a static one that takes it.
fn of_object(candidate: &Candidate) -> Result<UserContract, NoContract> {
    if !candidate.answers() {
        return Err(candidate.refused("it gives neither a boolean nor nothing"));
    }
    match (candidate.is_static, candidate.descriptor.params.as_slice()) {
        (false, []) => Ok(candidate.contract(Judges::Object(Type::Class(candidate.class.clone())))),
        (false, _) => Err(candidate.refused("it takes parameters; the object is all there is to judge")),
        (true, [one]) if one.is_reference() => Ok(candidate.contract(Judges::Object(one.clone()))),
        (true, [_]) => {
            Err(candidate.refused("it takes a primitive value, and only objects and calls are judged"))
        }
        (true, _) => Err(candidate.refused(
            "a contract takes one parameter, the object it judges, or is named `before_method` or `after_method`",
        )),
    }
}

/// A member of a class under test.
struct Member {
    class: ClassName,
    /// As source calls it: a constructor is named after its class.
    name: String,
    operation: Operation,
}

fn members(world: &mut World<'_>, classes: &[ClassName]) -> Vec<Member> {
    let mut found = Vec::new();
    for class in classes {
        let id = world.load(class);
        for method in world.methods_of(id) {
            let (is_static, is_unknown) =
                (world.method(method).is_static(), world.method(method).is_unknown());
            let name = world.method_name(method).to_owned();
            let Some(descriptor) = world.method_descriptor(method) else { continue };
            if is_unknown || name == "<clinit>" {
                continue;
            }
            let class = class.clone();
            let simple = class.simple().rsplit('$').next().unwrap_or_default().to_owned();
            let (name, operation) = if name == "<init>" {
                (simple, Operation::Construct { class: class.clone(), descriptor })
            } else if is_static {
                let called = name.clone();
                let operation = Operation::CallStatic {
                    class: class.clone(),
                    name: called,
                    descriptor,
                    interface: false,
                };
                (name, operation)
            } else {
                let called = name.clone();
                let operation =
                    Operation::Call { class: class.clone(), name: called, descriptor, interface: false };
                (name, operation)
            };
            found.push(Member { class, name, operation });
        }
    }
    found
}

/// A contract of calls, once per signature it fits.
fn of_calls(
    world: &mut World<'_>,
    candidate: &Candidate,
    name: &str,
    is_after: bool,
    called: &[Member],
) -> Result<Vec<UserContract>, NoContract> {
    let namesakes: Vec<&Member> = called.iter().filter(|member| member.name == name).collect();
    if namesakes.is_empty() {
        let about = Some(name.to_owned());
        let reason = format!("no class under test has a method `{name}`");
        return Err(NoContract { about, ..candidate.refused(reason) });
    }
    let mut found: Vec<UserContract> = Vec::new();
    for member in &namesakes {
        let Some(call) = fits(world, candidate, member, is_after) else { continue };
        let judges = if is_after { Judges::After(call) } else { Judges::Before(call) };
        let contract = candidate.contract(judges);
        if !found.contains(&contract) {
            found.push(contract);
        }
    }
    if found.is_empty() {
        let wanted = wanted(namesakes[0], is_after);
        return Err(candidate.refused(format!("it would have to take ({wanted})")));
    }
    Ok(found)
}

/// The call a contract judges, if it takes what the member takes, and gives where it comes after.
fn fits(world: &mut World<'_>, candidate: &Candidate, member: &Member, is_after: bool) -> Option<JudgedCall> {
    let taken = candidate.descriptor.params.as_slice();
    let (target, name, descriptor, taken) = match &member.operation {
        Operation::Call { name, descriptor, .. } => {
            let (Type::Class(receiver), rest) = taken.split_first()? else { return None };
            world.load(receiver);
            let is_above =
                world.is_subtype(&Type::Class(member.class.clone()), &Type::Class(receiver.clone()));
            if !is_above {
                return None;
            }
            (Target::Receiver(receiver.clone()), name.clone(), descriptor, rest)
        }
        Operation::CallStatic { name, descriptor, .. } => {
            (Target::Static(member.class.clone()), name.clone(), descriptor, taken)
        }
        _ => {
            let Operation::Construct { descriptor, .. } = &member.operation else { return None };
            (Target::New(member.class.clone()), "<init>".into(), descriptor, taken)
        }
    };
    let mut wanted = descriptor.params.clone();
    if is_after {
        wanted.extend(member.operation.result());
    }
    (wanted == taken).then(|| JudgedCall { target, name, descriptor: descriptor.clone() })
}

/// The parameters a contract of the member has, in words.
fn wanted(member: &Member, is_after: bool) -> String {
    let mut all = member.operation.params();
    if is_after {
        all.extend(member.operation.result());
    }
    let words: Vec<String> = all.iter().map(ToString::to_string).collect();
    words.join(", ")
}
