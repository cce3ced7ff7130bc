//! Secrets of a configuration: in no error, and in files of their own.

use super::*;

#[test]
fn secrets_are_in_no_error_and_no_debug() {
    let shown = format!("{:?}", check(EVERYTHING).unwrap());
    for secret in ["maplesyrup", "trapword", "private", "0102030405", "[1, 2, 3"] {
        assert!(!shown.contains(secret), "{secret}");
    }
    let (_, _, message) = wrong("[[snmp.community]]\nnam = \"trapword\"\n");
    assert!(message.contains("unknown field `nam`") && !message.contains("trapword"), "{message}");
    for (text, secret) in [
        ("[[snmp.user]]\nname = \"u\"\nauth = \"SHA\"\npassword = \"hunter2\"\n", "hunter2"),
        ("[[snmp.user]]\nname = \"u\"\nauth = \"SHA\"\nauth-key = \"0xabcdef\"\n", "abcdef"),
        ("[[snmp.user]]\nname = \"u\"\npassword = \"hunter2 and more\n", "hunter2"),
        ("[[snmp.user]]\nname = \"u\"\npassword = [\"hunter2\"]\n", "hunter2"),
        ("[snmp]\ncommunity = \"hunter2\"\n", "hunter2"),
        ("[snmp]\ncommunity = [\n { name = \"hunter2\", access = \"x\" },\n]", "hunter2"),
        ("[[snmp.community]]\nname = \"hunter2\"\n", "hunter2"),
        ("snmp.community = [{ name = \"hunter2\" }]", "hunter2"),
        ("[[snmp.community]]\nname = [\"hunter2\"]\n", "hunter2"),
        (
            "[[proxy]]\naddress = \"udp://h\"\nsubtree = \"1.3\"\nversion = \"v3\"\ncommunity = \"hunter2\"",
            "hunter2",
        ),
    ] {
        let error = check(text).unwrap_err().to_string();
        assert!(!error.contains(secret), "{error}");
    }
}

/// Text that is not TOML has no keys and values yet: a secret may follow a misspelt key, or no key at all.
#[test]
fn secrets_are_in_no_error_of_a_text_that_cannot_be_read() {
    for line in [
        "auth-password \"hunter2\"",
        "auth-password: \"hunter2\"",
        "auth-password \"hunt=er2 hunter2\"",
        "autth-password = \"hunter2",
        "AUTH-PASSWORD = \"hunter2",
        "auth password = \"hunter2\"",
        "\"hunter2\"",
        "hunter2",
        "password = \"\"\"\nhunter2\"\"",
        "pasword = ['hunter2'",
        "[pasword = 'hunter2'",
        "# password = 'hunter2\u{7}'",
    ] {
        let error = check(&format!("[[snmp.user]]\nname = \"ann\"\n{line}\n")).unwrap_err().to_string();
        assert!(!error.contains("hunt") && !error.contains("er2"), "{error}");
        assert!(["3", "4", "5"].iter().any(|line| error.contains(&format!("t.toml:{line}:"))), "{error}");
    }
    let error = check("[snmp]\nlisten = [\"udp://[::1]:161\"\n").unwrap_err().to_string();
    assert!(error.contains("listen = [\"udp://[::1]:161\""), "{error}");
    let error = check("[[snmp.user]\n").unwrap_err().to_string();
    assert!(error.contains("1 | [[snmp.user]\n"), "{error}");
}

#[test]
fn secrets_may_be_in_files_that_only_their_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("ann.password");
    let config = folder.path().join("t.toml");
    let text = "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA\"\npassword-file = \"ann.password\"\n";
    let mode = |mode| std::fs::set_permissions(&secret, PermissionsExt::from_mode(mode)).unwrap();

    assert!(parse(&config, text).unwrap_err().message.contains("cannot read"));
    std::fs::write(&secret, "correct horse\n").unwrap();
    mode(0o640);
    let error = parse(&config, text).unwrap_err();
    assert!(error.message.contains("chmod 600") && error.message.contains("640"), "{error}");
    assert_eq!((error.line, error.column), (4, 17));
    mode(0o600);
    let plan = parse(&config, text).unwrap();
    let expected = Secret::Password(b"correct horse".to_vec());
    assert_eq!(plan.snmp.users[0].auth, Some((AuthProtocol::Sha1, expected)));
    std::fs::write(&secret, "short\n").unwrap();
    assert!(parse(&config, text).unwrap_err().message.contains("at least 8"));
    let directory = text.replace("ann.password", "/");
    assert!(parse(&config, &directory).unwrap_err().message.contains("regular file"));
}

#[test]
fn a_file_of_members_that_everybody_may_read_is_reported_if_it_holds_a_password() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("edge.members"), folder.path().join("t.toml"));
    let text = "[[group]]\nname = \"edge\"\nmembers-file = \"edge.members\"\n";
    let told = |member: &str, mode| {
        std::fs::write(&file, format!("[[member]]\nname = \"r1\"\n{member}\n")).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        crate::exposed_members(&parse(&config, text).unwrap())
    };
    let secret = "address = \"restconf+https://h\"\nlogin = \"ann\"\npassword = \"maple syrup\"";
    let words = told(secret, 0o644);
    assert!(words.len() == 1 && words[0].contains("edge.members holds passwords"), "{words:?}");
    assert!(words[0].contains("chmod o=") && !words[0].contains("maple"), "{words:?}");
    assert!(told(secret, 0o640).is_empty());
    assert!(
        told("address = \"udp://h\"\ncommunity = \"public\"", 0o644).is_empty(),
        "everybody on the path reads it"
    );
}
