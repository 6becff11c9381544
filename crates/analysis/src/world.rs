//! The classes an analysis knows.
//!
//! In: names, and a [`ClassSource`] that has their bytes. Out: [`World`]: classes with supertypes, fields and methods,
//! each under a small id. A class is parsed when it is first asked for, its supertypes with it; bodies are decoded
//! when somebody wants them. Classes that are missing or damaged stay in as such, so that every reference has an id.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use probat_classfile::{AccessFlags, ClassFile, Code, PoolError, PoolIndex};
use probat_model::{ClassName, MethodDescriptor, Type};
use rustc_hash::FxHashMap;

use crate::graph::Graph;

/// Where classes come from.
pub trait ClassSource {
    /// The bytes of a class, if it is there and can be read.
    fn bytes(&self, class: &ClassName) -> Option<Cow<'_, [u8]>>;

    /// Whether tests may name a class, or a member that it declares: those for an earlier release of Java can not name everything there is.
    fn offers(&self, _class: &ClassName, _member: Option<Member<'_>>) -> bool {
        true
    }

    /// Whether the package of a class takes no tests.
    fn is_closed(&self, class: &ClassName) -> bool {
        class.package().starts_with("java/")
    }
}

/// A method or field as a class declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    pub name: &'a str,
    pub descriptor: &'a str,
}

impl<F: Fn(&ClassName) -> Option<Vec<u8>>> ClassSource for F {
    fn bytes(&self, class: &ClassName) -> Option<Cow<'_, [u8]>> {
        self(class).map(Cow::Owned)
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Counts from 0 in the order of loading.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A class of a [`World`].
    ClassId
);
id!(
    /// A method or constructor of a [`World`].
    MethodId
);
id!(
    /// A field of a [`World`].
    FieldId
);
id!(
    /// A text of a [`World`], kept once.
    Symbol
);

/// A class or interface.
#[derive(Debug)]
pub struct Class {
    pub name: ClassName,
    pub access: AccessFlags,
    pub superclass: Option<ClassId>,
    pub interfaces: Vec<ClassId>,
    pub presence: Presence,
    pub(crate) methods: Range<u32>,
    pub(crate) fields: Range<u32>,
    /// All supertypes, itself included, sorted.
    pub(crate) supertypes: Vec<ClassId>,
    pub(crate) direct_subtypes: Vec<ClassId>,
    pub(crate) file: Option<Arc<ClassFile>>,
}

/// Whether a class could be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    Loaded,
    Missing,
    /// The reason in words.
    Damaged(String),
}

/// A method or constructor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    pub class: ClassId,
    pub name: Symbol,
    pub descriptor: Symbol,
    pub access: AccessFlags,
    /// Index in the class file; none for a method that is only referred to.
    pub(crate) place: Option<u16>,
}

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub class: ClassId,
    pub name: Symbol,
    pub descriptor: Symbol,
    pub access: AccessFlags,
    /// Index in the class file; none for a field that is only referred to.
    pub(crate) place: Option<u16>,
}

/// Owner, name and descriptor: how instructions name members.
pub(crate) type MemberKey = (ClassId, Symbol, Symbol);

/// Classes, methods and fields under ids.
pub struct World<'s> {
    pub(crate) source: &'s dyn ClassSource,
    by_name: FxHashMap<ClassName, ClassId>,
    classes: Vec<Class>,
    methods: Vec<Method>,
    fields: Vec<Field>,
    texts: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
    pub(crate) declared_methods: FxHashMap<MemberKey, MethodId>,
    pub(crate) declared_fields: FxHashMap<MemberKey, FieldId>,
    /// Members that are referred to but declared nowhere known.
    unknown_methods: FxHashMap<MemberKey, MethodId>,
    unknown_fields: FxHashMap<MemberKey, FieldId>,
}

impl std::fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("classes", &self.classes.len())
            .field("methods", &self.methods.len())
            .field("fields", &self.fields.len())
            .finish_non_exhaustive()
    }
}

impl<'s> World<'s> {
    /// A world without classes.
    pub fn new(source: &'s dyn ClassSource) -> World<'s> {
        World {
            source,
            by_name: FxHashMap::default(),
            classes: Vec::new(),
            methods: Vec::new(),
            fields: Vec::new(),
            texts: Vec::new(),
            symbols: FxHashMap::default(),
            declared_methods: FxHashMap::default(),
            declared_fields: FxHashMap::default(),
            unknown_methods: FxHashMap::default(),
            unknown_fields: FxHashMap::default(),
        }
    }

    /// The class of a name, loaded with its supertypes if that is new. Never fails: see [`Class::presence`].
    pub fn load(&mut self, name: &ClassName) -> ClassId {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let first = self.reserve(name.clone());
        let mut next = first.index();
        while next < self.classes.len() {
            self.fill(ClassId(next as u32));
            next += 1;
        }
        self.link(first.index());
        first
    }

    /// The class of a name if it was loaded before.
    pub fn find(&self, name: &ClassName) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// All classes known so far, in the order of loading.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &Class)> {
        self.classes.iter().enumerate().map(|(at, class)| (ClassId(at as u32), class))
    }

    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    pub fn method_count(&self) -> usize {
        self.methods.len()
    }

    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// The methods a class declares, in class file order.
    pub fn methods_of(&self, class: ClassId) -> impl Iterator<Item = MethodId> + use<> {
        self.class(class).methods.clone().map(MethodId)
    }

    /// The fields a class declares, in class file order.
    pub fn fields_of(&self, class: ClassId) -> impl Iterator<Item = FieldId> + use<> {
        self.class(class).fields.clone().map(FieldId)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }

    /// The symbol of a text.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&known) = self.symbols.get(text) {
            return known;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of a text if it occurs anywhere.
    pub fn known_symbol(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// A method's name.
    pub fn method_name(&self, id: MethodId) -> &str {
        self.text(self.method(id).name)
    }

    /// A method's descriptor text.
    pub fn method_descriptor_text(&self, id: MethodId) -> &str {
        self.text(self.method(id).descriptor)
    }

    /// A method's parameters and result; none if the class file has nonsense there.
    pub fn method_descriptor(&self, id: MethodId) -> Option<MethodDescriptor> {
        MethodDescriptor::parse(self.method_descriptor_text(id)).ok()
    }

    /// A field's type; none if the class file has nonsense there.
    pub fn field_type(&self, id: FieldId) -> Option<Type> {
        Type::parse(self.text(self.field(id).descriptor)).ok()
    }

    /// `com.acme.Cart.add(int, java.lang.String)`, for messages and tests.
    pub fn describe_method(&self, id: MethodId) -> String {
        let parameters = self.method_descriptor(id).map_or("(?)".into(), |descriptor| descriptor.to_string());
        format!("{}.{}{parameters}", self.class(self.method(id).class).name, self.method_name(id))
    }

    /// `com.acme.Cart.items`, for messages and tests.
    pub fn describe_field(&self, id: FieldId) -> String {
        format!("{}.{}", self.class(self.field(id).class).name, self.text(self.field(id).name))
    }

    /// The method a class declares itself under a name and descriptor.
    pub fn declared_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        let key = (class, self.known_symbol(name)?, self.known_symbol(descriptor)?);
        self.declared_methods.get(&key).copied()
    }

    /// The field a class declares itself under a name.
    pub fn declared_field(&self, class: ClassId, name: &str) -> Option<FieldId> {
        let name = self.known_symbol(name)?;
        self.fields_of(class).find(|&id| self.field(id).name == name)
    }

    /// The parsed class file; none for missing and damaged classes.
    pub fn file(&self, class: ClassId) -> Option<&Arc<ClassFile>> {
        self.class(class).file.as_ref()
    }

    /// The body of a method, decoded anew; none if it has none or a damaged one.
    pub fn code(&self, method: MethodId) -> Option<Code> {
        let Method { class, place, .. } = *self.method(method);
        let file = self.file(class)?;
        file.code(&file.methods[usize::from(place?)]).ok()?
    }

    /// Classes that are referred to by a supertype or member reference but are not there.
    pub fn missing(&self) -> impl Iterator<Item = &ClassName> {
        self.classes.iter().filter(|class| class.presence == Presence::Missing).map(|class| &class.name)
    }

    /// A method that is declared nowhere known, under an id of its own.
    pub(crate) fn unknown_method(&mut self, key: MemberKey) -> MethodId {
        let fresh = MethodId(self.methods.len() as u32);
        let id = *self.unknown_methods.entry(key).or_insert(fresh);
        if id == fresh {
            let (class, name, descriptor) = key;
            self.methods.push(Method {
                class,
                name,
                descriptor,
                access: AccessFlags::default(),
                place: None,
            });
        }
        id
    }

    /// A field that is declared nowhere known, under an id of its own.
    pub(crate) fn unknown_field(&mut self, key: MemberKey) -> FieldId {
        let fresh = FieldId(self.fields.len() as u32);
        let id = *self.unknown_fields.entry(key).or_insert(fresh);
        if id == fresh {
            let (class, name, descriptor) = key;
            self.fields.push(Field { class, name, descriptor, access: AccessFlags::default(), place: None });
        }
        id
    }

    /// An id for a class yet to be filled.
    fn reserve(&mut self, name: ClassName) -> ClassId {
        if let Some(&known) = self.by_name.get(&name) {
            return known;
        }
        let id = ClassId(self.classes.len() as u32);
        self.by_name.insert(name.clone(), id);
        self.classes.push(Class {
            name,
            access: AccessFlags::default(),
            superclass: None,
            interfaces: Vec::new(),
            presence: Presence::Missing,
            methods: 0..0,
            fields: 0..0,
            supertypes: Vec::new(),
            direct_subtypes: Vec::new(),
            file: None,
        });
        id
    }

    /// Parses a reserved class and reserves its supertypes.
    fn fill(&mut self, id: ClassId) {
        let Some(bytes) = self.source.bytes(&self.classes[id.index()].name) else { return };
        let damage = match ClassFile::read(&bytes) {
            Ok(file) => self.adopt(id, file).err(),
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = damage {
            self.classes[id.index()].presence = Presence::Damaged(reason);
        }
    }

    fn adopt(&mut self, id: ClassId, file: ClassFile) -> Result<(), String> {
        let readable = |error: PoolError| error.to_string();
        let name = file.name().map_err(readable)?;
        if name != self.classes[id.index()].name {
            return Err(format!("its file holds class `{name}`"));
        }
        let superclass = file.super_name().map_err(readable)?.map(|name| self.reserve(name));
        let interfaces = file.interface_names().map_err(readable)?;
        let interfaces = interfaces.into_iter().map(|name| self.reserve(name)).collect();
        let methods = self.adopt_methods(id, &file)?;
        let fields = self.adopt_fields(id, &file)?;
        let class = &mut self.classes[id.index()];
        class.access = file.access;
        class.superclass = superclass;
        class.interfaces = interfaces;
        class.methods = methods;
        class.fields = fields;
        class.presence = Presence::Loaded;
        class.file = Some(Arc::new(file));
        Ok(())
    }

    fn adopt_methods(&mut self, class: ClassId, file: &ClassFile) -> Result<Range<u32>, String> {
        let first = self.methods.len() as u32;
        let mut found = Vec::with_capacity(file.methods.len());
        for method in &file.methods {
            found.push((self.member_text(file, method.name)?, self.member_text(file, method.descriptor)?));
        }
        for ((method, place), (name, descriptor)) in file.methods.iter().zip(0..).zip(found) {
            let id = MethodId(self.methods.len() as u32);
            self.methods.push(Method { class, name, descriptor, access: method.access, place: Some(place) });
            self.declared_methods.entry((class, name, descriptor)).or_insert(id);
        }
        Ok(first..self.methods.len() as u32)
    }

    fn adopt_fields(&mut self, class: ClassId, file: &ClassFile) -> Result<Range<u32>, String> {
        let first = self.fields.len() as u32;
        let mut found = Vec::with_capacity(file.fields.len());
        for field in &file.fields {
            found.push((self.member_text(file, field.name)?, self.member_text(file, field.descriptor)?));
        }
        for ((field, place), (name, descriptor)) in file.fields.iter().zip(0..).zip(found) {
            let id = FieldId(self.fields.len() as u32);
            self.fields.push(Field { class, name, descriptor, access: field.access, place: Some(place) });
            self.declared_fields.entry((class, name, descriptor)).or_insert(id);
        }
        Ok(first..self.fields.len() as u32)
    }

    /// A member's name or descriptor. Names may hold lone surrogates, which no source can spell: those are replaced.
    fn member_text(&mut self, file: &ClassFile, index: PoolIndex) -> Result<Symbol, String> {
        let text = match file.pool.text(index) {
            Ok(text) => text,
            Err(PoolError::UnpairedSurrogate { .. }) => {
                let raw = file.pool.utf8(index).map_err(|error| error.to_string())?;
                Cow::Owned(String::from_utf8_lossy(raw).into_owned())
            }
            Err(error) => return Err(error.to_string()),
        };
        Ok(self.symbol(&text))
    }

    /// Completes what was loaded since `first`: cuts circles, collects supertypes, tells supertypes of subtypes.
    fn link(&mut self, first: usize) {
        let mut upward = Graph::new(self.classes.len() - first);
        for (at, class) in self.classes[first..].iter().enumerate() {
            for above in direct_supertypes(class) {
                if let Some(above) = above.index().checked_sub(first) {
                    upward.add(at as u32, above as u32);
                }
            }
        }
        let components = upward.components();
        for members in components.bottom_up() {
            let is_circle = members.len() > 1 || upward.successors(members[0]).contains(&members[0]);
            for &member in members {
                let id = ClassId(first as u32 + member);
                if is_circle {
                    let class = &mut self.classes[id.index()];
                    class.presence = Presence::Damaged("it inherits from itself".into());
                    class.superclass = None;
                    class.interfaces.clear();
                }
                self.link_one(id);
            }
        }
    }

    fn link_one(&mut self, id: ClassId) {
        let mut supertypes = vec![id];
        for above in direct_supertypes(&self.classes[id.index()]).collect::<Vec<_>>() {
            supertypes.extend(&self.classes[above.index()].supertypes);
            self.classes[above.index()].direct_subtypes.push(id);
        }
        supertypes.sort_unstable();
        supertypes.dedup();
        self.classes[id.index()].supertypes = supertypes;
    }
}

fn direct_supertypes(class: &Class) -> impl Iterator<Item = ClassId> + '_ {
    class.superclass.into_iter().chain(class.interfaces.iter().copied())
}

impl Class {
    pub fn is_interface(&self) -> bool {
        self.access.has(AccessFlags::INTERFACE)
    }

    pub fn is_abstract(&self) -> bool {
        self.access.has(AccessFlags::ABSTRACT)
    }

    pub fn is_loaded(&self) -> bool {
        self.presence == Presence::Loaded
    }

    /// All supertypes, itself included, in the order of loading.
    pub fn supertypes(&self) -> &[ClassId] {
        &self.supertypes
    }
}

impl Method {
    pub fn is_static(&self) -> bool {
        self.access.has(AccessFlags::STATIC)
    }

    pub fn is_abstract(&self) -> bool {
        self.access.has(AccessFlags::ABSTRACT)
    }

    /// Made by the compiler.
    pub fn is_synthetic(&self) -> bool {
        self.access.has(AccessFlags::SYNTHETIC)
    }

    /// Made by the compiler to lead from a supertype's descriptor to the method's own.
    pub fn is_bridge(&self) -> bool {
        self.access.has(AccessFlags::BRIDGE)
    }

    pub fn is_private(&self) -> bool {
        self.access.has(AccessFlags::PRIVATE)
    }

    /// Whether no known class declares it.
    pub fn is_unknown(&self) -> bool {
        self.place.is_none()
    }
}

impl Field {
    pub fn is_static(&self) -> bool {
        self.access.has(AccessFlags::STATIC)
    }

    /// Whether no known class declares it.
    pub fn is_unknown(&self) -> bool {
        self.place.is_none()
    }
}
