//! Methods of `$Probat` that tell the outermost calls on recorded classes from those nested in them.
//!
//! In: reports from `passes::outermost`. Out: `enter`, `exit` and `threw` for outermost calls of the recorded thread; the rest costs
//! a counter here and never leaves the JVM. A constructor whose `super(…)` throws cannot report that it ends. Where all methods below the
//! one that throws are such constructors, the exception leaves them all: it is the end of the outermost call. Otherwise, when an exception leaves
//! a method while such a call is under way, the count is taken anew from the stack, by `recount`.

use super::{BuildError, ClassBuilder};
use crate::code::{Arith, Cond, Insn, Kind, Label, Labels, Node, Number};
use crate::flags::AccessFlags;
use crate::passes::{Member, PROBAT};
use crate::pool::ConstantPool;

/// The thread whose calls count.
const RECORDED: (&str, &str) = ("recorded", "Ljava/lang/Thread;");
/// Recorded methods on its stack; constructors under way that wait for a recorded one; those of them that have nothing else below, less
/// than zero while a superclass of theirs that is not recorded is made; whether the count is in doubt; calls elsewhere.
const COUNTERS: [&str; 5] = ["depth", "pending", "base", "doubt", "elsewhere"];

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
        Member::Making => body.making()?,
        Member::Made => body.made()?,
        Member::Pause => body.pause()?,
        _ => body.resume()?,
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

    fn set(&mut self, name: &str, value: i16) -> Result<(), BuildError> {
        let (_, put) = self.counter(name)?;
        self.put([Insn::Int(value), put]);
        Ok(())
    }

    /// Pushes `base + 1`: where the first method stands that is no constructor waiting at the bottom.
    fn above_base(&mut self) -> Result<(), BuildError> {
        let (base, _) = self.counter("base")?;
        self.put([base, Insn::Int(1), Insn::Arith(Arith::Add, Number::Int)]);
        Ok(())
    }

    /// Counts anew where the count is in doubt; `beginning` methods on the stack are not counted yet.
    fn settle(&mut self, beginning: i16) -> Result<(), BuildError> {
        let (doubt, _) = self.counter("doubt")?;
        let (base, _) = self.counter("base")?;
        let (name, descriptor) = Member::Recount.signature();
        let recount = self.pool.add_method_ref(PROBAT, name, descriptor)?;
        let (doubtful, sure) = (self.labels.fresh(), self.labels.fresh());
        self.put([doubt, Insn::If(Cond::Ne, doubtful), base, Insn::If(Cond::Ge, sure)]);
        self.put([doubtful]);
        self.put([Insn::Int(beginning), Insn::InvokeStatic(recount)]);
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
        self.put([depth]);
        if report == Member::Threw {
            self.above_base()?
        } else {
            self.put([Insn::Int(1)])
        }
        self.put([Insn::If(Cond::IcmpNe, nested)]);
        self.put([Insn::Load(Kind::Int, 0), Insn::Load(Kind::Reference, 1), Insn::InvokeStatic(report_to)]);
        if report == Member::Threw {
            for counter in ["depth", "pending", "base"] {
                self.set(counter, 0)?;
            }
            self.put([Insn::Return(None)]);
        }
        self.put([nested]);
        self.add("depth", -1)?;
        if report == Member::Threw {
            let (pending, _) = self.counter("pending")?;
            let over = self.over;
            self.put([pending, Insn::If(Cond::Le, over)]);
            self.set("doubt", 1)?;
        }
        self.finish();
        Ok(2)
    }

    /// `making`: a constructor waits for a recorded one.
    fn making(&mut self) -> Result<u16, BuildError> {
        self.only_recorded()?;
        self.add("pending", 1)?;
        let (depth, _) = self.counter("depth")?;
        let over = self.over;
        self.put([depth]);
        self.above_base()?;
        self.put([Insn::If(Cond::IcmpNe, over)]);
        self.add("base", 1)?;
        self.finish();
        Ok(0)
    }

    /// `made`: it goes on.
    fn made(&mut self) -> Result<u16, BuildError> {
        self.only_recorded()?;
        self.add("pending", -1)?;
        let ((depth, _), (base, _)) = (self.counter("depth")?, self.counter("base")?);
        let over = self.over;
        self.put([depth, base, Insn::If(Cond::IcmpNe, over)]);
        self.add("base", -1)?;
        self.finish();
        Ok(0)
    }

    /// `pause`: a constructor does not count while a superclass that is not recorded is made, nor do those at the bottom that wait for it:
    /// an exception would leave them all, unseen.
    fn pause(&mut self) -> Result<u16, BuildError> {
        self.only_recorded()?;
        let ((depth, _), (base, put_base)) = (self.counter("depth")?, self.counter("base")?);
        let (over, plain) = (self.over, self.labels.fresh());
        self.put([base.clone(), Insn::If(Cond::Le, plain), depth]);
        self.above_base()?;
        self.put([Insn::If(Cond::IcmpNe, plain), Insn::Int(0), base]);
        self.put([Insn::Arith(Arith::Sub, Number::Int), put_base]);
        self.set("depth", 0)?;
        self.put([Insn::Goto(over)]);
        self.put([plain]);
        self.add("depth", -1)?;
        self.finish();
        Ok(0)
    }

    /// `resume`: they count again.
    fn resume(&mut self) -> Result<u16, BuildError> {
        self.only_recorded()?;
        let ((base, put_base), (_, put_depth)) = (self.counter("base")?, self.counter("depth")?);
        let (over, plain) = (self.over, self.labels.fresh());
        self.put([base.clone(), Insn::If(Cond::Ge, plain), Insn::Int(0), base]);
        self.put([Insn::Arith(Arith::Sub, Number::Int), put_base]);
        self.above_base()?;
        self.put([put_depth, Insn::Goto(over)]);
        self.put([plain]);
        self.add("depth", 1)?;
        self.finish();
        Ok(0)
    }

    fn finish(&mut self) {
        let over = self.over;
        self.put([over]);
        self.put([Insn::Return(None)]);
    }
}
