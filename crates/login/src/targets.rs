//! Named targets, groups of them and defaults: the manager's own file, `~/.config/trunkline/config.toml`. What a
//! target sets is used where the options of the command line set nothing; what `[defaults]` sets, where the variables
//! set nothing either.

mod hosts;
mod place;
mod raw;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use hosts::{Host, hosts, read_hosts};
pub use place::Misplaced;

use trunkline_jmxclient::JmxTarget;

use crate::agent::LoginArgs;
use crate::conf::Token;
use crate::keeper::Given;
pub use crate::keeper::{Keeper, Origin, SecretOf};
use crate::mistake::Mistake;
use crate::options::session::{EndsArgs, HttpArgs, HttpLoginArgs, ModelArg, SecureArgs};
use crate::options::user::{LevelArg, VersionArg};
use crate::session::netconf_target;
use trunkline_client::NetconfTarget;
use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};

/// The variable that names the file.
pub const VARIABLE: &str = "TRUNKLINE_CONFIG";

/// The file's content, checked.
#[derive(Debug, Default)]
pub struct Targets {
    /// The file, if there is one.
    pub path: Option<PathBuf>,
    /// What holds for all agents.
    pub defaults: Settings,
    /// The agents with a name.
    pub named: BTreeMap<String, Named>,
    /// Groups, with what their members are: names of targets, addresses, or `@GROUP`.
    pub groups: BTreeMap<String, Vec<String>>,
}

/// An agent with a name.
#[derive(Debug)]
pub struct Named {
    /// A URL or Net-SNMP's form.
    pub address: String,
    /// What holds for this agent.
    pub settings: Settings,
}

/// How an agent is asked. `Debug` shows no secret.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The version of SNMP.
    pub version: Option<VersionArg>,
    /// The community.
    pub community: Option<SecretOf>,
    /// The user of SNMPv3.
    pub user: Option<String>,
    /// Its level.
    pub level: Option<LevelArg>,
    /// How it is authenticated.
    pub auth_protocol: Option<AuthProtocol>,
    /// Its authentication password.
    pub auth: Option<SecretOf>,
    /// How its messages are encrypted.
    pub priv_protocol: Option<PrivProtocol>,
    /// Its privacy password.
    pub privacy: Option<SecretOf>,
    /// The context.
    pub context: Option<String>,
    /// Whose keys protect a session over TLS, DTLS or SSH.
    pub security_model: Option<ModelArg>,
    /// The wait for an answer.
    pub timeout: Option<Duration>,
    /// How many times a request is sent again.
    pub retries: Option<u32>,
    /// How many agents are asked at the same time; only in `[defaults]`.
    pub parallel: Option<usize>,
    /// Files and names for TLS, DTLS, SSH and HTTP.
    pub ends: Ends,
}

/// What sessions over TLS, DTLS, SSH and HTTP need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Our certificate.
    pub certificate: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
    /// Certificates of authorities.
    pub authorities: Vec<PathBuf>,
    /// The folder of `trunkline pki`.
    pub pki: Option<PathBuf>,
    /// The fingerprint that the agent has.
    pub fingerprint: Option<String>,
    /// The name that its certificate has.
    pub server_name: Option<String>,
    /// The user over SSH.
    pub ssh_user: Option<String>,
    /// Its keys.
    pub ssh_key: Vec<PathBuf>,
    /// A file with its password.
    pub ssh_password_file: Option<PathBuf>,
    /// The file of known hosts.
    pub known_hosts: Option<PathBuf>,
    /// The user over HTTP.
    pub http_user: Option<String>,
    /// A file with its password.
    pub http_password_file: Option<PathBuf>,
    /// A file with a token.
    pub http_token_file: Option<PathBuf>,
    /// The user of JMX.
    pub jmx_user: Option<String>,
    /// A file with its password.
    pub jmx_password_file: Option<PathBuf>,
    /// Whether stubs of JMX are not followed to other hosts.
    pub jmx_stay: bool,
}

/// An agent that a word of the command line or a line of a file names.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What it is called in output: its name, or the word.
    pub label: String,
    /// A URL or Net-SNMP's form.
    pub address: String,
    /// What holds for it.
    pub settings: Settings,
}

impl Targets {
    /// Reads the file: the given one, that of the variable, or the usual one, which may be missing.
    ///
    /// # Errors
    /// A file that is named does not exist, others may read the secrets in it, or something in it is wrong.
    pub fn read(given: Option<&Path>) -> Result<Self, Mistake> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let named = given.map(Path::to_path_buf).or_else(|| variable(VARIABLE).map(PathBuf::from));
        let usual = || {
            let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from);
            let folder = folder.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")))?;
            Some(folder.join("trunkline").join("config.toml")).filter(|path| path.exists())
        };
        match (named, usual) {
            (Some(path), _) => raw::read(&path),
            (None, usual) => usual().map_or_else(|| Ok(Targets::default()), |path| raw::read(&path)),
        }
    }

    /// Whether a word is `@GROUP` or the name of a target.
    #[must_use]
    pub fn knows(&self, word: &str) -> bool {
        word.starts_with('@') || self.named.contains_key(word)
    }

    /// The agents that a word names: `@NAME` those of a group or the target of this name, the name of a target this
    /// target, any other word the agent at this address.
    ///
    /// # Errors
    /// There is neither a group nor a target with the name.
    pub fn choose(&self, word: &str) -> Result<Vec<Chosen>, Mistake> {
        let mut chosen = Vec::new();
        let mut entered = Vec::new();
        self.add(word, &mut entered, &mut chosen)?;
        Ok(chosen)
    }

    fn add<'t>(
        &'t self,
        word: &'t str,
        entered: &mut Vec<&'t str>,
        chosen: &mut Vec<Chosen>,
    ) -> Result<(), Mistake> {
        let name = word.strip_prefix('@');
        if let Some(members) = name.and_then(|name| self.groups.get(name)) {
            // Groups may share members; circles are refused when the file is read.
            if entered.contains(&word) {
                return Ok(());
            }
            entered.push(word);
            return members.iter().try_for_each(|member| self.add(member, entered, chosen));
        }
        let bare = name.unwrap_or(word);
        let one = match self.named.get(bare) {
            Some(Named { address, settings }) => {
                Chosen { label: bare.to_owned(), address: address.clone(), settings: settings.clone() }
            }
            None if name.is_some() => return Err(self.unknown(word)),
            None => Chosen { label: label(word), address: word.to_owned(), settings: Settings::default() },
        };
        if !chosen.iter().any(|other| other.label == one.label && other.address == one.address) {
            chosen.push(one);
        }
        Ok(())
    }

    fn unknown(&self, word: &str) -> Mistake {
        let name = word.trim_start_matches('@');
        let Some(path) = &self.path else {
            let words = "there is no configuration file with targets and groups";
            return Mistake(format!(
                "{word}: {words} (~/.config/trunkline/config.toml, {VARIABLE} or --config)"
            ));
        };
        let groups: Vec<&str> = self.groups.keys().map(String::as_str).collect();
        let groups = if groups.is_empty() { "none".to_owned() } else { groups.join(" ") };
        Mistake(format!("{}: no group or target is called {name}; groups: {groups}", path.display()))
    }

    /// The options for an agent: those of the command line, and where they set nothing the agent's own settings, with
    /// the defaults of the file behind them.
    ///
    /// # Errors
    /// A secret of the agent's settings cannot be read.
    pub fn login(
        &self,
        chosen: &Settings,
        options: &LoginArgs,
        keeper: &Keeper,
    ) -> Result<LoginArgs, Mistake> {
        let mut login = options.clone();
        chosen.fill(&mut login, keeper)?;
        self.defaults.ends.fill(&mut login);
        login.secure.security_model = login.secure.security_model.or(self.defaults.security_model);
        login.given = self.defaults.given(keeper);
        Ok(login)
    }

    /// The one agent of NETCONF or RESTCONF that a word names: a target of the file, or a URL.
    ///
    /// # Errors
    /// The word names a group of several agents, the URL is of another protocol, or what authenticates both ends cannot be read.
    pub fn netconf(
        &self,
        word: &str,
        ends: &EndsArgs,
        http: &HttpLoginArgs,
        keeper: &Keeper,
    ) -> Result<NetconfTarget, Mistake> {
        let chosen = self.choose(word)?;
        let [chosen] = &chosen[..] else {
            return Err(Mistake(format!("{word} is a group of {} agents: name one of them", chosen.len())));
        };
        if !chosen.address.contains("://") {
            let of = self.path.as_ref().map_or_else(
                || "of the configuration, of which there is no file".to_owned(),
                |path| format!("of {}", path.display()),
            );
            return Err(Mistake(format!(
                "{}: expected a URL such as netconf://USER@HOST, or the name of a target {of} that has one",
                chosen.address
            )));
        }
        let http = HttpArgs { login: http.clone(), ..HttpArgs::default() };
        let secure = SecureArgs { ends: ends.clone(), http, ..SecureArgs::default() };
        let given = LoginArgs { secure, ..LoginArgs::default() };
        let login = self.login(&chosen.settings, &given, keeper)?;
        netconf_target(&chosen.address, &login.secure.ends, &login.secure.http.login)
    }
}

/// What an agent at an address is called: the address without credentials.
fn label(word: &str) -> String {
    if let Ok(target) = JmxTarget::parse(word) {
        return target.to_string();
    }
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // The object and what follows it are the question, not the agent.
    let _ = rest;
    if scheme == "snmp" { host.to_owned() } else { format!("{scheme}://{host}") }
}

impl Settings {
    /// Fills what the options leave open.
    fn fill(&self, login: &mut LoginArgs, keeper: &Keeper) -> Result<(), Mistake> {
        let is_of_communities = matches!(login.version, Some(VersionArg::V1 | VersionArg::V2c));
        // Another user has other secrets.
        if login.security.user.is_none() && !is_of_communities && login.community.is_none() {
            let security = &mut login.security;
            security.user = self.user.clone();
            security.level = security.level.or(self.level);
            security.auth_protocol = security.auth_protocol.or(self.auth_protocol);
            security.priv_protocol = security.priv_protocol.or(self.priv_protocol);
            let has_auth = security.auth_password.is_some()
                || security.auth_password_file.is_some()
                || security.auth_master_key.is_some()
                || security.auth_localized_key.is_some();
            if let Some(auth) = self.auth.as_ref().filter(|_| !has_auth) {
                security.auth_password = Some(keeper.read(auth)?);
            }
            let has_privacy = security.priv_password.is_some()
                || security.priv_password_file.is_some()
                || security.priv_master_key.is_some()
                || security.priv_localized_key.is_some();
            if let Some(privacy) = self.privacy.as_ref().filter(|_| !has_privacy) {
                security.priv_password = Some(keeper.read(privacy)?);
            }
            login.version = login.version.or(self.version);
            if let Some(community) = self.community.as_ref().filter(|_| login.security.user.is_none()) {
                login.community = Some(keeper.read(community)?);
                login.version = login.version.or(Some(VersionArg::V2c));
            }
        } else if let Some(community) = self.community.as_ref().filter(|_| is_of_communities) {
            if login.community.is_none() {
                login.community = Some(keeper.read(community)?);
            }
        } else if login.security.user.is_none() {
            login.version = login.version.or(self.version);
        }
        login.security.context = login.security.context.take().or_else(|| self.context.clone());
        login.secure.security_model = login.secure.security_model.or(self.security_model);
        self.ends.fill(login);
        Ok(())
    }

    /// As lines of `snmp.conf`, with secrets that are read when they are needed.
    fn given(&self, keeper: &Keeper) -> Given {
        let version = self.version.or_else(|| self.user.is_some().then_some(VersionArg::V3));
        let lines = [
            ("defversion", version.map(|version| version.name().to_owned())),
            ("defsecurityname", self.user.clone()),
            ("defsecuritylevel", self.level.map(|level| level.name().to_owned())),
            ("defauthtype", self.auth_protocol.map(|protocol| protocol.to_string())),
            ("defprivtype", self.priv_protocol.map(|protocol| protocol.to_string())),
            ("defcontext", self.context.clone()),
        ];
        let token =
            |(name, value): (&str, Option<String>)| Some(Token { name: name.to_owned(), value: value? });
        Given {
            tokens: lines.into_iter().filter_map(token).collect(),
            community: self.community.clone(),
            auth: self.auth.clone(),
            privacy: self.privacy.clone(),
            keeper: keeper.clone(),
        }
    }
}

impl Ends {
    fn fill(&self, login: &mut LoginArgs) {
        fn or<T: Clone>(place: &mut Option<T>, value: &Option<T>) {
            if place.is_none() {
                place.clone_from(value);
            }
        }
        let ends = &mut login.secure.ends;
        if ends.tls.certificate.is_none() && ends.tls.key.is_none() {
            or(&mut ends.tls.certificate, &self.certificate);
            or(&mut ends.tls.key, &self.key);
        }
        if ends.tls.authorities.is_empty() {
            ends.tls.authorities.clone_from(&self.authorities);
        }
        or(&mut ends.tls.pki, &self.pki);
        if ends.fingerprint.is_none() && ends.server_name.is_none() {
            or(&mut ends.fingerprint, &self.fingerprint);
            or(&mut ends.server_name, &self.server_name);
        }
        or(&mut ends.ssh.ssh_user, &self.ssh_user);
        if ends.ssh.ssh_key.is_empty() {
            ends.ssh.ssh_key.clone_from(&self.ssh_key);
        }
        if !ends.ssh.ssh_ask_password {
            or(&mut ends.ssh.ssh_password_file, &self.ssh_password_file);
        }
        or(&mut ends.ssh.known_hosts, &self.known_hosts);
        let http = &mut login.secure.http.login;
        if http.http_user.is_none() && http.http_token_file.is_none() {
            or(&mut http.http_user, &self.http_user);
            if !http.http_ask_password {
                or(&mut http.http_password_file, &self.http_password_file);
            }
            or(&mut http.http_token_file, &self.http_token_file);
        }
        let jmx = &mut login.secure.jmx;
        if jmx.jmx_user.is_none() {
            or(&mut jmx.jmx_user, &self.jmx_user);
            if !jmx.jmx_ask_password {
                or(&mut jmx.jmx_password_file, &self.jmx_password_file);
            }
        }
        jmx.jmx_stay |= self.jmx_stay;
    }
}

#[cfg(test)]
mod tests;
