//! `System.in`, `System.out` and `System.err`: one is empty, the others lead nowhere, or to the worker's own output where somebody wants to see it.

use probat_jvm::{Env, Field, Global, Method, Trust, Value};

use crate::fault::Fault;
use crate::jdk;

#[derive(Debug)]
pub struct Streams {
    all: Vec<Stream>,
    prints: bool,
}

#[derive(Debug)]
struct Stream {
    current: Field,
    set: Method,
    ours: Global,
    /// `PrintStream.closing`: what was closed is replaced.
    closing: Option<Field>,
}

impl Streams {
    pub fn install(env: &mut Env<'_>, prints: bool) -> Result<Self, Fault> {
        let input = empty_input(env)?;
        let (out, err) = (output(env, prints)?, output(env, prints)?);
        let mut all = Vec::new();
        for (name, set, ty, ours) in [
            ("in", "setIn", "Ljava/io/InputStream;", input),
            ("out", "setOut", "Ljava/io/PrintStream;", out),
            ("err", "setErr", "Ljava/io/PrintStream;", err),
        ] {
            let is_output = name != "in";
            let closing =
                is_output.then(|| jdk::field(env, "java/io/PrintStream", "closing", "Z")).transpose()?;
            all.push(Stream {
                current: jdk::static_field(env, "java/lang/System", name, ty)?,
                set: jdk::static_method(env, "java/lang/System", set, &format!("({ty})V"))?,
                ours,
                closing,
            });
        }
        let mut streams = Streams { all, prints };
        streams.restore(env)?;
        Ok(streams)
    }

    /// Whether one of ours was closed, which no mark tells.
    #[inline]
    pub fn is_closed(&self, env: &Env<'_>) -> bool {
        self.all.iter().any(|stream| stream.is_closed(env))
    }

    pub fn restore(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let mut changed = false;
        for stream in &mut self.all {
            if stream.is_closed(env) {
                stream.ours = output(env, self.prints)?;
            }
            let in_place = match env.get_static(&stream.current) {
                Ok(Value::Object(Some(now))) => env.is_same(now, stream.ours.get()),
                _ => false,
            };
            if !in_place {
                jdk::call_static(env, &stream.set, &[Value::Object(Some(stream.ours.get()))])?;
                changed = true;
            }
        }
        Ok(changed)
    }
}

impl Stream {
    fn is_closed(&self, env: &Env<'_>) -> bool {
        // The field was looked up in `PrintStream`, and only streams we made as such have it set here.
        self.closing.as_ref().is_some_and(|closing| {
            matches!(env.get(closing, self.ours.get(), Trust::Caller), Ok(Value::Boolean(true)))
        })
    }
}

/// `new ByteArrayInputStream(new byte[0])`
fn empty_input(env: &mut Env<'_>) -> Result<Global, Fault> {
    let make = jdk::method(env, "java/io/ByteArrayInputStream", "<init>", "([B)V")?;
    let nothing = env.new_array::<i8>(0).map_err(|_| Fault::missing("memory"))?;
    let stream = jdk::new_object(env, &make, &[Value::Object(Some(nothing.get().erase()))])?;
    jdk::keep(env, stream.get())
}

/// `new PrintStream(OutputStream.nullOutputStream())`, or `new PrintStream(new FileOutputStream(FileDescriptor.out))`, which keeps nothing back.
fn output(env: &mut Env<'_>, prints: bool) -> Result<Global, Fault> {
    let below = if prints {
        let out = jdk::static_field(env, "java/io/FileDescriptor", "out", "Ljava/io/FileDescriptor;")?;
        let out = env.get_static(&out).map_err(|_| Fault::missing("FileDescriptor.out"))?;
        let make = jdk::method(env, "java/io/FileOutputStream", "<init>", "(Ljava/io/FileDescriptor;)V")?;
        let file = jdk::new_object(env, &make, &[out])?;
        jdk::keep(env, file.get())?
    } else {
        let null =
            jdk::static_method(env, "java/io/OutputStream", "nullOutputStream", "()Ljava/io/OutputStream;")?;
        match jdk::call_static(env, &null, &[])? {
            Some(null) => jdk::keep(env, null)?,
            None => return Err(Fault::missing("OutputStream.nullOutputStream")),
        }
    };
    let make = jdk::method(env, "java/io/PrintStream", "<init>", "(Ljava/io/OutputStream;)V")?;
    let stream = jdk::new_object(env, &make, &[Value::Object(Some(below.get()))])?;
    jdk::keep(env, stream.get())
}
