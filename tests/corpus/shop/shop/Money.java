package shop;

public final class Money implements Comparable<Money> {
    private final long amount;
    private final Currency currency;

    public Money(long amount, Currency currency) {
        if (currency == null) {
            throw new NullPointerException("currency");
        }
        this.amount = amount;
        this.currency = currency;
    }

    public static Money parse(String text) throws PriceFormatException {
        int space = text.indexOf(' ');
        if (space < 0) {
            throw new PriceFormatException("no currency in '" + text + "'");
        }
        try {
            long amount = Long.parseLong(text.substring(0, space));
            return new Money(amount, Currency.of(text.substring(space + 1)));
        } catch (NumberFormatException wrong) {
            throw new PriceFormatException("no number in '" + text + "'");
        }
    }

    public Money plus(Money other) {
        if (other.currency != currency) {
            throw new IllegalArgumentException(currency + " and " + other.currency + " do not mix");
        }
        return new Money(Math.addExact(amount, other.amount), currency);
    }

    public Money times(int factor) {
        return new Money(Math.multiplyExact(amount, (long) factor), currency);
    }

    public long amount() {
        return amount;
    }

    public Currency currency() {
        return currency;
    }

    public boolean isNegative() {
        return amount < 0;
    }

    @Override
    public int compareTo(Money other) {
        int byCurrency = currency.compareTo(other.currency);
        return byCurrency != 0 ? byCurrency : Long.compare(amount, other.amount);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Money && ((Money) other).amount == amount && ((Money) other).currency == currency;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(amount) * 31 + currency.ordinal();
    }

    @Override
    public String toString() {
        return amount + " " + currency.name();
    }
}
