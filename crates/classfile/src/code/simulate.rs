//! The types of locals and stack between two frames, followed as the verifier does (JVMS §4.10.1).
//!
//! In: code with frames, and places in it. Out: the frames that hold at those places.
//! Between frames control only runs straight on, so no types are ever merged and no class hierarchy is asked.

use super::frame::{Frame, VerificationType};
use super::insn::{Insn, Kind, Number, Primitive, StackOp, descriptor_of};
use super::stack_map::{class_constant_name, parameter_class, parameters};
use super::{Code, Label, Node};
use crate::class::ClassFile;
use crate::error::{AppendError, EncodeError, PoolError};
use crate::pool::{Constant, PoolIndex};

impl ClassFile {
    /// The types that hold before each of these nodes, in the order given; what a pass that adds a jump target
    /// there writes as its frame. A node may be the length of the list. Classes that frames must name are added to
    /// the pool. Call [`Code::label_allocations`] first if uninitialised objects can be around.
    pub fn frames_before(
        &mut self,
        method: usize,
        code: &Code,
        nodes: &[usize],
    ) -> Result<Vec<Frame>, EncodeError> {
        let descriptor = self.methods[method].descriptor;
        let entry = self.entry_frame(&self.methods[method])?;
        let mut simulation = Simulation { class: self, descriptor, locals: Vec::new(), stack: Vec::new() };
        simulation.restore(&entry);
        simulation.run(code, nodes)
    }
}

/// Why the types at a place are not known.
enum Lost {
    Reason(&'static str),
    Error(EncodeError),
}

impl Lost {
    fn into_error(self, node: usize) -> EncodeError {
        match self {
            Lost::Reason(reason) => EncodeError::UnknownTypes(node, reason),
            Lost::Error(error) => error,
        }
    }
}

impl From<EncodeError> for Lost {
    fn from(error: EncodeError) -> Self {
        Lost::Error(error)
    }
}

impl From<PoolError> for Lost {
    fn from(error: PoolError) -> Self {
        Lost::Error(error.into())
    }
}

impl From<AppendError> for Lost {
    fn from(error: AppendError) -> Self {
        Lost::Error(error.into())
    }
}

/// Stands for the label of a `new` that has none.
const UNNAMED: Label = Label(u32::MAX);

const UNDERFLOW: Lost = Lost::Reason("the stack is empty");

struct Simulation<'a> {
    class: &'a mut ClassFile,
    descriptor: PoolIndex,
    /// By slot; the second half of a long is `Top`.
    locals: Vec<VerificationType>,
    stack: Vec<VerificationType>,
}

impl Simulation<'_> {
    fn run(&mut self, code: &Code, wanted: &[usize]) -> Result<Vec<Frame>, EncodeError> {
        let by_label = code.frames_by_label();
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&at| wanted[at]);
        let mut order = order.into_iter().peekable();
        let mut found = vec![Frame::default(); wanted.len()];
        let mut known: Result<(), Lost> = Ok(());
        for at in 0..=code.nodes.len() {
            let node = code.nodes.get(at);
            if let Some(Node::Label(label)) = node
                && let Some(frame) = by_label.get(label.number()).copied().flatten()
            {
                self.restore(frame);
                known = Ok(());
            }
            while let Some(place) = order.next_if(|&place| wanted[place] == at) {
                known.map_err(|lost| lost.into_error(at))?;
                known = Ok(());
                found[place] = self.frame().map_err(|lost| lost.into_error(at))?;
            }
            let Some(Node::Insn(insn)) = node else { continue };
            if known.is_ok() {
                known = self.step(code, at, insn);
            }
            if !insn.can_fall_through() {
                known = Err(Lost::Reason("no frame stands behind an unconditional jump"));
            }
        }
        Ok(found)
    }

    fn restore(&mut self, frame: &Frame) {
        self.locals.clear();
        for &ty in &frame.locals {
            self.locals.push(ty);
            if ty.slots() == 2 {
                self.locals.push(VerificationType::Top);
            }
        }
        self.stack.clone_from(&frame.stack);
    }

    /// The current types as a frame.
    fn frame(&self) -> Result<Frame, Lost> {
        let unnamed = VerificationType::Uninitialized(UNNAMED);
        if self.locals.contains(&unnamed) || self.stack.contains(&unnamed) {
            return Err(Lost::Reason("a `new` has no label"));
        }
        let mut locals = Vec::with_capacity(self.locals.len());
        let mut slots = self.locals.iter();
        while let Some(&ty) = slots.next() {
            locals.push(ty);
            if ty.slots() == 2 {
                slots.next();
            }
        }
        while locals.last() == Some(&VerificationType::Top) {
            locals.pop();
        }
        Ok(Frame { locals, stack: self.stack.clone() })
    }

    fn push(&mut self, ty: VerificationType) {
        self.stack.push(ty);
    }

    fn pop(&mut self) -> Result<VerificationType, Lost> {
        self.stack.pop().ok_or(UNDERFLOW)
    }

    fn drop(&mut self, count: usize) -> Result<(), Lost> {
        let left = self.stack.len().checked_sub(count).ok_or(UNDERFLOW)?;
        self.stack.truncate(left);
        Ok(())
    }

    fn replace(&mut self, count: usize, ty: VerificationType) -> Result<(), Lost> {
        self.drop(count)?;
        self.push(ty);
        Ok(())
    }

    /// Follows one instruction.
    fn step(&mut self, code: &Code, at: usize, insn: &Insn) -> Result<(), Lost> {
        use VerificationType::{Double, Float, Int, Long, Null, Object};
        match *insn {
            Insn::Nop | Insn::Inc { .. } | Insn::Goto(_) | Insn::Return(None) => {}
            Insn::Null => self.push(Null),
            Insn::Int(_) => self.push(Int),
            Insn::Long(_) => self.push(Long),
            Insn::Float(_) => self.push(Float),
            Insn::Double(_) => self.push(Double),
            Insn::Ldc(index) => self.ldc(index)?,
            Insn::Load(kind, local) => self.load(kind, local)?,
            Insn::Store(kind, local) => self.store(kind, local)?,
            Insn::ArrayLoad(super::Element::Reference) => self.array_element()?,
            Insn::ArrayLoad(element) => self.replace(2, of_kind(element.kind()))?,
            Insn::ArrayStore(_) => self.drop(3)?,
            Insn::Stack(op) => self.stack_op(op)?,
            Insn::Arith(_, number) => self.replace(2, of_number(number))?,
            Insn::Neg(number) => self.replace(1, of_number(number))?,
            Insn::Bits(..) => self.drop(1)?,
            Insn::Convert(convert) => self.replace(1, of_number(convert.types().1))?,
            Insn::Compare(_) => self.replace(2, Int)?,
            Insn::If(cond, _) => self.drop(cond.operands().into())?,
            Insn::TableSwitch(_) | Insn::LookupSwitch(_) | Insn::AThrow | Insn::Return(Some(_)) => {
                self.drop(1)?
            }
            Insn::MonitorEnter | Insn::MonitorExit | Insn::PutStatic(_) => self.drop(1)?,
            Insn::PutField(_) => self.drop(2)?,
            Insn::GetStatic(index) => self.get_field(index)?,
            Insn::GetField(index) => {
                self.drop(1)?;
                self.get_field(index)?;
            }
            Insn::InvokeVirtual(index) | Insn::InvokeInterface(index) => self.invoke(index, true)?,
            Insn::InvokeStatic(index) | Insn::InvokeDynamic(index) => self.invoke(index, false)?,
            Insn::InvokeSpecial(index) => self.invoke_special(index)?,
            Insn::New(_) => {
                let label = match at.checked_sub(1).map(|before| &code.nodes[before]) {
                    Some(Node::Label(label)) => *label,
                    _ => UNNAMED,
                };
                self.push(VerificationType::Uninitialized(label));
            }
            Insn::NewArray(element) => {
                let class = self.class.pool.add_class_utf8(primitive_array(element))?;
                self.replace(1, Object(class))?;
            }
            Insn::ANewArray(element) => self.new_array(element)?,
            Insn::MultiANewArray { class, dimensions } => self.replace(dimensions.into(), Object(class))?,
            Insn::ArrayLength | Insn::InstanceOf(_) => self.replace(1, Int)?,
            Insn::CheckCast(class) => self.replace(1, Object(class))?,
            Insn::Jsr(_) | Insn::Ret(_) => return Err(Lost::Reason("it has subroutines")),
        }
        Ok(())
    }

    fn add_class(&mut self, name: &[u8]) -> Result<VerificationType, Lost> {
        Ok(VerificationType::Object(self.class.pool.add_class_utf8(name)?))
    }

    /// The type a descriptor's value has on the stack.
    fn of_descriptor(&mut self, descriptor: &[u8]) -> Result<VerificationType, Lost> {
        Ok(match descriptor.first() {
            Some(b'J') => VerificationType::Long,
            Some(b'F') => VerificationType::Float,
            Some(b'D') => VerificationType::Double,
            Some(b'L' | b'[') => self.add_class(class_constant_name(descriptor))?,
            _ => VerificationType::Int,
        })
    }

    fn ldc(&mut self, index: PoolIndex) -> Result<(), Lost> {
        let ty = match self.class.pool.get(index)? {
            Constant::Integer(_) => VerificationType::Int,
            Constant::Float(_) => VerificationType::Float,
            Constant::Long(_) => VerificationType::Long,
            Constant::Double(_) => VerificationType::Double,
            Constant::String { .. } => self.add_class(b"java/lang/String")?,
            Constant::Class { .. } => self.add_class(b"java/lang/Class")?,
            Constant::MethodHandle { .. } => self.add_class(b"java/lang/invoke/MethodHandle")?,
            Constant::MethodType { .. } => self.add_class(b"java/lang/invoke/MethodType")?,
            _ => return self.get_field(index),
        };
        self.push(ty);
        Ok(())
    }

    fn get_field(&mut self, index: PoolIndex) -> Result<(), Lost> {
        let descriptor = descriptor_of(&self.class.pool, index)?;
        let descriptor = self.class.pool.utf8(descriptor)?.to_vec();
        let ty = self.of_descriptor(&descriptor)?;
        self.push(ty);
        Ok(())
    }

    fn load(&mut self, kind: Kind, local: u16) -> Result<(), Lost> {
        let ty = match kind {
            Kind::Reference => {
                *self.locals.get(usize::from(local)).ok_or(Lost::Reason("a local is not set"))?
            }
            other => of_kind(other),
        };
        self.push(ty);
        Ok(())
    }

    fn store(&mut self, kind: Kind, local: u16) -> Result<(), Lost> {
        let ty = self.pop()?;
        let at = usize::from(local);
        let end = at + usize::from(kind.slots());
        if self.locals.len() < end {
            self.locals.resize(end, VerificationType::Top);
        }
        if at > 0 && self.locals[at - 1].slots() == 2 {
            self.locals[at - 1] = VerificationType::Top;
        }
        self.locals[at..end].fill(VerificationType::Top);
        self.locals[at] = ty;
        Ok(())
    }

    /// `aaload`: the array's element type.
    fn array_element(&mut self) -> Result<(), Lost> {
        self.drop(1)?;
        let mut array = self.pop()?;
        if let VerificationType::Parameter(number) = array {
            let class = parameter_class(&mut self.class.pool, self.descriptor, number)?;
            array = VerificationType::Object(class);
        }
        let element = match array {
            VerificationType::Object(class) => {
                let name = self.class.pool.class_utf8(class)?.to_vec();
                let element = name.strip_prefix(b"[").ok_or(Lost::Reason("an array has no array type"))?;
                self.of_descriptor(element)?
            }
            VerificationType::Null => VerificationType::Null,
            _ => return Err(Lost::Reason("an array has no array type")),
        };
        self.push(element);
        Ok(())
    }

    /// Duplicates and drops by entries: a long counts as two single ones.
    fn stack_op(&mut self, op: StackOp) -> Result<(), Lost> {
        // How many slots on top to duplicate, and how many below to put them under.
        let (take, under) = match op {
            StackOp::Pop => return self.drop(1),
            StackOp::Pop2 => {
                let count = self.entries(2)?;
                return self.drop(count);
            }
            StackOp::Swap => {
                let (top, below) = (self.pop()?, self.pop()?);
                self.stack.extend([top, below]);
                return Ok(());
            }
            StackOp::Dup => (1, 0),
            StackOp::DupX1 => (1, 1),
            StackOp::DupX2 => (1, 2),
            StackOp::Dup2 => (2, 0),
            StackOp::Dup2X1 => (2, 1),
            StackOp::Dup2X2 => (2, 2),
        };
        let taken = self.entries(take)?;
        let above = self.entries(take + under)?;
        let copies = self.stack[self.stack.len() - taken..].to_vec();
        let at = self.stack.len() - above;
        self.stack.splice(at..at, copies);
        Ok(())
    }

    /// How many entries on top fill this many slots.
    fn entries(&self, slots: u16) -> Result<usize, Lost> {
        let mut left = slots;
        for (count, ty) in self.stack.iter().rev().enumerate() {
            if left == 0 {
                return Ok(count);
            }
            left = left.checked_sub(ty.slots()).ok_or(Lost::Reason("a long is cut in half"))?;
        }
        if left == 0 { Ok(self.stack.len()) } else { Err(UNDERFLOW) }
    }

    fn invoke(&mut self, index: PoolIndex, receiver: bool) -> Result<(), Lost> {
        let descriptor = descriptor_of(&self.class.pool, index)?;
        let descriptor = self.class.pool.utf8(descriptor)?.to_vec();
        self.drop(parameters(&descriptor).count() + usize::from(receiver))?;
        let close = descriptor.iter().rposition(|&byte| byte == b')');
        let result = &descriptor[close.map_or(descriptor.len(), |close| close + 1)..];
        if result != b"V" {
            let ty = self.of_descriptor(result)?;
            self.push(ty);
        }
        Ok(())
    }

    /// A constructor call makes its receiver an object wherever it is known.
    fn invoke_special(&mut self, index: PoolIndex) -> Result<(), Lost> {
        let member = self.class.pool.member_ref(index)?;
        let (owner, is_constructor) = (member.owner_index, member.name == "<init>");
        if !is_constructor {
            return self.invoke(index, true);
        }
        self.invoke(index, false)?;
        let receiver = self.pop()?;
        let made = match receiver {
            VerificationType::UninitializedThis => VerificationType::Object(self.class.this_class),
            VerificationType::Uninitialized(_) => VerificationType::Object(owner),
            _ => return Err(Lost::Reason("a constructor is called on an object")),
        };
        for ty in self.locals.iter_mut().chain(&mut self.stack) {
            if *ty == receiver {
                *ty = made;
            }
        }
        Ok(())
    }

    fn new_array(&mut self, element: PoolIndex) -> Result<(), Lost> {
        let element = self.class.pool.class_utf8(element)?;
        let name = match element.first() {
            Some(b'[') => [b"[", element].concat(),
            _ => [b"[L", element, b";"].concat(),
        };
        let ty = self.add_class(&name)?;
        self.replace(1, ty)
    }
}

fn of_kind(kind: Kind) -> VerificationType {
    match kind {
        Kind::Int => VerificationType::Int,
        Kind::Long => VerificationType::Long,
        Kind::Float => VerificationType::Float,
        Kind::Double => VerificationType::Double,
        Kind::Reference => VerificationType::Null,
    }
}

fn of_number(number: Number) -> VerificationType {
    match number {
        Number::Int => VerificationType::Int,
        Number::Long => VerificationType::Long,
        Number::Float => VerificationType::Float,
        Number::Double => VerificationType::Double,
    }
}

fn primitive_array(element: Primitive) -> &'static [u8] {
    match element {
        Primitive::Boolean => b"[Z",
        Primitive::Char => b"[C",
        Primitive::Float => b"[F",
        Primitive::Double => b"[D",
        Primitive::Byte => b"[B",
        Primitive::Short => b"[S",
        Primitive::Int => b"[I",
        Primitive::Long => b"[J",
    }
}
