//! How fast the same calls go without a supervisor: compiled Java, plain JNI, reflection.
//!
//! In: frames `Configure`, `Define` and `Batch`, and which way to measure. Out: [`Measured`].
//! The sequences have literals, constructors and calls only. Nothing is observed, reset or limited here; this is what
//! the pipeline is compared with.

mod classes;
mod looped;
mod native;
mod reflected;

use std::io::Read;
use std::time::{Duration, Instant};

use probat_classfile::build::BuildError;
use probat_jvm::{
    CallError, Class, Env, Loader, Local, MemberError, Method, NoHooks, Thrown, Trust, Value, Vm, VmOptions,
    keep_agent,
};
use probat_model::{Literal, Operation};
use probat_os::clock::process_cpu;
use probat_protocol::{BatchReader, FrameKind, ItemBuffer, WorkerConfig, decode_message, read_frame};

use crate::options;

/// Who makes the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Bytecode with the calls written out: the limit.
    JavaLoop,
    /// Rust, through JNI.
    RawJni,
    /// `java.lang.reflect`, results kept in a list.
    Reflection,
}

/// What was measured after warming up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Constructors and methods called.
    pub calls: u64,
    pub wall: Duration,
    /// CPU time of the whole process, compiler threads included.
    pub cpu: Duration,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error("cannot read what to measure: {0}")]
    Input(String),
    #[error("a step is neither literal, constructor nor call")]
    Unsupported,
    #[error("a sequence is longer than {}", native::MOST_STEPS)]
    TooLong,
    #[error(transparent)]
    Vm(#[from] probat_jvm::VmError),
    #[error("cannot write the class that loops: {0}")]
    Build(#[from] BuildError),
    #[error("the JVM threw: {0}")]
    Threw(String),
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// What to run: operations, and for each sequence its steps.
#[derive(Debug)]
pub(crate) struct Mix {
    pub operations: Vec<Operation>,
    pub sequences: Vec<Vec<MixStep>>,
}

#[derive(Debug, Clone)]
pub(crate) struct MixStep {
    pub operation: usize,
    pub args: Vec<usize>,
}

impl Mix {
    /// Calls that running every sequence once makes.
    fn calls(&self) -> u64 {
        let steps = self.sequences.iter().flatten();
        steps.filter(|step| !matches!(self.operations[step.operation], Operation::Literal(_))).count() as u64
    }

    /// The operation of a step and its arguments.
    pub fn operation(&self, step: &MixStep) -> &Operation {
        &self.operations[step.operation]
    }
}

/// One way of making the calls, made ready.
trait Runner {
    /// Runs every sequence so many times.
    fn rounds(&mut self, env: &mut Env<'_>, rounds: u32) -> Result<(), BenchError>;
}

/// Reads what to measure and measures it, in a JVM made for this.
pub fn measure(mode: Mode, time: Duration, input: &mut dyn Read) -> Result<Measured, BenchError> {
    keep_agent();
    let (config, mix) = read(input)?;
    let stack = 8 << 20;
    let body = move || in_jvm(mode, time, &config, &mix);
    let thread = std::thread::Builder::new().name("bench".into()).stack_size(stack).spawn(body)?;
    thread.join().unwrap_or_else(|_| Err(BenchError::Input("the measuring thread panicked".into())))
}

fn read(mut input: &mut dyn Read) -> Result<(WorkerConfig, Mix), BenchError> {
    let mut frame = |kind: FrameKind| match read_frame(&mut input) {
        Ok(Some(frame)) if frame.kind == kind => Ok(frame.payload),
        Ok(other) => Err(BenchError::Input(format!("wanted {kind:?}, found {:?}", other.map(|f| f.kind)))),
        Err(error) => Err(BenchError::Input(error.to_string())),
    };
    let bad = |error: &dyn std::fmt::Display| BenchError::Input(error.to_string());
    let config = decode_message(&frame(FrameKind::Configure)?).map_err(|error| bad(&error))?;
    let operations = decode_message(&frame(FrameKind::Define)?).map_err(|error| bad(&error))?;
    let batch = frame(FrameKind::Batch)?;
    let mut reader = BatchReader::new(&batch).map_err(|error| bad(&error))?;
    let mut mix = Mix { operations, sequences: Vec::new() };
    let mut item = ItemBuffer::default();
    while reader.next(&mut item).map_err(|error| bad(&error))? {
        mix.sequences.push(steps(&item, mix.operations.len())?);
    }
    Ok((config, mix))
}

fn steps(item: &ItemBuffer, operations: usize) -> Result<Vec<MixStep>, BenchError> {
    if item.operations.len() > native::MOST_STEPS {
        return Err(BenchError::TooLong);
    }
    let step = |(at, &operation): (usize, &u32)| {
        let operation = operation as usize;
        let args = item.args_of(at).iter().map(|&arg| usize::from(arg)).collect();
        if operation < operations { Ok(MixStep { operation, args }) } else { Err(BenchError::Unsupported) }
    };
    item.operations.iter().enumerate().map(step).collect()
}

fn in_jvm(mode: Mode, time: Duration, config: &WorkerConfig, mix: &Mix) -> Result<Measured, BenchError> {
    let feature = options::feature_release_of(&config.java_home);
    let options = VmOptions {
        library: config.libjvm.clone(),
        arguments: options::jvm_options(config, feature),
        hooks: Box::new(NoHooks),
        panic_fd: 2,
    };
    let (_vm, mut attached) = Vm::create(options)?;
    let mut env = attached.env();
    let mut runner: Box<dyn Runner> = match mode {
        Mode::JavaLoop => Box::new(looped::Looped::new(&env, mix)?),
        Mode::RawJni => Box::new(native::Native::new(&env, mix)?),
        Mode::Reflection => Box::new(reflected::Reflected::new(&env, mix)?),
    };
    spin(runner.as_mut(), &mut env, time.mul_f32(0.75))?;
    let (wall, cpu) = (Instant::now(), process_cpu());
    let rounds = spin(runner.as_mut(), &mut env, time)?;
    Ok(Measured { calls: rounds * mix.calls(), wall: wall.elapsed(), cpu: process_cpu() - cpu })
}

/// Runs until the time is over; answers how many rounds that were.
fn spin(runner: &mut dyn Runner, env: &mut Env<'_>, time: Duration) -> Result<u64, BenchError> {
    let start = Instant::now();
    let mut done = 0;
    let mut chunk = 16;
    while start.elapsed() < time {
        let before = Instant::now();
        runner.rounds(env, chunk)?;
        done += u64::from(chunk);
        if before.elapsed() < Duration::from_millis(5) {
            chunk = chunk.saturating_mul(2);
        }
    }
    Ok(done)
}

/// Resolves the method an operation calls.
fn method_of(env: &Env<'_>, operation: &Operation) -> Result<Method, BenchError> {
    let (class, name, descriptor) = match operation {
        Operation::Construct { class, descriptor } => (class, "<init>", descriptor),
        Operation::CallStatic { class, name, descriptor, .. }
        | Operation::Call { class, name, descriptor, .. } => (class, name.as_str(), descriptor),
        _ => return Err(BenchError::Unsupported),
    };
    let found = env.find_class(class.as_internal()).map_err(|thrown| threw(env, thrown))?;
    let descriptor = descriptor.descriptor();
    let method = match operation {
        Operation::CallStatic { .. } => env.static_method(found.get(), name, &descriptor),
        _ => env.method(found.get(), name, &descriptor),
    };
    method.map_err(|error| match error {
        MemberError::Threw(thrown) => threw(env, thrown),
        MemberError::Descriptor(error) => BenchError::Input(error.to_string()),
        MemberError::Jvmti(error) => BenchError::Input(error.to_string()),
    })
}

/// A literal that is no object, as JNI passes it.
fn primitive(literal: &Literal) -> Option<Value<'static>> {
    Some(match literal {
        Literal::Null(_) => Value::Object(None),
        Literal::Boolean(value) => Value::Boolean(*value),
        Literal::Byte(value) => Value::Byte(*value),
        Literal::Char(value) => Value::Char(*value),
        Literal::Short(value) => Value::Short(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Long(value) => Value::Long(*value),
        Literal::Float(bits) => Value::Float(f32::from_bits(*bits)),
        Literal::Double(bits) => Value::Double(f64::from_bits(*bits)),
        Literal::String(_) | Literal::Class(_) => return None,
    })
}

/// Defines a class beside those of the class path.
fn define<'f>(env: &Env<'f>, name: &str, bytes: &[u8]) -> Result<Local<'f, Class>, BenchError> {
    let loaders = env.find_class("java/lang/ClassLoader").map_err(|thrown| threw(env, thrown))?;
    let system = env.static_method(loaders.get(), "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
    let system = system.map_err(|_| BenchError::Unsupported)?;
    let loader = match env.call_static(&system, &[], Trust::Caller).map_err(|error| failed(env, error))? {
        Some(Value::Object(Some(loader))) => env.cast::<Loader>(loader),
        _ => None,
    };
    env.define_class(name, loader, bytes).map_err(|thrown| threw(env, thrown))
}

fn static_method(
    env: &Env<'_>,
    class: &Local<'_, Class>,
    name: &str,
    ty: &str,
) -> Result<Method, BenchError> {
    env.static_method(class.get(), name, ty).map_err(|_| BenchError::Unsupported)
}

fn failed(env: &Env<'_>, error: CallError<'_>) -> BenchError {
    match error {
        CallError::Threw(thrown) => threw(env, thrown),
        CallError::Rejected(rejection) => BenchError::Input(rejection.to_string()),
    }
}

fn threw(env: &Env<'_>, thrown: Thrown<'_>) -> BenchError {
    let class = env.object_class(thrown.get().erase());
    BenchError::Threw(env.class_name(class.get(), 200).unwrap_or_else(|_| "an exception".into()))
}
