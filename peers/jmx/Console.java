import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import javax.management.AttributeList;
import javax.management.MBeanInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * JConsole's own client, without its windows: connects to the port on 127.0.0.1 as JConsole does, and prints what its tree and its
 * tables of attributes would show. To be run with {@code --add-opens jdk.jconsole/sun.tools.jconsole=ALL-UNNAMED}.
 */
public class Console {
    public static void main(String[] args) throws Exception {
        Class<?> type = Class.forName("sun.tools.jconsole.ProxyClient");
        try {
            Object client = call(type, null, "getProxyClient",
                new Class<?>[] {String.class, int.class, String.class, String.class},
                "127.0.0.1", Integer.parseInt(args[0]), null, null);
            call(type, client, "connect", new Class<?>[] {boolean.class}, false);
            System.out.println("connected " + call(type, client, "isConnected", new Class<?>[0]));
            System.out.println("platform " + call(type, client, "hasPlatformMXBeans", new Class<?>[0]));
            tree(type, client);
        } catch (InvocationTargetException failure) {
            System.out.println("! " + failure.getCause());
        }
        System.exit(0);
    }

    private static void tree(Class<?> type, Object client) throws Exception {
        String[] domains = (String[]) call(type, client, "getDomains", new Class<?>[0]);
        System.out.println("domains " + String.join(" ", domains));
        Map<?, ?> mbeans = (Map<?, ?>) call(type, client, "getMBeans", new Class<?>[] {String.class}, "trunkline");
        ObjectName row = new ObjectName("trunkline:type=ifEntry,ifIndex=1");
        MBeanInfo info = (MBeanInfo) mbeans.get(row);
        System.out.println("attributes " + info.getAttributes().length);
        String[] names = new String[] {"ifDescr", "ifMtu"};
        AttributeList list = (AttributeList) call(type, client, "getAttributes",
            new Class<?>[] {ObjectName.class, String[].class}, row, names);
        System.out.println("values " + list);
        MBeanServerConnection server =
            (MBeanServerConnection) call(type, client, "getMBeanServerConnection", new Class<?>[0]);
        // Which of them get a node for notifications.
        System.out.println("notifies " + server.isInstanceOf(
            new ObjectName("trunkline:type=notifications"), "javax.management.NotificationBroadcaster"));
        // What the tab with the tree does when it opens.
        ObjectName delegate = new ObjectName("JMImplementation:type=MBeanServerDelegate");
        server.addNotificationListener(delegate, (notification, handback) -> { }, null, null);
        System.out.println("listens " + server.isRegistered(delegate));
    }

    private static Object call(Class<?> type, Object target, String name, Class<?>[] classes, Object... arguments)
            throws Exception {
        Method method = type.getDeclaredMethod(name, classes);
        method.setAccessible(true);
        return method.invoke(target, arguments);
    }
}
