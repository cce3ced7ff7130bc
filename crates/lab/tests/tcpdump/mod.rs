//! tcpdump as a witness: starts it on an interface, and reads its capture file. Nothing here is the lab's own code.

#![allow(dead_code, reason = "each test uses a part")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trunkline_testkit::leave_out;

pub mod conversations;

/// The parts of an IPv4 packet that the tests use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packet {
    /// When it passed, nanoseconds since 1970.
    pub time: u64,
    /// Octets from the IP header on, according to the header.
    pub ip_octets: u64,
    /// The number of the protocol inside IP.
    pub protocol: u8,
    /// The addresses.
    pub from_host: [u8; 4],
    pub to_host: [u8; 4],
    /// The identification, which fragments of one datagram share.
    pub id: u16,
    /// Whether it begins its datagram, and so has ports.
    pub is_first: bool,
    /// The ports; 0 in a fragment that does not begin its datagram. In ICMP, those of the packet that it is about.
    pub from: u16,
    pub to: u16,
    /// The flags of TCP and the sequence number; 0 in other packets.
    pub flags: u8,
    pub sequence: u32,
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
        // As root, so that it may write to our directory; each packet is written to the file at once. The buffer
        // holds what a busy machine keeps tcpdump from reading.
        command.args(["-i", interface, "-Z", "root", "-n", "--immediate-mode", "-U", "-s", "128"]);
        command.args(["-B", "16384", "--time-stamp-precision", "nano", "-w"]);
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
            assert!(Instant::now() < deadline, "tcpdump wrote only {}: {packets:?}", packets.len());
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
    let unit = match magic {
        MICROSECONDS => 1000,
        NANOSECONDS => 1,
        _ => panic!("no little-endian pcap file: {magic:x}"),
    };
    let header = match u32_at(20) {
        None => return vec![],
        Some(ETHERNET) => ETHERNET_HEADER,
        Some(RAW) => 0,
        Some(other) => panic!("neither Ethernet nor IP alone: {other}"),
    };
    let (mut packets, mut at) = (Vec::new(), FILE_HEADER);
    while let (Some(seconds), Some(fraction), Some(length)) = (u32_at(at), u32_at(at + 4), u32_at(at + 8)) {
        let start = at + RECORD_HEADER;
        at = start + length as usize;
        let Some(frame) = file.get(start..at) else { break };
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * unit;
        packets.push(packet(&frame[header..], time));
    }
    packets
}

fn packet(ip: &[u8], time: u64) -> Packet {
    assert_eq!(ip[0], 0x45, "IPv4 without options expected");
    let u16_at = |at: usize| ip.get(at..at + 2).map_or(0, |it| u16::from_be_bytes([it[0], it[1]]));
    let (protocol, is_first) = (ip[9], u16_at(6) & 0x1fff == 0);
    // ICMP's errors quote the packet that they are about, which went the other way.
    let (from, to) = match (is_first, protocol) {
        (false, _) => (0, 0),
        (true, ICMP) => (u16_at(IP_HEADER + 8 + IP_HEADER + 2), u16_at(IP_HEADER + 8 + IP_HEADER)),
        (true, _) => (u16_at(IP_HEADER), u16_at(IP_HEADER + 2)),
    };
    let is_tcp = is_first && protocol == TCP;
    Packet {
        time,
        ip_octets: u64::from(u16_at(2)),
        protocol,
        from_host: [ip[12], ip[13], ip[14], ip[15]],
        to_host: [ip[16], ip[17], ip[18], ip[19]],
        id: u16_at(4),
        is_first,
        from,
        to,
        flags: if is_tcp { ip[IP_HEADER + 13] } else { 0 },
        sequence: if is_tcp {
            u32::from(u16_at(IP_HEADER + 4)) << 16 | u32::from(u16_at(IP_HEADER + 6))
        } else {
            0
        },
    }
}

pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
/// TCP's flags.
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;
const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
const ETHERNET: u32 = 1;
const RAW: u32 = 101;
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const ETHERNET_HEADER: usize = 14;
const IP_HEADER: usize = 20;
