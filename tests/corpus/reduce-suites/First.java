package suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import reduce.Ticket;

/** The first test makes the class ready, and nothing else that the second does not do, too. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class First {
    @Test
    void a_first() {
        assertEquals(101, new Ticket(1).number());
    }

    @Test
    void b_both() {
        assertEquals(101, new Ticket(1).number());
        assertEquals(102, new Ticket(2).number());
    }
}
