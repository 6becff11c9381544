package triage.internal;

/** Public for the sake of other packages of its library only. */
public class Engine {
    private final int[] cylinders;

    public Engine(int cylinders) {
        this.cylinders = new int[Math.abs(cylinders % 4)];
    }

    @Override
    public int hashCode() {
        return cylinders[1];
    }
}
