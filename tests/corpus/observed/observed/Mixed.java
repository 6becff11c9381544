package observed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every kind of value in one object. */
public class Mixed {
    public enum Colour { RED, GREEN }

    boolean flag = true;
    byte small = -1;
    char letter = '\ud800';
    short medium = -2;
    int number = 3;
    long large = 1L << 40;
    float fraction = 0.5f;
    double exact = Double.NaN;
    String text = "text";
    Object boxed = Integer.valueOf(1000);
    Colour colour = Colour.GREEN;
    Class<?> type = int[].class;
    int[] numbers = {1, 2, 3};
    Object[] things = {this, null, "x", new double[] {1.5}};
    List<String> list = new ArrayList<>(List.of("a", "b"));
    Map<String, Object> map = new HashMap<>();
    Map<Colour, String> tree = new TreeMap<>(Map.of(Colour.RED, "r"));
    Map<String, Object> linked = new LinkedHashMap<>();

    public Mixed() {
        map.put("self", this);
        map.put("list", list);
        linked.put("map", map);
    }

    public String show() {
        return flag + " " + small + " " + (int) letter + " " + medium + " " + number + " " + large + " " + fraction + " "
            + exact + " " + text + " " + boxed + " " + colour + " " + type + " " + numbers.length + " "
            + (things[0] == this) + " " + list + " " + (map.get("self") == this) + " " + (map.get("list") == list) + " "
            + tree + " " + (linked.get("map") == map);
    }
}
