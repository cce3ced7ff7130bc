//! Keys and engine IDs as text.

use zeroize::Zeroizing;

/// The octets of hexadecimal digits, in pairs.
pub(crate) fn hexadecimal(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let text = text.trim();
    let text = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let mut octets = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    let mut high = None;
    for character in text.chars() {
        match (character.to_digit(16), high) {
            (Some(digit), None) => high = Some(digit as u8),
            (Some(digit), Some(first)) => {
                octets.push(first << 4 | digit as u8);
                high = None;
            }
            (None, None) if matches!(character, ' ' | ':') => {}
            (None, _) => return None,
        }
    }
    high.is_none().then_some(octets)
}
