//! tcpdump as a witness: starts it on an interface, and reads its capture file.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trunkline_testkit::leave_out;

/// The parts of a packet that the tests use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// Octets from the IP header on, according to the header.
    pub ip_octets: u64,
    /// The source port; 0 in a fragment that does not begin its datagram.
    pub from: u16,
}

/// A running capture.
pub struct Capture {
    child: Child,
    file: PathBuf,
    _directory: tempfile::TempDir,
}

impl Capture {
    /// Captures the packets that match a filter on an interface of this thread's network namespace. `None`, with a
    /// note printed, if there is no tcpdump or no right to capture; in CI that is a failure.
    pub fn start(interface: &str, filter: &str) -> Option<Capture> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("capture.pcap");
        let mut command = Command::new("tcpdump");
        // As root, so that it may write to our directory; each packet is written to the file at once.
        command.args(["-i", interface, "-Z", "root", "-n", "--immediate-mode", "-U", "-s", "128", "-w"]);
        command.arg(&file).arg(filter).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = command.spawn().map_err(|error| error.to_string());
        let ready = started.and_then(|mut child| {
            let stderr = child.stderr.take().unwrap();
            let mut heard = String::new();
            for line in BufReader::new(stderr).lines() {
                heard += &line.unwrap();
                if heard.contains("listening on") {
                    return Ok(child);
                }
            }
            child.wait().unwrap();
            Err(heard)
        });
        match ready {
            Ok(child) => Some(Capture { child, file, _directory: directory }),
            Err(reason) => {
                leave_out(format_args!("no capture with tcpdump here ({reason})"));
                None
            }
        }
    }

    /// Reads the file until its packets are enough; fails after ten seconds with those that are there.
    pub fn until(self, enough: impl Fn(&[Packet]) -> bool) -> Vec<Packet> {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let packets = read(&std::fs::read(&self.file).unwrap_or_default());
            if enough(&packets) {
                return packets;
            }
            assert!(Instant::now() < deadline, "tcpdump wrote only {packets:?}");
            std::thread::yield_now();
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // Our child, not waited for yet: the id cannot belong to another process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The IPv4 packets of a capture file in the classic format, of Ethernet or raw IP; an incomplete one at the end
/// is ignored.
pub fn read(file: &[u8]) -> Vec<Packet> {
    let u32_at = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
    let Some(magic) = u32_at(0) else { return vec![] };
    assert!([0xa1b2_c3d4, 0xa1b2_3c4d].contains(&magic), "no little-endian pcap file: {magic:x}");
    let header = match u32_at(20) {
        None => return vec![],
        Some(ETHERNET) => ETHERNET_HEADER,
        Some(RAW) => 0,
        Some(other) => panic!("neither Ethernet nor IP alone: {other}"),
    };
    let (mut packets, mut at) = (Vec::new(), FILE_HEADER);
    while let Some(length) = u32_at(at + 8) {
        let start = at + RECORD_HEADER;
        at = start + length as usize;
        let Some(frame) = file.get(start..at) else { break };
        let ip = &frame[header..];
        assert_eq!(ip[0], 0x45, "IPv4 without options expected");
        let first = u16::from_be_bytes([ip[6], ip[7]]) & 0x1fff == 0;
        packets.push(Packet {
            ip_octets: u64::from(u16::from_be_bytes([ip[2], ip[3]])),
            from: if first { u16::from_be_bytes([ip[20], ip[21]]) } else { 0 },
        });
    }
    packets
}

const ETHERNET: u32 = 1;
const RAW: u32 = 101;
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const ETHERNET_HEADER: usize = 14;
