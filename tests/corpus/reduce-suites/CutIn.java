package suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import reduce.Ticket;

/** A class initialiser runs in the middle of the only call. */
class CutIn {
    @Test
    void sells() {
        assertEquals(105, new Ticket.Booth().sell(5));
    }
}
