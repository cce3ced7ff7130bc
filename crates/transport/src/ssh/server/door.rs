//! What a peer may request in a session, in protocol order: authentication, a channel, the subsystem. Everything
//! else is refused.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use russh::keys::Certificate;
use russh::server::{Auth, ChannelOpenHandle, Handler, Msg, PublicKeyOffer, Session, VerifiedPublicKey};
use russh::{Channel, ChannelId, ChannelOpenFailure, Pty};
use tokio::time::{Instant, sleep_until};

use super::Desk;
use super::admission::Admission;
use super::pipe::{Inlet, pipe};
use crate::resources::Resources;
use crate::service::Subsystems;
use crate::ssh::fault::quoted;
use crate::ssh::{SshFault, SshServerOptions, WindowUpdates};

/// One connection, as a handler of the library's callbacks.
pub(super) struct Door {
    /// Boxed, since the library's session has room for the door four times.
    admission: Box<Admission>,
    desk: Arc<Desk>,
    channels: HashMap<ChannelId, Option<Inlet>>,
    /// Keys and passwords that were refused, and the passwords among them.
    refused: usize,
    refused_passwords: usize,
    subsystems: Arc<Subsystems>,
    resources: Arc<Resources>,
}

impl Door {
    pub(super) fn new(
        admission: Admission,
        desk: Arc<Desk>,
        subsystems: Arc<Subsystems>,
        resources: Arc<Resources>,
    ) -> Self {
        let (channels, admission) = (HashMap::new(), Box::new(admission));
        Self { admission, desk, channels, refused: 0, refused_passwords: 0, subsystems, resources }
    }

    fn let_in(&mut self, name: &str, found: Result<(), SshFault>) -> Auth {
        match found {
            Ok(()) => {
                self.desk.with(|content| {
                    content.user = Some(name.into());
                    content.fault = None;
                });
                Auth::Accept
            }
            Err(fault) => {
                // The log line at the end of the handshake reports it too, unless another attempt succeeds.
                tracing::debug!(%fault, "an attempt to log in over SSH failed");
                self.refused += 1;
                let fault = match self.is_out_of_attempts() {
                    true => SshFault::OutOfAttempts { attempts: self.refused, last: fault.into() },
                    false => fault,
                };
                self.desk.with(|content| content.fault = Some(fault));
                self.reject()
            }
        }
    }

    /// Whether the connection has no attempt left. The library ends it at one more: it counts `none` too, with which a
    /// client only asks for the methods.
    fn is_out_of_attempts(&self) -> bool {
        self.refused >= self.admission.limits().max_attempts
    }

    fn reject(&self) -> Auth {
        Auth::Reject { proceed_with_methods: Some(self.admission.methods()), partial_success: false }
    }

    /// Refuses a request, and remembers what was requested.
    fn not_offered(&self, wanted: &str) {
        self.desk.with(|content| {
            let user = content.user.as_deref().unwrap_or_default().to_owned();
            let (wanted, served) = (wanted.to_owned(), self.subsystems.names());
            let fault = SshFault::NotOffered { user, wanted, served };
            if let Some(left_out) = self.resources.logs.refusals.admit() {
                tracing::info!(%fault, left_out, "refused over SSH");
            }
            content.fault = Some(fault);
        });
    }

    fn refuse(&self, wanted: &str, channel: ChannelId, session: &mut Session) -> Result<(), SshFault> {
        self.not_offered(wanted);
        Ok(session.channel_failure(channel)?)
    }

    /// Forgets channels that are no longer served.
    fn count_channels(&mut self) -> usize {
        self.channels.retain(|_, inlet| !inlet.as_ref().is_some_and(Inlet::is_left));
        self.channels.len()
    }
}

/// The library's session reserves room for the largest future of the door, for its whole lifetime, and twice. So
/// futures that are needed only once are boxed.
fn aside<'f, T>(work: impl Future<Output = T> + Send + 'f) -> Pin<Box<dyn Future<Output = T> + Send + 'f>> {
    Box::pin(work)
}

impl Handler for Door {
    type Error = SshFault;

    async fn auth_none(&mut self, _user: &str) -> Result<Auth, SshFault> {
        Ok(self.reject())
    }

    async fn auth_password(&mut self, user: &str, password: &str) -> Result<Auth, SshFault> {
        if self.is_out_of_attempts() {
            return Ok(self.reject());
        }
        let SshServerOptions { max_passwords, failure_time, .. } = *self.admission.limits();
        if self.refused_passwords >= max_passwords {
            let fault = SshFault::OutOfPasswords { user: quoted(user), passwords: self.refused_passwords };
            return Ok(self.let_in(user, Err(fault)));
        }
        let answered = Instant::now() + failure_time;
        let found = aside(self.admission.password(user, password)).await;
        if found.is_err() {
            self.refused_passwords += 1;
            aside(sleep_until(answered)).await;
        }
        Ok(self.let_in(user, found))
    }

    async fn auth_publickey_offered(
        &mut self,
        user: &str,
        offer: PublicKeyOffer<'_>,
    ) -> Result<Auth, SshFault> {
        if self.is_out_of_attempts() {
            return Ok(self.reject());
        }
        match aside(self.admission.key(user, offer.public_key, offer.algorithm)).await {
            Ok(()) => Ok(Auth::Accept),
            wrong => Ok(self.let_in(user, wrong)),
        }
    }

    async fn auth_publickey(&mut self, user: &str, key: VerifiedPublicKey<'_>) -> Result<Auth, SshFault> {
        let found = aside(self.admission.key(user, key.public_key, key.algorithm)).await;
        Ok(self.let_in(user, found))
    }

    async fn auth_openssh_certificate(
        &mut self,
        user: &str,
        certificate: &Certificate,
    ) -> Result<Auth, SshFault> {
        // The certificate's authority is not considered here: the key in it must itself be listed, as a plain key.
        let fingerprint = certificate.public_key().fingerprint(russh::keys::HashAlg::Sha256).to_string();
        Ok(self.let_in(user, Err(SshFault::WrongKey { user: quoted(user), fingerprint })))
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _session: &mut Session,
    ) -> Result<(), SshFault> {
        if self.count_channels() >= self.admission.limits().max_channels {
            aside(reply.reject(ChannelOpenFailure::ResourceShortage)).await;
        } else {
            self.channels.insert(channel.id(), None);
            aside(reply.accept()).await;
        }
        Ok(())
    }

    async fn subsystem_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), SshFault> {
        let Some(service) = self.subsystems.get(name).cloned() else {
            return self.refuse(&format!("the subsystem `{}`", quoted(name)), channel, session);
        };
        match self.channels.get_mut(&channel) {
            Some(inlet @ None) => {
                session.channel_success(channel)?;
                let (ours, theirs) = pipe(session.handle(), channel, &self.resources);
                *inlet = Some(ours);
                self.desk.with(|content| content.channels.push((theirs, service)));
                self.desk.bell.notify_one();
                Ok(())
            }
            _ => self.refuse("a second subsystem", channel, session),
        }
    }

    async fn data(&mut self, channel: ChannelId, data: &[u8], session: &mut Session) -> Result<(), SshFault> {
        // Data before the subsystem request, or in a closed channel, is discarded.
        if let Some(Some(inlet)) = self.channels.get(&channel) {
            if self.admission.options().window_updates == WindowUpdates::EachTime {
                session.xon_xoff_request(channel, false)?;
            }
            inlet.put(data).await;
        }
        Ok(())
    }

    async fn channel_eof(&mut self, channel: ChannelId, _session: &mut Session) -> Result<(), SshFault> {
        if let Some(Some(inlet)) = self.channels.get(&channel) {
            inlet.end();
        }
        Ok(())
    }

    async fn channel_close(&mut self, channel: ChannelId, _session: &mut Session) -> Result<(), SshFault> {
        self.channels.remove(&channel);
        Ok(())
    }

    async fn shell_request(&mut self, channel: ChannelId, session: &mut Session) -> Result<(), SshFault> {
        self.refuse("a shell", channel, session)
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        _: &[u8],
        session: &mut Session,
    ) -> Result<(), SshFault> {
        self.refuse("a command", channel, session)
    }

    async fn pty_request(
        &mut self,
        channel: ChannelId,
        _term: &str,
        _columns: u32,
        _rows: u32,
        _width: u32,
        _height: u32,
        _modes: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), SshFault> {
        // What a terminal would do nobody needs here, but `ssh -tt`, which some clients of NETCONF run, does not go on without one.
        Ok(session.channel_success(channel)?)
    }

    async fn x11_request(
        &mut self,
        channel: ChannelId,
        _single: bool,
        _protocol: &str,
        _cookie: &str,
        _screen: u32,
        session: &mut Session,
    ) -> Result<(), SshFault> {
        self.refuse("X11", channel, session)
    }

    async fn env_request(
        &mut self,
        channel: ChannelId,
        _name: &str,
        _value: &str,
        session: &mut Session,
    ) -> Result<(), SshFault> {
        // OpenSSH's client sends some on its own; they could not change anything.
        Ok(session.channel_failure(channel)?)
    }

    async fn agent_request(&mut self, channel: ChannelId, session: &mut Session) -> Result<bool, SshFault> {
        let _ = (channel, session);
        self.not_offered("its agent to be forwarded");
        Ok(false)
    }

    async fn tcpip_forward(
        &mut self,
        _address: &str,
        _port: &mut u32,
        _session: &mut Session,
    ) -> Result<bool, SshFault> {
        self.not_offered("a forwarded port");
        Ok(false)
    }
}
