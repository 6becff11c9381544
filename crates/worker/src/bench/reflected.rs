//! The calls through `java.lang.reflect`, as a generator written in Java makes them.
//!
//! Bytecode of our own walks over a sequence: it takes arguments from a list of earlier results, invokes a `Method` or
//! `Constructor` with them, and appends the result to the list.

use probat_classfile::ClassFile;
use probat_classfile::build::BuildError;
use probat_classfile::code::{Arith, Cond, Element, Insn, Kind, Labels, Node, Number, StackOp};
use probat_jvm::{Class, Env, Global, Local, Method, Ref, Trust, Value};
use probat_model::{Literal, Operation};

use super::classes::{self, Looping, PUBLIC_STATIC};
use super::{BenchError, Mix, MixStep, Runner, define, failed, method_of, primitive, static_method, threw};

const NAME: &str = "probat/bench/Reflect";
const ONE: &str = "([I[Ljava/lang/Object;[[I)Ljava/lang/Object;";
const KEEP: &str = "([I[Ljava/lang/Object;[[I)V";

/// Kinds of steps, as the bytecode tells them apart.
const LITERAL: i32 = 0;
const CONSTRUCTOR: i32 = 1;
const STATIC: i32 = 2;
const VIRTUAL: i32 = 3;

/// Sequences as the bytecode wants them.
pub struct Reflected {
    keep: Method,
    sequences: Vec<[Global; 3]>,
}

impl Reflected {
    pub fn new(env: &Env<'_>, mix: &Mix) -> Result<Self, BenchError> {
        let class = define(env, NAME, &reflect_class()?)?;
        let keep = static_method(env, &class, "keep", KEEP)?;
        let sequences: Result<Vec<[Global; 3]>, BenchError> =
            mix.sequences.iter().map(|sequence| arrays(env, mix, sequence)).collect();
        Ok(Reflected { keep, sequences: sequences? })
    }
}

impl Runner for Reflected {
    fn rounds(&mut self, env: &mut Env<'_>, rounds: u32) -> Result<(), BenchError> {
        for _ in 0..rounds {
            for [kinds, things, args] in &self.sequences {
                let given = [kinds, things, args].map(|global| Value::Object(Some(global.get())));
                let called = env.call_static(&self.keep, &given, Trust::Caller);
                called.map_err(|error| failed(env, error))?;
            }
        }
        Ok(())
    }
}

/// What kind each step is; its literal, method or constructor; where its arguments come from.
fn arrays(env: &Env<'_>, mix: &Mix, sequence: &[MixStep]) -> Result<[Global; 3], BenchError> {
    let fail = |thrown| threw(env, thrown);
    let object = env.find_class("java/lang/Object").map_err(fail)?;
    let ints = env.find_class("[I").map_err(fail)?;
    let array = |class: &Local<'_, Class>| match env.new_object_array(class.get(), sequence.len(), None) {
        Ok(Some(array)) => Ok(array),
        Ok(None) => Err(BenchError::Unsupported),
        Err(thrown) => Err(fail(thrown)),
    };
    let (things, args) = (array(&object)?, array(&ints)?);
    let mut kinds: Vec<i32> = Vec::new();
    for (at, step) in sequence.iter().enumerate() {
        let operation = mix.operation(step);
        kinds.push(match operation {
            Operation::Literal(_) => LITERAL,
            Operation::Construct { .. } => CONSTRUCTOR,
            Operation::CallStatic { .. } => STATIC,
            Operation::Call { .. } => VIRTUAL,
            _ => return Err(BenchError::Unsupported),
        });
        let thing = thing(env, operation)?;
        env.set_element(things.get(), at, thing.as_ref().map(Local::get)).map_err(fail)?;
        let from: Vec<i32> = step.args.iter().map(|&arg| arg as i32).collect();
        let from = env.array_of(&from).map_err(fail)?;
        env.set_element(args.get(), at, Some(from.get().erase())).map_err(fail)?;
    }
    let kinds = env.array_of(&kinds).map_err(fail)?;
    let global = |object: Ref<'_>| env.global(object).map_err(fail);
    Ok([global(kinds.get().erase())?, global(things.get().erase())?, global(args.get().erase())?])
}

/// The literal as an object, or the method.
fn thing<'f>(env: &Env<'f>, operation: &Operation) -> Result<Option<Local<'f>>, BenchError> {
    let fail = |thrown| threw(env, thrown);
    let Operation::Literal(literal) = operation else {
        let method = method_of(env, operation)?;
        return env.to_reflected_method(&method).map(Some).map_err(fail);
    };
    if let Literal::String(text) = literal {
        return Ok(Some(env.new_string(text.units()).map_err(fail)?.erase()));
    }
    let (class, descriptor) = match literal {
        Literal::Boolean(_) => ("java/lang/Boolean", "(Z)Ljava/lang/Boolean;"),
        Literal::Char(_) => ("java/lang/Character", "(C)Ljava/lang/Character;"),
        Literal::Int(_) => ("java/lang/Integer", "(I)Ljava/lang/Integer;"),
        Literal::Long(_) => ("java/lang/Long", "(J)Ljava/lang/Long;"),
        Literal::Double(_) => ("java/lang/Double", "(D)Ljava/lang/Double;"),
        Literal::Null(_) => return Ok(None),
        _ => return Err(BenchError::Unsupported),
    };
    let value = primitive(literal).ok_or(BenchError::Unsupported)?;
    let class = env.find_class(class).map_err(fail)?;
    let value_of = static_method(env, &class, "valueOf", descriptor)?;
    match env.call_static(&value_of, &[value], Trust::Caller).map_err(|error| failed(env, error))? {
        Some(Value::Object(Some(boxed))) => env.local(boxed).map(Some).map_err(fail),
        _ => Err(BenchError::Unsupported),
    }
}

fn reflect_class() -> Result<Vec<u8>, BuildError> {
    let mut builder = classes::class(NAME)?;
    builder.field(PUBLIC_STATIC, "last", "Ljava/lang/Object;")?;
    classes::finish(builder, |class| Ok(vec![one(class)?, keep(class)?]))
}

/// `last = one(kinds, things, args)`.
fn keep(class: &mut ClassFile) -> Result<Looping, BuildError> {
    let one = class.pool.add_method_ref(NAME, "one", ONE)?;
    let last = class.pool.add_field_ref(NAME, "last", "Ljava/lang/Object;")?;
    let load = |local| Insn::Load(Kind::Reference, local);
    let body =
        [load(0), load(1), load(2), Insn::InvokeStatic(one), Insn::PutStatic(last), Insn::Return(None)];
    let nodes = body.into_iter().map(Node::Insn).collect();
    let labels = Labels::default();
    Ok(Looping { name: "keep", descriptor: KEEP, max_stack: 3, max_locals: 3, labels, nodes })
}

// Locals of `one`.
const KINDS: u16 = 0;
const THINGS: u16 = 1;
const ARGS: u16 = 2;
const LIST: u16 = 3;
const AT: u16 = 4;
const FROM: u16 = 5;
const GIVEN: u16 = 6;
const NTH: u16 = 7;
const KIND: u16 = 8;
const VALUE: u16 = 9;
const SKIP: u16 = 10;
const RECEIVER: u16 = 11;

/// Writes `one` piece by piece.
struct Writer<'a> {
    class: &'a mut ClassFile,
    labels: Labels,
    nodes: Vec<Node>,
}

impl Writer<'_> {
    fn add(&mut self, insns: impl IntoIterator<Item = Insn>) {
        self.nodes.extend(insns.into_iter().map(Node::Insn));
    }

    fn virtual_call(&mut self, class: &str, name: &str, descriptor: &str) -> Result<(), BuildError> {
        let target = self.class.pool.add_method_ref(class, name, descriptor)?;
        self.add([Insn::InvokeVirtual(target)]);
        Ok(())
    }

    /// Pushes `list.get(from[index])`, the index being pushed by `index`.
    fn earlier(&mut self, index: &[Insn]) -> Result<(), BuildError> {
        self.add([object(LIST), object(FROM)]);
        self.add(index.iter().cloned());
        self.add([Insn::ArrayLoad(Element::Int)]);
        self.virtual_call("java/util/ArrayList", "get", "(I)Ljava/lang/Object;")
    }

    /// Pushes `(class) things[at]`.
    fn this_thing(&mut self, class: &str) -> Result<(), BuildError> {
        let class = self.class.pool.add_class(class)?;
        self.add([object(THINGS), int(AT), Insn::ArrayLoad(Element::Reference), Insn::CheckCast(class)]);
        Ok(())
    }
}

fn object(local: u16) -> Insn {
    Insn::Load(Kind::Reference, local)
}

fn int(local: u16) -> Insn {
    Insn::Load(Kind::Int, local)
}

/// `one(kinds, things, args)`: runs a sequence once and answers the list of its results.
fn one(class: &mut ClassFile) -> Result<Looping, BuildError> {
    let mut w = Writer { class, labels: Labels::default(), nodes: Vec::new() };
    let (next, keep, end) = (w.labels.fresh(), w.labels.fresh(), w.labels.fresh());
    let list = w.class.pool.add_class("java/util/ArrayList")?;
    let init = w.class.pool.add_method_ref("java/util/ArrayList", "<init>", "()V")?;
    w.add([Insn::New(list), Insn::Stack(StackOp::Dup), Insn::InvokeSpecial(init)]);
    w.add([Insn::Store(Kind::Reference, LIST), Insn::Int(0), Insn::Store(Kind::Int, AT)]);
    w.nodes.push(next.into());
    w.add([int(AT), object(KINDS), Insn::ArrayLength, Insn::If(Cond::IcmpGe, end)]);
    w.add([object(ARGS), int(AT), Insn::ArrayLoad(Element::Reference), Insn::Store(Kind::Reference, FROM)]);
    w.add([object(KINDS), int(AT), Insn::ArrayLoad(Element::Int), Insn::Store(Kind::Int, KIND)]);
    let call = w.labels.fresh();
    w.add([int(KIND), Insn::If(Cond::Ne, call)]);
    w.add([
        object(THINGS),
        int(AT),
        Insn::ArrayLoad(Element::Reference),
        Insn::Store(Kind::Reference, VALUE),
    ]);
    w.add([Insn::Goto(keep)]);
    w.nodes.push(call.into());
    collect_arguments(&mut w)?;
    invoke(&mut w, keep)?;
    w.nodes.push(keep.into());
    w.add([object(LIST), object(VALUE)]);
    w.virtual_call("java/util/ArrayList", "add", "(Ljava/lang/Object;)Z")?;
    w.add([Insn::Stack(StackOp::Pop), Insn::Inc { local: AT, by: 1 }, Insn::Goto(next)]);
    w.nodes.push(end.into());
    w.add([object(LIST), Insn::Return(Some(Kind::Reference))]);
    let Writer { labels, nodes, .. } = w;
    Ok(Looping { name: "one", descriptor: ONE, max_stack: 6, max_locals: RECEIVER + 1, labels, nodes })
}

/// `given = {list.get(from[skip]), …}`, where `skip` is 1 if the first is the receiver.
fn collect_arguments(w: &mut Writer<'_>) -> Result<(), BuildError> {
    let (plain, sized, fill, full) = (w.labels.fresh(), w.labels.fresh(), w.labels.fresh(), w.labels.fresh());
    w.add([int(KIND), Insn::Int(VIRTUAL as i16), Insn::If(Cond::IcmpNe, plain)]);
    w.add([Insn::Int(1), Insn::Store(Kind::Int, SKIP), Insn::Goto(sized)]);
    w.nodes.push(plain.into());
    w.add([Insn::Int(0), Insn::Store(Kind::Int, SKIP)]);
    w.nodes.push(sized.into());
    let objects = w.class.pool.add_class("java/lang/Object")?;
    w.add([object(FROM), Insn::ArrayLength, int(SKIP), Insn::Arith(Arith::Sub, Number::Int)]);
    w.add([Insn::ANewArray(objects), Insn::Store(Kind::Reference, GIVEN)]);
    w.add([Insn::Int(0), Insn::Store(Kind::Int, NTH)]);
    w.nodes.push(fill.into());
    w.add([int(NTH), object(GIVEN), Insn::ArrayLength, Insn::If(Cond::IcmpGe, full)]);
    w.add([object(GIVEN), int(NTH)]);
    w.earlier(&[int(NTH), int(SKIP), Insn::Arith(Arith::Add, Number::Int)])?;
    w.add([Insn::ArrayStore(Element::Reference), Insn::Inc { local: NTH, by: 1 }, Insn::Goto(fill)]);
    w.nodes.push(full.into());
    Ok(())
}

/// `value = constructor.newInstance(given)` or `value = method.invoke(receiver, given)`.
fn invoke(w: &mut Writer<'_>, keep: probat_classfile::Label) -> Result<(), BuildError> {
    let (method, ready) = (w.labels.fresh(), w.labels.fresh());
    w.add([int(KIND), Insn::Int(CONSTRUCTOR as i16), Insn::If(Cond::IcmpNe, method)]);
    w.this_thing("java/lang/reflect/Constructor")?;
    w.add([object(GIVEN)]);
    let ty = "([Ljava/lang/Object;)Ljava/lang/Object;";
    w.virtual_call("java/lang/reflect/Constructor", "newInstance", ty)?;
    w.add([Insn::Store(Kind::Reference, VALUE), Insn::Goto(keep)]);
    w.nodes.push(method.into());
    w.add([Insn::Null, Insn::Store(Kind::Reference, RECEIVER), int(SKIP), Insn::If(Cond::Eq, ready)]);
    w.earlier(&[Insn::Int(0)])?;
    w.add([Insn::Store(Kind::Reference, RECEIVER)]);
    w.nodes.push(ready.into());
    w.this_thing("java/lang/reflect/Method")?;
    w.add([object(RECEIVER), object(GIVEN)]);
    let ty = "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
    w.virtual_call("java/lang/reflect/Method", "invoke", ty)?;
    w.add([Insn::Store(Kind::Reference, VALUE)]);
    Ok(())
}
