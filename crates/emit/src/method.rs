//! A test method: one case, or several that belong together.
//!
//! In: the bodies of its cases, in their order. Out: the method's lines, and which of them are whose. A case of several lines is a paragraph
//! of its own.

use std::ops::Range;

use crate::comment;
use crate::statement::Body;

/// A method before it is text.
pub(crate) struct Method<'a> {
    pub name: &'a str,
    /// Cases by name, with lines of comment and statements.
    pub cases: Vec<(&'a str, &'a [String], Body)>,
}

/// Where a test stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Of the test.
    pub name: String,
    /// From 1.
    pub lines: Range<usize>,
}

impl Method<'_> {
    /// Kinds of warnings a compiler gives, as `@SuppressWarnings` names them.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&'static str> = self.cases.iter().flat_map(|(_, _, body)| body.kinds()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    pub fn lines(&self) -> impl Iterator<Item = &String> {
        self.cases.iter().flat_map(|(_, _, body)| &body.lines)
    }

    pub fn asserts(&self) -> impl Iterator<Item = &'static str> {
        self.cases.iter().flat_map(|(_, _, body)| body.asserts.iter().copied())
    }

    /// Appends the method to a source of as many lines, and says where its cases are. `own` are annotations.
    pub fn write(&self, own: &str, visibility: &str, before: usize, out: &mut String) -> Vec<Place> {
        let start = out.len();
        let mut notes: Vec<&String> = self.cases.iter().flat_map(|(_, notes, _)| notes.iter()).collect();
        notes.dedup();
        for note in notes {
            out.push_str(&format!("    // {}\n", comment::line(note)));
        }
        out.push_str(own);
        // `Throwable` comes behind `Exception`.
        let throws = self.cases.iter().filter_map(|(_, _, body)| body.throws).max();
        let throws = throws.map_or(String::new(), |class| format!(" throws {class}"));
        out.push_str(&format!("    {visibility}void {}(){throws} {{\n", self.name));
        let mut places = Vec::new();
        let mut upto = before;
        let mut written = start;
        let mut was_long = false;
        for (at, (name, _, body)) in self.cases.iter().enumerate() {
            let is_long = body.lines.len() > 1;
            if at > 0 && (is_long || was_long) {
                out.push('\n');
            }
            was_long = is_long;
            for line in &body.lines {
                match line.as_str() {
                    "" => out.push('\n'),
                    line => out.push_str(&format!("        {line}\n")),
                }
            }
            let first = upto + 1;
            upto += out[written..].matches('\n').count();
            written = out.len();
            places.push(Place { name: (*name).to_owned(), lines: first..upto + 1 });
        }
        out.push_str("    }\n");
        places
    }
}
