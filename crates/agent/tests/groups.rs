//! Agents that read other agents: what a mid-level manager serves, over whatever protocol its members are read; members that go
//! and come; managers of managers; notifications that are passed on; and peers that stand in for each other.

mod mbeans;

use std::net::{SocketAddr, UdpSocket};

use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Message, Pdu, PduKind, VarBind, Version};
use trunkline_transport::ssh::{HostKeys, PasswordHash};

use crate::support::{Agent, BOTH, PATIENCE, bulk, message, net_snmp, receive};

const IF_NUMBER: &str = "1.3.6.1.2.1.2.1.0";
const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];

/// The instance of a column of a group's table, by names and what follows.
fn cell(table: &[u32], column: u32, names: &[&str], rest: &[u32]) -> String {
    let mut name = Oid::EMPTY.child(table).child(&[1, column]);
    for part in names {
        let octets: Vec<u32> = part.bytes().map(u32::from).collect();
        name = name.child(&[octets.len() as u32]).child(&octets);
    }
    name.child(rest).to_string()
}

fn state(group: &str, member: &str) -> String {
    cell(mib::GROUP_MEMBER_TABLE.oid, 4, &[group, member], &[])
}

fn aggregate(column: u32, group: &str, name: &str) -> String {
    cell(mib::GROUP_AGGREGATE_TABLE.oid, column, &[group, name], &[])
}

/// Asks until the answer is this one.
fn until(agent: &Agent, name: &str, expected: &Bound) {
    let began = std::time::Instant::now();
    loop {
        let found = agent.get(name);
        if found == *expected {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{name} is {found:?}, not {expected:?}");
        std::thread::yield_now();
    }
}

fn integer(number: i32) -> Bound {
    Bound::Value(Value::Integer(number))
}

fn text(text: &str) -> Bound {
    Bound::Value(Value::text(text))
}

const USER: &str = "[[snmp.user]]\nname = \"ann\"\nrole = \"all\"\nauth = \"SHA-256\"\npassword = \"anns-password\"\n\
     [[role]]\nname = \"all\"\nread = [\"1.3.6.1\"]\n";

fn member(name: &str) -> Agent {
    member_with(name, "")
}

/// Ann may log in there with her password over HTTP, and `more` says how else.
fn member_with(name: &str, more: &str) -> Agent {
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    Agent::start(&format!(
        "[system]\nname = \"{name}\"\n{BOTH}{USER}[[snmp.principal]]\nname = \"ann\"\nrole = \"all\"\n\
         password-hash = {hash:?}\n{more}\n[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"soap\", \"restconf\"]\n"
    ))
}

fn group(name: &str, members: &str) -> String {
    format!(
        "[[group]]\nname = \"{name}\"\ninterval = \"1s\"\nmax-age = \"20s\"\nobjects = [\"sysName\"]\n{members}\n\
         [[group.aggregate]]\nname = \"interfaces\"\nobject = \"{IF_NUMBER}\"\nfunction = \"sum\"\n"
    )
}

fn of(name: &str, address: &str, more: &str) -> String {
    format!("[[group.member]]\nname = \"{name}\"\naddress = \"{address}\"\n{more}\n")
}

const PUBLIC: &str = "community = \"public\"";

#[test]
fn members_are_read_over_any_protocol_and_what_is_computed_is_served() {
    // The manager logs in over SSH with its own key.
    let keys = tempfile::tempdir().unwrap();
    let (key, public) = (keys.path().join("key"), keys.path().join("key.pub"));
    let lines = HostKeys::own(&key).unwrap().public_lines();
    std::fs::write(&public, lines.concat()).unwrap();
    let ssh = format!("authorized-keys = {public:?}\n[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]");
    let (one, two) = (member("one"), member_with("two", &ssh));
    let members = [
        of("netconf", &format!("netconf://ann@{}", two.address("ssh")), ""),
        of("udp", &format!("udp://{}", one.udp()), PUBLIC),
        of("v1", &format!("udp://{}", one.udp()), "version = \"v1\"\ncommunity = \"public\""),
        of("user", &format!("udp://{}", two.udp()), "user = \"ann\""),
        of("tcp", &format!("tcp://{}", two.tcp()), PUBLIC),
        of("soap", &format!("soap+http://{}", two.address("http")), PUBLIC),
        of(
            "restconf",
            &format!("restconf+http://{}", two.address("http")),
            "login = \"ann\"\npassword = \"maple syrup\"",
        ),
        of("named", &format!("udp://localhost:{}", one.udp().port()), PUBLIC),
        of("gone", "udp://127.0.0.1:1", PUBLIC),
    ];
    let own = format!("[snmp.ssh]\nhost-keys = [{key:?}]\naccept-new-hosts = true\n");
    let there = "[[role]]\nname = \"there\"\n[[role.access]]\ncontext = \"edge/*\"\nread = [\"1.3.6.1.2.1.1\"]\n\
         [[snmp.community]]\nname = \"there\"\nrole = \"there\"\ncontext = \"edge/udp\"\n";
    let configuration = format!("{BOTH}{USER}{own}{there}{}", group("edge", &members.concat()));
    let manager = Agent::start(&configuration);
    for (name, system) in [
        ("udp", "one"),
        ("v1", "one"),
        ("user", "two"),
        ("tcp", "two"),
        ("soap", "two"),
        ("restconf", "two"),
        ("netconf", "two"),
        ("named", "one"),
    ] {
        until(&manager, &state("edge", name), &integer(2));
        let value = cell(mib::GROUP_VALUE_TABLE.oid, 7, &["edge", name], &SYS_NAME);
        until(&manager, &value, &text(system));
    }
    until(&manager, &state("edge", "gone"), &integer(4));
    // A context has the member's objects under their own names, as far as the role may read them there.
    let system = Oid::from(SYS_NAME).to_string();
    assert_eq!(manager.get_as("there", &system), text("one"));
    assert!(matches!(manager.get_as("there", IF_NUMBER), Bound::Exception(_)));
    let walk = message(Version::V2c, "there", bulk(0, 9, &["1.3"]));
    let names: Vec<String> = manager.ask(&walk).pdu.bindings.iter().map(|it| it.name.to_string()).collect();
    assert_eq!(names[..1], [system]);
    let Bound::Value(Value::Integer(interfaces)) = one.get(IF_NUMBER) else { panic!() };
    let sum = Value::Counter64(8 * u64::try_from(interfaces).unwrap());
    until(&manager, &aggregate(4, "edge", "interfaces"), &Bound::Value(sum));
    until(&manager, &aggregate(9, "edge", "interfaces"), &Bound::Value(Value::Unsigned32(1)));
    let reachable = cell(mib::GROUP_TABLE.oid, 5, &["edge"], &[]);
    until(&manager, &reachable, &Bound::Value(Value::Unsigned32(8)));
    // One falls silent, and starts again elsewhere: another configuration.
    drop(one);
    until(&manager, &state("edge", "udp"), &integer(4));
    manager
        .rewrite(&format!("{BOTH}{}", group("other", &of("two", &format!("udp://{}", two.udp()), PUBLIC))));
    manager.signal("HUP");
    manager.wait_for("configuration reloaded");
    until(&manager, &state("other", "two"), &integer(2));
    assert!(matches!(manager.get(&state("edge", "user")), Bound::Exception(_)), "of the old configuration");
}

/// A receiver of notifications.
struct Noc(UdpSocket);

impl Noc {
    fn new() -> Noc {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Noc(socket)
    }

    fn target(&self) -> String {
        let address = self.0.local_addr().unwrap();
        format!("[[snmp.target]]\nname = \"noc\"\naddress = \"udp://{address}\"\ncommunity = \"public\"\n")
    }

    /// The objects of the next notification with this identifier.
    fn next(&self, notification: &[u32]) -> Vec<VarBind> {
        loop {
            let Pdu { mut bindings, .. } = receive(&self.0).unwrap().pdu;
            if bindings[1].value == Bound::Value(Value::ObjectIdentifier(Oid::EMPTY.child(notification))) {
                return bindings.split_off(2);
            }
        }
    }
}

fn texts(bindings: &[VarBind]) -> Vec<String> {
    let text = |binding: &VarBind| match &binding.value {
        Bound::Value(Value::OctetString(octets)) => String::from_utf8_lossy(octets).into_owned(),
        other => format!("{other:?}"),
    };
    bindings.iter().map(text).collect()
}

#[test]
fn members_that_go_and_come_are_reported_and_managers_have_managers() {
    let noc = Noc::new();
    let one = member("one");
    let address = one.udp();
    let members = of("one", &format!("udp://{address}"), PUBLIC);
    let middle = Agent::start(&format!("{BOTH}{}{}", noc.target(), group("edge", &members)));
    let managers =
        of("mid", &format!("tcp://{}", middle.tcp()), &format!("{PUBLIC}\nmanager = true\nvalues = true"));
    let inner = of("lone", &format!("udp://{}", middle.udp()), PUBLIC);
    let top = Agent::start(&format!(
        "{BOTH}{}{}",
        group("all", &format!("{managers}[[group.member]]\naddress = \"@local\"\n")),
        group("local", &inner)
    ));
    until(&top, &state("all", "mid/edge/one"), &integer(2));
    until(&top, &state("all", "@local"), &integer(2));
    let value = cell(mib::GROUP_VALUE_TABLE.oid, 7, &["all", "mid/edge/one"], &SYS_NAME);
    until(&top, &value, &text("one"));
    let Bound::Value(Value::Integer(interfaces)) = one.get(IF_NUMBER) else { panic!() };
    let count = |count: u64| Bound::Value(Value::Counter64(count * u64::try_from(interfaces).unwrap()));
    until(&top, &aggregate(4, "all", "mid/edge/interfaces"), &count(1));
    // Its own aggregate counts the member of the member, and that of the group within.
    until(&top, &aggregate(4, "all", "interfaces"), &count(2));
    drop(one);
    let down = noc.next(mib::GROUP_MEMBER_DOWN.oid);
    assert_eq!(texts(&down)[..2], ["edge", "one"]);
    until(&top, &state("all", "mid/edge/one"), &integer(4));
    let again = format!(
        "[snmp]\nlisten = [\"udp://{address}\"]\n[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n"
    );
    let _again = Agent::start(&again);
    let up = noc.next(mib::GROUP_MEMBER_UP.oid);
    assert_eq!(texts(&up)[..2], ["edge", "one"]);
}

/// Members of members have no contexts of their own, but a proxy leads to those that their manager has.
#[test]
fn a_proxy_leads_to_the_context_of_a_member_of_a_member() {
    let one = member("one");
    let members = group("edge", &of("one", &format!("udp://{}", one.udp()), PUBLIC));
    let contexts = "[[role.access]]\ncontext = \"edge/*\"\nread = [\"1.3.6.1\"]\n";
    let middle = Agent::start(&format!("{BOTH}{USER}{contexts}{members}"));
    until(&middle, &state("edge", "one"), &integer(2));
    let top = Agent::start(&format!(
        "{BOTH}{USER}[[role]]\nname = \"there\"\n[[role.access]]\ncontext = \"mid/edge/one\"\nread = [\"1.3.6.1\"]\n\
         [[snmp.community]]\nname = \"there\"\nrole = \"there\"\ncontext = \"mid/edge/one\"\n\
         [[proxy]]\naddress = \"udp://{}\"\nuser = \"ann\"\ncontext = \"mid/edge/one\"\nremote-context = \"edge/one\"\n",
        middle.udp()
    ));
    assert_eq!(top.get_as("there", &Oid::from(SYS_NAME).to_string()), text("one"));
}

#[test]
fn a_trigger_watches_an_aggregate() {
    let noc = Noc::new();
    let one = member("one");
    let value = aggregate(5, "edge", "interfaces");
    let trigger = format!(
        "[[trigger]]\nname = \"many\"\nobject = \"{value}\"\nevery = \"1s\"\n\
         boolean = {{ comparison = \">=\", value = 1 }}\n"
    );
    let members = group("edge", &of("one", &format!("udp://{}", one.udp()), PUBLIC));
    let _manager = Agent::start(&format!("{BOTH}{}{trigger}{members}", noc.target()));
    let fired = noc.next(&[1, 3, 6, 1, 2, 1, 88, 2, 0, 1]);
    let watched = Bound::Value(Value::ObjectIdentifier(value.parse().unwrap()));
    assert!(fired.iter().any(|binding| binding.value == watched), "{fired:?}");
    assert!(fired.iter().any(|binding| binding.value == one.get(IF_NUMBER)), "{fired:?}");
}

const LISTENING: &str = "listening for notifications of members";

/// Where a manager listens for notifications of its members.
fn listening(manager: &Agent) -> SocketAddr {
    place(&manager.wait_for(LISTENING))
}

/// The port of such a line.
fn place(line: &str) -> SocketAddr {
    let (_, port) = line.rsplit_once(':').unwrap();
    let port: String = port.chars().take_while(char::is_ascii_digit).collect();
    SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap()))
}

/// Sends a linkDown.
fn link_down(to: SocketAddr, from: &str, community: &str, about: &str, more: &[(&[u32], &str)]) {
    let up_time = VarBind::new("1.3.6.1.2.1.1.3.0".parse().unwrap(), Value::TimeTicks(4711));
    let link_down: Oid = "1.3.6.1.6.3.1.1.5.3".parse().unwrap();
    let name = "1.3.6.1.6.3.1.1.4.1.0".parse().unwrap();
    let what = VarBind::new(name, Value::ObjectIdentifier(link_down));
    let object = VarBind::new("1.3.6.1.2.1.2.2.1.2.3".parse().unwrap(), Value::text(about));
    let more =
        more.iter().map(|(name, text)| VarBind::new(Oid::EMPTY.child(name).child(&[0]), Value::text(*text)));
    let bindings = [up_time, what, object].into_iter().chain(more).collect();
    let pdu = Pdu::new(PduKind::TrapV2, 5, bindings);
    let message = Message { version: Version::V2c, community: community.into(), pdu };
    let socket = UdpSocket::bind((from, 0)).unwrap();
    socket.send_to(&message.encode(), to).unwrap();
}

#[test]
fn notifications_of_members_are_passed_on_and_those_of_strangers_are_counted() {
    let noc = Noc::new();
    let configuration = format!(
        "{BOTH}{}[groups]\n listen = [\"udp://127.0.0.1:0\"]\ncommunity = [\"traps\"]\n{}",
        noc.target(),
        group("edge", &of("one", "udp://127.0.0.7:1", PUBLIC))
    );
    let manager = Agent::start(&configuration);
    let to = listening(&manager);
    let trap = |from: &str, community: &str, about: &str, more: &[(&[u32], &str)]| {
        link_down(to, from, community, about, more);
    };
    trap("127.0.0.8", "traps", "of a stranger", &[]);
    trap("127.0.0.7", "guess", "of a wrong community", &[]);
    trap("127.0.0.7", "traps", "eth3", &[]);
    let inner = [(mib::GROUP_NOTIFY_GROUP.oid, "inner"), (mib::GROUP_NOTIFY_MEMBER.oid, "deep")];
    trap("127.0.0.7", "traps", "eth4", &inner);
    let link_down = [1, 3, 6, 1, 6, 3, 1, 1, 5, 3];
    assert_eq!(texts(&noc.next(&link_down)), ["eth3", "edge", "one"]);
    assert_eq!(texts(&noc.next(&link_down)), ["eth4", "edge", "one/inner/deep"]);
    // Managers that are members of each other would send it round for ever.
    let round = ["edge/one"; 7].join("/");
    let inner = [(mib::GROUP_NOTIFY_GROUP.oid, "edge"), (mib::GROUP_NOTIFY_MEMBER.oid, &*round)];
    trap("127.0.0.7", "traps", "eth5", &inner);
    manager.wait_for("has passed too many managers");
    let scalar = |oid: &[u32]| Oid::EMPTY.child(oid).child(&[0]).to_string();
    until(&manager, &scalar(mib::GROUP_PASSED_ON.oid), &Bound::Value(Value::Counter32(2)));
    until(&manager, &scalar(mib::GROUP_STRANGERS.oid), &Bound::Value(Value::Counter32(2)));
}

/// What is heard of members follows a reload; their groups, of which it changes nothing, go on.
#[test]
fn a_reload_changes_whose_notifications_are_passed_on() {
    let noc = Noc::new();
    let one = member("one");
    let configuration = |settings: &str, address: &str| {
        let members =
            [of("one", &format!("udp://{}", one.udp()), PUBLIC), of("two", address, PUBLIC)].concat();
        format!("{BOTH}{}[groups]\n{settings}\n{}", noc.target(), group("edge", &members))
    };
    let manager = Agent::start(&configuration("memory = 8388608", "udp://127.0.0.11:1"));
    until(&manager, &state("edge", "one"), &integer(2));
    manager.wait_for("a group begins");
    // Where it listens now, and whether the group begins again.
    let reload = |listen: &str, community: &str, address: &str| -> (SocketAddr, bool) {
        let settings = format!("listen = [\"udp://{listen}\"]\ncommunity = [\"{community}\"]");
        manager.rewrite(&configuration(&settings, address));
        manager.signal("HUP");
        let lines = manager.lines_until("configuration reloaded");
        let place = lines
            .iter()
            .find(|line| line.contains(LISTENING))
            .map_or_else(|| listening(&manager), |line| place(line));
        (place, lines.iter().any(|line| line.contains("a group begins")))
    };
    let (to, begins) = reload("127.0.0.1:0", "traps", "udp://127.0.0.11:1");
    assert!(!begins);
    link_down(to, "127.0.0.11", "traps", "first", &[]);
    let next = || texts(&noc.next(&[1, 3, 6, 1, 6, 3, 1, 1, 5, 3]));
    assert_eq!(next(), ["first", "edge", "two"]);
    // Another community, at the same place.
    let here = to.to_string();
    assert_eq!(reload(&here, "others", "udp://127.0.0.11:1"), (to, false));
    link_down(to, "127.0.0.11", "traps", "of the old community", &[]);
    link_down(to, "127.0.0.11", "others", "second", &[]);
    assert_eq!(next(), ["second", "edge", "two"]);
    let strangers = Oid::EMPTY.child(mib::GROUP_STRANGERS.oid).child(&[0]).to_string();
    until(&manager, &strangers, &Bound::Value(Value::Counter32(1)));
    assert_eq!(manager.get(&state("edge", "one")), integer(2));
}

/// Anybody may know the name of a user: what is weaker than its keys could be anybody's.
#[test]
fn notifications_need_the_level_of_their_users_keys() {
    let noc = Noc::new();
    let configuration = format!(
        "{BOTH}{}[[snmp.user]]\nname = \"nets\"\nauth = \"SHA\"\npriv = \"AES\"\npassword = \"maplesyrup\"\n\
         [groups]\n listen = [\"udp://127.0.0.1:0\"]\nuser = [\"nets\"]\n{}",
        noc.target(),
        group("edge", &of("one", "udp://127.0.0.9:1", PUBLIC))
    );
    let manager = Agent::start(&configuration);
    let to = listening(&manager).to_string();
    let strangers = Oid::EMPTY.child(mib::GROUP_STRANGERS.oid).child(&[0]).to_string();
    let keys = ["-a", "SHA", "-A", "maplesyrup", "-x", "AES", "-X", "maplesyrup"];
    for (refused, level) in ["noAuthNoPriv", "authNoPriv", "authPriv"].into_iter().enumerate() {
        let options =
            ["-v3", "-u", "nets", "-l", level, "-e", "0x8000000001020304", "--clientaddr=127.0.0.9"];
        let words = [&to, "5", "1.3.6.1.6.3.1.1.5.3", "1.3.6.1.2.1.2.2.1.2.3", "s", level];
        if net_snmp("snmptrap", &[&options[..], &keys, &words].concat()).is_none() {
            return;
        }
        let refused = (refused + 1).min(2) as u32;
        until(&manager, &strangers, &Bound::Value(Value::Counter32(refused)));
    }
    assert_eq!(texts(&noc.next(&[1, 3, 6, 1, 6, 3, 1, 1, 5, 3])), ["authPriv", "edge", "one"]);
}

#[test]
fn a_peer_takes_over_and_gives_back_and_both_tell_it() {
    let noc = Noc::new();
    let one = member("one");
    let members = of("one", &format!("udp://{}", one.udp()), PUBLIC);
    // Both must know the other's address before they start.
    let sockets = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let ports = sockets.map(|socket| socket.local_addr().unwrap());
    let manager = |own: usize, is_standby: bool| {
        let peer = ports[1 - own];
        let listen = format!("[snmp]\nlisten = [\"udp://{}\"]\n", ports[own]);
        let community = "[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n";
        let group = group("edge", &members).replace("[[group.aggregate]]", &format!(
            "[group.peer]\nat = {{ address = \"udp://{peer}\", community = \"public\" }}\nstandby = {is_standby}\n\
             interval = \"1s\"\nmissed = 2\n[[group.aggregate]]"
        ));
        format!("{listen}{community}{}{group}", noc.target())
    };
    let role = cell(mib::GROUP_TABLE.oid, 6, &["edge"], &[]);
    let (first, second) = (Agent::start(&manager(0, false)), Agent::start(&manager(1, true)));
    until(&first, &role, &integer(1));
    until(&first, &state("edge", "one"), &integer(2));
    until(&second, &cell(mib::GROUP_TABLE.oid, 12, &["edge"], &[]), &integer(3));
    assert_eq!(second.get(&role), integer(2));
    assert_eq!(second.get(&state("edge", "one")), integer(6), "it is left to the peer");
    assert!(matches!(second.get(&aggregate(4, "edge", "interfaces")), Bound::Exception(_)));
    let folder = first.terminate();
    until(&second, &role, &integer(1));
    until(&second, &state("edge", "one"), &integer(2));
    assert_eq!(texts(&noc.next(mib::GROUP_TAKEN_OVER.oid))[0], "edge");
    let first = Agent::start_in(folder, &manager(0, false));
    until(&second, &role, &integer(2));
    assert_eq!(texts(&noc.next(mib::GROUP_GIVEN_BACK.oid))[0], "edge");
    until(&first, &role, &integer(1));
    until(&first, &state("edge", "one"), &integer(2));
    let again = texts(&noc.next(mib::GROUP_TAKEN_OVER.oid));
    assert_eq!(again, ["edge", "the peer leaves the group to this agent"]);
}

/// A peer that does not accept us says why, and that is the reason; an empty file of members keeps nobody from asking it.
#[test]
fn what_a_peer_reports_is_the_reason_that_it_is_lost() {
    let peer = member("peer");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.members");
    std::fs::write(&file, "").unwrap();
    let other = |name: &str| {
        format!(
            "[[snmp.user]]\nname = {name:?}\nrole = \"all\"\nauth = \"SHA-256\"\npassword = \"not-anns-password\"\n"
        )
    };
    let asked = |name: &str, address: &str, user: &str| {
        format!(
            "[[group]]\nname = {name:?}\nobjects = [\"sysName\"]\nmembers-file = {file:?}\n[group.peer]\n\
             at = {{ address = {address:?}, user = {user:?} }}\nstandby = true\ninterval = \"4s\"\nmissed = 1\n"
        )
    };
    let (udp, tcp) = (format!("udp://{}", peer.udp()), format!("tcp://{}", peer.tcp()));
    let groups =
        [asked("a", &udp, "ann"), asked("b", &udp, "bob"), asked("c", &tcp, "ann"), asked("d", &tcp, "bob")];
    let roles = "[[role]]\nname = \"all\"\nread = [\"1.3.6.1\"]\n";
    let manager = Agent::start(&format!("{BOTH}{}{}{roles}{}", other("ann"), other("bob"), groups.concat()));
    let lines = [(); 4].map(|()| manager.wait_for("this agent reads the group from now on"));
    for (group, report) in [
        ("a", "usmStatsWrongDigests"),
        ("b", "usmStatsUnknownUserNames"),
        ("c", "usmStatsWrongDigests"),
        ("d", "usmStatsUnknownUserNames"),
    ] {
        let is_it = |line: &&String| line.contains(&format!("group={group:?}")) && line.contains(report);
        assert!(lines.iter().any(|line| is_it(&line)), "{group} {lines:?}");
    }
}

/// Groups that a reload does not change, with their members' file, go on; what is above a changed one goes on too.
#[test]
fn a_reload_starts_only_those_groups_again_that_it_changes() {
    let one = member("one");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("members");
    let in_file = |names: &[&str]| {
        let entry = |name: &&str| {
            format!("[[member]]\nname = \"{name}\"\naddress = \"udp://{}\"\n{PUBLIC}\n", one.udp())
        };
        std::fs::write(&file, names.iter().map(entry).collect::<String>()).unwrap();
    };
    in_file(&["first"]);
    let members = of("one", &format!("udp://{}", one.udp()), PUBLIC);
    let as_user = of("one", &format!("udp://{}", one.udp()), "user = \"ann\"");
    let with_file = group("file", "").replace("objects", &format!("members-file = {file:?}\nobjects"));
    let configuration = |steady: &str, user: &str| {
        let groups = [
            group("steady", steady),
            group("user", &as_user),
            group("above", "[[group.member]]\naddress = \"@file\"\n"),
        ];
        format!("{BOTH}{user}{}{with_file}", groups.concat())
    };
    let manager = Agent::start(&configuration(&members, USER));
    let requests = |group: &str, member: &str| {
        let name = cell(mib::GROUP_MEMBER_TABLE.oid, 10, &[group, member], &[]);
        match manager.get(&name) {
            Bound::Value(Value::Counter64(count)) => count,
            other => panic!("{other:?}"),
        }
    };
    const MEMBERS: [(&str, &str); 3] = [("steady", "one"), ("user", "one"), ("file", "first")];
    for (group, member) in MEMBERS {
        until(&manager, &state(group, member), &integer(2));
    }
    for _ in ["above", "file", "steady", "user"] {
        manager.wait_for("a group begins");
    }
    // Which groups begin; all others go on, and what is known of them is never less than before.
    let reload = |configuration: &str| -> Vec<&str> {
        let before = MEMBERS.map(|(group, member)| requests(group, member));
        manager.rewrite(configuration);
        manager.signal("HUP");
        let lines = manager.lines_until("configuration reloaded");
        let begins = |group: &str| {
            let words = format!("group=\"{group}\"");
            lines.iter().any(|line| line.contains("a group begins") && line.contains(&words))
        };
        for ((group, member), before) in
            MEMBERS.into_iter().zip(before).filter(|((group, _), _)| !begins(group))
        {
            let began = std::time::Instant::now();
            loop {
                // On a busy machine its answer may be late, but it was read before.
                assert_ne!(manager.get(&state(group, member)), integer(1), "{group}");
                let now = requests(group, member);
                assert!(now >= before && began.elapsed() < PATIENCE, "{group}: {now} after {before}");
                if now > before {
                    break;
                }
                std::thread::yield_now();
            }
        }
        ["above", "file", "steady", "user"].into_iter().filter(|group| begins(group)).collect()
    };
    assert_eq!(reload(&configuration(&members, USER)), [""; 0]);
    in_file(&["first", "second"]);
    assert_eq!(reload(&configuration(&members, USER)), ["file"]);
    until(&manager, &state("file", "second"), &integer(2));
    let count = cell(mib::GROUP_AGGREGATE_TABLE.oid, 8, &["above", "interfaces"], &[]);
    until(&manager, &count, &Bound::Value(Value::Unsigned32(2)));
    let other_members = [members.clone(), of("two", "udp://127.0.0.1:1", PUBLIC)].concat();
    assert_eq!(reload(&configuration(&other_members, USER)), ["steady"]);
    until(&manager, &state("steady", "one"), &integer(2));
    // The password of a user that a member is asked as: that group alone begins, and the member knows it no more.
    let other_user = USER.replace("anns-password", "another-password");
    assert_eq!(reload(&configuration(&other_members, &other_user)), ["user"]);
    until(&manager, &state("user", "one"), &integer(4));
}
