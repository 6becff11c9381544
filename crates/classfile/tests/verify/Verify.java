import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.lang.classfile.ClassFile;

/** Verifies a file of classes, each behind its length; needs JDK 24 or later. */
public class Verify {
    public static void main(String[] args) throws Exception {
        int classes = 0;
        int bad = 0;
        try (var in = new DataInputStream(new BufferedInputStream(new FileInputStream(args[0])))) {
            while (in.available() > 0) {
                byte[] bytes = in.readNBytes(in.readInt());
                classes++;
                var errors = ClassFile.of().verify(bytes);
                if (!errors.isEmpty() && bad++ < 20) {
                    System.out.println(errors.get(0));
                }
            }
        }
        System.out.println(classes + " classes, " + bad + " bad");
    }
}
