//! `restconf+http://` and `restconf+https://` with a running `trunklined`: what reads, sets and subscribes by NETCONF does so by RESTCONF.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::Value as Json;
use support::{Trunklined, run, trunkline};

const PASSWORD: &str = "maple syrup";

/// An agent over HTTP and HTTPS.
struct Agent {
    program: Trunklined,
    pki: tempfile::TempDir,
}

impl Agent {
    fn start() -> Option<Agent> {
        let pki = support::pki(&["max"]);
        let hash = trunkline_client::transport::ssh::PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
        let config = format!(
            "[agent]\nstate = \"STATE\"\n[freshness]\ndefault = \"1h\"\n[http]\nlisten = [\"http://127.0.0.1:0\", \"https://127.0.0.1:0\"]\n\
             doors = [\"restconf\"]\n[snmp]\nlisten = []\n[snmp.tls]\ndirectory = \"{}\"\n[[role]]\nname = \"operator\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
             notify = [\"1\"]\n[[snmp.principal]]\nname = \"max\"\nrole = \"operator\"\npassword-hash = {hash:?}\n",
            pki.path().display()
        );
        let program = Trunklined::start(&config, &["http", "https"])?;
        Some(Agent { program, pki })
    }

    fn url(&self) -> String {
        format!("restconf+http://max:maple%20syrup@{}", self.program.address(0))
    }

    /// The same with a certificate.
    fn secure(&self) -> (String, String) {
        let port = self.program.address(1).rsplit(':').next().unwrap();
        (format!("restconf+https://localhost:{port}"), self.pki.path().display().to_string())
    }
}

/// The folder has a manager's certificate, and agents refuse a password beside one.
#[test]
fn a_password_goes_without_the_usual_certificate() {
    let Some(agent) = Agent::start() else { return };
    let (url, pki) = agent.secure();
    let leaf = "/ietf-system:system-state/platform/os-name";
    let by_password = url.replace("://", "://max:maple%20syrup@");
    for url in [&url, &by_password] {
        let (out, _) = run(&["get", "--pki", &pki, url, leaf], 0);
        assert!(out.ends_with(" = Linux\n"), "{url}: {out}");
    }
}

#[test]
fn data_and_objects_are_read_as_over_netconf() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    let (out, _) = run(&["get", &url, "/ietf-interfaces:interfaces/interface[name='lo']/type"], 0);
    assert_eq!(
        out,
        "/ietf-interfaces:interfaces/interface[name='lo']/type = iana-if-type:softwareLoopback\n"
    );
    let (out, _) = run(&["get", &format!("{url}/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='1']/ifDescr")], 0);
    assert_eq!(out, "/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='1']/ifDescr = lo\n");
    let (out, _) = run(&["get", &url, "ifDescr.1", "sysUpTime.0"], 0);
    assert!(out.starts_with("IF-MIB::ifDescr.1 = ") && out.contains("sysUpTime.0 = "), "{out}");
    let (out, _) = run(&["walk", &url, "/ietf-interfaces:interfaces/interface[name='lo']"], 0);
    assert!(out.contains("/statistics/in-octets = "), "{out}");
    let (out, _) = run(&["walk", &url, "ifTable"], 0);
    assert!(out.contains("IF-MIB::ifDescr.1 = "), "{out}");
    let (out, _) = run(&["table", &url, "ifTable", "--columns", "ifIndex,ifDescr"], 0);
    assert!(out.contains("lo"), "{out}");
    let (out, _) = run(&["watch", &url, "/ietf-system:system-state/platform/os-name", "--count", "1"], 0);
    assert!(out.contains("/ietf-system:system-state/platform/os-name = Linux"), "{out}");
    let (out, err) = run(&["get", &url, "/ietf-interfaces:interfaces/interface[name='no7']/type"], 0);
    assert!(out.contains("no such data") && err.contains("has nothing there"), "{out}{err}");
    let (_, err) = run(&["get", &url, "/ietf-interfaces:interfaces/interfacs"], 2);
    assert!(err.contains("has no interfacs in the module ietf-interfaces, but interface"), "{err}");
    let (out, _) = run(&["netconf", "get", &url, "/ietf-system:system-state/platform"], 0);
    assert!(out.contains("<os-name>Linux</os-name>"), "{out}");
    let (out, err) =
        run(&["netconf", "get", "--json", &url, "/ietf-interfaces:interfaces/interface[name='lo']"], 0);
    let json: Json = serde_json::from_str(&out).unwrap();
    let lo = &json["ietf-interfaces:interfaces"]["interface"][0];
    assert!(
        lo["if-index"] == 1
            && lo["type"] == "iana-if-type:softwareLoopback"
            && lo["statistics"]["in-octets"].is_string()
    );
    assert_eq!(err, "");
    let (out, _) = run(&["netconf", "capabilities", &url], 0);
    assert!(out.contains(":yang-patch:1.0") && out.contains("ietf-interfaces"), "{out}");
    let (out, _) = run(&["netconf", "schema", &url, "IF-MIB"], 0);
    assert!(out.starts_with("module IF-MIB {"), "{out}");
    let (out, _) = run(&["netconf", "streams", "--json", &url], 0);
    let streams: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((&streams[0]["name"], &streams[0]["replay"]), (&"NETCONF".into(), &true.into()));
    let (out, _) = run(&["select", &url, "{Root}", "--data", "{ifDescr}"], 0);
    assert!(out.contains("lo"), "{out}");
}

#[test]
fn leaves_are_set_and_configurations_edited() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    let contact = "/ietf-system:system/contact";
    let (out, _) = run(&["set", &url, &format!("{contact}=ann = bob"), "/ietf-system:system/location=x"], 0);
    assert_eq!(out, format!("{contact} = ann = bob\n/ietf-system:system/location = x\n"));
    let (out, _) = run(&["netconf", "get-config", &url], 0);
    assert!(out.contains("<contact>ann = bob</contact>\n  <location>x</location>"), "{out}");
    let (_, err) = run(&["set", &url, "/ietf-system:system/nothing=1"], 1);
    assert!(err.contains("unknown-element"), "{err}");
    let (_, err) = run(&["set", &url, "/nothing:system/contact=1"], 1);
    assert!(err.contains("no module nothing"), "{err}");
    let edit = |config: &str, status: i32| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(config.as_bytes()).unwrap();
        run(&["netconf", "edit", "--yes", &url, file.path().to_str().unwrap()], status).1
    };
    // Two operations are a YANG Patch.
    let system = |inner: &str| {
        format!(
            "<system xmlns='urn:ietf:params:xml:ns:yang:ietf-system' xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>{inner}</system>"
        )
    };
    edit(&system("<contact nc:operation='delete'/><location nc:operation='replace'>y</location>"), 0);
    let (out, _) = run(&["netconf", "get-config", &url], 0);
    assert!(!out.contains("contact") && out.contains("<location>y</location>"), "{out}");
    let err = edit(&system("<location>z</location><contact nc:operation='delete'/>"), 1);
    assert!(err.contains("data-missing"), "{err}");
    let err = edit(&system("<location nc:operation='create'>z</location>"), 1);
    assert!(err.contains("data-exists"), "{err}");
    let (out, _) = run(&["netconf", "get-config", &url], 0);
    assert!(out.contains("<location>y</location>"), "{out}");
    for command in [&["netconf", "commit"][..], &["netconf", "rollback"], &["netconf", "kill"]] {
        let number: &[&str] = if command[1] == "kill" { &["7"] } else { &[] };
        let (_, err) = run(&[command, &[&url], number].concat(), 1);
        assert!(err.contains("RESTCONF has no"), "{err}");
    }
}

#[test]
fn events_come_as_over_netconf() {
    let Some(agent) = Agent::start() else { return };
    let url = agent.url();
    let mut listening = trunkline(&["subscribe", &url, "--json", "--count", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(listening.stdout.take().unwrap()).lines();
    let told = std::thread::spawn(move || lines.next().and_then(Result::ok));
    let mut count = 0;
    // Until it has subscribed nobody tells it.
    while !told.is_finished() && count < 200 {
        count += 1;
        run(&["set", &url, &format!("/ietf-system:system/contact={count}")], 0);
    }
    let line = told.join().unwrap().expect("an event");
    let event: Json = serde_json::from_str(&line).unwrap();
    assert_eq!(event["name"], "ietf-netconf-notifications:netconf-config-change");
    assert!(listening.wait().unwrap().success());
    let (_, err) = run(&["netconf", "subscribe", &url, "--xpath", "/IF-MIB:linkDwn"], 2);
    assert!(err.contains("has no linkDwn at its top, but linkDown"), "{err}");
    let (_, err) = run(&["netconf", "subscribe", &url, "--on-change", "--push", "/ietf-system:sytem"], 2);
    assert!(err.contains("has no sytem at its top, but system"), "{err}");
    let push = ["--push", "/ietf-system:system", "--on-change", "--count", "1"];
    let (_, err) = run(&[&["netconf", "subscribe", &url][..], &push].concat(), 1);
    assert!(err.contains("no subscriptions to data"), "{err}");
    let since = ["--since", "2026-01-01T00:00:00Z", "--until", "2026-01-02T00:00:00Z"];
    let (out, _) = run(&[&["netconf", "subscribe", &url][..], &since].concat(), 0);
    assert_eq!(out, "");
}

#[test]
fn passwords_tokens_and_certificates_authenticate() {
    let Some(agent) = Agent::start() else { return };
    let name = "/ietf-system:system-state/platform/os-name";
    let plain = format!("restconf+http://{}", agent.program.address(0));
    let (_, err) = run(&["get", &plain, name], 1);
    assert!(
        err.contains("401") && err.contains("TRUNKLINE_HTTP_PASSWORD") && !err.contains("COMMUNITY"),
        "{err}"
    );
    let user = plain.replace("://", "://max@");
    let (_, err) = run(&["get", &user, name], 2);
    assert!(err.contains("TRUNKLINE_HTTP_PASSWORD"), "{err}");
    for (target, arguments) in [(&user, &[][..]), (&plain, &["--http-user", "max"])] {
        let mut command = trunkline(&[&["get", target, name][..], arguments].concat());
        let output = command.env("TRUNKLINE_HTTP_PASSWORD", PASSWORD).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, PASSWORD).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let file = file.to_str().unwrap();
    run(&["get", &user, name, "--http-password-file", file], 0);
    let (_, err) = run(&["get", &plain, name, "--http-password-file", file], 2);
    assert!(err.contains("whose password") && err.contains("--http-user"), "{err}");
    let wrong = plain.replace("://", "://max:marmalade@");
    let (_, err) = run(&["get", &wrong, name], 1);
    assert!(err.contains("401") && !err.contains("marmalade"), "{err}");
    let (url, pki) = agent.secure();
    let (out, _) = run(&["get", "--pki", &pki, &url, name], 0);
    assert_eq!(out, format!("{name} = Linux\n"));
    let (out, _) = run(&["netconf", "get", "--pki", &pki, &url, name], 0);
    assert!(out.contains(">Linux</os-name>"), "{out}");
    let (_, err) = run(&["netconf", "get", "--call-home", "127.0.0.1:0", "--pki", &pki, &url, name], 2);
    assert!(err.contains("--call-home"), "{err}");
}
