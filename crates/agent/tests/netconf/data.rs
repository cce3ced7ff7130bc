//! What `get` answers: the tree's data as YANG has it, as far as it is requested and may be read.

use std::path::Path;

use trunkline_netconf::document::{Document, Element, limits};
use trunkline_testkit::leave_out;

use crate::client::{Client, agent, configuration};
use crate::support::Agent;
use crate::support::yanglint::Yanglint;

const IF: &str = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB";

fn read(data: &str) -> Document {
    let text = format!("<data>{data}</data>");
    Document::read(text.as_bytes(), limits(64 << 20)).unwrap()
}

/// The elements below, by path.
fn paths(element: Element<'_>) -> Vec<String> {
    let below = |child: Element<'_>| match child.has_children() {
        true => paths(child).iter().map(|path| format!("{}/{path}", child.name())).collect(),
        false => vec![child.name().to_owned()],
    };
    element.children().flat_map(below).collect()
}

#[test]
fn a_filter_gets_what_it_selects_and_nothing_else() {
    let agent = agent("");
    let mut client = Client::open(&agent, "ann");
    let get = |client: &mut Client, filter: &str| {
        let data = client.get(filter);
        let document = read(&data);
        let mut found = paths(document.root());
        found.dedup();
        found
    };
    assert!(client.get("").is_empty());
    assert!(client.get("<nothing/>").is_empty());
    assert_eq!(get(&mut client, "<IF-MIB><interfaces/></IF-MIB>"), ["IF-MIB/interfaces/ifNumber"]);
    // The first interface of a network namespace is lo.
    let entry = "IF-MIB/ifTable/ifEntry";
    let by_key =
        "<IF-MIB><ifTable><ifEntry><ifIndex>1</ifIndex><ifDescr/><ifName/></ifEntry></ifTable></IF-MIB>";
    assert_eq!(
        get(&mut client, by_key),
        [format!("{entry}/ifIndex"), format!("{entry}/ifDescr"), format!("{entry}/ifName")]
    );
    let by_value = "<IF-MIB><ifTable><ifEntry><ifDescr>lo</ifDescr><ifType/></ifEntry></ifTable></IF-MIB>";
    let found = client.get(by_value);
    assert_eq!(
        found,
        format!(
            "<IF-MIB xmlns=\"{IF}\"><ifTable><ifEntry><ifIndex>1</ifIndex><ifDescr>lo</ifDescr>\
             <ifType>softwareLoopback</ifType></ifEntry></ifTable></IF-MIB>"
        )
    );
    // A column of the table that AUGMENTS it is a test like any other.
    let by_name = "<IF-MIB><ifTable><ifEntry><ifName>lo</ifName><ifType/></ifEntry></ifTable></IF-MIB>";
    assert!(client.get(by_name).contains("<ifType>softwareLoopback</ifType>"));
    assert!(
        client
            .get("<IF-MIB><ifTable><ifEntry><ifDescr>no such</ifDescr></ifEntry></ifTable></IF-MIB>")
            .is_empty()
    );
    // An entry of which there would be only a key that nobody requested is left out.
    let address = |ip: &str| {
        format!(
            "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><interface>\
             <ipv4 xmlns=\"urn:ietf:params:xml:ns:yang:ietf-ip\"><address><ip>{ip}</ip></address></ipv4></interface></interfaces>"
        )
    };
    assert!(client.get(&address("127.0.0.1")).contains("<name>lo</name>"));
    assert_eq!(client.get(&address("127.9.9.9")), "");
    let union = format!("{by_key}{by_value}");
    let joined = client.get(&union);
    assert_eq!(joined.matches("<ifEntry>").count(), 1, "{joined}");
    for leaf in ["ifIndex", "ifDescr", "ifType", "ifName"] {
        assert_eq!(joined.matches(&format!("<{leaf}>")).count(), 1, "{joined}");
    }
}

#[test]
fn an_expression_selects_as_a_subtree_does() {
    let agent = agent("[freshness]\ndefault = \"1h\"\n");
    let mut client = Client::open(&agent, "ann");
    let mut xpath = |select: &str| {
        let filter = format!("<get><filter xmlns:i=\"{IF}\" type=\"xpath\" select=\"{select}\"/></get>");
        client.ask(&filter)
    };
    let entry = |leaves: &str| {
        format!("<data><IF-MIB xmlns=\"{IF}\"><ifTable><ifEntry>{leaves}</ifEntry></ifTable></IF-MIB></data>")
    };
    let descr = entry("<ifIndex>1</ifIndex><ifDescr>lo</ifDescr>");
    for select in [
        "/i:IF-MIB/i:ifTable/i:ifEntry[i:ifIndex='1']/i:ifDescr",
        "/IF-MIB/ifTable/ifEntry[ifIndex=1]/ifDescr",
        "//ifEntry[ifName = 'lo']/ifDescr",
        "//i:ifDescr[. = 'lo']",
        "//ifEntry[position() = 1]/ifDescr",
        "//ifDescr[contains(., 'l') and string-length() = 2 and not(../ifIndex > 1)]",
        "//ifIndex[. = 1]/following-sibling::ifDescr/text()",
        "//ifDescr[../ifIndex = 1] | //ifIndex[. = 1]",
    ] {
        assert_eq!(xpath(select), descr, "{select}");
    }
    assert_eq!(xpath("/IF-MIB/ifTable/ifEntry[ifIndex='none']"), "<data></data>");
    assert_eq!(xpath("/nothing"), "<data></data>");
    for (select, tag) in [
        ("count(//ifEntry)", "invalid-value"),
        ("/x:IF-MIB", "invalid-value"),
        ("/IF-MIB[", "invalid-value"),
        ("fly()", "invalid-value"),
        ("//*[.//* = //*]", "resource-denied"),
    ] {
        let reply = xpath(select);
        assert!(reply.contains(&format!("<error-tag>{tag}<")), "{select}: {reply}");
    }
    let whole = xpath("/");
    assert!(whole.contains("<ifTable>") && whole.contains("<sysDescr>"));
}

#[test]
fn a_principal_who_may_read_little_gets_little_and_no_error() {
    let agent = agent("");
    let everything = Client::open(&agent, "ann").ask("<get/>");
    let little = Client::open(&agent, "bob").ask("<get/>");
    let nothing = Client::open(&agent, "eve").ask("<get/>");
    assert!(everything.contains("<ifTable>") && everything.contains("<sysDescr>"));
    assert!(little.contains("<sysDescr>") && !little.contains("<IF-MIB"), "{little}");
    // Without a role there are no operations either.
    assert!(nothing.contains("<error-tag>access-denied</error-tag>"), "{nothing}");
}

#[test]
fn the_modules_can_be_fetched_and_are_those_that_are_announced() {
    let agent = agent("");
    let mut client = Client::open(&agent, "ann");
    let monitoring = "xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'";
    let announced: Vec<String> = client
        .hello
        .capabilities
        .iter()
        .filter_map(|it| {
            it.strip_prefix("urn:ietf:params:xml:ns:yang:smiv2:")?
                .split_once("?module=")
                .map(|(_, name)| name.to_owned())
        })
        .collect();
    assert!(announced.len() > 20);
    for name in announced {
        let reply =
            client.ask(&format!("<get-schema {monitoring}><identifier>{name}</identifier></get-schema>"));
        assert!(reply.contains(&format!("module {name} {{")), "{reply}");
    }
    for (module, text) in trunkline_yang::own::texts() {
        let (name, revision) = (module.name, module.revision);
        let asked = format!(
            "<get-schema {monitoring}><identifier>{name}</identifier><version>{revision}</version></get-schema>"
        );
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let reply = client.ask(&asked);
        assert!(reply.contains(&escaped), "{reply}");
        assert!(client.ask(&asked.replace(revision, "2000-01-01")).contains("invalid-value"));
    }
    let unknown = client.ask(&format!("<get-schema {monitoring}><identifier>none</identifier></get-schema>"));
    assert!(unknown.contains("invalid-value"), "{unknown}");
    let format = "<identifier>IF-MIB</identifier><format>xsd</format>";
    assert!(client.ask(&format!("<get-schema {monitoring}>{format}</get-schema>")).contains("invalid-value"));
}

/// The texts of standard modules are those that the operator has placed, and libyang reads them with ours.
#[test]
fn standard_modules_are_fetched_from_the_folder_of_the_operator() {
    let ietf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/python/share/yang/modules/ietf");
    if !ietf.is_dir() {
        return leave_out(
            "pyang, which has the IETF's modules, is not installed (cargo xtask setup --peers)",
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let placed = folder.path();
    let (from, to) = (|name: &str| ietf.join(format!("{name}.yang")), |name: &str| placed.join(name));
    std::fs::copy(from("ietf-interfaces"), to("ietf-interfaces@2018-02-20.yang")).unwrap();
    std::fs::copy(from("ietf-routing"), to("ietf-routing.yang")).unwrap();
    // Another module, and one that is too long, are not given in place of those.
    std::fs::copy(from("ietf-routing"), to("ietf-ip.yang")).unwrap();
    std::fs::write(to("ietf-system.yang"), vec![b' '; (1 << 20) + 1]).unwrap();
    let more = format!("[netconf]\nmodules-directory = {placed:?}\n");
    let agent = Agent::start(&configuration("").replace("[netconf]\n", &more));
    let mut client = Client::open(&agent, "ann");
    let monitoring = "xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'";
    let mut fetch = |name: &str, version: &str| {
        let reply = client.ask(&format!(
            "<get-schema {monitoring}><identifier>{name}</identifier>{version}<format>yang</format></get-schema>"
        ));
        let document = Document::read(format!("<r>{reply}</r>").as_bytes(), limits(4 << 20)).unwrap();
        document.root().children().next().map(|it| it.text().to_owned()).unwrap_or(reply)
    };
    for (name, version) in [("ietf-interfaces", "<version>2018-02-20</version>"), ("ietf-routing", "")] {
        let text = std::fs::read_to_string(from(name)).unwrap();
        assert_eq!(fetch(name, version).trim_end(), text.trim_end());
    }
    for (name, version) in [
        ("ietf-ip", ""),
        ("ietf-system", ""),
        ("ietf-yang-types", ""),
        ("ietf-routing", "<version>2016-11-04</version>"),
    ] {
        assert!(!fetch(name, version).contains("module "), "{name}");
    }
    let refused =
        client.ask(&format!("<get-schema {monitoring}><identifier>ietf-ip</identifier></get-schema>"));
    assert!(refused.contains("modules-directory in [netconf]"), "{refused}");
    let locations = |client: &mut Client, name: &str| {
        let filter =
            format!("<schemas><schema><identifier>{name}</identifier><location/></schema></schemas>");
        client.get(&format!("<netconf-state {monitoring}>{filter}</netconf-state>"))
    };
    let iana = "<location>https://www.iana.org/assignments/yang-parameters/";
    let here = locations(&mut client, "ietf-routing");
    assert!(
        here.contains("<location>NETCONF<") && here.contains(&format!("{iana}ietf-routing@2018-03-13.yang<")),
        "{here}"
    );
    let elsewhere = locations(&mut client, "ietf-yang-types");
    assert!(!elsewhere.contains("NETCONF<") && elsewhere.contains(iana), "{elsewhere}");
}

/// All of `get` is valid by the modules, as libyang sees it.
#[test]
fn everything_is_valid_by_its_modules() {
    let Some(yanglint) = Yanglint::new() else { return };
    let agent = agent("");
    let mut client = Client::open(&agent, "max");
    let contact = "<edit-config><target><running/></target><config><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'>\
                   <contact>ann</contact></system></config></edit-config>";
    assert_eq!(client.ask(contact), "<ok/>");
    let snmp = format!(
        "<edit-config><target><running/></target><config><snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'>{}</snmp></config></edit-config>",
        crate::snmp::EVERYTHING
    );
    assert_eq!(client.ask(&snmp), "<ok/>");
    let delegated = "<edit-config><target><running/></target><config><delegation xmlns='urn:trunkline:yang:delegation'>\
        <expression><owner>max</owner><name>e f</name><comment>c</comment><text>$1 * 2</text><type>counter64</type><interval>5</interval>\
        <lifetime>9999</lifetime><object><index>1</index><object>1.3.6.1.2.1.2.2.1.10.*</object><sample>delta</sample>\
        <discontinuity>1.3.6.1.2.1.31.1.1.1.19.*</discontinuity><conditional>1.3.6.1.2.1.2.2.1.8.*</conditional></object></expression>\
        <monitor><owner>max</owner><name>m</name><object>1.3.6.1.2.1.1.3.0</object><interval>9999</interval><sample>delta</sample>\
        <existence><absent>true</absent></existence><comparison><operator>less</operator><value>-1</value></comparison>\
        <threshold><rising>2147483647</rising><falling>-2147483648</falling><startup>rising</startup></threshold></monitor>\
        <event><owner>max</owner><name>v</name><notification>1.3.6.1.6.3.1.1.5.1</notification>\
        <set><object>1.3.6.1.2.1.11.30.0</object><value>2</value></set></event></delegation></config></edit-config>";
    assert_eq!(client.ask(delegated), "<ok/>");
    let reply = client.ask("<get/>");
    assert!(reply.contains("<contact>ann</contact>") && reply.contains("<boot-datetime>"), "{reply}");
    let data = reply.strip_prefix("<data>").and_then(|it| it.strip_suffix("</data>")).unwrap();
    let ds = "urn:ietf:params:xml:ns:yang:ietf-datastores";
    let origins = client.ask(&format!(
        "<get-data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda' xmlns:ds='{ds}'><datastore>ds:operational</datastore>\
         <config-filter>true</config-filter><with-origin/></get-data>"
    ));
    assert!(origins.contains(" or:origin=\"or:system\""), "{origins}");
    // Its declarations belong to what is around the data.
    let (declared, origins) = origins.strip_prefix("<data ").and_then(|it| it.split_once('>')).unwrap();
    let declared = declared.split_once(' ').unwrap().1;
    let origins = origins.replacen("<system ", &format!("<system {declared} "), 1);
    let origins = origins.replacen("<interfaces ", &format!("<interfaces {declared} "), 1);
    let origins = origins.replacen("<nacm ", &format!("<nacm {declared} "), 1);
    let origins = origins.replacen("<snmp ", &format!("<snmp {declared} "), 1);
    let origins = origins.replacen("<delegation ", &format!("<delegation {declared} "), 1);
    assert!(data.contains("<vacmViewTreeFamilySubtree>1<"), "{data}");
    // A rule names it.
    let more = ["ietf-restconf-monitoring"];
    yanglint.check("data.xml", data, &more);
    yanglint.check("origins.xml", &origins.replace("</data>", ""), &more);
}
