import java.rmi.MarshalledObject;
import java.rmi.registry.LocateRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnection;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.management.remote.rmi.RMIServer;
import javax.security.auth.Subject;

/**
 * Calls methods of RMIConnection with null for their arguments, on the MBean that every server has: once with the JDK's own server,
 * in this process, and once with the server whose registry is on the port given, on 127.0.0.1. Prints a line for each call: its
 * name, and what it returns or the classes of the exception and its causes; twice, divided by {@code |}, where the two differ.
 */
public class Nulls {
    public static void main(String[] args) throws Exception {
        RMIJRMPServerImpl own = new RMIJRMPServerImpl(0, null, null, null);
        new RMIConnectorServer(new JMXServiceURL("service:jmx:rmi://127.0.0.1"), null, own, MBeanServerFactory.newMBeanServer()).start();
        Map<String, String> expected = ends(((RMIServer) own.toStub()).newClient(null));
        RMIServer other = (RMIServer) LocateRegistry.getRegistry("127.0.0.1", Integer.parseInt(args[0])).lookup("jmxrmi");
        Map<String, String> found = ends(other.newClient(null));
        for (Map.Entry<String, String> end : expected.entrySet()) {
            String there = found.get(end.getKey());
            System.out.println(end.getKey() + ": " + end.getValue() + (end.getValue().equals(there) ? "" : " | " + there));
        }
        System.exit(0);
    }

    private static Map<String, String> ends(RMIConnection c) throws Exception {
        Map<String, String> ends = new LinkedHashMap<>();
        ObjectName delegate = new ObjectName("JMImplementation:type=MBeanServerDelegate");
        ObjectName absent = new ObjectName("JMImplementation:type=absent");
        MarshalledObject<Object> none = new MarshalledObject<>(null);
        MarshalledObject<Attribute> attribute = new MarshalledObject<>(new Attribute("MBeanServerId", "x"));
        MarshalledObject<AttributeList> list = new MarshalledObject<>(new AttributeList());
        String[] classes = {"java.lang.String"};
        MarshalledObject<Object[]> parameters = new MarshalledObject<>(new Object[] {"x"});
        Subject nobody = null;

        end(ends, "unregisterMBean name", () -> { c.unregisterMBean(null, nobody); return 0; });
        end(ends, "getObjectInstance name", () -> c.getObjectInstance(null, nobody));
        end(ends, "isRegistered name", () -> c.isRegistered(null, nobody));
        end(ends, "queryNames", () -> c.queryNames(delegate, null, nobody));
        end(ends, "queryMBeans", () -> c.queryMBeans(delegate, null, nobody));
        end(ends, "queryNames value", () -> c.queryNames(delegate, none, nobody));
        end(ends, "getAttribute name", () -> c.getAttribute(null, "MBeanServerId", nobody));
        end(ends, "getAttribute attribute", () -> c.getAttribute(delegate, null, nobody));
        end(ends, "getAttribute name attribute", () -> c.getAttribute(null, null, nobody));
        end(ends, "getAttribute absent attribute", () -> c.getAttribute(absent, null, nobody));
        end(ends, "getAttributes name", () -> c.getAttributes(null, new String[] {"MBeanServerId"}, nobody));
        end(ends, "getAttributes attributes", () -> c.getAttributes(delegate, null, nobody));
        end(ends, "getAttributes absent attributes", () -> c.getAttributes(absent, null, nobody));
        end(ends, "getAttributes attribute", () -> c.getAttributes(delegate, new String[] {null}, nobody));
        end(ends, "getAttributes attribute 2", () -> c.getAttributes(delegate, new String[] {"MBeanServerId", null}, nobody).size());
        end(ends, "setAttribute name", () -> { c.setAttribute(null, attribute, nobody); return 0; });
        end(ends, "setAttribute attribute", () -> { c.setAttribute(delegate, null, nobody); return 0; });
        end(ends, "setAttribute value", () -> { c.setAttribute(delegate, none, nobody); return 0; });
        end(ends, "setAttribute absent value", () -> { c.setAttribute(absent, none, nobody); return 0; });
        end(ends, "setAttribute absent attribute", () -> { c.setAttribute(absent, null, nobody); return 0; });
        end(ends, "setAttribute name attribute", () -> { c.setAttribute(null, null, nobody); return 0; });
        end(ends, "setAttribute name value", () -> { c.setAttribute(null, none, nobody); return 0; });
        end(ends, "setAttributes name", () -> c.setAttributes(null, list, nobody));
        end(ends, "setAttributes attributes", () -> c.setAttributes(delegate, null, nobody));
        end(ends, "setAttributes value", () -> c.setAttributes(delegate, none, nobody));
        end(ends, "setAttributes absent value", () -> c.setAttributes(absent, none, nobody));
        AttributeList holed = new AttributeList(); holed.add((Attribute) null);
        end(ends, "setAttributes element", () -> c.setAttributes(delegate, new MarshalledObject<>(holed), nobody));
        end(ends, "invoke name", () -> c.invoke(null, "x", parameters, classes, nobody));
        end(ends, "invoke operation", () -> c.invoke(delegate, null, parameters, classes, nobody));
        end(ends, "invoke absent operation", () -> c.invoke(absent, null, parameters, classes, nobody));
        end(ends, "invoke name operation", () -> c.invoke(null, null, parameters, classes, nobody));
        end(ends, "invoke parameters", () -> c.invoke(delegate, "x", null, classes, nobody));
        end(ends, "invoke value", () -> c.invoke(delegate, "x", none, classes, nobody));
        end(ends, "invoke signature", () -> c.invoke(delegate, "x", parameters, null, nobody));
        end(ends, "invoke class", () -> c.invoke(delegate, "x", parameters, new String[] {null}, nobody));
        end(ends, "invoke neither", () -> c.invoke(delegate, "x", null, null, nobody));
        end(ends, "getMBeanInfo name", () -> c.getMBeanInfo(null, nobody));
        end(ends, "isInstanceOf name", () -> c.isInstanceOf(null, "java.lang.Object", nobody));
        end(ends, "isInstanceOf class", () -> c.isInstanceOf(delegate, null, nobody));
        end(ends, "isInstanceOf absent class", () -> c.isInstanceOf(absent, null, nobody));
        end(ends, "addNotificationListener name", () -> { c.addNotificationListener(null, absent, none, none, nobody); return 0; });
        end(ends, "addNotificationListener listener", () -> { c.addNotificationListener(delegate, null, none, none, nobody); return 0; });
        end(ends, "addNotificationListener filter", () -> { c.addNotificationListener(delegate, absent, null, none, nobody); return 0; });
        end(ends, "addNotificationListener handback", () -> { c.addNotificationListener(delegate, absent, none, null, nobody); return 0; });
        end(ends, "removeNotificationListener name", () -> { c.removeNotificationListener(null, absent, nobody); return 0; });
        end(ends, "removeNotificationListener listener", () -> { c.removeNotificationListener(delegate, null, nobody); return 0; });
        end(ends, "removeNotificationListener4 name", () -> { c.removeNotificationListener(null, absent, none, none, nobody); return 0; });
        end(ends, "removeNotificationListener4 listener", () -> { c.removeNotificationListener(delegate, null, none, none, nobody); return 0; });
        end(ends, "removeNotificationListener4 filter", () -> { c.removeNotificationListener(delegate, absent, null, null, nobody); return 0; });
        MarshalledObject[] one = {none};
        Subject[] subjects = {null};
        ObjectName[] names = {delegate};
        end(ends, "addNotificationListeners names", () -> c.addNotificationListeners(null, one, subjects));
        end(ends, "addNotificationListeners name", () -> c.addNotificationListeners(new ObjectName[] {null}, one, subjects));
        end(ends, "addNotificationListeners filters", () -> c.addNotificationListeners(names, null, subjects));
        end(ends, "addNotificationListeners filter", () -> c.addNotificationListeners(names, new MarshalledObject[] {null}, subjects).length);
        end(ends, "addNotificationListeners subjects", () -> c.addNotificationListeners(names, one, null).length);
        end(ends, "addNotificationListeners lengths", () -> c.addNotificationListeners(names, new MarshalledObject[0], subjects).length);
        end(ends, "removeNotificationListeners name", () -> { c.removeNotificationListeners(null, new Integer[] {1}, nobody); return 0; });
        end(ends, "removeNotificationListeners ids", () -> { c.removeNotificationListeners(delegate, null, nobody); return 0; });
        end(ends, "removeNotificationListeners id", () -> { c.removeNotificationListeners(delegate, new Integer[] {null}, nobody); return 0; });
        end(ends, "createMBean class", () -> c.createMBean(null, delegate, nobody));
        end(ends, "createMBean name", () -> c.createMBean("java.lang.Object", null, nobody));
        end(ends, "createMBean parameters", () -> c.createMBean("java.lang.Object", absent, (MarshalledObject<?>) null, null, nobody));
        end(ends, "createMBean loader", () -> c.createMBean("java.lang.Object", absent, (ObjectName) null, nobody));
        return ends;
    }

    private static void end(Map<String, String> ends, String what, Callable<?> call) {
        StringBuilder end = new StringBuilder();
        try {
            end.append(call.call());
        } catch (Exception thrown) {
            for (Throwable it = thrown; it != null; it = it.getCause()) {
                end.append(end.length() == 0 ? "! " : " < ").append(it.getClass().getSimpleName());
            }
        }
        ends.put(what, end.toString());
    }
}
