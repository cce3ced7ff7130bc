//! Numbers of any size.

use std::fmt;

/// `java.math.BigInteger`: a sign and a magnitude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigInteger {
    negative: bool,
    /// Most significant octet first, without leading zeros.
    magnitude: Vec<u8>,
}

/// `java.math.BigDecimal`: `unscaled` times ten to the power of `-scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigDecimal {
    /// The digits.
    pub unscaled: BigInteger,
    /// How many of them stand after the point.
    pub scale: i32,
}

impl BigInteger {
    /// A number from its sign and its magnitude, most significant octet first.
    pub fn new(negative: bool, magnitude: &[u8]) -> Self {
        let first = magnitude.iter().position(|octet| *octet != 0).unwrap_or(magnitude.len());
        let magnitude = magnitude[first..].to_vec();
        BigInteger { negative: negative && !magnitude.is_empty(), magnitude }
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match (self.magnitude.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// The magnitude, most significant octet first.
    pub fn magnitude(&self) -> &[u8] {
        &self.magnitude
    }

    /// The number, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        let mut value = 0_i128;
        for octet in &self.magnitude {
            value = value.checked_mul(256)?.checked_add(i128::from(*octet))?;
        }
        Some(if self.negative { -value } else { value })
    }
}

impl From<u64> for BigInteger {
    fn from(value: u64) -> Self {
        BigInteger::new(false, &value.to_be_bytes())
    }
}

impl From<i128> for BigInteger {
    fn from(value: i128) -> Self {
        BigInteger::new(value < 0, &value.unsigned_abs().to_be_bytes())
    }
}

/// In hexadecimal digits if it is very long, since converting a number of a stranger takes quadratic time.
impl fmt::Display for BigInteger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.negative { "-" } else { "" })?;
        if self.magnitude.len() <= DECIMAL {
            return self.decimal(f);
        }
        f.write_str("0x")?;
        self.magnitude.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl BigInteger {
    /// The magnitude, nine digits after the other from its end.
    fn decimal(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limbs: Vec<u32> = self.magnitude.rchunks(4).rev().map(limb).collect();
        let mut groups = Vec::new();
        while !limbs.is_empty() {
            let mut rest = 0_u64;
            for limb in &mut limbs {
                let value = (rest << 32) | u64::from(*limb);
                *limb = (value / GROUP) as u32;
                rest = value % GROUP;
            }
            groups.push(rest);
            if limbs[0] == 0 {
                limbs.remove(0);
            }
        }
        write!(f, "{}", groups.pop().unwrap_or(0))?;
        groups.iter().rev().try_for_each(|group| write!(f, "{group:09}"))
    }
}

fn limb(octets: &[u8]) -> u32 {
    octets.iter().fold(0, |limb, octet| (limb << 8) | u32::from(*octet))
}

/// Numbers of more octets are not converted.
const DECIMAL: usize = 2048;
/// Nine digits.
const GROUP: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for value in [0_i128, 1, -1, 255, 256, -65_536, i128::from(u64::MAX), -(1 << 100)] {
            let number = BigInteger::from(value);
            assert_eq!(number.to_i128(), Some(value));
            assert_eq!(number.signum(), value.signum() as i32);
            assert_eq!(number.to_string(), value.to_string());
        }
        assert_eq!(BigInteger::from(u64::MAX).to_string(), "18446744073709551615");
        let large = BigInteger::new(true, &[&[1][..], &[0; 16]].concat());
        assert_eq!(large.to_string(), "-340282366920938463463374607431768211456");
        // 2 to the power of 5000, from its ends.
        let text = BigInteger::new(false, &[&[1][..], &[0; 625]].concat()).to_string();
        assert_eq!(text.len(), 1506);
        assert!(text.starts_with("14124670321394260368") && text.ends_with("0917191909376"), "{text}");
        // Groups of zeros stay.
        assert_eq!(BigInteger::from(10_i128.pow(30)).to_string(), format!("1{}", "0".repeat(30)));
        assert_eq!(BigInteger::new(true, &[1; 2049]).to_string(), format!("-0x{}", "01".repeat(2049)));
        assert_eq!(BigInteger::new(true, &[0, 0]).signum(), 0);
    }
}
