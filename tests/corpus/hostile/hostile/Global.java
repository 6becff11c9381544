package hostile;

import java.util.Locale;
import java.util.TimeZone;

/** Changes what the whole JVM shares; each must be put back. */
public final class Global {
    private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
    private static int counter = 40;
    private static String text = "start";

    public static String property(String value) {
        System.setProperty("hostile.key", value);
        System.clearProperty("java.vendor");
        return System.getProperty("hostile.key");
    }

    public static String readProperty() {
        return System.getProperty("hostile.key") + "," + (System.getProperty("java.vendor") != null);
    }

    public static void locale() {
        Locale.setDefault(Locale.JAPAN);
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
    }

    public static boolean isJapan() {
        return Locale.getDefault().equals(Locale.JAPAN) || TimeZone.getDefault().getID().equals("Asia/Tokyo");
    }

    public static int statics() {
        text = "changed";
        return ++counter;
    }

    public static String readStatics() {
        return text + counter;
    }

    public static void providers() {
        for (java.security.Provider provider : java.security.Security.getProviders()) {
            java.security.Security.removeProvider(provider.getName());
        }
    }

    public static int countProviders() {
        return java.security.Security.getProviders().length;
    }

    public static void contextLoader() {
        Thread.currentThread().setContextClassLoader(null);
    }

    public static boolean readContextLoader() {
        return Thread.currentThread().getContextClassLoader() == Global.class.getClassLoader();
    }

    public static void local() {
        LOCAL.set("kept");
    }

    public static String readLocal() {
        return LOCAL.get();
    }
}
