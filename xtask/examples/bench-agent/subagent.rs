//! A subagent of AgentX that costs as little as one can: it computes the answer to GetNext and GetBulk over one table from
//! the name, and keeps no state but its session. What is measured with it is the master.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Where its table is, and how long: `ROOT.1.1.COLUMN.ROW`, as `peers/agentx/subagent.c` has it.
pub const ROOT: [u32; 10] = [1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 7];
pub const ROWS: u32 = 10_000;
pub const COLUMNS: u32 = 4;

// RFC 2741 section 6.1.
const HEADER: usize = 20;
const NETWORK_BYTE_ORDER: u8 = 0x10;
const OPEN: u8 = 1;
const CLOSE: u8 = 2;
const REGISTER: u8 = 3;
const GET_NEXT: u8 = 6;
pub const GET_BULK: u8 = 7;
pub const RESPONSE: u8 = 18;
// Section 5.4.
const INTEGER: u16 = 2;
const COUNTER32: u16 = 65;
const OCTET_STRING: u16 = 4;
const END_OF_MIB_VIEW: u16 = 130;

/// Registers with the master on this socket and answers until it closes the connection.
pub fn serve(socket: &Path) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    let name = b"the benchmark's own subagent";
    let mut open = vec![0, 0, 0, 0, 0, 0, 0, 0];
    put(&mut open, name.len() as u32);
    open.extend_from_slice(name);
    open.resize(open.len().next_multiple_of(4), 0);
    send(&mut stream, OPEN, [0; 3], &open)?;
    let (header, _) = receive(&mut stream)?;
    let session = header.session();
    let mut register = vec![0, 127, 0, 0];
    put_name(&mut register, &ROOT);
    send(&mut stream, REGISTER, [session, 1, 2], &register)?;
    let (_, answer) = receive(&mut stream)?;
    if answer.get(4..6) != Some(&[0, 0]) {
        return Err(io::Error::other("the master refuses the registration"));
    }
    eprintln!("listening udp://127.0.0.1:1");
    loop {
        let (header, octets) = receive(&mut stream)?;
        let answer = match header.kind() {
            GET_NEXT => next(&header, &octets, 0)?,
            GET_BULK => {
                let repetitions = header.short(octets.get(2..4).ok_or_else(short)?);
                next(&header, &octets[4..], u32::from(repetitions))?
            }
            CLOSE => return Ok(()),
            _ => vec![0; 8],
        };
        send(&mut stream, RESPONSE, [session, header.word(8), header.word(12)], &answer)?;
    }
}

/// The first 20 octets of a PDU.
pub struct Header([u8; HEADER]);

impl Header {
    fn kind(&self) -> u8 {
        self.0[1]
    }

    fn session(&self) -> u32 {
        self.word(4)
    }

    pub fn word(&self, at: usize) -> u32 {
        self.long(&self.0[at..at + 4])
    }

    /// In the order of octets of this PDU.
    fn long(&self, octets: &[u8]) -> u32 {
        let octets = [octets[0], octets[1], octets[2], octets[3]];
        if self.0[2] & NETWORK_BYTE_ORDER == 0 {
            u32::from_le_bytes(octets)
        } else {
            u32::from_be_bytes(octets)
        }
    }

    fn short(&self, octets: &[u8]) -> u16 {
        let octets = [octets[0], octets[1]];
        if self.0[2] & NETWORK_BYTE_ORDER == 0 {
            u16::from_le_bytes(octets)
        } else {
            u16::from_be_bytes(octets)
        }
    }
}

/// Answers GetNext (`repetitions` 0) or GetBulk of names that all repeat.
fn next(header: &Header, mut ranges: &[u8], repetitions: u32) -> io::Result<Vec<u8>> {
    let mut answer = vec![0; 8];
    let mut names = Vec::new();
    while !ranges.is_empty() {
        let (start, is_included) = take_name(header, &mut ranges)?;
        let (end, _) = take_name(header, &mut ranges)?;
        names.push((start, is_included, end));
    }
    for _ in 0..repetitions.max(1) {
        for (name, is_included, end) in &mut names {
            match behind(name, *is_included) {
                Some((column, row)) if end.is_empty() || instance(column, row)[..] < end[..] => {
                    name.clear();
                    name.extend(instance(column, row));
                    put_instance(&mut answer, name, column, row);
                }
                _ => {
                    answer.extend_from_slice(&END_OF_MIB_VIEW.to_be_bytes());
                    answer.extend_from_slice(&[0, 0]);
                    put_name(&mut answer, name);
                }
            }
            *is_included = false;
        }
    }
    Ok(answer)
}

fn instance(column: u32, row: u32) -> [u32; 14] {
    let mut name = [1; 14];
    name[..10].copy_from_slice(&ROOT);
    name[12..].copy_from_slice(&[column, row]);
    name
}

/// The first instance behind a name, or that of the name itself if it is included.
fn behind(name: &[u32], is_included: bool) -> Option<(u32, u32)> {
    if name <= &ROOT[..] {
        return Some((1, 1));
    }
    let rest = name.strip_prefix(&ROOT[..])?;
    match *rest {
        [0, ..] | [1] | [1, 0, ..] | [1, 1] | [1, 1, 0, ..] => Some((1, 1)),
        [1, 1, column] if column <= COLUMNS => Some((column, 1)),
        [1, 1, column, row] if is_included && column <= COLUMNS && (1..=ROWS).contains(&row) => {
            Some((column, row))
        }
        [1, 1, column, row, ..] if column <= COLUMNS && row < ROWS => Some((column, row + 1)),
        [1, 1, column, ..] if column < COLUMNS => Some((column + 1, 1)),
        _ => None,
    }
}

fn put_instance(answer: &mut Vec<u8>, name: &[u32], column: u32, row: u32) {
    let kind = match column {
        2 => COUNTER32,
        3 => OCTET_STRING,
        _ => INTEGER,
    };
    answer.extend_from_slice(&kind.to_be_bytes());
    answer.extend_from_slice(&[0, 0]);
    put_name(answer, name);
    if kind == OCTET_STRING {
        let start = answer.len();
        put(answer, 0);
        // Writing to a vector does not fail.
        let _ = write!(answer, "row {row}");
        let length = (answer.len() - start - 4) as u32;
        answer[start..start + 4].copy_from_slice(&length.to_be_bytes());
        answer.resize(answer.len().next_multiple_of(4), 0);
    } else {
        put(answer, row);
    }
}

fn put(octets: &mut Vec<u8>, word: u32) {
    octets.extend_from_slice(&word.to_be_bytes());
}

/// Section 5.1, with the prefix for names below internet.
pub fn put_name(octets: &mut Vec<u8>, name: &[u32]) {
    let (prefix, rest) = match name {
        [1, 3, 6, 1, prefix @ 1..=255, rest @ ..] => (*prefix as u8, rest),
        rest => (0, rest),
    };
    octets.extend_from_slice(&[rest.len() as u8, prefix, 0, 0]);
    rest.iter().for_each(|part| put(octets, *part));
}

fn take_name(header: &Header, octets: &mut &[u8]) -> io::Result<(Vec<u32>, bool)> {
    let [count, prefix, include, _] = *octets.first_chunk::<4>().ok_or_else(short)?;
    let length = 4 + usize::from(count) * 4;
    let parts = octets.get(4..length).ok_or_else(short)?;
    let mut name = if prefix == 0 { Vec::new() } else { vec![1, 3, 6, 1, u32::from(prefix)] };
    name.extend(parts.chunks_exact(4).map(|part| header.long(part)));
    *octets = &octets[length..];
    Ok((name, include == 1))
}

fn short() -> io::Error {
    io::Error::other("a PDU that is too short")
}

pub fn send(stream: &mut impl Write, kind: u8, ids: [u32; 3], payload: &[u8]) -> io::Result<()> {
    let mut octets = vec![1, kind, NETWORK_BYTE_ORDER, 0];
    ids.iter().for_each(|id| put(&mut octets, *id));
    put(&mut octets, payload.len() as u32);
    octets.extend_from_slice(payload);
    stream.write_all(&octets)
}

pub fn receive(stream: &mut impl Read) -> io::Result<(Header, Vec<u8>)> {
    let mut header = Header([0; HEADER]);
    stream.read_exact(&mut header.0)?;
    let mut octets = vec![0; header.word(16) as usize];
    stream.read_exact(&mut octets)?;
    Ok((header, octets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_by_names_meets_every_instance() {
        let (mut name, mut seen) = (ROOT.to_vec(), 0);
        while let Some((column, row)) = behind(&name, false) {
            let found = instance(column, row).to_vec();
            assert!(found > name);
            assert_eq!(behind(&found, true), Some((column, row)));
            (name, seen) = (found, seen + 1);
        }
        assert_eq!(seen, COLUMNS * ROWS);
        assert_eq!(behind(&[1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 8], false), None);
    }

    #[test]
    fn a_name_survives_the_way_there_and_back() {
        for name in [&ROOT[..], &[1, 0, 8802], &[], &instance(3, 70_000)] {
            let mut octets = Vec::new();
            put_name(&mut octets, name);
            let mut header = Header([0; HEADER]);
            header.0[2] = NETWORK_BYTE_ORDER;
            let mut rest = &octets[..];
            assert_eq!(take_name(&header, &mut rest).unwrap(), (name.to_vec(), false));
            assert!(rest.is_empty());
        }
    }
}
