//! The classes meant by the words on the command line.
//!
//! In: words and a library. Out: class names, or a failure that names classes that are nearly so called.

use probat_model::ClassName;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::library::Library;

/// The class a word means: a full name, with `.` or `$` before nested classes, or the simple name of one on the class path.
pub fn class(library: &Library, word: &str) -> Result<ClassName, Failure> {
    let mut name = word.replace('.', "/");
    loop {
        let candidate = ClassName::internal(&name);
        if library.classes.contains(&candidate) {
            return readable(library, candidate);
        }
        match name.rfind('/') {
            // `Map.Entry` is `Map$Entry`.
            Some(at) => name.replace_range(at..=at, "$"),
            None => break,
        }
    }
    let nested = word.replace('.', "$");
    let mut called: Vec<ClassName> = library
        .classes
        .path
        .iter()
        .map(|class| class.name.clone())
        .filter(|name| name.simple() == nested || name.simple().rsplit('$').next() == Some(word))
        .collect();
    called.sort();
    called.dedup();
    match called.len() {
        1 => readable(library, called.remove(0)),
        0 => Err(unknown(library, word)),
        _ => {
            let names: Vec<String> = called.iter().map(ToString::to_string).collect();
            Err(Failure::new(Exit::BadInput, format!("`{word}` may be any of {}", names.join(", ")))
                .hint("write the full name"))
        }
    }
}

fn readable(library: &Library, name: ClassName) -> Result<ClassName, Failure> {
    if library.file(&name).is_some() {
        return Ok(name);
    }
    let why = library.damaged().pop().unwrap_or_else(|| format!("class `{name}` cannot be read"));
    Err(Failure::new(Exit::BadInput, why))
}

fn unknown(library: &Library, word: &str) -> Failure {
    let failure = Failure::new(Exit::BadInput, format!("there is no class `{word}`"));
    let near: Vec<String> = library.classes.near(word, 3).into_iter().map(ToString::to_string).collect();
    let failure =
        if near.is_empty() { failure } else { failure.hint(format!("did you mean {}?", near.join(" or "))) };
    failure.hint("name the folder or jar that holds it with `--classpath`")
}
