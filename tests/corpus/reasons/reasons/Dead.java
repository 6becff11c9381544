package reasons;

public final class Dead { // initialiser
    public static int checked(int n) {
        assert n < 1_000_000; // dead not-written
        return n;
    }

    private static int unused(int n) {
        return n > 0 ? 1 : 2; // dead
    }
}
