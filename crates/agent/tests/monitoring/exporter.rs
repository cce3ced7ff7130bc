//! Prometheus' snmp_exporter scrapes the agent. Debian's package has no modules, so these are our own, in the format
//! of its version.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use trunkline_testkit::has;

use crate::monitoring::world;
use crate::support::PATIENCE;

const PROGRAM: &str = "prometheus-snmp-exporter";

/// What both modules read: interfaces and storage.
const WALKS: &str = r"
  walk: [1.3.6.1.2.1.2, 1.3.6.1.2.1.31.1.1, 1.3.6.1.2.1.25.2.3]
  get: [1.3.6.1.2.1.1.3.0, 1.3.6.1.4.1.2021.10.1.5.1]
  metrics:
  - {name: sysUpTime, oid: 1.3.6.1.2.1.1.3, type: gauge}
  - {name: ifNumber, oid: 1.3.6.1.2.1.2.1, type: gauge}
  - name: ifHCInOctets
    oid: 1.3.6.1.2.1.31.1.1.1.6
    type: counter
    indexes: [{labelname: ifIndex, type: gauge}]
    lookups: [{labels: [ifIndex], labelname: ifName, oid: 1.3.6.1.2.1.31.1.1.1.1, type: DisplayString}]
  - name: hrStorageSize
    oid: 1.3.6.1.2.1.25.2.3.1.5
    type: gauge
    indexes: [{labelname: hrStorageIndex, type: gauge}]
    lookups: [{labels: [hrStorageIndex], labelname: hrStorageDescr, oid: 1.3.6.1.2.1.25.2.3.1.3, type: DisplayString}]
  - {name: laLoadInt, oid: 1.3.6.1.4.1.2021.10.1.5, type: gauge, indexes: [{labelname: laIndex, type: gauge}]}
";

fn modules() -> String {
    let password = world::PASSWORD;
    format!(
        "v2:{WALKS}  version: 2\n  auth: {{community: public}}\nv3:{WALKS}  version: 3\n  auth: {{security_level: \
         authPriv, username: nms, password: {password}, auth_protocol: SHA, priv_protocol: AES, priv_password: \
         {password}}}\n"
    )
}

#[test]
fn a_scrape_has_interfaces_storage_and_load() {
    if !has(PROGRAM, PROGRAM) {
        return;
    }
    let agent = world::agent();
    let exporter = Exporter::start(&agent.folder.path().join("snmp.yml"));
    for module in ["v2", "v3"] {
        let metrics = exporter.scrape(&format!("/snmp?module={module}&target={}", agent.udp()));
        let of = |name: &str| metrics.lines().filter(|line| line.starts_with(name)).collect::<Vec<_>>();
        let number = of("ifNumber ")[0].rsplit_once(' ').unwrap().1.parse::<usize>().unwrap();
        let received = of("ifHCInOctets{");
        assert_eq!(received.len(), number, "{module}: {metrics}");
        assert!(received.iter().any(|line| line.contains("ifName=\"lo\"")), "{module}: {received:?}");
        assert_eq!((of("sysUpTime ").len(), of("laLoadInt{").len()), (1, 1), "{module}: {metrics}");
        let sizes = of("hrStorageSize{");
        assert!(sizes.iter().any(|line| line.contains("hrStorageDescr=\"/\"")), "{module}: {sizes:?}");
    }
}

/// The exporter on a port of its choice; ended when dropped.
struct Exporter {
    child: Child,
    address: String,
}

impl Exporter {
    fn start(config: &std::path::Path) -> Exporter {
        std::fs::write(config, modules()).unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg(format!("--config.file={}", config.display())).arg("--web.listen-address=127.0.0.1:0");
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let listening = lines.find(|line| line.contains("Listening on")).expect("it listens");
        let address = listening.rsplit_once("address=").unwrap().1.to_owned();
        // It goes on logging, and must not be stopped by a full or closed pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Exporter { child, address }
    }

    fn scrape(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(" 200 "), "{answer}");
        body.to_owned()
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
