package hostile;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;

public final class Streams {
    public static int readIn() throws IOException {
        return System.in.read();
    }

    public static int readDescriptor() throws IOException {
        return new FileInputStream(FileDescriptor.in).read();
    }

    public static int floodOut() {
        char[] line = new char[1000];
        Arrays.fill(line, 'x');
        String text = new String(line);
        for (int i = 0; i < 20_000; i++) {
            System.out.println(text);
        }
        return 1;
    }

    /** Past System.out, to the descriptor itself. */
    public static int floodDescriptor() throws IOException {
        byte[] block = new byte[1 << 16];
        Arrays.fill(block, (byte) 0xff);
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            for (int i = 0; i < 200; i++) {
                out.write(block);
            }
        }
        return 1;
    }

    /** To every small descriptor but the first three, one of which leads to the supervisor. */
    public static int floodProtocol() throws Exception {
        byte[] block = new byte[64];
        Arrays.fill(block, (byte) 0xff);
        java.lang.reflect.Constructor<FileDescriptor> make = FileDescriptor.class.getDeclaredConstructor(int.class);
        make.setAccessible(true);
        int written = 0;
        for (int number = 3; number < 12; number++) {
            try {
                new FileOutputStream(make.newInstance(number)).write(block);
                written++;
            } catch (IOException ignored) {
                // closed, or not for writing
            }
        }
        return written;
    }

    public static boolean works() {
        System.out.println("still there");
        return !System.out.checkError();
    }

    public static void setOutNull() {
        System.setOut(null);
        System.setErr(null);
    }

    public static boolean hasOut() {
        return System.out != null && System.err != null;
    }

    public static void setOutClosed() {
        PrintStream out = System.out;
        out.close();
    }
}
