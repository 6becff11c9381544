import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Code of many shapes. Prints what it computes, so that two runs can be compared. */
public class Sample {
    static int sum(int n) {
        int total = 0;
        for (int i = 0; i < n; i++) {
            if (i % 3 == 0) {
                continue;
            }
            total += i;
        }
        return total;
    }

    static String sign(int n) {
        return n > 0 ? "plus" : n < 0 ? "minus" : "zero";
    }

    static int table(int n) {
        switch (n) {
            case 1:
            case 2:
                return 10;
            case 3:
                n += 5;
            case 4:
                return n;
            default:
                return -1;
        }
    }

    static int lookup(int n) {
        switch (n) {
            case -1000000:
                return 1;
            case 7:
                break;
            case 1000000:
                return 3;
        }
        return 2;
    }

    static int text(String s) {
        switch (s) {
            case "Aa":
                return 1;
            case "BB":
                return 2;
            default:
                return s.length();
        }
    }

    static int caught(Object[] values, int at) {
        int state = 0;
        try {
            state = 1;
            values[at] = "set";
            state = 2;
            if (values.length > 3) {
                throw new IllegalStateException();
            }
        } catch (ArrayIndexOutOfBoundsException | NullPointerException e) {
            state += 10;
        } catch (ArrayStoreException e) {
            state += 20;
        } catch (IllegalStateException e) {
            return -state;
        } finally {
            state += 100;
        }
        return state;
    }

    private static int held;

    static int locked(Object lock, int n) {
        synchronized (lock) {
            if (n == 0) {
                return held;
            }
            for (int i = 0; i < n; i++) {
                if (i == 5) {
                    break;
                }
                held += i;
            }
            if (n < 0) {
                throw new IllegalArgumentException("negative");
            }
        }
        return -held;
    }

    static boolean compares(long a, long b, double c, float d) {
        return a < b && c >= d && d != 0 && !(c > a);
    }

    static class Base {
        final String name;
        int calls;

        Base(String name) {
            this.name = name;
            if (name.isEmpty()) {
                throw new IllegalArgumentException("empty");
            }
            called();
        }

        void called() {
            calls++;
        }
    }

    static class Derived extends Base {
        private final long wide;
        private final double real;

        Derived(boolean which, long wide) {
            super(which ? new String("yes") : wide > 0 ? "no" : "");
            this.wide = wide;
            this.real = wide > 100 ? 1.5 : Math.sqrt(wide);
            if (which) {
                calls += 10;
            }
        }

        Derived(int n) {
            this(n % 2 == 0, n > 10 ? n * 2L : n);
        }

        class Inner {
            long read() {
                return wide + (long) real + calls;
            }
        }
    }

    enum Colour {
        RED, GREEN, BLUE;

        int next() {
            switch (this) {
                case RED:
                    return 1;
                case GREEN:
                    return 2;
                default:
                    return 0;
            }
        }
    }

    interface Shape {
        default String kind() {
            return this instanceof Comparable ? "ordered" : "plain";
        }
    }

    static class Dot implements Shape {
    }

    static class Line implements Shape, Comparable<Line> {
        @Override
        public int compareTo(Line other) {
            return 0;
        }
    }

    static int startsWithLoop(int n) {
        do {
            n -= 3;
        } while (n > 0);
        return n;
    }

    static int recursion(int depth) {
        return depth == 0 ? 0 : 1 + recursion(depth - 1);
    }

    static void arrays() {
        long[] longs = {3, 1, 2};
        double[] doubles = new double[2];
        boolean[] flags = new boolean[3];
        char[] chars = new char[] {'a', 'b'};
        int[][] grid = new int[2][3];
        doubles[1] = longs[0] / 2.0;
        flags[2] = !flags[0];
        chars[1]++;
        grid[1][2] += 7;
        System.arraycopy(longs, 0, longs, 1, 2);
        System.out.println(Arrays.toString(longs) + Arrays.toString(doubles) + Arrays.toString(flags)
                + new String(chars) + Arrays.deepToString(grid));
    }

    static int nested(int n) {
        int found = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = i; ; j++) {
                try {
                    if (j == 4) {
                        continue outer;
                    }
                    if (i * j == 6) {
                        break outer;
                    }
                    found += 10 / (j - 2);
                } catch (ArithmeticException e) {
                    found += 1000;
                } finally {
                    found++;
                }
            }
        }
        return found;
    }

    public static void main(String[] arguments) {
        System.out.println(sum(10) + " " + sum(0) + " " + sign(4) + sign(0));
        for (int i : new int[] {1, 3, 9}) {
            System.out.println(table(i) + " " + lookup(i));
        }
        System.out.println(lookup(1000000) + " " + text("Aa") + text("BB") + text("Cc"));
        System.out.println(caught(new Object[2], 0) + " " + caught(new Object[2], 5) + " " + caught(null, 0) + " "
                + caught(new Integer[1], 0) + " " + caught(new Object[4], 0));
        System.out.println(locked(Sample.class, 0) + " " + locked(Sample.class, 3) + " " + locked(Sample.class, 9));
        try {
            locked(Sample.class, -1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage() + " " + Thread.holdsLock(Sample.class));
        }
        System.out.println(compares(1, 2, 3.0, 2f) + " " + compares(1, 2, Double.NaN, 2f) + " " + compares(1, 2, 0, 0));
        System.out.println(new Derived(true, 9).new Inner().read() + " " + new Derived(12).new Inner().read() + " "
                + new Derived(200).name);
        try {
            new Derived(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        for (Colour colour : Colour.values()) {
            System.out.print(colour.next());
        }
        System.out.println(new Dot().kind() + new Line().kind());
        System.out.println(startsWithLoop(10) + " " + recursion(50) + " " + nested(5));
        arrays();
        List<Integer> list = new ArrayList<>();
        IntUnaryOperator twice = n -> n > 2 ? n * 2 : n;
        for (int i = 0; i < 5; i++) {
            list.add(twice.applyAsInt(i));
        }
        System.out.println(list + " " + list.contains(8) + " " + "abc".equals(list.toString()));
        Object lock = new Object();
        int hot = 0;
        for (int i = 0; i < 20000; i++) {
            hot += locked(lock, i % 7) & 3;
        }
        System.out.println(hot);
    }
}
