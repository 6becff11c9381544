package observed;

import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** Takes what a stub can be. */
public final class Stubs {
    /** Visible in this package only. */
    interface Hidden {
        int secret(int n);

        default int twice(int n) {
            return 2 * secret(n);
        }
    }

    /** More than one method. */
    public interface Several {
        String name();

        long size();

        boolean accepts(Object thing);

        Object pick(Object one, Object two);

        void fail();
    }

    /** Counts what its constructor was given. */
    public abstract static class Base {
        final int start;
        final String label;

        protected Base(int start, String label) {
            this.start = start;
            this.label = label;
        }

        protected abstract int step();

        abstract Object extra();

        public int total() {
            return start + step();
        }

        public String describe() {
            return label + extra();
        }
    }

    public static Object apply(Function<Object, Object> function, Object argument) {
        return function.apply(argument);
    }

    public static int combine(IntBinaryOperator operator, int a, int b) {
        return operator.applyAsInt(a, b);
    }

    public static Object supply(Supplier<?> supplier) {
        return supplier.get();
    }

    public static int hidden(Hidden hidden, int n) {
        return hidden.twice(n);
    }

    public static String several(Several several) {
        return several.name() + several.size() + several.accepts("x") + several.pick("one", "two");
    }

    public static void fail(Several several) {
        several.fail();
    }

    /** Where the stub lives: package, and whether its loader is ours. */
    public static String home(Object stub) {
        return stub.getClass().getPackageName() + " " + (stub.getClass().getClassLoader() == Stubs.class.getClassLoader());
    }
}
