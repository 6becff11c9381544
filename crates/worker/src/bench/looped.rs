//! The calls written out in bytecode: what a compiled Java program would do.
//!
//! Every result goes to a static field, so that the JIT compiler cannot drop the call that made it.

use probat_classfile::ConstantPool;
use probat_classfile::build::BuildError;
use probat_classfile::code::{Bits, Convert, Insn, Kind, StackOp, Word};
use probat_jvm::{Env, Method, Trust, Value};
use probat_model::{Literal, Operation, Type};

use super::classes::{self, Looping, PUBLIC_STATIC, countdown, kind_of};
use super::{BenchError, Mix, MixStep, Runner, define, failed, static_method};

const NAME: &str = "probat/bench/Loop";

/// The loop, ready to be called.
pub struct Looped {
    many: Method,
}

impl Looped {
    pub fn new(env: &Env<'_>, mix: &Mix) -> Result<Self, BenchError> {
        let class = define(env, NAME, &loop_class(mix)?)?;
        Ok(Looped { many: static_method(env, &class, "many", "(I)V")? })
    }
}

impl Runner for Looped {
    fn rounds(&mut self, env: &mut Env<'_>, rounds: u32) -> Result<(), BenchError> {
        let rounds = Value::Int(i32::try_from(rounds).unwrap_or(i32::MAX));
        env.call_static(&self.many, &[rounds], Trust::Caller).map(|_| ()).map_err(|error| failed(env, error))
    }
}

/// A class with one method per sequence, and one that calls them all in a loop.
fn loop_class(mix: &Mix) -> Result<Vec<u8>, BenchError> {
    let mut builder = classes::class(NAME)?;
    builder.field(PUBLIC_STATIC, "number", "J")?.field(PUBLIC_STATIC, "object", "Ljava/lang/Object;")?;
    for (at, sequence) in mix.sequences.iter().enumerate() {
        let (insns, locals) = body(builder.pool(), mix, sequence)?;
        builder.straight_method(PUBLIC_STATIC, &format!("sequence{at}"), "()V", locals, insns)?;
    }
    let count = mix.sequences.len();
    Ok(classes::finish(builder, |class| {
        let mut calls = Vec::new();
        for at in 0..count {
            let method = class.pool.add_method_ref(NAME, &format!("sequence{at}"), "()V")?;
            calls.push(Insn::InvokeStatic(method));
        }
        let (labels, nodes) = countdown(0, calls);
        Ok(vec![Looping { name: "many", descriptor: "(I)V", max_stack: 1, max_locals: 1, labels, nodes }])
    })?)
}

/// The code of a sequence and how many locals it needs.
fn body(pool: &mut ConstantPool, mix: &Mix, sequence: &[MixStep]) -> Result<(Vec<Insn>, u16), BenchError> {
    let mut insns = Vec::new();
    let mut locals: Vec<Option<(Kind, u16)>> = Vec::new();
    let mut next = 0;
    for step in sequence {
        let operation = mix.operation(step);
        let args =
            step.args.iter().filter_map(|&arg| locals[arg]).map(|(kind, local)| Insn::Load(kind, local));
        let args: Vec<Insn> = args.collect();
        insns.extend(call(pool, operation, args)?);
        locals.push(operation.result().map(|ty| {
            let kind = kind_of(&ty);
            insns.push(Insn::Store(kind, next));
            next += kind.slots();
            (kind, next - kind.slots())
        }));
        if let (Some(Some((kind, local))), false) =
            (locals.last(), matches!(operation, Operation::Literal(_)))
        {
            insns.extend(keep(pool, *kind, *local)?);
        }
    }
    insns.push(Insn::Return(None));
    Ok((insns, next))
}

fn call(pool: &mut ConstantPool, operation: &Operation, args: Vec<Insn>) -> Result<Vec<Insn>, BenchError> {
    let reference = |error| BenchError::Build(BuildError::Append(error));
    Ok(match operation {
        Operation::Literal(literal) => vec![push(pool, literal)?],
        Operation::Construct { class, descriptor } => {
            let owner = class.as_internal();
            let made = pool.add_class(owner).map_err(reference)?;
            let init = pool.add_method_ref(owner, "<init>", &descriptor.descriptor()).map_err(reference)?;
            let mut insns = vec![Insn::New(made), Insn::Stack(StackOp::Dup)];
            insns.extend(args);
            insns.push(Insn::InvokeSpecial(init));
            insns
        }
        Operation::CallStatic { class, name, descriptor, interface: false } => {
            let target = pool.add_method_ref(class.as_internal(), name, &descriptor.descriptor());
            with(args, Insn::InvokeStatic(target.map_err(reference)?))
        }
        Operation::Call { class, name, descriptor, interface: true } => {
            let target = pool.add_interface_method_ref(class.as_internal(), name, &descriptor.descriptor());
            with(args, Insn::InvokeInterface(target.map_err(reference)?))
        }
        Operation::Call { class, name, descriptor, interface: false } => {
            let target = pool.add_method_ref(class.as_internal(), name, &descriptor.descriptor());
            with(args, Insn::InvokeVirtual(target.map_err(reference)?))
        }
        _ => return Err(BenchError::Unsupported),
    })
}

fn with(mut args: Vec<Insn>, last: Insn) -> Vec<Insn> {
    args.push(last);
    args
}

fn push(pool: &mut ConstantPool, literal: &Literal) -> Result<Insn, BenchError> {
    let constant = match literal {
        Literal::Null(Type::Class(_) | Type::Array(_)) => return Ok(Insn::Null),
        Literal::Boolean(value) => return Ok(Insn::Int(i16::from(*value))),
        Literal::Byte(value) => return Ok(Insn::Int(i16::from(*value))),
        Literal::Short(value) => return Ok(Insn::Int(*value)),
        Literal::Char(value) => pool.add_int(i32::from(*value)),
        Literal::Int(value) => pool.add_int(*value),
        Literal::Long(value) => pool.add_long(*value),
        Literal::Float(bits) => pool.add_float(f32::from_bits(*bits)),
        Literal::Double(bits) => pool.add_double(f64::from_bits(*bits)),
        Literal::String(text) => pool.add_string(text),
        Literal::Null(_) | Literal::Class(_) => return Err(BenchError::Unsupported),
    };
    Ok(Insn::Ldc(constant.map_err(BuildError::Append)?))
}

/// Lets a result have an effect.
fn keep(pool: &mut ConstantPool, kind: Kind, local: u16) -> Result<Vec<Insn>, BenchError> {
    let mut insns = vec![Insn::Load(kind, local)];
    let to_long = match kind {
        Kind::Reference => {
            let object =
                pool.add_field_ref(NAME, "object", "Ljava/lang/Object;").map_err(BuildError::Append)?;
            insns.push(Insn::PutStatic(object));
            return Ok(insns);
        }
        Kind::Int => Some(Convert::I2L),
        Kind::Float => Some(Convert::F2L),
        Kind::Double => Some(Convert::D2L),
        Kind::Long => None,
    };
    let number = pool.add_field_ref(NAME, "number", "J").map_err(BuildError::Append)?;
    insns.extend(to_long.map(Insn::Convert));
    insns.extend([Insn::GetStatic(number), Insn::Bits(Bits::Xor, Word::Long), Insn::PutStatic(number)]);
    Ok(insns)
}
