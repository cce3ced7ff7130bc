//! Access over NETCONF (RFC 8341): `/nacm`, operations that are denied and counted, and groups as configuration.

use crate::client::{Client, agent, configuration};
use crate::support::Agent;

const NACM: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-acm";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

fn edit(target: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='{NC}'>{content}</config></edit-config>"
    )
}

fn groups(content: &str) -> String {
    format!("<nacm xmlns=\"{NACM}\"><groups>{content}</groups></nacm>")
}

fn group(name: &str, users: &[&str]) -> String {
    let users: String = users.iter().map(|user| format!("<user-name>{user}</user-name>")).collect();
    format!("<group><name>{name}</name>{users}</group>")
}

fn nacm(client: &mut Client, within: &str) -> String {
    client.get(&format!("<nacm xmlns='{NACM}'>{within}</nacm>"))
}

fn running(client: &mut Client) -> String {
    client.ask("<get-config><source><running/></source></get-config>")
}

fn has_tag(reply: &str, tag: &str) -> bool {
    reply.contains(&format!("<error-tag>{tag}</error-tag>"))
}

#[test]
fn the_policy_is_seen_by_those_who_may_read_vacm() {
    let agent = agent("");
    let (mut ann, mut bob) = (Client::open(&agent, "ann"), Client::open(&agent, "bob"));
    assert_eq!(nacm(&mut bob, ""), "");
    assert_eq!(
        bob.ask("<get><filter type='xpath' select='//*[local-name()=\"nacm\"]'/></get>"),
        "<data></data>"
    );
    let all = nacm(&mut ann, "");
    for part in [
        "<enable-nacm>true</enable-nacm><read-default>deny</read-default><write-default>deny</write-default>\
         <exec-default>deny</exec-default><enable-external-groups>false</enable-external-groups>",
        "<group><name>writer</name><user-name>max</user-name></group>",
        "<rule-list><name>reader</name><group>reader</group>",
        "<rpc-name>kill-session</rpc-name><access-operations>exec</access-operations><action>deny</action>",
        "<path>/</path><access-operations>read</access-operations><action>permit</action>",
        "<access-operations>create update delete</access-operations>",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    // Of the role that reads the system group alone.
    let little = nacm(&mut ann, "<rule-list><name>little</name></rule-list>");
    let place = "<path xmlns:sys=\"urn:ietf:params:xml:ns:yang:ietf-system\">/sys:system</path>\
                 <access-operations>read</access-operations><action>permit</action>";
    assert!(little.contains(place), "{little}");
    assert!(
        !little.contains("<name>reader</name>") && !little.contains("ietf-interfaces\">/if:"),
        "{little}"
    );
    // It does not belong to running: what the configuration file says is not configured over NETCONF.
    assert_eq!(running(&mut ann), "<data></data>");
}

#[test]
fn what_is_denied_is_counted() {
    let agent = agent("");
    let mut ann = Client::open(&agent, "ann");
    let mut counts = || {
        let counts = nacm(&mut ann, "<denied-operations/><denied-data-writes/><denied-notifications/>");
        let of = |name: &str| {
            let (_, rest) = counts.split_once(&format!("<{name}>")).unwrap_or_else(|| panic!("{counts}"));
            rest.split_once('<').unwrap().0.parse::<u32>().unwrap()
        };
        (of("denied-operations"), of("denied-data-writes"), of("denied-notifications"))
    };
    assert_eq!(counts(), (0, 0, 0));
    let (mut bob, mut tom) = (Client::open(&agent, "bob"), Client::open(&agent, "tom"));
    // Without any right to write, edits are denied as operations.
    for operation in
        ["<commit/>", "<kill-session><session-id>9</session-id></kill-session>", "<edit-config/>"]
    {
        assert!(has_tag(&bob.ask(operation), "access-denied"), "{operation}");
    }
    assert_eq!(counts(), (3, 0, 0));
    let location = format!("<system xmlns='{SYSTEM}'><location>x</location></system>");
    for target in ["candidate", "running"] {
        let reply = tom.ask(&edit(target, &location));
        assert!(has_tag(&reply, "access-denied"), "{reply}");
    }
    assert_eq!(counts(), (3, 2, 0));
    // A session's events are for those who may read the names of principals.
    let subscribe = "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'/>";
    assert_eq!(bob.ask(subscribe), "<ok/>");
    let mut max = Client::open(&agent, "max");
    max.get(&format!("<system xmlns='{SYSTEM}'/>"));
    let statistics = "<netconf-state xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><statistics/></netconf-state>";
    let is_counted = (0..1000).any(|_| {
        bob.get(statistics);
        counts().2 > 0
    });
    assert!(is_counted);
}

/// Nobody uses an operation without a role, and `kill-session` and `delete-config` need the right to change everything (RFC 8341
/// sections 3.2.7 and 3.2.10).
#[test]
fn operations_need_their_rights() {
    let agent = agent("");
    let [mut eve, mut bob, mut tom, mut max] =
        ["eve", "bob", "tom", "max"].map(|user| Client::open(&agent, user));
    let schema = "<get-schema xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><identifier>IF-MIB</identifier></get-schema>";
    let get = "<get-config><source><running/></source></get-config>";
    for operation in [
        "<get/>",
        get,
        schema,
        "<lock><target><running/></target></lock>",
        "<no-such-operation xmlns='urn:x'/>",
    ] {
        let reply = eve.ask(operation);
        assert!(has_tag(&reply, "access-denied"), "{operation}: {reply}");
    }
    assert!(!has_tag(&bob.ask(schema), "access-denied") && bob.ask(get).starts_with("<data>"));
    let kill = format!("<kill-session><session-id>{}</session-id></kill-session>", bob.id());
    assert!(has_tag(&tom.ask(&kill), "access-denied"));
    assert!(has_tag(
        &tom.ask("<delete-config><target><url>file:///x</url></target></delete-config>"),
        "access-denied"
    ));
    assert_eq!(tom.ask("<discard-changes/>"), "<ok/>");
    assert_eq!(max.ask(&kill), "<ok/>");
    assert_eq!(eve.ask("<close-session/>"), "<ok/>");
}

#[test]
fn groups_are_configured_as_rows_of_vacm() {
    let text = configuration("");
    let first = Agent::start(&text);
    let mut max = Client::open(&first, "max");
    let mut eve = Client::open(&first, "eve");
    assert!(has_tag(&eve.ask("<get/>"), "access-denied"));
    assert_eq!(max.ask(&edit("candidate", &groups(&group("little", &["eve", "zoe"])))), "<ok/>");
    assert!(has_tag(&eve.ask("<get/>"), "access-denied"));
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    // It decides the next request, and it is a row of SNMP's table.
    assert!(eve.ask("<get/>").contains("<sysDescr>"));
    let row = max.get(
        "<SNMP-VIEW-BASED-ACM-MIB><vacmSecurityToGroupTable><vacmSecurityToGroupEntry><vacmSecurityName>eve</vacmSecurityName>\
         </vacmSecurityToGroupEntry></vacmSecurityToGroupTable></SNMP-VIEW-BASED-ACM-MIB>",
    );
    assert!(row.contains("<vacmGroupName>little</vacmGroupName>") && row.contains(">nonVolatile<"), "{row}");
    let kept = groups(&group("little", &["eve", "zoe"]));
    assert!(running(&mut max).contains(&kept));
    // The same rows are in ietf-snmp.
    assert!(running(&mut max).contains("<member><security-name>zoe</security-name>"));
    let seen = nacm(&mut max, "<groups><group><name>little</name></group></groups>");
    assert_eq!(seen, groups(&group("little", &["bob", "eve", "zoe"])));
    // One user goes elsewhere, another one goes.
    let zoe = "<user-name nc:operation='delete'>zoe</user-name>";
    let eve_moves = format!(
        "<group><name>little</name><user-name nc:operation='delete'>eve</user-name>{zoe}</group>{}",
        group("writer", &["eve"])
    );
    // An entry without users is not kept: it goes as a whole.
    assert!(has_tag(&max.ask(&edit("running", &groups(&eve_moves))), "data-missing"));
    let eve_moves =
        format!("<group nc:operation='remove'><name>little</name></group>{}", group("writer", &["eve"]));
    assert_eq!(max.ask(&edit("running", &groups(&eve_moves))), "<ok/>");
    assert_eq!(eve.ask("<discard-changes/>"), "<ok/>");
    let kept = groups(&group("writer", &["eve"]));
    assert!(running(&mut max).contains(&kept));
    // It outlives the agent, and ends with its entry.
    drop((max, eve));
    let second = Agent::start_in(first.terminate(), &text);
    let mut max = Client::open(&second, "max");
    let mut eve = Client::open(&second, "eve");
    assert!(running(&mut max).contains(&kept));
    assert_eq!(eve.ask("<discard-changes/>"), "<ok/>");
    assert_eq!(max.ask(&edit("running", &format!("<nacm xmlns='{NACM}' nc:operation='delete'/>"))), "<ok/>");
    assert_eq!(running(&mut max), "<data></data>");
    // Who has lost all rights has no session any more, and a new one is of no use.
    assert_eq!(eve.read(), None);
    assert!(has_tag(&Client::open(&second, "eve").ask("<get/>"), "access-denied"));
}

#[test]
fn a_change_of_groups_is_one_with_the_rest_of_it() {
    let agent = agent("[system]\ncontact = \"from the file\"\n");
    let mut max = Client::open(&agent, "max");
    let mut eve = Client::open(&agent, "eve");
    let system = |leaf: &str| format!("<system xmlns='{SYSTEM}'><{leaf}>x</{leaf}></system>");
    let eve_reads = groups(&group("reader", &["eve"]));
    // What the file sets cannot be set: nothing is.
    let before = running(&mut max);
    let reply = max.ask(&edit("running", &[eve_reads.clone(), system("contact")].concat()));
    assert!(has_tag(&reply, "access-denied"), "{reply}");
    assert_eq!(running(&mut max), before);
    assert!(has_tag(&eve.ask("<get/>"), "access-denied"));
    // All of it is, and nothing of it in a commit that waits to be confirmed.
    assert_eq!(max.ask(&edit("candidate", &[eve_reads, system("location")].concat())), "<ok/>");
    assert!(has_tag(&max.ask("<commit><confirmed/></commit>"), "operation-not-supported"));
    assert_eq!(running(&mut max), before);
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert!(eve.ask("<get/>").contains("<sysDescr>"));
}

#[test]
fn what_cannot_be_applied_is_refused_with_a_reason() {
    let agent = agent("");
    let (mut max, mut tom) = (Client::open(&agent, "max"), Client::open(&agent, "tom"));
    let before = running(&mut max);
    for (content, tag, words) in [
        // bob has a role in the file.
        (groups(&group("writer", &["bob"])), "access-denied", "configuration file gives this user a role"),
        (
            groups(&[group("reader", &["eve"]), group("writer", &["eve"])].concat()),
            "invalid-value",
            "eve is in group reader already",
        ),
        (groups(&group("reader", &[])), "data-missing", "needs a user-name"),
        (groups(&group("reader", &["*"])), "invalid-value", "* is not a user"),
        (groups(&group("*x", &["eve"])), "invalid-value", "does not begin with *"),
        (
            format!("<nacm xmlns='{NACM}'><enable-nacm>false</enable-nacm></nacm>"),
            "operation-not-supported",
            "roles of the agent's configuration file",
        ),
        (
            format!("<nacm xmlns='{NACM}'><rule-list><name>x</name><group>reader</group></rule-list></nacm>"),
            "operation-not-supported",
            "vacmAccessTable",
        ),
        (
            format!("<nacm xmlns='{NACM}'><denied-operations>0</denied-operations></nacm>"),
            "bad-element",
            "state",
        ),
    ] {
        let reply = max.ask(&edit("running", &content));
        assert!(has_tag(&reply, tag) && reply.contains(words), "{content}: {reply}");
        assert_eq!(running(&mut max), before);
    }
    // Who may not write VACM's table learns nothing of who is in it.
    for operation in ["merge", "create", "delete", "remove"] {
        let content = groups(&group("reader", &["eve"]))
            .replace("<group>", &format!("<group nc:operation='{operation}'>"));
        let reply = tom.ask(&edit("running", &content));
        assert!(has_tag(&reply, "access-denied"), "{operation}: {reply}");
    }
}

/// The agent's log says briefly which row has denied a change.
#[test]
fn the_log_says_which_row_denied_a_change() {
    let agent = Agent::start(&configuration(""));
    let mut tom = Client::open(&agent, "tom");
    let reply =
        tom.ask(&edit("running", &format!("<system xmlns='{SYSTEM}'><location>x</location></system>")));
    assert!(has_tag(&reply, "access-denied"), "{reply}");
    let line = agent.wait_for("a change is denied");
    for part in
        ["tom", "/sys:system/sys:location", "contact/write", "has no family for it: denied, notInView"]
    {
        assert!(line.contains(part), "{part}: {line}");
    }
}
