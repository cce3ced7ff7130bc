//! Writes pcapng (draft-ietf-opsawg-pcapng): the traffic at the manager's end of a link, as a capture there would
//! show it.
//!
//! ```text
//! section header | interface "manager": raw IP, nanoseconds | enhanced packet | enhanced packet | ...
//! ```
//!
//! The relay only copies a packet into memory; a separate thread writes the file, so that no disk makes packets
//! late.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A capture file being written.
#[derive(Debug)]
pub(super) struct Capture {
    /// Blocks not handed over yet.
    blocks: Vec<u8>,
    writer: Writer,
}

/// The direction of a packet, seen from the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `epb_flags` 01.
    Inbound = 1,
    /// `epb_flags` 10.
    Outbound = 2,
}

impl Capture {
    /// Creates the file and its headers.
    pub(super) fn create(path: &Path) -> io::Result<Capture> {
        let mut file = File::create(path)?;
        file.write_all(&headers())?;
        Ok(Capture { blocks: Vec::with_capacity(HAND_OVER + ROOM), writer: Writer::start(file)? })
    }

    /// Adds a packet that passed `since_1970` after the beginning of 1970.
    pub(super) fn add(&mut self, since_1970: Duration, way: Way, packet: &[u8]) {
        packet_block(&mut self.blocks, since_1970, way, packet);
        if self.blocks.len() >= HAND_OVER {
            let full = std::mem::replace(&mut self.blocks, Vec::with_capacity(HAND_OVER + ROOM));
            self.writer.write(full);
        }
    }

    /// Hands over all packets so far and returns a channel on which the writer confirms that they are in the file.
    /// Not waiting here lets the caller unlock the capture first.
    pub(super) fn flush(&mut self) -> Receiver<io::Result<()>> {
        self.writer.write(std::mem::take(&mut self.blocks));
        let (done, written) = sync_channel(1);
        self.writer.send(Task::Flush(done));
        written
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.writer.write(std::mem::take(&mut self.blocks));
    }
}

#[derive(Debug)]
enum Task {
    Write(Vec<u8>),
    Flush(SyncSender<io::Result<()>>),
}

/// The thread that writes the file; dropping it waits until everything is written.
#[derive(Debug)]
struct Writer {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(mut file: File) -> io::Result<Writer> {
        let (tasks, todo) = channel();
        let thread = std::thread::Builder::new().name("link-capture".into()).spawn(move || {
            let mut result = Ok(());
            for task in todo {
                match task {
                    // After a failure the file would have a hole: nothing more is written, and flushing says why.
                    Task::Write(blocks) if result.is_ok() => result = file.write_all(&blocks),
                    Task::Write(_) => {}
                    Task::Flush(done) => {
                        let told = result.as_ref().map_or_else(|error| Err(again(error)), |()| file.flush());
                        // The caller may be gone.
                        let _ = done.send(told);
                    }
                }
            }
        })?;
        Ok(Writer { tasks: Some(tasks), thread: Some(thread) })
    }

    fn write(&self, blocks: Vec<u8>) {
        if !blocks.is_empty() {
            self.send(Task::Write(blocks));
        }
    }

    fn send(&self, task: Task) {
        if let Some(tasks) = &self.tasks {
            // The thread lives until `tasks` is dropped.
            let _ = tasks.send(task);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.tasks.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A copy of the error, which cannot be cloned.
fn again(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

/// The section header block and the interface description block.
fn headers() -> Vec<u8> {
    let mut file = Vec::new();
    block(&mut file, SECTION_HEADER, |body| {
        body.extend(0x1a2b_3c4d_u32.to_le_bytes());
        body.extend([1, 0, 0, 0]); // version 1.0
        body.extend(u64::MAX.to_le_bytes()); // length unknown
        option(body, USER_APPLICATION, b"trunkline lab");
        option(body, END_OF_OPTIONS, &[]);
    });
    block(&mut file, INTERFACE_DESCRIPTION, |body| {
        body.extend(LINKTYPE_RAW.to_le_bytes());
        body.extend([0; 2]);
        body.extend(0u32.to_le_bytes()); // packets are never truncated
        option(body, IF_NAME, b"manager");
        option(body, IF_TSRESOL, &[9]);
        option(body, END_OF_OPTIONS, &[]);
    });
    file
}

/// An enhanced packet block.
fn packet_block(file: &mut Vec<u8>, since_1970: Duration, way: Way, packet: &[u8]) {
    block(file, ENHANCED_PACKET, |body| {
        let nanos = since_1970.as_nanos() as u64;
        let length = packet.len() as u32;
        for word in [0, (nanos >> 32) as u32, nanos as u32, length, length] {
            body.extend(word.to_le_bytes());
        }
        body.extend(packet);
        pad(body, packet.len());
        option(body, EPB_FLAGS, &(way as u32).to_le_bytes());
        option(body, END_OF_OPTIONS, &[]);
    });
}

/// A block: its type, its length, the contents from `fill`, its length again.
fn block(file: &mut Vec<u8>, kind: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = file.len();
    file.extend(kind.to_le_bytes());
    file.extend([0; 4]);
    fill(file);
    let length = (file.len() + 4 - start) as u32;
    file[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
    file.extend(length.to_le_bytes());
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body, value.len());
}

/// Pads contents of this many octets to a multiple of four.
fn pad(body: &mut Vec<u8>, octets: usize) {
    body.extend(&[0; 3][..octets.next_multiple_of(4) - octets]);
}

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// IPv4 or IPv6 without a header before it.
const LINKTYPE_RAW: u16 = 101;
const END_OF_OPTIONS: u16 = 0;
const IF_NAME: u16 = 2;
const EPB_FLAGS: u16 = 2;
const USER_APPLICATION: u16 = 4;
const IF_TSRESOL: u16 = 9;
/// Maximum octets of blocks that wait in memory.
const HAND_OVER: usize = 256 * 1024;
/// A little more than the largest block.
const ROOM: usize = 66_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet as read by code that knows only the format.
    #[derive(Debug, PartialEq)]
    struct Read {
        nanos: u64,
        flags: u32,
        packet: Vec<u8>,
    }

    fn word(octets: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(octets[at..at + 4].try_into().unwrap())
    }

    /// The value of an option in a list of them.
    fn option_in(mut options: &[u8], wanted: u16) -> Option<&[u8]> {
        while options.len() >= 4 {
            let code = u16::from_le_bytes([options[0], options[1]]);
            let length = usize::from(u16::from_le_bytes([options[2], options[3]]));
            if code == wanted {
                return Some(&options[4..4 + length]);
            }
            options = &options[4 + length.next_multiple_of(4)..];
        }
        None
    }

    /// Parses a file strictly: blocks with matching lengths, a section, one interface of raw IP in nanoseconds,
    /// packets.
    fn read(file: &[u8]) -> Vec<Read> {
        let (mut blocks, mut at) = (Vec::new(), 0);
        while at < file.len() {
            let length = word(file, at + 4) as usize;
            assert_eq!((length % 4, word(file, at + length - 4)), (0, length as u32));
            blocks.push((word(file, at), &file[at + 8..at + length - 4]));
            at += length;
        }
        assert_eq!((blocks[0].0, word(blocks[0].1, 0)), (0x0a0d_0d0a, 0x1a2b_3c4d));
        let (kind, interface) = blocks[1];
        assert_eq!((kind, &interface[..2]), (1, &[101, 0][..]));
        assert_eq!(option_in(&interface[8..], 9), Some(&[9][..]));
        let packets = blocks[2..].iter().map(|(kind, body)| {
            assert_eq!((*kind, word(body, 0), word(body, 12)), (6, 0, word(body, 16)));
            let length = word(body, 12) as usize;
            let options = &body[20 + length.next_multiple_of(4)..];
            Read {
                nanos: (u64::from(word(body, 4)) << 32) + u64::from(word(body, 8)),
                flags: word(option_in(options, 2).unwrap(), 0),
                packet: body[20..20 + length].to_vec(),
            }
        });
        packets.collect()
    }

    #[test]
    fn packets_are_read_as_they_were_added() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("link.pcapng");
        let mut capture = Capture::create(&path).unwrap();
        assert_eq!(read(&std::fs::read(&path).unwrap()), []);
        let mut expected = Vec::new();
        for length in (0..1500).chain([65_535]) {
            let nanos = 1_800_000_000_123_456_789 + length as u64;
            let way = if length % 3 == 0 { Way::Inbound } else { Way::Outbound };
            let packet = vec![length as u8; length];
            capture.add(Duration::from_nanos(nanos), way, &packet);
            expected.push(Read { nanos, flags: if length % 3 == 0 { 1 } else { 2 }, packet });
        }
        capture.flush().recv().unwrap().unwrap();
        assert_eq!(read(&std::fs::read(&path).unwrap()), expected);
        // Packets added after flushing are in the file once the capture is dropped.
        capture.add(Duration::from_nanos(5), Way::Inbound, &[1, 2, 3]);
        drop(capture);
        expected.push(Read { nanos: 5, flags: 1, packet: vec![1, 2, 3] });
        assert_eq!(read(&std::fs::read(&path).unwrap()), expected);
    }

    #[test]
    fn a_full_disk_is_reported() {
        let Ok(full) = File::options().write(true).open("/dev/full") else { return };
        let mut capture = Capture { blocks: vec![1; 10], writer: Writer::start(full).unwrap() };
        for _ in 0..2 {
            assert_eq!(capture.flush().recv().unwrap().unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
