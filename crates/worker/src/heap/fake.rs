//! A heap written as text, for tests that need no JVM.
//!
//! In: lines of classes and objects. Out: a [`Heap`].
//!
//! ```text
//! class a/Node next:La/Node; value:I        a class and its fields
//! class a/Sub < a/Node value:I hash         a subclass that overrides hashCode
//! x = a/Sub next=@x value=1 a/Node.value=2  an object; an inherited field may need its class
//! y = [I 1 2 3                              arrays
//! z = [La/Node; @x null
//! c = java/lang/Class [I                    a class object
//! ```
//! Values are `null`, `true`, numbers, `'a`, `"text"` without blanks, `@object`. Fields left out are zero or null.

use std::rc::Rc;

use probat_protocol::Rule;
use rustc_hash::FxHashMap;

use super::access::{Content, Heap, Primitive, Scalar};
use super::shape::{ClassId, ClassSpec, FieldSpec, Guess, Rules, Shape};
use super::stream::Stream;
use super::walk::{Buffers, Start, walk};

/// Fields are read by their class and name.
type FakeShape = Shape<(String, String)>;

#[derive(Debug, Clone)]
struct FakeClass {
    name: String,
    parent: Option<String>,
    fields: Vec<(String, String)>,
    overrides_hash: bool,
}

#[derive(Debug, Clone)]
enum FakeObject {
    Fields(String, Vec<(String, String, Content<usize>)>),
    Array(String, Vec<Content<usize>>),
    Text(Vec<u16>),
    Class(Rc<str>),
}

/// Objects and classes read from text.
#[derive(Debug)]
pub(crate) struct Fake {
    classes: Vec<FakeClass>,
    objects: Vec<FakeObject>,
    names: FxHashMap<String, usize>,
    shapes: Vec<(String, Rc<FakeShape>)>,
    rules: Rules,
    /// Objects get hash codes below this, so that a small one makes them collide.
    pub(crate) hashes: u32,
}

impl Fake {
    pub(crate) fn new(text: &str) -> Self {
        let rules = Rules::new(&Rule::defaults());
        let (classes, names) = Default::default();
        let (objects, shapes) = (Vec::new(), Vec::new());
        let mut fake = Fake { classes, objects, names, shapes, rules, hashes: u32::MAX };
        for builtin in ["java/lang/Integer value:I hash", "java/lang/Enum name:Ljava/lang/String; ordinal:I"]
        {
            fake.class(builtin);
        }
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        for (number, line) in lines().filter(|line| !line.starts_with("class ")).enumerate() {
            let (name, _) = line.split_once(" = ").expect("a line is a class or an object");
            fake.names.insert(name.into(), number);
        }
        lines().filter_map(|line| line.strip_prefix("class ")).for_each(|line| fake.class(line));
        let count = fake.names.len();
        fake.objects.resize(count, FakeObject::Text(Vec::new()));
        let objects = lines().filter(|line| !line.starts_with("class "));
        for (number, line) in objects.enumerate() {
            let (_, rest) = line.split_once(" = ").expect("checked above");
            let object = fake.object(rest);
            fake.objects[number] = object;
        }
        fake
    }

    fn class(&mut self, line: &str) {
        let (mut words, mut overrides_hash) = (line.split_whitespace().peekable(), false);
        let name = words.next().expect("a class has a name").to_owned();
        let parent = words.next_if_eq(&"<").and_then(|_| words.next()).map(str::to_owned);
        let mut fields = Vec::new();
        for word in words {
            match word.split_once(':') {
                Some((field, descriptor)) => fields.push((field.into(), descriptor.into())),
                None => overrides_hash = word == "hash",
            }
        }
        self.classes.push(FakeClass { name, parent, fields, overrides_hash });
    }

    fn lineage(&self, class: &str) -> Vec<&FakeClass> {
        let find = |name: &str| self.classes.iter().find(|class| class.name == name);
        std::iter::successors(find(class), |class| class.parent.as_deref().and_then(find)).collect()
    }

    fn object(&mut self, text: &str) -> FakeObject {
        let mut words = text.split_whitespace();
        let class = words.next().expect("an object has a class").to_owned();
        if class == "java/lang/Class" {
            return FakeObject::Class(words.next().expect("a class object has a descriptor").into());
        }
        if let Some(element) = class.strip_prefix('[').map(str::to_owned) {
            let values = words.map(|word| self.value(word, &element)).collect();
            return FakeObject::Array(class, values);
        }
        let declared: Vec<(String, String, String)> = self
            .lineage(&class)
            .into_iter()
            .flat_map(|of| of.fields.iter().map(|(name, ty)| (of.name.clone(), name.clone(), ty.clone())))
            .collect();
        let mut values: Vec<_> =
            declared.iter().map(|(of, name, ty)| (of.clone(), name.clone(), default_of(ty))).collect();
        for word in words {
            let (field, value) = word.split_once('=').expect("a field has a value");
            let (of, name) = field.rsplit_once('.').unwrap_or(("", field));
            let at = declared
                .iter()
                .position(|(declaring, declared, _)| declared == name && (of.is_empty() || of == declaring))
                .unwrap_or_else(|| panic!("no field {field} in {class}"));
            values[at].2 = self.value(value, &declared[at].2);
        }
        FakeObject::Fields(class, values)
    }

    fn value(&mut self, text: &str, descriptor: &str) -> Content<usize> {
        let number = || text.parse::<i64>().expect("a number");
        Content::Scalar(match Primitive::of_descriptor(descriptor) {
            Some(Primitive::Boolean) => Scalar::Boolean(text == "true"),
            Some(Primitive::Byte) => Scalar::Byte(number() as i8),
            Some(Primitive::Char) => Scalar::Char(text.chars().nth(1).expect("a character") as u16),
            Some(Primitive::Short) => Scalar::Short(number() as i16),
            Some(Primitive::Int) => Scalar::Int(number() as i32),
            Some(Primitive::Long) => Scalar::Long(number()),
            Some(Primitive::Float) => Scalar::Float(text.parse::<f32>().expect("a number").to_bits()),
            Some(Primitive::Double) => Scalar::Double(text.parse::<f64>().expect("a number").to_bits()),
            None => return Content::Reference(self.reference(text)),
        })
    }

    fn reference(&mut self, text: &str) -> Option<usize> {
        if text == "null" {
            return None;
        }
        if let Some(name) = text.strip_prefix('@') {
            return Some(self.names[name]);
        }
        self.objects.push(FakeObject::Text(text.trim_matches('"').encode_utf16().collect()));
        Some(self.objects.len() - 1)
    }

    fn class_name(&self, object: usize) -> &str {
        match &self.objects[object] {
            FakeObject::Fields(class, _) | FakeObject::Array(class, _) => class,
            FakeObject::Text(_) => "java/lang/String",
            FakeObject::Class(_) => "java/lang/Class",
        }
    }

    /// Writes the state of the named objects; a name may also be an int.
    pub(crate) fn linearise(&mut self, roots: &str, limit: u32) -> Stream {
        let starts: Vec<_> = roots
            .split_whitespace()
            .map(|root| match root.parse() {
                Ok(number) => Start::Scalar(Scalar::Int(number)),
                Err(_) => Start::Reference(self.names.get(root).copied()),
            })
            .collect();
        let (mut stream, mut buffers) = (Stream::default(), Buffers::default());
        let done = walk(self, starts.into_iter(), limit, &Guess::default(), &mut stream, &mut buffers);
        done.expect("a fake heap always answers");
        stream
    }

    /// A list of `length` nodes, too long to be written as text.
    pub(crate) fn long_list(length: usize) -> Self {
        let mut fake = Fake::new("class a/Node next:La/Node;\nhead = a/Node");
        for number in 0..length {
            let next = (number + 1 < length).then_some(number + 1);
            let fields = vec![("a/Node".into(), "next".into(), Content::Reference(next))];
            let node = FakeObject::Fields("a/Node".into(), fields);
            if number == 0 { fake.objects[0] = node } else { fake.objects.push(node) }
        }
        fake
    }
}

fn default_of(descriptor: &str) -> Content<usize> {
    match Primitive::of_descriptor(descriptor) {
        Some(primitive) => Content::Scalar(primitive.zero()),
        None => Content::Reference(None),
    }
}

impl Heap for Fake {
    type Ref = usize;
    type Field = (String, String);
    type Error = std::convert::Infallible;

    fn shape_of(&mut self, object: usize, guess: &Guess) -> Result<Rc<Shape<Self::Field>>, Self::Error> {
        let name = self.class_name(object);
        let guessed = guess.get().and_then(|id| self.shapes.get(id.0 as usize));
        if let Some((_, shape)) = guessed.filter(|(guessed, _)| guessed == name) {
            return Ok(Rc::clone(shape));
        }
        let name = name.to_owned();
        if let Some((_, shape)) = self.shapes.iter().find(|(known, _)| *known == name) {
            guess.set(shape.id, None);
            return Ok(Rc::clone(shape));
        }
        let lineage = self.lineage(&name);
        let mut supers: Vec<String> = lineage.iter().map(|class| class.name.clone()).collect();
        supers.push("java/lang/Object".into());
        let fields = lineage.iter().flat_map(|of| {
            of.fields.iter().map(|(field, descriptor)| FieldSpec {
                declared_in: of.name.clone(),
                name: field.clone(),
                descriptor: descriptor.clone(),
                handle: (of.name.clone(), field.clone()),
            })
        });
        let spec = ClassSpec {
            descriptor: if name.starts_with('[') { name.clone() } else { format!("L{name};") },
            interfaces: vec!["java/lang/Runnable".into()],
            fields: fields.collect(),
            overrides_hash: lineage.iter().any(|class| class.overrides_hash),
            calls: None,
            supers,
        };
        let id = ClassId(self.shapes.len() as u32);
        let shape = Rc::new(Shape::build(id, spec, &self.rules));
        self.shapes.push((name, Rc::clone(&shape)));
        guess.set(id, None);
        Ok(shape)
    }

    fn identity_hash(&mut self, object: usize) -> Result<u32, Self::Error> {
        Ok((object as u32).wrapping_mul(2_654_435_761) % self.hashes)
    }

    fn is_same(&mut self, left: usize, right: usize) -> bool {
        left == right
    }

    fn read(&mut self, object: usize, field: &Self::Field) -> Result<Content<usize>, Self::Error> {
        let FakeObject::Fields(_, fields) = &self.objects[object] else { panic!("no fields") };
        let found = fields.iter().find(|(of, name, _)| (of, name) == (&field.0, &field.1));
        Ok(found.expect("the object has the field").2)
    }

    fn length(&mut self, array: usize, _: &Shape<Self::Field>) -> Result<u32, Self::Error> {
        let FakeObject::Array(_, elements) = &self.objects[array] else { panic!("no array") };
        Ok(elements.len() as u32)
    }

    fn element(&mut self, array: usize, at: u32) -> Result<Option<usize>, Self::Error> {
        let FakeObject::Array(_, elements) = &self.objects[array] else { panic!("no array") };
        Ok(elements[at as usize].reference())
    }

    fn cells(
        &mut self,
        array: usize,
        _: Primitive,
        _: u32,
        mut each: impl FnMut(Scalar),
    ) -> Result<(), Self::Error> {
        let FakeObject::Array(_, elements) = &self.objects[array] else { panic!("no array") };
        for element in elements {
            if let Content::Scalar(value) = element {
                each(*value);
            }
        }
        Ok(())
    }

    fn string(&mut self, string: usize, limit: usize, into: &mut Vec<u16>) -> Result<usize, Self::Error> {
        let FakeObject::Text(units) = &self.objects[string] else { panic!("no string") };
        into.clear();
        into.extend(units.iter().take(limit));
        Ok(units.len())
    }

    fn descriptor(&mut self, class: usize) -> Result<Rc<str>, Self::Error> {
        let FakeObject::Class(descriptor) = &self.objects[class] else { panic!("no class") };
        Ok(Rc::clone(descriptor))
    }

    fn is_null_key(&mut self, key: usize, _: &Shape<Self::Field>) -> bool {
        self.names.get("NULL_KEY") == Some(&key)
    }
}
