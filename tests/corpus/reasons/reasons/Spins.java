package reasons;

public final class Spins {
    public static int forever(int n) {
        int at = n; // stopped
        while (true) {
            at++;
        }
    }
}
