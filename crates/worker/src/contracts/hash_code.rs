//! `hashCode` throws nothing and answers the same twice.

use probat_model::Contract;

use super::{Check, Contracts, Interrupted, Subject};

pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if !one.profile.hash_code {
        return Ok(());
    }
    match check.int(&kit.hash_code, one.object, &[])? {
        Ok(first) => {
            if check.int(&kit.hash_code, one.object, &[])?.is_ok_and(|second| second != first) {
                check.violated(Contract::HashCodeConsistent, &[one], None);
            }
        }
        Err(Some(thrown)) => check.violated(Contract::HashCodeThrows, &[one], Some(thrown)),
        Err(None) => {}
    }
    Ok(())
}
