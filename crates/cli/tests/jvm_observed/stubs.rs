//! Classes of our own: lambdas, interfaces implemented, abstract classes completed.

use probat_model::{
    ClassName, End, Literal, MethodDescriptor, Observation, Operation, StepId, StepOutcome, StubBehaviour,
    StubMethod, StubSpec, Type, Value,
};

use crate::common::{Arg, Bed, Script, jvms};

fn method(name: &str, descriptor: &str, behaviour: StubBehaviour) -> StubMethod {
    StubMethod { name: name.into(), descriptor: MethodDescriptor::parse(descriptor).unwrap(), behaviour }
}

fn interface(of: &str, captures: &[Type], methods: Vec<StubMethod>) -> Operation {
    Operation::Stub(StubSpec {
        of: ClassName::internal(of),
        is_interface: true,
        constructor: None,
        captures: captures.to_vec(),
        methods,
    })
}

fn text(text: &str) -> Value {
    Value::String { text: text.into(), length: text.len() as u32 }
}

/// Runs on every JVM, with statics put back and with a fresh loader; all must end by giving this.
#[track_caller]
fn gives(value: &Value, build: impl Fn(&mut Script<'_>) -> StepId) {
    let judge = |seen: &Observation, label: &str| {
        assert_eq!(seen.end, End::Completed, "{label}: {seen:?}");
        let given = seen.steps.last().map(|(_, outcome)| outcome);
        assert_eq!(given, Some(&StepOutcome::Returned(value.clone())), "{label}: {seen:?}");
    };
    everywhere(build, judge);
}

#[track_caller]
fn everywhere(build: impl Fn(&mut Script<'_>) -> StepId, judge: impl Fn(&Observation, &str)) {
    for jvm in jvms::full() {
        let mut bed = Bed::on(jvm);
        let item = bed.item(&build);
        let mut fresh = item.clone();
        fresh.reset = probat_protocol::Reset::Loader;
        // The second use finds the class there; the third must make it anew.
        for seen in &bed.run(vec![item.clone(), item.clone(), fresh.clone(), fresh, item]) {
            judge(seen, &bed.label());
        }
    }
}

#[test]
fn a_function_gives_a_constant() {
    let apply = "(Ljava/lang/Object;)Ljava/lang/Object;";
    let constant = StubBehaviour::Constant(Literal::Int(5));
    gives(&Value::Object { class: ClassName::internal("java/lang/Integer") }, |s| {
        let function =
            interface("java/util/function/Function", &[], vec![method("apply", apply, constant.clone())]);
        let function = s.op(function, &[]);
        s.call("Stubs.apply", &[function.into(), "x".into()])
    });
}

#[test]
fn an_operator_gives_a_parameter() {
    gives(&Value::Int(8), |s| {
        let second = vec![method("applyAsInt", "(II)I", StubBehaviour::Parameter(1))];
        let operator = s.op(interface("java/util/function/IntBinaryOperator", &[], second), &[]);
        s.call("Stubs.combine", &[operator.into(), 7.into(), 8.into()])
    });
}

#[test]
fn a_supplier_gives_what_it_captured() {
    gives(&text("kept"), |s| {
        let captured = vec![method("get", "()Ljava/lang/Object;", StubBehaviour::Captured(1))];
        let types = [Type::Int, Type::class("java/lang/String")];
        let supplier = interface("java/util/function/Supplier", &types, captured);
        let supplier = s.op(supplier, &[1.into(), "kept".into()]);
        s.call("Stubs.supply", &[supplier.into()])
    });
}

fn several() -> Operation {
    let methods = vec![
        method("name", "()Ljava/lang/String;", StubBehaviour::Constant(Literal::String("n".into()))),
        method("size", "()J", StubBehaviour::Constant(Literal::Long(9))),
        method("accepts", "(Ljava/lang/Object;)Z", StubBehaviour::Default),
        method(
            "pick",
            "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
            StubBehaviour::Parameter(1),
        ),
        method("fail", "()V", StubBehaviour::Throw(ClassName::internal("java/io/IOException"))),
    ];
    interface("observed/Stubs$Several", &[], methods)
}

#[test]
fn an_interface_of_several_methods_is_implemented() {
    gives(&text("n9falsetwo"), |s| {
        let stub = s.op(several(), &[]);
        s.call("Stubs.several", &[stub.into()])
    });
}

/// Even an exception the method does not declare.
#[test]
fn a_method_of_a_stub_can_throw() {
    everywhere(
        |s| {
            let stub = s.op(several(), &[]);
            s.call("Stubs.fail", &[stub.into()])
        },
        |seen, label| {
            let Some((_, StepOutcome::Threw(thrown))) = seen.steps.last() else {
                panic!("{label}: {seen:?}")
            };
            assert_eq!(thrown.class.as_internal(), "java/io/IOException", "{label}");
        },
    );
}

/// The constructor gets its arguments, the methods what was captured beside them.
fn base(s: &mut Script<'_>) -> StepId {
    let operation = Operation::Stub(StubSpec {
        of: ClassName::internal("observed/Stubs$Base"),
        is_interface: false,
        constructor: Some(MethodDescriptor::parse("(ILjava/lang/String;)V").unwrap()),
        captures: vec![Type::Int, Type::class("java/lang/Object")],
        methods: vec![
            method("step", "()I", StubBehaviour::Captured(0)),
            method("extra", "()Ljava/lang/Object;", StubBehaviour::Captured(1)),
        ],
    });
    let args: [Arg; 4] = [100.into(), "label ".into(), 11.into(), "extra".into()];
    s.op(operation, &args)
}

#[test]
fn an_abstract_class_is_completed() {
    gives(&Value::Int(111), |s| {
        let stub = base(s);
        s.call("Stubs$Base.total", &[stub.into()])
    });
    gives(&text("label extra"), |s| {
        let stub = base(s);
        s.call("Stubs$Base.describe", &[stub.into()])
    });
}

/// Only a class of the same package and loader may implement it.
#[test]
fn a_hidden_interface_is_implemented_beside_it() {
    let hidden = || {
        let plus = vec![method("secret", "(I)I", StubBehaviour::Constant(Literal::Int(21)))];
        interface("observed/Stubs$Hidden", &[], plus)
    };
    gives(&Value::Int(42), |s| {
        let stub = s.op(hidden(), &[]);
        s.call("Stubs.hidden", &[stub.into(), 1.into()])
    });
    gives(&text("observed true"), |s| {
        let stub = s.op(hidden(), &[]);
        s.call("Stubs.home", &[stub.into()])
    });
}

#[test]
fn what_cannot_be_stubbed_is_refused_with_a_reason() {
    everywhere(
        |s| s.op(interface("java/lang/String", &[], Vec::new()), &[]),
        |seen, label| {
            assert_eq!(seen.end, End::Refused(StepId(0)), "{label}: {seen:?}");
        },
    );
}
