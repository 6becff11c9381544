package hostile;

import java.lang.reflect.Field;

public final class Crash {
    public static void unsafeWrite() throws Exception {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        type.getMethod("putLong", long.class, long.class).invoke(unsafe, 8L, 1L);
    }
}
