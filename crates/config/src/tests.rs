//! Configurations as people write them, right and wrong.

mod groups;
mod mistakes;
mod secrets;
mod triggers;

use trunkline_snmp::usm::{AuthProtocol, EngineId, PrivProtocol};
use trunkline_tree::policy::{ContextMatch, SecurityLevel};

use super::*;
use crate::TlsServer;

fn check(text: &str) -> Result<Plan, WrongConfig> {
    parse(Path::new("t.toml"), text)
}

fn wrong(text: &str) -> (usize, usize, String) {
    let error = check(text).unwrap_err();
    (error.line, error.column, error.message)
}

#[test]
fn the_minimal_form_works() {
    let plan = check(
        "[snmp]\nlisten = [\"udp://127.0.0.1:1161\", \"tcp://127.0.0.1:1161\"]\n\
         [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n",
    )
    .unwrap();
    assert_eq!(plan.snmp.listen.len(), 2);
    assert_eq!(plan.snmp.communities[0].name, b"public");
    assert!(!plan.snmp.communities[0].may_write());
}

#[test]
fn without_a_file_only_loopback_is_served() {
    let plan = Plan::default();
    assert!(plan.snmp.listen.iter().all(trunkline_transport::ListenUrl::is_loopback));
    assert_eq!(plan.snmp.communities.len(), 1);
    assert!(!plan.snmp.communities[0].may_write());
}

#[test]
fn errors_report_the_location_and_what_was_expected() {
    let (line, column, message) = wrong("[snmp]\nlissen = []\n");
    assert_eq!((line, column), (2, 1));
    assert!(message.contains("lissen") && message.contains("listen"), "{message}");

    let (line, column, message) = wrong("[snmp]\nlisten = [\n  \"udp://127.0.0.1:x\",\n]\n");
    assert_eq!((line, column), (3, 3));
    assert!(message.contains("port"), "{message}");

    let (line, _, message) = wrong("[[snmp.community]]\nname = \"a\"\naccess = \"rw\"\n");
    assert_eq!(line, 3);
    assert!(message.contains("read") && message.contains("write"), "{message}");

    let (line, column, message) = wrong("[snmp\n");
    assert_eq!(line, 1);
    assert!(column > 1 && !message.is_empty());
}

#[test]
fn marks_are_below_the_mistake() {
    let excerpt = |text: &str| check(text).unwrap_err().excerpt;
    assert_eq!(
        excerpt("[system]\r\n\tservices = 300 # é\r\n"),
        "  |\n2 | \tservices = 300 # é\n  | \t           ^^^"
    );
    assert_eq!(excerpt("[snmp]\nlisten = [\"ü\"]"), "  |\n2 | listen = [\"ü\"]\n  |           ^^^");
    assert_eq!(excerpt("[snmp]\r\nlisten = \"n\r\n"), "  |\n2 | listen = \"n\n  |            ^");
    // What would steer a terminal is not shown as it is.
    let hidden = check("[snmp]\nlisten = \"\x1b\"").unwrap_err().to_string();
    assert!(hidden.contains('\u{fffd}') && !hidden.contains('\x1b'), "{hidden:?}");
    // A value that is not closed ends with its line.
    let open = excerpt("[snmp]\nlisten = \"ü\n");
    assert!(open.starts_with("  |\n2 | listen = \"ü\n") && open.ends_with('^'), "{open}");
}

#[test]
fn each_kind_of_wrong_value_is_refused() {
    let community = "[[snmp.community]]\nname = \"a\"\naccess = \"read\"\n";
    for (text, word) in [
        ("[snmp]\nlisten = []\n".to_string(), "at least one"),
        ("[snmp]\nlisten = \"udp://[::1]:0\"\n".into(), "a list"),
        ("[snmp]\nlisten = [\"udp://[::1]:161\", \"udp://[::1]:161\"]\n".into(), "twice"),
        ("[snmp.tcp]\nmax-connections = \"many\"\n".into(), "a whole number"),
        ("[snmp.tcp]\nmax-connections-per-peer = 0\n".into(), "1 to"),
        ("[snmp.tcp]\nmessage-timeout = \"0s\"\n".into(), "1ms"),
        ("[snmp.tcp]\nidle-timeout = \"5124095576030431h\"\n".into(), "8760h"),
        ("[snmp.tcp]\nfirst-message-timeout = \"0s\"\n".into(), "1ms"),
        ("[agent]\nwaiting-output = 1000\n".into(), "1048576 to"),
        ("[agent]\nwaiting-output = 2097152\n[http]\nmax-answer-size = 1048577\n".into(), "at most 1048576"),
        ("[freshness]\ndefault = \"5124095576030431h\"\n".into(), "maximum age"),
        (format!("{community}{community}"), "twice"),
        ("[[snmp.community]]\nname = \"\"\naccess = \"read\"\n".into(), "empty"),
        (format!("{community}view = [\"1.x\"]\n"), "1.x"),
        (format!("{community}sources = [\"10.0.0.0/33\"]\n"), "prefix"),
        (format!("{community}sources = [\"somewhere\"]\n"), "somewhere"),
        ("[freshness]\nnowhere = \"1s\"\n".into(), "nowhere"),
        ("[freshness]\ndefault = \"soon\"\n".into(), "soon"),
        ("[snmp]\nmax-message-size = 100\n".into(), "484"),
        ("[snmp]\nmax-bindings = 0\n".into(), "1"),
        ("[system]\nname = \"".to_string() + &"x".repeat(256) + "\"\n", "255"),
    ] {
        let (_, _, message) = wrong(&text);
        assert!(message.contains(word), "{text:?} gave {message:?}");
    }
}

#[test]
fn a_file_without_a_setting_is_not_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    for text in ["", "\n \n", "# only words\n", "[snmp]\n", "[agent]\n[snmp.tcp]\n"] {
        std::fs::write(&path, text).unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains("t.toml") && error.contains("no setting"), "{text:?}: {error}");
    }
    std::fs::write(&path, "[agent]\nlog = \"info\"\n").unwrap();
    assert!(load(&path).unwrap().listens_by_default);
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(load(&path), Err(ConfigError::Unreadable { .. })));
    assert_eq!(Source::of(None).load().unwrap(), Plan::default());
}

#[test]
fn a_file_in_another_encoding_is_shown_where_it_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    std::fs::write(&path, b"[system]\nlocation = \"K\xf6ln\"\n").unwrap();
    let error = load(&path).unwrap_err().to_string();
    assert!(error.contains("t.toml:2:14:") && error.contains("0xf6") && error.contains("UTF-8"), "{error}");
}

#[test]
fn two_secrets_for_one_purpose_are_refused() {
    let user = "[[snmp.user]]\nname = \"u\"\nauth = \"SHA\"\npriv = \"AES\"\n";
    let local = "0x0001020304050607080900010203040506070809";
    for (keys, found) in [
        (
            "password = \"passwordone\"\nauth-password = \"passwordtwo\"\n",
            "auth-password together with password",
        ),
        (
            "password = \"passwordone\"\npriv-password = \"passwordtwo\"\n",
            "priv-password together with password",
        ),
        ("password = \"passwordone\"\nauth-master-key = \"KEY\"\n", "auth-master-key together with password"),
        ("password = \"passwordone\"\npriv-key = \"KEY\"\n", "priv-key together with password"),
        ("auth-password = \"passwordone\"\nauth-key = \"KEY\"\n", "besides auth-password"),
    ] {
        let (line, _, message) = wrong(&format!("{user}{}", keys.replace("KEY", local)));
        assert_eq!(line, 6, "{keys}");
        assert!(message.contains(found) && !message.contains("passwordtwo"), "{keys}: {message}");
    }
    let own = "auth-password = \"passwordone\"\npriv-password = \"passwordtwo\"\n";
    assert!(check(&format!("{user}{own}")).is_ok());
}

#[test]
fn listeners_that_the_kernel_would_refuse_are_named() {
    for (text, line) in [
        ("[snmp]\nlisten = [\n\"udp://0.0.0.0:21050\",\n\"udp://127.0.0.1:21050\"]\n", 4),
        ("[snmp]\nlisten = [\"udp://*:21050\",\n\"udp://[::1]:21050\"]\n", 3),
        ("[snmp]\nlisten = [\"tcp://127.0.0.1:8080\"]\n[http]\nlisten = [\"http://*:8080\"]\n", 4),
        ("[http]\nlisten = [\"http://0.0.0.0:1161\"]\n", 2),
    ] {
        let (at, _, message) = wrong(text);
        assert_eq!(at, line, "{text}");
        assert!(message.contains("cannot both be opened"), "{message}");
    }
    assert!(
        check("[snmp]\nlisten = [\"udp://0.0.0.0:161\", \"tcp://0.0.0.0:161\", \"udp://[::]:161\"]\n")
            .is_ok()
    );
}

#[test]
fn object_identifiers_begin_as_x660_says() {
    for (rule, word) in [("3.1.1", "begins with 3"), ("-4", "begins with 4"), ("1.40.1", "1.40")] {
        let (_, _, message) = wrong(&format!("[[view]]\nname = \"v\"\nrules = [\"{rule}\"]\n"));
        assert!(message.contains(word), "{rule}: {message}");
    }
    let (_, _, message) = wrong("[[pass]]\noid = \"9.9\"\ncommand = [\"/bin/true\"]\n");
    assert!(message.contains("begins with 9"), "{message}");
    assert!(check("[[view]]\nname = \"v\"\nrules = [\"0\", \"1\", \"2.999\", \"*.3\"]\n").is_ok());
}

#[test]
fn all_mistakes_of_a_file_are_reported() {
    let text = "[agent]\ngrace = \"2m\"\n[snmp]\nmax-bindings = 0\n[system]\nservices = 300\n\
                [[view]]\nname = \"\"\nrules = []\n[[view]]\nname = \"v\"\nrules = [\"x\"]\n";
    let error = check(text).unwrap_err();
    let lines = |error: &WrongConfig| {
        [error.line].into_iter().chain(error.others.iter().map(|other| other.line)).collect::<Vec<_>>()
    };
    // The settings of [snmp] that depend on the views.
    assert_eq!(lines(&error), [2, 6, 8, 12]);
    assert_eq!(error.to_string().matches("t.toml:").count(), 4);
}

#[test]
fn a_time_without_a_unit_has_an_example() {
    let (_, _, message) = wrong("[snmp.tcp]\nidle-timeout = 30\n");
    assert!(message.contains("\"30s\""), "{message}");
}

#[test]
fn grace_is_a_time_and_may_be_none() {
    let grace =
        |text: &str| check(&format!("[agent]\ngrace = {text:?}\n")).map(|plan| plan.grace.as_millis());
    assert_eq!((grace("0s"), grace("1500ms"), grace("60s")), (Ok(0), Ok(1500), Ok(60_000)));
    assert!(grace("61s").is_err() && grace("soon").is_err());
    assert_eq!(Plan::default().grace.as_millis(), 1000);
}

#[test]
fn members_of_a_role_need_not_be_there() {
    let role = "[[role]]\nname = \"r\"\nread = [\"1\"]\nlevel = \"authPriv\"\nmembers = [\"later\"]\n";
    let plan = check(role).unwrap();
    assert!(plan.snmp.communities.is_empty(), "who names users has not asked for a community");
    let principal =
        "[[role]]\nname = \"r\"\nread = [\"1\"]\n[[snmp.principal]]\nname = \"ann\"\nrole = \"r\"\n";
    assert!(check(principal).unwrap().snmp.communities.is_empty(), "nor has who names a principal");
    let members = plan.access().members;
    assert_eq!(members.len(), 1);
    assert_eq!((members[0].name.octets(), members[0].role.octets()), (&b"later"[..], &b"r"[..]));

    let second = "[[role]]\nname = \"s\"\nread = [\"1\"]\nmembers = [\"later\"]\n";
    assert!(wrong(&format!("{role}{second}")).2.contains("several roles"));
    let user = |more: &str| format!("{role}[[snmp.user]]\nname = \"later\"\n{more}");
    assert!(wrong(&user("")).2.contains("authPriv"), "it reaches no more than noAuthNoPriv");
    let keys = "auth = \"SHA\"\npriv = \"AES\"\npassword = \"maplesyrup\"\n";
    assert_eq!(check(&user(keys)).unwrap().access().members.len(), 1);
    assert_eq!(check(&user(&format!("{keys}role = \"r\"\n"))).unwrap().access().members.len(), 1);
    let other = format!("{}role = \"s\"\n{}", user(keys), second.replace("later", "else"));
    assert!(wrong(&other).2.contains("several roles"));
    assert!(wrong("[[role]]\nname = \"r\"\nmembers = [\"later\"]\n").2.contains("no rule"));
}

/// The agent asks itself for a trigger's user, who needs no keys for that. Over the network the role's level holds.
#[test]
fn the_user_of_a_trigger_needs_no_keys() {
    let user = "[[role]]\nname = \"r\"\nread = [\"1\"]\nlevel = \"authNoPriv\"\n[[snmp.user]]\nname = \"internal\"\nrole = \"r\"\n";
    assert!(wrong(user).2.contains("authNoPriv"));
    let trigger = "[[trigger]]\nname = \"t\"\nobject = \"1.3.6.1.2.1.25.1.5.0\"\nuser = \"internal\"\nexistence = { test = [\"present\"] }\n";
    let plan = check(&format!("{user}{trigger}")).unwrap();
    assert_eq!(plan.snmp.users[0].role.as_deref(), Some("r"));
    let other = trigger.replace("internal", "another");
    assert!(wrong(&format!("{user}{other}")).2.contains("authNoPriv"));
}

/// A configuration with every section, from which the tests of mistakes start.
const EVERYTHING: &str = r#"
[agent]
engine-id = "0x80001f888001020304"

[snmp]
listen = ["udp://127.0.0.1", "tcp://[::1]:1161"]

[[view]]
name = "system"
rules = ["1.3.6.1.2.1.1", "-1.3.6.1.2.1.1.6", "1.3.6.1.2.1.2.2.1.*.3"]

[[role]]
name = "monitor"
read = "system"
notify = ["1"]

[[role]]
name = "operator"
inherits = ["monitor"]
read = ["1.3.6.1"]
write = ["1.3.6.1.2.1.1"]
level = "authPriv"
[[role.access]]
context = "lab*"
model = "usm"
level = "authNoPriv"
read = "system"

[[snmp.community]]
name = "public"
role = "monitor"
context = "lab1"
sources = ["!10.0.0.1", "10.0.0.0/8"]

[[snmp.community]]
name = "private"
access = "write"
view = "system"

[[snmp.user]]
name = "ann"
auth = "SHA-256"
priv = "AES"
password = "maplesyrup"
role = "operator"

[[snmp.user]]
name = "bob"
auth = "sha"
auth-key = "0x0102030405060708090a0b0c0d0e0f1011121314"
role = "monitor"

[[snmp.user]]
name = "noone"

[[snmp.target]]
name = "nms"
address = "udp://nms.example.net"
user = "ann"
kind = "inform"
timeout = "2s"
retries = 5
filter = ["1.3.6.1.6.3.1.1.5", "-1.3.6.1.6.3.1.1.5.1"]

[[snmp.target]]
name = "old"
address = "udp://192.0.2.1:1162"
version = "v1"
community = "trapword"

[[monitor]]
name = "load"
expression = "1.3.6.1.4.1.2021.10.1.5.1 / 100"
every = "10s"
above = 4
clear = 3.5
send = ["1.3.6.1.2.1.1.5.0"]

[[extend]]
name = "date"
command = ["/bin/date", "-u"]

[[extend]]
name = "users"
command = ["who | wc -l"]
shell = true
cache = "0s"
oid = "1.3.6.1.4.1.8072.9999.1"

[[pass]]
oid = "1.3.6.1.4.1.8072.9999.2"
command = ["/usr/local/bin/pass"]
persistent = true
priority = 10

[[process]]
name = "sshd"
max = 10
fix = ["/bin/systemctl", "restart", "sshd"]

[[exec]]
name = "up"
command = ["/usr/bin/uptime"]

[[disk]]
path = "/"
minimum = "10%"

[[disk]]
path = "*"
minimum = 5000

[disk-io]
devices = ["sda"]
exclude = ["loop"]

[storage]
network-disks = false

[[file]]
path = "/var/log/syslog"
max = 100000

[[log-match]]
name = "oom"
path = "/var/log/kern.log"
pattern = "Out of memory: Killed process [0-9]+"
every = "1m"

[swap]
minimum = 64000

[load]
max-1 = 12
max-5 = 8.5

[[proxy]]
address = "udp://192.0.2.2"
community = "public"
subtree = "1.3.6.1.4.1.99"
remote-subtree = "1.3.6.1.4.1.98"

[[proxy]]
address = "tcp://192.0.2.3:1161"
user = "ann"
level = "authNoPriv"
context = "lab1"
"#;

#[test]
fn every_section_takes_effect() {
    let plan = check(EVERYTHING).unwrap();
    let oid = |text: &str| text.parse::<trunkline_smi::Oid>().unwrap();
    assert_eq!(
        plan.engine_id.as_ref().map(EngineId::as_bytes),
        Some(&[0x80, 0, 0x1f, 0x88, 0x80, 1, 2, 3, 4][..])
    );
    assert_eq!(plan.snmp.listen[0].port, 161, "the port of agents where none is given");
    assert_eq!(plan.views[0].rules.view().families().len(), 3);
    assert_eq!(plan.roles[0].access[0].read, Some(ViewRef::Named("system".into())));
    let operator = &plan.roles[1];
    assert_eq!((operator.access.len(), operator.inherits[0].as_str()), (2, "monitor"));
    assert_eq!((operator.access[1].context.as_str(), operator.level), ("lab", SecurityLevel::AuthPriv));
    assert_eq!(operator.access[1].context_match, ContextMatch::Prefix);
    assert_eq!(plan.snmp.communities[0].rights, Rights::Role("monitor".into()));
    assert_eq!(plan.snmp.communities[0].context, "lab1");
    assert!(!plan.snmp.communities[0].may_come_from("10.0.0.1".parse().unwrap()));
    assert!(plan.snmp.communities[1].write.contains(&oid("1.3.6.1.2.1.2.2.1.8.3")));
    assert!(!plan.snmp.communities[1].write.contains(&oid("1.3.6.1.2.1.2.2.1.8.4")));
    let ann = &plan.snmp.users[0];
    assert_eq!(ann.auth, Some((AuthProtocol::Sha256, Secret::Password(b"maplesyrup".to_vec()))));
    assert_eq!(ann.privacy, Some((PrivProtocol::Aes128, Secret::Password(b"maplesyrup".to_vec()))));
    let levels: Vec<_> = plan.snmp.users.iter().map(UserPlan::level).collect();
    assert_eq!(levels, [SecurityLevel::AuthPriv, SecurityLevel::AuthNoPriv, SecurityLevel::NoAuthNoPriv]);
    let nms = &plan.snmp.targets[0];
    assert_eq!(nms.address.to_string(), "udp://nms.example.net:162");
    assert_eq!((nms.kind, nms.retries, nms.timeout.as_millis()), (NotificationKind::Inform, 5, 2000));
    assert_eq!(nms.credentials, Credentials::V3 { user: "ann".into(), level: SecurityLevel::AuthPriv });
    assert!(!nms.filter.contains(&oid("1.3.6.1.6.3.1.1.5.1")));
    assert_eq!(plan.snmp.targets[1].credentials, Credentials::V1 { community: b"trapword".to_vec() });
    assert_eq!(plan.monitors[0].condition, Condition::Above { limit: 4.0, clear: 3.5 });
    assert_eq!((plan.extends[0].cache.as_secs(), plan.extends[1].cache.as_secs()), (5, 0));
    assert_eq!((plan.passes[0].persistent, plan.passes[0].priority), (true, 10));
    assert_eq!((plan.processes[0].min, plan.processes[0].max), (0, Some(10)));
    assert_eq!(plan.disks[0].minimum, DiskMinimum::Percent(10));
    assert_eq!((plan.disks[1].path.clone(), plan.disks[1].minimum), (None, DiskMinimum::Kilobytes(5000)));
    assert_eq!(plan.disk_io, DiskIoPlan { devices: vec!["sda".into()], exclude: vec!["loop".into()] });
    assert!(!plan.network_disks && Plan::default().network_disks);
    assert_eq!(plan.files, [WatchedFilePlan { path: "/var/log/syslog".into(), max: Some(100_000) }]);
    let log = &plan.log_matches[0];
    assert_eq!((log.name.as_str(), log.every.as_secs(), plan.minimum_swap), ("oom", 60, 64_000));
    assert_eq!(plan.load, Some(LoadPlan { max_1: 12.0, max_5: 8.5, max_15: 8.5 }));
    assert_eq!(plan.proxies[0].remote_subtree, Some(oid("1.3.6.1.4.1.98")));
    assert_eq!(
        plan.proxies[1].credentials,
        Credentials::V3 { user: "ann".into(), level: SecurityLevel::AuthNoPriv }
    );
    assert!(plan.may_write());

    let policy = plan.access().compile().unwrap();
    let allowed = |level, context: &str, name: &str| {
        let name = oid(name);
        let view = trunkline_tree::policy::ViewType::Write;
        let model = trunkline_tree::policy::SecurityModel::USM;
        let ann = trunkline_tree::policy::Principal::new(model, b"ann", level);
        policy.is_access_allowed(&ann, context.as_bytes(), view, &name)
    };
    assert!(allowed(SecurityLevel::AuthPriv, "", "1.3.6.1.2.1.1.5.0").is_ok());
    assert!(!plan.roles[0].separate);
    let apart = check("[[role]]\nname = \"r\"\nseparate = true\nread = [\"1\"]\n").unwrap();
    assert!(apart.access().roles[0].separate);
    assert!(allowed(SecurityLevel::AuthNoPriv, "", "1.3.6.1.2.1.1.5.0").is_err());
    assert!(allowed(SecurityLevel::AuthPriv, "lab1", "1.3.6.1.2.1.1.5.0").is_err());
}

/// The settings of TLS, DTLS and SSH, and the positions of mistakes.
#[test]
fn secure_transports() {
    let start = "[[role]]\nname = \"r\"\nread = [\"1\"]\n";
    let plan = check(&format!(
        "{start}[snmp]\nlisten = [\"ssh://127.0.0.1\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"r\"\nauthorized-keys = \"ann.keys\"\n\
         [[snmp.target]]\nname = \"t\"\naddress = \"tls://nms\"\nserver-name = \"n\"\nprincipal = \"ann\"\n\
         [[snmp.target]]\nname = \"u\"\naddress = \"ssh://joe@nms\"\n"
    ))
    .unwrap();
    assert_eq!(plan.snmp.listen[0].to_string(), "ssh://127.0.0.1:5161");
    let [tls, ssh] = &plan.snmp.targets[..] else { panic!() };
    assert_eq!(
        (tls.address.to_string(), ssh.address.to_string()),
        ("tls://nms:10162".into(), "ssh://joe@nms:5162".into())
    );
    assert_eq!(tls.credentials, Credentials::Session { principal: "ann".into() });
    assert_eq!(tls.server, Some(TlsServer::Identity("n".into())));
    assert_eq!(ssh.credentials, Credentials::Session { principal: EVERYBODY.into() });
    for (text, marked, word) in [
        (
            "[snmp]\nlisten = [\"tls://127.0.0.1\"]\n[snmp.tls]\ndirectory = \"/nowhere\"",
            "\"tls",
            "trunkline pki init",
        ),
        ("[snmp.tls]\ncertificate = \"/nowhere/a.pem\"", "\"/nowhere/a.pem\"", "cannot read"),
        ("[snmp.tls]\nleast-version = \"1.1\"", "\"1.1\"", "1.3"),
        ("[[snmp.tls.name]]\nfingerprint = \"md5:00\"", "\"md5:00\"", "sha256"),
        (
            "[[snmp.tls.name]]\nfingerprint = \"sha1:000102030405060708090a0b0c0d0e0f10111213\"",
            "\"sha1",
            "a map",
        ),
        ("[[snmp.principal]]\nname = \"ann\"\nrole = \"none\"", "\"none\"", "role"),
        (
            "[[snmp.principal]]\nname = \"ann\"\npassword-hash = \"secret\"",
            "\"secret\"",
            "trunkline pki password",
        ),
        ("[[snmp.principal]]\nname = \"*\"\nauthorized-keys = \"x\"", "\"x\"", "SSH user"),
        (
            "[[snmp.target]]\nname = \"t\"\naddress = \"udp://n\"\nprincipal = \"ann\"",
            "\"ann\"",
            "tls, dtls, ssh and snmp+https",
        ),
        (
            "[[snmp.target]]\nname = \"t\"\naddress = \"ssh://n\"\nfingerprint = \"x\"",
            "\"x\"",
            "only tls, dtls and snmp+https",
        ),
    ] {
        let error = check(text).expect_err(text);
        assert!(error.message.contains(word), "{text}: {error}");
        let line = text.lines().nth(error.line - 1).unwrap();
        assert!(line[error.column - 1..].starts_with(marked), "{text}: {error}");
        assert!(!error.to_string().contains("= \"secret"), "{error}");
    }
}

#[test]
fn users_become_the_engines_own() {
    let plan = check(EVERYTHING).unwrap();
    let engine_id = plan.engine_id.unwrap();
    let [ann, bob, noone] = [0, 1, 2].map(|at: usize| plan.snmp.users[at].user(&engine_id).unwrap());
    assert_eq!(ann.privacy().unwrap().protocol(), PrivProtocol::Aes128);
    assert_eq!(bob.auth().unwrap().local_key().as_bytes()[..3], [1, 2, 3]);
    assert!(noone.auth().is_none());
    assert!(plan.snmp.users[0].is_portable() && !plan.snmp.users[1].is_portable());
}

#[test]
fn a_world_readable_file_with_secrets_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    let told = |text: &str, mode| {
        std::fs::write(file.path(), text).unwrap();
        std::fs::set_permissions(file.path(), PermissionsExt::from_mode(mode)).unwrap();
        exposure(file.path())
    };
    assert!(told(EVERYTHING, 0o640).is_none());
    let words = told(EVERYTHING, 0o644).unwrap();
    assert!(words.contains("644") && words.contains("chmod") && !words.contains("maplesyrup"), "{words}");
    assert!(told("[system]\nname = \"n\"\n# password = \"x\"\n", 0o644).is_none());
    assert!(told("[[snmp.user]]\nname = \"u\"\npassword-file = \"x\"\n", 0o644).is_none());
}

#[test]
fn configuring_users_disables_the_default_community() {
    assert!(check("[[snmp.user]]\nname = \"noone\"\n").unwrap().snmp.communities.is_empty());
    assert!(check("[snmp]\ncommunity = []\n").unwrap().snmp.communities.is_empty());
    assert_eq!(check("").unwrap().snmp.communities.len(), 1);
}

#[test]
fn services_and_relations_are_checked_with_locations() {
    let plan = check("[[relation]]\nname = \"feeds\"\nfrom = \"Interface\"\nto = [\"IP\"]\n").unwrap();
    assert_eq!(plan.services.services.len(), 7);
    assert_eq!(plan.services.relations.len(), 4);
    let own = "[[service]]\ntag = \"A\"\n[[service]]\ntag = \"B\"\nholds = [\"tcp\", \"ifEntry[2]\"]\n";
    assert_eq!(check(own).unwrap().services.services.len(), 2);
    let wrong = |more: &str, line, column, words: &str| {
        let error = check(&format!("{own}{more}")).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert!(error.message.contains(words), "{error}");
    };
    wrong("[[service]]\ntag = \"B\"\n", 7, 7, "two services `B`");
    wrong("[[service]]\ntag = \"a.b\"\n", 7, 7, "cannot be a name in a URI");
    wrong("[[service]]\ntag = \"soap\"\n", 7, 7, "the URI of a door");
    wrong("[[service]]\ntag = \"C\"\nlevel = -1\n", 8, 9, "out of range");
    wrong("[[service]]\ntag = \"C\"\nholds = [\"tcp\", \"tcpp\"]\n", 8, 17, "no module has `tcpp`");
    wrong("[[service]]\ntag = \"C\"\nholds = [\"ifEntry[1-2]\"]\n", 8, 10, "one row");
    wrong("[[service]]\ntag = \"C\"\neach-row-of = [\"tcpConnTable\"]\n", 8, 16, "one number for an index");
    wrong("[[service]]\ntag = \"C\"\nnamed-by = \"ifDescr\"\n", 8, 12, "each-row-of");
    let each = "[[service]]\ntag = \"C\"\neach-row-of = [\"ifTable\"]\nnamed-by = \"ifName\"\n";
    wrong(each, 9, 12, "a column of ifTable");
    wrong("[[relation]]\nname = \"r\"\nfrom = \"A\"\nto = [\"B\", \"C\"]\n", 9, 12, "no service `C`");
    wrong("[[relation]]\nname = \"r_1\"\nfrom = \"A\"\nto = []\n", 7, 8, "cannot be a name in a URI");
    wrong("[[relation]]\nname = \"r\"\nfrom = \"Z\"\nto = [\"B\"]\n", 7, 8, "no service `Z`");
}

#[test]
fn files_and_logs_are_named_by_paths_and_expressions() {
    let wrong = |text: &str, line: usize, word: &str| {
        let (at, _, message) = wrong(text);
        assert!(at == line && message.contains(word), "{text}: {at} {message}");
    };
    wrong("[[file]]\npath = \"syslog\"\n", 2, "full path");
    wrong("[[file]]\npath = \"/a\"\n[[file]]\npath = \"/a\"\n", 4, "twice");
    wrong("[[file]]\npath = \"/a\"\nmax = -1\n", 3, "out of range");
    let log = "[[log-match]]\nname = \"a\"\npath = \"/a\"\npattern = \"a\"\n";
    wrong(&log.replace("pattern = \"a\"", "pattern = \"a[\""), 4, "not a regular expression");
    wrong(&log.replace("pattern = \"a\"", "pattern = \"(a{1000}){1000}\""), 4, "not a regular expression");
    wrong(&log.replace("\"/a\"", "\"a\""), 3, "full path");
    wrong(&format!("{log}{log}"), 6, "twice");
    wrong(&format!("{log}every = \"5\"\n"), 5, "not a time");
    wrong(&format!("{log}every = \"5ms\"\n"), 2, "more often");
    let many: String = (0..251).map(|n| log.replace("\"a\"\npath", &format!("\"{n}\"\npath"))).collect();
    wrong(&many, 1002, "more than 250");
    wrong("[swap]\nminimum = -1\n", 2, "out of range");
    wrong("[[disk]]\npath = \"/\"\nshown = false\n", 3, "that is named has a row");
    let hidden = check("[[disk]]\npath = \"*\"\nshown = false\n").unwrap();
    assert!(!hidden.disks[0].shown);
}

#[test]
fn expressions_are_checked_where_they_stand() {
    let of = |rest: &str| format!("[[expression]]\nname = \"a\"\n{rest}\n");
    let objects = "objects = [{ object = \"1.3.6.1.2.1.2.2.1.10.*\", sample = \"delta\" }, { object = \"1.3.6.1.2.1.1.3.0\" }]";
    let text = of(&format!(
        "expression = \"$1 * 8 / $2\"\ntype = \"unsigned32\"\nevery = \"10s\"\nuser = \"ann\"\n{objects}"
    ));
    let plan = check(&text).unwrap();
    let [computed] = &plan.computed[..] else { panic!() };
    assert_eq!((computed.every, computed.user.as_deref(), computed.objects.len()), (10, Some("ann"), 2));
    assert!(computed.objects[0].object.wildcard && !computed.objects[1].object.wildcard);
    for (rest, line, expected) in [
        ("expression = \"1 +\"".to_owned(), 3, "invalidSyntax at octet 4"),
        ("expression = \"$1\"".to_owned(), 3, "$1 is not one of the 0 objects"),
        (format!("expression = \"sum($3)\"\n{objects}"), 3, "$3 is not one of the 2 objects"),
        ("expression = \"1\"\ntype = \"float\"".to_owned(), 4, "is not a type"),
        ("expression = \"1\"\nevery = \"1500ms\"".to_owned(), 4, "whole seconds"),
        (
            "expression = \"$1\"\nobjects = [{ object = \"1.3.6\", sample = \"rate\" }]".to_owned(),
            4,
            "is not a sample",
        ),
        (
            "expression = \"$1\"\nobjects = [{ object = \"1.3.6\", discontinuity = \"1.3\" }]".to_owned(),
            4,
            "discontinuity is of differences",
        ),
    ] {
        let (found, _, message) = wrong(&of(&rest));
        assert!(found == line && message.contains(expected), "{rest}: {found} {message}");
    }
    assert!(check("[expressions]\nmax-instances = 0\n").is_err());
}
