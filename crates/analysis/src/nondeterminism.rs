//! Methods whose outcome can differ from run to run.
//!
//! In: a [`CallGraph`]. Out: [`Nondeterminism`]: for each method the kinds of outside influence it can reach, and the
//! chain of calls that leads there.
//! Sources are the named entry points of the JDK below, so its bodies need not be in scope. Order of hash tables,
//! races and reflection are not seen.

use std::collections::BTreeMap;

use probat_model::Operation;
use rustc_hash::FxHashMap;

use crate::callgraph::CallGraph;
use crate::world::{MethodId, World};

/// What makes outcomes differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Influence {
    Time,
    Random,
    IdentityHash,
    /// Default locale and zone.
    Defaults,
    /// Properties, variables, host, memory, default charset.
    Environment,
    Files,
    Network,
    Threads,
    /// When garbage is collected.
    Memory,
}

impl Influence {
    /// Whether the next call may find it different. The others are the same for as long as a JVM runs, so that another JVM with other
    /// settings shows what depends on them.
    pub fn is_fickle(self) -> bool {
        match self {
            Time | Random | IdentityHash | Threads => true,
            Defaults | Environment | Files | Network | Memory => false,
        }
    }

    /// Whether JVMs of one machine may agree although others differ. Default locales and zones are easily made to differ.
    pub fn is_unchecked(self) -> bool {
        self != Defaults
    }
}

use Influence::{Defaults, Environment, Files, IdentityHash, Memory, Network, Random, Threads, Time};

/// Owner, method (`*` for all, `<init>()` for the constructor without arguments, a trailing `(` for any descriptor
/// that starts so) and what it brings in.
const SOURCES: &[(&str, &str, Influence)] = &[
    ("java/lang/System", "currentTimeMillis", Time),
    ("java/lang/System", "nanoTime", Time),
    ("java/time/Instant", "now()", Time),
    ("java/time/LocalDate", "now()", Time),
    ("java/time/LocalDate", "now(Ljava/time/ZoneId;)", Time),
    ("java/time/LocalTime", "now()", Time),
    ("java/time/LocalTime", "now(Ljava/time/ZoneId;)", Time),
    ("java/time/LocalDateTime", "now()", Time),
    ("java/time/LocalDateTime", "now(Ljava/time/ZoneId;)", Time),
    ("java/time/OffsetDateTime", "now()", Time),
    ("java/time/OffsetDateTime", "now(Ljava/time/ZoneId;)", Time),
    ("java/time/OffsetTime", "now()", Time),
    ("java/time/ZonedDateTime", "now()", Time),
    ("java/time/ZonedDateTime", "now(Ljava/time/ZoneId;)", Time),
    ("java/time/Year", "now()", Time),
    ("java/time/YearMonth", "now()", Time),
    ("java/time/MonthDay", "now()", Time),
    ("java/time/Clock", "systemUTC", Time),
    ("java/time/Clock", "systemDefaultZone", Time),
    ("java/time/Clock", "system", Time),
    ("java/util/Date", "<init>()", Time),
    ("java/util/Calendar", "getInstance", Time),
    ("java/util/GregorianCalendar", "<init>()", Time),
    ("java/io/File", "lastModified", Time),
    ("java/lang/Math", "random", Random),
    ("java/lang/StrictMath", "random", Random),
    ("java/util/Random", "<init>()", Random),
    ("java/util/SplittableRandom", "<init>()", Random),
    ("java/util/concurrent/ThreadLocalRandom", "*", Random),
    ("java/util/random/RandomGenerator", "getDefault", Random),
    ("java/util/random/RandomGenerator", "of", Random),
    ("java/security/SecureRandom", "*", Random),
    ("java/util/UUID", "randomUUID", Random),
    ("java/util/Collections", "shuffle(Ljava/util/List;)", Random),
    ("java/io/File", "createTempFile", Random),
    ("java/nio/file/Files", "createTempFile", Random),
    ("java/nio/file/Files", "createTempDirectory", Random),
    ("java/security/KeyPairGenerator", "generateKeyPair", Random),
    ("javax/crypto/KeyGenerator", "generateKey", Random),
    ("java/lang/System", "identityHashCode", IdentityHash),
    ("java/lang/System", "getenv", Environment),
    ("java/lang/System", "getProperty", Environment),
    ("java/lang/System", "getProperties", Environment),
    ("java/lang/System", "lineSeparator", Environment),
    ("java/lang/System", "console", Environment),
    ("java/lang/Integer", "getInteger", Environment),
    ("java/lang/Long", "getLong", Environment),
    ("java/lang/Boolean", "getBoolean", Environment),
    ("java/lang/Runtime", "availableProcessors", Environment),
    ("java/lang/Runtime", "freeMemory", Environment),
    ("java/lang/Runtime", "totalMemory", Environment),
    ("java/lang/Runtime", "maxMemory", Environment),
    ("java/lang/Runtime", "version", Environment),
    ("java/lang/Runtime", "exec", Environment),
    ("java/lang/ProcessBuilder", "start", Environment),
    ("java/lang/ProcessHandle", "*", Environment),
    ("java/lang/StackWalker", "*", Environment),
    ("java/lang/Throwable", "getStackTrace", Environment),
    ("java/util/Locale", "getDefault", Defaults),
    ("java/util/TimeZone", "getDefault", Defaults),
    ("java/time/ZoneId", "systemDefault", Defaults),
    ("java/nio/charset/Charset", "defaultCharset", Environment),
    ("java/lang/management/ManagementFactory", "*", Environment),
    ("java/net/InetAddress", "*", Network),
    ("java/net/NetworkInterface", "*", Network),
    ("java/net/Socket", "<init>", Network),
    ("java/net/ServerSocket", "<init>", Network),
    ("java/net/DatagramSocket", "<init>", Network),
    ("java/net/URL", "openStream", Network),
    ("java/net/URL", "openConnection", Network),
    ("java/net/URL", "hashCode", Network),
    ("java/net/URL", "equals", Network),
    ("java/net/http/HttpClient", "*", Network),
    ("java/nio/channels/SocketChannel", "open", Network),
    ("java/io/FileInputStream", "<init>", Files),
    ("java/io/FileOutputStream", "<init>", Files),
    ("java/io/FileReader", "<init>", Files),
    ("java/io/FileWriter", "<init>", Files),
    ("java/io/RandomAccessFile", "<init>", Files),
    ("java/io/File", "exists", Files),
    ("java/io/File", "isFile", Files),
    ("java/io/File", "isDirectory", Files),
    ("java/io/File", "length", Files),
    ("java/io/File", "list", Files),
    ("java/io/File", "listFiles", Files),
    ("java/io/File", "getAbsolutePath", Files),
    ("java/io/File", "getAbsoluteFile", Files),
    ("java/io/File", "getCanonicalPath", Files),
    ("java/io/File", "getCanonicalFile", Files),
    ("java/io/File", "delete", Files),
    ("java/io/File", "mkdir", Files),
    ("java/io/File", "mkdirs", Files),
    ("java/nio/file/Files", "*", Files),
    ("java/nio/file/Path", "toAbsolutePath", Files),
    ("java/nio/file/Path", "toRealPath", Files),
    ("java/nio/channels/FileChannel", "open", Files),
    ("java/lang/Thread", "currentThread", Environment),
    ("java/lang/Thread", "getContextClassLoader", Environment),
    ("java/lang/ClassLoader", "getSystemClassLoader", Environment),
    ("java/lang/Thread", "activeCount", Threads),
    ("java/lang/Thread", "enumerate", Threads),
    ("java/lang/ThreadGroup", "*", Threads),
    ("java/lang/Thread", "getName", Threads),
    ("java/lang/Thread", "getThreadGroup", Threads),
    ("java/lang/Thread", "join", Threads),
    ("java/lang/Thread", "start", Threads),
    ("java/lang/Thread", "sleep", Threads),
    ("java/lang/Thread", "startVirtualThread", Threads),
    ("java/lang/Thread", "getId", Threads),
    ("java/lang/Thread", "threadId", Threads),
    ("java/lang/Thread", "getAllStackTraces", Threads),
    ("java/lang/Object", "wait", Threads),
    ("java/util/concurrent/Executors", "*", Threads),
    ("java/util/concurrent/ForkJoinPool", "*", Threads),
    ("java/util/concurrent/CompletableFuture", "supplyAsync", Threads),
    ("java/util/concurrent/CompletableFuture", "runAsync", Threads),
    ("java/util/Collection", "parallelStream", Threads),
    ("java/util/stream/BaseStream", "parallel", Threads),
    ("java/util/Timer", "*", Threads),
    ("java/util/concurrent/TimeUnit", "sleep", Threads),
    ("java/util/concurrent/TimeUnit", "timedWait", Threads),
    ("java/util/concurrent/TimeUnit", "timedJoin", Threads),
    ("java/util/concurrent/locks/LockSupport", "park", Threads),
    ("java/util/concurrent/locks/LockSupport", "parkNanos", Threads),
    ("java/util/concurrent/locks/LockSupport", "parkUntil", Threads),
    ("java/util/concurrent/locks/Condition", "*", Threads),
    ("java/util/concurrent/ThreadPoolExecutor", "<init>", Threads),
    ("java/util/concurrent/ScheduledThreadPoolExecutor", "<init>", Threads),
    ("java/lang/ref/Reference", "get", Memory),
    ("java/lang/ref/Reference", "refersTo", Memory),
    ("java/lang/ref/ReferenceQueue", "poll", Memory),
];

/// One kind of influence on a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    pub influence: Influence,
    /// The next method on a shortest way to the source.
    pub through: MethodId,
    /// How many calls away the source is.
    pub distance: u32,
}

/// What can reach a source.
#[derive(Debug, Default)]
pub struct Nondeterminism {
    reached: BTreeMap<MethodId, Vec<Reached>>,
    sources: FxHashMap<MethodId, Influence>,
}

impl Nondeterminism {
    /// Follows calls backwards from the sources, at most `depth` of them.
    pub fn analyse(world: &World<'_>, graph: &CallGraph, depth: u32) -> Nondeterminism {
        let mut callers: FxHashMap<MethodId, Vec<MethodId>> = FxHashMap::default();
        let mut layer: Vec<(MethodId, Influence)> = Vec::new();
        let mut found = Nondeterminism::default();
        for caller in graph.methods(world) {
            for &callee in graph.callees(caller) {
                let known = callers.entry(callee).or_default();
                if known.is_empty()
                    && let Some(influence) = influence_of(world, callee)
                {
                    found.sources.insert(callee, influence);
                    layer.push((callee, influence));
                }
                known.push(caller);
            }
        }
        for distance in 1..=depth {
            let mut next = Vec::new();
            for (method, influence) in layer {
                for &caller in callers.get(&method).into_iter().flatten() {
                    let reached = found.reached.entry(caller).or_default();
                    if reached.iter().all(|known| known.influence != influence) {
                        reached.push(Reached { influence, through: method, distance });
                        next.push((caller, influence));
                    }
                }
            }
            layer = next;
        }
        for reached in found.reached.values_mut() {
            reached.sort_unstable_by_key(|reached| reached.influence);
        }
        found
    }

    /// What can influence a method, by kind; empty for those that always do the same.
    pub fn of(&self, method: MethodId) -> &[Reached] {
        self.reached.get(&method).map_or(&[], Vec::as_slice)
    }

    /// The chain of calls from a method to a source, both included.
    pub fn chain(&self, method: MethodId, influence: Influence) -> Vec<MethodId> {
        let mut chain = vec![method];
        let mut at = method;
        while self.sources.get(&at) != Some(&influence) {
            match self.of(at).iter().find(|reached| reached.influence == influence) {
                Some(reached) => at = reached.through,
                None => break,
            }
            chain.push(at);
        }
        chain
    }
}

/// What a method brings in by itself; overriding a source makes no source.
pub fn influence_of(world: &World<'_>, method: MethodId) -> Option<Influence> {
    let owner = world.class(world.method(method).class).name.as_internal();
    influence_of_call(owner, world.method_name(method), world.method_descriptor_text(method))
}

/// Whether a call goes straight to code of the JDK that gives something else each time.
pub fn is_fickle(operation: &Operation) -> bool {
    let (class, name, descriptor) = match operation {
        Operation::Construct { class, descriptor } => (class, "<init>", descriptor),
        Operation::Call { class, name, descriptor, .. }
        | Operation::CallStatic { class, name, descriptor, .. } => (class, name.as_ref(), descriptor),
        _ => return false,
    };
    let found = influence_of_call(class.as_internal(), name, &descriptor.to_string());
    found.is_some_and(Influence::is_fickle)
}

/// The same of a method known by its names only.
pub fn influence_of_call(owner: &str, name: &str, descriptor: &str) -> Option<Influence> {
    if !owner.starts_with("java") {
        return None;
    }
    let matches = |pattern: &str| match pattern.split_once('(') {
        None => pattern == "*" || pattern == name,
        Some((wanted, parameters)) => {
            wanted == name && descriptor.strip_prefix('(').is_some_and(|rest| rest.starts_with(parameters))
        }
    };
    SOURCES.iter().find(|(class, pattern, _)| *class == owner && matches(pattern)).map(|source| source.2)
}
