//! A fleet from a file: groups of agents of different kinds. TOML becomes a raw structure, and that a checked plan;
//! mistakes of values are found while the text is read, so that they have a line.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error as _};
use trunkline_snmp::usm::{AuthProtocol, Credentials, PrivProtocol};
use trunkline_transport::ssh::Secret;

use crate::error::SimError;
use crate::faults::{FaultError, FaultShare, Faults};
use crate::fleet::{Fleet, Group, Kind, Prefix};
use crate::ports::{SimUser, TlsFiles};
use crate::recorded::Recording;
use crate::seed::Seed;
use crate::serve::ServeOptions;
use crate::synthetic::Interfaces;

/// What is simulated, and where.
#[derive(Debug)]
pub struct Plan {
    /// The agents.
    pub fleet: Fleet,
    /// How they are served.
    pub serve: ServeOptions,
    /// Where the metrics are, if anywhere.
    pub metrics: Option<SocketAddr>,
}

/// A file as it is written.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawFile {
    seed: Option<u64>,
    port: Option<u16>,
    threads: Option<usize>,
    max_size: Option<usize>,
    metrics: Option<SocketAddr>,
    jmx_port: Option<u16>,
    netconf_port: Option<u16>,
    netconf_ssh_port: Option<u16>,
    netconf_tls_port: Option<u16>,
    #[serde(default)]
    ssh_user: Vec<RawSshUser>,
    tls: Option<RawTls>,
    #[serde(default)]
    group: Vec<RawGroup>,
}

/// A group as it is written, in a file or by options.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawGroup {
    /// For listings and messages.
    pub name: String,
    /// Where its agents are.
    #[serde(deserialize_with = "parsed")]
    pub prefix: Prefix,
    /// As many as the prefix has, if it is left out.
    pub agents: Option<u32>,
    /// At least and at most.
    pub interfaces: Option<[u32; 2]>,
    /// In place of synthetic values.
    pub recording: Option<PathBuf>,
    /// Whether each agent with the recording has another sysName.
    #[serde(default)]
    pub vary_name: bool,
    /// `public`, if it is left out.
    pub communities: Option<Vec<String>>,
    /// Of SNMPv3.
    #[serde(default)]
    pub user: Vec<RawUser>,
    /// Shares of agents with a fault.
    #[serde(default)]
    pub faults: RawFaults,
    /// How many of the agents answer JMX too.
    #[serde(default)]
    pub jmx: u32,
    /// How many of them answer NETCONF over plain TCP too.
    #[serde(default)]
    pub netconf: u32,
    /// How many of them answer it over SSH.
    #[serde(default)]
    pub netconf_ssh: u32,
    /// How many of them answer it over TLS.
    #[serde(default)]
    pub netconf_tls: u32,
}

/// A user of SSH as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawSshUser {
    name: String,
    password: Option<String>,
    authorized_keys: Option<PathBuf>,
}

impl std::fmt::Debug for RawSshUser {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawSshUser").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Files of TLS as they are written.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTls {
    certificate: PathBuf,
    key: PathBuf,
    authorities: PathBuf,
}

/// A user as it is written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawUser {
    name: String,
    #[serde(default, deserialize_with = "parsed_some")]
    auth: Option<AuthProtocol>,
    auth_password: Option<String>,
    #[serde(default, rename = "priv", deserialize_with = "parsed_some")]
    privacy: Option<PrivProtocol>,
    priv_password: Option<String>,
}

impl std::fmt::Debug for RawUser {
    /// Without the passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawUser").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Faults as they are written: one setting, or a list of them.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawFaults {
    /// `SHARE`.
    #[serde(deserialize_with = "silent")]
    pub silent: Vec<FaultShare>,
    /// `SHARE:DELAY`.
    #[serde(deserialize_with = "slow")]
    pub slow: Vec<FaultShare>,
    /// `SHARE:LOSS`.
    #[serde(deserialize_with = "lossy")]
    pub lossy: Vec<FaultShare>,
    /// `SHARE` or `SHARE:LIE`.
    #[serde(deserialize_with = "wrong")]
    pub wrong: Vec<FaultShare>,
    /// `SHARE:EVERY` or `SHARE:EVERY:DOWN`.
    #[serde(deserialize_with = "rebooting")]
    pub rebooting: Vec<FaultShare>,
}

impl Plan {
    /// Reads a file. Paths in it are relative to its directory.
    ///
    /// # Errors
    /// It cannot be read, is not as it should be, or describes an impossible fleet.
    pub fn read(path: &Path) -> Result<Self, SimError> {
        let unreadable = |source| SimError::Unreadable { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(unreadable)?;
        Self::parse(&text, path)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// As [`Plan::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, SimError> {
        let wrong = |source| SimError::File { path: path.to_owned(), source: Box::new(source) };
        let raw: RawFile = toml::from_str(text).map_err(wrong)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let seed = Seed::new(raw.seed.unwrap_or(DEFAULT_SEED));
        let mut serve = ServeOptions { port: raw.port.unwrap_or(DEFAULT_PORT), ..ServeOptions::default() };
        serve.threads = raw.threads.unwrap_or(serve.threads);
        serve.ports.jmx = raw.jmx_port.unwrap_or(serve.ports.jmx);
        serve.ports.netconf = raw.netconf_port.unwrap_or(serve.ports.netconf);
        serve.ports.netconf_ssh = raw.netconf_ssh_port.unwrap_or(serve.ports.netconf_ssh);
        serve.ports.netconf_tls = raw.netconf_tls_port.unwrap_or(serve.ports.netconf_tls);
        if !raw.ssh_user.is_empty() {
            let users: Result<_, _> = raw.ssh_user.into_iter().map(|user| user.checked(folder)).collect();
            serve.ports.ssh_users = users?;
        }
        serve.ports.tls = raw.tls.map(|RawTls { certificate, key, authorities }| TlsFiles {
            certificate: folder.join(certificate),
            key: folder.join(key),
            authorities: folder.join(authorities),
        });
        serve.responder.max_size = raw.max_size.unwrap_or(serve.responder.max_size);
        let groups: Result<_, _> = raw.group.into_iter().map(|group| group.checked(seed, folder)).collect();
        Ok(Self { fleet: Fleet::new(seed, groups?)?, serve, metrics: raw.metrics })
    }
}

impl RawGroup {
    /// The group, with its recording read.
    ///
    /// # Errors
    /// A recording or a user is wrong, or there are more faults than agents.
    pub fn checked(self, seed: Seed, folder: &Path) -> Result<Group, SimError> {
        let agents = self.agents.unwrap_or(self.prefix.size());
        let kind = match (self.recording, self.interfaces) {
            (Some(_), Some(_)) => return Err(SimError::Options("a recording has its own interfaces")),
            (Some(path), None) => {
                Kind::Recorded { recording: recording(&folder.join(path))?, vary_name: self.vary_name }
            }
            (None, _) if self.vary_name => {
                return Err(SimError::Options("vary-name is for recordings; synthetic names differ already"));
            }
            (None, Some([least, most])) if least > most => {
                return Err(SimError::Options("interfaces: the least number is above the most"));
            }
            (None, Some([_, most])) if most > Interfaces::MOST => {
                return Err(SimError::Options("interfaces: an agent has at most 100000"));
            }
            (None, Some([least, most])) => Kind::Synthetic(Interfaces { least, most }),
            (None, None) => Kind::Synthetic(Interfaces::default()),
        };
        let users: Result<_, _> = self.user.into_iter().map(|user| user.checked(&self.name)).collect();
        let RawFaults { silent, slow, lossy, wrong, rebooting } = self.faults;
        let shares = [silent, slow, lossy, wrong, rebooting].concat();
        let name = self.name;
        let group = || name.clone();
        let faults = Faults::new(seed, agents, &shares)
            .map_err(|source| SimError::Faults { group: group(), source })?;
        let communities = self.communities.unwrap_or_else(|| vec!["public".into()]);
        let communities = communities.into_iter().map(String::into_bytes).collect();
        let Self { prefix, jmx, netconf, netconf_ssh, netconf_tls, .. } = self;
        let users = users?;
        Ok(Group {
            prefix,
            agents,
            kind,
            communities,
            users,
            faults,
            name,
            jmx,
            netconf,
            netconf_ssh,
            netconf_tls,
        })
    }
}

impl RawUser {
    fn checked(self, group: &str) -> Result<Credentials, SimError> {
        let auth = match (self.auth, &self.auth_password) {
            (Some(protocol), Some(password)) => Some((protocol, password.as_bytes())),
            (None, None) => None,
            _ => return Err(SimError::Options("a user has auth with auth-password, or neither")),
        };
        let privacy = match (self.privacy, &self.priv_password) {
            (Some(protocol), Some(password)) => Some((protocol, password.as_bytes())),
            (None, None) => None,
            _ => return Err(SimError::Options("a user has priv with priv-password, or neither")),
        };
        let credentials = Credentials::from_passwords(self.name.as_bytes(), auth, privacy);
        credentials.map_err(|source| SimError::User { group: group.to_owned(), user: self.name, source })
    }
}

impl RawSshUser {
    fn checked(self, folder: &Path) -> Result<SimUser, SimError> {
        if self.password.is_none() && self.authorized_keys.is_none() {
            return Err(SimError::Options("an ssh-user has a password, authorized-keys, or both"));
        }
        let password = self.password.as_deref().map(Secret::from);
        let authorized_keys = self.authorized_keys.map(|path| folder.join(path));
        Ok(SimUser { name: self.name, password, authorized_keys })
    }
}

fn recording(path: &Path) -> Result<Arc<Recording>, SimError> {
    let octets = fs::read(path).map_err(|source| SimError::Unreadable { path: path.to_owned(), source })?;
    let read = Recording::read(&octets);
    read.map(Arc::new).map_err(|source| SimError::Recording { path: path.to_owned(), source })
}

fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: std::fmt::Display>>(from: D) -> Result<T, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

fn parsed_some<'de, D: Deserializer<'de>, T: FromStr<Err: std::fmt::Display>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    parsed(from).map(Some)
}

/// One setting, or several.
#[derive(serde::Deserialize)]
#[serde(untagged, expecting = "expected a text such as \"5%\", or a list of them")]
enum Words {
    One(String),
    Several(Vec<String>),
}

fn shares<'de, D: Deserializer<'de>>(
    from: D,
    read: fn(&str) -> Result<FaultShare, FaultError>,
) -> Result<Vec<FaultShare>, D::Error> {
    let words = match Words::deserialize(from)? {
        Words::One(text) => vec![text],
        Words::Several(texts) => texts,
    };
    words.iter().map(|text| read(text)).collect::<Result<_, _>>().map_err(D::Error::custom)
}

fn silent<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FaultShare>, D::Error> {
    shares(from, FaultShare::silent)
}

fn slow<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FaultShare>, D::Error> {
    shares(from, FaultShare::slow)
}

fn lossy<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FaultShare>, D::Error> {
    shares(from, FaultShare::lossy)
}

fn wrong<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FaultShare>, D::Error> {
    shares(from, FaultShare::wrong)
}

fn rebooting<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FaultShare>, D::Error> {
    shares(from, FaultShare::rebooting)
}

/// The port of agents, unless the user has another one: 161 needs rights.
pub const DEFAULT_PORT: u16 = 1161;
/// The seed, unless the user has another one.
pub const DEFAULT_SEED: u64 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Plan, SimError> {
        Plan::parse(text, Path::new("fleet.toml"))
    }

    #[test]
    fn a_file_has_groups_of_different_kinds() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("switch.snmprec"), "1.3.6.1.2.1.1.5.0|4|core\n").unwrap();
        let text = r#"
            seed = 7
            port = 2161
            threads = 2
            metrics = "127.0.0.1:9161"
            jmx-port = 2099
            netconf-port = 2830
            netconf-ssh-port = 2831
            netconf-tls-port = 2832
            [tls]
            certificate = "agent.pem"
            key = "agent.key"
            authorities = "ca.pem"
            [[ssh-user]]
            name = "joe"
            password = "joes"
            [[group]]
            name = "access"
            prefix = "127.1.0.0/16"
            agents = 1000
            interfaces = [2, 8]
            communities = ["public", "other"]
            jmx = 20
            netconf = 30
            netconf-ssh = 31
            netconf-tls = 32
            [group.faults]
            silent = "1%"
            wrong = ["1%:source", "1%:type"]
            [[group]]
            name = "core"
            prefix = "127.2.0.0/24"
            recording = "switch.snmprec"
            vary-name = true
            [[group.user]]
            name = "nms"
            auth = "SHA-256"
            auth-password = "authpassword"
            priv = "AES"
            priv-password = "privpassword"
        "#;
        let plan = Plan::parse(text, &folder.path().join("fleet.toml")).unwrap();
        assert_eq!((plan.fleet.len(), plan.serve.port, plan.serve.threads), (1256, 2161, 2));
        assert_eq!(plan.metrics, Some("127.0.0.1:9161".parse().unwrap()));
        assert_eq!((plan.serve.ports.jmx, plan.serve.ports.netconf), (2099, 2830));
        let [access, core] = plan.fleet.groups() else { panic!("two groups") };
        assert_eq!(access.communities, [b"public".to_vec(), b"other".to_vec()]);
        assert_eq!((access.jmx, access.netconf, core.jmx), (20, 30, 0));
        assert_eq!((access.netconf_ssh, access.netconf_tls), (31, 32));
        assert_eq!((plan.serve.ports.netconf_ssh, plan.serve.ports.netconf_tls), (2831, 2832));
        assert!(plan.serve.ports.tls.is_some_and(|tls| tls.key == folder.path().join("agent.key")));
        let [joe] = &plan.serve.ports.ssh_users[..] else { panic!("a user") };
        assert!(joe.name == "joe" && joe.password.is_some() && !format!("{joe:?}").contains("joes"));
        assert_eq!((0..1000).filter(|at| access.faults.of(*at).is_some()).count(), 30);
        assert!(matches!(&core.kind, Kind::Recorded { vary_name: true, .. }));
        assert_eq!(core.users.len(), 1);
        assert!(!format!("{:?}", core.users).contains("authpassword"));
    }

    #[test]
    fn mistakes_have_a_line_and_say_what_is_expected() {
        let group = |line: &str| format!("[[group]]\nname = \"g\"\nprefix = \"127.1.0.0/24\"\n{line}\n");
        for (text, expected) in [
            ("ports = 1\n".into(), "unknown field `ports`"),
            (String::new(), "no agents"),
            ("[[group]]\nname = \"g\"\nprefix = \"127.1/16\"\n".into(), "is not a prefix such as"),
            ("[[ssh-user]]\nname = \"joe\"\n".into(), "has a password, authorized-keys"),
            (group("agents = 300"), "256 addresses"),
            (group("interfaces = [3, 2]"), "the least number is above the most"),
            (group("interfaces = [3, 100001]"), "at most 100000"),
            (group("vary-name = true"), "for recordings"),
            (group("recording = \"missing\""), "cannot read missing"),
            (group("faults.slow = \"5%\""), "SHARE:DELAY"),
            (group("faults.slow = 5"), "expected a text"),
            (group("faults.silent = \"60%\"\nfaults.wrong = \"50%\""), "at most 100 %"),
            (group("[[group.user]]\nname = \"u\"\nauth = \"SHA-3\""), "SHA-3"),
            (group("[[group.user]]\nname = \"u\"\nauth = \"SHA\""), "auth with auth-password"),
            (
                group("[[group.user]]\nname = \"u\"\nauth = \"SHA\"\nauth-password = \"short\""),
                "\"u\" of the group \"g\"",
            ),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let error = parse(&group("faults.slow = \"5%\"")).unwrap_err().to_string();
        assert!(error.contains("fleet.toml") && error.contains("line 4"), "{error}");
    }
}
