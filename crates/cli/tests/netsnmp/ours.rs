//! Both tools ask our agent: the same again, with another at the other end.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::pair::Pair;
use crate::support::has;

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

struct Agent {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Agent {
    fn start() -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trunklined.toml");
        std::fs::write(&file, CONFIG.replace("STATE", folder.path().to_str().unwrap())).unwrap();
        let mut command = Command::new(program);
        command.arg("--config").arg(&file).arg("--log=info").stderr(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // Its log says where it listens: that is the event that is waited for.
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("udp://")?;
            Some(rest.split_whitespace().next()?.trim_end_matches(['"', ',']).to_owned())
        });
        std::thread::spawn(move || lines.for_each(drop));
        Some(Agent { child, address: address.expect("the agent listens"), _folder: folder })
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The agent's program stands beside ours, where it was built.
fn program() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_trunkline")).with_file_name("trunklined");
    if !program.exists() {
        assert!(std::env::var_os("CI").is_none(), "trunklined is not built");
        eprintln!("left out: trunklined is not built");
        return None;
    }
    Some(program)
}

#[test]
fn our_agent_is_seen_the_same_by_both() {
    let Some(agent) = Agent::start().filter(|_| has("snmpget", "snmp")) else { return };
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
        Pair::numbers(&agent.address).equal(&lines.each_ref().map(String::as_str));
    }
    Pair::numbers(&agent.address).equal(&[
        "snmpbulkget -v2c -c public -Cn1 -Cr3 @ 1.3.6.1.2.1.1.5 1.3.6.1.2.1.1.9.1.2",
        "snmpbulkwalk -v2c -c public -Cp @ 1.3.6.1.2.1.1.9",
    ]);
    Pair::names(&agent.address).equal(&[
        "snmpwalk -v2c -c public -Os @ ifDescr",
        "snmpbulkwalk -v2c -c public @ ipAddressIfIndex",
        "snmptable -v2c -c public -Ci @ ipAddrTable",
        "snmptable -v2c -c public -Ci -Cw 80 @ sysORTable",
    ]);
}

#[test]
fn our_agents_reports_are_told_the_same() {
    let Some(agent) = Agent::start().filter(|_| has("snmpget", "snmp")) else { return };
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
        Pair::numbers(&agent.address).equal(&[
            &format!("snmpget {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.5.0 1.3.6.1.2.1.1.77.0"),
            &format!("snmpbulkwalk {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.9"),
            &format!("snmpset {user} -t 0.5 -r 1 @ 1.3.6.1.2.1.1.4.0 i 5"),
        ]);
    }
}
