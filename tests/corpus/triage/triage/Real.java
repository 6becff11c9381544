package triage;

/** Equal objects with different hash codes, and everything public: the one to look at first. */
public class Real {
    private final int tens;
    private final int ones;

    public Real(int tens, int ones) {
        this.tens = tens;
        this.ones = ones;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Real && ((Real) other).tens * 10 + ((Real) other).ones == tens * 10 + ones;
    }

    @Override
    public int hashCode() {
        return 31 * tens + ones;
    }
}
