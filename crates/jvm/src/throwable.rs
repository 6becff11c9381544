//! What an exception says about itself.
//!
//! In: a throwable. Out: [`ThrowableInfo`]: class, message, top frames, cause.
//! Survives hostile classes: overridden `getStackTrace` and `getCause` are never run, an overridden `getMessage` only
//! on request, what it throws is swallowed, what it answers is cut off. One that never returns is for a watchdog.

use crate::env::Env;
use crate::known::{FieldRaw, known};
use crate::reference::{Class, Local, ObjectArray, Ref, Str, Throwable, Thrown};

/// How the message is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageFrom {
    /// The private field of `Throwable`: no code of the exception's class runs.
    Field,
    /// `getMessage()`, which any class may override.
    Method,
}

/// How much to read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Units of the message.
    pub message: usize,
    /// Frames of the stack trace. Reading any costs microseconds, since the VM makes an object for each.
    pub frames: usize,
    /// Units of every name.
    pub name: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { message: 512, frames: 8, name: 512 }
    }
}

/// The message of an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    Null,
    /// The first units; `length` is how many there are.
    Text {
        units: Vec<u16>,
        length: usize,
    },
    /// `getMessage` itself threw; the binary name of what it threw.
    Threw(String),
}

/// One line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// The binary name of the class.
    pub class: String,
    pub method: String,
    pub file: Option<String>,
    /// Negative where there is none, -2 in a native method.
    pub line: i32,
}

/// What an exception says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThrowableInfo {
    /// The binary name of the class.
    pub class: String,
    pub message: Message,
    pub frames: Vec<StackFrame>,
    /// The binary name of the cause's class.
    pub cause: Option<String>,
}

impl<'f> Env<'f> {
    /// The binary name of a class, `java.util.Map$Entry`.
    pub fn class_name(&self, class: Ref<'_, Class>, limit: usize) -> Result<String, Thrown<'f>> {
        let get = known().ids.class_get_name.0;
        // SAFETY: the reference is to a class, and the id is `Class.getName`, which is final.
        let raw = unsafe { self.jni.CallObjectMethodA(class.raw(), get, std::ptr::null()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        let name: Local<'f, Str> = unsafe { self.made(raw) }?;
        let text = self.string_text(name.get(), limit);
        self.delete(name);
        Ok(text)
    }

    /// Reads an exception. What fails on the way (memory may be short) is left out of the answer.
    pub fn describe_throwable(
        &mut self,
        throwable: Ref<'_, Throwable>,
        from: MessageFrom,
        limits: Limits,
    ) -> ThrowableInfo {
        let read = self.with_frame(32, |env| ThrowableInfo {
            class: env.class_name_of(throwable.erase(), limits.name),
            message: env.message(throwable, from, limits),
            frames: if limits.frames == 0 {
                Vec::new()
            } else {
                env.frames(throwable, limits).unwrap_or_default()
            },
            cause: env
                .throwable_cause(throwable)
                .map(|cause| env.class_name_of(cause.get().erase(), limits.name)),
        });
        read.unwrap_or_else(|_no_room| ThrowableInfo {
            class: self.class_name_of(throwable.erase(), limits.name),
            message: Message::Null,
            frames: Vec::new(),
            cause: None,
        })
    }

    fn class_name_of(&self, object: Ref<'_>, limit: usize) -> String {
        let class = self.object_class(object);
        let name = self.class_name(class.get(), limit).unwrap_or_else(|_| "?".into());
        self.delete(class);
        name
    }

    fn message(&self, throwable: Ref<'_, Throwable>, from: MessageFrom, limits: Limits) -> Message {
        let text = match from {
            MessageFrom::Field => {
                // SAFETY: the object is a throwable, and the field is `Throwable.detailMessage`.
                Ok(unsafe { self.text_field(throwable.erase(), known().ids.throwable_detail) })
            }
            MessageFrom::Method => {
                let get = known().ids.throwable_message.0;
                // SAFETY: the reference is to a throwable, and the id is `Throwable.getMessage`.
                let raw = unsafe { self.jni.CallObjectMethodA(throwable.raw(), get, std::ptr::null()) };
                // SAFETY: JNI answered it just above: null, or a new local reference of that type.
                unsafe { self.answered::<Str>(raw) }
            }
        };
        match text {
            Ok(None) => Message::Null,
            Ok(Some(text)) => {
                let mut units = vec![0; self.string_length(text.get()).min(limits.message)];
                let length = self.string_units(text.get(), &mut units);
                Message::Text { units, length }
            }
            Err(thrown) => Message::Threw(self.class_name_of(thrown.get().erase(), limits.name)),
        }
    }

    fn frames(&self, throwable: Ref<'_, Throwable>, limits: Limits) -> Result<Vec<StackFrame>, Thrown<'f>> {
        let (class, get) = (known().throwable.raw(), known().ids.throwable_stack.0);
        // SAFETY: the reference is to a throwable, and the id is `Throwable.getStackTrace`, called not virtually.
        let raw =
            unsafe { self.jni.CallNonvirtualObjectMethodA(throwable.raw(), class, get, std::ptr::null()) };
        // SAFETY: JNI answered it just above: null, or a new local reference of that type.
        let trace: Local<'f, ObjectArray> = unsafe { self.made(raw) }?;
        let ids = &known().ids;
        let text = |element: Ref<'_>, id: FieldRaw| {
            // SAFETY: used below on elements of a trace, with the text fields of their class.
            unsafe { self.text_field(element, id) }.map(|text| self.string_text(text.get(), limits.name))
        };
        let mut frames = Vec::new();
        for at in 0..self.array_length(trace.get()).min(limits.frames) {
            let Some(element) = self.element(trace.get(), at)? else { continue };
            // SAFETY: the array is a copy the VM made, of `StackTraceElement`s, and the id is a field of that class.
            let line = unsafe { self.jni.GetIntField(element.raw(), ids.element_line.0) };
            frames.push(StackFrame {
                class: text(element.get(), ids.element_class).unwrap_or_default(),
                method: text(element.get(), ids.element_method).unwrap_or_default(),
                file: text(element.get(), ids.element_file),
                line,
            });
            self.delete(element);
        }
        Ok(frames)
    }

    /// The cause of an exception, also one that reflection wrapped, without running any code.
    pub fn throwable_cause(&self, throwable: Ref<'_, Throwable>) -> Option<Local<'f, Throwable>> {
        // SAFETY: the object is a throwable, and the field is `Throwable.cause`.
        let common = unsafe { self.throwable_field(throwable, known().ids.throwable_cause) };
        // A throwable that is its own cause has none yet.
        let own = |cause: &Local<'f, Throwable>| self.is_same(cause.get().erase(), throwable.erase());
        match common {
            Some(cause) if own(&cause) => self.delete(cause),
            Some(cause) => return Some(cause),
            None => {}
        }
        let (_, field) =
            known().wrappers.iter().find(|(class, _)| self.is_instance_of(throwable.erase(), class.get()))?;
        // SAFETY: the object is an instance of the class that the field was looked up in.
        unsafe { self.throwable_field(throwable, *field) }
    }

    /// Reads one of the known fields of type `Throwable`, of an object that has it.
    ///
    /// # Safety
    /// The object is an instance of the class the field was looked up in, and the field is a `Throwable`.
    unsafe fn throwable_field(
        &self,
        object: Ref<'_, Throwable>,
        id: FieldRaw,
    ) -> Option<Local<'f, Throwable>> {
        // SAFETY: as the caller promises.
        let raw = unsafe { self.jni.GetObjectField(object.raw(), id.0) };
        // SAFETY: null or a new local reference to a throwable.
        unsafe { Local::from_raw(raw) }
    }

    /// Reads one of the known fields of type `String`, of an object that has it.
    ///
    /// # Safety
    /// The object is an instance of the class the field was looked up in, and the field is a `String`.
    unsafe fn text_field(&self, object: Ref<'_>, id: FieldRaw) -> Option<Local<'f, Str>> {
        // SAFETY: as the caller promises.
        let raw = unsafe { self.jni.GetObjectField(object.raw(), id.0) };
        // SAFETY: null or a new local reference to a string.
        unsafe { Local::from_raw(raw) }
    }
}
