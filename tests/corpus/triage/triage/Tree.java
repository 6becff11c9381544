package triage;

import java.util.ArrayList;
import java.util.List;

/** Elements have an order of their own; whoever leaves the type out gets what he asked for. */
public class Tree<E extends Comparable<E>> {
    private final List<E> elements = new ArrayList<>();

    public void add(E element) {
        elements.add(element);
    }

    @Override
    public String toString() {
        List<E> sorted = new ArrayList<>(elements);
        sorted.sort((one, other) -> one.compareTo(other));
        return sorted.toString();
    }
}
