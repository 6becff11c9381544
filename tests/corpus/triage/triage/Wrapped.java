package triage;

import java.util.Collection;

/** Takes itself for equal to what it wraps, which knows nothing of it: one fault, however the wrapper was made. */
public class Wrapped {
    private final Collection<String> inner;

    public Wrapped(Collection<String> inner) {
        this.inner = inner;
    }

    public static Wrapped of(Collection<String> inner) {
        return new Wrapped(inner);
    }

    public static Special special(Collection<String> inner) {
        return new Special(inner);
    }

    @Override
    public boolean equals(Object other) {
        return other == this || inner.equals(other);
    }

    @Override
    public int hashCode() {
        return inner.hashCode();
    }

    /** Inherits the fault. */
    public static class Special extends Wrapped {
        public Special(Collection<String> inner) {
            super(inner);
        }
    }
}
