package suites;

import org.testng.annotations.Test;
import reduce.IntStack;

/** Written for another framework. */
public class Foreign {
    @Test
    public void pushes() {
        new IntStack().push(1);
    }
}
