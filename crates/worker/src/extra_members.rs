//! Members that a coverage tool would add, for code that looks at its own classes by reflection.
//!
//! In: the bytes of a class. Out: the same with a synthetic static field and a synthetic static method more, or `None` where there is no room.
//! Both are private, so the serial version of the class stays what it is. Nothing calls the method: it has no code.

use probat_classfile::{AccessFlags, ClassFile, Field, Method};

const FIELD: &str = "$probatData";
const METHOD: &str = "$probatInit";

/// The class with the members; interfaces are left alone.
pub fn with_extra_members(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut class = ClassFile::read(bytes).ok()?;
    if class.access.has(AccessFlags::INTERFACE) {
        return None;
    }
    let hidden = AccessFlags::PRIVATE.with(AccessFlags::STATIC).with(AccessFlags::SYNTHETIC);
    let (name, descriptor) = (class.pool.add_text(FIELD).ok()?, class.pool.add_text("[Z").ok()?);
    let access = hidden.with(AccessFlags::TRANSIENT);
    class.fields.push(Field { access, name, descriptor, attributes: Vec::new() });
    let (name, descriptor) = (class.pool.add_text(METHOD).ok()?, class.pool.add_text("()[Z").ok()?);
    let access = hidden.with(AccessFlags::NATIVE);
    class.methods.push(Method { access, name, descriptor, attributes: Vec::new() });
    class.write().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_classfile::build::{ProbatClassSpec, probat_class};

    #[test]
    fn a_class_has_one_field_and_one_method_more() {
        let bytes =
            probat_class(&ProbatClassSpec { probes: 64, comparisons: 0, sites: 0, reads: 0 }).unwrap();
        let before = ClassFile::read(&bytes).unwrap();
        let after = ClassFile::read(&with_extra_members(&bytes).unwrap()).unwrap();
        assert_eq!(after.fields.len(), before.fields.len() + 1);
        assert_eq!(after.methods.len(), before.methods.len() + 1);
        assert!(after.find_method(METHOD, "()[Z").is_some());
        assert_eq!(with_extra_members(b"rubbish"), None);
    }
}
