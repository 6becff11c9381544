//! Parts of JDK objects that are no state, each with the reason.
//!
//! In: nothing. Out: the [`Rule`]s in force unless the user says otherwise.
//! A field listed here may be zero or null in a rebuilt object and its class must cope with that: caches that are final
//! (`ZoneRules.lastRulesCache`), mark emptiness by another number (`URL.hashCode`) or are scratch space
//! (`DecimalFormat.digitList`) are therefore not listed, and differences in them count.

use probat_model::ClassName;

use crate::config::Rule;

/// Why a field is no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A view of the object itself, made when first asked for.
    View,
    /// Computed from other fields when first asked for.
    Lazy,
    /// Where the exception was thrown: depends on who runs the code.
    Trace,
    /// A number drawn from a counter of the whole JVM.
    Drawn,
}

/// Class, fields, reason.
const IGNORED: &[(&str, &[&str], Why)] = &[
    ("java/util/AbstractMap", &["keySet", "values"], Why::View),
    ("java/util/HashMap", &["entrySet"], Why::View),
    ("java/util/TreeMap", &["entrySet", "navigableKeySet", "descendingMap"], Why::View),
    (
        "java/util/TreeMap$NavigableSubMap",
        &["descendingMapView", "entrySetView", "navigableKeySetView"],
        Why::View,
    ),
    ("java/util/Hashtable", &["keySet", "entrySet", "values"], Why::View),
    ("java/util/IdentityHashMap", &["entrySet"], Why::View),
    ("java/util/WeakHashMap", &["entrySet"], Why::View),
    ("java/util/EnumMap", &["entrySet"], Why::View),
    ("java/util/Collections$UnmodifiableMap", &["keySet", "entrySet", "values"], Why::View),
    ("java/util/Collections$SynchronizedMap", &["keySet", "entrySet", "values"], Why::View),
    ("java/util/Collections$CheckedMap", &["entrySet"], Why::View),
    ("java/util/Collections$SingletonMap", &["keySet", "entrySet", "values"], Why::View),
    ("java/util/concurrent/ConcurrentHashMap", &["keySet", "values", "entrySet"], Why::View),
    (
        "java/util/concurrent/ConcurrentSkipListMap",
        &["keySet", "values", "entrySet", "descendingMap"],
        Why::View,
    ),
    (
        "java/math/BigInteger",
        &[
            "bitCountPlusOne",
            "bitLengthPlusOne",
            "magBitLengthPlusOne",
            "lowestSetBitPlusTwo",
            "firstNonzeroIntNumPlusTwo",
            "numberOfTrailingZeroIntsPlusTwo",
        ],
        Why::Lazy,
    ),
    ("java/math/BigDecimal", &["precision", "stringCache"], Why::Lazy),
    ("java/lang/StringBuffer", &["toStringCache"], Why::Lazy),
    ("java/lang/NullPointerException", &["extendedMessageState", "extendedMessage"], Why::Lazy),
    ("java/util/Locale", &["hashCodeValue", "languageTag"], Why::Lazy),
    ("sun/util/locale/BaseLocale", &["hash"], Why::Lazy),
    (
        "java/net/URI",
        &[
            "hash",
            "string",
            "decodedUserInfo",
            "decodedAuthority",
            "decodedPath",
            "decodedQuery",
            "decodedFragment",
            "decodedSchemeSpecificPart",
        ],
        Why::Lazy,
    ),
    ("java/net/URL", &["hostAddress"], Why::Lazy),
    ("java/net/InetAddress", &["canonicalHostName"], Why::Lazy),
    ("java/io/File", &["filePath", "status"], Why::Lazy),
    ("java/time/ZoneOffset", &["rules"], Why::Lazy),
    ("java/text/DateFormatSymbols", &["cachedHashCode"], Why::Lazy),
    ("java/text/DecimalFormatSymbols", &["hashCode"], Why::Lazy),
    ("java/util/regex/Pattern", &["namedGroups"], Why::Lazy),
    ("java/nio/charset/Charset", &["aliasSet"], Why::Lazy),
    ("java/lang/Throwable", &["backtrace", "stackTrace", "depth"], Why::Trace),
    ("java/lang/ThreadLocal", &["threadLocalHashCode"], Why::Drawn),
    ("java/lang/ClassValue", &["hashCodeForCache"], Why::Drawn),
];

/// Classes whose objects reach half the JVM, stand for something outside it, or hold addresses.
const OPAQUE: &[&str] = &[
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/lang/ClassLoader",
    "java/lang/Module",
    "java/lang/ModuleLayer",
    "java/lang/NamedPackage",
    "java/lang/Runtime",
    "java/lang/Process",
    "java/lang/StackTraceElement",
    "java/lang/ref/Reference",
    "java/lang/ref/ReferenceQueue",
    "java/lang/ref/Cleaner",
    "java/lang/reflect/AccessibleObject",
    "java/lang/reflect/Parameter",
    "java/lang/reflect/RecordComponent",
    "java/lang/invoke/MethodHandle",
    "java/lang/invoke/MethodType",
    "java/lang/invoke/VarHandle",
    "java/lang/invoke/CallSite",
    "java/lang/invoke/MethodHandles$Lookup",
    "java/io/FileDescriptor",
    "java/nio/MappedByteBuffer",
    "java/nio/channels/spi/AbstractInterruptibleChannel",
    "java/nio/file/FileSystem",
    "java/nio/file/spi/FileSystemProvider",
    "java/security/Provider",
    "java/security/ProtectionDomain",
    "java/security/AccessControlContext",
    "java/util/ResourceBundle",
    "java/util/ServiceLoader",
    "java/util/Timer",
    "java/util/logging/Logger",
    "java/util/logging/LogManager",
    "java/util/zip/Deflater",
    "java/util/zip/Inflater",
    "java/util/zip/ZipFile",
    "java/util/concurrent/ForkJoinPool",
    "java/util/concurrent/ThreadPoolExecutor",
];

/// Everything above, modification counters, and tables laid out by identity hash codes.
pub(crate) fn defaults() -> Vec<Rule> {
    let mut rules = vec![Rule::IgnoreField { class: None, field: "modCount".into() }, Rule::IdentityHashing];
    for (class, fields, _) in IGNORED {
        let class = ClassName::internal(class);
        rules.extend(
            fields.iter().map(|&field| Rule::IgnoreField { class: Some(class.clone()), field: field.into() }),
        );
    }
    rules.extend(OPAQUE.iter().map(|name| Rule::Opaque { class: ClassName::internal(name) }));
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_listed_once() {
        for (at, (class, fields, _)) in IGNORED.iter().enumerate() {
            assert!(!fields.is_empty());
            assert!(IGNORED[..at].iter().all(|(other, ..)| other != class), "{class}");
        }
        for (at, class) in OPAQUE.iter().enumerate() {
            assert!(!OPAQUE[..at].contains(class), "{class}");
        }
    }
}
