package hostile;

public final class Stack {
    public static int deep(int n) {
        return deep(n + 1) + 1;
    }

    /** Exponential: every frame tries again on its way out. */
    public static void throughFinally() {
        try {
            throughFinally();
        } finally {
            throughFinally();
        }
    }
}
