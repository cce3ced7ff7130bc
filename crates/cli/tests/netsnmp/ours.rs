//! Both tools ask our agent: the same again, with another at the other end.

use trunkline_testkit::has;

use crate::pair::Pair;
use crate::support::Trunklined;

const CONFIG: &str = r#"
[agent]
state = "STATE"
[snmp]
listen = ["udp://127.0.0.1:0"]
[[role]]
name = "all"
read = ["1"]
write = ["1"]
[[snmp.user]]
name = "ann"
auth = "SHA-256"
priv = "AES"
password = "maplesyrup"
role = "all"
[[snmp.user]]
name = "dog"
role = "all"
[[snmp.community]]
name = "public"
access = "read"
sources = ["127.0.0.0/8"]
[[snmp.community]]
name = "private"
access = "write"
sources = ["127.0.0.0/8"]
"#;

fn start() -> Option<Trunklined> {
    Trunklined::start(CONFIG, &["udp"])
}

#[test]
fn our_agent_is_seen_the_same_by_both() {
    let Some(agent) = start().filter(|_| has("snmpget", "snmp")) else { return };
    for version in ["-v1", "-v2c"] {
        let lines = [
            "snmpget V -c public @ 1.3.6.1.2.1.1.5.0 1.3.6.1.2.1.1.2.0",
            "snmpget V -c public @ 1.3.6.1.2.1.1.5.0 1.3.6.1.2.1.1.77.0",
            "snmpgetnext V -c public @ 1.3.6.1.2.1.1.5 1.9.9",
            "snmpwalk V -c public @ 1.3.6.1.2.1.1.9",
            "snmpwalk V -c public -Cp @ 1.3.6.1.2.1.1.5.0",
            "snmpwalk V -c public -Cp @ 1.9",
            "snmpwalk V -c public -On @ 1.3.6.1.2.1.2.2.1.2",
            "snmpset V -c private @ 1.3.6.1.2.1.1.4.0 s ops",
            "snmpset V -c private @ 1.3.6.1.2.1.1.4.0 i 5",
            "snmpset V -c public @ 1.3.6.1.2.1.1.4.0 s ops",
            "snmpset V -c private @ 1.3.6.1.2.1.1.3.0 t 5",
        ];
        let lines = lines.map(|line| line.replace('V', version));
        Pair::numbers(agent.address(0)).equal(&lines.each_ref().map(String::as_str));
    }
    Pair::numbers(agent.address(0)).equal(&[
        "snmpbulkget -v2c -c public -Cn1 -Cr3 @ 1.3.6.1.2.1.1.5 1.3.6.1.2.1.1.9.1.2",
        "snmpbulkwalk -v2c -c public -Cp @ 1.3.6.1.2.1.1.9",
    ]);
    Pair::names(agent.address(0)).equal(&[
        "snmpwalk -v2c -c public -Os @ ifDescr",
        "snmpbulkwalk -v2c -c public @ ipAddressIfIndex",
        "snmptable -v2c -c public -Ci @ ipAddrTable",
        "snmptable -v2c -c public -Ci -Cw 80 @ sysORTable",
    ]);
}

#[test]
fn our_agents_reports_are_printed_the_same() {
    let Some(agent) = start().filter(|_| has("snmpget", "snmp")) else { return };
    let ann = "-v3 -u ann -l authPriv -a SHA-256 -A maplesyrup -x AES -X maplesyrup";
    for user in [
        ann,
        "-v3 -u dog",
        "-v3 -u ann",
        "-v3 -u nobody",
        "-v3 -u ann -l authPriv -a SHA-256 -A maplesyrup -x AES -X wrongpassword",
        "-v3 -u ann -l authPriv -a SHA-256 -A wrongpassword -x AES -X maplesyrup",
        "-v3 -u dog -l authNoPriv -A maplesyrup",
        "-v3 -u dog -n nocontext",
        "-v3 -u dog -E 8000000001020304",
    ] {
        Pair::numbers(agent.address(0)).equal(&[
            &format!("snmpget {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.5.0 1.3.6.1.2.1.1.77.0"),
            &format!("snmpbulkwalk {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.9"),
            &format!("snmpset {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.4.0 i 5"),
        ]);
    }
}
