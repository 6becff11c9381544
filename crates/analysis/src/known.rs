//! What well-known JDK methods change, where their bodies are native, unread, or full of harmless caches.
//!
//! In: a method. Out: its [`Summary`], taken before any analysis of its body, or from the contract of what it overrides.
//! Short on purpose: a method belongs here if much code calls it and its documentation leaves no doubt. Everything
//! else is found from bodies when they are in scope, or taken to change anything.

use probat_model::{ClassName, Type};

use crate::effects::{FRESH, OUTSIDE, Places, Summary, contents, parameter};
use crate::world::{MethodId, World};

/// What a listed method does.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// Changes nothing; its result may be something that was there before.
    Nothing,
    /// Changes nothing and makes a new object, which may hold on to the arguments.
    Makes,
    /// Changes the receiver, which may hold on to the other arguments, and may return it.
    ChangesReceiver,
    /// Changes the receiver but nothing it leads to, and returns something from there.
    Advances,
    /// Changes its first argument alone.
    FillsFirst,
    /// Copies references from the first argument to the third.
    Copies,
    /// Returns its first argument.
    Passes,
}

use Does::{Advances, ChangesReceiver, Copies, FillsFirst, Makes, Nothing, Passes};

/// Owner, names (or `*` for all methods that no earlier row names), what they do.
const TABLE: &[(&str, &str, Does)] = &[
    ("java/lang/Object", "<init> getClass hashCode equals toString", Nothing),
    ("java/lang/Object", "clone", Makes),
    ("java/lang/Math", "*", Nothing),
    ("java/lang/StrictMath", "*", Nothing),
    ("java/lang/Integer", "<init>", ChangesReceiver),
    ("java/lang/Integer", "*", Nothing),
    ("java/lang/Long", "<init>", ChangesReceiver),
    ("java/lang/Long", "*", Nothing),
    ("java/lang/Short", "<init>", ChangesReceiver),
    ("java/lang/Short", "*", Nothing),
    ("java/lang/Byte", "<init>", ChangesReceiver),
    ("java/lang/Byte", "*", Nothing),
    ("java/lang/Boolean", "<init>", ChangesReceiver),
    ("java/lang/Boolean", "*", Nothing),
    ("java/lang/Float", "<init>", ChangesReceiver),
    ("java/lang/Float", "*", Nothing),
    ("java/lang/Double", "<init>", ChangesReceiver),
    ("java/lang/Double", "*", Nothing),
    ("java/lang/Number", "<init>", Nothing),
    (
        "java/lang/Character",
        "charValue codePointAt compare compareTo digit equals forDigit getNumericValue getType hashCode \
         highSurrogate isAlphabetic isDefined isDigit isHighSurrogate isIdentifierIgnorable isISOControl \
         isJavaIdentifierPart isJavaIdentifierStart isLetter isLetterOrDigit isLowerCase isLowSurrogate isMirrored \
         isSpaceChar isSupplementaryCodePoint isSurrogate isSurrogatePair isTitleCase isUpperCase \
         isValidCodePoint isWhitespace lowSurrogate toCodePoint toLowerCase toString toTitleCase toUpperCase \
         valueOf charCount reverseBytes isBmpCodePoint",
        Nothing,
    ),
    (
        "java/lang/String",
        "charAt codePointAt codePointBefore codePointCount compareTo compareToIgnoreCase concat contentEquals \
         endsWith equals equalsIgnoreCase hashCode indexOf intern isBlank isEmpty lastIndexOf length matches \
         offsetByCodePoints regionMatches repeat replaceAll replaceFirst split startsWith strip stripLeading \
         stripTrailing substring toLowerCase toString toUpperCase trim copyValueOf stripIndent translateEscapes",
        Nothing,
    ),
    ("java/lang/String", "toCharArray", Makes),
    ("java/lang/Class", "*", Nothing),
    ("java/lang/Enum", "<init>", ChangesReceiver),
    ("java/lang/Enum", "name ordinal compareTo equals hashCode toString getDeclaringClass valueOf", Nothing),
    ("java/lang/Record", "<init>", Nothing),
    ("java/lang/Throwable", "<init> fillInStackTrace addSuppressed initCause setStackTrace", ChangesReceiver),
    ("java/lang/Throwable", "getMessage getCause getStackTrace", Nothing),
    ("java/lang/System", "arraycopy", Copies),
    ("java/lang/System", "currentTimeMillis nanoTime identityHashCode lineSeparator", Nothing),
    ("java/lang/Thread", "currentThread", Nothing),
    ("java/lang/reflect/Array", "newInstance newArray multiNewArray", Makes),
    ("java/lang/reflect/Array", "getLength", Nothing),
    ("java/math/BigInteger", "<init>", ChangesReceiver),
    ("java/math/BigInteger", "*", Nothing),
    ("java/math/BigDecimal", "<init>", ChangesReceiver),
    ("java/math/BigDecimal", "*", Nothing),
    ("java/util/AbstractCollection", "<init>", Nothing),
    ("java/util/AbstractList", "<init>", Nothing),
    ("java/util/AbstractMap", "<init>", Nothing),
    ("java/util/AbstractQueue", "<init>", Nothing),
    ("java/util/AbstractSequentialList", "<init>", Nothing),
    ("java/util/AbstractSet", "<init>", Nothing),
    ("java/util/Objects", "requireNonNull", Passes),
    ("java/util/Objects", "isNull nonNull checkIndex checkFromToIndex checkFromIndexSize", Nothing),
    ("java/util/Arrays", "copyOf copyOfRange", Makes),
    ("java/util/Arrays", "fill", FillsFirst),
];

/// As [`TABLE`], for everything that overrides these: what their documentation promises, kept or not.
const CONTRACTS: &[(&str, &str, Does)] = &[
    ("java/lang/Object", "equals hashCode toString", Nothing),
    ("java/lang/CharSequence", "*", Nothing),
    ("java/lang/Comparable", "compareTo", Nothing),
    ("java/lang/Number", "*", Nothing),
    ("java/lang/Iterable", "iterator spliterator", Makes),
    ("java/util/Comparator", "compare", Nothing),
    ("java/util/Iterator", "hasNext", Nothing),
    ("java/util/Iterator", "next", Advances),
    ("java/util/Iterator", "remove", ChangesReceiver),
    ("java/util/ListIterator", "hasPrevious nextIndex previousIndex", Nothing),
    ("java/util/ListIterator", "previous", Advances),
    ("java/util/Enumeration", "hasMoreElements", Nothing),
    ("java/util/Enumeration", "nextElement", Advances),
    ("java/util/Collection", "contains containsAll isEmpty size", Nothing),
    ("java/util/Collection", "toArray", Makes),
    ("java/util/Collection", "add addAll clear remove removeAll retainAll", ChangesReceiver),
    ("java/util/List", "get indexOf lastIndexOf", Nothing),
    ("java/util/List", "listIterator subList", Makes),
    ("java/util/List", "add addAll remove set", ChangesReceiver),
    (
        "java/util/Map",
        "containsKey containsValue entrySet get getOrDefault isEmpty keySet size values",
        Nothing,
    ),
    ("java/util/Map", "clear put putAll putIfAbsent remove", ChangesReceiver),
    ("java/util/Map$Entry", "getKey getValue", Nothing),
    ("java/util/Map$Entry", "setValue", ChangesReceiver),
    ("java/util/Queue", "element peek", Nothing),
    ("java/util/Queue", "offer poll remove", ChangesReceiver),
    ("java/util/Deque", "getFirst getLast peekFirst peekLast", Nothing),
    (
        "java/util/Deque",
        "addFirst addLast offerFirst offerLast pollFirst pollLast pop push removeFirst removeLast",
        ChangesReceiver,
    ),
    ("java/util/SortedMap", "comparator firstKey lastKey", Nothing),
    ("java/util/SortedSet", "comparator first last", Nothing),
];

/// Collections whose constructors without arguments or with a capacity fill the new object alone.
const COLLECTIONS: [&str; 10] = [
    "java/util/ArrayDeque",
    "java/util/ArrayList",
    "java/util/BitSet",
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/LinkedHashMap",
    "java/util/LinkedHashSet",
    "java/util/LinkedList",
    "java/util/TreeMap",
    "java/util/TreeSet",
];

/// Owners of which only the methods without object parameters other than strings are listed: the rest would call back.
const BUILDERS: [&str; 3] =
    ["java/lang/AbstractStringBuilder", "java/lang/StringBuffer", "java/lang/StringBuilder"];

/// Methods of string builders that change nothing.
const BUILDER_QUERIES: [&str; 10] = [
    "capacity",
    "charAt",
    "codePointAt",
    "compareTo",
    "indexOf",
    "isEmpty",
    "lastIndexOf",
    "length",
    "substring",
    "toString",
];

/// What a method of the table does; none for those that are not in it.
pub(crate) fn known_summary(world: &World<'_>, method: MethodId) -> Option<Summary> {
    let info = world.method(method);
    let owner = world.class(info.class).name.as_internal();
    if !owner.starts_with("java/") {
        return None;
    }
    let name = world.method_name(method);
    let parameters = world.method_descriptor(method)?.params;
    let is_exception = name == "<init>" && is_throwable(world, method);
    let is_collection =
        name == "<init>" && COLLECTIONS.contains(&owner) && parameters.iter().all(Type::is_primitive);
    let does = if is_exception || is_collection {
        ChangesReceiver
    } else if BUILDERS.contains(&owner) {
        builder(name, &parameters)?
    } else {
        row(TABLE, owner, name)?
    };
    Some(summary(does, usize::from(!info.is_static()) + parameters.len()))
}

/// What documentation promises of a method or of one it overrides; none for those without such a promise.
pub(crate) fn promised_summary(world: &World<'_>, method: MethodId) -> Option<Summary> {
    let parameters = world.method_descriptor(method)?.params;
    let promise = std::iter::once(method).chain(world.overridden(method)).find_map(|id| {
        row(CONTRACTS, world.class(world.method(id).class).name.as_internal(), world.method_name(id))
    })?;
    Some(summary(promise, 1 + parameters.len()))
}

fn row(table: &[(&str, &str, Does)], owner: &str, name: &str) -> Option<Does> {
    let fits = |row: &&(&str, &str, Does)| {
        row.0 == owner && (row.1 == "*" || row.1.split_whitespace().any(|listed| listed == name))
    };
    table.iter().find(fits).map(|row| row.2)
}

fn is_throwable(world: &World<'_>, method: MethodId) -> bool {
    let throwable = world.find(&ClassName::internal("java/lang/Throwable"));
    throwable.is_some_and(|throwable| world.is_subclass(world.method(method).class, throwable))
}

fn builder(name: &str, parameters: &[Type]) -> Option<Does> {
    let is_plain = |param: &Type| {
        matches!(param, Type::Class(class) if class.as_internal() == "java/lang/String")
            || param.is_primitive()
    };
    let copies_chars = |param: &Type| *param == Type::Char.array();
    if name == "getChars" || !parameters.iter().all(|param| is_plain(param) || copies_chars(param)) {
        return None;
    }
    Some(if BUILDER_QUERIES.contains(&name) { Nothing } else { ChangesReceiver })
}

fn summary(does: Does, arguments: usize) -> Summary {
    let whole = |at: usize| parameter(at) | contents(at);
    let from = |first: usize| -> Places { (first..arguments).fold(0, |mask, at| mask | whole(at)) };
    let mut summary = Summary::default();
    match does {
        Nothing => summary.returns = OUTSIDE | from(0),
        Makes => {
            summary.returns = FRESH;
            summary.fresh_holds = from(0);
        }
        ChangesReceiver => {
            summary.mutates = whole(0);
            summary.returns = parameter(0);
            summary.holds = vec![(parameter(0), from(1))];
        }
        Advances => {
            summary.mutates = parameter(0);
            summary.returns = contents(0);
        }
        FillsFirst => {
            summary.mutates = parameter(0);
            summary.holds = vec![(parameter(0), from(1))];
        }
        Copies => {
            summary.mutates = parameter(2);
            summary.holds = vec![(parameter(2), contents(0))];
        }
        Passes => summary.returns = parameter(0),
    }
    summary
}
