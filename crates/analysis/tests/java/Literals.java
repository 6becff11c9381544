package literals;

class Literals {
    static final String NAME = "constant";
    static final long BIG = 1L << 40;
    int numbers(int n) { n += 3; return n > 1000 ? 70000 : -5; }
    double doubles(float f) { return f > 2.5f ? 3.14 : -0.0; }
    long longs() { return 5L; }
    Class<?> types() { return String[].class; }
    String concat(int n) { return "n=" + n + "!"; }
    int choose(int n) { switch (n) { case 7: return 1; case 9: return 1; case 5000: return 1; default: return 1; } }
    int words(String text) { switch (text) { case "open": return 1; case "shut": return 1; default: return 1; } }
    String broken() { return "\ud800x"; }
    void nothing() { }
}
