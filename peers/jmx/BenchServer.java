import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.RMIServerSocketFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularDataSupport;
import javax.management.openmbean.TabularType;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import javax.rmi.ssl.SslRMIServerSocketFactory;

/**
 * What `cargo xtask bench jmx` compares with: the JDK's own JMX server, with a table of interfaces as trunklined has it. Each row is
 * an MBean, and the table is one whose attributes are its columns as arrays, and all of it as tabular data. All values are made
 * at the start, so that serving them is all that a call costs. Arguments: rows, `plain` or `tls`. Prints `port` and its number, and
 * ends with its standard input.
 */
public class BenchServer {
    static final String INTEGERS = "ifIndex ifType ifMtu ifAdminStatus ifOperStatus";
    static final String TEXTS = "ifDescr ifPhysAddress ifSpecific";
    static final String LONGS = "ifSpeed ifLastChange ifInOctets ifInUcastPkts ifInNUcastPkts ifInDiscards ifInErrors "
        + "ifInUnknownProtos ifOutOctets ifOutUcastPkts ifOutNUcastPkts ifOutDiscards ifOutErrors ifOutQLen";

    /** An MBean of values that are there. */
    static class Values implements DynamicMBean {
        private final Map<String, Object> values;

        Values(Map<String, Object> values) { this.values = values; }

        public Object getAttribute(String attribute) throws AttributeNotFoundException {
            Object value = values.get(attribute);
            if (value == null) throw new AttributeNotFoundException(attribute);
            return value;
        }

        public AttributeList getAttributes(String[] attributes) {
            AttributeList list = new AttributeList(attributes.length);
            for (String attribute : attributes) {
                Object value = values.get(attribute);
                if (value != null) list.add(new Attribute(attribute, value));
            }
            return list;
        }

        public MBeanInfo getMBeanInfo() {
            List<MBeanAttributeInfo> infos = new ArrayList<>();
            values.forEach((name, value) ->
                infos.add(new MBeanAttributeInfo(name, value.getClass().getName(), name, true, false, false)));
            return new MBeanInfo("Values", "values", infos.toArray(new MBeanAttributeInfo[0]), null, null, null);
        }

        public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
            throw new AttributeNotFoundException("not writable");
        }

        public AttributeList setAttributes(AttributeList attributes) { return new AttributeList(); }

        public Object invoke(String operation, Object[] arguments, String[] signature) { return null; }
    }

    /** A port for all objects that are exported with it. */
    static class Port implements RMIServerSocketFactory {
        int number;

        public ServerSocket createServerSocket(int port) throws IOException {
            ServerSocket socket = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"));
            number = socket.getLocalPort();
            return socket;
        }
    }

    /** The same with TLS. */
    static class TlsPort extends SslRMIServerSocketFactory {
        int number;

        @Override public ServerSocket createServerSocket(int port) throws IOException {
            ServerSocket socket = super.createServerSocket(port);
            number = socket.getLocalPort();
            return socket;
        }
    }

    static final List<Object> KEPT = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        MBeanServer server = MBeanServerFactory.newMBeanServer("bench");
        register(server, Integer.parseInt(args[0]));
        System.out.println("port " + (args[1].equals("tls") ? serveTls(server) : servePlain(server)));
        System.out.flush();
        while (System.in.read() >= 0) { }
        System.exit(0);
    }

    private static int servePlain(MBeanServer server) throws Exception {
        Port port = new Port();
        serve(server, null, port);
        return port.number;
    }

    private static int serveTls(MBeanServer server) throws Exception {
        TlsPort port = new TlsPort();
        serve(server, new SslRMIClientSocketFactory(), port);
        return port.number;
    }

    private static void serve(MBeanServer server, RMIClientSocketFactory ours, RMIServerSocketFactory theirs) throws Exception {
        Registry registry = LocateRegistry.createRegistry(0, ours, theirs);
        HashMap<String, Object> environment = new HashMap<>();
        RMIJRMPServerImpl connector = new RMIJRMPServerImpl(0, ours, theirs, environment);
        RMIConnectorServer listener =
            new RMIConnectorServer(new JMXServiceURL("service:jmx:rmi://"), environment, connector, server);
        listener.start();
        registry.bind("jmxrmi", connector.toStub());
        KEPT.add(registry);
        KEPT.add(listener);
    }

    private static void register(MBeanServer server, int rows) throws Exception {
        Map<String, Object> columns = new HashMap<>();
        Map<String, OpenType<?>> types = new HashMap<>();
        for (String name : INTEGERS.split(" ")) {
            columns.put(name, new int[rows]);
            types.put(name, SimpleType.INTEGER);
        }
        for (String name : TEXTS.split(" ")) {
            columns.put(name, new String[rows]);
            types.put(name, SimpleType.STRING);
        }
        for (String name : LONGS.split(" ")) {
            columns.put(name, new long[rows]);
            types.put(name, SimpleType.LONG);
        }
        String[] names = columns.keySet().toArray(new String[0]);
        OpenType<?>[] open = new OpenType<?>[names.length];
        for (int at = 0; at < names.length; at++) open[at] = types.get(names[at]);
        CompositeType entry = new CompositeType("ifEntry", "an interface", names, names, open);
        TabularDataSupport table =
            new TabularDataSupport(new TabularType("ifTable", "interfaces", entry, new String[] {"ifIndex"}));
        for (int row = 0; row < rows; row++) {
            Map<String, Object> values = new HashMap<>();
            for (Map.Entry<String, Object> column : columns.entrySet()) {
                values.put(column.getKey(), cell(column, row));
            }
            table.put(new CompositeDataSupport(entry, values));
            server.registerMBean(new Values(values), new ObjectName("bench:type=ifEntry,ifIndex=" + (row + 1)));
        }
        columns.put("Rows", table);
        server.registerMBean(new Values(columns), new ObjectName("bench:type=ifTable"));
    }

    /** Makes the value of a row in a column, and keeps it there. */
    private static Object cell(Map.Entry<String, Object> column, int row) {
        long number = column.getKey().hashCode() * 1_000_003L & 0xffff_ffffL;
        if (column.getKey().equals("ifIndex")) number = row + 1;
        if (column.getValue() instanceof int[] numbers) return numbers[row] = (int) number;
        if (column.getValue() instanceof long[] numbers) return numbers[row] = number + row;
        String[] texts = (String[]) column.getValue();
        switch (column.getKey()) {
            case "ifDescr":
                return texts[row] = "c" + row;
            case "ifPhysAddress":
                return texts[row] = String.format("02:00:00:00:%02x:%02x", row >> 8 & 0xff, row & 0xff);
            default:
                return texts[row] = "0.0";
        }
    }
}
