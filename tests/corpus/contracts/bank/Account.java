package bank;

/** Breaks its private invariant: money can be taken that is not there. */
public class Account {
    private int balance;

    public void deposit(int amount) {
        if (amount < 0) throw new IllegalArgumentException("negative");
        balance = Math.min(balance + Math.min(amount, 1_000), 1_000);
    }

    public void withdraw(int amount) {
        if (amount < 0) throw new IllegalArgumentException("negative");
        balance = Math.max(balance - Math.min(amount, 1_000), -1_000);
    }

    @CheckRep
    private boolean isSolvent() {
        return balance >= 0;
    }
}
