package shop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

/** A bounded list. */
public class Shelf<T> {
    private final List<T> items = new ArrayList<>();
    private final int room;

    public Shelf(int room) {
        if (room < 0 || room > 1000) {
            throw new IllegalArgumentException("room: " + room);
        }
        this.room = room;
    }

    @SafeVarargs
    public static <E> Shelf<E> of(E... items) {
        Shelf<E> shelf = new Shelf<>(items.length);
        for (E item : items) {
            shelf.put(item);
        }
        return shelf;
    }

    public boolean put(T item) {
        if (items.size() == room) {
            return false;
        }
        return items.add(item);
    }

    public T take() {
        if (items.isEmpty()) {
            throw new NoSuchElementException("the shelf is empty");
        }
        return items.remove(items.size() - 1);
    }

    public int count(Predicate<? super T> wanted) {
        int count = 0;
        for (T item : items) {
            if (wanted.test(item)) {
                count++;
            }
        }
        return count;
    }

    public int size() {
        return items.size();
    }

    public int room() {
        return room;
    }

    /** For the neighbours only. */
    List<T> view() {
        return Collections.unmodifiableList(items);
    }
}
