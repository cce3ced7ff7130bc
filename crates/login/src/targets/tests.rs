//! Tests of the file of targets and of files of hosts.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::prelude::*;
use trunkline_client::{Credentials, SecurityLevel, Version};

use super::raw::parse;
use super::*;
use crate::options::user::SecurityArgs;

const FILE: &str = r#"
[defaults]
user = "ann"
level = "authPriv"
auth-password = "maplesyrup1"
priv-password = "maplesyrup2"
timeout = 2
retries = 1
parallel = 20

[targets.r1]
address = "192.0.2.1"

[targets.r2]
address = "snmp://192.0.2.2:1161"
version = "2c"
community = "blue"

[targets.r3]
address = "192.0.2.3"
user = "bob"
level = "authNoPriv"
auth-protocol = "SHA-512"
auth-password-variable = "PATH"
context = "vrf1"

[groups]
edge = ["r1", "r2"]
all = ["@edge", "r3", "192.0.2.9", "r1"]
"#;

fn file() -> Targets {
    parse(Path::new("config.toml"), FILE).unwrap()
}

fn asked(targets: &Targets, word: &str, options: &LoginArgs) -> trunkline_client::Target {
    let chosen = targets.choose(word).unwrap().remove(0);
    let login = targets.login(&chosen.settings, options, &Keeper::default()).unwrap();
    login.target(&chosen.address).unwrap()
}

#[test]
fn a_word_is_a_group_a_name_or_an_address() {
    let targets = file();
    let labels =
        |word: &str| targets.choose(word).unwrap().into_iter().map(|chosen| chosen.label).collect::<Vec<_>>();
    assert_eq!(labels("@all"), ["r1", "r2", "r3", "192.0.2.9"]);
    assert_eq!(labels("r2"), ["r2"]);
    assert_eq!(labels("@r2"), ["r2"]);
    assert_eq!(labels("edge"), ["edge"]);
    assert_eq!(labels("snmp://secret@h:1/sysName.0"), ["h:1"]);
    assert_eq!(labels("snmp+tls://h/sysName.0"), ["snmp+tls://h"]);
    assert!(targets.choose("@none").unwrap_err().0.contains("groups: all edge"));
    assert!(targets.knows("r1") && targets.knows("@x") && !targets.knows("edge"));
}

#[test]
fn options_stand_before_targets_and_these_before_defaults() {
    let targets = file();
    let none = LoginArgs::default();
    let Credentials::Usm(user) = asked(&targets, "r1", &none).credentials else { panic!() };
    assert_eq!((user.name(), user.level()), (&b"ann"[..], SecurityLevel::AuthPriv));
    let two = asked(&targets, "r2", &none);
    assert_eq!((two.credentials.version(), two.port), (Version::V2c, 1161));
    assert!(matches!(&two.credentials, Credentials::Community { community, .. } if community == b"blue"));
    let Credentials::Usm(bob) = asked(&targets, "r3", &none).credentials else { panic!() };
    assert_eq!((bob.name(), bob.level()), (&b"bob"[..], SecurityLevel::AuthNoPriv));
    assert_eq!(bob.context, b"vrf1");
    // An option names another community: the target's user is not asked.
    let version = Some(VersionArg::V2c);
    let options = LoginArgs { version, community: Some("red".to_owned()), ..LoginArgs::default() };
    let Credentials::Community { community, .. } = asked(&targets, "r3", &options).credentials else {
        panic!()
    };
    assert_eq!(community, b"red");
    // Another user does not get the target's password.
    let security = SecurityArgs { user: Some("eve".to_owned()), ..SecurityArgs::default() };
    let chosen = targets.choose("r3").unwrap().remove(0);
    let login = targets.login(&chosen.settings, &LoginArgs { security, ..none }, &Keeper::default()).unwrap();
    assert_eq!(login.security.auth_password, None);
}

#[test]
fn mistakes_have_their_place_and_show_no_secret() {
    let said = |text: &str| parse(Path::new("c.toml"), text).unwrap_err().to_string();
    assert_eq!(
        said("[targets.a]\naddress = \"h\"\nlevel = \"high\"\n"),
        "c.toml:3:9: expected noAuthNoPriv, authNoPriv or authPriv\n    |\n  3 | level = \"high\"\n    |         ^^^^^^"
    );
    for (text, place, words) in [
        ("[targets.a]\nuser = \"x\"\n", "c.toml:1:", "needs an address"),
        ("[targets.a]\naddress = \" \"\n", "c.toml:2:11", "empty"),
        ("[defaults]\naddress = \"h\"\n", "c.toml:2:11", "belongs to a target"),
        ("[targets.a]\naddress = \"h\"\nparallel = 3\n", "c.toml:3:12", "[defaults]"),
        ("[defaults]\nparallel = 0\n", "c.toml:2:12", "at least 1"),
        ("[defaults]\ntimeout = 0\n", "c.toml:2:11", "0.001 to 86400"),
        ("[defaults]\nauth-protocol = \"ROT13\"\n", "c.toml:2:17", "SHA-256"),
        ("[defaults]\ncolour = 1\n", "c.toml:2:1", "unknown field"),
        ("[defaults]\nauth-password-command = []\n", "c.toml:2:25", "a command is a list"),
        ("[defaults]\ncommunity = \"\"\n", "c.toml:2:13", "the value is empty"),
        ("[targets.\"a b\"]\naddress = \"h\"\n", "c.toml:1:10", "a name has"),
        ("[groups]\na = [\"@b\"]\n", "c.toml:2:6", "no group or target is called b"),
        ("[groups]\na = [\"\"]\n", "c.toml:2:6", "the member is empty"),
        ("[groups]\na = [\"@b\"]\nb = [\"@c\"]\nc = [\"@a\"]\n", "c.toml:2:6", "would contain itself"),
        ("[targets.a]\naddress = \"h\"\n[groups]\na = []\n", "c.toml:4:1", "a target already"),
        ("[defaults\n", "c.toml:1:", "expected"),
    ] {
        let found = said(text);
        assert!(found.starts_with(place) && found.contains(words), "{text}: {found}");
        assert!(found.contains('^') || found.contains("..."), "{found}");
    }
    for text in [
        "[defaults]\nauth-password = \"maplesyrup\"\nauth-password-file = \"x\"\nretries = -1\n",
        "[defaults]\nauth-password = [\"maplesyrup\"]\n",
        "[defaults]\nauth-password = maplesyrup\n",
        "[defaults]\ncommunity = \"maplesyrup\ntimeout = 1\n",
        "[targets.a]\naddress = \"snmp://maplesyrup@h\"\nversion = \"2d\"\n",
        "[targets]\na = { address = \"h\", community = \"maplesyrup\", levl = \"x\" }\n",
    ] {
        let found = said(text);
        assert!(!found.contains("maplesyrup"), "{found}");
    }
    assert!(!format!("{:?}", file()).contains("maplesyrup"));
}

#[test]
fn a_file_with_a_secret_is_for_its_owner_alone() {
    let folder = std::env::temp_dir().join(format!("trunkline-login-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("config.toml");
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::write(&path, FILE).unwrap();
    mode(0o640);
    let refused = Targets::read(Some(&path)).unwrap_err().0;
    assert!(refused.contains("0640") && refused.contains("chmod 600"), "{refused}");
    mode(0o600);
    assert_eq!(Targets::read(Some(&path)).unwrap().named.len(), 3);
    // Without a secret everybody may read it.
    std::fs::write(&path, "[targets.a]\naddress = \"h\"\ncommunity = \"public\"\n").unwrap();
    mode(0o644);
    assert_eq!(Targets::read(Some(&path)).unwrap().named.len(), 1);
    assert!(Targets::read(Some(&folder.join("none"))).unwrap_err().0.contains("none"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn secrets_come_from_programs_and_variables_once() {
    let keeper = Keeper::default();
    let command = |line: &str| SecretOf::Command(vec!["/bin/sh".into(), "-c".into(), line.into()]);
    assert_eq!(keeper.read(&command("echo first; echo second")).unwrap(), "first");
    for (line, words) in
        [("exit 3", "exit status: 3"), ("true", "prints nothing"), ("printf '\\377'", "not text")]
    {
        let fault = keeper.read(&command(line)).unwrap_err().0;
        assert!(fault.contains(words), "{fault}");
    }
    let missing = SecretOf::Command(vec!["/nonexistent/program".into()]);
    assert!(keeper.read(&missing).unwrap_err().0.contains("/nonexistent/program"));
    let unset = SecretOf::Variable("TRUNKLINE_TEST_UNSET".to_owned());
    assert!(keeper.read(&unset).unwrap_err().0.contains("TRUNKLINE_TEST_UNSET"));
    let origin = command("echo maplesyrup").origin().to_string();
    assert_eq!(origin, "command /bin/sh");
}

#[test]
fn hosts_are_lines_with_comments_and_names() {
    let read = |text: &str| hosts(Path::new("h"), text);
    let found = read("# all\n192.0.2.1  core # the core\n\nsnmp://h/x#y\r\n@edge\n").unwrap();
    let host = |target: &str, name: Option<&str>, line| Host {
        target: target.into(),
        name: name.map(str::to_owned),
        line,
    };
    let expected =
        [host("192.0.2.1", Some("core"), 2), host("snmp://h/x#y", None, 4), host("@edge", None, 5)];
    assert_eq!(found, expected);
    for (text, place, words) in [
        ("a b c\n", "h:1:5", "nothing may follow"),
        ("\n a b\n c b\n", "h:3:4", "another line already"),
        ("@a b", "h:1:4", "a group has no second name"),
        ("-c public", "h:1:1", "expected a target"),
        ("a\n \"b\" c", "h:2:2", "without quotes"),
    ] {
        let fault = read(text).unwrap_err().to_string();
        assert!(fault.starts_with(place) && fault.contains(words), "{fault}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "([a-z@#= \\[\\]\"{}.\\n\\r-]|\\PC){0,200}") {
        let _ = hosts(Path::new("h"), &text);
        if let Err(misplaced) = parse(Path::new("c"), &text) {
            prop_assert!(misplaced.line >= 1 && misplaced.column >= 1);
        }
    }

    #[test]
    fn hosts_survive_their_own_lines(targets in proptest::collection::vec("[a-z0-9.:/]{1,20}", 0..20)) {
        let text: String = targets.iter().map(|target| format!("{target}\n")).collect();
        let found = hosts(Path::new("h"), &text).unwrap();
        let found: Vec<String> = found.into_iter().map(|host| host.target).collect();
        prop_assert_eq!(found, targets);
    }
}
