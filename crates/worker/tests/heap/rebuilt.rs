//! Objects rebuilt from their states have those states, and behave alike.

use probat_jvm::Value;
use probat_model::state::TokenWriter;
use probat_model::{ClassName, StoredState};
use probat_worker::heap::RestoreError;

use crate::Case;
use crate::bed::Bed;

pub fn cases() -> Vec<Case> {
    vec![
        ("rebuilt objects have the same state", rebuilt_objects_have_the_same_state),
        ("several roots are rebuilt together", several_roots_are_rebuilt_together),
        ("a long list is rebuilt", a_long_list_is_rebuilt),
        ("what cannot be rebuilt is named", what_cannot_be_rebuilt_is_named),
    ]
}

fn restore<'f>(bed: &mut Bed<'_, 'f>, state: &StoredState) -> Result<Vec<Value<'f>>, RestoreError> {
    let loader = bed.loader();
    bed.reader.restore(bed.env, Some(loader), state)
}

fn rebuilt_objects_have_the_same_state(bed: &mut Bed<'_, '_>) {
    let mut wrong = Vec::new();
    for name in bed.names() {
        let original = bed.make(&name);
        let state = bed.stored(&[original]);
        let rebuilt = match restore(bed, &state) {
            Ok(roots) => roots[0],
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        if bed.bytes(&[rebuilt]) != state.tokens {
            wrong.push(format!(
                "{name}: other state\n {:?}\n {:?}",
                bed.tokens(original),
                bed.tokens(rebuilt)
            ));
        }
        let descriptor = "(Ljava/lang/String;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/String;";
        let verdict = bed.call("compare", descriptor, &[bed.text(&name), original, rebuilt]);
        let Value::Object(Some(verdict)) = verdict else { panic!("no verdict on {name}") };
        let verdict = bed.env.string_text(bed.env.cast(verdict).unwrap(), 1000);
        if !verdict.is_empty() {
            wrong.push(format!("{name}: {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn several_roots_are_rebuilt_together(bed: &mut Bed<'_, '_>) {
    let list = bed.make("arrayList");
    let roots = [list, Value::Int(7), Value::Object(None), list, Value::Double(f64::NAN), bed.make("ring")];
    let state = bed.stored(&roots);
    let rebuilt = restore(bed, &state).unwrap();
    assert_eq!(rebuilt.len(), roots.len());
    assert_eq!(bed.bytes(&rebuilt), state.tokens);
    let (Value::Object(Some(first)), Value::Object(Some(fourth))) = (rebuilt[0], rebuilt[3]) else {
        panic!()
    };
    assert!(bed.env.is_same(first, fourth));
}

fn a_long_list_is_rebuilt(bed: &mut Bed<'_, '_>) {
    let length = if bed.strict { 1_000 } else { 200_000 };
    let list = bed.call("list", "(I)Lfixture/Zoo$Node;", &[Value::Int(length)]);
    let state = bed.stored(&[list]);
    let rebuilt = restore(bed, &state).unwrap();
    assert_eq!(bed.bytes(&rebuilt), state.tokens);
}

fn what_cannot_be_rebuilt_is_named(bed: &mut Bed<'_, '_>) {
    let lambda = bed.call("other", "()Ljava/util/function/Supplier;", &[]);
    let state = bed.stored(&[lambda]);
    let error = restore(bed, &state).unwrap_err();
    assert!(
        matches!(&error, RestoreError::Opaque { class, .. } if class.to_binary() == "fixture.Zoo"),
        "{error}"
    );

    let mut writer = TokenWriter::new();
    writer.truncated();
    let cut = StoredState { tokens: writer.bytes().to_vec(), layouts: vec![] };
    assert_eq!(restore(bed, &cut).unwrap_err(), RestoreError::Truncated);

    let ring = bed.ring(2, 1);
    let state = bed.stored(&[ring]);
    let node = ClassName::internal("fixture/Zoo$Node");
    let mut renamed = state.clone();
    renamed.layouts[0].slots[1].name = "worth".into();
    let descriptor = "I".to_owned();
    let expected = RestoreError::Field { class: node.clone(), field: "worth".into(), descriptor };
    assert_eq!(restore(bed, &renamed).unwrap_err(), expected);
    let mut retyped = state.clone();
    retyped.layouts[0].slots[1].descriptor = "J".into();
    assert!(matches!(restore(bed, &retyped).unwrap_err(), RestoreError::Field { .. }));
    let mut without = state.clone();
    without.layouts.clear();
    assert_eq!(restore(bed, &without).unwrap_err(), RestoreError::NoLayout { class: node });

    let bytes = String::from_utf8_lossy(&state.tokens).replace("Node", "Nods").into_bytes();
    let mut gone = StoredState { tokens: bytes, layouts: state.layouts.clone() };
    gone.layouts[0].class = ClassName::internal("fixture/Zoo$Nods");
    let error = restore(bed, &gone).unwrap_err();
    let text = "class `fixture.Zoo$Nods` cannot be used: java.lang.ClassNotFoundException";
    assert_eq!(error.to_string(), text);

    for end in 0..state.tokens.len() {
        let part = StoredState { tokens: state.tokens[..end].to_vec(), layouts: state.layouts.clone() };
        assert!(restore(bed, &part).is_err(), "{end}");
    }
    // A reference where the field wants a primitive, and another class than the field's.
    let mut writer = TokenWriter::new();
    writer.object(probat_model::state::ClassOperand::First("fixture/Zoo$Node"));
    writer.string(&[97]);
    writer.int(1);
    let misfit = StoredState { tokens: writer.bytes().to_vec(), layouts: state.layouts.clone() };
    assert!(matches!(restore(bed, &misfit).unwrap_err(), RestoreError::Misfit { .. }));
}
