package suites;

import org.junit.Test;
import reduce.IntStack;

public abstract class Base {
    abstract int value();

    @Test
    public void inherited() {
        IntStack stack = new IntStack();
        stack.push(value());
        stack.push(value());
    }
}
