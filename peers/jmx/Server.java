import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.DescriptorKey;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * An MBean server with a few MBeans, and the JVM's own. `-Dcom.sun.management.jmxremote.port=N` serves it. Prints `ready`,
 * and ends with its standard input.
 */
public class Server {
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Metric {
        @DescriptorKey("metricType") String type();
        @DescriptorKey("units") String units();
    }

    public interface RowMBean {
        long getValue();
        void setValue(long value);
        String getName();
        long[][] getTable();
        @Metric(type = "counter", units = "calls")
        long getCalls();
        long add(long a, long b);
        void fire();
        void fail();
    }

    public static class Row extends NotificationBroadcasterSupport implements RowMBean {
        private final ObjectName self;
        private long value;
        private long sequence;
        private long calls;

        Row(ObjectName self, long value) {
            this.self = self;
            this.value = value;
        }

        public long getValue() { return value; }
        public void setValue(long value) { this.value = value; }
        public String getName() { return "row" + value; }
        public long[][] getTable() { return new long[][] {{1, 2, 3}, {4, 5, 6}}; }
        public long getCalls() { return calls += 1000; }
        public long add(long a, long b) { return a + b; }
        public void fire() {
            Notification notification = new Notification("toy.fired", self, ++sequence, 1000, "it has fired");
            notification.setUserData(value);
            sendNotification(notification);
        }
        public void fail() { throw new IllegalStateException("it has failed"); }
    }

    public static void main(String[] args) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (int index = 1; index <= 3; index++) {
            ObjectName name = new ObjectName("toy:type=Row,index=" + index);
            server.registerMBean(new Row(name, index * 10), name);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) { }
    }
}
