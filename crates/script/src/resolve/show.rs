//! Types and members as messages name them.
//!
//! Classes of `java.lang` go by their simple name, nested classes with a dot, as source would.

use probat_model::{ClassName, MethodDescriptor, Type};

use super::operand::ArgType;
use crate::types::MethodFacts;

pub(super) fn class(name: &ClassName) -> String {
    let binary = name.to_binary();
    let short = match name.package() {
        "java/lang" => name.simple().to_owned(),
        _ => binary,
    };
    short.replace('$', ".")
}

pub(super) fn ty(ty: &Type) -> String {
    match ty {
        Type::Class(name) => class(name),
        Type::Array(element) => format!("{}[]", self::ty(element)),
        primitive => primitive.to_string(),
    }
}

pub(super) fn list(types: &[Type]) -> String {
    let shown: Vec<String> = types.iter().map(ty).collect();
    format!("({})", shown.join(", "))
}

/// The types of arguments: `(int, null)`.
pub(super) fn args(args: &[ArgType<'_>]) -> String {
    let shown: Vec<String> = args.iter().map(arg).collect();
    format!("({})", shown.join(", "))
}

pub(super) fn arg(arg: &ArgType<'_>) -> String {
    match arg {
        ArgType::Known(known) => ty(known),
        ArgType::Null => "null".into(),
        ArgType::Lambda(lambda) => match lambda.params.len() {
            0 => "lambda of nothing".into(),
            1 => "lambda of 1 value".into(),
            count => format!("lambda of {count} values"),
        },
    }
}

/// A candidate: `add(int, Object)`, `format(String, Object...)`.
pub(super) fn method(class: &ClassName, facts: &MethodFacts) -> String {
    let name = if facts.name == "<init>" { self::class(class) } else { facts.name.clone() };
    let mut shown = format!("{name}{}", params(&facts.descriptor, facts.is_varargs));
    if let Some(returns) = &facts.descriptor.returns {
        shown.push_str(&format!(" gives {}", ty(returns)));
    }
    if facts.is_static {
        shown.insert_str(0, "static ");
    }
    shown
}

fn params(descriptor: &MethodDescriptor, varargs: bool) -> String {
    let plain = list(&descriptor.params);
    match plain.strip_suffix("[])") {
        Some(start) if varargs => format!("{start}...)"),
        _ => plain,
    }
}

/// "did you mean `a`, `b` or `c`?"
pub(super) fn did_you_mean(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("did you mean {} or {last}?", rest.join(", ")),
        _ => format!("did you mean {}?", quoted.join("")),
    }
}
