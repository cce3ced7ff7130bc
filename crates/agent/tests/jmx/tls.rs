//! TLS: with a password, with a certificate, and what does not go together.

use std::path::Path;
use std::process::Command;

use trunkline_pki::{AuthorityOptions, Directory, KeyKind, LeafOptions, Name, Role, Storing};

use crate::java::{self, Login, Reader};
use crate::login::users;
use crate::support::Agent;

fn run(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) {
    let output = Command::new(program.as_ref()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, an agent and a manager, and the stores of the JDK with them.
struct World {
    folder: tempfile::TempDir,
    pki: Directory,
}

impl World {
    fn new(home: &Path) -> World {
        let folder = tempfile::tempdir().unwrap();
        let pki = Directory::at(folder.path().join("pki"));
        let name = |text: &str| Name::new(text).unwrap();
        let options = AuthorityOptions::named(name("Test CA"));
        pki.init(&AuthorityOptions { key: KeyKind::EcdsaP256, ..options }, false).unwrap();
        let issue = |role: Role, whom: &str| {
            let storing = Storing { force: true, default: role == Role::Agent, self_signed: false };
            pki.issue(role, &name(whom), &LeafOptions::default(), storing).unwrap().files
        };
        issue(Role::Agent, "localhost");
        let manager = issue(Role::Manager, "joe");
        let world = World { folder, pki };
        let (trust, key) = (world.path("trust.p12"), world.path("key.p12"));
        let authority = world.pki.authority_certificate();
        let import =
            ["-importcert", "-noprompt", "-alias", "ca", "-storetype", "PKCS12", "-storepass", "changeit"];
        let files = ["-file", authority.to_str().unwrap(), "-keystore", &trust];
        run(home.join("bin/keytool"), &[&import[..], &files].concat());
        let (certificate, private) = (manager.certificate.to_str().unwrap(), manager.key.to_str().unwrap());
        let export =
            ["pkcs12", "-export", "-passout", "pass:changeit", "-in", certificate, "-inkey", private];
        run("openssl", &[&export[..], &["-out", &key]].concat());
        world
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// The JVM's options: which authority it trusts, and whether it has joe's certificate.
    fn options(&self, has_certificate: bool) -> Vec<String> {
        let store = |kind: &str, file: &str| {
            [
                format!("-Djavax.net.ssl.{kind}Store={}", self.path(file)),
                format!("-Djavax.net.ssl.{kind}StorePassword=changeit"),
                format!("-Djavax.net.ssl.{kind}StoreType=PKCS12"),
            ]
        };
        let mut options = store("trust", "trust.p12").to_vec();
        if has_certificate {
            options.extend(store("key", "key.p12"));
        }
        options
    }
}

#[test]
fn clients_come_with_a_certificate_or_with_a_password() {
    for home in java::homes() {
        let world = World::new(&home);
        let directory = format!("[snmp.tls]\ndirectory = {:?}\n", world.pki.path().display().to_string());
        let principal = "[[snmp.principal]]\nname = \"joe\"\nrole = \"some\"\n";
        let agent = Agent::start(&format!("{}{principal}{directory}", users("tls://127.0.0.1:0")));
        let port = agent.address("tls");
        let (with, without) = (world.options(true), world.options(false));
        let password = Some(["ann", "maple syrup"]);
        let mut joe = Reader::start(&home, port, Login { tls: Some(&with), password: None });
        assert_eq!(joe.login, "connected rmi://127.0.0.1 joe 1");
        let row = "trunkline:type=ifEntry,ifIndex=1";
        joe.check(&[
            (&format!("get|{row}|ifDescr"), "lo"),
            (&format!("attributes|{row}|ifMtu"), "[ifMtu=null]"),
        ]);
        let mut ann = Reader::start(&home, port, Login { tls: Some(&without), password });
        assert_eq!(ann.login, "connected rmi://127.0.0.1 ann 2");
        ann.check(&[(&format!("get|{row}|ifDescr"), "lo")]);
        let both = Reader::start(&home, port, Login { tls: Some(&with), password });
        assert!(both.login.contains("leave one of them out"), "{}", both.login);
        let nobody = Reader::start(&home, port, Login { tls: Some(&without), password: None });
        assert!(nobody.login.contains("Credentials required"), "{}", nobody.login);
        // Without TLS there is nothing to talk to.
        let plain = Reader::start(&home, port, Login { tls: None, password });
        assert!(plain.login.starts_with("! "), "{}", plain.login);
    }
}
