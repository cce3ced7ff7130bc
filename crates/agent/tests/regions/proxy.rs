//! `[[proxy]]`: ours in front of Net-SNMP's agent.

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};

use trunkline_testkit::has;

use crate::regions::{Bound, Exception, Message, Pdu, Value, Version, ask, ask_v1, set, walk};
use crate::support::{self, Agent, BOTH, bulk, get, message, next};

/// snmpd on a separate port, ended when dropped.
pub struct Snmpd {
    child: Child,
    pub address: String,
    folder: tempfile::TempDir,
}

impl Snmpd {
    /// With these directives; `None` where Net-SNMP is not installed: the test is left out.
    pub fn start(directives: &str) -> Option<Self> {
        if !has("snmpd", "snmpd") || !has("snmpwalk", "snmp") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let configuration = folder.path().join("snmpd.conf");
        std::fs::write(&configuration, format!("rwcommunity public 127.0.0.1\n{directives}")).unwrap();
        let mut child = Command::new("snmpd")
            .args(["-f", "-C", "-Lo", "-I", "-smux", "-c"])
            .arg(&configuration)
            .arg(format!("--persistentDir={}", folder.path().display()))
            .arg(format!("udp:{address}"))
            .env("MIBS", "")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stdout.take().unwrap());
        let ready = log.lines().map_while(Result::ok).any(|line| line.contains("NET-SNMP version"));
        assert!(ready, "snmpd did not start");
        Some(Snmpd { child, address, folder })
    }

    /// Names and values as the tool prints them, without the types.
    pub fn walk(&self, below: &str) -> Vec<(String, String)> {
        let output = self.tool("snmpwalk", &["-One", "-Oqt", &self.address, below]);
        let text = String::from_utf8(output).unwrap();
        let line = |line: &str| {
            let (name, value) = line.split_once(' ')?;
            (!value.starts_with("No ")).then(|| (name.trim_start_matches('.').to_owned(), value.to_owned()))
        };
        text.lines().filter_map(line).collect()
    }

    /// Whether a text can be set.
    pub fn set(&self, name: &str, text: &str) -> bool {
        !self.tool("snmpset", &["-On", &self.address, name, "s", text]).is_empty()
    }

    fn tool(&self, tool: &str, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new(tool);
        command.args(["-v2c", "-cpublic", "-t20", "-r0"]).args(arguments);
        command.env("MIBS", "").env("SNMP_PERSISTENT_DIR", self.folder.path()).output().unwrap().stdout
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where snmpd's system group is seen.
const HERE: &str = "1.3.6.1.4.1.9999.5";
const SYSTEM: &str = "1.3.6.1.2.1.1";

const DIRECTIVES: &str = "sysLocation here\nsysDescr a machine\nsysObjectID .1.3.6.1.4.1.4242\n\
     createUser ann SHA-256 anns-password AES anns-password\nrwuser ann priv\n";

fn proxy(address: &str, more: &str) -> String {
    format!(
        "{BOTH}[[proxy]]\naddress = \"udp://{address}\"\nsubtree = \"{HERE}\"\nremote-subtree = \"{SYSTEM}\"\n\
         timeout = \"5s\"\n{more}\n"
    )
}

const USER: &str = "version = \"v3\"\nuser = \"ann\"\n[[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npriv = \"AES\"\n\
     password = \"anns-password\"\n";

#[test]
fn a_subtree_of_another_agent_is_mapped_elsewhere_here() {
    let Some(snmpd) = Snmpd::start(DIRECTIVES) else { return };
    for credentials in ["version = \"v1\"\ncommunity = \"public\"", "community = \"public\"", USER] {
        let agent = crate::regions::start(&proxy(&snmpd.address, credentials));
        let all = walk(&agent, HERE, None);
        let suffix = |name: &str, root: &str| name[root.len()..].to_owned();
        let ours: Vec<String> = all.iter().map(|(name, _)| suffix(name, HERE)).collect();
        let theirs: Vec<String> = snmpd.walk(SYSTEM).iter().map(|(name, _)| suffix(name, SYSTEM)).collect();
        assert_eq!(ours, theirs, "{credentials}");
        assert!(ours.len() > 20);
        let names = |all: Vec<(String, Value)>| all.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(walk(&agent, HERE, Some(7))), names(all.clone()));
        // Constant values are the same.
        assert_eq!(agent.get(&format!("{HERE}.1.0")), Bound::Value(Value::text("a machine")));
        assert_eq!(agent.get(&format!("{HERE}.6.0")), Bound::Value(Value::text("here")));
        let answer = ask(&agent, get(&[&format!("{HERE}.1.1"), &format!("{HERE}.77.0")]));
        let exceptions: Vec<Bound> = answer.bindings.into_iter().map(|binding| binding.value).collect();
        let v1 = credentials.contains("v1");
        let unknown = if v1 { Exception::NoSuchInstance } else { Exception::NoSuchObject };
        assert_eq!(exceptions, [Bound::Exception(Exception::NoSuchInstance), Bound::Exception(unknown)]);
        let answer = ask_v1(&agent, get(&[&format!("{HERE}.77.0")]));
        assert_eq!((answer.error_status, answer.error_index), (2, 1));
    }
}

#[test]
fn sets_are_forwarded_to_the_other_agent_as_a_whole() {
    let Some(snmpd) = Snmpd::start(DIRECTIVES) else { return };
    let agent = crate::regions::start(&proxy(&snmpd.address, USER));
    let (contact, name, description) = (format!("{HERE}.4.0"), format!("{HERE}.5.0"), format!("{HERE}.1.0"));
    assert_eq!(set(&agent, &[(&contact, Value::text("ann")), (&name, Value::text("box"))]), (0, 0));
    assert_eq!(agent.get(&contact), Bound::Value(Value::text("ann")));
    // All or nothing, and the refusal is the other agent's.
    let (status, index) = set(&agent, &[(&contact, Value::text("bob")), (&description, Value::text("x"))]);
    assert!(status != 0 && index == 2, "{status} {index}");
    assert_eq!(agent.get(&contact), Bound::Value(Value::text("ann")));
    assert_eq!(set(&agent, &[(&contact, Value::Integer(5))]), (7, 1));
    // With an object of ours that is refused here, nothing is set there either.
    let ours = ("1.3.6.1.2.1.1.1.0", Value::text("x"));
    assert_eq!(set(&agent, &[(&contact, Value::text("bob")), ours]).1, 2);
    assert_eq!(agent.get(&contact), Bound::Value(Value::text("ann")));
    // And an object of ours is undone when the other agent refuses.
    let before = agent.get("1.3.6.1.2.1.1.6.0");
    let ours = ("1.3.6.1.2.1.1.6.0", Value::text("elsewhere"));
    assert_ne!(set(&agent, &[ours, (&description, Value::text("x"))]).0, 0);
    assert_eq!(agent.get("1.3.6.1.2.1.1.6.0"), before);
}

#[test]
fn an_agent_that_is_not_there_delays_nobody_else() {
    // A port on which somebody listens who never answers.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let agent = crate::regions::start(
        &proxy(&address, "community = \"public\"\nretries = 0").replace("\"5s\"", "\"2s\""),
    );
    let waiting = support::socket_to(agent.udp());
    waiting.send(&message(Version::V2c, "public", get(&[&format!("{HERE}.1.0")])).encode()).unwrap();
    let mut buffer = [0; 2000];
    silent.recv(&mut buffer).unwrap();
    assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(Value::TimeTicks(_))));
    let answer = support::receive(&waiting).unwrap().pdu;
    assert_eq!((answer.error_status, answer.error_index), (5, 1));
    agent.wait_for("no answer after 1 attempt");
    // A search from before the subtree continues after it; one within it must not take the rest for everything.
    let answer = ask(&agent, next(&["1.3.6.1.4.1.9999.4"]));
    assert_eq!(answer.error_status, 0);
    assert!(answer.bindings[0].name > support::oid("1.3.6.1.4.1.9999.6"), "{}", answer.bindings[0].name);
    let answer = ask(&agent, next(&[&format!("{HERE}.1.0")]));
    assert_eq!((answer.error_status, answer.error_index), (5, 1));
}

/// The results for the community of a context.
fn ask_in_context(agent: &Agent, pdu: Pdu) -> Pdu {
    agent.ask(&Message { version: Version::V2c, community: b"elsewhere".to_vec(), pdu }).pdu
}

const CONTEXT: &str = "[[snmp.community]]\nname = \"elsewhere\"\naccess = \"write\"\ncontext = \"other\"\n";

#[test]
fn a_context_is_another_agents_as_a_whole() {
    let Some(snmpd) = Snmpd::start(DIRECTIVES) else { return };
    let address = &snmpd.address;
    let config =
        format!("{BOTH}{CONTEXT}[[proxy]]\naddress = \"udp://{address}\"\ncontext = \"other\"\n{USER}");
    let agent = crate::regions::start(&config);
    let answer = ask_in_context(&agent, get(&["1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.77.0"]));
    assert_eq!(answer.bindings[0].value, Bound::Value(Value::text("a machine")));
    assert_eq!(answer.bindings[1].value, Bound::Exception(Exception::NoSuchObject));
    let mut request = bulk(1, 3, &["1.3.6.1.2.1.1.1", "1.3.6.1.2.1.1.4"]);
    request.request_id = -77;
    let answer = ask_in_context(&agent, request);
    assert_eq!((answer.request_id, answer.bindings.len()), (-77, 4));
    assert_eq!(answer.bindings[0].value, Bound::Value(Value::text("a machine")));
    let answer = ask_in_context(
        &agent,
        support::set(vec![crate::regions::VarBind::new(support::oid("1.3.6.1.2.1.1.1.0"), Value::text("x"))]),
    );
    assert!(answer.error_status != 0 && answer.error_index == 1);
    // SNMPv1 has no exceptions (RFC 3584 section 4.2.2.1).
    let old = |pdu| agent.ask(&Message { version: Version::V1, community: b"elsewhere".to_vec(), pdu }).pdu;
    let answer = old(get(&["1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.77.0"]));
    assert_eq!((answer.error_status, answer.error_index), (2, 2));
    // From the high-capacity counters on there are many of a type that it does not know.
    let answer = old(next(&["1.3.6.1.2.1.31.1.1.1.6"]));
    assert!(!matches!(answer.bindings[0].value, Bound::Value(Value::Counter64(_))));
    assert_eq!(answer.error_status, 0);
    let answer = old(next(&["1.3.6.1.2.1.1.1", "1.9"]));
    assert_eq!((answer.error_status, answer.error_index), (2, 2));
    // The default context is ours.
    assert_ne!(agent.get("1.3.6.1.2.1.1.1.0"), Bound::Value(Value::text("a machine")));
}

#[test]
fn a_context_can_be_made_of_subtrees_of_several_agents() {
    let Some(first) = Snmpd::start(DIRECTIVES) else { return };
    let Some(second) = Snmpd::start("sysDescr another machine\n") else { return };
    let part = |snmpd: &Snmpd, here: &str| {
        format!(
            "[[proxy]]\naddress = \"udp://{}\"\ncommunity = \"public\"\ncontext = \"other\"\nsubtree = \"{here}\"\n\
             remote-subtree = \"{SYSTEM}\"\n",
            snmpd.address
        )
    };
    let config = format!(
        "{BOTH}{CONTEXT}{}{}",
        part(&first, "1.3.6.1.4.1.9999.1"),
        part(&second, "1.3.6.1.4.1.9999.2")
    );
    let agent = crate::regions::start(&config);
    let names = ["1.3.6.1.4.1.9999.1.1.0", "1.3.6.1.4.1.9999.2.1.0", "1.3.6.1.2.1.1.1.0"];
    let answer = ask_in_context(&agent, get(&names));
    let values: Vec<Bound> = answer.bindings.into_iter().map(|binding| binding.value).collect();
    let text = |text: &str| Bound::Value(Value::text(text));
    assert_eq!(
        values,
        [text("a machine"), text("another machine"), Bound::Exception(Exception::NoSuchObject)]
    );
    // From the end of the first one to the beginning of the second.
    let answer = ask_in_context(&agent, next(&["1.3.6.1.4.1.9999.1.99", "1.3.6.1.4.1.9999.2.99"]));
    assert_eq!(answer.bindings[0].name, support::oid("1.3.6.1.4.1.9999.2.1.0"));
    assert_eq!(answer.bindings[1].value, Bound::Exception(Exception::EndOfMibView));
    let answer = ask_in_context(
        &agent,
        support::set(vec![
            crate::regions::VarBind::new(support::oid("1.3.6.1.4.1.9999.1.4.0"), Value::text("new")),
            crate::regions::VarBind::new(support::oid("1.3.6.1.4.1.9999.1.1.0"), Value::text("x")),
        ]),
    );
    assert_eq!((answer.error_status != 0, answer.error_index), (true, 2));
    let answer = ask_in_context(&agent, get(&["1.3.6.1.4.1.9999.1.4.0"]));
    assert_ne!(answer.bindings[0].value, text("new"));
    assert!(walk(&agent, "1.3.6.1.4.1.9999", None).is_empty(), "not in the default context");
}
