package hostile;

public final class InitThrows {
    static final int VALUE = compute();

    private static int compute() {
        throw new IllegalStateException("no start");
    }

    public static int value() {
        return VALUE;
    }
}
