package hostile;

import java.util.ArrayList;
import java.util.List;

/** What every hostile call is surrounded by: its results must come back untouched. */
public final class Calm {
    private final List<String> seen = new ArrayList<>();
    private static int counter;

    public int add(String text) {
        seen.add(text);
        return seen.size();
    }

    public static int next() {
        return ++counter;
    }
}
