//! What class files say about a failure: whose code it is, and whether somebody meant it.
//!
//! In: classes, members and stack frames. Out: facts a triage weighs. Nothing is run; where a class is not there or has no line
//! numbers, the answer is the one that speaks least.

use std::cell::RefCell;

use probat_analysis::{ClassId, MethodId, World};
use probat_classfile::{Insn, Node};
use probat_emit::JavaType;
use probat_model::{ClassName, Frame, Operation};

use crate::declared;
use crate::scope::{called, find_field, find_method, lineage};

/// Answers about classes, from a world that loads them on the way.
#[derive(Debug, Clone, Copy)]
pub struct Clues<'w, 's> {
    pub world: &'w RefCell<World<'s>>,
}

impl Clues<'_, '_> {
    fn with<T>(&self, class: &ClassName, ask: impl FnOnce(&World<'_>, ClassId) -> T) -> T {
        let mut world = self.world.borrow_mut();
        let id = world.load(class);
        ask(&world, id)
    }

    /// The class that declares what runs when a method is called on an object of the class.
    pub fn declarer(&self, class: &ClassName, name: &str, descriptor: &str) -> Option<ClassName> {
        self.with(class, |world, id| {
            let found = lineage(world, id).into_iter().filter_map(|above| {
                let method = world.declared_method(above, name, descriptor)?;
                (!world.method(method).is_abstract()).then_some(above)
            });
            found.map(|above| world.class(above).name.clone()).next()
        })
    }

    pub fn is_subclass(&self, class: &ClassName, of: &ClassName) -> bool {
        let mut world = self.world.borrow_mut();
        let (below, above) = (world.load(class), world.load(of));
        world.is_subclass(below, above)
    }

    /// Whether a parameter of a call is of a generic type: callers without type arguments can put anything there.
    pub fn takes_generics(&self, operation: &Operation) -> bool {
        let Some((class, name, descriptor)) = called(operation) else { return false };
        let is_generic = |ty: &JavaType| ty.is_open() || ty.has_arguments();
        self.with(class, |world, id| {
            find_method(world, id, name, descriptor)
                .and_then(|method| declared::method(world, method))
                .is_some_and(|method| method.params.iter().any(is_generic))
        })
    }

    /// Whether the line of a frame has a `throw`: somebody decided that it should.
    pub fn throws_itself(&self, frame: &Frame) -> bool {
        let Some(line) = frame.line else { return false };
        self.with(&frame.class, |world, id| {
            let named = world.methods_of(id).filter(|&method| world.method_name(method) == frame.method);
            named.into_iter().any(|method| has_throw(world, method, line))
        })
    }

    /// Whether a method of the name has a parameter whose type is left to callers, as elements of collections are.
    pub fn takes_elements(&self, frame: &Frame) -> bool {
        self.with(&frame.class, |world, id| {
            let named = world.methods_of(id).filter(|&method| world.method_name(method) == frame.method);
            let mut declared = named.filter_map(|method| declared::method(world, method));
            let is_variable = |ty: &JavaType| matches!(ty, JavaType::OfClass(_) | JavaType::OfMethod(_));
            declared.any(|method| method.params.iter().any(is_variable))
        })
    }

    /// Whether a method that is no constructor gives a field of the class its value: callers are meant to do so first.
    pub fn is_set_later(&self, class: &ClassName, field: &str) -> bool {
        self.with(class, |world, id| {
            let Some(declaring) = find_field(world, id, field).map(|found| world.field(found).class) else {
                return false;
            };
            let setters = [id, declaring];
            // What the class never writes itself, others do, or reflection.
            setters.iter().any(|&at| world.methods_of(at).any(|method| is_setter(world, method, field)))
                || !world.methods_of(declaring).any(|method| stores(world, method, field, |_| true))
        })
    }

    /// The field that a method without parameters gives, if that is all it does.
    pub fn getter_of(&self, class: &ClassName, method: &str) -> Option<String> {
        self.with(class, |world, id| {
            let of = lineage(world, id);
            let found = of.into_iter().find_map(|at| {
                world.methods_of(at).find(|&one| {
                    world.method_name(one) == method && world.method_descriptor_text(one).starts_with("()")
                })
            })?;
            let file = world.file(world.method(found).class)?;
            let code = world.code(found)?;
            let insns: Vec<&Insn> = code
                .nodes
                .iter()
                .filter_map(|node| match node {
                    Node::Insn(insn) => Some(insn),
                    Node::Label(_) => None,
                })
                .collect();
            match insns.as_slice() {
                [_, Insn::GetField(index), _] => Some(file.pool.member_ref(*index).ok()?.name.to_string()),
                _ => None,
            }
        })
    }

    /// Whether `equals` of a class looks at nothing but identity.
    pub fn is_equal_by_identity(&self, class: &ClassName) -> bool {
        let Some(declarer) = self.declarer(class, "equals", "(Ljava/lang/Object;)Z") else { return false };
        self.with(&declarer, |world, id| {
            let method = world.declared_method(id, "equals", "(Ljava/lang/Object;)Z");
            let Some(code) = method.and_then(|method| world.code(method)) else { return false };
            !code.nodes.iter().any(|node| matches!(node, Node::Insn(insn) if looks_inside(insn)))
        })
    }
}

/// Whether an instruction asks more of an object than which one it is.
fn looks_inside(insn: &Insn) -> bool {
    matches!(
        insn,
        Insn::GetField(_)
            | Insn::InvokeVirtual(_)
            | Insn::InvokeInterface(_)
            | Insn::InvokeSpecial(_)
            | Insn::InvokeStatic(_)
            | Insn::InvokeDynamic(_)
            | Insn::InstanceOf(_)
    )
}

fn has_throw(world: &World<'_>, method: MethodId, line: u32) -> bool {
    let Some(code) = world.code(method) else { return false };
    let mut here = false;
    code.nodes.iter().any(|node| match node {
        Node::Label(label) => {
            if let Some(start) = code.lines.iter().find(|start| start.at == *label) {
                here = u32::from(start.line) == line;
            }
            false
        }
        Node::Insn(insn) => here && *insn == Insn::AThrow,
    })
}

fn is_setter(world: &World<'_>, method: MethodId, field: &str) -> bool {
    // Who stores null takes something away.
    world.method_name(method) != "<init>"
        && stores(world, method, field, |before| before != Some(&Insn::Null))
}

/// Whether a method stores into a field of the name, `of` being asked about the instruction before.
fn stores(world: &World<'_>, method: MethodId, field: &str, of: impl Fn(Option<&Insn>) -> bool) -> bool {
    let Some(file) = world.file(world.method(method).class) else { return false };
    let Some(code) = world.code(method) else { return false };
    let mut before = None;
    code.nodes.iter().any(|node| {
        let Node::Insn(insn) = node else { return false };
        let gives = match insn {
            Insn::PutField(index) if of(before) => {
                file.pool.member_ref(*index).is_ok_and(|found| found.name == field)
            }
            _ => false,
        };
        before = Some(insn);
        gives
    })
}
