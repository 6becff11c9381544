package reasons;

public final class Throws {
    public static int check(int n) {
        refuse();
        return n > 0 ? 1 : 2; // exception
    }

    static void refuse() {
        throw new IllegalStateException("always");
    }
}
