//! The output of a `pass` program: an instance that can be sent back to it, or none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_regions::value;

fuzz_target!(|text: &[u8]| {
    let mut lines = text.split(|octet| *octet == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (name, kind, shown) = (line(), line(), line());
    let (name, kind) = (String::from_utf8_lossy(name), String::from_utf8_lossy(kind));
    let Some((instance, found)) = value::instance(&name, &kind, shown) else { return };
    assert_eq!(value::name(&instance).parse(), Ok(instance));
    let (kind, word) = value::set_words(found.as_value_ref());
    assert_eq!(value::parse(kind, word.as_bytes()), Some(found));
    let _ = value::refusal(&name);
});
