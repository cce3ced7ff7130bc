//! Net-SNMP's configuration as ours: each directive, what it becomes, and what is said of what cannot
//! be carried over. Every text that comes out passes our own check.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use proptest::{collection, prelude::*, sample};
use trunkline_agent::config::{self, Plan};
use trunkline_agent::import_snmpd::{Imported, Surroundings, import, import_text};
use trunkline_tree::policy::{SecurityLevel, SecurityModel, ViewType};

fn names(name: &str) -> Vec<IpAddr> {
    match name {
        "localhost" => vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()],
        "noc.example" => vec!["192.0.2.7".parse().unwrap()],
        _ => Vec::new(),
    }
}

fn surroundings() -> Surroundings<'static> {
    Surroundings { resolve: &names, extra: Vec::new(), listen: Vec::new(), title: "From snmpd.conf.".into() }
}

fn imported_from(text: &str) -> (Imported, Plan) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, text).unwrap();
    let imported = import(&[file], &surroundings()).unwrap();
    let plan = config::parse(Path::new("imported.toml"), &imported.toml);
    let plan = plan.unwrap_or_else(|error| panic!("{error}\nfrom\n{text}\ncame\n{}", imported.toml));
    (imported, plan)
}

/// The text without comments and empty lines.
fn plain(toml: &str) -> String {
    let lines = toml.lines().map(|line| line.split("  # ").next().unwrap_or("").trim_end());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect::<Vec<_>>().join("\n") + "\n"
}

/// Lines of Net-SNMP's configuration, what must be in ours, and words of the notes, one for each.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case]) {
    for (given, expected, noted) in cases {
        let (imported, _) = imported_from(given);
        let toml = plain(&imported.toml);
        for fragment in *expected {
            assert!(toml.contains(fragment), "{given:?} lacks {fragment:?} in\n{toml}");
        }
        let notes: Vec<String> = imported.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), noted.len(), "{given:?} gave {notes:#?}");
        for (note, word) in notes.iter().zip(*noted) {
            assert!(note.contains(word), "{given:?} gave {note:?}, expected {word:?}");
            assert!(note.contains("snmpd.conf:"), "{note}");
        }
    }
}

#[test]
fn the_agent_and_the_system_group() {
    check(&[
        ("", &["listen = [\"udp://0.0.0.0:161\"]", "community = []"], &[]),
        (
            "agentAddress udp:127.0.0.1:161,udp6:[::1]:161,tcp:1161",
            &[
                "listen = [\n    \"udp://127.0.0.1:161\",\n    \"udp://[::1]:161\",\n    \"tcp://0.0.0.0:1161\",\n]",
            ],
            &[],
        ),
        (
            "agentaddress 127.0.0.1\nAGENTADDRESS unix:/run/x,[::1]",
            &["\"udp://127.0.0.1:161\",\n    \"udp://[::1]:161\""],
            &["unix"],
        ),
        ("agentAddress localhost:1161", &["\"udp://127.0.0.1:1161\""], &[]),
        ("agentuser Debian-snmp\nagentgroup Debian-snmp", &["[agent]\nuser = \"Debian-snmp\""], &[]),
        ("agentuser #104", &[], &["number"]),
        ("maxGetbulkResponses 200\nmaxGetbulkRepeats 10", &["max-bindings = 200"], &[]),
        ("maxGetbulkResponses -1", &[], &[]),
        ("engineID lab", &["engine-id = \"0x80001f88046c6162\""], &[]),
        ("exactEngineID 0x80001f8880aabbccdd", &["engine-id = \"0x80001f8880aabbccdd\""], &[]),
        ("oldEngineID 0x80001f8880aabbccdd\nengineBoots 7", &["engine-id = \"0x80001f8880aabbccdd\""], &[]),
        ("engineIDType 3\nengineIDNic eth0", &[], &["snmpEngineID.0", "snmpEngineID.0"]),
        (
            "sysLocation Sitting on the Dock\nsysContact \"Me <me@example.org>\"\nsysName a # b",
            &["location = \"Sitting on the Dock\"", "contact = \"Me <me@example.org>\"", "name = \"a # b\""],
            &[],
        ),
        ("syslocation one\nsyslocation two", &["location = \"two\""], &[]),
        ("sysServices 72\nsysDescr A machine", &["services = 72", "description = \"A machine\""], &[]),
        ("sysServices many", &[], &["many"]),
        ("sysObjectID .1.3.6.1.4.1.9", &[], &["cannot be configured"]),
        ("override sysDescr.0 octet_str \"my own\"", &["description = \"my own\""], &[]),
        ("override ifDescr.3 octet_str x", &[], &["pass program"]),
        ("psyslocation \"cellar\"", &[], &["a manager had set"]),
        ("leave_pidfile yes\ndontLogTCPWrappersConnects yes", &[], &[]),
        ("master agentx\nagentXSocket tcp:localhost:705", &[], &["not yet supported", "not yet supported"]),
        ("[snmp] persistentDir /x\n[snmp]\nmibs :\n[snmpd]\nsysName n", &["name = \"n\""], &[]),
        ("[snmp] localCert abc\nnoSuchDirective 1", &[], &["TLS", "no directive"]),
        (
            "smuxpeer .1.3 x\ndlmod a /b.so\nperl x\nswap 100\nfile /var/log/x\ninterface eth0 6 10",
            &[],
            &["SMUX", "pass_persist", "pass_persist", "memAvailSwap", "fileTable", "kernel"],
        ),
    ]);
}

#[test]
fn simple_communities() {
    check(&[
        (
            "rocommunity public",
            &["[[snmp.community]]\nname = \"public\"\naccess = \"read\"\nsources = [\"0.0.0.0/0\"]"],
            &[],
        ),
        ("rocommunity public\nrocommunity6 public", &["name = \"public\"\naccess = \"read\"\n"], &[]),
        (
            "rwcommunity private 10.0.0.0/255.255.0.0 .1.3.6.1.2.1",
            &["access = \"write\"\nview = [\"1.3.6.1.2.1\"]\nsources = [\"10.0.0.0/16\"]"],
            &[],
        ),
        ("rwcommunity6 private 2001:db8::/32", &["access = \"write\"\nsources = [\"2001:db8::/32\"]"], &[]),
        (
            "rocommunity public default -V sys\nview sys included .1.3.6.1.2.1.1",
            &["view = \"sys\"", "[[view]]\nname = \"sys\"\nrules = [\"1.3.6.1.2.1.1\"]"],
            &[],
        ),
        ("rocommunity public default -V gone", &["community = []"], &["no view gone", "left out"]),
        (
            "rocommunity public localhost -V _all_ ctx",
            &["context = \"ctx\"\nsources = [\"127.0.0.1\"]"],
            &["in the context"],
        ),
        ("rocommunity public no.example", &["community = []"], &["no IPv4 address"]),
        (
            "rocommunity a 10.0.0.1\nrocommunity a 10.0.0.1 .1.3",
            &["sources = [\"10.0.0.1\"]"],
            &["counts alone"],
        ),
        (
            "rocommunity a\nrwcommunity a 10.0.0.1",
            &["access = \"read\"", "access = \"write\"\nsources = [\"10.0.0.1\"]"],
            &[],
        ),
        ("authcommunity read,write c noc.example", &["access = \"write\"\nsources = [\"192.0.2.7\"]"], &[]),
        ("authcommunity read c default system", &["access = \"read\"\nview = [\"1.3.6.1.2.1.1\"]"], &[]),
        ("authcommunity log,execute,net public", &["community = []"], &["snmptrapd"]),
        ("rocommunity", &["community = []"], &["names no community"]),
        (
            "rocommunity public default .1.3 lab\nproxy -Cn lab -v 2c -c x 192.0.2.1 .1.3",
            &["context = \"lab\""],
            &[],
        ),
        ("rocommunity public default .1.3.nosuch", &["community = []"], &["nosuch"]),
    ]);
}

#[test]
fn vacm() {
    let com2sec = "com2sec ro default public\ngroup G v1 ro\ngroup G v2c ro\nview all included .1\n";
    let one = |rest: &str, fragment: &str| {
        let (imported, _) = imported_from(&format!("{com2sec}{rest}\n"));
        let toml = plain(&imported.toml);
        assert!(toml.contains(fragment), "{rest:?} lacks {fragment:?} in\n{toml}");
        assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    };
    one(
        "access G \"\" any noauth exact all none none",
        "[[snmp.community]]\nname = \"public\"\nrole = \"G\"\nsources = [\"0.0.0.0/0\"]\n[[role]]\nname = \"G\"\n[[role.access]]\nread = \"all\"\n[[view]]",
    );
    one(
        "access G \"\" any noauth prefix all all all",
        "[[role.access]]\ncontext = \"*\"\nread = \"all\"\nwrite = \"all\"\nnotify = \"all\"\n",
    );
    one("access G \"\" v2c noauth exact all none none", "[[role.access]]\nmodel = \"v2c\"\nread = \"all\"\n");
    one(
        "setaccess G \"\" any noauth exact all read,write",
        "[[role.access]]\nread = \"all\"\nwrite = \"all\"\n",
    );
    one("authgroup read -s any G noauth", "[[role.access]]\ncontext = \"*\"\nread = [\"0\", \"1\", \"2\"]\n");
    one("authaccess read,notify -s any G all noauth", "[[role.access]]\nread = \"all\"\nnotify = \"all\"\n");
    check(&[
        (
            "com2sec -Cn lab ro 10.0.0.0/8 public\ngroup G v2c ro\nview all included .1\naccess G lab any noauth exact all none none",
            &[
                "name = \"public\"\nrole = \"ro\"\ncontext = \"lab\"\nsources = [\"10.0.0.0/8\"]",
                "[[role]]\nname = \"ro\"\n[[role.access]]\ncontext = \"lab\"\nmodel = \"v2c\"\nread = \"all\"",
            ],
            &["in the context"],
        ),
        (
            "com2sec s !10.10.10.0/24 c\ncom2sec s 10.0.0.0/8 c\ngroup G v1 s\ngroup G v2c s\nview all included .1\naccess G \"\" any noauth exact all none none",
            &["sources = [\"!10.10.10.0/24\", \"10.0.0.0/8\"]"],
            &[],
        ),
        (
            "com2sec6 s default c\ngroup A v1 s\ngroup B v2c s\nview all included .1\nview sys included system\naccess A \"\" any noauth exact sys none none\naccess B \"\" any noauth exact all none none",
            &[
                "role = \"s\"\nsources = [\"::/0\"]",
                "name = \"s\"\n[[role.access]]\nmodel = \"v1\"\nread = \"sys\"\n[[role.access]]\nmodel = \"v2c\"\nread = \"all\"",
            ],
            &[],
        ),
        ("com2sec s default c", &["community = []"], &["no group"]),
        (
            "com2sec s default c\ngroup G v2c s\nview all included .1\naccess G \"\" any auth exact all none none",
            &["community = []"],
            &["without authentication"],
        ),
        ("com2secunix s /run/x c", &["community = []"], &["Unix"]),
        ("com2sec s", &[], &["SECNAME SOURCE COMMUNITY"]),
        ("group G tsm s", &[], &["not yet supported"]),
        ("view v included .1.3.6.1.2.1.2.2.1.0.4 0xff:a0", &["rules = [\"1.3.6.1.2.1.2.2.1.*.4\"]"], &[]),
        (
            "view v included .1.3 f0\nview v excluded .1.3.6.1.6\nview v included .1.3",
            &["rules = [\"-1.3.6.1.6\", \"1.3\"]"],
            &[],
        ),
        ("view v included .iso.org.dod.internet.mgmt  0xf0", &["rules = [\"1.3.6.1.*\"]"], &[]),
        ("view v perhaps .1", &[], &["included"]),
        ("view v included .1 zz", &[], &["mask"]),
        (
            "com2sec s default c\ngroup G v1 s\ngroup G v2c s\nview a included .1.3\nview b included .1.2\naccess G \"\" any noauth exact a none none\naccess G \"\" any auth exact b none none",
            &[
                "separate = true\n[[role.access]]\nread = \"a\"\n[[role.access]]\nlevel = \"authNoPriv\"\nread = \"b\"",
            ],
            &[],
        ),
        ("vacmView 1 2 3", &[], &["manager"]),
    ]);
}

#[test]
fn users() {
    check(&[
        (
            "createUser ann SHA-256 \"maple syrup\" AES\nrouser ann",
            &[
                "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npassword = \"maple syrup\"\npriv = \"AES\"\nrole = \"ann\"",
                "[[role]]\nname = \"ann\"\n[[role.access]]\nlevel = \"authNoPriv\"\ncontext = \"*\"\nmodel = \"usm\"\nread = [\"0\", \"1\", \"2\"]\nnotify = [\"0\", \"1\", \"2\"]",
            ],
            &[],
        ),
        (
            "createUser ann MD5 firstpass DES secondpass\nrwuser ann priv .1.3.6.1.2.1",
            &[
                "auth = \"MD5\"\nauth-password = \"firstpass\"\npriv = \"DES\"\npriv-password = \"secondpass\"",
                "level = \"authPriv\"\ncontext = \"*\"\nmodel = \"usm\"\nread = [\"1.3.6.1.2.1\"]\nwrite = [\"1.3.6.1.2.1\"]",
            ],
            &[],
        ),
        (
            "createUser ann SHA maplesyrup\nrouser ann auth -V sys ctx\nview sys included system",
            &["context = \"ctx\"\nmodel = \"usm\"\nread = \"sys\""],
            &["in the context"],
        ),
        (
            "createUser ann\nrouser ann noauth",
            &["name = \"ann\"\nrole = \"ann\"", "[[role.access]]\ncontext = \"*\""],
            &[],
        ),
        ("createUser ann\nrouser ann", &["[[snmp.user]]\nname = \"ann\"\n"], &["keys of ann allow less"]),
        ("createUser ann SHA short", &[], &["8 octets"]),
        ("createUser ann ROT13 maplesyrup", &[], &["ROT13"]),
        (
            "createUser ann SHA -m 0x0001020304050607080900010203040506070809 AES -m 0x0001020304050607080900010203040506070809",
            &[
                "auth-master-key = \"0x0001020304050607080900010203040506070809\"\npriv = \"AES\"\npriv-master-key = \"0x0001020304050607080900010203040506070809\"",
            ],
            &[],
        ),
        (
            "createUser -e 0x80001f8880aabbccdd ann SHA -l 0x0001020304050607080900010203040506070809 AES -l 0x00010203040506070809000102030405",
            &[
                "engine-id = \"0x80001f8880aabbccdd\"",
                "auth-key = \"0x0001020304050607080900010203040506070809\"\npriv = \"AES\"\npriv-key = \"0x00010203040506070809000102030405\"",
            ],
            &[],
        ),
        ("createUser ann SHA maplesyrup\ncreateUser ann MD5 maplesyrup", &["auth = \"MD5\""], &[]),
        ("rouser ann authpriv", &[], &["made nowhere"]),
        (
            "createUser ann SHA maplesyrup\ngroup G usm ann\naccess G \"\" usm auth exact sys none none\nview sys included system",
            &[
                "role = \"G\"",
                "[[role]]\nname = \"G\"\n[[role.access]]\nlevel = \"authNoPriv\"\nmodel = \"usm\"\nread = \"sys\"",
            ],
            &[],
        ),
        (
            "createUser ann SHA maplesyrup\ngroup G usm ann\naccess G \"\" usm priv exact sys none none\nview sys included system",
            &["auth-password"],
            &["the level that ann reaches"],
        ),
        (
            "createUser ann SHA maplesyrup\nauthuser read,write ann noauth\n",
            &["read = [\"0\", \"1\", \"2\"]\nwrite = [\"0\", \"1\", \"2\"]"],
            &[],
        ),
        ("createUser ann SHA maplesyrup\nrouser -s tsm ann", &[], &["not yet supported"]),
        (
            "usmUser 1 3 0x80001f8880aabbccdd \"ann\" \"ann\" NULL .1.3.6.1.6.3.10.1.1.3 0x0001020304050607080900010203040506070809 .1.3.6.1.6.3.10.1.2.4 0x0001020304050607080900010203040506070809 \"\"\noldEngineID 0x80001f8880aabbccdd\nrouser ann",
            &[
                "engine-id = \"0x80001f8880aabbccdd\"",
                "auth = \"SHA\"\nauth-key = \"0x0001020304050607080900010203040506070809\"\npriv = \"AES\"\npriv-key = \"0x0001020304050607080900010203040506070809\"\nrole = \"ann\"",
            ],
            &[],
        ),
        (
            "usmUser 1 3 0x80001f8880aabbccdd 0x616e6e00 0x616e6e00 NULL .1.3.6.1.6.3.10.1.1.1 0x .1.3.6.1.6.3.10.1.2.1 0x 0x00",
            &["name = \"ann\""],
            &[],
        ),
        (
            "exactEngineID 0x80001f8880ffffffff\nusmUser 1 3 0x80001f8880aabbccdd \"ann\" \"ann\" NULL .1.3.6.1.6.3.10.1.1.3 0x0001020304050607080900010203040506070809 .1.3.6.1.6.3.10.1.2.1 \"\" \"\"",
            &["engine-id = \"0x80001f8880ffffffff\""],
            &["another engine ID"],
        ),
    ]);
}

/// What snmpd 5.9.3 has written when it ended, of `createUser` lines that are still there.
#[test]
fn the_persistent_file_says_the_same_of_a_user_or_something_new() {
    let created =
        "createUser ann SHA-256 maplesyrup AES\ncreateUser \"bob jones\" MD5 maplesyrup DES privsyrup\n";
    let engine = "usmUser 1 3 0x80001f888001045f21fc4a026b00000000";
    let ann = format!(
        "{engine} \"ann\" \"ann\" NULL .1.3.6.1.6.3.10.1.1.5 0x1347760267e16f5845a68d5efc9c22d12e2ddec7b1262fa7d9b3c10028302036 .1.3.6.1.6.3.10.1.2.4 0x1347760267e16f5845a68d5efc9c22d1 \"\"\n"
    );
    let bob = format!(
        "{engine} \"bob jones\" \"bob jones\" NULL .1.3.6.1.6.3.10.1.1.2 0xb1042ad22826641cb9b1f87c54e230b2 .1.3.6.1.6.3.10.1.2.2 0xa81cd3d00e6723ddde1064773d6a398c \"\"\n"
    );
    let (imported, _) = imported_from(&format!("{created}{ann}{bob}"));
    assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    let toml = plain(&imported.toml);
    assert!(toml.contains("name = \"ann\"\nauth = \"SHA-256\"\npassword = \"maplesyrup\"\n"), "{toml}");
    assert!(
        toml.contains("name = \"bob jones\"\nauth = \"MD5\"\nauth-password = \"maplesyrup\"\n"),
        "{toml}"
    );
    assert!(toml.contains("engine-id = \"0x80001f888001045f21fc4a026b00000000\""), "{toml}");
    // A key that a manager has changed since.
    let changed = ann.replace("0x13477602", "0x99999999");
    let (imported, plan) = imported_from(&format!("{created}{changed}{bob}"));
    assert!(
        plain(&imported.toml).contains("name = \"ann\"\nauth = \"SHA-256\"\nauth-key = \"0x9999999967e1")
    );
    assert!(!plan.snmp.users[0].is_portable());
}

#[test]
fn notifications() {
    check(&[
        (
            "trapsink nms.example",
            &[
                "[[snmp.target]]\nname = \"trapsink-1\"\naddress = \"udp://nms.example:162\"\nversion = \"v1\"\ncommunity = \"public\"",
            ],
            &[],
        ),
        (
            "trapcommunity secret\ntrap2sink 192.0.2.1\ntrap2sink 192.0.2.2 other 1162",
            &[
                "name = \"trap2sink-1\"\naddress = \"udp://192.0.2.1:162\"\nversion = \"v2c\"\ncommunity = \"secret\"",
                "address = \"udp://192.0.2.2:1162\"\nversion = \"v2c\"\ncommunity = \"other\"",
            ],
            &[],
        ),
        (
            "informsink tcp:192.0.2.1:99 c",
            &[
                "address = \"tcp://192.0.2.1:99\"\nversion = \"v2c\"\ncommunity = \"c\"\nkind = \"inform\"\ntimeout = \"1000ms\"\nretries = 5",
            ],
            &[],
        ),
        (
            "trapsess -v 3 -u ann -l authPriv -a SHA -A maplesyrup -x AES -X otherpass 192.0.2.1",
            &[
                "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA\"\nauth-password = \"maplesyrup\"\npriv = \"AES\"\npriv-password = \"otherpass\"",
                "version = \"v3\"\nuser = \"ann\"\nlevel = \"authPriv\"",
            ],
            &[],
        ),
        (
            "createUser ann SHA maplesyrup AES\ntrapsess -Ci -v 3 -u ann -l authNoPriv -t 2 -r 1 udp6:[::1]:1162",
            &[
                "address = \"udp://[::1]:1162\"\nversion = \"v3\"\nuser = \"ann\"\nlevel = \"authNoPriv\"\nkind = \"inform\"\ntimeout = \"2000ms\"\nretries = 1",
            ],
            &[],
        ),
        ("createUser ann SHA maplesyrup\ntrapsess -v 3 -u ann -l authPriv h", &[], &["more than the keys"]),
        (
            "createUser ann SHA maplesyrup\ntrapsess -v 3 -u ann -l authNoPriv -a SHA -A otherpass h",
            &["auth-password = \"maplesyrup\""],
            &["other keys"],
        ),
        ("trapsess -v 3 -u amy h", &["[[snmp.user]]\nname = \"amy\"\n"], &[]),
        ("trapsess -v 3 h", &[], &["no user"]),
        (
            "trapsess -v 2c -c public -n ctx h:99",
            &["address = \"udp://h:99\"\nversion = \"v2c\"\ncommunity = \"public\"\ncontext = \"ctx\""],
            &[],
        ),
        ("trapsess -v 1 -Ci -c p h", &[], &["no informs"]),
        ("trapsink dtlsudp:h", &[], &["dtlsudp"]),
        (
            "notificationFilter p .1.3 0x00 included\nnotificationFilter p .1.3.6.1.6.3.1.1.5.1 0x00 excluded\ntrapsink -profile p -name nms 192.0.2.1 c",
            &["name = \"nms\"", "filter = [\"1.3\", \"-1.3.6.1.6.3.1.1.5.1\"]"],
            &[],
        ),
        ("trapsink -profile q h", &["[[snmp.target]]"], &["no notificationFilter"]),
        ("authtrapenable 1", &["authentication-traps = true"], &[]),
        ("authtrapenable 2", &["authentication-traps = false"], &[]),
        ("authtrapenable 3", &[], &["expected 1"]),
        ("v1trapaddress 192.0.2.1", &[], &["agent-addr"]),
        ("linkUpDownNotifications yes", &[], &[]),
    ]);
}

#[test]
fn proxies() {
    check(&[
        (
            "proxy -v 2c -c public 192.0.2.1 .1.3.6.1.4.1.99",
            &[
                "[[proxy]]\naddress = \"udp://192.0.2.1:161\"\nversion = \"v2c\"\ncommunity = \"public\"\nsubtree = \"1.3.6.1.4.1.99\"",
            ],
            &[],
        ),
        (
            "proxy -v 1 -c public -t 3 -r 2 tcp:h:1161 .1.3.6.1.4.1.99 .1.3.6.1.4.1.98",
            &[
                "address = \"tcp://h:1161\"\nversion = \"v1\"",
                "subtree = \"1.3.6.1.4.1.99\"\nremote-subtree = \"1.3.6.1.4.1.98\"\ntimeout = \"3000ms\"\nretries = 2",
            ],
            &[],
        ),
        (
            "proxy -Cn lab1 -v 2c -c public 192.0.2.1 .1.3",
            &["community = \"public\"\ncontext = \"lab1\""],
            &[],
        ),
        (
            "proxy -Cn lab1 -v 3 -u ann -l authNoPriv -a SHA -A maplesyrup -n there 192.0.2.1 system",
            &[
                "user = \"ann\"\nlevel = \"authNoPriv\"\nsubtree = \"1.3.6.1.2.1.1\"\ncontext = \"lab1\"\nremote-context = \"there\"",
            ],
            &[],
        ),
        (
            "proxy -v 2c -c a h .1.3.6.1.4.1.99\nproxy -v 2c -c b h .1.3.6.1.4.1.99",
            &["community = \"a\""],
            &["stands before it"],
        ),
        ("proxy -v 2c -c a h", &[], &["HOST OID"]),
        ("proxy -v 2c h .1.3", &[], &["no community"]),
    ]);
}

#[test]
fn programs_and_what_is_watched() {
    check(&[
        (
            "extend date /bin/date -u '+%s %N'",
            &["[[extend]]\nname = \"date\"\ncommand = [\"/bin/date\", \"-u\", \"+%s %N\"]"],
            &[],
        ),
        (
            "extend -cacheTime 30 -execType sh .1.3.6.1.4.1.99 users who | wc -l",
            &[
                "name = \"users\"\ncommand = [\"who | wc -l\"]\nshell = true\ncache = \"30s\"\noid = \"1.3.6.1.4.1.99\"",
            ],
            &[],
        ),
        ("extend date date", &[], &["full path"]),
        ("extend a /bin/a\nextend a /bin/b", &["\"/bin/a\""], &["counts"]),
        ("extend", &[], &["no program"]),
        ("extendfix a /bin/a", &[], &["not supported"]),
        (
            "exec echotest /bin/echo hello world\nexecfix echotest /bin/true",
            &[
                "[[exec]]\nname = \"echotest\"\ncommand = [\"/bin/echo\", \"hello\", \"world\"]\nfix = [\"/bin/true\"]",
            ],
            &[],
        ),
        (
            "sh uptime uptime | cut -c1-5",
            &["name = \"uptime\"\ncommand = [\"uptime | cut -c1-5\"]\nshell = true"],
            &[],
        ),
        ("exec .1.3.6.1.4.1.2021.50 shelltest /bin/sh /tmp/x", &["name = \"shelltest\""], &["extTable"]),
        ("execfix a /bin/a", &[], &["no exec"]),
        (
            "pass .1.3.6.1.4.1.8072.2.255 /bin/sh /usr/local/bin/passtest",
            &[
                "[[pass]]\noid = \"1.3.6.1.4.1.8072.2.255\"\ncommand = [\"/bin/sh\", \"/usr/local/bin/passtest\"]",
            ],
            &[],
        ),
        (
            "pass_persist -p 10 .1.3.6.1.4.1.8072.2.255 /usr/bin/perl /x",
            &["persistent = true\npriority = 10"],
            &[],
        ),
        ("pass .1.3.6.1.4.1.99 relative", &[], &["full path"]),
        (
            "proc sshd\nproc httpd 10 2\nproc cron 0 1\nproc nobody 0 0\nproc most 5",
            &[
                "name = \"sshd\"\n[[process]]",
                "name = \"httpd\"\nmin = 2\nmax = 10",
                "name = \"cron\"\nmin = 1\n",
                "name = \"nobody\"\nmin = 0\nmax = 0",
                "name = \"most\"\nmax = 5",
            ],
            &[],
        ),
        (
            "proc httpd\nprocfix httpd /bin/systemctl restart httpd",
            &["fix = [\"/bin/systemctl\", \"restart\", \"httpd\"]"],
            &[],
        ),
        ("procfix x /bin/y", &[], &["no proc"]),
        (
            "disk / 10000\ndisk /var 5%\ndisk /home\nincludeAllDisks 10%",
            &[
                "path = \"/\"\nminimum = 10000",
                "path = \"/var\"\nminimum = \"5%\"",
                "path = \"/home\"\n[[disk]]",
                "path = \"*\"\nminimum = \"10%\"",
            ],
            &[],
        ),
        ("disk / much", &[], &["10%"]),
        ("load 12 10 5", &["[load]\nmax-1 = 12\nmax-5 = 10\nmax-15 = 5"], &[]),
        ("load 12.5", &["max-1 = 12.5"], &[]),
        ("load much", &[], &["much"]),
    ]);
}

#[test]
fn monitors() {
    check(&[
        (
            "monitor -r 60 -I \"high load\" 1.3.6.1.4.1.2021.10.1.5.1 > 400",
            &[
                "[[monitor]]\nname = \"high load\"\nexpression = \"1.3.6.1.4.1.2021.10.1.5.1\"\nevery = \"60s\"\nabove = 400",
            ],
            &[],
        ),
        (
            "monitor -o sysName mem memAvailReal <= 100",
            &[
                "expression = \"1.3.6.1.4.1.2021.4.6.0\"\nevery = \"600s\"\nbelow = 101\nsend = [\"1.3.6.1.2.1.1.5.0\"]",
            ],
            &[],
        ),
        (
            "monitor a memSwapError != 0\nmonitor b memSwapError == 1\nmonitor c memSwapError != -2",
            &[
                "expression = \"1.3.6.1.4.1.2021.4.100.0 * 1.3.6.1.4.1.2021.4.100.0\"\nevery = \"600s\"\nabove = 0",
                "expression = \"(1.3.6.1.4.1.2021.4.100.0 - 1) * (1.3.6.1.4.1.2021.4.100.0 - 1)\"\nevery = \"600s\"\nbelow = 1",
                "(1.3.6.1.4.1.2021.4.100.0 + 2)",
            ],
            &[],
        ),
        (
            "monitor -D -r 2m t memAvailReal 10 20",
            &[
                "name = \"t 1\"\nexpression = \"delta(1.3.6.1.4.1.2021.4.6.0)\"\nevery = \"120s\"\nabove = 19\nclear = 10",
                "name = \"t 2\"",
                "below = 11\nclear = 20",
            ],
            &[],
        ),
        (
            "proc a\nproc b\nmonitor -o prNames p prErrorFlag != 0",
            &[
                "name = \"p 2\"\nexpression = \"1.3.6.1.4.1.2021.2.1.100.2 * 1.3.6.1.4.1.2021.2.1.100.2\"",
                "send = [\"1.3.6.1.4.1.2021.2.1.2.2\"]",
            ],
            &[],
        ),
        ("monitor i ifOperStatus != 2", &[], &["every row"]),
        ("monitor i ! ifOperStatus\nmonitor j ifOperStatus", &[], &["existence", "existence"]),
        (
            "notificationEvent e .1.3.6.1.4.1.99.0.1 -i sysName.0\nmonitor -I -e e n 1.3.6.1.4.1.99.1.0 > 5",
            &["notification = \"1.3.6.1.4.1.99.0.1\"\nsend = [\"1.3.6.1.2.1.1.5.0\"]"],
            &[],
        ),
        (
            "setEvent s x.0 = 1\nmonitor -I -e s n 1.3.6.1.4.1.99.1.0 > 5",
            &[],
            &["set nothing", "sets something"],
        ),
        ("monitor -I -e gone n 1.3.6.1.4.1.99.1.0 > 5", &[], &["defined nowhere"]),
        (
            "createUser i SHA maplesyrup\niquerySecName i\ndefaultMonitors yes\nload 5\nproc sshd\ndisk / 5%",
            &["name = \"process table\"", "name = \"memory\"", "name = \"dskTable\"", "name = \"laTable 3\""],
            &[],
        ),
    ]);
}

#[test]
fn what_the_old_file_holds_steers_nothing() {
    let (imported, _) = imported_from("[a\u{b}\u{1b}[2J] x\n\u{1b}[31mbad 1\n");
    assert!(!imported.toml.contains('\u{1b}') && !imported.toml.contains('\u{b}'));
    assert!(imported.notes.iter().all(|note| !note.to_string().contains('\u{1b}')));
}

#[test]
fn files_include_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("d")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    write(
        "snmpd.conf",
        &format!("includeFile more.conf\nincludeDir {}\nincludeFile gone.conf\n# end\n", path("d").display()),
    );
    write("more.conf", "sysName more\nincludeFile snmpd.conf\n");
    write("d/b.conf", "sysContact b\n");
    write("d/a.conf", "sysContact a\n");
    write("d/c.txt", "sysContact c\n");
    let imported = import(&[path("snmpd.conf")], &surroundings()).unwrap();
    let plan = config::parse(Path::new("t"), &imported.toml).unwrap();
    assert_eq!(plan.system.name.as_deref(), Some("more"));
    assert_eq!(plan.system.contact.as_deref(), Some("b"));
    assert!(imported.notes.iter().any(|note| note.why.contains("gone.conf")));
    assert!(imported.notes.iter().any(|note| note.why.contains("deep")), "a circle has an end");
    assert!(imported.toml.contains(&format!("{}:1", path("more.conf").display())));

    let error = import(&[PathBuf::from("/no/such/file")], &surroundings()).unwrap_err();
    assert!(error.to_string().contains("/no/such/file"), "{error}");
}

#[test]
fn the_command_line_counts_after_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, "agentAddress 161\nsysName file\n").unwrap();
    let surroundings = Surroundings {
        extra: vec![("sysName".into(), "line".into())],
        listen: vec!["udp:127.0.0.1:1161".into()],
        ..surroundings()
    };
    let imported = import(&[file], &surroundings).unwrap();
    let plan = config::parse(Path::new("t"), &imported.toml).unwrap();
    assert_eq!(plan.system.name.as_deref(), Some("line"));
    assert_eq!(
        plan.snmp.listen.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["udp://127.0.0.1:1161"]
    );
}

/// What a large configuration allows, asked of the policy that comes out.
#[test]
fn a_realistic_file_keeps_its_meaning() {
    let text = include_str!("data/import/snmpd.conf");
    let (imported, plan) = imported_from(text);
    let policy = plan.access().compile().unwrap();
    let allowed = |user: &str, level, context: &str, view, name: &str| {
        let name: trunkline_smi::Oid = name.parse().unwrap();
        policy
            .is_access_allowed(SecurityModel::USM, user.as_bytes(), level, context.as_bytes(), view, &name)
            .is_ok()
    };
    use SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
    let descr = "1.3.6.1.2.1.1.1.0";
    assert!(allowed("reader", AuthNoPriv, "", ViewType::Read, descr));
    assert!(!allowed("reader", NoAuthNoPriv, "", ViewType::Read, descr));
    assert!(!allowed("reader", AuthPriv, "", ViewType::Write, "1.3.6.1.2.1.1.4.0"));
    assert!(allowed("admin", AuthPriv, "", ViewType::Write, "1.3.6.1.2.1.1.4.0"));
    assert!(!allowed("admin", AuthNoPriv, "", ViewType::Read, descr));
    assert!(allowed("operator", AuthPriv, "", ViewType::Read, "1.3.6.1.2.1.2.2.1.10.2"));
    assert!(!allowed("operator", AuthPriv, "", ViewType::Read, "1.3.6.1.2.1.2.2.1.10.3"));
    assert_eq!(plan.snmp.listen.len(), 3);
    assert_eq!(plan.snmp.communities.len(), 4);
    assert_eq!(plan.snmp.targets.len(), 3);
    assert_eq!((plan.extends.len(), plan.passes.len(), plan.proxies.len()), (2, 2, 2));
    assert_eq!((plan.processes.len(), plan.disks.len()), (2, 2));
    let notes: Vec<String> =
        imported.notes.iter().map(|note| format!("{} {}", note.origin.line, note.directive)).collect();
    let line = |words: &str| text.lines().position(|line| line.starts_with(words)).unwrap() + 1;
    assert_eq!(
        notes,
        [
            format!("{} master", line("master")),
            format!("{} swap", line("swap")),
            format!("{} dlmod", line("dlmod")),
        ]
    );
    // Each entry says from which line it is.
    let at = line("extend uptime");
    assert!(
        imported.toml.contains(&format!("snmpd.conf:{at} extend\n[[extend]]\nname = \"uptime\"")),
        "{}",
        imported.toml
    );
}

/// Directives with words that they may take or may not.
fn any_configuration() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = "agentAddress agentuser maxGetbulkResponses engineID exactEngineID oldEngineID sysLocation sysName \
        sysServices sysDescr override rocommunity rwcommunity rocommunity6 rwcommunity6 authcommunity com2sec com2sec6 group view \
        access setaccess rouser rwuser authuser authgroup authaccess createUser usmUser trapcommunity trapsink trap2sink informsink \
        trapsess notificationFilter proxy extend exec sh execfix pass pass_persist proc procfix disk includeAllDisks load monitor \
        notificationEvent setEvent defaultMonitors authtrapenable leave_pidfile includeFile"
        .split_whitespace()
        .collect();
    let words: Vec<&'static str> = "public ann G1 s1 v all sys any v1 v2c usm noauth auth priv exact prefix included excluded none \
        default localhost 10.0.0.0/8 !10.1.0.0/16 127.0.0.1 [::1] udp:161 tcp:1161 udp6:[::1]:161 unix:/x .1.3.6.1.2.1.1 .1.3 system \
        ifTable sysUpTime.0 laErrorFlag memAvailReal -V -Cn -Ci -v 1 2c 3 -c -u -l authPriv -a SHA MD5 SHA-256 -A maplesyrup -x AES DES \
        -X -e -m -n -r -t -I -D -o -p 0 2 5 100 10% 4294967296 -1 -5 != == >= <= > < ! 0x80001f8880aabbccdd 0xff:a0 ff \
        0x0001020304050607080900010203040506070809 0x00010203040506070809000102030405 \"\" \"a_b\" \"a b \\\" c\" 'x' # \\ ü /bin/date /var date yes \
        read read,write notify lab lab* * a-name-that-is-longer-than-any-role-or-user-may-have -profile -name -cacheTime -execType sh \
        .1.3.6.1.6.3.10.1.1.3 .1.3.6.1.6.3.10.1.2.4 [snmp] [snmpd]"
        .split_whitespace()
        .collect();
    let line = (sample::select(names), collection::vec(sample::select(words), 0..10));
    let line = line.prop_map(|(name, words)| format!("{name} {}", words.join(" ")));
    collection::vec(prop_oneof![1 => line, 3 => any_sensible_line()], 0..40)
        .prop_map(|lines| lines.join("\n"))
}

/// Lines as people write them; each letter behind `%` is one of a kind of words.
const FORMS: &[&str] = &[
    "rocommunity %n %s %v",
    "rwcommunity6 %n default %v",
    "authcommunity read,write %n %s %v",
    "com2sec %n %s %n",
    "com2sec -Cn %c %n !10.0.0.0/8 %n",
    "com2sec6 %n default %n",
    "group %n %m %n",
    "view %n included %o",
    "view %n excluded %o ff:a0",
    "access %n %c %m %l exact %n %n none",
    "access %n %c %m %l prefix %n none %n",
    "setaccess %n %c %m %l exact %n read,write",
    "authgroup read -s %m %n %l %v",
    "authaccess read -s %m %n %n %l %c",
    "createUser %n",
    "createUser %n %a maplesyrup",
    "createUser %n %a maplesyrup %p privsyrup",
    "createUser %n SHA -m 0x0001020304050607080900010203040506070809 %p maplesyrup",
    "createUser -e 0x80001f8880aabbccdd %n SHA -l 0x0001020304050607080900010203040506070809",
    "usmUser 1 3 0x80001f8880aabbccdd \"%n\" \"%n\" NULL .1.3.6.1.6.3.10.1.1.3 0x0001020304050607080900010203040506070809 .1.3.6.1.6.3.10.1.2.1 \"\" \"\"",
    "exactEngineID 0x80001f8880aabbccdd",
    "rouser %n %l %v",
    "rwuser %n",
    "authuser read,write %n %l %v",
    "trapsess -v 3 -u %n -l authPriv -a %a -A maplesyrup -x %p -X privsyrup 192.0.2.1",
    "trapsess -Ci -v 3 -u %n -l authNoPriv -n %c h",
    "trapsess -Ci -v 2c -c %n -t 0 -r 999 h:99",
    "trapsink -profile %n -name %n h %n",
    "notificationFilter %n %o 0x00 included",
    "notificationFilter %n %o ff:a0 excluded",
    "proxy -Cn %c -v 2c -c %n h %o",
    "proxy -v 3 -u %n -l authNoPriv h %o %o",
    "extend %n /bin/echo %n",
    "extend -cacheTime 99999999999 %o %n /bin/echo",
    "exec %n /bin/echo",
    "pass -p 5 %o /bin/x",
    "proc %n 5 2",
    "disk /%n 10%",
    "monitor -I %n %o > 5",
    "monitor -D %n %o -5 5 1 2",
    "monitor -e %n -o sysName %n prErrorFlag != 0",
    "notificationEvent %n %o",
    "defaultMonitors yes",
];

fn any_sensible_line() -> impl Strategy<Value = String> {
    let kinds: [(&str, &[&str]); 9] = [
        ("%n", &["public", "ann", "bob", "G", "sys", "all", "none", "a-long-name-of-more-than-25", "_all_"]),
        ("%s", &["default", "localhost", "10.0.0.0/8", "!127.0.0.1", "nowhere.example"]),
        ("%v", &["", ".1.3.6.1.2.1", "-V sys", "-V sys lab", "-V all *", "-V gone", ".1.3 lab*"]),
        ("%c", &["\"\"", "lab", "lab*", "other", "a-context-that-is-longer-than-all-contexts"]),
        ("%m", &["any", "v1", "v2c", "usm"]),
        ("%l", &["noauth", "auth", "priv"]),
        ("%o", &[".1", ".1.3", ".1.3.6.1.2.1.1", "system", ".1.3.6.1.4.1.99.1.0", ".1.3.6.1.2.1.2.2.1.0.4"]),
        ("%a", &["MD5", "SHA", "SHA-512"]),
        ("%p", &["DES", "AES", "AES-256"]),
    ];
    (sample::select(FORMS), collection::vec(any::<sample::Index>(), 16)).prop_map(move |(form, choices)| {
        let mut choices = choices.iter();
        let mut line = form.to_string();
        while let Some((mark, words)) = kinds.iter().find(|(mark, _)| line.contains(mark)) {
            let word = choices.next().map_or("", |choice| words[choice.index(words.len())]);
            line = line.replacen(mark, word, 1);
        }
        line
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands in the old file, our own check takes what comes out.
    #[test]
    fn what_comes_out_is_always_a_configuration(text in any_configuration()) {
        let imported = import_text("snmpd.conf", &text, &surroundings());
        let plan = config::parse(Path::new("imported.toml"), &imported.toml);
        prop_assert!(plan.is_ok(), "{}\nfrom\n{text}\ncame\n{}", plan.unwrap_err(), imported.toml);
        // And the whole of it is an agent's policy.
        prop_assert!(trunkline_agent::access::policy(&plan.unwrap()).is_ok());
    }

    /// Any text at all is read to its end.
    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        let imported = import_text("snmpd.conf", &text, &surroundings());
        prop_assert!(config::parse(Path::new("imported.toml"), &imported.toml).is_ok());
    }
}
