//! Who may send which notifications, and what is done with them: `authCommunity`, `authUser`, `authGroup` and
//! `disableAuthorization`.

use std::collections::BTreeMap;

use trunkline_client::Received;
use trunkline_receiver::Network;
use trunkline_smi::Oid;
use trunkline_snmp::SecurityLevel;

/// What is done with a notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// It is logged.
    pub log: bool,
    /// Programs get it.
    pub execute: bool,
    /// Other receivers get it.
    pub net: bool,
}

impl Types {
    /// Everything.
    pub const ALL: Types = Types { log: true, execute: true, net: true };

    /// `log,execute,net`.
    ///
    /// # Errors
    /// A word that is none of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut types = Types::default();
        for word in text.split([',', '|', ':']).filter(|word| !word.is_empty()) {
            match word {
                "log" => types.log = true,
                "execute" => types.execute = true,
                "net" => types.net = true,
                other => {
                    return Err(format!(
                        "{other:?} is not a type of processing: expected log, execute or net"
                    ));
                }
            }
        }
        if types == Types::default() { Err("expected log, execute or net".into()) } else { Ok(types) }
    }

    fn and(self, other: Types) -> Types {
        Types {
            log: self.log || other.log,
            execute: self.execute || other.execute,
            net: self.net || other.net,
        }
    }

    /// Whether nothing is done.
    pub fn is_none(self) -> bool {
        self == Types::default()
    }
}

/// A sender.
#[derive(Clone, PartialEq, Eq)]
pub enum Who {
    /// Whoever knows a community.
    Community(Vec<u8>),
    /// A user of SNMPv3.
    User(Vec<u8>),
    /// Whom the session authenticates, over TLS or DTLS.
    Principal(Vec<u8>),
}

/// Notifications by their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// All.
    All,
    /// Those below.
    Subtree(Oid),
    /// Those in a view.
    View(String),
}

/// A line of the file.
#[derive(Clone)]
pub struct Grant {
    /// Who sends.
    pub who: Who,
    /// From where; none: from anywhere.
    pub sources: Vec<Network>,
    /// The least level.
    pub level: SecurityLevel,
    /// What is sent.
    pub seen: Seen,
    /// What is done.
    pub types: Types,
}

/// All rights.
#[derive(Clone, Default)]
pub struct Access {
    /// `disableAuthorization`.
    pub is_open: bool,
    /// The lines.
    pub grants: Vec<Grant>,
    /// The views: subtrees, included or not.
    pub views: BTreeMap<String, Vec<(bool, Oid)>>,
}

impl Access {
    /// What is done with a notification.
    pub fn types(&self, received: &Received) -> Types {
        if self.is_open {
            return Types::ALL;
        }
        let grants = self.grants.iter().filter(|grant| self.holds(grant, received));
        grants.fold(Types::default(), |types, grant| types.and(grant.types))
    }

    fn holds(&self, grant: &Grant, received: &Received) -> bool {
        let is_over_session = received.transport.is_secure();
        let is_sender = match &grant.who {
            Who::Community(name) => received.community.as_ref() == Some(name),
            Who::User(name) => !is_over_session && received.user.as_ref() == Some(name),
            Who::Principal(name) => is_over_session && received.user.as_ref() == Some(name),
        };
        let peer = received.peer.ip().to_canonical();
        is_sender
            && received.level >= grant.level
            && (grant.sources.is_empty() || grant.sources.iter().any(|network| network.contains(peer)))
            && self.is_seen(&grant.seen, &received.notification.trap_oid)
    }

    fn is_seen(&self, seen: &Seen, oid: &Oid) -> bool {
        match seen {
            Seen::All => true,
            Seen::Subtree(subtree) => oid.starts_with(subtree),
            // The longest subtree decides (RFC 3415 section 5, vacmViewTreeFamilyTable).
            Seen::View(name) => {
                let families = self.views.get(name).into_iter().flatten();
                let holding = families.filter(|(_, subtree)| oid.starts_with(subtree));
                holding.max_by_key(|(_, subtree)| subtree.len()).is_some_and(|(included, _)| *included)
            }
        }
    }
}
