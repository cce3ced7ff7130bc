//! The program as a user of SNMPv3: secrets from options, variables, files and `snmp.conf`, and what it says
//! when they are wrong.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use support::{Snmpd, run, texts, trunkline};

const USERS: &str = "
createUser ann SHA-256 \"authentic words\" AES \"private words\"
createUser bob SHA-512 \"authentic words\"
createUser eve
rwuser ann priv
rouser bob auth
rouser eve noauth
sysLocation rack 7
";

const LOCATION: &str = ".1.3.6.1.2.1.1.6.0";
const ANSWER: &str = ".1.3.6.1.2.1.1.6.0 = STRING: \"rack 7\"\n";

/// `trunkline get` with these options, without any module.
fn get<'a>(options: &[&'a str], target: &'a str) -> Vec<&'a str> {
    [&["get", "-m", "", "-On", "-t", "0.5", "-r", "3"], options, &[target, LOCATION]].concat()
}

#[test]
fn options_are_net_snmps() {
    let Some(agent) = Snmpd::start(USERS) else { return };
    let target = agent.address.as_str();
    let ann =
        ["-v3", "-u", "ann", "-l", "authPriv", "-a", "SHA-256", "-A", "authentic words", "-x", "AES", "-X"];
    let ann = [&ann[..], &["private words"]].concat();
    assert_eq!(run(&get(&ann, target), 0).0, ANSWER);
    // The version and the level follow from what is given; SHA-256 and AES are ours where none are named.
    let short = ["-u", "ann", "-A", "authentic words", "-X", "private words"];
    assert_eq!(run(&get(&short, target), 0).0, ANSWER);
    let bob = ["-v3", "-u", "bob", "-a", "SHA512", "-A", "authentic words", "-l", "auth"];
    assert_eq!(run(&get(&bob, target), 0).0, ANSWER);
    assert_eq!(run(&get(&["-v3", "-u", "eve"], target), 0).0, ANSWER);
    // A user of the URL.
    let url = format!("snmp://ann@{target}/{LOCATION}?version=3");
    let keys = ["-A", "authentic words", "-X", "private words"];
    let words = [&["get", "-m", "", "-On"], &keys[..], &[url.as_str()]].concat();
    assert_eq!(run(&words, 0).0, ANSWER);

    // What is encrypted is shown as it went, and opened.
    let (shown, _) = run(&get(&[&short[..], &["--octets"]].concat(), target), 0);
    assert_eq!(shown.matches("encryptedPDU").count(), 2, "{shown}");
    let opened: Vec<&str> = shown.split("decrypted\n").skip(1).collect();
    assert!(opened[0].contains("GetRequest") && opened[1].contains("rack 7"), "{shown}");
    assert!(!shown.contains("authentic words") && !shown.contains("private words"), "{shown}");

    let walked = run(&[&["walk", "-m", "", "-On"], &short[..], &[target, ".1.3.6.1.2.1.1"]].concat(), 0).0;
    assert!(walked.lines().count() > 8, "{walked}");
    let set = [&["set", "-m", "", "-On"], &short[..], &[target, ".1.3.6.1.2.1.1.4.0", "s", "ann"]].concat();
    assert_eq!(run(&set, 0).0, ".1.3.6.1.2.1.1.4.0 = STRING: \"ann\"\n");
}

#[test]
fn passwords_need_not_be_on_the_command_line() {
    let Some(agent) = Snmpd::start(USERS) else { return };
    let target = agent.address.as_str();
    let words = get(&["-u", "ann", "-l", "authPriv"], target);
    let mut command = trunkline(&words);
    command.env("TRUNKLINE_AUTH_PASSWORD", "authentic words").env("TRUNKLINE_PRIV_PASSWORD", "private words");
    let output = command.output().unwrap();
    assert_eq!(texts(&output), (ANSWER.to_owned(), String::new()));

    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (auth, privacy) = (file("auth", "authentic words\n"), file("priv", "private words"));
    let files = ["-u", "ann", "--auth-password-file", &auth, "--priv-password-file", &privacy];
    assert_eq!(run(&get(&files, target), 0).0, ANSWER);
    std::fs::set_permissions(&auth, Permissions::from_mode(0o640)).unwrap();
    let (_, said) = run(&get(&files, target), 2);
    assert!(said.contains("chmod 600") && said.contains("0640"), "{said}");

    file(
        "snmp.conf",
        "defVersion 3\ndefSecurityName ann\ndefSecurityLevel authPriv\ndefAuthType SHA-256\n\
         defAuthPassphrase \"authentic words\"\ndefPrivType AES\ndefPrivPassphrase \"private words\"\n",
    );
    let output = trunkline(&get(&[], target)).env("SNMPCONFPATH", folder.path()).output().unwrap();
    assert_eq!(texts(&output), (ANSWER.to_owned(), String::new()));
}

#[test]
fn keys_replace_passwords() {
    let Some(agent) = Snmpd::start(USERS) else { return };
    let target = agent.address.as_str();
    // Ku of "authentic words" under SHA-512, from Net-SNMP's own tool if installed, otherwise from ours.
    let hash = trunkline_snmp::usm::AuthProtocol::Sha512;
    let key = trunkline_snmp::usm::MasterKey::from_password(hash, b"authentic words").unwrap();
    let digits: String = key.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect();
    let hexadecimal = format!("0x{digits}");
    for key in [["-3m", hexadecimal.as_str()].to_vec(), [format!("-3m{digits}").leak() as &str].to_vec()] {
        let bob = [&["-v3", "-u", "bob", "-a", "SHA-512"], &key[..]].concat();
        assert_eq!(run(&get(&bob, target), 0).0, ANSWER);
    }
}

#[test]
fn errors_are_printed_without_secrets() {
    let Some(agent) = Snmpd::start(USERS) else { return };
    let target = agent.address.as_str();
    for (options, words) in [
        (&["-u", "nobody", "-A", "secret words"][..], "is the user's name right"),
        (&["-u", "ann", "-A", "secret words"], "do the password and the authentication protocol match"),
        (&["-u", "bob", "-a", "SHA-512", "-A", "authentic words", "-X", "secret words"], "try a lower level"),
        (&["-u", "ann", "-A", "authentic words", "-l", "authNoPriv"], "authorizationError"),
    ] {
        let (out, said) = run(&get(options, target), 1);
        assert!(out.is_empty() && said.contains(words), "{options:?}: {said}");
        assert!(!said.contains("secret words") && !said.contains("authentic words"), "{said}");
    }
    for (options, words) in [
        (&["-v3"][..], "SNMPv3 needs a user"),
        (&["-u", "ann", "-l", "authPriv"], "TRUNKLINE_AUTH_PASSWORD"),
        (&["-u", "ann", "-A", "short"], "8"),
        (&["-u", "ann", "-a", "SHA-3"], "SHA-256"),
        (&["-u", "ann", "-x", "3DES"], "AES"),
        (&["-u", "ann", "-e", "12"], "5"),
        (&["-u", "ann", "-Z", "1"], "two numbers"),
    ] {
        let (out, said) = run(&get(options, target), 2);
        assert!(out.is_empty() && said.contains(words), "{options:?}: {said}");
    }
}
