package shop;

public enum Currency {
    EUR("\u20ac", 2),
    USD("$", 2),
    JPY("\u00a5", 0);

    private final String sign;
    private final int digits;

    Currency(String sign, int digits) {
        this.sign = sign;
        this.digits = digits;
    }

    public String sign() {
        return sign;
    }

    public int digits() {
        return digits;
    }

    public static Currency of(String sign) {
        for (Currency currency : values()) {
            if (currency.sign.equals(sign) || currency.name().equalsIgnoreCase(sign)) {
                return currency;
            }
        }
        throw new IllegalArgumentException("unknown currency: " + sign);
    }
}
