//! Datagrams of the kernel, whole and truncated; attributes, which are also encoded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_host::decode::{netlink, netlink_attributes, push_netlink_attribute};

fuzz_target!(|octets: &[u8]| {
    let messages = netlink(octets);
    assert!(messages.len() <= octets.len() / 16, "each has a header of 16 octets");
    // The part before a truncation is parsed the same.
    for end in [octets.len() / 2, octets.len().saturating_sub(1)] {
        assert!(messages.starts_with(&netlink(&octets[..end])), "cut at {end}");
    }
    let attributes = netlink_attributes(octets);
    let mut written = Vec::new();
    attributes.iter().for_each(|(kind, value)| push_netlink_attribute(&mut written, *kind, value));
    assert_eq!(netlink_attributes(&written), attributes);
});
