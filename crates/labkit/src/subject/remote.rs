//! Agents that are already running, named by URL. Their credentials are given as to `trunkline get`: by options, variables,
//! files and `snmp.conf`.

use std::fmt;

use clap::Args;
use trunkline_client::soap::SoapOptions;
use trunkline_client::{Credentials, SoapTarget, Target, Url, UsmCredentials, Version};
use trunkline_login::{LoginArgs, Mistake};
use trunkline_snmp::SecurityLevel;

use crate::conversation::Peer;
use crate::error::Error;
use crate::protocol::{Level, SnmpVersion};
use crate::transport::Transport;

/// As whom agents that are named by URL are asked.
#[derive(Debug, Clone, Default, Args)]
pub struct RemoteOptions {
    #[command(flatten)]
    login: LoginArgs,
}

/// An agent that is already running.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its URL without community, user and password.
    pub name: String,
    /// What is spoken with it: `v3/USM authPriv/UDP`.
    pub way: String,
    /// The security level of its messages, whoever protects them.
    pub level: Level,
    /// The transport.
    pub transport: Transport,
    /// The peer of its sessions.
    pub peer: Peer,
    /// Whether the URL has a name that was taken for a community.
    names_community: bool,
}

impl RemoteOptions {
    /// The agents that these URLs name, each with a name of its own.
    ///
    /// # Errors
    /// A text is not the URL of an agent, or a secret is missing or cannot be read.
    pub fn agents(&self, option: &'static str, urls: &[String]) -> Result<Vec<Remote>, Error> {
        let mut agents: Vec<Remote> = Vec::new();
        for url in urls {
            let fault = |reason: Mistake| Error::Remote { option, reason: reason.to_string() };
            let mut agent = self.agent(url).map_err(fault)?;
            if agents.iter().any(|other| other.name == agent.name) {
                agent.name = format!("{} ({})", agent.name, agent.way);
            }
            if agents.iter().any(|other| other.name == agent.name) {
                return Err(Error::Remote { option, reason: format!("{} is given twice", agent.name) });
            }
            agents.push(agent);
        }
        Ok(agents)
    }

    fn agent(&self, url: &str) -> Result<Remote, Mistake> {
        if SoapTarget::is_meant(url) {
            let target = self.login.soap_target(url)?;
            let options = self.login.soap_options(SoapOptions::default().timeout);
            return Ok(Remote::over_soap(target, options));
        }
        let mut target = self.login.target(url)?;
        if let Credentials::Usm(user) = &target.credentials {
            target.credentials = ready(user)?.into();
        }
        let given = Url::split(url).is_some_and(|it| it.user.is_some());
        let is_community = matches!(target.credentials, Credentials::Community { .. });
        Ok(Remote { names_community: given && is_community, ..Remote::of(target) })
    }
}

impl Remote {
    /// An agent of SNMP.
    pub fn of(target: Target) -> Remote {
        let target = target.with_path(None);
        let session = session_level(target.transport);
        let (security, level) = match &target.credentials {
            Credentials::Community { .. } => (String::new(), session),
            Credentials::Usm(user) => {
                let level = level_of(user.level());
                (format!("/USM {level}"), level.max(session))
            }
            Credentials::Transport(_) => ("/TSM".to_owned(), session),
        };
        Remote {
            name: target.to_string(),
            way: format!("{}{security}/{}", version(target.version()), target.transport),
            level,
            transport: target.transport,
            peer: target.into(),
            names_community: false,
        }
    }

    fn over_soap(target: SoapTarget, options: SoapOptions) -> Remote {
        let target = target.with_path(None);
        Remote {
            name: target.to_string(),
            way: format!("soap/{}", target.transport),
            level: session_level(target.transport),
            transport: target.transport,
            peer: Peer::Soap(Box::new(target), options),
            names_community: false,
        }
    }

    /// What to try if it does not answer; empty if there is nothing to say.
    pub fn advice(&self) -> &'static str {
        if self.names_community {
            "; if its URL names a user of SNMPv3 and not a community, give -v3 and the passwords, or add ?version=3"
        } else {
            ""
        }
    }
}

/// The URL without secrets.
impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// The same user with its passwords hashed, as in a manager that keeps running.
fn ready(user: &UsmCredentials) -> Result<UsmCredentials, Mistake> {
    let made = user.made().map_err(|fault| Mistake::of(&fault))?;
    let Some(made) = made else { return Ok(user.clone()) };
    let mut ready = UsmCredentials::from_made(&made);
    ready = ready.clone().with_level(user.level()).unwrap_or(ready);
    ready.context.clone_from(&user.context);
    ready.context_engine_id = user.context_engine_id;
    ready.security_engine_id = user.security_engine_id;
    ready.engine_moment = user.engine_moment;
    Ok(ready)
}

const fn version(version: Version) -> SnmpVersion {
    match version {
        Version::V1 => SnmpVersion::V1,
        Version::V2c => SnmpVersion::V2c,
        Version::V3 => SnmpVersion::V3,
    }
}

/// What the session gives.
const fn session_level(transport: Transport) -> Level {
    if transport.is_secure() { Level::AuthPriv } else { Level::NoAuthNoPriv }
}

const fn level_of(level: SecurityLevel) -> Level {
    match level {
        SecurityLevel::NoAuthNoPriv => Level::NoAuthNoPriv,
        SecurityLevel::AuthNoPriv => Level::AuthNoPriv,
        SecurityLevel::AuthPriv => Level::AuthPriv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        remote: RemoteOptions,
        urls: Vec<String>,
    }

    fn agents(words: &str) -> Result<Vec<Remote>, Error> {
        let words = std::iter::once("lab").chain(words.split_whitespace());
        let program = Program::try_parse_from(words).unwrap();
        program.remote.agents("subject", &program.urls)
    }

    #[test]
    fn every_protocol_is_taken_and_no_secret_shown() {
        let user = "-u ann -A geheimgeheim -X geheimgeheim";
        for (words, name, way, level) in [
            ("snmp://geheim@router", "snmp://router:161", "v2c/UDP", Level::NoAuthNoPriv),
            ("-v1 snmp+tcp://geheim@router:1161", "snmp+tcp://router:1161", "v1/TCP", Level::NoAuthNoPriv),
            (&format!("{user} router"), "snmp://router:161", "v3/USM authPriv/UDP", Level::AuthPriv),
            (
                &format!("{user} -l authNoPriv snmp+tcp://geheim@router"),
                "snmp+tcp://router:161",
                "v3/USM authNoPriv/TCP",
                Level::AuthNoPriv,
            ),
            ("snmp+http://geheim@router", "snmp+http://router:80", "v2c/HTTP", Level::NoAuthNoPriv),
            ("soap+http://geheim@router/ifTable", "soap+http://router:80", "soap/HTTP", Level::NoAuthNoPriv),
            ("soap+http://ann:geheim@router", "soap+http://router:80", "soap/HTTP", Level::NoAuthNoPriv),
        ] {
            let agents = agents(words).unwrap();
            let found = (&*agents[0].name, &*agents[0].way, agents[0].level);
            assert_eq!(found, (name, way, level), "{words}");
            assert!(!format!("{agents:?} {}", agents[0]).contains("geheim"), "{agents:?}");
        }
    }

    #[test]
    fn a_name_taken_for_a_community_is_reported() {
        let advice = |words: &str| agents(words).unwrap()[0].advice();
        assert!(advice("snmp://modern@router").contains("-v3"));
        assert_eq!(advice("snmp://router"), "");
        assert_eq!(advice("-v3 snmp://modern@router"), "");
        assert_eq!(agents("-v3 snmp://modern@router").unwrap()[0].way, "v3/USM noAuthNoPriv/UDP");
    }

    #[test]
    fn two_ways_to_one_agent_have_two_names() {
        let names =
            |words: &str| agents(words).map(|it| it.into_iter().map(|it| it.name).collect::<Vec<_>>());
        let both = names("snmp://a@router snmp://ann@router?version=3").unwrap();
        assert_eq!(both, ["snmp://router:161", "snmp://router:161 (v3/USM noAuthNoPriv/UDP)"]);
        let error = names("snmp://a@router snmp://b@router snmp://c@router").unwrap_err().to_string();
        assert!(error.contains("given twice") && !error.contains('@'), "{error}");
    }

    #[test]
    fn mistakes_name_the_option() {
        for words in ["ftp://x", "-u ann -l authPriv snmp://x", "--certificate /nowhere snmp+tls://x"] {
            let error = agents(words).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().starts_with("--subject: "), "{error}");
        }
    }
}
