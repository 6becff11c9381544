//! Reading and writing fields, private and final ones too.
//!
//! In: a [`Field`] and an object. Out: its content, or a [`Rejection`] without any access.
//! Access checks of the language do not apply; a write to a `static final` the compiler has folded may go unseen.

use crate::call::{CallError, Rejection};
use crate::env::Env;
use crate::member::{Field, Kind, Trust, Value};
use crate::reference::{Local, Ref, raw_or_null};

/// Reads by the JNI function of the field's kind.
macro_rules! read {
    ($env:ident, $field:ident, $target:expr, $boolean:ident $byte:ident $char:ident $short:ident $int:ident $long:ident
     $float:ident $double:ident $object:ident) => {{
        let (target, id) = ($target, $field.id.raw());
        macro_rules! jni {
            ($name:ident) => {
                // SAFETY: the id belongs to a class that `$field` keeps loaded and has this kind; the target is that
                // class, or an instance of it as was checked or vouched for.
                unsafe { $env.jni.$name(target, id) }
            };
        }
        match $field.kind {
            Kind::Boolean => Value::Boolean(jni!($boolean)),
            Kind::Byte => Value::Byte(jni!($byte)),
            Kind::Char => Value::Char(jni!($char)),
            Kind::Short => Value::Short(jni!($short)),
            Kind::Int => Value::Int(jni!($int)),
            Kind::Long => Value::Long(jni!($long)),
            Kind::Float => Value::Float(jni!($float)),
            Kind::Double => Value::Double(jni!($double)),
            Kind::Object => {
                let raw = jni!($object);
                // SAFETY: null or a new local reference of this frame.
                Value::Object(unsafe { Ref::from_raw(raw) })
            }
        }
    }};
}

/// Writes by the JNI function of the value's kind, which the caller has compared with the field's.
macro_rules! write {
    ($env:ident, $field:ident, $target:expr, $value:expr, $boolean:ident $byte:ident $char:ident $short:ident $int:ident
     $long:ident $float:ident $double:ident $object:ident) => {{
        let (target, id) = ($target, $field.id.raw());
        macro_rules! jni {
            ($name:ident, $content:expr) => {
                // SAFETY: as for reading; the content is of the field's kind, and a reference is an instance of the
                // declared class as was checked or vouched for.
                unsafe { $env.jni.$name(target, id, $content) }
            };
        }
        match $value {
            Value::Boolean(content) => jni!($boolean, content),
            Value::Byte(content) => jni!($byte, content),
            Value::Char(content) => jni!($char, content),
            Value::Short(content) => jni!($short, content),
            Value::Int(content) => jni!($int, content),
            Value::Long(content) => jni!($long, content),
            Value::Float(content) => jni!($float, content),
            Value::Double(content) => jni!($double, content),
            Value::Object(content) => jni!($object, raw_or_null(content)),
        }
    }};
}

impl<'f> Env<'f> {
    /// Reads an instance field.
    #[inline]
    pub fn get(&self, field: &Field, object: Ref<'_>, trust: Trust) -> Result<Value<'f>, Rejection> {
        self.check_target(field, object, trust)?;
        Ok(
            read!(self, field, object.raw(), GetBooleanField GetByteField GetCharField GetShortField GetIntField
            GetLongField GetFloatField GetDoubleField GetObjectField),
        )
    }

    /// Reads an instance field that holds a reference, which can be deleted early.
    #[inline]
    pub fn get_object(
        &self,
        field: &Field,
        object: Ref<'_>,
        trust: Trust,
    ) -> Result<Option<Local<'f>>, Rejection> {
        self.check_target(field, object, trust)?;
        if field.kind != Kind::Object {
            return Err(Rejection::Kind { at: 0 });
        }
        // SAFETY: the id is of a reference field in a class kept loaded; the object is an instance, as checked or
        // vouched for.
        let raw = unsafe { self.jni.GetObjectField(object.raw(), field.id.raw()) };
        // SAFETY: null or a new local reference of this frame.
        Ok(unsafe { Local::from_raw(raw) })
    }

    /// Writes an instance field.
    #[inline]
    pub fn set(
        &self,
        field: &Field,
        object: Ref<'_>,
        value: Value<'_>,
        trust: Trust,
    ) -> Result<(), CallError<'f>> {
        self.check_target(field, object, trust)?;
        self.check_content(field, value, trust)?;
        write!(self, field, object.raw(), value, SetBooleanField SetByteField SetCharField SetShortField SetIntField
            SetLongField SetFloatField SetDoubleField SetObjectField);
        Ok(())
    }

    /// Reads a static field.
    #[inline]
    pub fn get_static(&self, field: &Field) -> Result<Value<'f>, Rejection> {
        if !field.is_static {
            return Err(Rejection::Dispatch);
        }
        Ok(read!(self, field, field.class.raw(), GetStaticBooleanField GetStaticByteField GetStaticCharField
            GetStaticShortField GetStaticIntField GetStaticLongField GetStaticFloatField GetStaticDoubleField
            GetStaticObjectField))
    }

    /// Writes a static field.
    #[inline]
    pub fn set_static(&self, field: &Field, value: Value<'_>, trust: Trust) -> Result<(), CallError<'f>> {
        if !field.is_static {
            return Err(Rejection::Dispatch.into());
        }
        self.check_content(field, value, trust)?;
        write!(self, field, field.class.raw(), value, SetStaticBooleanField SetStaticByteField SetStaticCharField
            SetStaticShortField SetStaticIntField SetStaticLongField SetStaticFloatField SetStaticDoubleField
            SetStaticObjectField);
        Ok(())
    }

    #[inline]
    fn check_target(&self, field: &Field, object: Ref<'_>, trust: Trust) -> Result<(), Rejection> {
        if field.is_static {
            return Err(Rejection::Dispatch);
        }
        if trust == Trust::Nothing || cfg!(debug_assertions) {
            let fits = self.is_instance_of(object, field.class.get());
            debug_assert!(
                fits || trust == Trust::Nothing,
                "the caller vouched for an object that lacks the field"
            );
            if !fits {
                return Err(Rejection::Receiver);
            }
        }
        Ok(())
    }

    #[inline]
    fn check_content(&self, field: &Field, value: Value<'_>, trust: Trust) -> Result<(), CallError<'f>> {
        if value.kind() != field.kind {
            return Err(Rejection::Kind { at: 0 }.into());
        }
        if let Value::Object(Some(object)) = value
            && (trust == Trust::Nothing || cfg!(debug_assertions))
        {
            let fits = self.is_instance_of(object, field.declared_class(self)?);
            debug_assert!(
                fits || trust == Trust::Nothing,
                "the caller vouched for a value the field cannot hold"
            );
            if !fits {
                return Err(Rejection::Argument { at: 0 }.into());
            }
        }
        Ok(())
    }
}
