package triage;

/** Equal objects with different hash codes, and everything public: the one to look at first. */
public class Real {
    private final int left;
    private final int right;

    public Real(int left, int right) {
        this.left = left;
        this.right = right;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Real && ((Real) other).left + ((Real) other).right == left + right;
    }

    @Override
    public int hashCode() {
        return 31 * left + right;
    }
}
