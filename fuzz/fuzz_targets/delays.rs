//! Files of delays, names of metrics, and lists of delays in texts: read or refused, in pieces as in one; what is read is written
//! and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_delays::{
    Ending, Header, Metric, ReadError, Reader, Record, TextOptions, Unit, Writer, is_delay_file, read_text,
};

fuzz_target!(|octets: &[u8]| {
    let Some((&choice, rest)) = octets.split_first() else { return };
    match choice % 3 {
        0 => file(rest, usize::from(choice) + 1),
        1 => metric(rest),
        _ => text(rest),
    }
});

fn file(octets: &[u8], piece: usize) {
    check(octets, piece);
    // Few inputs have checksums: the same as the content of a file that begins well, and with its checksums made right.
    let mut begun = Vec::new();
    let header = Header::new("A-GroupDelay-Get-M-A-1".parse().unwrap());
    let _ = Writer::begin(&header, &mut begun).unwrap();
    let at = begun.len();
    begun.extend_from_slice(octets);
    check(&begun, piece);
    if begun.len() >= at + 13 {
        let length = (begun.len() - at - 13) as u32;
        begun[at + 1..at + 5].copy_from_slice(&length.to_le_bytes());
        let sum = {
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(&begun[at..at + 9]);
            hasher.update(&begun[at + 13..]);
            hasher.finalize()
        };
        begun[at + 9..at + 13].copy_from_slice(&sum.to_le_bytes());
        check(&begun, piece);
    }
}

fn check(octets: &[u8], piece: usize) {
    let in_pieces = read(octets, piece);
    assert_eq!(in_pieces, read(octets, octets.len().max(1)));
    let (header, records, ending) = in_pieces;
    if ending.is_ok() {
        assert!(is_delay_file(octets));
    }
    let Some(header) = header else { return };
    let mut again = Vec::new();
    let mut writer = Writer::begin(&header, &mut again).unwrap();
    for record in &records {
        writer.push(record, &mut again).unwrap();
    }
    writer.end(&mut again);
    let complete = Ok(Ending::Complete { records: records.len() as u64 });
    assert_eq!(read(&again, piece), (Some(header), records, complete));
}

fn read(octets: &[u8], piece: usize) -> (Option<Header>, Vec<Record>, Result<Ending, ReadError>) {
    let (mut reader, mut records) = (Reader::default(), Vec::new());
    'all: for piece in octets.chunks(piece) {
        reader.feed(piece);
        loop {
            match reader.next_block() {
                Ok(Some(block)) => records.extend(block),
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    break 'all;
                }
            }
        }
    }
    (reader.header().cloned(), records, reader.finish())
}

fn metric(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    match text.parse::<Metric>() {
        Ok(metric) => assert_eq!(metric.to_string(), text),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn text(octets: &[u8]) {
    for column in [None, Some("delay".to_owned())] {
        let options = TextOptions { unit: Unit::Microseconds, column };
        match read_text(octets, &options) {
            Ok(found) => {
                assert!(!found.lines.is_empty() && found.lines.len() <= octets.len());
                assert!(found.lines.iter().flat_map(|line| line.delay).all(|it| it.is_finite() && it >= 0.0));
            }
            Err(error) => assert!(error.to_string().len() < 2 * octets.len() + 400),
        }
    }
}
