package explore;

/**
 * A stack of at most five different ints. Pushing a member moves it to the top. Nothing keeps {@code pop} from taking
 * more than there is.
 */
public class UBStack {
    private final int[] elements = new int[5];
    private int size;

    public UBStack() {}

    public void push(int value) {
        for (int i = 0; i < size; i++) {
            if (elements[i] == value) {
                for (int j = i; j < size - 1; j++) {
                    elements[j] = elements[j + 1];
                }
                elements[size - 1] = value;
                return;
            }
        }
        elements[size] = value;
        size++;
    }

    public void pop() {
        size--;
    }
}
