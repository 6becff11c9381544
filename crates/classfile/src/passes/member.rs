//! Instructions that talk to `java/lang/$Probat`, the class all inserted code reports to.
//!
//! In: a class's constant pool. Out: references to the members of `$Probat`, each added once and only when used.
//! The class itself is written by `build::probat_class` from the same table of members.

use crate::code::{Element, Insn};
use crate::error::AppendError;
use crate::pool::{ConstantPool, PoolIndex};

/// The class that inserted code reports to, in internal form.
pub const PROBAT: &str = "java/lang/$Probat";

/// A member of `$Probat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Member {
    Map,
    Pages,
    Dirty,
    CmpInt,
    CmpLong,
    CmpDouble,
    CmpRef,
    Instance,
    Guard,
    FieldRead,
    FieldWritten,
    ArrayWritten,
    Enter,
    Exit,
    Threw,
    Begin,
    Left,
    Failed,
    Making,
    Made,
    Pause,
    Resume,
    Recount,
    Read,
}

impl Member {
    /// All members that passes use.
    pub const ALL: [Member; 24] = [
        Member::Map,
        Member::Pages,
        Member::Dirty,
        Member::CmpInt,
        Member::CmpLong,
        Member::CmpDouble,
        Member::CmpRef,
        Member::Instance,
        Member::Guard,
        Member::FieldRead,
        Member::FieldWritten,
        Member::ArrayWritten,
        Member::Enter,
        Member::Exit,
        Member::Threw,
        Member::Begin,
        Member::Left,
        Member::Failed,
        Member::Making,
        Member::Made,
        Member::Pause,
        Member::Resume,
        Member::Recount,
        Member::Read,
    ];

    /// Name and descriptor.
    pub const fn signature(self) -> (&'static str, &'static str) {
        match self {
            Member::Map => ("map", "[B"),
            Member::Pages => ("pages", "[B"),
            Member::Dirty => ("dirty", "[B"),
            Member::CmpInt => ("cmpInt", "(III)V"),
            Member::CmpLong => ("cmpLong", "(JJI)V"),
            Member::CmpDouble => ("cmpDouble", "(DDI)V"),
            Member::CmpRef => ("cmpRef", "(Ljava/lang/Object;Ljava/lang/Object;I)V"),
            Member::Instance => ("instance", "(Ljava/lang/Object;Ljava/lang/Class;I)V"),
            Member::Guard => ("guard", "(ILjava/lang/Object;)V"),
            Member::FieldRead => ("fieldRead", "(Ljava/lang/Object;I)V"),
            Member::FieldWritten => ("fieldWritten", "(Ljava/lang/Object;I)V"),
            Member::ArrayWritten => ("arrayWritten", "(Ljava/lang/Object;)V"),
            Member::Enter => ("enter", "(ILjava/lang/Object;[Ljava/lang/Object;)V"),
            Member::Exit => ("exit", "(ILjava/lang/Object;)V"),
            Member::Threw => ("threw", "(ILjava/lang/Throwable;)V"),
            Member::Begin => ("begin", "()Z"),
            Member::Left => ("left", "(ILjava/lang/Object;)V"),
            Member::Failed => ("failed", "(ILjava/lang/Throwable;)V"),
            Member::Making => ("making", "()V"),
            Member::Made => ("made", "()V"),
            Member::Pause => ("pause", "()V"),
            Member::Resume => ("resume", "()V"),
            Member::Recount => ("recount", "(I)V"),
            Member::Read => ("read", "(Ljava/lang/Object;I)V"),
        }
    }

    /// Whether it is a field.
    pub const fn is_field(self) -> bool {
        matches!(self, Member::Map | Member::Pages | Member::Dirty)
    }

    /// Whether it is implemented by the worker.
    pub const fn is_native(self) -> bool {
        matches!(
            self,
            Member::Guard
                | Member::FieldRead
                | Member::FieldWritten
                | Member::ArrayWritten
                | Member::Enter
                | Member::Exit
                | Member::Threw
                | Member::Recount
        )
    }
}

/// The references to members of `$Probat` that one class has so far.
#[derive(Debug, Default)]
pub struct Members {
    known: [Option<PoolIndex>; Member::ALL.len()],
}

/// Stack that [`Members::mark`] needs.
pub const MARK_STACK: u16 = 3;

/// The most bytes [`Members::mark`] takes.
pub const MARK_BYTES: usize = 8;

impl Members {
    /// Where the reference to a member is in the pool.
    pub fn index(&mut self, pool: &mut ConstantPool, member: Member) -> Result<PoolIndex, AppendError> {
        if let Some(index) = self.known[member as usize] {
            return Ok(index);
        }
        let (name, descriptor) = member.signature();
        let index = if member.is_field() {
            pool.add_field_ref(PROBAT, name, descriptor)?
        } else {
            pool.add_method_ref(PROBAT, name, descriptor)?
        };
        self.known[member as usize] = Some(index);
        Ok(index)
    }

    /// Stores 1 at an index of one of the byte arrays.
    pub fn mark(
        &mut self,
        pool: &mut ConstantPool,
        array: Member,
        at: u32,
    ) -> Result<[Insn; 4], AppendError> {
        let array = self.index(pool, array)?;
        let at = push_int(pool, i32::try_from(at).unwrap_or(i32::MAX))?;
        Ok([Insn::GetStatic(array), at, Insn::Int(1), Insn::ArrayStore(Element::Byte)])
    }

    /// Calls one of the methods.
    pub fn call(&mut self, pool: &mut ConstantPool, method: Member) -> Result<Insn, AppendError> {
        self.index(pool, method).map(Insn::InvokeStatic)
    }
}

/// Pushes an `int`.
pub fn push_int(pool: &mut ConstantPool, value: i32) -> Result<Insn, AppendError> {
    match i16::try_from(value) {
        Ok(small) => Ok(Insn::Int(small)),
        Err(_) => pool.add_int(value).map(Insn::Ldc),
    }
}
