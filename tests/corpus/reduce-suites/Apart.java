package suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.IntStack;

/** Calls on another thread: nobody sees what they are. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class Apart {
    @Test
    void a_here() {
        new IntStack().push(1);
    }

    @Test
    void b_apart() throws InterruptedException {
        IntStack stack = new IntStack();
        Thread thread = new Thread(() -> stack.push(2));
        thread.start();
        thread.join();
    }

    @Test
    void c_here_again() {
        new IntStack().push(1);
    }
}
