//! SNMPv3 by all names: users, levels, protocols, and the messages for wrong ones.

use crate::pair::{Pair, snmpd};

const USERS: &str = "
createUser ann SHA-256 maplesyrup AES sugarmaple
createUser bob MD5 maplesyrup DES sugarmaple
createUser cat SHA-512 maplesyrup
createUser none
rwuser ann priv
rwuser bob auth
rouser cat auth
rwuser none noauth
";

const ANN: &str = "-v3 -u ann -l authPriv -a SHA-256 -A maplesyrup -x AES -X sugarmaple";

#[test]
fn every_tool_speaks_it() {
    let Some(agent) = snmpd(USERS) else { return };
    let lines = [
        format!("snmpget {ANN} @ 1.3.6.1.2.1.1.5.0"),
        format!("snmpgetnext {ANN} @ 1.3.6.1.2.1.1.5"),
        format!("snmpbulkget {ANN} -Cr3 @ 1.3.6.1.2.1.1.9.1.2"),
        format!("snmpwalk {ANN} @ 1.3.6.1.2.1.1.9"),
        format!("snmpbulkwalk {ANN} -Cp @ 1.3.6.1.2.1.1.9"),
        format!("snmpset {ANN} @ 1.3.6.1.2.1.1.4.0 s ann"),
    ];
    Pair::numbers(&agent.address).equal(&lines.each_ref().map(String::as_str));
    let table = format!("snmptable {ANN} -Ci @ sysORTable");
    Pair::names(&agent.address).equal(&[&table]);
}

#[test]
fn users_levels_and_protocols() {
    let Some(agent) = snmpd(USERS) else { return };
    let users = [
        ANN,
        "-v3 -u bob -l authNoPriv -A maplesyrup",
        "-v3 -u bob -l authPriv -A maplesyrup -X sugarmaple",
        "-v3 -u bob -l authPriv -a MD5 -x DES -A maplesyrup -X sugarmaple",
        "-v3 -u cat -l authNoPriv -a SHA-512 -A maplesyrup",
        "-v3 -u cat -l anp -a sha512 -A maplesyrup",
        "-v3 -u bob -l 2 -A maplesyrup",
        "-v3 -u bob -l authnopriv -A maplesyrup",
        "-v3 -u none",
        "-u none",
        "-v3 -u none -l noAuthNoPriv",
        "-v3 -u none -E 8000000001020304",
    ];
    for user in users {
        Pair::numbers(&agent.address).equal(&[&format!("snmpget {user} @ 1.3.6.1.2.1.1.5.0")]);
    }
}

#[test]
fn errors_have_the_same_text() {
    let Some(agent) = snmpd(USERS) else { return };
    let users = [
        "-v3",
        "-v3 -u ''",
        "-v3 -u nobody -l authNoPriv -a SHA-256 -A maplesyrup",
        "-v3 -u nobody",
        "-v3 -u ann -l authPriv -a SHA-256 -A wrongpassword -x AES -X sugarmaple",
        "-v3 -u ann -l authNoPriv -a SHA-256 -A maplesyrup",
        "-v3 -u none -l authNoPriv -a SHA-256 -A maplesyrup",
        "-v3 -u bob -l authNoPriv",
        "-v3 -u bob -l authPriv -A maplesyrup",
        "-v3 -u bob -l authNoPriv -A short",
        "-v3 -u bob -l authPriv -A maplesyrup -X short",
        "-v3 -u bob -l foo -A maplesyrup",
        "-v3 -u bob -l authNoPriv -a foo -A maplesyrup",
        "-v3 -u bob -l authPriv -A maplesyrup -x foo -X sugarmaple",
        "-v3 -u none -e 80",
        "-3z 00",
    ];
    for user in users {
        Pair::numbers(&agent.address).equal(&[
            &format!("snmpget {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.5.0"),
            &format!("snmpwalk {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.9"),
        ]);
    }
}

#[test]
fn users_come_from_snmp_conf() {
    let Some(agent) = snmpd(USERS) else { return };
    for text in [
        "defSecurityName ann\ndefSecurityLevel authPriv\ndefAuthType SHA-256\ndefAuthPassphrase maplesyrup\n\
         defPrivType AES\ndefPrivPassphrase sugarmaple",
        "defSecurityName cat\ndefSecurityLevel authNoPriv\ndefAuthType SHA-512\ndefPassphrase maplesyrup",
        "defSecurityName bob\ndefSecurityLevel authNoPriv\ndefPassphrase wrongpassword",
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("snmp.conf"), text).unwrap();
        let pair = Pair::numbers(&agent.address).with("SNMPCONFPATH", folder.path().to_str().unwrap());
        pair.equal(&["snmpget @ 1.3.6.1.2.1.1.5.0", "snmpget -u none -l noAuthNoPriv @ 1.3.6.1.2.1.1.5.0"]);
    }
}
