package members;

public class Members extends members.other.Parent implements Mixin {
    public int open;
    int here;
    protected int guarded;
    private int closed;
    public Members() { }
    Members(int size) { }
    private Members(String secret) { }
    public Members copy() { return this; }
    void local() { }
    private void secret() { }
    @Override public Integer value() { return 1; }
    public class Inner { public Inner() { } }
    public static class Nested { }
    private static class Hidden { public static class Deep { } }
    protected interface Face { }
    static Object anonymous() { return new Object() { }; }
    static Object local2() { class Local { } return new Local(); }
}

interface Mixin {
    int CONSTANT = 1;
    default int mixed() { return 1; }
    static int helper() { return 2; }
}

enum Colour { RED, GREEN { void paint() { } }; void paint() { } }

class Generics<T extends Comparable<T>> {
    java.util.Map<String, T> map;
    java.util.List<T> list(T first, int... rest) throws java.io.IOException { return null; }
    int plain(int a) { return a; }
}

record Pair(String left, int right) { }
