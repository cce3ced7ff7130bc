//! What we make, read by OpenSSL and by OpenSSH: chains, purposes, names, revocation lists, keys.
//! Where these are missing the tests are left out.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use std::net::IpAddr;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use time::{Duration, OffsetDateTime};
use trunkline_pki::{
    AuthorityOptions, Certificate, Directory, Error, KeyKind, LeafOptions, Name, Role, Storing, Validity,
};
use trunkline_testkit::has;

/// Runs a tool in a folder: whether it succeeded, and all it said.
fn tool(folder: &Path, words: &str) -> (bool, String) {
    let mut words = words.split(' ');
    let output = Command::new(words.next().unwrap()).args(words).current_dir(folder).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn expect(folder: &Path, words: &str, parts: &[&str]) -> String {
    let (done, said) = tool(folder, words);
    assert!(done, "{words}\n{said}");
    for part in parts {
        assert!(said.contains(part), "{words}\nwithout {part:?}:\n{said}");
    }
    said
}

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn directory(key: KeyKind) -> (TempDir, Directory) {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::at(folder.path());
    let options = AuthorityOptions { key, ..AuthorityOptions::default() };
    directory.init(&options, false).unwrap();
    (folder, directory)
}

#[test]
fn chains_of_every_kind_of_key_are_good() {
    if !has("openssl", "openssl") {
        return;
    }
    for key in KeyKind::ALL {
        let (folder, directory) = directory(key);
        let options = LeafOptions { key, ..LeafOptions::default() };
        directory.issue(Role::Agent, &name("localhost"), &options, Storing::default()).unwrap();
        directory.issue(Role::Manager, &name("ann"), &options, Storing::default()).unwrap();
        for (purpose, file) in [
            ("sslserver", "agents/localhost.pem"),
            ("sslclient", "agents/localhost.pem"),
            ("sslclient", "managers/ann.pem"),
            ("sslserver", "managers/ann.pem"),
        ] {
            let words = format!(
                "openssl verify -x509_strict -purpose {purpose} -crl_check -CRLfile crl.pem -CAfile ca.pem {file}"
            );
            expect(folder.path(), &words, &["OK"]);
        }
        // The key is the certificate's.
        let of_key = expect(folder.path(), "openssl pkey -pubout -in agents/localhost.key", &["PUBLIC KEY"]);
        let of_certificate =
            expect(folder.path(), "openssl x509 -noout -pubkey -in agents/localhost.pem", &[]);
        assert_eq!(of_key, of_certificate, "{key}");
    }
}

#[test]
fn they_contain_what_was_requested() {
    if !has("openssl", "openssl") {
        return;
    }
    let (folder, directory) = directory(KeyKind::EcdsaP256);
    let options = LeafOptions {
        key: KeyKind::Rsa2048,
        hosts: vec!["*.example.org".to_owned(), "r7.example.org".to_owned()],
        addresses: vec![IpAddr::from([192, 0, 2, 7])],
        local: true,
        ..LeafOptions::default()
    };
    let stored = directory.issue(Role::Agent, &name("r7.example.org"), &options, Storing::default()).unwrap();
    let said = expect(
        folder.path(),
        "openssl x509 -noout -text -fingerprint -sha256 -in agents/r7.example.org.pem",
        &[
            "TLS Web Server Authentication, TLS Web Client Authentication",
            "Digital Signature, Key Encipherment",
            "DNS:r7.example.org, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, \
             DNS:*.example.org, IP Address:192.0.2.7",
            "CA:FALSE",
            "X509v3 Authority Key Identifier",
            "X509v3 Subject Key Identifier",
        ],
    );
    let digits = stored.certificate.fingerprint().to_string().replace("sha256:", "");
    assert!(said.contains(&digits), "{said}");
    expect(
        folder.path(),
        "openssl x509 -noout -text -in ca.pem",
        &["CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign"],
    );

    directory
        .issue(Role::Manager, &name("ann@example.org"), &LeafOptions::default(), Storing::default())
        .unwrap();
    expect(
        folder.path(),
        "openssl x509 -noout -text -in managers/ann@example.org.pem",
        &["CN = ann@example.org", "email:ann@example.org"],
    );
}

#[test]
fn revoked_certificates_are_refused_and_others_are_not() {
    if !has("openssl", "openssl") {
        return;
    }
    let (folder, directory) = directory(KeyKind::EcdsaP384);
    for who in ["ann", "bob"] {
        directory.issue(Role::Manager, &name(who), &LeafOptions::default(), Storing::default()).unwrap();
    }
    expect(folder.path(), "openssl crl -noout -verify -text -CAfile ca.pem -in crl.pem", &["No Revoked"]);
    let revoked = directory.revoke("ann").unwrap();
    assert_eq!(revoked.len(), 1);
    let said = expect(
        folder.path(),
        "openssl crl -noout -verify -text -CAfile ca.pem -in crl.pem",
        &["verify OK", "Revoked Certificates", "X509v3 CRL Number"],
    );
    let serial: String = revoked[0].serial.iter().map(|octet| format!("{octet:02X}")).collect();
    assert!(said.contains(&serial), "{serial}\n{said}");
    let verify = "openssl verify -crl_check -CRLfile crl.pem -CAfile ca.pem managers/";
    let (good, said) = tool(folder.path(), &format!("{verify}ann.pem"));
    assert!(!good && said.contains("revoked"), "{said}");
    expect(folder.path(), &format!("{verify}bob.pem"), &["OK"]);
    assert!(matches!(directory.revoke("ann"), Err(Error::AlreadyRevoked { .. })));
}

#[test]
fn expired_and_future_certificates_are_refused() {
    if !has("openssl", "openssl") {
        return;
    }
    let (folder, directory) = directory(KeyKind::EcdsaP256);
    let now = OffsetDateTime::now_utc();
    let day = Duration::days(1);
    for (who, not_before, not_after, reason) in [
        ("past", now - day * 3, now - day, "certificate has expired"),
        ("future", now + day, now + day * 3, "certificate is not yet valid"),
    ] {
        let validity = Some(Validity { not_before, not_after });
        let options = LeafOptions { validity, ..LeafOptions::default() };
        directory.issue(Role::Manager, &name(who), &options, Storing::default()).unwrap();
        let (good, said) = tool(folder.path(), &format!("openssl verify -CAfile ca.pem managers/{who}.pem"));
        assert!(!good && said.contains(reason), "{said}");
    }
    let validity = Some(Validity { not_before: now, not_after: now - day });
    let options = LeafOptions { validity, ..LeafOptions::default() };
    let refused = directory.issue(Role::Manager, &name("never"), &options, Storing::default());
    assert!(matches!(refused, Err(Error::Validity { .. })), "{refused:?}");
}

#[test]
fn a_self_signed_certificate_stands_alone() {
    if !has("openssl", "openssl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::at(folder.path().join("new"));
    let storing = Storing { self_signed: true, ..Storing::default() };
    let stored = directory.issue(Role::Agent, &name("localhost"), &LeafOptions::default(), storing).unwrap();
    assert!(stored.certificate.is_self_issued() && !stored.certificate.is_authority());
    expect(
        directory.path(),
        "openssl verify -purpose sslserver -CAfile agents/localhost.pem agents/localhost.pem",
        &["OK"],
    );
    assert!(matches!(directory.authority(), Err(Error::NoAuthority { .. })));
}

#[test]
fn openssh_accepts_a_users_key() {
    if !has("ssh-keygen", "openssh-client") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (key, path) = Directory::at(folder.path()).ssh_key(&name("ann"), false).unwrap();
    let public =
        expect(folder.path(), &format!("ssh-keygen -y -P  -f {}", path.display()), &["ssh-ed25519 "]);
    assert_eq!(public.trim(), key.public().unwrap());
    expect(folder.path(), "ssh-keygen -l -f ssh/ann.pub", &[&key.fingerprint(), "ann", "(ED25519)"]);
}

#[test]
fn an_authority_of_openssl_is_taken_over() {
    if !has("openssl", "openssl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    expect(
        folder.path(),
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /O=Example/CN=Old \
         -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.pem",
        &[],
    );
    let directory = Directory::at(folder.path());
    directory.issue(Role::Agent, &name("localhost"), &LeafOptions::default(), Storing::default()).unwrap();
    directory.issue(Role::Manager, &name("ann"), &LeafOptions::default(), Storing::default()).unwrap();
    directory.revoke("ann").unwrap();
    let verify = "openssl verify -x509_strict -crl_check -CRLfile crl.pem -CAfile ca.pem";
    expect(folder.path(), &format!("{verify} agents/localhost.pem"), &["OK"]);
    let text = std::fs::read_to_string(folder.path().join("agents/localhost.pem")).unwrap();
    assert_eq!(Certificate::from_pem(&text).unwrap().issuer(), "O=Example, CN=Old");
}
