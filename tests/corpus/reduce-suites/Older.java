package suites;

import junit.framework.TestCase;
import reduce.IntStack;

/** Tests for JUnit 3. */
public class Older extends TestCase {
    public void testEmpty() {
        assertTrue(new IntStack().isEmpty());
    }
}
