//! `trunklined import-snmpd` as its users meet it: what goes where, and the comparison of two agents.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use trunkline_testkit::has;
use trunkline_testkit::namespace::isolated;

use support::{Agent, BOTH};

fn import(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunklined"));
    command.arg("import-snmpd").args(arguments).output().unwrap()
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

#[test]
fn the_configuration_goes_to_stdout_and_the_rest_to_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, "rocommunity secret\nsmuxpeer .1.3 x\n").unwrap();
    let file = file.to_str().unwrap();
    let output = import(&[file]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("name = \"secret\""));
    assert_eq!(
        text(&output.stderr),
        format!("{file}:2: smuxpeer: SMUX is not supported; RFC 2741 replaced it\n")
    );

    let made = folder.path().join("trunklined.toml");
    let made = made.to_str().unwrap();
    let output = import(&[file, "--output", made]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(text(&output.stderr).contains("1 line was not carried over"));
    // Where there is a group trunkline, what root makes is for it too.
    assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o737, 0o600);
    let check =
        Command::new(env!("CARGO_BIN_EXE_trunklined")).args(["--check", "--config", made]).status().unwrap();
    assert!(check.success());
    // What is there is not written over, and kept where it is replaced.
    let again = import(&[file, "--output", made]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("it exists; --replace"), "{}", text(&again.stderr));
    std::fs::write(made, "# by hand\n").unwrap();
    let replaced = import(&[file, "--output", made, "--replace"]);
    assert_eq!(replaced.status.code(), Some(0), "{}", text(&replaced.stderr));
    assert!(std::fs::read_to_string(made).unwrap().contains("secret"));
    assert_eq!(std::fs::read_to_string(format!("{made}.old")).unwrap(), "# by hand\n");
    assert_eq!(import(&["/no/such/file"]).status.code(), Some(1));
    assert_eq!(import(&[file, "--json"]).status.code(), Some(2));
}

/// Without a file: snmpd.conf where snmpd looks for it, and the file that it keeps.
#[test]
fn the_files_of_this_machine_are_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunklined"));
        command.arg("import-snmpd").env("SNMPCONFPATH", folder.path()).env("SNMP_PERSISTENT_DIR", &kept);
        command.output().unwrap()
    };
    let none = run();
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none.stderr).contains("name the files of snmpd"), "{}", text(&none.stderr));
    std::fs::write(folder.path().join("snmpd.conf"), "rocommunity of-the-file\nrouser ann\n").unwrap();
    let key = "usmUser 1 3 0x80001f8804616263 \"ann\" \"ann\" NULL .1.3.6.1.6.3.10.1.1.2 \
               0x000102030405060708090a0b0c0d0e0f .1.3.6.1.6.3.10.1.2.1 \"\" 0x\n";
    std::fs::write(kept.join("snmpd.conf"), format!("{key}oldEngineID 0x80001f8804616263\n")).unwrap();
    let both = run();
    assert_eq!(both.status.code(), Some(0), "{}", text(&both.stderr));
    let made = text(&both.stdout);
    assert!(made.contains("of-the-file") && made.contains("0x80001f8804616263"), "{made}");
    assert!(made.contains("000102030405060708090a0b0c0d0e0f"), "{made}");
}

/// `--strict` is a gate: a status of its own, and nothing is written.
#[test]
fn a_strict_import_writes_nothing_if_a_line_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, made) = (path("snmpd.conf"), path("trunklined.toml"));
    std::fs::write(&file, "rocommunity public\nrouser later priv\nsmuxpeer .1.3\nsmuxpeer .1.4\n").unwrap();
    let output = import(&[&file, "--strict", "--output", &made]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("2 lines were not carried over, so nothing was written"));
    assert!(!std::path::Path::new(&made).exists());
    assert_eq!(import(&[&file, "--strict"]).stdout.len(), 0);
    // An accepted loss is none; that a user is created later loses nothing.
    let output = import(&[&file, "--strict", "--accept", "SMUXpeer", "--output", &made]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("2 lines were not carried over"), "{}", text(&output.stderr));
    assert!(std::fs::read_to_string(&made).unwrap().contains("[[snmp.community]]"));
}

/// snmpd writes its state into the persistent file; only rows that a manager had set are a loss.
#[test]
fn lines_are_counted_once_and_state_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, made) = (path("snmpd.conf"), path("trunklined.toml"));
    let kept = "engineBoots 7\noldEngineID 0x80001f8880b82c9b43a660086b00000000\nsetserialno 1813957680\n\
                _mteTTable  0x736e6d70642e636f6e66 \"dskTable\" 0x .0.0 0x 0x 600 0x 0x 0\n\
                _mteTTable  0x616e6e \"mine\" 0x .0.0 0x 0x 600 0x 0x 0\n\
                ifXTable .1 14:0 18:0x $\nifXTable .2 14:0 18:0x75706c696e6b $\n";
    std::fs::write(&file, format!("agentAddress unix:/a,unix:/b,127.0.0.1\n{kept}")).unwrap();
    let output = import(&[&file, "--output", &made]);
    let words = text(&output.stderr);
    assert!(
        words.contains("3 lines were not carried over; 4 lines of snmpd's own state are not needed"),
        "{words}"
    );
    assert_eq!(words.matches(":1: agentAddress").count(), 2, "{words}");
    assert!(words.contains(":6: _mteTTable") && words.contains("ip link set dev NAME alias"), "{words}");
    assert!(
        std::fs::read_to_string(&made)
            .unwrap()
            .contains("4 lines are state of snmpd (_mteTTable, engineBoots")
    );
}

/// `--explain` says of each line in its order what became of it, without secrets.
#[test]
fn each_line_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf").display().to_string();
    let conf = "# a comment\nsysLocation \"Rack 12\"\nrocommunity s3cret 127.0.0.1\n\n\
                createUser ann SHA-256 maplesyrup AES maplesyrup\nrouser ann priv .1.3.6.1.2.1\n\
                linkUpDownNotifications yes\nsmuxpeer .1.3.6.1.4.1.99\nsysLocation here\n";
    std::fs::write(&file, conf).unwrap();
    for width in ["80", "120"] {
        let output = import(&[&file, "--explain", "--width", width]);
        let words = text(&output.stdout);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
        assert!(!words.contains("s3cret") && !words.contains("maplesyrup"), "{words}");
        let at = |part: &str| words.find(part).unwrap_or_else(|| panic!("no {part:?} in\n{words}"));
        let order = [
            at(":2: sysLocation"),
            at("sets it again"),
            at(
                ":3: rocommunity *** 127.0.0.1\n  -> [[snmp.community]]\n     name = \"***\"\n     access = \"read\"",
            ),
            at(":5: createUser ann SHA-256 *** AES ***\n  -> [[snmp.user]]\n     name = \"ann\""),
            at("-> [[role.access]]"),
            at(":8: smuxpeer .1.3.6.1.4.1.99\n  not supported: SMUX"),
            at("-> [system]\n     location = \"here\""),
        ];
        assert!(order.is_sorted(), "{words}");
        assert!(
            words.ends_with("4 lines carried over, 0 in part, 2 without effect here, 1 not supported\n"),
            "{words}"
        );
        let wide = words.lines().map(|line| line.chars().count()).max();
        assert!(wide <= width.parse().ok(), "{words}");
    }
    let output = import(&[&file, "--explain", "--json", "--strict"]);
    assert_eq!(output.status.code(), Some(3));
    let lines: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    let [done, none, lost] = ["carried-over", "no-effect", "not-supported"];
    assert_eq!(outcomes, [none, done, done, done, none, lost, done]);
    assert_eq!(lines[0]["line"], 2);
    assert!(!text(&output.stdout).contains("maplesyrup"));
}

fn url(agent: &Agent) -> String {
    format!("snmp://public@{}", agent.udp())
}

#[test]
fn two_agents_are_compared_by_object() {
    let named = |name: &str| format!("{BOTH}[system]\nname = \"{name}\"\ncontact = \"same\"\n");
    let (one, other) = (Agent::start(&named("one")), Agent::start(&named("other")));
    let compare =
        |root: &str| import(&["--compare", "--ours", &url(&one), "--theirs", &url(&other), "--root", root]);
    let output = compare("1.3.6.1.2.1.1");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let words = text(&output.stdout);
    assert!(words.contains("other value\n  sysName (1.3.6.1.2.1.1.5): 1 instance\n    1.3.6.1.2.1.1.5.0: ours \"one\", snmpd \"other\"\n"), "{words}");
    assert!(!words.contains("sysContact"), "{words}");
    let output = compare("sysContact");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("1 equal"));
    // What is accepted is left out, and --all shows it; the same in JSON.
    let (ours, theirs) = (url(&one), url(&other));
    let accept = |more: &[&str]| {
        let arguments =
            ["/dev/null", "--compare", "--ours", &ours, "--theirs", &theirs, "--root", "1.3.6.1.2.1.1"];
        import(&[&arguments[..], &["--ignore", "sysName"], more].concat())
    };
    let output = accept(&["--all"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("ignored: other value\n  sysName"), "{}", text(&output.stdout));
    let document: serde_json::Value = serde_json::from_slice(&accept(&["--json"]).stdout).unwrap();
    assert_eq!(
        (document["result"].as_str(), document["ignored"][0]["name"].as_str()),
        (Some("equal"), Some("sysName"))
    );
}

#[test]
fn an_unreachable_agent_is_not_a_difference() {
    let agent = Agent::start(BOTH);
    let output = import(&["/dev/null", "--compare", "--ours", &url(&agent), "--snmpd", "/no/such/snmpd"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/no/such/snmpd does not start"), "{}", text(&output.stderr));
    let output = import(&["/dev/null", "--compare", "--root", "noSuchName"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("noSuchName"));
}

/// Both started from one file, with what would reach out left out of it.
#[test]
fn snmpd_and_our_agent_agree_on_what_the_file_configures() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    let conf = "agentAddress 192.0.2.1:161\ntrap2sink 192.0.2.2\nmaster agentx\nsysName compared\nsysContact Me\n\
                sysLocation here\nsysServices 72\nproc init 5 0\nextend hello /bin/echo hello world\nload 12 10 8\n\
                proc odd 1 3\nproc few few\nproc odd 7\nproc last\nexec one /bin/echo one\nexec .1.3.6.1.4.1.2021.50 own /bin/echo own\n\
                exec one /bin/echo again\nexec two /bin/echo two\n";
    std::fs::write(&file, conf).unwrap();
    let compare = |root: &str| import(&[file.to_str().unwrap(), "--compare", "--root", root]);
    for root in [
        "sysName",
        "sysContact",
        "sysLocation",
        "sysServices",
        "laConfig",
        "nsExtendOutput1Table",
        "prTable",
        "extTable",
    ] {
        let output = compare(root);
        let words = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{root}: {words}{}", text(&output.stderr));
        assert!(!words.contains(" 0 equal"), "{root}: {words}");
    }
    // Each agent lists modules of its own, which is known.
    let output = compare("1.3.6.1.2.1.1");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(!text(&output.stdout).contains("sysOR"));
}

/// Where there is little traffic, the comparison itself is most of it, and snmpd shows for up to a minute what was before.
#[test]
fn agents_in_a_new_network_agree() {
    isolated("agents_in_a_new_network_agree", || is_replaced("debian.conf", ""));
}

/// Neither agent has an answer of another agent that is gone, and what follows is compared.
#[test]
fn a_proxy_without_an_agent_is_stepped_over() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    let gone = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let conf = format!("proxy -t 0.2 -r 0 -v2c -c public {gone} .1.3.6.1.4.1.9999\n");
    std::fs::write(&file, conf).unwrap();
    let compare = |more: &[&str]| {
        let root = ["--compare", "--root", "1.3.6.1.4.1"];
        import(&[&[file.to_str().unwrap()], &root[..], more].concat())
    };
    let output = compare(&[]);
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{words}{}", text(&output.stderr));
    assert!(words.contains("neither agent has an answer after 1.3.6.1.4.1.8072."), "{words}");
    assert!(words.contains(" for 1.3.6.1.4.1.9999: not compared\n"), "{words}");
    let output = compare(&["--ignore", "1.3.6.1.4.1.9999", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((document["result"].as_str(), &document["silent"]), (Some("equal"), &serde_json::json!([])));
}

/// An agent whose answers contradict the file is found.
#[test]
fn another_agent_than_the_files_differs() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, "sysLocation Rack 12\nsysContact noc\nsysServices 72\nrocommunity public\n")
        .unwrap();
    let other = Agent::start(&format!(
        "{BOTH}[system]\nlocation = \"elsewhere\"\ncontact = \"noc\"\nservices = 72\n"
    ));
    let (file, root) = (file.to_str().unwrap(), "1.3.6.1.2.1.1");
    let output = import(&[file, "--compare", "--ours", &url(&other), "--root", root, "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let differences = document["differences"].as_array().unwrap();
    let names: Vec<&str> = differences.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["sysLocation"], "{document}");
}

/// Imports a file of `crates/netsnmp/tests/data/servers` strictly, but for the directives that may be lost, and compares
/// both agents.
fn is_replaced(name: &str, accepted: &str) {
    if !has("snmpd", "snmpd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = format!("{}/../netsnmp/tests/data/servers/{name}", env!("CARGO_MANIFEST_DIR"));
    let file = folder.path().join("snmpd.conf");
    std::fs::copy(source, &file).unwrap();
    std::fs::create_dir(folder.path().join("snmpd.conf.d")).unwrap();
    let conf = std::fs::read_to_string(&file).unwrap();
    let included = folder.path().join("snmpd.conf.d").display().to_string();
    std::fs::write(&file, conf.replace("includeDir snmpd.conf.d", &format!("includeDir {included}")))
        .unwrap();
    let file = file.to_str().unwrap();
    let accept: &[&str] = if accepted.is_empty() { &[] } else { &["--accept", accepted] };
    let output = import(&[&[file, "--strict"], accept].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = import(&[file, "--compare"]);
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{words}{}", text(&output.stderr));
    assert!(words.contains(" 0 that differ"), "{words}");
}

#[test]
fn the_file_of_debian() {
    is_replaced("debian.conf", "");
}

#[test]
fn the_file_of_red_hat() {
    is_replaced("rhel.conf", "");
}

#[test]
fn the_file_of_librenms() {
    is_replaced("librenms.conf", "");
}

#[test]
fn the_file_of_observium() {
    is_replaced("observium.conf", "");
}

#[test]
fn the_file_of_zabbix() {
    is_replaced("zabbix.conf", "storageUseNFS,ignoreDisk");
}

#[test]
fn the_file_of_a_monitored_server() {
    is_replaced("server.conf", "");
}

/// Whatever directive the installed snmpd understands is explained.
#[test]
fn every_directive_of_snmpd_is_known() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let help = Command::new("snmpd").args(["-C", "-H"]).output().unwrap();
    let help = text(&help.stdout) + &text(&help.stderr);
    let own = help.lines().skip_while(|line| !line.contains("In snmpd.conf")).skip(1);
    let own = own.take_while(|line| !line.trim_start().starts_with("In "));
    let names: Vec<&str> = own.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 90, "{help}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf").display().to_string();
    let lines: String = names.iter().map(|name| format!("{name} 1 2 3\n")).collect();
    std::fs::write(&file, lines).unwrap();
    let output = import(&[&file, "--explain", "--json"]);
    let lines: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let unknown: Vec<&serde_json::Value> =
        lines.iter().filter(|line| line["notes"].to_string().contains("not a known directive")).collect();
    assert!(unknown.is_empty() && lines.len() > 90, "{unknown:#?}");
}

/// A signal ends both agents, and nothing of the old file's secrets stays behind.
#[test]
fn an_interrupted_comparison_leaves_nothing() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, temporary) = (folder.path().join("snmpd.conf"), folder.path().join("tmp"));
    std::fs::write(&file, "rocommunity secret\n").unwrap();
    std::fs::create_dir(&temporary).unwrap();
    let remains = || std::fs::read_dir(&temporary).unwrap().count();
    // Programs whose command line has the folder's path.
    let running = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let command = all.map(|entry| std::fs::read(entry.path().join("cmdline")).unwrap_or_default());
        let path = temporary.display().to_string();
        command.filter(|words| text(words).contains(&path)).count()
    };
    for signal in ["TERM", "HUP", "INT"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunklined"));
        command.args(["import-snmpd", "--compare"]).arg(&file).env("TMPDIR", &temporary);
        let mut comparison = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        while running() < 2 {
            assert!(comparison.try_wait().unwrap().is_none(), "it has ended before the signal");
            std::thread::yield_now();
        }
        let sent = Command::new("kill").args([&format!("-{signal}"), &comparison.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(comparison.wait().unwrap().code(), Some(2), "{signal}");
        assert_eq!((remains(), running()), (0, 0), "{signal}");
    }
}
