//! Objects of the JDK by what they contain.
//!
//! In: an object's fields, whose names and classes are those of the JDK's source. Out: elements, entries or a word.
//! Fields are recognised by the class that declares them, so that subclasses are too; what a subclass adds is shown
//! beside the content. An object that is not built as expected is shown by its fields.

use crate::name::ClassName;
use crate::text::JavaString;
use crate::tree::{Field, Label, Node, NodeId, Scalar, Shown, Sort, Tree, field_name, fields_shown, numbers};

/// Longest chain followed: one longer is a ring, or not worth a person's time.
const CHAIN: usize = 1 << 20;
/// Words of a `BigInteger` beyond which it is shown by its fields.
const BIG_WORDS: usize = 64;

/// What an object contains.
enum Content {
    Elements(Vec<NodeId>),
    Entries(Vec<(NodeId, NodeId)>),
    Word(String),
    Text(JavaString),
}

/// The object as a person would describe it.
pub(super) fn shown(tree: &Tree, class: &ClassName, fields: &[Field]) -> Shown {
    let object = Object { tree, fields };
    let (sort, content) = match object.content() {
        None => return fields_shown(class, fields),
        // A builder is not a string and a big number no small one, although they read alike.
        Some(Content::Word(word)) => return Shown::Leaf(format!("{} {word}", super::short(class))),
        Some(Content::Text(text)) => return Shown::Leaf(format!("{} {text}", super::short(class))),
        Some(Content::Elements(elements)) => {
            let labelled = elements.into_iter().enumerate().map(|(at, id)| (Label::Index(at), id));
            (Sort::Elements, labelled.collect::<Vec<_>>())
        }
        Some(Content::Entries(entries)) => {
            (Sort::Entries, entries.into_iter().map(|(key, value)| (Label::Key(key), value)).collect())
        }
    };
    let mut parts = own_fields(fields);
    parts.extend(content);
    Shown::Parts { class: class.clone(), sort, parts }
}

/// Fields that classes outside the JDK declare.
pub(super) fn own_fields(fields: &[Field]) -> Vec<(Label, NodeId)> {
    let own = fields.iter().filter(|field| !field.declared_in.as_internal().starts_with("java/"));
    own.map(|field| (Label::Field(field_name(field, fields)), field.value)).collect()
}

struct Object<'a> {
    tree: &'a Tree,
    fields: &'a [Field],
}

impl<'a> Object<'a> {
    fn at(tree: &'a Tree, id: NodeId) -> Option<Self> {
        match tree.node(id) {
            Node::Object { fields, .. } | Node::Table { fields, .. } => Some(Object { tree, fields }),
            _ => None,
        }
    }

    fn field(&self, class: &str, name: &str) -> Option<NodeId> {
        let found = self.fields.iter().find(|f| f.declared_in.as_internal() == class && f.name == name);
        found.map(|field| field.value)
    }

    fn int(&self, class: &str, name: &str) -> Option<i32> {
        match self.tree.node(self.field(class, name)?) {
            Node::Scalar(Scalar::Int(value)) => Some(*value),
            _ => None,
        }
    }

    fn long(&self, class: &str, name: &str) -> Option<i64> {
        match self.tree.node(self.field(class, name)?) {
            Node::Scalar(Scalar::Long(value)) => Some(*value),
            _ => None,
        }
    }

    fn array(&self, class: &str, name: &str) -> Option<&'a [NodeId]> {
        match self.tree.node(self.field(class, name)?) {
            Node::Array { elements, .. } => Some(elements),
            _ => None,
        }
    }

    fn content(&self) -> Option<Content> {
        let class = self.fields.iter().rev().find(|field| {
            let class = field.declared_in.as_internal();
            class.starts_with("java/") && !ABSTRACT.contains(&class)
        })?;
        match class.declared_in.as_internal() {
            "java/util/ArrayList" => self.first("java/util/ArrayList", "elementData", "size"),
            "java/util/Vector" => self.first("java/util/Vector", "elementData", "elementCount"),
            "java/util/PriorityQueue" => self.first("java/util/PriorityQueue", "queue", "size"),
            "java/util/Arrays$ArrayList" => self.every("java/util/Arrays$ArrayList", "a"),
            "java/util/ImmutableCollections$ListN" => {
                self.every("java/util/ImmutableCollections$ListN", "elements")
            }
            "java/util/concurrent/CopyOnWriteArrayList" => {
                self.every("java/util/concurrent/CopyOnWriteArrayList", "array")
            }
            "java/util/ImmutableCollections$List12" => {
                self.one_or_two("java/util/ImmutableCollections$List12")
            }
            "java/util/ImmutableCollections$Set12" => self.one_or_two("java/util/ImmutableCollections$Set12"),
            "java/util/ArrayDeque" => self.deque(),
            "java/util/LinkedList" => self.linked_list(),
            "java/util/HashMap" => self.table("java/util/HashMap", "value"),
            "java/util/Hashtable" => self.table("java/util/Hashtable", "value"),
            "java/util/concurrent/ConcurrentHashMap" => {
                self.table("java/util/concurrent/ConcurrentHashMap", "val")
            }
            "java/util/LinkedHashMap" => self.linked_map(),
            "java/util/TreeMap" => self.tree_map(),
            "java/util/HashSet" => self.keys("java/util/HashSet", "map"),
            "java/util/TreeSet" => self.keys("java/util/TreeSet", "m"),
            "java/util/concurrent/ConcurrentSkipListSet" => {
                self.keys("java/util/concurrent/ConcurrentSkipListSet", "m")
            }
            "java/util/ImmutableCollections$Map1" => {
                let class = "java/util/ImmutableCollections$Map1";
                Some(Content::Entries(vec![(self.field(class, "k0")?, self.field(class, "v0")?)]))
            }
            "java/util/RegularEnumSet" => self.enum_set(),
            "java/lang/AbstractStringBuilder" => self.builder(),
            "java/math/BigInteger" => self.big_integer().map(Content::Word),
            "java/math/BigDecimal" => self.big_decimal().map(Content::Word),
            "java/util/UUID" => {
                let half = |name| self.long("java/util/UUID", name);
                Some(Content::Word(numbers::uuid(half("mostSigBits")?, half("leastSigBits")?)))
            }
            "java/time/LocalDate" => self.date().map(Content::Word),
            _ => None,
        }
    }

    /// The first elements of an array, as many as a field says.
    fn first(&self, class: &str, array: &str, count: &str) -> Option<Content> {
        let count = usize::try_from(self.int(class, count)?).ok()?;
        Some(Content::Elements(self.array(class, array)?.get(..count)?.to_vec()))
    }

    fn every(&self, class: &str, array: &str) -> Option<Content> {
        Some(Content::Elements(self.array(class, array)?.to_vec()))
    }

    /// A place that is not used holds a plain `Object`.
    fn one_or_two(&self, class: &str) -> Option<Content> {
        let (first, second) = (self.field(class, "e0")?, self.field(class, "e1")?);
        let unused = matches!(self.tree.node(second), Node::Object { class, .. }
            if class.as_internal() == "java/lang/Object");
        let unused = unused || *self.tree.node(second) == Node::Null;
        Some(Content::Elements(if unused { vec![first] } else { vec![first, second] }))
    }

    fn deque(&self) -> Option<Content> {
        let class = "java/util/ArrayDeque";
        let elements = self.array(class, "elements")?;
        let head = usize::try_from(self.int(class, "head")?).ok()?;
        let tail = usize::try_from(self.int(class, "tail")?).ok()?;
        if head >= elements.len() || tail >= elements.len() {
            return None;
        }
        let ring = (0..elements.len()).map(|at| (head + at) % elements.len());
        Some(Content::Elements(ring.take_while(|&at| at != tail).map(|at| elements[at]).collect()))
    }

    fn linked_list(&self) -> Option<Content> {
        let node = "java/util/LinkedList$Node";
        let mut out = Vec::new();
        self.chain(self.field("java/util/LinkedList", "first")?, node, "next", |entry| {
            out.push(entry.field(node, "item")?);
            Some(())
        })?;
        Some(Content::Elements(out))
    }

    /// Follows a list of nodes to its end.
    fn chain(
        &self,
        first: NodeId,
        class: &str,
        next: &str,
        mut each: impl FnMut(&Object<'a>) -> Option<()>,
    ) -> Option<()> {
        let mut id = first;
        for _ in 0..CHAIN {
            if *self.tree.node(id) == Node::Null {
                return Some(());
            }
            let node = Object::at(self.tree, id)?;
            each(&node)?;
            id = node.field(class, next)?;
        }
        None
    }

    fn table(&self, class: &str, value: &str) -> Option<Content> {
        let table = self.field(class, "table")?;
        if *self.tree.node(table) == Node::Null {
            return Some(Content::Entries(Vec::new()));
        }
        let inner = if class == "java/util/Hashtable" { "Entry" } else { "Node" };
        let node = format!("{class}${inner}");
        let mut out = Vec::new();
        for &bin in self.array(class, "table")? {
            let tree_bin = Object::at(self.tree, bin)
                .and_then(|bin| bin.field("java/util/concurrent/ConcurrentHashMap$TreeBin", "first"));
            self.chain(tree_bin.unwrap_or(bin), &node, "next", |entry| {
                out.push((entry.field(&node, "key")?, entry.field(&node, value)?));
                Some(())
            })?;
        }
        Some(Content::Entries(out))
    }

    fn linked_map(&self) -> Option<Content> {
        let node = "java/util/HashMap$Node";
        let mut out = Vec::new();
        let head = self.field("java/util/LinkedHashMap", "head")?;
        self.chain(head, "java/util/LinkedHashMap$Entry", "after", |entry| {
            out.push((entry.field(node, "key")?, entry.field(node, "value")?));
            Some(())
        })?;
        Some(Content::Entries(out))
    }

    fn tree_map(&self) -> Option<Content> {
        let class = "java/util/TreeMap$Entry";
        let (mut out, mut above) = (Vec::new(), Vec::new());
        let mut id = self.field("java/util/TreeMap", "root")?;
        loop {
            while *self.tree.node(id) != Node::Null {
                above.push(id);
                id = Object::at(self.tree, id)?.field(class, "left")?;
                if above.len() > CHAIN {
                    return None;
                }
            }
            let Some(next) = above.pop() else { return Some(Content::Entries(out)) };
            let entry = Object::at(self.tree, next)?;
            out.push((entry.field(class, "key")?, entry.field(class, "value")?));
            if out.len() > CHAIN {
                return None;
            }
            id = entry.field(class, "right")?;
        }
    }

    /// A set that is kept as the keys of a map.
    fn keys(&self, class: &str, map: &str) -> Option<Content> {
        let map = self.field(class, map)?;
        let entries = match self.tree.node(map) {
            Node::Table { entries, .. } => entries.clone(),
            Node::Object { .. } => match Object::at(self.tree, map)?.content()? {
                Content::Entries(entries) => entries,
                Content::Elements(_) | Content::Word(_) | Content::Text(_) => return None,
            },
            _ => return None,
        };
        Some(Content::Elements(entries.into_iter().map(|(key, _)| key).collect()))
    }

    fn enum_set(&self) -> Option<Content> {
        let universe = self.array("java/util/EnumSet", "universe")?;
        let bits = self.long("java/util/RegularEnumSet", "elements")?;
        let members = universe.iter().enumerate().filter(|(at, _)| *at < 64 && bits >> at & 1 == 1);
        Some(Content::Elements(members.map(|(_, &id)| id).collect()))
    }

    /// Latin-1 or UTF-16 in the byte order of the machine.
    fn builder(&self) -> Option<Content> {
        let class = "java/lang/AbstractStringBuilder";
        let count = usize::try_from(self.int(class, "count")?).ok()?;
        let byte = |&id: &NodeId| match self.tree.node(id) {
            Node::Scalar(Scalar::Byte(byte)) => Some(byte.cast_unsigned()),
            _ => None,
        };
        let bytes: Vec<u8> = self.array(class, "value")?.iter().map(byte).collect::<Option<_>>()?;
        let units: Vec<u16> = match self.tree.node(self.field(class, "coder")?) {
            Node::Scalar(Scalar::Byte(0)) => bytes.get(..count)?.iter().map(|&byte| byte.into()).collect(),
            _ => bytes
                .get(..2 * count)?
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect(),
        };
        Some(Content::Text(JavaString::from_units(&units)))
    }

    fn big_integer(&self) -> Option<String> {
        let class = "java/math/BigInteger";
        let word = |&id: &NodeId| match self.tree.node(id) {
            Node::Scalar(Scalar::Int(word)) => Some(word.cast_unsigned()),
            _ => None,
        };
        let magnitude: Vec<u32> = self.array(class, "mag")?.iter().map(word).collect::<Option<_>>()?;
        if magnitude.len() > BIG_WORDS {
            return None;
        }
        Some(numbers::big_integer(self.int(class, "signum")?, &magnitude))
    }

    fn big_decimal(&self) -> Option<String> {
        let class = "java/math/BigDecimal";
        let digits = match Object::at(self.tree, self.field(class, "intVal")?) {
            Some(digits) => digits.big_integer()?,
            None => self.long(class, "intCompact")?.to_string(),
        };
        Some(numbers::decimal(&digits, self.int(class, "scale")?))
    }

    fn date(&self) -> Option<String> {
        let class = "java/time/LocalDate";
        let small = |name| match self.tree.node(self.field(class, name)?) {
            Node::Scalar(Scalar::Short(value)) => Some(i32::from(*value)),
            Node::Scalar(Scalar::Byte(value)) => Some(i32::from(*value)),
            Node::Scalar(Scalar::Int(value)) => Some(*value),
            _ => None,
        };
        Some(format!("{:04}-{:02}-{:02}", small("year")?, small("month")?, small("day")?))
    }
}

/// Superclasses whose fields say nothing about how the content is kept.
const ABSTRACT: [&str; 4] =
    ["java/util/AbstractMap", "java/util/AbstractList", "java/lang/Number", "java/util/EnumSet"];
