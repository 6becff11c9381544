package triage;

import java.util.Arrays;
import java.util.List;

/** Trips over nulls that its callers put into arrays and lists: null came in. */
public class Words {
    public static int letters(String[] words) {
        int sum = 0;
        for (String word : words) {
            sum += word.length();
        }
        return sum;
    }

    public static String[] gaps() {
        return new String[2];
    }

    public static List<String> gap() {
        return Arrays.asList("a", null);
    }

    public static int lettersOf(List<String> words) {
        return letters(words.toArray(new String[0]));
    }
}
