package suites;

public class LowTest extends Base {
    @Override
    int value() {
        return 11;
    }
}
