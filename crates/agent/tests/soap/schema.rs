//! The published schemas, read by xmllint: they describe the messages.

use std::process::Command;

use trunkline_smi::{Oid, Value};
use trunkline_soap::answer::read_rows;
use trunkline_soap::catalog::TableVerb;
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{Assignment, Operation, RowRange};
use trunkline_testkit::has;
use trunkline_transport::http::client::HttpAnswer;

use super::ask::{Asker, LIMITS, envelope};
use super::doors::CONFIG;
use super::support::Agent;

/// An envelope around what the published schemas must describe, with its version's fault.
fn envelope_schema(version: Version) -> String {
    let element = |name: &str, content: &str| {
        format!(
            "<xs:element name='{name}'><xs:complexType mixed='true'><xs:sequence>{content}</xs:sequence>\
             <xs:anyAttribute processContents='skip'/></xs:complexType></xs:element>"
        )
    };
    let strict =
        |least: u32| format!("<xs:any minOccurs='{least}' maxOccurs='unbounded' processContents='strict'/>");
    let fault = match version {
        Version::V1_1 => "<xs:element name='faultcode' type='xs:QName' form='unqualified'/>\
             <xs:element name='faultstring' type='xs:string' form='unqualified'/>\
             <xs:element name='detail' minOccurs='0' form='unqualified'><xs:complexType><xs:sequence>\
             <xs:any processContents='strict'/></xs:sequence></xs:complexType></xs:element>"
            .to_owned(),
        Version::V1_2 => {
            let value = "<xs:element name='Value' type='xs:QName'/>";
            let subcode = element("Subcode", value).replace("name='Subcode'", "name='Subcode' minOccurs='0'");
            let code = element("Code", &format!("{value}{subcode}"));
            let reason = element("Reason", &element("Text", ""));
            let detail =
                element("Detail", &strict(1)).replace("name='Detail'", "name='Detail' minOccurs='0'");
            format!("{code}{reason}{detail}")
        }
    };
    format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='{0}' xmlns:e='{0}' \
         elementFormDefault='qualified'>{1}{2}{3}</xs:schema>",
        version.namespace(),
        "<xs:element name='Envelope'><xs:complexType><xs:sequence>\
         <xs:element name='Header' minOccurs='0'/><xs:element ref='e:Body'/></xs:sequence></xs:complexType></xs:element>",
        element("Body", &strict(0)),
        element("Fault", &fault),
    )
}

#[test]
fn answers_conform_to_the_published_schemas() {
    if !has("xmllint", "libxml2-utils") {
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
    import(Some("urn:trunkline:select"), "select.xsd", &asker.get("/?xsd").body);
    import(Some("urn:trunkline:snmp"), "snmp.xsd", &asker.get("/snmp?xsd").body);
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
    // What is wrong would have been found.
    let wrong = [
        "<GetSystemResponse xmlns='urn:trunkline:mib:SNMPv2-MIB'><sysUpTime>x</sysUpTime></GetSystemResponse>",
        "<GetIfTableResponse xmlns='urn:trunkline:lean'><row>1</row></GetIfTableResponse>",
        "<ifMtu xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:x='http://www.w3.org/2001/XMLSchema' \
         i:type='x:unsignedInt'>eth0</ifMtu>",
        "<SelectAllResponse xmlns='urn:trunkline:select'><service level='1'/></SelectAllResponse>",
        "<Message xmlns='urn:trunkline:snmp'><version>v4</version></Message>",
        "<problem xmlns='urn:trunkline:soap'><kind>anything</kind></problem>",
        "<nobodys xmlns='urn:elsewhere'/>",
    ];
    for wrong in wrong {
        write("wrong.xml", envelope(wrong).as_bytes());
        let mut command = Command::new("xmllint");
        command
            .args(["--noout", "--schema"])
            .args(["all.xsd", "wrong.xml"].map(|file| folder.path().join(file)));
        assert_eq!(command.output().unwrap().status.code(), Some(3), "{wrong}");
    }
}

/// Answers of every kind of operation in all encodings, of every door, and faults.
fn documents(asker: &mut Asker) -> Vec<Vec<u8>> {
    let mut answers = Vec::new();
    for encoding in Encoding::ALL {
        let version = if encoding == Encoding::Lean { Version::V1_2 } else { Version::V1_1 };
        let whole = answers.len();
        tables_and_groups(asker, version, encoding, &mut answers);
        assert!(answers.len() > whole + 100, "{} in {encoding:?}", answers.len() - whole);
        let name = |asker: &Asker, name: &str| asker.catalog.object_name(name).unwrap();
        let names = ["sysDescr.0", "ifMtu.1", "ifPhysAddress.1", "sysObjectID.0", "ifMtu.99999"];
        let names = names.map(|text| name(asker, text)).into();
        answers.push(asker.ask(version, encoding, Operation::Get { names, mark_missing: true }));
        let names = vec![name(asker, "ifDescr"), name(asker, "2.9")];
        answers.push(asker.ask(version, encoding, Operation::GetNext { names, count: 5 }));
        asker.community = Some("private");
        let contact = Assignment { name: name(asker, "sysContact.0"), value: Value::text("<&>") };
        answers.push(asker.ask(version, encoding, Operation::Set(vec![contact])));
        asker.community = Some("public");
    }
    assert!(answers.iter().all(|answer| answer.status.as_u16() == 200));
    let mut documents: Vec<Vec<u8>> = answers.into_iter().map(|answer| answer.body.to_vec()).collect();
    documents.extend(of_other_doors(asker));
    documents.extend(faults(asker));
    documents
}

/// Each whole table, a row, a column, and the rows after the first; each group.
fn tables_and_groups(asker: &mut Asker, version: Version, encoding: Encoding, into: &mut Vec<HttpAnswer>) {
    for at in 0..asker.catalog.tables().len() {
        let record = asker.catalog.tables()[at].record.clone();
        let whole = asker.table(at, TableVerb::Whole, None, RowRange::All);
        let answer = asker.ask(version, encoding, whole);
        if answer.status.as_u16() != 200 {
            continue;
        }
        let rows = read_rows(&answer.body, LIMITS, encoding, &record).unwrap();
        into.push(answer);
        let column = (!record.fields.is_empty()).then(|| vec![record.fields.len() - 1]);
        let behind = RowRange::After { index: Oid::EMPTY, count: 2 };
        let mut more = vec![asker.table(at, TableVerb::NextRows, None, behind)];
        more.extend(column.map(|column| asker.table(at, TableVerb::Column, Some(column), RowRange::All)));
        let one = rows.first().map(|row| RowRange::One(row.index.clone()));
        more.extend(one.map(|one| asker.table(at, TableVerb::Row, None, one)));
        for operation in more {
            let answer = asker.ask(version, encoding, operation);
            // A column that nothing is served of is a fault, which is looked at elsewhere.
            into.extend((answer.status.as_u16() == 200).then_some(answer));
        }
    }
    for group in 0..asker.catalog.groups().len() {
        let answer = asker.ask(version, encoding, Operation::Group(group));
        into.extend((answer.status.as_u16() == 200).then_some(answer));
    }
}

/// Selections, and SNMP's messages.
fn of_other_doors(asker: &mut Asker) -> Vec<Vec<u8>> {
    let mut documents = Vec::new();
    for encoding in ["typed", "lean"] {
        for (operation, path, more) in [
            ("SelectSingle", "{Root}", ""),
            ("SelectTables", "{TCP}", "<explain>true</explain>"),
            ("SelectAll", "{Root}", "<explain>1</explain>"),
            ("SelectAll", "{lo}", "<explain>false</explain>"),
        ] {
            let body = format!(
                "<{operation} xmlns='urn:trunkline:select'><path>{path}</path><encoding>{encoding}</encoding>{more}\
                 <community>public</community></{operation}>"
            );
            documents.push(asker.post_to("/", "text/xml", Some("\"\""), envelope(&body).as_bytes()));
        }
    }
    for (request, count) in [("get-request", ""), ("get-next-request", ""), ("get-bulk-request", "20")] {
        let head = if count.is_empty() {
            "<error-status>noError</error-status><error-index>0</error-index>".to_owned()
        } else {
            format!("<non-repeaters>0</non-repeaters><max-repetitions>{count}</max-repetitions>")
        };
        let body = format!(
            "<Message xmlns='urn:trunkline:snmp'><version>v2c</version><community>public</community><data><{request}>\
             <request-id>7</request-id>{head}<variable-bindings><VarBind><name>1.3.6.1.2.1.1.1.0</name>\
             <unSpecified/></VarBind></variable-bindings></{request}></data></Message>"
        );
        documents.push(asker.post_to("/snmp", "text/xml", Some("\"\""), envelope(&body).as_bytes()));
    }
    for answer in &documents {
        assert_eq!(answer.status.as_u16(), 200, "{}", String::from_utf8_lossy(&answer.body));
    }
    documents.into_iter().map(|answer| answer.body.to_vec()).collect()
}

/// Faults of each of the doors and versions, and of the kinds that a request can have.
fn faults(asker: &mut Asker) -> Vec<Vec<u8>> {
    let community = "<community>public</community>";
    let get = |inner: &str| format!("<Get xmlns='urn:trunkline:soap'>{community}{inner}</Get>");
    let row =
        |inner: &str| format!("<GetIfEntry xmlns='urn:trunkline:mib:IF-MIB'>{community}{inner}</GetIfEntry>");
    let select =
        |inner: &str| format!("<SelectAll xmlns='urn:trunkline:select'>{inner}{community}</SelectAll>");
    let set = "<Set xmlns='urn:trunkline:soap'><community>private</community>";
    let set = |name: &str, value: &str| {
        format!("{set}<object><name>{name}</name><value>{value}</value></object></Set>")
    };
    let cases = [
        ("/soap", "<GetIfTabel xmlns='urn:trunkline:mib:IF-MIB'/>".to_owned(), "unknownOperation"),
        ("/soap", "<GetIfTable xmlns='urn:trunkline:mib:IF-MIB'/>".to_owned(), "unauthorized"),
        ("/soap", get(""), "malformed"),
        ("/soap", get("<name>ifMtu.99999</name>"), "noSuchInstance"),
        ("/soap", get("<name>sysDescri.0</name>"), "unknownName"),
        ("/soap", get("<name>1.3.9</name>"), "noSuchObject"),
        ("/soap", row(""), "wrongKey"),
        ("/soap", row("<ifIndex>99999</ifIndex>"), "noSuchRow"),
        ("/soap", set("ifMtu.1", "7"), "notWritable"),
        ("/soap", set("sysContact.0", &"x".repeat(256)), "wrongLength"),
        ("/soap", set("snmpEnableAuthenTraps.0", "on"), "wrongType"),
        ("/soap", set("snmpEnableAuthenTraps.0", "7"), "wrongValue"),
        ("/soap", set("sysContact.7", "x"), "noCreation"),
        ("/", select("<path>{Root}</path><filter>ifDescr = 7 &amp;</filter>"), "wrongExpression"),
        ("/", "<SelectNone xmlns='urn:trunkline:select'/>".to_owned(), "unknownOperation"),
        ("/snmp", "<Message xmlns='urn:trunkline:snmp'/>".to_owned(), "malformed"),
        ("/soap", format!("{}</e:Body><e:Body>", get("<name>1.3</name>")), "malformed"),
    ];
    let mut documents = Vec::new();
    for (path, body, kind) in cases {
        for version in [Version::V1_1, Version::V1_2] {
            let text = envelope(&body).replace(Version::V1_1.namespace(), version.namespace());
            let answer = asker.post_to(path, version.content_type(), Some("\"\""), text.as_bytes());
            let found = String::from_utf8(answer.body.to_vec()).unwrap();
            assert!(found.contains(&format!("<kind>{kind}</kind>")), "{body}: {found}");
            documents.push(found.into_bytes());
        }
    }
    // A fault that does not concern the body has no detail.
    let header =
        format!("<e:Header><a:b xmlns:a='urn:a' e:mustUnderstand='1'/></e:Header><e:Body>{}", get(""));
    for version in [Version::V1_1, Version::V1_2] {
        let text =
            envelope("").replace("<e:Body>", &header).replace(Version::V1_1.namespace(), version.namespace());
        let answer = asker.post_to("/soap", version.content_type(), Some("\"\""), text.as_bytes());
        assert!(String::from_utf8_lossy(&answer.body).contains(":MustUnderstand<"));
        documents.push(answer.body.to_vec());
    }
    documents
}

#[test]
fn a_wsdl_has_the_requested_address() {
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
