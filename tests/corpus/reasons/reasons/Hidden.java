package reasons;

/** Nobody outside can make one. */
public final class Hidden {
    private final int size;

    private Hidden(int size) { // dead
        this.size = size;
    }

    public int size() {
        return size > 3 ? 1 : 2; // no-receiver
    }
}
