package hostile;

/** Objects whose methods of Object turn on whoever calls them. */
public class Evil {
    @Override
    public boolean equals(Object other) {
        throw new IllegalStateException("equals");
    }

    @Override
    public int hashCode() {
        throw new IllegalStateException("hashCode");
    }

    @Override
    public String toString() {
        return toString() + "!";
    }

    public static final class Endless {
        @Override
        public boolean equals(Object other) {
            Loops.endless();
            return true;
        }

        @Override
        public int hashCode() {
            Loops.endless();
            return 0;
        }

        @Override
        public String toString() {
            Loops.endless();
            return "";
        }
    }

    public static final class Quitter {
        @Override
        public boolean equals(Object other) {
            System.exit(4);
            return true;
        }

        @Override
        public String toString() {
            Runtime.getRuntime().halt(5);
            return "";
        }
    }

    public static final class Liar {
        private int calls;

        @Override
        public boolean equals(Object other) {
            return calls++ % 2 == 0;
        }

        @Override
        public int hashCode() {
            return calls++;
        }
    }

    public static class Message extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new Message();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new Message();
        }

        @Override
        public Throwable getCause() {
            throw new Message();
        }
    }

    public static final class EndlessMessage extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            Loops.endless();
            return "";
        }
    }

    public static void throwEndless() {
        throw new EndlessMessage();
    }

    public static void throwMessage() {
        throw new Message();
    }
}
