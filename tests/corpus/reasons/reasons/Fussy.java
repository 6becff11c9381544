package reasons;

public final class Fussy {
    public Fussy(int n) {
        throw new IllegalArgumentException("never " + n);
    }

    public int go() {
        return 1; // never-legal
    }
}
