//! The hosts that a client knows: files in the form of OpenSSH's `known_hosts` (sshd(8)).
//!
//! ```text
//! [@revoked|@cert-authority] host,[host]:port,|1|salt|hash,!*.pattern ssh-ed25519 AAAAC3Nz... comment
//! ```

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use russh::keys::{Algorithm, PublicKey};
use sha1::Sha1;

use super::authorized_keys::{public_key, wildcard};

/// A line of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownHost<'a> {
    marker: Marker,
    hosts: &'a str,
    key: PublicKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    None,
    Revoked,
    Authority,
}

/// What a file says about a host's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The host has this key.
    Known,
    /// The host is not in the file.
    Unknown,
    /// The host has another key, in this line.
    Other { line: usize },
    /// The key was revoked, in this line.
    Revoked { line: usize },
    /// The host is known only through an authority of certificates, in this line, which is not supported.
    Authority { line: usize },
}

/// The content of each line, with its number from 1. Comments, empty lines and malformed lines are skipped, as in
/// OpenSSH.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, KnownHost<'_>)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let line = line.trim();
        let host = (!line.starts_with('#')).then(|| parsed(line)).flatten()?;
        Some((number, host))
    })
}

fn parsed(line: &str) -> Option<KnownHost<'_>> {
    let (first, rest) = word(line)?;
    let (marker, hosts, rest) = match first {
        "@revoked" => word(rest).map(|(hosts, rest)| (Marker::Revoked, hosts, rest))?,
        "@cert-authority" => word(rest).map(|(hosts, rest)| (Marker::Authority, hosts, rest))?,
        first if first.starts_with('@') => return None,
        hosts => (Marker::None, hosts, rest),
    };
    Some(KnownHost { marker, hosts, key: public_key(rest)? })
}

fn word(text: &str) -> Option<(&str, &str)> {
    text.split_once([' ', '\t']).map(|(word, rest)| (word, rest.trim_start()))
}

impl KnownHost<'_> {
    /// Whether the line matches the host of this name (`name` or `[name]:port`, in lower case).
    #[must_use]
    pub fn is_about(&self, name: &str) -> bool {
        let matches = |item: &str| match item.strip_prefix("|1|") {
            Some(hashed) => hash_matches(hashed, name).unwrap_or(false),
            None => wildcard(&item.to_ascii_lowercase(), name),
        };
        let items = self.hosts.split(',').take(MOST_ITEMS);
        let mut about = false;
        for item in items {
            match item.strip_prefix('!') {
                Some(not) if matches(not) => return false,
                Some(_) => {}
                None => about |= matches(item),
            }
        }
        about
    }
}

/// `salt|hash`: HMAC-SHA1 of the name with the salt.
fn hash_matches(hashed: &str, name: &str) -> Option<bool> {
    let (salt, hash) = hashed.split_once('|')?;
    let (salt, hash) = (decoded(salt)?, decoded(hash)?);
    let code = Hmac::<Sha1>::new_from_slice(&salt).ok()?.chain_update(name.as_bytes()).finalize();
    Some(code.into_bytes()[..] == hash)
}

fn decoded(base64: &str) -> Option<Vec<u8>> {
    let short = !base64.is_empty() && base64.len() <= 64;
    short.then(|| STANDARD.decode(base64).ok()).flatten()
}

/// The name of a host in the file: with the port, unless that is SSH's own.
#[must_use]
pub fn name_of(host: &str, port: u16) -> String {
    let host = host.to_ascii_lowercase();
    if port == SSH_PORT { host } else { format!("[{host}]:{port}") }
}

/// What a file says about a host's key.
pub(super) fn look_up(text: &str, host: &str, port: u16, key: &PublicKey) -> Verdict {
    let (full, plain) = (name_of(host, port), host.to_ascii_lowercase());
    let mut verdict = Verdict::Unknown;
    for (line, known) in lines(text) {
        let same = known.key.key_data() == key.key_data();
        match known.marker {
            Marker::Revoked if same && (known.is_about(&full) || known.is_about(&plain)) => {
                return Verdict::Revoked { line };
            }
            // As in OpenSSH: a key that the host has at SSH's own port may serve another port too.
            Marker::None if same && (known.is_about(&full) || known.is_about(&plain)) => {
                verdict = Verdict::Known;
            }
            Marker::None if verdict != Verdict::Known && known.is_about(&full) => {
                verdict = Verdict::Other { line };
            }
            Marker::Authority if verdict == Verdict::Unknown && known.is_about(&full) => {
                verdict = Verdict::Authority { line };
            }
            _ => {}
        }
    }
    verdict
}

/// The kinds of the host's keys in the file, to be requested first.
pub(super) fn kinds(text: &str, host: &str, port: u16) -> Vec<Algorithm> {
    let (full, plain) = (name_of(host, port), host.to_ascii_lowercase());
    let about = |known: &KnownHost<'_>| known.is_about(&full) || known.is_about(&plain);
    lines(text)
        .filter(|(_, known)| known.marker == Marker::None && about(known))
        .map(|(_, known)| known.key.algorithm())
        .collect()
}

/// A public key as in such files after the host's name.
pub(super) fn public_line(key: &PublicKey) -> Option<String> {
    let mut key = key.clone();
    key.set_comment("");
    key.to_openssh().ok().map(|line| line.trim_end().to_owned())
}

/// The line that makes the key known.
pub(super) fn line_for(host: &str, port: u16, key: &PublicKey) -> Option<String> {
    Some(format!("{} {}", name_of(host, port), public_line(key)?))
}

/// Appends the line to the file; creates the file, readable by its owner only, if it is missing.
pub(super) fn add(file: &Path, line: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.read(true).append(true).create(true).mode(0o600).open(file)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let before = if last == *b"\n" { "" } else { "\n" };
    file.write_all(format!("{before}{line}\n").as_bytes())
}

const SSH_PORT: u16 = 22;
const MOST_ITEMS: usize = 1000;

#[cfg(test)]
mod tests;
