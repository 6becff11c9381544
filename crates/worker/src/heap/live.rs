//! The heap of the JVM in this process.
//!
//! In: handles of one local frame. Out: what [`Heap`] asks for, through JNI and JVMTI.
//! Runs no Java code: classes are described by JVMTI, and those of living objects need no initialiser any more.
//!
//! Classes are recognised by the identity of their class object; what was learned about one is kept until
//! [`Registry::forget`]. The class of an object is guessed from what the same field held last, which saves most of the
//! cost: one `IsInstanceOf` confirms a class without subclasses, and a field declared with such a class needs none.

use std::rc::Rc;

use probat_jvm::{
    ArrayOf, Class, Env, Field, Global, Jvmti, JvmtiError, Layout, MethodId, ObjectArray, Ref, Str, Thrown,
    Trust, Value,
};
use rustc_hash::FxHashMap;

use super::access::{Content, Heap, Primitive, Scalar};
use super::shape::{self, ClassId, ClassSpec, FieldSpec, Form, Guess, Rules, Shape, internal_name};
use super::site::methods_named;

const ACC_STATIC: u32 = 0x0008;
const ACC_FINAL: u32 = 0x0010;
/// References a new frame promises room for.
pub(crate) const FRAME: u16 = 256;
/// Elements of a primitive array copied at a time.
const CHUNK: usize = 512;

/// Why a state could not be read. Nothing in a program under test should lead here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeapError {
    #[error(transparent)]
    Tool(#[from] JvmtiError),
    #[error("the JVM has no room for another reference")]
    NoRoom,
    #[error("the JVM lacks `{0}`")]
    Missing(&'static str),
}

impl From<Thrown<'_>> for HeapError {
    fn from(_: Thrown<'_>) -> Self {
        HeapError::NoRoom
    }
}

/// Classes met so far.
#[derive(Debug)]
pub(crate) struct Registry {
    rules: Rules,
    jvmti: Jvmti,
    object_hash: MethodId,
    classes: Vec<Option<Registered>>,
    free: Vec<ClassId>,
    /// By identity hash of the class object.
    by_hash: FxHashMap<i32, Vec<ClassId>>,
    /// Descriptors of class objects that are values, by identity hash.
    descriptors: FxHashMap<i32, Vec<Described>>,
    /// By the word that objects of the class have in place.
    by_word: FxHashMap<u32, ClassId>,
    /// Whether objects are to be read in place.
    pub(crate) learns: bool,
}

/// A class object, and the descriptor it stands for.
type Described = (Global<Class>, Rc<str>);

#[derive(Debug)]
struct Registered {
    class: Global<Class>,
    shape: Rc<Shape<Field>>,
    /// Its descriptor, if nothing else is an instance of it.
    exact: Option<Rc<str>>,
    /// Defined by the boot loader, hence never replaced.
    boot: bool,
    hash: i32,
    null_key: Option<Global>,
    in_place: InPlace,
}

/// Whether objects of a class can be read in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InPlace {
    /// Nobody has looked.
    Unknown,
    /// By this word.
    Yes(u32),
    /// One object did not hold in place what JNI says.
    No,
}

impl Registry {
    pub(crate) fn new(env: &Env<'_>, jvmti: Jvmti, rules: Rules) -> Result<Self, HeapError> {
        let object = env.find_class("java/lang/Object")?;
        let hash = env.method(object.get(), "hashCode", "()I");
        let object_hash = hash.map_err(|_| HeapError::Missing("Object.hashCode"))?.id();
        env.delete(object);
        Ok(Registry {
            rules,
            jvmti,
            object_hash,
            classes: Vec::new(),
            free: Vec::new(),
            by_hash: FxHashMap::default(),
            descriptors: FxHashMap::default(),
            by_word: FxHashMap::default(),
            learns: false,
        })
    }

    /// Lets go of every class that was not defined by the boot loader.
    pub(crate) fn forget(&mut self) {
        self.descriptors.clear();
        for (at, place) in self.classes.iter_mut().enumerate() {
            if let Some(gone) = place.take_if(|class| !class.boot) {
                let id = ClassId(at as u32);
                if let InPlace::Yes(word) = gone.in_place {
                    self.by_word.remove(&word);
                }
                self.free.push(id);
                if let Some(ids) = self.by_hash.get_mut(&gone.hash) {
                    ids.retain(|&other| other != id);
                }
            }
        }
    }

    /// The shape of a class that was met.
    pub(crate) fn shape(&self, id: ClassId) -> Option<&Rc<Shape<Field>>> {
        self.classes.get(id.0 as usize)?.as_ref().map(|class| &class.shape)
    }

    /// The class object, in case anything has to be made of it.
    pub(crate) fn class(&self, id: ClassId) -> Option<Ref<'_, Class>> {
        self.classes.get(id.0 as usize)?.as_ref().map(|class| class.class.get())
    }

    /// Compares what objects of new classes hold in place with what JNI says; those that agree can be read so from now on.
    pub(crate) fn learn(&mut self, env: &mut Env<'_>, layout: &Layout, objects: &[(Global, ClassId)]) {
        for &(ref object, id) in objects {
            let object = object.get();
            let Some(known) = self.classes[id.0 as usize].as_mut() else { continue };
            if known.in_place != InPlace::Unknown {
                continue;
            }
            let fields: Vec<&Field> = known.shape.fields.iter().map(|slot| &slot.handle).collect();
            let agrees = env.reads_well(layout, object, &fields);
            let word = env.with_still(layout, |still| still.class_word(still.place(object)));
            known.in_place = match word {
                Ok(word) if agrees && !self.by_word.contains_key(&word) => {
                    self.by_word.insert(word, id);
                    InPlace::Yes(word)
                }
                _ => InPlace::No,
            };
        }
    }

    /// The shape of objects that have this word in place. `guess` is as for [`Heap::shape_of`].
    #[inline]
    pub(crate) fn shape_by_word(&self, word: u32, guess: &Guess) -> Option<&Rc<Shape<Field>>> {
        let guessed = guess.get().and_then(|id| self.classes.get(id.0 as usize)?.as_ref());
        if let Some(known) = guessed.filter(|known| known.in_place == InPlace::Yes(word)) {
            return Some(&known.shape);
        }
        let id = *self.by_word.get(&word)?;
        let known = self.known(id);
        guess.set(id, known.exact.as_deref());
        Some(&known.shape)
    }

    /// The descriptor of a class object that was met, by what it is.
    pub(crate) fn descriptor_of(&self, is_it: impl Fn(Ref<'_, Class>) -> bool) -> Option<Rc<str>> {
        let mut all = self.descriptors.values().flatten();
        all.find(|(class, _)| is_it(class.get())).map(|(_, descriptor)| Rc::clone(descriptor))
    }

    /// What the objects of a table class store in place of a null key.
    pub(crate) fn null_key(&self, table: ClassId) -> Option<&Global> {
        self.known(table).null_key.as_ref()
    }

    fn known(&self, id: ClassId) -> &Registered {
        self.classes[id.0 as usize].as_ref().expect("ids come from lookups made in the same walk")
    }

    /// The class, registered if it is new. It must have instances.
    pub(crate) fn look_up(&mut self, env: &Env<'_>, class: Ref<'_, Class>) -> Result<ClassId, HeapError> {
        let hash = self.jvmti.object_hash_code(class.erase())?;
        if let Some(ids) = self.by_hash.get(&hash) {
            let same = |&&id: &&ClassId| env.is_same(self.known(id).class.get().erase(), class.erase());
            if let Some(&id) = ids.iter().find(same) {
                return Ok(id);
            }
        }
        self.register(env, class, hash)
    }

    #[cold]
    fn register(&mut self, env: &Env<'_>, class: Ref<'_, Class>, hash: i32) -> Result<ClassId, HeapError> {
        let spec = self.describe(env, class)?;
        let exact = self.is_exact(class, &spec)?.then(|| Rc::from(&*spec.descriptor));
        let null_key = null_key(env, class, &spec);
        let loader = self.jvmti.class_loader(env, class)?;
        let boot = loader.is_none();
        if let Some(loader) = loader {
            env.delete(loader);
        }
        let id = self.free.pop().unwrap_or(ClassId(self.classes.len() as u32));
        let shape = Rc::new(Shape::build(id, spec, &self.rules));
        let in_place = if self.learns { InPlace::Unknown } else { InPlace::No };
        let registered =
            Registered { class: env.global(class)?, shape, exact, boot, hash, null_key, in_place };
        match self.classes.get_mut(id.0 as usize) {
            Some(place) => *place = Some(registered),
            None => self.classes.push(Some(registered)),
        }
        self.by_hash.entry(hash).or_default().push(id);
        Ok(id)
    }

    /// JVMTI calls every array class final, so for arrays the element decides.
    fn is_exact(&self, class: Ref<'_, Class>, spec: &ClassSpec<Field>) -> Result<bool, HeapError> {
        match spec.descriptor.strip_prefix('[') {
            Some("Ljava/lang/String;") => Ok(true),
            Some(element) => Ok(Primitive::of_descriptor(element).is_some()),
            None => Ok(self.jvmti.class_modifiers(class)? & ACC_FINAL != 0),
        }
    }

    fn describe(&self, env: &Env<'_>, class: Ref<'_, Class>) -> Result<ClassSpec<Field>, HeapError> {
        let descriptor = self.jvmti.class_signature(class)?.0;
        let mut spec = ClassSpec {
            supers: Vec::new(),
            interfaces: Vec::new(),
            fields: Vec::new(),
            overrides_hash: false,
            calls: None,
            descriptor,
        };
        if spec.descriptor.starts_with('[') {
            return Ok(spec);
        }
        for interface in self.jvmti.interfaces(env, class)? {
            spec.interfaces.push(internal_name(&self.jvmti.class_signature(interface.get())?.0));
            env.delete(interface);
        }
        if shape::is_hidden(&spec.descriptor)
            && let Ok((count, pool)) = self.jvmti.constant_pool(class)
        {
            spec.calls = methods_named(count, &pool);
        }
        let own = env.method(class, "hashCode", "()I").map(|method| method.id());
        spec.overrides_hash = own.is_ok_and(|own| own != self.object_hash);
        let mut next = Some(env.local(class)?);
        while let Some(class) = next {
            let name = internal_name(&self.jvmti.class_signature(class.get())?.0);
            self.fields(env, class.get(), &name, &mut spec.fields)?;
            spec.supers.push(name);
            next = env.super_class(class.get());
            env.delete(class);
        }
        Ok(spec)
    }

    /// A field that cannot be looked up is left out: its class failed to initialise, and nothing can read it.
    fn fields(
        &self,
        env: &Env<'_>,
        class: Ref<'_, Class>,
        name: &str,
        into: &mut Vec<FieldSpec<Field>>,
    ) -> Result<(), HeapError> {
        for field in self.jvmti.class_fields(class)? {
            if field.modifiers & ACC_STATIC != 0 {
                continue;
            }
            if let Ok(handle) = env.field(class, &field.name, &field.descriptor) {
                let (declared_in, name, descriptor) = (name.into(), field.name, field.descriptor);
                into.push(FieldSpec { declared_in, name, descriptor, handle });
            }
        }
        Ok(())
    }
}

/// What some tables of the JDK store in place of a null key.
fn null_key(env: &Env<'_>, class: Ref<'_, Class>, spec: &ClassSpec<Field>) -> Option<Global> {
    let masks = ["java/util/IdentityHashMap", "java/util/WeakHashMap"];
    spec.supers.iter().find(|name| masks.contains(&&***name))?;
    let field = env.static_field(class, "NULL_KEY", "Ljava/lang/Object;").ok()?;
    match env.get_static(&field).ok()? {
        Value::Object(Some(key)) => env.global(key).ok(),
        _ => None,
    }
}

/// Counts the references made in a frame, and asks it for more room in time, which `-Xcheck:jni` watches over.
#[derive(Debug, Default)]
pub(crate) struct Room {
    made: u32,
    asked: u32,
}

impl Room {
    /// References a frame is short of when it is asked for more.
    const SPARE: u32 = 64;

    /// Counts one more reference, in a frame pushed with room for [`FRAME`].
    #[inline]
    pub(crate) fn count(&mut self, env: &Env<'_>) -> Result<(), HeapError> {
        self.made += 1;
        if self.made + Self::SPARE > self.asked.max(u32::from(FRAME)) { self.grow(env) } else { Ok(()) }
    }

    /// Some versions of HotSpot take the number for all open frames together, others for what is still to come; a
    /// large number satisfies both. Room is only promised, never reserved.
    #[cold]
    fn grow(&mut self, env: &Env<'_>) -> Result<(), HeapError> {
        self.asked = (self.made * 4).max(1 << 13);
        Ok(env.ensure_local_capacity(self.asked.min(u32::from(u16::MAX)) as u16)?)
    }
}

/// One local frame's view of the heap.
#[derive(Debug)]
pub(crate) struct LiveHeap<'e, 'f> {
    env: &'e Env<'f>,
    registry: &'e mut Registry,
    room: Room,
    /// Objects of classes of which nobody knows whether they can be read in place.
    pub(crate) fresh: Vec<(Global, ClassId)>,
}

impl<'e, 'f> LiveHeap<'e, 'f> {
    /// A view whose references live in the innermost frame, which has room for [`FRAME`] of them.
    pub(crate) fn new(env: &'e Env<'f>, registry: &'e mut Registry) -> Self {
        LiveHeap { env, registry, room: Room::default(), fresh: Vec::new() }
    }

    #[cold]
    fn slow_shape(&mut self, object: Ref<'e>, guess: &Guess) -> Result<Rc<Shape<Field>>, HeapError> {
        let class = self.env.object_class(object);
        let id = self.registry.look_up(self.env, class.get())?;
        self.env.delete(class);
        let known = self.registry.known(id);
        guess.set(id, known.exact.as_deref());
        if known.in_place == InPlace::Unknown {
            self.fresh.push((self.env.global(object)?, id));
        }
        Ok(Rc::clone(&known.shape))
    }

    fn copy_cells<T: probat_jvm::Primitive>(
        &self,
        array: Ref<'e>,
        length: u32,
        mut each: impl FnMut(T),
    ) -> Result<(), HeapError> {
        let array = self.env.assume::<ArrayOf<T>>(array);
        let mut chunk = [T::default(); CHUNK];
        for start in (0..length as usize).step_by(CHUNK) {
            let part = &mut chunk[..(length as usize - start).min(CHUNK)];
            self.env.get_region(array, start, part)?;
            part.iter().copied().for_each(&mut each);
        }
        Ok(())
    }
}

impl<'e> Heap for LiveHeap<'e, '_> {
    type Ref = Ref<'e>;
    type Field = Field;
    type Error = HeapError;

    #[inline]
    fn shape_of(&mut self, object: Ref<'e>, guess: &Guess) -> Result<Rc<Shape<Field>>, HeapError> {
        let guessed = guess.get().and_then(|id| self.registry.classes.get(id.0 as usize)?.as_ref());
        let Some(known) = guessed else { return self.slow_shape(object, guess) };
        let right = if guess.is_certain() {
            true
        } else if known.exact.is_some() {
            self.env.is_instance_of(object, known.class.get())
        } else {
            let class = self.env.object_class(object);
            let same = self.env.is_same(class.get().erase(), known.class.get().erase());
            self.env.delete(class);
            same
        };
        if !right || known.in_place == InPlace::Unknown {
            return self.slow_shape(object, guess);
        }
        Ok(Rc::clone(&known.shape))
    }

    #[inline]
    fn identity_hash(&mut self, object: Ref<'e>) -> Result<u32, HeapError> {
        Ok(self.registry.jvmti.object_hash_code(object)?.cast_unsigned())
    }

    #[inline]
    fn is_same(&mut self, left: Ref<'e>, right: Ref<'e>) -> bool {
        self.env.is_same(left, right)
    }

    #[inline]
    fn read(&mut self, object: Ref<'e>, field: &Field) -> Result<Content<Ref<'e>>, HeapError> {
        // The field comes from the shape of the object's own class, so the object has it.
        let value = self.env.get(field, object, Trust::Caller).expect("the object has the field");
        Ok(Content::Scalar(match value {
            Value::Object(reference) => {
                if reference.is_some() {
                    self.room.count(self.env)?;
                }
                return Ok(Content::Reference(reference));
            }
            Value::Boolean(value) => Scalar::Boolean(value),
            Value::Byte(value) => Scalar::Byte(value),
            Value::Char(value) => Scalar::Char(value),
            Value::Short(value) => Scalar::Short(value),
            Value::Int(value) => Scalar::Int(value),
            Value::Long(value) => Scalar::Long(value),
            Value::Float(value) => Scalar::Float(value.to_bits()),
            Value::Double(value) => Scalar::Double(value.to_bits()),
        }))
    }

    #[inline]
    fn length(&mut self, array: Ref<'e>, shape: &Shape<Field>) -> Result<u32, HeapError> {
        let env = self.env;
        let length = match shape.form {
            Form::Cells(Primitive::Boolean) => env.array_length(env.assume::<ArrayOf<u8>>(array)),
            Form::Cells(Primitive::Byte) => env.array_length(env.assume::<ArrayOf<i8>>(array)),
            Form::Cells(Primitive::Char) => env.array_length(env.assume::<ArrayOf<u16>>(array)),
            Form::Cells(Primitive::Short) => env.array_length(env.assume::<ArrayOf<i16>>(array)),
            Form::Cells(Primitive::Int) => env.array_length(env.assume::<ArrayOf<i32>>(array)),
            Form::Cells(Primitive::Long) => env.array_length(env.assume::<ArrayOf<i64>>(array)),
            Form::Cells(Primitive::Float) => env.array_length(env.assume::<ArrayOf<f32>>(array)),
            Form::Cells(Primitive::Double) => env.array_length(env.assume::<ArrayOf<f64>>(array)),
            _ => env.array_length(env.assume::<ObjectArray>(array)),
        };
        Ok(length as u32)
    }

    #[inline]
    fn element(&mut self, array: Ref<'e>, at: u32) -> Result<Option<Ref<'e>>, HeapError> {
        let array = self.env.assume::<ObjectArray>(array);
        let element = self.env.element(array, at as usize)?;
        if element.is_some() {
            self.room.count(self.env)?;
        }
        Ok(element.map(|element| element.keep()))
    }

    fn cells(
        &mut self,
        array: Ref<'e>,
        of: Primitive,
        length: u32,
        mut each: impl FnMut(Scalar),
    ) -> Result<(), HeapError> {
        match of {
            Primitive::Boolean => {
                self.copy_cells::<u8>(array, length, |value| each(Scalar::Boolean(value != 0)))
            }
            Primitive::Byte => self.copy_cells(array, length, |value| each(Scalar::Byte(value))),
            Primitive::Char => self.copy_cells(array, length, |value| each(Scalar::Char(value))),
            Primitive::Short => self.copy_cells(array, length, |value| each(Scalar::Short(value))),
            Primitive::Int => self.copy_cells(array, length, |value| each(Scalar::Int(value))),
            Primitive::Long => self.copy_cells(array, length, |value| each(Scalar::Long(value))),
            Primitive::Float => {
                self.copy_cells::<f32>(array, length, |value| each(Scalar::Float(value.to_bits())))
            }
            Primitive::Double => {
                self.copy_cells::<f64>(array, length, |value| each(Scalar::Double(value.to_bits())))
            }
        }
    }

    fn string(&mut self, string: Ref<'e>, limit: usize, into: &mut Vec<u16>) -> Result<usize, HeapError> {
        let string = self.env.assume::<Str>(string);
        into.resize(limit.min(into.capacity().max(32)), 0);
        let length = self.env.string_units(string, into);
        if length > into.len() && into.len() < limit {
            into.resize(length.min(limit), 0);
            self.env.string_units(string, into);
        }
        into.truncate(length);
        Ok(length)
    }

    fn descriptor(&mut self, class: Ref<'e>) -> Result<Rc<str>, HeapError> {
        let class = self.env.assume::<Class>(class);
        let hash = self.registry.jvmti.object_hash_code(class.erase())?;
        let known = self.registry.descriptors.entry(hash).or_default();
        let same = |(other, _): &&Described| self.env.is_same(other.get().erase(), class.erase());
        if let Some((_, descriptor)) = known.iter().find(same) {
            return Ok(Rc::clone(descriptor));
        }
        let signature = self.registry.jvmti.class_signature(class)?.0;
        // A hidden class must not show the address it was defined with.
        let descriptor: Rc<str> = match signature.split_once('.') {
            Some((before, _)) => format!("{before};").into(),
            None => signature.into(),
        };
        known.push((self.env.global(class)?, Rc::clone(&descriptor)));
        Ok(descriptor)
    }

    #[inline]
    fn is_null_key(&mut self, key: Ref<'e>, table: &Shape<Field>) -> bool {
        let null_key = self.registry.null_key(table.id);
        null_key.is_some_and(|null_key| self.env.is_same(null_key.get(), key))
    }
}
