package hostile;

public final class Loops {
    static volatile long spin;

    public static void endless() {
        while (true) {
            spin++;
        }
    }

    public static void catching() {
        while (true) {
            try {
                while (true) {
                    spin++;
                }
            } catch (Throwable ignored) {
                spin--;
            }
        }
    }

    public static void sleeping() throws InterruptedException {
        Thread.sleep(1_000_000);
    }

    public static void parked() {
        while (true) {
            java.util.concurrent.locks.LockSupport.park();
        }
    }
}
