package bank;

/** Breaks an invariant that throws: leaving an empty queue makes its length negative. */
public class Queue {
    private int length;

    public void enter() {
        if (length < 5) length++;
    }

    public void leave() {
        if (length > -3) length--;
    }

    @CheckRep
    void check() {
        if (length < 0) throw new IllegalStateException("length " + length);
    }
}
