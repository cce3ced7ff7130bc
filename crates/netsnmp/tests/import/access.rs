//! Access: the system group, communities, VACM's directives and users.

use super::{check, imported_from, plain};

/// The first address is part of a later one, the last of an earlier one.
const PARTS: &str =
    "agentAddress udp6:[::1]:161,udp:161\nagentAddress udp6:161,tcp6:[::1]:161\nagentAddress 127.0.0.1";

#[test]
fn addresses_contained_in_others_are_reported() {
    let (imported, _) = imported_from(PARTS);
    for part in
        ["udp://[::1]:161 is part of udp://[::]:161", "udp://127.0.0.1:161 is part of udp://0.0.0.0:161"]
    {
        assert!(imported.toml.contains(part), "{}", imported.toml);
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
        (
            PARTS,
            &["listen = [\n    \"udp://0.0.0.0:161\",\n    \"udp://[::]:161\",\n    \"tcp://[::1]:161\",\n]"],
            &[],
        ),
        ("agentAddress localhost:1161", &["\"udp://127.0.0.1:1161\""], &[]),
        (
            "agentuser Debian-snmp\nagentgroup Debian-snmp",
            &["[agent]\nuser = \"Debian-snmp\""],
            &["counts where the agent is started as root"],
        ),
        ("agentuser root", &["[agent]\nuser = \"root\""], &["only where the agent is started as root"]),
        ("agentuser #104", &[], &["number"]),
        ("maxGetbulkResponses 200\nmaxGetbulkRepeats 10", &["max-bindings = 200"], &[]),
        ("maxGetbulkResponses -1", &[], &[]),
        ("engineID lab", &["engine-id = \"0x80001f88046c6162\""], &[]),
        ("exactEngineID 0x80001f8880aabbccdd", &["engine-id = \"0x80001f8880aabbccdd\""], &[]),
        ("oldEngineID 0x80001f8880aabbccdd\nengineBoots 7", &["engine-id = \"0x80001f8880aabbccdd\""], &[]),
        ("engineIDType 3\nengineIDNic eth0", &[], &["snmpEngineID.0", "snmpEngineID.0"]),
        // It counts until there is an engine ID.
        (
            "engineIDType 3\nexactEngineID 0x80001f8880aabbccdd",
            &["engine-id = \"0x80001f8880aabbccdd\""],
            &[],
        ),
        ("oldEngineID 0x80001f8880aabbccdd\nengineIDType 3\nengineIDNic eth0", &["engine-id = "], &[]),
        (
            "sysLocation Sitting on the Dock\nsysContact \"Me <me@example.org>\"\nsysName a # b",
            &[
                "location = \"Sitting on the Dock\"",
                "contact = \"\\\"Me <me@example.org>\\\"\"",
                "name = \"a # b\"",
            ],
            &["the quotes are a part"],
        ),
        ("syslocation one\nsyslocation two", &["location = \"two\""], &[]),
        ("sysServices 72\nsysDescr A machine", &["services = 72", "description = \"A machine\""], &[]),
        ("sysServices many", &[], &["many"]),
        ("sysObjectID .1.3.6.1.4.1.9", &[], &["cannot be configured"]),
        ("override sysDescr.0 octet_str \"my own\"", &["description = \"my own\""], &[]),
        ("override ifDescr.3 octet_str x", &[], &["pass program"]),
        ("psyslocation \"cellar\"", &[], &["a manager had set"]),
        ("leave_pidfile yes\ndontLogTCPWrappersConnects yes", &[], &[]),
        ("master agentx", &["[agentx]\nlisten = [\"unix:/var/agentx/master\"]"], &[]),
        (
            "agentXTimeout 5\nmaster all\nagentXSocket tcp:localhost:705,/run/a,tcp:1705,unix:/run/a,tcp6:[::1]\n\
             agentXPerms 0666 750 snmp frr\nagentXRetries 3\nagentXPingInterval 10",
            &[
                "listen = [\"tcp:127.0.0.1:705\", \"unix:/run/a\", \"tcp:0.0.0.0:1705\", \"tcp:[::1]:705\"]",
                "socket-mode = \"0666\"",
                "directory-mode = \"0750\"",
                "socket-user = \"snmp\"",
                "socket-group = \"frr\"",
                "timeout = \"5s\"",
            ],
            &["started as root", "groups of its user"],
        ),
        (
            "master agentx\nagentXSocket localhost\nagentXTimeout 10m",
            &["[\"tcp:127.0.0.1:705\"]", "\"255s\""],
            &[],
        ),
        ("agentXSocket /run/a\nagentXPerms 0777", &[], &[]),
        ("master agentx\nmaster off", &[], &[]),
        (
            "master smux\nmaster agentx\nagentXSocket udp:705,run/a\nagentXTimeout soon\nagentXPerms 0999",
            &["[\"unix:/var/agentx/master\"]"],
            &["only agentx", "unix: and tcp:", "\"run/a\"", "\"soon\" is not a time", "octal"],
        ),
        ("master agentx\nagentXPerms 0660 0755 106 frr", &["socket-mode = \"0660\""], &["is a number"]),
        ("[snmp] persistentDir /x\n[snmp]\nmibs :\n[snmpd]\nsysName n", &["name = \"n\""], &[]),
        (
            "[snmp] localCert abc\nnoSuchDirective 1",
            &[],
            &["no certificate \"abc\"", "not a known directive"],
        ),
        (
            "smuxpeer .1.3 x\ndlmod a /b.so\nperl x\nextendfix x\ninterface eth0 6 10",
            &[],
            &["SMUX", "pass_persist", "pass_persist", "have a fix", "kernel"],
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
            &["takes precedence"],
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
        (
            "group G tsm s\naccess G \"\" tsm authPriv exact all none none\nview all included .1",
            &["[[snmp.principal]]\nname = \"s\"\nrole = \"G\"", "model = \"tsm\""],
            &[],
        ),
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
            &["ann has no access, as in snmpd"],
        ),
        (
            "createUser -e 0x80001f8880aabbccdd ann SHA -l 0x0001020304050607080900010203040506070809 AES -l 0x00010203040506070809000102030405",
            &[
                "engine-id = \"0x80001f8880aabbccdd\"",
                "auth-key = \"0x0001020304050607080900010203040506070809\"\npriv = \"AES\"\npriv-key = \"0x00010203040506070809000102030405\"",
            ],
            &["has no access, as in snmpd"],
        ),
        (
            "createUser ann SHA maplesyrup\ncreateUser ann MD5 maplesyrup",
            &["auth = \"MD5\""],
            &["has no access, as in snmpd"],
        ),
        (
            "rwuser ann authpriv",
            &[
                "[[role]]\nname = \"ann\"\nmembers = [\"ann\"]\n[[role.access]]\nlevel = \"authPriv\"\ncontext = \"*\"",
            ],
            &["rwuser: the user ann is not created"],
        ),
        (
            "group G usm ann\ngroup G usm bob\ncreateUser bob SHA maplesyrup\naccess G \"\" usm auth exact sys none none\nview sys included system",
            &["name = \"G\"\nmembers = [\"ann\"]\n", "role = \"G\""],
            &["group: the user ann is not created"],
        ),
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
        // The user ann of USM has no access; the certificate's name has.
        (
            "createUser ann SHA maplesyrup\nrouser -s tsm ann\ntsmUseTransportPrefix yes",
            &[
                "[[snmp.principal]]\nname = \"ann\"\nrole = \"ann\"",
                "model = \"tsm\"",
                "name-prefixes = true",
            ],
            &["has no access, as in snmpd"],
        ),
        ("[snmp] localCert nowhere\n[snmpd] rocommunity x", &[], &["no certificate \"nowhere\""]),
        ("agentAddress dtlsudp:10161,udp:1161", &["udp://0.0.0.0:1161"], &["there is no certificate"]),
        ("certSecName 10 ab:cd --sn joe", &[], &["no certificate \"ab:cd\""]),
        ("certSecName 10", &[], &["PRIORITY FINGERPRINT"]),
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
            &["has no access, as in snmpd"],
        ),
        (
            "exactEngineID 0x80001f8880ffffffff\nusmUser 1 3 0x80001f8880aabbccdd \"ann\" \"ann\" NULL .1.3.6.1.6.3.10.1.1.3 0x0001020304050607080900010203040506070809 .1.3.6.1.6.3.10.1.2.1 \"\" \"\"",
            &["engine-id = \"0x80001f8880ffffffff\""],
            &["another engine ID"],
        ),
    ]);
}

/// `createUser -e` is a user at another engine, which this agent does not become.
#[test]
fn a_user_at_another_engine_does_not_change_this_one() {
    let remote = "createUser -e 0x80001f8880aabbccdd11223344 far SHA-256 maplesyrup AES\n";
    let (imported, plan) = imported_from(&format!("{remote}createUser near SHA-256 maplesyrup AES\n"));
    assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    assert!(!imported.toml.contains("engine-id"), "{}", imported.toml);
    assert_eq!(plan.snmp.users.len(), 2);
    let kept = "oldEngineID 0x80001f8880bc0bba77e2d86a6700000000\n";
    let (imported, _) = imported_from(&format!("{remote}{kept}"));
    assert!(
        imported.toml.contains("engine-id = \"0x80001f8880bc0bba77e2d86a6700000000\""),
        "{}",
        imported.toml
    );
    // With access it would be a user of this agent, which it is not with snmpd: --strict refuses that.
    let noted = |text: &str| {
        let (imported, plan) = imported_from(text);
        let lost: Vec<String> = imported.notes.iter().map(|note| note.why.clone()).collect();
        let remarks: Vec<String> = imported.remarks.iter().map(|note| note.why.clone()).collect();
        (lost, remarks, plan)
    };
    let (lost, remarks, _) = noted(remote);
    assert!(
        lost.is_empty() && remarks[0].contains("a user of the engine 0x80001f8880aabbccdd11223344 alone")
    );
    let (lost, _, plan) = noted(&format!("{remote}rouser far\n"));
    assert!(lost[0].contains("remove its role in [[snmp.user]]") && plan.snmp.users.len() == 1, "{lost:?}");
    // The same name here and there: one user if the passwords are the same.
    let here = remote.replace("-e 0x80001f8880aabbccdd11223344 ", "");
    let (lost, _, plan) = noted(&format!("{remote}{here}rouser far\n"));
    assert!(lost.is_empty() && plan.snmp.users.len() == 1, "{lost:?}");
    let (lost, _, plan) = noted(&format!("{here}{}rouser far\n", remote.replace("maple", "other")));
    assert!(lost[0].contains("other keys at") && plan.snmp.users.len() == 1, "{lost:?}");
    // This agent's own engine.
    let own = format!("exactEngineID 0x80001f8880aabbccdd11223344\n{remote}rouser far\n");
    assert!(noted(&own).0.is_empty());
    // Keys of the persistent file: those of the other engine are of no use, those of this one are kept.
    let row = |engine: &str, key: &str| {
        format!(
            "usmUser 1 3 {engine} \"ann\" \"ann\" NULL .1.3.6.1.6.3.10.1.1.3 0x{key} .1.3.6.1.6.3.10.1.2.1 \"\" \"\"\n"
        )
    };
    let (own, other) =
        ("0001020304050607080900010203040506070809", "1111111111111111111111111111111111111111");
    let far = row("0x80001f8880aabbccdd11223344", other);
    let (imported, plan) =
        imported_from(&format!("{far}{}{kept}", row("0x80001f8880bc0bba77e2d86a6700000000", own)));
    assert_eq!(plan.snmp.users.len(), 1);
    assert!(imported.toml.contains(&format!("auth-key = \"0x{own}\"")), "{}", imported.toml);
    assert!(imported.notes.iter().any(|note| note.why.contains("another engine ID")), "{:?}", imported.notes);
}

/// What snmpd 5.9.3 has written when it ended, of `createUser` lines that are still there.
#[test]
fn a_user_in_the_persistent_file_is_a_duplicate_or_new() {
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
fn what_is_for_subagents_is_not_lost() {
    let (imported, plan) =
        imported_from("agentXSocket /run/a\nagentXPerms 0777\nagentXRetries 3\nagentXPingInterval 10");
    assert_eq!(plan.agentx, None);
    for (line, words) in [
        (1, "agentXSocket: there is not a line `master agentx`"),
        (2, "agentXPerms: there is not a line `master agentx`"),
        (3, "agentXRetries: a request to a subagent is not repeated"),
        (4, "agentXPingInterval: it is for subagents"),
    ] {
        assert!(imported.toml.contains(&format!("snmpd.conf:{line}: {words}")), "{}", imported.toml);
    }
    assert!(imported.notes.is_empty());
    let (_, plan) = imported_from("master agentx\nmaster off");
    assert_eq!(plan.agentx, None);
}
