//! States written as text, for the tests of this module.
//!
//! In: a text. Out: a [`StoredState`].
//!
//! ```text
//! null 5 5L true 'c "text" box:5 enum:a/Color.RED class:[I <java/lang/Thread>   values
//! (a/Point x=1 y=2)                        an object; `b/Base::x=1` for a field of a superclass
//! [[Ljava/lang/Object; 1 2]                an array
//! {java/util/HashMap size=1 | "k" 1}       a table without layout
//! @0                                       the first object again
//! !                                        cut off
//! ```

use crate::name::ClassName;
use crate::state::{ClassIndex, ClassLayout, ClassOperand, Slot, StoredState, TokenWriter};

/// A value as the text has it.
enum Written {
    Leaf(String),
    Object(String, Vec<(String, Written)>),
    Array(String, Vec<Written>),
    Table(String, Vec<(String, Written)>, Vec<(Written, Written)>),
}

/// Reads the words of a text.
struct Words(std::vec::IntoIter<String>);

impl Words {
    fn new(text: &str) -> Self {
        let spaced = ["(", ")", "{", "}", "|", "]", "=["].iter().fold(text.to_owned(), |text, &c| {
            let apart = if c == "=[" { "= [".to_owned() } else { format!(" {c} ") };
            text.replace(c, &apart)
        });
        let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        Words(words.into_iter())
    }

    fn peek(&self) -> &str {
        self.0.as_slice().first().map_or("", |word| word)
    }

    fn next(&mut self) -> String {
        self.0.next().expect("the text goes on")
    }

    fn value(&mut self) -> Written {
        let word = self.next();
        match &*word {
            "(" => {
                let (class, fields) = (self.next(), self.fields());
                assert_eq!(self.next(), ")");
                Written::Object(class, fields)
            }
            "{" => {
                let (class, fields, mut entries) = (self.next(), self.fields(), Vec::new());
                while self.next() == "|" {
                    entries.push((self.value(), self.value()));
                }
                Written::Table(class, fields, entries)
            }
            _ if word.starts_with('[') => {
                let mut elements = Vec::new();
                while self.peek() != "]" {
                    elements.push(self.value());
                }
                self.next();
                Written::Array(word[1..].into(), elements)
            }
            _ => Written::Leaf(word),
        }
    }

    fn fields(&mut self) -> Vec<(String, Written)> {
        let mut fields = Vec::new();
        while let Some((name, value)) = self.peek().split_once('=') {
            let (name, value) = (name.to_owned(), value.to_owned());
            self.next();
            fields.push((name, if value.is_empty() { self.value() } else { Written::Leaf(value) }));
        }
        fields
    }
}

/// Writes a state.
#[derive(Default)]
struct Scribe {
    writer: TokenWriter,
    classes: Vec<(String, ClassIndex)>,
    layouts: Vec<ClassLayout>,
}

/// The state a text stands for.
pub(super) fn state(text: &str) -> StoredState {
    let (mut words, mut roots) = (Words::new(text), Vec::new());
    while !words.peek().is_empty() {
        roots.push(words.value());
    }
    let mut scribe = Scribe::default();
    if roots.len() != 1 {
        scribe.writer.roots(roots.len() as u32);
    }
    roots.iter().for_each(|root| scribe.value(root));
    StoredState { tokens: scribe.writer.bytes().to_vec(), layouts: scribe.layouts }
}

impl Scribe {
    fn class(&mut self, name: &str, write: impl FnOnce(&mut TokenWriter, ClassOperand<'_>) -> ClassIndex) {
        match self.classes.iter().find(|(known, _)| known == name) {
            Some((_, index)) => {
                write(&mut self.writer, ClassOperand::Known(*index));
            }
            None => {
                let index = write(&mut self.writer, ClassOperand::First(name));
                self.classes.push((name.into(), index));
            }
        }
    }

    fn value(&mut self, value: &Written) {
        match value {
            Written::Leaf(word) => self.leaf(word),
            Written::Object(class, fields) => {
                self.class(class, |writer, class| writer.object(class));
                self.fields(class, fields);
            }
            Written::Array(class, elements) => {
                self.class(class, |writer, class| writer.array(class, elements.len() as u32));
                elements.iter().for_each(|element| self.value(element));
            }
            Written::Table(class, fields, entries) => {
                self.class(class, |writer, class| writer.sorted(class, entries.len() as u32));
                self.fields(class, fields);
                for (key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
            }
        }
    }

    fn fields(&mut self, class: &str, fields: &[(String, Written)]) {
        let slot = |(field, _): &(String, Written)| {
            let (declared_in, name) = field.split_once("::").unwrap_or((class, field));
            let descriptor = "Ljava/lang/Object;".into();
            Slot { declared_in: ClassName::internal(declared_in), name: name.into(), descriptor }
        };
        let layout =
            ClassLayout { class: ClassName::internal(class), slots: fields.iter().map(slot).collect() };
        if !self.layouts.iter().any(|known| known.class == layout.class) {
            self.layouts.push(layout);
        }
        fields.iter().for_each(|(_, value)| self.value(value));
    }

    fn leaf(&mut self, word: &str) {
        let (kind, body) = word.split_once(':').unwrap_or(("", word));
        match (kind, word.as_bytes()[0]) {
            (_, b'"') => {
                let units: Vec<u16> = word.trim_matches('"').replace('_', " ").encode_utf16().collect();
                self.writer.string(&units);
            }
            ("box", _) => {
                self.writer.boxed();
                self.leaf(body);
            }
            ("byte", _) => self.writer.byte(body.parse().unwrap()),
            ("short", _) => self.writer.short(body.parse().unwrap()),
            ("float", _) => self.writer.float(body.parse::<f32>().unwrap().to_bits()),
            ("enum", _) => {
                let (class, name) = body.split_once('.').unwrap();
                self.class(class, |writer, class| writer.enum_constant(class, name));
            }
            ("class", _) => self.writer.class_object(body),
            (_, b'<') => {
                self.class(word.trim_matches(['<', '>']), |writer, class| writer.opaque(class, ""));
            }
            (_, b'@') => self.writer.reference(word[1..].parse().unwrap()),
            (_, b'\'') => self.writer.char(u16::from(word.as_bytes()[1])),
            _ => self.word(word),
        }
    }

    fn word(&mut self, word: &str) {
        match word {
            "null" => self.writer.null(),
            "true" | "false" => self.writer.boolean(word == "true"),
            "!" => self.writer.truncated(),
            _ => match word.strip_suffix('L') {
                Some(long) => self.writer.long(long.parse().unwrap()),
                None => self.writer.int(word.parse().unwrap()),
            },
        }
    }
}
