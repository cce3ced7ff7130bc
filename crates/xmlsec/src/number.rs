//! Numbers as the form has them: decimal, in one spelling.

/// A number from 0 without sign or leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let octets = text.as_bytes();
    let plain = matches!(octets, [b'0'] | [b'1'..=b'9', ..]) && octets.iter().all(u8::is_ascii_digit);
    if plain { text.parse().ok() } else { None }
}

/// The number in decimal, into a buffer.
pub(crate) fn write(buffer: &mut Vec<u8>, number: u64) {
    trunkline_xml::Writer::new(buffer).unsigned(number);
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn one_spelling() {
        assert_eq!(decimal("0"), Some(0));
        assert_eq!(decimal("18446744073709551615"), Some(u64::MAX));
        for bad in ["", "00", "01", "+1", "-1", " 1", "1 ", "1.", "18446744073709551616", "\u{661}"] {
            assert_eq!(decimal(bad), None, "{bad:?}");
        }
    }
}
