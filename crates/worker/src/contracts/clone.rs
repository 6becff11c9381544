//! A class that says it is `Cloneable` and has a `clone` of its own can be cloned: the copy is another object of the same class, equal
//! to the first where the class says what equal means.

use probat_jvm::Value;
use probat_model::Contract;

use super::{Called, Check, Contracts, Interrupted, Subject};

pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if !one.profile.clone {
        return Ok(());
    }
    let copy = match check.call(&kit.clone, one.object, &[])? {
        Called::Gave(Value::Object(Some(copy))) => copy,
        Called::Threw(thrown) => {
            check.violated(Contract::CloneThrows, &[one], Some(thrown));
            return Ok(());
        }
        Called::Gave(_) | Called::Ended | Called::Nothing => return Ok(()),
    };
    if check.env.is_same(copy, one.object) {
        check.violated(Contract::CloneSame, &[one], None);
        return Ok(());
    }
    if !check.is_of_one_class(copy, one.object) {
        check.violated(Contract::CloneClass, &[one], None);
    } else if one.profile.equals
        // What differs from itself breaks another contract.
        && check.answer(&kit.equals, one.object, &[Value::Object(Some(one.object))])? == Some(true)
        && check.answer(&kit.equals, one.object, &[Value::Object(Some(copy))])? == Some(false)
    {
        check.violated(Contract::CloneEquals, &[one], None);
    }
    Ok(())
}
