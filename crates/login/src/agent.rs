//! The agent that a text names, with the credentials of the options where the text has none.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use trunkline_client::soap::{Encoding, SoapOptions, SoapVersion};
use trunkline_client::{
    Credentials, Defaults, Inside, SecurityLevel, SoapTarget, Target, TargetError, Transport, TsmCredentials,
    UsmCredentials, Version,
};

use crate::conf::Conf;
use crate::keeper::Given;
use crate::mistake::Mistake;
use crate::options::session::{EncodingArg, ModelArg, SecureArgs, SoapArg};
use crate::options::user::{SecurityArgs, VersionArg};
use crate::{session, user};

/// As whom to ask. No `Debug` output: it contains secrets.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Session")]
pub struct LoginArgs {
    /// The version of SNMP: 1, 2c or 3 [default: 2c; 3 with a user].
    #[arg(
        id = "snmp_version",
        short = 'v',
        long = "snmp",
        value_name = "VERSION",
        hide_possible_values = true
    )]
    pub version: Option<VersionArg>,
    /// The community, unless the target URL has one; also the variable TRUNKLINE_COMMUNITY [default: public].
    #[arg(short = 'c', long, value_name = "NAME")]
    pub community: Option<String>,
    /// As which user of SNMPv3.
    #[command(flatten)]
    pub security: SecurityArgs,
    /// What TLS, DTLS and SSH need.
    #[command(flatten)]
    pub secure: SecureArgs,
    /// The defaults of the file of targets.
    #[arg(skip)]
    pub given: Given,
}

/// How a text is parsed: as an agent, or as a notification receiver.
type Parse = fn(&str, &Defaults) -> Result<Target, TargetError>;

impl fmt::Debug for LoginArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoginArgs { version, security, secure, .. } = self;
        let mut shown = f.debug_struct("LoginArgs");
        shown.field("version", version).field("security", security).field("secure", secure);
        shown.finish_non_exhaustive()
    }
}

impl LoginArgs {
    /// The agent, with the version and the community or user of the options where the URL has none.
    ///
    /// # Errors
    /// The text names no agent, or a secret is missing or cannot be read.
    pub fn target(&self, text: &str) -> Result<Target, Mistake> {
        self.parsed(text, Target::parse)
    }

    /// As [`LoginArgs::target`], for a notification receiver: its default port differs.
    ///
    /// # Errors
    /// As [`LoginArgs::target`].
    pub fn receiver(&self, text: &str) -> Result<Target, Mistake> {
        self.parsed(text, Target::parse_receiver)
    }

    fn parsed(&self, text: &str, parse: Parse) -> Result<Target, Mistake> {
        let conf = self.conf();
        let mut defaults = Defaults::default()
            .with_version(self.version(&conf))
            .with_community(self.community(&conf)?)
            .with_usm(UsmCredentials::new(user::NAMELESS).ok())
            .with_inside(self.inside())
            .with_tsm(self.tsm(&conf));
        let parse = |defaults: &Defaults| parse(text, defaults).map_err(|fault| Mistake::of(&fault));
        defaults.login = session::login(&self.secure.http.login)?;
        let mut target = parse(&defaults)?;
        // Secrets are only looked for where they are needed.
        if matches!(target.credentials, Credentials::Usm(_)) {
            defaults.usm = Some(user::user_given(&self.security, &conf, &self.given)?);
            target = parse(&defaults)?;
        }
        match &target.credentials {
            Credentials::Usm(user) if user.name() == user::NAMELESS => Err(Mistake::of(&TargetError::NoUser)),
            _ => {
                target.http.compress = !self.secure.http.no_compression;
                session::equipped(target, &self.secure.ends)
            }
        }
    }

    /// The agent of a SOAP URL; a community that is given takes precedence over a certificate.
    ///
    /// # Errors
    /// As [`LoginArgs::target`].
    pub fn soap_target(&self, text: &str) -> Result<SoapTarget, Mistake> {
        let by_community = self.community.is_some() || self.version.is_some();
        let inside = if by_community { Inside::Community(Version::V2c) } else { Inside::Transport };
        let http = &self.secure.http.login;
        if http.http_user.is_none() {
            session::no_password(http, "with --http-user")?;
        }
        let login = session::login(http)?;
        let is_logged_in = login.is_some();
        let community = self.community(&self.conf())?;
        let defaults = Defaults::default().with_community(community).with_inside(inside).with_login(login);
        let target = SoapTarget::parse(text, &defaults).map_err(|fault| Mistake::of(&fault))?;
        match target.transport {
            Transport::Https => {
                let secure = session::for_https(&self.secure.ends, is_logged_in)?;
                Ok(target.with_secure(Arc::new(secure)))
            }
            _ => Ok(target),
        }
    }

    /// The SOAP options, with this time for each answer.
    pub fn soap_options(&self, timeout: Duration) -> SoapOptions {
        let http = &self.secure.http;
        let usual = SoapOptions::default();
        let version = match http.soap {
            Some(SoapArg::V1_1) => SoapVersion::V1_1,
            Some(SoapArg::V1_2) => SoapVersion::V1_2,
            None => usual.version,
        };
        let encoding = match http.encoding {
            Some(EncodingArg::Typed) => Encoding::Typed,
            Some(EncodingArg::Lean) => Encoding::Lean,
            Some(EncodingArg::AsInPaper) => Encoding::AsInPaper,
            None => usual.encoding,
        };
        usual
            .with_timeout(timeout)
            .with_version(version)
            .with_encoding(encoding)
            .with_compression(!http.no_compression)
    }

    fn community(&self, conf: &Conf) -> Result<Vec<u8>, Mistake> {
        // A variable is not seen by all in the list of processes, as an argument is.
        let community = self.community.clone().or_else(|| std::env::var("TRUNKLINE_COMMUNITY").ok());
        let community = match (community, &self.given.community) {
            (None, Some(of)) => Some(self.given.keeper.read(of)?),
            (community, _) => community.or_else(|| conf.value("defcommunity").map(str::to_owned)),
        };
        Ok(community.unwrap_or_else(|| "public".to_owned()).into_bytes())
    }

    /// `snmp.conf`, and after it the defaults of the file of targets.
    fn conf(&self) -> Conf {
        let variable = |name| std::env::var(name).ok();
        let mut conf = Conf::read(variable("SNMPCONFPATH").as_deref(), variable("HOME").as_deref());
        conf.tokens.extend(self.given.tokens.iter().cloned());
        conf
    }

    /// The credentials over TLS, DTLS and SSH: with a user its keys, with a version of communities that, otherwise
    /// the session's identity.
    fn inside(&self) -> Inside {
        match (self.secure.security_model, self.version) {
            (Some(ModelArg::Usm), _) => Inside::User,
            (Some(ModelArg::Tsm), _) => Inside::Transport,
            (None, Some(VersionArg::V1)) => Inside::Community(Version::V1),
            (None, Some(VersionArg::V2c)) => Inside::Community(Version::V2c),
            (None, _) if self.security.user.is_some() => Inside::User,
            (None, _) => Inside::Transport,
        }
    }

    /// Level and context if the session authenticates.
    fn tsm(&self, conf: &Conf) -> TsmCredentials {
        let context = self.security.context.as_deref().or_else(|| conf.value("defcontext"));
        TsmCredentials {
            level: self.security.level.map_or(SecurityLevel::AuthPriv, |level| level.level()),
            context: context.unwrap_or_default().into(),
            context_engine_id: self.security.context_engine_id,
        }
    }

    /// The version of the options; with a user it is 3.
    fn version(&self, conf: &Conf) -> Version {
        match self.version {
            Some(VersionArg::V1) => Version::V1,
            Some(VersionArg::V2c) => Version::V2c,
            Some(VersionArg::V3) => Version::V3,
            None if self.security.user.is_some() => Version::V3,
            None => match conf.value("defversion") {
                Some("1") => Version::V1,
                Some("3") => Version::V3,
                _ => Version::V2c,
            },
        }
    }
}
