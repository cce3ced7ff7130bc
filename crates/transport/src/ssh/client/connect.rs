//! From a connection to the subsystem's channel: host authentication, then user authentication, then the channel.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use russh::client::{AuthResult, Config, Handle, Handler, Msg, connect_stream};
use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::AgentClient;
use russh::keys::{Algorithm, HashAlg, PrivateKeyWithHashAlg, PublicKey, PublicKeyOrCertificate};
use russh::{Channel, ChannelId, ChannelMsg, MethodKind, Preferred, SshId};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{HostTrust, Identity, SshClient, SshFailure, SshStream};
use crate::ending::Ending;
use crate::ssh::WindowUpdates;

/// The connection under a channel.
pub(super) type Session = Handle<Checker>;

/// Opens a channel of the subsystem on a connection to `host` at `port`, within `limit`.
pub(crate) async fn connect(
    stream: TcpStream,
    client: &SshClient,
    (host, port): (&str, u16),
    subsystem: &str,
    limit: Duration,
) -> Result<SshStream, SshFailure> {
    let doing = Mutex::new("prove who it is");
    let opening = async {
        let set = |what| *doing.lock().unwrap_or_else(PoisonError::into_inner) = what;
        let mut session = greeted(stream, client, host, port).await?;
        set(AUTHENTICATING);
        authenticated(&mut session, client)
            .await
            .map_err(|failure| failure.while_it_was_to(AUTHENTICATING))?;
        set(OPENING);
        let channel = opened(&session, &client.user, subsystem)
            .await
            .map_err(|failure| failure.while_it_was_to(OPENING))?;
        Ok(SshStream::new(channel.into_stream(), session))
    };
    let opened = timeout(limit, opening).await;
    opened
        .unwrap_or_else(|_| Err(SshFailure::TimedOut(*doing.lock().unwrap_or_else(PoisonError::into_inner))))
}

/// The library's callback: is it the right host?
pub(super) struct Checker {
    hosts: HostTrust,
    host: String,
    port: u16,
    updates: WindowUpdates,
    /// What was wrong with the host, if anything.
    verdict: Arc<Mutex<Option<SshFailure>>>,
}

impl Handler for Checker {
    type Error = SshFailure;

    async fn check_server_key(&mut self, key: &PublicKeyOrCertificate) -> Result<bool, SshFailure> {
        let PublicKeyOrCertificate::PublicKey { key, .. } = key else { return Ok(false) };
        match self.hosts.check(&self.host, self.port, key) {
            Ok(()) => Ok(true),
            Err(wrong) => {
                *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
                Ok(false)
            }
        }
    }

    async fn data(
        &mut self,
        _: ChannelId,
        _: &[u8],
        session: &mut russh::client::Session,
    ) -> Result<(), SshFailure> {
        if self.updates == WindowUpdates::EachTime {
            session.send_keepalive(false)?;
        }
        Ok(())
    }
}

async fn greeted(
    stream: TcpStream,
    client: &SshClient,
    host: &str,
    port: u16,
) -> Result<Session, SshFailure> {
    // A known_hosts file is small, and read once per connection.
    let known = client.hosts.kinds(host, port);
    let verdict = Arc::<Mutex<Option<SshFailure>>>::default();
    let checker = Checker {
        hosts: client.hosts.clone(),
        host: host.into(),
        port,
        updates: client.options.window_updates,
        verdict: verdict.clone(),
    };
    let session = connect_stream(Arc::new(config(client, &known)), Ending::of(stream), checker).await;
    session.map_err(|failure| {
        let wrong = verdict.lock().unwrap_or_else(PoisonError::into_inner).take();
        wrong.unwrap_or_else(|| failure.while_it_was_to("prove who it is"))
    })
}

fn config(client: &SshClient, known: &[Algorithm]) -> Config {
    let mut preferred: Preferred = client.options.algorithms.preferred();
    // If a host is known by one kind of key, that kind is requested, as OpenSSH's client does.
    let kind_is_known = |algorithm: &Algorithm| {
        known.iter().any(|known| match (known, algorithm) {
            (Algorithm::Rsa { .. }, Algorithm::Rsa { .. }) => true,
            (known, algorithm) => known == algorithm,
        })
    };
    preferred.key.to_mut().sort_by_key(|algorithm| !kind_is_known(algorithm));
    Config {
        client_id: SshId::Standard(concat!("SSH-2.0-Trunkline_", env!("CARGO_PKG_VERSION")).into()),
        limits: client.options.limits(),
        preferred,
        nodelay: client.options.nodelay,
        inactivity_timeout: None,
        ..Config::default()
    }
}

/// Tries one identity after another.
async fn authenticated(session: &mut Session, client: &SshClient) -> Result<(), SshFailure> {
    let mut attempt = Attempt { session, user: &client.user, tried: Vec::new(), takes: None };
    for identity in &client.identities {
        let is_in = match identity {
            Identity::Key(key) => attempt.key(key).await?,
            Identity::Password(password) => attempt.password(password.words()).await?,
            Identity::Agent(socket) => attempt.agent(socket).await?,
        };
        if is_in {
            return Ok(());
        }
    }
    if attempt.takes.is_none() {
        // Nothing could be tried: which methods would have been accepted?
        let result = attempt.session.authenticate_none(attempt.user).await?;
        if attempt.took(result) {
            return Ok(());
        }
    }
    let Attempt { tried, takes, .. } = attempt;
    let takes = takes.unwrap_or_default().iter().map(|method| <&str>::from(method).to_owned()).collect();
    Err(SshFailure::NotAuthenticated { user: client.user.clone(), tried, takes })
}

struct Attempt<'a> {
    session: &'a mut Session,
    user: &'a str,
    tried: Vec<String>,
    /// The methods that the server accepts, once it has listed them.
    takes: Option<Vec<MethodKind>>,
}

impl Attempt<'_> {
    /// Whether the server may accept this method.
    fn may_try(&self, method: MethodKind) -> bool {
        self.takes.as_ref().is_none_or(|takes| takes.contains(&method))
    }

    fn took(&mut self, result: AuthResult) -> bool {
        match result {
            AuthResult::Success => true,
            AuthResult::Failure { remaining_methods, .. } => {
                self.takes = Some(remaining_methods.to_vec());
                false
            }
        }
    }

    async fn key(&mut self, key: &super::SshPrivateKey) -> Result<bool, SshFailure> {
        if !self.may_try(MethodKind::PublicKey) {
            return Ok(false);
        }
        self.tried.push(key.fingerprint());
        let key = PrivateKeyWithHashAlg::new(key.key.clone(), Some(HashAlg::Sha512));
        let result = self.session.authenticate_publickey(self.user, key).await?;
        Ok(self.took(result))
    }

    async fn password(&mut self, password: &str) -> Result<bool, SshFailure> {
        if !self.may_try(MethodKind::Password) {
            return Ok(false);
        }
        self.tried.push("password".into());
        let result = self.session.authenticate_password(self.user, password).await?;
        Ok(self.took(result))
    }

    async fn agent(&mut self, socket: &Path) -> Result<bool, SshFailure> {
        let failed = |reason| SshFailure::Agent { socket: socket.into(), reason };
        let mut agent = AgentClient::connect_uds(socket).await.map_err(failed)?;
        for identity in agent.request_identities().await.map_err(failed)? {
            let AgentIdentity::PublicKey { key, .. } = identity else { continue };
            if !self.may_try(MethodKind::PublicKey) {
                return Ok(false);
            }
            if self.key_of(&mut agent, key).await.map_err(|error| match error {
                russh::AgentAuthError::Send(_) => SshFailure::Closed(AUTHENTICATING),
                russh::AgentAuthError::Key(reason) => failed(reason),
            })? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn key_of<S>(
        &mut self,
        agent: &mut AgentClient<S>,
        key: PublicKey,
    ) -> Result<bool, russh::AgentAuthError>
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send,
    {
        self.tried.push(key.fingerprint(HashAlg::Sha256).to_string());
        let hash = matches!(key.algorithm(), Algorithm::Rsa { .. }).then_some(HashAlg::Sha512);
        let result = self.session.authenticate_publickey_with(self.user, key, hash, agent).await?;
        Ok(self.took(result))
    }
}

/// Opens a channel and requests the subsystem.
async fn opened(session: &Session, user: &str, subsystem: &str) -> Result<Channel<Msg>, SshFailure> {
    let mut channel = session.channel_open_session().await.map_err(|error| match error {
        russh::Error::ChannelOpenFailure(reason) => SshFailure::NoChannel(reason.description().to_owned()),
        other => SshFailure::Protocol(other),
    })?;
    channel.request_subsystem(true, subsystem).await?;
    loop {
        match channel.wait().await {
            Some(ChannelMsg::Success) => return Ok(channel),
            Some(ChannelMsg::Failure | ChannelMsg::Close | ChannelMsg::Eof) => {
                return Err(SshFailure::NoSubsystem { subsystem: subsystem.into(), user: user.into() });
            }
            None => return Err(SshFailure::Closed(OPENING)),
            Some(_) => {}
        }
    }
}

const AUTHENTICATING: &str = "let us in";
const OPENING: &str = "open the subsystem";
