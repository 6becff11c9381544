package observed;

/** One of each kind of edge. */
public final class Branches {
    public static int sign(int n) {
        if (n < 0) {
            return -1;
        }
        return n == 0 ? 0 : 1;
    }

    public static String pick(int n) {
        switch (n) {
            case 1:
                return "one";
            case 2:
                return "two";
            default:
                return "many";
        }
    }

    public static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    public static int parse(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    public static int calls(int n) {
        return sign(n) + loop(n);
    }
}
