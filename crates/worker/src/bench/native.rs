//! The calls from Rust, one by one, through JNI.
//!
//! As lean as safe Rust gets: ids looked up before, one local frame per sequence, no results sent anywhere.

use probat_jvm::{Env, Global, Method, Trust, Value};
use probat_model::{Literal, Operation};

use super::{BenchError, Mix, Runner, failed, method_of, primitive, threw};

/// Values of a sequence live in an array of this size.
pub const MOST_STEPS: usize = 64;

/// Most arguments of a call, the receiver included.
const MOST_ARGS: usize = 8;

/// Sequences with their ids looked up.
pub struct Native {
    sequences: Vec<Vec<Ready>>,
}

struct Ready {
    act: Act,
    args: Vec<usize>,
}

enum Act {
    Constant(Value<'static>),
    Text(Global),
    New(Method),
    Static(Method),
    Virtual(Method),
}

impl Native {
    pub fn new(env: &Env<'_>, mix: &Mix) -> Result<Self, BenchError> {
        let mut sequences = Vec::new();
        for sequence in &mix.sequences {
            let mut ready = Vec::new();
            for step in sequence {
                if step.args.len() > MOST_ARGS {
                    return Err(BenchError::Unsupported);
                }
                ready.push(Ready { act: act(env, mix.operation(step))?, args: step.args.clone() });
            }
            sequences.push(ready);
        }
        Ok(Native { sequences })
    }
}

fn act(env: &Env<'_>, operation: &Operation) -> Result<Act, BenchError> {
    Ok(match operation {
        Operation::Literal(Literal::String(text)) => {
            let made = env.new_string(text.units()).map_err(|thrown| threw(env, thrown))?;
            Act::Text(env.global(made.get().erase()).map_err(|thrown| threw(env, thrown))?)
        }
        Operation::Literal(literal) => Act::Constant(primitive(literal).ok_or(BenchError::Unsupported)?),
        Operation::Construct { .. } => Act::New(method_of(env, operation)?),
        Operation::CallStatic { .. } => Act::Static(method_of(env, operation)?),
        Operation::Call { .. } => Act::Virtual(method_of(env, operation)?),
        _ => return Err(BenchError::Unsupported),
    })
}

impl Runner for Native {
    fn rounds(&mut self, env: &mut Env<'_>, rounds: u32) -> Result<(), BenchError> {
        for _ in 0..rounds {
            for sequence in &self.sequences {
                let ran = env.with_frame(MOST_STEPS as u16, |env| run(env, sequence));
                ran.map_err(|thrown| threw(env, thrown))??;
            }
        }
        Ok(())
    }
}

fn run<'f>(env: &Env<'f>, sequence: &[Ready]) -> Result<(), BenchError> {
    let mut values: [Value<'_>; MOST_STEPS] = [Value::Int(0); MOST_STEPS];
    for (at, step) in sequence.iter().enumerate() {
        let mut args = [Value::Int(0); MOST_ARGS];
        for (arg, &from) in args.iter_mut().zip(&step.args) {
            *arg = values[from];
        }
        let args = &args[..step.args.len()];
        let result = match &step.act {
            Act::Constant(value) => Ok(Some(*value)),
            Act::Text(text) => Ok(Some(Value::Object(Some(text.get())))),
            Act::New(method) => {
                env.new_object(method, args, Trust::Caller).map(|made| Some(Value::Object(Some(made.keep()))))
            }
            Act::Static(method) => env.call_static(method, args, Trust::Caller),
            Act::Virtual(method) => match args.split_first() {
                Some((Value::Object(Some(receiver)), rest)) => {
                    env.call(method, *receiver, rest, Trust::Caller)
                }
                _ => return Err(BenchError::Unsupported),
            },
        };
        if let Some(value) = result.map_err(|error| failed(env, error))? {
            values[at] = value;
        }
    }
    Ok(())
}
