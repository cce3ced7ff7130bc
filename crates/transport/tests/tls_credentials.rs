//! Certificates, keys and revocation lists from files: which are accepted, and the errors of the others.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::secure;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use secure::{World, authority, identity, name};
use tempfile::TempDir;
use trunkline_pki::{KeyKind, LeafOptions};
use trunkline_transport::tls::{
    CredentialError, HashAlgorithm, Identity, TlsServer, TlsServerConfig, TlsVersion, Trust, Versions,
};

fn written(folder: &TempDir, called: &str, text: &str) -> PathBuf {
    let file = folder.path().join(called);
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn refused(certificates: &Path, key: &Path) -> String {
    Identity::from_files(certificates, key).unwrap_err().to_string()
}

#[test]
fn keys_of_every_kind_and_form_are_accepted() {
    let authority = authority("Test CA");
    for key in KeyKind::ALL {
        let options = LeafOptions { key, ..LeafOptions::default() };
        let issued = authority.agent(&name("localhost"), &options).unwrap();
        let known = identity(&issued);
        assert_eq!(known.certificates().count(), 2);
        // The forms that older programs write.
        let private = openssl::pkey::PKey::private_key_from_pem(issued.key_pem().as_bytes()).unwrap();
        let old = match (private.rsa(), private.ec_key()) {
            (Ok(rsa), _) => rsa.private_key_to_pem().unwrap(),
            (_, Ok(ec)) => ec.private_key_to_pem().unwrap(),
            _ => continue,
        };
        let again = Identity::from_pem(issued.chain_pem().as_bytes(), &old).unwrap();
        let print = |of: &Identity| of.fingerprint(HashAlgorithm::Sha256);
        assert_eq!(print(&again), print(&known));
    }
}

#[test]
fn errors_of_a_file_contain_its_name() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    let chain = written(&folder, "agent.pem", &world.agent.chain_pem());
    let key = written(&folder, "agent.key", &world.agent.key_pem());
    Identity::from_files(&chain, &key).unwrap();
    let has = |words: &str, parts: &[&str]| {
        assert!(parts.iter().all(|part| words.contains(part)), "{words}");
    };
    let none = folder.path().join("none");
    has(&refused(&none, &key), &["cannot read a certificate", "none", "No such file"]);
    has(&refused(&chain, &none), &["cannot read a private key", "none"]);
    let empty = written(&folder, "empty", "");
    has(&refused(&empty, &key), &["empty holds no certificate", "BEGIN CERTIFICATE"]);
    has(&refused(&chain, &empty), &["empty holds no private key", "PRIVATE KEY"]);
    has(&refused(&key, &key), &["agent.key holds no certificate"]);
    let cut = written(&folder, "cut", &world.agent.chain_pem()[..200]);
    has(&refused(&cut, &key), &["cut should hold a certificate in PEM"]);
    let other = written(&folder, "other.key", &world.manager.key_pem());
    has(&refused(&chain, &other), &["other.key does not belong", "agent.pem"]);
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n";
    has(&refused(&chain, &written(&folder, "locked", locked)), &["locked"]);
    let junk = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
    has(&refused(&chain, &written(&folder, "junk", junk)), &["junk has a private key we cannot use"]);
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    let chain = written(&folder, "agent.pem", &world.agent.chain_pem());
    let key = written(&folder, "agent.key", &world.agent.key_pem());
    for mode in [0o640, 0o604, 0o620, 0o777] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let words = refused(&chain, &key);
        assert!(words.contains("chmod 600") && words.contains(&format!("{mode:04o}")), "{words}");
    }
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o400)).unwrap();
    Identity::from_files(&chain, &key).unwrap();
}

#[test]
fn trust_anchors_are_read_from_files_too() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    let list = world.authority.revocation_list(&[], 1, None).unwrap();
    let (ca, crl) = (
        written(&folder, "ca.pem", &world.authority.certificate().to_pem()),
        written(&folder, "ca.crl", &list),
    );
    let trust = Trust::builder().authorities_file(&ca).unwrap().revocation_lists_file(&crl).unwrap().build();
    assert!(!trust.is_empty());
    assert!(Trust::builder().build().is_empty());
    let wrong = |error: Option<CredentialError>, parts: &[&str]| {
        let words = error.unwrap().to_string();
        assert!(parts.iter().all(|part| words.contains(part)), "{words}");
    };
    wrong(Trust::builder().authorities_file(&crl).err(), &["ca.crl holds no certificate"]);
    wrong(
        Trust::builder().revocation_lists_file(&ca).err(),
        &["ca.pem holds no revocation list", "X509 CRL"],
    );
    let junk = written(&folder, "junk", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n");
    wrong(Trust::builder().authorities_file(&junk).err(), &["certificate 1 in", "junk"]);
    let junk = written(&folder, "old", "-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n");
    wrong(Trust::builder().revocation_lists_file(&junk).err(), &["revocation list 1 in", "old"]);
}

#[test]
fn no_secret_is_shown() {
    let world = World::new();
    let shown = format!("{:?} {:?}", world.server(), world.client());
    let key = world.agent.key_der();
    assert!(!shown.contains(&format!("{:?}", &key[..8])) && shown.contains("sha256:"), "{shown}");
}

#[test]
fn versions_that_exclude_each_other_are_refused() {
    let world = World::new();
    let versions = Versions { lowest: TlsVersion::V1_3, highest: TlsVersion::V1_2 };
    let error = TlsServer::new(&TlsServerConfig { versions, ..world.server() }).err().unwrap();
    assert!(matches!(error, CredentialError::NoVersion), "{error}");
}
