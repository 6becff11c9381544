package suites;

import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import reduce.IntStack;

public class InsideTest {
    @Test
    public void outside() {
        new IntStack().push(1);
    }

    public static class Plain {
        @Test
        public void again() {
            new IntStack().push(1);
        }

        @Test
        public void more() {
            IntStack stack = new IntStack();
            stack.push(1);
            stack.push(2);
            stack.pop();
        }
    }

    @RunWith(Parameterized.class)
    public static class Each {
        @Parameterized.Parameters(name = "{0} of it")
        public static Collection<Object[]> all() {
            return Arrays.asList(new Object[] {5}, new Object[] {6});
        }

        private final int value;

        public Each(int value) {
            this.value = value;
        }

        @Test
        public void pushed() {
            new IntStack().push(value);
        }

        @Test
        public void repeated() {
            new IntStack().push(value);
        }
    }
}
