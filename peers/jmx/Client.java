import java.rmi.NotBoundException;
import java.rmi.ServerException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.NotificationFilterSupport;
import javax.management.ObjectInstance;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Calls each method of an agent on 127.0.0.1 that a test serves, and prints what comes back, a line each. */
public class Client {
    public static void main(String[] args) {
        try {
            call(args);
        } catch (Exception failure) {
            // The launcher of source files fails over exceptions without a stack trace.
            System.out.println(failure + " caused by " + failure.getCause());
            System.exit(1);
        }
    }

    private static void call(String[] args) throws Exception {
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + args[0] + "/jmxrmi");
        registry(Integer.parseInt(args[0]));
        java.util.Map<String, Object> environment =
            java.util.Map.of(JMXConnector.CREDENTIALS, new String[] {"reader", "secret"});
        try (JMXConnector connector = JMXConnectorFactory.connect(url, environment)) {
            System.out.println("id " + connector.getConnectionId());
            read(connector.getMBeanServerConnection());
            change(connector.getMBeanServerConnection());
            listen(connector.getMBeanServerConnection());
        }
        System.out.println("closed");
    }

    private static void registry(int port) throws Exception {
        Registry registry = LocateRegistry.getRegistry("127.0.0.1", port);
        System.out.println("registry " + Arrays.toString(registry.list()));
        try {
            registry.lookup("other");
        } catch (NotBoundException expected) {
            System.out.println("not bound " + expected.getMessage());
        }
        try {
            registry.rebind("jmxrmi", registry.lookup("jmxrmi"));
        } catch (ServerException expected) {
            System.out.println("fixed " + expected.getCause());
        }
    }

    private static void read(MBeanServerConnection server) throws Exception {
        ObjectName row = new ObjectName("toy:type=Row,index=1");
        System.out.println("domain " + server.getDefaultDomain() + " " + Arrays.toString(server.getDomains()));
        System.out.println("count " + server.getMBeanCount());
        System.out.println("names " + new TreeSet<>(server.queryNames(new ObjectName("toy:type=Row,*"), null)));
        Set<ObjectName> selected = server.queryNames(null, Query.and(
            Query.gt(Query.attr("Value"), Query.value(10)), Query.match(Query.attr("Name"), Query.value("row*"))));
        System.out.println("selected " + new TreeSet<>(selected));
        for (ObjectInstance instance : server.queryMBeans(row, null)) System.out.println("instance " + instance);
        System.out.println("registered " + server.isRegistered(row) + " " + server.isRegistered(new ObjectName("no:a=b")));
        System.out.println("instance of " + server.isInstanceOf(row, "toy.Row") + " " + server.getObjectInstance(row));
        System.out.println("value " + server.getAttribute(row, "Value") + " " + server.getAttribute(row, "Name"));
        long[][] table = (long[][]) server.getAttribute(row, "Table");
        System.out.println("table " + Arrays.deepToString(table));
        CompositeData data = (CompositeData) server.getAttribute(row, "Composite");
        System.out.println("composite " + data.get("octets") + " " + data.get("name") + " " + data.getCompositeType().getTypeName());
        TabularData rows = (TabularData) server.getAttribute(row, "Tabular");
        System.out.println("tabular " + rows.size() + " " + rows.get(new Object[] {"b"}).get("octets"));
        System.out.println("other " + server.getAttribute(row, "Big") + " " + server.getAttribute(row, "List")
            + " " + ((java.util.Date) server.getAttribute(row, "Date")).getTime());
        for (Object one : server.getAttributes(row, new String[] {"Value", "Nothing", "Name"})) {
            System.out.println("attribute " + one);
        }
        MBeanInfo info = server.getMBeanInfo(row);
        System.out.println("info " + info.getClassName() + " " + info.getDescription() + " " + info.getDescriptor());
        for (MBeanAttributeInfo one : info.getAttributes()) {
            System.out.println("has " + one.getName() + " " + one.getType() + " " + one.isReadable() + one.isWritable());
        }
        for (MBeanOperationInfo one : info.getOperations()) {
            System.out.println("does " + one.getName() + " " + one.getSignature().length + " " + one.getReturnType());
        }
    }

    private static void change(MBeanServerConnection server) throws Exception {
        ObjectName row = new ObjectName("toy:type=Row,index=1");
        server.setAttribute(row, new Attribute("Value", 17L));
        AttributeList list = new AttributeList();
        list.add(new Attribute("Value", 18L));
        System.out.println("set " + server.setAttributes(row, list));
        System.out.println("sum " + server.invoke(row, "add", new Object[] {3L, 4L}, new String[] {"long", "long"}));
        try {
            server.getAttribute(row, "Nothing");
        } catch (AttributeNotFoundException expected) {
            System.out.println("expected " + expected.getMessage());
        }
        try {
            server.getAttribute(new ObjectName("no:a=b"), "Value");
        } catch (InstanceNotFoundException expected) {
            System.out.println("expected " + expected.getMessage());
        }
        try {
            server.setAttribute(row, new Attribute("Value", new java.awt.Point(1, 2)));
        } catch (java.io.IOException | RuntimeException expected) {
            System.out.println("refused " + expected.getClass().getName());
        }
    }

    private static void listen(MBeanServerConnection server) throws Exception {
        ObjectName row = new ObjectName("toy:type=Row,index=1");
        LinkedBlockingQueue<Notification> received = new LinkedBlockingQueue<>();
        NotificationFilterSupport filter = new NotificationFilterSupport();
        filter.enableType("toy.");
        javax.management.NotificationListener listener = (notification, handback) -> received.add(notification);
        server.addNotificationListener(row, listener, filter, "mine");
        server.invoke(row, "fire", new Object[0], new String[0]);
        Notification notification = received.poll(60, TimeUnit.SECONDS);
        System.out.println("received " + notification.getType() + " " + notification.getSource() + " "
            + notification.getMessage() + " " + notification.getSequenceNumber() + " " + notification.getUserData());
        server.removeNotificationListener(row, listener);
        System.out.println("removed");
    }
}
