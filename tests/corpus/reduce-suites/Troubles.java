import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import reduce.IntStack;

/** In the default package, and not well. */
class Troubles {
    @Test
    void fails() {
        new IntStack().push(1);
        Assertions.fail("on purpose");
    }

    @Test
    void exits() {
        System.exit(3);
    }

    @Test
    void hangs() {
        new IntStack().push(2);
        while (true) {
            Thread.onSpinWait();
        }
    }

    @Test
    @Disabled("not today")
    void skipped() {}

    @Test
    void works() {
        new IntStack().push(3);
    }

    @Test
    void lacksAClass() {
        new Lost();
    }
}

/** Cannot even be loaded without its field's class. */
class Unloadable {
    Lost lost;

    @Test
    void never() {}
}
