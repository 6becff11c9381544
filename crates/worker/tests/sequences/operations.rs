//! Every kind of operation, carried out or refused.

use probat_model::{
    ClassName, End, Literal, MethodDescriptor, Observation, Operation, OperationTable, Refusal, StepId,
    StepOutcome, StubBehaviour, StubMethod, StubSpec, Type, Value,
};

use crate::Case;
use crate::bed::{Bed, Script};

pub fn cases() -> Vec<Case> {
    vec![
        ("values_come_back", values_come_back),
        ("fields_and_statics", fields_and_statics),
        ("arrays", arrays),
        ("conversions_and_casts", conversions_and_casts),
        ("wrong_arguments_are_refused", wrong_arguments_are_refused),
        ("what_does_not_exist_is_refused", what_does_not_exist_is_refused),
        ("stubs_behave", stubs_behave),
        ("long_sequences", long_sequences),
        ("past_exceptions", past_exceptions),
    ]
}

/// Values of all steps of one sequence, which must complete.
pub fn values(seen: &Observation) -> Vec<&Value> {
    assert_eq!(seen.end, End::Completed, "{seen:?}");
    seen.steps
        .iter()
        .map(|(_, outcome)| match outcome {
            StepOutcome::Returned(value) => value,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn run_one(bed: &Bed, build: impl FnOnce(&mut Script<'_>)) -> Observation {
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    build(&mut script);
    let item = script.item();
    let mut worker = bed.worker();
    let mut answer = worker.run(&table, &[item]);
    assert_eq!(answer.farewell, None);
    let printed = worker.finish();
    assert!(
        !printed.contains("WARNING in native method") && !printed.contains("JNI local refs"),
        "{printed}"
    );
    answer.seen.remove(0)
}

fn class(name: &str) -> ClassName {
    ClassName::internal(name)
}

fn values_come_back(bed: &Bed) {
    let seen = run_one(bed, |s| {
        let list = s.new_object("java/util/ArrayList", "()V", []);
        let text = s.text("a\u{e9}b");
        s.call("java/util/ArrayList.add", "(Ljava/lang/Object;)Z", [list, text]);
        s.call("java/util/ArrayList.size", "()I", [list]);
        let zero = s.int(0);
        s.call("java/util/ArrayList.get", "(I)Ljava/lang/Object;", [list, zero]);
        s.call("java/util/ArrayList.clear", "()V", [list]);
        s.call("java/util/ArrayList.toArray", "()[Ljava/lang/Object;", [list]);
        s.call_static("fixture/Subject.nothing", "()Ljava/lang/Object;", []);
        s.call_static("fixture/Subject.lambda", "()Ljava/lang/Runnable;", []);
        let pi = s.op(Operation::Literal(Literal::Double(3.5f64.to_bits())), []);
        s.call_static("java/lang/Math.floor", "(D)D", [pi]);
    });
    let text = Value::String { text: "a\u{e9}b".into(), length: 3 };
    assert_eq!(
        values(&seen),
        [
            &Value::Object { class: class("java/util/ArrayList") },
            &text,
            &Value::Boolean(true),
            &Value::Int(1),
            &Value::Int(0),
            &text,
            &Value::Void,
            &Value::Array { class: class("[Ljava/lang/Object;"), length: 0 },
            &Value::Null,
            &Value::Object { class: class("fixture/Subject$$Lambda") },
            &Value::Double(3.5),
            &Value::Double(3.0),
        ]
    );
}

fn fields_and_statics(bed: &Bed) {
    let (subject, text) = (class("fixture/Subject"), Type::class("java/lang/String"));
    let seen = run_one(bed, |s| {
        let seven = s.int(7);
        let it = s.new_object("fixture/Subject", "(I)V", [seven]);
        let field = || (subject.clone(), "field".to_owned(), Type::Int);
        let (class, name, ty) = field();
        s.op(Operation::GetField { class, name, ty }, [it]);
        let nine = s.int(9);
        let (class, name, ty) = field();
        s.op(Operation::PutField { class, name, ty }, [it, nine]);
        s.call("fixture/Subject.twice", "()I", [it]);
        let new = s.text("second");
        let operation =
            Operation::PutStatic { class: subject.clone(), name: "name".into(), ty: text.clone() };
        s.op(operation, [new]);
        s.op(Operation::GetStatic { class: subject.clone(), name: "name".into(), ty: text.clone() }, []);
    });
    assert_eq!(
        values(&seen)[2..],
        [
            &Value::Int(7),
            &Value::Int(9),
            &Value::Void,
            &Value::Int(18),
            &Value::String { text: "second".into(), length: 6 },
            &Value::Void,
            &Value::String { text: "second".into(), length: 6 },
        ]
    );
    assert_eq!(seen.leaks, [probat_model::Leak::Statics]);
}

fn arrays(bed: &Bed) {
    let object = Type::class("java/lang/Object");
    let seen = run_one(bed, |s| {
        let three = s.int(3);
        let ints = s.op(Operation::NewArray { element: Type::Int }, [three]);
        let one = s.int(1);
        s.op(Operation::ArraySet { element: Type::Int }, [ints, one, three]);
        s.op(Operation::ArrayGet { element: Type::Int }, [ints, one]);
        let text = s.text("x");
        let objects = s.op(Operation::ArrayOf { element: object.clone(), length: 2 }, [text, ints]);
        s.op(Operation::ArrayGet { element: object.clone() }, [objects, one]);
        s.op(Operation::ArrayLength, [objects]);
        s.op(Operation::ArrayGet { element: Type::Int }, [ints, three]);
    });
    assert_eq!(seen.end, End::Threw(StepId(9)));
    let shown: Vec<String> = seen.steps.iter().map(|(_, outcome)| format!("{outcome:?}")).collect();
    assert!(shown[4].contains("Int(3)"), "{shown:?}");
    assert!(shown[7].contains("[I") && shown[7].contains('3'), "{shown:?}");
    assert!(shown[8].contains("Int(2)"), "{shown:?}");
    assert!(shown[9].contains("ArrayIndexOutOfBoundsException"), "{shown:?}");
    let seen = run_one(bed, |s| {
        let negative = s.int(-5);
        s.op(Operation::NewArray { element: Type::Long }, [negative]);
    });
    assert_eq!(seen.end, End::Threw(StepId(1)));
    assert!(format!("{seen:?}").contains("NegativeArraySizeException"), "{seen:?}");
}

fn conversions_and_casts(bed: &Bed) {
    let integer = Type::class("java/lang/Integer");
    let seen = run_one(bed, |s| {
        let n = s.int(300);
        let boxed = s.op(Operation::Convert { from: Type::Int, to: integer.clone() }, [n]);
        s.op(Operation::Convert { from: Type::Int, to: Type::Byte }, [n]);
        let object = s.op(Operation::Cast { to: Type::class("java/lang/Number") }, [boxed]);
        s.op(Operation::Convert { from: integer.clone(), to: Type::Long }, [boxed]);
        s.op(Operation::Literal(Literal::Class(Type::Int.array())), []);
        s.op(Operation::Cast { to: Type::class("java/lang/String") }, [object]);
    });
    assert_eq!(seen.end, End::Threw(StepId(6)));
    let shown: Vec<String> = seen.steps.iter().map(|(_, outcome)| format!("{outcome:?}")).collect();
    assert!(shown[1].contains("java/lang/Integer"), "{shown:?}");
    assert!(shown[2].contains("Byte(44)"), "{shown:?}");
    assert!(shown[4].contains("Long(300)"), "{shown:?}");
    assert!(shown[5].contains("java/lang/Class"), "{shown:?}");
    assert!(shown[6].contains("ClassCastException"), "{shown:?}");
}

fn refusal(seen: &Observation) -> &Refusal {
    match &seen.steps.last().unwrap().1 {
        StepOutcome::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn wrong_arguments_are_refused(bed: &Bed) {
    let seen = run_one(bed, |s| {
        let list = s.new_object("java/util/ArrayList", "()V", []);
        s.call_static("fixture/Subject.length", "(Ljava/lang/String;)I", [list]);
    });
    assert_eq!(seen.end, End::Refused(StepId(1)));
    let Refusal::ArgumentType { argument: 0, wanted, found } = refusal(&seen) else { panic!("{seen:?}") };
    assert_eq!((wanted.as_str(), found.as_internal()), ("java.lang.String", "java/util/ArrayList"));
    let seen = run_one(bed, |s| {
        let null = s.null("java/util/ArrayList");
        s.call("java/util/ArrayList.size", "()I", [null]);
    });
    assert_eq!(refusal(&seen), &Refusal::NullReceiver);
    let seen = run_one(bed, |s| {
        let text = s.text("no number");
        let pushed = s.table.intern(Operation::NewArray { element: Type::Int });
        s.sequence.push(s.table, pushed, [text]).unwrap();
    });
    assert!(matches!(refusal(&seen), Refusal::ArgumentType { argument: 0, .. }));
    let seen = run_one(bed, |s| {
        let text = s.text("null is fine as an argument");
        s.call("java/lang/String.concat", "(Ljava/lang/String;)Ljava/lang/String;", [text, text]);
        let null = s.null("java/lang/Object");
        s.call("java/lang/String.equals", "(Ljava/lang/Object;)Z", [text, null]);
    });
    assert_eq!(values(&seen)[3], &Value::Boolean(false));
}

fn what_does_not_exist_is_refused(bed: &Bed) {
    let why = |build: fn(&mut Script<'_>)| {
        let seen = run_one(bed, build);
        match refusal(&seen) {
            Refusal::Unresolved(why) => why.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert!(
        why(|s| {
            s.new_object("no/Such", "()V", []);
        })
        .contains("ClassNotFoundException")
    );
    assert!(
        why(|s| {
            s.call_static("fixture/Subject.no", "()V", []);
        })
        .contains("NoSuchMethodError")
    );
    assert!(
        why(|s| {
            s.new_object("java/util/AbstractList", "()V", []);
        })
        .contains("is abstract")
    );
    assert!(
        why(|s| {
            s.new_object("java/util/List", "()V", []);
        })
        .contains("is an interface")
    );
    // A static method called as if it had a receiver.
    assert!(
        why(|s| {
            let it = s.new_object("fixture/Subject", "()V", []);
            s.call("fixture/Subject.next", "()I", [it]);
        })
        .contains("NoSuchMethodError")
    );
    assert!(
        why(|s| {
            let zero = s.op(Operation::Literal(Literal::Long(0)), []);
            let class = ClassName::internal("java/lang/Long");
            s.op(Operation::PutStatic { class, name: "MAX_VALUE".into(), ty: Type::Long }, [zero]);
        })
        .contains("final")
    );
}

fn stubs_behave(bed: &Bed) {
    let method = |name: &str, descriptor: &str, behaviour| StubMethod {
        name: name.into(),
        descriptor: MethodDescriptor::parse(descriptor).unwrap(),
        behaviour,
    };
    let shape = |behaviour| {
        Operation::Stub(StubSpec {
            of: class("fixture/Subject$Shape"),
            is_interface: true,
            constructor: None,
            captures: Vec::new(),
            methods: vec![method("area", "(I)I", behaviour)],
        })
    };
    let seen = run_one(bed, |s| {
        for behaviour in
            [StubBehaviour::Default, StubBehaviour::Parameter(0), StubBehaviour::Constant(Literal::Int(5))]
        {
            let stub = s.op(shape(behaviour), []);
            s.call_static("fixture/Subject.measure", "(Lfixture/Subject$Shape;)I", [stub]);
        }
        let ten = s.int(10);
        let template = s.op(
            Operation::Stub(StubSpec {
                of: class("fixture/Subject$Template"),
                is_interface: false,
                constructor: Some(MethodDescriptor::parse("(I)V").unwrap()),
                captures: Vec::new(),
                methods: vec![method("hook", "(I)I", StubBehaviour::Parameter(0))],
            }),
            [ten],
        );
        s.call("fixture/Subject$Template.run", "()I", [template]);
        let comparator = s.op(
            Operation::Stub(StubSpec {
                of: class("java/util/Comparator"),
                is_interface: true,
                constructor: None,
                captures: Vec::new(),
                methods: vec![method(
                    "compare",
                    "(Ljava/lang/Object;Ljava/lang/Object;)I",
                    StubBehaviour::Default,
                )],
            }),
            [],
        );
        s.new_object("java/util/TreeMap", "(Ljava/util/Comparator;)V", [comparator]);
        let thrower = s.op(shape(StubBehaviour::Throw(class("java/lang/NullPointerException"))), []);
        s.call_static("fixture/Subject.measure", "(Lfixture/Subject$Shape;)I", [thrower]);
    });
    assert_eq!(seen.end, End::Threw(StepId(12)), "{seen:?}");
    let shown: Vec<String> = seen.steps.iter().map(|(_, outcome)| format!("{outcome:?}")).collect();
    for (at, expected) in [(1, "Int(0)"), (3, "Int(7)"), (5, "Int(5)"), (8, "Int(11)"), (10, "TreeMap")] {
        assert!(shown[at].contains(expected), "{at}: {shown:?}");
    }
}

fn long_sequences(bed: &Bed) {
    let seen = run_one(bed, |s| {
        let list = s.new_object("java/util/ArrayList", "()V", []);
        let text = s.text("x");
        for _ in 0..20_000 {
            s.call("java/util/ArrayList.iterator", "()Ljava/util/Iterator;", [list]);
            s.call("java/util/ArrayList.add", "(Ljava/lang/Object;)Z", [list, text]);
        }
        s.call("java/util/ArrayList.size", "()I", [list]);
    });
    assert_eq!(values(&seen).last(), Some(&&Value::Int(20_000)));
}

fn past_exceptions(bed: &Bed) {
    let mut table = OperationTable::new();
    let mut script = Script::new(&mut table);
    let text = script.text("boom");
    script.call_static("fixture/Subject.fail", "(Ljava/lang/String;)V", [text]);
    let minus = script.int(-1);
    let list = script.new_object("java/util/ArrayList", "(I)V", [minus]);
    script.call("java/util/ArrayList.size", "()I", [list]);
    script.int(4);
    let mut item = script.item();
    item.past_exceptions = true;
    let mut worker = bed.worker();
    let seen = worker.run(&table, &[item]).seen.remove(0);
    assert_eq!((&seen.end, seen.steps.len()), (&End::Completed, 6));
    let StepOutcome::Threw(thrown) = &seen.steps[1].1 else { panic!("{seen:?}") };
    assert_eq!(thrown.class.as_internal(), "java/lang/IllegalStateException");
    assert_eq!(thrown.message.as_ref().unwrap().to_lossy(), "boom");
    assert_eq!(thrown.cause.as_ref().unwrap().as_internal(), "java/lang/RuntimeException");
    assert_eq!((thrown.frames[0].method.as_str(), thrown.frames[0].line.is_some()), ("fail", true));
    assert!(matches!(seen.steps[3].1, StepOutcome::Threw(_)));
    assert_eq!(seen.steps[4].1, StepOutcome::Refused(Refusal::MissingArgument { argument: 0 }));
    assert_eq!(seen.steps[5].1, StepOutcome::Returned(Value::Int(4)));
    worker.finish();
}
