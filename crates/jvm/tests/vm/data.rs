//! Strings, arrays, fields.

use std::sync::atomic::Ordering;

use probat_jvm::{ArrayOf, CallError, Env, ObjectArray, Primitive, Rejection, Trust, Value, Vm};

use crate::calls::{call_static, class, thrown_class};
use crate::{Case, assemble};

pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("strings_keep_unpaired_surrogates", surrogates),
        Case::plain("strings_are_read_up_to_a_bound", bounded),
        Case::plain("arrays_of_every_primitive_copy_both_ways", primitive_arrays),
        Case::plain("array_bounds_and_stores_are_checked", array_checks),
        Case::plain("bytes_can_be_seen_in_place", critical),
        Case::plain("fields_of_every_type_are_read_and_written", fields),
        Case::plain("final_fields_of_objects_without_constructor", final_fields),
        Case::plain("wrong_field_accesses_are_refused", refused),
        Case::plain("direct_buffers_share_memory", direct_buffer),
    ]
}

fn surrogates(_vm: Vm, env: &mut Env<'_>) {
    let units = [0x0000, 0xd800, 0x0041, 0xdc00, 0xd834, 0xdd1e, 0xffff];
    let string = env.new_string(&units).unwrap();
    assert_eq!(env.string_length(string.get()), units.len());
    let mut read = [7; 7];
    assert_eq!(env.string_units(string.get(), &mut read), 7);
    assert_eq!(read, units);
    assert_eq!(env.string_text(string.get(), 100), "\0\u{fffd}A\u{fffd}𝄞\u{ffff}");
    let empty = env.new_string(&[]).unwrap();
    assert_eq!((env.string_length(empty.get()), env.string_text(empty.get(), 9)), (0, String::new()));
}

fn bounded(_vm: Vm, env: &mut Env<'_>) {
    let string = env.new_string_from("0123456789").unwrap();
    let mut read = [0; 4];
    assert_eq!(env.string_units(string.get(), &mut read), 10);
    assert_eq!(String::from_utf16(&read).unwrap(), "0123");
    assert_eq!(env.string_units(string.get(), &mut []), 10);
    assert_eq!(env.string_text(string.get(), 3), "012");
}

fn copies<T: Primitive + PartialEq + std::fmt::Debug>(env: &Env<'_>, elements: [T; 3]) {
    let array = env.array_of(&elements).unwrap();
    assert_eq!(env.array_length(array.get()), 3);
    let mut read = [T::default(); 3];
    env.get_region(array.get(), 0, &mut read).unwrap();
    assert_eq!(read, elements);
    env.set_region(array.get(), 2, &elements[..1]).unwrap();
    env.get_region(array.get(), 1, &mut read[..2]).unwrap();
    assert_eq!(read[..2], [elements[1], elements[0]]);
    assert!(env.cast::<ArrayOf<T>>(array.get().erase()).is_some());
    assert!(env.cast::<ObjectArray>(array.get().erase()).is_none());
}

fn primitive_arrays(_vm: Vm, env: &mut Env<'_>) {
    copies::<u8>(env, [1, 0, 1]);
    copies::<i8>(env, [-1, 0, i8::MAX]);
    copies::<u16>(env, [0xd800, 0, u16::MAX]);
    copies::<i16>(env, [-1, 0, i16::MAX]);
    copies::<i32>(env, [-1, 0, i32::MAX]);
    copies::<i64>(env, [-1, 0, i64::MAX]);
    copies::<f32>(env, [-1.5, 0.0, f32::MAX]);
    copies::<f64>(env, [-1.5, 0.0, f64::MAX]);
    let ints = env.array_of(&[1, 2]).unwrap();
    assert!(env.cast::<ArrayOf<f32>>(ints.get().erase()).is_none());
}

fn array_checks(_vm: Vm, env: &mut Env<'_>) {
    let array = env.new_array::<i32>(4).unwrap();
    let bounds = "java.lang.ArrayIndexOutOfBoundsException";
    let mut read = [9; 2];
    for start in [3, 4, 5, usize::MAX] {
        let thrown = env.get_region(array.get(), start, &mut read).unwrap_err();
        assert_eq!(thrown_class(env, thrown), bounds);
        let thrown = env.set_region(array.get(), start, &read).unwrap_err();
        assert_eq!(thrown_class(env, thrown), bounds);
    }
    assert_eq!(read, [9, 9]);
    let thrown = env.new_array::<i8>(usize::MAX).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.NegativeArraySizeException");
    let thrown = env.new_array::<i64>(1 << 29).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.OutOfMemoryError");

    let text = env.new_string_from("x").unwrap();
    let strings =
        env.new_object_array(class(env, "java/lang/String"), 2, Some(text.get().erase())).unwrap().unwrap();
    assert!(env.is_same(env.element(strings.get(), 1).unwrap().unwrap().get(), text.get().erase()));
    env.set_element(strings.get(), 0, None).unwrap();
    assert!(env.element(strings.get(), 0).unwrap().is_none());
    let thrown = env.set_element(strings.get(), 0, Some(array.get().erase())).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.ArrayStoreException");
    let thrown = env.element(strings.get(), 2).unwrap_err();
    assert_eq!(thrown_class(env, thrown), bounds);
    let integers = class(env, "java/lang/Integer");
    assert!(env.new_object_array(integers, 2, Some(text.get().erase())).unwrap().is_none());
    let nested = env.new_object_array(class(env, "[I"), 2, Some(array.get().erase())).unwrap().unwrap();
    assert_eq!(env.array_length(env.cast::<ObjectArray>(nested.get().erase()).unwrap()), 2);
}

fn critical(_vm: Vm, env: &mut Env<'_>) {
    let mut expected = vec![0i8; 1000];
    expected[17] = 3;
    expected[999] = 4;
    let array = env.array_of(&expected).unwrap();
    let seen = env
        .with_critical_bytes(array.get(), true, |bytes| {
            let hit = |at: &usize| bytes.bytes()[*at].load(Ordering::Relaxed) != 0;
            let hits: Vec<usize> = (0..bytes.bytes().len()).filter(hit).collect();
            let (head, words, tail) = bytes.words(10..990);
            let single = head.iter().chain(tail).map(|byte| byte.load(Ordering::Relaxed).count_ones());
            let bits: u32 =
                words.iter().map(|word| word.load(Ordering::Relaxed).count_ones()).chain(single).sum();
            bytes.bytes()[17].store(0, Ordering::Relaxed);
            (hits, bits)
        })
        .unwrap();
    assert_eq!(seen, (vec![17, 999], 2));
    let mut read = vec![9; 1000];
    env.get_region(array.get(), 0, &mut read).unwrap();
    expected[17] = 0;
    assert_eq!(read, expected);
}

fn fields(_vm: Vm, env: &mut Env<'_>) {
    let boxes: [(&str, &str, Value<'_>); 8] = [
        ("java/lang/Boolean", "Z", Value::Boolean(true)),
        ("java/lang/Byte", "B", Value::Byte(-3)),
        ("java/lang/Character", "C", Value::Char(0xd800)),
        ("java/lang/Short", "S", Value::Short(-3)),
        ("java/lang/Integer", "I", Value::Int(-3)),
        ("java/lang/Long", "J", Value::Long(-3)),
        ("java/lang/Float", "F", Value::Float(-3.5)),
        ("java/lang/Double", "D", Value::Double(-3.5)),
    ];
    for (name, descriptor, value) in boxes {
        let class = class(env, name);
        let field = env.field(class, "value", descriptor).unwrap();
        let made = env.alloc_object(class).unwrap();
        env.set(&field, made.get(), value, Trust::Nothing).unwrap();
        let read = env.get(&field, made.get(), Trust::Nothing).unwrap();
        assert_eq!(format!("{read:?}"), format!("{value:?}"), "{name}");
    }
    for (class_name, name, descriptor, expected) in [
        ("java/lang/Byte", "MAX_VALUE", "B", "Byte(127)"),
        ("java/lang/Character", "MAX_VALUE", "C", "Char(65535)"),
        ("java/lang/Short", "MIN_VALUE", "S", "Short(-32768)"),
        ("java/lang/Integer", "SIZE", "I", "Int(32)"),
        ("java/lang/Long", "MIN_VALUE", "J", "Long(-9223372036854775808)"),
        ("java/lang/Float", "POSITIVE_INFINITY", "F", "Float(inf)"),
        ("java/lang/Math", "PI", "D", "Double(3.141592653589793)"),
    ] {
        let field = env.static_field(class(env, class_name), name, descriptor).unwrap();
        assert_eq!(format!("{:?}", env.get_static(&field).unwrap()), expected);
    }
    let loops = env.define_class("t/Loops", None, &assemble::loops()).unwrap();
    let started = env.static_field(loops.get(), "started", "I").unwrap();
    env.set_static(&started, Value::Int(7), Trust::Nothing).unwrap();
    assert!(matches!(env.get_static(&started), Ok(Value::Int(7))));
}

fn final_fields(_vm: Vm, env: &mut Env<'_>) {
    let class = env.define_class("t/Answer", None, &assemble::answer()).unwrap();
    let kept = env.field(class.get(), "kept", "I").unwrap();
    let made = env.alloc_object(class.get()).unwrap();
    env.set(&kept, made.get(), Value::Int(6), Trust::Caller).unwrap();
    assert!(matches!(env.get(&kept, made.get(), Trust::Caller), Ok(Value::Int(6))));
    let optional = crate::calls::class(env, "java/util/Optional");
    let value = env.field(optional, "value", "Ljava/lang/Object;").unwrap();
    let some = env.alloc_object(optional).unwrap();
    assert!(env.get_object(&value, some.get(), Trust::Nothing).unwrap().is_none());
    env.set(&value, some.get(), Value::Object(Some(made.get())), Trust::Nothing).unwrap();
    let get = env.method(optional, "get", "()Ljava/lang/Object;").unwrap();
    let Ok(Some(Value::Object(Some(got)))) = env.call(&get, some.get(), &[], Trust::Nothing) else {
        panic!("empty")
    };
    assert!(env.is_same(got, made.get()));
    let read = env.get_object(&value, some.get(), Trust::Nothing).unwrap().unwrap();
    assert!(env.is_same(read.get(), made.get()));
    env.delete(read);
}

fn refused(_vm: Vm, env: &mut Env<'_>) {
    let integer = class(env, "java/lang/Integer");
    let value = env.field(integer, "value", "I").unwrap();
    let text = env.new_string_from("text").unwrap();
    let text_object = text.get().erase();
    assert_eq!(env.get(&value, text_object, Trust::Nothing).unwrap_err(), Rejection::Receiver);
    assert_eq!(env.get_static(&value).unwrap_err(), Rejection::Dispatch);
    let size = env.static_field(integer, "SIZE", "I").unwrap();
    assert_eq!(env.get(&size, text_object, Trust::Nothing).unwrap_err(), Rejection::Dispatch);
    let made = env.alloc_object(integer).unwrap();
    let rejection = |answer: Result<(), CallError<'_>>| match answer {
        Err(CallError::Rejected(rejection)) => rejection,
        other => panic!("not refused: {other:?}"),
    };
    let set = env.set(&value, made.get(), Value::Long(1), Trust::Nothing);
    assert_eq!(rejection(set), Rejection::Kind { at: 0 });
    let bytes = env.field(class(env, "java/lang/String"), "value", "[B").unwrap();
    let set = env.set(&bytes, text_object, Value::Object(Some(text_object)), Trust::Nothing);
    assert_eq!(rejection(set), Rejection::Argument { at: 0 });
    assert_eq!(env.get_object(&value, made.get(), Trust::Nothing).unwrap_err(), Rejection::Kind { at: 0 });
}

fn direct_buffer(_vm: Vm, env: &mut Env<'_>) {
    use std::sync::atomic::AtomicU8;
    static MEMORY: [AtomicU8; 4] = [const { AtomicU8::new(5) }; 4];
    let buffer = env.new_direct_byte_buffer(&MEMORY).unwrap();
    let get = env.method(class(env, "java/nio/ByteBuffer"), "get", "(I)B").unwrap();
    MEMORY[2].store(9, Ordering::Relaxed);
    let read = env.call(&get, buffer.get(), &[Value::Int(2)], Trust::Nothing);
    assert!(matches!(read, Ok(Some(Value::Byte(9)))));
    let put = env.method(class(env, "java/nio/ByteBuffer"), "put", "(IB)Ljava/nio/ByteBuffer;").unwrap();
    env.call(&put, buffer.get(), &[Value::Int(3), Value::Byte(8)], Trust::Nothing).unwrap();
    assert_eq!(MEMORY[3].load(Ordering::Relaxed), 8);
    let answer = call_static(env, "java/lang/Math", "abs", "(I)I", &[Value::Int(-1)]);
    assert!(matches!(answer, Ok(Some(Value::Int(1)))));
}
