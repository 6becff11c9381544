package triage;

import java.util.Iterator;
import java.util.Objects;
import java.util.Properties;

/** Works once it has been given a source, and says so. */
public class Feed {
    private Iterator<String> source;

    public void setSource(Iterator<String> source) {
        this.source = source;
    }

    public boolean hasNext() {
        return source.hasNext();
    }

    public String next() {
        return source.next();
    }

    /** Refuses what is not there. */
    public static String setting(Properties settings, String key) {
        return Objects.requireNonNull(settings.getProperty(key), key);
    }
}
