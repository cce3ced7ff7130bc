//! Several sources load parts into one device, each bound to its rights; the policy that gives the rights; and those who sign with keys of
//! their own.

use std::path::Path;
use std::process::Command;

use trunkline_client::netconf::security::{Protection, Signer};
use trunkline_client::netconf::{MessageKeys, NetconfOptions, NetconfSession, OwnKeys};
use trunkline_login::session::netconf_target;
use trunkline_login::{EndsArgs, HttpLoginArgs, SshArgs, TlsArgs};
use trunkline_testkit::has;

use crate::rbac::world::{World, connect, open, port, reads};
use crate::support::{Trunklined, texts, trunkline};

const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const RBAC: &str = "urn:trunkline:yang:rbac";
/// The providers' principals, and what each role may write.
const PROVIDERS: &str = "[[role]]\nname = \"contact\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"/ietf-system:system/contact\"]\n\
    [[role]]\nname = \"location\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"/ietf-system:system/location\"]\n\
    [[snmp.principal]]\nname = \"cpa\"\nrole = \"contact\"\n[[snmp.principal]]\nname = \"cpb\"\nrole = \"location\"\n";

/// How a provider reaches the device.
struct Way {
    url: String,
    ends: Vec<String>,
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// `trunkline netconf edit` as a provider: its status and what it said.
fn edit(world: &World, way: &Way, content: &str) -> (Option<i32>, String) {
    let file = world.path("change.xml");
    std::fs::write(&file, format!("<system xmlns=\"{SYSTEM}\">{content}</system>")).unwrap();
    let mut command = trunkline(&["netconf", "edit", "--yes"]);
    let output = command.args(&way.ends).arg(&way.url).arg(&file).output().unwrap();
    let (out, err) = texts(&output);
    (output.status.code(), out + &err)
}

/// What the device has of the system's place, as max reads it.
fn system(world: &World, device: &Trunklined) -> String {
    let url = format!("netconf+tls://localhost:{}", port(device.address(0)));
    let mut command = trunkline(&["netconf", "get-config"]);
    let output = command.args(world.ends("max")).arg(url).arg("/system").output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{out}{err}");
    out
}

#[test]
fn each_source_is_bound_to_its_rights_and_a_part_that_exceeds_them_is_refused_whole() {
    let world = World::new();
    let Some(device) = world.device(PROVIDERS) else { return };
    world.run(&["init"], 0);
    for (user, role) in [("cpa", "contact"), ("cpb", "location")] {
        world.equip(user);
        world.run(&["role", "add", role], 0);
        world.run(&["assign", user, role], 0);
    }
    world.add("a", port(device.address(0)));
    world.run(&["deploy"], 0);
    let [tls, tcp, ssh] = [0, 1, 2].map(|at| port(device.address(at)));
    let ways = |user: &str, role: &str| {
        let (token, _) = world.run(&["token", user, role], 0);
        let plain = world.ends(user);
        let with_keys = [plain.clone(), vec!["--keys".to_owned(), token.trim().to_owned()]].concat();
        [
            Way { url: format!("netconf+tls://localhost:{tls}"), ends: plain.clone() },
            Way { url: format!("netconf://{user}@localhost:{ssh}"), ends: plain },
            Way { url: format!("netconf+tls://localhost:{tls}"), ends: with_keys.clone() },
            Way { url: format!("netconf://{user}@localhost:{ssh}"), ends: with_keys.clone() },
            Way { url: format!("netconf+tcp://localhost:{tcp}"), ends: with_keys },
        ]
    };
    let pairs = ways("cpa", "contact").into_iter().zip(ways("cpb", "location"));
    for (at, (cpa, cpb)) in pairs.enumerate() {
        let (contact, location) =
            (format!("<contact>ann {at}</contact>"), format!("<location>roof {at}</location>"));
        for (way, part) in [(&cpa, &contact), (&cpb, &location)] {
            let (status, said) = edit(&world, way, part);
            assert_eq!(status, Some(0), "{}: {said}", way.url);
        }
        let loaded = system(&world, &device);
        assert!(loaded.contains(&contact) && loaded.contains(&location), "{loaded}");
        // A part of the other's, or with a leaf of the other's.
        let both = "<contact>x</contact><location>x</location>";
        for (way, part) in
            [(&cpa, "<location>x</location>"), (&cpb, "<contact>x</contact>"), (&cpa, both), (&cpb, both)]
        {
            let (status, said) = edit(&world, way, part);
            assert!(status != Some(0) && said.contains("access-denied"), "{}: {said}", way.url);
        }
        assert_eq!(system(&world, &device), loaded, "{}", cpa.url);
    }
}

/// Over SSH, too, devices get keys; and a revocation is refused there within an open session.
#[test]
fn devices_are_served_over_ssh() {
    let world = World::new();
    let Some(device) = world.device("") else { return };
    world.authority();
    let ssh = port(device.address(2));
    world.run(&["device", "add", &format!("netconf://max@localhost:{ssh}"), "--name", "a"], 0);
    let (out, _) = world.run(&["deploy"], 0);
    assert!(out.contains("a  acknowledged"), "{out}");
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    let runtime = runtime();
    let session = runtime.block_on(open(&device, &ann)).unwrap();
    world.run(&["revoke", "ann", "some"], 0);
    assert!(runtime.block_on(reads(&session)).is_err());
    assert!(runtime.block_on(open(&device, &ann)).is_err());
    // Somebody whose SSH key the device does not know serves nothing.
    world.equip("eve");
    std::fs::remove_file(world.path("pki/ssh/eve.pub")).unwrap();
    world.run(&["device", "remove", "a"], 0);
    world.run(&["device", "add", &format!("netconf://eve@localhost:{ssh}"), "--name", "b"], 0);
    let (out, _) = world.run(&["deploy"], 1);
    assert!(out.contains("b  pending"), "{out}");
}

/// A policy that is refused keeps no keys from a device.
#[test]
fn a_refused_policy_leaves_the_keys() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    let file = world.path("policy.xml");
    std::fs::write(&file, "<rbac xmlns=\"urn:trunkline:yang:rbac\"><nonsense/></rbac>").unwrap();
    world.run(&["policy", file.to_str().unwrap()], 0);
    let report = world.json(&["deploy", "--json"], 1);
    assert_eq!((&report["pending"], &report["messages"]), (&1.into(), &2.into()), "{report}");
    assert!(report["devices"][0]["error"].as_str().unwrap().starts_with("the policy: "), "{report}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (bob, _) = world.run(&["token", "bob", "some"], 0);
    assert!(runtime.block_on(open(&agent, Path::new(bob.trim()))).is_ok());
    assert_eq!(world.json(&["status", "--json"], 0)["devices"][0]["behind"], 1);
}

/// What a policy gives and takes holds in a session that is open.
#[test]
fn a_policy_is_in_force_at_once_in_an_open_session() {
    let world = World::new();
    let Some(device) = world.device("") else { return };
    world.run(&["init"], 0);
    world.run(&["role", "add", "keeper"], 0);
    world.run(&["assign", "ann", "keeper"], 0);
    world.add("a", port(device.address(0)));
    let permission = |name: &str, operation: &str, resource: &str| {
        format!(
            "<permission><name>{name}</name><operation>{operation}</operation><resource>{resource}</resource></permission>"
        )
    };
    let deploy = |content: &str| {
        let text = format!(
            "<rbac xmlns=\"{RBAC}\" xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><role><name>keeper</name>{content}</role></rbac>"
        );
        let file = world.path("policy.xml");
        std::fs::write(&file, text).unwrap();
        world.run(&["policy", file.to_str().unwrap()], 0);
        let (out, _) = world.run(&["deploy"], 0);
        assert!(out.contains("1 device acknowledged"), "{out}");
    };
    deploy(&permission("name", "read", "1.3.6.1.2.1.1.5"));
    let (token, _) = world.run(&["token", "ann", "keeper"], 0);
    let runtime = runtime();
    let session = runtime.block_on(connect(&device, Path::new(token.trim()))).unwrap();
    let get = b"<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system/></SNMPv2-MIB></filter></get>";
    let seen = |session: &NetconfSession| {
        let (data, _) = runtime.block_on(session.data(get)).unwrap();
        String::from_utf8_lossy(data.as_ref()).into_owned()
    };
    let write = format!(
        "<edit-config><target><running/></target><config><system xmlns=\"{SYSTEM}\"><contact>ann</contact></system></config></edit-config>"
    );
    let before = seen(&session);
    assert!(before.contains("<sysName>") && !before.contains("<sysContact>"), "{before}");
    assert!(runtime.block_on(session.done(write.as_bytes())).is_err());
    deploy(
        &(permission("look", "read", "/ietf-system:system/contact")
            + &permission("keep", "write", "/ietf-system:system/contact")),
    );
    runtime.block_on(session.done(write.as_bytes())).unwrap();
    let after = seen(&session);
    assert!(after.contains("<sysName>") && after.contains("<sysContact>"), "{after}");
    // Taken away again.
    deploy(
        "<permission nc:operation=\"delete\"><name>keep</name></permission><permission nc:operation=\"delete\"><name>name</name></permission>",
    );
    assert!(runtime.block_on(session.done(write.as_bytes())).is_err());
    let last = seen(&session);
    assert!(!last.contains("<sysName>") && last.contains("<sysContact>"), "{last}");
}

/// A session of a user inside TLS or SSH, whose messages the user signs.
async fn sign(world: &World, url: &str, user: &str, key: &Path) -> Result<NetconfSession, String> {
    let pki = world.path("pki");
    let ends = EndsArgs {
        tls: TlsArgs {
            certificate: Some(pki.join(format!("managers/{user}.pem"))),
            pki: Some(pki.clone()),
            ..TlsArgs::default()
        },
        ssh: SshArgs {
            known_hosts: Some(world.path("known_hosts")),
            accept_new_host: true,
            ..SshArgs::default()
        },
        ..EndsArgs::default()
    };
    let target = netconf_target(url, &ends, &HttpLoginArgs::default()).map_err(|fault| fault.to_string())?;
    let signer = Signer::from_pem(&std::fs::read_to_string(key).unwrap()).unwrap();
    let protection = Protection { cipher: None, signature: signer.method() };
    let keys = MessageKeys {
        name: format!("user/{user}").parse().unwrap(),
        own: OwnKeys::Private(signer),
        protection,
    };
    let options = NetconfOptions::default().with_keys(Some(keys));
    let session = NetconfSession::open(&target, options).await.map_err(|fault| fault.to_string())?;
    reads(&session).await.map(|()| session)
}

/// ann has a key of her own, as `openssl` makes it: the authority gives devices its public half, and takes it away with her last role.
#[test]
fn who_signs_with_a_key_of_its_own_is_known_by_the_public_half() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::new();
    let more = "[[snmp.principal]]\nname = \"ann\"\nrole = \"some\"\n[[snmp.principal]]\nname = \"bob\"\nrole = \"some\"\n";
    let Some(device) = world.device(more) else { return };
    world.authority();
    world.equip("ann");
    world.add("a", port(device.address(0)));
    let make = |name: &str, algorithm: &[&str]| {
        let (key, public) = (world.path(&format!("{name}.key")), world.path(&format!("{name}.pub")));
        let openssl = |words: &[&str], from: Option<&Path>, to: &Path| {
            let mut command = Command::new("openssl");
            command.args(words).arg("-out").arg(to);
            if let Some(from) = from {
                command.arg("-in").arg(from);
            }
            let output = command.output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        openssl(&[&["genpkey", "-quiet"], algorithm].concat(), None, &key);
        openssl(&["pkey", "-pubout"], Some(&key), &public);
        (key, public)
    };
    let (ec, ec_public) = make("ec", &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    let (rsa, rsa_public) = make("rsa", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]);
    let (stranger, _) = make("stranger", &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    for public in [&ec_public, &rsa_public] {
        world.run(&["public-key", "ann", public.to_str().unwrap()], 0);
    }
    let (_, err) = world.run(&["public-key", "ann", ec_public.to_str().unwrap()], 0);
    assert!(err.contains("has this key already"), "{err}");
    world.run(&["public-key", "ann", ec.to_str().unwrap()], 2);
    world.run(&["deploy"], 0);
    let urls = [
        format!("netconf+tls://localhost:{}", port(device.address(0))),
        format!("netconf://ann@localhost:{}", port(device.address(2))),
    ];
    let runtime = runtime();
    let mut sessions = Vec::new();
    for url in &urls {
        for key in [&ec, &rsa] {
            sessions.push(runtime.block_on(sign(&world, url, "ann", key)).unwrap());
        }
        assert!(runtime.block_on(sign(&world, url, "ann", &stranger)).is_err(), "{url}");
    }
    world.run(&["revoke", "ann", "some"], 0);
    for session in &sessions {
        assert!(runtime.block_on(reads(session)).is_err());
    }
    assert!(urls.iter().all(|url| runtime.block_on(sign(&world, url, "ann", &ec)).is_err()));
}
