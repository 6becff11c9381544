//! Values without identity, classes and arrays, as objects of this JVM.
//!
//! In: what tokens say. Out: references in the innermost frame.

use std::cell::RefCell;

use probat_jvm::{Class, Env, Loader, Local, Marker, ObjectArray, Primitive, Ref, Thrown, Trust, Value};
use probat_model::state::Token;
use probat_model::{ClassName, JavaString};

use super::RestoreError;
use crate::heap::live::Room;

/// Class, where its instance is kept: class, field, descriptor. `Throwable` marks that nothing was suppressed so.
const SINGLETONS: [(&str, &str, &str, &str); 3] = [
    ("java/util/Collections$EmptyList", "java/util/Collections", "EMPTY_LIST", "Ljava/util/List;"),
    ("java/util/Collections$EmptySet", "java/util/Collections", "EMPTY_SET", "Ljava/util/Set;"),
    ("java/util/Collections$EmptyMap", "java/util/Collections", "EMPTY_MAP", "Ljava/util/Map;"),
];

/// Makes values, and finds classes through one loader.
#[derive(Debug)]
pub(super) struct Values<'e, 'i> {
    pub(super) env: &'e Env<'i>,
    loader: Option<Ref<'e, Loader>>,
    room: RefCell<Room>,
}

impl<'e, 'i> Values<'e, 'i> {
    pub(super) fn new(env: &'e Env<'i>, loader: Option<Ref<'e, Loader>>) -> Self {
        Values { env, loader, room: RefCell::default() }
    }

    /// Leaves a reference to the frame, which is asked for more room now and then.
    pub(super) fn kept<K: Marker>(&self, local: Local<'i, K>) -> Result<Ref<'e, K>, RestoreError> {
        self.counted(local.keep())
    }

    fn counted<K: Marker>(&self, reference: Ref<'e, K>) -> Result<Ref<'e, K>, RestoreError> {
        self.room.borrow_mut().count(self.env)?;
        Ok(reference)
    }

    /// The class is there but cannot be used, or is not there.
    pub(super) fn unusable(&self, class: &ClassName, thrown: &Thrown<'_>) -> RestoreError {
        RestoreError::Class { class: class.clone(), reason: self.name_of(thrown) }
    }

    /// The binary name of what was thrown.
    pub(super) fn name_of(&self, thrown: &Thrown<'_>) -> String {
        let class = self.env.object_class(thrown.get().erase());
        let name = self.env.class_name(class.get(), 256);
        self.env.delete(class);
        name.unwrap_or_else(|_| "something that cannot be named".into())
    }

    pub(super) fn load(&self, class: &ClassName, initialise: bool) -> Result<Local<'i, Class>, RestoreError> {
        let found = self.env.load_class(&class.to_binary(), initialise, self.loader);
        found.map_err(|thrown| self.unusable(class, &thrown))
    }

    /// Interned, since code that compares strings by identity means literals.
    pub(super) fn string(&self, text: &JavaString) -> Result<Ref<'e>, RestoreError> {
        let env = self.env;
        let fresh = env.new_string(text.units())?;
        let class = env.object_class(fresh.get().erase());
        let missing = RestoreError::Heap(crate::heap::HeapError::Missing("String.intern"));
        let intern =
            env.method(class.get(), "intern", "()Ljava/lang/String;").map_err(|_| missing.clone())?;
        env.delete(class);
        let interned = env.call(&intern, fresh.get().erase(), &[], Trust::Nothing);
        env.delete(fresh);
        match interned {
            Ok(Some(Value::Object(Some(string)))) => self.counted(string),
            _ => Err(missing),
        }
    }

    /// `Integer.valueOf` and its siblings.
    pub(super) fn boxed(&self, inside: Value<'_>) -> Result<Ref<'e>, RestoreError> {
        let (class, primitive) = match inside {
            Value::Boolean(_) => ("java/lang/Boolean", "Z"),
            Value::Byte(_) => ("java/lang/Byte", "B"),
            Value::Char(_) => ("java/lang/Character", "C"),
            Value::Short(_) => ("java/lang/Short", "S"),
            Value::Int(_) => ("java/lang/Integer", "I"),
            Value::Long(_) => ("java/lang/Long", "J"),
            Value::Float(_) => ("java/lang/Float", "F"),
            Value::Double(_) => ("java/lang/Double", "D"),
            Value::Object(_) => return Err(RestoreError::Misfit { place: "a box".into() }),
        };
        let env = self.env;
        let local = env.find_class(class)?;
        let missing = || RestoreError::Heap(crate::heap::HeapError::Missing("valueOf"));
        let wrap = env.static_method(local.get(), "valueOf", &format!("({primitive})L{class};"));
        env.delete(local);
        match env.call_static(&wrap.map_err(|_| missing())?, &[inside], Trust::Nothing) {
            Ok(Some(Value::Object(Some(made)))) => self.counted(made),
            _ => Err(missing()),
        }
    }

    pub(super) fn enum_constant(&self, class: &ClassName, name: &str) -> Result<Ref<'e>, RestoreError> {
        let gone = || RestoreError::Constant { class: class.clone(), name: name.into() };
        let local = self.load(class, true)?;
        let field = self.env.static_field(local.get(), name, &format!("L{};", class.as_internal()));
        self.env.delete(local);
        match self.env.get_static(&field.map_err(|_| gone())?) {
            Ok(Value::Object(Some(constant))) => self.counted(constant),
            _ => Err(gone()),
        }
    }

    /// The one instance of a class without state that the JDK compares by identity.
    pub(super) fn singleton(&self, class: &ClassName) -> Result<Option<Ref<'e>>, RestoreError> {
        let known = SINGLETONS.iter().find(|known| known.0 == class.as_internal());
        let Some((_, keeper, field, descriptor)) = known else { return Ok(None) };
        let local = self.env.find_class(keeper)?;
        let field = self.env.static_field(local.get(), field, descriptor);
        self.env.delete(local);
        match field.map(|field| self.env.get_static(&field)) {
            Ok(Ok(Value::Object(Some(only)))) => self.counted(only).map(Some),
            _ => Ok(None),
        }
    }

    pub(super) fn class_object(&self, descriptor: &str) -> Result<Ref<'e>, RestoreError> {
        let wrapper = match descriptor {
            "Z" => "java/lang/Boolean",
            "B" => "java/lang/Byte",
            "C" => "java/lang/Character",
            "S" => "java/lang/Short",
            "I" => "java/lang/Integer",
            "J" => "java/lang/Long",
            "F" => "java/lang/Float",
            "D" => "java/lang/Double",
            "V" => "java/lang/Void",
            _ => {
                let name = descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
                let class = self.load(&ClassName::internal(name.unwrap_or(descriptor)), false)?;
                return self.kept(class.erase());
            }
        };
        let missing = || RestoreError::Heap(crate::heap::HeapError::Missing("TYPE"));
        let local = self.env.find_class(wrapper)?;
        let field = self.env.static_field(local.get(), "TYPE", "Ljava/lang/Class;");
        self.env.delete(local);
        match self.env.get_static(&field.map_err(|_| missing())?) {
            Ok(Value::Object(Some(class))) => self.counted(class),
            _ => Err(missing()),
        }
    }

    pub(super) fn object_array(
        &self,
        class: &ClassName,
        element: &str,
        length: usize,
    ) -> Result<Ref<'e, ObjectArray>, RestoreError> {
        let name = element.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')).unwrap_or(element);
        if name.is_empty() {
            return Err(RestoreError::Class { class: class.clone(), reason: "it is no array".into() });
        }
        let local = self.load(&ClassName::internal(name), false)?;
        let made = self.env.new_object_array(local.get(), length, None)?;
        self.env.delete(local);
        self.kept(made.expect("nothing is put in yet"))
    }

    /// An array of primitives with these elements; `None` if the element type is no primitive.
    pub(super) fn cells(&self, element: &str, cells: &[Token]) -> Result<Option<Ref<'e>>, RestoreError> {
        Ok(Some(match element {
            "Z" => self.copy(cells, |cell| match cell {
                Token::Boolean(value) => Some(u8::from(*value)),
                _ => None,
            })?,
            "B" => self.copy(cells, |cell| match cell {
                Token::Byte(value) => Some(*value),
                _ => None,
            })?,
            "C" => self.copy(cells, |cell| match cell {
                Token::Char(value) => Some(*value),
                _ => None,
            })?,
            "S" => self.copy(cells, |cell| match cell {
                Token::Short(value) => Some(*value),
                _ => None,
            })?,
            "I" => self.copy(cells, |cell| match cell {
                Token::Int(value) => Some(*value),
                _ => None,
            })?,
            "J" => self.copy(cells, |cell| match cell {
                Token::Long(value) => Some(*value),
                _ => None,
            })?,
            "F" => self.copy(cells, |cell| match cell {
                Token::Float(bits) => Some(f32::from_bits(*bits)),
                _ => None,
            })?,
            "D" => self.copy(cells, |cell| match cell {
                Token::Double(bits) => Some(f64::from_bits(*bits)),
                _ => None,
            })?,
            _ => return Ok(None),
        }))
    }

    fn copy<T: Primitive>(
        &self,
        cells: &[Token],
        read: impl Fn(&Token) -> Option<T>,
    ) -> Result<Ref<'e>, RestoreError> {
        let misfit = || RestoreError::Misfit { place: "an element of an array of primitives".into() };
        let values: Vec<T> = cells.iter().map(read).collect::<Option<_>>().ok_or_else(misfit)?;
        self.kept(self.env.array_of(&values)?.erase())
    }
}
