//! `snmptrap` and `snmpinform`, as Net-SNMP's `snmptrapd` hears them.

use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use trunkline_testkit::has;

use crate::pair::Pair;

/// The authoritative engines for traps: theirs and ours. If they were one, each would consider the other's clock
/// wrong.
const ENGINES: [&str; 2] = ["8000000001020304", "8000000001020305"];

const CONFIG: &str = "
disableAuthorization yes
createUser -e 0x8000000001020304 ann SHA-256 maplesyrup AES sugarmaple
createUser -e 0x8000000001020304 bob MD5 maplesyrup DES sugarmaple
createUser -e 0x8000000001020305 ann SHA-256 maplesyrup AES sugarmaple
createUser -e 0x8000000001020305 bob MD5 maplesyrup DES sugarmaple
createUser cat SHA-512 maplesyrup AES sugarmaple
createUser dog
";

/// Net-SNMP's receiver, which writes a line for each notification.
struct Snmptrapd {
    child: Child,
    lines: Receiver<String>,
    address: String,
    folder: tempfile::TempDir,
}

impl Snmptrapd {
    fn start() -> Option<Self> {
        if !has("snmptrapd", "snmptrapd") || !has("snmptrap", "snmp") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("snmptrapd.conf"), CONFIG).unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let program = ["/usr/sbin/snmptrapd", "/usr/bin/snmptrapd"]
            .into_iter()
            .find(|program| Path::new(program).exists());
        let mut child = Command::new(program.unwrap_or("snmptrapd"))
            .args(["-f", "-C", "-On", "-Lo", "-F", "HEARD %P %A %N %w %q %T | %v\n", "-c"])
            .arg(folder.path().join("snmptrapd.conf"))
            .arg(format!("udp:127.0.0.1:{port}"))
            .env("MIBS", "")
            .env("SNMP_PERSISTENT_DIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let heard = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            let heard = heard.map_while(Result::ok).filter(|line| line.starts_with("HEARD"));
            heard.for_each(|line| drop(sender.send(line)));
        });
        let address = address_of(port);
        let heard = Snmptrapd { child, lines, address, folder };
        // It hears when it confirms: asking again is the waiting.
        let ready = Pair::numbers(&heard.address).theirs(
            "snmpinform -v2c -c public -t 0.2 -r 100 @ 1 1.3.6.1.4.1.99999.1 1.3.6.1.2.1.1.5.0 s ready",
        );
        assert_eq!(ready.status, Some(0), "{ready:?}");
        while !heard.line().contains("ready") {}
        // Our own engine is generated on first use, which is reported once.
        let made = heard.pair(&address_of(port)).ours("snmptrap -v3 -u eve @ 1 1.3.6");
        assert!(made.status == Some(0) && made.words.contains("our engine ID is 0x80"), "{made:?}");
        Some(heard)
    }

    fn pair<'a>(&self, address: &'a str) -> Pair<'a> {
        Pair::numbers(address).with("XDG_STATE_HOME", self.folder.path().to_str().unwrap())
    }

    /// What it heard next.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("it hears what was sent")
    }

    /// Both senders do the same, and where they succeed the same is heard of both.
    #[track_caller]
    fn equal(&self, lines: &[&str]) {
        let address = self.address.clone();
        for line in lines {
            let pair = self.pair(&address);
            let theirs = pair.theirs(&line.replace("ENGINE", ENGINES[0]));
            let heard = || (theirs.status == Some(0)).then(|| self.line());
            let of_theirs = heard();
            let ours = pair.ours(&line.replace("ENGINE", ENGINES[1]));
            assert_eq!(ours, theirs, "{line}");
            assert_eq!(heard(), of_theirs, "{line}");
        }
    }
}

fn address_of(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

impl Drop for Snmptrapd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn traps_of_version_1() {
    let Some(receiver) = Snmptrapd::start() else { return };
    receiver.equal(&[
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9 1.2.3.4 6 17 4711 1.3.6.1.2.1.1.5.0 s hi",
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9 1.2.3.4 3 0 4711",
        "snmptrap -v1 -c public @ '' 1.2.3.4 0 0 7",
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9 localhost 3 x 7",
        "snmptrap -v1 -c secret @ 1.3.6.1.4.1.9 1.2.3.4 7 4 5 1.3.6.1 i 5 1.3.6.2 t 6",
        "snmptrap -v1 -c public @",
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9",
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9 1.2.3.4",
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9 1.2.3.4 3",
        "snmptrap -v1 -c public @ 1.3.6.1.4.1.9 1.2.3.4 3 4",
        "snmptrap -v1 -c public @ bla 1.2.3.4 7 4 5",
        "snmptrap -v1 -c public @ 1.3.6 no.host.invalid 7 4 5",
        "snmpinform -v1 -c public @ 5 1.3.6.1.4.1.9",
    ]);
}

#[test]
fn traps_and_informs_of_version_2() {
    let Some(receiver) = Snmptrapd::start() else { return };
    receiver.equal(&[
        "snmptrap -v2c -c public @ 4711 1.3.6.1.4.1.9 1.3.6.1.2.1.1.5.0 s hi 1.3.6.1.2.1.1.6.0 i 5",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6.1 c 5 1.3.6.1 C 7 1.3.6.1 F 1.5 1.3.6 a 1.2.3.4 1.3.6 x 01ff 1.3.6 o 1.3",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6 t 66 1.3.6 u 77 1.3.6 b 1,2 1.3.6 n 0 1.3.6 d 65 1.3.6 I -7 1.3.6 U 8",
        "snmpinform -v2c -c public @ 5 1.3.6.1.4.1.9 1.3.6.1.2.1.1.5.0 s hi",
        "snmptrap -Ci -v2c -c public @ 5 1.3.6.1.4.1.9",
        "snmptrap",
        "snmptrap -v2c -c public @",
        "snmptrap -v2c -c public @ 5",
        "snmptrap -v2c @ 5 1.3.6",
        "snmptrap -Cz -v2c -c public @ 5 1.3.6",
        "snmptrap -v2c -c public @ 5 bla",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6.1 q hi",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6.1 i x",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6.1 = 4",
        "snmptrap -v2c -c public @ 5 1.3.6 foo i 4",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6.1",
        "snmptrap -v2c -c public @ 5 1.3.6 1.3.6.1 i",
        "snmpinform -v2c -c public -t 0.1 -r 0 127.0.0.1:1 5 1.3.6",
    ]);
}

#[test]
fn traps_and_informs_of_version_3() {
    let Some(receiver) = Snmptrapd::start() else { return };
    let ann = "-v3 -e ENGINE -u ann -l authPriv -a SHA-256 -A maplesyrup -x AES -X sugarmaple";
    let bob = "-v3 -e ENGINE -u bob -l authPriv -a MD5 -A maplesyrup -x DES -X sugarmaple";
    let cat = "-v3 -u cat -l authPriv -a SHA-512 -A maplesyrup -x AES -X sugarmaple";
    receiver.equal(&[
        &format!("snmptrap {ann} @ 5 1.3.6.1.4.1.9 1.3.6.1.2.1.1.5.0 s hi"),
        &format!("snmptrap {bob} @ 5 1.3.6.1.4.1.9"),
        &format!("snmpinform {cat} @ 5 1.3.6.1.4.1.9 1.3.6.1.2.1.1.5.0 s hi"),
        "snmpinform -v3 -u dog @ 5 1.3.6.1.4.1.9",
        "snmpinform -v3 -u nobody @ 5 1.3.6.1.4.1.9",
        "snmpinform -v3 -u cat -l authNoPriv -a SHA-512 -A wrongpassword @ 5 1.3.6.1.4.1.9",
        "snmptrap -v3 @ 5 1.3.6",
        "snmpinform -v3 -u cat -t 0.1 -r 0 127.0.0.1:1 5 1.3.6",
    ]);
}
