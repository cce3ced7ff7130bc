//! The directory of an authority: modes, links, what is refused, what is found again.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;
use trunkline_pki::{
    Authority, AuthorityOptions, Certificate, Directory, Error, LeafOptions, Name, Role, Storing,
};

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn directory() -> (TempDir, Directory) {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::at(folder.path().join("pki"));
    directory.init(&AuthorityOptions::default(), false).unwrap();
    (folder, directory)
}

fn issue(
    directory: &Directory,
    role: Role,
    who: &str,
    storing: Storing,
) -> Result<trunkline_pki::Stored, Error> {
    directory.issue(role, &name(who), &LeafOptions::default(), storing)
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn keys_are_for_their_owner_alone() {
    let (_folder, directory) = directory();
    let stored = issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap();
    let (_, ssh) = directory.ssh_key(&name("ann"), false).unwrap();
    for key in [&directory.authority_key(), &stored.files.key, &ssh] {
        assert_eq!(mode(key), 0o600, "{}", key.display());
    }
    for open in [&directory.authority_certificate(), &directory.revocation_list(), &stored.files.certificate]
    {
        assert_eq!(mode(open), 0o644, "{}", open.display());
    }
    // No incomplete file is left.
    for folder in [directory.path().to_owned(), directory.path().join("agents")] {
        for file in fs::read_dir(folder).unwrap() {
            let file = file.unwrap().file_name();
            assert!(!file.to_string_lossy().starts_with('.'), "{file:?}");
        }
    }
}

#[test]
fn nothing_is_overwritten_unless_requested() {
    let (_folder, directory) = directory();
    let first = fs::read(directory.authority_certificate()).unwrap();
    let again = directory.init(&AuthorityOptions::default(), false);
    assert!(matches!(again, Err(Error::Exists { .. })), "{again:?}");
    assert_eq!(fs::read(directory.authority_certificate()).unwrap(), first);

    let agent = issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap();
    let key = fs::read(&agent.files.key).unwrap();
    let again = issue(&directory, Role::Agent, "localhost", Storing::default());
    assert!(matches!(again, Err(Error::Exists { .. })), "{again:?}");
    assert_eq!(fs::read(&agent.files.key).unwrap(), key);
    assert_eq!(directory.issued().unwrap().len(), 1);

    let force = Storing { force: true, ..Storing::default() };
    issue(&directory, Role::Agent, "localhost", force).unwrap();
    assert_ne!(fs::read(&agent.files.key).unwrap(), key);
    assert_eq!(mode(&agent.files.key), 0o600);
    directory.init(&AuthorityOptions::default(), true).unwrap();
    assert_ne!(fs::read(directory.authority_certificate()).unwrap(), first);
    assert_eq!(directory.issued().unwrap(), [], "the new authority has issued nothing");
}

#[test]
fn the_first_of_a_role_is_its_default_until_another_is_chosen() {
    let (_folder, directory) = directory();
    assert!(issue(&directory, Role::Manager, "ann", Storing::default()).unwrap().default);
    assert!(!issue(&directory, Role::Manager, "bob", Storing::default()).unwrap().default);
    assert!(issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap().default);
    let subject = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        Certificate::from_pem(&text).unwrap().common_name().unwrap().to_owned()
    };
    assert_eq!(subject(&directory.agent_files().certificate), "localhost");
    let files = directory.manager_files();
    assert_eq!(subject(&files.certificate), "ann");
    assert_eq!(fs::read_link(&files.key).unwrap(), Path::new("managers/ann.key"));
    let asked = Storing { default: true, force: true, ..Storing::default() };
    assert!(issue(&directory, Role::Manager, "bob", asked).unwrap().default);
    assert_eq!(subject(&files.certificate), "bob");
    assert_eq!(fs::read_link(&files.key).unwrap(), Path::new("managers/bob.key"));
}

#[test]
fn no_link_that_was_planted_is_followed() {
    let (folder, directory) = directory();
    let victim = folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    fs::create_dir(directory.path().join("agents")).unwrap();
    let key = directory.files(Role::Agent, &name("localhost")).key;
    symlink(&victim, &key).unwrap();
    let refused = issue(&directory, Role::Agent, "localhost", Storing::default());
    assert!(matches!(refused, Err(Error::Exists { .. })), "{refused:?}");
    let force = Storing { force: true, ..Storing::default() };
    issue(&directory, Role::Agent, "localhost", force).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert!(fs::symlink_metadata(&key).unwrap().is_file(), "the link is replaced by the key");

    // A dangling link counts as taken, and a folder that is a link is not ours.
    symlink(folder.path().join("nowhere"), directory.files(Role::Agent, &name("r7")).certificate).unwrap();
    let refused = issue(&directory, Role::Agent, "r7", Storing::default());
    assert!(matches!(refused, Err(Error::Exists { .. })), "{refused:?}");
    assert!(!folder.path().join("nowhere").exists());
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink(folder.path().join("elsewhere"), directory.path().join("managers")).unwrap();
    let refused = issue(&directory, Role::Manager, "ann", Storing::default());
    assert!(matches!(refused, Err(Error::NotFolder { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(folder.path().join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_file_in_place_of_a_default_is_not_replaced() {
    let (_folder, directory) = directory();
    fs::write(directory.manager_files().key, "mine").unwrap();
    assert!(!issue(&directory, Role::Manager, "ann", Storing::default()).unwrap().default);
    let asked = Storing { default: true, ..Storing::default() };
    let refused = issue(&directory, Role::Manager, "bob", asked);
    assert!(matches!(refused, Err(Error::NotLink { .. })), "{refused:?}");
    assert_eq!(fs::read_to_string(directory.manager_files().key).unwrap(), "mine");
    assert!(!directory.files(Role::Manager, &name("bob")).key.exists(), "refused before anything is made");
}

#[test]
fn created_files_are_found_again() {
    let (_folder, directory) = directory();
    let made = issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap().certificate;
    let authority = directory.authority().unwrap();
    assert_eq!(made.issuer(), authority.certificate().subject());
    let entries = directory.issued().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].role, &entries[0].name), (Role::Agent, &name("localhost")));
    assert_eq!(entries[0].fingerprint, made.fingerprint());
    assert_eq!(entries[0].serial, made.serial());
    assert_eq!(entries[0].validity, made.validity());
}

#[test]
fn an_authority_with_anothers_key_is_refused() {
    let (_folder, directory) = directory();
    let other = Authority::create(&AuthorityOptions::default()).unwrap();
    fs::write(directory.authority_key(), other.key_pem().as_bytes()).unwrap();
    assert!(matches!(directory.authority(), Err(Error::KeyMismatch { .. })));
    fs::write(directory.authority_key(), "no key").unwrap();
    let fault = directory.authority().unwrap_err();
    assert!(matches!(&fault, Error::NoKey { what } if what.ends_with("ca.key")), "{fault}");
    let leaf = other.agent(&name("localhost"), &LeafOptions::default()).unwrap();
    fs::write(directory.authority_certificate(), leaf.certificate().to_pem()).unwrap();
    assert!(matches!(directory.authority(), Err(Error::NotAuthority { .. })));
    fs::remove_file(directory.authority_key()).unwrap();
    assert!(matches!(directory.authority(), Err(Error::NoAuthority { .. })));
}

/// As on a full disk: a file that cannot be written leaves nothing of the others.
#[test]
fn what_fails_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::at(folder.path().join("pki"));
    fs::create_dir_all(directory.revocation_list()).unwrap();
    let failed = directory.init(&AuthorityOptions::default(), false);
    assert!(matches!(&failed, Err(Error::File { path, .. }) if path.ends_with("crl.pem")), "{failed:?}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "only what was there before");
    fs::remove_dir(directory.revocation_list()).unwrap();
    directory.init(&AuthorityOptions::default(), false).unwrap();

    let made = issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap();
    let before = fs::read(&made.files.key).unwrap();
    fs::remove_file(&made.files.certificate).unwrap();
    fs::create_dir(&made.files.certificate).unwrap();
    let force = Storing { force: true, ..Storing::default() };
    issue(&directory, Role::Agent, "localhost", force).unwrap_err();
    assert_eq!(fs::read(&made.files.key).unwrap(), before);
}

#[test]
fn revoking_needs_to_know_which() {
    let (_folder, directory) = directory();
    issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap();
    let manager = issue(&directory, Role::Manager, "localhost", Storing::default()).unwrap();
    assert!(matches!(directory.revoke("nobody"), Err(Error::Unknown { .. })));
    assert!(matches!(directory.revoke("localhost"), Err(Error::Ambiguous { .. })));
    assert_eq!(directory.revoke("agents/localhost").unwrap()[0].role, Role::Agent);
    let fingerprint = manager.certificate.fingerprint().to_string();
    assert_eq!(directory.revoke(&fingerprint).unwrap()[0].role, Role::Manager);
    assert!(matches!(directory.revoke("managers/localhost"), Err(Error::AlreadyRevoked { .. })));
    let alone = Storing { self_signed: true, ..Storing::default() };
    issue(&directory, Role::Manager, "alone", alone).unwrap();
    assert!(matches!(directory.revoke("alone"), Err(Error::SelfSigned { .. })));
}

#[test]
fn a_broken_index_is_reported_and_kept() {
    let (_folder, directory) = directory();
    let index = directory.path().join("index.toml");
    for text in ["certificate = 7", "[[certificate]]\nrole = \"king\"\n", "\0"] {
        fs::write(&index, text).unwrap();
        let fault = issue(&directory, Role::Agent, "localhost", Storing::default()).unwrap_err();
        assert!(matches!(fault, Error::Index { .. }), "{fault}");
        assert_eq!(fs::read_to_string(&index).unwrap(), text);
    }
}

#[test]
fn names_that_a_certificate_cannot_contain() {
    let authority = Authority::create(&AuthorityOptions::default()).unwrap();
    let wrong = |options: LeafOptions| {
        let refused = authority.agent(&name("localhost"), &options);
        assert!(matches!(refused, Err(Error::AlternativeName { .. })), "{refused:?}");
    };
    for host in ["", "a b", "a..b", "http://a"] {
        wrong(LeafOptions { hosts: vec![host.to_owned()], ..LeafOptions::default() });
    }
    for email in ["ann", "@example.org", "ann@", "a b@example.org", "a@b@c"] {
        wrong(LeafOptions { emails: vec![email.to_owned()], ..LeafOptions::default() });
    }
    let agent = authority.agent(&name("Jörg"), &LeafOptions::default());
    assert!(matches!(agent, Err(Error::AlternativeName { .. })), "an agent is a host: {agent:?}");
    assert!(authority.manager(&name("Jörg"), &LeafOptions::default()).is_ok());
}

#[test]
fn keys_are_in_no_debug_output() {
    let authority = Authority::create(&AuthorityOptions::default()).unwrap();
    let issued = authority.agent(&name("localhost"), &LeafOptions::default()).unwrap();
    let key: Vec<String> = issued.key_der().iter().skip(40).take(6).map(u8::to_string).collect();
    let said = format!("{authority:?} {issued:?}");
    assert!(said.contains("sha256:") && !said.contains(&key.join(", ")), "{said}");
}
