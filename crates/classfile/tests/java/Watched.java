/** A small class whose every report is known. */
public class Watched {
    private long wide = 2;
    private static int count;

    Watched(int start) {
        super();
        wide += start;
        if (start < 0) {
            throw new IllegalArgumentException();
        }
    }

    double half(String text, char letter) {
        count++;
        return text.equals("x") || letter == 'y' ? wide / 2.0 : fail(new int[] {1});
    }

    private static double fail(int[] values) {
        values[0] = 7;
        System.arraycopy(values, 0, values, 0, 1);
        throw new IllegalStateException();
    }

    public static void main(String[] arguments) {
        Watched watched = new Watched(8);
        watched.half("x", 'a');
        try {
            watched.half("z", 'b');
        } catch (IllegalStateException e) {
            count += 10;
        }
        try {
            new Watched(-1);
        } catch (IllegalArgumentException e) {
            count += 100;
        }
    }
}
