//! The survey itself.
//!
//! In: targets and a world. Out: [`Survey`]: the catalogue, and what cannot be tested and why.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use probat_analysis::callgraph::{CallGraph, CallGraphOptions};
use probat_analysis::fields::{FieldAccess as Access, FieldOptions};
use probat_analysis::members::Nesting;
use probat_analysis::nondeterminism::{Influence, Nondeterminism, is_fickle};
use probat_analysis::{ClassId, MethodId, World};
use probat_classfile::AccessFlags;
use probat_model::{ClassName, Operation, Type};
use probat_search::catalogue::{Callable, Catalogue, FieldAccess, Owner, OwnerId, OwnerLiterals};
use probat_search::types::TypeId;
use rustc_hash::FxHashSet;

use crate::bodies::{Bodies, bodies};
use crate::demand::{Demand, operation_of};
use crate::generics::Generics;
use crate::lineage::Lineage;
use crate::wavering::wavering;

/// Where the probes of a method are.
pub trait Probes {
    /// The probe ids of a method's body; `None` if it has none.
    fn of(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<Range<u32>>;

    /// Number of probes in all.
    fn count(&self) -> u32;
}

/// What the user decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyOptions {
    /// Call package-private members too, from tests in the same package.
    pub package_private: bool,
    /// Leave exception classes out (spec 004 §2.3).
    pub skip_exceptions: bool,
    /// Methods left out, as `class.method`.
    pub excluded: Vec<String>,
    /// How many calls deep the fields a method touches are looked for; all if unset (spec 004 §2.2).
    pub call_depth: Option<u32>,
}

impl Default for SurveyOptions {
    fn default() -> Self {
        SurveyOptions {
            package_private: true,
            skip_exceptions: false,
            excluded: Vec::new(),
            call_depth: None,
        }
    }
}

/// A class under test that no test can reach directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untestable {
    pub class: ClassName,
    pub reason: &'static str,
}

/// What was found.
#[derive(Debug)]
pub struct Survey {
    pub catalogue: Catalogue,
    pub untestable: Vec<Untestable>,
    /// Who calls whom, among the classes under test.
    pub graph: CallGraph,
}

/// How many calls deep what differs from run to run is looked for.
const DEPTH: u32 = 32;

/// Surveys the targets. All tests are taken to stand in the package of their class.
pub fn survey(
    world: &RefCell<World<'_>>,
    targets: &[ClassName],
    probes: &dyn Probes,
    options: &SurveyOptions,
) -> Survey {
    let lineage = Lineage { world };
    let mut catalogue = Catalogue::new();
    catalogue.probes = probes.count();
    let ids: Vec<ClassId> = targets.iter().map(|name| world.borrow_mut().load(name)).collect();
    let owners = enter_owners(world, &lineage, &mut catalogue, &ids);
    let graph = {
        let mut world = world.borrow_mut();
        let through = CallGraphOptions { through_object: false, ..CallGraphOptions::default() };
        CallGraph::build(&mut world, &ids, through)
    };
    let facts = {
        let world = world.borrow();
        Facts {
            access: Access::analyse(&world, &graph, &FieldOptions::default()),
            varies: Nondeterminism::analyse(&world, &graph, DEPTH),
            bodies: bodies(&world, &graph, &owners, probes),
            graph,
        }
    };
    catalogue.bodies = facts.bodies.list.clone();
    // Fields touched further down are not known where calls are not followed to their end.
    if options.call_depth.is_none() {
        catalogue.fields = field_names(&world.borrow(), &ids);
    }
    let wavering = |counts| wavering(&world.borrow(), &facts.graph, &facts.varies, &facts.bodies, counts);
    catalogue.wavering = wavering(Influence::is_unchecked);
    catalogue.fickle = wavering(Influence::is_fickle);
    let mut untestable = Vec::new();
    let mut generics = Generics::new(&mut world.borrow_mut());
    for &(class, owner) in &owners {
        let mut entry = Entry { world, lineage: &lineage, facts: &facts, options, generics: &mut generics };
        if let Err(reason) = entry.enter(&mut catalogue, class, owner) {
            untestable.push(Untestable { class: world.borrow().class(class).name.clone(), reason });
        }
    }
    let demand = Demand {
        world,
        hierarchy: &lineage,
        package: "probat".into(),
        targets: targets.iter().cloned().collect::<FxHashSet<_>>(),
    };
    demand.enter_helpers(&mut catalogue);
    demand.satisfy(&mut catalogue);
    let calls = catalogue.callables.iter().map(|callable| callable.operation);
    catalogue.fickle_calls = calls.filter(|&call| is_fickle(catalogue.operations.get(call))).collect();
    Survey { catalogue, untestable, graph: facts.graph }
}

/// Names of the fields of classes under test, by the numbers of fields.
fn field_names(world: &World<'_>, ids: &[ClassId]) -> Vec<Option<Box<str>>> {
    let mut names = vec![None; world.field_count()];
    for field in ids.iter().flat_map(|&class| world.fields_of(class)) {
        names[field.index()] = Some(world.text(world.field(field).name).into());
    }
    names
}

struct Facts {
    graph: CallGraph,
    access: Access,
    varies: Nondeterminism,
    bodies: Bodies,
}

fn enter_owners(
    world: &RefCell<World<'_>>,
    lineage: &Lineage<'_, '_>,
    catalogue: &mut Catalogue,
    ids: &[ClassId],
) -> Vec<(ClassId, OwnerId)> {
    let mut owners = Vec::new();
    for &class in ids {
        let (name, literals) = {
            let world = world.borrow();
            (world.class(class).name.clone(), literals(&world, class))
        };
        if world.borrow().is_closed(class) {
            catalogue.closed.insert(name.package().to_owned());
        }
        let ty = catalogue.types.intern(&Type::Class(name), lineage);
        owners.push((class, OwnerId(catalogue.owners.len() as u32)));
        catalogue.owners.push(Owner { ty, literals });
    }
    owners
}

fn literals(world: &World<'_>, class: ClassId) -> OwnerLiterals {
    let all = world.literals(class).total();
    let mut ints: Vec<(i64, u32)> =
        all.ints.iter().map(|(value, count)| (i64::from(*value), *count)).collect();
    ints.extend(all.longs.iter().map(|(value, count)| (*value, *count)));
    let mut doubles: Vec<(f64, u32)> =
        all.doubles.iter().map(|(bits, count)| (f64::from_bits(*bits), *count)).collect();
    doubles.extend(all.floats.iter().map(|(bits, count)| (f64::from(f32::from_bits(*bits)), *count)));
    OwnerLiterals {
        ints,
        doubles,
        strings: all.strings.into_iter().filter(|(text, _)| text.units().len() <= 200).collect(),
        classes: all.classes.into_iter().collect(),
    }
}

struct Entry<'a, 'w, 's> {
    world: &'w RefCell<World<'s>>,
    lineage: &'a Lineage<'w, 's>,
    facts: &'a Facts,
    options: &'a SurveyOptions,
    generics: &'a mut Generics,
}

impl Entry<'_, '_, '_> {
    /// Adds what a test can call of a class under test.
    fn enter(
        &mut self,
        catalogue: &mut Catalogue,
        class: ClassId,
        owner: OwnerId,
    ) -> Result<(), &'static str> {
        let package = self.reachable(class)?;
        let (members, nesting, is_abstract) = {
            let world = self.world.borrow();
            (world.members(class, &package), world.nesting(class), world.class(class).is_abstract())
        };
        let is_made_alone = matches!(nesting, Some(Nesting::TopLevel | Nesting::Static | Nesting::Inner));
        let can_construct = !is_abstract && is_made_alone;
        let constructors = members.constructors.iter().filter(|_| can_construct);
        let before = catalogue.callables.len();
        for &method in constructors.chain(&members.methods) {
            if self.is_wanted(class, method, &package) {
                self.add(catalogue, method, owner);
            }
        }
        for &field in &members.fields {
            self.add_field(catalogue, class, field);
        }
        if catalogue.callables.len() == before {
            Err("nothing in it can be called from a test")
        } else {
            Ok(())
        }
    }

    /// The package whose source can name the class.
    fn reachable(&self, class: ClassId) -> Result<String, &'static str> {
        let mut world = self.world.borrow_mut();
        let info = world.class(class);
        if !info.is_loaded() {
            return Err("it cannot be read");
        }
        let name = info.name.clone();
        if matches!(name.simple(), "module-info" | "package-info") {
            return Err("it holds no code");
        }
        let throwable = ClassName::internal("java/lang/Throwable");
        if self.options.skip_exceptions {
            let throwable = world.load(&throwable);
            if world.is_subclass(class, throwable) {
                return Err("it is an exception");
            }
        }
        let package = if self.options.package_private && !world.is_closed(class) {
            name.package().to_owned()
        } else {
            "probat".to_owned()
        };
        if world.is_nameable(class, &package) { Ok(package) } else { Err("no source outside it can name it") }
    }

    /// Own members, and those inherited from classes that cannot be named.
    fn is_wanted(&self, class: ClassId, method: MethodId, package: &str) -> bool {
        let mut world = self.world.borrow_mut();
        let info = *world.method(method);
        let own = info.class == class || !world.is_nameable(info.class, package);
        let name = format!("{}.{}", world.class(info.class).name, world.method_name(method));
        own && !info.access.has(AccessFlags::BRIDGE)
            && !info.access.has(AccessFlags::SYNTHETIC)
            && !self.options.excluded.contains(&name)
    }

    fn add(&mut self, catalogue: &mut Catalogue, method: MethodId, owner: OwnerId) {
        let Some(operation) = operation_of(&self.world.borrow(), method) else { return };
        let params = self.params(catalogue, method, &operation);
        let result = operation.result().map(|ty| catalogue.types.intern(&ty, self.lineage));
        let has_receiver = matches!(operation, Operation::Call { .. });
        let own = params.len() - usize::from(has_receiver);
        let is_switch = own == 1 && *catalogue.types.get(params[params.len() - 1]) == Type::Boolean;
        let whole = self.facts.access.transitive(method);
        let shallow =
            self.options.call_depth.map(|depth| self.facts.access.within(&self.facts.graph, method, depth));
        let access = shallow.as_ref().unwrap_or(whole);
        let fields = |set: &probat_analysis::bits::BitSet| set.iter().map(|at| at as u32).collect();
        let callable = Callable {
            operation: catalogue.operations.intern(operation),
            params,
            result,
            has_receiver,
            owner: Some(owner),
            body: self.facts.bodies.of.get(&method).copied(),
            access: FieldAccess { reads: fields(&access.reads), writes: fields(&access.writes) },
            pure: whole.writes.is_empty(),
            varies: self.facts.varies.of(method).iter().any(|reached| reached.influence.is_unchecked()),
            fickle: self.facts.varies.of(method).iter().any(|reached| reached.influence.is_fickle()),
            is_switch,
            throws: self.world.borrow().thrown(method).into(),
        };
        catalogue.add(callable);
    }

    /// Parameter types, refined by the generic signature where it fits the descriptor.
    fn params(
        &mut self,
        catalogue: &mut Catalogue,
        method: MethodId,
        operation: &Operation,
    ) -> Arc<[TypeId]> {
        let mut params: Vec<TypeId> =
            operation.params().iter().map(|ty| catalogue.types.intern(ty, self.lineage)).collect();
        let signature = {
            let world = self.world.borrow();
            let class = world.method(method).class;
            world.file(class).and_then(|file| {
                let index =
                    file.find_method(world.method_name(method), world.method_descriptor_text(method))?;
                file.methods[index].attributes(&file.pool).method_signature().ok().flatten()
            })
        };
        if let Some(signature) = signature {
            let receiver = usize::from(matches!(operation, Operation::Call { .. }));
            if signature.arguments.len() + receiver == params.len() {
                for (at, argument) in signature.arguments.iter().enumerate() {
                    let erased = params[at + receiver];
                    params[at + receiver] = self.generics.refine(catalogue, self.lineage, erased, argument);
                }
            }
        }
        params.into()
    }

    /// Static fields give values; instance fields too, once there is an object.
    fn add_field(&mut self, catalogue: &mut Catalogue, class: ClassId, field: probat_analysis::FieldId) {
        let operation = {
            let world = self.world.borrow();
            let info = world.field(field);
            let Some(ty) = world.field_type(field) else { return };
            if info.class != class || ty.is_primitive() {
                return;
            }
            let class = world.class(class).name.clone();
            let name = world.text(info.name).to_owned();
            if info.is_static() {
                Operation::GetStatic { class, name, ty }
            } else {
                Operation::GetField { class, name, ty }
            }
        };
        catalogue.add_plain(operation, self.lineage);
    }
}
