package reduce;

/** The stack with an equals that compares even an object with itself slot by slot. */
public class OpenStack extends IntStack {
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof OpenStack) || ((OpenStack) other).size != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (store[i] != ((OpenStack) other).store[i]) {
                return false;
            }
        }
        return true;
    }
}
