//! What is called on a class, with every combination of arguments.
//!
//! In: a class, which methods, argument pools. Out: [`Plan`]: constructors and calls as [`Action`]s whose steps only need to be
//! appended to a sequence. What cannot be called is told with the reason.

use probat_analysis::members::Nesting;
use probat_analysis::{ClassId, MethodId, World};
use probat_classfile::AccessFlags;
use probat_model::{
    ClassName, Literal, MethodDescriptor, Operation, OperationId, OperationTable, Step, StepId, Type,
};
use smallvec::SmallVec;

use crate::pool::{Argument, PoolError, Pools, box_of, default_values, is_named};

/// A constructor or method with one choice of arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Name without arguments, `new` for a constructor.
    pub method: String,
    pub arguments: Vec<Argument>,
    /// As a person reads it: `add(3)`, `new IntStack()`.
    pub text: String,
    /// Steps that make the arguments, then the call itself.
    template: Vec<TemplateStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct TemplateStep {
    operation: OperationId,
    args: SmallVec<[Source; 4]>,
}

/// Where an argument of a template's step comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Receiver,
    /// An earlier step of the same template.
    Own(u16),
}

impl Action {
    /// Appends the call with its arguments; gives the step of the call.
    pub fn append(&self, receiver: StepId, steps: &mut Vec<Step>) -> StepId {
        let base = steps.len() as u16;
        steps.extend(self.template.iter().map(|step| {
            Step {
                operation: step.operation,
                args: step
                    .args
                    .iter()
                    .map(|source| match *source {
                        Source::Receiver => receiver,
                        Source::Own(at) => StepId(base + at),
                    })
                    .collect(),
            }
        }));
        StepId(steps.len() as u16 - 1)
    }

    /// How many steps it takes.
    pub fn len(&self) -> usize {
        self.template.len()
    }

    /// Never: the call itself is a step.
    pub fn is_empty(&self) -> bool {
        self.template.is_empty()
    }
}

/// Which methods are wanted: `add`, `remove(Object)`, `new(int)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFilter {
    pub name: String,
    /// Simple or full names of the parameter types.
    pub params: Option<Vec<String>>,
}

impl MethodFilter {
    /// Parses a name, with parameter types in parentheses if it is one of several.
    pub fn parse(text: &str) -> Option<MethodFilter> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return (!text.is_empty()).then(|| MethodFilter { name: text.to_owned(), params: None });
        };
        let inside = rest.strip_suffix(')')?;
        let params = inside.split(',').map(|param| param.trim().to_owned()).filter(|param| !param.is_empty());
        Some(MethodFilter { name: name.trim().to_owned(), params: Some(params.collect()) })
    }

    fn takes(&self, name: &str, descriptor: &MethodDescriptor) -> bool {
        self.name == name
            && self.params.as_ref().is_none_or(|params| {
                params.len() == descriptor.params.len()
                    && params.iter().zip(&descriptor.params).all(|(wanted, ty)| is_named(ty, wanted))
            })
    }
}

impl std::fmt::Display for MethodFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.params {
            None => f.write_str(&self.name),
            Some(params) => write!(f, "{}({})", self.name, params.join(", ")),
        }
    }
}

/// What the user decided.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Empty means all.
    pub methods: Vec<MethodFilter>,
    /// Members that only the package sees, too.
    pub package_private: bool,
    /// Literals of the code, for parameters without a pool.
    pub mine_literals: bool,
}

/// A member that is not called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub member: String,
    pub reason: String,
}

/// Everything that is tried on one class.
#[derive(Debug, Clone)]
pub struct Plan {
    pub class: ClassName,
    pub constructors: Vec<Action>,
    pub calls: Vec<Action>,
    pub skipped: Vec<Skipped>,
}

/// Why there is nothing to explore.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("class `{0}` cannot be made: it is {1}")]
    NotMade(ClassName, &'static str),
    #[error("class `{0}` cannot be made: all its constructors are private")]
    Private(ClassName),
    #[error("class `{class}` has no constructor that can be used{}", said(reasons))]
    NoConstructor { class: ClassName, reasons: Vec<Skipped> },
    #[error("class `{class}` has no method `{wanted}`; it has {}", listed(has))]
    NoMethod { class: ClassName, wanted: String, has: Vec<String> },
    #[error("class `{class}` has no method that can be called{}", said(reasons))]
    NothingToCall { class: ClassName, reasons: Vec<Skipped> },
    #[error("`{member}` can be called with {count} combinations of arguments; at most {MOST} are tried")]
    TooMany { member: String, count: u64 },
    #[error("a pool cannot be used for `{member}`")]
    Pool {
        member: String,
        #[source]
        source: PoolError,
    },
}

/// Calls of one class at most.
const MOST: u64 = 50_000;

fn said(reasons: &[Skipped]) -> String {
    reasons.iter().map(|skipped| format!("\n  {}: {}", skipped.member, skipped.reason)).collect()
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Looks the class up and combines arguments. Operations are entered in the table.
pub fn plan(
    world: &mut World<'_>,
    class: &ClassName,
    choices: &Choices,
    pools: &mut Pools,
    table: &mut OperationTable,
) -> Result<Plan, PlanError> {
    let id = world.load(class);
    makeable(world, id)?;
    let mined = if choices.mine_literals { mined(world, id) } else { Vec::new() };
    let mut planner =
        Planner { world, class: class.clone(), id, choices, pools, table, mined, skipped: Vec::new() };
    let constructors = planner.constructors()?;
    let calls = planner.calls()?;
    Ok(Plan { class: class.clone(), constructors, calls, skipped: planner.skipped })
}

fn makeable(world: &World<'_>, id: ClassId) -> Result<(), PlanError> {
    let class = world.class(id);
    let what = if class.is_interface() {
        "an interface"
    } else if class.is_abstract() {
        "abstract"
    } else if world.is_enum(id) {
        "an enum"
    } else {
        match world.nesting(id) {
            Some(Nesting::Inner) => "an inner class that needs an object of the class around it",
            Some(Nesting::Local | Nesting::Anonymous) => "declared inside a method",
            Some(Nesting::TopLevel | Nesting::Static) | None => return Ok(()),
        }
    };
    Err(PlanError::NotMade(class.name.clone(), what))
}

/// Literals of the class, often used ones first.
fn mined(world: &World<'_>, id: ClassId) -> Vec<Literal> {
    let all = world.literals(id).total();
    let mut found: Vec<(u32, Literal)> = Vec::new();
    found.extend(all.ints.iter().map(|(value, count)| (*count, Literal::Int(*value))));
    found.extend(all.longs.iter().map(|(value, count)| (*count, Literal::Long(*value))));
    found.extend(all.floats.iter().map(|(bits, count)| (*count, Literal::Float(*bits))));
    found.extend(all.doubles.iter().map(|(bits, count)| (*count, Literal::Double(*bits))));
    found.extend(all.strings.iter().map(|(text, count)| (*count, Literal::String(text.clone()))));
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, literal)| literal).collect()
}

struct Planner<'a, 's> {
    world: &'a mut World<'s>,
    class: ClassName,
    id: ClassId,
    choices: &'a Choices,
    pools: &'a mut Pools,
    table: &'a mut OperationTable,
    mined: Vec<Literal>,
    skipped: Vec<Skipped>,
}

impl Planner<'_, '_> {
    /// Public constructors, or those the package sees where none is public.
    fn constructors(&mut self) -> Result<Vec<Action>, PlanError> {
        let all = self.world.members(self.id, self.class.package()).constructors;
        let public =
            |world: &World<'_>, method: &MethodId| world.method(*method).access.has(AccessFlags::PUBLIC);
        let any_public = all.iter().any(|method| public(self.world, method));
        let filters: Vec<MethodFilter> =
            self.choices.methods.iter().filter(|filter| filter.name == "new").cloned().collect();
        let mut actions = Vec::new();
        let before = self.skipped.len();
        let any = !all.is_empty();
        for method in all {
            let Some(descriptor) = self.world.method_descriptor(method) else { continue };
            let is_wanted =
                filters.is_empty() || filters.iter().any(|filter| filter.takes("new", &descriptor));
            if !is_wanted || (any_public && !self.choices.package_private && !public(self.world, &method)) {
                continue;
            }
            let member = format!("new {}{descriptor}", self.class.simple());
            let operation =
                Operation::Construct { class: self.class.clone(), descriptor: descriptor.clone() };
            actions.extend(self.combine("new", &member, operation, &descriptor, false)?);
        }
        if !actions.is_empty() {
            return Ok(actions);
        }
        if !any {
            return Err(PlanError::Private(self.class.clone()));
        }
        let reasons = self.skipped.split_off(before);
        Err(PlanError::NoConstructor { class: self.class.clone(), reasons })
    }

    fn calls(&mut self) -> Result<Vec<Action>, PlanError> {
        let chosen = self.chosen()?;
        let before = self.skipped.len();
        let mut actions = Vec::new();
        for method in chosen {
            let Some(descriptor) = self.world.method_descriptor(method) else { continue };
            let name = self.world.method_name(method).to_owned();
            let declaring = self.world.class(self.world.method(method).class);
            let operation = Operation::Call {
                class: declaring.name.clone(),
                name: name.clone(),
                descriptor: descriptor.clone(),
                interface: declaring.is_interface(),
            };
            actions.extend(self.combine(
                &name,
                &format!("{name}{descriptor}"),
                operation,
                &descriptor,
                true,
            )?);
        }
        if actions.is_empty() {
            let reasons = self.skipped.split_off(before);
            return Err(PlanError::NothingToCall { class: self.class.clone(), reasons });
        }
        Ok(actions)
    }

    /// The methods to call: those asked for by name, own ones before inherited ones; or all but those of `Object`.
    fn chosen(&self) -> Result<Vec<MethodId>, PlanError> {
        let members = self.world.members(self.id, self.class.package()).methods;
        let usable = members.into_iter().filter(|&method| !self.world.method(method).is_static());
        let usable: Vec<MethodId> = usable.collect();
        let is_public = |method: MethodId| self.world.method(method).access.has(AccessFlags::PUBLIC);
        let is_objects = |method: MethodId| {
            self.world.class(self.world.method(method).class).name.as_internal() == "java/lang/Object"
        };
        let filters = self.choices.methods.iter().filter(|filter| filter.name != "new");
        let filters: Vec<&MethodFilter> = filters.collect();
        if filters.is_empty() {
            let all = usable.into_iter();
            return Ok(all
                .filter(|&method| !is_objects(method) && (self.choices.package_private || is_public(method)))
                .collect());
        }
        let mut chosen = Vec::new();
        for filter in filters {
            let found = self.matching(filter, &usable);
            if found.is_empty() {
                let mut has: Vec<String> = usable
                    .iter()
                    .filter(|&&method| !is_objects(method))
                    .map(|&method| self.described(method))
                    .collect();
                has.sort();
                has.dedup();
                let wanted = filter.to_string();
                return Err(PlanError::NoMethod { class: self.class.clone(), wanted, has });
            }
            chosen.extend(found);
        }
        chosen.dedup();
        Ok(chosen)
    }

    /// Methods of the class itself that a filter takes; if there is none, inherited ones.
    fn matching(&self, filter: &MethodFilter, usable: &[MethodId]) -> Vec<MethodId> {
        let takes = |&method: &MethodId| {
            let descriptor = self.world.method_descriptor(method);
            descriptor.is_some_and(|descriptor| filter.takes(self.world.method_name(method), &descriptor))
        };
        let found: Vec<MethodId> = usable.iter().copied().filter(takes).collect();
        let own: Vec<MethodId> =
            found.iter().copied().filter(|&method| self.world.method(method).class == self.id).collect();
        if own.is_empty() { found } else { own }
    }

    fn described(&self, method: MethodId) -> String {
        let descriptor =
            self.world.method_descriptor(method).map_or(String::new(), |found| found.to_string());
        format!("{}{descriptor}", self.world.method_name(method))
    }

    /// All combinations of arguments for one member; none, and a note, if a parameter has no value.
    fn combine(
        &mut self,
        name: &str,
        member: &str,
        operation: Operation,
        descriptor: &MethodDescriptor,
        is_call: bool,
    ) -> Result<Vec<Action>, PlanError> {
        let mut choices: Vec<Vec<Argument>> = Vec::new();
        for (at, ty) in descriptor.params.iter().enumerate() {
            let values = self.values(name, at, ty);
            let values = values.map_err(|source| PlanError::Pool { member: member.to_owned(), source })?;
            if values.is_empty() {
                let reason = format!("no value for parameter {at} of type {ty}");
                self.skipped.push(Skipped { member: member.to_owned(), reason });
                return Ok(Vec::new());
            }
            choices.push(values);
        }
        let count = choices.iter().fold(1u64, |all, values| all.saturating_mul(values.len() as u64));
        if count > MOST {
            return Err(PlanError::TooMany { member: member.to_owned(), count });
        }
        let operation = self.table.intern(operation);
        let tuples = tuples(&choices);
        Ok(tuples.into_iter().map(|arguments| self.action(name, operation, arguments, is_call)).collect())
    }

    fn values(&mut self, name: &str, at: usize, ty: &Type) -> Result<Vec<Argument>, PoolError> {
        let world = &mut *self.world;
        let mut fits = |of: &Type, to: &Type| is_subtype(world, of, to);
        let said = self.pools.values(name, at, ty, &mut fits)?;
        if !said.is_empty() {
            return Ok(said);
        }
        let usual = default_values(ty, &self.mined, &mut fits);
        if !usual.is_empty() {
            return Ok(usual);
        }
        Ok(self.constants(ty))
    }

    /// The constants of an enum parameter.
    fn constants(&mut self, ty: &Type) -> Vec<Argument> {
        let Type::Class(class) = ty else { return Vec::new() };
        let id = self.world.load(class);
        if !self.world.is_enum(id) {
            return Vec::new();
        }
        let fields = self.world.enum_constants(id);
        fields
            .into_iter()
            .map(|field| Argument::Constant {
                class: class.clone(),
                name: self.world.text(self.world.field(field).name).to_owned(),
            })
            .collect()
    }

    fn action(
        &mut self,
        name: &str,
        operation: OperationId,
        arguments: Vec<Argument>,
        is_call: bool,
    ) -> Action {
        let mut template = Vec::new();
        let mut args: SmallVec<[Source; 4]> = SmallVec::new();
        if is_call {
            args.push(Source::Receiver);
        }
        for argument in &arguments {
            args.push(Source::Own(self.make(argument, &mut template)));
        }
        template.push(TemplateStep { operation, args });
        let shown: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let head =
            if is_call { name.to_owned() } else { format!("new {}", self.class.simple().replace('$', ".")) };
        Action { method: name.to_owned(), text: format!("{head}({})", shown.join(", ")), arguments, template }
    }

    /// Appends the steps that make an argument.
    fn make(&mut self, argument: &Argument, template: &mut Vec<TemplateStep>) -> u16 {
        let mut push = |table: &mut OperationTable, operation: Operation, args: &[Source]| {
            let operation = table.intern(operation);
            template.push(TemplateStep { operation, args: args.iter().copied().collect() });
            template.len() as u16 - 1
        };
        match argument {
            Argument::Plain(literal) => push(self.table, Operation::Literal(literal.clone()), &[]),
            Argument::Boxed(literal) => {
                let from = literal.ty();
                let to = box_of(&from).expect("only primitives are boxed");
                let inside = push(self.table, Operation::Literal(literal.clone()), &[]);
                push(self.table, Operation::Convert { from, to }, &[Source::Own(inside)])
            }
            Argument::Constant { class, name } => {
                let ty = Type::Class(class.clone());
                push(self.table, Operation::GetStatic { class: class.clone(), name: name.clone(), ty }, &[])
            }
        }
    }
}

fn is_subtype(world: &mut World<'_>, of: &Type, to: &Type) -> bool {
    for ty in [of, to] {
        if let Type::Class(name) = ty {
            world.load(name);
        }
    }
    world.is_subtype(of, to)
}

/// Every way to pick one of each, the last varying fastest.
fn tuples(choices: &[Vec<Argument>]) -> Vec<Vec<Argument>> {
    choices.iter().fold(vec![Vec::new()], |tuples, values| {
        let longer = tuples.iter().flat_map(|tuple| {
            values.iter().map(move |value| {
                let mut longer = tuple.clone();
                longer.push(value.clone());
                longer
            })
        });
        longer.collect()
    })
}

/// `new Counter()` with `add(1)` and `add(2)`.
#[cfg(test)]
pub(crate) fn for_tests(table: &mut OperationTable) -> Plan {
    let class = ClassName::internal("a/Counter");
    let none = |_: &ClassName| -> Option<Vec<u8>> { None };
    let mut world = World::new(&none);
    let id = world.load(&class);
    let choices = Choices::default();
    let mut pools = Pools::default();
    let mut planner = Planner {
        world: &mut world,
        class: class.clone(),
        id,
        choices: &choices,
        pools: &mut pools,
        table,
        mined: Vec::new(),
        skipped: Vec::new(),
    };
    let construct = MethodDescriptor::parse("()V").expect("written here");
    let new = planner.table.intern(Operation::Construct { class: class.clone(), descriptor: construct });
    let descriptor = MethodDescriptor::parse("(I)V").expect("written here");
    let add = Operation::Call { class: class.clone(), name: "add".into(), descriptor, interface: false };
    let add = planner.table.intern(add);
    let constructors = vec![planner.action("new", new, Vec::new(), false)];
    let calls = [1, 2]
        .map(|value| planner.action("add", add, vec![Argument::Plain(Literal::Int(value))], true))
        .to_vec();
    Plan { class, constructors, calls, skipped: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_with_or_without_parameters() {
        let descriptor = MethodDescriptor::parse("(Ljava/lang/Object;I)Z").unwrap();
        for (text, takes) in [
            ("remove", true),
            ("remove(Object, int)", true),
            ("remove(java.lang.Object,int)", true),
            ("remove(Object)", false),
            ("removed", false),
        ] {
            assert_eq!(MethodFilter::parse(text).unwrap().takes("remove", &descriptor), takes, "{text}");
        }
        assert_eq!(MethodFilter::parse("add(int"), None);
        assert_eq!(MethodFilter::parse(" "), None);
    }

    #[test]
    fn arguments_combine_with_the_last_fastest() {
        let int = |value| Argument::Plain(Literal::Int(value));
        let all = tuples(&[vec![int(0), int(1)], vec![int(5), int(6)]]);
        let shown: Vec<String> = all.iter().map(|pair| format!("{}{}", pair[0], pair[1])).collect();
        assert_eq!(shown, ["05", "06", "15", "16"]);
        assert_eq!(tuples(&[]).len(), 1);
    }
}
