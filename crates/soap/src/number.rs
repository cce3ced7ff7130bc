//! Numbers into a buffer, without `fmt`.

/// Appends a number in decimal.
#[inline]
pub fn write_u32(into: &mut Vec<u8>, number: u32) {
    if number < 10 {
        return into.push(b'0' + number as u8);
    }
    let (digits, len) = decimal(number);
    push_block(into, &digits.to_le_bytes(), len);
}

/// A number of at least 10 in decimal: sixteen octets, and how many of them count. There is no branch in it,
/// since the length of a number cannot be predicted.
#[inline(always)]
pub(crate) const fn decimal(number: u32) -> (u128, usize) {
    let (high, low) = (number / 100_000_000, number % 100_000_000);
    let high = (high / 10) | (high % 10) << 8;
    let digits = (eight_digits(low) as u128) << 16 | high as u128;
    let zeros = digits.trailing_zeros() / 8;
    (digits >> (zeros * 8) | ZEROS, 10 - zeros as usize)
}

/// A number from 1 to 99,999,999 in decimal: eight octets, and how many of them count.
#[inline(always)]
pub(crate) const fn short_decimal(number: u32) -> (u64, usize) {
    let digits = eight_digits(number);
    let zeros = digits.trailing_zeros() / 8;
    (digits >> (zeros * 8) | ZEROS as u64, 8 - zeros as usize)
}

/// The eight digits of a number below 100,000,000 as octets 0 to 9, the first one lowest: three divisions at once, by
/// multiplication, each on twice as many parts as the one before.
#[inline(always)]
const fn eight_digits(number: u32) -> u64 {
    let fours = (number / 10_000) as u64 | ((number % 10_000) as u64) << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds + ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens + ((twos - tens * 10) << 8)
}

/// A number below 100,000,000 in eight digits.
pub(crate) const fn eight(number: u32) -> [u8; 8] {
    (eight_digits(number) | ZEROS as u64).to_le_bytes()
}

/// Sixteen times the character 0.
const ZEROS: u128 = 0x3030_3030_3030_3030_3030_3030_3030_3030;

/// Appends the first `len` octets of a block, which is copied as a whole.
#[inline]
pub(crate) fn push_block<const N: usize>(into: &mut Vec<u8>, block: &[u8; N], len: usize) {
    let before = into.len();
    into.extend_from_slice(block);
    into.truncate(before + len);
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

const HEX: &[u8; 16] = b"0123456789ABCDEF";

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
        for number in [
            0,
            9,
            10,
            99,
            100,
            101,
            999,
            1000,
            9999,
            10_000,
            99_999_999,
            100_000_000,
            4_000_000_000,
            u32::MAX,
        ] {
            let mut into = Vec::new();
            write_u32(&mut into, number);
            assert_eq!(String::from_utf8(into).unwrap(), number.to_string());
        }
        let mut into = Vec::new();
        write_hex(&mut into, &[0, 0x40, 0xc9]);
        assert_eq!(into, b"0040C9");
    }
}
