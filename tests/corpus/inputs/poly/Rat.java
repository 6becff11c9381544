package poly;

/** A fraction. */
public class Rat {
    public static final Rat ZERO = new Rat(0, 1);
    private final int n;
    private final int d;

    public Rat(int n, int d) {
        this.n = n;
        this.d = d == 0 ? 1 : d;
    }

    public Rat plus(Rat other) {
        return new Rat(n * other.d + other.n * d, d * other.d);
    }

    public boolean isZero() {
        return n == 0;
    }

    int hidden() {
        return n;
    }

    private int secret() {
        return d;
    }
}
