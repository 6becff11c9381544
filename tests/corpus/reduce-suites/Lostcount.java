package suites;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.Others;

/** What follows a constructor that never ended is seen: the second test of each pair makes one call more. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class Lostcount {
    @Test
    void own1() {
        assertThrows(IllegalArgumentException.class, () -> new Others.Derived(-1));
    }

    @Test
    void own2() {
        assertThrows(IllegalArgumentException.class, () -> new Others.Derived(-1));
        new Others.Derived(5);
    }

    @Test
    void foreign1() {
        assertThrows(IllegalArgumentException.class, () -> new Others.Sized(-1));
    }

    @Test
    void foreign2() {
        assertThrows(IllegalArgumentException.class, () -> new Others.Sized(-1));
        new Others.Sized(3);
    }

    @Test
    void deep1() {
        assertThrows(IllegalArgumentException.class, () -> new Others.Oversized(-1));
    }

    @Test
    void deep2() {
        assertThrows(IllegalArgumentException.class, () -> new Others.Oversized(-1));
        new Others.Oversized(3);
    }
}
