package hostile;

import java.lang.ref.Cleaner;

/** Finalizers and cleaners that never end. */
public final class Garbage {
    private static final Cleaner CLEANER = Cleaner.create();

    @Override
    @SuppressWarnings({"deprecation", "removal"})
    protected void finalize() {
        Loops.endless();
    }

    public static int drop() {
        for (int i = 0; i < 1000; i++) {
            new Garbage();
        }
        System.gc();
        return 1;
    }

    /** A cleaner asked for in words still cleans. */
    public static int cleaned() {
        int[] done = new int[1];
        CLEANER.register(done, () -> done[0]++).clean();
        return done[0];
    }

    public static int dropCleaned() {
        for (int i = 0; i < 1000; i++) {
            CLEANER.register(new Object(), Loops::endless);
        }
        System.gc();
        return 1;
    }
}
