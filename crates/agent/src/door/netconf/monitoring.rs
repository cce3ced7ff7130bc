//! The state of NETCONF itself (RFC 6022): capabilities, datastores and who has locked them, schemas, sessions, statistics.

use std::sync::atomic::Ordering::Relaxed;

use trunkline_datastore::path;
use trunkline_models::library::submodules;
use trunkline_netconf::PROTECTION;
use trunkline_push::message;
use trunkline_state::date;
use trunkline_transport::Transport;
use trunkline_tree::Access;
use trunkline_wrapping::capability_of_stored;
use trunkline_yang::own::operations::OF_DRAFTS;
use trunkline_yang::own::{ALL, texts as texts_of_own};

use super::events::STREAM;
use super::made::Made;
use super::register::{Counts, Lockable, Member};
use super::{Netconf, permission, texts};

/// What a session sees of the state.
pub(super) struct Monitoring<'m> {
    pub door: &'m Netconf,
    /// The session that asks.
    pub session_id: u32,
}

impl Monitoring<'_> {
    /// All of `netconf-state`.
    pub fn make(&self, made: &mut Made<'_>, access: &Access) {
        self.capabilities(made);
        self.datastores(made, access);
        self.schemas(made);
        self.sessions(made, access);
        self.statistics(made);
    }

    fn capabilities(&self, made: &mut Made<'_>) {
        made.within("capabilities", |made| {
            self.door
                .models()
                .capabilities(self.door.has_files())
                .iter()
                .for_each(|capability| made.leaf("capability", capability));
            // A nonce is one session's, and is left out.
            if !self.door.datastores.keyring().table().is_empty() {
                made.leaf("capability", PROTECTION);
                if let Some(device) = self.door.device() {
                    made.leaf("capability", &capability_of_stored(&device));
                }
            }
        });
    }

    fn datastores(&self, made: &mut Made<'_>, access: &Access) {
        made.within("datastores", |made| {
            for (name, datastore) in [("running", Lockable::Running), ("candidate", Lockable::Candidate)] {
                made.within("datastore", |made| {
                    made.leaf("name", name);
                    if datastore == Lockable::Running {
                        self.partial_locks(made, access);
                    }
                    let Some((holder, since)) = self.door.register.lock_of(datastore) else { return };
                    made.within("locks", |made| {
                        made.within("global-lock", |made| {
                            made.leaf("locked-by-session", &holder.to_string());
                            made.leaf("locked-time", &date(since));
                        });
                    });
                });
            }
        });
    }

    /// The locks on parts of which all may be read.
    fn partial_locks(&self, made: &mut Made<'_>, access: &Access) {
        let forest = &self.door.models().forest;
        let mut locks = self.door.register.parts();
        locks.retain(|(_, lock)| {
            lock.places.iter().all(|place| permission::may_read_in(forest, place, access))
        });
        if locks.is_empty() {
            return;
        }
        made.within("locks", |made| {
            for (id, lock) in locks {
                made.within("partial-lock", |made| {
                    made.leaf("lock-id", &id.to_string());
                    made.leaf("locked-by-session", &lock.session.to_string());
                    made.leaf("locked-time", &date(lock.since));
                    lock.selects.iter().for_each(|select| made.leaf("select", select));
                    for place in &lock.places {
                        let path = path(forest, place).text;
                        made.leaf("locked-node", if path.is_empty() { "/" } else { &path });
                    }
                });
            }
        });
    }

    /// Those that `get-schema` has, and those that others have.
    fn schemas(&self, made: &mut Made<'_>) {
        made.within("schemas", |made| {
            // Without a revision the version is empty (RFC 6022 section 2.1.3).
            let translated = self.door.models().modules.iter().map(|it| (it.name, "", it.namespace.as_str()));
            let own = texts_of_own().map(|(module, _)| (module.name, module.revision, module.namespace));
            let folder = texts::directory(self.door);
            let is_placed = |name: &str, revision: &str| {
                folder.as_deref().is_some_and(|folder| texts::file(folder, name, revision).is_some())
            };
            let namespace = |name: &str| {
                let is_it = |module: &str| module == name || submodules(module).contains(&name);
                let module = ALL.iter().find(|module| is_it(module.name));
                module.map_or_else(
                    || format!("urn:ietf:params:xml:ns:yang:{name}"),
                    |it| it.namespace.to_owned(),
                )
            };
            for (name, version) in texts::standard() {
                made.within("schema", |made| {
                    made.leaf("identifier", name);
                    made.leaf("version", version);
                    made.leaf("format", "yang");
                    made.leaf("namespace", &namespace(name));
                    if is_placed(name, version) {
                        made.leaf("location", "NETCONF");
                    }
                    // IANA keeps the modules of RFCs.
                    let is_standard = name.starts_with("ietf-") || name.starts_with("iana-");
                    if is_standard && !OF_DRAFTS.contains(&name) {
                        made.leaf("location", &format!("{IANA}{name}@{version}.yang"));
                    }
                });
            }
            for (name, version, namespace) in translated.chain(own) {
                made.within("schema", |made| {
                    made.leaf("identifier", name);
                    made.leaf("version", version);
                    made.leaf("format", "yang");
                    made.leaf("namespace", namespace);
                    made.leaf("location", "NETCONF");
                });
            }
        });
    }

    /// Who may read the names of principals sees all of them, others only their own session.
    fn sessions(&self, made: &mut Made<'_>, access: &Access) {
        let sees_all = permission::sees_names(access);
        let members = self.door.register.members();
        made.within("sessions", |made| {
            for (id, member) in members.iter().filter(|(id, _)| sees_all || *id == self.session_id) {
                made.within("session", |made| session(*id, member, made));
            }
        });
    }

    fn statistics(&self, made: &mut Made<'_>) {
        let register = &self.door.register;
        made.within("statistics", |made| {
            made.leaf("netconf-start-time", &date(register.started));
            for (name, count) in [
                ("in-bad-hellos", &register.bad_hellos),
                ("in-sessions", &register.begun),
                ("dropped-sessions", &register.dropped),
            ] {
                made.leaf(name, &count.load(Relaxed).to_string());
            }
            counts(&register.counts, made);
        });
    }
}

/// `netconf`: the streams of RFC 5277 section 3.4.
pub(super) fn streams(door: &Netconf, made: &mut Made<'_>) {
    made.within("streams", |made| {
        made.within("stream", |made| {
            made.leaf("name", STREAM);
            made.leaf("description", STREAM_DESCRIPTION);
            made.leaf("replaySupport", "true");
            made.leaf("replayLogCreationTime", &date(door.models().since));
        });
    });
}

/// `streams`: the same in RFC 8639 section 4.
pub(super) fn streams_of_subscriptions(door: &Netconf, made: &mut Made<'_>) {
    let since = door.models().since;
    let aged = door.events.since(since);
    made.within("stream", |made| {
        made.leaf("name", STREAM);
        made.leaf("description", STREAM_DESCRIPTION);
        made.leaf("replay-support", "");
        made.leaf("replay-log-creation-time", &message::date(since));
        if aged > since {
            made.leaf("replay-log-aged-time", &message::date(aged));
        }
    });
}

/// What is in the stream.
pub(super) const STREAM_DESCRIPTION: &str = "sessions, changes of running, and notifications of MIB modules";

fn session(id: u32, member: &Member, made: &mut Made<'_>) {
    made.leaf("session-id", &id.to_string());
    match member.transport {
        Transport::Tls => made.leaf("transport", "netconf-tls"),
        Transport::Tcp => made.leaf("transport", "tln:netconf-tcp"),
        _ => made.leaf("transport", "netconf-ssh"),
    }
    made.leaf("username", &member.name);
    if let Some(host) = member.host {
        made.leaf("source-host", &host.to_string());
    }
    made.leaf("login-time", &date(member.since));
    counts(&member.counts, made);
}

fn counts(counts: &Counts, made: &mut Made<'_>) {
    for (name, count) in [
        ("in-rpcs", counts.rpcs.load(Relaxed)),
        ("in-bad-rpcs", counts.bad_rpcs.load(Relaxed)),
        ("out-rpc-errors", counts.errors.load(Relaxed)),
        ("out-notifications", counts.notifications.load(Relaxed)),
    ] {
        made.leaf(name, &count.to_string());
    }
}

const IANA: &str = "https://www.iana.org/assignments/yang-parameters/";
