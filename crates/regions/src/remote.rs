//! Another agent, and the session with it: opened on first use, and again after a failure.

use std::fmt::Display;

use tokio::sync::Mutex;
use trunkline_client::{Backoff, Error, Response, SessionOptions, SnmpSession, Target};
use trunkline_smi::Oid;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::CredentialsError;
use trunkline_snmp::wire::{VarBind, Version};

use super::complaints::Complaints;
use trunkline_config::{Credentials, ProxyPlan, TlsServer, UserPlan};
use trunkline_credentials::secure::{OpenError, OutgoingNow};
use trunkline_credentials::users;

/// Another agent.
pub struct Remote {
    target: Target,
    /// The identity that TLS and DTLS require there, if configured.
    server: Option<TlsServer>,
    outgoing: OutgoingNow,
    options: SessionOptions,
    level: SecurityLevel,
    session: Mutex<Option<SnmpSession>>,
    complaints: Complaints,
}

/// Why another agent cannot be queried at all.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The configuration's check finds it before.
    #[error("there is no user {user:?} for the proxy {address}")]
    NoUser {
        /// The user.
        user: String,
        /// The agent's address.
        address: String,
    },
    /// No keys can be made.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
}

impl Remote {
    /// The agent of a proxy, queried as one of these users if it uses SNMPv3.
    ///
    /// # Errors
    /// Invalid credentials; the configuration's check has rejected them before.
    pub fn new(plan: &ProxyPlan, users: &[UserPlan], outgoing: OutgoingNow) -> Result<Self, RemoteError> {
        let known = users::identity(&plan.credentials, &plan.remote_context, users)?;
        let (credentials, level) = known.ok_or_else(|| RemoteError::NoUser {
            user: user_of(&plan.credentials),
            address: plan.address.to_string(),
        })?;
        let address = &plan.address;
        let target = Target::new(address.transport, &address.host, address.port, credentials)
            .with_login(address.login.clone());
        let options = SessionOptions::default()
            .with_timeout(plan.timeout)
            .with_retries(plan.retries)
            .with_backoff(Backoff::Fixed);
        let (server, session, complaints) = (plan.server.clone(), Mutex::default(), Complaints::default());
        Ok(Remote { target, server, outgoing, options, level, session, complaints })
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.target.credentials.version()
    }

    /// The level of the requests that may be forwarded to it. A user's own level: a better protected request must
    /// not be forwarded with less. Communities protect nothing, and an operator who configures one for a proxy
    /// wants just that, for example for an old device.
    pub fn level(&self) -> SecurityLevel {
        self.level
    }

    /// The values of these instances; `None`: no answer, and the log knows why.
    pub async fn get(&self, names: &[Oid]) -> Option<Response> {
        self.outcome(self.session().await?.get(names).await).await
    }

    /// The instances with these names.
    pub async fn next_all(&self, names: &[Oid]) -> Option<Response> {
        self.outcome(self.session().await?.next(names).await).await
    }

    /// The instance after a name.
    pub async fn next(&self, name: &Oid) -> Option<Response> {
        self.next_all(std::slice::from_ref(name)).await
    }

    /// This many instances after a name.
    pub async fn bulk(&self, repetitions: u32, name: &Oid) -> Option<Response> {
        self.bulk_all(0, repetitions, std::slice::from_ref(name)).await
    }

    /// A GetBulk as it came.
    pub async fn bulk_all(&self, non_repeaters: u32, repetitions: u32, names: &[Oid]) -> Option<Response> {
        self.outcome(self.session().await?.bulk(non_repeaters, repetitions, names).await).await
    }

    /// Sets all of these, or none.
    pub async fn set(&self, bindings: &[VarBind]) -> Option<Response> {
        self.outcome(self.session().await?.set(bindings).await).await
    }

    /// Tells of a failure.
    pub fn complain(&self, failure: impl Display) {
        self.complaints.tell(&self.target.to_string(), None, failure);
    }

    async fn session(&self) -> Option<SnmpSession> {
        let mut session = self.session.lock().await;
        if session.is_none() {
            match self.open().await {
                Ok(opened) => *session = Some(opened),
                Err(error) => self.complain(error),
            }
        }
        session.clone()
    }

    /// As who the agent is now.
    async fn open(&self) -> Result<SnmpSession, OpenError> {
        let mut target = self.target.clone();
        if target.transport.is_secure() {
            target.secure = Some(self.outgoing.load().towards(self.server.as_ref())?);
        }
        Ok(SnmpSession::open(&target, self.options).await?)
    }

    async fn outcome(&self, outcome: Result<Response, Error>) -> Option<Response> {
        match outcome {
            Ok(response) => Some(response),
            Err(error) => {
                self.complain(&error);
                // Its host may have another address by now, and its engine other clocks.
                *self.session.lock().await = None;
                None
            }
        }
    }
}

fn user_of(credentials: &Credentials) -> String {
    match credentials {
        Credentials::V3 { user, .. } => user.clone(),
        _ => String::new(),
    }
}
