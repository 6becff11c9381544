//! One line of text for an operation, for messages about the step that did it.
//!
//! In: an [`Operation`]. Out: text near what source would say. Not Java: that is the emitter's work.

use probat_model::{Literal, Operation};

/// `java.util.ArrayList.add(int)`, `new java.io.File(java.lang.String)`.
pub fn describe(operation: &Operation) -> String {
    match operation {
        Operation::Literal(literal) => describe_literal(literal),
        Operation::Construct { class, descriptor } => format!("new {class}{descriptor}"),
        Operation::CallStatic { class, name, descriptor, .. }
        | Operation::Call { class, name, descriptor, .. } => format!("{class}.{name}{descriptor}"),
        Operation::GetStatic { class, name, .. } | Operation::GetField { class, name, .. } => {
            format!("{class}.{name}")
        }
        Operation::PutStatic { class, name, .. } | Operation::PutField { class, name, .. } => {
            format!("{class}.{name} =")
        }
        Operation::NewArray { element } => format!("new {element}[]"),
        Operation::ArrayOf { element, length } => format!("new {element}[{length}]"),
        Operation::ArrayGet { element } => format!("{element}[] read"),
        Operation::ArraySet { element } => format!("{element}[] write"),
        Operation::ArrayLength => "array length".into(),
        Operation::Cast { to } => format!("({to})"),
        Operation::Convert { from, to } => format!("({to}) of {from}"),
        Operation::Stub(spec) => format!("stub of {}", spec.of),
        Operation::Restore(_) => "restored state".into(),
    }
}

fn describe_literal(literal: &Literal) -> String {
    match literal {
        Literal::Null(ty) => format!("null of {ty}"),
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(value) => value.to_string(),
        Literal::Char(value) => format!("char {value}"),
        Literal::Short(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => format!("{value}L"),
        Literal::Float(bits) => format!("{}f", f32::from_bits(*bits)),
        Literal::Double(bits) => f64::from_bits(*bits).to_string(),
        Literal::String(text) => text.to_string(),
        Literal::Class(ty) => format!("{ty}.class"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, MethodDescriptor, Type};

    #[test]
    fn operations_read_like_source() {
        let class = ClassName::internal("java/util/Map$Entry");
        let descriptor = MethodDescriptor::parse("(I[J)V").unwrap();
        let call = Operation::Call { class, name: "put".into(), descriptor, interface: true };
        assert_eq!(describe(&call), "java.util.Map$Entry.put(int, long[])");
        assert_eq!(describe(&Operation::Literal(Literal::String("a\n".into()))), r#""a\n""#);
        assert_eq!(describe(&Operation::ArrayOf { element: Type::Int, length: 3 }), "new int[3]");
    }
}
