package triage;

/** Its package can take it apart; nobody else can. */
public class Inside {
    private String name = "inside";

    void forget() {
        name = null;
    }

    @Override
    public String toString() {
        return name.trim();
    }
}
