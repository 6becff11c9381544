package reduce;

/** A set in an array, in the order its elements came; order does not matter to equals. */
public class Bag {
    private final int[] elements = new int[8];
    private int size;

    public void add(int element) {
        if (!contains(element)) {
            elements[size++] = element;
        }
    }

    public boolean contains(int element) {
        for (int i = 0; i < size; i++) {
            if (elements[i] == element) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Bag) || ((Bag) other).size != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (!((Bag) other).contains(elements[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return size;
    }
}
