package hostile;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

public final class Outside {
    public static boolean deleteFile(String path) {
        return new File(path).delete();
    }

    public static void deletePath(String path) throws IOException {
        Files.delete(Paths.get(path));
    }

    public static void overwrite(String path) throws IOException {
        try (FileOutputStream out = new FileOutputStream(path)) {
            out.write(1);
        }
    }

    public static void overwriteRandom(String path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(0);
        }
    }

    public static void overwritePath(String path) throws IOException {
        Files.write(Paths.get(path), new byte[] {1});
    }

    public static boolean rename(String from, String to) {
        return new File(from).renameTo(new File(to));
    }

    public static void movePath(String from, String to) throws IOException {
        Files.move(Paths.get(from), Paths.get(to));
    }

    public static void mkdirPath(String path) throws IOException {
        Files.createDirectory(Paths.get(path));
    }

    public static int read(String path) throws IOException {
        return Files.readAllBytes(Paths.get(path)).length;
    }

    public static void datagram(int port) throws IOException {
        try (java.net.DatagramSocket socket = new java.net.DatagramSocket()) {
            socket.send(new java.net.DatagramPacket(new byte[1], 1, InetAddress.getLoopbackAddress(), port));
        }
    }

    public static boolean mkdir(String path) {
        return new File(path).mkdir();
    }

    /** Inside scratch: allowed. */
    public static long scratch() throws IOException {
        Path file = Files.createTempFile("calm", ".txt");
        Files.write(file, new byte[] {1, 2, 3});
        long size = Files.size(file);
        Files.delete(file);
        return size;
    }

    public static void connect(int port) throws IOException {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
    }

    public static void channel(int port) throws IOException {
        SocketChannel.open(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port)).close();
    }

    public static int listen() throws IOException {
        try (ServerSocket server = new ServerSocket(0)) {
            return server.getLocalPort();
        }
    }

    public static void start(String path) throws IOException {
        new ProcessBuilder("touch", path).start();
    }

    public static void exec(String path) throws IOException {
        Runtime.getRuntime().exec(new String[] {"touch", path});
    }
}
