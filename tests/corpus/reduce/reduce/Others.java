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
}
