//! What the directives of all files say together, before it is written down.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::PathBuf;

use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};
use trunkline_transport::ListenUrl;

use super::addresses::Source;
use super::certificates::Certificate;
use super::session::{Level, SecretText, Session};
use super::{Note, Origin};

/// Everything.
pub struct Collected<'a> {
    /// The addresses of a name.
    pub resolve: &'a dyn Fn(&str) -> Vec<IpAddr>,
    /// What cannot be carried over.
    pub notes: Vec<Note>,
    /// What need not be.
    pub unneeded: Vec<Note>,
    /// What is carried over, or had no effect with snmpd either, and should be known.
    pub remarks: Vec<Note>,
    /// Lines in which snmpd keeps its own state.
    pub kept: Vec<Note>,
    /// Lines that are a part of what another line makes: the part, and that line.
    pub parts: Vec<(Origin, Origin)>,
    /// `[agent]`.
    pub agent: Vec<Setting>,
    /// `[system]`.
    pub system: Vec<Setting>,
    /// `[snmp]`, except for `listen`.
    pub snmp: Vec<Setting>,
    /// `[agentx]`, if there is to be a master.
    pub agentx: Vec<Setting>,
    /// `linkUpDownNotifications yes`.
    pub link_notifications: bool,
    /// `master agentx`.
    pub agentx_master: Option<Origin>,
    /// Listening URLs.
    pub listen: Vec<(ListenUrl, Origin)>,
    /// Whether the files say where to listen, though it may not be understood.
    pub names_addresses: bool,
    /// Communities in the order in which they are tried.
    pub communities: Vec<Community>,
    /// `group`.
    pub groups: Vec<Group>,
    /// `view`: by name, in the order of first mention.
    pub views: Vec<View>,
    /// `access` and its like.
    pub access: Vec<Access>,
    /// `createUser` and its like.
    pub users: Vec<User>,
    /// `rouser` and its like.
    pub user_access: Vec<UserAccess>,
    /// `trapcommunity`, for the targets that follow.
    pub trap_community: Option<(String, Origin)>,
    /// Targets of notifications.
    pub targets: Vec<Target>,
    /// `notificationFilter`, by profile.
    pub filters: BTreeMap<String, Vec<(String, Origin)>>,
    /// `extend`, `exec`, `pass`, `proc`, `disk`.
    pub programs: Programs,
    /// `load`.
    pub load: Option<(Vec<f64>, Origin)>,
    /// `diskio`, and `diskio_exclude_...`: devices, and how names begin, each with its line.
    pub disk_io: [Vec<(String, Origin)>; 2],
    /// `skipNFSInHostResources yes`.
    pub skips_network: Option<Origin>,
    /// `swap`: the minimum.
    pub swap: Option<(u32, Origin)>,
    /// `proxy`.
    pub proxies: Vec<Proxy>,
    /// `monitor`.
    pub monitors: Vec<Monitor>,
    /// `notificationEvent` and `setEvent`, by name.
    pub events: BTreeMap<String, Event>,
    /// `iquerySecName`, `agentSecName`.
    pub monitor_user: Option<(String, Origin)>,
    /// As whom the triggers ask that are written.
    pub asking_users: BTreeSet<String>,
    /// `strictDisman yes`.
    pub strict_order: Option<Origin>,
    /// The identifier that snmpd has kept (`oldEngineID`).
    pub kept_engine_id: Option<(String, Origin)>,
    /// The engine that keys were made for first.
    pub engine_of_keys: Option<(String, Origin)>,
    /// `engineIDType`, `engineIDNic`: how snmpd is to make an engine ID.
    pub engine_made_by: Vec<(String, Origin)>,
    /// Certificates.
    pub tls: Tls,
    /// Folders in which Net-SNMP keeps certificates.
    pub certificate_folders: Vec<PathBuf>,
    /// `leave_pidfile`.
    pub leave_pid_file: bool,
    order: usize,
}

/// What lines say about certificates.
#[derive(Default)]
pub struct Tls {
    /// `localCert`.
    pub own: Option<(Certificate, Origin)>,
    /// `trustCert`.
    pub trusted: Vec<(PathBuf, Origin)>,
    /// `x509CRLFile`.
    pub revocation_lists: Vec<(PathBuf, Origin)>,
    /// `certSecName`.
    pub names: Vec<CertificateName>,
}

/// `certSecName`: the name that a certificate stands for.
pub struct CertificateName {
    /// Lower numbers are tried first.
    pub priority: u32,
    /// The certificate, or an authority over it.
    pub fingerprint: String,
    /// `name` or `map`.
    pub key: &'static str,
    /// The name, or the field of the certificate.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// A key and its value in TOML.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// The value as TOML has it.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The rest of the line.
    pub comment: String,
}

/// A section with single keys.
#[derive(Clone, Copy, Debug)]
pub enum Section {
    /// `[agent]`.
    Agent,
    /// `[system]`.
    System,
    /// `[snmp]`.
    Snmp,
    /// `[agentx]`.
    Agentx,
}

/// The view of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Everything.
    All,
    /// A subtree.
    Subtree(String),
    /// A view.
    View(String),
}

/// A community with one range of sources.
#[derive(Clone, Debug)]
pub struct Community {
    /// The community.
    pub name: String,
    /// From where.
    pub source: Source,
    /// The context of its requests.
    pub context: String,
    /// Its access.
    pub rights: CommunityRights,
    /// Where it comes from.
    pub origin: Origin,
    /// The directive.
    pub directive: String,
}

/// The access of a community.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommunityRights {
    /// `rocommunity` and its like.
    Simple {
        /// Its view.
        seen: Seen,
        /// Whether it may write that too.
        write: bool,
    },
    /// `com2sec`: what the groups of this security name may.
    SecurityName(String),
}

/// `group`.
#[derive(Clone, Debug)]
pub struct Group {
    /// The group.
    pub name: String,
    /// `v1`, `v2c`, `usm`.
    pub model: &'static str,
    /// Its members.
    pub security_name: String,
    /// Its position, to compare with `rouser`.
    pub order: usize,
    /// Where it comes from.
    pub origin: Origin,
}

/// `view`, all lines of one name.
#[derive(Clone, Debug)]
pub struct View {
    /// Its name.
    pub name: String,
    /// Its rules in our form.
    pub rules: Vec<(String, Origin)>,
}

/// `access`.
#[derive(Clone, Debug)]
pub struct Access {
    /// The group.
    pub group: String,
    /// The rule.
    pub rule: Rule,
}

/// A rule of a role.
#[derive(Clone, Debug)]
pub struct Rule {
    /// As in our configuration: with `*` after a prefix.
    pub context: String,
    /// `any`, `v1`, `v2c`, `usm`.
    pub model: &'static str,
    /// The least level.
    pub level: Level,
    /// What may be read, written and notified.
    pub views: [Option<Seen>; 3],
    /// Where it comes from.
    pub origin: Origin,
}

/// `rouser`.
#[derive(Clone, Debug)]
pub struct UserAccess {
    /// The user.
    pub user: String,
    /// Its access.
    pub rule: Rule,
    /// Its position, to compare with `group`.
    pub order: usize,
    /// `rouser`, `rwuser` or `authuser`.
    pub directive: String,
}

/// `createUser`, `usmUser`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its name.
    pub name: String,
    /// How its messages are made authentic.
    pub auth: Option<(AuthProtocol, SecretText)>,
    /// How they are kept private.
    pub privacy: Option<(PrivProtocol, SecretText)>,
    /// The engine that its keys were made for, `0x` and hexadecimal digits; `None` for passwords and master keys.
    pub engine: Option<String>,
    /// `createUser -e`: the engine that it is a user of.
    pub at: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

impl User {
    /// The engine that it is a user of, if that is known.
    pub fn place(&self) -> Option<&String> {
        self.at.as_ref().or(self.engine.as_ref())
    }

    /// Whether our configuration can have it.
    pub fn check(&self) -> Result<(), String> {
        if self.name.is_empty() || self.name.len() > 32 {
            return Err("a user's name has 1 to 32 octets".into());
        }
        let hash = self.auth.as_ref().map_or(0, |(protocol, _)| protocol.key_length());
        if self.privacy.is_some() && self.auth.is_none() {
            return Err("privacy without authentication".into());
        }
        if let Some((_, secret)) = &self.auth {
            secret.check(hash, hash)?;
        }
        match &self.privacy {
            Some((protocol, secret)) => secret.check(hash, protocol.key_length()),
            None => Ok(()),
        }
    }
}

/// Receivers of notifications.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The URL.
    pub address: String,
    /// The credentials.
    pub session: Session,
    /// Where it comes from.
    pub origin: Origin,
    /// The directive.
    pub directive: String,
}

/// Programs and what is watched.
#[derive(Default)]
pub struct Programs {
    /// `extend`.
    pub extends: Vec<Extend>,
    /// `exec`, `sh`.
    pub execs: Vec<Exec>,
    /// `pass`, `pass_persist`.
    pub passes: Vec<Pass>,
    /// `proc`.
    pub processes: Vec<Process>,
    /// `disk`, `includeAllDisks`: the path and the minimum in TOML.
    pub disks: Vec<(String, Option<String>, Origin)>,
    /// `file`: the path and the maximum.
    pub files: Vec<(String, Option<u32>, Origin)>,
    /// `logmatch`.
    pub log_matches: Vec<LogMatch>,
}

/// `logmatch`.
pub struct LogMatch {
    /// Its name.
    pub name: String,
    /// The log file.
    pub path: String,
    /// Seconds between two readings; 0: none of its own.
    pub every: u32,
    /// The expression.
    pub pattern: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// `extend`.
pub struct Extend {
    /// Its name.
    pub name: String,
    /// The program.
    pub command: Vec<String>,
    /// Whether the shell runs it.
    pub shell: bool,
    /// The cache time in seconds.
    pub cache: Option<u64>,
    /// The tables' root.
    pub oid: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

/// `exec`.
pub struct Exec {
    /// Its name.
    pub name: String,
    /// The program.
    pub command: Vec<String>,
    /// Whether the shell runs it.
    pub shell: bool,
    /// `execfix`.
    pub fix: Option<Vec<String>>,
    /// Where it comes from.
    pub origin: Origin,
}

/// `pass`.
pub struct Pass {
    /// The subtree.
    pub oid: String,
    /// The program.
    pub command: Vec<String>,
    /// `pass_persist`.
    pub persistent: bool,
    /// `-p`.
    pub priority: Option<u8>,
    /// Where it comes from.
    pub origin: Origin,
}

/// `proc`.
pub struct Process {
    /// The processes' name.
    pub name: String,
    /// The least number.
    pub min: Option<u32>,
    /// The greatest number.
    pub max: Option<u32>,
    /// `procfix`.
    pub fix: Option<Vec<String>>,
    /// Where it comes from.
    pub origin: Origin,
}

/// `proxy`.
pub struct Proxy {
    /// The URL.
    pub address: String,
    /// The credentials.
    pub session: Session,
    /// The subtree that it answers for.
    pub subtree: String,
    /// The position of that subtree there.
    pub remote: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A monitor, which becomes a trigger.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Its name.
    pub name: String,
    /// The object, as our configuration has it.
    pub object: String,
    /// What is tested.
    pub test: Test,
    /// Whether differences are.
    pub delta: bool,
    /// What tells that a difference means nothing.
    pub discontinuity: Option<String>,
    /// Objects that are sent along.
    pub objects: Vec<String>,
    /// How often, in seconds.
    pub every: u64,
    /// The event that it triggers.
    pub event: Option<String>,
    /// The user by whose rights it reads and sets.
    pub user: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A test of a trigger.
#[derive(Clone, Debug)]
pub struct Test {
    /// `existence`, `boolean` or `threshold`.
    pub key: &'static str,
    /// Its keys and values in TOML.
    pub pairs: Vec<String>,
}

/// `notificationEvent` and `setEvent`.
#[derive(Clone, Debug)]
pub struct Event {
    /// The notification, and the objects that it has.
    pub notification: Option<(String, Vec<String>)>,
    /// The object that is set, and its value.
    pub set: Option<(String, i32)>,
    /// Where it was first named.
    pub origin: Origin,
}

impl<'a> Collected<'a> {
    /// Nothing so far.
    pub fn new(resolve: &'a dyn Fn(&str) -> Vec<IpAddr>) -> Self {
        Collected {
            resolve,
            notes: Vec::new(),
            unneeded: Vec::new(),
            remarks: Vec::new(),
            kept: Vec::new(),
            parts: Vec::new(),
            agent: Vec::new(),
            system: Vec::new(),
            snmp: Vec::new(),
            link_notifications: false,
            agentx: Vec::new(),
            agentx_master: None,
            listen: Vec::new(),
            names_addresses: false,
            communities: Vec::new(),
            groups: Vec::new(),
            views: Vec::new(),
            access: Vec::new(),
            users: Vec::new(),
            user_access: Vec::new(),
            trap_community: None,
            targets: Vec::new(),
            filters: BTreeMap::new(),
            programs: Programs::default(),
            load: None,
            disk_io: Default::default(),
            skips_network: None,
            swap: None,
            proxies: Vec::new(),
            monitors: Vec::new(),
            events: BTreeMap::new(),
            monitor_user: None,
            asking_users: BTreeSet::new(),
            strict_order: None,
            kept_engine_id: None,
            engine_of_keys: None,
            engine_made_by: Vec::new(),
            tls: Tls::default(),
            certificate_folders: Vec::new(),
            leave_pid_file: false,
            order: 0,
        }
    }

    /// Says that something is not carried over.
    pub fn note(&mut self, origin: &Origin, directive: &str, why: impl Into<String>) {
        let note = Note { origin: origin.clone(), directive: directive.into(), why: why.into() };
        self.notes.push(note);
    }

    /// Says something about a line that loses nothing by the conversion.
    pub fn remark(&mut self, origin: &Origin, directive: &str, why: impl Into<String>) {
        let note = Note { origin: origin.clone(), directive: directive.into(), why: why.into() };
        if !self.remarks.contains(&note) {
            self.remarks.push(note);
        }
    }

    /// Says that a line has no effect here, and needs none.
    pub fn unneeded(&mut self, origin: &Origin, directive: &str, why: impl Into<String>) {
        let note = Note { origin: origin.clone(), directive: directive.into(), why: why.into() };
        self.unneeded.push(note);
    }

    /// Says that a line is a part of what another line makes.
    pub fn part_of(&mut self, part: &Origin, whole: &Origin) {
        self.parts.push((part.clone(), whole.clone()));
    }

    /// Sets a key. The last of several lines for one key counts, as for Net-SNMP.
    pub fn set(&mut self, section: Section, directive: &str, setting: Setting) {
        let settings = match section {
            Section::Agent => &mut self.agent,
            Section::System => &mut self.system,
            Section::Snmp => &mut self.snmp,
            Section::Agentx => &mut self.agentx,
        };
        let earlier = settings.iter().position(|known| known.key == setting.key);
        let earlier = earlier.map(|at| settings.remove(at));
        let why = format!("{} sets it again, and the last line counts", setting.origin);
        settings.push(setting);
        if let Some(earlier) = earlier {
            self.unneeded(&earlier.origin, directive, why);
        }
    }

    /// The number of the next entry.
    pub fn next(&mut self) -> usize {
        self.order += 1;
        self.order
    }

    /// The view with a name, created if it does not exist.
    pub fn view(&mut self, name: &str) -> &mut View {
        let at = self.views.iter().position(|view| view.name == name).unwrap_or_else(|| {
            self.views.push(View { name: name.into(), rules: Vec::new() });
            self.views.len() - 1
        });
        &mut self.views[at]
    }
}
