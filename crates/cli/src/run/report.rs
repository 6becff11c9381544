//! What a run found, as plain data.
//!
//! In: observations. Out: [`Report`], printed as JSON with these very keys (`docs/reference/run-json.md`) or as text.
//! Keys are kept from version to version; `schema` grows when one must change its meaning.

use probat_model::{Thrown, Value};
use serde::Serialize;

use super::edges::EdgeFound;

/// Grows when a key changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// One run of a script.
#[derive(Debug, Serialize)]
pub struct Report {
    pub schema: u32,
    pub probat: &'static str,
    pub file: String,
    pub java: JavaSeen,
    pub sandbox: SandboxSeen,
    /// The statements in order, those not reached included.
    pub lines: Vec<LineSeen>,
    pub end: EndSeen,
    pub taints: Vec<TaintSeen>,
    pub leaks: Vec<String>,
    pub violations: Vec<ViolationSeen>,
    /// How often a worker died.
    pub deaths: Vec<String>,
    /// What the code printed; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Edges known, and how many were taken; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
}

/// The JVM in use.
#[derive(Debug, Clone, Serialize)]
pub struct JavaSeen {
    pub home: String,
    pub version: String,
    pub vendor: String,
}

/// What kept the code under test from harm.
#[derive(Debug, Clone, Serialize)]
pub struct SandboxSeen {
    pub landlock: Option<u32>,
    pub seccomp: bool,
    pub guards: bool,
    /// What is not in force, and why.
    pub missing: Vec<String>,
}

/// One statement.
#[derive(Debug, Serialize)]
pub struct LineSeen {
    /// From 1.
    pub line: u32,
    pub source: String,
    pub name: Option<String>,
    pub outcome: OutcomeSeen,
    pub states: Vec<StateShown>,
    /// Edges no earlier line took.
    pub edges: Vec<EdgeFound>,
}

/// What a statement did. Match without `_`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OutcomeSeen {
    Returned { value: ValueSeen },
    Threw { thrown: ThrownSeen },
    Refused { reason: String },
    TimedOut,
    Exhausted { thrown: Option<ThrownSeen> },
    Died { cause: String },
    NotRun,
}

/// A value as far as it can be shown without its heap.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueSeen {
    /// `int`, `string`, `object`, `array`, `null`, `void`, …
    pub r#type: &'static str,
    /// As Java would spell it.
    pub literal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Of an array, or of a string in UTF-16 units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

/// An exception.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThrownSeen {
    pub class: String,
    pub message: Option<String>,
    pub cause: Option<String>,
    pub frames: Vec<FrameSeen>,
}

/// One stack frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrameSeen {
    pub class: String,
    pub method: String,
    pub line: Option<u32>,
}

/// The state of one variable after a line; only the first and those that differ from the one before.
#[derive(Debug, Serialize)]
pub struct StateShown {
    /// The variable; `null` for a result without name.
    pub name: Option<String>,
    pub hash: String,
    pub tokens: u32,
    pub truncated: bool,
    /// Whether the variable had another state before.
    pub changed: bool,
    /// The whole state as a tree.
    pub tree: String,
    /// What is different from the state before, line by line; empty for the first.
    pub difference: String,
}

/// How the script ended. Match without `_`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EndSeen {
    Completed,
    Threw { line: u32 },
    Refused { line: u32 },
    TimedOut { line: u32 },
    Exhausted { line: u32 },
    Died { line: Option<u32>, cause: String },
    Interrupted,
}

/// Something the code under test must not do, and tried.
#[derive(Debug, Serialize)]
pub struct TaintSeen {
    pub line: u32,
    pub kind: String,
    pub detail: String,
}

/// A contract that does not hold.
#[derive(Debug, Serialize)]
pub struct ViolationSeen {
    pub contract: String,
    /// Variables or source texts of the values concerned.
    pub values: Vec<String>,
    pub thrown: Option<ThrownSeen>,
}

/// Edges in numbers.
#[derive(Debug, Serialize)]
pub struct Coverage {
    pub classes: usize,
    pub edges: usize,
    pub taken: usize,
}

impl From<&Value> for ValueSeen {
    fn from(value: &Value) -> Self {
        let plain = |r#type, literal: String| ValueSeen { r#type, literal, class: None, length: None };
        match value {
            Value::Void => plain("void", String::new()),
            Value::Null => plain("null", "null".into()),
            Value::Boolean(v) => plain("boolean", v.to_string()),
            Value::Byte(v) => plain("byte", v.to_string()),
            Value::Char(v) => plain("char", char_literal(*v)),
            Value::Short(v) => plain("short", v.to_string()),
            Value::Int(v) => plain("int", v.to_string()),
            Value::Long(v) => plain("long", format!("{v}L")),
            Value::Float(v) => plain("float", floating(f64::from(*v), &format!("{v:?}f"))),
            Value::Double(v) => plain("double", floating(*v, &format!("{v:?}"))),
            Value::String { text, length } => {
                ValueSeen { r#type: "string", literal: text.to_string(), class: None, length: Some(*length) }
            }
            Value::Object { class } => {
                let class = class.to_binary();
                ValueSeen { r#type: "object", literal: class.clone(), class: Some(class), length: None }
            }
            Value::Array { class, length } => {
                let shown = array_class(class.as_internal(), *length);
                ValueSeen {
                    r#type: "array",
                    literal: shown,
                    class: Some(class.to_binary()),
                    length: Some(*length),
                }
            }
        }
    }
}

fn floating(value: f64, finite: &str) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else {
        finite.into()
    }
}

fn char_literal(unit: u16) -> String {
    match char::from_u32(u32::from(unit)) {
        Some('\'') => "'\\''".into(),
        Some('\\') => "'\\\\'".into(),
        Some(c) if !c.is_control() => format!("'{c}'"),
        _ => format!("'\\u{unit:04x}'"),
    }
}

/// `[Ljava/lang/String;` of length 3 as `java.lang.String[3]`.
fn array_class(class: &str, length: u32) -> String {
    match probat_model::Type::parse(class) {
        Ok(probat_model::Type::Array(element)) => {
            let shown = element.to_string();
            match shown.find('[') {
                Some(at) => format!("{}[{length}]{}", &shown[..at], &shown[at..]),
                None => format!("{shown}[{length}]"),
            }
        }
        _ => format!("{class}[{length}]"),
    }
}

impl From<&Thrown> for ThrownSeen {
    fn from(thrown: &Thrown) -> Self {
        ThrownSeen {
            class: thrown.class.to_binary(),
            message: thrown.message.as_ref().map(|message| message.to_lossy()),
            cause: thrown.cause.as_ref().map(|cause| cause.to_binary()),
            frames: thrown
                .frames
                .iter()
                .map(|frame| FrameSeen {
                    class: frame.class.to_binary(),
                    method: frame.method.clone(),
                    line: frame.line,
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, JavaString};

    #[test]
    fn values_read_like_java() {
        let array = |class: &str| Value::Array { class: ClassName::internal(class), length: 3 };
        for (value, literal) in [
            (Value::Long(-5), "-5L"),
            (Value::Char(0x27), "'\\''"),
            (Value::Char(0xd800), "'\\ud800'"),
            (Value::Float(1.5), "1.5f"),
            (Value::Double(f64::NAN), "NaN"),
            (Value::Double(f64::NEG_INFINITY), "-Infinity"),
            (Value::Double(1e100), "1e100"),
            (Value::String { text: JavaString::from("a\n"), length: 2 }, "\"a\\n\""),
            (array("[I"), "int[3]"),
            (array("[[Ljava/lang/String;"), "java.lang.String[3][]"),
        ] {
            assert_eq!(ValueSeen::from(&value).literal, literal);
        }
    }
}
