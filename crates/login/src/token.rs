//! A user's keys of protected messages in a role, as a file: what `trunkline rbac token` writes and `--keys` reads.
//!
//! ```toml
//! name = "operator/3/ann"
//! authentication = "7a73..."      # 32 octets in hexadecimal digits
//! encryption = "c6ae..."
//! cipher = "aes-256-gcm"          # default aes-128-gcm; none: messages are signed only
//! signature = "hmac-sha256"       # the default
//! ```

use std::path::Path;

use serde::{Deserialize, Deserializer};
use trunkline_client::netconf::security::{Cipher, KeyName, Protection, SignatureMethod, UserKeys};
use trunkline_client::netconf::{MessageKeys, OwnKeys};
use zeroize::Zeroizing;

use crate::mistake::Mistake;
use crate::private::{private_file, write_private};

/// A user's keys in one epoch of a role.
#[derive(Clone, Debug)]
pub struct RoleToken {
    name: KeyName,
    keys: UserKeys,
    protection: Protection,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    #[serde(deserialize_with = "secret")]
    authentication: Zeroizing<[u8; SECRET]>,
    #[serde(deserialize_with = "secret")]
    encryption: Zeroizing<[u8; SECRET]>,
    cipher: Option<String>,
    signature: Option<String>,
}

impl RoleToken {
    /// The keys of a member, with the usual protection; `None` if the name is that of a public key.
    #[must_use]
    pub fn new(name: KeyName, keys: UserKeys) -> Option<Self> {
        name.role()?;
        Some(RoleToken { name, keys, protection: Protection::default() })
    }

    /// Reads a file, which only its owner may read.
    ///
    /// # Errors
    /// It cannot be read, others can read it, or it is not a token. No error contains text of the file.
    pub fn read(path: &Path) -> Result<Self, Mistake> {
        let octets = Zeroizing::new(private_file(path)?);
        let text = std::str::from_utf8(&octets).map_err(|_| Mistake("it is not UTF-8".to_owned()));
        let token = text.and_then(Self::parse);
        token.map_err(|Mistake(words)| Mistake(format!("{}: not a token of keys: {words}", path.display())))
    }

    /// Reads a token's text.
    ///
    /// # Errors
    /// What is wrong, without the text.
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        // The words of the TOML reader quote the line, which may hold a secret.
        let raw: Raw = toml::from_str(text).map_err(|fault| {
            let before = fault.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            Mistake(format!("line {}: expected {EXPECTED}", before.matches('\n').count() + 1))
        })?;
        let name: KeyName = raw.name.parse().map_err(|fault| Mistake(format!("name: {fault}")))?;
        if name.role().is_none() {
            return Err(Mistake("name: expected ROLE/EPOCH/USER, found the name of a public key".to_owned()));
        }
        let usual = Protection::default();
        let cipher = match raw.cipher.as_deref() {
            None => usual.cipher,
            Some("none") => None,
            Some(word) => Some(named(Cipher::ALL, Cipher::name, word, "cipher", ", none")?),
        };
        let signature = match raw.signature.as_deref() {
            None => usual.signature,
            Some(word) => named(SHARED, SignatureMethod::name, word, "signature", "")?,
        };
        let keys = UserKeys::new(&raw.authentication, &raw.encryption);
        Ok(RoleToken { name, keys, protection: Protection { cipher, signature } })
    }

    /// Whose keys they are: `ROLE/EPOCH/USER`.
    #[must_use]
    pub fn name(&self) -> &KeyName {
        &self.name
    }

    /// How messages are protected by them.
    #[must_use]
    pub fn protection(&self) -> Protection {
        self.protection
    }

    /// The text of a token's file. It is secret.
    #[must_use]
    pub fn text(&self) -> Zeroizing<String> {
        let (authentication, encryption) = self.keys.secrets();
        let mut text = Zeroizing::new(String::with_capacity(512));
        let mut line = |name: &str, value: &str| {
            for piece in [name, " = \"", value, "\"\n"] {
                text.push_str(piece);
            }
        };
        line("name", &self.name.to_string());
        line("authentication", &hexadecimal(authentication));
        line("encryption", &hexadecimal(encryption));
        let (Protection { cipher, signature }, usual) = (self.protection, Protection::default());
        if cipher != usual.cipher {
            line("cipher", cipher.map_or("none", Cipher::name));
        }
        if signature != usual.signature {
            line("signature", signature.name());
        }
        text
    }

    /// Writes it to a file that only its owner may read: whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Mistake> {
        write_private(path, self.text().as_bytes())
    }

    /// The keys, for a session.
    #[must_use]
    pub fn into_keys(self) -> MessageKeys {
        MessageKeys { name: self.name, own: OwnKeys::Shared(self.keys), protection: self.protection }
    }
}

/// Hexadecimal digits of a secret.
#[must_use]
pub fn hexadecimal(octets: &[u8]) -> Zeroizing<String> {
    let mut digits = Zeroizing::new(String::with_capacity(octets.len() * 2));
    for octet in octets {
        for half in [octet >> 4, octet & 15] {
            digits.push(char::from(b"0123456789abcdef"[usize::from(half)]));
        }
    }
    digits
}

/// The octets of a secret in hexadecimal digits; `None` if there are not just so many.
#[must_use]
pub fn of_hexadecimal<const LENGTH: usize>(digits: &str) -> Option<Zeroizing<[u8; LENGTH]>> {
    let mut octets = Zeroizing::new([0; LENGTH]);
    if digits.len() != LENGTH * 2 {
        return None;
    }
    for (octet, pair) in octets.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
        *octet = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(octets)
}

fn secret<'de, D: Deserializer<'de>>(from: D) -> Result<Zeroizing<[u8; SECRET]>, D::Error> {
    let digits = Zeroizing::new(String::deserialize(from)?);
    of_hexadecimal(&digits).ok_or_else(|| serde::de::Error::custom("a secret"))
}

/// The algorithm of this name.
fn named<T: Copy, const COUNT: usize>(
    all: [T; COUNT],
    name: fn(T) -> &'static str,
    word: &str,
    what: &str,
    more: &str,
) -> Result<T, Mistake> {
    let found = all.into_iter().find(|it| name(*it) == word);
    found.ok_or_else(|| Mistake(format!("{what}: expected one of {}{more}", all.map(name).join(", "))))
}

/// Octets of a secret.
const SECRET: usize = 32;
/// The methods of shared keys.
const SHARED: [SignatureMethod; 2] = [SignatureMethod::HmacSha256, SignatureMethod::HmacSha1];
/// What a token has.
const EXPECTED: &str =
    "name, authentication and encryption (64 hexadecimal digits each), and perhaps cipher and signature";

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    fn token(name: &str, authentication: &[u8; 32], encryption: &[u8; 32]) -> RoleToken {
        RoleToken::new(name.parse().unwrap(), UserKeys::new(authentication, encryption)).unwrap()
    }

    fn usual() -> String {
        token("operator/3/ann", &[0xab; 32], &[0xcd; 32]).text().as_str().to_owned()
    }

    #[test]
    fn the_text_is_as_documented() {
        let (a, e) = ("ab".repeat(32), "cd".repeat(32));
        assert_eq!(
            usual(),
            format!("name = \"operator/3/ann\"\nauthentication = \"{a}\"\nencryption = \"{e}\"\n")
        );
        assert!(RoleToken::new("user/ann".parse().unwrap(), UserKeys::new(&[0; 32], &[0; 32])).is_none());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(a in any::<[u8; 32]>(), e in any::<[u8; 32]>(), cipher in 0..4_usize, signature in 0..2_usize) {
            let mut token = token("operator/4294967295/ann", &a, &e);
            token.protection.cipher = Cipher::ALL.get(cipher).copied();
            token.protection.signature = SHARED[signature];
            let again = RoleToken::parse(&token.text()).unwrap();
            prop_assert_eq!(again.keys.secrets(), (&a, &e));
            prop_assert_eq!((again.name(), again.protection()), (token.name(), token.protection()));
        }

        #[test]
        fn no_text_is_a_panic(text in "\\PC{0,200}") {
            let _ = RoleToken::parse(&text);
        }
    }

    #[test]
    fn mistakes_are_named_without_the_secrets() {
        let usual = usual();
        let secret = "ab".repeat(32);
        for (text, words) in [
            (String::new(), "line 1: expected name"),
            (usual.replace(&format!("\"{secret}\""), &secret), "line 2"),
            (usual.replace(&secret, &format!("{secret}a")), "line 2"),
            (usual.replace(&secret, &format!("{}\u{e9}", "ab".repeat(31))), "line 2"),
            (usual.replace("abab", "abxy"), "line 2"),
            (format!("{usual}{secret} = 1\n"), "line 4"),
            (usual.replace("encryption", "authentication"), "line 3"),
            (usual.replace("operator/3/ann", "user/ann"), "found the name of a public key"),
            (usual.replace("/3/", "/03/"), "without leading zeros"),
            (format!("{usual}cipher = \"rot13\"\n"), "cipher: expected one of aes-128-cbc, "),
            (
                format!("{usual}signature = \"rsa-sha256\"\n"),
                "signature: expected one of hmac-sha256, hmac-sha1",
            ),
        ] {
            let fault = RoleToken::parse(&text).unwrap_err().to_string();
            assert!(fault.contains(words) && !fault.contains("abab"), "{words}: {fault}");
        }
        assert!(!format!("{:?}", RoleToken::parse(&usual).unwrap()).contains("171"));
    }

    #[test]
    fn a_file_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ann.toml");
        RoleToken::parse(&usual()).unwrap().write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(RoleToken::read(&path).unwrap().into_keys().name.to_string(), "operator/3/ann");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert!(RoleToken::read(&path).unwrap_err().to_string().contains("chmod 600"));
        write_private(&path, b"\xff").unwrap();
        assert!(RoleToken::read(&path).unwrap_err().to_string().contains("not UTF-8"));
        assert!(
            RoleToken::read(&folder.path().join("none")).unwrap_err().to_string().contains("No such file")
        );
    }
}
