//! Which method can call which.
//!
//! In: a [`World`] and the classes whose bodies count. Out: [`CallGraph`], by class hierarchy analysis: a virtual call
//! leads to every method that some known class of the scope would select, lambdas included.
//! Calls made by classes outside of the scope, by native code and by reflection are not seen.

use std::collections::BTreeSet;

use probat_classfile::pool::HandleKind;
use probat_classfile::{AccessFlags, ClassFile, Code, Insn, Loadable};
use rustc_hash::FxHashMap;

use crate::dynamic::{CallSite, Lambda};
use crate::graph::Graph;
use crate::links::{HandleLink, Links, MethodLink, loadable_link};
use crate::world::{ClassId, FieldId, MethodId, Symbol, World};

/// How calls are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallGraphOptions {
    pub dispatch: Dispatch,
    /// Whether calls of `equals`, `hashCode` and the like on values declared as `java.lang.Object` are followed too.
    /// They lead to every class there is, so that much becomes reachable from almost everywhere.
    pub through_object: bool,
    /// Whether the first use of a class is a call of its initialiser.
    pub initialisers: bool,
}

impl Default for CallGraphOptions {
    fn default() -> Self {
        CallGraphOptions { dispatch: Dispatch::Hierarchy, through_object: true, initialisers: false }
    }
}

/// Where virtual calls lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// To the declared method alone.
    Declared,
    /// To what any known class of the scope would select.
    Hierarchy,
}

/// A method a call can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub method: MethodId,
    /// How many leading arguments come out of a lambda object instead of the call; none for ordinary methods.
    pub captured: Option<u8>,
}

/// Fields a body touches by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectAccess {
    /// Sorted.
    pub reads: Vec<FieldId>,
    /// Sorted.
    pub writes: Vec<FieldId>,
}

/// Calls between methods.
#[derive(Debug)]
pub struct CallGraph {
    scope: Vec<ClassId>,
    in_scope: Vec<bool>,
    /// Per method, by index: what it can call, sorted.
    callees: Vec<Vec<MethodId>>,
    accesses: FxHashMap<MethodId, DirectAccess>,
    links: Links,
    targets: FxHashMap<MethodLink, Vec<Target>>,
    lambdas: Vec<Lambda>,
    options: CallGraphOptions,
}

impl CallGraph {
    /// Reads the bodies of all methods of the classes in `scope`, loading what they refer to.
    pub fn build(world: &mut World<'_>, scope: &[ClassId], options: CallGraphOptions) -> CallGraph {
        let mut scope = scope.to_vec();
        scope.sort_unstable();
        scope.dedup();
        let mut scan = Scan { links: Links::default(), bodies: Vec::new(), lambdas: Vec::new() };
        for &class in &scope {
            scan.class(world, class);
        }
        let mut in_scope = vec![false; world.class_count()];
        scope.iter().for_each(|class| in_scope[class.index()] = true);
        let mut graph = CallGraph {
            scope,
            in_scope,
            callees: vec![Vec::new(); world.method_count()],
            accesses: FxHashMap::default(),
            links: scan.links,
            targets: FxHashMap::default(),
            lambdas: scan.lambdas,
            options,
        };
        let by_name = graph.lambdas_by_name();
        for body in scan.bodies {
            graph.add(world, body, &by_name);
        }
        graph
    }

    /// The classes whose bodies were read, sorted.
    pub fn scope(&self) -> &[ClassId] {
        &self.scope
    }

    /// Whether the bodies of a class were read.
    pub fn is_in_scope(&self, class: ClassId) -> bool {
        self.in_scope.get(class.index()).copied().unwrap_or(false)
    }

    /// The methods of the scope, by class and then in class file order.
    pub fn methods<'w>(&'w self, world: &'w World<'_>) -> impl Iterator<Item = MethodId> + 'w {
        self.scope.iter().flat_map(|&class| world.methods_of(class))
    }

    /// What a method can call, sorted; also methods outside of the scope, as declared.
    pub fn callees(&self, method: MethodId) -> &[MethodId] {
        self.callees.get(method.index()).map_or(&[], Vec::as_slice)
    }

    /// Fields a method's own instructions touch.
    pub fn direct_access(&self, method: MethodId) -> Option<&DirectAccess> {
        self.accesses.get(&method)
    }

    /// Every lambda and method reference made in the scope, in the order of the code.
    pub fn lambdas(&self) -> &[Lambda] {
        &self.lambdas
    }

    /// What constants of the scope's class files mean.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Where a virtual or interface call through a reference can lead.
    pub fn targets(&self, call: MethodLink) -> &[Target] {
        self.targets.get(&call).map_or(&[], Vec::as_slice)
    }

    /// The calls as a graph over method indices.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::new(self.callees.len());
        for (from, callees) in self.callees.iter().enumerate() {
            for callee in callees {
                graph.push(from as u32, callee.0);
            }
        }
        graph
    }

    fn lambdas_by_name(&self) -> FxHashMap<Symbol, Vec<usize>> {
        let mut by_name: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        for (at, lambda) in self.lambdas.iter().enumerate() {
            by_name.entry(lambda.name).or_default().push(at);
        }
        by_name
    }

    fn add(&mut self, world: &World<'_>, body: Body, lambdas: &FxHashMap<Symbol, Vec<usize>>) {
        let mut callees: Vec<MethodId> = Vec::new();
        for call in body.calls {
            match call {
                Call::Exactly(method) => callees.push(method),
                Call::Virtual(link) => {
                    callees.push(link.method);
                    let is_object = || world.class(link.owner).name.as_internal() == "java/lang/Object";
                    let follows = self.options.through_object || !is_object();
                    if self.options.dispatch == Dispatch::Hierarchy && follows {
                        self.dispatch(world, link, lambdas);
                        callees.extend(self.targets(link).iter().map(|target| target.method));
                    }
                }
                Call::Initialise(class) if self.options.initialisers => {
                    callees.extend(world.declared_method(class, "<clinit>", "()V"));
                }
                Call::Initialise(_) => {}
            }
        }
        callees.sort_unstable();
        callees.dedup();
        self.callees[body.method.index()] = callees;
        self.accesses.insert(body.method, body.access);
    }

    /// Finds and keeps the targets of a virtual call.
    fn dispatch(&mut self, world: &World<'_>, link: MethodLink, lambdas: &FxHashMap<Symbol, Vec<usize>>) {
        if self.targets.contains_key(&link) {
            return;
        }
        let called = *world.method(link.method);
        let mut targets = BTreeSet::new();
        let selected = self.selected(world, link);
        targets.extend(selected.into_iter().map(|method| Target { method, captured: None }));
        for &at in lambdas.get(&called.name).into_iter().flatten() {
            let lambda = &self.lambdas[at];
            let HandleLink::Method(kind, target) = lambda.target else { continue };
            if lambda.descriptors.contains(&called.descriptor)
                && world.is_subclass(lambda.interface, link.owner)
            {
                let is_virtual = matches!(kind, HandleKind::InvokeVirtual | HandleKind::InvokeInterface);
                let mut methods = vec![target.method];
                if is_virtual && matches!(virtual_call(world, target), Call::Virtual(_)) {
                    methods.extend(self.selected(world, target));
                }
                let captured = Some(lambda.captured);
                targets.extend(methods.into_iter().map(|method| Target { method, captured }));
            }
        }
        self.targets.insert(link, targets.into_iter().collect());
    }

    /// What the concrete classes of the scope below the owner of a reference would run.
    fn selected(&self, world: &World<'_>, link: MethodLink) -> BTreeSet<MethodId> {
        let below = world.subtypes(link.owner).into_iter();
        let concrete = below.filter(|&class| self.is_in_scope(class) && !world.class(class).is_abstract());
        concrete.filter_map(|class| world.select_method(class, link.method)).collect()
    }
}

/// A call as found in a body, before dispatch.
enum Call {
    Exactly(MethodId),
    Virtual(MethodLink),
    Initialise(ClassId),
}

struct Body {
    method: MethodId,
    calls: Vec<Call>,
    access: DirectAccess,
}

struct Scan {
    links: Links,
    bodies: Vec<Body>,
    lambdas: Vec<Lambda>,
}

impl Scan {
    fn class(&mut self, world: &mut World<'_>, class: ClassId) {
        let Some(file) = world.file(class).cloned() else { return };
        for method in world.methods_of(class) {
            let Some(code) = world.code(method) else { continue };
            let mut body = Body { method, calls: Vec::new(), access: DirectAccess::default() };
            self.body(world, class, &file, &code, &mut body);
            for list in [&mut body.access.reads, &mut body.access.writes] {
                list.sort_unstable();
                list.dedup();
            }
            self.bodies.push(body);
        }
    }

    fn body(
        &mut self,
        world: &mut World<'_>,
        class: ClassId,
        file: &ClassFile,
        code: &Code,
        body: &mut Body,
    ) {
        for insn in code.insns() {
            match insn {
                Insn::InvokeVirtual(index) | Insn::InvokeInterface(index) => {
                    let link = self.links.follow_method(world, class, file, *index);
                    body.calls.extend(link.map(|link| virtual_call(world, link)));
                }
                Insn::InvokeSpecial(index) => {
                    let link = self.links.follow_method(world, class, file, *index);
                    body.calls.extend(link.map(|link| Call::Exactly(special_target(world, class, link))));
                }
                Insn::InvokeStatic(index) => {
                    if let Some(link) = self.links.follow_method(world, class, file, *index) {
                        body.calls.push(Call::Exactly(link.method));
                        body.calls.push(Call::Initialise(world.method(link.method).class));
                    }
                }
                Insn::GetField(index) | Insn::GetStatic(index) => {
                    let field = self.links.follow_field(world, class, file, *index);
                    body.access.reads.extend(field);
                    self.initialise(world, insn, field, body);
                }
                Insn::PutField(index) | Insn::PutStatic(index) => {
                    let field = self.links.follow_field(world, class, file, *index);
                    body.access.writes.extend(field);
                    self.initialise(world, insn, field, body);
                }
                Insn::New(index) => {
                    let created = file.pool.class_name(*index).ok();
                    body.calls.extend(created.map(|name| Call::Initialise(world.load(&name))));
                }
                Insn::InvokeDynamic(index) => self.site(world, class, file, *index, body),
                Insn::Ldc(index) => match file.pool.loadable(*index) {
                    Ok(Loadable::Dynamic { .. }) => self.site(world, class, file, *index, body),
                    Ok(constant) => {
                        if let Some(handle) = loadable_link(world, &constant) {
                            follow_handle(world, handle, body);
                        }
                    }
                    Err(_) => {}
                },
                _ => {}
            }
        }
    }

    fn initialise(&self, world: &World<'_>, insn: &Insn, field: Option<FieldId>, body: &mut Body) {
        if matches!(insn, Insn::GetStatic(_) | Insn::PutStatic(_)) {
            body.calls.extend(field.map(|field| Call::Initialise(world.field(field).class)));
        }
    }

    fn site(
        &mut self,
        world: &mut World<'_>,
        class: ClassId,
        file: &ClassFile,
        index: probat_classfile::PoolIndex,
        body: &mut Body,
    ) {
        match self.links.follow_site(world, class, file, index) {
            Some(CallSite::Lambda(lambda)) => {
                let lambda = lambda.clone();
                body.calls.push(Call::Exactly(lambda.implements));
                follow_handle(world, lambda.target, body);
                self.lambdas.push(lambda);
            }
            Some(CallSite::Concat(concat)) => {
                let conversions = concat.conversions.iter();
                body.calls.extend(conversions.map(|&link| virtual_call(world, link)));
            }
            Some(CallSite::Record(record)) => {
                body.access.reads.extend(&record.fields);
                body.calls.extend(record.calls.iter().map(|&link| virtual_call(world, link)));
            }
            Some(CallSite::Other { bootstrap, arguments }) => {
                body.calls.extend(bootstrap.map(Call::Exactly));
                arguments.iter().for_each(|&handle| follow_handle(world, handle, body));
            }
            Some(CallSite::Switch) | None => {}
        }
    }
}

/// A method reference may run whenever its object is handed on, so making it counts as calling it.
fn follow_handle(world: &World<'_>, handle: HandleLink, body: &mut Body) {
    match handle {
        HandleLink::Method(HandleKind::InvokeVirtual | HandleKind::InvokeInterface, link) => {
            body.calls.push(virtual_call(world, link));
        }
        HandleLink::Method(_, link) => body.calls.push(Call::Exactly(link.method)),
        HandleLink::Field(HandleKind::GetField | HandleKind::GetStatic, field) => {
            body.access.reads.push(field)
        }
        HandleLink::Field(_, field) => body.access.writes.push(field),
    }
}

fn virtual_call(world: &World<'_>, link: MethodLink) -> Call {
    if is_fixed(world, link) { Call::Exactly(link.method) } else { Call::Virtual(link) }
}

/// Whether a virtual call can only lead to the method it names.
pub(crate) fn is_fixed(world: &World<'_>, link: MethodLink) -> bool {
    let method = world.method(link.method);
    link.on_array
        || method.is_private()
        || method.access.has(AccessFlags::FINAL)
        || world.class(link.owner).access.has(AccessFlags::FINAL)
}

/// `super.m()` starts its search at the superclass of the class that says so (JVMS §6.5 invokespecial).
pub(crate) fn special_target(world: &World<'_>, class: ClassId, link: MethodLink) -> MethodId {
    let method = world.method(link.method);
    let is_super_call = world.text(method.name) != "<init>"
        && !method.is_private()
        && link.owner != class
        && !world.class(link.owner).is_interface()
        && world.is_subclass(class, link.owner);
    let superclass = world.class(class).superclass.filter(|_| is_super_call);
    superclass.and_then(|above| world.select_method(above, link.method)).unwrap_or(link.method)
}
