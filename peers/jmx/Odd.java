import java.io.Serializable;
import java.lang.management.ManagementFactory;
import javax.management.*;
import javax.management.modelmbean.*;

/**
 * A server as `Server.java`, of MBeans that clients have trouble with: a model, as Spring registers them, a description and values of
 * classes of its own, attributes and operations that fail, and notifications among those of others.
 */
public class Odd extends NotificationBroadcasterSupport implements DynamicMBean {
    public static class Own implements Serializable { }

    public static class OwnException extends Exception {
        final Own own = new Own();

        OwnException() { super("it has failed"); }
    }

    public static class Meter {
        public long getCount() { return 7; }
    }

    private final MBeanServer server;
    private final ObjectName self;
    private final MBeanAttributeInfo[] attributes;

    Odd(MBeanServer server, String name, MBeanAttributeInfo... attributes) throws Exception {
        this.server = server;
        this.attributes = attributes;
        self = new ObjectName(name);
        server.registerMBean(this, self);
    }

    public Object getAttribute(String name) throws MBeanException, AttributeNotFoundException {
        switch (name) {
            case "Fails": throw new IllegalStateException("the database\nis down");
            case "Own": return new Own();
            case "Big": return java.math.BigInteger.TWO.pow(5000);
            case "Good", "with/dots [x]": return 1;
            case "Counts": return new java.util.HashMap<>(java.util.Map.of("e]f", 5));
            default: throw new AttributeNotFoundException(name);
        }
    }

    public AttributeList getAttributes(String[] names) { throw new AssertionError("not at once"); }

    public void setAttribute(Attribute attribute) throws MBeanException {
        throw new MBeanException(new OwnException());
    }

    public AttributeList setAttributes(AttributeList list) { return new AttributeList(); }

    public Object invoke(String name, Object[] parameters, String[] signature) throws MBeanException {
        if (name.equals("fail")) throw new MBeanException(new OwnException());
        if (name.equals("own")) return new Own();
        if (name.equals("lines")) return "one\ntwo\n";
        try {
            // Others' notifications, which the server numbers in one series with these.
            for (int i = 0; i < 300; i++) {
                ObjectName other = new ObjectName("odd:type=Other,n=" + i);
                new Odd(server, other.toString());
                server.unregisterMBean(other);
            }
        } catch (Exception unexpected) {
            throw new MBeanException(unexpected);
        }
        for (Object data : new Object[] {new Own(), 1, new Object(), 2, new Own(), 3}) {
            Notification notification = new Notification("odd.fired", self, 1, 1000, "fired");
            notification.setUserData(data);
            sendNotification(notification);
        }
        return null;
    }

    public MBeanInfo getMBeanInfo() {
        MBeanOperationInfo[] operations = new MBeanOperationInfo[4];
        String[] names = {"fire", "fail", "own", "lines"};
        for (int i = 0; i < names.length; i++) {
            operations[i] = new MBeanOperationInfo(names[i], "", new MBeanParameterInfo[0], "java.lang.Object", 1);
        }
        return new MBeanInfo("Odd", "", attributes, null, operations, null);
    }

    private static MBeanAttributeInfo attribute(String name) {
        return new MBeanAttributeInfo(name, "int", "", true, true, false);
    }

    public static void main(String[] args) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        new Odd(server, "odd:type=BadInfo", new MBeanAttributeInfo("Good", "int", "", true, false, false) {
            final Own own = new Own();
        });
        new Odd(server, "odd:type=Throws", attribute("Big"), attribute("Fails"), attribute("Good"), attribute("Own"));
        new Odd(server, "odd:type=Names,name=\"a/b\"", attribute("Counts"), attribute("with/dots [x]"));
        Descriptor descriptor = new DescriptorSupport("name=Count", "descriptorType=attribute", "getMethod=getCount",
            "metricType=COUNTER", "units=calls");
        ModelMBean model = new RequiredModelMBean(new ModelMBeanInfoSupport("Meter", "a meter",
            new ModelMBeanAttributeInfo[] {
                new ModelMBeanAttributeInfo("Count", "long", "a count", true, false, false, descriptor)},
            null,
            new ModelMBeanOperationInfo[] {new ModelMBeanOperationInfo("reads", Meter.class.getMethod("getCount"))},
            null));
        model.setManagedResource(new Meter(), "ObjectReference");
        server.registerMBean(model, new ObjectName("odd:type=Model"));
        System.out.println("ready");
        while (System.in.read() >= 0) { }
    }
}
