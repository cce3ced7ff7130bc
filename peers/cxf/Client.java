// What Apache CXF makes of the agent's two WSDLs, called: `Client URL COMMUNITY`. URL is that of the agent, without a path.
// It prints a line for each interface that SOAP, and then a selection, knows: `soap11 INDEX NAME`, `select12 NAME`.

import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import java.net.URL;
import java.util.List;
import org.w3c.dom.Element;
import trunkline.mib.if_mib.IfEntry;
import trunkline.select.Response;
import trunkline.select.Select;
import trunkline.select.Select_Service;
import trunkline.soap.Problem_Exception;
import trunkline.soap.Trunkline;
import trunkline.soap.Trunkline_Service;

public class Client {
    public static void main(String[] arguments) throws Exception {
        String url = arguments[0], community = arguments[1];
        Trunkline_Service soap = new Trunkline_Service(new URL(url + "/soap?wsdl"));
        table("soap11", soap.getTrunklineSoap11(), community);
        table("soap12", soap.getTrunklineSoap12(), community);
        Select_Service select = new Select_Service(new URL(url + "/?wsdl"));
        selection("select11", select.getSelectPort0(), community);
        selection("select12", select.getSelect12Port0(), community);
    }

    static void table(String way, Trunkline port, String community) throws Exception {
        for (IfEntry row : port.getIfTable(community, null)) {
            System.out.println(way + " " + row.getIfIndex() + " " + row.getIfDescr());
        }
        // SOAP 1.2 has 400 for a fault of the sender, which CXF reads as one only if told so.
        ((BindingProvider) port).getRequestContext().put("org.apache.cxf.transport.process_fault_on_http_400", true);
        try {
            port.getIfTable(community, List.of("ifNonsense"));
        } catch (Problem_Exception problem) {
            System.out.println(way + " " + problem.getFaultInfo().getKind().value());
        }
    }

    static void selection(String way, Select port, String community) throws Exception {
        Holder<List<Response.Service>> services = new Holder<>();
        Holder<Response.Explanation> explanation = new Holder<>();
        port.selectTables("{Interfaces}", "{ifDescr}", null, null, null, true, community, services, explanation);
        for (Response.Service service : services.value) {
            for (Response.Service.Rows rows : service.getRows()) {
                for (Element row : rows.getAny()) {
                    Element name = (Element) row.getElementsByTagNameNS("*", "ifDescr").item(0);
                    System.out.println(way + " " + name.getTextContent());
                }
            }
        }
        System.out.println(way + " explained from " + explanation.value.getStart());
    }
}
