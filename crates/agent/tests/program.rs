//! The program as its users meet it: command line, listeners, signals, kept state.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::process::Command;

use support::{Agent, BOTH, exchange, get, message, oid, set};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, ErrorStatus, Message, VarBind, Version};

fn trunklined(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_trunklined")).args(arguments).output().expect("run");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
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
    assert!(stderr.contains("good"), "{stderr}");

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
    std::io::Write::write_all(&mut stream, &question.encode()).unwrap();
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
    agent.wait_for("read anew");
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
    agent.wait_for("stays as it was");
    assert!(agent.is_alive());
    assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
}

#[test]
fn what_is_set_outlives_a_restart() {
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
fn what_is_configured_cannot_be_set() {
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
    agent.wait_for("read anew");
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
fn started_as_root_it_changes_to_the_configured_user() {
    let as_root = std::fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0\t0\t0\t0");
    if !as_root {
        eprintln!("skipped: only root can change to another user");
        return;
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
fn a_signal_makes_it_say_what_the_listeners_have_counted() {
    let agent = Agent::start(BOTH);
    for _ in 0..3 {
        assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(_)));
    }
    let mut stream = support::connect(agent.tcp());
    let question = message(Version::V2c, "public", get(&["1.3.6.1.2.1.1.5.0"])).encode();
    std::io::Write::write_all(&mut stream, &question).unwrap();
    support::read_message(&mut stream).unwrap();

    let (udp, tcp) = (agent.counted("udp"), agent.counted("tcp"));
    assert!(udp["received"] >= 3 && udp["sent"] == udp["received"], "{udp:?}");
    assert_eq!(udp["truncated"] + udp["panics"] + udp["crowded_out"], 0, "{udp:?}");
    assert_eq!((tcp["accepted"], tcp["open"], tcp["received"], tcp["sent"]), (1, 1, 1, 1), "{tcp:?}");
    assert_eq!(tcp["received_octets"], question.len() as u64);
}

#[test]
fn the_log_of_a_service_has_no_colours() {
    let agent = Agent::start(BOTH);
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
fn it_goes_on_when_nobody_reads_what_it_says() {
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
    // It opens a listener and wants to say so.
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
