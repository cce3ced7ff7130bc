import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.util.HashMap;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;

/**
 * Many agents in one JVM: each an MBean server with an RMI connector, its registry and its connections on one port of the
 * loopback that the system chooses. Arguments: how many, and megabytes of small objects that a collector has to look at.
 * Prints `ports` and their numbers, and runs until it is ended.
 */
public class Agents {
    public interface MemoryMBean {
        long getFreeMemory();
    }

    public static class Memory implements MemoryMBean {
        public long getFreeMemory() { return Runtime.getRuntime().freeMemory(); }
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

    static Object ballast;
    static final java.util.List<Object> kept = new java.util.ArrayList<>();

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        int nodes = Integer.parseInt(args[1]) * (1 << 20) / 24;
        for (int node = 0; node < nodes; node++) {
            ballast = new Object[] {ballast};
        }
        StringBuilder ports = new StringBuilder("ports");
        for (int agent = 0; agent < count; agent++) {
            Port port = new Port();
            MBeanServer server = MBeanServerFactory.newMBeanServer("agent");
            server.registerMBean(new Memory(), new ObjectName("agent:type=Memory"));
            Registry registry = LocateRegistry.createRegistry(0, null, port);
            HashMap<String, Object> environment = new HashMap<>();
            RMIJRMPServerImpl connector = new RMIJRMPServerImpl(0, null, port, environment);
            RMIConnectorServer listener =
                new RMIConnectorServer(new JMXServiceURL("service:jmx:rmi://"), environment, connector, server);
            listener.start();
            registry.bind("jmxrmi", connector.toStub());
            kept.add(registry);
            kept.add(listener);
            ports.append(' ').append(port.number);
        }
        System.out.println(ports);
        System.out.flush();
    }
}
