package reasons;

public final class Left {
    public static int in() {
        return 1;
    }

    public static int out(int n) {
        return n > 0 ? 1 : 2; // excluded
    }
}
