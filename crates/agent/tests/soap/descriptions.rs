//! The WSDLs that are published: they are WSDL 1.1, whatever they name is there, and their schemas are schemas.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use trunkline_testkit::has;

use super::ask::Asker;
use super::doors::CONFIG;
use super::support::Agent;

/// What WSDL 1.1 asks of a document such as ours: sections 2.1 to 2.7 and 3.
const WSDL: &str = include_str!("wsdl.xsd");

#[test]
fn every_wsdl_is_valid_and_names_the_existing_operations() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wsdl.xsd"), WSDL).unwrap();
    for (path, least) in [
        ("/soap?wsdl", 300),
        ("/soap/lean?wsdl", 300),
        ("/soap/paper?wsdl", 300),
        ("/soap?wsdl&module=IF-MIB", 20),
        ("/?wsdl", 3),
        ("/Root?wsdl", 3),
        ("/TCP-1_TCP-Connections-2.contains?wsdl", 3),
    ] {
        let answer = asker.get(path);
        assert_eq!(answer.status.as_u16(), 200, "{path}");
        let wsdl = String::from_utf8(answer.body.to_vec()).unwrap();
        // One form of both writers.
        let wsdl = wsdl.replace("<wsdl:", "<").replace("</wsdl:", "</");
        references(path, &wsdl, least);
        if has("xmllint", "libxml2-utils") {
            let whole = String::from_utf8_lossy(&answer.body).into_owned();
            is_valid(path, &whole, folder.path());
        }
    }
}

/// Each name that is used is one that is given: messages, port types, bindings, and elements and types of the schemas.
fn references(path: &str, wsdl: &str, least: usize) {
    let (schemas, rest) = wsdl.split_once("</types>").unwrap();
    let operations = values(rest, "<operation name=\"");
    assert!(operations.len() >= least, "{path}: {} operations", operations.len());
    let given = |text, beginning: &str| values(text, beginning).into_iter().collect::<BTreeSet<_>>();
    let elements = given(schemas, "<xs:element name=\"");
    let types: BTreeSet<&str> =
        &given(schemas, "<xs:complexType name=\"") | &given(schemas, "<xs:simpleType name=\"");
    let of_xsd = ["string", "int", "unsignedInt", "unsignedLong", "anyType"];
    for (used, given) in [
        (" message=\"", &given(rest, "<message name=\"")),
        (" type=\"tns:", &(&types | &given(rest, "<portType name=\""))),
        (" type=\"s:", &(&types | &given(rest, "<portType name=\""))),
        (" type=\"xs:", &of_xsd.into()),
        (" binding=\"", &given(rest, "<binding name=\"")),
        (" element=\"", &elements),
    ] {
        for name in values(rest, used) {
            let local = name.rsplit(':').next().unwrap();
            assert!(given.contains(local), "{path}: {used}{name} is nowhere");
        }
    }
    // Each binding has each operation; what is sent to subscribers has a port type of its own, and no binding.
    let (port_type, rest) = rest.split_once("</portType>").unwrap();
    let expected = given(port_type, "<operation name=\"");
    let bindings = rest.split("<binding ").skip(1).filter_map(|rest| Some(rest.split_once("</binding>")?.0));
    for binding in bindings {
        assert_eq!(given(binding, "<operation name=\""), expected, "{path}");
    }
}

/// The text after each of these prefixes, up to the quote.
fn values<'t>(text: &'t str, beginning: &str) -> Vec<&'t str> {
    text.split(beginning).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

/// The whole by [`WSDL`], and each schema within it as a schema.
fn is_valid(path: &str, wsdl: &str, folder: &Path) {
    let lint = |schema: &str, document: &str| {
        let mut command = Command::new("xmllint");
        command.args(["--noout", "--schema"]).args([schema, document].map(|file| folder.join(file)));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).chars().take(2000).collect::<String>())
    };
    std::fs::write(folder.join("document.wsdl"), wsdl).unwrap();
    let (code, words) = lint("wsdl.xsd", "document.wsdl");
    assert_eq!(code, Some(0), "{path}: {words}");
    let schemas: Vec<&str> = wsdl
        .split("<xs:schema ")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("</xs:schema>")?.0))
        .collect();
    assert!(!schemas.is_empty());
    for schema in schemas {
        std::fs::write(folder.join("one.xsd"), format!("<xs:schema {schema}</xs:schema>")).unwrap();
        // 3: the schema is valid, and the document does not conform to it; 5: it is not a schema.
        let (code, words) = lint("one.xsd", "document.wsdl");
        assert_eq!(code, Some(3), "{path}: {words}");
    }
}
