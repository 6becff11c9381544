//! What Java source in some package can use of a class.
//!
//! In: a [`World`] and a package. Out: whether a class can be named there, and its constructors, methods and fields,
//! inherited ones included.
//! Leaves out what the compiler made (bridges, synthetics) and what no source can spell. Exports of modules are not
//! looked at; nor is access that only a subclass has.

use probat_classfile::AccessFlags;
use probat_model::ClassName;
use probat_model::word::is_identifier;
use rustc_hash::FxHashSet;

use crate::world::{ClassId, FieldId, Member, MethodId, Symbol, World};

/// How a class stands to the class around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nesting {
    TopLevel,
    /// A static member, interface, enum or record inside another class.
    Static,
    /// Has an instance of the class around it, its constructors' first argument.
    Inner,
    Local,
    Anonymous,
}

/// Constructors, methods and fields to use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// Of the class itself, in class file order; also of abstract classes.
    pub constructors: Vec<MethodId>,
    /// Own ones first, then those of superclasses, then those of interfaces.
    pub methods: Vec<MethodId>,
    /// In the same order.
    pub fields: Vec<FieldId>,
}

impl World<'_> {
    /// How a class is nested; none if it is not there.
    pub fn nesting(&self, class: ClassId) -> Option<Nesting> {
        let file = self.file(class)?;
        let name = &self.class(class).name;
        let inner = file.attributes().inner_classes().ok()?.into_iter().find(|entry| entry.inner == *name);
        Some(match inner {
            None => Nesting::TopLevel,
            Some(entry) if entry.name.is_none() => Nesting::Anonymous,
            Some(entry) if entry.outer.is_none() => Nesting::Local,
            Some(entry)
                if entry.access.has(AccessFlags::STATIC) || entry.access.has(AccessFlags::INTERFACE) =>
            {
                Nesting::Static
            }
            Some(_) => Nesting::Inner,
        })
    }

    /// Whether source in a package (internal form) can name a class; loads the classes around it.
    pub fn is_nameable(&mut self, class: ClassId, package: &str) -> bool {
        let Some(file) = self.file(class) else { return false };
        let (name, own) = (self.class(class).name.clone(), file.access);
        if !self.source.offers(&name, None) {
            return false;
        }
        let Ok(nested) = file.attributes().inner_classes() else { return false };
        let is_same_package = self.shares(&name, package);
        match nested.into_iter().find(|entry| entry.inner == name) {
            None => {
                is_spelled(&name)
                    && !own.has(AccessFlags::SYNTHETIC)
                    && (own.has(AccessFlags::PUBLIC) || is_same_package)
            }
            Some(entry) => {
                let (Some(outer), Some(simple)) = (entry.outer, entry.name) else { return false };
                let outer = self.load(&outer);
                is_identifier(&simple)
                    && !entry.access.has(AccessFlags::SYNTHETIC)
                    && is_open(entry.access, is_same_package)
                    && self.is_nameable(outer, package)
            }
        }
    }

    /// What source in a package (internal form) can use of a class, given that it can name it.
    pub fn members(&self, class: ClassId, package: &str) -> Members {
        let mut members = Members::default();
        let mut seen_methods = FxHashSet::default();
        let mut seen_fields = FxHashSet::default();
        let interfaces = self.class(class).supertypes().iter().copied();
        let interfaces = interfaces.filter(|&above| above != class && self.class(above).is_interface());
        let lineage: Vec<ClassId> = self.superclasses(class).chain(interfaces).collect();
        for declaring in lineage {
            for method in self.methods_of(declaring) {
                let name = self.method_name(method);
                let info = self.method(method);
                // What a subclass overrides in this JDK may be inherited in an earlier one.
                if !self.offers(declaring, info.name, info.descriptor) {
                    continue;
                }
                let is_inherited_static =
                    declaring != class && info.is_static() && self.class(declaring).is_interface();
                let is_new = name == "<init>" || seen_methods.insert((info.name, info.descriptor));
                if !is_new || is_inherited_static || !self.is_usable(info.access, declaring, package) {
                    continue;
                }
                match name {
                    "<clinit>" => {}
                    "<init>" if declaring == class => members.constructors.push(method),
                    "<init>" => {}
                    name if is_identifier(name) => members.methods.push(method),
                    _ => {}
                }
            }
            for field in self.fields_of(declaring) {
                let info = self.field(field);
                if !self.offers(declaring, info.name, info.descriptor) {
                    continue;
                }
                let is_new = seen_fields.insert(info.name);
                let is_named = is_identifier(self.text(info.name));
                if is_new && is_named && self.is_usable(info.access, declaring, package) {
                    members.fields.push(field);
                }
            }
        }
        members
    }

    /// Whether the package of a class takes no tests.
    pub fn is_closed(&self, class: ClassId) -> bool {
        self.source.is_closed(&self.class(class).name)
    }

    /// Whether a test in a package stands in that of a class.
    fn shares(&self, class: &ClassName, package: &str) -> bool {
        class.package() == package && !self.source.is_closed(class)
    }

    fn offers(&self, declaring: ClassId, name: Symbol, descriptor: Symbol) -> bool {
        let member = Member { name: self.text(name), descriptor: self.text(descriptor) };
        self.source.offers(&self.class(declaring).name, Some(member))
    }

    fn is_usable(&self, access: AccessFlags, declaring: ClassId, package: &str) -> bool {
        let is_same_package = self.shares(&self.class(declaring).name, package);
        !access.has(AccessFlags::SYNTHETIC) && is_open(access, is_same_package)
    }

    /// The permitted subclasses of a sealed type.
    pub fn permitted(&self, class: ClassId) -> Option<Vec<ClassName>> {
        self.file(class)?.attributes().permitted_subclasses().ok()?
    }

    /// Whether a class is an `enum` itself, not the body of one of its constants.
    pub fn is_enum(&self, class: ClassId) -> bool {
        let above = self.class(class).superclass.map(|above| self.class(above).name.as_internal());
        self.class(class).access.has(AccessFlags::ENUM) && above == Some("java/lang/Enum")
    }

    /// The constants of an enum, in order.
    pub fn enum_constants(&self, class: ClassId) -> Vec<FieldId> {
        self.fields_of(class).filter(|&field| self.field(field).access.has(AccessFlags::ENUM)).collect()
    }
}

/// Whether members with these flags can be used from the same or another package.
fn is_open(access: AccessFlags, is_same_package: bool) -> bool {
    access.has(AccessFlags::PUBLIC) || (is_same_package && !access.has(AccessFlags::PRIVATE))
}

/// Whether source can spell a top-level class with its package.
fn is_spelled(name: &ClassName) -> bool {
    name.as_internal().split('/').all(is_identifier)
}
