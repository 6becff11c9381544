//! Stubs: a class of our own for an interface or an abstract class, with fixed behaviour.
//!
//! In: a [`StubSpec`] and the name the class shall have. Out: its bytes.
//! The class is public and final; its one constructor takes the superclass's arguments, then the captured values.
//! Whether `of` can be extended from the chosen package is for the caller to know and for the JVM to check.

use probat_model::{ClassName, Literal, MethodDescriptor, StubBehaviour, StubMethod, StubSpec, Type};

use super::convert::{convert, kind_of};
use super::{BuildError, ClassBuilder};
use crate::code::{Insn, Kind, StackOp};
use crate::flags::AccessFlags;
use crate::passes::push_int;
use crate::pool::ConstantPool;

/// A stub that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StubError {
    #[error("`{0}` is an interface and has no constructor")]
    InterfaceConstructor(ClassName),
    #[error("constructor descriptor `{0}` returns a value")]
    ConstructorReturns(String),
    #[error("`{0}` cannot be a method of a stub")]
    MethodName(String),
    #[error("method `{0}{1}` is given twice")]
    Twice(String, String),
    #[error("method `{method}` has no parameter {parameter}")]
    NoSuchParameter { method: String, parameter: u8 },
    #[error("method `{method}` uses captured value {captured}, which does not exist")]
    NoSuchCapture { method: String, captured: u8 },
    #[error("method `{method}` returns `{returns}`, which `null` is not")]
    NullForPrimitive { method: String, returns: Type },
    #[error("constructor or method `{0}` takes more than 255 slots")]
    TooManyParameters(String),
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl From<crate::error::AppendError> for StubError {
    fn from(error: crate::error::AppendError) -> Self {
        StubError::Build(error.into())
    }
}

/// The bytes of a class `name` that does what `spec` says.
pub fn stub_class(spec: &StubSpec, name: &ClassName) -> Result<Vec<u8>, StubError> {
    check(spec)?;
    let of = spec.of.as_internal();
    let access = AccessFlags::PUBLIC.with(AccessFlags::FINAL).with(AccessFlags::SUPER);
    let access = access.with(AccessFlags::SYNTHETIC);
    let mut builder = if spec.is_interface {
        ClassBuilder::new(access, name.as_internal(), "java/lang/Object", &[of])?
    } else {
        ClassBuilder::new(access, name.as_internal(), of, &[])?
    };
    for (nth, ty) in spec.captures.iter().enumerate() {
        let private = AccessFlags::PRIVATE.with(AccessFlags::FINAL);
        builder.field(private, &field_name(nth), &ty.descriptor())?;
    }
    constructor(&mut builder, spec, name)?;
    for method in &spec.methods {
        let body = Body { spec, name, method };
        let insns = body.insns(builder.pool())?;
        let descriptor = method.descriptor.descriptor();
        let locals = 1 + slots(&method.descriptor.params);
        builder.straight_method(AccessFlags::PUBLIC, &method.name, &descriptor, locals, insns)?;
    }
    Ok(builder.finish()?)
}

/// Refuses what would be no class file.
fn check(spec: &StubSpec) -> Result<(), StubError> {
    if spec.is_interface && spec.constructor.is_some() {
        return Err(StubError::InterfaceConstructor(spec.of.clone()));
    }
    let constructor = constructor_descriptor(spec);
    if let Some(given) = &spec.constructor
        && given.returns.is_some()
    {
        return Err(StubError::ConstructorReturns(given.descriptor()));
    }
    if slots(&constructor.params) > 254 {
        return Err(StubError::TooManyParameters("<init>".into()));
    }
    for (nth, method) in spec.methods.iter().enumerate() {
        let same = |other: &StubMethod| other.name == method.name && other.descriptor == method.descriptor;
        if method.name.is_empty() || method.name.contains(['<', '>', '.', ';', '[', '/']) {
            return Err(StubError::MethodName(method.name.clone()));
        }
        if spec.methods[..nth].iter().any(same) {
            return Err(StubError::Twice(method.name.clone(), method.descriptor.descriptor()));
        }
        if slots(&method.descriptor.params) > 254 {
            return Err(StubError::TooManyParameters(method.name.clone()));
        }
    }
    Ok(())
}

fn field_name(nth: usize) -> String {
    format!("c{nth}")
}

fn slots(types: &[Type]) -> u16 {
    types.iter().map(|ty| kind_of(ty).slots()).fold(0, u16::saturating_add)
}

/// What the stub's constructor takes: the superclass's arguments, then the captured values.
fn constructor_descriptor(spec: &StubSpec) -> MethodDescriptor {
    let mut params = spec.constructor.as_ref().map_or(Vec::new(), |given| given.params.clone());
    params.extend_from_slice(&spec.captures);
    MethodDescriptor { params, returns: None }
}

/// Stores the captured values first: the superclass's constructor may already call a method that gives one.
fn constructor(builder: &mut ClassBuilder, spec: &StubSpec, name: &ClassName) -> Result<(), StubError> {
    let empty = MethodDescriptor { params: Vec::new(), returns: None };
    let given = spec.constructor.as_ref().unwrap_or(&empty);
    let pool = builder.pool();
    let mut insns = Vec::new();
    let mut local = 1 + slots(&given.params);
    for (nth, ty) in spec.captures.iter().enumerate() {
        let kind = kind_of(ty);
        let field = pool.add_field_ref(name.as_internal(), &field_name(nth), &ty.descriptor())?;
        insns.extend([Insn::Load(Kind::Reference, 0), Insn::Load(kind, local), Insn::PutField(field)]);
        local += kind.slots();
    }
    insns.push(Insn::Load(Kind::Reference, 0));
    let mut argument = 1;
    for ty in &given.params {
        insns.push(Insn::Load(kind_of(ty), argument));
        argument += kind_of(ty).slots();
    }
    let owner = if spec.is_interface { "java/lang/Object" } else { spec.of.as_internal() };
    insns.push(Insn::InvokeSpecial(pool.add_method_ref(owner, "<init>", &given.descriptor())?));
    insns.push(Insn::Return(None));
    let descriptor = constructor_descriptor(spec).descriptor();
    builder.straight_method(AccessFlags::PUBLIC, "<init>", &descriptor, local, insns)?;
    Ok(())
}

/// One method of a stub on its way to code.
struct Body<'a> {
    spec: &'a StubSpec,
    name: &'a ClassName,
    method: &'a StubMethod,
}

impl Body<'_> {
    fn insns(&self, pool: &mut ConstantPool) -> Result<Vec<Insn>, StubError> {
        match &self.method.behaviour {
            StubBehaviour::Default => Ok(self.default()),
            StubBehaviour::Constant(literal) => self.constant(pool, literal),
            StubBehaviour::Parameter(nth) => self.parameter(pool, *nth),
            StubBehaviour::Captured(nth) => self.captured(pool, *nth),
            StubBehaviour::Throw(class) => {
                let made = pool.add_class(class.as_internal())?;
                let init = pool.add_method_ref(class.as_internal(), "<init>", "()V")?;
                let dup = Insn::Stack(StackOp::Dup);
                Ok(vec![Insn::New(made), dup, Insn::InvokeSpecial(init), Insn::AThrow])
            }
        }
    }

    fn default(&self) -> Vec<Insn> {
        let Some(returns) = &self.method.descriptor.returns else { return vec![Insn::Return(None)] };
        let kind = kind_of(returns);
        let zero = match kind {
            Kind::Int => Insn::Int(0),
            Kind::Long => Insn::Long(0),
            Kind::Float => Insn::Float(0),
            Kind::Double => Insn::Double(0),
            Kind::Reference => Insn::Null,
        };
        vec![zero, Insn::Return(Some(kind))]
    }

    fn constant(&self, pool: &mut ConstantPool, literal: &Literal) -> Result<Vec<Insn>, StubError> {
        let Some(returns) = &self.method.descriptor.returns else { return Ok(self.default()) };
        if let Literal::Null(_) = literal {
            return match returns.is_primitive() {
                true => Err(StubError::NullForPrimitive {
                    method: self.method.name.clone(),
                    returns: returns.clone(),
                }),
                false => Ok(self.default()),
            };
        }
        let value = vec![push_literal(pool, literal)?];
        self.give(pool, value, &literal.ty())
    }

    fn parameter(&self, pool: &mut ConstantPool, nth: u8) -> Result<Vec<Insn>, StubError> {
        let params = &self.method.descriptor.params;
        let missing = || StubError::NoSuchParameter { method: self.method.name.clone(), parameter: nth };
        let ty = params.get(usize::from(nth)).ok_or_else(missing)?;
        let local = 1 + slots(&params[..usize::from(nth)]);
        self.give(pool, vec![Insn::Load(kind_of(ty), local)], ty)
    }

    fn captured(&self, pool: &mut ConstantPool, nth: u8) -> Result<Vec<Insn>, StubError> {
        let missing = || StubError::NoSuchCapture { method: self.method.name.clone(), captured: nth };
        let ty = self.spec.captures.get(usize::from(nth)).ok_or_else(missing)?;
        let field = pool.add_field_ref(self.name.as_internal(), &field_name(nth.into()), &ty.descriptor())?;
        self.give(pool, vec![Insn::Load(Kind::Reference, 0), Insn::GetField(field)], ty)
    }

    /// Returns what `value` pushes.
    fn give(&self, pool: &mut ConstantPool, mut value: Vec<Insn>, ty: &Type) -> Result<Vec<Insn>, StubError> {
        let Some(returns) = &self.method.descriptor.returns else { return Ok(self.default()) };
        value.extend(convert(pool, ty, returns)?);
        value.push(Insn::Return(Some(kind_of(returns))));
        Ok(value)
    }
}

/// Pushes a value that source can spell.
fn push_literal(pool: &mut ConstantPool, literal: &Literal) -> Result<Insn, StubError> {
    Ok(match literal {
        Literal::Null(_) => Insn::Null,
        Literal::Boolean(value) => Insn::Int(i16::from(*value)),
        Literal::Byte(value) => Insn::Int(i16::from(*value)),
        Literal::Char(value) => push_int(pool, i32::from(*value))?,
        Literal::Short(value) => Insn::Int(*value),
        Literal::Int(value) => push_int(pool, *value)?,
        Literal::Long(value) => Insn::Ldc(pool.add_long(*value)?),
        Literal::Float(bits) => Insn::Ldc(pool.add_float(f32::from_bits(*bits))?),
        Literal::Double(bits) => Insn::Ldc(pool.add_double(f64::from_bits(*bits))?),
        Literal::String(value) => Insn::Ldc(pool.add_string(value)?),
        Literal::Class(ty) => match super::convert::wrapper(ty) {
            Some(wrapper) => Insn::GetStatic(pool.add_field_ref(wrapper, "TYPE", "Ljava/lang/Class;")?),
            None => {
                let name = match ty {
                    Type::Class(name) => name.as_internal().to_owned(),
                    _ => ty.descriptor(),
                };
                Insn::Ldc(pool.add_class(&name)?)
            }
        },
    })
}
