//! Types as the current class loader knows them, and which fit where.
//!
//! In: types of the model. Out: loaded and initialised classes, and whether a value of one static type may be passed
//! where another is wanted without looking at the value.
//! Belongs to one class loader; a fresh loader gets a fresh [`Types`].
//!
//! The verifier takes an interface for `Object` (JVMS §4.10.1.2), so a method declared to return an interface may
//! return anything: such a static type is never trusted, and the value is looked at.

use probat_jvm::{Class, Env, Global, Jvmti, Loader, Ref};
use probat_model::{Taint, Thrown, Type};
use rustc_hash::FxHashMap;

use crate::fault::Fault;
use crate::thrown::{self, Bounds, Sort, Sorter};

/// Number of a type within a [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeId(u32);

/// `java.lang.Object`, which takes everything and promises nothing.
pub const OBJECT: TypeId = TypeId(0);

/// A class the loader has found.
#[derive(Debug)]
pub struct Loaded {
    pub class: Global<Class>,
    pub is_interface: bool,
    pub is_abstract: bool,
    /// Whether the verifier sees to it that values of this static type are of it.
    promised: bool,
    init: Init,
}

/// How far the static initialiser has come.
#[derive(Debug, Clone)]
enum Init {
    NotYet,
    Done,
    Failed(Box<Failure>),
}

/// An initialiser that threw. Kept, because the JVM tells another story the second time.
#[derive(Debug, Clone)]
pub struct Failure {
    pub thrown: Thrown,
    pub sort: Sort,
    pub taints: Vec<Taint>,
}

#[derive(Debug)]
enum Found {
    Unknown,
    Missing(String),
    Loaded(Box<Loaded>),
}

#[derive(Debug)]
struct Entry {
    ty: Type,
    found: Found,
    /// By producer type: 0 unknown, else [`FITS`] or [`LOOK`].
    row: Vec<u8>,
}

const FITS: u8 = 1;
const LOOK: u8 = 2;

/// The types met so far.
#[derive(Debug)]
pub struct Types {
    jvmti: Jvmti,
    loader: Global<Loader>,
    entries: Vec<Entry>,
    ids: FxHashMap<Type, TypeId>,
}

const ACC_INTERFACE: u32 = 0x0200;
const ACC_ABSTRACT: u32 = 0x0400;

impl Types {
    pub fn new(jvmti: Jvmti, loader: Global<Loader>) -> Self {
        let mut types = Types { jvmti, loader, entries: Vec::new(), ids: FxHashMap::default() };
        let object = types.id(&Type::class("java/lang/Object"));
        debug_assert_eq!(object, OBJECT);
        types
    }

    pub fn loader(&self) -> Ref<'_, Loader> {
        self.loader.get()
    }

    /// The number of a type.
    pub fn id(&mut self, ty: &Type) -> TypeId {
        if let Some(&id) = self.ids.get(ty) {
            return id;
        }
        let id = TypeId(self.entries.len() as u32);
        self.entries.push(Entry { ty: ty.clone(), found: Found::Unknown, row: Vec::new() });
        self.ids.insert(ty.clone(), id);
        id
    }

    /// Loads `Object`, which steps count on.
    pub fn load_object(&mut self, env: &mut Env<'_>) -> Result<(), Fault> {
        self.load(env, OBJECT).map(|_| ()).map_err(Fault::missing)
    }

    pub fn ty(&self, id: TypeId) -> &Type {
        &self.entries[id.0 as usize].ty
    }

    /// The class of a reference type, loaded but not initialised; `Err` says why there is none.
    pub fn load(&mut self, env: &mut Env<'_>, id: TypeId) -> Result<&Loaded, &str> {
        let at = id.0 as usize;
        if matches!(self.entries[at].found, Found::Unknown) {
            self.entries[at].found = match find(env, self.jvmti, self.loader.get(), &self.entries[at].ty) {
                Ok(loaded) => Found::Loaded(Box::new(loaded)),
                Err(why) => Found::Missing(why),
            };
        }
        match &self.entries[at].found {
            Found::Loaded(loaded) => Ok(loaded),
            Found::Missing(why) => Err(why),
            Found::Unknown => unreachable!("looked for just above"),
        }
    }

    /// The class if it was loaded before.
    #[inline]
    pub fn loaded(&self, id: TypeId) -> Option<&Loaded> {
        match &self.entries[id.0 as usize].found {
            Found::Loaded(loaded) => Some(loaded),
            Found::Missing(_) | Found::Unknown => None,
        }
    }

    /// Runs the static initialiser of a loaded class, the first time only. `None` when it has run well.
    ///
    /// `taints` is asked for what the initialiser attempted.
    pub fn initialise(
        &mut self,
        env: &mut Env<'_>,
        id: TypeId,
        sorter: &Sorter,
        bounds: Bounds,
        taints: impl FnOnce() -> Vec<Taint>,
    ) -> Option<Failure> {
        let at = id.0 as usize;
        let binary = class_for_name(&self.entries[at].ty)?;
        let Found::Loaded(loaded) = &mut self.entries[at].found else { return None };
        if let Init::NotYet = loaded.init {
            loaded.init = match env.load_class(&binary, true, Some(self.loader.get())) {
                Ok(class) => {
                    env.delete(class);
                    Init::Done
                }
                Err(exception) => {
                    let exception = exception.into_local();
                    let sort = sorter.sort(env, exception.get());
                    let thrown = thrown::report(env, exception.get(), bounds);
                    env.delete(exception);
                    Init::Failed(Box::new(Failure { thrown, sort, taints: taints() }))
                }
            };
        }
        match &loaded.init {
            Init::Failed(failure) => Some((**failure).clone()),
            Init::Done | Init::NotYet => None,
        }
    }

    /// Whether a value made as `from` may be passed as `to` unseen.
    #[inline]
    pub fn fits(&mut self, env: &Env<'_>, from: TypeId, to: TypeId) -> bool {
        if to == OBJECT {
            return true;
        }
        match self.entries[to.0 as usize].row.get(from.0 as usize) {
            Some(&FITS) => true,
            Some(&LOOK) => false,
            _ => self.decide(env, from, to),
        }
    }

    #[cold]
    fn decide(&mut self, env: &Env<'_>, from: TypeId, to: TypeId) -> bool {
        let fits = match (self.loaded(from), self.loaded(to)) {
            (Some(from), Some(to)) => {
                from.promised && env.is_assignable_from(to.class.get(), from.class.get())
            }
            _ => false,
        };
        let row = &mut self.entries[to.0 as usize].row;
        if row.len() <= from.0 as usize {
            row.resize(from.0 as usize + 1, 0);
        }
        row[from.0 as usize] = if fits { FITS } else { LOOK };
        fits
    }
}

/// The name `Class.forName` takes; `None` for primitives.
pub fn class_for_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Class(name) => Some(name.to_binary()),
        Type::Array(_) => Some(ty.descriptor().replace('/', ".")),
        Type::Boolean
        | Type::Byte
        | Type::Char
        | Type::Short
        | Type::Int
        | Type::Long
        | Type::Float
        | Type::Double => None,
    }
}

fn find(env: &mut Env<'_>, jvmti: Jvmti, loader: Ref<'_, Loader>, ty: &Type) -> Result<Loaded, String> {
    let binary = class_for_name(ty).ok_or_else(|| format!("{ty} is a primitive"))?;
    let local = match env.load_class(&binary, false, Some(loader)) {
        Ok(local) => local,
        Err(exception) => {
            let exception = exception.into_local();
            let why = thrown::one_line(env, exception.get());
            env.delete(exception);
            return Err(why);
        }
    };
    let modifiers = jvmti.class_modifiers(local.get()).map_err(|error| error.to_string())?;
    let class = match env.global(local.get()) {
        Ok(class) => class,
        Err(exception) => return Err(Fault::threw(env, "keep a class", exception).to_string()),
    };
    env.delete(local);
    let is_interface = modifiers & ACC_INTERFACE != 0;
    // An array of references may be one of interfaces, for which the verifier takes any other.
    let promised = match ty {
        Type::Array(element) => element.is_primitive(),
        _ => !is_interface,
    };
    Ok(Loaded {
        class,
        is_interface,
        is_abstract: modifiers & ACC_ABSTRACT != 0,
        promised,
        init: Init::NotYet,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_class_for_name_takes() {
        let list = Type::class("java/util/Map$Entry");
        assert_eq!(class_for_name(&list).as_deref(), Some("java.util.Map$Entry"));
        assert_eq!(class_for_name(&list.array().array()).as_deref(), Some("[[Ljava.util.Map$Entry;"));
        assert_eq!(class_for_name(&Type::Int.array()).as_deref(), Some("[I"));
        assert_eq!(class_for_name(&Type::Int), None);
    }
}
