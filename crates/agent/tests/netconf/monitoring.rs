//! The state of NETCONF itself (RFC 6022).

use crate::client::{Client, agent};

const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";

fn state(client: &mut Client, filter: &str) -> String {
    client.get(&format!("<netconf-state xmlns=\"{MONITORING}\">{filter}</netconf-state>"))
}

#[test]
fn sessions_are_listed_with_what_passed_in_them() {
    let agent = agent("");
    let (mut ann, mut bob) = (Client::open(&agent, "ann"), Client::open(&agent, "bob"));
    assert!(bob.ask("<fly xmlns='urn:fly'/>").contains("operation-not-supported"));
    let all = state(&mut ann, "<sessions/>");
    assert_eq!(all.matches("<session>").count(), 2, "{all}");
    let of_bob = format!(
        "<sessions><session><session-id>{}</session-id><username/><transport/><in-rpcs/><out-rpc-errors/></session></sessions>",
        bob.id()
    );
    let seen = state(&mut ann, &of_bob);
    let expected = format!(
        "<netconf-state xmlns=\"{MONITORING}\"><sessions><session><session-id>{}</session-id><transport>netconf-ssh</transport>\
         <username>bob</username><in-rpcs>1</in-rpcs><out-rpc-errors>1</out-rpc-errors></session></sessions></netconf-state>",
        bob.id()
    );
    assert_eq!(seen, expected);
    // Who may not read the names of principals sees its own session, and nobody else's.
    let own = state(&mut bob, "<sessions><session><session-id/><source-host/></session></sessions>");
    assert!(own.contains(&format!("<session-id>{}</session-id><source-host>127.0.0.1<", bob.id())), "{own}");
    assert_eq!(own.matches("<session>").count(), 1, "{own}");
    // The same by an expression.
    let select = "/m:netconf-state/m:sessions/m:session[m:username = 'bob']/m:session-id";
    let found =
        ann.ask(&format!("<get><filter xmlns:m='{MONITORING}' type='xpath' select=\"{select}\"/></get>"));
    assert!(found.contains(&format!("<session><session-id>{}</session-id></session>", bob.id())), "{found}");
    let counted =
        state(&mut ann, "<statistics><in-sessions/><dropped-sessions/><in-bad-hellos/></statistics>");
    assert!(
        counted.contains("<in-bad-hellos>0</in-bad-hellos><in-sessions>2</in-sessions><dropped-sessions>0<"),
        "{counted}"
    );
    let mut odd = Client::connect(&agent, "ann");
    odd.write(b"<hello/>]]>]]>");
    assert_eq!(odd.read(), None);
    let mut late = String::new();
    // The session's end is counted when its task has ended.
    for _ in 0..1000 {
        late = state(&mut ann, "<statistics><in-bad-hellos/></statistics>");
        if late.contains(">1<") {
            break;
        }
    }
    assert!(late.contains("<in-bad-hellos>1</in-bad-hellos>"), "{late}");
}

#[test]
fn the_lock_is_shown_with_its_holder() {
    let agent = agent("");
    let (mut ann, mut other) = (Client::open(&agent, "ann"), Client::open(&agent, "max"));
    let lock = "<target><running/></target>";
    assert!(!state(&mut ann, "<datastores/>").contains("locks"));
    assert_eq!(other.ask(&format!("<lock>{lock}</lock>")), "<ok/>");
    let held = state(&mut ann, "<datastores/>");
    let holder =
        format!("<datastore><name>running</name><locks><global-lock><locked-by-session>{}<", other.id());
    assert!(held.contains(&holder) && held.contains("<locked-time>20"), "{held}");
    assert_eq!(other.ask(&format!("<unlock>{lock}</unlock>")), "<ok/>");
    assert!(!state(&mut ann, "<datastores/>").contains("locks"));
}

#[test]
fn capabilities_and_schemas_are_those_of_the_hello_and_of_get_schema() {
    let agent = agent("");
    let mut client = Client::open(&agent, "ann");
    assert!(client.hello.has(MONITORING));
    let capabilities = state(&mut client, "<capabilities/>");
    for capability in client.hello.capabilities.clone() {
        let written = capability.replace('&', "&amp;");
        assert!(capabilities.contains(&format!("<capability>{written}</capability>")), "{capability}");
    }
    let one = "<schemas><schema><identifier>IF-MIB</identifier></schema></schemas>";
    let schema = state(&mut client, one);
    assert!(
        schema.contains(
            "<schema><identifier>IF-MIB</identifier><version></version><format>yang</format>\
             <namespace>urn:ietf:params:xml:ns:yang:smiv2:IF-MIB</namespace><location>NETCONF</location></schema>"
        ),
        "{schema}"
    );
    let text = client.ask(&format!(
        "<get-schema xmlns='{MONITORING}'><identifier>IF-MIB</identifier><version></version><format>yang</format></get-schema>"
    ));
    assert!(text.contains("module IF-MIB {"), "{text}");
    assert_eq!(
        state(&mut client, "<schemas><schema><identifier>nothing</identifier></schema></schemas>"),
        ""
    );
}

#[test]
fn the_library_lists_the_modules_of_the_hello() {
    let agent = agent("");
    let mut client = Client::open(&agent, "bob");
    let library = "urn:ietf:params:xml:ns:yang:ietf-yang-library";
    let whole = client.get(&format!("<yang-library xmlns=\"{library}\"/>"));
    let old = client.get(&format!("<modules-state xmlns=\"{library}\"/>"));
    let id = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>")).unwrap();
        rest.split_once('<').unwrap().0.to_owned()
    };
    let content = id(&whole, "content-id");
    assert_eq!(content, id(&old, "module-set-id"));
    let announced = format!("yang-library:1.1?revision=2019-01-04&content-id={content}");
    assert!(client.hello.capabilities.iter().any(|it| it.ends_with(&announced)), "{announced}");
    let modules = client.hello.capabilities.iter().filter_map(|it| it.split_once("?module="));
    for (namespace, rest) in
        modules.map(|(namespace, rest)| (namespace.to_owned(), rest.to_owned())).collect::<Vec<_>>()
    {
        let (name, rest) = rest.split_once("&revision=").unwrap_or((&rest, ""));
        let (rest, deviations) = rest.split_once("&deviations=").unwrap_or((rest, ""));
        let (revision, features) = rest.split_once("&features=").unwrap_or((rest, ""));
        let features = features.split(',').filter(|it| !it.is_empty());
        let features: String = features.map(|it| format!("<feature>{it}</feature>")).collect();
        let revision =
            if revision.is_empty() { String::new() } else { format!("<revision>{revision}</revision>") };
        let begin = format!("<module><name>{name}</name>{revision}<namespace>{namespace}</namespace>");
        let entry = whole.split_once(&begin).unwrap_or_else(|| panic!("{begin}\n{whole}")).1;
        let entry = entry.split_once("</module>").unwrap().0;
        let deviation = match deviations {
            "" => String::new(),
            name => format!("<deviation>{name}</deviation>"),
        };
        assert!(entry.ends_with(&format!("{features}{deviation}")), "{entry}");
        let deviation = match deviations {
            "" => String::new(),
            name => format!("<deviation><name>{name}</name><revision>2026-11-26</revision></deviation>"),
        };
        let entry =
            format!("<namespace>{namespace}</namespace>{features}{deviation}<conformance-type>implement<");
        assert!(old.contains(&entry), "{entry}\n{old}");
    }
    let one = client.get(&format!("<yang-library xmlns=\"{library}\"><module-set><module><name>IF-MIB</name></module></module-set></yang-library>"));
    assert_eq!(one.matches("<module>").count(), 1, "{one}");
    assert!(one.contains("<module-set><name>all</name><module><name>IF-MIB</name><namespace>"), "{one}");
}
