//! What is published, read by xmllint: it describes what is said.

use std::process::{Command, Stdio};

use trunkline_soap::catalog::TableVerb;
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{Operation, RowRange};

use super::ask::{Asker, envelope};
use super::doors::CONFIG;
use super::support::Agent;

/// An envelope around what the published schemas must describe.
fn envelope_schema(version: Version) -> String {
    format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='{0}' xmlns:e='{0}' \
         elementFormDefault='qualified'>\
         <xs:element name='Envelope'><xs:complexType><xs:sequence><xs:element ref='e:Body'/></xs:sequence></xs:complexType></xs:element>\
         <xs:element name='Body'><xs:complexType><xs:sequence>\
         <xs:any minOccurs='0' maxOccurs='unbounded' processContents='strict'/></xs:sequence>\
         <xs:anyAttribute processContents='skip'/></xs:complexType></xs:element>\
         <xs:element name='Fault'><xs:complexType><xs:sequence>\
         <xs:element name='faultcode' form='unqualified'/><xs:element name='faultstring' form='unqualified'/>\
         <xs:element name='detail' form='unqualified'><xs:complexType><xs:sequence>\
         <xs:any processContents='strict'/></xs:sequence></xs:complexType></xs:element>\
         </xs:sequence></xs:complexType></xs:element></xs:schema>",
        version.namespace()
    )
}

#[test]
fn answers_are_what_the_published_schemas_say() {
    if Command::new("xmllint").arg("--version").stderr(Stdio::null()).status().is_err() {
        assert!(std::env::var_os("CI").is_none(), "no xmllint: apt-get install libxml2-utils");
        return;
    }
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, octets: &[u8]| std::fs::write(folder.path().join(name), octets).unwrap();
    let index = String::from_utf8(asker.get("/soap?wsdl").body.to_vec()).unwrap();
    let modules: Vec<&str> = index
        .split("targetNamespace=\"urn:trunkline:mib:")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(modules.contains(&"IF-MIB") && modules.len() > 10, "{modules:?}");
    let mut wrapper = String::from("<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>");
    let mut import = |namespace: Option<&str>, file: &str, octets: &[u8]| {
        write(file, octets);
        let namespace = namespace.map_or(String::new(), |namespace| format!("namespace='{namespace}' "));
        wrapper.push_str(&format!("<xs:import {namespace}schemaLocation='{file}'/>"));
    };
    for version in [Version::V1_1, Version::V1_2] {
        let file = format!("envelope-{version:?}.xsd");
        import(Some(version.namespace()), &file, envelope_schema(version).as_bytes());
    }
    for module in &modules {
        let namespace = format!("urn:trunkline:mib:{module}");
        import(Some(&namespace), &format!("{module}.xsd"), &asker.get(&format!("/soap?xsd={module}")).body);
    }
    import(Some("urn:trunkline:soap"), "soap.xsd", &asker.get("/soap?xsd=soap").body);
    import(Some("urn:trunkline:lean"), "lean.xsd", &asker.get("/soap?xsd=lean").body);
    // What is in no namespace has to be in the schema that is named on the command line.
    let paper = String::from_utf8(asker.get("/soap?xsd=paper").body.to_vec()).unwrap();
    let elements = paper.split_once("XMLSchema\">").unwrap().1;
    wrapper.push_str(elements);
    write("all.xsd", wrapper.as_bytes());
    let documents = documents(&mut asker);
    let mut command = Command::new("xmllint");
    command.arg("--noout").arg("--schema").arg(folder.path().join("all.xsd"));
    for (at, document) in documents.iter().enumerate() {
        let file = format!("{at}.xml");
        write(&file, document);
        command.arg(folder.path().join(file));
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let failures: Vec<&str> = said.lines().filter(|line| !line.ends_with(" validates")).take(20).collect();
    assert!(output.status.success(), "{failures:#?}");
    let wrong = envelope(
        "<GetSystemResponse xmlns='urn:trunkline:mib:SNMPv2-MIB'><sysUpTime>x</sysUpTime></GetSystemResponse>",
    );
    write("wrong.xml", wrong.as_bytes());
    let mut command = Command::new("xmllint");
    command
        .args(["--noout", "--schema"])
        .arg(folder.path().join("all.xsd"))
        .arg(folder.path().join("wrong.xml"));
    assert!(!command.output().unwrap().status.success());
}

/// Whole tables and groups in all encodings, objects, and a fault.
fn documents(asker: &mut Asker) -> Vec<Vec<u8>> {
    let mut documents = Vec::new();
    let (tables, groups) = (asker.catalog.tables().len(), asker.catalog.groups().len());
    for encoding in Encoding::ALL {
        let version = if encoding == Encoding::Lean { Version::V1_2 } else { Version::V1_1 };
        for at in 0..tables {
            let operation = asker.table(at, TableVerb::Whole, None, RowRange::All);
            documents.push(asker.ask(version, encoding, operation));
        }
        for group in 0..groups {
            documents.push(asker.ask(version, encoding, Operation::Group(group)));
        }
        let names = ["sysDescr.0", "ifMtu.1", "ifPhysAddress.1", "sysObjectID.0", "ifMtu.99999"];
        let names = names.map(|name| asker.catalog.object_name(name).unwrap()).into();
        documents.push(asker.ask(version, encoding, Operation::Get { names, mark_missing: true }));
    }
    let whole: Vec<Vec<u8>> = documents
        .into_iter()
        .filter(|answer| answer.status.as_u16() == 200)
        .map(|answer| answer.body.to_vec())
        .collect();
    assert!(whole.len() > 120, "{}", whole.len());
    let unknown = envelope("<GetIfTabel xmlns='urn:trunkline:mib:IF-MIB'/>");
    let fault = asker.post("text/xml", Some("\"\""), unknown.as_bytes()).body.to_vec();
    whole.into_iter().chain([fault]).collect()
}

#[test]
fn a_wsdl_has_the_address_that_it_was_asked_at() {
    let agent = Agent::start(CONFIG);
    let address = agent.address("http");
    let mut asker = Asker::new(address, Vec::new());
    for (path, location) in [("/soap", ""), ("/soap/lean", "/lean"), ("/soap/paper", "/paper")] {
        let answer = asker.get(&format!("{path}?wsdl&module=IF-MIB"));
        assert_eq!(answer.status.as_u16(), 200);
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(text.contains(&format!("location=\"http://{address}/soap{location}\"")), "{text}");
        assert!(text.contains("GetIfTable") && !text.contains("GetIpAddressTable"));
    }
    assert_eq!(asker.get("/soap?wsdl&module=NO-MIB").status.as_u16(), 404);
    assert_eq!(asker.get("/soap?xsd=NO-MIB").status.as_u16(), 404);
    assert_eq!(asker.get("/soap/elsewhere?wsdl").status.as_u16(), 404);
}
