//! Stubs do what their specification says, on every JDK found.
//!
//! In: `tests/java/Stubs.java`, which declares what is stubbed and uses the stubs. Out: what it prints.

#![allow(clippy::unwrap_used, reason = "tests stop at surprises")]

mod corpus;
mod jvm;

use expect_test::expect;
use probat_classfile::build::{StubError, stub_class};
use probat_model::{ClassName, Literal, MethodDescriptor, StubBehaviour, StubMethod, StubSpec, Type};

use jvm::{Bench, jdks};

fn method(name: &str, descriptor: &str, behaviour: StubBehaviour) -> StubMethod {
    let descriptor = MethodDescriptor::parse(descriptor).unwrap();
    StubMethod { name: name.into(), descriptor, behaviour }
}

fn constant(name: &str, result: &str, literal: Literal) -> StubMethod {
    method(name, &format!("(){result}"), StubBehaviour::Constant(literal))
}

fn interface(of: &str, captures: Vec<Type>, methods: Vec<StubMethod>) -> StubSpec {
    StubSpec { of: ClassName::internal(of), is_interface: true, constructor: None, captures, methods }
}

fn many() -> StubSpec {
    let string = Type::class("java/lang/String");
    let methods = vec![
        constant("flag", "Z", Literal::Boolean(true)),
        constant("small", "B", Literal::Byte(-7)),
        constant("letter", "C", Literal::Char(0xffff)),
        constant("wide", "J", Literal::Int(-5)),
        constant("real", "F", Literal::Float(1.5f32.to_bits())),
        constant("precise", "D", Literal::Double(f64::NAN.to_bits())),
        constant("text", "Ljava/lang/String;", Literal::String("text".into())),
        constant("boxed", "Ljava/lang/Object;", Literal::Long(1 << 40)),
        constant("type", "Ljava/lang/Class;", Literal::Class(string.clone().array())),
        constant("primitive", "Ljava/lang/Class;", Literal::Class(Type::Int)),
        constant("nothing", "[I", Literal::Null(Type::Int.array())),
        method("done", "(I)V", StubBehaviour::Default),
        method("second", "(DI)I", StubBehaviour::Parameter(1)),
        method("widened", "(I)J", StubBehaviour::Parameter(0)),
        method("unboxed", "(Ljava/lang/Object;)I", StubBehaviour::Parameter(0)),
        method("unboxedChar", "(Ljava/lang/Object;)C", StubBehaviour::Parameter(0)),
        method("box", "(D)Ljava/lang/Comparable;", StubBehaviour::Parameter(0)),
        method("cast", "(Ljava/lang/Object;)Ljava/lang/String;", StubBehaviour::Parameter(0)),
        method("fails", "()I", StubBehaviour::Throw(ClassName::internal("java/io/IOException"))),
    ];
    interface("Stubs$Many", Vec::new(), methods)
}

fn holder() -> StubSpec {
    StubSpec {
        of: ClassName::internal("Stubs$Base"),
        is_interface: false,
        constructor: Some(MethodDescriptor::parse("(JLjava/lang/String;)V").unwrap()),
        captures: vec![Type::Double, Type::class("java/lang/String"), Type::Int],
        methods: vec![
            method("wide", "()D", StubBehaviour::Captured(0)),
            method("name", "()Ljava/lang/String;", StubBehaviour::Captured(1)),
            method("count", "()Ljava/lang/Integer;", StubBehaviour::Captured(2)),
        ],
    }
}

#[test]
fn stubs_behave_as_specified() {
    let apply = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let same = interface(
        "java/util/function/Function",
        Vec::new(),
        vec![method("apply", apply, StubBehaviour::Parameter(0))],
    );
    let compare = method("compare", "(Ljava/lang/Object;Ljava/lang/Object;)I", StubBehaviour::Captured(0));
    let order = interface("java/util/Comparator", vec![Type::Short], vec![compare]);
    let mut texts = Vec::new();
    for jdk in jdks() {
        let bench = Bench::new(jdk);
        bench.compile(&["Stubs.java"], "classes");
        for (name, spec) in [("Simple", &many()), ("Holder", &holder()), ("Same", &same), ("Order", &order)] {
            let bytes = stub_class(spec, &ClassName::internal(name)).unwrap();
            bench.write(&format!("classes/{name}.class"), &bytes);
        }
        texts.push(bench.java(["-Xverify:all", "-cp", "classes", "Stubs"]).ok());
    }
    texts.iter().for_each(|text| assert_eq!(text, &texts[0]));
    expect![[r#"
        true -7 65535 -5 1.5 NaN text 1099511627776 class [Ljava.lang.String; int null
        7 -3 2 q 0.5 x
        ClassCastException ClassCastException NullPointerException IOException
        5t2.5n 2.5 n 9
        same
        -4
    "#]]
    .assert_eq(&texts[0]);
}

#[test]
fn what_cannot_be_a_stub_is_refused() {
    let refused = |spec: &StubSpec| stub_class(spec, &ClassName::internal("S")).unwrap_err().to_string();
    let with = |methods| interface("I", vec![Type::Int], methods);
    let null = Literal::Null(Type::class("A"));
    let mut constructed = with(Vec::new());
    constructed.constructor = Some(MethodDescriptor::parse("()V").unwrap());
    let twice = vec![method("f", "()V", StubBehaviour::Default); 2];
    let errors = [
        refused(&constructed),
        refused(&with(twice)),
        refused(&with(vec![method("<clinit>", "()V", StubBehaviour::Default)])),
        refused(&with(vec![method("f", "(I)I", StubBehaviour::Parameter(1))])),
        refused(&with(vec![method("f", "()I", StubBehaviour::Captured(1))])),
        refused(&with(vec![constant("f", "I", null)])),
        refused(&interface("I", vec![Type::Long; 128], Vec::new())),
    ];
    expect![[r#"
        `I` is an interface and has no constructor
        method `f()V` is given twice
        `<clinit>` cannot be a method of a stub
        method `f` has no parameter 1
        method `f` uses captured value 1, which does not exist
        method `f` returns `int`, which `null` is not
        constructor or method `<init>` takes more than 255 slots"#]]
    .assert_eq(&errors.join("\n"));
    let long = Literal::String("x".repeat(70_000).as_str().into());
    let spec = with(vec![constant("f", "Ljava/lang/String;", long)]);
    assert!(matches!(stub_class(&spec, &ClassName::internal("S")), Err(StubError::Build(_))));
}
