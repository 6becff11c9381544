package nondeterminism;

import java.time.Clock;
import java.time.LocalDate;
import java.util.Random;

class Outcomes {
    static long now() { return System.currentTimeMillis(); }
    static long later() { return now() + 1; }
    static long muchLater() { return later() + 1; }
    static LocalDate today() { return LocalDate.now(); }
    static LocalDate given(Clock clock) { return LocalDate.now(clock); }
    static int dice() { return new Random().nextInt(6); }
    static int seeded() { return new Random(42).nextInt(6); }
    static int identity(Object o) { return System.identityHashCode(o); }
    static String home() { return System.getenv("HOME"); }
    static void thread() { new Thread(() -> { }).start(); }
    static int plain(int a) { return a + 1; }
    static long mixed() { return now() + dice(); }
}
