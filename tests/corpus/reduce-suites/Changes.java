package suites;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.IntStack;
import reduce.Others;

/** Pairs of tests: the second of each makes one call in a state that the first does not have. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class Changes {
    @Test
    void argument1() {
        IntStack stack = new IntStack();
        stack.size();
        Others.fill(new IntStack());
    }

    @Test
    void argument2() {
        IntStack stack = new IntStack();
        Others.fill(stack);
        stack.size();
    }

    @Test
    void field1() {
        new Others.Box().get();
    }

    @Test
    void field2() {
        Others.Box box = new Others.Box();
        box.value = 3;
        box.get();
    }

    @Test
    void native1() {
        new IntStack().scribble(new int[] {4});
    }

    @Test
    void native2() {
        IntStack stack = new IntStack();
        stack.scribble(new int[] {4});
        stack.size();
    }

    @Test
    void static1() {
        Others.Mode.mode = 1;
        new Others.Mode().read();
    }

    @Test
    void static2() {
        Others.Mode.mode = 2;
        new Others.Mode().read();
    }
}
