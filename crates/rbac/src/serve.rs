//! One device: a session in which it is sent what it lacks, while running is locked.
//!
//! The lock keeps other edits from coming between ours. Whoever loses keys by an edit cannot hold it off with a lock, since its session is ended, nor with a
//! commit that waits to be confirmed, since the agent carries edits of roles and keys over it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use trunkline_client::netconf::protocol::document::{Document, Element, limits};
use trunkline_client::netconf::protocol::error::{Info, RpcError, Tag};
use trunkline_client::netconf::protocol::operation::{Datastore, ErrorOption};
use trunkline_client::netconf::protocol::reply::Returns;
use trunkline_client::netconf::protocol::request::{
    EditConfig, Select, edit_config, get, kill_session, lock, unlock,
};
use trunkline_client::netconf::{NetconfFault, NetconfOptions, NetconfSession};
use trunkline_client::{Error as ClientError, NetconfTarget};
use trunkline_xmlsec::Time;
use zeroize::Zeroizing;

use crate::content::{Of, Part, without};
use crate::options::BASE;
use crate::{Acknowledged, Content, Newer, Options, inventory};

/// What became of a device.
#[derive(Debug, Default)]
pub(crate) struct Served {
    /// What it has acknowledged.
    pub has: Acknowledged,
    /// Edits and replies, of those that were done.
    pub messages: usize,
    /// Their octets, as they are framed.
    pub octets: usize,
    /// What it was not sent, or refuses, and why.
    pub refusals: Vec<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// Its clock, if epochs were sent that expire and if it says so.
    pub clock: Option<Time>,
}

/// Why something was not done.
pub(crate) enum Undone {
    /// The device refuses it.
    Refused(String),
    /// The session cannot be used any more.
    Broken(String),
}

/// Who holds a lock.
struct Holder {
    session: u32,
    user: Option<String>,
}

struct Serving<'s> {
    session: &'s NetconfSession,
    content: &'s Content<'s>,
    address: &'s str,
    served: Served,
}

/// Sends a device what it lacks.
pub(crate) async fn serve(
    (address, target): (&str, &NetconfTarget),
    content: &Content<'_>,
    has: Acknowledged,
    times: Options,
) -> Served {
    let served = Served { has, ..Served::default() };
    let ends = Instant::now() + times.deadline;
    let session = match timeout_at(ends, NetconfSession::open(target, options(times.timeout))).await {
        Ok(Ok(session)) => session,
        Ok(Err(fault)) => return Served { refusals: vec![fault.to_string()], ..served },
        Err(_) => return Served { refusals: vec![late(times)], ..served },
    };
    session.pin();
    let mut serving = Serving { session: &session, content, address, served };
    // What was acknowledged until then stays so.
    let all = timeout_at(ends, serving.all()).await;
    let all = all.unwrap_or_else(|_| Err(Undone::Broken(late(times))));
    if let Err(Undone::Refused(words) | Undone::Broken(words)) = all {
        serving.served.refusals.push(words);
    }
    serving.served
}

/// What to say of a device that has had its time.
pub(crate) fn late(times: Options) -> String {
    format!("it has not done all of it within {} s", times.deadline.as_secs_f64())
}

impl Serving<'_> {
    async fn all(&mut self) -> Result<(), Undone> {
        let parts = self.content.parts(&self.served.has);
        let losing = parts.iter().flat_map(|part| part.losing.iter().cloned()).collect();
        let is_locked = self.lock(&losing).await?;
        let parts = self.not_newer(parts, &losing).await?;
        let has_grace = parts.iter().any(|part| part.has_grace);
        let (first, rest): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|part| part.is_revocation);
        for parts in [first, rest] {
            self.group(&parts, &losing).await?;
        }
        if let Some(policy) = self.content.policy(&self.served.has) {
            match self.edit(policy.as_bytes(), &losing).await {
                Ok(()) => self.served.has.policy = self.content.wanted().policy,
                Err(undone) => self.refused("the policy", undone)?,
            }
        }
        if has_grace {
            self.served.clock = self.clock().await;
        }
        if is_locked {
            // The end of the session unlocks too, but beside whatever else happens.
            let unlocked = self.session.done(&unlock(Datastore::Running)).await;
            unlocked.map_err(|fault| Undone::Broken(fault.to_string()))?;
        }
        Ok(())
    }

    /// Leaves out the roles of which the device has a newer epoch than the authority: with an older one it would accept again what a
    /// revocation has ended. Of these the device loses what the authority has ended, and gets nothing. What the device does not show is not compared.
    async fn not_newer(
        &mut self,
        mut parts: Vec<Part>,
        losing: &BTreeSet<String>,
    ) -> Result<Vec<Part>, Undone> {
        let newest = |part: &Part| match &part.of {
            Of::Role(name) => Some((name.clone(), self.content.newest(name)?)),
            Of::User(_) => None,
        };
        let ours: BTreeMap<String, u32> = parts.iter().filter_map(newest).collect();
        if ours.is_empty() {
            return Ok(parts);
        }
        let theirs = match inventory::epochs(self.session, ours.keys().map(String::as_str)).await {
            Ok(theirs) => theirs,
            Err(Undone::Refused(_)) => return Ok(parts),
            Err(broken) => return Err(broken),
        };
        for (name, ours) in ours {
            let there = theirs.get(&name).into_iter().flatten();
            let Some(theirs) = there.clone().next_back().copied().filter(|theirs| *theirs > ours) else {
                continue;
            };
            parts.retain(|part| part.of != Of::Role(name.clone()));
            let wanted = self.content.wanted().roles.get(&name);
            let is_ended =
                |number: &&u32| **number <= ours && wanted.is_none_or(|it| !it.contains_key(*number));
            let ended: Vec<u32> = there.filter(is_ended).copied().collect();
            if !ended.is_empty() {
                match self.edit(&without(&name, &ended), losing).await {
                    // What it has now is not ours.
                    Ok(()) => {
                        self.served.has.roles.remove(&name);
                        self.served.has.sent.insert(name.clone());
                    }
                    Err(undone) => self.refused(&format!("the role {name}"), undone)?,
                }
            }
            self.served.refusals.push(Newer { role: name, ours, theirs }.to_string());
        }
        Ok(parts)
    }

    /// Locks running; whether that is done. An agent without locks, or one that grants us none, is served without.
    async fn lock(&mut self, losing: &BTreeSet<String>) -> Result<bool, Undone> {
        let mut wait = FIRST_WAIT;
        let words = loop {
            match self.freed(&lock(Datastore::Running), losing).await {
                Ok(_) => return Ok(true),
                // A commit that waits to be confirmed, of whatever session, keeps nobody from editing roles and keys.
                Err((Some(errors), _)) if errors.iter().any(is_of_commit) => return Ok(false),
                Err((Some(errors), words)) if errors.iter().any(|error| error.tag == Tag::LockDenied) => {
                    // Others deploy too, or edit: that is soon over.
                    if wait > LONGEST_WAIT {
                        break words;
                    }
                    tokio::time::sleep(wait).await;
                    wait = wait * 3 / 2;
                }
                Err((Some(_), _)) => return Ok(false),
                Err((None, words)) => return Err(Undone::Broken(words)),
            }
        };
        // A lock of other parts than ours keeps nobody from editing ours.
        let state = self.state().await;
        let is_partial = state
            .as_ref()
            .is_some_and(|state| global_lock(state.root()).is_none() && has_partial_lock(state.root()));
        if is_partial { Ok(false) } else { Err(Undone::Refused(words)) }
    }

    /// Sends parts in one edit; if that is refused, each in its own.
    async fn group(&mut self, parts: &[Part], losing: &BTreeSet<String>) -> Result<(), Undone> {
        if parts.is_empty() || (parts.len() > 1 && self.parts(parts, losing).await?.is_none()) {
            return Ok(());
        }
        for part in parts {
            let Some(words) = self.parts(std::slice::from_ref(part), losing).await? else { continue };
            let emptied = match self.content.emptied(part) {
                Some(config) => self.edit(&config, losing).await,
                None => Err(Undone::Refused(words.clone())),
            };
            match emptied {
                Ok(()) => self.served.has.take(&part.of, self.content.wanted()),
                Err(Undone::Refused(_)) => self.served.refusals.push(format!("{}: {words}", part.of)),
                Err(broken) => return Err(broken),
            }
        }
        Ok(())
    }

    /// Sends parts in one edit; why it is refused.
    async fn parts(&mut self, parts: &[Part], losing: &BTreeSet<String>) -> Result<Option<String>, Undone> {
        match self.edit(&self.content.edit(parts), losing).await {
            Ok(()) => {
                let wanted = self.content.wanted();
                parts.iter().for_each(|part| self.served.has.take(&part.of, wanted));
                Ok(None)
            }
            Err(Undone::Refused(words)) => {
                if !self.session.hello().await.is_ok_and(|hello| hello.has(ROLLBACK)) {
                    self.may_have(parts);
                }
                Ok(Some(words))
            }
            Err(broken) => {
                self.may_have(parts);
                Err(broken)
            }
        }
    }

    /// Notes that the device may have keys of which we do not know that it has them.
    fn may_have(&mut self, parts: &[Part]) {
        for part in parts {
            if let Of::Role(name) = &part.of {
                self.served.has.sent.insert(name.clone());
            }
        }
    }

    fn refused(&mut self, what: &str, undone: Undone) -> Result<(), Undone> {
        match undone {
            Undone::Refused(words) => {
                self.served.refusals.push(format!("{what}: {words}"));
                Ok(())
            }
            broken @ Undone::Broken(_) => Err(broken),
        }
    }

    async fn edit(&mut self, config: &[u8], losing: &BTreeSet<String>) -> Result<(), Undone> {
        let hello = self.session.hello().await.map_err(|fault| Undone::Broken(fault.to_string()))?;
        let edit = Zeroizing::new(edit_config(EditConfig {
            target: Datastore::Running,
            default_operation: None,
            test_option: None,
            error_option: hello.has(ROLLBACK).then_some(ErrorOption::RollbackOnError),
            config,
        }));
        let octets = self.freed(&edit, losing).await.map_err(|(errors, words)| match errors {
            Some(_) => Undone::Refused(words),
            None => Undone::Broken(words),
        })?;
        self.served.messages += 2;
        self.served.octets += octets;
        Ok(())
    }

    /// Carries out an operation, and ends the sessions whose locks keep it from being done if they are of users who lose keys. Returns
    /// the octets that it took.
    async fn freed(
        &mut self,
        operation: &[u8],
        losing: &BTreeSet<String>,
    ) -> Result<usize, (Option<Vec<RpcError>>, String)> {
        let mut ended = 0;
        loop {
            let broken = |fault: ClientError| (None, fault.to_string());
            let (reply, cost) = self.session.rpc_octets(operation).await.map_err(broken)?;
            let Err(fault) = self.session.check(&reply, Returns::Ok) else {
                return Ok(cost.request_octets + cost.response_octets);
            };
            let words = fault.to_string();
            let NetconfFault::Refused(errors) = fault else { return Err((None, words)) };
            let Some(Holder { session, user }) = self.holder(&errors).await else {
                return Err((Some(errors), words));
            };
            let Some(user) = user else {
                return Err((Some(errors), format!("{words}: {}", self.remedy(session))));
            };
            if !losing.contains(&user) || ended == MOST_ENDED {
                let words = format!("{words}, which is of {user}: {}", self.remedy(session));
                return Err((Some(errors), words));
            }
            // One that has ended meanwhile is as good.
            match self.session.done(&kill_session(session)).await {
                Ok(()) => {
                    self.served
                        .notes
                        .push(format!("session {session} of {user}, which held off the edits, is ended"));
                }
                Err(ClientError::Netconf(refused)) if is_denied(&refused) => {
                    let words = format!("{words}, which is of {user}, and may not be ended: {refused}");
                    return Err((Some(errors), words));
                }
                Err(ClientError::Netconf(_)) => {}
                Err(fault) => return Err(broken(fault)),
            }
            ended += 1;
        }
    }

    fn remedy(&self, session: u32) -> String {
        format!("`trunkline netconf kill {} {session}` ends it", self.address)
    }

    /// Who holds the lock for which an operation was refused.
    async fn holder(&self, errors: &[RpcError]) -> Option<Holder> {
        let locked = errors.iter().find(|error| matches!(error.tag, Tag::InUse | Tag::LockDenied))?;
        let named = locked.info.iter().find_map(|info| match info {
            Info::SessionId(session) if *session > 0 => Some(*session),
            _ => None,
        });
        let Some(state) = self.state().await else { return Some(Holder { session: named?, user: None }) };
        let session = named.or_else(|| global_lock(state.root()))?;
        Some(Holder { session, user: user_of(state.root(), session) })
    }

    /// The agent's locks and sessions, as far as it says so.
    async fn state(&self) -> Option<Document> {
        let (octets, _) = self.session.data(&get(Select::Subtree(LOCKS), None)).await.ok()?;
        Document::read(&octets, limits(MOST_STATE)).ok()
    }

    async fn clock(&self) -> Option<Time> {
        let (octets, _) = self.session.data(&get(Select::Subtree(CLOCK), None)).await.ok()?;
        let state = Document::read(&octets, limits(MOST_STATE)).ok()?;
        let way = [(BASE, "data"), (SYSTEM, "system-state"), (SYSTEM, "clock"), (SYSTEM, "current-datetime")];
        within(state.root(), &way)?.value().parse().ok()
    }
}

fn is_denied(fault: &NetconfFault) -> bool {
    matches!(fault, NetconfFault::Refused(errors) if errors.iter().any(|error| error.tag == Tag::AccessDenied))
}

fn within<'d>(from: Element<'d>, way: &[(&str, &str)]) -> Option<Element<'d>> {
    way.iter().try_fold(from, |element, (namespace, name)| element.child(namespace, name))
}

/// The locks of running.
fn locks(reply: Element<'_>) -> Option<Element<'_>> {
    let stores = within(reply, &[(BASE, "data"), (MONITORING, "netconf-state"), (MONITORING, "datastores")])?;
    let is_running =
        |store: &Element<'_>| store.child(MONITORING, "name").is_some_and(|name| name.value() == "running");
    stores.children().find(is_running)?.child(MONITORING, "locks")
}

/// The session that has locked all of running.
fn global_lock(reply: Element<'_>) -> Option<u32> {
    let way = [(MONITORING, "global-lock"), (MONITORING, "locked-by-session")];
    within(locks(reply)?, &way)?.value().parse().ok().filter(|session| *session > 0)
}

fn has_partial_lock(reply: Element<'_>) -> bool {
    locks(reply).is_some_and(|locks| locks.child(MONITORING, "partial-lock").is_some())
}

/// Whether running is not locked because a commit waits to be confirmed.
fn is_of_commit(error: &RpcError) -> bool {
    error.tag == Tag::LockDenied && error.app_tag.as_deref() == Some(OUTSTANDING_COMMIT)
}

fn user_of(reply: Element<'_>, session: u32) -> Option<String> {
    let way = [(BASE, "data"), (MONITORING, "netconf-state"), (MONITORING, "sessions")];
    let mut sessions = within(reply, &way)?.children();
    let number = session.to_string();
    let found =
        sessions.find(|it| it.child(MONITORING, "session-id").is_some_and(|id| id.value() == number))?;
    Some(found.child(MONITORING, "username")?.value().to_owned())
}

/// Those of a session with a device.
pub(crate) fn options(timeout: Duration) -> NetconfOptions {
    let options = NetconfOptions::default().with_max_reply(inventory::MOST_KEYS);
    options.with_timeout(timeout).with_connect_time(timeout.min(CONNECT))
}

/// The time for making a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Between attempts to lock running: about six seconds in all.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// The capability of taking back a whole edit.
const ROLLBACK: &str = "urn:ietf:params:netconf:capability:rollback-on-error:1.0";
const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
/// What tells whose lock it is.
const LOCKS: &[u8] =
    b"<netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><datastores/>\
<sessions><session><session-id/><username/></session></sessions></netconf-state>";
const CLOCK: &[u8] =
    b"<system-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-system\"><clock><current-datetime/></clock></system-state>";
/// Octets of the longest reply about locks, sessions and the clock.
const MOST_STATE: usize = 4 << 20;
/// `error-app-tag` (RFC 5717 section 2.4.1.2).
const OUTSTANDING_COMMIT: &str = "outstanding-confirmed-commit";
/// Sessions that are ended for one operation.
const MOST_ENDED: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_lock_it_is_is_read_from_the_state() {
        let state = |locks: &str| {
            let text = format!(
                "<rpc-reply xmlns=\"{BASE}\" message-id=\"1\"><data><netconf-state xmlns=\"{MONITORING}\"><datastores>\
                 <datastore><name>candidate</name><locks><global-lock><locked-by-session>8</locked-by-session></global-lock></locks></datastore>\
                 <datastore><name>running</name>{locks}</datastore></datastores><sessions>\
                 <session><session-id>2</session-id><username>max</username></session>\
                 <session><session-id>7</session-id><username>ann</username></session></sessions></netconf-state></data></rpc-reply>"
            );
            Document::read(text.as_bytes(), limits(MOST_STATE)).unwrap()
        };
        let global =
            state("<locks><global-lock><locked-by-session>7</locked-by-session></global-lock></locks>");
        assert_eq!((global_lock(global.root()), has_partial_lock(global.root())), (Some(7), false));
        assert_eq!(user_of(global.root(), 7).as_deref(), Some("ann"));
        assert_eq!(user_of(global.root(), 9), None);
        let partial = state("<locks><partial-lock><lock-id>1</lock-id></partial-lock></locks>");
        assert_eq!((global_lock(partial.root()), has_partial_lock(partial.root())), (None, true));
        assert_eq!(global_lock(state("").root()), None);
    }
}
