import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the stream descriptor of each class named in a file: `name suid flags superclass|- fields...`. */
public class Describe {
    public static void main(String[] args) throws Exception {
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            if (!name.isBlank()) describe(name.strip());
        }
    }

    private static void describe(String name) throws Exception {
        Class<?> of;
        try {
            of = Class.forName(name, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException absent) {
            System.out.println("# absent " + name);
            return;
        }
        ObjectStreamClass d = ObjectStreamClass.lookup(of);
        if (d == null) {
            System.out.println("# not serializable " + name);
            return;
        }
        int flags = is(d, "isExternalizable") ? 4 | 8 : 2;
        if (is(d, "hasWriteObjectData")) flags |= 1;
        if (is(d, "isEnum")) flags |= 16;
        Method upwards = ObjectStreamClass.class.getDeclaredMethod("getSuperDesc");
        upwards.setAccessible(true);
        ObjectStreamClass parent = (ObjectStreamClass) upwards.invoke(d);
        StringBuilder line = new StringBuilder();
        line.append(name).append(' ').append(d.getSerialVersionUID()).append(' ').append(flags).append(' ');
        line.append(parent == null ? "-" : parent.getName());
        ObjectStreamField[] fields = d.getFields();
        // getFields sorts for its caller; the stream has primitives first, then by name, as this does too.
        for (ObjectStreamField f : fields) {
            String type = f.isPrimitive() ? "" + f.getTypeCode() : f.getTypeString();
            line.append(' ').append(f.getName()).append(':').append(type);
        }
        System.out.println(line);
    }

    private static boolean is(ObjectStreamClass d, String question) throws Exception {
        Method method = ObjectStreamClass.class.getDeclaredMethod(question);
        method.setAccessible(true);
        return (Boolean) method.invoke(d);
    }
}
