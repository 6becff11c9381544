//! Objects read in place, while the collector stands aside.
//!
//! In: handles, fields. Out: classes, fields and elements of what they reach, for a small part of what JNI takes.
//! Relies on how HotSpot lays objects out, and only where that was seen to be so: [`Layout::learn`] reads objects whose content is known and
//! answers `None` if a single thing is different; JNI answers there.
//!
//! An object begins with a header word, followed by a narrow word for its class and, in an array, by its length. References are narrow: an
//! address less a base, shifted. The id of an instance field holds its offset (`jfieldIDWorkaround` in HotSpot).

use std::marker::PhantomData;
use std::num::NonZeroUsize;

use crate::array::Primitive;
use crate::env::Env;
use crate::member::{Field, Kind, Trust, Value};
use crate::reference::{ArrayOf, Global, Marker, ObjectArray, Ref, Thrown};

const CLASS_AT: usize = 8;
const LENGTH_AT: usize = 12;
const ELEMENTS_AT: usize = 16;
/// Low bits of a handle tell local, global and weak ones apart.
const HANDLE_TAG: usize = 3;

/// How this VM lays objects out.
#[derive(Debug)]
pub struct Layout {
    narrow: Narrow,
    /// What the collector is kept away by.
    anchor: Global<ArrayOf<i8>>,
}

/// How a narrow reference becomes an address.
#[derive(Debug, Clone, Copy)]
struct Narrow {
    base: usize,
    shift: u32,
}

/// Where an object is, for as long as nothing moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'s>(NonZeroUsize, PhantomData<&'s ()>);

impl Place<'_> {
    /// A number that no other object has meanwhile.
    #[inline]
    pub fn address(self) -> usize {
        self.0.get()
    }
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub enum Held<'s> {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Object(Option<Place<'s>>),
}

/// The heap while the collector stands aside. Java threads may write it meanwhile, as they may between two calls of JNI.
#[derive(Debug, Clone, Copy)]
pub struct Still<'s> {
    narrow: Narrow,
    held: PhantomData<&'s ()>,
}

impl<'s> Still<'s> {
    /// The object of a handle.
    #[inline]
    pub fn place<K: Marker>(&self, handle: Ref<'_, K>) -> Place<'s> {
        let at = handle.raw().addr() & !HANDLE_TAG;
        let place = std::ptr::with_exposed_provenance::<usize>(at);
        handle.raw().expose_provenance();
        // SAFETY: a handle is the address of a word that holds the address of its object; it is valid, as its lifetime says.
        let object = unsafe { place.read_volatile() };
        Place(NonZeroUsize::new(object).expect("handles of this crate are never null"), PhantomData)
    }

    /// A word that all objects of one class share, and no object of another class has, while the class is loaded.
    #[inline]
    pub fn class_word(&self, object: Place<'s>) -> u32 {
        self.read(object, CLASS_AT)
    }

    /// Reads a field. The caller vouches for the object having it.
    #[inline]
    pub fn get(&self, object: Place<'s>, field: &Field, _: Trust) -> Held<'s> {
        let at = offset(field);
        match field.kind {
            Kind::Boolean => Held::Boolean(self.read::<u8>(object, at) != 0),
            Kind::Byte => Held::Byte(self.read(object, at)),
            Kind::Char => Held::Char(self.read(object, at)),
            Kind::Short => Held::Short(self.read(object, at)),
            Kind::Int => Held::Int(self.read(object, at)),
            Kind::Long => Held::Long(self.read(object, at)),
            Kind::Float => Held::Float(self.read(object, at)),
            Kind::Double => Held::Double(self.read(object, at)),
            Kind::Object => Held::Object(self.reference(object, at)),
        }
    }

    /// The length of an array, which the caller vouches for it to be.
    #[inline]
    pub fn length(&self, array: Place<'s>, _: Trust) -> u32 {
        self.read(array, LENGTH_AT)
    }

    /// An element of an array of references, which the caller vouches for it to be; nothing beyond its end.
    #[inline]
    pub fn element(&self, array: Place<'s>, at: u32, trust: Trust) -> Option<Place<'s>> {
        if at >= self.length(array, trust) {
            return None;
        }
        self.reference(array, ELEMENTS_AT + 4 * at as usize)
    }

    /// The elements of an array of such primitives, which the caller vouches for it to be.
    #[inline]
    pub fn cells<T: Primitive>(&self, array: Place<'s>, trust: Trust) -> impl ExactSizeIterator<Item = T> {
        let still = *self;
        let length = self.length(array, trust) as usize;
        (0..length).map(move |at| still.read(array, ELEMENTS_AT + at * size_of::<T>()))
    }

    #[inline]
    fn reference(&self, object: Place<'s>, at: usize) -> Option<Place<'s>> {
        let narrow: u32 = self.read(object, at);
        let address = self.narrow.base.wrapping_add((narrow as usize) << self.narrow.shift);
        if narrow == 0 { None } else { NonZeroUsize::new(address).map(|at| Place(at, PhantomData)) }
    }

    #[inline]
    fn read<T: Copy>(&self, object: Place<'s>, at: usize) -> T {
        let place = std::ptr::with_exposed_provenance::<T>(object.0.get() + at);
        // SAFETY: the object is there while the collector stands aside, and has this much, as the caller of this module vouched for; what the
        // VM aligns is aligned, and every pattern of bits is a value of the types read here.
        unsafe { place.read_volatile() }
    }
}

/// Where a field is in its object.
#[inline]
fn offset(field: &Field) -> usize {
    let id = field.id.raw().addr();
    let offset = id >> 2;
    // Ids of small offsets also hold a few bits of their class.
    if id & 1 == 0 { offset } else { offset & 0x7f }
}

impl Layout {
    /// Looks how objects are laid out; `None` where something is not as this module expects it.
    pub fn learn(env: &mut Env<'_>) -> Option<Layout> {
        env.with_frame(32, |env| {
            let anchor = env.new_array::<i8>(1).ok()?.keep();
            let numbers = env.new_array::<i32>(3).ok()?.keep();
            env.set_region(numbers, 0, &[0x1234_5678, -2, 77]).ok()?;
            let text = env.new_string_from("layout").ok()?.keep().erase();
            let class = env.object_class(text);
            let array = env.new_object_array(class.get(), 4, None).ok()??.keep();
            let other = env.new_string_from("other").ok()?.keep().erase();
            env.set_element(array, 0, Some(text)).ok()?;
            env.set_element(array, 2, Some(other)).ok()?;
            let anchored = env.global(anchor).ok()?;
            let handles = [text, other];
            let narrow = env
                .with_critical_bytes(anchor, false, |_| narrow(anchor.erase(), numbers, array, handles))
                .ok()??;
            let layout = Layout { narrow, anchor: anchored };
            boxes_read_well(env, &layout).then_some(layout)
        })
        .ok()
        .flatten()
    }
}

/// How narrow references work, if arrays are as expected.
fn narrow(
    bytes: Ref<'_>,
    numbers: Ref<'_, ArrayOf<i32>>,
    array: Ref<'_, ObjectArray>,
    [first, third]: [Ref<'_>; 2],
) -> Option<Narrow> {
    let plain = Still { narrow: Narrow { base: 0, shift: 0 }, held: PhantomData };
    let (first, third) = (plain.place(first), plain.place(third));
    let (bytes, ints, array) = (plain.place(bytes), plain.place(numbers), plain.place(array));
    if plain.length(ints, Trust::Caller) != 3 || plain.length(array, Trust::Caller) != 4 {
        return None;
    }
    let is_as_written = plain.cells::<i32>(ints, Trust::Caller).eq([0x1234_5678, -2, 77]);
    let words = [bytes, ints, array, first].map(|object| plain.class_word(object));
    let differ = (0..4).all(|at| !words[..at].contains(&words[at]));
    if !is_as_written || !differ || plain.class_word(third) != words[3] {
        return None;
    }
    let found: [u32; 4] = std::array::from_fn(|at| plain.read(array, ELEMENTS_AT + 4 * at));
    let ([one, 0, three, 0], true) = (found, found[0] != 0 && found[2] != 0) else { return None };
    [0, 3].into_iter().find_map(|shift| {
        let base = first.address().checked_sub((one as usize) << shift)?;
        (base.wrapping_add((three as usize) << shift) == third.address()).then_some(Narrow { base, shift })
    })
}

/// Whether the fields of boxes and strings hold what JNI says.
fn boxes_read_well(env: &mut Env<'_>, layout: &Layout) -> bool {
    let boxes: [(&str, &str, Value<'_>); 8] = [
        ("java/lang/Boolean", "Z", Value::Boolean(true)),
        ("java/lang/Byte", "B", Value::Byte(-3)),
        ("java/lang/Character", "C", Value::Char(0xbeef)),
        ("java/lang/Short", "S", Value::Short(-12_345)),
        ("java/lang/Integer", "I", Value::Int(0x0bad_cafe)),
        ("java/lang/Long", "J", Value::Long(0x0123_4567_89ab_cdef)),
        ("java/lang/Float", "F", Value::Float(1.5e10)),
        ("java/lang/Double", "D", Value::Double(-2.5e100)),
    ];
    let mut made = Vec::new();
    for (class, descriptor, value) in boxes {
        let Ok(class) = env.find_class(class) else { return false };
        let class = class.keep();
        let constructor = env.constructor(class, &format!("({descriptor})V"));
        let (Ok(constructor), Ok(field)) = (constructor, env.field(class, "value", descriptor)) else {
            return false;
        };
        let Ok(object) = env.new_object(&constructor, &[value], Trust::Caller) else { return false };
        made.push((object.keep(), field));
    }
    let Ok(text) = env.new_string_from("layout") else { return false };
    let class = env.object_class(text.get().erase());
    let Ok(field) = env.field(class.get(), "value", "[B") else { return false };
    made.push((text.keep().erase(), field));
    made.iter().all(|(object, field)| env.reads_well(layout, *object, std::slice::from_ref(&field)))
}

impl<'f> Env<'f> {
    /// Looks at objects in place. Inside, nothing else of this crate may be used and nothing may block: the collector waits.
    #[inline]
    pub fn with_still<R>(
        &mut self,
        layout: &Layout,
        body: impl FnOnce(Still<'_>) -> R,
    ) -> Result<R, Thrown<'f>> {
        let still = Still { narrow: layout.narrow, held: PhantomData };
        self.with_critical_bytes(layout.anchor.get(), false, |_| body(still))
    }

    /// Whether fields that an object has hold in place what JNI says.
    pub fn reads_well(&mut self, layout: &Layout, object: Ref<'_>, fields: &[&Field]) -> bool {
        let Ok(capacity) = u16::try_from(fields.len() + 8) else { return false };
        let compared = self.with_frame(capacity, |env| {
            let said: Vec<_> =
                fields.iter().map(|field| env.get(field, object, Trust::Caller).ok()).collect();
            let equal = env.with_still(layout, |still| {
                let object = still.place(object);
                fields.iter().zip(&said).all(|(field, said)| {
                    said.is_some_and(|said| is_equal(&still, said, still.get(object, field, Trust::Caller)))
                })
            });
            equal.is_ok_and(|equal| equal)
        });
        compared.is_ok_and(|equal| equal)
    }
}

fn is_equal<'s>(still: &Still<'s>, said: Value<'_>, held: Held<'s>) -> bool {
    match (said, held) {
        (Value::Boolean(a), Held::Boolean(b)) => a == b,
        (Value::Byte(a), Held::Byte(b)) => a == b,
        (Value::Char(a), Held::Char(b)) => a == b,
        (Value::Short(a), Held::Short(b)) => a == b,
        (Value::Int(a), Held::Int(b)) => a == b,
        (Value::Long(a), Held::Long(b)) => a == b,
        (Value::Float(a), Held::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Double(a), Held::Double(b)) => a.to_bits() == b.to_bits(),
        (Value::Object(a), Held::Object(b)) => a.map(|a| still.place(a)) == b,
        _ => false,
    }
}
