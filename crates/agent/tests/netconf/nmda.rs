//! Datastores of RFC 8342: `get-data` and `edit-data` (RFC 8526), origins, and defaults that are marked (RFC 6243).

use trunkline_testkit::namespace::{ip, isolated};

use crate::client::{Client, agent};

const NMDA: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda";
const DS: &str = "urn:ietf:params:xml:ns:yang:ietf-datastores";
const OR: &str = "urn:ietf:params:xml:ns:yang:ietf-origin";
const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const IP: &str = "urn:ietf:params:xml:ns:yang:ietf-ip";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const ETHERNET: &str =
    "<type xmlns:ianaift=\"urn:ietf:params:xml:ns:yang:iana-if-type\">ianaift:ethernetCsmacd</type>";

/// `get-data`; the content of `data`, or the whole reply.
fn get(client: &mut Client, datastore: &str, more: &str) -> String {
    let reply = client.ask(&format!(
        "<get-data xmlns='{NMDA}' xmlns:ds='{DS}' xmlns:or='{OR}'><datastore>ds:{datastore}</datastore>{more}</get-data>"
    ));
    match reply.strip_prefix(&format!("<data xmlns=\"{NMDA}\"")).and_then(|it| it.strip_suffix("</data>")) {
        Some(data) => data.split_once('>').unwrap().1.to_owned(),
        None => reply,
    }
}

fn edit(client: &mut Client, datastore: &str, more: &str, config: &str) -> String {
    client.ask(&format!(
        "<edit-data xmlns='{NMDA}' xmlns:ds='{DS}'><datastore>ds:{datastore}</datastore>{more}<config>{config}</config></edit-data>"
    ))
}

fn system(content: &str) -> String {
    format!("<system xmlns=\"{SYSTEM}\">{content}</system>")
}

/// What remains between two texts.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let rest = text.split_once(begin).unwrap_or_else(|| panic!("{begin} in {text}")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("{end} in {rest}")).0
}

#[test]
fn every_datastore_is_read_and_the_writable_ones_are_edited() {
    let agent = agent("");
    let (mut max, mut ann) = (Client::open(&agent, "max"), Client::open(&agent, "ann"));
    let contact = system("<contact>ann</contact>");
    assert_eq!(edit(&mut max, "candidate", "", &contact), "<ok/>");
    let read = |client: &mut Client, store: &str| get(client, store, "<config-filter>true</config-filter>");
    assert_eq!((read(&mut max, "candidate"), read(&mut max, "running")), (contact.clone(), String::new()));
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    for store in ["running", "intended", "candidate"] {
        assert_eq!(read(&mut ann, store), contact, "{store}");
        assert_eq!(get(&mut ann, store, "<config-filter>false</config-filter>"), "", "{store}");
    }
    let replaced = "<default-operation>replace</default-operation>";
    let location = system("<location>here</location>");
    assert_eq!(edit(&mut max, "running", replaced, &location), "<ok/>");
    assert_eq!(read(&mut max, "intended"), location);
    // One that fails changes nothing.
    let half = format!(
        "{}<interfaces xmlns='{INTERFACES}'><interface><name>no:7</name>{ETHERNET}</interface></interfaces>",
        system("<contact>x</contact>")
    );
    assert!(edit(&mut max, "running", "", &half).contains("<rpc-error>"));
    assert_eq!(read(&mut max, "running"), location);

    for (reply, tag) in [
        (edit(&mut max, "operational", "", &location), "invalid-value"),
        (edit(&mut max, "intended", "", &location), "invalid-value"),
        (edit(&mut max, "startup", "", &location), "invalid-value"),
        (get(&mut max, "startup", ""), "invalid-value"),
        (get(&mut max, "nothing", ""), "invalid-value"),
        (get(&mut max, "running", "<with-origin/>"), "invalid-value"),
        (edit(&mut ann, "running", "", &location), "access-denied"),
    ] {
        assert!(reply.contains(&format!("<error-tag>{tag}</error-tag>")), "{tag}: {reply}");
    }
    // The datastores of locks and of validate have the same names.
    let of = |operation: &str, role: &str, store: &str| {
        format!(
            "<{operation}><{role}><datastore xmlns='{NMDA}' xmlns:ds='{DS}'>ds:{store}</datastore></{role}></{operation}>"
        )
    };
    assert_eq!(max.ask(&of("lock", "target", "running")), "<ok/>");
    assert_eq!(max.ask(&of("validate", "source", "intended")), "<ok/>");
    assert_eq!(max.ask("<unlock><target><running/></target></unlock>"), "<ok/>");
    assert!(max.ask(&of("lock", "target", "operational")).contains("invalid-value"));
}

#[test]
fn what_is_in_force_has_an_origin() {
    isolated("nmda::what_is_in_force_has_an_origin", || {
        ip("link add near type veth peer name far");
        ip("address add 198.51.100.7/24 dev far");
        ip("link set far alias spare");
        let agent = agent("[system]\ncontact = \"operator\"\n");
        let mut max = Client::open(&agent, "max");
        let near = format!(
            "<interfaces xmlns='{INTERFACES}'><interface><name>near</name><description>to the lab</description>{ETHERNET}\
             <ipv4 xmlns='{IP}'><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4>\
             </interface></interfaces>{}",
            system("<location>here</location>")
        );
        assert_eq!(edit(&mut max, "running", "", &near), "<ok/>");
        let interface = |name: &str| {
            format!(
                "<subtree-filter><interfaces xmlns='{INTERFACES}'><interface><name>{name}</name></interface></interfaces></subtree-filter>"
            )
        };
        let configured = "<config-filter>true</config-filter>";
        let with_origin = format!("{configured}<with-origin/>");
        assert_eq!(
            get(&mut max, "operational", &format!("{}{with_origin}", interface("near"))),
            format!(
                "<interfaces xmlns=\"{INTERFACES}\" or:origin=\"or:intended\"><interface><name>near</name>\
                 <description>to the lab</description>{ETHERNET}<enabled or:origin=\"or:default\">true</enabled>\
                 <ipv4 xmlns=\"{IP}\"><mtu or:origin=\"or:system\">1500</mtu>\
                 <address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4></interface></interfaces>"
            )
        );
        // Nobody has configured the other end here; the kernel has set it down.
        assert_eq!(
            get(&mut max, "operational", &format!("{}{with_origin}", interface("far"))),
            format!(
                "<interfaces xmlns=\"{INTERFACES}\" or:origin=\"or:intended\"><interface or:origin=\"or:system\"><name>far</name>\
                 <description or:origin=\"or:unknown\">spare</description>{ETHERNET}<enabled>false</enabled>\
                 <ipv4 xmlns=\"{IP}\"><mtu>1500</mtu><address or:origin=\"or:unknown\"><ip>198.51.100.7</ip>\
                 <prefix-length>24</prefix-length></address></ipv4></interface></interfaces>"
            )
        );
        let names = std::process::Command::new("uname").arg("-n").output().unwrap();
        let hostname = String::from_utf8(names.stdout).unwrap();
        let whole =
            |origin: &str| format!("<subtree-filter><system xmlns='{SYSTEM}'/></subtree-filter>{origin}");
        assert_eq!(
            get(&mut max, "operational", &whole("<with-origin/>")),
            format!(
                "<system xmlns=\"{SYSTEM}\" or:origin=\"or:intended\"><contact or:origin=\"tlo:configuration-file\">operator</contact>\
                 <hostname or:origin=\"or:system\">{}</hostname><location>here</location></system>",
                hostname.trim()
            )
        );

        // By origin. What is derived from an origin passes with it.
        let only = |origin: &str| format!("<origin-filter>or:{origin}</origin-filter>");
        let read = get(&mut max, "operational", &whole(&only("intended")));
        assert_eq!(read, system("<contact>operator</contact><location>here</location>"));
        let own = "<origin-filter xmlns:t='urn:trunkline:yang:origin'>t:configuration-file</origin-filter>";
        assert_eq!(get(&mut max, "operational", &whole(own)), system("<contact>operator</contact>"));
        let but = "<negated-origin-filter>or:intended</negated-origin-filter>";
        let rest = get(&mut max, "operational", &whole(but));
        assert_eq!(rest, system(&format!("<hostname>{}</hostname>", hostname.trim())));
        let unknown = get(&mut max, "operational", &format!("{configured}{}", only("unknown")));
        assert_eq!(between(&unknown, "<name>", "</name>"), "far", "{unknown}");
        assert!(
            unknown.contains("<description>spare</description>") && unknown.contains("<ip>198.51.100.7</ip>"),
            "{unknown}"
        );
        assert!(
            !unknown.contains("near") && !unknown.contains("enabled") && !unknown.contains("IF-MIB"),
            "{unknown}"
        );
        // An entry of which nothing that is selected passes is not there with its key alone.
        let leaves = |leaves: &str| {
            format!(
                "<subtree-filter><interfaces xmlns='{INTERFACES}'><interface>{leaves}</interface></interfaces></subtree-filter>"
            )
        };
        let mut of = |selected: &str, origin: &str| {
            let read = get(&mut max, "operational", &format!("{}{}", leaves(selected), only(origin)));
            let names = read.split("<name>").skip(1).filter_map(|it| it.split_once('<'));
            let names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
            (names, read)
        };
        assert_eq!(of("<name/>", "intended").0, ["near"]);
        assert_eq!(of("<name/>", "learned").1, "");
        assert_eq!(of("<name/><description/>", "unknown").0, ["far"]);
        assert_eq!(of("<description/>", "unknown").0, ["far"]);
        assert_eq!(of("<enabled/>", "default").0, ["near"]);
        // Of an entry that is selected there are the keys, if they come from there.
        assert_eq!(of("<enabled/>", "intended").1.matches("<enabled>").count(), 0);
        assert_eq!(of("<enabled/>", "intended").0, ["near"]);
        assert_eq!(of("<name>far</name><enabled/>", "intended").1, "");
        // State is not configuration, and passes.
        let state = get(&mut max, "operational", &format!("{}{}", interface("far"), only("learned")));
        assert!(state.contains("<oper-status>") && state.contains("<name>far</name>"), "{state}");
        assert!(!state.contains("<enabled>"), "{state}");
        // Expressions see everything, and only then is anything left out.
        let expression = format!(
            "<xpath-filter xmlns:i='{INTERFACES}'>/i:interfaces/i:interface[i:enabled='true' and i:name!='lo']</xpath-filter>"
        );
        let read = get(
            &mut max,
            "operational",
            &format!("{expression}{}{configured}<with-origin/>", only("default")),
        );
        assert_eq!(
            read,
            format!(
                "<interfaces xmlns=\"{INTERFACES}\" or:origin=\"or:intended\"><interface><name>near</name>\
                 <enabled or:origin=\"or:default\">true</enabled></interface></interfaces>"
            )
        );

        // What others do to an interface makes its values differ from the configured ones.
        ip("link set near alias moved");
        let moved = format!("{}{with_origin}", interface("near"));
        while !get(&mut max, "operational", &moved)
            .contains("<description or:origin=\"or:unknown\">moved</description>")
        {}
        // An interface that is gone is not in force, and still configured.
        ip("link delete near");
        while get(&mut max, "operational", configured).contains("near") {}
        assert!(get(&mut max, "intended", "").contains("<name>near</name>"));
    });
}

#[test]
fn levels_count_from_what_is_selected() {
    let agent = agent("");
    let mut ann = Client::open(&agent, "ann");
    let levels = |levels: &str| format!("<max-depth>{levels}</max-depth>");
    let of = |client: &mut Client, filter: &str, depth: &str| {
        get(client, "operational", &format!("<subtree-filter>{filter}</subtree-filter>{}", levels(depth)))
    };
    let state = format!("<system-state xmlns='{SYSTEM}'/>");
    assert_eq!(of(&mut ann, &state, "1"), format!("<system-state xmlns=\"{SYSTEM}\"></system-state>"));
    let two = format!("<system-state xmlns=\"{SYSTEM}\"><platform></platform><clock></clock></system-state>");
    assert_eq!(of(&mut ann, &state, "2"), two);
    assert!(of(&mut ann, &state, "3").contains("<os-name>Linux</os-name>"));
    let xpath = format!("<xpath-filter xmlns:s='{SYSTEM}'>/s:system-state</xpath-filter>{}", levels("2"));
    assert_eq!(get(&mut ann, "operational", &xpath), two);
    // Objects of MIB modules: tables and rows, which have their keys.
    let table = "<IF-MIB><ifTable/></IF-MIB>";
    let begin = "<IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><ifTable>";
    assert_eq!(of(&mut ann, table, "1"), format!("{begin}</ifTable></IF-MIB>"));
    let rows = of(&mut ann, table, "2");
    assert!(rows.starts_with(&format!("{begin}<ifEntry><ifIndex>1</ifIndex></ifEntry>")), "{rows}");
    assert!(!rows.contains("ifDescr"), "{rows}");
    assert!(of(&mut ann, table, "unbounded").contains("<ifDescr>lo</ifDescr>"));
    // Of everything, one level: what is there, and nothing in it.
    let all = get(&mut ann, "operational", &levels("1"));
    assert!(all.contains("<IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"></IF-MIB>"), "{all}");
    assert!(all.contains(&format!("<interfaces xmlns=\"{INTERFACES}\"></interfaces>")), "{all}");
    // What may not be read is not there either.
    let mut bob = Client::open(&agent, "bob");
    let little = get(&mut bob, "operational", &levels("1"));
    assert!(!little.contains("IF-MIB") && !little.contains("interfaces"), "{little}");
    assert!(little.contains("<SNMPv2-MIB"), "{little}");
}

#[test]
fn the_library_has_the_datastores_and_their_schema() {
    let agent = agent("");
    let mut ann = Client::open(&agent, "ann");
    let library = get(
        &mut ann,
        "operational",
        "<subtree-filter><yang-library xmlns='urn:ietf:params:xml:ns:yang:ietf-yang-library'/></subtree-filter>",
    );
    for name in ["running", "candidate", "intended", "operational"] {
        let datastore =
            format!("<datastore><name xmlns:ds=\"{DS}\">ds:{name}</name><schema>all</schema></datastore>");
        assert!(library.contains(&datastore), "{library}");
    }
    for part in [
        "<name>ietf-netconf-nmda</name><revision>2019-01-07</revision>",
        "<feature>origin</feature><feature>with-defaults</feature>",
        "<name>ietf-datastores</name>",
        "<name>ietf-origin</name>",
        "<name>trunkline-origin</name>",
        "<name>ietf-netconf</name><revision>2011-06-01</revision>",
        "<feature>xpath</feature>",
    ] {
        assert!(library.contains(part), "{part} in {library}");
    }
    let text = ann.ask(
        "<get-schema xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><identifier>trunkline-origin</identifier></get-schema>",
    );
    assert!(text.contains("identity configuration-file"), "{text}");
}

#[test]
fn defaults_are_marked_and_unset_by_their_mark() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    const WD: &str = "urn:ietf:params:xml:ns:netconf:default:1.0";
    let entry =
        |name: &str, enabled: &str| format!("<interface><name>{name}</name>{ETHERNET}{enabled}</interface>");
    let all = |content: &str| format!("<interfaces xmlns=\"{INTERFACES}\">{content}</interfaces>");
    let change = |content: &str| {
        let content = content.replace(
            "<enabled ",
            &format!("<enabled xmlns:wd='{WD}' xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' "),
        );
        format!("<edit-config><target><candidate/></target><config>{content}</config></edit-config>")
    };
    let both = all(&format!("{}{}", entry("a", "<enabled>true</enabled>"), entry("b", "")));
    assert_eq!(max.ask(&change(&both)), "<ok/>");
    let read = |client: &mut Client, mode: &str| {
        let reply = client.ask(&format!(
            "<get-config><source><candidate/></source><with-defaults xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults'>{mode}</with-defaults></get-config>"
        ));
        between(&reply, "<data", "</data>").split_once('>').unwrap().1.to_owned()
    };
    let marked = "<enabled wd:default=\"true\">true</enabled>";
    assert_eq!(
        read(&mut max, "report-all-tagged"),
        all(&format!("{}{}", entry("a", "<enabled>true</enabled>"), entry("b", marked)))
    );
    assert_eq!(read(&mut max, "explicit"), both);
    // The mark unsets what was set (RFC 6243 section 4.5.2); another value cannot have it.
    let reply = max.ask(&change(&all(&entry("a", "<enabled wd:default='true'>false</enabled>"))));
    assert!(reply.contains("<error-tag>invalid-value</error-tag>"), "{reply}");
    let created = "<enabled wd:default='true' nc:operation='create'>true</enabled>";
    let reply = max.ask(&change(&all(&entry("a", created))));
    assert!(reply.contains("<error-tag>data-exists</error-tag>"), "{reply}");
    assert_eq!(max.ask(&change(&all(&entry("a", "<enabled wd:default='true'>true</enabled>")))), "<ok/>");
    assert_eq!(read(&mut max, "explicit"), all(&format!("{}{}", entry("a", ""), entry("b", ""))));
    // In basic mode explicit, what is not set can be created, and not deleted (RFC 6243 section 2.3.3).
    let plain = "<enabled nc:operation='delete'>true</enabled>";
    assert!(max.ask(&change(&all(&entry("a", plain)))).contains("<error-tag>data-missing</error-tag>"));
    assert_eq!(max.ask(&change(&all(&entry("a", "<enabled nc:operation='create'>true</enabled>")))), "<ok/>");
    assert_eq!(read(&mut max, "trim"), all(&format!("{}{}", entry("a", ""), entry("b", ""))));
}
