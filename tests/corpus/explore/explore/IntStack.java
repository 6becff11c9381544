package explore;

/** A stack of ints in an array that grows when full and shrinks at half. Popped values stay in their slots. */
public class IntStack {
    private static final int SMALLEST = 6;

    private int[] store = new int[SMALLEST];
    private int size;

    public IntStack() {}

    public void push(int value) {
        if (size == store.length) {
            resize(2 * store.length);
        }
        store[size++] = value;
    }

    public int pop() {
        if (size == 0) {
            throw new IllegalStateException("empty");
        }
        int value = store[--size];
        if (store.length > SMALLEST && size <= store.length / 2) {
            resize(store.length / 2);
        }
        return value;
    }

    private void resize(int length) {
        int[] other = new int[length];
        System.arraycopy(store, 0, other, 0, size);
        store = other;
    }
}
