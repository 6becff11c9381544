//! `equals` is reflexive, symmetric, false for null, and throws nothing; equal objects have equal hash codes.

use probat_model::Contract;

use super::{Check, Contracts, Interrupted, Subject};

/// `o.equals(o)` and `!o.equals(null)`.
pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if !one.profile.equals {
        return Ok(());
    }
    if check.boolean(&kit.equals, one, Some(one), Contract::EqualsThrows)? == Some(false) {
        check.violated(Contract::EqualsReflexive, &[one], None);
    }
    if check.boolean(&kit.equals, one, None, Contract::EqualsThrows)? == Some(true) {
        check.violated(Contract::EqualsNull, &[one], None);
    }
    Ok(())
}

/// `a.equals(b) == b.equals(a)`, and then `a.hashCode() == b.hashCode()`.
pub fn pair(
    kit: &Contracts,
    check: &mut Check<'_, '_, '_>,
    one: &Subject<'_>,
    other: &Subject<'_>,
) -> Result<(), Interrupted> {
    if !one.profile.equals && !other.profile.equals {
        return Ok(());
    }
    let Some(there) = check.boolean(&kit.equals, one, Some(other), Contract::EqualsThrows)? else {
        return Ok(());
    };
    let Some(back) = check.boolean(&kit.equals, other, Some(one), Contract::EqualsThrows)? else {
        return Ok(());
    };
    if there != back {
        check.violated(Contract::EqualsSymmetric, &[one, other], None);
    }
    if there && back {
        let hashes =
            (check.int(&kit.hash_code, one.object, &[])?, check.int(&kit.hash_code, other.object, &[])?);
        if let (Ok(here), Ok(there)) = hashes
            && here != there
        {
            check.violated(Contract::EqualsHashCode, &[one, other], None);
        }
    }
    Ok(())
}
