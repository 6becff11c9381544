package reasons;

public final class Wants {
    private Wants() {} // dead

    public static int of(Hidden hidden) {
        return hidden.size() == 0 ? 1 : 2; // no-argument
    }
}
