//! WSDL 1.1 of each encoding's service, with the address of the request.

mod parts;

use crate::catalog::TableVerb;
use crate::encoding::{Encoding, escape};
use crate::namespace;
use crate::operation::action;
use crate::xsd::{self, Scope};

/// An operation that is described.
struct Described {
    name: String,
    namespace: String,
    /// The parameters and results of RPC calls, for `as-in-paper`.
    rpc: parts::Rpc,
}

/// The WSDL of the service of an encoding. `address` is its URL: `http://host:8080/soap`.
pub fn document(scope: Scope<'_>, encoding: Encoding, address: &str) -> Vec<u8> {
    let mut document = operations_described(scope, encoding);
    document.extend(end(encoding, address));
    document
}

/// All of [`document`] that is the same for each address. [`end`] follows it.
pub fn operations_described(scope: Scope<'_>, encoding: Encoding) -> Vec<u8> {
    let mut out = String::with_capacity(64 * 1024);
    let own = service_namespace(encoding);
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!(
        "<wsdl:definitions name=\"Trunkline\" targetNamespace=\"{own}\" xmlns:tns=\"{own}\" xmlns:wsdl=\"{}\" \
         xmlns:soap=\"{}\" xmlns:soap12=\"{}\" xmlns:xs=\"{}\" xmlns:s=\"{}\"",
        namespace::WSDL,
        namespace::WSDL_SOAP,
        namespace::WSDL_SOAP_1_2,
        namespace::XSD,
        namespace::GENERIC,
    ));
    let modules: Vec<&str> = scope.modules().map(|module| module.name).collect();
    if encoding == Encoding::Typed {
        for (at, module) in modules.iter().enumerate() {
            out.push_str(&format!(" xmlns:m{at}=\"{}\"", namespace::of_module(module)));
        }
    }
    out.push_str(">\n<wsdl:types>\n");
    out.push_str(&String::from_utf8_lossy(&xsd::inline(scope, encoding)));
    out.push_str("</wsdl:types>\n");
    let operations = operations(scope, encoding);
    let prefix = |namespace: &str| {
        let module = namespace.strip_prefix(namespace::MODULE_PREFIX);
        let at = module.and_then(|module| modules.iter().position(|known| *known == module));
        at.map_or_else(|| "tns".to_owned(), |at| format!("m{at}"))
    };
    for operation in &operations {
        messages(&mut out, encoding, operation, &prefix(&operation.namespace));
    }
    if encoding != Encoding::AsInPaper {
        out.push_str("<wsdl:message name=\"problem\"><wsdl:part name=\"problem\" element=\"s:problem\"/></wsdl:message>\n");
    }
    port_type(&mut out, encoding, &operations);
    binding(&mut out, encoding, &operations, "soap");
    if encoding != Encoding::AsInPaper {
        binding(&mut out, encoding, &operations, "soap12");
    }
    out.into_bytes()
}

/// The end of [`document`]: where the service answers.
pub fn end(encoding: Encoding, address: &str) -> Vec<u8> {
    let mut out = String::new();
    service(&mut out, encoding, address);
    out.push_str("</wsdl:definitions>\n");
    out.into_bytes()
}

const fn service_namespace(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Typed => namespace::GENERIC,
        Encoding::AsInPaper => namespace::PAPER,
        Encoding::Lean => namespace::LEAN,
    }
}

/// The name of an encoding's port type; bindings and ports have `Soap11` or `Soap12` appended.
pub const fn port_type_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Typed => "Trunkline",
        Encoding::AsInPaper => "UtMon",
        Encoding::Lean => "TrunklineLean",
    }
}

fn operations(scope: Scope<'_>, encoding: Encoding) -> Vec<Described> {
    let namespace_of = |module: Option<&str>| match (encoding, module) {
        (Encoding::Typed, Some(module)) => namespace::of_module(module),
        _ => service_namespace(encoding).to_owned(),
    };
    let mut all: Vec<Described> = ["Get", "GetNext", "Set"]
        .map(|name| Described { name: name.into(), namespace: namespace_of(None), rpc: parts::generic(name) })
        .into();
    for table in scope.tables() {
        for verb in TableVerb::ALL {
            if verb != TableVerb::SetRow || table.record.is_writable() {
                let namespace = namespace_of(Some(table.module.name));
                let rpc = parts::of_table(table, verb);
                all.push(Described { name: table.operation(verb), namespace, rpc });
            }
        }
    }
    for group in scope.groups() {
        let namespace = namespace_of(Some(group.module.name));
        let rpc = parts::get_group(group);
        all.push(Described { name: group.get_operation(), namespace: namespace.clone(), rpc });
        if group.record.is_writable() {
            all.push(Described { name: group.set_operation(), namespace, rpc: parts::set_group(group) });
        }
    }
    all
}

fn messages(out: &mut String, encoding: Encoding, operation: &Described, prefix: &str) {
    let name = &operation.name;
    if encoding == Encoding::AsInPaper {
        for (suffix, parts) in [("", &operation.rpc.input), ("Response", &operation.rpc.output)] {
            out.push_str(&format!("<wsdl:message name=\"{name}{suffix}\">"));
            for (part, kind) in parts {
                out.push_str(&format!("<wsdl:part name=\"{part}\" type=\"{kind}\"/>"));
            }
            out.push_str("</wsdl:message>\n");
        }
        return;
    }
    for suffix in ["", "Response"] {
        out.push_str(&format!(
            "<wsdl:message name=\"{name}{suffix}\"><wsdl:part name=\"parameters\" \
             element=\"{prefix}:{name}{suffix}\"/></wsdl:message>\n"
        ));
    }
}

fn port_type(out: &mut String, encoding: Encoding, operations: &[Described]) {
    out.push_str(&format!("<wsdl:portType name=\"{}\">\n", port_type_name(encoding)));
    for Described { name, .. } in operations {
        out.push_str(&format!(
            "<wsdl:operation name=\"{name}\"><wsdl:input message=\"tns:{name}\"/>\
             <wsdl:output message=\"tns:{name}Response\"/>"
        ));
        if encoding != Encoding::AsInPaper {
            out.push_str("<wsdl:fault name=\"problem\" message=\"tns:problem\"/>");
        }
        out.push_str("</wsdl:operation>\n");
    }
    out.push_str("</wsdl:portType>\n");
}

/// `soap` is the prefix of the binding's elements: `soap` or `soap12`.
fn binding(out: &mut String, encoding: Encoding, operations: &[Described], soap: &str) {
    let port_type = port_type_name(encoding);
    let version = if soap == "soap" { "Soap11" } else { "Soap12" };
    let style = if encoding == Encoding::AsInPaper { "rpc" } else { "document" };
    out.push_str(&format!(
        "<wsdl:binding name=\"{port_type}{version}\" type=\"tns:{port_type}\"><{soap}:binding style=\"{style}\" \
         transport=\"http://schemas.xmlsoap.org/soap/http\"/>\n"
    ));
    let body = match encoding {
        Encoding::AsInPaper => format!(
            "<{soap}:body use=\"encoded\" namespace=\"{}\" encodingStyle=\"{}\"/>",
            namespace::PAPER,
            namespace::SOAP_1_1_ENCODING
        ),
        _ => format!("<{soap}:body use=\"literal\"/>"),
    };
    for Described { name, namespace, .. } in operations {
        let action = action(namespace, name);
        out.push_str(&format!(
            "<wsdl:operation name=\"{name}\"><{soap}:operation soapAction=\"{action}\" style=\"{style}\"/>\
             <wsdl:input>{body}</wsdl:input><wsdl:output>{body}</wsdl:output>"
        ));
        if encoding != Encoding::AsInPaper {
            out.push_str(&format!(
                "<wsdl:fault name=\"problem\"><{soap}:fault name=\"problem\" use=\"literal\"/></wsdl:fault>"
            ));
        }
        out.push_str("</wsdl:operation>\n");
    }
    out.push_str("</wsdl:binding>\n");
}

fn service(out: &mut String, encoding: Encoding, address: &str) {
    let port_type = port_type_name(encoding);
    let mut escaped = Vec::new();
    escape(&mut escaped, address);
    let address = String::from_utf8_lossy(&escaped).replace('"', "&quot;");
    out.push_str(&format!("<wsdl:service name=\"{port_type}\">"));
    for (version, soap) in [("Soap11", "soap"), ("Soap12", "soap12")] {
        if encoding == Encoding::AsInPaper && soap == "soap12" {
            continue;
        }
        out.push_str(&format!(
            "<wsdl:port name=\"{port_type}{version}\" binding=\"tns:{port_type}{version}\">\
             <{soap}:address location=\"{address}\"/></wsdl:port>"
        ));
    }
    out.push_str("</wsdl:service>\n");
}
