//! Numbers into a buffer, without `fmt`.

/// Appends a number in decimal.
#[inline]
pub fn write_u32(into: &mut Vec<u8>, number: u32) {
    if number < 10 {
        into.push(b'0' + number as u8);
        return;
    }
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut rest = number;
    while rest >= 100 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(pair(rest % 100));
        rest /= 100;
    }
    if rest >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(pair(rest));
    } else {
        at -= 1;
        digits[at] = b'0' + rest as u8;
    }
    into.extend_from_slice(&digits[at..]);
}

/// Appends a number in decimal.
#[inline]
pub fn write_i32(into: &mut Vec<u8>, number: i32) {
    if number < 0 {
        into.push(b'-');
    }
    write_u32(into, number.unsigned_abs());
}

/// Appends a number in decimal.
#[inline]
pub fn write_u64(into: &mut Vec<u8>, number: u64) {
    if let Ok(small) = u32::try_from(number) {
        return write_u32(into, small);
    }
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = number;
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    into.extend_from_slice(&digits[at..]);
}

/// Appends sub-identifiers with something between.
pub fn write_oid(into: &mut Vec<u8>, sub_ids: &[u32], between: u8) {
    for (position, sub_id) in sub_ids.iter().enumerate() {
        if position > 0 {
            into.push(between);
        }
        write_u32(into, *sub_id);
    }
}

/// Appends octets in hexadecimal, two capital digits each, as the canonical form of xsd:hexBinary has them.
pub fn write_hex(into: &mut Vec<u8>, octets: &[u8]) {
    for octet in octets {
        into.extend_from_slice(&hex(*octet));
    }
}

/// The two capital digits of an octet.
pub(crate) const fn hex(octet: u8) -> [u8; 2] {
    [HEX[(octet >> 4) as usize], HEX[(octet & 15) as usize]]
}

/// An octet of two digits, capital or small.
pub(crate) fn unhex(high: u8, low: u8) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

#[inline]
fn pair(number: u32) -> &'static [u8] {
    let at = number as usize * 2;
    &PAIRS[at..at + 2]
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

const PAIRS: &[u8; 200] = &{
    let mut pairs = [0u8; 200];
    let mut at = 0;
    while at < 100 {
        pairs[at * 2] = b'0' + (at / 10) as u8;
        pairs[at * 2 + 1] = b'0' + (at % 10) as u8;
        at += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_fmt(a in any::<u32>(), b in any::<i32>(), c in any::<u64>()) {
            let mut into = Vec::new();
            write_u32(&mut into, a);
            into.push(b' ');
            write_i32(&mut into, b);
            into.push(b' ');
            write_u64(&mut into, c);
            prop_assert_eq!(String::from_utf8(into).unwrap(), format!("{a} {b} {c}"));
        }
    }

    #[test]
    fn edges() {
        for number in [0, 9, 10, 99, 100, 101, 999, 1000, 9999, 10_000, u32::MAX] {
            let mut into = Vec::new();
            write_u32(&mut into, number);
            assert_eq!(String::from_utf8(into).unwrap(), number.to_string());
        }
        let mut into = Vec::new();
        write_hex(&mut into, &[0, 0x40, 0xc9]);
        assert_eq!(into, b"0040C9");
    }
}
