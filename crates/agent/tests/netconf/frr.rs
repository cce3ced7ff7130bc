//! BGP as configuration, applied to FRR from Debian by `packaging/hooks/frr-bgp`: two routers in namespaces of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trunkline_smi::Value;
use trunkline_snmp::wire::Bound;
use trunkline_testkit::has;
use trunkline_testkit::namespace::{ip, isolated};

use crate::client::Client;
use crate::hooks::{bgp, edit, with_hooks};
use crate::support::{Agent, net_snmp};

/// Longer than FRR needs for a session, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// zebra and bgpd, which end with it.
struct Router {
    folder: PathBuf,
    daemons: Vec<Child>,
    /// What runs a program where the router is.
    within: Vec<String>,
}

impl Router {
    fn start(folder: PathBuf, within: &[String]) -> Router {
        fs::create_dir(&folder).unwrap();
        for file in ["frr.conf", "vtysh.conf"] {
            fs::write(folder.join(file), "\n").unwrap();
        }
        let mut router = Router { folder, daemons: Vec::new(), within: within.to_vec() };
        router.daemon("zebra", &[]);
        // FRR's daemons connect as long as it takes, but only the socket of vtysh shows that they run.
        router.daemon("bgpd", &[]);
        router
    }

    fn daemon(&mut self, name: &str, more: &[&str]) {
        let at = |file: &str| self.folder.join(file).display().to_string();
        let program = format!("/usr/lib/frr/{name}");
        let mut command = self.command(&program);
        command.args(["-u", "root", "-g", "root", "-A", "127.0.0.1", "-P", "0", "--vty_socket"]);
        command.args([at(""), "-z".into(), at("zserv"), "-i".into(), at(&format!("{name}.pid"))]);
        command.args(["-f".into(), at("frr.conf")]).args(more);
        let log = fs::File::create(self.folder.join(format!("{name}.log"))).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.daemons.push(command.spawn().unwrap());
        let socket = self.folder.join(format!("{name}.vty"));
        wait_until(&format!("{name} to listen"), || socket.exists());
    }

    fn command(&self, program: &str) -> Command {
        let mut words = self.within.iter().map(String::as_str).chain([program]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        command
    }

    fn options(&self) -> [String; 4] {
        let folder = self.folder.display().to_string();
        ["--vty_socket".into(), folder.clone(), "--config_dir".into(), folder]
    }

    fn show(&self, what: &str) -> String {
        let output = self
            .command("vtysh")
            .args(self.options())
            .args(["-c", &format!("show {what}")])
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn configure(&self, text: &str) {
        let file = self.folder.join("more.conf");
        fs::write(&file, text).unwrap();
        let status =
            self.command("vtysh").args(self.options()).arg("--inputfile").arg(file).status().unwrap();
        assert!(status.success(), "{text}");
    }

    /// The configuration without what is of the machine, in a form in which equal ones are equal.
    fn running(&self) -> String {
        let shown = self.show("running-config");
        let from = shown.find("router bgp").map_or("", |at| &shown[at..]);
        from.lines().filter(|line| *line != "!" && *line != "end").map(|line| format!("{line}\n")).collect()
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// A namespace that lasts as long as this.
struct Far(Child);

impl Far {
    fn make() -> Far {
        let child = Command::new("unshare")
            .args(["--net", "tail", "-f", "/dev/null"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let path = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/net")).unwrap();
        wait_until("a namespace", || path(&child.id().to_string()) != path("self"));
        Far(child)
    }

    fn within(&self) -> Vec<String> {
        ["nsenter", "-t", &self.0.id().to_string(), "-n"].map(str::to_owned).to_vec()
    }

    fn ip(&self, arguments: &str) {
        let status = Command::new("nsenter")
            .args(["-t", &self.0.id().to_string(), "-n", "ip"])
            .args(arguments.split_whitespace())
            .status()
            .unwrap();
        assert!(status.success(), "ip {arguments}");
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "waited for {what}");
        std::thread::yield_now();
    }
}

/// Our router and another one, at 192.0.2.1 and 192.0.2.2, in the namespace of the test.
struct World {
    folder: tempfile::TempDir,
    ours: Router,
    other: Router,
    #[expect(dead_code, reason = "the other router is in it")]
    far: Far,
}

impl World {
    fn make() -> World {
        let folder = tempfile::tempdir().unwrap();
        // FRR wants its user in this group; in the namespace of users there is only root.
        let group = fs::read_to_string("/etc/group").unwrap();
        let group: Vec<String> = group
            .lines()
            .map(|line| if line.starts_with("frrvty:") { "frrvty:x:0:root".into() } else { line.to_owned() })
            .collect();
        let file = folder.path().join("group");
        fs::write(&file, group.join("\n") + "\n").unwrap();
        let mounted = Command::new("mount").arg("--bind").arg(&file).arg("/etc/group").status().unwrap();
        assert!(mounted.success());
        ip("link add near type veth peer name far");
        let far = Far::make();
        ip(&format!("link set far netns {}", far.0.id()));
        ip("address add 192.0.2.1/24 dev near");
        ip("link set near up");
        far.ip("link set lo up");
        far.ip("address add 192.0.2.2/24 dev far");
        far.ip("link set far up");
        let ours = Router::start(folder.path().join("ours"), &["env".to_owned()]);
        let other = Router::start(folder.path().join("other"), &far.within());
        other.configure(
            "route-map ALL permit 1\nexit\nrouter bgp 65002\n no bgp default ipv4-unicast\n no bgp network import-check\n \
             timers bgp 1 5\n neighbor 192.0.2.1 remote-as 65001\n neighbor 192.0.2.1 timers connect 1\n neighbor 192.0.2.1 password maple\n address-family ipv4 unicast\n  network 203.0.113.0/24\n  \
             network 203.0.114.0/24\n  neighbor 192.0.2.1 activate\n  neighbor 192.0.2.1 route-map ALL in\n  \
             neighbor 192.0.2.1 route-map ALL out\n exit-address-family\nexit\n",
        );
        fs::create_dir(folder.path().join("keys")).unwrap();
        let key = folder.path().join("keys/to-other");
        fs::write(&key, "maple\n").unwrap();
        fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        World { folder, ours, other, far }
    }

    fn configuration(&self) -> String {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/hooks/frr-bgp");
        let (socket, keys) = (self.ours.folder.display(), self.folder.path().join("keys"));
        let program = program.canonicalize().unwrap().display().to_string();
        let frr = format!("{program:?}, \"--vty-socket\", \"{socket}\", \"--config-dir\", \"{socket}\"");
        with_hooks(&format!(
            "[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\nstate = true\ncommand = [{frr}, \"--keys\", {:?}]\n\
             [[pass]]\noid = \"1.3.6.1.2.1.15\"\ncommand = [{frr}, \"mib\"]\npersistent = true\ntimeout = \"20s\"\n",
            keys.display().to_string()
        ))
    }
}

fn is_missing() -> bool {
    !has("/usr/lib/frr/bgpd", "frr") || !has("python3", "python3")
}

/// Our router with one neighbor: what it announces, and the statements of its only policy for what comes in.
fn router(networks: &[&str], statements: &str) -> String {
    let networks: String =
        networks.iter().map(|it| format!("<network><prefix>{it}</prefix></network>")).collect();
    let statement = |name: &str, result: &str| {
        format!(
            "<statement><name>{name}</name><actions><policy-result>{result}</policy-result></actions></statement>"
        )
    };
    bgp(&format!(
        "<global><as>65001</as><identifier>192.0.2.1</identifier><afi-safis><afi-safi><name>ipv4-unicast</name>{networks}</afi-safi>\
         </afi-safis></global><neighbors><neighbor><remote-address>192.0.2.2</remote-address><peer-as>65002</peer-as>\
         <description>the other one</description><timers><hold-time>5</hold-time><keepalive>1</keepalive></timers>\
         <secure-session><md5-keychain>to-other</md5-keychain></secure-session>\
         <afi-safis><afi-safi><name>ipv4-unicast</name></afi-safi></afi-safis>\
         <apply-policy><import-policy>in</import-policy><export-policy>out</export-policy></apply-policy></neighbor></neighbors>\
         <policies><policy><name>in</name>{statements}</policy><policy><name>out</name>{}</policy></policies>",
        statement("all", "accept-route")
    ))
}

const ACCEPT: &str =
    "<statement><name>rest</name><actions><policy-result>accept-route</policy-result></actions></statement>";
const REJECT: &str = "<statement><name>not-114</name><conditions><match-prefix>203.0.114.0/23</match-prefix></conditions></statement>";

fn get(client: &mut Client) -> String {
    client.get("<bgp xmlns='urn:trunkline:yang:bgp'/>")
}

#[test]
fn two_routers_peer_and_exchange_what_is_configured() {
    if is_missing() {
        return;
    }
    isolated("frr::two_routers_peer_and_exchange_what_is_configured", || {
        let world = World::make();
        let agent = Agent::start(&world.configuration());
        let mut max = Client::open(&agent, "max");
        let config = router(&["198.51.100.0/24"], &(REJECT.to_owned() + ACCEPT));
        assert_eq!(max.ask(&edit("candidate", &config)), "<ok/>");
        assert_eq!(max.ask("<validate><source><candidate/></source></validate>"), "<ok/>");
        assert_eq!(world.ours.running(), "");
        assert_eq!(max.ask("<commit/>"), "<ok/>");
        // The session needs the password on both sides.
        wait_until("an established session", || {
            get(&mut max).contains("<session-state>established</session-state>")
        });
        let has = |router: &Router, network: &str| router.show("bgp ipv4 unicast").contains(network);
        wait_until("the routes", || {
            has(&world.other, "198.51.100.0/24") && has(&world.ours, "203.0.113.0/24")
        });
        assert!(!has(&world.ours, "203.0.114.0/24"));
        wait_until("the counters", || {
            get(&mut max).contains("<prefixes><received>1</received><sent>2</sent></prefixes>")
        });
        // The password is nowhere but in FRR and in its file.
        let all = get(&mut max);
        assert!(all.contains("<md5-keychain>to-other</md5-keychain>") && !all.contains("maple"), "{all}");
        assert!(world.ours.running().contains("password maple"));
        assert!(!get(&mut Client::open(&agent, "bob")).contains("bgp"));

        of_bgp4_mib(&agent);
        // The order of statements counts: what accepts everything goes first.
        let moved = edit(
            "running",
            &bgp(
                "<policies><policy><name>in</name><statement yang:insert='first'><name>rest</name></statement></policy></policies>",
            ),
        );
        assert_eq!(max.ask(&moved), "<ok/>");
        wait_until("the other route", || has(&world.ours, "203.0.114.0/24"));

        // What FRR refuses changes nothing: the first of two neighbors is possible, the second one is ourselves.
        let before = world.ours.running();
        let neighbor = |address: &str| {
            format!("<neighbor><remote-address>{address}</remote-address><peer-as>65003</peer-as></neighbor>")
        };
        let both =
            bgp(&format!("<neighbors>{}{}</neighbors>", neighbor("198.51.100.7"), neighbor("192.0.2.1")));
        let both = format!(
            "<system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'><contact>x</contact></system>{both}"
        );
        let refused = max.ask(&edit("running", &both));
        assert!(refused.contains("Can not configure the local system as neighbor"), "{refused}");
        assert!(refused.contains("<error-tag>operation-failed<") && !refused.contains("maple"), "{refused}");
        assert_eq!(world.ours.running(), before);
        assert!(!max.get("<system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'/>").contains("contact"));
        let lines = edit(
            "running",
            &bgp(
                "<neighbors><neighbor><remote-address>192.0.2.2</remote-address><description>a\nb</description></neighbor></neighbors>",
            ),
        );
        let refused = max.ask(&lines);
        assert!(
            refused.contains("<error-tag>invalid-value<") && refused.contains("must be one line"),
            "{refused}"
        );

        // A confirmed commit that nobody confirms.
        let off = bgp(
            "<neighbors><neighbor><remote-address>192.0.2.2</remote-address><enabled>false</enabled></neighbor></neighbors>",
        );
        assert_eq!(max.ask(&edit("candidate", &off)), "<ok/>");
        assert_eq!(max.ask("<commit><confirmed/><confirm-timeout>1</confirm-timeout></commit>"), "<ok/>");
        assert!(world.ours.running().contains("neighbor 192.0.2.2 shutdown"));
        wait_until("the end of the trial", || world.ours.running() == before);

        // Without it there is no router.
        assert_eq!(
            max.ask(&edit("running", &bgp("").replace("<bgp ", "<bgp nc:operation='delete' "))),
            "<ok/>"
        );
        assert_eq!(world.ours.running(), "");
    });
}

/// The same router over SNMP, by the program that answers for BGP4-MIB.
fn of_bgp4_mib(agent: &Agent) {
    let of = |instance: &str| match agent.get(&format!("1.3.6.1.2.1.15.{instance}")) {
        Bound::Value(value) => value,
        other => panic!("{instance}: {other:?}"),
    };
    let peer = |column: u32| of(&format!("3.1.{column}.192.0.2.2"));
    let [ours, theirs] = [[192, 0, 2, 1], [192, 0, 2, 2]].map(Value::IpAddress);
    assert_eq!(of("1.0"), Value::OctetString(vec![0x10]));
    assert_eq!((of("2.0"), of("4.0")), (Value::Integer(65001), ours.clone()));
    // bgpPeerState: established; bgpPeerAdminStatus: start.
    assert_eq!((peer(2), peer(3), peer(4)), (Value::Integer(6), Value::Integer(2), Value::Integer(4)));
    assert_eq!((peer(5), peer(7), peer(9)), (ours, theirs, Value::Integer(65002)));
    for (column, least) in [(10, 1), (11, 1), (12, 2), (13, 2), (15, 1)] {
        assert!(matches!(peer(column), Value::Counter32(count) if count >= least), "{column}");
    }
    // The hold time of the other one, 5 s, and ours.
    assert_eq!((peer(18), peer(20), peer(21)), (Value::Integer(5), Value::Integer(5), Value::Integer(1)));
    let walked = net_snmp(
        "snmpwalk",
        &["-v2c", "-c", "public", "-On", "-Oq", &agent.udp().to_string(), "1.3.6.1.2.1.15"],
    );
    if let Some(walked) = walked {
        let walked = String::from_utf8_lossy(&walked.stdout).into_owned();
        assert_eq!(walked.lines().count(), 3 + 23, "{walked}");
    }
}

/// Whenever the agent is killed, FRR has the old configuration or the new one after the next start.
#[test]
fn a_kill_leaves_the_old_router_or_the_new_one() {
    if is_missing() {
        return;
    }
    isolated("frr::a_kill_leaves_the_old_router_or_the_new_one", || {
        let world = World::make();
        let text = world.configuration();
        let mut folder = tempfile::tempdir().unwrap();
        let mut ends = [0; 2];
        // How long a change takes here and now: kills come before, within and after that.
        let took = {
            let agent = Agent::start_in(folder, &text);
            let mut max = Client::open(&agent, "max");
            let begun = Instant::now();
            assert_eq!(max.ask(&edit("running", &router(&["198.51.100.0/24"], ACCEPT))), "<ok/>");
            let took = begun.elapsed();
            drop(max);
            folder = agent.terminate();
            took
        };
        for round in 0..20_u32 {
            let agent = Agent::start_in(folder, &text);
            let mut max = Client::open(&agent, "max");
            let networks = [format!("198.51.{}.0/24", 10 + round), "198.51.100.0/24".to_owned()];
            let networks: Vec<&str> = networks.iter().map(String::as_str).collect();
            let before = get(&mut max);
            let new =
                edit("running", &router(&networks, ACCEPT).replace("<bgp ", "<bgp nc:operation='replace' "));
            max.tell(&new, took * round / 10);
            agent.signal("KILL");
            drop(max);
            folder = agent.into_folder();
            let again = Agent::start_in(folder, &text);
            let mut max = Client::open(&again, "max");
            let found = max.ask("<get-config><source><running/></source></get-config>");
            let of_round = format!("198.51.{}.0/24", 10 + round);
            let is_new = found.contains(&of_round);
            ends[usize::from(is_new)] += 1;
            assert!(is_new || before.is_empty() || found.contains("198.51.100.0/24"), "{found}");
            let running = world.ours.running();
            let mut in_frr: Vec<&str> =
                running.lines().filter_map(|line| line.trim().strip_prefix("network ")).collect();
            let mut expected: Vec<&str> =
                found.split("<prefix>").skip(1).map(|it| it.split_once('<').unwrap().0).collect();
            in_frr.sort_unstable();
            expected.sort_unstable();
            assert_eq!(in_frr, expected, "{running}");
            assert_eq!(running.contains("remote-as 65002"), found.contains("<neighbor>"), "{running}");
            drop(max);
            folder = again.terminate();
        }
        assert!(ends.iter().all(|count| *count > 0), "all ended the same way: {ends:?}");
    });
}
