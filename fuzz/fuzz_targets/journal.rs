//! Journals of the state directory, whatever a crash or another program has made of them: refused, or read up to a record, and what was
//! read is what would be written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_admin::journal::{Records, frame};

fuzz_target!(|input: &[u8]| {
    // Most inputs have a good head.
    let octets = match input.split_first() {
        Some((b'h', rest)) => [b"# trunklined journal, version 1, of generation 7\n", rest].concat(),
        _ => input.to_vec(),
    };
    let Ok(found) = Records::read(&octets) else { return };
    assert!(found.length <= octets.len());
    let begin = octets.iter().position(|octet| *octet == b'\n').expect("a head") + 1;
    let written: Vec<u8> = found.all.iter().flat_map(|record| frame(record).expect("a record")).collect();
    assert_eq!(written, octets[begin..found.length]);
    // Cut anywhere, no other records appear.
    let cut = &octets[..begin + (octets.len() - begin) / 2];
    if let Ok(part) = Records::read(cut) {
        assert!(found.all.starts_with(&part.all));
    }
});
