//! An iterator that has a next element gives it: `next` does not say that there is none.
//!
//! Takes one element of the object that is judged, so it comes after everything else, and no other sequence goes on from that object.

use probat_model::{Contract, Thrown};

use super::{Called, Check, Contracts, Interrupted, Subject};

pub fn last(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if !one.profile.iterator || check.answer(&kit.collections.has_next, one.object, &[])? != Some(true) {
        return Ok(());
    }
    check.took_element = true;
    if let Called::Threw(thrown) = check.call(&kit.collections.next, one.object, &[])?
        && is_at_the_end(&thrown)
    {
        check.violated(Contract::IteratorNext, &[one], Some(thrown));
    }
    Ok(())
}

/// Whether an exception says that there is no next element. Others have other reasons: a source that was changed meanwhile, a function
/// that was applied to the element.
pub(super) fn is_at_the_end(thrown: &Thrown) -> bool {
    thrown.class.as_internal() == "java/util/NoSuchElementException"
}
