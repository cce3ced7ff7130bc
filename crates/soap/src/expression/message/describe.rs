//! The WSDL 1.1 of a service: one binding, and a port for each of its URIs (D7.1 figure 5.7, the second way to
//! deploy), so that the description shows its relations.

use trunkline_xml::Writer;

use super::{NAMESPACE, SelectRequest, View};
use crate::eventing::EVENTING;
use crate::{envelope, namespace, xsd};

/// The schema of the operations alone: `?xsd`.
pub fn schema() -> Vec<u8> {
    let mut document = envelope::DECLARATION.to_vec();
    schema_into(&mut Writer::new(&mut document));
    document
}

/// The description of a service at these URIs, the primary one first; `words` describe it in one sentence.
pub fn description(words: &str, uris: &[String]) -> Vec<u8> {
    let mut document = Vec::new();
    let mut writer = Writer::new(&mut document);
    writer.declaration();
    writer.start("definitions").attribute("name", "TrunklineSelect").attribute("targetNamespace", NAMESPACE);
    writer.attribute("xmlns", namespace::WSDL).attribute("xmlns:s", NAMESPACE);
    writer.attribute("xmlns:soap", namespace::WSDL_SOAP).attribute("xmlns:soap12", namespace::WSDL_SOAP_1_2);
    writer.attribute("xmlns:t", namespace::GENERIC).attribute("xmlns:wse", EVENTING);
    writer.start("types").raw(&xsd::events());
    schema_into(&mut writer);
    writer.end("types");
    for view in View::ALL {
        for end in ["", "Response"] {
            let name = format!("{}{end}", view.operation());
            writer.start("message").attribute("name", &name).start("part").attribute("name", "parameters");
            writer.attribute("element", &format!("s:{name}")).end("part").end("message");
        }
    }
    writer.start("message").attribute("name", "problem").start("part").attribute("name", "problem");
    writer.attribute("element", "t:problem").end("part").end("message");
    writer.start("message").attribute("name", "Notification").start("part").attribute("name", "parameters");
    writer.attribute("element", "t:Notification").end("part").end("message");
    writer.start("portType").attribute("name", "Select");
    for view in View::ALL {
        let name = view.operation();
        writer.start("operation").attribute("name", name).leaf("documentation", documentation(view));
        writer.start("input").attribute("message", &format!("s:{name}")).end("input");
        writer.start("output").attribute("message", &format!("s:{name}Response")).end("output");
        writer.start("fault").attribute("name", "problem").attribute("message", "s:problem").end("fault");
        writer.end("operation");
    }
    writer.end("portType");
    events(&mut writer);
    for (prefix, name) in [("soap", "Select"), ("soap12", "Select12")] {
        binding(&mut writer, prefix, name);
    }
    writer.start("service").attribute("name", "Select").leaf("documentation", words);
    for (at, uri) in uris.iter().enumerate() {
        for (prefix, binding) in [("soap", "Select"), ("soap12", "Select12")] {
            writer.start("port").attribute("name", &format!("{binding}Port{at}"));
            writer.attribute("binding", &format!("s:{binding}"));
            writer.start(&format!("{prefix}:address")).attribute("location", uri);
            writer.end(&format!("{prefix}:address")).end("port");
        }
    }
    writer.end("service").end("definitions");
    document
}

/// What the service sends to its subscribers: a port type that is marked as a source of events and has no binding, since each
/// subscriber names the address. The operations of subscribing are those of WS-Eventing's own description.
fn events(writer: &mut Writer<'_>) {
    writer.start("portType").attribute("name", "Events").attribute("wse:EventSource", "true");
    writer.start("operation").attribute("name", "Notification");
    let words = "What happens within the service, to subscribers. Subscribe, Renew, GetStatus and Unsubscribe of WS-Eventing (2004/08) \
                 are posted to the service's addresses.";
    writer.leaf("documentation", words);
    writer.start("output").attribute("message", "s:Notification").end("output").end("operation");
    writer.end("portType");
}

fn schema_into(writer: &mut Writer<'_>) {
    writer.raw(SCHEMA_BEGIN.as_bytes());
    for view in View::ALL {
        let operation = view.operation();
        writer.raw(
            format!(
                "<xs:element name=\"{operation}\" type=\"s:Request\"/>\
                 <xs:element name=\"{operation}Response\" type=\"s:Response\"/>"
            )
            .as_bytes(),
        );
    }
    writer.raw(b"</xs:schema>");
}

fn binding(writer: &mut Writer<'_>, prefix: &str, name: &str) {
    writer.start("binding").attribute("name", name).attribute("type", "s:Select");
    let element = format!("{prefix}:binding");
    writer.start(&element).attribute("style", "document");
    writer.attribute("transport", "http://schemas.xmlsoap.org/soap/http").end(&element);
    for view in View::ALL {
        writer.start("operation").attribute("name", view.operation());
        let element = format!("{prefix}:operation");
        writer.start(&element).attribute("soapAction", &SelectRequest::action(view)).end(&element);
        for direction in ["input", "output"] {
            let body = format!("{prefix}:body");
            writer.start(direction).start(&body).attribute("use", "literal").end(&body).end(direction);
        }
        let fault = format!("{prefix}:fault");
        writer.start("fault").attribute("name", "problem").start(&fault).attribute("name", "problem");
        writer.attribute("use", "literal").end(&fault).end("fault").end("operation");
    }
    writer.end("binding");
}

const fn documentation(view: View) -> &'static str {
    match view {
        View::Single => "Single-instance data of the selected services.",
        View::Tables => "Tables of the selected services.",
        View::Everything => "All data of the selected services.",
    }
}

/// Up to the elements of the operations.
const SCHEMA_BEGIN: &str = include_str!("select.xsd");
