package hostile;

public final class InitExits {
    static {
        System.exit(3);
    }

    public static int value() {
        return 1;
    }
}
