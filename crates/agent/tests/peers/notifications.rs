//! The agent's notifications: every kind to SNMP4J, pysnmp, snmptrapd and an engine of ours, from real events.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use trunkline_smi::Value;
use trunkline_snmp::wire::{PduKind, VarBind, Version};
use trunkline_testkit::namespace::{ip, isolated};
use trunkline_testkit::peer::{Kind, Peer};

use super::agents::Snmptrapd;
use super::foreign::introduce;
use super::receiver::{Received, Receiver};
use super::support::{Agent, PATIENCE, exchange, get, message, oid, set};
use super::usm::config;
use super::who::Who;

const SENDER: Who = Who::new("SHA-256", "AES");
const ENGINE: &str = "80001f880470656572";

const COLD_START: &str = "1.3.6.1.6.3.1.1.5.1";
const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";
const LINK_UP: &str = "1.3.6.1.6.3.1.1.5.4";
const AUTHENTICATION_FAILURE: &str = "1.3.6.1.6.3.1.1.5.5";

/// A receiver of the agent's.
fn target(name: &str, port: u16, who: &str, more: &str) -> String {
    let who = match who {
        "v1" | "v2c" => format!("version = {who:?}\ncommunity = \"public\""),
        user => format!("version = \"v3\"\nuser = {user:?}"),
    };
    format!("[[snmp.target]]\nname = {name:?}\naddress = \"udp://127.0.0.1:{port}\"\n{who}\n{more}\n")
}

/// Each version and kind to one port.
fn every_kind(port: u16) -> String {
    let user = SENDER.name();
    [
        target("t1", port, "v1", ""),
        target("t2", port, "v2c", ""),
        target("t3", port, &user, ""),
        target("i2", port, "v2c", "kind = \"inform\""),
        target("i3", port, &user, "kind = \"inform\""),
    ]
    .concat()
}

fn start(targets: &str) -> Agent {
    let config = config([SENDER]);
    Agent::start(&format!("[agent]\nengine-id = \"0x{ENGINE}\"\n{config}{targets}"))
}

/// Waits until the agent logs for each of these targets that it was reached: a trap was sent, an inform
/// confirmed.
fn wait_until_told(agent: &Agent, targets: &[&str]) {
    let mut waiting = targets.to_vec();
    while !waiting.is_empty() {
        let line = agent.wait_for(" sent ");
        assert!(!line.contains("not sent"), "{line}");
        waiting.retain(|name| !line.contains(&format!("target={name:?}")));
    }
}

#[test]
fn snmp4j_and_pysnmp_receive_notifications_of_every_version() {
    for kind in Kind::ALL {
        let Some(mut peer) = Peer::start(kind) else { continue };
        let port = peer.listen();
        introduce(&mut peer, &[SENDER]);
        peer.ask(&format!("sender {} {ENGINE}", SENDER.name()));
        let agent = start(&every_kind(port));
        wait_until_told(&agent, &["t1", "t2", "t3", "i2", "i3"]);
        let mut told: Vec<String> = (0..5).map(|_| peer.notification()).collect();
        let user = SENDER.with_level();
        // One calls a trap of SNMPv1 what it is, the other translates it.
        let v1 = if kind == Kind::Snmp4j { "V1TRAP 0 1:public" } else { "TRAP 0 1:public" };
        for head in [
            v1.to_string(),
            "TRAP 1 1:public ".to_string(),
            format!("TRAP 3 {user} "),
            "INFORM 1 1:public ".to_string(),
            format!("INFORM 3 {user} "),
        ] {
            let at = told.iter().position(|line| line.starts_with(&head));
            let line = told.remove(at.unwrap_or_else(|| panic!("{kind:?} {head}: {told:#?}")));
            let is_named = line.contains(&format!("1.3.6.1.6.3.1.1.4.1.0={COLD_START}"));
            assert!(is_named || line.starts_with("V1TRAP"), "{kind:?}: {line}");
            assert!(line.contains("1.3.6.1.2.1.1.3.0=") || line.starts_with("V1TRAP"), "{kind:?}: {line}");
        }
    }
}

#[test]
fn snmptrapd_receives_notifications_of_every_version() {
    let (name, auth, privacy) = (SENDER.name(), SENDER.auth_password(), SENDER.priv_password());
    let user = |engine: &str| format!("createUser {engine} {name} SHA-256 {auth:?} AES {privacy:?}\n");
    let engine = format!("-e 0x{ENGINE}");
    let configuration =
        format!("authCommunity log public\n{}{}authUser log {name} priv\n", user(""), user(&engine));
    let Some(receiver) = Snmptrapd::start(&configuration) else { return };
    let agent = start(&every_kind(receiver.port));
    wait_until_told(&agent, &["t1", "t2", "t3", "i2", "i3"]);
    let mut told: Vec<String> = (0..5).map(|_| receiver.next()).collect();
    told.sort();
    for (line, head) in told.iter().zip([
        "INFORM, SNMP v2c, community public|".to_string(),
        format!("INFORM, SNMP v3, user {name}, context |"),
        "TRAP, SNMP v1, community public|.1.3.6.1.6.3.1.1.5|0|0|".to_string(),
        "TRAP2, SNMP v2c, community public|".to_string(),
        format!("TRAP2, SNMP v3, user {name}, context |"),
    ]) {
        assert!(line.starts_with(&head), "{head}: {told:#?}");
        let is_named = line.contains(&format!(".1.3.6.1.6.3.1.1.4.1.0 = OID: .{COLD_START}"));
        assert!(is_named || line.starts_with("TRAP,"), "{told:#?}");
    }
}

/// Sets snmpEnableAuthenTraps: 1 is enabled.
fn enable_authen_traps(agent: &Agent, value: i32) {
    let enable = VarBind::new(oid("1.3.6.1.2.1.11.30.0"), Value::Integer(value));
    let answer = agent.ask(&message(Version::V2c, "private", set(vec![enable])));
    assert_eq!(answer.pdu.error_status, 0, "{answer:?}");
}

/// Asks with a community that nobody has; the agent has dropped that when this returns.
fn ask_with_a_wrong_community(agent: &Agent) {
    let question = message(Version::V2c, "guessed", get(&["1.3.6.1.2.1.1.3.0"]));
    assert_eq!(exchange(agent.udp(), &question.encode()), None);
}

#[test]
fn a_wrong_community_is_notified_if_enabled() {
    let receiver = Receiver::on(0, &[]);
    let agent = start(&target("nms", receiver.port(), "v2c", ""));
    assert_eq!(receiver.next().name(), COLD_START);
    ask_with_a_wrong_community(&agent);
    enable_authen_traps(&agent, 1);
    ask_with_a_wrong_community(&agent);
    // The first one was not sent, so the second is the next.
    let told = receiver.next();
    assert_eq!((told.kind, told.name().as_str()), (PduKind::TrapV2, AUTHENTICATION_FAILURE));
    // Nothing of the stranger: its address in snmpTrapAddress.0 would be the agent's for the receiver (RFC 3584).
    assert!(told.notification.bindings.is_empty(), "{told:?}");
}

/// The enterprise of a trap of SNMPv1, snmpTrapEnterprise.0 of another notification; once.
fn enterprise(told: &Received) -> Option<String> {
    let is_it = |binding: &&VarBind| binding.name == oid("1.3.6.1.6.3.1.1.4.3.0");
    let mut all = told.notification.bindings.iter().filter(is_it);
    let (enterprise, more) = (all.next()?, all.next());
    assert!(more.is_none(), "the enterprise twice: {told:?}");
    match enterprise.value.value()? {
        Value::ObjectIdentifier(enterprise) => Some(enterprise.to_string()),
        other => panic!("{other:?}"),
    }
}

/// The names and enterprises were recorded from snmpd 5.9.3: at its start, after SIGHUP and after SIGTERM.
#[test]
fn start_reload_and_end_are_notified_as_by_snmpd() {
    for (version, more) in [("v1", ""), ("v2c", ""), ("v2c", "kind = \"inform\"")] {
        let receiver = Receiver::on(0, &[]);
        let style = config([SENDER]).replace("[snmp]", "[snmp]\ntrap-style = \"net-snmp\"");
        assert!(style.contains("trap-style"), "{style}");
        let agent = Agent::start(&(style + &target("nms", receiver.port(), version, more)));
        let expect = |name: &str, of: &str| {
            let told = receiver.next();
            assert_eq!(
                (told.name().as_str(), enterprise(&told).as_deref()),
                (name, Some(of)),
                "{version} {more}"
            );
        };
        expect(COLD_START, "1.3.6.1.4.1.8072.3.2.10");
        agent.signal("HUP");
        expect("1.3.6.1.4.1.8072.4.0.3", "1.3.6.1.4.1.8072.4");
        let ending = std::thread::spawn(move || agent.terminate());
        expect("1.3.6.1.4.1.8072.4.0.2", "1.3.6.1.4.1.8072.4");
        ending.join().unwrap();
    }
}

#[test]
fn the_end_is_notified_in_the_standard_style_too() {
    let receiver = Receiver::on(0, &[]);
    let agent = start(&target("nms", receiver.port(), "v2c", ""));
    let told = receiver.next();
    assert_eq!((told.name().as_str(), enterprise(&told)), (COLD_START, None));
    agent.signal("HUP");
    assert_eq!(receiver.next().name(), "1.3.6.1.6.3.1.1.5.2");
    let ending = std::thread::spawn(move || agent.terminate());
    let told = receiver.next();
    assert_eq!((told.name().as_str(), enterprise(&told)), ("1.3.6.1.4.1.8072.4.0.2", None));
    ending.join().unwrap();
}

/// The receiver confirms nothing: the agent waits for it as long as `grace` says, and says so.
#[test]
fn a_silent_receiver_does_not_keep_the_agent() {
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let informs =
        target("nms", silent.local_addr().unwrap().port(), "v2c", "kind = \"inform\"\ntimeout = \"30s\"");
    let mut agent = Agent::start(&format!("[agent]\ngrace = \"300ms\"\n{}{informs}", config([SENDER])));
    agent.signal("TERM");
    agent.wait_for("some notifications were not sent, or not confirmed");
    assert!(super::support::ends_well(&mut agent));
}

#[test]
fn a_filter_passes_the_configured_notifications() {
    let (all, some) = (Receiver::on(0, &[]), Receiver::on(0, &[SENDER]));
    let filter = "filter = [\"1.3.6.1.6.3.1.1.5\", \"-1.3.6.1.6.3.1.1.5.1\"]\nkind = \"inform\"";
    let targets = target("all", all.port(), "v1", "") + &target("some", some.port(), &SENDER.name(), filter);
    let agent = start(&targets);
    enable_authen_traps(&agent, 1);
    assert_eq!(all.next().name(), COLD_START);
    ask_with_a_wrong_community(&agent);
    assert_eq!(all.next().name(), AUTHENTICATION_FAILURE);
    let told = some.next();
    assert_eq!(told.name(), AUTHENTICATION_FAILURE);
    assert_eq!((told.kind, told.who), (PduKind::Inform, format!("3:authPriv:{}", SENDER.name())));
    wait_until_told(&agent, &["some"]);
}

/// A value that the test sets and a program serves as both `.1` and `.2`, and how often each was read.
struct Dial {
    folder: PathBuf,
}

const DIAL: &str = "1.3.6.1.4.1.99999.8";

impl Dial {
    fn make(folder: &Path) -> Dial {
        let script = format!(
            "#!/bin/sh\nprintf '%s\\ninteger\\n%s\\n' \"$2\" \"$(cat {0}/dial)\"\necho \"$2\" >> {0}/read\n",
            folder.display()
        );
        trunkline_testkit::write_program(&folder.join("dial.sh"), &script);
        Dial { folder: folder.to_owned() }
    }

    fn set(&self, value: i64) {
        std::fs::write(self.folder.join("next"), value.to_string()).unwrap();
        std::fs::rename(self.folder.join("next"), self.folder.join("dial")).unwrap();
    }

    fn times_read(&self) -> [usize; 2] {
        let read = std::fs::read_to_string(self.folder.join("read")).unwrap_or_default();
        [1, 2].map(|which| read.lines().filter(|line| line.ends_with(&format!("{DIAL}.{which}"))).count())
    }

    /// Waits until both have been read anew. A reading that had begun before may be of the value before, so it takes
    /// two.
    fn wait_until_read(&self) {
        let (before, begin) = (self.times_read(), Instant::now());
        while self.times_read().iter().zip(before).any(|(now, before)| *now < before + 2) {
            assert!(begin.elapsed() < PATIENCE, "nobody reads");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_monitor_reports_each_crossing_once() {
    let (receiver, folder) = (Receiver::on(0, &[]), tempfile::tempdir().unwrap());
    let dial = Dial::make(folder.path());
    dial.set(1);
    let monitor = |name: &str, which: u32, limit: &str| {
        format!(
            "[[monitor]]\nname = {name:?}\nexpression = \"{DIAL}.{which} * 10\"\nevery = \"100ms\"\n{limit}\n\
             send = [\"{DIAL}.{which}\"]\n"
        )
    };
    let monitors =
        monitor("high", 1, "above = 15\nclear = 12") + &monitor("low", 2, "below = 15\nclear = 18");
    let program = format!("[[pass]]\noid = \"{DIAL}\"\ncommand = [{:?}]\n", folder.path().join("dial.sh"));
    let _agent = start(&(target("nms", receiver.port(), "v2c", "") + &program + &monitors));
    let mut seen = Vec::new();
    for value in [1, 2, 1, 2] {
        dial.set(value);
        let told = loop {
            let told = receiver.next();
            if told.name() != COLD_START {
                break told;
            }
        };
        let values: Vec<Value> =
            told.notification.bindings.iter().map(|binding| binding.value.value().unwrap().clone()).collect();
        let text = |index: usize| match &values[index] {
            Value::OctetString(octets) => String::from_utf8_lossy(octets).into_owned(),
            other => panic!("{other:?}"),
        };
        seen.push((told.name(), text(0), text(1), text(2)));
        assert_eq!(values[3], Value::Integer(value as i32));
        // The other monitor must have seen the value, too, or it misses that its condition has ended.
        dial.wait_until_read();
    }
    let told = |name: &str, monitor: &str, value: &str| {
        (name.to_string(), monitor.to_string(), value.to_string(), "15".to_string())
    };
    let (high, low) = (told("1.3.6.1.3.9161.0.1", "high", "20"), told("1.3.6.1.3.9161.0.2", "low", "10"));
    assert_eq!(seen, [low.clone(), high.clone(), low, high]);
}

#[test]
fn an_inform_that_nobody_confirms_is_repeated_and_given_up() {
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    silent.set_read_timeout(Some(PATIENCE)).unwrap();
    let more = "kind = \"inform\"\ntimeout = \"150ms\"\nretries = 3";
    let agent = start(&target("deaf", silent.local_addr().unwrap().port(), "v2c", more));
    let mut sent = Vec::new();
    for _ in 0..4 {
        let mut octets = vec![0; 1500];
        let (length, _) = silent.recv_from(&mut octets).unwrap();
        octets.truncate(length);
        sent.push(trunkline_snmp::wire::Message::decode(&octets).unwrap());
    }
    assert_eq!((sent[0].pdu.kind, sent[0].community.as_slice()), (PduKind::Inform, b"public".as_slice()));
    assert!(sent.iter().all(|again| *again == sent[0]), "{sent:#?}");
    let line = agent.wait_for("not sent");
    assert!(line.contains("deaf"), "{line}");
    // No fifth: the agent has given up, and what it sent is earlier in the socket's queue.
    silent.set_nonblocking(true).unwrap();
    assert!(silent.recv_from(&mut [0; 1500]).is_err());
}

#[test]
fn an_inform_waits_for_a_receiver_that_comes_late() {
    isolated("notifications::an_inform_waits_for_a_receiver_that_comes_late", || {
        // In a namespace of our own nobody else takes the ports, and the kernel counts what came to closed ones.
        let more = "kind = \"inform\"\ntimeout = \"150ms\"\nretries = 200";
        let targets = target("late2", 4001, "v2c", more) + &target("late3", 4002, &SENDER.name(), more);
        let before = refused_datagrams();
        let agent = start(&targets);
        let begin = Instant::now();
        while refused_datagrams() < before + 4 {
            assert!(begin.elapsed() < PATIENCE, "nothing is sent");
            agent.get("1.3.6.1.2.1.1.3.0");
        }
        for (port, who) in
            [(4001, "2:noAuthNoPriv:public".into()), (4002, format!("3:authPriv:{}", SENDER.name()))]
        {
            let told = Receiver::on(port, &[SENDER]).next();
            assert_eq!((told.kind, told.name().as_str(), told.who), (PduKind::Inform, COLD_START, who));
        }
        wait_until_told(&agent, &["late2", "late3"]);
    });
}

#[test]
fn the_first_trap_waits_until_the_network_is_up() {
    isolated("notifications::the_first_trap_waits_until_the_network_is_up", || {
        let agent = start(
            "[[snmp.target]]\nname = \"boot\"\naddress = \"udp://192.0.2.1:4003\"\ncommunity = \"public\"\n",
        );
        let line = agent.wait_for("an attempt to reach a target failed");
        assert!(line.contains("boot"), "{line}");
        ip("address add 192.0.2.1/32 dev lo");
        let socket = std::net::UdpSocket::bind("192.0.2.1:4003").unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut octets = vec![0; 1500];
        let length = socket.recv(&mut octets).unwrap();
        let trap = trunkline_snmp::wire::Message::decode(&octets[..length]).unwrap();
        assert_eq!(trap.pdu.kind, PduKind::TrapV2);
        assert_eq!(trap.pdu.bindings[1].value.value(), Some(&Value::ObjectIdentifier(oid(COLD_START))));
    });
}

#[test]
fn as_many_datagrams_are_sent_as_attempts_are_configured() {
    isolated("notifications::as_many_datagrams_are_sent_as_attempts_are_configured", || {
        let more = "kind = \"inform\"\ntimeout = \"150ms\"\nretries = 2";
        let before = refused_datagrams();
        let agent = start(&target("nobody", 4004, "v2c", more));
        let line = agent.wait_for("not sent");
        assert!(line.contains("the port is closed (after 3 attempts)"), "{line}");
        assert_eq!(refused_datagrams(), before + 3);
    });
}

/// Datagrams that came to closed ports of this namespace.
fn refused_datagrams() -> u64 {
    let table = std::fs::read_to_string("/proc/self/net/snmp").unwrap();
    let lines: Vec<&str> = table.lines().filter(|line| line.starts_with("Udp:")).collect();
    let column = lines[0].split_whitespace().position(|word| word == "NoPorts").unwrap();
    lines[1].split_whitespace().nth(column).unwrap().parse().unwrap()
}

#[test]
fn a_link_that_goes_down_is_notified_at_once() {
    isolated("notifications::a_link_that_goes_down_is_notified_at_once", || {
        let receiver = Receiver::on(0, &[SENDER]);
        ip("link add near type veth peer name far");
        ip("link set near up");
        ip("link set far up");
        let filter = "filter = [\"1.3.6.1.6.3.1.1.5.3\", \"1.3.6.1.6.3.1.1.5.4\"]";
        let _agent = start(&target("nms", receiver.port(), &SENDER.name(), filter));
        let number: i32 =
            std::fs::read_to_string("/sys/class/net/near/ifindex").unwrap().trim().parse().unwrap();
        let next = || {
            let told = receiver.next();
            let index = told.notification.bindings[0].value.value().cloned();
            (told, index == Some(Value::Integer(number)))
        };
        // The agent starts to watch in parallel with its start: until it does, nothing is sent.
        let begin = Instant::now();
        while receiver.within(Duration::from_millis(300)).is_none() {
            assert!(begin.elapsed() < PATIENCE, "nothing is told");
            ip("link set near down");
            ip("link set near up");
        }
        while receiver.within(Duration::from_millis(300)).is_some() {}
        // The time that `ip` needs is in it, and what else this machine has to do: the best of some tries counts.
        let mut fastest = Duration::MAX;
        for _ in 0..5 {
            for (state, name, status) in [("down", LINK_DOWN, 2), ("up", LINK_UP, 1)] {
                let begin = Instant::now();
                ip(&format!("link set near {state}"));
                // The other end has lost or found its carrier, and is reported too.
                let (told, _) = std::iter::repeat_with(next).find(|(_, is_near)| *is_near).unwrap();
                assert_eq!(told.name(), name);
                let row = |column: u32| oid(&format!("1.3.6.1.2.1.2.2.1.{column}.{number}"));
                let expected = [(1, number), (7, status), (8, status)];
                let expected =
                    expected.map(|(column, value)| VarBind::new(row(column), Value::Integer(value)));
                assert_eq!(told.notification.bindings, expected);
                if state == "down" {
                    fastest = fastest.min(told.at - begin);
                }
            }
        }
        assert!(fastest < Duration::from_millis(100), "{fastest:?}");
    });
}
