package suites;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.Bag;

/** The last test adds only a question to a bag that was filled in another order. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class Bags {
    @Test
    void p1() {
        Bag bag = new Bag();
        bag.add(1);
        bag.add(2);
        bag.contains(1);
    }

    @Test
    void p2() {
        Bag bag = new Bag();
        bag.add(2);
        bag.add(1);
    }

    @Test
    void p3() {
        Bag bag = new Bag();
        bag.add(2);
        bag.add(1);
        bag.contains(1);
    }
}
