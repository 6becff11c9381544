//! How objects of a class are written: which slots, in which order, or as what token.
//!
//! In: a [`ClassSpec`] as the heap describes a class, and the [`Rules`] in force.
//! Out: a [`Shape`], made once per class and kept. Reads no object.

use std::cell::Cell;
use std::rc::Rc;

use probat_model::{ClassLayout, ClassName};
use probat_protocol::Rule;
use rustc_hash::FxHashSet;

use super::access::Primitive;
use super::table::{Node, Table};

/// Number of a class in its heap. Numbers of forgotten classes are given out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClassId(pub(crate) u32);

/// The class last seen in one place: a wrong guess costs time, never a wrong answer.
#[derive(Debug)]
pub(crate) struct Guess {
    class: Cell<u32>,
    /// The class can be no other, so the guess need not be tested.
    certain: Cell<bool>,
    /// Descriptor of what the place is declared to hold.
    declared: Rc<str>,
}

impl Default for Guess {
    fn default() -> Self {
        Guess::new("".into())
    }
}

impl Guess {
    /// A place declared to hold this.
    pub(crate) fn new(declared: Rc<str>) -> Self {
        Guess { class: Cell::new(u32::MAX), certain: Cell::new(false), declared }
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<ClassId> {
        let id = self.class.get();
        (id != u32::MAX).then_some(ClassId(id))
    }

    #[inline]
    pub(crate) fn is_certain(&self) -> bool {
        self.certain.get()
    }

    /// Remembers what was found. With `descriptor` the class has no subclasses: where the place is declared to hold
    /// just that class, it will never hold another, since no two classes of one name are assignable.
    #[inline]
    pub(crate) fn set(&self, class: ClassId, descriptor: Option<&str>) {
        self.class.set(class.0);
        self.certain.set(descriptor == Some(&*self.declared));
    }
}

/// A class as its heap describes it.
#[derive(Debug)]
pub(crate) struct ClassSpec<F> {
    /// `Ljava/util/Map;`, `[I`; a hidden class has a dot and an address before the semicolon.
    pub(crate) descriptor: String,
    /// Internal names from the class itself up to `java/lang/Object`; empty for arrays.
    pub(crate) supers: Vec<String>,
    /// The interfaces its declaration names.
    pub(crate) interfaces: Vec<String>,
    /// Instance fields of the class and all its superclasses, in whatever order.
    pub(crate) fields: Vec<FieldSpec<F>>,
    /// Whether some class below `Object` declares `hashCode()`.
    pub(crate) overrides_hash: bool,
    /// For a hidden class: the method its code calls, if that can be told.
    pub(crate) calls: Option<String>,
}

/// An instance field as its heap describes it.
#[derive(Debug)]
pub(crate) struct FieldSpec<F> {
    pub(crate) declared_in: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) handle: F,
}

/// What objects of a class become. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// An object with slots.
    Object,
    /// An array of references.
    Array,
    /// An array of primitives.
    Cells(Primitive),
    String,
    /// A box; slot 0 is the primitive inside.
    Boxed,
    /// An enum constant; slot 0 is its name.
    Enum,
    /// A `java.lang.Class`.
    Class,
    /// Not looked into.
    Opaque(Opacity),
}

/// Why something is opaque, which decides how it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opacity {
    /// A rule says so.
    Rule,
    /// A lambda or another hidden class: named by its host, and by what it calls and captured.
    Hidden,
    /// A `java.lang.reflect.Proxy`: named by its interface and its handler's class.
    Proxy,
}

/// What the hash code of an object depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hashing {
    /// Its value alone: the same in every run.
    Value,
    /// Its identity: another in every run.
    Identity,
    /// Perhaps on the identity of something it holds.
    Content,
}

/// One instance field.
#[derive(Debug)]
pub(crate) struct Slot<F> {
    pub(crate) declared_in: Rc<str>,
    pub(crate) name: Rc<str>,
    pub(crate) descriptor: Rc<str>,
    pub(crate) handle: F,
    /// `None` for a reference.
    pub(crate) primitive: Option<Primitive>,
    /// Written as zero or null where the object is written without its hash layout.
    pub(crate) layout_only: bool,
    /// What it held last.
    pub(crate) guess: Guess,
}

/// How objects of a class are written.
#[derive(Debug)]
pub(crate) struct Shape<F> {
    pub(crate) id: ClassId,
    /// The name written: internal, or `[I`; of an enum constant the enum's, of a hidden class its host's.
    pub(crate) name: Rc<str>,
    /// For opaque classes: what is known of the site.
    pub(crate) site: Rc<str>,
    pub(crate) form: Form,
    /// All instance fields; the first `visible` are the slots written, in canonical order.
    pub(crate) fields: Vec<Slot<F>>,
    pub(crate) visible: u32,
    /// What the last element of an array, or key of a table, was.
    pub(crate) elements: Guess,
    /// What the last value of a table was.
    pub(crate) values: Guess,
    pub(crate) hashing: Hashing,
    pub(crate) is_record: bool,
    /// For hash tables: where their entries are.
    pub(crate) table: Option<Table>,
    /// For entries of hash tables: where key, value and next entry are.
    pub(crate) node: Option<Node>,
}

impl<F> Shape<F> {
    pub(crate) fn slots(&self) -> &[Slot<F>] {
        &self.fields[..self.visible as usize]
    }

    /// Index of a field, ignored ones included.
    pub(crate) fn field(&self, declared_in: &str, name: &str) -> Option<u32> {
        self.fields
            .iter()
            .position(|slot| &*slot.declared_in == declared_in && &*slot.name == name)
            .map(|at| at as u32)
    }

    /// Which field each slot is, for those who read the tokens.
    pub(crate) fn layout(&self) -> ClassLayout {
        let slots = self.slots().iter().map(|slot| probat_model::Slot {
            declared_in: ClassName::internal(&slot.declared_in),
            name: slot.name.to_string(),
            descriptor: slot.descriptor.to_string(),
        });
        ClassLayout { class: ClassName::internal(&self.name), slots: slots.collect() }
    }
}

/// The rules in a form that is quick to ask.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    ignored_everywhere: FxHashSet<String>,
    ignored: FxHashSet<(String, String)>,
    opaque: FxHashSet<String>,
    pub(crate) identity_hashing: bool,
}

impl Rules {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut out = Rules::default();
        for rule in rules {
            match rule {
                Rule::IgnoreField { class: None, field } => {
                    out.ignored_everywhere.insert(field.clone());
                }
                Rule::IgnoreField { class: Some(class), field } => {
                    out.ignored.insert((class.as_internal().into(), field.clone()));
                }
                Rule::Opaque { class } => {
                    out.opaque.insert(class.as_internal().into());
                }
                Rule::IdentityHashing => out.identity_hashing = true,
            }
        }
        out
    }

    fn ignores<F>(&self, field: &FieldSpec<F>) -> bool {
        self.ignored_everywhere.contains(&field.name)
            || self.ignored.contains(&(field.declared_in.clone(), field.name.clone()))
    }
}

const BOXES: [&str; 8] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Short",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Float",
    "java/lang/Double",
];

impl<F> Shape<F> {
    /// Decides how a class is written.
    pub(crate) fn build(id: ClassId, spec: ClassSpec<F>, rules: &Rules) -> Self {
        let internal = internal_name(&spec.descriptor);
        let form = form_of(&spec, &internal, rules);
        let (name, site) = names(&spec, internal, form);
        let supers = spec.supers;
        let is_record = supers.iter().any(|class| class == "java/lang/Record");
        let (mut fields, ignored): (Vec<_>, Vec<_>) =
            spec.fields.into_iter().partition(|field| is_written(field, form, rules));
        fields.sort_by(|a, b| {
            (&a.declared_in, &a.name, &a.descriptor).cmp(&(&b.declared_in, &b.name, &b.descriptor))
        });
        let visible = fields.len() as u32;
        let fields: Vec<Slot<F>> = fields.into_iter().chain(ignored).map(slot).collect();
        let mut shape = Shape {
            id,
            name: name.into(),
            site: site.into(),
            form,
            visible,
            hashing: hashing_of(form, spec.overrides_hash, &fields[..visible as usize]),
            fields,
            is_record,
            elements: Guess::new(spec.descriptor.strip_prefix('[').unwrap_or_default().into()),
            values: Guess::default(),
            table: None,
            node: None,
        };
        if rules.identity_hashing {
            shape.table = Table::find(&supers, &shape);
            shape.node = Node::find(&supers, &shape);
            mark_layout(&mut shape);
        }
        shape
    }
}

fn slot<F>(field: FieldSpec<F>) -> Slot<F> {
    let descriptor: Rc<str> = field.descriptor.into();
    Slot {
        primitive: Primitive::of_descriptor(&descriptor),
        declared_in: field.declared_in.into(),
        name: field.name.into(),
        handle: field.handle,
        layout_only: false,
        guess: Guess::new(Rc::clone(&descriptor)),
        descriptor,
    }
}

/// Boxes and enum constants show one field, opaque things none, whatever the rules say.
fn is_written<F>(field: &FieldSpec<F>, form: Form, rules: &Rules) -> bool {
    match form {
        Form::Object => !rules.ignores(field),
        Form::Boxed => field.name == "value",
        Form::Enum => field.name == "name" && field.declared_in == "java/lang/Enum",
        Form::Array | Form::Cells(_) | Form::String | Form::Class | Form::Opaque(_) => false,
    }
}

/// `java/util/Map`, `[I`, and a hidden class without its address.
pub(crate) fn internal_name(descriptor: &str) -> String {
    let inner = descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')).unwrap_or(descriptor);
    if descriptor.starts_with('[') { without_addresses(descriptor) } else { without_address(inner).into() }
}

fn without_address(name: &str) -> &str {
    name.split_once('.').map_or(name, |(before, _)| before)
}

/// An array of a hidden class has the address before its semicolon.
fn without_addresses(descriptor: &str) -> String {
    match descriptor.split_once('.') {
        Some((before, _)) => format!("{before};"),
        None => descriptor.into(),
    }
}

/// Lambdas of JDKs before hidden classes have a slash and a number at their end instead of a dot.
pub(crate) fn is_hidden(descriptor: &str) -> bool {
    descriptor.starts_with('L') && (descriptor.contains('.') || descriptor.contains("$$Lambda"))
}

fn form_of<F>(spec: &ClassSpec<F>, internal: &str, rules: &Rules) -> Form {
    let extends = |name: &str| spec.supers.iter().any(|class| class == name);
    if let Some(element) = spec.descriptor.strip_prefix('[') {
        return Primitive::of_descriptor(element).map_or(Form::Array, Form::Cells);
    }
    match internal {
        "java/lang/String" => return Form::String,
        "java/lang/Class" => return Form::Class,
        name if BOXES.contains(&name) => return Form::Boxed,
        _ => {}
    }
    if extends("java/lang/Enum") {
        Form::Enum
    } else if is_hidden(&spec.descriptor) {
        Form::Opaque(Opacity::Hidden)
    } else if extends("java/lang/reflect/Proxy") {
        Form::Opaque(Opacity::Proxy)
    } else if spec.supers.iter().any(|class| rules.opaque.contains(class)) {
        Form::Opaque(Opacity::Rule)
    } else {
        Form::Object
    }
}

/// The name written, and what is known of the site of something opaque.
fn names<F>(spec: &ClassSpec<F>, internal: String, form: Form) -> (String, String) {
    match form {
        Form::Enum => {
            let base = spec.supers.iter().position(|class| class == "java/lang/Enum");
            let of = base.and_then(|base| spec.supers.get(base.checked_sub(1)?));
            (of.cloned().unwrap_or(internal), String::new())
        }
        Form::Opaque(Opacity::Hidden) => {
            let host = internal.split_once("$$Lambda").map_or(&*internal, |(host, _)| host).to_owned();
            let site = spec.calls.clone().unwrap_or_else(|| spec.interfaces.join(","));
            (host, site)
        }
        Form::Opaque(Opacity::Proxy) => {
            (spec.interfaces.first().cloned().unwrap_or(internal), "proxy".into())
        }
        Form::Object
        | Form::Array
        | Form::Cells(_)
        | Form::String
        | Form::Boxed
        | Form::Class
        | Form::Opaque(Opacity::Rule) => (internal, String::new()),
    }
}

fn hashing_of<F>(form: Form, overrides_hash: bool, slots: &[Slot<F>]) -> Hashing {
    match form {
        Form::String | Form::Boxed => Hashing::Value,
        Form::Array | Form::Cells(_) | Form::Enum | Form::Class => Hashing::Identity,
        Form::Object | Form::Opaque(_) if !overrides_hash => Hashing::Identity,
        Form::Opaque(_) => Hashing::Value,
        Form::Object if slots.iter().all(hashes_by_value) => Hashing::Value,
        Form::Object => Hashing::Content,
    }
}

fn hashes_by_value<F>(slot: &Slot<F>) -> bool {
    let class = slot.descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
    slot.primitive.is_some()
        || class.is_some_and(|class| class == "java/lang/String" || BOXES.contains(&class))
        || slot.descriptor.strip_prefix('[').is_some_and(|of| Primitive::of_descriptor(of).is_some())
}

fn mark_layout<F>(shape: &mut Shape<F>) {
    let names = match (&shape.table, &shape.node) {
        (Some(table), _) => table.layout_only(),
        (None, Some(_)) => Node::LAYOUT_ONLY,
        (None, None) => return,
    };
    for slot in &mut shape.fields {
        slot.layout_only = slot.declared_in.starts_with("java/util/") && names.contains(&&*slot.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(descriptor: &str, supers: &[&str], fields: &[(&str, &str, &str)]) -> ClassSpec<()> {
        ClassSpec {
            descriptor: descriptor.into(),
            supers: supers.iter().map(|&name| name.into()).collect(),
            interfaces: vec!["java/lang/Runnable".into()],
            fields: fields
                .iter()
                .map(|&(declared_in, name, descriptor)| FieldSpec {
                    declared_in: declared_in.into(),
                    name: name.into(),
                    descriptor: descriptor.into(),
                    handle: (),
                })
                .collect(),
            overrides_hash: false,
            calls: None,
        }
    }

    fn build(spec: ClassSpec<()>) -> Shape<()> {
        Shape::build(ClassId(0), spec, &Rules::new(&Rule::defaults()))
    }

    #[test]
    fn slots_are_sorted_by_class_then_name_and_counters_left_out() {
        let shape = build(spec(
            "Lb/B;",
            &["b/B", "a/A", "java/lang/Object"],
            &[("b/B", "x", "I"), ("b/B", "modCount", "I"), ("a/A", "y", "J"), ("a/A", "x", "I")],
        ));
        let names: Vec<_> = shape.slots().iter().map(|slot| (&*slot.declared_in, &*slot.name)).collect();
        assert_eq!(names, [("a/A", "x"), ("a/A", "y"), ("b/B", "x")]);
        assert_eq!(shape.field("b/B", "modCount"), Some(3));
    }

    #[test]
    fn a_constant_with_a_body_is_named_by_its_enum() {
        let shape = build(spec("La/E$1;", &["a/E$1", "a/E", "java/lang/Enum", "java/lang/Object"], &[]));
        assert_eq!((shape.form, &*shape.name), (Form::Enum, "a/E"));
    }

    #[test]
    fn hidden_classes_are_named_by_their_host() {
        let object = "java/lang/Object";
        for descriptor in [
            "La/Host$$Lambda$14.0x0000000800c03000;",
            "La/Host$$Lambda.0x1f;",
            "La/Host$$Lambda$1/1829164700;",
        ] {
            let shape = build(spec(descriptor, &["whatever", object], &[]));
            assert_eq!(shape.form, Form::Opaque(Opacity::Hidden), "{descriptor}");
            assert_eq!((&*shape.name, &*shape.site), ("a/Host", "java/lang/Runnable"));
        }
        let other = build(spec("La/Made.0x1f;", &["a/Made", object], &[]));
        assert_eq!((other.form, &*other.name), (Form::Opaque(Opacity::Hidden), "a/Made"));
        assert_eq!(&*build(spec("[La/Host$$Lambda.0x1f;", &[], &[])).name, "[La/Host$$Lambda;");
    }

    #[test]
    fn opaque_rules_reach_subclasses() {
        let shape = build(spec("La/T;", &["a/T", "java/lang/Thread", "java/lang/Object"], &[]));
        assert_eq!((shape.form, &*shape.name), (Form::Opaque(Opacity::Rule), "a/T"));
    }

    #[test]
    fn forms_of_arrays_and_values() {
        for (descriptor, form) in [
            ("[I", Form::Cells(Primitive::Int)),
            ("[[I", Form::Array),
            ("[Ljava/lang/String;", Form::Array),
            ("Ljava/lang/String;", Form::String),
            ("Ljava/lang/Class;", Form::Class),
            ("Ljava/lang/Character;", Form::Boxed),
        ] {
            assert_eq!(build(spec(descriptor, &[], &[])).form, form, "{descriptor}");
        }
    }
}
