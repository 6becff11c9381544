//! What well-known JDK methods change, where their bodies are native, unread, or full of harmless caches.
//!
//! In: a method. Out: its [`Summary`], taken before any analysis of its body.
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
    /// Changes its first argument alone.
    FillsFirst,
    /// Copies references from the first argument to the third.
    Copies,
    /// Returns its first argument.
    Passes,
}

use Does::{ChangesReceiver, Copies, FillsFirst, Makes, Nothing, Passes};

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
    ("java/util/Objects", "requireNonNull", Passes),
    ("java/util/Objects", "isNull nonNull checkIndex checkFromToIndex checkFromIndexSize", Nothing),
    ("java/util/Arrays", "copyOf copyOfRange", Makes),
    ("java/util/Arrays", "fill", FillsFirst),
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
    let does = if is_exception {
        ChangesReceiver
    } else if BUILDERS.contains(&owner) {
        builder(name, &parameters)?
    } else {
        let fits = |row: &&(&str, &str, Does)| {
            row.0 == owner && (row.1 == "*" || row.1.split(' ').any(|listed| listed == name))
        };
        TABLE.iter().find(fits)?.2
    };
    Some(summary(does, usize::from(!info.is_static()) + parameters.len()))
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
