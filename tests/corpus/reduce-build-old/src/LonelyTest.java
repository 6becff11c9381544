import org.junit.Test;
import reduce.IntStack;

public class LonelyTest {
    @Test
    public void lonely() {
        new IntStack().push(77);
    }
}
