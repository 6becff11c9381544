package laws;

/** Copies that are none, and one that is. */
public final class Clones {
    private Clones() {}

    /** Gives itself away. */
    public static class Same implements Cloneable {
        public int n;

        @Override public Same clone() {
            return this;
        }
    }

    /** Gives an object of another class once it has changed. */
    public static class Changing implements Cloneable {
        protected int n;

        public void grow() {
            n = Math.min(n + 1, 3);
        }

        @Override public Changing clone() {
            return n > 1 ? new Changing() { } : new Changing();
        }
    }

    /** Forgets a part that its `equals` looks at. */
    public static class Forgetful implements Cloneable {
        private int n;

        public void set(int n) {
            this.n = n;
        }

        @Override public Forgetful clone() {
            return new Forgetful();
        }

        @Override public boolean equals(Object other) {
            return other instanceof Forgetful && ((Forgetful) other).n == n;
        }

        @Override public int hashCode() {
            return n;
        }
    }

    /** Copies as it should. */
    public static class Good implements Cloneable {
        private int n;

        public void set(int n) {
            this.n = n;
        }

        @Override public Good clone() {
            try {
                return (Good) super.clone();
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        @Override public boolean equals(Object other) {
            return other instanceof Good && ((Good) other).n == n;
        }

        @Override public int hashCode() {
            return n;
        }
    }
}
