package suites;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.IntStack;

/** The same with the first test last. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class Reversed {
    @Test
    void z1() {
        IntStack stack = new IntStack();
        stack.isEmpty();
        stack.push(3);
        stack.push(2);
        stack.pop();
        stack.push(5);
    }

    @Test
    void t2() {
        IntStack stack = new IntStack();
        stack.push(3);
        stack.push(5);
    }

    @Test
    void a3() {
        IntStack stack = new IntStack();
        stack.push(3);
        stack.push(2);
        stack.pop();
    }
}
