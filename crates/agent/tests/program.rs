//! The program as its users meet it: command line, listeners, signals, kept state.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use support::{Agent, BOTH, exchange, get, message, oid, set};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, ErrorStatus, Message, VarBind, Version};
use trunkline_testkit::leave_out;
use trunkline_testkit::namespace::isolated;

fn trunklined(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_trunklined")).args(arguments).output().expect("run");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_help_lists_the_command_that_writes_man_pages() {
    let output = Command::new(env!("CARGO_BIN_EXE_trunklined")).arg("--help").output().expect("run");
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(help.lines().any(|line| line.trim_start().starts_with("manual ")), "{help}");
}

#[test]
fn check_names_file_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.toml");
    std::fs::write(&file, "[snmp]\nlisten = [\"udp://localhost:161\"]\n").unwrap();
    let (code, stderr) = trunklined(&["--check", "--config", file.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("bad.toml:2:11:"), "{stderr}");
    assert!(stderr.contains("^^^"), "{stderr}");

    std::fs::write(&file, BOTH).unwrap();
    let (code, stderr) = trunklined(&["--check", "--config", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("valid"), "{stderr}");

    std::fs::write(&file, "[snmp]\nlisten = []\n[http]\nlisten = [\"http://127.0.0.1:8080\"]\n").unwrap();
    let (code, stderr) = trunklined(&["--check", "--config", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("listening on http://127.0.0.1:8080"), "{stderr}");

    let (code, stderr) = trunklined(&["--config", "/no/such/file.toml"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("/no/such/file.toml"), "{stderr}");

    assert_eq!(trunklined(&["--nonsense"]).0, Some(2));
}

#[test]
fn an_address_in_use_is_a_clear_error() {
    let agent = Agent::start(BOTH);
    let folder = tempfile::tempdir().unwrap();
    let config = format!("[snmp]\nlisten = [\"udp://{}\"]\n", agent.udp());
    let mut second = Agent::spawn(folder, &config, &[]);
    let line = second.wait_for("trunklined:");
    assert!(line.contains(&agent.udp().to_string()), "{line}");
    assert!(!support::ends_well(&mut second));
}

#[test]
fn port_0_shows_the_chosen_port_and_both_transports_answer() {
    let agent = Agent::start(BOTH);
    assert_ne!(agent.udp().port(), 0);
    let Bound::Value(Value::TimeTicks(_)) = agent.get("1.3.6.1.2.1.1.3.0") else { panic!("no sysUpTime") };
    let mut stream = support::connect(agent.tcp());
    let question = message(Version::V2c, "public", get(&["1.3.6.1.2.1.1.5.0"]));
    stream.write_all(&question.encode()).unwrap();
    let answer = support::read_message(&mut stream).unwrap();
    assert!(matches!(answer.pdu.bindings[0].value, Bound::Value(Value::OctetString(_))));
}

#[test]
fn hang_up_changes_communities_and_listeners_and_loses_no_request() {
    let agent = Agent::start(BOTH);
    let question = message(Version::V2c, "added", get(&["1.3.6.1.2.1.1.3.0"])).encode();
    assert_eq!(exchange(agent.udp(), &question), None, "an unknown community gets no answer");

    // Questions are sent all the while; each must be answered, over the same socket.
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let udp = agent.udp();
    let asking = std::thread::spawn(move || {
        let mut asked = 0;
        while is_done.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let question = message(Version::V2c, "public", get(&["1.3.6.1.2.1.1.3.0"])).encode();
            assert!(exchange(udp, &question).is_some());
            asked += 1;
        }
        asked
    });
    let listen =
        format!("listen = [\"udp://{}\", \"tcp://{}\", \"udp://[::1]:0\"]", agent.udp(), agent.tcp());
    let config = BOTH.replace("listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]", &listen);
    agent.rewrite(&format!("{config}[[snmp.community]]\nname = \"added\"\naccess = \"read\"\n"));
    agent.signal("HUP");
    let line = agent.wait_for("listening udp://[::1]");
    agent.wait_for("configuration reloaded");
    assert!(exchange(agent.udp(), &question).is_some());
    drop(done);
    assert!(asking.join().unwrap() > 0);
    assert!(!line.ends_with(":0"), "{line}");
}

#[test]
fn a_wrong_file_at_hang_up_changes_nothing() {
    let mut agent = Agent::start(BOTH);
    agent.rewrite("[snmp]\nlisten = 5\n");
    agent.signal("HUP");
    agent.wait_for("stays in effect");
    assert!(agent.is_alive());
    assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
}

/// The configuration of [`BOTH`] with other listeners.
fn listening_at(listeners: &str) -> String {
    BOTH.replace("\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"", listeners)
}

#[test]
fn a_listener_that_cannot_be_opened_at_hang_up_changes_nothing() {
    let agent = Agent::start(BOTH);
    let taken = support::socket_to(agent.udp());
    let added = "[[snmp.community]]\nname = \"added\"\naccess = \"read\"\n";
    let one = format!("\"udp://{}\"", taken.local_addr().unwrap());
    for listeners in [one.clone(), format!("{one}, \"udp://{}\", \"tcp://{}\"", agent.udp(), agent.tcp())] {
        agent.rewrite(&format!("{}{added}", listening_at(&listeners)));
        agent.signal("HUP");
        let line = agent.wait_for("stays in effect");
        assert!(line.contains(&taken.local_addr().unwrap().to_string()), "{line}");
        assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
        assert!(std::net::TcpStream::connect(agent.tcp()).is_ok());
        let question = message(Version::V2c, "added", get(&["1.3.6.1.2.1.1.3.0"])).encode();
        assert_eq!(exchange(agent.udp(), &question), None, "what came with it is not taken either");
    }
}

#[test]
fn a_wildcard_takes_the_place_of_an_address_and_gives_it_back() {
    // Elsewhere another program may have the same port of another address.
    isolated("program::a_wildcard_takes_the_place_of_an_address_and_gives_it_back", || {
        let agent = Agent::start(BOTH);
        let (udp, tcp) = (agent.udp().port(), agent.tcp().port());
        let asked = || assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
        for address in ["0.0.0.0", "127.0.0.1"] {
            agent.rewrite(&listening_at(&format!("\"udp://{address}:{udp}\", \"tcp://{address}:{tcp}\"")));
            agent.signal("HUP");
            agent.wait_for(&format!("listening tcp://{address}:{tcp}"));
            agent.wait_for("configuration reloaded");
            asked();
            assert!(std::net::TcpStream::connect(agent.tcp()).is_ok());
        }
        // Another program has the same port of another address: the wildcard cannot be had.
        let _other = std::net::UdpSocket::bind(("127.0.0.2", udp)).unwrap();
        agent.rewrite(&listening_at(&format!("\"udp://0.0.0.0:{udp}\"")));
        agent.signal("HUP");
        agent.wait_for("stays in effect");
        asked();
        assert!(std::net::TcpStream::connect(agent.tcp()).is_ok());
    });
}

/// Keys are derived from passwords in parallel with the sessions, which share one thread (RFC 3414 section 2.6
/// hashes a mebibyte for each).
#[test]
fn a_reload_of_many_users_keeps_no_session_waiting() {
    let agent = Agent::start(BOTH);
    let user = |n| {
        format!(
            "[[snmp.user]]\nname = \"u{n}\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"maplesyrup{n}\"\n"
        )
    };
    let users: String = (0..200).map(user).collect();
    agent.rewrite(&format!("{BOTH}{users}"));
    let mut stream = support::connect(agent.tcp());
    let request = message(Version::V2c, "public", get(&["1.3.6.1.2.1.1.3.0"])).encode();
    let (begun, mut longest) = (Instant::now(), Duration::ZERO);
    agent.signal("HUP");
    while !agent.has_said("configuration reloaded") {
        let asked = Instant::now();
        stream.write_all(&request).unwrap();
        support::read_message(&mut stream).unwrap();
        longest = longest.max(asked.elapsed());
    }
    let took = begun.elapsed();
    assert!(longest * 2 < took, "of {took:?} one request waited {longest:?}");
}

#[test]
fn an_empty_or_vanished_file_at_hang_up_changes_nothing() {
    let mut agent = Agent::start(BOTH);
    for (text, words) in [
        ("", "no setting"),
        ("# being written\n", "no setting"),
        ("[snmp]\n", "no setting"),
        // Truncated after its first setting: the defaults were not intended.
        ("[agent]\nlog = \"info\"\n", "`listen` was removed"),
    ] {
        std::fs::write(agent.config(), text).unwrap();
        agent.signal("HUP");
        agent.wait_for("stays in effect");
        agent.wait_for(words);
    }
    std::fs::remove_file(agent.config()).unwrap();
    agent.signal("HUP");
    agent.wait_for("stays in effect");
    // A pipe that nobody writes into would be waited for without end.
    assert!(std::process::Command::new("mkfifo").arg(agent.config()).status().unwrap().success());
    agent.signal("HUP");
    agent.wait_for("it is a pipe");
    assert!(agent.is_alive());
    assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
    let (code, stderr) = trunklined(&["--config", "/dev/null"]);
    assert_eq!(code, Some(1), "{stderr}");
}

/// A damaged file, as a library quotes it, and a secret without its `=`.
#[test]
fn no_error_contains_control_sequences_or_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let (file, key) = (folder.path().join("t.toml"), folder.path().join("key"));
    let text = format!("[snmp]\nlisten = [\"ssh://127.0.0.1:0\"]\n[snmp.ssh]\nhost-keys = [{key:?}]\n");
    std::fs::write(&file, format!("[agent]\nstate = {:?}\n{text}", folder.path().join("state"))).unwrap();
    // The name of its cipher is `\x1b[31m\x07`.
    let octets = "b3BlbnNzaC1rZXktdjEAAAAABhtbMzFtBwAAAARub25lAAAAAAAAAAEAAAAAAAAAAA==";
    let pem = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{octets}\n-----END OPENSSH PRIVATE KEY-----\n");
    std::fs::write(&key, pem).unwrap();
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let arguments = ["--check", "--config", file.to_str().unwrap()];
    let (code, stderr) = trunklined(&arguments);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("no host key"), "{stderr}");
    assert!(!stderr.contains(|c: char| c.is_control() && c != '\n'), "{stderr:?}");
    std::fs::write(&file, "[[snmp.user]]\nname = \"ann\"\nauth-password \"maplesyrup\"\n").unwrap();
    let (code, stderr) = trunklined(&arguments);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("auth-password ...") && !stderr.contains("maple"), "{stderr}");
}

#[test]
fn a_state_directory_belongs_to_one_agent() {
    let agent = Agent::start(BOTH);
    let state = agent.folder.path().join("state");
    let file = agent.folder.path().join("second.toml");
    std::fs::write(&file, format!("[agent]\nstate = {state:?}\n{BOTH}")).unwrap();
    let file = file.to_str().unwrap();
    let (code, stderr) = trunklined(&["--config", file]);
    assert_eq!(code, Some(1));
    let holder = format!("process {}", agent.pid());
    assert!(stderr.contains(state.to_str().unwrap()) && stderr.contains(&holder), "{stderr}");
    let (code, stderr) = trunklined(&["--check", "--config", file]);
    assert_eq!(code, Some(0), "a check needs no lock: {stderr}");

    // The kernel lets go of it however the agent ends; what it was writing is removed.
    agent.signal("KILL");
    let folder = agent.into_folder();
    std::fs::write(state.join("usm.toml.new"), "cut sho").unwrap();
    let _next = Agent::start_in(folder, BOTH);
    assert!(!state.join("usm.toml.new").exists());
}

#[test]
fn the_end_of_engine_boots_is_reported() {
    let folder = Agent::start(BOTH).terminate();
    let engine = folder.path().join("state/engine.toml");
    let text = std::fs::read_to_string(&engine).unwrap();
    assert!(text.contains("boots = 1\n"), "{text}");
    let edited = text.replace("boots = 1\n", "boots = 2147483646\n");
    let lines: Vec<&str> = edited.lines().filter(|line| !line.starts_with("# crc32 ")).collect();
    std::fs::write(&engine, lines.join("\n")).unwrap();
    let agent = Agent::spawn(folder, BOTH, &[]);
    let line = agent.wait_for("snmpEngineBoots");
    assert!(line.contains("ERROR") && line.contains("engine.toml"), "{line}");
}

#[test]
fn check_finds_what_a_start_would_find() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("check.toml");
    let state = folder.path().join("state");
    let check = |text: &str| {
        std::fs::write(&file, format!("[agent]\nstate = {state:?}\n{text}")).unwrap();
        trunklined(&["--check", "--config", file.to_str().unwrap()])
    };
    let gone = folder.path().join("gone");
    let (code, stderr) = check(&format!(
        "[[extend]]\nname = \"hw\"\ncommand = [\"/bin/nonexistent\"]\n\
         [[pass]]\noid = \"1.3.6.1.4.1.99999.1\"\ncommand = [\"/etc/passwd\"]\n\
         [[disk]]\npath = {gone:?}\n",
    ));
    assert_eq!(code, Some(0), "{stderr}");
    let disk = format!("[[disk]] {}", gone.display());
    for word in ["\"hw\"", "/bin/nonexistent", "not executable", &disk, "valid"] {
        assert!(stderr.contains(word), "{word}: {stderr}");
    }
    assert!(!state.exists(), "a check makes nothing");

    // Inside an object that the agent itself serves.
    let (code, stderr) = check("[[pass]]\noid = \"1.3.6.1.2.1.2.2.1.1.3\"\ncommand = [\"/bin/true\"]\n");
    let (started, at_start) = trunklined(&["--config", file.to_str().unwrap()]);
    assert_eq!((code, stderr), (started, at_start));
    assert_eq!(code, Some(1));
    std::fs::remove_dir_all(&state).unwrap();

    std::fs::write(&state, "").unwrap();
    let (code, stderr) = check(BOTH);
    assert_eq!(code, Some(1));
    assert!(stderr.contains(state.to_str().unwrap()), "{stderr}");
    std::fs::remove_file(&state).unwrap();
    std::fs::create_dir(&state).unwrap();
    std::fs::write(state.join("vacm.toml"), "").unwrap();
    let (code, stderr) = check(BOTH);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("vacm.toml") && stderr.contains("empty"), "{stderr}");
}

/// A small separate disk, which is full when the agent has started.
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=64k,mode=700 none {0} && head -c 57344 /dev/zero > {0}/filler && exec \"$@\"",
        state.display()
    );
    let wrapper = ["unshare", "-m", "sh", "-c", &script, "sh"];
    let works = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status();
    if !works.is_ok_and(|status| status.success()) {
        return leave_out("no mount namespace can be made here");
    }
    let mut agent = Agent::spawn(folder, BOTH, &wrapper);
    agent.wait_for_listeners(2);
    let seen = std::path::PathBuf::from(format!("/proc/{}/root{}", agent.pid(), state.display()));
    let set_contact = || {
        let contact = VarBind::new(oid("1.3.6.1.2.1.1.4.0"), Value::text("operator@example.net"));
        agent.ask(&message(Version::V2c, "private", set(vec![contact]))).pdu.status()
    };
    assert_eq!(set_contact(), Some(ErrorStatus::CommitFailed));
    let names = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&seen), ["engine.toml", "filler", "lock"]);
    std::fs::remove_file(seen.join("filler")).unwrap();
    assert_eq!(set_contact(), Some(ErrorStatus::NoError));
    assert_eq!(names(&seen), ["engine.toml", "lock", "system.toml"]);
}

#[test]
fn its_memory_is_hidden_and_no_program_has_more_rights() {
    let is_root = std::fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0\t0\t0\t0");
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let user = if is_root { "[agent]\nuser = \"nobody\"\n" } else { "" };
    let agent = Agent::start_in(folder, &format!("{user}{BOTH}"));
    let place = format!("/proc/{}", agent.pid());
    let limits = std::fs::read_to_string(format!("{place}/limits")).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"], "{core}");
    // A process that is not dumpable belongs to root, whoever runs it.
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(format!("{place}/environ")).unwrap());
    assert_eq!(owner, 0);
    if is_root {
        let status = std::fs::read_to_string(format!("{place}/status")).unwrap();
        let bounding = status.lines().find_map(|line| line.strip_prefix("CapBnd:\t")).unwrap();
        let bounding = u64::from_str_radix(bounding, 16).unwrap();
        assert_eq!(bounding & !(1 << 10 | 1 << 12), 0, "{bounding:x}");
    }
}

/// The configuration is read as root at the start, and as the agent's user at each reload.
#[test]
fn a_configuration_that_the_user_may_not_read_is_reported() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    open(folder.path(), 0o755);
    let file = folder.path().join("trunklined.toml");
    let state = folder.path().join("state");
    std::fs::write(&file, format!("[agent]\nuser = \"nobody\"\nstate = {state:?}\n{BOTH}")).unwrap();
    let check = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunklined"));
        let output = command.arg("--config").arg(&file).arg("--check").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    open(&file, 0o600);
    let words = "the user nobody may not read it, so that every reload will fail";
    assert!(check().contains(words), "{}", check());
    open(&file, 0o644);
    assert!(!check().contains("may not read it"), "{}", check());
}

/// The packages' unit starts the agent as a user of its own.
#[test]
fn a_user_that_cannot_be_changed_to_is_reported() {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::os::unix::fs::chown(&state, Some(65534), Some(65534)).unwrap();
    let file = folder.path().join("trunklined.toml");
    // The program itself may be where only root can go.
    let program = folder.path().join("trunklined");
    std::fs::copy(env!("CARGO_BIN_EXE_trunklined"), &program).unwrap();
    let check = |user: &str| {
        std::fs::write(&file, format!("[agent]\nuser = {user:?}\nstate = {state:?}\n{BOTH}")).unwrap();
        let mut command = Command::new(&program);
        let output =
            command.arg("--config").arg(&file).arg("--check").uid(65534).gid(65534).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let words = "user = \"root\" in [agent] has no effect, as the agent is not started as root: it and its programs run as nobody";
    assert!(check("root").contains(words), "{}", check("root"));
    assert!(!check("nobody").contains("has no effect"), "{}", check("nobody"));
}

#[test]
fn set_values_survive_a_restart() {
    let agent = Agent::start(BOTH);
    let contact = VarBind::new(oid("1.3.6.1.2.1.1.4.0"), Value::text("operator@example.net"));
    let location = VarBind::new(oid("1.3.6.1.2.1.1.6.0"), Value::text("cellar"));
    let traps = VarBind::new(oid("1.3.6.1.2.1.11.30.0"), Value::Integer(1));
    let answer = agent.ask(&message(Version::V2c, "private", set(vec![contact, location, traps])));
    assert_eq!(answer.pdu.status(), Some(ErrorStatus::NoError), "{answer:?}");
    assert_eq!(agent.get("1.3.6.1.2.1.1.6.0"), Bound::Value(Value::text("cellar")));

    let folder = agent.terminate();
    let agent = Agent::start_in(folder, BOTH);
    assert_eq!(agent.get("1.3.6.1.2.1.1.4.0"), Bound::Value(Value::text("operator@example.net")));
    assert_eq!(agent.get("1.3.6.1.2.1.1.6.0"), Bound::Value(Value::text("cellar")));
    assert_eq!(agent.get("1.3.6.1.2.1.11.30.0"), Bound::Value(Value::Integer(1)));
}

#[test]
fn configured_values_cannot_be_set() {
    let agent = Agent::start(&format!("{BOTH}[system]\ncontact = \"fixed\"\n"));
    assert_eq!(agent.get("1.3.6.1.2.1.1.4.0"), Bound::Value(Value::text("fixed")));
    let contact = VarBind::new(oid("1.3.6.1.2.1.1.4.0"), Value::text("other"));
    let answer: Message = agent.ask(&message(Version::V2c, "private", set(vec![contact])));
    assert_eq!(answer.pdu.status(), Some(ErrorStatus::NotWritable));
    assert_eq!(answer.pdu.error_index, 1);
}

#[test]
fn configured_authentication_traps_cannot_be_set() {
    let agent = Agent::start(&BOTH.replace("[snmp]", "[snmp]\nauthentication-traps = true"));
    assert_eq!(agent.get("1.3.6.1.2.1.11.30.0"), Bound::Value(Value::Integer(1)));
    let off = VarBind::new(oid("1.3.6.1.2.1.11.30.0"), Value::Integer(2));
    let answer: Message = agent.ask(&message(Version::V2c, "private", set(vec![off.clone()])));
    assert_eq!(answer.pdu.status(), Some(ErrorStatus::NotWritable));
    agent.rewrite(BOTH);
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    let answer: Message = agent.ask(&message(Version::V2c, "private", set(vec![off])));
    assert_eq!(answer.pdu.status(), Some(ErrorStatus::NoError));
}

#[test]
fn started_as_root_it_gives_up_what_it_does_not_need() {
    let agent = Agent::start(BOTH);
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.pid())).unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().to_string()
    };
    assert_eq!(field("NoNewPrivs"), "1");
    let effective = u64::from_str_radix(&field("CapEff:"), 16).unwrap();
    // CAP_NET_BIND_SERVICE (10) and, since a community may write, CAP_NET_ADMIN (12).
    assert_eq!(effective & !(1 << 10 | 1 << 12), 0, "{effective:x}");
    for task in std::fs::read_dir(format!("/proc/{}/task", agent.pid())).unwrap() {
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        assert!(status.lines().any(|line| line == format!("CapEff:\t{effective:016x}")), "{status}");
    }
}

#[test]
fn owners_of_sockets_are_known_to_an_agent_that_keeps_the_right() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
    let capabilities = u64::from_str_radix(capabilities.trim(), 16).unwrap();
    // CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE.
    if capabilities & (1 << 2 | 1 << 19) != 1 << 2 | 1 << 19 {
        return leave_out("no right to look into all processes");
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let process = format!("1.3.6.1.2.1.6.20.1.4.1.4.127.0.0.1.{}", listener.local_addr().unwrap().port());
    let owner = |configuration: &str| Agent::start(configuration).get(&process);
    assert_eq!(owner(BOTH), Bound::Value(Value::Unsigned32(0)));
    let found = owner(&format!("{BOTH}[agent]\nread-processes = true\n"));
    assert_eq!(found, Bound::Value(Value::Unsigned32(std::process::id())));
}

#[test]
fn started_as_root_it_changes_to_the_configured_user() {
    let as_root = std::fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0\t0\t0\t0");
    if !as_root {
        return leave_out("not root, who alone can change to another user");
    }
    let folder = tempfile::tempdir().unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let agent = Agent::start_in(folder, &format!("[agent]\nuser = \"nobody\"\n{BOTH}"));
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.pid())).unwrap();
    assert!(status.contains("Uid:\t65534\t65534\t65534\t65534"), "{status}");
    let contact = VarBind::new(oid("1.3.6.1.2.1.1.4.0"), Value::text("nobody"));
    let answer = agent.ask(&message(Version::V2c, "private", set(vec![contact])));
    assert_eq!(answer.pdu.status(), Some(ErrorStatus::NoError), "the state is nobody's own");
}

#[test]
fn a_signal_makes_it_log_the_listeners_counters() {
    let agent = Agent::start(BOTH);
    for _ in 0..3 {
        assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
    }
    let mut stream = support::connect(agent.tcp());
    let question = message(Version::V2c, "public", get(&["1.3.6.1.2.1.1.5.0"])).encode();
    std::io::Write::write_all(&mut stream, &question).unwrap();
    support::read_message(&mut stream).unwrap();

    // An answer is counted after it has left.
    let settled = |scheme| {
        let mut counts = agent.counted(scheme);
        for _ in 0..100 {
            if counts["sent"] == counts["received"] {
                break;
            }
            counts = agent.counted(scheme);
        }
        counts
    };
    let (udp, tcp) = (settled("udp"), settled("tcp"));
    assert!(udp["received"] >= 3 && udp["sent"] == udp["received"], "{udp:?}");
    assert_eq!(udp["truncated"] + udp["panics"] + udp["crowded_out"], 0, "{udp:?}");
    assert_eq!((tcp["accepted"], tcp["open"], tcp["received"], tcp["sent"]), (1, 1, 1, 1), "{tcp:?}");
    assert_eq!(tcp["received_octets"], question.len() as u64);
}

#[test]
fn the_log_of_a_service_has_no_colours() {
    let agent = Agent::start(BOTH);
    // Means nothing, and ends nothing.
    agent.signal("USR2");
    agent.signal("USR1");
    let line = agent.wait_for("counted udp://");
    assert!(!line.contains('\u{1b}'), "{line:?}");
}

#[test]
fn check_looks_for_the_user_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("user.toml");
    std::fs::write(&file, "[agent]\nuser = \"no-such-user-here\"\n").unwrap();
    let (code, stderr) = trunklined(&["--check", "--config", file.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("no-such-user-here"), "{stderr}");
}

#[test]
fn a_wrong_log_filter_on_the_command_line_is_refused_by_check_too() {
    for check in [&["--check", "--log", "loud"][..], &["--log", "loud"]] {
        let (code, stderr) = trunklined(check);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains("--log: `loud` is not a log filter"), "{stderr}");
    }
}

#[test]
fn check_names_communities_that_anybody_may_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("open.toml");
    let check = |config: &str| {
        std::fs::write(&file, config).unwrap();
        trunklined(&["--check", "--config", file.to_str().unwrap()])
    };
    let (code, stderr) = check("[snmp]\nlisten = [\"udp://0.0.0.0:0\"]\n");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("`public`) may be used from any address, over udp://0.0.0.0:0: set `sources`"),
        "{stderr}"
    );
    assert!(!check("[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n").1.contains("any address"));
}

#[test]
fn it_continues_when_nobody_reads_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deaf.toml");
    let state = format!("[agent]\nstate = {:?}\n", folder.path().join("state"));
    let with_listeners =
        |listen: &str| state.clone() + &BOTH.replace("\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"", listen);
    std::fs::write(&file, with_listeners("\"udp://127.0.0.1:0\"")).unwrap();

    let mut deaf = Command::new(env!("CARGO_BIN_EXE_trunklined"));
    let mut deaf = deaf.arg("--config").arg(&file).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(deaf.stderr.take().unwrap());
    let mut listening = String::new();
    std::io::BufRead::read_line(&mut lines, &mut listening).unwrap();
    drop(lines);
    let udp = listening.trim().strip_prefix("listening udp://").unwrap().parse().unwrap();
    let signal = |name: &str| {
        let status = Command::new("kill").args([name, &deaf.id().to_string()]).status().unwrap();
        assert!(status.success());
    };
    // It opens a listener and logs it.
    let config = with_listeners(&format!("\"udp://{udp}\", \"tcp://127.0.0.1:0\""));
    std::fs::write(&file, config + "[[snmp.community]]\nname = \"added\"\naccess = \"read\"\n").unwrap();
    signal("-HUP");
    let question = message(Version::V2c, "added", get(&["1.3.6.1.2.1.1.3.0"])).encode();
    let begin = std::time::Instant::now();
    while exchange(udp, &question).is_none() {
        assert!(begin.elapsed() < support::PATIENCE);
    }
    signal("-USR1");
    signal("-TERM");
    assert!(deaf.wait().unwrap().success());
}

#[test]
fn too_few_descriptors_are_a_clear_error() {
    for descriptors in [6, 8, 12, 20] {
        let script = format!("ulimit -n {descriptors}; exec \"$@\"");
        let mut limited = Command::new("sh");
        let ended = limited.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_trunklined")]).output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{descriptors}: {stderr}");
        assert!(stderr.contains("more files can be opened, and at least 24 are needed"), "{stderr}");
    }
}

/// SIGHUP is caught before the state directory is touched, and so before anything else that takes time.
#[test]
fn a_hang_up_while_it_starts_does_not_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("state/lock");
    let agent = Agent::spawn(folder, BOTH, &[]);
    let status = format!("/proc/{}/status", agent.pid());
    let hang_up = 1u64; // the first bit: signal 1
    loop {
        // In this order: what is caught after the lock was made must be caught before it.
        let has_started = lock.exists();
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        let is_caught = u64::from_str_radix(caught, 16).unwrap() & hang_up != 0;
        assert!(is_caught || !has_started, "it would end");
        if is_caught {
            break;
        }
        std::thread::yield_now();
    }
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
}

#[test]
fn roots_state_directory_is_roots() {
    if !rustix::process::geteuid().is_root() {
        return leave_out("not root, who alone can give a directory away");
    }
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("theirs");
    std::fs::create_dir(&state).unwrap();
    std::os::unix::fs::chown(&state, Some(1), None).unwrap();
    let file = folder.path().join("agent.toml");
    std::fs::write(&file, format!("[agent]\nstate = {state:?}\n{BOTH}")).unwrap();
    // Root may check the file of an agent that a unit starts as another user.
    for (words, ends_with) in [(&["--config"][..], 1), (&["--check", "--config"], 0)] {
        let (code, stderr) = trunklined(&[words, &[file.to_str().unwrap()]].concat());
        assert_eq!(code, Some(ends_with), "{stderr}");
        assert!(stderr.contains("theirs: belongs to the user ") && stderr.contains("(1)"), "{stderr}");
    }
}
