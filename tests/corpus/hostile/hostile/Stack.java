package hostile;

public final class Stack {
    public static int deep(int n) {
        return deep(n + 1) + 1;
    }

    public static Object reflective() throws Exception {
        return Stack.class.getMethod("deep", int.class).invoke(null, 0);
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
