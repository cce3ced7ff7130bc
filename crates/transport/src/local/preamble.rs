//! The line before the stream: the requested subsystem, the user, and the addresses of their SSH connection.
//!
//! ```text
//! trunkline-subsystem 2 SUBSYSTEM USER (PEER-ADDRESS PEER-PORT OUR-ADDRESS OUR-PORT | -) LF
//! ```

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// The content of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preamble {
    subsystem: String,
    user: String,
    connection: Option<SshConnection>,
}

/// The two ends of the connection at OpenSSH's server, as in its variable `SSH_CONNECTION`: the client's address
/// and port, the server's address and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SshConnection {
    /// The client's end.
    pub peer: SocketAddr,
    /// The server's end.
    pub local: SocketAddr,
}

/// Why it is not a preamble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreambleFault {
    /// It does not begin with the right word.
    #[error("it does not begin with `{WORD}`")]
    Word,
    /// It has another version: the small program and the agent are not from one package.
    #[error("it is of another version than {VERSION}")]
    Version,
    /// The subsystem's name is empty, too long, or has invalid characters.
    #[error("it names no subsystem")]
    Subsystem,
    /// The user's name is empty, too long, or has invalid characters.
    #[error("it names no user")]
    User,
    /// The addresses are not four well-formed words.
    #[error("it names no connection")]
    Connection,
    /// It exceeds the maximum length.
    #[error("it is longer than {LONGEST} octets")]
    Length,
}

impl Preamble {
    /// For a subsystem, a user, and the user's SSH connection, if there is one.
    ///
    /// # Errors
    /// [`PreambleFault::Subsystem`], [`PreambleFault::User`].
    pub fn new(
        subsystem: &str,
        user: &str,
        connection: Option<SshConnection>,
    ) -> Result<Self, PreambleFault> {
        let is_name = |name: &str, longest: usize| {
            !name.is_empty() && name.len() <= longest && name.bytes().all(|octet| octet.is_ascii_graphic())
        };
        if !is_name(subsystem, LONGEST_SUBSYSTEM) {
            return Err(PreambleFault::Subsystem);
        }
        if !is_name(user, LONGEST_USER) {
            return Err(PreambleFault::User);
        }
        Ok(Self { subsystem: subsystem.to_owned(), user: user.to_owned(), connection })
    }

    /// The subsystem's name.
    #[must_use]
    pub fn subsystem(&self) -> &str {
        &self.subsystem
    }

    /// The user's name.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The user's SSH connection.
    #[must_use]
    pub const fn connection(&self) -> Option<SshConnection> {
        self.connection
    }

    /// Parses the line, without its end.
    ///
    /// # Errors
    /// [`PreambleFault`]: there must be exactly one blank between two words.
    pub fn parse(line: &[u8]) -> Result<Self, PreambleFault> {
        if line.len() > LONGEST {
            return Err(PreambleFault::Length);
        }
        let line = std::str::from_utf8(line).map_err(|_| PreambleFault::Word)?;
        let mut words = line.splitn(5, ' ');
        if words.next() != Some(WORD) {
            return Err(PreambleFault::Word);
        }
        if words.next() != Some(VERSION) {
            return Err(PreambleFault::Version);
        }
        let subsystem = words.next().ok_or(PreambleFault::Subsystem)?;
        let user = words.next().ok_or(PreambleFault::User)?;
        let connection = match words.next().ok_or(PreambleFault::Connection)? {
            "-" => None,
            words => Some(words.parse()?),
        };
        Self::new(subsystem, user, connection)
    }
}

impl fmt::Display for Preamble {
    /// The line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{WORD} {VERSION} {} {} ", self.subsystem, self.user)?;
        match self.connection {
            None => f.write_str("-"),
            Some(connection) => connection.fmt(f),
        }
    }
}

impl FromStr for SshConnection {
    type Err = PreambleFault;

    fn from_str(text: &str) -> Result<Self, PreambleFault> {
        let mut words = text.split(' ');
        let mut end = || {
            let (address, port) = (words.next()?, words.next()?);
            // The zone of a link-local address is meaningful on this host only.
            let address: IpAddr =
                address.split_once('%').map_or(address, |(address, _)| address).parse().ok()?;
            Some(SocketAddr::new(address, port.parse().ok()?))
        };
        match (end(), end(), words.next()) {
            (Some(peer), Some(local), None) => Ok(Self { peer, local }),
            _ => Err(PreambleFault::Connection),
        }
    }
}

impl fmt::Display for SshConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { peer, local } = self;
        write!(f, "{} {} {} {}", peer.ip(), peer.port(), local.ip(), local.port())
    }
}

const WORD: &str = "trunkline-subsystem";
const VERSION: &str = "2";
const LONGEST_SUBSYSTEM: usize = 32;
const LONGEST_USER: usize = 64;
/// Two addresses of 45 characters, two ports, two names, and the words before them.
pub(super) const LONGEST: usize = 256;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_preamble_is_read_as_it_was_written() {
        let connection = "192.0.2.7 50022 192.0.2.1 22".parse().unwrap();
        let preamble = Preamble::new("snmp", "alice", Some(connection)).unwrap();
        let line = preamble.to_string();
        assert_eq!(line, "trunkline-subsystem 2 snmp alice 192.0.2.7 50022 192.0.2.1 22");
        assert_eq!(Preamble::parse(line.as_bytes()), Ok(preamble));
        let alone = Preamble::new("snmp", "bob", None).unwrap();
        assert_eq!(Preamble::parse(alone.to_string().as_bytes()), Ok(alone));
        let zone: SshConnection = "fe80::1%eth0 1 fe80::2%eth0 2".parse().unwrap();
        assert_eq!(zone.peer, "[fe80::1]:1".parse().unwrap());
    }

    #[test]
    fn invalid_preambles_are_refused_with_a_reason() {
        for (line, fault) in [
            ("", PreambleFault::Word),
            ("trunkline-subsysten 2 snmp alice -", PreambleFault::Word),
            ("trunkline-subsystem 1 snmp alice -", PreambleFault::Version),
            ("trunkline-subsystem 2", PreambleFault::Subsystem),
            ("trunkline-subsystem 2  alice -", PreambleFault::Subsystem),
            ("trunkline-subsystem 2 snmp", PreambleFault::User),
            ("trunkline-subsystem 2 snmp  -", PreambleFault::User),
            ("trunkline-subsystem 2 snmp al\tice -", PreambleFault::User),
            ("trunkline-subsystem 2 snmp alice", PreambleFault::Connection),
            ("trunkline-subsystem 2 snmp alice  -", PreambleFault::Connection),
            ("trunkline-subsystem 2 snmp alice - ", PreambleFault::Connection),
            ("trunkline-subsystem 2 snmp alice 192.0.2.7 1 192.0.2.1", PreambleFault::Connection),
            ("trunkline-subsystem 2 snmp alice 192.0.2.7 1 192.0.2.1 2 3", PreambleFault::Connection),
            ("trunkline-subsystem 2 snmp alice 192.0.2.7 65536 192.0.2.1 2", PreambleFault::Connection),
        ] {
            assert_eq!(Preamble::parse(line.as_bytes()), Err(fault), "{line}");
        }
        assert_eq!(Preamble::parse(&[b'x'; 1000]), Err(PreambleFault::Length));
        assert_eq!(Preamble::new("snmp", &"x".repeat(65), None), Err(PreambleFault::User));
        assert_eq!(Preamble::new(&"x".repeat(33), "alice", None), Err(PreambleFault::Subsystem));
    }

    proptest! {
        #[test]
        fn any_preamble_is_read_without_panic(octets: Vec<u8>, rest in "[a-z0-9.: %-]{0,60}") {
            let _ = Preamble::parse(&octets);
            let line = format!("{WORD} {VERSION} {rest}");
            if let Ok(preamble) = Preamble::parse(line.as_bytes()) {
                prop_assert_eq!(Preamble::parse(preamble.to_string().as_bytes()), Ok(preamble));
            }
        }
    }
}
