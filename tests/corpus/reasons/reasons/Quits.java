package reasons;

public final class Quits {
    public static void now() {
        System.exit(1); // tainted
    }
}
