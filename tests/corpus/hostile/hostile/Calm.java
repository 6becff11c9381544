package hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

/** What every hostile call is surrounded by: its results must come back untouched. */
public final class Calm {
    private final List<String> seen = new ArrayList<>();
    private static int counter;

    public int add(String text) {
        seen.add(text);
        return seen.size();
    }

    public static int next() {
        return ++counter;
    }

    public static int divide(int a, int b) {
        return a / b;
    }

    /** Fails where the streams are not what they should be. */
    public static boolean print(String text) {
        System.out.println(text);
        System.err.println(text);
        return System.out.checkError() || System.err.checkError();
    }

    /** Loops enough to be noticed by a stop that comes too late. */
    public static long work(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    /** What the whole JVM shares, in one line. */
    public static String surroundings() throws Exception {
        return Locale.getDefault() + " " + TimeZone.getDefault().getID() + " "
            + Thread.currentThread().isInterrupted() + " " + Thread.currentThread().getName() + " "
            + Thread.currentThread().getContextClassLoader().equals(Calm.class.getClassLoader()) + " "
            + System.getProperty("hostile.key") + " " + System.in.read();
    }
}
