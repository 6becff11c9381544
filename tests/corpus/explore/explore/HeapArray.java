package explore;

import java.util.NoSuchElementException;

/** A binary heap with the largest int on top. Vacated slots are cleared. */
public class HeapArray {
    private int[] heap = new int[8];
    private int size;

    public HeapArray() {}

    public void insert(int value) {
        if (size == heap.length) {
            heap = java.util.Arrays.copyOf(heap, 2 * size);
        }
        int at = size++;
        while (at > 0 && heap[(at - 1) / 2] < value) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = value;
    }

    public int extractMax() {
        if (size == 0) {
            throw new NoSuchElementException();
        }
        int max = heap[0];
        int value = heap[--size];
        heap[size] = 0;
        if (size > 0) {
            sink(value);
        }
        return max;
    }

    private void sink(int value) {
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && heap[child + 1] > heap[child]) {
                child++;
            }
            if (heap[child] <= value) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = value;
    }
}
