import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * Tomcat with an empty application, and its MBeans. `-Dcom.sun.management.jmxremote.port=N` serves them. Prints `ready`, and ends with
 * its standard input.
 */
public class Server {
    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
        tomcat.setHostname("localhost");
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addContext("/shop", null);
        context.setDisplayName("shop");
        tomcat.start();
        System.out.println("ready");
        while (System.in.read() >= 0) { }
        tomcat.stop();
    }
}
