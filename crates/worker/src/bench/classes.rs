//! Classes with loops, for measuring.
//!
//! In: straight methods and code with jumps. Out: a class file of version 49, the newest whose code needs no frames
//! anywhere, so that loops can be written without computing any.

use probat_classfile::build::{BuildError, ClassBuilder};
use probat_classfile::code::{Insn, Kind, Labels, Node};
use probat_classfile::{AccessFlags, ClassFile, Code, Method};
use probat_model::Type;

/// Java 5.
const MAJOR: u16 = 49;

pub const PUBLIC_STATIC: AccessFlags = AccessFlags::PUBLIC.with(AccessFlags::STATIC);

/// A public class with nothing in it yet.
pub fn class(name: &str) -> Result<ClassBuilder, BuildError> {
    let access = AccessFlags::PUBLIC.with(AccessFlags::SUPER);
    ClassBuilder::new(access, name, "java/lang/Object", &[])
}

/// A method with jumps.
pub struct Looping {
    pub name: &'static str,
    pub descriptor: &'static str,
    pub max_stack: u16,
    pub max_locals: u16,
    pub labels: Labels,
    pub nodes: Vec<Node>,
}

/// Ends a class, with methods that have jumps. `make` gets the class for its constants.
pub fn finish(
    builder: ClassBuilder,
    make: impl FnOnce(&mut ClassFile) -> Result<Vec<Looping>, BuildError>,
) -> Result<Vec<u8>, BuildError> {
    let bytes = builder.finish()?;
    let mut class = ClassFile::read(&bytes).expect("what was just written can be read");
    class.major = MAJOR;
    for method in make(&mut class)? {
        let (name, descriptor) = (class.pool.add_text(method.name)?, class.pool.add_text(method.descriptor)?);
        class.methods.push(Method { access: PUBLIC_STATIC, name, descriptor, attributes: Vec::new() });
        let mut code = Code::default();
        (code.max_stack, code.max_locals) = (method.max_stack, method.max_locals);
        (code.labels, code.nodes) = (method.labels, method.nodes);
        class.set_code(class.methods.len() - 1, &code)?;
    }
    Ok(class.write()?)
}

/// What a value of a type is in a local.
pub fn kind_of(ty: &Type) -> Kind {
    match ty {
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => Kind::Int,
        Type::Long => Kind::Long,
        Type::Float => Kind::Float,
        Type::Double => Kind::Double,
        Type::Class(_) | Type::Array(_) => Kind::Reference,
    }
}

/// `while (n > 0) { body; n = n - 1 }` over the local `n`.
pub fn countdown(n: u16, body: Vec<Insn>) -> (Labels, Vec<Node>) {
    use probat_classfile::code::Cond;
    let mut labels = Labels::default();
    let (start, end) = (labels.fresh(), labels.fresh());
    let mut nodes: Vec<Node> =
        vec![start.into(), Insn::Load(Kind::Int, n).into(), Insn::If(Cond::Le, end).into()];
    nodes.extend(body.into_iter().map(Node::Insn));
    nodes.extend([Insn::Inc { local: n, by: -1 }.into(), Insn::Goto(start).into(), end.into()]);
    nodes.push(Insn::Return(None).into());
    (labels, nodes)
}
