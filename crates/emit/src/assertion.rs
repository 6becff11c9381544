//! Assertions on values.
//!
//! In: a value as text and what it was seen to be. Out: the assertion whose overload means that comparison, in either framework.

use probat_model::{ClassName, Type};

use crate::case::Expected;
use crate::class::Framework;
use crate::expression::{Printer, Text};
use crate::java::unboxed;
use crate::literal::{java_char, java_double, java_float, java_int, java_long};
use crate::statement::Stop;
use crate::typing::Static;

/// An assertion and the method it needs.
pub(crate) struct Assertion {
    pub method: &'static str,
    pub text: String,
}

fn unary(method: &'static str, text: &str) -> Assertion {
    Assertion { method, text: format!("{method}({text});") }
}

impl Printer<'_, '_> {
    pub fn assertion(
        &mut self,
        actual: &Text,
        expected: &Expected,
        framework: Framework,
    ) -> Result<Assertion, Stop> {
        Ok(match expected {
            Expected::Null => unary("assertNull", &actual.text),
            Expected::NotNull => unary("assertNotNull", &actual.text),
            Expected::Boolean(value) if self.is_kind(actual, &Type::Boolean) => {
                unary(if *value { "assertTrue" } else { "assertFalse" }, &actual.text)
            }
            Expected::Same(other) => {
                let other = self.value(*other)?.text;
                Assertion { method: "assertSame", text: format!("assertSame({other}, {});", actual.text) }
            }
            Expected::Array(element, values) => self.array_assertion(actual, element, values, framework)?,
            Expected::Constant(class, name) => self.constant(actual, class, name)?,
            value => self.equal(actual, value, framework)?,
        })
    }

    /// Whether the static type is the primitive or its box.
    fn is_kind(&self, text: &Text, primitive: &Type) -> bool {
        match self.typing.erasure(&text.ty) {
            Some(Type::Class(name)) if !text.free => unboxed(&name).as_ref() == Some(primitive),
            Some(ty) => ty == *primitive,
            None => false,
        }
    }

    fn equal(&mut self, actual: &Text, value: &Expected, framework: Framework) -> Result<Assertion, Stop> {
        let (kind, delta) = match value {
            Expected::Byte(_) => (Some(Type::Byte), ""),
            Expected::Short(_) => (Some(Type::Short), ""),
            Expected::Char(_) => (Some(Type::Char), ""),
            Expected::Int(_) => (Some(Type::Int), ""),
            Expected::Long(_) => (Some(Type::Long), ""),
            Expected::Float(_) => (Some(Type::Float), ", 0.0f"),
            Expected::Double(_) => (Some(Type::Double), ", 0.0"),
            _ => (None, ""),
        };
        let mut text = actual.text.clone();
        let mut used_delta = "";
        let mut is_primitive = false;
        if let Some(kind) = &kind {
            is_primitive = self.typing.erasure(&actual.ty).as_ref() == Some(kind);
            let is_box = !is_primitive && self.is_kind(actual, kind);
            match framework {
                _ if is_primitive => {}
                // Its assertions compare objects.
                Framework::Java => {}
                Framework::JUnit5 if is_box => {}
                // Only comparing objects is unambiguous there.
                Framework::JUnit4 => text = self.cast(actual, &Type::class("java/lang/Object"))?.text,
                Framework::JUnit5 if actual.free => {
                    text = self.cast(actual, &Type::class("java/lang/Object"))?.text;
                }
                Framework::JUnit5 => {}
            }
            if framework == Framework::JUnit4 && is_primitive {
                used_delta = delta;
            }
        }
        let as_objects = framework == Framework::Java;
        let spelled = match value {
            // Compared as numbers.
            Expected::Byte(value) if is_primitive && !as_objects => value.to_string(),
            Expected::Short(value) if is_primitive && !as_objects => value.to_string(),
            other => self.spell(other)?,
        };
        let text = format!("assertEquals({spelled}, {text}{used_delta});");
        Ok(Assertion { method: "assertEquals", text })
    }

    fn array_assertion(
        &mut self,
        actual: &Text,
        element: &Type,
        values: &[Expected],
        framework: Framework,
    ) -> Result<Assertion, Stop> {
        let expected = self.spell_array(element, values)?;
        let want = element.clone().array();
        let have = self.typing.erasure(&actual.ty);
        let fits = match (&have, element.is_primitive()) {
            (Some(have), true) => *have == want,
            (Some(Type::Array(inside)), false) => inside.is_reference(),
            _ => false,
        };
        let text = if fits && !actual.free { actual.text.clone() } else { self.cast(actual, &want)?.text };
        let delta = match (framework, element) {
            (Framework::JUnit4, Type::Double) => ", 0.0",
            (Framework::JUnit4, Type::Float) => ", 0.0f",
            _ => "",
        };
        Ok(Assertion {
            method: "assertArrayEquals",
            text: format!("assertArrayEquals({expected}, {text}{delta});"),
        })
    }

    /// An enum constant; of an enum that source cannot name, its name is compared.
    fn constant(&mut self, actual: &Text, class: &ClassName, name: &str) -> Result<Assertion, Stop> {
        let enum_type = Type::class("java/lang/Enum");
        let holder = self.typing.nameable(&Type::Class(class.clone()));
        let is_enum = holder != enum_type && self.typing.scope.is_subtype(&holder, &enum_type);
        let text = if is_enum {
            let holder = self.bare_name(&holder)?;
            format!("assertEquals({holder}.{name}, {});", actual.text)
        } else {
            let known = match self.typing.erasure(&actual.ty) {
                Some(ty) => self.typing.scope.is_subtype(&ty, &enum_type) && !actual.free,
                None => false,
            };
            let value = if known { actual.tight() } else { self.cast(actual, &enum_type)?.tight() };
            format!("assertEquals(\"{name}\", {value}.name());")
        };
        Ok(Assertion { method: "assertEquals", text })
    }

    fn spell_array(&mut self, element: &Type, values: &[Expected]) -> Result<String, Stop> {
        let name = self.bare_name(element)?;
        if values.is_empty() {
            let at = name.find('[').unwrap_or(name.len());
            return Ok(format!("new {}[0]{}", &name[..at], &name[at..]));
        }
        let mut list = Vec::with_capacity(values.len());
        for value in values {
            list.push(match value {
                Expected::Byte(value) => value.to_string(),
                Expected::Short(value) => value.to_string(),
                other => self.spell(other)?,
            });
        }
        Ok(format!("new {name}[] {{{}}}", list.join(", ")))
    }

    fn spell(&mut self, value: &Expected) -> Result<String, Stop> {
        Ok(match value {
            Expected::Null | Expected::NotNull | Expected::Same(_) => "null".into(),
            Expected::Boolean(value) => value.to_string(),
            Expected::Byte(value) => format!("(byte) {value}"),
            Expected::Short(value) => format!("(short) {value}"),
            Expected::Char(value) => java_char(*value),
            Expected::Int(value) => java_int(*value),
            Expected::Long(value) => java_long(*value),
            Expected::Float(value) => java_float(value.to_bits()),
            Expected::Double(value) => java_double(value.to_bits()),
            Expected::String(text) => self.text(text).0,
            Expected::Constant(class, name) => {
                let holder = self.typing.nameable(&Type::Class(class.clone()));
                format!("{}.{name}", self.bare_name(&holder)?)
            }
            Expected::Array(element, values) => self.spell_array(element, values)?,
        })
    }

    /// A call of a method of a JDK type, without argument or with one `Object`, cast as needed.
    pub fn invoke(
        &mut self,
        class: &str,
        name: &str,
        receiver: &Text,
        argument: Option<&Text>,
    ) -> Result<Text, Stop> {
        let class = ClassName::internal(class);
        let params = argument.map(|_| Type::class("java/lang/Object"));
        self.invoke_on(&class, name, params.as_slice(), receiver, argument)
    }
}

/// A bare `null`.
pub(crate) fn null() -> Text {
    Text::atom("null", Static::Null)
}
