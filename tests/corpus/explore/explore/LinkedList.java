package explore;

import java.util.NoSuchElementException;

/** A doubly linked list of ints around a sentinel. */
public class LinkedList {
    private static class Entry {
        int value;
        Entry next;
        Entry previous;
    }

    private final Entry header = new Entry();
    private int size;

    public LinkedList() {
        header.next = header;
        header.previous = header;
    }

    public void add(int value) {
        Entry entry = new Entry();
        entry.value = value;
        entry.next = header;
        entry.previous = header.previous;
        header.previous.next = entry;
        header.previous = entry;
        size++;
    }

    public boolean remove(int value) {
        for (Entry at = header.next; at != header; at = at.next) {
            if (at.value == value) {
                unlink(at);
                return true;
            }
        }
        return false;
    }

    public int removeLast() {
        if (size == 0) {
            throw new NoSuchElementException();
        }
        Entry last = header.previous;
        unlink(last);
        return last.value;
    }

    private void unlink(Entry entry) {
        entry.previous.next = entry.next;
        entry.next.previous = entry.previous;
        size--;
    }
}
