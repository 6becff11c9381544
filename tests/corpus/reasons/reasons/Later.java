package reasons;

public final class Later {
    private final Runnable work;

    public Later() {
        this.work =
                () -> System.identityHashCode(null); // never-run
    }

    public boolean isThere() {
        return work != null; // comparison-null
    }
}
