//! The objects of one method: who holds whom, and which of them it changes.
//!
//! In: a body and the summaries of what it calls. Out: its own [`Summary`].
//! One place stands for all objects made by one instruction. Nothing that was once held is ever let go, so the order of
//! instructions does not matter.

use probat_classfile::code::Element;
use probat_classfile::{ClassFile, Insn, Loadable, PoolIndex};
use probat_model::Type;

use crate::callgraph::{CallGraph, Target, is_fixed, special_target};
use crate::cfg::Cfg;
use crate::dynamic::CallSite;
use crate::effects::{
    Effects, FIRST_SITE, FRESH, LAST_SITE, OUTSIDE, PARAMETERS, Places, Reason, Summary, VISIBLE, contents,
    parameter,
};
use crate::flow::{Domain, argument_slots, interpret};
use crate::known::{known_summary, promised_summary};
use crate::links::MethodLink;
use crate::world::{ClassId, FieldId, MethodId, World};

/// Interprets a body until what its objects hold stays the same.
pub(crate) fn summarise(
    world: &World<'_>,
    graph: &CallGraph,
    effects: &Effects,
    method: MethodId,
) -> Summary {
    let class = world.method(method).class;
    let opaque = || Summary::of_anything(Reason::Opaque);
    let (Some(code), Some(file)) = (world.code(method), world.file(class)) else { return opaque() };
    let Some(descriptor) = world.method_descriptor(method) else { return opaque() };
    let has_receiver = !world.method(method).is_static();
    let slots = argument_slots(&descriptor.params, has_receiver);
    let mut arguments = vec![0; slots.last().map_or(0, |last| last + 2)];
    for (number, &slot) in slots.iter().enumerate() {
        let declared = number.checked_sub(usize::from(has_receiver)).map(|at| &descriptor.params[at]);
        arguments[slot] = if declared.is_some_and(is_immutable) { 0 } else { parameter(number) };
    }
    arguments.truncate(usize::from(code.max_locals));
    let cfg = Cfg::of(&code);
    let mut heap = Heap::new(world, graph, effects, class, file);
    if world.method_name(method) == "<init>" {
        heap.given &= !parameter(0);
    }
    loop {
        heap.is_changed = false;
        if interpret(&code, &cfg, &file.pool, &mut heap, arguments.clone()).is_none() {
            return opaque();
        }
        match heap.reason {
            Some(reason) => return Summary::of_anything(reason),
            None if !heap.is_changed => return heap.into_summary(),
            None => {}
        }
    }
}

/// Whether objects of a type can neither change nor lead to what can.
fn is_immutable(ty: &Type) -> bool {
    match ty {
        Type::Array(_) => false,
        Type::Class(class) => matches!(
            class.as_internal(),
            "java/lang/String"
                | "java/lang/Integer"
                | "java/lang/Long"
                | "java/lang/Short"
                | "java/lang/Byte"
                | "java/lang/Character"
                | "java/lang/Boolean"
                | "java/lang/Float"
                | "java/lang/Double"
                | "java/lang/Class"
                | "java/math/BigInteger"
                | "java/math/BigDecimal"
        ),
        _ => true,
    }
}

/// What one method's objects may hold, and what it has changed so far.
struct Heap<'a> {
    world: &'a World<'a>,
    graph: &'a CallGraph,
    effects: &'a Effects,
    class: ClassId,
    file: &'a ClassFile,
    /// Nodes of the code that make objects, in the order they were met; the last site stands for all beyond.
    sites: Vec<usize>,
    /// Arguments that were there before. The object a constructor fills is not: it is told apart from what it leads
    /// to as little as any new object.
    given: Places,
    /// Per bit: what it may have come to hold.
    holds: [Places; 64],
    mutates: Places,
    returned: Places,
    reason: Option<Reason>,
    is_changed: bool,
}

impl<'a> Heap<'a> {
    fn new(
        world: &'a World<'a>,
        graph: &'a CallGraph,
        effects: &'a Effects,
        class: ClassId,
        file: &'a ClassFile,
    ) -> Heap<'a> {
        Heap {
            world,
            graph,
            effects,
            class,
            file,
            sites: Vec::new(),
            given: PARAMETERS,
            holds: [0; 64],
            mutates: 0,
            returned: 0,
            reason: None,
            is_changed: false,
        }
    }

    fn site(&mut self, node: usize) -> Places {
        let at = match self.sites.iter().position(|&known| known == node) {
            Some(at) => at,
            None => {
                self.sites.push(node);
                self.sites.len() - 1
            }
        };
        1 << (FIRST_SITE + at).min(LAST_SITE)
    }

    /// Everything that can be reached from these places, themselves included.
    fn reach(&self, from: Places) -> Places {
        let mut all = from;
        loop {
            let more = bits(all).fold(all, |sum, bit| sum | self.held(bit));
            if more == all {
                return all;
            }
            all = more;
        }
    }

    /// What a load from these places can give: not an argument itself, unless something it leads to holds it.
    fn inside(&self, from: Places) -> Places {
        let first = bits(from).fold(from & !self.given, |sum, bit| sum | self.held(bit));
        self.reach(first)
    }

    fn held(&self, bit: usize) -> Places {
        self.holds[bit] | self.held_at_first(bit)
    }

    /// What a place leads to before anything was done.
    fn held_at_first(&self, bit: usize) -> Places {
        if (1 << bit) & self.given != 0 { contents(bit - 1) } else { 0 }
    }

    fn link(&mut self, into: Places, what: Places) {
        for bit in bits(into) {
            let more = what & !(1 << bit);
            self.is_changed |= more & !self.holds[bit] != 0;
            self.holds[bit] |= more;
        }
    }

    fn mutate(&mut self, places: Places, reason: Reason) {
        self.is_changed |= places & !self.mutates & VISIBLE != 0;
        self.mutates |= places & VISIBLE;
        if places & OUTSIDE != 0 && self.reason.is_none() {
            self.reason = Some(reason);
        }
    }

    fn into_summary(self) -> Summary {
        let made = self.returned & !VISIBLE;
        let mut summary = Summary {
            mutates: self.mutates,
            returns: self.returned & VISIBLE | if made != 0 { FRESH } else { 0 },
            fresh_holds: self.reach(made) & VISIBLE,
            holds: Vec::new(),
            reason: None,
        };
        for bit in 0..FIRST_SITE {
            let by_nature = self.held_at_first(bit) | (1 << bit);
            let held = self.reach(1 << bit) & VISIBLE & !by_nature;
            if held != 0 {
                summary.holds.push((1 << bit, held));
            }
        }
        summary
    }

    fn field(&self, index: PoolIndex) -> Option<FieldId> {
        self.graph.links().field(self.class, index)
    }

    fn is_plain_field(&self, index: PoolIndex) -> bool {
        let ty = self.field(index).and_then(|field| self.world.field_type(field));
        ty.is_some_and(|ty| is_immutable(&ty))
    }

    /// Runs a call on all its targets.
    fn call(&mut self, node: usize, insn: &Insn, index: PoolIndex, operands: &[Places]) -> Places {
        let Some(link) = self.graph.links().method(self.class, index) else {
            return self.unknown(None);
        };
        let is_static = matches!(insn, Insn::InvokeStatic(_));
        let Some(descriptor) = self.world.method_descriptor(link.method) else {
            return self.unknown(Some(link.method));
        };
        let slots = argument_slots(&descriptor.params, !is_static);
        let arguments: Vec<Places> =
            slots.iter().map(|&slot| operands.get(slot).copied().unwrap_or(0)).collect();
        let result = match insn {
            Insn::InvokeVirtual(_) | Insn::InvokeInterface(_) => self.call_virtual(node, link, &arguments),
            Insn::InvokeSpecial(_) => {
                let target = special_target(self.world, self.class, link);
                self.apply(node, target, &arguments)
            }
            _ => self.apply(node, link.method, &arguments),
        };
        if descriptor.returns.as_ref().is_none_or(is_immutable) { 0 } else { result }
    }

    fn call_virtual(&mut self, node: usize, link: MethodLink, arguments: &[Places]) -> Places {
        if is_fixed(self.world, link) {
            return self.apply(node, link.method, arguments);
        }
        let targets = self.graph.targets(link);
        let mut result = 0;
        if targets.is_empty() || !self.graph.is_in_scope(link.owner) {
            result |= self.call_beyond(node, link, arguments);
        }
        for &target in targets {
            result |= self.apply_target(node, target, arguments);
        }
        result
    }

    /// Classes outside of the scope may run anything in place of what is declared, unless they are trusted.
    fn call_beyond(&mut self, node: usize, link: MethodLink, arguments: &[Places]) -> Places {
        let class = self.world.class(self.world.method(link.method).class);
        let promised = if self.effects.options.trust_contracts {
            promised_summary(self.world, link.method)
        } else {
            None
        };
        match promised {
            Some(promised) => self.apply_summary(node, link.method, &promised, arguments),
            None if class.name.as_internal() == "java/lang/Object" => self.unknown(Some(link.method)),
            None => self.apply(node, link.method, arguments),
        }
    }

    /// A lambda's target takes what the lambda holds first, then what the call brings.
    fn apply_target(&mut self, node: usize, target: Target, arguments: &[Places]) -> Places {
        let Some(captured) = target.captured else { return self.apply(node, target.method, arguments) };
        let (receiver, rest) = arguments.split_first().unwrap_or((&0, &[]));
        let held = self.inside(*receiver);
        let mut values = vec![held; usize::from(captured)];
        values.extend(rest);
        if self.world.method_name(target.method) == "<init>" {
            let made = self.site(node);
            values.insert(0, made);
            self.apply(node, target.method, &values);
            return made;
        }
        self.apply(node, target.method, &values)
    }

    fn apply(&mut self, node: usize, method: MethodId, arguments: &[Places]) -> Places {
        let effects = self.effects;
        let known = effects.summary(method);
        let listed = if known.is_none() { known_summary(self.world, method) } else { None };
        match known.or(listed.as_ref()) {
            Some(summary) => self.apply_summary(node, method, summary, arguments),
            None => self.unknown(Some(method)),
        }
    }

    fn apply_summary(
        &mut self,
        node: usize,
        method: MethodId,
        summary: &Summary,
        arguments: &[Places],
    ) -> Places {
        if summary.mutates & OUTSIDE != 0 {
            self.mutate(OUTSIDE, Reason::Through(method));
            return OUTSIDE;
        }
        let given = |heap: &Heap<'_>, places: Places| {
            let mut value = places & OUTSIDE;
            for (at, &argument) in arguments.iter().enumerate() {
                if places & parameter(at) & !OUTSIDE != 0 {
                    value |= argument;
                }
                if places & contents(at) & !OUTSIDE != 0 {
                    value |= heap.inside(argument);
                }
            }
            value
        };
        self.mutate(given(self, summary.mutates), Reason::Object);
        for &(into, what) in &summary.holds {
            self.link(given(self, into), given(self, what));
        }
        let mut result = given(self, summary.returns);
        if summary.returns & FRESH != 0 {
            let made = self.site(node);
            self.link(made, given(self, summary.fresh_holds));
            result |= made;
        }
        result
    }

    /// Anything may happen, so the method is settled.
    fn unknown(&mut self, method: Option<MethodId>) -> Places {
        self.mutate(OUTSIDE, method.map_or(Reason::Opaque, Reason::Unknown));
        OUTSIDE
    }

    fn dynamic(&mut self, node: usize, index: PoolIndex, operands: &[Places]) -> Places {
        let all = operands.iter().fold(0, |sum, operand| sum | operand);
        let graph = self.graph;
        match graph.links().site(self.class, index) {
            Some(CallSite::Lambda(_)) => {
                let made = self.site(node);
                self.link(made, all);
                made
            }
            Some(CallSite::Concat(concat)) => {
                for &link in &concat.conversions {
                    self.call_virtual(node, link, &[all]);
                }
                0
            }
            Some(CallSite::Record(record)) => {
                let held = self.reach(all);
                for &link in &record.calls {
                    self.call_virtual(node, link, &[held, held]);
                }
                0
            }
            Some(CallSite::Switch) => 0,
            Some(CallSite::Other { .. }) | None => self.unknown(None),
        }
    }
}

fn bits(places: Places) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(places), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|&rest| rest != 0)
        .map(|rest| rest.trailing_zeros() as usize)
}

impl Domain for Heap<'_> {
    type Value = Places;

    fn plain(&self) -> Places {
        0
    }

    fn caught(&self) -> Places {
        OUTSIDE
    }

    fn join(&self, one: &Places, other: &Places) -> Places {
        one | other
    }

    /// A method that changes the outside is not told apart any further.
    fn is_settled(&self) -> bool {
        self.reason.is_some()
    }

    fn step(&mut self, node: usize, insn: &Insn, operands: &[Places]) -> Places {
        match insn {
            Insn::GetField(index) if self.is_plain_field(*index) => 0,
            Insn::GetField(_) => self.inside(operands[0]),
            Insn::GetStatic(index) => {
                if self.is_plain_field(*index) {
                    0
                } else {
                    self.reach(OUTSIDE)
                }
            }
            Insn::PutField(_) => {
                self.mutate(operands[0], Reason::Object);
                self.link(operands[0], operands[1]);
                0
            }
            Insn::PutStatic(index) => {
                self.mutate(OUTSIDE, self.field(*index).map_or(Reason::Opaque, Reason::Static));
                self.link(OUTSIDE, operands[0]);
                0
            }
            Insn::ArrayLoad(Element::Reference) => self.inside(operands[0]),
            Insn::ArrayStore(_) => {
                self.mutate(operands[0], Reason::Object);
                self.link(operands[0], operands[2]);
                0
            }
            Insn::New(_) | Insn::NewArray(_) | Insn::ANewArray(_) | Insn::MultiANewArray { .. } => {
                self.site(node)
            }
            Insn::InvokeVirtual(index)
            | Insn::InvokeInterface(index)
            | Insn::InvokeSpecial(index)
            | Insn::InvokeStatic(index) => self.call(node, insn, *index, operands),
            Insn::InvokeDynamic(index) => self.dynamic(node, *index, operands),
            Insn::Ldc(index) => match self.file.pool.loadable(*index) {
                Ok(Loadable::Dynamic { ty, .. }) if !is_immutable(&ty) => OUTSIDE,
                _ => 0,
            },
            Insn::Return(Some(_)) => {
                self.is_changed |= operands[0] & !self.returned != 0;
                self.returned |= operands[0];
                0
            }
            _ => 0,
        }
    }
}
