//! Classes of our own, written from nothing.
//!
//! In: what the class shall be. Out: the bytes of a class file of version 52 (Java 8).
//! Code that jumps needs frames from version 50 on; a class with such code is given version 49 instead.

pub(crate) mod convert;
mod outermost;
mod probat;
mod stub;

pub use probat::{DIRTY_KINDS, ProbatClassSpec, probat_class};
pub use stub::{StubError, stub_class};

use crate::class::{ClassFile, Field, Method};
use crate::code::{Code, Insn, Labels, Node};
use crate::error::{AppendError, EncodeError, PoolError, WriteError};
use crate::flags::AccessFlags;
use crate::pool::ConstantPool;

/// The version of the classes built here: the newest that every supported JVM reads and the oldest with all we use.
const MAJOR: u16 = 52;

/// The newest version whose code needs no frames.
const MAJOR_WITHOUT_FRAMES: u16 = 49;

/// A class that cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("code pops more than it pushed")]
    EmptyStack,
}

/// A class being built.
#[derive(Debug)]
pub struct ClassBuilder {
    class: ClassFile,
}

impl ClassBuilder {
    /// A class with these names in internal form.
    pub fn new(
        access: AccessFlags,
        name: &str,
        superclass: &str,
        interfaces: &[&str],
    ) -> Result<ClassBuilder, BuildError> {
        let mut pool = ConstantPool::default();
        let this_class = pool.add_class(name)?;
        let super_class = Some(pool.add_class(superclass)?);
        let interfaces =
            interfaces.iter().map(|interface| pool.add_class(interface)).collect::<Result<_, _>>()?;
        let class = ClassFile {
            minor: 0,
            major: MAJOR,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        };
        Ok(ClassBuilder { class })
    }

    /// Where instructions get their constants from.
    pub fn pool(&mut self) -> &mut ConstantPool {
        &mut self.class.pool
    }

    /// Adds a field.
    pub fn field(
        &mut self,
        access: AccessFlags,
        name: &str,
        descriptor: &str,
    ) -> Result<&mut Self, BuildError> {
        let (name, descriptor) = (self.pool().add_text(name)?, self.pool().add_text(descriptor)?);
        self.class.fields.push(Field { access, name, descriptor, attributes: Vec::new() });
        Ok(self)
    }

    /// Adds a method without code: an abstract or a native one.
    pub fn method(
        &mut self,
        access: AccessFlags,
        name: &str,
        descriptor: &str,
    ) -> Result<&mut Self, BuildError> {
        let (name, descriptor) = (self.pool().add_text(name)?, self.pool().add_text(descriptor)?);
        self.class.methods.push(Method { access, name, descriptor, attributes: Vec::new() });
        Ok(self)
    }

    /// Adds a method whose code has no jumps; `max_locals` includes receiver and parameters.
    pub fn straight_method(
        &mut self,
        access: AccessFlags,
        name: &str,
        descriptor: &str,
        max_locals: u16,
        insns: Vec<Insn>,
    ) -> Result<&mut Self, BuildError> {
        self.method(access, name, descriptor)?;
        let max_stack = deepest(&self.class.pool, &insns)?;
        let nodes = insns.into_iter().map(Node::Insn).collect();
        let code = Code { max_stack, max_locals, nodes, ..Code::default() };
        self.class.set_code(self.class.methods.len() - 1, &code)?;
        Ok(self)
    }

    /// Adds a method whose code jumps, which makes the class one of a version without frames.
    pub(crate) fn jumping_method(
        &mut self,
        access: AccessFlags,
        (name, descriptor): (&str, &str),
        (max_stack, max_locals): (u16, u16),
        labels: Labels,
        nodes: Vec<Node>,
    ) -> Result<&mut Self, BuildError> {
        self.method(access, name, descriptor)?;
        self.class.major = MAJOR_WITHOUT_FRAMES;
        let code = Code { max_stack, max_locals, labels, nodes, ..Code::default() };
        self.class.set_code(self.class.methods.len() - 1, &code)?;
        Ok(self)
    }

    /// The class file.
    pub fn finish(self) -> Result<Vec<u8>, BuildError> {
        Ok(self.class.write()?)
    }
}

/// The deepest stack of code without jumps.
fn deepest(pool: &ConstantPool, insns: &[Insn]) -> Result<u16, BuildError> {
    let (mut depth, mut max) = (0u16, 0u16);
    for insn in insns {
        let effect = insn.stack_effect(pool)?;
        depth = depth.checked_sub(effect.pops).ok_or(BuildError::EmptyStack)?.saturating_add(effect.pushes);
        max = max.max(depth);
    }
    Ok(max)
}
