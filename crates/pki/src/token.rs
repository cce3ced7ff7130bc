//! Tokens with which programs authenticate to the agent over HTTP.

use std::fmt;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::Error;
use crate::key::random;

/// A token: 256 random bits, so that its hash needs no salt and it cannot be guessed.
pub struct Token(Zeroizing<String>);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// No random numbers.
    pub fn create() -> Result<Self, Error> {
        let octets = Zeroizing::new(random::<32>()?);
        Ok(Self(Zeroizing::new(hexadecimal(octets.as_ref()))))
    }

    /// What its holder shows.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What the agent's configuration keeps of it: `sha256:` and the digest of the text.
    #[must_use]
    pub fn hash(&self) -> String {
        format!("sha256:{}", hexadecimal(&Sha256::digest(self.0.as_bytes())))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_of_the_text_and_no_two_tokens_are_the_same() {
        let (one, other) = (Token::create().unwrap(), Token::create().unwrap());
        assert_ne!(one.text(), other.text());
        assert_eq!((one.text().len(), one.hash().len()), (64, 7 + 64));
        let known = Token(Zeroizing::new("abc".to_owned()));
        // FIPS 180-2, the first example.
        assert!(known.hash().starts_with("sha256:ba7816bf8f01cfea414140de5dae2223"));
        assert_eq!(format!("{known:?}"), "Token");
    }
}
