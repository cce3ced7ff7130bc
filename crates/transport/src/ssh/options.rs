//! Options of both ends of SSH.

use std::borrow::Cow;
use std::time::Duration;

use russh::keys::{Algorithm, EcdsaCurve, HashAlg};
use russh::{Preferred, cipher, compression, kex, mac};

/// How an end of an SSH connection carries messages. The defaults are for production; other values are for
/// measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshOptions {
    /// Sends a message at once, without waiting for an acknowledgement of the previous one (Nagle's algorithm is
    /// off). Default true.
    pub nodelay: bool,
    /// When the peer's window is extended. Default [`WindowUpdates::WhenNeeded`].
    pub window_updates: WindowUpdates,
    /// The algorithms to negotiate, in order of preference.
    pub algorithms: SshAlgorithms,
    /// Rekeys after this many octets in one direction; at most 1 GiB, the default.
    pub rekey_octets: u32,
    /// Rekeys after this time. Default 1 hour (RFC 4253 section 9).
    pub rekey_time: Duration,
}

impl Default for SshOptions {
    fn default() -> Self {
        Self {
            nodelay: true,
            window_updates: WindowUpdates::WhenNeeded,
            algorithms: SshAlgorithms::default(),
            rekey_octets: MOST_OCTETS,
            rekey_time: Duration::from_secs(3600),
        }
    }
}

impl SshOptions {
    pub(super) fn limits(&self) -> russh::Limits {
        let octets = self.rekey_octets.min(MOST_OCTETS) as usize;
        russh::Limits::new(octets, octets, self.rekey_time)
    }
}

/// When the peer's window is extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WindowUpdates {
    /// When half of the window is used: one packet in thousands of messages.
    #[default]
    WhenNeeded,
    /// After each packet, as the prototype of Marinov 2006 did at first (section 4.2): one more packet per
    /// message. The library decides on its own when it extends the window, so this sends a channel request that
    /// needs no reply and changes nothing: as many packets at the same moments, each 16 octets longer.
    EachTime,
}

/// The algorithms of a connection, in order of preference. The client's order decides (RFC 4253 section 7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshAlgorithms {
    key_exchanges: Vec<&'static str>,
    ciphers: Vec<&'static str>,
    macs: Vec<&'static str>,
}

/// An unsupported algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} `{name}`; there are: {}", known.join(", "))]
pub struct UnknownAlgorithm {
    /// Its purpose.
    pub kind: &'static str,
    /// Its name, as given.
    pub name: String,
    /// The supported ones.
    pub known: Vec<&'static str>,
}

impl Default for SshAlgorithms {
    fn default() -> Self {
        let [key_exchanges, ciphers, macs] = [&KEY_EXCHANGES[..], &CIPHERS[..], &MACS[..]].map(<[_]>::to_vec);
        Self { key_exchanges, ciphers, macs }
    }
}

impl SshAlgorithms {
    /// Only these ciphers, by their names in SSH (`aes128-ctr`, `aes128-gcm@openssh.com`, ...).
    ///
    /// # Errors
    /// [`UnknownAlgorithm`].
    pub fn with_ciphers(mut self, names: &[&str]) -> Result<Self, UnknownAlgorithm> {
        self.ciphers = known("cipher", names, &CIPHERS)?;
        Ok(self)
    }

    /// Only these MACs, by their names in SSH (`hmac-sha2-256-etm@openssh.com`, ...). An AEAD cipher uses none.
    ///
    /// # Errors
    /// [`UnknownAlgorithm`].
    pub fn with_macs(mut self, names: &[&str]) -> Result<Self, UnknownAlgorithm> {
        self.macs = known("message authentication code", names, &MACS)?;
        Ok(self)
    }

    /// Only these key exchanges, by their names in SSH (`curve25519-sha256`, ...).
    ///
    /// # Errors
    /// [`UnknownAlgorithm`].
    pub fn with_key_exchanges(mut self, names: &[&str]) -> Result<Self, UnknownAlgorithm> {
        self.key_exchanges = known("key exchange", names, &KEY_EXCHANGES)?;
        Ok(self)
    }

    pub(super) fn preferred(&self) -> Preferred {
        fn named<'a, N: TryFrom<&'a str>>(names: &[&'a str]) -> Vec<N> {
            names.iter().filter_map(|name| N::try_from(name).ok()).collect()
        }
        let mut exchanges: Vec<kex::Name> = named(&self.key_exchanges);
        exchanges.extend(EXTENSIONS);
        Preferred {
            kex: exchanges.into(),
            key: Cow::Borrowed(KEYS),
            host_key_certificates: Cow::Borrowed(&[]),
            cipher: named::<cipher::Name>(&self.ciphers).into(),
            mac: named::<mac::Name>(&self.macs).into(),
            compression: Cow::Borrowed(&[compression::NONE]),
        }
    }
}

fn known(
    kind: &'static str,
    names: &[&str],
    known: &[&'static str],
) -> Result<Vec<&'static str>, UnknownAlgorithm> {
    let find = |name: &&str| known.iter().find(|known| *known == name).copied();
    let unknown = |name: &str| UnknownAlgorithm { kind, name: name.into(), known: known.to_vec() };
    if names.is_empty() {
        return Err(unknown(""));
    }
    names.iter().map(|name| find(name).ok_or_else(|| unknown(name))).collect()
}

const MOST_OCTETS: u32 = 1 << 30;

const KEY_EXCHANGES: [&str; 6] = [
    "mlkem768x25519-sha256",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
];
const CIPHERS: [&str; 6] = [
    "aes256-gcm@openssh.com",
    "aes128-gcm@openssh.com",
    "chacha20-poly1305@openssh.com",
    "aes256-ctr",
    "aes192-ctr",
    "aes128-ctr",
];
const MACS: [&str; 4] =
    ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"];
const EXTENSIONS: [kex::Name; 4] = [
    kex::EXTENSION_SUPPORT_AS_CLIENT,
    kex::EXTENSION_SUPPORT_AS_SERVER,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
];
/// Keys of hosts and users; RSA without SHA-1.
const KEYS: &[Algorithm] = &[
    Algorithm::Ed25519,
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 },
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP384 },
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP521 },
    Algorithm::Rsa { hash: Some(HashAlg::Sha512) },
    Algorithm::Rsa { hash: Some(HashAlg::Sha256) },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_to_the_library() {
        let preferred = SshAlgorithms::default().preferred();
        assert_eq!(preferred.kex.len(), KEY_EXCHANGES.len() + EXTENSIONS.len());
        assert_eq!((preferred.cipher.len(), preferred.mac.len()), (CIPHERS.len(), MACS.len()));
    }

    #[test]
    fn unknown_names_are_errors_that_list_the_known_ones() {
        let wrong = SshAlgorithms::default().with_ciphers(&["aes128-ctr", "rot13"]).unwrap_err();
        assert!(
            wrong.to_string().starts_with("no cipher `rot13`; there are: aes256-gcm@openssh.com,"),
            "{wrong}"
        );
        assert!(SshAlgorithms::default().with_macs(&[]).is_err());
        let one = SshAlgorithms::default().with_ciphers(&["aes128-ctr"]).unwrap();
        assert_eq!(one.preferred().cipher.len(), 1);
    }
}
