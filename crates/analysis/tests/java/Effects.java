package effects;

class Effects {
    private int value;
    private final int[] cells = new int[4];
    private Effects next;
    static int count;
    static final int[] SHARED = new int[4];
    static Effects instance;

    Effects() { }
    Effects(int value) { this.value = value; cells[0] = value; }
    Effects(Effects next) { this.next = next; }
    Effects(Effects other, boolean steal) { next = other; other.value = 0; }
    Effects(long counted) { count++; }

    int get() { return value; }
    int deep() { return next.next.value; }
    int sum() { int sum = 0; for (int cell : cells) { sum += cell; } return sum; }
    void set(int value) { this.value = value; }
    void fill() { cells[0] = 1; }
    void setNext() { next.value = 1; }
    void give(Effects other) { other.value = value; }
    static void reset() { count = 0; }
    static void spoil() { SHARED[0] = 1; }
    static void spoilInstance() { instance.value = 1; }
    Effects copy() { Effects copy = new Effects(value); copy.set(3); copy.cells[1] = 2; return copy; }
    Effects linked() { Effects made = new Effects(this); made.set(1); return made; }
    Effects linkedAndSpoiled() { Effects made = new Effects(this); made.setNext(); return made; }
    void hidesInFresh() { Effects made = new Effects(); made.keep(this); made.next.value = 2; }
    void keep(Effects other) { next = other; }
    int[] cloned() { int[] copy = cells.clone(); copy[0] = 9; return copy; }
    int[] leaked() { return cells; }
    void spoilsLeaked() { leaked()[0] = 1; }
    static int[] pass(int[] given) { return given; }
    static void spoilsPassed(int[] given) { pass(given)[0] = 1; }
    String text() { return "v" + value + new StringBuilder().append('x').append(value).reverse().toString(); }
    static int compute(int a, double b) { return (int) (Math.sqrt(a) + Math.pow(b, 2)) + Integer.parseInt("3"); }
    void fails() { throw new IllegalStateException("value " + value); }
    void copies(int[] from, int[] to) { System.arraycopy(from, 0, to, 0, 1); }
    int[] copiesToFresh(int[] from) { int[] to = new int[3]; System.arraycopy(from, 0, to, 0, 1); return to; }
    void prints() { System.out.println(value); }
    static native void outside();
    void callsNative() { outside(); }
    int even(int n) { return n == 0 ? value : odd(n - 1); }
    int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    int evenSet(int n) { return n == 0 ? value : oddSet(n - 1); }
    int oddSet(int n) { value = n; return evenSet(n - 1); }
    int iterates() { Steps steps = new Steps(this); int sum = 0; while (steps.more()) { sum += steps.step(); } return sum; }
    int viaLambda() { java.util.function.IntSupplier supplier = () -> value; return Runs.run(supplier); }
    int caught() { try { return deep(); } catch (NullPointerException gone) { return 0; } }
}

class Steps {
    private final Effects over;
    private int at;
    Steps(Effects over) { this.over = over; }
    boolean more() { return at < over.get(); }
    int step() { at++; return over.get(); }
}

interface Runs { static int run(java.util.function.IntSupplier supplier) { return 1; } }

interface Op { int apply(int a); }
class Ops {
    private int state;
    private Op add() { return a -> a + state; }
    private Op change() { return a -> state = a; }
    static int use(Op op) { return op.apply(1); }
    int calls() { return use(add()); }
}

interface PureOp { int apply(int a); }
class PureOps {
    private int state;
    int both() { PureOp op = a -> a + state; return op.apply(2); }
}

class Rude { static int calls; public String toString() { calls++; return "rude"; } }

class Lists {
    static int size(java.util.List<String> list) { return list.size(); }
    static String first(java.util.List<String> list) { return list.get(0); }
    static boolean same(Comparable<String> one, String other) { return one.compareTo(other) == 0; }
    static java.util.List<String> built() { java.util.List<String> list = new java.util.ArrayList<>(); list.add("x"); return list; }
    static int counts(java.util.List<String> list) { int n = 0; for (String text : list) { n += text.length(); } return n; }
    static void grow(java.util.List<String> list) { list.add("x"); }
    static void drain(java.util.Iterator<String> from) { while (from.hasNext()) { from.next(); } }
    static void runs(Runnable runnable) { runnable.run(); }
    static String text(Rude rude) { return rude.toString(); }
}
