//! Delegated work over RESTCONF, NETCONF, SOAP and SNMP: the same rows, by whose rights they act, and how they end.

use trunkline_transport::ssh::PasswordHash;

use crate::restconf::ask::Client;
use crate::restconf::client::{self, PASSWORD, configuration};
use crate::support::{Agent, net_snmp};

const ROOT: &str = "/restconf/data/trunkline-delegation:delegation";
const NAMESPACE: &str = "urn:trunkline:yang:delegation";

/// snmpEnableAuthenTraps.
const NUMBER: &str = "1.3.6.1.2.1.11.30.0";

/// NETCONF's principals, and dan, who may write the rows of the owner `dan`, and read no time.
fn configured(more: &str) -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    configuration(&format!(
        "{more}[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"restconf\", \"soap\"]\n\
         [freshness]\nexpression-values = \"per-request\"\n\
         [[role]]\nname = \"own\"\nread = [\"1.3.6.1.2.1.11\", \"1.3.6.1.2.1.88\", \"1.3.6.1.2.1.90\"]\n\
         write = [\"1.3.6.1.2.1.90.1.2.*.1.*.3.100.97.110\", \"1.3.6.1.2.1.88.1.2.*.1.*.3.100.97.110\"]\n\
         [[snmp.principal]]\nname = \"dan\"\nrole = \"own\"\npassword-hash = {hash:?}\n"
    ))
}

fn octets(text: &str) -> String {
    format!("{}{}", text.len(), text.bytes().map(|octet| format!(".{octet}")).collect::<String>())
}

/// What SNMP reads of an expression of this type.
fn value(agent: &Agent, value_type: u32, owner: &str, name: &str) -> Option<String> {
    let column = value_type + 1;
    let oid = format!("1.3.6.1.2.1.90.1.3.1.1.{column}.{}.{}.0.0.0", octets(owner), octets(name));
    let address = agent.udp().to_string();
    let output = net_snmp("snmpget", &["-v2c", "-c", "public", "-Oqv", &address, &oid])?;
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

fn expression(owner: &str, name: &str, text: &str, more: &str) -> String {
    format!(
        r#"{{"trunkline-delegation:expression":[{{"owner":{owner:?},"name":{name:?},"text":{text:?},"type":"integer32"{more},
            "object":[{{"index":1,"object":"{NUMBER}"}}]}}]}}"#
    )
}

fn edit(content: &str) -> String {
    format!(
        "<edit-config><target><running/></target><config><delegation xmlns='{NAMESPACE}' \
         xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>{content}</delegation></config></edit-config>"
    )
}

#[test]
fn an_expression_is_the_same_over_every_protocol_and_outlives_a_restart() {
    let config = configured("");
    let agent = Agent::start(&config);
    let max = Client { agent: &agent, user: "max" };
    let created = max.send("POST", ROOT, &expression("max", "e", "$1 * 10", ""));
    assert_eq!(created.status, 201, "{created:?}");
    let Some(found) = value(&agent, 4, "max", "e") else { return };
    assert_eq!(found, "20");
    // NETCONF changes it, and RESTCONF sees that.
    let mut netconf = client::Client::open(&agent, "max");
    let changed =
        netconf.ask(&edit("<expression><owner>max</owner><name>e</name><text>$1 + 5</text></expression>"));
    assert!(changed.contains("<ok/>"), "{changed}");
    assert_eq!(value(&agent, 4, "max", "e").unwrap(), "7");
    let read = max.get(&format!("{ROOT}/expression=max,e?content=config")).json();
    let entry = &read["trunkline-delegation:expression"][0];
    assert_eq!((entry["text"].as_str(), entry["object"][0]["index"].as_u64()), (Some("$1 + 5"), Some(1)));
    // SOAP sets the column, which is octets, and NETCONF sees that.
    let column = format!("expExpression.{}.{}", octets("max"), octets("e"));
    let set = format!(
        "<Envelope xmlns='http://www.w3.org/2003/05/soap-envelope'><Body><Set xmlns='urn:trunkline:soap'>\
         <object><name>{column}</name><value>{}</value></object></Set></Body></Envelope>",
        "$1 - 5".bytes().map(|octet| format!("{octet:02x}")).collect::<String>()
    );
    let answer = max.curl(&["-H", "Content-Type: application/soap+xml", "--data-binary", &set], "/soap");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(value(&agent, 4, "max", "e").unwrap(), "-3");
    let running = netconf.ask(&format!(
        "<get-config><source><running/></source><filter><delegation xmlns='{NAMESPACE}'/></filter></get-config>"
    ));
    assert!(running.contains("<text>$1 - 5</text>"), "{running}");
    // The values are data of RESTCONF, too.
    let values = max.get("/restconf/data/DISMAN-EXPRESSION-MIB:DISMAN-EXPRESSION-MIB/expValueTable").body;
    assert!(values.contains("\"expValueInteger32Val\":-3"), "{values}");
    let agent = Agent::start_in(agent.terminate(), &config);
    assert_eq!(value(&agent, 4, "max", "e").unwrap(), "-3");
    let max = Client { agent: &agent, user: "max" };
    assert_eq!(max.curl(&["-X", "DELETE"], &format!("{ROOT}/expression=max,e")).status, 204);
    assert!(value(&agent, 4, "max", "e").unwrap().contains("No Such"));
    assert_eq!(max.get(&format!("{ROOT}?content=config")).status, 404);
}

#[test]
fn an_entry_acts_by_the_rights_of_its_writer_who_may_write_what_the_policy_says() {
    let agent = Agent::start(&configured(
        "[[expression]]\nname = \"fixed\"\nexpression = \"1\"\n[[monitor]]\nname = \"m\"\nexpression = \"1.3.6.1.2.1.1.3.0\"\nabove = 4000000000\n",
    ));
    let [max, dan, ann] = ["max", "dan", "ann"].map(|user| Client { agent: &agent, user });
    let created = dan.send("POST", ROOT, &expression("dan", "e", "$1 * 10", ""));
    assert_eq!(created.status, 201, "{created:?}");
    let Some(found) = value(&agent, 4, "dan", "e") else { return };
    assert_eq!(found, "20");
    // dan may not read the time, and there is no value; max may.
    let time = r#"{"trunkline-delegation:object":[{"index":1,"object":"1.3.6.1.2.1.1.3.0"}]}"#;
    let object = format!("{ROOT}/expression=dan,e/object=1");
    assert_eq!(dan.send("PUT", &object, time).status, 204);
    assert!(value(&agent, 4, "dan", "e").unwrap().contains("No Such"));
    let text = format!("{ROOT}/expression=dan,e/text");
    assert_eq!(max.send("PUT", &text, r#"{"trunkline-delegation:text":"$1 > 0"}"#).status, 204);
    // Rights are not lent: the object is still the one that dan has named.
    assert!(value(&agent, 4, "dan", "e").unwrap().contains("No Such"));
    let services = time.replace("1.1.3.0", "1.1.7.0");
    assert_eq!(max.send("PUT", &object, &services).status, 204);
    assert_eq!(value(&agent, 4, "dan", "e").unwrap(), "1");
    // And the other way round.
    assert_eq!(dan.send("PUT", &object, time).status, 204);
    assert!(value(&agent, 4, "dan", "e").unwrap().contains("No Such"));
    // Others' rows, and readers.
    for (client, entry) in [(&dan, expression("max", "e", "1", "")), (&ann, expression("ann", "e", "1", ""))]
    {
        let denied = client.send("POST", ROOT, &entry);
        assert_eq!((denied.status, denied.error_tag()), (403, "access-denied".into()), "{denied:?}");
    }
    // What no row can be has its place, and is the client's mistake.
    let object = format!(r#""object":"{NUMBER}""#);
    let discontinuity = format!(r#"{object},"discontinuity":"1.3.6.1.2.1.1.3.0""#);
    for (entry, what) in [
        (expression("max", "w", "1 +", ""), "invalidSyntax at octet 4"),
        (expression("snmpd.conf", "w", "1", ""), "come from the configuration"),
        (
            expression("max", "w", "1", "").replace(&object, &discontinuity),
            "only differences have a discontinuity",
        ),
    ] {
        let refused = max.send("POST", ROOT, &entry);
        assert_eq!((refused.status, refused.error_tag()), (400, "invalid-value".into()), "{refused:?}");
        assert!(refused.body.contains(what) && refused.body.contains("expression[owner="), "{refused:?}");
    }
    // What the configuration file defines is in force, and cannot be changed.
    let fixed = max.get(&format!("{ROOT}/expression=snmpd.conf,fixed")).body;
    assert!(fixed.contains("\"text\":\"1\""), "{fixed}");
    assert_eq!(max.get(&format!("{ROOT}/expression=snmpd.conf,fixed?content=config")).status, 404);
}

/// RFC 6241 section 8.6: what a commit would refuse, `validate` finds, whatever is validated.
#[test]
fn validate_finds_what_no_row_can_be() {
    let agent = Agent::start(&configured(""));
    let mut netconf = client::Client::open(&agent, "max");
    let entry = |owner: &str, text: &str| {
        format!("<expression><owner>{owner}</owner><name>v</name><text>{text}</text></expression>")
    };
    assert!(netconf.ask(&edit(&entry("max", "1"))).contains("<ok/>"));
    for (owner, text, tag) in [
        ("max", "1+", "invalid-value"),
        ("max", "(1", "invalid-value"),
        ("max", "$1 $2", "invalid-value"),
        ("snmpd.conf", "1", "invalid-value"),
        ("max", "2", "ok"),
    ] {
        let edit = edit(&entry(owner, text));
        let only_tested = edit.replace("</target>", "</target><test-option>test-only</test-option>");
        let inline = format!(
            "<validate><source><config><delegation xmlns='{NAMESPACE}'>{}</delegation></config></source></validate>",
            entry(owner, text)
        );
        for request in [&only_tested, &inline] {
            let answer = netconf.ask(request);
            assert!(
                answer.contains(&format!("<{tag}/>")) || answer.contains(&format!(">{tag}<")),
                "{request}: {answer}"
            );
        }
        let prepared = netconf.ask(&edit.replace("running", "candidate"));
        assert!(prepared.contains("<ok/>"), "{prepared}");
        let validated = netconf.ask("<validate><source><candidate/></source></validate>");
        assert_eq!(validated.contains("<ok/>"), tag == "ok", "{validated}");
        if tag != "ok" {
            assert_eq!(netconf.ask("<commit/>"), validated, "{owner} {text}");
        }
        assert_eq!(netconf.ask("<discard-changes/>"), "<ok/>");
    }
    // What was only tried has left nothing.
    let max = Client { agent: &agent, user: "max" };
    let running = max.get(&format!("{ROOT}?content=config")).json();
    assert_eq!(running["trunkline-delegation:delegation"]["expression"][0]["text"], "1");
}

#[test]
fn a_text_may_have_several_lines() {
    let agent = Agent::start(&configured(""));
    let max = Client { agent: &agent, user: "max" };
    let entry = format!("{ROOT}/expression=max,lines");
    assert_eq!(max.send("POST", ROOT, &expression("max", "lines", "$1 +\n\t1", "")).status, 201);
    let read = max.get(&format!("{entry}?content=config")).json();
    assert_eq!(read["trunkline-delegation:expression"][0]["text"].as_str(), Some("$1 +\n\t1"));
    let mut netconf = client::Client::open(&agent, "max");
    let gone = netconf
        .ask(&edit("<expression nc:operation='delete'><owner>max</owner><name>lines</name></expression>"));
    assert!(gone.contains("<ok/>"), "{gone}");
    assert_eq!(max.get(&entry).status, 404);
}

/// The candidate is shared: whoever commits it lends no rights to what others have put into it.
#[test]
fn what_others_have_prepared_acts_by_their_rights() {
    let agent = Agent::start(&configured(""));
    let [max, dan] = ["max", "dan"].map(|user| Client { agent: &agent, user });
    let candidate = ROOT.replace("/data/", "/ds/ietf-datastores:candidate/");
    let time = |name: &str| expression("dan", name, "$1 > 0", "").replace(NUMBER, "1.3.6.1.2.1.1.3.0");
    assert_eq!(dan.send("POST", &candidate, &time("e")).status, 201);
    let mut netconf = client::Client::open(&agent, "max");
    let committed = netconf.ask("<commit/>");
    assert!(committed.contains("<ok/>"), "{committed}");
    let Some(found) = value(&agent, 4, "dan", "e") else { return };
    assert!(found.contains("No Such"), "{found}");
    // The same where it is copied into running.
    assert_eq!(dan.send("POST", &candidate, &time("f")).status, 201);
    let copied =
        netconf.ask("<copy-config><target><running/></target><source><candidate/></source></copy-config>");
    assert!(copied.contains("<ok/>"), "{copied}");
    assert!(value(&agent, 4, "dan", "f").unwrap().contains("No Such"));
    assert!(netconf.ask("<discard-changes/>").contains("<ok/>"));
    // What the committer has written acts by its own rights, and nobody's object by those.
    assert_eq!(max.send("POST", &candidate, &time("g")).status, 201);
    assert!(netconf.ask("<commit/>").contains("<ok/>"));
    assert_eq!(value(&agent, 4, "dan", "g").unwrap(), "1");
    assert_eq!(dan.send("POST", &candidate, &time("h")).status, 201);
    let text = format!("{candidate}/expression=dan,h/text");
    assert_eq!(max.send("PUT", &text, r#"{"trunkline-delegation:text":"$1 > 1"}"#).status, 204);
    assert!(netconf.ask("<commit/>").contains("<ok/>"));
    assert!(value(&agent, 4, "dan", "h").unwrap().contains("No Such"));
}

#[test]
fn a_monitor_and_its_event_are_rows_that_end_with_their_lifetime() {
    let agent = Agent::start(&configured(""));
    let max = Client { agent: &agent, user: "max" };
    let both = format!(
        "<delegation xmlns='{NAMESPACE}'><monitor><owner>max</owner><name>m</name><object>{NUMBER}</object><interval>1</interval>\
         <lifetime>1</lifetime><threshold><rising>5</rising><falling>-5</falling><rising-event-owner>max</rising-event-owner>\
         <rising-event>set</rising-event></threshold></monitor>\
         <event><owner>max</owner><name>set</name><set><object>{NUMBER}</object><value>1</value></set></event></delegation>"
    );
    let put = max.send("PUT", ROOT, &both);
    assert_eq!(put.status, 201, "{put:?}");
    // The same rows in DISMAN-EVENT-MIB, which the log says are gone when they are.
    let line = agent.wait_for("its lifetime is over");
    assert!(line.contains("mteTriggerTable") && line.contains("max/m"), "{line}");
    let rest = max.get_xml(&format!("{ROOT}?content=config")).body;
    assert!(!rest.contains("<monitor>") && rest.contains("<event>"), "{rest}");
    let Some(output) = net_snmp(
        "snmpwalk",
        &["-v2c", "-c", "public", "-On", &agent.udp().to_string(), "1.3.6.1.2.1.88.1.2.2"],
    ) else {
        return;
    };
    assert!(String::from_utf8_lossy(&output.stdout).contains("No Such"), "{output:?}");
}

#[test]
fn a_commit_that_is_taken_back_leaves_rights_as_they_were() {
    let agent = Agent::start(&configured(""));
    let dan = Client { agent: &agent, user: "dan" };
    assert_eq!(dan.send("POST", ROOT, &expression("dan", "e", "$1", "")).status, 201);
    let Some(found) = value(&agent, 4, "dan", "e") else { return };
    assert_eq!(found, "2");
    let mut max = client::Client::open(&agent, "max");
    let candidate = |content: &str| edit(content).replace("<running/>", "<candidate/>");
    let gone = "<expression nc:operation='delete'><owner>dan</owner><name>e</name></expression>";
    for step in
        [candidate(gone), "<commit><confirmed/><confirm-timeout>600</confirm-timeout></commit>".into()]
    {
        let reply = max.ask(&step);
        assert!(reply.contains("<ok/>"), "{step}: {reply}");
    }
    assert!(value(&agent, 4, "dan", "e").unwrap().contains("No Such"));
    assert!(max.ask("<cancel-commit/>").contains("<ok/>"));
    assert_eq!(value(&agent, 4, "dan", "e").unwrap(), "2");
}

/// The objects of a monitor's notification are rows of mteObjectsTable, and an entry may end at a time.
#[test]
fn objects_of_notifications_and_times_are_configured_too() {
    let agent = Agent::start(&configured(""));
    let max = Client { agent: &agent, user: "max" };
    let all = format!(
        r#"{{"trunkline-delegation:delegation":{{
            "monitor":[{{"owner":"max","name":"m","object":"{NUMBER}","until":"2090-01-01T00:00:00Z","objects":{{"owner":"max","name":"g"}},
                "threshold":{{"rising":5,"falling":-5,"objects":{{"owner":"max","name":"h"}}}}}}],
            "event":[{{"owner":"max","name":"gone","until":"2001-01-01T00:00:00Z"}}],
            "notification-object":[{{"owner":"max","name":"g","index":3,"object":"1.3.6.1.2.1.31.1.1.1.1.*"}}]}}}}"#
    );
    let put = max.send("PUT", ROOT, &all);
    assert_eq!(put.status, 201, "{put:?}");
    // Its time is over already.
    let line = agent.wait_for("its lifetime is over");
    assert!(line.contains("mteEventTable") && line.contains("max/gone"), "{line}");
    let config = max.get(&format!("{ROOT}?content=config")).json();
    let delegation = &config["trunkline-delegation:delegation"];
    assert!(delegation["event"].is_null(), "{delegation}");
    let monitor = &delegation["monitor"][0];
    assert_eq!(monitor["until"], "2090-01-01T00:00:00.000Z", "{delegation}");
    assert_eq!(monitor["objects"]["name"], "g", "{delegation}");
    assert_eq!(monitor["threshold"]["objects"]["name"], "h", "{delegation}");
    let object = max.get(&format!("{ROOT}/notification-object=max,g,3?content=config")).json();
    assert_eq!(object["trunkline-delegation:notification-object"][0]["object"], "1.3.6.1.2.1.31.1.1.1.1.*");
    // Both at once are refused.
    let both = r#"{"trunkline-delegation:lifetime":5}"#;
    let refused = max.send("PUT", &format!("{ROOT}/monitor=max,m/lifetime"), both);
    assert!(refused.status == 500 && refused.body.contains("must-violation"), "{refused:?}");
    assert!(refused.body.contains("not both"), "{refused:?}");
    let get = |name: &str| {
        let output = net_snmp("snmpget", &["-v2c", "-c", "public", "-Oqvn", &agent.udp().to_string(), name])?;
        Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    let row = format!("{}.{}.3", octets("max"), octets("g"));
    let Some(found) = get(&format!("1.3.6.1.2.1.88.1.3.1.1.3.{row}")) else { return };
    assert_eq!(found, ".1.3.6.1.2.1.31.1.1.1.1");
    // mteTriggerObjects and mteTriggerThresholdObjects.
    let short = format!("{}.109", octets("max"));
    for (column, name) in [("2.1.13", "g"), ("6.1.7", "h")] {
        let found = get(&format!("1.3.6.1.2.1.88.1.2.{column}.{short}")).unwrap();
        assert_eq!(found.trim_matches('"'), name, "{column}");
    }
    assert_eq!(max.curl(&["-X", "DELETE"], &format!("{ROOT}/notification-object=max,g,3")).status, 204);
    assert!(get(&format!("1.3.6.1.2.1.88.1.3.1.1.3.{row}")).unwrap().contains("No Such"));
}

/// A rule may name one entry by its keys.
#[test]
fn a_rule_gives_one_entry() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let one = "/trunkline-delegation:delegation/expression[owner='noa'][name='e']";
    let agent = Agent::start(&configured(&format!(
        "[[role]]\nname = \"one\"\nread = [\"1.3.6.1.2.1.11\", \"{one}\"]\nwrite = [\"{one}\"]\n\
         [[snmp.principal]]\nname = \"noa\"\nrole = \"one\"\npassword-hash = {hash:?}\n"
    )));
    let noa = Client { agent: &agent, user: "noa" };
    let entry = |name: &str| format!("{ROOT}/expression=noa,{name}");
    for (name, status) in [("e", 201), ("ee", 403), ("f", 403)] {
        let put = noa.send("PUT", &entry(name), &expression("noa", name, "$1 * 10", ""));
        assert_eq!(put.status, status, "{name}: {put:?}");
    }
    let Some(found) = value(&agent, 4, "noa", "e") else { return };
    assert_eq!(found, "20");
}
