import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.MarshalledObject;
import java.rmi.Remote;
import java.rmi.ServerException;
import java.rmi.UnmarshalException;
import java.rmi.dgc.Lease;
import java.rmi.server.ObjID;
import java.rmi.server.RemoteObjectInvocationHandler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import javax.management.*;
import javax.management.modelmbean.*;
import javax.management.monitor.MonitorNotification;
import javax.management.openmbean.*;
import javax.management.remote.JMXConnectionNotification;
import javax.management.remote.NotificationResult;
import javax.management.remote.TargetedNotification;
import javax.management.remote.rmi.RMIConnectionImpl_Stub;
import javax.management.remote.rmi.RMIServer;
import javax.management.remote.rmi.RMIServerImpl_Stub;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import sun.rmi.server.MarshalOutputStream;
import sun.rmi.server.UnicastRef;
import sun.rmi.server.UnicastRef2;
import sun.rmi.transport.LiveRef;
import sun.rmi.transport.tcp.TCPEndpoint;

/** Writes streams of this JDK into a folder, a file for each case, as RMI marshals them. */
public class Record {
    private static Path folder;

    public static void main(String[] args) throws Exception {
        folder = Path.of(args[0]);
        Files.createDirectories(folder);
        values();
        collections();
        names();
        open();
        info();
        queries();
        notifications();
        exceptions();
        references();
    }

    private static void record(String name, Object... objects) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new MarshalOutputStream(out)) {
            for (Object object : objects) stream.writeObject(object);
        }
        Files.write(folder.resolve(name), out.toByteArray());
    }

    private static void values() throws Exception {
        record("null", (Object) null);
        record("text", "a text");
        record("text-modified", "\0\u00e9\u20ac\ud83d\ude00");
        record("boxes", (Object) new Object[] {true, (byte) -1, 'x', (short) 2, 3, 4L, 1.5f, 2.5, null});
        record("booleans", new boolean[] {true, false});
        record("bytes", new byte[] {1, -1});
        record("chars", "ab".toCharArray());
        record("shorts", new short[] {1, -2});
        record("ints", new int[] {1, -2});
        record("longs", new long[] {1, -2, Long.MAX_VALUE});
        record("floats", new float[] {1.5f});
        record("doubles", new double[] {-2.5});
        record("columns", (Object) new long[][] {{1, 2}, {3, 4}});
        record("texts", (Object) new String[] {"a", "b"});
        record("boxed-longs", (Object) new Long[] {1L, null});
        record("big-integer", new BigInteger("-18446744073709551616"));
        record("big-decimal", new BigDecimal("12.34"));
        record("date", new Date(1000));
        record("marshalled", new MarshalledObject<>(7L));
        record("marshalled-null", new MarshalledObject<>(null));
    }

    private static void collections() throws Exception {
        List<String> two = List.of("a", "b");
        record("array-list", new ArrayList<>(two));
        record("linked-list", new LinkedList<>(two));
        record("vector", new Vector<>(two));
        record("as-list", Arrays.asList("a", "b"));
        record("list-of", two);
        record("singleton-list", Collections.singletonList("a"));
        record("empty-list", Collections.emptyList());
        record("unmodifiable-list", Collections.unmodifiableList(new ArrayList<>(two)));
        record("hash-set", new HashSet<>(Set.of("a")));
        record("linked-hash-set", new java.util.LinkedHashSet<>(two));
        record("tree-set", new TreeSet<>(two));
        record("set-of", Set.of("a"));
        record("unmodifiable-set", Collections.unmodifiableSet(new HashSet<>(Set.of("a"))));
        record("hash-map", new java.util.HashMap<>(Map.of("a", 1)));
        record("hashtable", new java.util.Hashtable<>(Map.of("a", 1)));
        record("tree-map", new TreeMap<>(Map.of("a", 1, "b", 2)));
        Map<String, Integer> linked = new LinkedHashMap<>();
        linked.put("b", 2);
        linked.put("a", 1);
        record("linked-hash-map", linked);
        record("map-of", Map.of("a", 1));
        record("singleton-map", Collections.singletonMap("a", 1));
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        record("cycle", itself);
    }

    private static ObjectName name() throws Exception {
        return new ObjectName("toy:type=Row,index=1");
    }

    private static void names() throws Exception {
        record("name", name());
        record("pattern", new ObjectName("to*:type=Row,*"));
        record("attribute", new Attribute("Value", 7L));
        AttributeList list = new AttributeList();
        list.add(new Attribute("Value", 7L));
        list.add(new Attribute("Name", "x"));
        record("attributes", list);
        record("instance", new ObjectInstance(name(), "toy.Row"));
    }

    private static CompositeType row() throws Exception {
        return new CompositeType("toy.Item", "an item", new String[] {"octets", "name"},
            new String[] {"how many", "which"}, new OpenType<?>[] {SimpleType.LONG, SimpleType.STRING});
    }

    private static CompositeData item(CompositeType row, String name, long octets) throws Exception {
        return new CompositeDataSupport(row, new String[] {"name", "octets"}, new Object[] {name, octets});
    }

    private static void open() throws Exception {
        record("simple-type", SimpleType.OBJECTNAME);
        record("array-type", new ArrayType<String[][]>(2, SimpleType.STRING));
        record("primitive-array-type", ArrayType.getPrimitiveArrayType(long[].class));
        record("composite-type", row());
        CompositeType row = row();
        record("composite", item(row, "a", 7));
        TabularType type = new TabularType("toy.Items", "items", row, new String[] {"name"});
        TabularDataSupport table = new TabularDataSupport(type);
        table.put(item(row, "a", 8));
        table.put(item(row, "b", 9));
        record("tabular-type", type);
        record("tabular", table);
    }

    private static void info() throws Exception {
        Descriptor descriptor = new ImmutableDescriptor("units=octets");
        MBeanParameterInfo parameter = new MBeanParameterInfo("a", "long", "a number");
        MBeanAttributeInfo attribute =
            new MBeanAttributeInfo("Value", "long", "a value", true, true, false, descriptor);
        MBeanOperationInfo operation = new MBeanOperationInfo("add", "adds", new MBeanParameterInfo[] {parameter},
            "long", MBeanOperationInfo.INFO);
        MBeanConstructorInfo constructor =
            new MBeanConstructorInfo("toy.Row", "makes one", new MBeanParameterInfo[] {parameter});
        MBeanNotificationInfo notification =
            new MBeanNotificationInfo(new String[] {"toy.fired"}, "javax.management.Notification", "it has fired");
        record("info", new MBeanInfo("toy.Row", "a row", new MBeanAttributeInfo[] {attribute},
            new MBeanConstructorInfo[] {constructor}, new MBeanOperationInfo[] {operation},
            new MBeanNotificationInfo[] {notification}, new ImmutableDescriptor("immutableInfo=true")));
        OpenMBeanParameterInfo openParameter = new OpenMBeanParameterInfoSupport("a", "a number", SimpleType.LONG, 1L, 0L, 9L);
        record("open-info", new OpenMBeanInfoSupport("toy.Row", "a row",
            new OpenMBeanAttributeInfo[] {
                new OpenMBeanAttributeInfoSupport("Value", "a value", SimpleType.LONG, true, false, false)},
            new OpenMBeanConstructorInfo[] {
                new OpenMBeanConstructorInfoSupport("toy.Row", "makes one", new OpenMBeanParameterInfo[] {openParameter})},
            new OpenMBeanOperationInfo[] {new OpenMBeanOperationInfoSupport("add", "adds",
                new OpenMBeanParameterInfo[] {openParameter}, SimpleType.LONG, MBeanOperationInfo.ACTION)},
            new MBeanNotificationInfo[] {notification}));
        record("descriptor-support", new DescriptorSupport("name=a", "descriptorType=attribute"));
        // What Spring registers: the arrays are of the classes of models, and descriptors are fields of their own.
        ModelMBeanInfo model = new ModelMBeanInfoSupport("toy.Row", "a row",
            new ModelMBeanAttributeInfo[] {new ModelMBeanAttributeInfo("Value", "long", "a value", true, false, false,
                new DescriptorSupport("name=Value", "descriptorType=attribute", "metricType=COUNTER"))},
            new ModelMBeanConstructorInfo[] {
                new ModelMBeanConstructorInfo("toy.Row", "makes one", new MBeanParameterInfo[] {parameter})},
            new ModelMBeanOperationInfo[] {new ModelMBeanOperationInfo("add", "adds",
                new MBeanParameterInfo[] {parameter}, "long", MBeanOperationInfo.INFO)},
            new ModelMBeanNotificationInfo[] {new ModelMBeanNotificationInfo(new String[] {"toy.fired"},
                "javax.management.Notification", "it has fired")});
        record("model-info", new RequiredModelMBean(model).getMBeanInfo());
    }

    private static void queries() throws Exception {
        ValueExp value = Query.attr("Value");
        record("query-relations", Query.and(Query.or(Query.gt(value, Query.value(1)), Query.leq(value, Query.value(2.5))),
            Query.not(Query.eq(Query.attr("toy.Row", "Name"), Query.value("x")))));
        record("query-between", Query.between(Query.plus(value, Query.value(1L)), Query.value(2), Query.value(3)));
        record("query-in", Query.in(Query.classattr(), new ValueExp[] {Query.value("a"), Query.value(true)}));
        record("query-match", Query.anySubString(Query.attr("Name"), Query.value("a*")));
        record("query-instance-of", Query.isInstanceOf(Query.value("toy.Row")));
    }

    private static Notification notification() throws Exception {
        Notification notification = new Notification("toy.fired", name(), 1, 1000, "it has fired");
        notification.setUserData(7L);
        return notification;
    }

    private static void notifications() throws Exception {
        record("notification", notification());
        Notification registered = new MBeanServerNotification("JMX.mbean.registered", name(), 1, name());
        registered.setTimeStamp(1000);
        record("registered", registered);
        record("changed", new AttributeChangeNotification(name(), 1, 1000, "changed", "Value", "long", 7L, 8L));
        Notification connected = new JMXConnectionNotification("jmx.remote.connection.opened", name(), "id", 1, "opened", null);
        connected.setTimeStamp(1000);
        record("connected", connected);
        record("result", new NotificationResult(5, 6,
            new TargetedNotification[] {new TargetedNotification(notification(), 3)}));
        NotificationFilterSupport types = new NotificationFilterSupport();
        types.enableType("toy.");
        record("filter-types", types);
        AttributeChangeNotificationFilter attributes = new AttributeChangeNotificationFilter();
        attributes.enableAttribute("Value");
        record("filter-attributes", attributes);
    }

    private static <T extends Throwable> T bare(T exception) {
        exception.setStackTrace(new StackTraceElement[0]);
        return exception;
    }

    private static void exceptions() throws Exception {
        record("not-found", bare(new InstanceNotFoundException("no:a=b")));
        record("mbean-exception", bare(new MBeanException(bare(new IllegalStateException("inner")), "outer")));
        record("runtime-mbean-exception", bare(new RuntimeMBeanException(bare(new IllegalStateException("inner")), "outer")));
        record("io-exception", bare(new java.io.IOException("outer", bare(new SecurityException("inner")))));
        record("class-not-found", bare(new ClassNotFoundException("a.B")));
        record("server-exception", bare(new ServerException("outer", bare(new UnmarshalException("inner")))));
        record("with-trace", new AttributeNotFoundException("Nothing"));
        Exception suppressing = bare(new IllegalArgumentException("outer"));
        suppressing.addSuppressed(bare(new IllegalStateException("inner")));
        record("suppressing", suppressing);
    }

    private static void references() throws Exception {
        ObjID registry = new ObjID(ObjID.REGISTRY_ID);
        UnicastRef plain = new UnicastRef(new LiveRef(registry, new TCPEndpoint("host", 1099), false));
        UnicastRef tls = new UnicastRef2(
            new LiveRef(registry, new TCPEndpoint("host", 1099, new SslRMIClientSocketFactory(), null), false));
        record("server-stub", new RMIServerImpl_Stub(plain));
        record("connection-stub", new RMIConnectionImpl_Stub(plain));
        record("server-stub-tls", new RMIServerImpl_Stub(tls));
        record("server-proxy", Proxy.newProxyInstance(Record.class.getClassLoader(),
            new Class<?>[] {Remote.class, RMIServer.class}, new RemoteObjectInvocationHandler(plain)));
        record("lease", new Lease(null, 600_000));
        record("gadget", new java.awt.Point(1, 2));
    }
}
