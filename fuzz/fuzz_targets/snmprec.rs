//! Recordings (`.snmprec`) of whatever octets: refused with the line that is wrong, or read in the order of their names, and then
//! each instance is where a walk and a request look for it.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use trunkline_sim::objects::Objects;
use trunkline_sim::recorded::{Playback, Recording};
use trunkline_smi::OidBuf;
use trunkline_snmp::snmprec;

fuzz_target!(|octets: &[u8]| {
    let lines = octets.iter().filter(|octet| **octet == b'\n').count() + 1;
    let found = match snmprec::read(octets) {
        Ok(found) => found,
        Err(error) => return assert!(error.line <= lines),
    };
    assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
    let recording = Recording::read(octets).expect("it was read before");
    let agent = Playback { recording: &recording, number: None, uptime: Duration::ZERO };
    let (mut name, mut text, mut walked) = (OidBuf::new(), Vec::new(), 0);
    while agent.next(&mut name, &mut text).is_some() {
        assert_eq!(name[..], found[walked].0[..]);
        assert!(agent.get(&name, &mut text).is_ok());
        walked += 1;
    }
    assert_eq!(walked, found.len());
});
