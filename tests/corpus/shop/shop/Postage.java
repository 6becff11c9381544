package shop;

/** Seen by its package only. */
class Postage {
    static final int FREE_FROM = 5000;

    private Postage() {}

    static int of(int total, String country) {
        if (total >= FREE_FROM) {
            return 0;
        }
        switch (country) {
            case "DE":
                return 490;
            case "FR":
            case "NL":
                return 990;
            default:
                return 1990;
        }
    }
}
