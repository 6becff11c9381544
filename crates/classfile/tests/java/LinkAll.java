import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Links every class of some jars without initialising it, and prints what does not link. A jar named like a module is looked up there. */
public class LinkAll {
    public static void main(String[] jars) throws Exception {
        int linked = 0;
        for (String path : jars) {
            String module = new File(path).getName().replaceAll("\\.jar$", "");
            Optional<Module> found = ModuleLayer.boot().findModule(module);
            for (String name : classes(path)) {
                try {
                    Class<?> type = found.isPresent()
                            ? Class.forName(found.get(), name)
                            : Class.forName(name, false, LinkAll.class.getClassLoader());
                    if (type == null) {
                        System.out.println(name + " is not in its module");
                        continue;
                    }
                    // Reflection links a class before it looks at its members.
                    type.getDeclaredConstructors();
                    linked++;
                } catch (LinkageError e) {
                    String message = String.valueOf(e.getMessage());
                    System.out.println(name + ": " + e.getClass().getSimpleName() + " " + message.replace('\n', ' '));
                }
            }
        }
        System.out.println(linked + " linked");
    }

    static List<String> classes(String path) throws Exception {
        List<String> names = new ArrayList<>();
        try (JarFile jar = new JarFile(path)) {
            for (JarEntry entry : java.util.Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("-info.class")) {
                    names.add(name.substring(0, name.length() - 6).replace('/', '.'));
                }
            }
        }
        return names;
    }
}
