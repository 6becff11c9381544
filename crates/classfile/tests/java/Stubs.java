import java.lang.reflect.InvocationTargetException;
import java.util.Comparator;
import java.util.function.Function;

/** Uses stubs that the test wrote: `Simple` of Many, `Holder` of Base, `Same` of Function, `Order` of Comparator. */
public class Stubs {
    public interface Many {
        boolean flag();

        byte small();

        char letter();

        long wide();

        float real();

        double precise();

        String text();

        Object boxed();

        Class<?> type();

        Class<?> primitive();

        int[] nothing();

        void done(int n);

        int second(double a, int b);

        long widened(int a);

        int unboxed(Object a);

        char unboxedChar(Object a);

        Comparable<?> box(double a);

        String cast(Object a);

        int fails() throws Exception;
    }

    public abstract static class Base {
        final String seen;

        protected Base(long n, String text) {
            seen = n + text + wide() + name();
        }

        protected abstract double wide();

        abstract String name();

        abstract Integer count();
    }

    static String outcome(java.util.concurrent.Callable<?> call) {
        try {
            return String.valueOf(call.call());
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        Many many = (Many) make("Simple");
        many.done(1);
        System.out.println(many.flag() + " " + many.small() + " " + (int) many.letter() + " " + many.wide() + " " + many.real() + " "
                + many.precise() + " " + many.text() + " " + many.boxed() + " " + many.type() + " " + many.primitive() + " " + many.nothing());
        System.out.println(many.second(1.5, 7) + " " + many.widened(-3) + " " + many.unboxed(2.9) + " " + many.unboxedChar('q') + " "
                + many.box(0.5) + " " + many.cast("x"));
        System.out.println(outcome(() -> many.cast(1)) + " " + outcome(() -> many.unboxed("x")) + " " + outcome(() -> many.unboxed(null))
                + " " + outcome(many::fails));
        Base base = (Base) make("Holder", 5L, "t", 2.5, "n", 9);
        System.out.println(base.seen + " " + base.wide() + " " + base.name() + " " + base.count());
        System.out.println(((Function<Object, Object>) make("Same")).apply("same"));
        System.out.println(((Comparator<Object>) make("Order", (short) -4)).compare("a", "b"));
    }

    static Object make(String name, Object... arguments) throws Exception {
        try {
            return Class.forName(name).getConstructors()[0].newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
