//! Whole files: one as people have them, and any that could be.

use std::path::Path;

use proptest::{collection, prelude::*, sample};
use trunkline_netsnmp::import_text;
use trunkline_tree::policy::{Principal, SecurityLevel, SecurityModel, ViewType};

use super::{imported_from, surroundings};

/// What a large configuration allows, according to the resulting policy.
#[test]
fn a_realistic_file_keeps_its_meaning() {
    let text = include_str!("../data/import/snmpd.conf");
    let (imported, plan) = imported_from(text);
    let policy = plan.access().compile().unwrap();
    let allowed = |user: &str, level, context: &str, view, name: &str| {
        let name: trunkline_smi::Oid = name.parse().unwrap();
        policy
            .is_access_allowed(
                &Principal::new(SecurityModel::USM, user.as_bytes(), level),
                context.as_bytes(),
                view,
                &name,
            )
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
    assert_eq!(notes, [format!("{} dlmod", line("dlmod"))]);
    // Each entry says from which line it is.
    let at = line("extend uptime");
    assert!(
        imported.toml.contains(&format!("snmpd.conf:{at} extend\n[[extend]]\nname = \"uptime\"")),
        "{}",
        imported.toml
    );
}

/// Directives with valid and invalid arguments.
fn any_configuration() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = "agentAddress agentuser maxGetbulkResponses engineID exactEngineID oldEngineID sysLocation sysName \
        sysServices sysDescr override rocommunity rwcommunity rocommunity6 rwcommunity6 authcommunity com2sec com2sec6 group view \
        access setaccess rouser rwuser authuser authgroup authaccess createUser usmUser trapcommunity trapsink trap2sink informsink \
        trapsess notificationFilter proxy extend exec sh execfix pass pass_persist proc procfix disk includeAllDisks load diskio diskio_exclude_loop file logmatch swap monitor \
        notificationEvent setEvent defaultMonitors iquerySecName strictDisman authtrapenable leave_pidfile includeFile"
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

/// Lines as people write them; each letter after `%` stands for one of a kind of words.
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
    "monitor -S %n %o -5 5 1 2",
    "monitor -d %o -u %n -e %n %n %o >= -5",
    "monitor -r 5 -di %o %n ! %o",
    "monitor %n != %o",
    "setEvent %n %o = 5",
    "setEvent %n -I %o = 5",
    "notificationEvent %n linkUp -m -i %o",
    "iquerySecName %n",
    "strictDisman yes",
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

    /// Whatever the old file contains, our own check accepts the result.
    #[test]
    fn the_output_is_always_a_configuration(text in any_configuration()) {
        let imported = import_text("snmpd.conf", &text, &surroundings());
        let plan = trunkline_config::parse(Path::new("imported.toml"), &imported.toml);
        prop_assert!(plan.is_ok(), "{}\nfrom\n{text}\ncame\n{}", plan.unwrap_err(), imported.toml);
        // And the whole of it is an agent's policy.
        prop_assert!(trunkline_config::access::policy(&plan.unwrap()).is_ok());
    }

    /// Any text at all is read to its end.
    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        let imported = import_text("snmpd.conf", &text, &surroundings());
        prop_assert!(trunkline_config::parse(Path::new("imported.toml"), &imported.toml).is_ok());
    }
}
