//! Access flags of classes, members, parameters and modules (JVMS §4.1, §4.5, §4.6, §4.7.6).
//!
//! In and out: the raw 16 bits, kept as read. One bit means different things in different places, so the names
//! below are plain constants over one type.

use std::fmt;

/// The `access_flags` of a structure; bits without a name are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AccessFlags(pub u16);

impl AccessFlags {
    pub const PUBLIC: AccessFlags = AccessFlags(0x0001);
    pub const PRIVATE: AccessFlags = AccessFlags(0x0002);
    pub const PROTECTED: AccessFlags = AccessFlags(0x0004);
    pub const STATIC: AccessFlags = AccessFlags(0x0008);
    pub const FINAL: AccessFlags = AccessFlags(0x0010);
    /// Of a class: `invokespecial` looks up superclass methods the modern way.
    pub const SUPER: AccessFlags = AccessFlags(0x0020);
    /// Of a method.
    pub const SYNCHRONIZED: AccessFlags = AccessFlags(0x0020);
    /// Of a field.
    pub const VOLATILE: AccessFlags = AccessFlags(0x0040);
    /// Of a method.
    pub const BRIDGE: AccessFlags = AccessFlags(0x0040);
    /// Of a field.
    pub const TRANSIENT: AccessFlags = AccessFlags(0x0080);
    /// Of a method.
    pub const VARARGS: AccessFlags = AccessFlags(0x0080);
    pub const NATIVE: AccessFlags = AccessFlags(0x0100);
    pub const INTERFACE: AccessFlags = AccessFlags(0x0200);
    pub const ABSTRACT: AccessFlags = AccessFlags(0x0400);
    pub const STRICT: AccessFlags = AccessFlags(0x0800);
    pub const SYNTHETIC: AccessFlags = AccessFlags(0x1000);
    pub const ANNOTATION: AccessFlags = AccessFlags(0x2000);
    pub const ENUM: AccessFlags = AccessFlags(0x4000);
    /// Of a parameter or a module statement.
    pub const MANDATED: AccessFlags = AccessFlags(0x8000);
    /// Of a class: it is a module declaration.
    pub const MODULE: AccessFlags = AccessFlags(0x8000);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: AccessFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets of bits.
    pub const fn with(self, other: AccessFlags) -> AccessFlags {
        AccessFlags(self.0 | other.0)
    }

    /// These bits without those of `other`.
    pub const fn without(self, other: AccessFlags) -> AccessFlags {
        AccessFlags(self.0 & !other.0)
    }
}

impl fmt::Debug for AccessFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.0)
    }
}
