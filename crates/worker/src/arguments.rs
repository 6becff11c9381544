//! Whether the results of earlier steps may be passed to a step.
//!
//! In: a prepared step and the values so far. Out: its arguments, or the [`Refusal`] that names the wrong one.
//! JNI itself checks nothing: a list passed as a `String` would run.

use probat_jvm::{Env, Value};
use probat_model::{ClassName, Refusal};

use crate::names::stable_internal;
use crate::prepare::{Param, Prepared};
use crate::types::{TypeId, Types};

/// The result of a step, as later steps see it.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'v> {
    /// `None` where the step threw, was refused or gave nothing.
    pub value: Option<Value<'v>>,
    /// Static type, for references.
    pub ty: TypeId,
}

/// Collects the arguments of a step into `into`; true when one of them is null.
#[inline]
pub fn collect<'v>(
    env: &mut Env<'_>,
    step: &Prepared,
    args: &[u16],
    slots: &[Slot<'v>],
    types: &mut Types,
    into: &mut Vec<Value<'v>>,
) -> Result<bool, Refusal> {
    into.clear();
    if args.len() != step.params.len() {
        let message = format!("{} arguments for {} parameters", args.len(), step.params.len());
        return Err(Refusal::Unresolved(message));
    }
    let mut null = false;
    for (at, (&arg, param)) in args.iter().zip(&step.params).enumerate() {
        let slot = &slots[usize::from(arg)];
        match slot.value {
            Some(Value::Object(Some(object))) if param.kind == probat_jvm::Kind::Object => {
                if !types.fits(env, slot.ty, param.ty) {
                    let fits =
                        types.loaded(param.ty).is_some_and(|to| env.is_instance_of(object, to.class.get()));
                    if !fits {
                        return Err(wrong(env, at, Some(Value::Object(Some(object))), param, types));
                    }
                }
            }
            Some(Value::Object(None)) if param.kind == probat_jvm::Kind::Object => {
                if param.needed {
                    return Err(Refusal::NullReceiver);
                }
                null = true;
            }
            Some(value) if value.kind() == param.kind => {}
            other => return Err(wrong(env, at, other, param, types)),
        }
        into.push(slot.value.expect("a missing value was refused above"));
    }
    Ok(null)
}

#[cold]
fn wrong(env: &mut Env<'_>, at: usize, value: Option<Value<'_>>, param: &Param, types: &Types) -> Refusal {
    let argument = u8::try_from(at).unwrap_or(u8::MAX);
    let Some(value) = value else { return Refusal::MissingArgument { argument } };
    let found = match value {
        Value::Object(Some(object)) => {
            let class = env.object_class(object);
            let name = env.class_name(class.get(), 1 << 16).unwrap_or_else(|_| "?".into());
            env.delete(class);
            stable_internal(&name)
        }
        Value::Object(None) => "null".into(),
        primitive => format!("{:?}", primitive.kind()).to_lowercase(),
    };
    Refusal::ArgumentType {
        argument,
        wanted: types.ty(param.ty).to_string(),
        found: ClassName::internal(&found),
    }
}
