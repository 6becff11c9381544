package reasons;

public final class Catches {
    public static int quiet(int n) {
        try {
            return Integer.toString(n).length();
        } catch (IllegalStateException none) { // nothing-thrown
            return -1;
        }
    }
}
