package hostile;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

public final class Memory {
    public static int heap() {
        List<long[]> all = new ArrayList<>();
        while (true) {
            all.add(new long[1 << 20]);
        }
    }

    public static int direct() {
        List<ByteBuffer> all = new ArrayList<>();
        while (true) {
            all.add(ByteBuffer.allocateDirect(1 << 22));
        }
    }

    public static int caught() {
        try {
            return heap();
        } catch (OutOfMemoryError expected) {
            return 1;
        }
    }

    public static long[] hugeArray() {
        return new long[Integer.MAX_VALUE - 8];
    }
}
