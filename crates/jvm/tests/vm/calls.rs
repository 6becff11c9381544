//! Calls, constructors, exceptions, and what is refused.

use probat_jvm::{
    CallError, Class, Dispatch, Env, Kind, Local, ObjectArray, Ref, Rejection, Str, Thrown, Trust, Value, Vm,
};

use crate::{Case, assemble};

pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("methods_of_every_result_type_answer", every_result_type),
        Case::plain("nonvirtual_calls_skip_overrides", nonvirtual),
        Case::plain("more_than_eight_arguments_arrive", many_arguments),
        Case::plain("exceptions_are_taken_and_cleared", exceptions),
        Case::plain("stack_overflow_is_an_exception_like_others", stack_overflow),
        Case::plain("wrong_arguments_are_refused", refused),
        Case::plain("wrong_claims_panic_where_assertions_are_on", wrong_claims),
        Case::plain("reflected_methods_can_be_called", reflected),
        Case::plain("members_that_do_not_exist_are_reported", missing_members),
    ]
}

/// The binary name of an exception's class.
pub fn thrown_class<'f>(env: &Env<'f>, thrown: Thrown<'f>) -> String {
    let class = env.object_class(thrown.get().erase());
    env.class_name(class.get(), 200).unwrap()
}

/// Calls a static method found by name.
pub fn call_static<'f>(
    env: &Env<'f>,
    class: &str,
    name: &str,
    descriptor: &str,
    args: &[Value<'_>],
) -> Result<Option<Value<'f>>, CallError<'f>> {
    let class = env.find_class(class).unwrap();
    let method = env.static_method(class.get(), name, descriptor).unwrap();
    env.call_static(&method, args, Trust::Nothing)
}

/// The object a call answered.
pub fn object<'f>(answer: Result<Option<Value<'f>>, CallError<'f>>) -> Ref<'f> {
    match answer {
        Ok(Some(Value::Object(Some(object)))) => object,
        other => panic!("no object: {other:?}"),
    }
}

pub fn class<'f>(env: &Env<'f>, name: &str) -> Ref<'f, Class> {
    env.find_class(name).unwrap().keep()
}

fn integer<'f>(env: &Env<'f>, value: i32) -> Ref<'f> {
    object(call_static(env, "java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", &[Value::Int(value)]))
}

fn every_result_type(_vm: Vm, env: &mut Env<'_>) {
    let number = integer(env, -2);
    let call = |class: &str, receiver: Ref<'_>, name: &str, descriptor: &str| {
        let class = env.find_class(class).unwrap();
        let method = env.method(class.get(), name, descriptor).unwrap();
        format!("{:?}", env.call(&method, receiver, &[], Trust::Nothing).unwrap())
    };
    assert_eq!(call("java/lang/Number", number, "byteValue", "()B"), "Some(Byte(-2))");
    assert_eq!(call("java/lang/Number", number, "shortValue", "()S"), "Some(Short(-2))");
    assert_eq!(call("java/lang/Number", number, "intValue", "()I"), "Some(Int(-2))");
    assert_eq!(call("java/lang/Number", number, "longValue", "()J"), "Some(Long(-2))");
    assert_eq!(call("java/lang/Number", number, "floatValue", "()F"), "Some(Float(-2.0))");
    assert_eq!(call("java/lang/Number", number, "doubleValue", "()D"), "Some(Double(-2.0))");
    let text = env.new_string_from("x").unwrap();
    assert_eq!(call("java/lang/String", text.get().erase(), "isEmpty", "()Z"), "Some(Boolean(false))");
    let at = env.method(class(env, "java/lang/CharSequence"), "charAt", "(I)C").unwrap();
    let answer = env.call(&at, text.get().erase(), &[Value::Int(0)], Trust::Nothing);
    assert!(matches!(answer, Ok(Some(Value::Char(0x78)))));
    let list = env.constructor(class(env, "java/util/ArrayList"), "()V").unwrap();
    let list = env.new_object(&list, &[], Trust::Nothing).unwrap();
    assert_eq!(call("java/util/List", list.get(), "clear", "()V"), "None");
    let statics: [(&str, &str, &str, Value<'_>, &str); 8] = [
        ("java/lang/Boolean", "logicalXor", "(ZZ)Z", Value::Boolean(true), "Boolean(false)"),
        ("java/lang/Character", "toUpperCase", "(C)C", Value::Char(0x61), "Char(65)"),
        ("java/lang/Short", "reverseBytes", "(S)S", Value::Short(1), "Short(256)"),
        ("java/lang/Math", "abs", "(I)I", Value::Int(-4), "Int(4)"),
        ("java/lang/Math", "abs", "(J)J", Value::Long(-4), "Long(4)"),
        ("java/lang/Math", "abs", "(F)F", Value::Float(-4.5), "Float(4.5)"),
        ("java/lang/Math", "abs", "(D)D", Value::Double(-4.5), "Double(4.5)"),
        ("java/lang/Byte", "hashCode", "(B)I", Value::Byte(-4), "Int(-4)"),
    ];
    for (class, name, descriptor, arg, expected) in statics {
        let args = [arg, arg];
        let args = if descriptor == "(ZZ)Z" { &args[..] } else { &args[..1] };
        let answer = call_static(env, class, name, descriptor, args).unwrap().unwrap();
        assert_eq!(format!("{answer:?}"), expected, "{class}.{name}");
    }
}

fn nonvirtual(_vm: Vm, env: &mut Env<'_>) {
    let to_string = env.method(class(env, "java/lang/Object"), "toString", "()Ljava/lang/String;").unwrap();
    let number = integer(env, 5);
    let text = |answer| env.string_text(env.cast::<Str>(object(answer)).unwrap(), 100);
    assert_eq!(text(env.call(&to_string, number, &[], Trust::Nothing)), "5");
    let exact = text(env.call_nonvirtual(&to_string, number, &[], Trust::Nothing));
    assert!(exact.starts_with("java.lang.Integer@"), "{exact}");
}

fn many_arguments(_vm: Vm, env: &mut Env<'_>) {
    let set = class(env, "java/util/Set");
    let object_ten = "Ljava/lang/Object;".repeat(10);
    let of = env.static_method(set, "of", &format!("({object_ten})Ljava/util/Set;")).unwrap();
    let args: Vec<Value<'_>> = (0..10).map(|n| Value::Object(Some(integer(env, n)))).collect();
    let made = object(env.call_static(&of, &args, Trust::Nothing));
    let size = env.method(set, "size", "()I").unwrap();
    assert!(matches!(env.call(&size, made, &[], Trust::Nothing), Ok(Some(Value::Int(10)))));
    let mut wrong = args.clone();
    wrong[9] = Value::Int(9);
    let refused = env.call_static(&of, &wrong, Trust::Nothing);
    assert!(matches!(refused, Err(CallError::Rejected(Rejection::Kind { at: 9 }))));
}

fn exceptions(_vm: Vm, env: &mut Env<'_>) {
    let text = env.new_string_from("no number").unwrap();
    let arg = [Value::Object(Some(text.get().erase()))];
    for _ in 0..3 {
        let answer = call_static(env, "java/lang/Integer", "parseInt", "(Ljava/lang/String;)I", &arg);
        let Err(CallError::Threw(thrown)) = answer else { panic!("parsed: {answer:?}") };
        assert_eq!(thrown_class(env, thrown), "java.lang.NumberFormatException");
        // Nothing is pending: the next call answers.
        let answer = call_static(env, "java/lang/Math", "abs", "(I)I", &[Value::Int(-1)]);
        assert!(matches!(answer, Ok(Some(Value::Int(1)))));
    }
    let missing = env.find_class("t/Missing").unwrap_err();
    assert_eq!(thrown_class(env, missing), "java.lang.NoClassDefFoundError");
    let abstract_class = env.constructor(class(env, "java/lang/Number"), "()V").unwrap();
    let Err(CallError::Threw(thrown)) = env.new_object(&abstract_class, &[], Trust::Nothing) else {
        panic!("made an instance of an abstract class")
    };
    assert_eq!(thrown_class(env, thrown), "java.lang.InstantiationException");
    let array = env.alloc_object(class(env, "[I")).unwrap_err();
    assert_eq!(thrown_class(env, array), "java.lang.InstantiationException");
}

fn stack_overflow(_vm: Vm, env: &mut Env<'_>) {
    let loops = env.define_class("t/Loops", None, &assemble::loops()).unwrap();
    let dive = env.static_method(loops.get(), "dive", "()V").unwrap();
    for _ in 0..3 {
        let Err(CallError::Threw(thrown)) = env.call_static(&dive, &[], Trust::Nothing) else {
            panic!("the dive ended")
        };
        assert_eq!(thrown_class(env, thrown), "java.lang.StackOverflowError");
        let answer = call_static(env, "java/lang/Math", "abs", "(I)I", &[Value::Int(-1)]);
        assert!(matches!(answer, Ok(Some(Value::Int(1)))));
    }
}

fn refused(_vm: Vm, env: &mut Env<'_>) {
    let number = class(env, "java/lang/Integer");
    let compare = env.method(number, "compareTo", "(Ljava/lang/Integer;)I").unwrap();
    let (five, text) = (integer(env, 5), env.new_string_from("five").unwrap());
    let text = text.get().erase();
    let rejection = |answer: Result<Option<Value<'_>>, CallError<'_>>| match answer {
        Err(CallError::Rejected(rejection)) => rejection,
        other => panic!("not refused: {other:?}"),
    };
    let call = |receiver, args: &[Value<'_>]| rejection(env.call(&compare, receiver, args, Trust::Nothing));
    assert_eq!(call(text, &[Value::Object(None)]), Rejection::Receiver);
    assert_eq!(call(five, &[Value::Object(Some(text))]), Rejection::Argument { at: 0 });
    assert_eq!(call(five, &[Value::Int(5)]), Rejection::Kind { at: 0 });
    assert_eq!(call(five, &[]), Rejection::Count);
    assert_eq!(
        rejection(env.call_static(&compare, &[Value::Object(None)], Trust::Nothing)),
        Rejection::Dispatch
    );
    // Kinds and counts are compared on the caller's word too.
    assert_eq!(
        rejection(env.call(&compare, five, &[Value::Long(5)], Trust::Caller)),
        Rejection::Kind { at: 0 }
    );
    let same = env.call(&compare, five, &[Value::Object(Some(five))], Trust::Caller);
    assert!(matches!(same, Ok(Some(Value::Int(0)))));
    assert!(env.is_same(env.object_class(five).get().erase(), compare.param_class(env, 0).unwrap().erase()));
}

fn wrong_claims(_vm: Vm, env: &mut Env<'_>) {
    if !cfg!(debug_assertions) {
        return;
    }
    let number = class(env, "java/lang/Integer");
    let value = env.method(number, "intValue", "()I").unwrap();
    let content = env.field(number, "value", "I").unwrap();
    let text = env.new_string_from("text").unwrap();
    let text = text.get().erase();
    let claims: [&dyn Fn(); 3] = [
        &|| drop(env.call(&value, text, &[], Trust::Caller)),
        &|| assert!(env.get(&content, text, Trust::Caller).is_err()),
        &|| assert_ne!(env.array_length(env.assume::<ObjectArray>(text)), 0),
    ];
    for claim in claims {
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(claim)).is_err());
    }
}

fn reflected(vm: Vm, env: &mut Env<'_>) {
    let number = class(env, "java/lang/Integer");
    let sum = env.static_method(number, "sum", "(II)I").unwrap();
    let object = env.to_reflected_method(&sum).unwrap();
    let again = env.reflected_method(vm.jvmti(), object.get()).unwrap().unwrap();
    assert_eq!(
        (again.id(), again.dispatch(), again.returns()),
        (sum.id(), Dispatch::Static, Some(Kind::Int))
    );
    assert_eq!(again.params(), [Kind::Int, Kind::Int]);
    let answer = env.call_static(&again, &[Value::Int(2), Value::Int(3)], Trust::Nothing);
    assert!(matches!(answer, Ok(Some(Value::Int(5)))));
    let constructor = env.constructor(number, "(I)V").unwrap();
    let object = env.to_reflected_method(&constructor).unwrap();
    let again = env.reflected_method(vm.jvmti(), object.get()).unwrap().unwrap();
    assert_eq!(again.dispatch(), Dispatch::Constructor);
    let text: Local<'_, Str> = env.new_string_from("no method").unwrap();
    assert!(env.reflected_method(vm.jvmti(), text.get().erase()).unwrap().is_none());
    let value = env.field(number, "value", "I").unwrap();
    let object = env.to_reflected_field(&value).unwrap();
    let field_class = env.object_class(object.get());
    assert_eq!(env.class_name(field_class.get(), 100).unwrap(), "java.lang.reflect.Field");
}

fn missing_members(_vm: Vm, env: &mut Env<'_>) {
    use probat_jvm::MemberError;
    let threw = |error: MemberError<'_>| match error {
        MemberError::Threw(thrown) => {
            env.class_name(env.object_class(thrown.get().erase()).get(), 100).unwrap()
        }
        other => panic!("{other:?}"),
    };
    let number = class(env, "java/lang/Integer");
    assert_eq!(threw(env.method(number, "none", "()V").unwrap_err()), "java.lang.NoSuchMethodError");
    assert_eq!(
        threw(env.static_method(number, "intValue", "()I").unwrap_err()),
        "java.lang.NoSuchMethodError"
    );
    assert_eq!(threw(env.field(number, "none", "I").unwrap_err()), "java.lang.NoSuchFieldError");
    assert!(matches!(env.method(number, "intValue", "oops"), Err(MemberError::Descriptor(_))));
    // A primitive type has no members, and the VM would not survive the question.
    let class_of_int = env.static_field(number, "TYPE", "Ljava/lang/Class;").unwrap();
    let Ok(Value::Object(Some(int))) = env.get_static(&class_of_int) else { panic!("no int.class") };
    let int = env.cast::<Class>(int).unwrap();
    assert_eq!(threw(env.field(int, "none", "I").unwrap_err()), "java.lang.NoSuchFieldError");
    assert_eq!(threw(env.static_field(int, "none", "I").unwrap_err()), "java.lang.NoSuchFieldError");
    assert_eq!(threw(env.method(int, "none", "()V").unwrap_err()), "java.lang.NoSuchMethodError");
    assert!(env.new_object_array(int, 3, None).unwrap().is_none());
    assert!(env.super_class(int).is_none());
    let instance = env.alloc_object(int).unwrap_err();
    assert_eq!(thrown_class(env, instance), "java.lang.InstantiationException");
}
