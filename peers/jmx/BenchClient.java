import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * The JDK's own client, which measures calls for `cargo xtask bench jmx`. It reads a command in each line of its input, and answers it
 * with a line: `!` and the exception, or what it says here.
 *
 * connect ID plain|tls PORT [HOST]           connected; HOST is 127.0.0.1 if there is none
 * get ID CALLS NAME ATTRIBUTE                nanoseconds of the median call and of the 99th percentile, rows of the value
 * columns ID CALLS NAME ATTRIBUTE...         the same for all attributes in a call
 * each ID CALLS PATTERN ATTRIBUTE...         the same for a call to each MBean of the pattern, one after the other
 */
public class BenchClient {
    private static final Map<String, MBeanServerConnection> SERVERS = new HashMap<>();

    /** What is measured; returns how many rows it has read. */
    private interface Work {
        int run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                System.out.println(answer(line.split(" ")));
            } catch (Exception failure) {
                System.out.println(("! " + failure + " caused by " + failure.getCause()).replace('\n', ' '));
            }
        }
        System.exit(0);
    }

    private static String answer(String[] words) throws Exception {
        if (words[0].equals("connect")) {
            Map<String, Object> environment = new HashMap<>();
            if (words[2].equals("tls")) {
                environment.put("com.sun.jndi.rmi.factory.socket", new SslRMIClientSocketFactory());
            }
            String host = words.length > 4 ? words[4] : "127.0.0.1";
            String url = "service:jmx:rmi:///jndi/rmi://" + host + ":" + words[3] + "/jmxrmi";
            SERVERS.put(words[1],
                JMXConnectorFactory.connect(new JMXServiceURL(url), environment).getMBeanServerConnection());
            return "connected";
        }
        MBeanServerConnection server = SERVERS.get(words[1]);
        int calls = Integer.parseInt(words[2]);
        ObjectName name = new ObjectName(words[3]);
        String[] attributes = Arrays.copyOfRange(words, 4, words.length);
        switch (words[0]) {
            case "get":
                return measured(calls, () -> rows(server.getAttribute(name, attributes[0])));
            case "columns":
                return measured(calls, () -> columns(server.getAttributes(name, attributes), attributes.length));
            case "each":
                ObjectName[] all = server.queryNames(name, null).toArray(new ObjectName[0]);
                return measured(calls, () -> {
                    for (ObjectName one : all) columns(server.getAttributes(one, attributes), attributes.length);
                    return all.length;
                });
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static int rows(Object value) {
        if (value instanceof TabularData table) return table.size();
        if (value == null) throw new IllegalStateException("a value is missing");
        return value.getClass().isArray() ? Array.getLength(value) : 1;
    }

    /** All of them have as many rows. */
    private static int columns(AttributeList list, int wanted) {
        if (list.size() != wanted) throw new IllegalStateException(list.size() + " of " + wanted + " attributes");
        int rows = -1;
        for (Attribute attribute : list.asList()) {
            int found = attribute.getValue() == null ? 1 : rows(attribute.getValue());
            if (rows >= 0 && found != rows) throw new IllegalStateException(attribute.getName() + " has " + found + " rows");
            rows = found;
        }
        return rows;
    }

    private static String measured(int calls, Work work) throws Exception {
        long[] took = new long[calls];
        int rows = 0;
        for (int call = 0; call < calls; call++) {
            long begin = System.nanoTime();
            rows = work.run();
            took[call] = System.nanoTime() - begin;
        }
        Arrays.sort(took);
        return took[calls / 2] + " " + took[calls * 99 / 100] + " " + rows;
    }
}
