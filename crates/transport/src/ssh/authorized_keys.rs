//! The keys that a user may log in with: a file in the form of OpenSSH's `authorized_keys` (sshd(8)).
//!
//! ```text
//! # comment
//! [options] ssh-ed25519 AAAAC3Nz... comment
//! ```
//!
//! A line with restricting options that are not supported here accepts nobody.

use std::net::IpAddr;

use russh::keys::{HashAlg, PublicKey};

/// Octets of such a file, at most.
pub const LONGEST_FILE: u64 = 1 << 20;

/// A key of the file, and the addresses from which it may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizedKey {
    key: PublicKey,
    /// The address must match every list.
    from: Vec<AddressList>,
}

/// Why a line accepts nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// It has no public key, or one of an unsupported kind.
    #[error("no public key that is known here")]
    NoKey,
    /// An unknown option, or one that this server cannot enforce.
    #[error("the option `{0}` is not one that this server can keep")]
    Option(String),
    /// Unterminated quotes.
    #[error("a quotation that does not end")]
    Quotes,
}

impl AuthorizedKey {
    /// The key's fingerprint as OpenSSH shows it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.key.fingerprint(HashAlg::Sha256).to_string()
    }

    /// Whether a client at this address may use it.
    #[must_use]
    pub fn admits(&self, peer: IpAddr) -> bool {
        self.from.iter().all(|list| list.admits(peer.to_canonical()))
    }
}

/// The meaning of each line of the file, with its number from 1; comments and empty lines are skipped.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, Result<AuthorizedKey, LineFault>)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let line = line.trim();
        let says = !line.is_empty() && !line.starts_with('#');
        says.then(|| (number, parsed(line)))
    })
}

/// Whether the file accepts this key from this address.
pub(super) fn admit(text: &str, key: &PublicKey, peer: IpAddr) -> bool {
    lines(text)
        .filter_map(|(_, line)| line.ok())
        .any(|line| line.key.key_data() == key.key_data() && line.admits(peer))
}

fn parsed(line: &str) -> Result<AuthorizedKey, LineFault> {
    if let Some(key) = public_key(line) {
        return Ok(AuthorizedKey { key, from: Vec::new() });
    }
    let (options, rest) = split_options(line)?;
    // An unsupported option is reported before any fault after it.
    let from = understood(&options)?;
    Ok(AuthorizedKey { key: public_key(rest).ok_or(LineFault::NoKey)?, from })
}

/// A key's kind and its octets in base64, optionally followed by words.
pub(super) fn public_key(text: &str) -> Option<PublicKey> {
    let mut words = text.split_ascii_whitespace();
    let (kind, octets) = (words.next()?, words.next()?);
    if octets.len() > LONGEST_KEY || kind.contains("-cert-") {
        return None;
    }
    PublicKey::from_openssh(&format!("{kind} {octets}")).ok()
}

/// An option's name, and its value if it has one.
type KeyOption = (String, Option<String>);

/// Options are separated by commas and end at the first blank outside quotes; `\"` is a quote within quotes.
fn split_options(line: &str) -> Result<(Vec<KeyOption>, &str), LineFault> {
    let (mut options, mut word, mut value) = (Vec::new(), String::new(), None::<String>);
    let mut quoted = false;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quoted && letters.peek().is_some_and(|(_, next)| *next == '"') => {
                letters.next();
                value.as_mut().unwrap_or(&mut word).push('"');
            }
            '"' => quoted = !quoted,
            '=' if value.is_none() && !quoted => value = Some(String::new()),
            ',' if !quoted => options.push((std::mem::take(&mut word), value.take())),
            ' ' | '\t' if !quoted => {
                options.push((word, value));
                return Ok((options, &line[at..]));
            }
            letter => value.as_mut().unwrap_or(&mut word).push(letter),
        }
    }
    Err(if quoted { LineFault::Quotes } else { LineFault::NoKey })
}

/// Address restrictions are returned; options about features that are never offered here hold anyway.
fn understood(options: &[KeyOption]) -> Result<Vec<AddressList>, LineFault> {
    let mut from = Vec::new();
    for (name, value) in options {
        let lower = name.to_ascii_lowercase();
        match (lower.as_str(), value) {
            ("from", Some(list)) => from.push(AddressList::parsed(list)),
            (name, None) if NEVER_OFFERED.contains(&name) => {}
            (name, Some(_)) if NEVER_OFFERED_WITH.contains(&name) => {}
            _ => return Err(LineFault::Option(super::fault::quoted(name))),
        }
    }
    Ok(from)
}

/// The list of `from="..."`: patterns of addresses and networks, each possibly negated. Host names are not
/// resolved and match nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AddressList(Vec<(bool, String)>);

impl AddressList {
    fn parsed(list: &str) -> Self {
        let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
        Self(
            items
                .map(|item| item.strip_prefix('!').map_or((true, item), |item| (false, item)))
                .map(|(yes, item)| (yes, item.to_ascii_lowercase()))
                .collect(),
        )
    }

    /// At least one item matches it, and no negated one.
    fn admits(&self, peer: IpAddr) -> bool {
        let text = peer.to_string();
        let matches = |item: &str| in_network(item, peer).unwrap_or_else(|| wildcard(item, &text));
        let of = |sign: bool| self.0.iter().any(|(yes, item)| *yes == sign && matches(item));
        of(true) && !of(false)
    }
}

/// `None` if the item is not a network.
fn in_network(item: &str, peer: IpAddr) -> Option<bool> {
    let (network, bits) = item.split_once('/')?;
    let (network, bits): (IpAddr, u32) = (network.parse().ok()?, bits.parse().ok()?);
    match (network, peer) {
        (IpAddr::V4(network), IpAddr::V4(peer)) if bits <= 32 => {
            let differ = u32::from(network) ^ u32::from(peer);
            Some(differ.checked_shr(32 - bits).unwrap_or(0) == 0)
        }
        (IpAddr::V6(network), IpAddr::V6(peer)) if bits <= 128 => {
            let differ = u128::from(network) ^ u128::from(peer);
            Some(differ.checked_shr(128 - bits).unwrap_or(0) == 0)
        }
        _ => Some(false),
    }
}

/// Whether a pattern with `*` (any octets) and `?` (one) is the whole text.
pub(super) fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    // Where the last `*` was, and where the text continues after what it matches so far.
    let (mut at, mut here, mut star) = (0, 0, None);
    while here < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(&letter) if letter == b'?' || letter == text[here] => {
                at += 1;
                here += 1;
            }
            _ => {
                let Some((after, from)) = star else { return false };
                star = Some((after, from + 1));
                at = after + 1;
                here = from + 1;
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

/// An RSA key of 16,384 bits has 2,800 characters of base64.
const LONGEST_KEY: usize = 8192;
/// Terminals, forwarding and the like: they do not exist here, whether allowed or forbidden.
const NEVER_OFFERED: [&str; 12] = [
    "restrict",
    "pty",
    "no-pty",
    "port-forwarding",
    "no-port-forwarding",
    "agent-forwarding",
    "no-agent-forwarding",
    "x11-forwarding",
    "no-x11-forwarding",
    "user-rc",
    "no-user-rc",
    "no-touch-required",
];
const NEVER_OFFERED_WITH: [&str; 4] = ["permitopen", "permitlisten", "environment", "tunnel"];

#[cfg(test)]
mod tests;
