//! Literals and stubs as text.

use probat_model::{JavaString, Literal, StepId, StubBehaviour, StubSpec};

use super::name::Names;
use super::{Unwritable, Writer};

/// A literal, and whether it stands before a dot as it is.
pub(super) fn literal(literal: &Literal, typed_null: bool, names: &mut Names) -> (String, bool) {
    let number = |text: String| {
        let atom = !text.starts_with('-');
        (text, atom)
    };
    match literal {
        Literal::Null(ty) if typed_null => (format!("({}) null", names.ty(ty)), false),
        Literal::Null(_) => ("null".into(), true),
        Literal::Boolean(value) => (value.to_string(), true),
        Literal::Byte(value) => (format!("(byte) {value}"), false),
        Literal::Short(value) => (format!("(short) {value}"), false),
        Literal::Char(unit) => (format!("'{}'", escaped(&[*unit], '\'')), true),
        Literal::Int(value) => number(value.to_string()),
        Literal::Long(value) => number(format!("{value}L")),
        Literal::Float(bits) => floating(f64::from(f32::from_bits(*bits)), "Float")
            .map_or_else(|| number(format!("{:?}f", f32::from_bits(*bits))), |name| (name, true)),
        Literal::Double(bits) => floating(f64::from_bits(*bits), "Double")
            .map_or_else(|| number(format!("{:?}", f64::from_bits(*bits))), |name| (name, true)),
        Literal::String(text) => (format!("\"{}\"", of_string(text)), true),
        Literal::Class(ty) => (format!("{}.class", names.ty(ty)), true),
    }
}

/// Numbers that have names only.
fn floating(value: f64, class: &str) -> Option<String> {
    let name = if value.is_nan() {
        "NaN"
    } else if value == f64::INFINITY {
        "POSITIVE_INFINITY"
    } else if value == f64::NEG_INFINITY {
        "NEGATIVE_INFINITY"
    } else {
        return None;
    };
    Some(format!("{class}.{name}"))
}

fn of_string(text: &JavaString) -> String {
    escaped(text.units(), '"')
}

fn escaped(units: &[u16], quote: char) -> String {
    let mut out = String::with_capacity(units.len());
    for &unit in units {
        match char::from_u32(u32::from(unit)) {
            Some('\n') => out.push_str("\\n"),
            Some('\t') => out.push_str("\\t"),
            Some('\r') => out.push_str("\\r"),
            Some('\\') => out.push_str("\\\\"),
            Some(c) if c == quote => {
                out.push('\\');
                out.push(c);
            }
            Some(c @ ' '..='~') => out.push(c),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out
}

impl Writer<'_> {
    /// `stub C(args) { name(types): value }`; what does nothing is left out.
    pub(super) fn stub(&mut self, spec: &StubSpec, args: &[StepId]) -> Result<String, Unwritable> {
        let constructor = spec.constructor.as_ref().map_or(&[][..], |descriptor| &descriptor.params);
        let (given, captured) = args.split_at(constructor.len());
        let list = self.list(given, constructor)?;
        let class = self.names.class(&spec.of);
        let mut entries = Vec::new();
        for method in &spec.methods {
            let count = method.descriptor.params.len();
            let body = match &method.behaviour {
                StubBehaviour::Default => continue,
                StubBehaviour::Constant(value) => literal(value, false, &mut self.names).0,
                StubBehaviour::Parameter(at) => {
                    let params: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
                    format!("({}) -> p{at}", params.join(", "))
                }
                StubBehaviour::Captured(at) => {
                    let step = captured.get(usize::from(*at)).ok_or(Unwritable::Captured)?;
                    self.variables[usize::from(step.0)].clone().ok_or(Unwritable::Captured)?
                }
                StubBehaviour::Throw(class) => format!("{{ throw new {}() }}", self.names.class(class)),
            };
            let types: Vec<String> = method.descriptor.params.iter().map(|ty| self.names.ty(ty)).collect();
            entries.push(format!("{}({}): {body}", method.name, types.join(", ")));
        }
        let call = if list.is_empty() { String::new() } else { format!("({list})") };
        let body =
            if entries.is_empty() { "{ }".to_owned() } else { format!("{{ {} }}", entries.join(", ")) };
        Ok(format!("stub {class}{call} {body}"))
    }
}
