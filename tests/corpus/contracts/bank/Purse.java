package bank;

/** Keeps what it promises, to callers that keep what is asked of them: amounts are not negative. */
public class Purse {
    private int coins;

    public int put(int amount) {
        coins = Math.addExact(coins % 1_000, amount);
        return coins;
    }

    public int take(int amount) {
        assert amount >= 0 : "not checked here, but in the rules";
        int taken = Math.min(coins, amount);
        coins -= taken;
        return taken;
    }

    public int coins() {
        return coins;
    }

    @CheckRep
    public boolean isSane() {
        return coins >= 0;
    }
}
