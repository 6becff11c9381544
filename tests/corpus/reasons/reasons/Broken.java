package reasons;

public final class Broken {
    static final int VALUE = Integer.parseInt("no"); // uninitialised

    private Broken() {} // dead

    public static int value(int n) {
        return n > 3 ? VALUE : 2; // uninitialised
    }
}
