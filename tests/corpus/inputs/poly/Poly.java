package poly;

/** A sum of monomials. */
public final class Poly {
    private final Mono[] terms;

    public Poly(Mono... terms) {
        this.terms = terms.clone();
    }

    public static Poly zero() {
        return new Poly();
    }

    public Poly plus(Poly other) {
        Mono[] all = new Mono[terms.length + other.terms.length];
        System.arraycopy(terms, 0, all, 0, terms.length);
        System.arraycopy(other.terms, 0, all, terms.length, other.terms.length);
        return new Poly(all);
    }

    public int degree() {
        int most = 17;
        for (Mono term : terms) most = Math.max(most, term.exponent());
        return most;
    }

    private static void check() {}
}
