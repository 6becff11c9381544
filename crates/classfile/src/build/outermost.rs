//! Methods of `$Probat` that tell the outermost calls on recorded classes from those nested in them.
//!
//! In: reports from `passes::outermost`. Out: `enter`, `exit` and `threw` for outermost calls of the recorded thread; the rest costs
//! a counter here and never leaves the JVM. A constructor whose `super(…)` throws cannot report that it ends, so when an exception leaves
//! a method while such a call is under way, the count is taken anew from the stack, by `recount`.

use super::{BuildError, ClassBuilder};
use crate::code::{Arith, Cond, Insn, Kind, Label, Labels, Node, Number};
use crate::flags::AccessFlags;
use crate::passes::{Member, PROBAT};
use crate::pool::ConstantPool;

/// The thread whose calls count.
const RECORDED: (&str, &str) = ("recorded", "Ljava/lang/Thread;");
/// Recorded methods on its stack; constructors under way that wait for a recorded one; whether the count is in doubt; calls elsewhere.
const COUNTERS: [&str; 4] = ["depth", "pending", "doubt", "elsewhere"];

const STATIC: AccessFlags = AccessFlags::PUBLIC.with(AccessFlags::STATIC);

/// Adds the fields.
pub(super) fn add_fields(builder: &mut ClassBuilder) -> Result<(), BuildError> {
    builder.field(STATIC, RECORDED.0, RECORDED.1)?;
    for name in COUNTERS {
        builder.field(STATIC, name, "I")?;
    }
    Ok(())
}

/// Adds one of the methods.
pub(super) fn add_method(builder: &mut ClassBuilder, member: Member) -> Result<(), BuildError> {
    let mut labels = Labels::default();
    let mut body = Body { pool: builder.pool(), over: labels.fresh(), labels, nodes: Vec::new() };
    let locals = match member {
        Member::Begin => body.begin()?,
        Member::Left => body.ends(Member::Exit)?,
        Member::Failed => body.ends(Member::Threw)?,
        Member::Making => body.counts("pending", 1)?,
        Member::Made => body.counts("pending", -1)?,
        Member::Pause => body.counts("depth", -1)?,
        _ => body.counts("depth", 1)?,
    };
    let Body { labels, nodes, .. } = body;
    builder.jumping_method(STATIC, member.signature(), (4, locals), labels, nodes)?;
    Ok(())
}

struct Body<'a> {
    pool: &'a mut ConstantPool,
    labels: Labels,
    /// Where calls on other threads go.
    over: Label,
    nodes: Vec<Node>,
}

impl Body<'_> {
    fn put<N: Into<Node>>(&mut self, nodes: impl IntoIterator<Item = N>) {
        self.nodes.extend(nodes.into_iter().map(Into::into));
    }

    fn counter(&mut self, name: &str) -> Result<(Insn, Insn), BuildError> {
        let field = self.pool.add_field_ref(PROBAT, name, "I")?;
        Ok((Insn::GetStatic(field), Insn::PutStatic(field)))
    }

    /// Goes to `over` on any thread but the recorded one.
    fn only_recorded(&mut self) -> Result<(), BuildError> {
        let current =
            self.pool.add_method_ref("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;")?;
        let recorded = self.pool.add_field_ref(PROBAT, RECORDED.0, RECORDED.1)?;
        let over = self.over;
        self.put([Insn::InvokeStatic(current), Insn::GetStatic(recorded), Insn::If(Cond::AcmpNe, over)]);
        Ok(())
    }

    fn add(&mut self, name: &str, by: i16) -> Result<(), BuildError> {
        let (get, put) = self.counter(name)?;
        self.put([get, Insn::Int(by), Insn::Arith(Arith::Add, Number::Int), put]);
        Ok(())
    }

    /// Counts anew where the count is in doubt; `beginning` methods on the stack are not counted yet.
    fn settle(&mut self, beginning: i16) -> Result<(), BuildError> {
        let (doubt, _) = self.counter("doubt")?;
        let (name, descriptor) = Member::Recount.signature();
        let recount = self.pool.add_method_ref(PROBAT, name, descriptor)?;
        let sure = self.labels.fresh();
        self.put([doubt, Insn::If(Cond::Eq, sure), Insn::Int(beginning), Insn::InvokeStatic(recount)]);
        self.put([sure]);
        Ok(())
    }

    /// `begin`: whether an outermost call begins.
    fn begin(&mut self) -> Result<u16, BuildError> {
        self.only_recorded()?;
        self.settle(1)?;
        let (depth, _) = self.counter("depth")?;
        let nested = self.labels.fresh();
        self.put([depth]);
        self.add("depth", 1)?;
        self.put([Insn::If(Cond::Ne, nested), Insn::Int(1), Insn::Return(Some(Kind::Int))]);
        self.put([nested]);
        self.put([Insn::Int(0), Insn::Return(Some(Kind::Int))]);
        let over = self.over;
        self.put([over]);
        self.add("elsewhere", 1)?;
        self.put([Insn::Int(0), Insn::Return(Some(Kind::Int))]);
        Ok(0)
    }

    /// `left` and `failed`: an outermost call is reported while it still counts, so that what is called meanwhile is nested.
    fn ends(&mut self, report: Member) -> Result<u16, BuildError> {
        self.only_recorded()?;
        self.settle(0)?;
        let (depth, _) = self.counter("depth")?;
        let nested = self.labels.fresh();
        let (name, descriptor) = report.signature();
        let report_to = self.pool.add_method_ref(PROBAT, name, descriptor)?;
        self.put([depth, Insn::Int(1), Insn::If(Cond::IcmpNe, nested)]);
        self.put([Insn::Load(Kind::Int, 0), Insn::Load(Kind::Reference, 1), Insn::InvokeStatic(report_to)]);
        self.put([nested]);
        self.add("depth", -1)?;
        if report == Member::Threw {
            let (pending, _) = self.counter("pending")?;
            let (_, doubt) = self.counter("doubt")?;
            let over = self.over;
            self.put([pending, Insn::If(Cond::Le, over), Insn::Int(1), doubt]);
        }
        self.finish();
        Ok(2)
    }

    fn counts(&mut self, name: &str, by: i16) -> Result<u16, BuildError> {
        self.only_recorded()?;
        self.add(name, by)?;
        self.finish();
        Ok(0)
    }

    fn finish(&mut self) {
        let over = self.over;
        self.put([over]);
        self.put([Insn::Return(None)]);
    }
}
