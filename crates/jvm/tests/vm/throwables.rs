//! What exceptions say about themselves, also when their class does not want them to.

use probat_jvm::{CallError, Env, Limits, Message, MessageFrom, Ref, Throwable, Trust, Value, Vm};

use crate::Case;
use crate::assemble::{self, ClassBuilder, PUBLIC};

pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("exceptions_are_described", described),
        Case::plain("hostile_exceptions_are_described", hostile),
        Case::plain("deep_traces_and_long_messages_are_cut_off", cut_off),
    ]
}

fn text(message: &str) -> Message {
    Message::Text { units: message.encode_utf16().collect(), length: message.len() }
}

fn described(_vm: Vm, env: &mut Env<'_>) {
    let input = env.new_string_from("12x").unwrap();
    let args = [Value::Object(Some(input.get().erase()))];
    let answer =
        crate::calls::call_static(env, "java/lang/Integer", "parseInt", "(Ljava/lang/String;)I", &args);
    let Err(CallError::Threw(thrown)) = answer else { panic!("parsed") };
    let thrown = thrown.keep();
    for from in [MessageFrom::Field, MessageFrom::Method] {
        let info = env.describe_throwable(thrown, from, Limits::default());
        assert_eq!(info.class, "java.lang.NumberFormatException");
        assert_eq!(info.message, text("For input string: \"12x\""));
        assert_eq!(info.cause, None);
        let frame = info.frames.iter().find(|frame| frame.method == "parseInt").unwrap();
        assert_eq!(frame.class, "java.lang.Integer");
        // A slimmed-down runtime has neither files nor lines.
        let stripped = frame.file.is_none() && frame.line < 0;
        assert!(stripped || (frame.file.as_deref() == Some("Integer.java") && frame.line > 100), "{frame:?}");
    }
    let outer = wrap(env, thrown);
    let info = env.describe_throwable(outer, MessageFrom::Method, Limits { frames: 0, ..Limits::default() });
    assert_eq!(info.cause.as_deref(), Some("java.lang.NumberFormatException"));
    assert_eq!(info.message, text("java.lang.NumberFormatException: For input string: \"12x\""));
    assert!(info.frames.is_empty());
    let reflected = wrap_in(env, "java/lang/reflect/InvocationTargetException", thrown);
    let info = env.describe_throwable(reflected, MessageFrom::Field, Limits::default());
    assert_eq!(info.cause.as_deref(), Some("java.lang.NumberFormatException"));
    let bare = env.exception("java/lang/Error", "");
    let info = env.describe_throwable(bare.get(), MessageFrom::Field, Limits::default());
    assert_eq!((info.message, info.frames), (text(""), vec![]));
}

fn wrap<'f>(env: &Env<'f>, cause: Ref<'_, Throwable>) -> Ref<'f, Throwable> {
    wrap_in(env, "java/lang/RuntimeException", cause)
}

fn wrap_in<'f>(env: &Env<'f>, class: &str, cause: Ref<'_, Throwable>) -> Ref<'f, Throwable> {
    let class = env.find_class(class).unwrap();
    let constructor = env.constructor(class.get(), "(Ljava/lang/Throwable;)V").unwrap();
    let made = env.new_object(&constructor, &[Value::Object(Some(cause.erase()))], Trust::Nothing).unwrap();
    env.cast(made.keep()).unwrap()
}

/// `class t.Hostile extends Throwable` whose every accessor throws; `throw null` is a `NullPointerException`.
fn hostile(_vm: Vm, env: &mut Env<'_>) {
    let throw_null = [0x01, 0xbf];
    let bytes = ClassBuilder::new("t/Hostile", "java/lang/Throwable")
        .constructor("java/lang/Throwable")
        .method(PUBLIC, "getMessage", "()Ljava/lang/String;", &throw_null)
        .method(PUBLIC, "getLocalizedMessage", "()Ljava/lang/String;", &throw_null)
        .method(PUBLIC, "toString", "()Ljava/lang/String;", &throw_null)
        .method(PUBLIC, "getCause", "()Ljava/lang/Throwable;", &throw_null)
        .method(PUBLIC, "getStackTrace", "()[Ljava/lang/StackTraceElement;", &throw_null)
        .bytes();
    let class = env.define_class("t/Hostile", None, &bytes).unwrap();
    let constructor = env.constructor(class.get(), "()V").unwrap();
    let made = env.new_object(&constructor, &[], Trust::Nothing).unwrap().keep();
    let made = env.cast::<Throwable>(made).unwrap();
    let info = env.describe_throwable(made, MessageFrom::Method, Limits::default());
    assert_eq!(info.class, "t.Hostile");
    assert_eq!(info.message, Message::Threw("java.lang.NullPointerException".into()));
    assert_eq!(info.cause, None);
    let info = env.describe_throwable(made, MessageFrom::Field, Limits::default());
    assert_eq!(info.message, Message::Null);
}

fn cut_off(_vm: Vm, env: &mut Env<'_>) {
    let loops = env.define_class("t/Loops", None, &assemble::loops()).unwrap();
    let dive = env.static_method(loops.get(), "dive", "()V").unwrap();
    let Err(CallError::Threw(thrown)) = env.call_static(&dive, &[], Trust::Nothing) else {
        panic!("it ended")
    };
    let thrown = thrown.keep();
    let info = env.describe_throwable(thrown, MessageFrom::Method, Limits { frames: 5, ..Limits::default() });
    assert_eq!(info.class, "java.lang.StackOverflowError");
    assert_eq!(info.frames.len(), 5);
    assert!(
        info.frames.iter().all(|frame| frame.class == "t.Loops" && frame.method == "dive" && frame.line < 0)
    );
    let long = env.exception("java/lang/Error", &"x".repeat(10_000));
    let info =
        env.describe_throwable(long.get(), MessageFrom::Method, Limits { message: 3, ..Limits::default() });
    assert_eq!(info.message, Message::Text { units: vec![0x78; 3], length: 10_000 });
}
