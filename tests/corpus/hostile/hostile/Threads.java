package hostile;

public final class Threads {
    public static void bomb() {
        for (int i = 0; i < 100_000; i++) {
            new Thread(Threads::forever).start();
        }
    }

    public static void leftBehind() {
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(Threads::forever);
            thread.setDaemon(false);
            thread.start();
        }
    }

    public static void deadlock() throws InterruptedException {
        Object one = new Object();
        Object two = new Object();
        java.util.concurrent.CountDownLatch held = new java.util.concurrent.CountDownLatch(1);
        Thread other = new Thread(() -> {
            synchronized (two) {
                held.countDown();
                synchronized (one) {
                    one.notifyAll();
                }
            }
        });
        synchronized (one) {
            other.start();
            held.await();
            synchronized (two) {
                two.notifyAll();
            }
        }
    }

    public static int pool() throws Exception {
        java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(2);
        return pool.submit(() -> 2).get();
    }

    public static int scheduledPool() {
        java.util.concurrent.ScheduledExecutorService pool = java.util.concurrent.Executors.newScheduledThreadPool(1);
        pool.scheduleAtFixedRate(() -> { }, 10, 10, java.util.concurrent.TimeUnit.SECONDS);
        return 3;
    }

    public static int timer() {
        new java.util.Timer().schedule(new java.util.TimerTask() {
            @Override
            public void run() {
                // nobody waits that long
            }
        }, 1_000_000);
        return 5;
    }

    public static void spins() {
        new Thread(Loops::endless).start();
    }

    public static int joined() throws InterruptedException {
        int[] count = new int[1];
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> count[0]++);
            thread.start();
            thread.join();
        }
        return count[0];
    }

    public static void joinsEndless() throws InterruptedException {
        Thread thread = new Thread(Loops::endless);
        thread.start();
        thread.join();
    }

    public static void interruptSelf() {
        Thread.currentThread().interrupt();
    }

    public static boolean interrupted() {
        return Thread.currentThread().isInterrupted();
    }

    private static void forever() {
        while (true) {
            try {
                Thread.sleep(1_000_000);
            } catch (InterruptedException ignored) {
                // stays
            }
        }
    }
}
