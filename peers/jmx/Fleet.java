import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Reads simulated agents, HOST:PORT each, all of whose connections are open at the same time; a line for each. */
public class Fleet {
    public static void main(String[] args) {
        try {
            read(args);
        } catch (Exception failure) {
            System.out.println(failure + " caused by " + failure.getCause());
            System.exit(1);
        }
    }

    private static void read(String[] args) throws Exception {
        List<JMXConnector> open = new ArrayList<>();
        for (String agent : args) {
            JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + agent + "/jmxrmi");
            open.add(JMXConnectorFactory.connect(url, Map.of()));
        }
        for (JMXConnector connector : open) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            ObjectName name = server.queryNames(new ObjectName("*:type=Agent"), null).iterator().next();
            Object free = server.getAttribute(name, "FreeMemory");
            Object total = server.getAttribute(name, "TotalMemory");
            long[] octets = (long[]) server.getAttribute(name, "InOctets");
            int kinds = 0;
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                Object value = server.getAttribute(name, attribute.getName());
                String known = attribute.getType().equals("long") ? "java.lang.Long" : attribute.getType();
                kinds += known.equals(value.getClass().getName()) ? 1 : 0;
            }
            try {
                server.getAttribute(name, "Nothing");
            } catch (AttributeNotFoundException expected) {
                kinds += 100;
            }
            System.out.println(name + " " + server.getAttribute(name, "Name") + " " + total + " " + free + " "
                + octets.length + " " + kinds);
        }
        for (JMXConnector connector : open) {
            connector.close();
        }
        System.out.println("closed");
    }
}
