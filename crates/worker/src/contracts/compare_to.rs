//! `compareTo` is zero for an object and itself, changes sign when turned round, and agrees with `equals`.
//!
//! Asked only between objects of one class; what it throws is no violation, since many orders are partial.

use probat_jvm::Value;
use probat_model::Contract;

use super::{Check, Contracts, Interrupted, Subject};

pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if one.profile.compare_to
        && check
            .int(&kit.compare_to, one.object, &[Value::Object(Some(one.object))])?
            .is_ok_and(|order| order != 0)
    {
        check.violated(Contract::CompareToReflexive, &[one], None);
    }
    Ok(())
}

pub fn pair(
    kit: &Contracts,
    check: &mut Check<'_, '_, '_>,
    one: &Subject<'_>,
    other: &Subject<'_>,
) -> Result<(), Interrupted> {
    if !one.profile.compare_to || one.class != other.class {
        return Ok(());
    }
    let there = check.int(&kit.compare_to, one.object, &[Value::Object(Some(other.object))])?;
    let back = check.int(&kit.compare_to, other.object, &[Value::Object(Some(one.object))])?;
    let (Ok(there), Ok(back)) = (there, back) else { return Ok(()) };
    if there.signum() != -back.signum() {
        check.violated(Contract::CompareToAntisymmetric, &[one, other], None);
    }
    let equal = check.boolean(&kit.equals, one, Some(other), Contract::EqualsThrows)?;
    if equal.is_some_and(|equal| equal != (there == 0)) {
        check.violated(Contract::CompareToEquals, &[one, other], None);
    }
    Ok(())
}
