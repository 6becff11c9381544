package reduce;

/** A stack whose popped values stay in their slots, and whose equals looks at what is on the stack only. */
public class IntStack {
    int[] store = new int[8];
    int size;

    public IntStack() {}

    public boolean isEmpty() {
        return size == 0;
    }

    public void push(int value) {
        store[size++] = value;
    }

    public int pop() {
        return store[--size];
    }

    public int size() {
        return size;
    }

    public void pushTwice(int value) {
        push(value);
        push(value);
    }

    /** Changes slots through a native method only. */
    public void scribble(int[] values) {
        System.arraycopy(values, 0, store, 0, values.length);
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (!(other instanceof IntStack) || ((IntStack) other).size != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (store[i] != ((IntStack) other).store[i]) {
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
