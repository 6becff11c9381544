package java.lang;

/** Stands in for the real class: same members, but the natives note down what they are told. */
public final class $Probat {
    public static final byte[] map = new byte[1 << 22];
    public static final byte[] pages = new byte[map.length / 64 + 1];
    public static final byte[] dirty = new byte[16];

    /** Null while nothing shall be noted. */
    public static StringBuilder notes;
    /** The kinds of looking at files that guards saw, a bit for each; these never throw. */
    public static int looked;

    /** Whether guards throw. */
    public static boolean forbids;

    public static void cmpInt(int a, int b, int site) {
        note("cmpInt", site, a, b);
    }

    public static void cmpLong(long a, long b, int site) {
        note("cmpLong", site, a, b);
    }

    public static void cmpDouble(double a, double b, int site) {
        note("cmpDouble", site, a, b);
    }

    public static void cmpRef(Object a, Object b, int site) {
        note("cmpRef", site, a, b);
    }

    public static void instance(Object a, Class<?> b, int site) {
        note("instance", site, a, b);
    }

    public static void guard(int kind, Object detail) {
        if (kind >= 8) {
            looked |= 1 << kind;
            return;
        }
        note("guard", kind, detail);
        if (forbids) {
            throw new SecurityException("kind " + kind);
        }
    }

    public static void fieldRead(Object owner, int field) {
        note("read", field, owner);
    }

    public static void fieldWritten(Object owner, int field) {
        note("written", field, owner);
    }

    public static void arrayWritten(Object array) {
        note("array", -1, array);
    }

    public static void enter(int method, Object receiver, Object[] arguments) {
        if (notes != null) {
            Object[] all = new Object[arguments.length + 1];
            all[0] = receiver;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            note("enter", method, all);
        }
    }

    public static void exit(int method, Object result) {
        note("exit", method, result);
    }

    public static void threw(int method, Throwable thrown) {
        note("threw", method, thrown);
    }

    private static void note(String what, int number, Object... values) {
        StringBuilder out = notes;
        if (out == null) {
            return;
        }
        notes = null;
        out.append(what);
        if (number >= 0) {
            out.append(' ').append(number);
        }
        for (Object value : values) {
            out.append(' ').append(show(value));
        }
        out.append('\n');
        notes = out;
    }

    private static String show(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean || value instanceof Character) {
            return String.valueOf(value);
        }
        if (value instanceof String) {
            return '"' + (String) value + '"';
        }
        if (value instanceof String[]) {
            return String.join(",", (String[]) value);
        }
        return value.getClass().getName().startsWith("java.io.File") ? value.toString() : value.getClass().getSimpleName();
    }
}
