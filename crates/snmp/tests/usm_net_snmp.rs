//! The User-based Security Model against Debian's Net-SNMP, with this crate alone: the keys that `snmpd` keeps in
//! its file, and `snmpget` querying our engine, for every pair of protocols. (Our manager querying `snmpd` is in
//! the tests of `client`.) Without Net-SNMP the tests print a message and pass, except in CI.
#![allow(missing_docs, clippy::expect_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use trunkline_smi::{Oid, OidList, ValueRef};
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::usm::{
    AuthProtocol, Credentials, EngineBoots, EngineClock, EngineId, MasterKey, PrivProtocol, UserTable,
};
use trunkline_snmp::wire::ResponseWriter;
use trunkline_snmp::{Counters, SecurityLevel};
use trunkline_testkit::has;

const ENGINE: &str = "0x80001f8804746573742d656e67696e65";
const AUTH_PASSWORD: &str = "authentic words";
const PRIV_PASSWORD: &str = "private words";
const SYS_LOCATION: &str = "1.3.6.1.2.1.1.6.0";
/// A program that hangs is ended after this many seconds.
const PATIENCE: &str = "30";

/// Which protocols a user has.
type Pair = (AuthProtocol, Option<PrivProtocol>);

fn pairs() -> impl Iterator<Item = Pair> {
    let ciphers = || [None].into_iter().chain(PrivProtocol::ALL.map(Some));
    AuthProtocol::ALL.into_iter().flat_map(move |auth| ciphers().map(move |privacy| (auth, privacy)))
}

/// Letters and digits only: `snmpd` writes other names in hexadecimal.
fn user_name((auth, privacy): Pair) -> String {
    format!("{}{}", auth.name(), privacy.map_or("none", PrivProtocol::name)).replace('-', "")
}

fn engine_id() -> EngineId {
    ENGINE.parse().expect("an engine ID")
}

/// A program of Net-SNMP that knows nothing but what is in `home`, and has no more than [`PATIENCE`].
fn program(name: &str, home: &TempDir) -> Command {
    let mut command = Command::new("timeout");
    command.args([PATIENCE, name]).stdin(Stdio::null());
    for variable in ["HOME", "SNMPCONFPATH", "SNMP_PERSISTENT_DIR"] {
        command.env(variable, home.path());
    }
    command
}

#[test]
fn snmpd_keeps_the_same_keys() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let mut configuration = format!("exactEngineID {ENGINE}\n");
    for pair @ (auth, privacy) in pairs() {
        let privacy = privacy.map_or_else(String::new, |cipher| format!(" {cipher} \"{PRIV_PASSWORD}\""));
        configuration += &format!("createUser {} {auth} \"{AUTH_PASSWORD}\"{privacy}\n", user_name(pair));
    }
    let kept = kept_by_snmpd(&configuration);
    let mut masters = BTreeMap::new();
    let mut master = |auth, password: &'static str| {
        let key = masters.entry((auth, password));
        key.or_insert_with(|| MasterKey::from_password(auth, password.as_bytes()).expect("long enough"))
            .clone()
    };
    for pair @ (auth, privacy) in pairs() {
        let auth_key = master(auth, AUTH_PASSWORD).localize(&engine_id()).to_hex();
        let mut wanted = vec![format!(".{}", auth.oid()), auth_key.to_string()];
        wanted.push(format!(".{}", privacy.map_or_else(PrivProtocol::none_oid, PrivProtocol::oid)));
        wanted.push(privacy.map_or_else(
            || "\"\"".into(),
            |cipher| {
                master(auth, PRIV_PASSWORD).localize_for_privacy(cipher, &engine_id()).to_hex().to_string()
            },
        ));
        assert_eq!(kept.get(&user_name(pair)), Some(&wanted), "{}", user_name(pair));
    }
}

/// Starts and ends `snmpd`, and reads the users it has kept: by name, protocols and keys as it writes them.
fn kept_by_snmpd(configuration: &str) -> BTreeMap<String, Vec<String>> {
    let home = TempDir::new().expect("a folder");
    let file = home.path().join("given.conf");
    std::fs::write(&file, configuration).expect("a file");
    let mut snmpd = program("snmpd", &home);
    snmpd.args(["-f", "-Lo", "-C", "-r", "-c"]).arg(&file).arg("-p").arg(home.path().join("pid"));
    let mut child = snmpd.arg("udp:127.0.0.1:0").stdout(Stdio::piped()).spawn().expect("snmpd starts");
    let mut log = BufReader::new(child.stdout.take().expect("its log")).lines();
    let is_up = log.any(|line| line.is_ok_and(|line| line.starts_with("NET-SNMP version")));
    let ended = Command::new("kill").arg(child.id().to_string()).status().expect("kill");
    child.wait().expect("snmpd ends");
    assert!(is_up && ended.success(), "snmpd has not come up");
    let text = std::fs::read_to_string(home.path().join("snmpd.conf")).expect("what snmpd keeps");
    // usmUser storage status engineID name securityName cloneFrom authOID authKey privOID privKey public
    let users = text.lines().filter_map(|line| line.strip_prefix("usmUser "));
    let words = users.map(|line| line.split(' ').map(str::to_owned).collect::<Vec<_>>());
    words.map(|words| (words[3].trim_matches('"').to_owned(), words[6..10].to_vec())).collect()
}

/// An agent that answers every Get with `here`: an engine, a socket, and a thread that ends with it.
struct Agent {
    address: String,
    home: TempDir,
}

impl Agent {
    /// Runs `ask` against an agent that knows a user for each pair; gives what the agent counted.
    fn run(ask: impl FnOnce(&Agent)) -> Counters {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().expect("an address");
        let agent = Agent { address: address.to_string(), home: TempDir::new().expect("a folder") };
        let serving = std::thread::spawn(move || serve(&socket));
        // Also when `ask` panics, an empty datagram ends the thread.
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(&agent)));
        let stopper = UdpSocket::bind("127.0.0.1:0").expect("a port");
        stopper.send_to(&[], address).expect("loopback");
        let counters = serving.join().expect("the agent does not panic");
        asked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        counters
    }

    fn snmpget(&self, options: &[&str]) -> Output {
        let mut snmpget = program("snmpget", &self.home);
        snmpget.args(["-v3", "-On", "-m", "", "-r", "0", "-t", "10"]).args(options);
        snmpget.args([&self.address, SYS_LOCATION]).output().expect("snmpget runs")
    }

    fn expect_here(&self, options: &[&str]) {
        let output = self.snmpget(options);
        let said = String::from_utf8_lossy(&output.stdout);
        let wanted = format!(".{SYS_LOCATION} = STRING: \"here\"\n");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, wanted, "{options:?}: {errors}");
    }

    fn expect_error(&self, options: &[&str], error: &str) {
        let output = self.snmpget(options);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(error) && !output.status.success(), "{options:?}: {said}");
    }
}

fn users() -> UserTable {
    let user = |pair: Pair| {
        let auth = Some((pair.0, AUTH_PASSWORD.as_bytes()));
        let privacy = pair.1.map(|cipher| (cipher, PRIV_PASSWORD.as_bytes()));
        let credentials = Credentials::from_passwords(user_name(pair).as_bytes(), auth, privacy);
        credentials.expect("good passwords").localize(&engine_id()).expect("a user")
    };
    let nobody = Credentials::from_passwords(b"nobody", None, None).expect("a name");
    pairs().map(user).chain([nobody.localize(&engine_id()).expect("a user")]).collect()
}

/// Answers until an empty datagram comes.
fn serve(socket: &UdpSocket) -> Counters {
    let engine = Engine::new(EngineOptions {
        id: engine_id(),
        clock: EngineClock::new(EngineBoots::new(3).expect("in range"), Instant::now()),
        max_size: 1472,
        handlers: Handlers::RESPONDER,
        remote_engines: 1,
        entropy: 0xffff_ffff_ffff_fff0, // salts go round
    });
    engine.set_users(users());
    let (counters, location) = (Counters::default(), SYS_LOCATION.parse::<Oid>().expect("an OID"));
    let (mut datagram, mut scratch, mut report, mut out) = (vec![0; 65_536], vec![], vec![], vec![]);
    loop {
        let (length, peer) = socket.recv_from(&mut datagram).expect("loopback");
        if length == 0 {
            return counters;
        }
        let now = Instant::now();
        let octets = &datagram[..length];
        let incoming = engine.receive(octets, &mut scratch, &mut report, now, None, |_| None, &counters);
        let answer = match incoming {
            Incoming::Request(request) => {
                let mut names = OidList::new();
                request.pdu.names(&mut names).expect("names");
                let mut writer = ResponseWriter::new(&mut out, request.max_size, request.reply());
                for name in names.iter() {
                    assert_eq!(*name, *location);
                    assert!(writer.value_at(name, ValueRef::OctetString(b"here")));
                }
                let range = writer.finish().expect("room for a message");
                &out[range]
            }
            Incoming::Report { reply, .. } => &report[reply],
            Incoming::Drop(reason) => panic!("{reason}"),
            Incoming::TrapV1(_) => panic!("no trap was sent"),
        };
        socket.send_to(answer, peer).expect("loopback");
    }
}

/// The options of a user with passwords.
fn options(pair: Pair) -> Vec<String> {
    let mut options = vec!["-u".into(), user_name(pair), "-a".into(), pair.0.to_string()];
    options.extend(["-A".into(), AUTH_PASSWORD.into()]);
    let Some(cipher) = pair.1 else {
        options.extend(["-l".into(), SecurityLevel::AuthNoPriv.to_string()]);
        return options;
    };
    options.extend(["-l".into(), SecurityLevel::AuthPriv.to_string()]);
    options.extend(["-x".into(), cipher.to_string(), "-X".into(), PRIV_PASSWORD.into()]);
    options
}

/// `options` with another value for one of them.
fn with<'o>(options: &'o [String], option: &str, value: &'o str) -> Vec<&'o str> {
    let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
    let at = options.iter().position(|&one| one == option).expect("one of the options");
    options[at + 1] = value;
    options
}

#[test]
fn snmpget_is_answered_with_every_pair_of_protocols() {
    if !has("snmpget", "snmp") {
        return;
    }
    let counters = Agent::run(|agent| {
        agent.expect_here(&["-l", "noAuthNoPriv", "-u", "nobody"]);
        for pair in pairs() {
            let options = options(pair);
            agent.expect_here(&options.iter().map(String::as_str).collect::<Vec<_>>());
        }
    });
    // Each discovers our engine first; nobody needs the time twice.
    assert_eq!((counters.in_get_requests.get(), counters.in_pkts.get()), (43, 86));
    assert_eq!(counters.unknown_engine_ids.get(), 43);
    assert_eq!((counters.wrong_digests.get(), counters.decryption_errors.get()), (0, 0));
}

#[test]
fn snmpget_gets_the_right_reports() {
    if !has("snmpget", "snmp") {
        return;
    }
    let pair = (AuthProtocol::Sha256, Some(PrivProtocol::Aes128));
    let counters = Agent::run(|agent| {
        let options = options(pair);
        agent.expect_error(&with(&options, "-A", "other words"), "Authentication failure");
        agent.expect_error(&with(&options, "-a", "SHA-512"), "Authentication failure");
        agent.expect_error(&with(&options, "-X", "other words"), "Decryption error");
        agent.expect_error(&with(&options, "-u", "stranger"), "Unknown user name");
        agent.expect_error(&with(&options, "-u", "SHA256none"), "Unsupported security level");
        // An outdated clock: an authentic Report carries the time, and snmpget retries.
        let mut late: Vec<&str> = options.iter().map(String::as_str).collect();
        late.extend(["-e", ENGINE, "-Z", "2,100"]);
        agent.expect_here(&late);
        // A key instead of a password, localised by us.
        let master =
            |password: &str| MasterKey::from_password(pair.0, password.as_bytes()).expect("long enough");
        let auth = master(AUTH_PASSWORD).localize(&engine_id()).to_hex();
        let privacy = master(PRIV_PASSWORD).localize_for_privacy(PrivProtocol::Aes128, &engine_id()).to_hex();
        let keys = ["-l", "authPriv", "-u", "SHA256AES", "-a", "SHA-256", "-x", "AES", "-e", ENGINE];
        agent.expect_here(&[&keys[..], &["-3k", &auth, "-3K", &privacy]].concat());
    });
    assert_eq!(counters.wrong_digests.get(), 2);
    assert_eq!(counters.decryption_errors.get(), 1);
    assert_eq!(counters.unknown_user_names.get(), 1);
    assert_eq!(counters.unsupported_sec_levels.get(), 1);
    assert!(counters.not_in_time_windows.get() >= 1);
    assert_eq!(counters.in_get_requests.get(), 2);
}
