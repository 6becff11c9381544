package observed;

/** Fields of one name at two levels. */
public class Shadow {
    public int x;
    private String name = "base";

    public static class Derived extends Shadow {
        public int x;
        private String name = "derived";

        public void set(int base, int own) {
            super.x = base;
            this.x = own;
        }

        public String both() {
            return name;
        }
    }

    public String base() {
        return name;
    }
}
