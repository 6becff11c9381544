//! Which class a name means (JLS §6.5.5, §7.5).
//!
//! In: imports. Out: classes for simple and qualified names. Single imports come before the script's own package,
//! which comes before `java.lang` and the packages imported whole.

use probat_model::{ClassName, Type};

use super::hierarchy::Hierarchy;
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Ident, Import, TypeBase, TypeName};

/// How many near names a message lists.
const NEAR: usize = 3;

/// What the imports say.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Classes imported by name.
    single: Vec<ClassName>,
    /// Packages whose classes go before those imported whole: the script's own and the unnamed one.
    own: Vec<String>,
    /// Packages and classes imported whole.
    packages: Vec<String>,
    outer: Vec<ClassName>,
    /// Static imports: the class, and one name or all.
    pub statics: Vec<(ClassName, Option<String>)>,
}

impl Scope {
    pub fn new(imports: &[Import], hierarchy: &Hierarchy<'_>, problems: &mut Vec<Diagnostic>) -> Self {
        let mut scope =
            Scope { own: vec![String::new()], packages: vec!["java/lang".into()], ..Scope::default() };
        for import in imports {
            if let Err(problem) = scope.import(import, hierarchy) {
                problems.push(*problem);
            }
        }
        scope
    }

    fn import(&mut self, import: &Import, hierarchy: &Hierarchy<'_>) -> Result<(), Box<Diagnostic>> {
        let (last, class_path) = import.path.split_last().expect("an import names something");
        if import.is_static {
            let path = if import.all { &import.path[..] } else { class_path };
            let class = qualified(path, hierarchy).ok_or_else(|| unknown_import(path, import, hierarchy))?;
            self.statics.push((class, if import.all { None } else { Some(last.text.clone()) }));
            return Ok(());
        }
        if !import.all {
            let class = qualified(&import.path, hierarchy);
            self.single.push(class.ok_or_else(|| unknown_import(&import.path, import, hierarchy))?);
            return Ok(());
        }
        let package = joined(&import.path, "/");
        if hierarchy.types.has_package(&package) {
            let list = if import.is_package { &mut self.own } else { &mut self.packages };
            list.push(package);
        } else if let Some(outer) = qualified(&import.path, hierarchy) {
            self.outer.push(outer);
        } else {
            let span = import.path[0].span.to(last.span);
            let message = format!("there is no package or class `{}`", joined(&import.path, "."));
            let near = hierarchy.types.near_classes(&joined(&import.path, "."), NEAR);
            return Err(Box::new(with_near(Diagnostic::error(span, message), &near)));
        }
        Ok(())
    }

    /// The classes a simple name can mean; more than one if it is ambiguous.
    fn simple(&self, name: &str, hierarchy: &Hierarchy<'_>) -> Vec<ClassName> {
        let named =
            |class: &&ClassName| class.simple() == name || class.simple().ends_with(&format!("${name}"));
        if let Some(class) = self.single.iter().rev().find(named) {
            return vec![class.clone()];
        }
        let in_package = |package: &String| {
            let full = if package.is_empty() { name.to_owned() } else { format!("{package}/{name}") };
            Some(ClassName::internal(&full)).filter(|class| hierarchy.class(class).is_some())
        };
        if let Some(class) = self.own.iter().find_map(in_package) {
            return vec![class];
        }
        let mut found: Vec<ClassName> = self.packages.iter().filter_map(in_package).collect();
        found.extend(self.outer.iter().filter_map(|outer| member_class(outer, name, hierarchy)));
        found.sort();
        found.dedup();
        found
    }
}

/// The class a dotted name means when its first part is a package (or a class of the unnamed one).
fn qualified(path: &[Ident], hierarchy: &Hierarchy<'_>) -> Option<ClassName> {
    (1..=path.len()).find_map(|end| {
        let top = ClassName::internal(&joined(&path[..end], "/"));
        hierarchy.class(&top)?;
        nested(top, &path[end..], hierarchy)
    })
}

fn nested(top: ClassName, rest: &[Ident], hierarchy: &Hierarchy<'_>) -> Option<ClassName> {
    rest.iter().try_fold(top, |outer, name| member_class(&outer, &name.text, hierarchy))
}

/// `Outer.Inner`, inherited ones included.
pub(super) fn member_class(outer: &ClassName, name: &str, hierarchy: &Hierarchy<'_>) -> Option<ClassName> {
    hierarchy.supertypes(outer).iter().find_map(|owner| {
        let inner = ClassName::internal(&format!("{}${name}", owner.name.as_internal()));
        hierarchy.class(&inner).map(|_| inner)
    })
}

fn joined(path: &[Ident], separator: &str) -> String {
    path.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(separator)
}

fn unknown_import(path: &[Ident], import: &Import, hierarchy: &Hierarchy<'_>) -> Box<Diagnostic> {
    let written = joined(path, ".");
    let span = path.first().map_or(import.span, |first| first.span.to(path[path.len() - 1].span));
    let problem = Diagnostic::error(span, format!("there is no class `{written}`"));
    Box::new(with_near(problem, &hierarchy.types.near_classes(&written, NEAR)))
}

fn with_near(problem: Diagnostic, near: &[ClassName]) -> Diagnostic {
    let names: Vec<String> = near.iter().map(|class| class.to_binary().replace('$', ".")).collect();
    if names.is_empty() {
        problem.hint("is its jar or directory on the class path? `--classpath a.jar:classes`")
    } else {
        problem.hint(show::did_you_mean(&names))
    }
}

impl Resolver<'_> {
    /// The class a simple name means, if any; two meanings are an error.
    pub(super) fn simple_class(&mut self, name: &Ident) -> Resolved<Option<ClassName>> {
        let mut found = self.scope.simple(&name.text, &self.hierarchy);
        if found.len() > 1 {
            let mut problem =
                Diagnostic::error(name.span, format!("`{}` means more than one class", name.text));
            for class in &found {
                problem = problem.detail(class.to_binary());
            }
            let hint = format!("import one of them: `import {}`", found[0].to_binary());
            return self.fail(problem.hint(hint));
        }
        Ok(found.pop())
    }

    /// The class of a path that must name one.
    pub(super) fn class_of_path(&mut self, path: &[Ident]) -> Resolved<ClassName> {
        if let Some(top) = self.simple_class(&path[0])?
            && let Some(class) = nested(top, &path[1..], &self.hierarchy)
        {
            return Ok(class);
        }
        match qualified(path, &self.hierarchy) {
            Some(class) => Ok(class),
            None => {
                let span = path[0].span.to(path[path.len() - 1].span);
                let problem = self.unknown_class(&joined(path, "."), span);
                self.fail(problem)
            }
        }
    }

    /// "there is no class …", with what may have been meant.
    pub(super) fn unknown_class(&self, written: &str, span: Span) -> Diagnostic {
        let near = self.hierarchy.types.near_classes(written, NEAR);
        let problem = Diagnostic::error(span, format!("there is no class `{written}`"));
        let simple = written.rsplit('.').next().unwrap_or(written);
        match near.first() {
            Some(class) if class.simple() == simple && !written.contains('.') => {
                let more: Vec<String> = near[1..].iter().map(ClassName::to_binary).collect();
                let problem = problem.hint(format!("import it: `import {}`", class.to_binary()));
                if more.is_empty() { problem } else { problem.hint(format!("or one of {}", more.join(", "))) }
            }
            _ => with_near(problem, &near),
        }
    }

    /// The type a written type means.
    pub(super) fn type_of(&mut self, written: &TypeName) -> Resolved<Type> {
        let mut ty = match &written.base {
            TypeBase::Primitive(ty) => ty.clone(),
            TypeBase::Named(path) => Type::Class(self.class_of_path(path)?),
        };
        for _ in 0..written.dims {
            ty = ty.array();
        }
        Ok(ty)
    }

    /// The class a written type means, where no primitive or array will do.
    pub(super) fn class_of(&mut self, written: &TypeName) -> Resolved<ClassName> {
        match self.type_of(written)? {
            Type::Class(class) => Ok(class),
            other => {
                let message = format!("`{}` is no class", show::ty(&other));
                self.fail(Diagnostic::error(written.span, message))
            }
        }
    }
}
