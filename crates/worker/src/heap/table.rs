//! Hash tables whose layout depends on identity hash codes, and so on the run.
//!
//! In: a table and its entries on the heap. Out: the entries, where the layout of the table is no state.
//! Tables whose keys all hash by value answer `None` and keep their true layout. Orders nothing; see `walk`.
//!
//! A key hashes by identity if its class does not override `hashCode` (enum constants, class objects and arrays are
//! such keys), or if it overrides it and directly holds an enum constant or a class object; of records and of
//! collections of `java.util` also anything else that hashes by identity. What is deeper inside a key is not looked at.

use super::access::Heap;
use super::shape::{Form, Guess, Hashing, Shape};

/// Where a table keeps its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shelf {
    /// An array of chains of nodes.
    Chains { array: u32 },
    /// A list of nodes, in an order that is state.
    List { head: u32 },
    /// An array of keys, each followed by its value.
    Pairs { array: u32 },
    /// An array of keys.
    Elements { array: u32 },
    /// A tower of indices over a sorted list of nodes; the height is drawn at random.
    Towers { head: u32 },
}

/// How to take a table apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    shelf: Shelf,
    known: &'static Known,
}

/// A table class of the JDK.
#[derive(Debug)]
struct Known {
    class: &'static str,
    shelf: fn(u32) -> Shelf,
    /// The field that leads to the entries.
    entrance: &'static str,
    /// The layout is never state, whatever the keys.
    always: bool,
    /// The shelf has an order that is state.
    ordered: bool,
    /// Fields that are layout.
    layout_only: &'static [&'static str],
}

/// Subclasses before their superclasses.
static KNOWN: [Known; 9] = [
    Known {
        class: "java/util/LinkedHashMap",
        shelf: |head| Shelf::List { head },
        entrance: "head",
        always: false,
        ordered: true,
        layout_only: &["table", "head", "tail"],
    },
    Known {
        class: "java/util/HashMap",
        shelf: |array| Shelf::Chains { array },
        entrance: "table",
        always: false,
        ordered: false,
        layout_only: &["table"],
    },
    Known {
        class: "java/util/Hashtable",
        shelf: |array| Shelf::Chains { array },
        entrance: "table",
        always: false,
        ordered: false,
        layout_only: &["table"],
    },
    Known {
        class: "java/util/concurrent/ConcurrentHashMap",
        shelf: |array| Shelf::Chains { array },
        entrance: "table",
        always: false,
        ordered: false,
        layout_only: &["table", "nextTable", "baseCount", "transferIndex", "cellsBusy", "counterCells"],
    },
    // Its entries are weak references, which are opaque anywhere else.
    Known {
        class: "java/util/WeakHashMap",
        shelf: |array| Shelf::Chains { array },
        entrance: "table",
        always: true,
        ordered: false,
        layout_only: &["table", "queue", "size"],
    },
    Known {
        class: "java/util/IdentityHashMap",
        shelf: |array| Shelf::Pairs { array },
        entrance: "table",
        always: true,
        ordered: false,
        layout_only: &["table"],
    },
    // The next two mix a number into hash codes that is drawn when the JVM starts.
    Known {
        class: "java/util/ImmutableCollections$MapN",
        shelf: |array| Shelf::Pairs { array },
        entrance: "table",
        always: true,
        ordered: false,
        layout_only: &["table"],
    },
    Known {
        class: "java/util/ImmutableCollections$SetN",
        shelf: |array| Shelf::Elements { array },
        entrance: "elements",
        always: true,
        ordered: false,
        layout_only: &["elements"],
    },
    Known {
        class: "java/util/concurrent/ConcurrentSkipListMap",
        shelf: |head| Shelf::Towers { head },
        entrance: "head",
        always: true,
        ordered: true,
        layout_only: &["head", "adder"],
    },
];

impl Table {
    /// The table a class is, or inherits from.
    pub(crate) fn find<F>(supers: &[String], shape: &Shape<F>) -> Option<Self> {
        let known = KNOWN.iter().find(|known| supers.iter().any(|class| class == known.class))?;
        let entrance = shape.field(known.class, known.entrance)?;
        Some(Table { shelf: (known.shelf)(entrance), known })
    }

    /// The class of the JDK that it is, or inherits from.
    pub(crate) fn class(&self) -> &'static str {
        self.known.class
    }

    /// Names of fields that are layout.
    pub(crate) fn layout_only(&self) -> &'static [&'static str] {
        self.known.layout_only
    }

    /// Whether the layout is no state whatever the keys.
    pub(crate) fn is_never_state(&self) -> bool {
        self.known.always
    }

    /// Whether the entries come in an order that is state.
    pub(crate) fn is_ordered(&self) -> bool {
        self.known.ordered
    }
}

/// Where an entry of a table keeps its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    key: u32,
    value: u32,
    next: u32,
    /// The next entry in the order of a linked table.
    after: Option<u32>,
    /// A bin that is a tree, which keeps its nodes as a list too.
    first: Option<u32>,
    /// A bin that was moved to another array: the table is being resized.
    moved: bool,
}

/// Class of the node, class that declares its key, and the names of key, value and next.
const NODES: [[&str; 5]; 5] = [
    ["java/util/HashMap$Node", "java/util/HashMap$Node", "key", "value", "next"],
    ["java/util/Hashtable$Entry", "java/util/Hashtable$Entry", "key", "value", "next"],
    ["java/util/WeakHashMap$Entry", "java/lang/ref/Reference", "referent", "value", "next"],
    [
        "java/util/concurrent/ConcurrentHashMap$Node",
        "java/util/concurrent/ConcurrentHashMap$Node",
        "key",
        "val",
        "next",
    ],
    [
        "java/util/concurrent/ConcurrentSkipListMap$Node",
        "java/util/concurrent/ConcurrentSkipListMap$Node",
        "key",
        "val",
        "next",
    ],
];

impl Node {
    /// Names of fields that are layout.
    pub(crate) const LAYOUT_ONLY: &'static [&'static str] =
        &["hash", "next", "parent", "left", "right", "prev", "red"];

    /// Whether this field holds the key.
    pub(crate) fn is_key(&self, field: usize) -> bool {
        field == self.key as usize
    }

    /// Whether this field holds the value.
    pub(crate) fn is_value(&self, field: usize) -> bool {
        field == self.value as usize
    }

    /// The node a class is, or inherits from.
    pub(crate) fn find<F>(supers: &[String], shape: &Shape<F>) -> Option<Self> {
        let extends = |name: &str| supers.iter().any(|class| class == name);
        let [class, keeper, key, value, next] = NODES.into_iter().find(|node| extends(node[0]))?;
        Some(Node {
            key: shape.field(keeper, key)?,
            value: shape.field(class, value)?,
            next: shape.field(class, next)?,
            after: shape.field("java/util/LinkedHashMap$Entry", "after"),
            first: shape.field("java/util/concurrent/ConcurrentHashMap$TreeBin", "first"),
            moved: extends("java/util/concurrent/ConcurrentHashMap$ForwardingNode"),
        })
    }
}

/// Key and value; a set has `None` for values.
pub(crate) type Entry<R> = (Option<R>, Option<R>);

/// Appends the entries of a table, if its layout is no state and there are no more than `limit`. Otherwise appends
/// nothing and answers false.
pub(crate) fn take_apart<H: Heap>(
    heap: &mut H,
    object: H::Ref,
    shape: &Shape<H::Field>,
    limit: usize,
    into: &mut Vec<Entry<H::Ref>>,
) -> Result<bool, H::Error> {
    let Some(table) = &shape.table else { return Ok(false) };
    let base = into.len();
    let most = base + limit;
    let mut sweep = Sweep { heap, table: shape, by_identity: table.known.always, most, into };
    let complete = sweep.shelf(object, table.shelf)?;
    let taken = complete && sweep.by_identity;
    if !taken {
        into.truncate(base);
    }
    Ok(taken)
}

/// Whether the entry `node` hangs where it does because of a key's identity.
pub(crate) fn is_placed_by_identity<H: Heap>(
    heap: &mut H,
    node: H::Ref,
    shape: &Shape<H::Field>,
) -> Result<bool, H::Error> {
    let Some(parts) = shape.node else { return Ok(false) };
    let slot = &shape.fields[parts.key as usize];
    match heap.read(node, &slot.handle)?.reference() {
        Some(key) => {
            let shape = heap.shape_of(key, &slot.guess)?;
            hashes_by_identity(heap, key, &shape)
        }
        None => Ok(false),
    }
}

struct Sweep<'a, H: Heap> {
    heap: &'a mut H,
    table: &'a Shape<H::Field>,
    by_identity: bool,
    /// A chain that races have tied into a ring ends here.
    most: usize,
    into: &'a mut Vec<Entry<H::Ref>>,
}

impl<H: Heap> Sweep<'_, H> {
    /// False where the table is in the midst of something.
    fn shelf(&mut self, object: H::Ref, shelf: Shelf) -> Result<bool, H::Error> {
        let (Shelf::Chains { array: at }
        | Shelf::List { head: at }
        | Shelf::Pairs { array: at }
        | Shelf::Elements { array: at }
        | Shelf::Towers { head: at }) = shelf;
        let entrance = &self.table.fields[at as usize];
        let Some(found) = self.heap.read(object, &entrance.handle)?.reference() else { return Ok(true) };
        match shelf {
            Shelf::Chains { .. } => self.chains(found, &entrance.guess),
            Shelf::List { .. } => self.chain(found, &entrance.guess, true),
            Shelf::Pairs { .. } => self.pairs(found, &entrance.guess).map(|()| true),
            Shelf::Elements { .. } => self.elements(found, &entrance.guess).map(|()| true),
            Shelf::Towers { .. } => self.towers(found, &entrance.guess),
        }
    }

    fn chains(&mut self, array: H::Ref, guess: &Guess) -> Result<bool, H::Error> {
        let shape = self.heap.shape_of(array, guess)?;
        for at in 0..self.heap.length(array, &shape)? {
            if let Some(node) = self.heap.element(array, at)?
                && !self.chain(node, &shape.elements, false)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn chain(&mut self, first: H::Ref, guess: &Guess, linked: bool) -> Result<bool, H::Error> {
        let mut next = Some(first);
        let mut shape = self.heap.shape_of(first, guess)?;
        while let Some(node) = next {
            let Some(parts) = shape.node else { return Ok(false) };
            if parts.moved || self.into.len() > self.most {
                return Ok(false);
            }
            let onward = match parts.first {
                Some(first) => first,
                None => {
                    self.node(node, &shape, parts)?;
                    parts.after.filter(|_| linked).unwrap_or(parts.next)
                }
            };
            let slot = &shape.fields[onward as usize];
            next = self.heap.read(node, &slot.handle)?.reference();
            if let Some(node) = next {
                let following = self.heap.shape_of(node, &slot.guess)?;
                shape = following;
            }
        }
        Ok(true)
    }

    /// A node without a value was deleted, or is a mark; a weak one without a key was cleared.
    fn node(&mut self, node: H::Ref, shape: &Shape<H::Field>, parts: Node) -> Result<(), H::Error> {
        let (key_slot, value_slot) = (&shape.fields[parts.key as usize], &shape.fields[parts.value as usize]);
        let key = self.heap.read(node, &key_slot.handle)?.reference();
        let needs_key = &*key_slot.name == "referent";
        let needs_value = &*value_slot.name == "val";
        if key.is_none() && needs_key {
            return Ok(());
        }
        if let Some(key) = key
            && !self.by_identity
        {
            let shape = self.heap.shape_of(key, &key_slot.guess)?;
            self.by_identity = hashes_by_identity(self.heap, key, &shape)?;
        }
        let value = self.heap.read(node, &value_slot.handle)?.reference();
        if value.is_some() || !needs_value {
            let key = self.unmasked(key);
            self.into.push((key, value));
        }
        Ok(())
    }

    fn pairs(&mut self, array: H::Ref, guess: &Guess) -> Result<(), H::Error> {
        let shape = self.heap.shape_of(array, guess)?;
        for at in (1..self.heap.length(array, &shape)?).step_by(2) {
            if let Some(key) = self.heap.element(array, at - 1)? {
                let value = self.heap.element(array, at)?;
                let key = self.unmasked(Some(key));
                self.into.push((key, value));
            }
        }
        Ok(())
    }

    fn elements(&mut self, array: H::Ref, guess: &Guess) -> Result<(), H::Error> {
        let shape = self.heap.shape_of(array, guess)?;
        for at in 0..self.heap.length(array, &shape)? {
            if let Some(element) = self.heap.element(array, at)? {
                self.into.push((Some(element), None));
            }
        }
        Ok(())
    }

    /// The first node of the bottom list has no key; it only holds the list's beginning.
    fn towers(&mut self, head: H::Ref, guess: &Guess) -> Result<bool, H::Error> {
        let index = self.heap.shape_of(head, guess)?;
        let Some(at) = index.field("java/util/concurrent/ConcurrentSkipListMap$Index", "node") else {
            return Ok(false);
        };
        let slot = &index.fields[at as usize];
        match self.heap.read(head, &slot.handle)?.reference() {
            Some(bottom) => self.chain(bottom, &slot.guess, false),
            None => Ok(true),
        }
    }

    fn unmasked(&mut self, key: Option<H::Ref>) -> Option<H::Ref> {
        key.filter(|&key| !self.heap.is_null_key(key, self.table))
    }
}

/// Whether a key's hash code depends on an identity; see the head of this file.
#[inline]
pub(crate) fn hashes_by_identity<H: Heap>(
    heap: &mut H,
    key: H::Ref,
    shape: &Shape<H::Field>,
) -> Result<bool, H::Error> {
    match shape.hashing {
        Hashing::Value => Ok(false),
        Hashing::Identity => Ok(true),
        Hashing::Content => holds_identity(heap, key, shape),
    }
}

fn holds_identity<H: Heap>(heap: &mut H, key: H::Ref, shape: &Shape<H::Field>) -> Result<bool, H::Error> {
    let thorough = shape.is_record || shape.name.starts_with("java/util/");
    for slot in shape.slots().iter().filter(|slot| slot.primitive.is_none()) {
        let Some(part) = heap.read(key, &slot.handle)?.reference() else { continue };
        let inner = heap.shape_of(part, &slot.guess)?;
        let found = match inner.form {
            Form::Enum | Form::Class => true,
            Form::Array if !shape.is_record => thorough && has_identity_element(heap, part, &inner)?,
            _ if shape.is_record => inner.hashing == Hashing::Identity,
            _ => thorough && inner.hashing == Hashing::Identity && !inner.name.starts_with("java/util/"),
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_identity_element<H: Heap>(
    heap: &mut H,
    array: H::Ref,
    shape: &Shape<H::Field>,
) -> Result<bool, H::Error> {
    for at in 0..heap.length(array, shape)? {
        if let Some(element) = heap.element(array, at)?
            && heap.shape_of(element, &shape.elements)?.hashing == Hashing::Identity
        {
            return Ok(true);
        }
    }
    Ok(false)
}
