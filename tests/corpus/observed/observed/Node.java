package observed;

/** Cells to build cycles, chains and aliases from. */
public class Node {
    public Node next;
    public int value;

    public Node(int value) {
        this.value = value;
    }

    public static class Special extends Node {
        public Special(int value) {
            super(value);
        }
    }

    /** A ring of nodes with the values 0, 1, 2, …, made in another order if asked to. */
    public static Node ring(int size, boolean backwards) {
        Node[] all = new Node[size];
        for (int i = 0; i < size; i++) {
            int at = backwards ? size - 1 - i : i;
            all[at] = new Node(at);
        }
        for (int i = 0; i < size; i++) {
            all[i].next = all[(i + 1) % size];
        }
        return all[0];
    }

    public static Node chain(int size) {
        Node first = null;
        for (int i = 0; i < size; i++) {
            Node node = new Node(i);
            node.next = first;
            first = node;
        }
        return first;
    }

    /** The n-th node from here. */
    public Node at(int n) {
        Node node = this;
        for (int i = 0; i < n; i++) {
            node = node.next;
        }
        return node;
    }

    public int sum(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += at(i).value;
        }
        return sum;
    }
}
