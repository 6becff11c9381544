package bank;

/** Breaks an invariant that is a static method of the class. */
public class Gauge {
    private final int level;

    public Gauge(int level) {
        this.level = level;
    }

    public int level() {
        return level;
    }

    @CheckRep
    static boolean isPositive(Gauge gauge) {
        return gauge.level >= 0;
    }
}
