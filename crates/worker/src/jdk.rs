//! Methods of the JDK that the worker calls for itself.
//!
//! In: a fresh JVM. Out: [`Jdk`], looked up once; and short ways to look up more.
//! Nothing here belongs to the code under test.

use probat_jvm::{
    CallError, Class, Env, Field, Global, Jvmti, Local, Method, Object, Ref, Str, Thrown, Trust, Value,
};
use probat_model::Type;

use crate::boxes::Boxes;
use crate::fault::Fault;

/// What steps and literals lean on.
#[derive(Debug)]
pub struct Jdk {
    pub jvmti: Jvmti,
    pub boxes: Boxes,
    intern: Method,
    cast: Method,
    new_array: Method,
    sleep: Method,
}

const ACC_FINAL: u32 = 0x0010;

impl Jdk {
    pub fn new(env: &mut Env<'_>, jvmti: Jvmti) -> Result<Self, Fault> {
        Ok(Jdk {
            jvmti,
            boxes: Boxes::new(env)?,
            intern: method(env, "java/lang/String", "intern", "()Ljava/lang/String;")?,
            cast: method(env, "java/lang/Class", "cast", "(Ljava/lang/Object;)Ljava/lang/Object;")?,
            new_array: static_method(
                env,
                "java/lang/reflect/Array",
                "newInstance",
                "(Ljava/lang/Class;I)Ljava/lang/Object;",
            )?,
            sleep: static_method(env, "java/lang/Thread", "sleep", "(J)V")?,
        })
    }

    /// The string a literal in source is: the same object for the same text.
    pub fn interned<'f>(&self, env: &Env<'f>, units: &[u16]) -> Result<Global, Thrown<'f>> {
        let string = env.new_string(units)?;
        let interned = match env.call(&self.intern, string.get().erase(), &[], Trust::Caller) {
            Ok(Some(Value::Object(Some(interned)))) => env.global(interned),
            Err(CallError::Threw(exception)) => Err(exception),
            Ok(_) | Err(CallError::Rejected(_)) => unreachable!("`intern` takes a string and answers one"),
        };
        env.delete(string);
        interned
    }

    /// Sleeps for a moment; whether nothing came out of that.
    pub fn nap(&self, env: &mut Env<'_>) -> bool {
        match env.call_static(&self.sleep, &[Value::Long(1)], Trust::Caller) {
            Ok(_) => true,
            Err(CallError::Threw(exception)) => {
                env.delete(exception.into_local());
                false
            }
            Err(CallError::Rejected(_)) => unreachable!("`sleep` takes a long"),
        }
    }

    /// `type.cast(object)`: the object, or a `ClassCastException`.
    pub fn cast<'f>(
        &self,
        env: &Env<'f>,
        class: Ref<'_, Class>,
        object: Ref<'_>,
    ) -> Result<Option<Value<'f>>, CallError<'f>> {
        env.call(&self.cast, class.erase(), &[Value::Object(Some(object))], Trust::Caller)
    }

    /// `new T[length]` for references, with Java's exceptions.
    pub fn new_array<'f>(
        &self,
        env: &Env<'f>,
        element: Ref<'_, Class>,
        length: i32,
    ) -> Result<Option<Value<'f>>, CallError<'f>> {
        env.call_static(
            &self.new_array,
            &[Value::Object(Some(element.erase())), Value::Int(length)],
            Trust::Caller,
        )
    }

    /// Whether the field that this name finds from a class upwards is final.
    pub fn is_final_field(&self, env: &Env<'_>, class: Ref<'_, Class>, name: &str, descriptor: &str) -> bool {
        let mut at: Option<Local<'_, Class>> = env.local(class).ok();
        while let Some(class) = at {
            let declared = self.jvmti.class_fields(class.get()).unwrap_or_default();
            if let Some(field) =
                declared.iter().find(|field| field.name == name && field.descriptor == descriptor)
            {
                env.delete(class);
                return field.modifiers & ACC_FINAL != 0;
            }
            at = env.super_class(class.get());
            env.delete(class);
        }
        // Fields of interfaces are final.
        true
    }
}

/// `int.class` and its siblings.
pub fn primitive_class<'f>(env: &Env<'f>, ty: &Type) -> Result<Global, Thrown<'f>> {
    let boxed = match ty {
        Type::Boolean => "java/lang/Boolean",
        Type::Byte => "java/lang/Byte",
        Type::Char => "java/lang/Character",
        Type::Short => "java/lang/Short",
        Type::Int => "java/lang/Integer",
        Type::Long => "java/lang/Long",
        Type::Float => "java/lang/Float",
        Type::Double => "java/lang/Double",
        Type::Class(_) | Type::Array(_) => unreachable!("the caller asks for primitives only"),
    };
    let class = env.find_class(boxed)?;
    let field = env.static_field(class.get(), "TYPE", "Ljava/lang/Class;");
    let field = field.unwrap_or_else(|_| unreachable!("{boxed}.TYPE exists in every JDK"));
    env.delete(class);
    match env.get_static(&field) {
        Ok(Value::Object(Some(class))) => env.global(class),
        _ => unreachable!("{boxed}.TYPE is a static reference that is never null"),
    }
}

/// A class of the JDK.
pub fn class(env: &mut Env<'_>, name: &str) -> Result<Global<Class>, Fault> {
    let local = match env.find_class(name) {
        Ok(local) => local,
        Err(exception) => return Err(Fault::threw(env, &format!("find {name}"), exception)),
    };
    let kept = env.global(local.get()).map_err(|_| Fault::missing(name));
    env.delete(local);
    kept
}

/// An instance method of the JDK; `<init>` for a constructor.
pub fn method(env: &mut Env<'_>, class_name: &str, name: &str, descriptor: &str) -> Result<Method, Fault> {
    let class = class(env, class_name)?;
    let found = env.method(class.get(), name, descriptor);
    found.map_err(|error| Fault::member(env, &format!("find {class_name}.{name}"), error))
}

/// A static method of the JDK.
pub fn static_method(
    env: &mut Env<'_>,
    class_name: &str,
    name: &str,
    descriptor: &str,
) -> Result<Method, Fault> {
    let class = class(env, class_name)?;
    let found = env.static_method(class.get(), name, descriptor);
    found.map_err(|error| Fault::member(env, &format!("find {class_name}.{name}"), error))
}

/// An instance field of the JDK.
pub fn field(env: &mut Env<'_>, class_name: &str, name: &str, descriptor: &str) -> Result<Field, Fault> {
    let class = class(env, class_name)?;
    let found = env.field(class.get(), name, descriptor);
    found.map_err(|error| Fault::member(env, &format!("find {class_name}.{name}"), error))
}

/// A static field of the JDK.
pub fn static_field(
    env: &mut Env<'_>,
    class_name: &str,
    name: &str,
    descriptor: &str,
) -> Result<Field, Fault> {
    let class = class(env, class_name)?;
    let found = env.static_field(class.get(), name, descriptor);
    found.map_err(|error| Fault::member(env, &format!("find {class_name}.{name}"), error))
}

/// Calls a method of the JDK on an object, for its reference result.
pub fn call<'f>(
    env: &mut Env<'f>,
    method: &Method,
    receiver: Ref<'_>,
    args: &[Value<'_>],
) -> Result<Option<Ref<'f>>, Fault> {
    let result = env.call(method, receiver, args, Trust::Nothing);
    reference(env, result)
}

/// Calls a static method of the JDK, for its reference result.
pub fn call_static<'f>(
    env: &mut Env<'f>,
    method: &Method,
    args: &[Value<'_>],
) -> Result<Option<Ref<'f>>, Fault> {
    let result = env.call_static(method, args, Trust::Nothing);
    reference(env, result)
}

/// Makes an object of the JDK.
pub fn new_object<'f>(
    env: &mut Env<'f>,
    constructor: &Method,
    args: &[Value<'_>],
) -> Result<Local<'f>, Fault> {
    let made = env.new_object(constructor, args, Trust::Nothing);
    made.map_err(|error| Fault::call(env, "make an object of the JDK", error))
}

fn reference<'f>(
    env: &mut Env<'f>,
    result: Result<Option<Value<'f>>, CallError<'f>>,
) -> Result<Option<Ref<'f>>, Fault> {
    match result {
        Ok(Some(Value::Object(reference))) => Ok(reference),
        Ok(_) => Ok(None),
        Err(error) => Err(Fault::call(env, "call a method of the JDK", error)),
    }
}

/// Keeps an object of the JDK.
pub fn keep(env: &mut Env<'_>, object: Ref<'_, Object>) -> Result<Global, Fault> {
    env.global(object).map_err(|_| Fault::missing("memory for a reference"))
}

/// A Java string.
pub fn string<'f>(env: &mut Env<'f>, text: &str) -> Result<Local<'f, Str>, Fault> {
    let made = env.new_string_from(text);
    made.map_err(|exception| Fault::threw(env, "make a string", exception))
}
