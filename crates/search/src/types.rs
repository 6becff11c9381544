//! Types as small numbers, with their supertypes at hand.
//!
//! In: types of operations and run-time classes of values; a [`Hierarchy`] that knows their supertypes.
//! Out: [`TypeId`]s. A type's supertypes are asked for once, when it is first met.

use probat_model::{ClassName, Operation, Type};
use rustc_hash::FxHashMap;

use crate::homes::Home;

/// Index of a type in a [`TypeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// Who extends what. The class path answers this; tests answer it by hand.
pub trait Hierarchy {
    /// All supertypes of a class, near ones first, itself left out; `java.lang.Object` last. Empty if it is unknown.
    fn supertypes(&self, class: &ClassName) -> Vec<ClassName>;

    /// Which source can use an operation.
    fn home(&self, _operation: &Operation) -> Home {
        Home::Anywhere
    }
}

/// All types met so far.
#[derive(Debug, Default)]
pub struct TypeTable {
    types: Vec<Type>,
    /// Supertypes of each type, itself first.
    supers: Vec<Box<[TypeId]>>,
    ids: FxHashMap<Type, TypeId>,
    /// Types that are narrower than their erasure: a list of texts is a list.
    variants: FxHashMap<(TypeId, Box<[TypeId]>), TypeId>,
}

impl TypeTable {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The id of a type, if it was met.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }

    /// The type itself and everything it can be assigned to.
    pub fn supers(&self, id: TypeId) -> &[TypeId] {
        &self.supers[id.0 as usize]
    }

    pub fn is_subtype(&self, sub: TypeId, of: TypeId) -> bool {
        sub == of || self.supers(sub).contains(&of)
    }

    /// A type with arguments, such as a list of texts. It prints as its erasure and is a subtype of it.
    pub fn variant(&mut self, erased: TypeId, arguments: &[TypeId]) -> TypeId {
        if let Some(id) = self.variants.get(&(erased, Box::from(arguments))) {
            return *id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(self.get(erased).clone());
        let above: Vec<TypeId> = std::iter::once(id).chain(self.supers(erased).iter().copied()).collect();
        self.supers.push(above.into());
        self.variants.insert((erased, arguments.into()), id);
        id
    }

    /// The type without its arguments; itself if it has none.
    pub fn erasure(&self, id: TypeId) -> TypeId {
        self.find(self.get(id)).unwrap_or(id)
    }

    /// The id of a type, with its supertypes entered too.
    pub fn intern(&mut self, ty: &Type, hierarchy: &dyn Hierarchy) -> TypeId {
        if let Some(id) = self.find(ty) {
            return id;
        }
        let above = supertypes(ty, hierarchy);
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.ids.insert(ty.clone(), id);
        self.supers.push(Box::from([id]));
        let mut all = vec![id];
        for ty in above {
            let above = self.intern(&ty, hierarchy);
            if !all.contains(&above) {
                all.push(above);
            }
        }
        self.supers[id.0 as usize] = all.into();
        id
    }
}

fn supertypes(ty: &Type, hierarchy: &dyn Hierarchy) -> Vec<Type> {
    match ty {
        Type::Class(name) => hierarchy.supertypes(name).into_iter().map(Type::Class).collect(),
        Type::Array(element) => {
            let mut all: Vec<Type> =
                if element.is_reference() { supertypes(element, hierarchy) } else { Vec::new() }
                    .into_iter()
                    .map(Type::array)
                    .collect();
            for name in ["java/lang/Cloneable", "java/io/Serializable", "java/lang/Object"] {
                all.push(Type::class(name));
            }
            all
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
pub(crate) mod fake {
    //! A hierarchy written by hand: `Sub: Super, Other` lines.

    use super::*;

    pub struct Lines(pub &'static str);

    impl Hierarchy for Lines {
        fn supertypes(&self, class: &ClassName) -> Vec<ClassName> {
            let mut out = Vec::new();
            for line in self.0.lines() {
                let Some((sub, above)) = line.split_once(':') else { continue };
                if sub.trim() == class.as_internal() {
                    for name in above.split(',') {
                        let name = ClassName::internal(name.trim());
                        out.push(name.clone());
                        out.extend(self.supertypes(&name));
                    }
                }
            }
            let object = ClassName::internal("java/lang/Object");
            out.retain(|name| *name != object);
            if *class != object {
                out.push(object);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_stands_below_its_erasure() {
        let lines = fake::Lines("List: Coll");
        let mut table = TypeTable::new();
        let list = table.intern(&Type::class("List"), &lines);
        let coll = table.intern(&Type::class("Coll"), &lines);
        let text = table.intern(&Type::class("Text"), &lines);
        let texts = table.variant(list, &[text]);
        assert_eq!(table.variant(list, &[text]), texts);
        assert_ne!(table.variant(list, &[coll]), texts);
        assert!(table.is_subtype(texts, coll) && !table.is_subtype(list, texts));
        assert_eq!((table.erasure(texts), table.erasure(list)), (list, list));
    }

    #[test]
    fn arrays_follow_their_elements() {
        let lines = fake::Lines("A: B\nB: I");
        let mut table = TypeTable::new();
        let a = table.intern(&Type::class("A").array(), &lines);
        let i = table.intern(&Type::class("I").array(), &lines);
        let object = table.intern(&Type::class("java/lang/Object"), &lines);
        let ints = table.intern(&Type::Int.array(), &lines);
        assert!(table.is_subtype(a, i) && table.is_subtype(a, object) && table.is_subtype(ints, object));
        assert!(!table.is_subtype(i, a) && !table.is_subtype(ints, i));
    }
}
