//! Services as sources of events (EMANICS D7.1, section 5.4): who subscribes at one hears of what is within it, and the notification
//! names it.

use trunkline_client::eventing::EventSource;
use trunkline_soap::envelope::Version;
use trunkline_testkit::has;

use super::sink::Sink;
use super::support::{Agent, net_snmp};
use super::talk::{SOAP_1_2, everything, get, link, only, post_to, refused, seconds, source, source_at};
use super::{OPEN, monitor};

/// A monitor of row 1 of ifTable, the loopback interface, which fires at once and sends no object of it.
fn of_loopback(name: &str) -> String {
    format!(
        "[[monitor]]\nname = \"{name}\"\nexpression = \"1.3.6.1.2.1.2.2.1.4.1\"\nevery = \"1h\"\nabove = 0\n"
    )
}

fn at(agent: &Agent, path: &str) -> EventSource {
    source_at(agent, "public", Version::V1_2, path)
}

#[tokio::test]
async fn a_service_sends_what_is_within_it() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    for path in ["/Interface-1", "/Interfaces", "/lo", "/Root", "/TCP", "/IP"] {
        at(&agent, path).subscribe(everything(&sink, path)).await.unwrap();
    }
    source(&agent, "public").subscribe(only(&sink, "/all", &["monitorRising"])).await.unwrap();
    agent.rewrite(&format!("{OPEN}{}", of_loopback("loopback")));
    agent.signal("HUP");
    let mut paths = Vec::new();
    for _ in 0..5 {
        paths.push(sink.next().await.path);
    }
    paths.sort();
    assert_eq!(paths, ["/Interface-1", "/Interfaces", "/Root", "/all", "/lo"]);
    // With another monitor all begin anew. What is about something else goes to nobody but those who subscribed at the agent.
    agent.rewrite(&format!("{OPEN}{}{}", of_loopback("loopback"), monitor("other", "")));
    agent.signal("HUP");
    let mut others = Vec::new();
    for _ in 0..6 {
        let posted = sink.next().await;
        if posted.body.contains(">other<") {
            assert!(posted.from.as_deref().is_some_and(|from| from.ends_with("/soap/events")), "{posted:?}");
            others.push(posted.path);
        }
    }
    assert_eq!(others, ["/all"]);
}

#[tokio::test]
async fn notifications_have_the_primary_uri_of_their_service() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    let named = format!("http://{}/Interface-1", agent.address("http"));
    let mut reloads = 0;
    for version in [Version::V1_1, Version::V1_2] {
        for path in ["/Interface-1", "/lo", "/Interfaces-1_Interface-1-2.contains"] {
            let service = source_at(&agent, "public", version, path);
            let granted = service.subscribe(everything(&sink, "/told")).await.unwrap();
            reloads += 1;
            agent.rewrite(&format!("{OPEN}{}", of_loopback(&format!("m{reloads}"))));
            agent.signal("HUP");
            let posted = sink.next().await;
            assert_eq!(posted.from.as_ref(), Some(&named), "{path}");
            service.unsubscribe(&granted.identifier).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_subscription_is_managed_where_it_was_made() {
    let (agent, sink) = (Agent::start(OPEN), Sink::start());
    let granted = at(&agent, "/lo").subscribe(everything(&sink, "/")).await.unwrap();
    let id = granted.identifier.as_str();
    for path in ["/lo", "/Interface-1"] {
        assert!(at(&agent, path).renew(id, seconds(60)).await.is_ok(), "{path}");
    }
    for path in ["", "/Interfaces", "/TCP", "/nothing"] {
        assert_eq!(refused(at(&agent, path).status(id).await), "InvalidMessage", "{path}");
        assert_eq!(refused(at(&agent, path).unsubscribe(id).await), "InvalidMessage", "{path}");
        assert_eq!(refused(at(&agent, path).renew(id, None).await), "UnableToRenew", "{path}");
    }
    // Others of the same address.
    let other = source_at(&agent, "private", Version::V1_2, "/lo");
    assert_eq!(refused(other.unsubscribe(id).await), "InvalidMessage");
    at(&agent, "/lo").unsubscribe(id).await.unwrap();
}

#[tokio::test]
async fn who_may_not_see_a_service_cannot_subscribe_at_it() {
    let blind = "[[role]]\nname = \"blind\"\nread = [\"1.3.6.1.2.1.1\"]\nnotify = [\"1.3.6.1\"]\n\
                 [[snmp.community]]\nname = \"blind\"\nrole = \"blind\"\n";
    let deaf = "[[role]]\nname = \"deaf\"\nread = [\"1.3.6.1\"]\n[[snmp.community]]\nname = \"deaf\"\nrole = \"deaf\"\n";
    let (agent, sink) = (Agent::start(&format!("{OPEN}{blind}{deaf}")), Sink::start());
    let as_of =
        |community: &'static str, path: &'static str| source_at(&agent, community, Version::V1_2, path);
    assert_eq!(
        refused(as_of("blind", "/Interface-1").subscribe(everything(&sink, "/")).await),
        "unknownName"
    );
    assert_eq!(refused(as_of("public", "/nothing").subscribe(everything(&sink, "/")).await), "unknownName");
    assert_eq!(refused(as_of("deaf", "/Interface-1").subscribe(everything(&sink, "/")).await), "forbidden");
    assert_eq!(
        refused(as_of("nobody", "/Interface-1").subscribe(everything(&sink, "/")).await),
        "unauthorized"
    );
    // Other requests are for selections.
    let mut link = link(&agent).await;
    let body = "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><Subscribe/></e:Body></e:Envelope>";
    let (_, answer) = post_to(&mut link, "/Interface-1", &[SOAP_1_2], body).await;
    assert!(answer.contains("unknownOperation") && !answer.contains("2004/08/eventing"), "{answer}");
}

/// A trigger of a manager, over an expression whose only object is one of an interface, and which sends nothing of that.
#[tokio::test]
async fn an_expression_of_a_service_s_objects_is_within_it() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    at(&agent, "/Interface-1").subscribe(everything(&sink, "/told")).await.unwrap();
    at(&agent, "/TCP").subscribe(everything(&sink, "/other")).await.unwrap();
    let long = "1.111.1.120";
    let value = format!("1.3.6.1.2.1.90.1.3.1.1.5.{long}.0.0.0");
    let (objects, expressions) = ("1.3.6.1.2.1.90.1.2.3.1", "1.3.6.1.2.1.90.1.2.1.1");
    let (triggers, limits, short) = ("1.3.6.1.2.1.88.1.2.2.1", "1.3.6.1.2.1.88.1.2.6.1", "1.111.120");
    let all = [
        (format!("{objects}.10.{long}.1"), "i", "4"),
        (format!("{objects}.2.{long}.1"), "o", "1.3.6.1.2.1.2.2.1.4.1"),
        (format!("{expressions}.9.{long}"), "i", "4"),
        (format!("{expressions}.3.{long}"), "s", "$1 + 1"),
        (format!("{expressions}.4.{long}"), "i", "4"),
        (format!("{triggers}.15.{short}"), "i", "4"),
        (format!("{triggers}.4.{short}"), "x", "20"),
        (format!("{triggers}.6.{short}"), "o", &value),
        (format!("{triggers}.11.{short}"), "u", "1"),
        (format!("{triggers}.14.{short}"), "i", "1"),
        (format!("{limits}.2.{short}"), "i", "2"),
        (format!("{limits}.3.{short}"), "i", "1"),
        (format!("{limits}.8.{short}"), "s", "_snmpd"),
        (format!("{limits}.9.{short}"), "s", "_mteTriggerRising"),
    ];
    let address = agent.udp().to_string();
    let words: Vec<&str> = ["-v2c", "-c", "private", &address]
        .into_iter()
        .chain(all.iter().flat_map(|(name, kind, value)| [name, *kind, *value]))
        .collect();
    let Some(output) = net_snmp("snmpset", &words) else { return };
    assert!(output.status.success(), "{output:?}");
    let posted = sink.next().await;
    assert_eq!(posted.path, "/told");
    assert!(posted.body.contains("mteTriggerRising") && !posted.body.contains("ifMtu"), "{}", posted.body);
}

#[tokio::test]
async fn a_service_that_is_not_configured_any_more_ends_its_subscriptions() {
    let own = "[[service]]\ntag = \"Uptime\"\nholds = [\"sysUpTime\"]\n";
    let (agent, mut sink) = (Agent::start(&format!("{OPEN}{own}")), Sink::start());
    at(&agent, "/Uptime").subscribe(everything(&sink, "/gone")).await.unwrap();
    agent.rewrite(OPEN);
    agent.signal("HUP");
    let posted = sink.next().await;
    assert_eq!(posted.path, "/end");
    agent.wait_for("a subscription has ended: it is no longer permitted");
}

/// What is posted is what the WSDL of the service says.
#[tokio::test]
async fn the_wsdl_says_what_a_service_sends() {
    let (agent, mut sink) = (Agent::start(OPEN), Sink::start());
    at(&agent, "/Interface-1").subscribe(everything(&sink, "/told")).await.unwrap();
    agent.rewrite(&format!(
        "{OPEN}{}",
        of_loopback("loopback").replace("above", "send = [\"1.3.6.1.2.1.2.2.1.2.1\"]\nabove")
    ));
    agent.signal("HUP");
    let body = sink.next().await.body;
    // Nobody is authenticated, and services of rows are not shown to everybody.
    let wsdl = get(&mut link(&agent).await, "/Interfaces?wsdl").await;
    assert!(wsdl.contains("<portType name=\"Events\" wse:EventSource=\"true\">"), "{wsdl}");
    if !has("xmllint", "libxml2-utils") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let schema = wsdl.split("<xs:schema ").find(|part| part.contains("\"Notification\"")).unwrap();
    let schema = format!("<xs:schema {}</xs:schema>", schema.split_once("</xs:schema>").unwrap().0);
    let (_, rest) = body.split_once("<t:Notification>").unwrap();
    let content = rest.split_once("</t:Notification>").unwrap().0;
    assert!(content.contains("ifDescr.1") && content.contains("monitorRising"), "{content}");
    let document =
        |content: &str| format!("<t:Notification xmlns:t=\"urn:trunkline:soap\">{content}</t:Notification>");
    for (content, code) in [(content.to_owned(), Some(0)), (content.replace("t:Oid", "t:Other"), Some(3))] {
        std::fs::write(folder.path().join("events.xsd"), &schema).unwrap();
        std::fs::write(folder.path().join("told.xml"), document(&content)).unwrap();
        let mut command = std::process::Command::new("xmllint");
        command.current_dir(folder.path()).args(["--noout", "--schema", "events.xsd", "told.xml"]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), code, "{content}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
