package poly;

/** A coefficient and an exponent. */
public class Mono {
    final Rat c;
    final int e;

    public Mono(Rat c, int e) {
        this.c = c;
        this.e = e;
    }

    public Rat coefficient() {
        return c;
    }

    public int exponent() {
        return e;
    }

    protected boolean isConstant() {
        return e == 0;
    }
}
