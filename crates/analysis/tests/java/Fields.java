package fields;

class Box {
    private int value;
    private int unused;
    static int count;
    int[] cells = new int[3];
    int[][] grid = new int[2][2];
    int get() { return value; }
    void set(int value) { this.value = value; }
    void bump() { value++; count++; }
    void fill(int at) { cells[at] = 1; }
    void fillByLocal(int at) { int[] local = cells; if (at > 0) { local = new int[9]; } local[at] = 1; }
    void fillGrid() { grid[0][1] = 7; }
    int look() { return cells[0]; }
    static void reset() { count = 0; }
    void twice() { bump(); bump(); }
}

class Wide extends Box { int wide() { return cells.length; } }

class Config { boolean allowCreate; boolean getAllowCreate() { return allowCreate; } void setAllowCreate(boolean allow) { allowCreate = allow; } }

class Environment {
    void openDatabase(Config config) { setupDatabase(config); }
    private void setupDatabase(Config config) { if (config.getAllowCreate()) { System.nanoTime(); } }
    int unrelated() { return 3; }
}

class Recursive {
    int a; int b; int c;
    void first(int n) { a = n; if (n > 0) { second(n - 1); } }
    void second(int n) { b = n; if (n > 0) { first(n - 1); } third(); }
    void third() { c++; }
}

class Dfs {
    private final Object FINISH_TIME = new Object();
    void execute(Vertex vertex) { vertex.set(FINISH_TIME, 1); }
    Object finishTime(Vertex vertex) { return vertex.get(FINISH_TIME); }
}
class Vertex { Object key; Object value; void set(Object key, Object value) { this.key = key; this.value = value; } Object get(Object key) { return value; } }
