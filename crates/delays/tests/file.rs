//! The file of delays from the outside: known octets, what is written is read in pieces of any size, what is cut off or changed.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

use proptest::prelude::*;
use trunkline_delays::{
    Ending, Header, Outcome, ReadError, Reader, Record, RecordError, Writer, is_delay_file,
};

fn header() -> Header {
    Header::new("FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1".parse().unwrap())
}

fn written(records: &[Record]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::begin(&header(), &mut out).unwrap();
    for record in records {
        writer.push(record, &mut out).unwrap();
    }
    assert_eq!(writer.records(), records.len() as u64);
    writer.end(&mut out);
    out
}

/// Reads in pieces of this size.
fn read(file: &[u8], piece: usize) -> (Vec<Record>, Result<Ending, ReadError>) {
    let (mut reader, mut records) = (Reader::default(), Vec::new());
    for piece in file.chunks(piece.max(1)) {
        reader.feed(piece);
        loop {
            match reader.next_block() {
                Ok(Some(block)) => records.extend(block),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(reader.next_block(), Err(error));
                    return (records, reader.finish());
                }
            }
        }
    }
    (records, reader.finish())
}

const ONE: Record = Record {
    agent: 3,
    round: 2,
    due: 2_000_000_000,
    sent: 2_000_001_000,
    ended: 2_001_301_000,
    outcome: Outcome::Late,
};

/// Known octets, computed by hand and with zlib's CRC-32 in Python.
#[test]
fn known_octets() {
    let file = written(&[ONE]);
    let json = serde_json_text();
    let mut expected = b"TRKDELAY\x01H".to_vec();
    expected.extend((json.len() as u32).to_le_bytes());
    expected.extend([0; 4]);
    let at = expected.len();
    assert_eq!(file[..at], expected);
    assert_eq!(&file[at + 4..at + 4 + json.len()], json.as_bytes());
    // Agent 3 is four behind -1, less one: 3, zigzag 6, times 8 and 1 for late: 49. Round 2: 4. 2 s in ns, zigzag: 4000000000.
    // 1,000 ns later, zigzag 2000. 1,300,000 ns on.
    let content = [49, 4, 0x80, 0xd0, 0xac, 0xf3, 0x0e, 0xd0, 0x0f, 0xa0, 0xac, 0x4f];
    let block = &file[at + 4 + json.len()..];
    assert_eq!(block[..9], [b'S', 12, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(block[13..25], content);
    assert_eq!(block[25..34], [b'E', 1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!((block[38], block.len()), (1, 39));
    let crc = |block: &[u8]| u32::from_le_bytes(block[9..13].try_into().unwrap());
    assert_eq!([crc(block), crc(&block[25..])], [0x4b57_dba2, 0xfb65_8047]);
    assert_eq!(read(&file, 1), (vec![ONE], Ok(Ending::Complete { records: 1 })));
}

fn serde_json_text() -> String {
    "{\"metric\":\"FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1\",\"group\":0,\"period\":0,\
     \"scheduling\":\"parallel\",\"protocol\":\"\",\"timeout\":0,\"started\":\"\",\"settings\":{}}"
        .into()
}

/// 700 agents asked once a second, answered after about a millisecond: the deliverable's largest group.
fn run(agents: u32, rounds: u32) -> Vec<Record> {
    let mut random = fastrand::Rng::with_seed(6);
    let apart = 1_000_000_000 / u64::from(agents);
    let mut all: Vec<Record> = (0..rounds)
        .flat_map(|round| (0..agents).map(move |agent| (round, agent)))
        .map(|(round, agent)| {
            let due = u64::from(round) * 1_000_000_000 + u64::from(agent) * apart;
            let sent = due + 2_000 + random.u64(..20_000);
            let ended = sent + 300_000 + random.u64(..2_000_000);
            Record { agent, round, due, sent, ended, outcome: Outcome::Answered }
        })
        .collect();
    all.sort_by_key(|record| record.ended);
    all
}

#[test]
fn a_record_takes_about_ten_octets_and_a_block_is_small() {
    for (agents, rounds) in [(700, 100), (100_000, 1)] {
        let records = run(agents, rounds);
        let file = written(&records);
        let each = file.len() as f64 / records.len() as f64;
        assert!(each < 12.5, "{agents}: {each}");
        let (found, ending) = read(&file, 1 << 16);
        assert_eq!(found, records);
        assert_eq!(ending, Ok(Ending::Complete { records: records.len() as u64 }));
    }
}

#[test]
fn of_a_run_that_was_killed_only_the_last_block_is_lost() {
    let records = run(100, 300);
    let mut out = Vec::new();
    let mut writer = Writer::begin(&header(), &mut out).unwrap();
    let mut ends = vec![(out.len(), 0)];
    for (at, record) in records.iter().enumerate() {
        let before = out.len();
        writer.push(record, &mut out).unwrap();
        if (at + 1).is_multiple_of(1000) {
            writer.flush(&mut out);
        }
        if out.len() > before {
            ends.push((out.len(), at + 1));
        }
    }
    assert!(ends.len() >= 30, "{ends:?}");
    for cut in (ends[0].0..out.len()).step_by(997) {
        let (found, ending) = read(&out[..cut], 5000);
        let &(end, count) = ends.iter().rev().find(|(end, _)| *end <= cut).unwrap();
        assert_eq!(found, records[..count]);
        assert_eq!(ending, Ok(Ending::CutOff { records: count as u64, octets: (cut - end) as u64 }));
    }
    assert_eq!(read(&out[..ends[0].0 - 1], 7).1, Err(ReadError::NoHeader));
    assert_eq!(read(&[], 1).1, Err(ReadError::NoHeader));
}

#[test]
fn every_changed_octet_is_found_and_its_block_named() {
    let file = written(&run(50, 3));
    for at in 0..file.len() {
        let mut wrong = file.clone();
        wrong[at] ^= 0x10;
        let (found, ending) = read(&wrong, 64);
        match ending {
            Err(error) => assert!(!error.to_string().is_empty() && found.len() <= 150, "{at}"),
            // A longer length leaves the block open.
            Ok(Ending::CutOff { .. }) => {}
            Ok(Ending::Complete { .. }) => panic!("octet {at} was changed unseen"),
        }
    }
}

#[test]
fn each_error_is_provoked() {
    let file = written(&[ONE]);
    let header_end = written(&[]).len() - 14;
    let error = |file: &[u8]| read(file, 16).1.unwrap_err();
    assert!(matches!(error(b"1.2\n1.3\n1.4\n"), ReadError::Magic { .. }));
    // However short it is, and in whatever pieces it comes.
    assert_eq!(error(b"1.2\n"), ReadError::Magic { found: b"1.2\n".to_vec() });
    assert_eq!(read(b"12345678901", 1).1, read(b"12345678901", 11).1);
    let mut other = file.clone();
    other[8] = 2;
    assert_eq!(error(&other), ReadError::Version { found: 2 });
    let mut other = file.clone();
    other[header_end] = b'X';
    assert_eq!(error(&other), ReadError::Kind { offset: header_end as u64, found: b'X' });
    let mut other = file.clone();
    other[header_end + 4] = 1;
    assert!(matches!(error(&other), ReadError::Length { .. }));
    let mut other = file.clone();
    other[header_end + 14] ^= 1;
    assert!(matches!(error(&other), ReadError::Checksum { .. }));
    let twice = [&file[..], &file[9..]].concat();
    assert!(matches!(error(&twice), ReadError::Content { what: "something follows the end", .. }));
    let headless = [&file[..9], &file[header_end..]].concat();
    assert!(matches!(error(&headless), ReadError::Content { what: "a block before the header", .. }));
    let two_headers = [&file[..header_end], &file[9..]].concat();
    assert!(matches!(error(&two_headers), ReadError::Content { what: "a second header", .. }));
    let one_too_many = [&file[..file.len() - 14], &file[header_end..]].concat();
    assert!(matches!(error(&one_too_many), ReadError::Content { .. }));
    assert!(is_delay_file(&file) && is_delay_file(b"TRKDELAY\x02") && !is_delay_file(b"TRK"));
}

#[test]
fn a_record_that_contradicts_itself_is_not_written() {
    let mut out = Vec::new();
    let mut writer = Writer::begin(&header(), &mut out).unwrap();
    let backwards = Record { ended: ONE.sent - 1, ..ONE };
    let error = writer.push(&backwards, &mut out).unwrap_err();
    assert_eq!(error, RecordError::Backwards { sent: ONE.sent, ended: ONE.sent - 1 });
    let far = Record { ended: 1 << 62, ..ONE };
    assert_eq!(writer.push(&far, &mut out).unwrap_err(), RecordError::TooLate { found: 1 << 62 });
    let mut long = header();
    long.settings.insert("x".into(), "y".repeat(1 << 18));
    assert!(matches!(Writer::begin(&long, &mut out), Err(RecordError::Header { .. })));
}

#[test]
fn delays_from_due_and_from_sent() {
    assert_eq!((ONE.from_sent(), ONE.from_due()), (Some(1_300_000), 1_301_000));
    let unsent = Record { outcome: Outcome::Unsent, ..ONE };
    assert_eq!((unsent.from_sent(), unsent.from_due()), (None, 1_301_000));
    assert_eq!(Outcome::ALL.map(Outcome::has_answer), [true, true, false, false, false]);
    assert_eq!(Outcome::ALL.map(Outcome::name), ["answered", "late", "lost", "failed", "unsent"]);
}

fn any_record() -> impl Strategy<Value = Record> {
    let times = (0..1u64 << 62, 0..1u64 << 62, 0..1u64 << 62);
    (any::<u32>(), any::<u32>(), times, 0..5usize).prop_map(|(agent, round, (due, one, other), outcome)| {
        Record {
            agent,
            round,
            due,
            sent: one.min(other),
            ended: one.max(other),
            outcome: Outcome::ALL[outcome],
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_in_pieces_of_any_size(
        records in prop::collection::vec(any_record(), 0..200), piece in 1..3000usize
    ) {
        let file = written(&records);
        prop_assert_eq!(read(&file, piece), (records.clone(), Ok(Ending::Complete { records: records.len() as u64 })));
    }

    #[test]
    fn any_octets_are_read_or_refused(octets in prop::collection::vec(any::<u8>(), 0..400), piece in 1..50usize) {
        let file = written(&[ONE]);
        let begun = [&file[..file.len() - 14], &octets[..]].concat();
        prop_assert_eq!(read(&begun, piece), read(&begun, begun.len()));
    }
}
