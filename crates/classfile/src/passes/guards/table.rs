//! The table of guards.
//!
//! In: nothing. Out: [`TABLE`], checked against the class libraries of JDK 11, 17, 21 and 25.
//! Only methods with code of their own can be guarded, so where the deed itself is native its last Java caller stands
//! here. Entries of one purpose are what different JDKs call the same thing.

use probat_model::TaintKind::{self, *};

use super::{Action, Detail, Dirty, Guard, When};

const fn ask(
    kind: TaintKind,
    purpose: &'static str,
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
    detail: Detail,
) -> Guard {
    let action = Action::Ask { kind, detail, when: When::Always };
    Guard { purpose, class, method, descriptor: Some(descriptor), action }
}

const fn when(guard: Guard, when: When) -> Guard {
    match guard.action {
        Action::Ask { kind, detail, .. } => Guard { action: Action::Ask { kind, detail, when }, ..guard },
        Action::Mark(_) | Action::Skip => guard,
    }
}

const fn mark(dirty: Dirty, class: &'static str, method: &'static str) -> Guard {
    Guard { purpose: method, class, method, descriptor: None, action: Action::Mark(dirty) }
}

const fn mark_for(
    dirty: Dirty,
    purpose: &'static str,
    class: &'static str,
    method: &'static str,
    descriptor: Option<&'static str>,
) -> Guard {
    Guard { purpose, class, method, descriptor, action: Action::Mark(dirty) }
}

const fn skip(
    purpose: &'static str,
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
) -> Guard {
    Guard { purpose, class, method, descriptor: Some(descriptor), action: Action::Skip }
}

const fn file(purpose: &'static str, method: &'static str, descriptor: &'static str) -> Guard {
    ask(FileWrite, purpose, "java/io/File", method, descriptor, Detail::This)
}

/// A call of the operating system with its path.
const fn unix(purpose: &'static str, method: &'static str, descriptor: &'static str, path: u8) -> Guard {
    ask(FileWrite, purpose, UNIX, method, descriptor, Detail::Argument(path))
}

const fn attributes(
    purpose: &'static str,
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
) -> Guard {
    const FILE: Detail = Detail::Field("file", "Lsun/nio/fs/UnixPath;");
    ask(FileWrite, purpose, class, method, descriptor, FILE)
}

const fn properties(method: &'static str) -> Guard {
    mark(Dirty::SystemProperties, "java/util/Properties", method)
}

const fn stdin(purpose: &'static str, method: &'static str, descriptor: &'static str) -> Guard {
    let class = "java/io/FileInputStream";
    when(ask(Stdin, purpose, class, method, descriptor, Detail::Nothing), When::Stdin)
}

/// What a `File` is asked.
const fn asks(method: &'static str, descriptor: &'static str) -> Guard {
    ask(Asking, method, "java/io/File", method, descriptor, Detail::This)
}

/// One of the ways in which a JDK asks for a path.
const fn looks(class: &'static str, method: &'static str, descriptor: &'static str) -> Guard {
    ask(Asking, "ask for a path", class, method, descriptor, Detail::Argument(0))
}

const PROVIDER: &str = "sun/nio/fs/UnixFileSystemProvider";
const UNIX: &str = "sun/nio/fs/UnixNativeDispatcher";
const VIEW: &str = "sun/nio/fs/UnixFileAttributeViews$Basic";
const POSIX: &str = "sun/nio/fs/UnixFileAttributeViews$Posix";
const RUNTIME: &str = "java/lang/Runtime";
const FOREIGN: When = When::ForeignClass { argument: 0 };
/// `O_WRONLY` and `O_RDWR`, one of which is in every mode that writes.
const WRITES: i16 = 0b11;

/// All guards. `File.mkdirs` and the like are missing on purpose: they call a method that is here.
#[rustfmt::skip]
pub(super) const TABLE: &[Guard] = &[
    ask(Exit, "exit", RUNTIME, "exit", "(I)V", Detail::Nothing),
    ask(Exit, "halt", RUNTIME, "halt", "(I)V", Detail::Nothing),
    ask(Exit, "raise a signal", "jdk/internal/misc/Signal", "raise", "(Ljdk/internal/misc/Signal;)V", Detail::Argument(0)),

    ask(Process, "start a process", "java/lang/ProcessImpl", "start",
        "([Ljava/lang/String;Ljava/util/Map;Ljava/lang/String;[Ljava/lang/ProcessBuilder$Redirect;Z)Ljava/lang/Process;", Detail::Argument(0)),
    ask(Process, "end a process", "java/lang/ProcessHandleImpl", "destroyProcess", "(Z)Z", Detail::This),

    file("delete (File)", "delete", "()Z"),
    file("deleteOnExit", "deleteOnExit", "()V"),
    file("mkdir (File)", "mkdir", "()Z"),
    file("createNewFile", "createNewFile", "()Z"),
    file("renameTo (from)", "renameTo", "(Ljava/io/File;)Z"),
    ask(FileWrite, "renameTo (to)", "java/io/File", "renameTo", "(Ljava/io/File;)Z", Detail::Argument(0)),
    file("setLastModified", "setLastModified", "(J)Z"),
    file("setReadOnly", "setReadOnly", "()Z"),
    file("setWritable", "setWritable", "(ZZ)Z"),
    file("setReadable", "setReadable", "(ZZ)Z"),
    file("setExecutable", "setExecutable", "(ZZ)Z"),
    // Those that list a folder, each in its last Java caller before the system's own; JDK 11 has `list` alone.
    ask(Listing, "list a folder (File)", "java/io/File", "list", "()[Ljava/lang/String;", Detail::This),
    ask(Listing, "list a folder (File)", "java/io/File", "normalizedList", "()[Ljava/lang/String;", Detail::This),
    ask(Listing, "list a folder", PROVIDER, "newDirectoryStream",
        "(Ljava/nio/file/Path;Ljava/nio/file/DirectoryStream$Filter;)Ljava/nio/file/DirectoryStream;", Detail::Argument(0)),
    // Those that ask for a file.
    asks("exists", "()Z"),
    asks("isFile", "()Z"),
    asks("isDirectory", "()Z"),
    asks("isHidden", "()Z"),
    asks("canRead", "()Z"),
    asks("canWrite", "()Z"),
    asks("canExecute", "()Z"),
    asks("length", "()J"),
    asks("lastModified", "()J"),
    looks("sun/nio/fs/UnixFileAttributes", "get", "(Lsun/nio/fs/UnixPath;Z)Lsun/nio/fs/UnixFileAttributes;"),
    looks("sun/nio/fs/UnixFileAttributes", "getIfExists", "(Lsun/nio/fs/UnixPath;)Lsun/nio/fs/UnixFileAttributes;"),
    looks(PROVIDER, "checkAccess", "(Ljava/nio/file/Path;[Ljava/nio/file/AccessMode;)V"),
    looks(PROVIDER, "exists", "(Ljava/nio/file/Path;)Z"),
    looks(PROVIDER, "exists", "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Z"),
    looks(PROVIDER, "isDirectory", "(Ljava/nio/file/Path;)Z"),
    looks(PROVIDER, "isRegularFile", "(Ljava/nio/file/Path;)Z"),
    looks(PROVIDER, "isReadable", "(Ljava/nio/file/Path;)Z"),
    looks(PROVIDER, "isWritable", "(Ljava/nio/file/Path;)Z"),
    looks(PROVIDER, "isExecutable", "(Ljava/nio/file/Path;)Z"),
    // The directory; null is the default one for temporary files.
    ask(FileWrite, "createTempFile", "java/io/File", "createTempFile",
        "(Ljava/lang/String;Ljava/lang/String;Ljava/io/File;)Ljava/io/File;", Detail::Argument(2)),
    ask(FileWrite, "open FileOutputStream", "java/io/FileOutputStream", "open", "(Ljava/lang/String;Z)V", Detail::Argument(0)),
    // Bit 0 is `O_RDONLY` here, bit 1 `O_RDWR`.
    when(ask(FileWrite, "open RandomAccessFile", "java/io/RandomAccessFile", "open", "(Ljava/lang/String;I)V", Detail::Argument(0)),
        When::Bits { argument: 1, mask: 0b10 }),
    when(unix("open", "open", "(Lsun/nio/fs/UnixPath;II)I", 0), When::Bits { argument: 1, mask: WRITES }),
    when(unix("openat", "openat", "(I[BII)I", 1), When::Bits { argument: 2, mask: WRITES }),
    unix("link", "link", "(Lsun/nio/fs/UnixPath;Lsun/nio/fs/UnixPath;)V", 1),
    unix("symlink", "symlink", "([BLsun/nio/fs/UnixPath;)V", 1),
    unix("unlink", "unlink", "(Lsun/nio/fs/UnixPath;)V", 0),
    unix("unlinkat", "unlinkat", "(I[BI)V", 1),
    unix("mknod", "mknod", "(Lsun/nio/fs/UnixPath;IJ)V", 0),
    unix("rename (from)", "rename", "(Lsun/nio/fs/UnixPath;Lsun/nio/fs/UnixPath;)V", 0),
    unix("rename (to)", "rename", "(Lsun/nio/fs/UnixPath;Lsun/nio/fs/UnixPath;)V", 1),
    unix("renameat", "renameat", "(I[BI[B)V", 3),
    unix("mkdir", "mkdir", "(Lsun/nio/fs/UnixPath;I)V", 0),
    unix("rmdir", "rmdir", "(Lsun/nio/fs/UnixPath;)V", 0),
    unix("chown", "chown", "(Lsun/nio/fs/UnixPath;II)V", 0),
    unix("lchown", "lchown", "(Lsun/nio/fs/UnixPath;II)V", 0),
    unix("chmod", "chmod", "(Lsun/nio/fs/UnixPath;I)V", 0),
    attributes("set file times", VIEW, "setTimes",
        "(Ljava/nio/file/attribute/FileTime;Ljava/nio/file/attribute/FileTime;Ljava/nio/file/attribute/FileTime;)V"),
    attributes("set file mode", POSIX, "setMode", "(I)V"),
    attributes("set file owner", POSIX, "setOwners", "(II)V"),

    // A sandbox may forbid sockets altogether, and then no address is ever asked about.
    ask(Network, "open a socket", "sun/nio/ch/Net", "socket", "(Ljava/net/ProtocolFamily;Z)Ljava/io/FileDescriptor;", Detail::Nothing),
    ask(Network, "open a socket", "java/net/AbstractPlainSocketImpl", "create", "(Z)V", Detail::Nothing),
    ask(Network, "open a socket", "java/net/AbstractPlainDatagramSocketImpl", "create", "()V", Detail::Nothing),
    ask(Network, "open a server socket", "sun/nio/ch/Net", "serverSocket", "(Ljava/net/ProtocolFamily;)Ljava/io/FileDescriptor;", Detail::Nothing),
    ask(Network, "open a server socket", "sun/nio/ch/Net", "serverSocket", "(Ljava/net/ProtocolFamily;Z)Ljava/io/FileDescriptor;", Detail::Nothing),
    ask(Network, "open a server socket", "sun/nio/ch/Net", "serverSocket", "(Z)Ljava/io/FileDescriptor;", Detail::Nothing),
    ask(Network, "connect Socket", "java/net/Socket", "connect", "(Ljava/net/SocketAddress;I)V", Detail::Argument(0)),
    ask(Network, "bind Socket", "java/net/Socket", "bind", "(Ljava/net/SocketAddress;)V", Detail::Argument(0)),
    ask(Network, "bind ServerSocket", "java/net/ServerSocket", "bind", "(Ljava/net/SocketAddress;I)V", Detail::Argument(0)),
    ask(Network, "bind DatagramSocket", "java/net/DatagramSocket", "bind", "(Ljava/net/SocketAddress;)V", Detail::Argument(0)),
    ask(Network, "send DatagramPacket", "java/net/DatagramSocket", "send", "(Ljava/net/DatagramPacket;)V", Detail::Argument(0)),
    ask(Network, "connect a channel", "sun/nio/ch/Net", "connect",
        "(Ljava/net/ProtocolFamily;Ljava/io/FileDescriptor;Ljava/net/InetAddress;I)I", Detail::Argument(2)),
    ask(Network, "bind a channel", "sun/nio/ch/Net", "bind",
        "(Ljava/net/ProtocolFamily;Ljava/io/FileDescriptor;Ljava/net/InetAddress;I)V", Detail::Argument(2)),
    ask(Network, "connect a Unix socket", "sun/nio/ch/UnixDomainSockets", "connect",
        "(Ljava/io/FileDescriptor;Ljava/nio/file/Path;)I", Detail::Argument(1)),
    ask(Network, "bind a Unix socket", "sun/nio/ch/UnixDomainSockets", "bind",
        "(Ljava/io/FileDescriptor;Ljava/nio/file/Path;)V", Detail::Argument(1)),
    ask(Network, "resolve a host name", "java/net/InetAddress$PlatformNameService", "lookupAllHostAddr",
        "(Ljava/lang/String;)[Ljava/net/InetAddress;", Detail::Argument(0)),
    ask(Network, "resolve a host name", "java/net/InetAddress$PlatformResolver", "lookupByName",
        "(Ljava/lang/String;Ljava/net/spi/InetAddressResolver$LookupPolicy;)Ljava/util/stream/Stream;", Detail::Argument(0)),
    ask(Network, "resolve a host address", "java/net/InetAddress$PlatformNameService", "getHostByAddr",
        "([B)Ljava/lang/String;", Detail::Argument(0)),
    ask(Network, "resolve a host address", "java/net/InetAddress$PlatformResolver", "lookupByAddress",
        "([B)Ljava/lang/String;", Detail::Argument(0)),

    ask(Threads, "start a thread", "java/lang/Thread", "start", "()V", Detail::This),
    ask(Threads, "start a thread in a container", "java/lang/Thread", "start", "(Ljdk/internal/vm/ThreadContainer;)V", Detail::This),
    ask(Threads, "start a virtual thread", "java/lang/VirtualThread", "start", "(Ljdk/internal/vm/ThreadContainer;)V", Detail::This),

    stdin("read standard input (byte)", "read", "()I"),
    stdin("read standard input (array)", "read", "([B)I"),
    stdin("read standard input (part of an array)", "read", "([BII)I"),
    stdin("skip standard input", "skip", "(J)J"),

    when(ask(NativeLibrary, "load a library", RUNTIME, "load0", "(Ljava/lang/Class;Ljava/lang/String;)V", Detail::Argument(1)), FOREIGN),
    when(ask(NativeLibrary, "load a library by name", RUNTIME, "loadLibrary0", "(Ljava/lang/Class;Ljava/lang/String;)V", Detail::Argument(1)), FOREIGN),
    ask(NativeLibrary, "load a library for symbols", "jdk/internal/loader/RawNativeLibraries", "load",
        "(Ljava/nio/file/Path;)Ljdk/internal/loader/NativeLibrary;", Detail::Argument(0)),
    ask(NativeLibrary, "load a library for symbols by name", "jdk/internal/loader/RawNativeLibraries", "load",
        "(Ljava/lang/String;)Ljdk/internal/loader/NativeLibrary;", Detail::Argument(0)),

    ask(Display, "use the AWT toolkit", "java/awt/Toolkit", "getDefaultToolkit", "()Ljava/awt/Toolkit;", Detail::Nothing),
    ask(Display, "use the desktop", "java/awt/Desktop", "getDesktop", "()Ljava/awt/Desktop;", Detail::Nothing),

    // When garbage is collected is up to the JVM, and so would be what finalizers and cleaners do to later sequences.
    skip("run finalizers", "java/lang/ref/Finalizer", "register", "(Ljava/lang/Object;)V"),
    skip("run cleaners", "jdk/internal/ref/CleanerImpl", "start",
        "(Ljava/lang/ref/Cleaner;Ljava/util/concurrent/ThreadFactory;)V"),

    mark(Dirty::SystemProperties, "java/lang/System", "setProperty"),
    mark(Dirty::SystemProperties, "java/lang/System", "clearProperty"),
    mark(Dirty::SystemProperties, "java/lang/System", "setProperties"),
    properties("put"),
    properties("putAll"),
    properties("putIfAbsent"),
    properties("remove"),
    properties("clear"),
    properties("replace"),
    properties("replaceAll"),
    properties("compute"),
    properties("computeIfAbsent"),
    properties("computeIfPresent"),
    properties("merge"),
    // Their views write through.
    properties("keySet"),
    properties("entrySet"),
    properties("values"),
    mark_for(Dirty::Locale, "set the locale", "java/util/Locale", "setDefault", None),
    mark_for(Dirty::TimeZone, "set the time zone", "java/util/TimeZone", "setDefault", None),
    mark(Dirty::StandardStreams, "java/lang/System", "setIn"),
    mark(Dirty::StandardStreams, "java/lang/System", "setOut"),
    mark(Dirty::StandardStreams, "java/lang/System", "setErr"),
    mark(Dirty::SecurityProviders, "java/security/Security", "insertProviderAt"),
    mark(Dirty::SecurityProviders, "java/security/Security", "removeProvider"),
    mark_for(Dirty::SecurityProviders, "set a security property", "java/security/Security", "setProperty", None),
    mark_for(Dirty::ThreadLocals, "set a thread-local", "java/lang/ThreadLocal", "set", None),
    mark_for(Dirty::ThreadLocals, "initialise a thread-local", "java/lang/ThreadLocal", "setInitialValue", None),
    mark_for(Dirty::ThreadLocals, "remove a thread-local", "java/lang/ThreadLocal", "remove", None),
];
