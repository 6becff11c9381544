package reasons;

public final class Uncalled {
    public int one() {
        return 1;
    }

    private static final class Inner { // dead
        int two() {
            return 2; // never-called
        }
    }
}
