//! What the log says of sessions and of changes: who, from where, when and how much, and never what. Who may do all this is known, but a client
//! that does it in a loop does not fill the log either: each kind of line has its limit.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use trunkline_datastore::Change;
use trunkline_netconf::error::RpcError;
use trunkline_transport::LogLimit;
use trunkline_xmlsec::KeyName;
use trunkline_yang::forest::Forest;

use crate::register::{Ended, Member, Place};
use trunkline_push::event::{Confirm, Who};

/// The lines, and what they may be.
pub struct Audit {
    sessions: LogLimit,
    changes: LogLimit,
    failures: LogLimit,
}

impl Default for Audit {
    fn default() -> Self {
        let [sessions, changes, failures] = [(); 3].map(|()| LogLimit::new(MOST, Duration::from_secs(60)));
        Audit { sessions, changes, failures }
    }
}

impl Audit {
    /// A session has begun; whether the log says so.
    pub fn begun(&self, session: u32, member: &Member, peer: SocketAddr) -> bool {
        let (user, keys, transport) = (&member.name, &member.proved_by, member.transport);
        match self.sessions.admit() {
            Some(left_out) => {
                tracing::info!(session, %user, keys, %transport, %peer, left_out, "a NETCONF session has begun");
                true
            }
            None => {
                tracing::debug!(session, %user, keys, %transport, %peer, "a NETCONF session has begun");
                false
            }
        }
    }

    /// A session has ended whose beginning is in the log.
    pub fn ended(&self, session: u32, member: &Member, why: &dyn std::fmt::Display) {
        let (user, keys, lasted) = (&member.name, &member.proved_by, since(member.since));
        tracing::info!(session, %user, keys, ?lasted, %why, "a NETCONF session has ended");
    }

    /// A session was ended by another one.
    pub fn killed(&self, who: &Who, ended: u32, was: &Ended) {
        if let Some(left_out) = self.sessions.admit() {
            let (session, user, role, released) = (who.id, &who.name, &who.role, was.held.join(", "));
            let ended_user = &was.name;
            tracing::info!(session, %user, role, ended, %ended_user, released, left_out, "a session has ended another one");
        }
    }

    /// A principal has lost its rights, and its session what it had locked.
    pub fn revoked(&self, session: u32, member: &Member, is_ended: bool, released: &[&str]) {
        let (user, released) = (&member.name, released.join(", "));
        match is_ended {
            true => {
                tracing::warn!(session, %user, released, "a session is ended: its user has no rights any more")
            }
            false => {
                tracing::warn!(session, %user, released, "a session has lost its locks: its user may change nothing any more");
            }
        }
    }

    /// The keys of a session are not valid any more; it had locked this.
    pub fn keys_over(&self, session: u32, member: &Member, released: &[&str]) {
        let (user, released) = (&member.name, released.join(", "));
        tracing::warn!(session, %user, released, "a session has lost its locks: the keys of its messages are not valid any more");
    }

    /// A subscription has ended with its keys; without a number, that of `create-subscription`.
    pub fn subscription_over(&self, session: u32, member: &Member, key: &KeyName, subscription: Option<u32>) {
        let user = &member.name;
        tracing::info!(session, %user, %key, subscription, "a subscription has ended: its keys are not valid any more");
    }

    /// A message without a session was accepted, and what it asks is done now.
    pub fn carried(&self, carried: &Carried) {
        let Some(left_out) = self.changes.admit() else { return };
        let Carried { user, role, key, number, relay, peer } = carried;
        tracing::info!(%user, role, %key, number, relay, %peer, left_out, "a stored message is accepted");
    }

    /// A message without a session was refused, although it is authentic.
    pub fn not_carried(&self, carried: &Carried, why: &dyn std::fmt::Display) {
        let Some(left_out) = self.failures.admit() else { return };
        let Carried { user, role, key, number, relay, peer } = carried;
        tracing::info!(%user, role, %key, number, relay, %peer, %why, left_out, "a stored message is refused");
    }

    /// Running was edited, over a protocol.
    pub fn edited(&self, who: &Who, over: &str, changes: &Changes<'_>, is_trial: bool, took: Duration) {
        let Some(left_out) = self.changes.admit() else { return };
        let (user, role, session, host) = (&who.name, &who.role, session_of(who), host_of(who));
        match is_trial {
            true => {
                tracing::info!(%user, role, over, session, host, changes = changes.count(), ?took, left_out, "running is edited, as a part of the commit that is to be confirmed");
            }
            false => {
                tracing::info!(%user, role, over, session, host, changes = changes.count(), ?took, left_out, "running is edited")
            }
        }
    }

    /// A commit.
    pub fn committed(&self, who: &Who, changes: &Changes<'_>, confirm: Option<Confirm>, took: Duration) {
        let Some(left_out) = self.changes.admit() else { return };
        let (user, role, session, host) = (&who.name, &who.role, session_of(who), host_of(who));
        let (what, seconds) = match confirm {
            Some(Confirm::Start(seconds)) => ("a commit, to be confirmed", Some(seconds)),
            Some(Confirm::Extend(seconds)) => ("a further commit, to be confirmed", Some(seconds)),
            Some(Confirm::Complete) => ("a commit is confirmed", None),
            Some(Confirm::Cancel | Confirm::Timeout) | None => ("a commit", None),
        };
        tracing::info!(%user, role, session, host, changes = changes.count(), seconds, ?took, left_out, "{what}");
    }

    /// A change that was not made: with which error, and none of its words, which may have values.
    pub fn failed(&self, who: &Who, changes: &Changes<'_>, errors: &[RpcError]) {
        let Some(left_out) = self.failures.admit() else { return };
        let (user, role, session, host) = (&who.name, &who.role, session_of(who), host_of(who));
        let (tag, errors) = (errors.first().map(|error| error.tag.name()), errors.len());
        tracing::info!(%user, role, session, host, changes = changes.count(), tag, errors, left_out, "a change of running has failed, and nothing is changed");
    }

    /// The commit of a session that waited to be confirmed is taken back. `who` has asked for that, or nobody.
    pub fn taken_back(&self, who: Option<&Who>, committed_by: u32, why: &str) {
        let Some(left_out) = self.changes.admit() else { return };
        match who {
            Some(who) => {
                let (user, role, session, host) = (&who.name, &who.role, session_of(who), host_of(who));
                tracing::info!(%user, role, session, host, committed_by, left_out, "a confirmed commit is taken back: {why}");
            }
            None => tracing::info!(committed_by, left_out, "a confirmed commit is taken back: {why}"),
        }
    }
}

/// A message without a session, as the log names it.
pub struct Carried {
    /// Whose keys protect it.
    pub user: String,
    /// On behalf of which role it is.
    pub role: Option<String>,
    /// The name of the key.
    pub key: String,
    /// Its number.
    pub number: u64,
    /// The session that it came in, which needs no rights.
    pub relay: u32,
    /// Where that comes from.
    pub peer: SocketAddr,
}

/// A session, as events name it.
pub fn who(place: &Place) -> Who {
    Who { name: place.member.name.clone(), id: place.id, host: place.member.host, role: None }
}

/// What has changed, and in which data.
pub struct Changes<'c>(pub &'c Forest, pub &'c [Change]);

impl Changes<'_> {
    /// Leaves, without the keys of entries.
    fn count(&self) -> usize {
        let is_leaf = |change: &&Change| {
            let place = change.path.last().map(|step| &self.0[step.node].place);
            place.is_some_and(|place| place.syntax().is_some() && !place.is_key())
        };
        self.1.iter().filter(is_leaf).count()
    }
}

/// `None`: it is not one of NETCONF.
fn session_of(who: &Who) -> Option<u32> {
    Some(who.id).filter(|id| *id > 0)
}

fn host_of(who: &Who) -> Option<String> {
    who.host.map(|host| host.to_string())
}

fn since(begin: SystemTime) -> Duration {
    let lasted = begin.elapsed().unwrap_or_default();
    Duration::from_millis(u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX))
}

/// Lines of a kind in a minute.
const MOST: u32 = 60;
