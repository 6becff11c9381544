import java.io.ByteArrayInputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.constant.ClassDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Verifies every class of some jars with the verifier of the class file API, and prints what it finds. */
public class VerifyAll {
    public static void main(String[] jars) throws Exception {
        Map<ClassDesc, byte[]> classes = new HashMap<>();
        for (String path : jars) {
            try (JarFile jar = new JarFile(path)) {
                for (JarEntry entry : java.util.Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("-info.class")) {
                        ClassDesc type = ClassDesc.ofInternalName(name.substring(0, name.length() - 6));
                        classes.put(type, jar.getInputStream(entry).readAllBytes());
                    }
                }
            }
        }
        ClassHierarchyResolver ours = ClassHierarchyResolver.ofResourceParsing(type -> {
            byte[] bytes = classes.get(type);
            return bytes == null ? null : new ByteArrayInputStream(bytes);
        });
        ClassHierarchyResolver all = ours.orElse(ClassHierarchyResolver.defaultResolver()).cached();
        ClassFile api = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(all));
        int verified = 0;
        for (Map.Entry<ClassDesc, byte[]> entry : classes.entrySet()) {
            List<VerifyError> errors = api.verify(entry.getValue());
            if (errors.isEmpty()) {
                verified++;
            } else {
                System.out.println(entry.getKey().displayName() + ": " + errors.get(0).getMessage());
            }
        }
        System.out.println(verified + " verified");
    }
}
