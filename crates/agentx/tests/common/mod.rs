//! What the tests of packets share.
#![allow(clippy::expect_used, reason = "a test that fails panics")]

/// Octets from hexadecimal digits; blanks are skipped.
pub fn octets(digits: &str) -> Vec<u8> {
    let digits: Vec<char> = digits.chars().filter(|digit| !digit.is_whitespace()).collect();
    let octet =
        |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hexadecimal digits");
    digits.chunks(2).map(octet).collect()
}
