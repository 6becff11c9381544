package suites;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reduce.IntStack;
import reduce.Others;

/** Tests that do the same in other words. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class Same {
    private IntStack stack;

    @BeforeEach
    void prepare() {
        stack = new IntStack();
    }

    @Test
    void a_straight() {
        stack.push(0);
        stack.push(1);
    }

    @Test
    void b_loop() {
        List<Integer> values = new ArrayList<>(List.of(0, 1));
        for (int value : values) {
            stack.push(value);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 4, 5})
    void c_parameters(int value) {
        stack.pushTwice(value);
    }

    @Test
    void d_itself() {
        stack.equals(stack);
        stack.equals(new IntStack());
    }

    @Test
    void e_odd() {
        new Others.Odd(1).get();
        new Others.Odd(2).get();
    }

    @Nested
    class Inside {
        @Test
        void f_nested() {
            stack.push(0);
        }
    }
}
