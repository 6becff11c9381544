package reasons;

public final class Compares {
    private boolean flag;

    public int number(int n, String text) {
        // No square is -1, whatever overflows.
        if (n * n == -1) { // comparison-number
            return text.isEmpty() ? 1 : 2; // comparison-number
        }
        return 3;
    }

    public int call(String text) {
        if (text.equals(text + "x")) { // comparison-call
            return 1;
        }
        return 2;
    }

    public int flag() {
        return flag ? 1 : 2; // comparison-flag
    }

    public int nothing(int n) {
        Object made = new Object();
        return made == null ? n : 2; // comparison-null
    }

    public int kind(int n) {
        Object made = n + "";
        return made instanceof Number ? 1 : 2; // comparison-class
    }

    public int same() {
        return new Object() == this ? 1 : 2; // comparison-identity
    }

    public int key(int n) {
        switch (n & 1) { // comparison-switch
            case 0:
                return 5;
            case 1:
                return 6;
            case 7:
                return 7;
            default:
                return 8;
        }
    }
}
