//! `trunkline netconf` with a server that others wrote: Debian's netconfd (yuma123) behind OpenSSH's sshd.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use support::{texts, trunkline};
use tempfile::TempDir;
use trunkline_pki::{Directory, Name};
use trunkline_testkit::has;

const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";

/// netconfd, and an SSH server in front of it.
struct Server {
    folder: TempDir,
    netconfd: Child,
    said: Arc<Mutex<Vec<String>>>,
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    sshd: Option<JoinHandle<()>>,
}

impl Server {
    /// `None` if something of it is not installed.
    fn start() -> Option<Server> {
        let is_there =
            [("netconfd", "netconfd"), ("sshd", "openssh-server"), ("ssh-keygen", "openssh-client")];
        if !is_there.iter().all(|(program, package)| has(program, package)) {
            return None;
        }
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(path("host"))
            .status();
        assert!(made.unwrap().success());
        let pki = Directory::at(path("pki"));
        pki.ssh_key(&Name::new("root").unwrap(), false).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let socket = path("netconfd.sock");
        // It makes this folder, whatever HOME says, and does not start if another one makes it at that moment.
        let _ = std::fs::create_dir_all("/root/.yuma");
        let mut netconfd = Command::new("/usr/sbin/netconfd")
            .args(["--superuser=root", "--no-startup", "--target=candidate", "--module=ietf-interfaces"])
            .args(["--module=iana-if-type", &format!("--port={}", address.port())])
            .arg(format!("--ncxserver-sockname={}", socket.display()))
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(netconfd.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut first = Vec::new();
        let is_running = log.any(|line| {
            first.push(line);
            first.last().is_some_and(|line| line.starts_with("Running netconfd server"))
        });
        assert!(is_running, "netconfd does not start: {first:#?}");
        // It must not wait for a reader of its log.
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = said.clone();
        std::thread::spawn(move || log.for_each(|line| kept.lock().unwrap().push(line)));
        // As root it requires this directory.
        let _ = std::fs::create_dir_all("/run/sshd");
        let configuration = format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin yes\nPidFile none\n\
             Subsystem netconf /usr/sbin/netconf-subsystem --ncxserver-sockname={}@{}\n",
            path("host").display(),
            path("pki/ssh/root.pub").display(),
            address.port(),
            socket.display()
        );
        std::fs::write(path("sshd_config"), configuration).unwrap();
        let ends = Arc::new(AtomicBool::new(false));
        let sshd = Some(std::thread::spawn({
            let (ends, config, log) = (ends.clone(), path("sshd_config"), path("sshd.log"));
            move || serve(&listener, &ends, &config, &log)
        }));
        Some(Server { folder, netconfd, said, address, ends, sshd })
    }

    /// Runs a command of `netconf`; what it printed. `input`: the file of an edit.
    #[track_caller]
    fn run(&self, words: &[&str], more: &[&str], status: i32) -> (String, String) {
        let pki = self.folder.path().join("pki").display().to_string();
        let known_hosts = self.folder.path().join("known_hosts").display().to_string();
        let url = format!("netconf://root@{}", self.address);
        let ends = ["--pki", &pki, "--known-hosts", &known_hosts, "--accept-new-host"];
        let arguments = [words, &ends, &[&url], more].concat();
        let mut command = trunkline(&arguments);
        command.env("HOME", self.folder.path()).env_remove("SSH_AUTH_SOCK");
        let output = command.output().unwrap();
        let (out, err) = texts(&output);
        if output.status.code() != Some(status) {
            let sshd = std::fs::read_to_string(self.folder.path().join("sshd.log")).unwrap_or_default();
            let netconfd = self.said.lock().unwrap().join("\n");
            let state = std::fs::read_to_string(format!("/proc/{}/stat", self.netconfd.id()));
            panic!(
                "{arguments:?}: {}\n{out}\n{err}\nsshd:\n{sshd}\nnetconfd {state:?}:\n{netconfd}",
                output.status
            );
        }
        (out, err)
    }

    /// A file with an interface.
    fn interface(&self, name: &str, kind: &str, attributes: &str) -> String {
        let path = self.folder.path().join(format!("{name}.xml"));
        let text = format!(
            "<?xml version='1.0'?>\n<interfaces xmlns='{INTERFACES}' xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>\
             <interface{attributes}><name>{name}</name><type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:{kind}</type>\
             <description>{name} &amp; more</description></interface></interfaces>"
        );
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let _ = std::net::TcpStream::connect(self.address);
        let _ = self.sshd.take().map(JoinHandle::join);
        let _ = self.netconfd.kill();
        let _ = self.netconfd.wait();
    }
}

/// A process of sshd for each connection, as from inetd.
fn serve(listener: &TcpListener, ends: &AtomicBool, config: &Path, log: &Path) {
    let mut children = Vec::new();
    for stream in listener.incoming() {
        if ends.load(Ordering::SeqCst) {
            break;
        }
        let stream = stream.unwrap();
        let (input, output) = (OwnedFd::from(stream.try_clone().unwrap()), OwnedFd::from(stream));
        let mut sshd = Command::new("/usr/sbin/sshd");
        sshd.arg("-i").arg("-f").arg(config).arg("-E").arg(log).stdin(input).stdout(output);
        children.push(sshd.spawn().unwrap());
    }
    for mut child in children {
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[test]
fn a_foreign_server_is_read_and_configured() {
    with_server(|server| {
        let (capabilities, _) = server.run(&["netconf", "capabilities", "--uris"], &[], 0);
        assert!(capabilities.lines().any(|it| it.starts_with(INTERFACES)), "{capabilities}");
        let (capabilities, _) = server.run(&["netconf", "capabilities"], &[], 0);
        assert!(capabilities.lines().any(|it| it.trim_end() == ":candidate:1.0"), "{capabilities}");
        assert!(capabilities.lines().any(|it| it.starts_with("ietf-interfaces ")), "{capabilities}");

        // The change is shown, and committed.
        let file = server.interface("eth7", "ethernetCsmacd", "");
        let (_, said) = server.run(&["netconf", "edit"], &[&file], 0);
        assert!(
            said.contains("+ /ietf-interfaces:interfaces/interface[name='eth7']/description = eth7 & more"),
            "{said}"
        );
        let of = ["//if:interface[if:name = 'eth7']", "--prefix", &format!("if={INTERFACES}")];
        let (read, _) = server.run(&["netconf", "get-config"], &of, 0);
        assert!(read.contains("    <description>eth7 &amp; more</description>\n"), "{read}");
        assert!(
            read.contains(
                "xmlns:ianaift=\"urn:ietf:params:xml:ns:yang:iana-if-type\">ianaift:ethernetCsmacd<"
            )
        );

        // What the user may not read would not be shown.
        let (_, said) = server.run(&["netconf", "edit"], &[&file], 0);
        assert!(said.contains("nothing that you may read changes in the running configuration"), "{said}");

        // The candidate is left with a change, compared, and discarded.
        let other = server.interface("eth8", "ethernetCsmacd", "");
        server.run(&["netconf", "edit", "--no-commit"], &[&other], 0);
        let (differs, _) = server.run(&["netconf", "diff"], &[], 0);
        let name = "+ /ietf-interfaces:interfaces/interface[name='eth8']/name = eth8";
        assert!(differs.lines().any(|line| line == name), "{differs}");
        assert!(!differs.contains("eth7"), "{differs}");
        // A configuration at the server, and a file here.
        let (differs, _) = server.run(&["netconf", "diff", "--from", &other, "--to", "candidate"], &[], 0);
        let name = "+ /ietf-interfaces:interfaces/interface[name='eth7']/name = eth7";
        assert!(differs.lines().any(|line| line == name) && !differs.contains("eth8"), "{differs}");
        server.run(&["netconf", "rollback"], &[], 0);
        assert_eq!(server.run(&["netconf", "diff"], &[], 0).0, "");

        // What the server refuses is printed in its words, and nothing of it is left.
        let wrong = server.interface("eth9", "nothing", "");
        let (_, said) = server.run(&["netconf", "edit"], &[&wrong], 1);
        assert!(said.contains("refuses: invalid-value"), "{said}");
        let twice = server.interface("eth7", "ethernetCsmacd", " nc:operation='create'");
        let (_, said) = server.run(&["netconf", "edit"], &[&twice], 1);
        assert!(said.contains("refuses: data-exists"), "{said}");
        assert_eq!(server.run(&["netconf", "diff"], &[], 0).0, "");
    });
}

#[test]
fn data_is_read_by_its_path_in_yang() {
    with_server(|server| {
        for name in ["eth1", "eth2"] {
            server.run(&["netconf", "edit"], &[&server.interface(name, "ethernetCsmacd", "")], 0);
        }
        let one = "/ietf-interfaces:interfaces/interface[name='eth1']";
        let description = format!("{one}/description");
        let line = format!("{description} = eth1 & more\n");
        assert_eq!(server.run(&["get"], &[&description], 0).0, line);
        let (json, _) = server.run(&["get", "--json"], &[&description], 0);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let expected = serde_json::json!([{"path": description, "value": "eth1 & more"}]);
        assert_eq!(json, expected);
        // Of all entries.
        let (all, _) = server.run(&["get"], &["/ietf-interfaces:interfaces/interface/description"], 0);
        assert_eq!(all, line.clone() + &line.replace("eth1", "eth2"));
        let (all, _) = server.run(&["walk"], &[one], 0);
        assert!(all.starts_with(&format!("{one}/name = eth1\n")) && all.contains(&line), "{all}");
        assert!(!all.contains("eth2"), "{all}");
        let (nothing, said) = server.run(&["get"], &[one], 0);
        assert!(nothing.contains("no such data") && said.contains("`trunkline walk`"), "{nothing}{said}");
        let (nothing, said) =
            server.run(&["walk"], &["/ietf-interfaces:interfaces/interface[name='eth3']"], 0);
        assert!(nothing.is_empty() && said.contains("has nothing there"), "{said}");
        // More than a path is an expression.
        let (found, _) = server.run(
            &["walk"],
            &["//ietf-interfaces:interface[starts-with(ietf-interfaces:name, 'eth1')]"],
            0,
        );
        assert!(found.contains(&line) && !found.contains("eth2"), "{found}");
        let (watched, _) = server.run(&["watch", "--count", "2", "--every", "10ms"], &[&description], 0);
        assert_eq!(watched.lines().filter(|it| it.ends_with(line.trim_end())).count(), 2, "{watched}");
        let (found, _) = server.run(&["netconf", "get-config"], &[one], 0);
        assert!(found.contains("<name>eth1</name>") && !found.contains("eth2"), "{found}");

        let (_, said) = server.run(&["get"], &["/nothing:at/all"], 1);
        assert!(said.contains("announces no module nothing"), "{said}");
        let (_, said) = server.run(&["get"], &["ifDescr.1", one], 2);
        assert!(said.contains("give only one kind"), "{said}");
        let (_, said) = server.run(&["next"], &[one], 2);
        assert!(said.contains("is a path of YANG"), "{said}");
        let (_, said) = server.run(&["watch", "--table"], &[one], 2);
        assert!(said.contains("a line for each leaf"), "{said}");
    });
}

/// Runs a test with a server of its own, again if that has crashed: netconfd 2.13 does now and then, on a pointer that is NULL.
fn with_server(test: impl Fn(&Server)) {
    for tries_left in (0..5).rev() {
        let Some(mut server) = Server::start() else { return };
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(&server)));
        let has_crashed = server.netconfd.try_wait().unwrap().is_some();
        match told {
            Ok(()) => return,
            Err(_) if has_crashed && tries_left > 0 => {}
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

#[test]
fn events_of_a_foreign_server_are_printed() {
    with_server(events_are_printed);
}

fn events_are_printed(server: &Server) {
    let (streams, _) = server.run(&["netconf", "streams"], &[], 0);
    assert!(streams.lines().any(|it| it.starts_with("NETCONF ") && it.contains("since 20")), "{streams}");
    let (streams, _) = server.run(&["netconf", "streams", "--json"], &[], 0);
    let streams: serde_json::Value = serde_json::from_str(&streams).unwrap();
    assert_eq!((&streams[0]["name"], &streams[0]["replay"]), (&"NETCONF".into(), &true.into()));
    server.run(&["netconf", "edit"], &[&server.interface("eth1", "ethernetCsmacd", "")], 0);
    let since = ["netconf", "subscribe", "--since", "2020-01-01T00:00:00Z"];
    let change = ["--xpath", "/ietf-netconf-notifications:netconf-config-change", "--count", "1"];
    let (text, _) = server.run(&[&since[..], &change].concat(), &[], 0);
    let first = text.lines().next().unwrap_or_default();
    assert!(first.ends_with("Z ietf-netconf-notifications:netconf-config-change"), "{text}");
    assert!(text.lines().any(|it| it == "    changed-by/username = root"), "{text}");
    let (json, _) = server.run(&[&since[..], &change, &["--json"]].concat(), &[], 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["name"], "ietf-netconf-notifications:netconf-config-change");
    let (xml, _) = server.run(&[&since[..], &change, &["--xml"]].concat(), &[], 0);
    assert!(xml.starts_with("<notification ") && xml.contains("  <changed-by>\n"), "{xml}");
    // Up to a time that has passed it ends without --count.
    let until = ["--until", "2020-01-02T00:00:00Z"];
    let (nothing, _) = server.run(&[&since[..], &until].concat(), &[], 0);
    assert_eq!(nothing, "");
    let (_, said) = server.run(&["netconf", "subscribe", "--stream", "nothing"], &[], 1);
    assert!(said.contains("refuses"), "{said}");
    let (_, said) = server.run(&["netconf", "subscribe", "--since", "yesterday"], &[], 2);
    assert!(said.contains("2026-11-25T08:00:00Z"), "{said}");
}

#[test]
fn a_commit_of_a_foreign_server_is_confirmed_or_taken_back() {
    with_server(|server| {
        let has = |name: &str| {
            server.run(&["netconf", "get-config"], &[], 0).0.contains(&format!("<name>{name}</name>"))
        };
        let file = server.interface("eth1", "ethernetCsmacd", "");
        let (id, said) = server.run(&["netconf", "edit", "--confirmed", "60"], &[&file], 0);
        assert!(said.contains("committed for 60 s") && has("eth1"), "{said}");
        server.run(&["netconf", "rollback", "--persist-id", id.trim()], &[], 0);
        assert!(!has("eth1"));
        server.run(&["netconf", "edit", "--confirmed", "60", "--persist", "mine"], &[&file], 0);
        let (_, said) = server.run(&["netconf", "commit", "--persist-id", "another"], &[], 1);
        assert!(said.contains("refuses: invalid-value"), "{said}");
        server.run(&["netconf", "commit", "--persist-id", "mine"], &[], 0);
        assert!(has("eth1"));

        // A lock is held while a program runs, which works in its session; another session is refused meanwhile.
        let pki = server.folder.path().join("pki").display().to_string();
        let hosts = server.folder.path().join("known_hosts").display().to_string();
        let edit = format!(
            "{} netconf edit --pki {pki} --known-hosts {hosts} netconf://root@{} {file}",
            env!("CARGO_BIN_EXE_trunkline"),
            server.address
        );
        for datastore in ["running", "candidate"] {
            let held = ["--datastore", datastore, "--", "sh", "-c", &edit];
            server.run(&["netconf", "lock"], &held, 0);
        }
        let other = format!("env -u TRUNKLINE_NETCONF_SESSION {edit}");
        let held = ["--datastore", "candidate", "--", "sh", "-c", &other];
        let (_, said) = server.run(&["netconf", "lock"], &held, 1);
        assert!(said.contains("refuses: lock-denied") && said.contains("holds it"), "{said}");
        assert!(said.contains("lends its session"), "{said}");
        server.run(&["netconf", "edit"], &[&file], 0);
    });
}

#[test]
fn a_server_has_a_name() {
    with_server(|server| {
        let path = |name: &str| server.folder.path().join(name).display().to_string();
        // The host key is kept.
        server.run(&["netconf", "capabilities"], &[], 0);
        let config = path("config.toml");
        let text = format!(
            "[targets.edge]\naddress = \"netconf://root@{}\"\npki = \"{}\"\nknown-hosts = \"{}\"\n[groups]\nall = [\"edge\"]\nnone = []\n",
            server.address,
            path("pki"),
            path("known_hosts")
        );
        std::fs::write(&config, text).unwrap();
        let ask = |name: &str| {
            let mut command = trunkline(&["netconf", "schema", "--config", &config, name, "ietf-interfaces"]);
            command.env("HOME", server.folder.path()).env_remove("SSH_AUTH_SOCK");
            let output = command.output().unwrap();
            (output.status.code(), texts(&output))
        };
        for name in ["edge", "@all"] {
            let (status, (out, err)) = ask(name);
            assert!(status == Some(0) && out.starts_with("module ietf-interfaces {"), "{name}: {err}");
        }
        for (name, words) in [
            ("@none", "a group of 0 agents: name one"),
            ("@else", "no group or target"),
            ("els", "els: expected a URL such as netconf://USER@HOST, or the name of a target"),
        ] {
            let (status, (_, err)) = ask(name);
            assert!(status == Some(2) && err.contains(words), "{name}: {err}");
        }
    });
}

#[test]
fn operations_and_schemas_are_printed_as_they_are() {
    with_server(|server| {
        let (schema, _) = server.run(&["netconf", "schema"], &["ietf-interfaces"], 0);
        assert!(schema.starts_with("module ietf-interfaces {"), "{schema}");
        let (_, said) = server.run(&["netconf", "schema"], &["nothing"], 1);
        assert!(said.contains("refuses"), "{said}");
        let path = server.folder.path().join("rpc.xml");
        std::fs::write(&path, "<get-config><source><running/></source></get-config>").unwrap();
        let (reply, _) = server.run(&["netconf", "rpc"], &[path.to_str().unwrap()], 0);
        assert!(reply.starts_with("<rpc-reply ") && reply.contains("\n  <data>\n"), "{reply}");
        std::fs::write(&path, "<fly xmlns='urn:example:fly'/>").unwrap();
        let (reply, said) = server.run(&["netconf", "rpc"], &[path.to_str().unwrap()], 1);
        assert!(reply.contains("<rpc-error") && said.contains("refuses"), "{reply}{said}");
        std::fs::write(&path, "<get><odd></get>").unwrap();
        let (_, said) = server.run(&["netconf", "rpc"], &[path.to_str().unwrap()], 2);
        assert!(said.contains("rpc.xml:1:11: found </get>"), "{said}");
        // A MIB that the server does not have.
        let (_, said) = server.run(&["get"], &["ifDescr.1"], 1);
        assert!(said.contains("does not announce the module IF-MIB"), "{said}");
    });
}
