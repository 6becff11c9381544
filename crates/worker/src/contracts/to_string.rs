//! `toString` throws nothing and is never null.

use probat_jvm::Value;
use probat_model::Contract;

use super::{Called, Check, Contracts, Interrupted, Subject};

pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if !one.profile.to_string {
        return Ok(());
    }
    match check.call(&kit.to_string, one.object, &[])? {
        Called::Gave(Value::Object(None)) => check.violated(Contract::ToStringNull, &[one], None),
        Called::Threw(thrown) => check.violated(Contract::ToStringThrows, &[one], Some(thrown)),
        Called::Gave(_) | Called::Ended | Called::Nothing => {}
    }
    Ok(())
}
