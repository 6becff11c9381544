//! A class that says it is `Cloneable` and has a `clone` of its own can be cloned.

use probat_model::Contract;

use super::{Called, Check, Contracts, Interrupted, Subject};

pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if one.profile.clone
        && let Called::Threw(thrown) = check.call(&kit.clone, one.object, &[])?
    {
        check.violated(Contract::CloneThrows, &[one], Some(thrown));
    }
    Ok(())
}
