//! A display hint, a newline, and octets (also taken as text) to format and parse with it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_mib::{DisplayHint, OctetForm, OctetSpec};

fuzz_target!(|input: &[u8]| {
    let (hint, octets) =
        input.split_at(input.iter().position(|octet| *octet == b'\n').unwrap_or(input.len()));
    let octets = octets.get(1..).unwrap_or_default();
    let Some(hint) = std::str::from_utf8(hint).ok().and_then(DisplayHint::parse) else { return };
    if let Ok(text) = std::str::from_utf8(octets) {
        hint.parse_integer(text);
        hint.parse_octets(text);
    }
    match &hint {
        DisplayHint::Integer(_) => check_integers(&hint, octets),
        DisplayHint::Octets(specs) => check_octets(&hint, specs, octets),
    }
});

/// Any SMI integer is formatted and parsed back the same.
fn check_integers(hint: &DisplayHint, octets: &[u8]) {
    assert_eq!(hint.format_octets(octets), None);
    for octets in octets.chunks_exact(4) {
        let number = i32::from_be_bytes(octets.try_into().expect("chunks of 4"));
        for number in [number.into(), i64::from(number as u32)] {
            let text = hint.format_integer(number).expect("a hint for integers");
            assert_eq!(hint.parse_integer(&text), Some(number), "{text}");
        }
    }
}

/// Octets can always be formatted, and are parsed back the same if the text shows where each group ends.
fn check_octets(hint: &DisplayHint, specs: &[OctetSpec], octets: &[u8]) {
    assert_eq!(hint.format_integer(7), None);
    let text = hint.format_octets(octets).expect("a hint for octets");
    let back = hint.parse_octets(&text);
    if says_where_groups_end(specs, octets.len()) {
        assert_eq!(back.as_deref(), Some(octets), "{text}");
    }
}

/// Numbers are separated, and there are only complete groups.
fn says_where_groups_end(specs: &[OctetSpec], length: usize) -> bool {
    let is_number = |spec: &OctetSpec| {
        matches!(spec.form, OctetForm::Decimal | OctetForm::Hexadecimal | OctetForm::Octal)
            && !spec.repeats
            && (1..=16).contains(&spec.length)
    };
    let is_apart = |spec: &OctetSpec| spec.separator.is_some_and(|mark| !mark.is_ascii_hexdigit());
    let (Some((last, others)), once) = (specs.split_last(), specs.iter().map(|spec| spec.length).sum())
    else {
        return false;
    };
    let whole = length == once
        || length > once && is_apart(last) && (length - once).is_multiple_of(last.length.max(1));
    specs.iter().all(is_number) && others.iter().all(is_apart) && whole
}
