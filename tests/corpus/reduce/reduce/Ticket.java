package reduce;

/** Has an initialiser, which runs for whichever test comes first, and an `equals` that is not symmetric on objects that do not say what they hold. */
public class Ticket {
    private static final int FIRST = Integer.parseInt("100");

    private final int number;

    public Ticket(int number) {
        this.number = FIRST + number;
    }

    public int number() {
        return number;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ticket && number <= ((Ticket) other).number;
    }

    @Override
    public int hashCode() {
        return 1;
    }

    /** Its branch is taken before the initialiser of `Ticket` cuts in. */
    public static class Booth {
        public int sell(int number) {
            return number > 0 ? new Ticket(number).number() : 0;
        }
    }
}
