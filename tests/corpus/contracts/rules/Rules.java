package rules;

import bank.Meter;
import bank.Purse;

/** Contracts that their user wrote beside the code. */
public final class Rules {
    private Rules() {}

    /** Of an object. */
    public static boolean readingIsLow(Meter meter) {
        return meter.reading() <= 50;
    }

    /** Of an object, by throwing. */
    public static void readingIsBelowEighty(Meter meter) {
        if (meter.reading() >= 80) throw new AssertionError("reading " + meter.reading());
    }

    public static boolean before_add(Meter meter, int amount) {
        return amount >= 0 && meter.reading() + amount <= 99;
    }

    public static boolean after_add(Meter meter, int amount, int result) {
        return meter.reading() == result && (result >= amount);
    }

    public static boolean after_Meter(int start, Meter made) {
        return made.reading() == start;
    }

    public static boolean after_twice(int number, int result) {
        return number > 1_000_000 || number < -1_000_000 || result == 2 * number;
    }

    public static boolean before_put(Purse purse, int amount) {
        return amount >= 0;
    }

    public static boolean before_take(Purse purse, int amount) {
        return amount >= 0;
    }

    /** No contract: nothing that could be judged. */
    public static boolean isEven(int number) {
        return number % 2 == 0;
    }
}
