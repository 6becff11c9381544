//! Branches of the code under test: which get probes, and what each probe means.
//!
//! In: the library, the classes a script names, and patterns. Out: a [`ProbeTable`], and words for people. Classes of `java.lang` are left alone: the JVM and our own hooks stand on them.

use std::collections::BTreeSet;

use probat_model::{ClassName, Operation, ProbeId, Type};
use probat_script::{Script, Types};
use probat_supervisor::{ProbeTable, plan_probes};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::{Failure, warn};
use crate::library::Library;

/// One branch in words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EdgeFound {
    pub class: String,
    pub line: Option<u16>,
    /// `add line 12: != null`.
    pub edge: String,
}

/// Numbers the edges of the classes chosen.
pub fn probes(library: &Library, script: &Script, patterns: &[String]) -> Result<ProbeTable, Failure> {
    let names = if patterns.is_empty() { by_default(library, script) } else { matching(library, patterns)? };
    let classes = names.into_iter().filter_map(|name| {
        let found = library.classes.find(&name).ok().flatten()?;
        Some((name, found.bytes))
    });
    let table = plan_probes(classes);
    for (name, error) in &table.unreadable {
        warn(&format!("the branches of `{name}` are not watched: {error}"));
    }
    Ok(table)
}

/// A probe in words.
pub fn describe(table: &ProbeTable, probe: ProbeId) -> Option<EdgeFound> {
    let (edge, method) = (table.edge(probe)?, table.method(probe)?);
    Some(EdgeFound { class: method.class.to_binary(), line: edge.line, edge: edge.text.to_string() })
}

/// The class path, and the JDK's classes that the script names.
fn by_default(library: &Library, script: &Script) -> BTreeSet<ClassName> {
    let path = library.classes.path.iter().filter(|class| !class.shadowed);
    let mut names: BTreeSet<ClassName> = path.map(|class| class.name.clone()).collect();
    for operation in script.table.since(0) {
        names.extend(named_by(operation));
    }
    names.retain(|name| may_instrument(name) && library.classes.contains(name));
    names
}

fn named_by(operation: &Operation) -> Option<ClassName> {
    match operation {
        Operation::Construct { class, .. }
        | Operation::CallStatic { class, .. }
        | Operation::Call { class, .. }
        | Operation::GetStatic { class, .. }
        | Operation::PutStatic { class, .. }
        | Operation::GetField { class, .. }
        | Operation::PutField { class, .. } => Some(class.clone()),
        Operation::Cast { to: Type::Class(class) } => Some(class.clone()),
        Operation::Literal(_)
        | Operation::NewArray { .. }
        | Operation::ArrayOf { .. }
        | Operation::ArrayGet { .. }
        | Operation::ArraySet { .. }
        | Operation::ArrayLength
        | Operation::Cast { .. }
        | Operation::Convert { .. }
        | Operation::Stub(_)
        | Operation::Restore(_) => None,
    }
}

fn matching(library: &Library, patterns: &[String]) -> Result<BTreeSet<ClassName>, Failure> {
    let jdk = library.classes.jdk.iter().flat_map(|jdk| jdk.iter()).map(|class| class.name);
    let path = library.classes.path.iter().filter(|class| !class.shadowed).map(|class| class.name);
    let all: Vec<&ClassName> = path.chain(jdk).collect();
    let mut chosen = BTreeSet::new();
    for pattern in patterns {
        let found: Vec<&&ClassName> = all.iter().filter(|name| glob(pattern, &name.to_binary())).collect();
        if found.is_empty() {
            let near = library.near_classes(pattern.trim_end_matches(['*', '.']), 3);
            let failure = Failure::new(Exit::BadInput, format!("no class matches `{pattern}`"));
            return Err(match near.first() {
                Some(class) => failure.hint(format!("did you mean `{class}`?")),
                None => failure.hint("patterns are full class names, `*` stands for anything: `com.acme.*`"),
            });
        }
        let open = found.iter().filter(|name| may_instrument(name)).count();
        if open == 0 {
            warn(&format!("`{pattern}`: classes of java.lang are not watched"));
        }
        chosen.extend(found.into_iter().filter(|name| may_instrument(name)).map(|&name| name.clone()));
    }
    Ok(chosen)
}

fn may_instrument(name: &ClassName) -> bool {
    let package = name.package();
    !(package == "java/lang" || package.starts_with("java/lang/") || name.simple() == "module-info")
}

/// Whether a text has the form of a pattern, in which `*` stands for any characters.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, matches) in [
            ("a.B", "a.B", true),
            ("a.B", "a.BC", false),
            ("a.*", "a.B$C", true),
            ("a.*", "ab.B", false),
            ("*B*C", "a.B.x.C", true),
            ("*B*C", "a.C.B", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(glob(pattern, text), matches, "{pattern} {text}");
        }
    }
}
