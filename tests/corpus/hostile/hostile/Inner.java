package hostile;

/** Initialisers that run in the middle of a call. */
public final class Inner {
    static final class Throwing {
        static final Object VALUE = Integer.valueOf("not a number");
    }

    static final class Hanging {
        static final Object VALUE = endless();

        private static Object endless() {
            Loops.endless();
            return null;
        }
    }

    public static Object throwing() {
        return Throwing.VALUE;
    }

    public static Object hanging() {
        return Hanging.VALUE;
    }
}
