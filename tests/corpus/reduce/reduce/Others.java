package reduce;

/** Ways for a state to change that a sequence of calls does not show by itself. */
public class Others {
    private Others() {}

    /** Changes its argument. */
    public static void fill(IntStack stack) {
        stack.push(7);
    }

    /** A field that anybody writes. */
    public static class Box {
        public int value;

        public int get() {
            return value;
        }
    }

    /** Does what a static field says. */
    public static class Mode {
        public static int mode = 1;

        public int read() {
            return mode * 2;
        }
    }

    /** Equal to what is not smaller: not symmetric. */
    public static class Odd {
        private final int value;

        public Odd(int value) {
            this.value = value;
        }

        public int get() {
            return value;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Odd && value <= ((Odd) other).value;
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public String toString() {
            return "Odd " + value;
        }
    }

    /** Refuses negative numbers. */
    public static class Base {
        private final int value;

        public Base(int value) {
            if (value < 0) {
                throw new IllegalArgumentException("negative");
            }
            this.value = value;
        }

        public int get() {
            return value;
        }
    }

    /** Never sees its own end when the class above refuses. */
    public static class Derived extends Base {
        public Derived(int value) {
            super(value);
        }
    }

    /** The same with a class above that nobody records. */
    public static class Sized extends java.util.ArrayList<String> {
        public Sized(int capacity) {
            super(capacity);
        }
    }

    /** And with both kinds. */
    public static class Oversized extends Sized {
        public Oversized(int capacity) {
            super(capacity);
        }
    }
}
