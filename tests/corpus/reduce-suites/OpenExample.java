package suites;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.OpenStack;

/** The example of spec 000 §2.2 without a shortcut in equals. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class OpenExample {
    @Test
    void t1() {
        OpenStack stack = new OpenStack();
        stack.isEmpty();
        stack.push(3);
        stack.push(2);
        stack.pop();
        stack.push(5);
    }

    @Test
    void t2() {
        OpenStack stack = new OpenStack();
        stack.push(3);
        stack.push(5);
    }

    @Test
    void t3() {
        OpenStack stack = new OpenStack();
        stack.push(3);
        stack.push(2);
        stack.pop();
    }
}
