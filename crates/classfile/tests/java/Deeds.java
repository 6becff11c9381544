import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.Callable;

/** Does what a test must not do, with guards that forbid it, and prints what the guards were shown. */
public class Deeds {
    static void attempt(String what, Callable<?> deed) {
        $Probat.notes = new StringBuilder();
        $Probat.forbids = true;
        String outcome;
        try {
            deed.call();
            outcome = "done";
        } catch (SecurityException e) {
            outcome = "refused";
        } catch (java.net.UnknownHostException e) {
            // JDK 25 hides what the resolver threw.
            outcome = "refused";
        } catch (Throwable e) {
            outcome = e.getClass().getSimpleName();
        }
        $Probat.forbids = false;
        CharSequence notes = $Probat.notes;
        $Probat.notes = null;
        System.out.println(what + ": " + outcome + " [" + notes.toString().trim().replace('\n', ';') + "]");
    }

    static void look(String what, Callable<?> look) throws Exception {
        $Probat.looked = 0;
        look.call();
        int looked = $Probat.looked;
        System.out.println(what + ":" + ((looked & 1 << 8) != 0 ? " lists" : "") + ((looked & 1 << 9) != 0 ? " asks" : ""));
    }

    static void change(String what, Callable<?> change) throws Exception {
        Arrays.fill($Probat.dirty, (byte) 0);
        change.call();
        System.out.println(what + ": " + Arrays.toString(Arrays.copyOf($Probat.dirty, 7)));
    }

    public static void main(String[] arguments) throws Exception {
        File file = new File("made-by-deeds");
        Path path = file.toPath();
        Path there = Paths.get("options");
        attempt("exit", () -> { System.exit(3); return null; });
        attempt("halt", () -> { Runtime.getRuntime().halt(3); return null; });
        attempt("exec", () -> Runtime.getRuntime().exec(new String[] {"true", "x"}));
        attempt("output stream", () -> new FileOutputStream(file));
        attempt("random access", () -> new RandomAccessFile(file, "rw"));
        attempt("random read", () -> { new RandomAccessFile("options", "r").close(); return null; });
        attempt("delete", file::delete);
        attempt("mkdirs", file::mkdirs);
        attempt("rename", () -> file.renameTo(new File("other")));
        attempt("temporary", () -> File.createTempFile("a", "b"));
        attempt("write", () -> Files.write(path, new byte[1]));
        attempt("read", () -> Files.readAllBytes(there));
        attempt("append", () -> Files.newByteChannel(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        attempt("unlink", () -> Files.deleteIfExists(there));
        attempt("move", () -> Files.move(there, path));
        attempt("copy", () -> Files.copy(there, path));
        attempt("directory", () -> Files.createDirectory(path));
        attempt("link", () -> Files.createSymbolicLink(path, there));
        attempt("times", () -> Files.setLastModifiedTime(there, FileTime.fromMillis(0)));
        attempt("mode", () -> Files.setPosixFilePermissions(there, java.util.Set.of()));
        InetAddress here = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        attempt("socket", () -> new Socket(here, 9));
        attempt("server", () -> new ServerSocket(0));
        attempt("channel", () -> SocketChannel.open(new InetSocketAddress(here, 9)));
        attempt("host", () -> InetAddress.getByName("some.host.invalid"));
        attempt("thread", () -> { new Thread(() -> { }).start(); return null; });
        attempt("stdin", () -> System.in.read());
        attempt("stdin by hand", () -> new FileInputStream(FileDescriptor.in).read(new byte[3], 0, 3));
        attempt("file", () -> new FileInputStream("options").read());
        attempt("library", () -> { System.load("/no/such/library.so"); return null; });
        attempt("library of the JDK", () -> { java.net.NetworkInterface.getNetworkInterfaces(); return null; });
        attempt("toolkit", () -> java.awt.Toolkit.getDefaultToolkit());
        attempt("desktop", () -> java.awt.Desktop.getDesktop());
        System.out.println(file.exists() + " " + there.toFile().exists());
        look("list (File)", file::list);
        look("list files", file::listFiles);
        look("list (Path)", () -> { Files.list(Paths.get(".")).close(); return null; });
        look("walk", () -> { Files.walk(Paths.get(".")).close(); return null; });
        for (Callable<?> question : Arrays.<Callable<?>>asList(file::exists, file::isFile, file::isDirectory, file::isHidden,
                file::canRead, file::canWrite, file::canExecute, file::length, file::lastModified)) {
            look("ask (File)", question);
        }
        look("exists", () -> Files.exists(path));
        look("does not exist", () -> Files.notExists(path));
        look("is a file", () -> Files.isRegularFile(path));
        look("is a folder", () -> Files.isDirectory(path));
        look("is a link", () -> Files.isSymbolicLink(path));
        look("can be read", () -> Files.isReadable(path));
        look("size", () -> Files.size(there));
        look("name", () -> file.getAbsolutePath() + path.getFileName());
        change("nothing", () -> "".length());
        change("property", () -> System.setProperty("a", "b"));
        change("properties", () -> System.getProperties().remove("a"));
        change("locale", () -> { Locale.setDefault(Locale.ROOT); return null; });
        change("time zone", () -> { TimeZone.setDefault(TimeZone.getTimeZone("UTC")); return null; });
        change("streams", () -> { System.setErr(System.err); return null; });
        change("security", () -> { java.security.Security.removeProvider("none"); return null; });
        change("thread-local", () -> { new ThreadLocal<String>().set("x"); return null; });
    }
}
