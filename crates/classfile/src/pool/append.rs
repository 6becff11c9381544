//! Adding constants: each value once, at the end.
//!
//! In: names, values, indices of other constants. Out: the index of an equal constant, old or new.
//! Refuses what does not fit: 65535 entries, 65535 bytes of text.

use std::hash::Hasher;

use probat_model::JavaString;
use rustc_hash::FxHasher;

use super::resolve::HandleKind;
use super::{ConstantPool, MAX_COUNT, PoolIndex, UNUSED, tag};
use crate::error::AppendError;
use crate::mutf8;

/// An open-addressing table from written constants to their indices.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    /// Indices, 0 for a free slot; a power of two, at most half full.
    slots: Vec<u16>,
    used: usize,
}

impl Lookup {
    fn of(pool: &ConstantPool) -> Lookup {
        let size = (pool.offsets.len() * 2).next_power_of_two().max(64);
        let mut lookup = Lookup { slots: vec![0; size], used: 0 };
        for (index, &at) in pool.offsets.iter().enumerate() {
            if at != UNUSED {
                let raw = pool.raw(at as usize);
                if let Err(slot) = lookup.find(pool, raw) {
                    lookup.slots[slot] = index as u16;
                    lookup.used += 1;
                }
            }
        }
        lookup
    }

    /// The index of an equal constant, or the slot where it would go.
    fn find(&self, pool: &ConstantPool, raw: &[u8]) -> Result<PoolIndex, usize> {
        let mask = self.slots.len() - 1;
        let mut hasher = FxHasher::default();
        hasher.write(raw);
        let mut slot = hasher.finish() as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                index if pool.raw(pool.offsets[usize::from(index)] as usize) == raw => {
                    return Ok(PoolIndex(index));
                }
                _ => slot = (slot + 1) & mask,
            }
        }
    }
}

impl ConstantPool {
    /// The constant written like this, if there is one.
    fn find_raw(&self, raw: &[u8]) -> Option<PoolIndex> {
        self.lookup.get_or_init(|| Lookup::of(self)).find(self, raw).ok()
    }

    /// The index of a constant written like this, appended if new.
    fn add_raw(&mut self, raw: &[u8]) -> Result<PoolIndex, AppendError> {
        self.lookup.get_or_init(|| Lookup::of(self));
        let mut lookup = self.lookup.take().expect("initialised in the line above");
        let found = lookup.find(self, raw);
        let result = match found {
            Ok(index) => Ok(index),
            Err(slot) => self.push_raw(raw).inspect(|index| {
                lookup.slots[slot] = index.0;
                lookup.used += 1;
            }),
        };
        if lookup.used * 2 <= lookup.slots.len() {
            self.lookup = lookup.into();
        }
        result
    }

    fn push_raw(&mut self, raw: &[u8]) -> Result<PoolIndex, AppendError> {
        let wide = matches!(raw[0], tag::LONG | tag::DOUBLE);
        if self.offsets.len() + usize::from(wide) >= MAX_COUNT {
            return Err(AppendError::PoolFull);
        }
        let index = PoolIndex(self.offsets.len() as u16);
        self.offsets.push(self.bytes.len() as u32);
        if wide {
            self.offsets.push(UNUSED);
        }
        self.bytes.extend_from_slice(raw);
        Ok(index)
    }

    fn add_pair(&mut self, tag: u8, first: u16, second: u16) -> Result<PoolIndex, AppendError> {
        let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
        self.add_raw(&[tag, a, b, c, d])
    }

    fn add_single(&mut self, tag: u8, content: PoolIndex) -> Result<PoolIndex, AppendError> {
        let [a, b] = content.0.to_be_bytes();
        self.add_raw(&[tag, a, b])
    }

    /// Adds raw modified UTF-8.
    pub fn add_utf8(&mut self, bytes: &[u8]) -> Result<PoolIndex, AppendError> {
        let raw = raw_utf8(bytes).ok_or(AppendError::TextTooLong(bytes.len()))?;
        self.add_raw(&raw)
    }

    /// Adds a text constant.
    pub fn add_text(&mut self, text: &str) -> Result<PoolIndex, AppendError> {
        self.add_utf8(&mutf8::of_str(text))
    }

    /// Adds a class constant for an internal name or an array's descriptor.
    pub fn add_class(&mut self, name: &str) -> Result<PoolIndex, AppendError> {
        let name = self.add_text(name)?;
        self.add_single(tag::CLASS, name)
    }

    /// Adds a class constant for a name or array descriptor in modified UTF-8.
    pub fn add_class_utf8(&mut self, name: &[u8]) -> Result<PoolIndex, AppendError> {
        let name = self.add_utf8(name)?;
        self.add_single(tag::CLASS, name)
    }

    /// Adds a string constant.
    pub fn add_string(&mut self, value: &JavaString) -> Result<PoolIndex, AppendError> {
        let mut bytes = Vec::with_capacity(value.units().len());
        mutf8::from_units(value.units().iter().copied(), &mut bytes);
        let text = self.add_utf8(&bytes)?;
        self.add_single(tag::STRING, text)
    }

    pub fn add_int(&mut self, value: i32) -> Result<PoolIndex, AppendError> {
        let [a, b, c, d] = value.to_be_bytes();
        self.add_raw(&[tag::INTEGER, a, b, c, d])
    }

    /// Adds a float by its bits, so that every NaN stays itself.
    pub fn add_float(&mut self, value: f32) -> Result<PoolIndex, AppendError> {
        let [a, b, c, d] = value.to_be_bytes();
        self.add_raw(&[tag::FLOAT, a, b, c, d])
    }

    pub fn add_long(&mut self, value: i64) -> Result<PoolIndex, AppendError> {
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        self.add_raw(&[tag::LONG, a, b, c, d, e, f, g, h])
    }

    /// Adds a double by its bits, so that every NaN stays itself.
    pub fn add_double(&mut self, value: f64) -> Result<PoolIndex, AppendError> {
        let [a, b, c, d, e, f, g, h] = value.to_be_bytes();
        self.add_raw(&[tag::DOUBLE, a, b, c, d, e, f, g, h])
    }

    pub fn add_name_and_type(&mut self, name: &str, descriptor: &str) -> Result<PoolIndex, AppendError> {
        let name = self.add_text(name)?;
        let descriptor = self.add_text(descriptor)?;
        self.add_pair(tag::NAME_AND_TYPE, name.0, descriptor.0)
    }

    fn add_member(&mut self, tag: u8, member: [&str; 3]) -> Result<PoolIndex, AppendError> {
        let owner = self.add_class(member[0])?;
        let name_and_type = self.add_name_and_type(member[1], member[2])?;
        self.add_pair(tag, owner.0, name_and_type.0)
    }

    /// Adds a field reference; `owner` is an internal name.
    pub fn add_field_ref(&mut self, owner: &str, name: &str, ty: &str) -> Result<PoolIndex, AppendError> {
        self.add_member(tag::FIELD_REF, [owner, name, ty])
    }

    /// Adds a reference to a method of a class or array type.
    pub fn add_method_ref(&mut self, owner: &str, name: &str, ty: &str) -> Result<PoolIndex, AppendError> {
        self.add_member(tag::METHOD_REF, [owner, name, ty])
    }

    /// Adds a reference to a method of an interface.
    pub fn add_interface_method_ref(
        &mut self,
        owner: &str,
        name: &str,
        ty: &str,
    ) -> Result<PoolIndex, AppendError> {
        self.add_member(tag::INTERFACE_METHOD_REF, [owner, name, ty])
    }

    /// Adds a method handle to the member at `member`.
    pub fn add_method_handle(
        &mut self,
        kind: HandleKind,
        member: PoolIndex,
    ) -> Result<PoolIndex, AppendError> {
        let [a, b] = member.0.to_be_bytes();
        self.add_raw(&[tag::METHOD_HANDLE, kind as u8, a, b])
    }

    pub fn add_method_type(&mut self, descriptor: &str) -> Result<PoolIndex, AppendError> {
        let descriptor = self.add_text(descriptor)?;
        self.add_single(tag::METHOD_TYPE, descriptor)
    }

    /// Adds a dynamic constant; `bootstrap` counts in the class's `BootstrapMethods`.
    pub fn add_dynamic(&mut self, bootstrap: u16, name: &str, ty: &str) -> Result<PoolIndex, AppendError> {
        let name_and_type = self.add_name_and_type(name, ty)?;
        self.add_pair(tag::DYNAMIC, bootstrap, name_and_type.0)
    }

    /// Adds a call site; `bootstrap` counts in the class's `BootstrapMethods`.
    pub fn add_invoke_dynamic(
        &mut self,
        bootstrap: u16,
        name: &str,
        ty: &str,
    ) -> Result<PoolIndex, AppendError> {
        let name_and_type = self.add_name_and_type(name, ty)?;
        self.add_pair(tag::INVOKE_DYNAMIC, bootstrap, name_and_type.0)
    }

    /// The text constant with this content, if there is one.
    pub fn find_utf8(&self, bytes: &[u8]) -> Option<PoolIndex> {
        self.find_raw(&raw_utf8(bytes)?)
    }

    /// The class constant of an internal name or array descriptor in modified UTF-8, if there is one.
    pub fn find_class(&self, name: &[u8]) -> Option<PoolIndex> {
        let [a, b] = self.find_utf8(name)?.0.to_be_bytes();
        self.find_raw(&[tag::CLASS, a, b])
    }
}

/// A text constant as written; `None` if it is too long.
fn raw_utf8(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(bytes.len()).ok()?;
    let mut raw = Vec::with_capacity(3 + bytes.len());
    raw.push(tag::UTF8);
    raw.extend(length.to_be_bytes());
    raw.extend_from_slice(bytes);
    Some(raw)
}
