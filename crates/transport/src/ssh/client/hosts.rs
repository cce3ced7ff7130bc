//! How a client authenticates a server.

use std::io;
use std::path::{Path, PathBuf};

use russh::keys::{Algorithm, HashAlg, PublicKey};

use super::SshFailure;
use crate::files::{LONGEST, read_regular};
use crate::ssh::known_hosts::{self, Verdict};

/// How a server's host key is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostTrust {
    /// Its fingerprint is one of these (`SHA256:...`, as OpenSSH shows it). No file is read.
    Fingerprints(Vec<String>),
    /// By files in OpenSSH's form ([`crate::ssh::known_hosts`]).
    KnownHosts {
        /// Our own file: hosts are added to this one.
        own: PathBuf,
        /// Others, which are only read. Missing files contain no hosts.
        others: Vec<PathBuf>,
        /// How to treat an unknown host.
        unknown: UnknownHost,
    },
}

/// How to treat an unknown host. A host with another known key is always refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownHost {
    /// Refuse it; the error has the line that would make it known.
    #[default]
    Refuse,
    /// Trust it this once, and record its key.
    Add,
}

impl HostTrust {
    /// The kinds of the host's known keys, which are requested first.
    pub(super) fn kinds(&self, host: &str, port: u16) -> Vec<Algorithm> {
        let texts = self.files().filter_map(|file| read(file).ok());
        texts.flat_map(|text| known_hosts::kinds(&text, host, port)).collect()
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        let (own, others) = match self {
            Self::Fingerprints(_) => (None, &[][..]),
            Self::KnownHosts { own, others, .. } => (Some(own), &others[..]),
        };
        own.into_iter().chain(others).map(PathBuf::as_path)
    }

    /// Whether the host is authentic.
    pub(super) fn check(&self, host: &str, port: u16, key: &PublicKey) -> Result<(), SshFailure> {
        let name = known_hosts::name_of(host, port);
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        let Self::KnownHosts { own, unknown, .. } = self else {
            return self.check_fingerprint(name, fingerprint);
        };
        let mut worst = None;
        for file in self.files() {
            let text = read(file).map_err(|source| SshFailure::KnownHosts {
                doing: "read",
                file: file.into(),
                source,
            })?;
            let verdict = known_hosts::look_up(&text, host, port, key);
            if worst.is_none_or(|(so_far, _)| weight(verdict) > weight(so_far)) {
                worst = Some((verdict, file));
            }
        }
        let (verdict, file) = worst.unwrap_or((Verdict::Unknown, own));
        let file = file.to_path_buf();
        match verdict {
            Verdict::Known => Ok(()),
            Verdict::Other { line } => Err(SshFailure::ChangedHost { name, fingerprint, file, line }),
            Verdict::Revoked { line } => Err(SshFailure::RevokedHost { name, fingerprint, file, line }),
            Verdict::Authority { line } => Err(SshFailure::HostAuthority { name, fingerprint, file, line }),
            Verdict::Unknown => {
                let line = known_hosts::line_for(host, port, key).unwrap_or_default();
                match unknown {
                    UnknownHost::Refuse => {
                        Err(SshFailure::UnknownHost { name, fingerprint, line, file: own.clone() })
                    }
                    UnknownHost::Add => known_hosts::add(own, &line).map_err(|source| {
                        SshFailure::KnownHosts { doing: "write", file: own.clone(), source }
                    }),
                }
            }
        }
    }

    fn check_fingerprint(&self, name: String, fingerprint: String) -> Result<(), SshFailure> {
        match self {
            Self::Fingerprints(known) if known.contains(&fingerprint) => Ok(()),
            _ => Err(SshFailure::OtherFingerprint { name, fingerprint }),
        }
    }
}

/// How verdicts of several files combine: a revoked key counts most, then a known one.
const fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Unknown => 0,
        Verdict::Authority { .. } => 1,
        Verdict::Other { .. } => 2,
        Verdict::Known => 3,
        Verdict::Revoked { .. } => 4,
    }
}

/// A missing file contains no hosts; octets that are not text match no host.
fn read(file: &Path) -> io::Result<String> {
    match read_regular(file, LONGEST) {
        Ok(octets) => Ok(String::from_utf8_lossy(&octets).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}
