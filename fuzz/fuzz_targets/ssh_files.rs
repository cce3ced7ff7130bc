//! What SSH parses from files and from the small program: authorized keys, known hosts, the preamble of the local
//! socket. The first octet selects one.
#![no_main]

use std::net::{IpAddr, Ipv4Addr};

use libfuzzer_sys::fuzz_target;
use trunkline_transport::local::{Preamble, SshConnection};
use trunkline_transport::ssh::{authorized_keys, known_hosts};

fuzz_target!(|input: &[u8]| {
    let Some((which, octets)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(octets);
    match which {
        b'a' => authorized(&text),
        b'k' => known(&text),
        _ => preamble(octets, &text),
    }
});

/// Each accepting line has a key, and no line is returned twice.
fn authorized(text: &str) {
    let mut last = 0;
    for (number, line) in authorized_keys::lines(text) {
        assert!(number > last && number <= text.lines().count());
        last = number;
        match line {
            Ok(key) => {
                assert!(key.fingerprint().starts_with("SHA256:"));
                let _ = key.admits(IpAddr::V4(Ipv4Addr::LOCALHOST));
            }
            Err(fault) => assert!(!fault.to_string().contains(char::is_control)),
        }
    }
}

/// A line that matches a host matches it in every form of its name.
fn known(text: &str) {
    for (_, host) in known_hosts::lines(text) {
        let name = known_hosts::name_of("Router", 5161);
        assert_eq!(host.is_about(&name), host.is_about(&known_hosts::name_of("router", 5161)));
    }
}

/// A parsed preamble is printed the same, apart from the spelling of an address.
fn preamble(octets: &[u8], text: &str) {
    if let Ok(preamble) = Preamble::parse(octets) {
        assert_eq!(Preamble::parse(preamble.to_string().as_bytes()), Ok(preamble));
    }
    if let Ok(connection) = text.parse::<SshConnection>() {
        assert_eq!(connection.to_string().parse(), Ok(connection));
    }
}
