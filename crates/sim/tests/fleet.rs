//! A fleet on loopback: Net-SNMP's tools read it, each agent has its own values, and faults are as they are set.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use trunkline_sim::configuration::Plan;
use trunkline_sim::faults::{Fault, Lie};
use trunkline_sim::metrics::Metrics;
use trunkline_sim::responder::{Responder, ResponderOptions, Verdict};
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_sim::{Count, fleet::Fleet};
use trunkline_smi::{Bound, Exception, Oid, Value};
use trunkline_snmp::wire::{Message, Pdu, PduKind, Version};
use trunkline_testkit::has;
use trunkline_transport::udp::{UdpClient, UdpClientOptions};

const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];

fn start(text: &str) -> Running {
    let plan = Plan::parse(text, Path::new("fleet.toml")).unwrap();
    let serve = ServeOptions { port: 0, threads: 2, ..plan.serve };
    Running::start(Arc::new(plan.fleet), &serve).unwrap()
}

/// 1,000 agents at a prefix of the test's own.
fn thousand(prefix: &str, more: &str) -> Running {
    start(&format!(
        "[[group]]\nname = \"g\"\nprefix = \"{prefix}\"\nagents = 1000\ninterfaces = [1, 6]\n{more}"
    ))
}

fn addresses(fleet: &Fleet) -> Vec<IpAddr> {
    fleet.agents().map(|(address, _)| address).collect()
}

fn request(version: Version, pdu: Pdu) -> Vec<u8> {
    Message { version, community: b"public".to_vec(), pdu }.encode()
}

/// Asks every agent for its sysName, each once, and returns what arrived until `expected` answers have, and nothing more
/// for a while.
fn ask_all(running: &Running, expected: usize, patience: Duration) -> Vec<(IpAddr, Vec<u8>)> {
    let peers = addresses(running.fleet());
    let mut client = UdpClient::open(false, &UdpClientOptions::default()).unwrap();
    let messages: Vec<Vec<u8>> = (0..peers.len())
        .map(|at| request(Version::V2c, Pdu::read(PduKind::Get, at as i32, [&Oid::from(SYS_NAME)])))
        .collect();
    let mut arrived = Vec::new();
    let mut collect = |client: &mut UdpClient, most: Duration| {
        client.wait(most).unwrap();
        let count = client.receive().unwrap();
        arrived.extend(client.arrived().map(|it| (it.peer.ip(), it.bytes.to_vec())));
        (count, arrived.len())
    };
    let mut seen = 0;
    for (peers, messages) in peers.chunks(50).zip(messages.chunks(50)) {
        let to = |peer: &IpAddr| SocketAddr::new(*peer, running.port());
        client.send(peers.iter().map(to).zip(messages.iter().map(Vec::as_slice)), |error| panic!("{error}"));
        seen = collect(&mut client, Duration::ZERO).1;
    }
    let begin = Instant::now();
    while seen < expected && begin.elapsed() < Duration::from_secs(60) {
        seen = collect(&mut client, Duration::from_secs(1)).1;
    }
    while collect(&mut client, patience).0 > 0 {}
    arrived
}

#[test]
fn each_of_a_thousand_agents_answers_from_its_address() {
    let running = thousand("127.101.0.0/16", "");
    let arrived = ask_all(&running, 1000, Duration::ZERO);
    let names: BTreeMap<IpAddr, String> = arrived
        .iter()
        .map(|(from, octets)| {
            let message = Message::decode(octets).unwrap();
            let Bound::Value(Value::OctetString(name)) = &message.pdu.bindings[0].value else { panic!() };
            (*from, String::from_utf8(name.clone()).unwrap())
        })
        .collect();
    for (at, address) in addresses(running.fleet()).into_iter().enumerate() {
        assert_eq!(names[&address], format!("sim-{at}"));
    }
    let counts = running.counts();
    assert_eq!((counts.get(Count::Requests), counts.get(Count::Answers)), (1000, 1000));
    assert_eq!(running.receive_drops() + running.send_errors(), 0);
}

#[test]
fn faults_are_what_they_are_called() {
    let faults = "[group.faults]\nsilent = \"10%\"\nslow = \"10%:50ms\"\nlossy = \"10%:100%\"\nwrong = \"20%\"\n\
                  rebooting = \"10%:1h:59m\"";
    let running = thousand("127.102.0.0/16", faults);
    let fault: BTreeMap<IpAddr, Option<Fault>> =
        running.fleet().agents().map(|(address, agent)| (address, agent.fault())).collect();
    let down = |address: &IpAddr| {
        let agent = running.fleet().at(*address).unwrap();
        agent.life(agent.fault(), Duration::from_secs(5)).is_down
    };
    let is_quiet = |(address, fault): (&IpAddr, &Option<Fault>)| match fault {
        Some(Fault::Silent | Fault::Lossy(_)) => true,
        Some(Fault::Rebooting { .. }) => down(address),
        _ => false,
    };
    let quiet = fault.iter().filter(|it| is_quiet(*it)).count();
    assert!((200..=300).contains(&quiet), "{quiet}");
    let arrived = ask_all(&running, 1000 - quiet, Duration::from_millis(100));
    let mut by_source: BTreeMap<IpAddr, usize> = BTreeMap::new();
    let mut broken = 0;
    for (from, octets) in &arrived {
        *by_source.entry(*from).or_default() += 1;
        match Message::decode(octets) {
            Ok(message) => {
                assert!(matches!(message.pdu.bindings[0].value, Bound::Value(Value::OctetString(_))))
            }
            Err(_) => broken += 1,
        }
    }
    let truncated = |fault: &&Option<Fault>| **fault == Some(Fault::Wrong(Lie::Truncated));
    assert_eq!(broken, fault.values().filter(truncated).count());
    for (address, fault) in &fault {
        let answers = by_source.get(address).copied().unwrap_or(0);
        match fault {
            Some(Fault::Silent | Fault::Lossy(_)) => {
                // Only another one's answers can come from there.
                assert!(answers <= 1, "{address}: {fault:?}: {answers}");
            }
            Some(Fault::Wrong(Lie::Source)) => assert!(answers <= 1, "{address}: {answers}"),
            Some(Fault::Rebooting { .. }) => {}
            _ => assert!((1..=2).contains(&answers), "{address}: {fault:?}: {answers}"),
        }
    }
    let counts = running.counts();
    let [silent, slow, lossy, wrong] =
        [Count::Silent, Count::Slow, Count::Lossy, Count::Wrong].map(|it| counts.get(it));
    assert_eq!([silent, slow, lossy, wrong], [100, 100, 100, 200]);
}

/// One exchange with one agent.
fn exchange(running: &Running, to: IpAddr, octets: &[u8]) -> Message {
    let mut client = UdpClient::open(false, &UdpClientOptions::default()).unwrap();
    client.send([(SocketAddr::new(to, running.port()), octets)].into_iter(), |error| panic!("{error}"));
    client.wait(Duration::from_secs(20)).unwrap();
    assert_eq!(client.receive().unwrap(), 1, "no answer");
    let arrived = client.arrived().next().unwrap();
    Message::decode(arrived.bytes).unwrap()
}

fn walk(running: &Running, to: IpAddr, version: Version, repetitions: i32) -> Vec<Oid> {
    let (mut found, mut at) = (Vec::new(), Oid::from([1, 3]));
    loop {
        let pdu = match repetitions {
            0 => Pdu::read(PduKind::GetNext, 1, [&at]),
            _ => Pdu::bulk(1, 0, repetitions, [&at]),
        };
        let answer = exchange(running, to, &request(version, pdu));
        if answer.pdu.error_status != 0 {
            assert_eq!((version, answer.pdu.error_status), (Version::V1, 2));
            return found;
        }
        for binding in answer.pdu.bindings {
            if binding.value == Bound::Exception(Exception::EndOfMibView) {
                return found;
            }
            assert!(binding.name > at, "{} follows {at}", binding.name);
            at = binding.name.clone();
            found.push(binding.name);
        }
        assert!(found.len() < 5000);
    }
}

#[test]
fn walks_in_every_way_find_the_same() {
    let running = thousand("127.103.0.0/16", "");
    for to in addresses(running.fleet()).into_iter().step_by(333) {
        let all = walk(&running, to, Version::V2c, 0);
        assert!(all.len() > 50);
        for repetitions in [1, 7, 500] {
            assert_eq!(walk(&running, to, Version::V2c, repetitions), all);
        }
        let narrow: Vec<Oid> = walk(&running, to, Version::V1, 0);
        let is_wide = |name: &&Oid| {
            [6, 7, 10, 11].iter().any(|column| name.starts_with(&[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, *column]))
        };
        assert_eq!(narrow.len() + all.iter().filter(is_wide).count(), all.len());
    }
}

#[test]
fn lies_of_walks_are_as_they_are_called() {
    let of = |lie: &str| {
        start(&format!(
            "[[group]]\nname = \"g\"\nprefix = \"127.104.0.0/24\"\nagents = 1\nfaults.wrong = \"100%:{lie}\""
        ))
    };
    let to: IpAddr = "127.104.0.0".parse().unwrap();
    let name = Oid::from(SYS_NAME);
    let next = |running: &Running, name: &Oid| {
        let answer = exchange(running, to, &request(Version::V2c, Pdu::read(PduKind::GetNext, 5, [name])));
        (answer.pdu.request_id, answer.pdu.bindings[0].clone())
    };
    assert_eq!(next(&of("repeated"), &name).1.name, name);
    assert_eq!(next(&of("request-id"), &name).0, 6);
    let typed = next(&of("type"), &Oid::from([1, 3, 6, 1, 2, 1, 2]));
    assert!(matches!(typed.1.value, Bound::Value(Value::OctetString(_))), "{typed:?}");
    let endless = of("endless");
    let mut at = Oid::from([1, 3, 6, 1, 6]);
    for _ in 0..100 {
        let found = next(&endless, &at).1;
        assert!(found.name > at && matches!(found.value, Bound::Value(_)));
        at = found.name;
    }
}

#[test]
fn what_cannot_be_done_is_refused_as_agents_do() {
    let running = thousand("127.105.0.0/16", "");
    let to = addresses(running.fleet())[7];
    let name = Oid::from(SYS_NAME);
    let set = |version| exchange(&running, to, &request(version, Pdu::read(PduKind::Set, 1, [&name]))).pdu;
    assert_eq!((set(Version::V2c).error_status, set(Version::V2c).error_index), (17, 1));
    assert_eq!(set(Version::V1).error_status, 2);
    let missing = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 999]);
    let get = |version| {
        exchange(&running, to, &request(version, Pdu::read(PduKind::Get, 1, [&name, &missing]))).pdu
    };
    assert_eq!((get(Version::V1).error_status, get(Version::V1).error_index), (2, 2));
    assert_eq!(get(Version::V2c).bindings[1].value, Bound::Exception(Exception::NoSuchInstance));
    // What nobody answers: another answer comes first.
    let mut client = UdpClient::open(false, &UdpClientOptions::default()).unwrap();
    let stranger = Message {
        version: Version::V2c,
        community: b"private".to_vec(),
        pdu: Pdu::read(PduKind::Get, 8, [&name]),
    };
    let good = request(Version::V2c, Pdu::read(PduKind::Get, 9, [&name]));
    let messages = [
        stranger.encode(),
        vec![0x30, 0x00],
        request(Version::V2c, Pdu::read(PduKind::Response, 8, [&name])),
        good,
    ];
    let to = SocketAddr::new(to, running.port());
    for message in &messages {
        client.send([(to, message.as_slice())].into_iter(), |error| panic!("{error}"));
    }
    client.wait(Duration::from_secs(20)).unwrap();
    client.receive().unwrap();
    let first = Message::decode(client.arrived().next().unwrap().bytes).unwrap();
    assert_eq!(first.pdu.request_id, 9);
    let counts = running.counts();
    assert_eq!((counts.get(Count::UnknownCommunity), counts.get(Count::Malformed)), (1, 2));
}

const USER: &str = "[[group.user]]\nname = \"nms\"\nauth = \"SHA\"\nauth-password = \"authpassword\"\npriv = \"AES\"\n\
                    priv-password = \"privpassword\"";

fn net_snmp(program: &str, version: &str, running: &Running, to: IpAddr, what: &str) -> String {
    let credentials: &[&str] = match version {
        "3" => &[
            "-u",
            "nms",
            "-l",
            "authPriv",
            "-a",
            "SHA",
            "-A",
            "authpassword",
            "-x",
            "AES",
            "-X",
            "privpassword",
        ],
        _ => &["-c", "public"],
    };
    let mut command = Command::new(program);
    command.args(["-m", "", "-On", "-t", "10", "-r", "1", "-v", version]).args(credentials);
    let output = command.arg(format!("{to}:{}", running.port())).arg(what).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {version} {to}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn net_snmps_tools_read_agents_in_every_version() {
    if !has("snmpget", "snmp") {
        return;
    }
    let running = thousand("127.106.0.0/16", USER);
    for (at, to) in addresses(running.fleet()).into_iter().enumerate().step_by(199) {
        for version in ["1", "2c", "3"] {
            let name = net_snmp("snmpget", version, &running, to, "1.3.6.1.2.1.1.5.0");
            assert_eq!(name.trim(), format!(".1.3.6.1.2.1.1.5.0 = STRING: \"sim-{at}\""));
        }
        let walked = net_snmp("snmpwalk", "2c", &running, to, "1.3.6.1.2.1.2.2.1.2");
        assert_eq!(walked, net_snmp("snmpbulkwalk", "2c", &running, to, "1.3.6.1.2.1.2.2.1.2"));
        assert_eq!(walked, net_snmp("snmpbulkwalk", "3", &running, to, "1.3.6.1.2.1.2.2.1.2"));
        assert_eq!(walked, net_snmp("snmpwalk", "1", &running, to, "1.3.6.1.2.1.2.2.1.2"));
        // A whole walk ends.
        assert!(net_snmp("snmpbulkwalk", "3", &running, to, "1.3.6.1").lines().count() > 50);
    }
    assert!(running.counts().get(Count::Engines) > 0);
}

/// Few engines are kept, and each agent still has its own.
#[test]
fn engines_of_more_agents_than_are_kept() {
    if !has("snmpget", "snmp") {
        return;
    }
    let text = format!("[[group]]\nname = \"g\"\nprefix = \"127.107.0.0/24\"\nagents = 4\n{USER}");
    let plan = Plan::parse(&text, Path::new("fleet.toml")).unwrap();
    let mut serve = ServeOptions { port: 0, ..plan.serve };
    serve.responder.engines = 2;
    let running = Running::start(Arc::new(plan.fleet), &serve).unwrap();
    for round in 1..3 {
        for (at, to) in addresses(running.fleet()).into_iter().enumerate() {
            let name = net_snmp("snmpget", "3", &running, to, "1.3.6.1.2.1.1.5.0");
            assert!(name.contains(&format!("sim-{at}")), "{name}");
        }
        assert_eq!(running.counts().get(Count::Engines), 4 * round);
    }
}

/// The same recording, another name for each agent.
#[test]
fn a_recording_is_many_agents() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.snmprec"),
        "1.3.6.1.2.1.1.5.0|4|core\n1.3.6.1.2.1.2.2.1.10.1|65|7\n",
    )
    .unwrap();
    let text =
        "[[group]]\nname = \"g\"\nprefix = \"127.108.0.0/24\"\nrecording = \"a.snmprec\"\nvary-name = true\n";
    let plan = Plan::parse(text, &folder.path().join("fleet.toml")).unwrap();
    let running = Running::start(Arc::new(plan.fleet), &ServeOptions { port: 0, ..plan.serve }).unwrap();
    for (at, to) in addresses(running.fleet()).into_iter().enumerate().step_by(100) {
        assert_eq!(walk(&running, to, Version::V2c, 5).len(), 2);
        let name = exchange(
            &running,
            to,
            &request(Version::V2c, Pdu::read(PduKind::Get, 1, [&Oid::from(SYS_NAME)])),
        );
        assert_eq!(name.pdu.bindings[0].value, Bound::Value(Value::text(format!("core-{at}"))));
    }
}

/// The file on the page for users is one, but for its recording.
#[test]
fn the_documented_file_is_a_fleet() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sim.md")).unwrap();
    let text = page.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("switch.snmprec"), "1.3.6.1.2.1.1.5.0|4|core\n").unwrap();
    let plan = Plan::parse(text, &folder.path().join("fleet.toml")).unwrap();
    assert_eq!((plan.fleet.len(), plan.serve.threads), (60_256, 2));
    for lie in Lie::ALL {
        assert!(page.contains(&format!("`{}`", lie.name())), "{lie:?}");
    }
}

/// The figures are served over HTTP while the fleet runs.
#[test]
fn metrics_are_served() {
    let running = Arc::new(thousand("127.109.0.0/16", ""));
    ask_all(&running, 1000, Duration::ZERO);
    let metrics = Metrics::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = metrics.local_addr();
    let serving = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let until = tokio::time::timeout(Duration::from_secs(60), metrics.serve(running));
            let checking = tokio::task::spawn_blocking(move || check_metrics(address));
            tokio::select! {
                _ = until => panic!("not served"),
                checked = checking => checked.unwrap(),
            }
        });
    });
    serving.join().unwrap();
}

fn check_metrics(address: SocketAddr) {
    let get = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answer = get("/metrics");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("text/plain; version=0.0.4"), "{answer}");
    assert!(answer.contains("trunkline_sim_answers_total 1000\n"), "{answer}");
    assert!(get("/").starts_with("HTTP/1.1 404"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever arrives, no message makes the responder fail, and an answer fits its limit.
    #[test]
    fn malformed_requests_are_survived(at in 0_usize..60, octet: u8, cut in 0_usize..60, v3: bool, last in 0_u8..20) {
        let text = "[[group]]\nname = \"g\"\nprefix = \"127.110.0.0/24\"\nfaults.wrong = \"100%\"\n";
        let plan = Plan::parse(text, Path::new("fleet.toml")).unwrap();
        let mut responder = Responder::new(Arc::new(plan.fleet), ResponderOptions::default(), Arc::default());
        let mut octets = request(Version::V2c, Pdu::bulk(1, 1, 10, [&Oid::from(SYS_NAME), &Oid::from(SYS_NAME)]));
        if v3 {
            octets[4] = 3;
        }
        if let Some(place) = octets.get_mut(at) {
            *place = octet;
        }
        octets.truncate(octets.len().saturating_sub(cut));
        let asked = IpAddr::from([127, 110, 0, last]);
        let verdict = responder.respond(&octets, asked, Instant::now(), Duration::from_secs(1), &mut Vec::new());
        if let Verdict::Answer(range) | Verdict::From(range, _) = verdict {
            prop_assert!(range.len() <= 1472);
        }
    }
}
