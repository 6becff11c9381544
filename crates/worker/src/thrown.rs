//! Exceptions as they are reported.
//!
//! In: a throwable of the JVM. Out: the model's [`Thrown`], bounded, or one line of text.
//! Runs `getMessage`, which the code under test may have written; a watchdog must be watching.

use probat_jvm::{Class, Env, Global, Limits, Message, MessageFrom, Ref, Throwable, ThrowableInfo};
use probat_model::{ClassName, Frame, JavaString, Thrown};

use crate::fault::Fault;
use crate::names::{stable_binary, stable_internal};

/// Our own class, whose frames are none of the code under test.
pub const OWN_CLASS: &str = "java.lang.$Probat";

/// Causes followed before a chain counts as endless.
const CHAIN: usize = 8;

/// How much of an exception is kept.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub message: usize,
    pub frames: usize,
}

/// What the model keeps of an exception. Calls `getMessage`.
pub fn report(env: &mut Env<'_>, throwable: Ref<'_, Throwable>, bounds: Bounds) -> Thrown {
    // Guards add one frame of ours, so one more is read.
    let limits = Limits { message: bounds.message, frames: bounds.frames + 1, name: 512 };
    let info = env.describe_throwable(throwable, MessageFrom::Method, limits);
    from_info(info, bounds.frames)
}

/// One line for a person, without running any code of the exception's class.
pub fn one_line(env: &mut Env<'_>, throwable: Ref<'_, Throwable>) -> String {
    let limits = Limits { message: 300, frames: 0, name: 512 };
    let info = env.describe_throwable(throwable, MessageFrom::Field, limits);
    match info.message {
        Message::Text { units, .. } => format!("{}: {}", info.class, String::from_utf16_lossy(&units)),
        Message::Null | Message::Threw(_) => match info.cause {
            Some(cause) => format!("{}, caused by {cause}", info.class),
            None => info.class,
        },
    }
}

fn from_info(info: ThrowableInfo, frames: usize) -> Thrown {
    let name = |binary: &str| ClassName::internal(&stable_internal(binary));
    Thrown {
        class: name(&info.class),
        message: match info.message {
            Message::Text { units, .. } => Some(JavaString::from_units(&units)),
            Message::Null | Message::Threw(_) => None,
        },
        cause: info.cause.as_deref().map(name),
        frames: info
            .frames
            .iter()
            .filter(|frame| frame.class != OWN_CLASS)
            .take(frames)
            .map(|frame| Frame {
                class: ClassName::binary(&stable_binary(&frame.class)),
                method: frame.method.clone(),
                line: u32::try_from(frame.line).ok(),
            })
            .collect(),
    }
}

/// Whether an `OutOfMemoryError` is about the heap of Java objects, which recovers when they are let go; others, about
/// threads or classes, do not. Runs no code of the exception's class.
pub fn is_about_the_heap(env: &mut Env<'_>, throwable: Ref<'_, Throwable>) -> bool {
    let line = one_line(env, throwable);
    ["Java heap space", "Requested array size exceeds VM limit"].iter().any(|about| line.ends_with(about))
}

/// What an exception means beyond itself. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// An exception like any other.
    Ordinary,
    /// The stack overflowed.
    Stack,
    /// Memory ran out.
    Memory,
    /// A class failed to initialise, so what comes next depends on what came before.
    Initialiser,
}

/// Tells sorts of exceptions apart by class, following causes.
#[derive(Debug)]
pub struct Sorter {
    stack: Global<Class>,
    memory: Global<Class>,
    initialiser: Global<Class>,
}

impl Sorter {
    pub fn new(env: &Env<'_>) -> Result<Self, Fault> {
        let class = |name: &str| -> Result<Global<Class>, Fault> {
            let local = env.find_class(name).map_err(|_| Fault::missing(name))?;
            env.global(local.get()).map_err(|_| Fault::missing(name))
        };
        Ok(Sorter {
            stack: class("java/lang/StackOverflowError")?,
            memory: class("java/lang/OutOfMemoryError")?,
            initialiser: class("java/lang/ExceptionInInitializerError")?,
        })
    }

    /// The first sort found along the chain of causes.
    pub fn sort(&self, env: &mut Env<'_>, throwable: Ref<'_, Throwable>) -> Sort {
        let sorted = env.with_frame(CHAIN as u16 + 4, |env| match env.local(throwable) {
            Ok(first) => self.follow(env, first.keep()),
            Err(_) => Sort::Memory,
        });
        sorted.unwrap_or(Sort::Memory)
    }

    fn follow<'i>(&self, env: &Env<'i>, throwable: Ref<'i, Throwable>) -> Sort {
        let mut at = throwable;
        let mut sort = Sort::Ordinary;
        for _ in 0..CHAIN {
            if env.is_instance_of(at.erase(), self.stack.get()) {
                return Sort::Stack;
            }
            if env.is_instance_of(at.erase(), self.memory.get()) {
                return Sort::Memory;
            }
            if env.is_instance_of(at.erase(), self.initialiser.get()) {
                sort = Sort::Initialiser;
            }
            match env.throwable_cause(at) {
                Some(cause) => at = cause.keep(),
                None => break,
            }
        }
        sort
    }
}
