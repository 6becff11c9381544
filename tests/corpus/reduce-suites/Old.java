package suites;

import static org.junit.Assert.assertEquals;

import org.junit.FixMethodOrder;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.MethodSorters;
import org.junit.runners.Parameterized;
import reduce.IntStack;

/** Tests for JUnit 4. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class Old {
    @Test
    public void a_pushes() {
        IntStack stack = new IntStack();
        stack.push(3);
        assertEquals(1, stack.size());
    }

    @Test
    public void b_again() {
        IntStack stack = new IntStack();
        stack.push(3);
    }

    @Test(expected = ArrayIndexOutOfBoundsException.class)
    public void c_throws() {
        new IntStack().pop();
    }

    @Test
    public void d_fails() {
        assertEquals(1, new IntStack().size());
    }

    @Ignore("not today")
    @Test
    public void e_skipped() {}

    /** Two of its three runs do the same. */
    @RunWith(Parameterized.class)
    public static class Many {
        @Parameterized.Parameters
        public static Object[] values() {
            return new Object[] {4, 4, 5};
        }

        @Parameterized.Parameter public int value;

        @Test
        public void pushesTwice() {
            new IntStack().pushTwice(value);
        }
    }
}
