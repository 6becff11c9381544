package members.other;

public class Parent {
    public int inherited;
    protected int parentGuarded;
    public Number value() { return 0; }
    protected void parentOnly() { }
    void packaged() { }
    public static int tool() { return 1; }
}
