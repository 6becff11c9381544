package triage;

/** Nothing is left of it once it is closed. A copy is no original: it is equal to itself only. */
public class Handle implements Cloneable, AutoCloseable {
    private int[] buffer = {1, 2, 3};

    @Override
    public void close() {
        buffer = null;
    }

    public int first() {
        return buffer[0];
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return 7;
    }

    @Override
    public Handle clone() throws CloneNotSupportedException {
        return (Handle) super.clone();
    }
}
