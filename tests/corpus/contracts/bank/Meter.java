package bank;

/** Breaks rules that stand in another class: `add` forgets what is above ninety, and readings above fifty are odd. */
public class Meter {
    private int reading;

    public Meter(int start) {
        reading = start < 0 ? 0 : start % 100;
    }

    public int add(int amount) {
        reading = Math.min(reading + Math.max(amount % 100, 0), 90);
        return reading;
    }

    public int reading() {
        return reading;
    }

    public static int twice(int number) {
        return number > 40 ? number : number * 2;
    }
}
