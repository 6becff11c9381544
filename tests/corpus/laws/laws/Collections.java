package laws;

import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/** Collections whose parts disagree, and ones that are only odd. */
public final class Collections {
    private Collections() {}

    /** Holds numbers, at most four. */
    public abstract static class Numbers extends AbstractCollection<Integer> {
        final List<Integer> inside = new ArrayList<>();

        @Override public boolean add(Integer n) {
            return inside.size() < 4 && inside.add(n);
        }

        @Override public Iterator<Integer> iterator() {
            return inside.iterator();
        }

        @Override public int size() {
            return inside.size();
        }
    }

    /** Counts down. */
    public static class Negative extends Numbers {
        @Override public int size() {
            return -inside.size();
        }
    }

    /** Is empty with one element. */
    public static class NearlyEmpty extends Numbers {
        @Override public boolean isEmpty() {
            return inside.size() < 2;
        }
    }

    /** Leaves one out of its array. */
    public static class ShortArray extends Numbers {
        @Override public Object[] toArray() {
            return inside.subList(0, Math.max(0, inside.size() - 1)).toArray();
        }
    }

    /** Gives every element twice. */
    public static class Twice extends Numbers {
        @Override public Iterator<Integer> iterator() {
            List<Integer> all = new ArrayList<>(inside);
            all.addAll(inside);
            return all.iterator();
        }

        @Override public Object[] toArray() {
            return inside.toArray();
        }
    }

    /** Has one more element than it has. */
    public static class Endless extends Numbers {
        @Override public Iterator<Integer> iterator() {
            Iterator<Integer> all = inside.iterator();
            return new Iterator<Integer>() {
                @Override public boolean hasNext() {
                    return true;
                }

                @Override public Integer next() {
                    if (!all.hasNext()) throw new NoSuchElementException();
                    return all.next();
                }
            };
        }

        @Override public Object[] toArray() {
            return inside.toArray();
        }

        @Override public String toString() {
            return "endless";
        }
    }

    /** Keeps every law. */
    public static class Good extends Numbers { }

    /** Changes whenever it is looked at, so nothing it says can be held against it. */
    public static class Restless extends Numbers {
        private int looks;

        @Override public int size() {
            return looks++ % 7;
        }
    }

    /** A size too large to walk. */
    public static class Huge extends Numbers {
        @Override public int size() {
            return Integer.MAX_VALUE;
        }
    }

    /** Refuses to be walked. */
    public static class Closed extends Numbers {
        @Override public Iterator<Integer> iterator() {
            throw new UnsupportedOperationException();
        }

        @Override public Object[] toArray() {
            throw new UnsupportedOperationException();
        }

        @Override public String toString() {
            return "closed";
        }
    }

    public abstract static class Table extends AbstractMap<Integer, Integer> {
        int entries;

        @Override public Integer put(Integer key, Integer value) {
            entries = Math.min(entries + 1, 3);
            return null;
        }

        @Override public Set<Map.Entry<Integer, Integer>> entrySet() {
            return java.util.Collections.emptySet();
        }
    }

    /** Counts down. */
    public static class NegativeTable extends Table {
        @Override public int size() {
            return -entries;
        }
    }

    /** Is never empty. */
    public static class FullTable extends Table {
        @Override public int size() {
            return entries;
        }

        @Override public boolean isEmpty() {
            return false;
        }
    }

    /** Keeps the laws. */
    public static class GoodTable extends Table { }
}
