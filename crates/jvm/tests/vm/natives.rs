//! Native methods in Rust.

use probat_jvm::{AnyRef, CallError, Class, Env, NativeMethod, Ref, Throwable, Trust, Value, Vm, native};

use crate::assemble::ClassBuilder;
use crate::calls::{object, thrown_class};
use crate::{Case, Ends};

pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("native_methods_get_and_give_every_type", every_type),
        Case::plain("native_methods_call_back_and_throw", calls_back),
        Case::plain("unknown_native_methods_are_reported", unknown),
        Case {
            ends: Ends::Aborting("probat: panic in fail: on purpose"),
            ..Case::plain("a_panic_in_a_native_method_aborts_with_a_message", panics)
        },
    ]
}

struct Mix;

impl NativeMethod for Mix {
    const NAME: &'static str = "mix";
    const DESCRIPTOR: &'static str = "(ZBCSIJ)D";
    type Params = (bool, i8, u16, i16, i32, i64);
    type Returns = f64;

    fn call<'a>(
        _env: &mut Env<'a>,
        _class: Ref<'a>,
        (flag, byte, unit, short, int, long): (bool, i8, u16, i16, i32, i64),
    ) -> Result<f64, Ref<'a, Throwable>> {
        assert!(flag);
        Ok(f64::from(byte) + f64::from(unit) + f64::from(short) + f64::from(int) + long as f64)
    }
}

struct Half;

impl NativeMethod for Half {
    const NAME: &'static str = "half";
    const DESCRIPTOR: &'static str = "(FDI)F";
    type Params = (f32, f64, i32);
    type Returns = f32;

    fn call<'a>(_: &mut Env<'a>, _: Ref<'a>, args: (f32, f64, i32)) -> Result<f32, Ref<'a, Throwable>> {
        Ok((args.0 + args.1 as f32 + args.2 as f32) / 2.0)
    }
}

/// Answers the length of a string, asked for by a call into Java from inside the native method.
struct Length;

impl NativeMethod for Length {
    const NAME: &'static str = "length";
    const DESCRIPTOR: &'static str = "(Ljava/lang/String;)I";
    type Params = (AnyRef,);
    type Returns = i32;

    fn call<'a>(
        env: &mut Env<'a>,
        class: Ref<'a>,
        args: (Option<Ref<'a>>,),
    ) -> Result<i32, Ref<'a, Throwable>> {
        assert!(env.cast::<Class>(class).is_some());
        let Some(text) = args.0 else {
            return Err(env.exception("java/lang/IllegalStateException", "no text").keep());
        };
        let answer = env.with_frame(8, |env| {
            let string = env.find_class("java/lang/String").unwrap();
            let length = env.method(string.get(), "length", "()I").unwrap();
            match env.call(&length, text, &[], Trust::Nothing) {
                Ok(Some(Value::Int(length))) => length,
                other => panic!("no length: {other:?}"),
            }
        });
        answer.map_err(|thrown| thrown.keep())
    }
}

struct Same;

impl NativeMethod for Same {
    const NAME: &'static str = "same";
    const DESCRIPTOR: &'static str = "(Ljava/lang/Object;)Ljava/lang/Object;";
    type Params = (AnyRef,);
    type Returns = AnyRef;

    fn call<'a>(
        _: &mut Env<'a>,
        _: Ref<'a>,
        args: (Option<Ref<'a>>,),
    ) -> Result<Option<Ref<'a>>, Ref<'a, Throwable>> {
        Ok(args.0)
    }
}

struct Fail;

impl NativeMethod for Fail {
    const NAME: &'static str = "fail";
    const DESCRIPTOR: &'static str = "()V";
    type Params = ();
    type Returns = ();

    fn call<'a>(_: &mut Env<'a>, _: Ref<'a>, (): ()) -> Result<(), Ref<'a, Throwable>> {
        panic!("on purpose");
    }
}

fn natives<'f>(env: &Env<'f>) -> Ref<'f, Class> {
    let mut class = ClassBuilder::new("t/Natives", "java/lang/Object");
    for entry in [
        (Mix::NAME, Mix::DESCRIPTOR),
        (Half::NAME, Half::DESCRIPTOR),
        (Length::NAME, Length::DESCRIPTOR),
        (Same::NAME, Same::DESCRIPTOR),
        (Fail::NAME, Fail::DESCRIPTOR),
    ] {
        class = class.native(entry.0, entry.1);
    }
    let class = env.define_class("t/Natives", None, &class.bytes()).unwrap().keep();
    let entries = [native::<Mix>(), native::<Half>(), native::<Length>(), native::<Same>(), native::<Fail>()];
    env.register_natives(class, &entries).unwrap();
    class
}

fn every_type(_vm: Vm, env: &mut Env<'_>) {
    let class = natives(env);
    let mix = env.static_method(class, Mix::NAME, Mix::DESCRIPTOR).unwrap();
    let args = [
        Value::Boolean(true),
        Value::Byte(-1),
        Value::Char(0xffff),
        Value::Short(-300),
        Value::Int(-70_000),
        Value::Long(1 << 40),
    ];
    let expected = -1.0 + 65535.0 - 300.0 - 70_000.0 + (1u64 << 40) as f64;
    let answer = env.call_static(&mix, &args, Trust::Nothing);
    assert!(matches!(answer, Ok(Some(Value::Double(sum))) if sum == expected), "{answer:?}");
    let half = env.static_method(class, Half::NAME, Half::DESCRIPTOR).unwrap();
    let answer =
        env.call_static(&half, &[Value::Float(1.5), Value::Double(2.0), Value::Int(3)], Trust::Nothing);
    assert!(matches!(answer, Ok(Some(Value::Float(3.25)))), "{answer:?}");
    let same = env.static_method(class, Same::NAME, Same::DESCRIPTOR).unwrap();
    let text = env.new_string_from("text").unwrap();
    let back = object(env.call_static(&same, &[Value::Object(Some(text.get().erase()))], Trust::Nothing));
    assert!(env.is_same(back, text.get().erase()));
    let nothing = env.call_static(&same, &[Value::Object(None)], Trust::Nothing);
    assert!(matches!(nothing, Ok(Some(Value::Object(None)))));
}

fn calls_back(_vm: Vm, env: &mut Env<'_>) {
    let class = natives(env);
    let length = env.static_method(class, Length::NAME, Length::DESCRIPTOR).unwrap();
    let text = env.new_string_from("four").unwrap();
    for _ in 0..1000 {
        let answer = env.call_static(&length, &[Value::Object(Some(text.get().erase()))], Trust::Nothing);
        assert!(matches!(answer, Ok(Some(Value::Int(4)))), "{answer:?}");
    }
    let Err(CallError::Threw(thrown)) = env.call_static(&length, &[Value::Object(None)], Trust::Nothing)
    else {
        panic!("null has no length")
    };
    assert_eq!(thrown_class(env, thrown), "java.lang.IllegalStateException");
}

fn unknown(_vm: Vm, env: &mut Env<'_>) {
    let class = crate::calls::class(env, "java/lang/Integer");
    let thrown = env.register_natives(class, &[native::<Mix>()]).unwrap_err();
    assert_eq!(thrown_class(env, thrown), "java.lang.NoSuchMethodError");
}

fn panics(_vm: Vm, env: &mut Env<'_>) {
    let class = natives(env);
    let fail = env.static_method(class, Fail::NAME, Fail::DESCRIPTOR).unwrap();
    let answer = env.call_static(&fail, &[], Trust::Nothing);
    unreachable!("the process is gone: {answer:?}");
}
