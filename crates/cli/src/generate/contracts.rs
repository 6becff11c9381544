//! Contracts of the user, as the job wants them.
//!
//! In: the classes under test, and classes named with `--contracts`. Out: [`UserContract`]s. A class that is not there is an error with
//! near names; a method that looks like a contract and cannot be one is told of, and so is a class without any contract.

use probat_analysis::{ClassSource, World};
use probat_classfile::AccessFlags;
use probat_classpath::{Classes, near_matches, near_names};
use probat_model::{ClassName, Operation, UserContract};
use probat_survey::contracts::{Contracts, NoContract, annotated, of_class};

use super::subject::Subject;
use crate::exit::Exit;
use crate::failure::{Failure, warn};

/// Class files of a class path.
pub struct Source<'a>(pub &'a Classes);

impl ClassSource for Source<'_> {
    fn bytes(&self, name: &ClassName) -> Option<std::borrow::Cow<'_, [u8]>> {
        self.0.find(name).ok().flatten().map(|found| found.bytes)
    }
}

/// All contracts of the user; `classes` are the words of `--contracts`.
pub fn find(classes: &[String], subject: &Subject) -> Result<Vec<UserContract>, Failure> {
    let source = Source(&subject.library.classes);
    let mut world = World::new(&source);
    let of_targets = annotated(&mut world, &subject.targets);
    for refused in &of_targets.refused {
        warn(&format!("`{}` is annotated as a contract and is none: {}", refused.method, refused.reason));
    }
    let mut all = of_targets.found;
    for word in classes {
        let class = named(word, subject)?;
        let Contracts { found, refused } = of_class(&mut world, &class, &subject.targets);
        if found.is_empty() {
            return Err(nothing_in(&class, &refused, subject));
        }
        for refused in &refused {
            warn(&format!("`{}` is no contract: {}", refused.method, refused.reason));
        }
        all.extend(found);
    }
    all.dedup();
    all.truncate(usize::from(u16::MAX));
    Ok(all)
}

/// Classes named with `--contracts`, which are not under test themselves.
pub fn is_named(classes: &[String], class: &ClassName) -> bool {
    classes.iter().any(|word| {
        let meant = ClassName::binary(word);
        meant == *class || class.as_internal().starts_with(&format!("{}$", meant.as_internal()))
    })
}

/// Methods that are contracts by annotation and only throw: called for their own sake they would say the same again.
pub fn silent_methods(contracts: &[UserContract]) -> impl Iterator<Item = String> {
    contracts.iter().filter(|contract| !contract.answers()).filter_map(|contract| match &contract.operation {
        Operation::Call { class, name, .. } => Some(format!("{class}.{name}")),
        _ => None,
    })
}

fn named(word: &str, subject: &Subject) -> Result<ClassName, Failure> {
    let class = ClassName::binary(word);
    let Some(file) = subject.library.file(&class) else {
        let all: Vec<ClassName> =
            subject.library.classes.path.iter().map(|entry| entry.name.clone()).collect();
        let near: Vec<String> =
            near_matches(word, all.iter(), 3).into_iter().map(ToString::to_string).collect();
        let failure = Failure::new(
            Exit::BadInput,
            format!("there is no class `{word}` with contracts on the class path"),
        );
        return Err(match near.is_empty() {
            true => failure.hint(
                "write its full name, such as com.acme.CartRules; add its folder or jar with `--classpath`",
            ),
            false => failure.hint(format!("did you mean `{}`?", near.join("`, `"))),
        });
    };
    if !file.access.has(AccessFlags::PUBLIC) {
        let text = format!("class `{word}` is not public, so no test could ask its contracts");
        return Err(Failure::new(Exit::BadInput, text).hint("make it public"));
    }
    Ok(class)
}

fn nothing_in(class: &ClassName, refused: &[NoContract], subject: &Subject) -> Failure {
    let mut failure = Failure::new(Exit::BadInput, format!("class `{class}` has no contracts"));
    for one in refused.iter().take(5) {
        failure = failure.hint(format!("`{}`: {}{}", one.method, one.reason, near(one, subject)));
    }
    failure.hint(
        "a contract is a public static method that takes the object it judges and gives a boolean, such as `ok(Cart cart)`, \
         or `before_add(Cart cart, int price)` or `after_add(Cart cart, int price, int result)` for a method `add`",
    )
}

/// Names near one that no class under test has.
fn near(one: &NoContract, subject: &Subject) -> String {
    let Some(about) = &one.about else { return String::new() };
    let mut names: Vec<String> = Vec::new();
    for class in &subject.targets {
        let Some(file) = subject.library.file(class) else { continue };
        names.extend(
            file.methods.iter().filter_map(|method| Some(method.name(&file.pool).ok()?.into_owned())),
        );
    }
    let near = near_names(about, names.iter().map(String::as_str), 3);
    if near.is_empty() { String::new() } else { format!("; did you mean `{}`?", near.join("`, `")) }
}
