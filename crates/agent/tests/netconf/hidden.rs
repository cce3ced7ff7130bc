//! What somebody may write and not read, or neither: each request is sent while a secret has the value that it guesses, while it has another
//! one, and while there is no such entry. Who may not know which of them it is gets the same answers.

use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, agent};
use crate::support::Agent;

const SNMP: &str = "urn:ietf:params:xml:ns:yang:ietf-snmp";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const LOCKS: &str = "urn:ietf:params:xml:ns:netconf:partial-lock:1.0";

/// The agent with `kim`, who may write SNMP's configuration and not read it, `lou`, who may read all of it and not write it, `ron`, who may
/// neither, and `vic`, who may neither, but write the community `b`.
fn blind_agent() -> Agent {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let principal = |(name, read, write): (&str, &str, &str)| {
        format!(
            "[[role]]\nname = \"of-{name}\"\nread = [{read:?}]\nwrite = [{write:?}]\n\
             [[snmp.principal]]\nname = {name:?}\nrole = \"of-{name}\"\npassword-hash = {hash:?}\n"
        )
    };
    let more = [
        ("kim", "1.3.6.1.2.1.1", "1.3.6.1.6.3"),
        ("lou", "1", "1.3.6.1.2.1.1"),
        ("ron", "1.3.6.1.2.1.1", "1.3.6.1.2.1.1"),
        ("vic", "1.3.6.1.2.1.1", "1.3.6.1.6.3.18.1.1.1.*.98"),
    ];
    agent(&more.map(principal).concat())
}

fn snmp(content: &str) -> String {
    format!("<snmp xmlns='{SNMP}'>{content}</snmp>")
}

/// The community with these leaves.
fn community(leaves: &str) -> String {
    snmp(&format!("<community><index>a</index>{leaves}</community>"))
}

fn edit(target: &str, more: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target>{more}<config xmlns:nc='{NC}'>{content}</config></edit-config>"
    )
}

fn copy(content: &str) -> String {
    format!(
        "<copy-config><target><candidate/></target><source><config>{content}</config></source></copy-config>"
    )
}

/// Expressions that tell something if they look at what is hidden.
fn filters() -> Vec<String> {
    let names = format!("xmlns:s='{SNMP}' xmlns:y='{SYSTEM}'");
    let selects = [
        "/s:snmp/s:community[s:text-name='quiet']",
        "/s:snmp/s:community[s:index='a']/s:text-name",
        "/s:snmp/s:community[s:security-name='quiet'][s:text-name]",
        "/y:system[/s:snmp/s:community/s:text-name='quiet']",
        "//*[.='quiet'][local-name()='text-name']",
    ];
    let of = |select: &&str| {
        let filter = format!("<filter {names} type='xpath' select=\"{select}\"/>");
        [
            format!("<partial-lock xmlns='{LOCKS}'><select {names}>{select}</select></partial-lock>"),
            format!("<get>{filter}</get>"),
            format!("<get-config><source><running/></source>{filter}</get-config>"),
        ]
    };
    selects.iter().flat_map(of).collect()
}

/// What running has of the community: its name, if it is there.
fn make(max: &mut Client, name: Option<&str>) {
    let leaves = |name| format!("{}<security-name>quiet</security-name>", named(name));
    let community =
        name.map_or(String::new(), |name| format!("<community><index>a</index>{}</community>", leaves(name)));
    let content = format!("<snmp xmlns='{SNMP}' nc:operation='replace'>{community}</snmp>");
    assert_eq!(max.ask("<discard-changes/>"), "<ok/>");
    assert_eq!(max.ask(&edit("running", "", &content)), "<ok/>");
}

fn named(name: &str) -> String {
    format!("<text-name>{name}</text-name>")
}

/// Sends the operations of each request in each of these worlds, and compares the answers. Returns those that differ.
fn told(agent: &Agent, user: &str, worlds: &[Option<&str>], requests: &[Vec<String>]) -> Vec<String> {
    let [mut max, mut client] = ["max", user].map(|user| Client::open(agent, user));
    let mut answers = |request: &[String], world| {
        make(&mut max, world);
        let answers: Vec<String> = request.iter().map(|operation| client.ask(operation)).collect();
        client.ask("<cancel-commit/>");
        client.ask("<discard-changes/>");
        client.ask("<unlock><target><candidate/></target></unlock>");
        answers
    };
    let mut told = Vec::new();
    for request in requests {
        let all: Vec<_> = worlds.iter().map(|world| answers(request, *world)).collect();
        if all.iter().any(|it| *it != all[0]) {
            told.push(format!("{user}: {request:?}: {all:?}"));
        }
    }
    told
}

/// Also in a copy and a check of a whole configuration, and by what is refused because of a change: locks, and commits that are to be confirmed.
#[test]
fn no_answer_tells_whether_a_guess_of_a_secret_is_right() {
    let agent = blind_agent();
    let whole = community(&format!("{}<security-name>quiet</security-name>", named("quiet")));
    let guess = community(&named("quiet"));
    let mut requests: Vec<Vec<String>> = filters().into_iter().map(|it| vec![it]).collect();
    for content in [&whole, &guess] {
        requests.push(vec![copy(content)]);
        requests.push(vec![format!("<validate><source><config>{content}</config></source></validate>")]);
        requests.push(vec![edit("running", "<default-operation>none</default-operation>", content)]);
        requests.push(vec![edit("running", "<test-option>test-only</test-option>", content)]);
        for next in [
            "<commit><confirmed/></commit>",
            "<lock><target><candidate/></target></lock>",
            "<validate><source><candidate/></source></validate>",
            "<copy-config><target><running/></target><source><candidate/></source></copy-config>",
        ] {
            requests.push(vec![edit("candidate", "", content), next.to_owned()]);
        }
    }
    for user in ["kim", "lou", "ron", "vic", "max"] {
        // The lock would stay.
        let is_for = |it: &&Vec<String>| user != "lou" && user != "max" || !it[0].contains("partial-lock");
        let requests: Vec<_> = requests.iter().filter(is_for).cloned().collect();
        let told = told(&agent, user, &[Some("quiet"), Some("loud")], &requests);
        assert!(told.is_empty(), "{}", told.join("\n"));
    }
}

/// Who has locked the communities, and who may write them, learns it from no refusal because of that lock.
#[test]
fn a_lock_does_not_tell_whether_a_guess_of_a_secret_is_right() {
    let agent = blind_agent();
    let [mut max, mut holder, mut kim] = ["max", "max", "kim"].map(|user| Client::open(&agent, user));
    let place = format!(
        "<partial-lock xmlns='{LOCKS}'><select xmlns:s='{SNMP}'>/s:snmp/s:community</select></partial-lock>"
    );
    let guess = community(&named("quiet"));
    let mut answers = Vec::new();
    for (lock_id, name) in ["quiet", "loud"].into_iter().enumerate() {
        make(&mut max, Some(name));
        assert!(holder.ask(&place).contains("<lock-id"));
        answers.push([
            kim.ask(&edit("running", "", &guess)),
            kim.ask(&edit("candidate", "", &guess)),
            kim.ask("<commit/>"),
        ]);
        let unlock =
            format!("<partial-unlock xmlns='{LOCKS}'><lock-id>{}</lock-id></partial-unlock>", lock_id + 1);
        assert_eq!(holder.ask(&unlock), "<ok/>");
    }
    assert!(answers[0][0].contains("in-use"), "{answers:?}");
    assert_eq!(answers[0], answers[1]);
}

/// RFC 8341 section 3.2.4: what may not be read is not known to be there.
#[test]
fn no_answer_tells_whether_an_entry_is_there() {
    let agent = blind_agent();
    let none = "<default-operation>none</default-operation>";
    let whole = community(&format!("{}<security-name>quiet</security-name>", named("quiet")));
    let mut requests: Vec<Vec<String>> = filters().into_iter().map(|it| vec![it]).collect();
    for content in ["", &snmp(""), &whole, &community("<security-name>quiet</security-name>")] {
        requests.push(vec![copy(content)]);
        requests.push(vec![edit("candidate", none, content)]);
        requests.push(vec![edit("candidate", "", content)]);
        requests.push(vec![edit("candidate", "<default-operation>replace</default-operation>", content)]);
    }
    for operation in ["merge", "replace", "create", "delete", "remove"] {
        let of = format!(" nc:operation='{operation}'");
        for content in [
            community(&format!("<security-name{of}>quiet</security-name>")),
            community(&format!("<context{of}>x</context>")),
            snmp(&format!("<community{of}><index>a</index></community>")),
            format!("<snmp xmlns='{SNMP}'{of}/>"),
        ] {
            requests.push(vec![edit("candidate", "", &content)]);
            if ["merge", "remove"].contains(&operation) {
                requests.push(vec![edit("candidate", none, &content)]);
            }
        }
    }
    requests.push(vec![
        "<copy-config><target><candidate/></target><source><running/></source></copy-config>".to_owned(),
    ]);
    for user in ["kim", "ron", "vic"] {
        let told = told(&agent, user, &[Some("quiet"), None], &requests);
        assert!(told.is_empty(), "{}", told.join("\n"));
    }
    // What vic may write is written, and what kim may, replaced and removed.
    let b = snmp(
        "<community><index>b</index><text-name>b</text-name><security-name>b</security-name></community>",
    );
    let with = |operation: &str| b.replace("<community>", &format!("<community nc:operation='{operation}'>"));
    let [mut kim, mut vic] = ["kim", "vic"].map(|user| Client::open(&agent, user));
    assert_eq!(vic.ask(&edit("running", "", &b)), "<ok/>");
    assert_eq!(vic.ask(&edit("running", "", &with("remove"))), "<ok/>");
    assert_eq!(kim.ask(&edit("running", "", &with("replace"))), "<ok/>");
    assert_eq!(kim.ask(&edit("running", "", &with("remove"))), "<ok/>");
}

/// A user of SNMP without its key, as whoever has read it writes it back, gets the key that is there only if its writer may know of the user.
#[test]
fn a_secret_that_is_left_out_does_not_tell_that_it_is_there() {
    let agent = blind_agent();
    let [mut max, mut kim, mut lou] = ["max", "kim", "lou"].map(|user| Client::open(&agent, user));
    let user = |key: &str| {
        snmp(&format!("<usm><local><user><name>u</name><auth><sha>{key}</sha></auth></user></local></usm>"))
    };
    let validate = format!("<validate><source><config>{}</config></source></validate>", user(""));
    let replace = user("").replace("<user>", "<user nc:operation='replace'>");
    let replace = edit("running", "", &replace);
    let mut ask = || [kim.ask(&validate), kim.ask(&replace)];
    let missing = ask();
    assert!(missing.iter().all(|it| it.contains("sha must have key")), "{missing:?}");
    assert!(lou.ask(&validate).contains("sha must have key"));
    let key = format!("<key>{}</key>", ["0a"; 20].join(":"));
    assert_eq!(max.ask(&edit("running", "", &user(&key))), "<ok/>");
    assert_eq!(ask(), missing);
    assert_eq!([lou.ask(&validate), max.ask(&replace)], ["<ok/>", "<ok/>"]);
}
