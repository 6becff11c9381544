package hostile;

public final class Exits {
    public static void exit() {
        System.exit(7);
    }

    public static void halt() {
        Runtime.getRuntime().halt(8);
    }

    /** Through reflection, where no call site names the method. */
    public static void reflective() throws Exception {
        Class<?> system = Class.forName("java.lang.System");
        system.getMethod("ex" + "it", int.class).invoke(null, 9);
    }

    public static int swallowed() {
        try {
            System.exit(6);
        } catch (RuntimeException ignored) {
            // as programs do that end a test run only if nobody minds
        }
        return 1;
    }

    public static void hangingHook() {
        Runtime.getRuntime().addShutdownHook(new Thread(Loops::endless));
        System.exit(0);
    }
}
