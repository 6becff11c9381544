//! A pass over static initialisers: they say when they begin, end and fail.
//!
//! In: the bytes of a class and its number. Out: the bytes with calls to `$Probat.enter`, `exit` and `threw` in
//! `<clinit>`, or `None` where there is no initialiser or no room for the calls.

use probat_classfile::code::{Handler, StackOp};
use probat_classfile::passes::{Edits, Member, Members, push_int};
use probat_classfile::{AccessFlags, ClassFile, Code, ConstantPool, Frame, Insn, Node, VerificationType};

/// Classes before this version have no frames.
const FIRST_WITH_FRAMES: u16 = 50;

/// What a class does to static state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticFacts {
    /// It has static fields that can change.
    pub has_state: bool,
    pub has_initialiser: bool,
}

/// Reads the facts and adds the calls; the bytes are `None` where they stay as they are.
pub fn watch_initialiser(bytes: &[u8], number: u32) -> Option<(StaticFacts, Option<Vec<u8>>)> {
    let mut class = ClassFile::read(bytes).ok()?;
    let at = class.find_method("<clinit>", "()V");
    let facts = StaticFacts {
        has_state: class
            .fields
            .iter()
            .any(|field| field.access.has(AccessFlags::STATIC) && !field.access.has(AccessFlags::FINAL)),
        has_initialiser: at.is_some(),
    };
    Some((facts, at.and_then(|at| rewrite(&mut class, at, number))))
}

fn rewrite(class: &mut ClassFile, at: usize, number: u32) -> Option<Vec<u8>> {
    let code = class.code(&class.methods[at]).ok()??;
    let has_frames = class.major >= FIRST_WITH_FRAMES;
    let code = with_calls(&mut class.pool, code, number.cast_signed(), has_frames)?;
    class.set_code(at, &code).ok()?;
    class.write().ok()
}

fn with_calls(pool: &mut ConstantPool, code: Code, number: i32, has_frames: bool) -> Option<Code> {
    let mut members = Members::default();
    let mut edits = Edits::new(&code);
    let (start, end, handler) = (edits.fresh_label(), edits.fresh_label(), edits.fresh_label());
    let id = push_int(pool, number).ok()?;
    let enter = members.call(pool, Member::Enter).ok()?;
    edits.before::<Node>(
        0,
        [id.clone().into(), Insn::Null.into(), Insn::Null.into(), enter.into(), start.into()],
    );
    let exit = members.call(pool, Member::Exit).ok()?;
    for (at, node) in code.nodes.iter().enumerate() {
        if matches!(node, Node::Insn(Insn::Return(None))) {
            edits.before(at, [id.clone(), Insn::Null, exit.clone()]);
        }
    }
    let threw = members.call(pool, Member::Threw).ok()?;
    edits.append::<Node>([
        end.into(),
        handler.into(),
        Insn::Stack(StackOp::Dup).into(),
        id.into(),
        Insn::Stack(StackOp::Swap).into(),
        threw.into(),
        Insn::AThrow.into(),
    ]);
    edits.add_handler(Handler { start, end, handler, catch_type: None });
    if has_frames {
        let throwable = VerificationType::Object(pool.add_class("java/lang/Throwable").ok()?);
        edits.add_frame(handler, Frame { locals: Vec::new(), stack: vec![throwable] });
    }
    edits.need_stack(3);
    edits.apply(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_classfile::build::{ProbatClassSpec, probat_class};

    #[test]
    fn initialisers_report_and_stay_readable() {
        let mut bytes =
            probat_class(&ProbatClassSpec { probes: 64, comparisons: 0, sites: 0, reads: 0 }).unwrap();
        // Frames came with version 50 (JVMS §4.10.1).
        for (major, frames) in [(49, 0), (52, 1)] {
            bytes[6..8].copy_from_slice(&u16::to_be_bytes(major));
            let (facts, rewritten) = watch_initialiser(&bytes, 70_000).unwrap();
            assert_eq!(facts, StaticFacts { has_state: true, has_initialiser: true });
            let class = ClassFile::read(&rewritten.unwrap()).unwrap();
            let at = class.find_method("<clinit>", "()V").unwrap();
            let code = class.code(&class.methods[at]).unwrap().unwrap();
            let calls =
                code.nodes.iter().filter(|node| matches!(node, Node::Insn(Insn::InvokeStatic(_)))).count();
            assert_eq!((calls, code.handlers.len(), code.frames.len()), (3, 1, frames));
        }
    }

    #[test]
    fn classes_without_initialiser_are_left_alone() {
        let spec = probat_model::StubSpec {
            of: probat_model::ClassName::internal("java/lang/Runnable"),
            is_interface: true,
            constructor: None,
            captures: Vec::new(),
            methods: Vec::new(),
        };
        let name = probat_model::ClassName::internal("a/B");
        let bytes = probat_classfile::build::stub_class(&spec, &name).unwrap();
        let none = StaticFacts { has_state: false, has_initialiser: false };
        assert_eq!(watch_initialiser(&bytes, 1), Some((none, None)));
        assert_eq!(watch_initialiser(b"rubbish", 1), None);
    }
}
