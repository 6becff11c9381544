//! The parts of a collection tell the same story: `size` is not negative, `isEmpty` agrees with it, and so do `toArray` and what an
//! iterator gives; while that has a next element, `next` gives it.
//!
//! Nothing is changed: the iterator is a new one. Large collections are not walked. Collections whose content may change by itself (weak
//! references, time, other threads) promise none of this and are left alone; what a method throws is judged elsewhere.

use probat_jvm::{Env, Method, ObjectArray, Ref, Value};
use probat_model::Contract;

use super::{Called, Check, Contracts, Interrupted, Subject};
use crate::fault::Fault;
use crate::jdk;

/// Collections above this size are not walked.
const WALKED: i32 = 32;

/// The methods of collections and maps.
#[derive(Debug)]
pub struct CollectionKit {
    size: Method,
    is_empty: Method,
    pub to_array: Method,
    iterator: Method,
    map_size: Method,
    map_is_empty: Method,
    pub map_keys: Method,
    pub map_values: Method,
    pub has_next: Method,
    pub next: Method,
}

impl CollectionKit {
    pub fn new(env: &mut Env<'_>) -> Result<Self, Fault> {
        let (collection, map, iterator) = ("java/util/Collection", "java/util/Map", "java/util/Iterator");
        Ok(CollectionKit {
            size: jdk::method(env, collection, "size", "()I")?,
            is_empty: jdk::method(env, collection, "isEmpty", "()Z")?,
            to_array: jdk::method(env, collection, "toArray", "()[Ljava/lang/Object;")?,
            iterator: jdk::method(env, collection, "iterator", "()Ljava/util/Iterator;")?,
            map_size: jdk::method(env, map, "size", "()I")?,
            map_is_empty: jdk::method(env, map, "isEmpty", "()Z")?,
            map_keys: jdk::method(env, map, "keySet", "()Ljava/util/Set;")?,
            map_values: jdk::method(env, map, "values", "()Ljava/util/Collection;")?,
            has_next: jdk::method(env, iterator, "hasNext", "()Z")?,
            next: jdk::method(env, iterator, "next", "()Ljava/lang/Object;")?,
        })
    }
}

/// Words in the names of classes whose content comes and goes by itself.
const FLEETING: [&str; 7] = ["Weak", "Soft", "Phantom", "Reference", "Expir", "Concurrent", "Cache"];

/// Whether the name speaks of a collection that may change by itself.
pub fn is_fleeting(name: &str) -> bool {
    FLEETING.iter().any(|word| name.contains(word))
}

pub fn alone(kit: &Contracts, check: &mut Check<'_, '_, '_>, one: &Subject<'_>) -> Result<(), Interrupted> {
    if one.profile.map {
        let methods = (&kit.collections.map_size, &kit.collections.map_is_empty);
        sizes(check, one, methods, (Contract::MapSize, Contract::MapEmpty))?;
    }
    if one.profile.collection {
        let methods = (&kit.collections.size, &kit.collections.is_empty);
        let size = sizes(check, one, methods, (Contract::CollectionSize, Contract::CollectionEmpty))?;
        if let Some(size) = size.filter(|size| (0..=WALKED).contains(size)) {
            walk(kit, check, one, size)?;
        }
    }
    Ok(())
}

/// `size() >= 0` and `isEmpty() == (size() == 0)`; the size, if there is one to go by.
fn sizes(
    check: &mut Check<'_, '_, '_>,
    one: &Subject<'_>,
    (size, is_empty): (&Method, &Method),
    (negative, disagree): (Contract, Contract),
) -> Result<Option<i32>, Interrupted> {
    let Ok(first) = check.int(size, one.object, &[])? else { return Ok(None) };
    if first < 0 {
        check.violated(negative, &[one], None);
        return Ok(None);
    }
    let empty = check.answer(is_empty, one.object, &[])?;
    if empty.is_some_and(|empty| empty != (first == 0)) && check.int(size, one.object, &[])? == Ok(first) {
        check.violated(disagree, &[one], None);
    }
    Ok(Some(first))
}

/// What `toArray` and an iterator give, counted.
fn walk(
    kit: &Contracts,
    check: &mut Check<'_, '_, '_>,
    one: &Subject<'_>,
    size: i32,
) -> Result<(), Interrupted> {
    let methods = &kit.collections;
    let array = match check.call(&methods.to_array, one.object, &[])? {
        Called::Gave(Value::Object(Some(array))) => check
            .env
            .cast::<ObjectArray>(array)
            .and_then(|array| i32::try_from(check.env.array_length(array)).ok()),
        Called::Gave(_) | Called::Ended | Called::Threw(_) | Called::Nothing => None,
    };
    let Called::Gave(Value::Object(Some(iterator))) = check.call(&methods.iterator, one.object, &[])? else {
        return Ok(());
    };
    let count = count(kit, check, one, iterator, size)?;
    // A size that is another one by now says that nothing here is settled.
    if check.int(&methods.size, one.object, &[])? != Ok(size) {
        return Ok(());
    }
    if array.is_some_and(|length| length != size) {
        check.violated(Contract::CollectionArray, &[one], None);
    }
    if count.is_some_and(|count| count != size) {
        check.violated(Contract::CollectionIterator, &[one], None);
    }
    Ok(())
}

/// How many elements an iterator gives, at most one more than there should be.
fn count(
    kit: &Contracts,
    check: &mut Check<'_, '_, '_>,
    one: &Subject<'_>,
    iterator: Ref<'_>,
    size: i32,
) -> Result<Option<i32>, Interrupted> {
    let mut count = 0;
    while count <= size {
        match check.answer(&kit.collections.has_next, iterator, &[])? {
            Some(true) => {}
            Some(false) => return Ok(Some(count)),
            None => return Ok(None),
        }
        match check.call(&kit.collections.next, iterator, &[])? {
            Called::Gave(_) => count += 1,
            Called::Threw(thrown) if super::iterator::is_at_the_end(&thrown) => {
                check.violated(Contract::IterableNext, &[one], Some(thrown));
                return Ok(None);
            }
            Called::Threw(_) | Called::Ended | Called::Nothing => return Ok(None),
        }
    }
    Ok(Some(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_and_goes_by_itself_is_known_by_its_name() {
        assert!(is_fleeting("a/AbstractReferenceMap$KeySet") && is_fleeting("a/WeakBag"));
        assert!(!is_fleeting("a/TreeList") && !is_fleeting("a/HashBag"));
    }
}
