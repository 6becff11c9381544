//! What `equals` reads.
//!
//! In: two objects of one state. Out: which fields and elements of what they reach `equals` looks at, by the numbers that objects have
//! in their state. Reads are noted by inserted code in the lists of `$Probat`. The objects are copies, so nothing the test has is
//! touched, and no `this == other` cuts the comparison short.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use probat_classfile::passes::PROBAT;
use probat_classfile::passes::fields::FieldUse;
use probat_jvm::{ArrayOf, Env, Field, Global, ObjectArray, Ref, Trust, Value};

use super::pairwise::equals;
use crate::comparisons::array;
use crate::fault::Fault;
use crate::heap::StateReader;
use crate::jdk;

/// Reads noted of one comparison; objects that take more are compared by their whole states.
pub const NOTED: u32 = 1 << 14;

/// Names of the fields that classes read, by number; classes come in while tests run.
static FIELDS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The number of the first field of a class that comes in next.
pub fn next_field() -> u32 {
    FIELDS.lock().unwrap_or_else(PoisonError::into_inner).len() as u32
}

/// The fields of a class that came in.
pub fn add_fields(uses: &[FieldUse]) {
    let mut fields = FIELDS.lock().unwrap_or_else(PoisonError::into_inner);
    fields.extend(uses.iter().map(|field| field.name.clone()));
}

/// What was read of one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    pub fields: BTreeSet<String>,
    pub elements: BTreeSet<u32>,
}

/// What was read of each object, by its number in the state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mask {
    pub objects: BTreeMap<u32, Parts>,
    /// Arrays went to methods that are not watched.
    pub whole_arrays: bool,
}

/// Why it cannot be told what `equals` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unseen {
    /// It says that two copies of one object differ, or throws.
    CopiesDiffer,
    TooMany,
}

/// The lists of `$Probat`.
#[derive(Debug)]
pub struct Reads {
    reading: Field,
    count: Field,
    objects: Global<ObjectArray>,
    places: Global<ArrayOf<i32>>,
}

impl Reads {
    pub fn find(env: &mut Env<'_>) -> Result<Reads, Fault> {
        let class = jdk::class(env, PROBAT)?;
        let mut field = |name: &str| match env.static_field(class.get(), name, "I") {
            Ok(field) => Ok(field),
            Err(error) => Err(Fault::member(env, "find the lists", error)),
        };
        let (reading, count) = (field("reading")?, field("readCount")?);
        Ok(Reads {
            reading,
            count,
            objects: array(env, class.get(), "readObject", "[Ljava/lang/Object;")?,
            places: array(env, class.get(), "readPlace", "[I")?,
        })
    }

    /// What `left.equals(right)` reads of two copies of one object.
    pub fn of_equals(
        &self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        left: Ref<'_>,
        right: Ref<'_>,
    ) -> Result<Mask, Unseen> {
        self.set(env, &self.count, 0);
        self.set(env, &self.reading, 1);
        let equal = equals(env, left, right);
        self.set(env, &self.reading, 0);
        let count = match env.get_static(&self.count) {
            Ok(Value::Int(count)) => usize::try_from(count).unwrap_or(0),
            _ => 0,
        };
        if equal != Some(true) {
            return Err(Unseen::CopiesDiffer);
        }
        if count >= NOTED as usize {
            return Err(Unseen::TooMany);
        }
        let mask = env.with_frame(NOTED as u16 + 64, |env| self.mask(env, reader, [left, right], count));
        mask.unwrap_or(Err(Unseen::TooMany))
    }

    fn mask(
        &self,
        env: &mut Env<'_>,
        reader: &mut StateReader,
        copies: [Ref<'_>; 2],
        count: usize,
    ) -> Result<Mask, Unseen> {
        let mut places = vec![0; count];
        env.get_region(self.places.get(), 0, &mut places).map_err(|_| Unseen::TooMany)?;
        let mut mask = Mask::default();
        let (mut objects, mut kept) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (at, place) in places.into_iter().enumerate() {
            let object = env.element(self.objects.get(), at).map_err(|_| Unseen::TooMany)?;
            let _ = env.set_element(self.objects.get(), at, None);
            match object {
                Some(object) => {
                    objects.push(object.keep());
                    kept.push(place);
                }
                None => mask.whole_arrays |= place == -1,
            }
        }
        let fields = FIELDS.lock().unwrap_or_else(PoisonError::into_inner);
        for copy in copies {
            let numbers = reader.numbers(env, copy, &objects).map_err(|_| Unseen::TooMany)?;
            for ((number, object), &place) in numbers.into_iter().zip(&objects).zip(&kept) {
                let Some(number) = number else { continue };
                let parts = mask.objects.entry(number).or_default();
                // Arrays have no fields, so the place is an index.
                if is_array(env, *object) {
                    parts.elements.insert(place.cast_unsigned());
                } else if let Some(name) = fields.get(place.cast_unsigned() as usize) {
                    parts.fields.insert(name.clone());
                }
            }
        }
        Ok(mask)
    }

    fn set(&self, env: &Env<'_>, field: &Field, value: i32) {
        // Both are static fields of type `int`, so nothing is refused.
        let _ = env.set_static(field, Value::Int(value), Trust::Caller);
    }
}

fn is_array(env: &Env<'_>, object: Ref<'_>) -> bool {
    let class = env.object_class(object);
    let is_array = env.class_name(class.get(), 1).is_ok_and(|name| name.starts_with('['));
    env.delete(class);
    is_array
}
