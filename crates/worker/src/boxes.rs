//! Boxing and unboxing through the JDK's own methods, so that small integers are the shared objects Java code sees.
//!
//! In: primitives or boxes. Out: the other.

use probat_jvm::{CallError, Class, Env, Global, Kind, Method, Ref, Trust, Value};

use crate::fault::Fault;

/// `Integer.valueOf`, `Integer.intValue` and their siblings.
#[derive(Debug)]
pub struct Boxes {
    /// In the order of [`Kind`].
    all: Vec<Pair>,
}

#[derive(Debug)]
struct Pair {
    class: Global<Class>,
    wrap: Method,
    unwrap: Method,
}

/// Box class, its primitive's descriptor, and the method that opens it, in the order of [`Kind`].
const NAMES: [(&str, &str, &str); 8] = [
    ("java/lang/Boolean", "Z", "booleanValue"),
    ("java/lang/Byte", "B", "byteValue"),
    ("java/lang/Character", "C", "charValue"),
    ("java/lang/Short", "S", "shortValue"),
    ("java/lang/Integer", "I", "intValue"),
    ("java/lang/Long", "J", "longValue"),
    ("java/lang/Float", "F", "floatValue"),
    ("java/lang/Double", "D", "doubleValue"),
];

const KINDS: [Kind; 8] =
    [Kind::Boolean, Kind::Byte, Kind::Char, Kind::Short, Kind::Int, Kind::Long, Kind::Float, Kind::Double];

/// The primitive a box class holds.
pub fn boxed_kind(internal: &str) -> Option<Kind> {
    NAMES.iter().position(|(class, ..)| *class == internal).map(|at| KINDS[at])
}

impl Boxes {
    pub fn new(env: &mut Env<'_>) -> Result<Self, Fault> {
        let mut all = Vec::with_capacity(NAMES.len());
        for (class, primitive, open) in NAMES {
            let local = env.find_class(class).map_err(|_| Fault::missing(class))?;
            let wrap = env.static_method(local.get(), "valueOf", &format!("({primitive})L{class};"));
            let wrap = wrap.map_err(|_| Fault::missing("valueOf"))?;
            let unwrap = env.method(local.get(), open, &format!("(){primitive}"));
            let unwrap = unwrap.map_err(|_| Fault::missing(open))?;
            let class = env.global(local.get()).map_err(|_| Fault::missing(class))?;
            env.delete(local);
            all.push(Pair { class, wrap, unwrap });
        }
        Ok(Boxes { all })
    }

    /// The box of a primitive; a reference stays as it is.
    pub fn wrap<'f>(&self, env: &Env<'f>, value: Value<'f>) -> Result<Value<'f>, CallError<'f>> {
        if let Value::Object(_) = value {
            return Ok(value);
        }
        // The argument is a primitive of the kind the method was looked up for.
        let boxed = env.call_static(&self.all[value.kind() as usize].wrap, &[value], Trust::Caller)?;
        Ok(boxed.expect("`valueOf` answers a box"))
    }

    /// What a box holds; `None` when the object is no box.
    pub fn unwrap<'f>(&self, env: &Env<'f>, object: Ref<'_>) -> Result<Option<Value<'f>>, CallError<'f>> {
        for pair in &self.all {
            if env.is_instance_of(object, pair.class.get()) {
                return env.call(&pair.unwrap, object, &[], Trust::Caller);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_listed_as_kinds_are_numbered() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, at);
        }
        assert_eq!(boxed_kind("java/lang/Character"), Some(Kind::Char));
        assert_eq!(boxed_kind("java/lang/String"), None);
    }
}
