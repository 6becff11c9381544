package vault;

/** Opens after three secret turns, which no search would find. */
public class Vault {
    private int turns;

    public void turn(String secret) {
        String wanted = Integer.toString(Integer.parseInt("a7f3", 16) * (turns + 3), 36);
        turns = wanted.equals(secret) ? turns + 1 : 0;
    }

    public boolean isOpen() {
        return turns >= 3;
    }

    public static int weigh(Vault vault) {
        return vault.isOpen() ? 1 : 2;
    }
}
