package explore;

/** An unbalanced search tree of ints. Equal sets in different shapes are different states. */
public class BinSearchTree {
    private static class Node {
        int value;
        Node left;
        Node right;

        Node(int value) {
            this.value = value;
        }
    }

    private Node root;
    private int size;

    public BinSearchTree() {}

    public void add(int value) {
        if (root == null) {
            root = new Node(value);
            size++;
            return;
        }
        Node at = root;
        while (at.value != value) {
            if (value < at.value) {
                if (at.left == null) {
                    at.left = new Node(value);
                    size++;
                    return;
                }
                at = at.left;
            } else {
                if (at.right == null) {
                    at.right = new Node(value);
                    size++;
                    return;
                }
                at = at.right;
            }
        }
    }

    public boolean remove(int value) {
        Node above = null;
        Node at = root;
        while (at != null && at.value != value) {
            above = at;
            at = value < at.value ? at.left : at.right;
        }
        if (at == null) {
            return false;
        }
        size--;
        Node rest = withoutTop(at);
        if (above == null) {
            root = rest;
        } else if (above.left == at) {
            above.left = rest;
        } else {
            above.right = rest;
        }
        return true;
    }

    private static Node withoutTop(Node top) {
        if (top.left == null) {
            return top.right;
        }
        if (top.right == null) {
            return top.left;
        }
        Node above = top;
        Node next = top.right;
        while (next.left != null) {
            above = next;
            next = next.left;
        }
        if (above != top) {
            above.left = next.right;
            next.right = top.right;
        }
        next.left = top.left;
        return next;
    }

    public boolean contains(int value) {
        Node at = root;
        while (at != null && at.value != value) {
            at = value < at.value ? at.left : at.right;
        }
        return at != null;
    }

    public int size() {
        return size;
    }
}
