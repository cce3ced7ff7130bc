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

/// In hexadecimal digits if it does not fit 128 bits, since converting a number of a stranger would take quadratic time.
impl fmt::Display for BigInteger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.to_i128() {
            return write!(f, "{value}");
        }
        f.write_str(if self.negative { "-0x" } else { "0x" })?;
        self.magnitude.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

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
        assert_eq!(BigInteger::new(true, &[1; 17]).to_string(), format!("-0x{}", "01".repeat(17)));
        assert_eq!(BigInteger::new(true, &[0, 0]).signum(), 0);
    }
}
