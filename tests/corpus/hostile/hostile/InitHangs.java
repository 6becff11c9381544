package hostile;

public final class InitHangs {
    static {
        Loops.endless();
    }

    public static int value() {
        return 1;
    }
}
