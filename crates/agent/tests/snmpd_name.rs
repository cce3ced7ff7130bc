//! The agent by the name `snmpd`, as scripts and service managers start it.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use support::{PATIENCE, exchange, get, message, wait_for_end};
use trunkline_agentx::wire::{ByteOrder, Packet, Pdu, encode};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Version};
use trunkline_testkit::has;

/// A folder with a link called `snmpd` and a configuration.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(config: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_trunklined"), folder.path().join("snmpd")).unwrap();
        let place = Place { folder };
        place.configure(config);
        place
    }

    fn configure(&self, config: &str) {
        std::fs::write(self.path("my.conf"), config).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// `snmpd` with these options after the configuration, a pid file, and its own state.
    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(self.path("snmpd"));
        command.args(["-C", "-c"]).arg(self.path("my.conf")).arg("-p").arg(self.path("pid")).args(options);
        command.env("SNMP_PERSISTENT_DIR", self.path("persistent")).stdin(Stdio::null());
        command
    }

    /// The same in the foreground, logging to stderr, when it listens.
    fn start(&self, options: &[&str]) -> Running {
        let mut command = self.command(&["-f", "-Le"]);
        let mut child = command.args(options).arg("udp:127.0.0.1:0").stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let mut running = Running { child, lines, seen: String::new(), address: None };
        let line = running.wait_for("listening udp://");
        running.address = line.rsplit("udp://").next().and_then(|address| address.trim().parse().ok());
        running
    }
}

struct Running {
    child: Child,
    lines: BufReader<ChildStderr>,
    seen: String,
    address: Option<SocketAddr>,
}

impl Running {
    fn wait_for(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            let count = self.lines.read_line(&mut line).unwrap();
            assert_ne!(count, 0, "waiting for {word:?} it said {}", self.seen);
            self.seen.push_str(&line);
            if line.contains(word) {
                return line;
            }
        }
    }

    fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    fn name_for(&self, community: &str) -> Option<String> {
        name_at(self.address.unwrap(), community)
    }

    fn end(mut self) -> Option<i32> {
        self.signal("TERM");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

/// sysName at an address, if the community may read it.
fn name_at(address: SocketAddr, community: &str) -> Option<String> {
    let question = message(Version::V2c, community, get(&["1.3.6.1.2.1.1.5.0"])).encode();
    let answer = exchange(address, &question)?;
    match &answer.pdu.bindings[0].value {
        Bound::Value(Value::OctetString(octets)) => Some(String::from_utf8_lossy(octets).into_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_serves_the_old_file_and_reads_it_again() {
    let place = Place::new("sysName first\nrocommunity public\nsmuxpeer .1.3 x\nrocommunity old\n");
    let mut running = place.start(&[]);
    assert!(running.seen.contains("my.conf:3: smuxpeer: SMUX is not supported"), "{}", running.seen);
    assert_eq!(place.text("pid"), format!("{}\n", running.child.id()));
    assert_eq!(running.name_for("old").as_deref(), Some("first"));

    place.configure("sysName second\nrocommunity public\nrocommunity other\n");
    running.signal("HUP");
    running.wait_for("configuration reloaded");
    assert_eq!(running.name_for("other").as_deref(), Some("second"));
    assert_eq!(running.name_for("old"), None);
    assert_eq!(running.end(), Some(0));
    assert!(!place.path("pid").exists());
    assert!(place.path("persistent/trunkline/engine.toml").exists(), "its own state stands beside snmpd's");
}

#[test]
fn emptied_files_at_hang_up_change_nothing() {
    let place = Place::new("sysName first\nrocommunity public\n");
    let mut running = place.start(&[]);
    for text in ["", "# being written\n"] {
        place.configure(text);
        running.signal("HUP");
        let line = running.wait_for("stays in effect");
        assert!(line.contains("my.conf") || running.wait_for("my.conf").contains("directive"), "{line}");
        assert_eq!(running.name_for("public").as_deref(), Some("first"));
    }
    assert_eq!(running.end(), Some(0));
    // Without any directive from the start it is what snmpd is: nobody may ask.
    let place = Place::new("");
    let mut running = place.start(&[]);
    running.signal("HUP");
    running.wait_for("configuration reloaded");
    assert_eq!(running.end(), Some(0));
}

/// Debian's unit switches monitors off; an address without a name server is a failure.
#[test]
fn what_debians_unit_leaves_out_stays_out_and_no_address_is_a_failure() {
    let place = Place::new(
        "rocommunity public\nmonitor -r 1 up sysServices.0 > 0\ntrap2sink 127.0.0.1:9\nlinkUpDownNotifications yes\n",
    );
    let mut running = place.start(&["-I", "-smux,mteTrigger,mteTriggerConf"]);
    assert!(running.seen.contains("1 monitors do nothing"), "{}", running.seen);
    running.signal("HUP");
    running.wait_for("configuration reloaded");
    assert_eq!(running.end(), Some(0));
    place.configure("agentAddress udp:mgmt.nosuch.invalid:161\nrocommunity public\n");
    let output = place.command(&["-f", "-Le"]).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("none of the addresses to listen on can be used"), "{words}");
    assert!(words.contains("mgmt.nosuch.invalid"), "{words}");
}

/// Debian's unit starts snmpd with `-u Debian-snmp`; the folder of the socket is root's alone.
#[test]
fn subagents_connect_to_an_agent_that_changes_its_user() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = Place::new("");
    let open_to = |name: &str, mode| {
        std::fs::create_dir_all(place.path(name)).unwrap();
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open_to("", 0o755);
    open_to("roots", 0o700);
    let socket = place.path("roots/master");
    place.configure(&format!("rocommunity public\nmaster agentx\nagentXSocket {}\n", socket.display()));
    let mut running = place.start(&["-u", "nobody"]);
    running.wait_for("listening unix:");
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap();
    let user = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
    assert!(!user.split_whitespace().any(|id| id == "0"), "{user}");

    let pdu = Pdu::Open { timeout: 5, id: Oid::EMPTY, description: b"a subagent".to_vec() };
    let packet = Packet { order: ByteOrder::Big, session: 0, transaction: 1, packet: 1, context: None, pdu };
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut octets = Vec::new();
    encode(&packet, &mut octets).unwrap();
    stream.write_all(&octets).unwrap();
    let mut answer = [0; 28];
    stream.read_exact(&mut answer).unwrap();
    // After the header and sysUpTime: no error.
    assert_eq!((answer[1], &answer[24..26]), (18, &[0, 0][..]), "a Response");
    assert_eq!(running.end(), Some(0));
}

#[test]
fn the_service_manager_is_notified_when_it_listens() {
    let place = Place::new("rocommunity public\n");
    let socket = std::os::unix::net::UnixDatagram::bind(place.path("notify")).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut command = place.command(&["-f", "-Ln", "udp:127.0.0.1:0"]);
    let mut child = command.env("NOTIFY_SOCKET", place.path("notify")).spawn().unwrap();
    let mut octets = [0; 100];
    let count = socket.recv(&mut octets).unwrap();
    assert_eq!(&octets[..count], b"READY=1\n");
    signal(child.id(), "TERM");
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_pid_file_may_stay() {
    for (config, options) in
        [("rocommunity public\n", &["-U"][..]), ("leave_pidfile yes\nrocommunity public\n", &[])]
    {
        let place = Place::new(config);
        let running = place.start(options);
        assert_eq!(running.end(), Some(0));
        assert!(place.path("pid").exists());
    }
}

#[test]
fn directives_may_stand_on_the_command_line() {
    let place = Place::new("sysName file\nrocommunity public\nagentAddress udp:192.0.2.99:161\n");
    let running = place.start(&["--sysName=line", "--rwcommunity=private"]);
    assert_eq!(running.name_for("private").as_deref(), Some("line"));
    // And are not seen there once they are read.
    let seen = std::fs::read_to_string(format!("/proc/{}/cmdline", running.child.id())).unwrap();
    assert!(seen.contains("--rwcommunity=xxxxxxx") && !seen.contains("private"), "{seen:?}");
    assert_eq!(running.end(), Some(0));
}

#[test]
fn files_are_found_where_snmpd_finds_them() {
    let place = Place::new("");
    std::fs::create_dir(place.path("etc")).unwrap();
    std::fs::create_dir(place.path("persistent")).unwrap();
    std::fs::write(place.path("etc/snmpd.conf"), "sysName main\nrocommunity public\n").unwrap();
    std::fs::write(place.path("etc/snmpd.local.conf"), "sysName local\n").unwrap();
    std::fs::write(place.path("persistent/snmpd.conf"), "oldEngineID 0x80001f8880aabbccdd\nengineBoots 3\n")
        .unwrap();
    let mut command = Command::new(place.path("snmpd"));
    command.args(["-f", "-Le", "udp:127.0.0.1:0"]).env("SNMPCONFPATH", place.path("etc"));
    command.env("SNMP_PERSISTENT_DIR", place.path("persistent")).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap());
    let mut running = Running { child, lines, seen: String::new(), address: None };
    let line = running.wait_for("listening udp://");
    let address = line.rsplit("udp://").next().unwrap().trim().parse().unwrap();
    assert_eq!(name_at(address, "public").as_deref(), Some("local"));
    assert!(place.text("persistent/trunkline/engine.toml").to_lowercase().contains("80001f8880aabbccdd"));
    assert_eq!(running.end(), Some(0));
}

fn address_in(log: &str) -> SocketAddr {
    let line = log.lines().find(|line| line.contains("listening udp://")).unwrap_or_else(|| panic!("{log}"));
    line.rsplit("udp://").next().unwrap().trim().parse().unwrap()
}

#[test]
fn it_goes_into_the_background_when_it_listens() {
    let place = Place::new("sysName behind\nrocommunity public\n");
    let log = place.path("log");
    std::fs::write(&log, "from before\n").unwrap();
    // With stdout and stderr piped this returns only if the one in the background lets go of them.
    let output = place.command(&["-Lf"]).arg(&log).arg("udp:127.0.0.1:0").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let pid: i32 = place.text("pid").trim().parse().unwrap();
    let words = place.text("log");
    assert!(!words.contains("from before"), "without -A a log begins anew");
    assert_eq!(name_at(address_in(&words), "public").as_deref(), Some("behind"));
    let session = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = session.rsplit(") ").next().unwrap().split(' ').collect();
    assert_eq!(fields[3], pid.to_string(), "it is the first of a session of its own");
    assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), Path::new("/"));

    // A log that was moved away is reopened at SIGHUP; one that cannot be is reported in the old file.
    let reload_until = |name: &str, word: &str| {
        signal(pid as u32, "HUP");
        let patient = std::time::Instant::now();
        while !place.text(name).contains(word) {
            assert!(patient.elapsed() < PATIENCE, "{word}: {}", place.text(name));
            std::thread::yield_now();
        }
    };
    std::fs::rename(&log, place.path("log.1")).unwrap();
    reload_until("log", "configuration reloaded");
    std::fs::rename(&log, place.path("log.2")).unwrap();
    std::fs::create_dir(&log).unwrap();
    reload_until("log.2", "cannot be opened again");
    std::fs::remove_dir(&log).unwrap();
    reload_until("log", "configuration reloaded");
    signal(pid as u32, "TERM");
    wait_for_end(pid);
    assert!(!place.path("pid").exists());
    assert!(place.text("log").contains("shutting down"));
}

#[test]
fn failures_in_the_background_are_reported_to_the_starting_process() {
    let place = Place::new("rocommunity public\n");
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = format!("udp:{}", taken.local_addr().unwrap());
    let output = place.command(&["-Ln", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains(&taken.local_addr().unwrap().to_string()), "{words}");

    let output = place.command(&["-f", "-Le", "-c", "/no/such.conf"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such.conf"));
}

#[test]
fn queries_about_itself_are_answered() {
    let place = Place::new("");
    let ask = |option: &str| {
        let output = Command::new(place.path("snmpd")).arg(option).output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    assert!(ask("-v").1.contains("called as snmpd"));
    assert!(ask("-h").1.contains("LISTENING ADDRESSES"));
    let (code, directives) = ask("-H");
    assert!(code == Some(0) && directives.contains("rocommunity6") && directives.contains("pass_persist"));
    let (code, words) = ask("-j");
    assert!(code == Some(1) && words.contains("-j is not an option"), "{words}");
    // The same by the long name.
    let output = Command::new(env!("CARGO_BIN_EXE_trunklined")).args(["snmpd", "-v"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("called as snmpd"));
}

/// Net-SNMP's own agent on a separate port.
struct Theirs {
    child: Child,
    port: u16,
}

impl Drop for Theirs {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last line that a tool of Net-SNMP says, without what differs between two addresses.
fn tool(name: &str, arguments: &str, port: u16, object: &[&str]) -> String {
    let mut command = Command::new(name);
    command.args(["-t", "0.5", "-r", "1", "-On"]).args(arguments.split_whitespace());
    let output = command.arg(format!("127.0.0.1:{port}")).args(object).env("MIBS", "").output().unwrap();
    let words =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let line = words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("{} {}", output.status.code().unwrap_or(-1), line.replace(&port.to_string(), "PORT"))
}

/// Each request goes to snmpd and to ours, which have read the same file.
#[test]
fn the_same_file_allows_the_same() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let place = Place::new(include_str!("data/import/access.conf"));
    let ours = place.start(&[]);
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("snmpd");
    command
        .args(["-f", "-Ln", "-r", "-C", "-c"])
        .arg(place.path("my.conf"))
        .arg(format!("udp:127.0.0.1:{port}"));
    command.env("SNMP_PERSISTENT_DIR", place.path("theirs")).env("MIBS", "").stdin(Stdio::null());
    let theirs = Theirs { child: command.spawn().unwrap(), port };
    let begin = std::time::Instant::now();
    while !tool("snmpget", "-v2c -c public", port, &["1.3.6.1.2.1.1.5.0"]).contains("compared") {
        assert!(begin.elapsed() < PATIENCE, "snmpd does not answer");
    }

    let ann = "-v3 -u ann -a SHA-256 -A maplesyrup -x AES -X maplesyrup -l";
    let eve = "-v3 -u eve -a MD5 -A maplesyrup -x DES -X maplesyrup -l";
    let fay = "-v3 -u fay -a SHA-512 -A maplesyrup -x AES -X privsyrup -l";
    let who: Vec<String> = [
        "-v1 -c public",
        "-v2c -c public",
        "-v1 -c sysonly",
        "-v2c -c sysonly",
        "-v2c -c writer",
        "-v2c -c far",
        "-v2c -c sixonly",
        "-v2c -c notme",
        "-v1 -c both",
        "-v2c -c both",
        "-v2c -c authc",
        "-v2c -c nobody",
        "-v3 -u bob -a SHA -A maplesyrup -l authNoPriv",
        "-v3 -u bob -l noAuthNoPriv",
        "-v3 -u carl -l noAuthNoPriv",
        "-v3 -u nobody -l noAuthNoPriv",
        "-v3 -u ann -a SHA-256 -A wrongwrong -l authNoPriv",
    ]
    .iter()
    .map(|who| who.to_string())
    .chain(
        ["noAuthNoPriv", "authNoPriv", "authPriv"]
            .iter()
            .flat_map(|level| [format!("{ann} {level}"), format!("{eve} {level}"), format!("{fay} {level}")]),
    )
    .collect();
    let both = |name: &str, who: &str, object: &[&str]| {
        std::thread::scope(|scope| {
            let expected = scope.spawn(|| tool(name, who, theirs.port, object));
            let found = tool(name, who, ours.address.unwrap().port(), object);
            let expected = expected.join().unwrap();
            assert_eq!(found, expected, "{name} {who} {object:?}");
            expected
        })
    };
    let (mut answers, mut refusals, mut silences) = (0, 0, 0);
    for who in &who {
        for object in ["1.3.6.1.2.1.1.5.0", "1.3.6.1.2.1.1.6.0", "1.3.6.1.2.1.2.2.1.2.1"] {
            let answer = both("snmpget", who, &[object]);
            match answer.contains("Timeout") {
                true => silences += 1,
                false if answer.starts_with('0') => answers += 1,
                false => refusals += 1,
            }
            // A request without an answer gets none for any object.
            if answer.contains("Timeout") {
                break;
            }
        }
    }
    assert!(answers > 20 && refusals > 10 && silences > 3, "{answers} {refusals} {silences}");
    // sysLocation is configured, so nobody may set it; without write access the error differs.
    for who in who.iter().filter(|who| who.contains("-v3") || who.contains("writer") || who.contains("authc"))
    {
        both("snmpset", who, &["1.3.6.1.2.1.1.6.0", "s", "there"]);
    }
}

/// Net-SNMP's own test of usmUserTable: the rights of a user are in the file before a manager creates the user.
#[test]
fn a_user_that_a_manager_creates_has_the_rights_of_its_line() {
    if !has("snmpusm", "snmp") {
        return;
    }
    let place = Place::new("rwuser initial\nrwuser newtestuser\ncreateUser initial SHA maplesyrup DES\n");
    let mut ours = place.start(&[]);
    let who =
        |name: &str| format!("-v3 -u {name} -a SHA -A maplesyrup -x DES -X maplesyrup -l authPriv -t 20");
    let ask = |ours: &Running, name: &str| {
        tool("snmpget", &who(name), ours.address.unwrap().port(), &["1.3.6.1.2.1.1.3.0"])
    };
    assert!(ask(&ours, "newtestuser").contains("Unknown user name"), "{}", ask(&ours, "newtestuser"));
    assert!(ours.seen.contains("rwuser: the user newtestuser is not created"), "{}", ours.seen);
    let port = ours.address.unwrap().port();
    let made = tool("snmpusm", &who("initial"), port, &["create", "newtestuser", "initial"]);
    assert!(made.starts_with("0 "), "{made}");
    assert!(ask(&ours, "newtestuser").starts_with("0 "), "{}", ask(&ours, "newtestuser"));
    // It changes its password, and keeps it over a reload and a restart.
    let changed = tool("snmpusm", &who("newtestuser"), port, &["passwd", "maplesyrup", "cornflakes"]);
    assert!(changed.starts_with("0 "), "{changed}");
    let by_new = |ours: &Running| {
        let who = who("newtestuser").replace("maplesyrup", "cornflakes");
        tool("snmpget", &who, ours.address.unwrap().port(), &["1.3.6.1.2.1.1.3.0"])
    };
    assert!(!ask(&ours, "newtestuser").starts_with("0 "), "{}", ask(&ours, "newtestuser"));
    assert!(by_new(&ours).starts_with("0 "), "{}", by_new(&ours));
    ours.signal("HUP");
    ours.wait_for("configuration reloaded");
    assert!(by_new(&ours).starts_with("0 "), "{}", by_new(&ours));
    assert_eq!(ours.end(), Some(0));
    let ours = place.start(&[]);
    assert!(by_new(&ours).starts_with("0 "), "{}", by_new(&ours));
}
