//! Contents of files of /proc and the like: the first octet, from `a` on, selects the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_host::decode::FILES;

fuzz_target!(|input: &[u8]| {
    let Some((which, text)) = input.split_first() else { return };
    let Some((file, decode)) = FILES.get(usize::from(which.wrapping_sub(b'a'))) else { return };
    let entries = decode(text);
    // A few entries for the file, and at most one per word of it.
    assert!(entries.len() <= 2 + text.len().div_ceil(2), "{file}");
    // Nothing is made up: an octet takes at most six characters as Rust prints it, a field at most a name and 20
    // digits.
    let printed: usize = entries.iter().map(String::len).sum();
    assert!(printed <= 1024 + 512 * entries.len() + 8 * text.len(), "{file}: {printed} octets");
});
