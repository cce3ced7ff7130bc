import java.lang.reflect.Array;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.AttributeChangeNotification;
import javax.management.AttributeList;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.NotificationFilterSupport;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.QueryExp;
import javax.management.monitor.MonitorNotification;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * A client of the JDK that does what each line of its input says, and prints a line for each. Its arguments: the port on 127.0.0.1,
 * whether there is TLS, and perhaps a user and a password.
 */
public class Reader {
    private static final LinkedBlockingQueue<Notification> RECEIVED = new LinkedBlockingQueue<>();

    public static void main(String[] args) throws Exception {
        Map<String, Object> environment = new HashMap<>();
        if (args.length > 2) environment.put(JMXConnector.CREDENTIALS, new String[] {args[2], args[3]});
        if (args[1].equals("tls")) {
            environment.put("com.sun.jndi.rmi.factory.socket", new SslRMIClientSocketFactory());
        }
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + args[0] + "/jmxrmi");
        JMXConnector connector;
        try {
            connector = JMXConnectorFactory.connect(url, environment);
        } catch (Exception failure) {
            System.out.println(said(failure));
            return;
        }
        System.out.println("connected " + connector.getConnectionId());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println(answer(connector.getMBeanServerConnection(), line.split("\\|", -1)));
            } catch (Exception failure) {
                System.out.println(said(failure));
            }
        }
        connector.close();
    }

    private static String said(Throwable failure) {
        StringBuilder words = new StringBuilder("!");
        for (Throwable one = failure; one != null; one = one.getCause()) {
            words.append(' ').append(one.getClass().getName()).append(": ").append(one.getMessage());
        }
        return words.toString().replace('\n', ' ');
    }

    private static String answer(MBeanServerConnection server, String[] words) throws Exception {
        ObjectName name = words.length > 1 && !words[1].isEmpty() ? new ObjectName(words[1]) : null;
        switch (words[0]) {
            case "get":
                return show(server.getAttribute(name, words[2]));
            case "attributes":
                List<String> shown = new ArrayList<>();
                for (Object one : server.getAttributes(name, rest(words, 2))) {
                    Attribute attribute = (Attribute) one;
                    shown.add(attribute.getName() + "=" + show(attribute.getValue()));
                }
                return shown.toString();
            case "names":
                return new TreeSet<>(server.queryNames(name, words.length > 2 ? query(words, 2) : null)).toString();
            case "instances":
                return new TreeSet<>(server.queryMBeans(name, null).stream()
                    .map(one -> one.getClassName() + " " + one.getObjectName()).toList()).toString();
            case "count":
                return server.getMBeanCount() + " " + server.queryNames(null, null).size();
            case "domains":
                return server.getDefaultDomain() + " " + String.join(" ", server.getDomains());
            case "registered":
                return "" + server.isRegistered(name);
            case "instance":
                return server.getObjectInstance(name).getClassName() + " " + server.isInstanceOf(name, words[2]);
            case "info":
                return info(server.getMBeanInfo(name));
            case "all":
                return all(server);
            case "set":
                server.setAttribute(name, new Attribute(words[2], value(words[3])));
                return "set";
            case "setall":
                AttributeList list = new AttributeList();
                for (int at = 2; at < words.length; at += 2) list.add(new Attribute(words[at], value(words[at + 1])));
                return server.setAttributes(name, list).toString();
            case "rows":
                QueryExp filter = words.length > 5 ? query(words, 5) : null;
                String[] columns = words[4].isEmpty() ? null : words[4].split(",");
                return show(server.invoke(name, "rows",
                    new Object[] {Integer.parseInt(words[2]), Integer.parseInt(words[3]), columns, filter},
                    new String[] {"int", "int", "[Ljava.lang.String;", "javax.management.QueryExp"}));
            case "invoke":
                return show(server.invoke(name, words[2], new Object[0], new String[0]));
            case "listen":
                NotificationFilterSupport types = new NotificationFilterSupport();
                types.enableType(words[2]);
                server.addNotificationListener(name, (one, handback) -> RECEIVED.add(one), types, null);
                return "listening";
            case "next":
                Notification one = RECEIVED.poll(60, TimeUnit.SECONDS);
                if (one == null) return "nothing";
                return one.getType() + seen(one) + " " + one.getSource() + " " + show(one.getUserData());
            default:
                return "unknown " + words[0];
        }
    }

    /** What a monitor has seen, or how an attribute has changed. */
    private static String seen(Notification one) {
        if (one instanceof MonitorNotification monitor) {
            return " " + monitor.getObservedAttribute() + "=" + monitor.getDerivedGauge() + ">" + monitor.getTrigger();
        }
        if (one instanceof AttributeChangeNotification change) {
            return " " + change.getAttributeName() + ":" + change.getAttributeType() + ":" + change.getOldValue() + ">"
                + change.getNewValue();
        }
        return "";
    }

    /** Reads everything that there is, as clients with a tree of MBeans do. */
    private static String all(MBeanServerConnection server) throws Exception {
        int mbeans = 0;
        int attributes = 0;
        for (ObjectName name : server.queryNames(null, null)) {
            MBeanInfo info;
            try {
                info = server.getMBeanInfo(name);
            } catch (javax.management.InstanceNotFoundException gone) {
                continue;
            }
            String[] names = new String[info.getAttributes().length];
            for (int at = 0; at < names.length; at++) names[at] = info.getAttributes()[at].getName();
            Map<String, String> types = new TreeMap<>();
            for (MBeanAttributeInfo one : info.getAttributes()) types.put(one.getName(), one.getType());
            try {
                for (Object one : server.getAttributes(name, names)) {
                    Attribute attribute = (Attribute) one;
                    Object value = attribute.getValue();
                    if (value != null && !value.getClass().getName().equals(types.get(attribute.getName()))) {
                        return name + " " + attribute.getName() + " is " + value.getClass().getName();
                    }
                    attributes++;
                }
            } catch (javax.management.InstanceNotFoundException gone) {
                continue;
            }
            mbeans++;
        }
        return mbeans + " " + attributes;
    }

    private static String info(MBeanInfo info) {
        StringBuilder text = new StringBuilder(info.getClassName());
        for (MBeanAttributeInfo one : info.getAttributes()) {
            text.append(' ').append(one.getName()).append(':').append(one.getType());
            if (one.isWritable()) text.append(":w");
            Object units = one.getDescriptor().getFieldValue("units");
            if (units != null) text.append(':').append(units.toString().replace(' ', '_'));
        }
        return text.toString();
    }

    private static QueryExp query(String[] words, int at) {
        boolean isNumber = words[at + 2].matches("-?[0-9]+");
        if (!isNumber) return Query.match(Query.attr(words[at]), Query.value(words[at + 2]));
        long number = Long.parseLong(words[at + 2]);
        switch (words[at + 1]) {
            case ">":
                return Query.gt(Query.attr(words[at]), Query.value(number));
            case "<":
                return Query.lt(Query.attr(words[at]), Query.value(number));
            default:
                return Query.eq(Query.attr(words[at]), Query.value(number));
        }
    }

    private static Object value(String text) {
        String rest = text.substring(2);
        switch (text.charAt(0)) {
            case 'i':
                return Integer.valueOf(rest);
            case 'l':
                return Long.valueOf(rest);
            case 'b':
                return Boolean.valueOf(rest);
            case 'p':
                return new java.awt.Point(1, 2);
            default:
                return rest;
        }
    }

    private static String[] rest(String[] words, int from) {
        return java.util.Arrays.copyOfRange(words, from, words.length);
    }

    private static String show(Object value) {
        if (value instanceof CompositeData data) {
            List<String> items = new ArrayList<>();
            for (String key : new TreeSet<>(data.getCompositeType().keySet())) items.add(key + "=" + show(data.get(key)));
            return items.toString();
        }
        if (value == null || !value.getClass().isArray()) return String.valueOf(value).replace('\n', ' ');
        List<String> items = new ArrayList<>();
        for (int at = 0; at < Array.getLength(value); at++) items.add(show(Array.get(value, at)));
        return items.toString();
    }
}
