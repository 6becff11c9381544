package laws;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** Iterators that promise too much, and ones that may throw for a good reason. */
public final class Iterators {
    private Iterators() {}

    /** Has a next element for ever, and does not. */
    public static class Greedy implements Iterator<Integer> {
        private int left;

        public Greedy(int left) {
            this.left = left;
        }

        @Override public boolean hasNext() {
            return true;
        }

        @Override public Integer next() {
            if (left <= 0) throw new NoSuchElementException();
            return left--;
        }
    }

    /** Ends where it says. */
    public static class Good implements Iterator<Integer> {
        private int left;

        public Good(int left) {
            this.left = Math.min(left, 3);
        }

        @Override public boolean hasNext() {
            return left > 0;
        }

        @Override public Integer next() {
            if (left <= 0) throw new NoSuchElementException();
            return left--;
        }
    }

    /** Its source may be changed under its feet, which it notices in `next` only. */
    public static class OverList implements Iterator<Integer> {
        private final List<Integer> list = new ArrayList<>();
        private Iterator<Integer> inner = list.iterator();

        public void add(int n) {
            list.add(n);
        }

        @Override public boolean hasNext() {
            return inner.hasNext();
        }

        @Override public Integer next() {
            return inner.next();
        }
    }
}
