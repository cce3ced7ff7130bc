//! Notifications to one receiver: traps and informs in every version
//! (RFC 3413 section 3.3).
//!
//! ```text
//! Notification -> Notifier: trap    v1: translated, v2c: unchanged, v3: authenticated by our engine, or protected by the session -> sent once
//!                           inform  v2c, v3: the receiver's engine is authoritative -> sent until confirmed
//! ```

use std::net::Ipv4Addr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_snmp::engine::{Engine, SecurityName, TransportDomain, TransportState};
use trunkline_snmp::role::originator::{Notification, SNMP_TRAP_ENTERPRISE, TranslationError};
use trunkline_snmp::wire::{Bound, MAX_MESSAGE_SIZE, Message, PduKind, TrapV1, TrapV1Message, Version};
use trunkline_snmp::{Counters, SecurityLevel};

use crate::credentials::{Credentials, TsmCredentials, UsmCredentials};
use crate::error::Error;
use crate::exchange::Response;
use crate::snmp_session::{SessionOptions, SnmpSession};
use crate::target::Target;

/// A notification originator for one receiver. Cheap to clone; clones share the session.
#[derive(Clone)]
pub struct Notifier {
    session: SnmpSession,
    engine: Option<Arc<Engine>>,
    agent_addr: Option<Ipv4Addr>,
}

impl Notifier {
    /// Opens a session with the receiver. `engine` sends traps of SNMPv3, and must have the user that the target
    /// names; without an engine they are refused. `options` set the time-out and retries of informs. Must be
    /// called on a tokio runtime.
    ///
    /// # Errors
    /// As [`SnmpSession::open`].
    pub async fn open(
        target: &Target,
        engine: Option<Arc<Engine>>,
        options: SessionOptions,
    ) -> Result<Self, Error> {
        Ok(Self::over(SnmpSession::open(target, options).await?, engine))
    }

    /// A notifier over an existing session.
    #[must_use]
    pub fn over(session: SnmpSession, engine: Option<Arc<Engine>>) -> Self {
        Notifier { session, engine, agent_addr: None }
    }

    /// The same, with this address as agent-addr of SNMPv1 traps instead of the socket's.
    #[must_use]
    pub fn with_agent_addr(self, address: Ipv4Addr) -> Self {
        Notifier { agent_addr: Some(address), ..self }
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &SnmpSession {
        &self.session
    }

    /// Sends a trap, once; there is no confirmation of its arrival. For a receiver of SNMPv1 it is translated (RFC
    /// 3584 section 3.2).
    ///
    /// # Errors
    /// [`Error::Translation`] if SNMPv1 cannot express it, [`Error::NotificationSend`] and [`Error::NoEngine`] in
    /// SNMPv3, and errors of the path.
    pub async fn trap(&self, notification: &Notification) -> Result<(), Error> {
        let octets = match self.session.credentials() {
            Credentials::Community { version: Version::V1, community } => {
                let address = self.agent_addr.or_else(|| self.session.local_ipv4());
                let trap = of_ours(notification, address.unwrap_or(Ipv4Addr::UNSPECIFIED))?;
                TrapV1Message { community: community.clone(), trap }.encode()
            }
            Credentials::Community { version, community } => {
                let pdu = notification.to_pdu(PduKind::TrapV2, self.session.next_id());
                Message { version: *version, community: community.clone(), pdu }.encode()
            }
            Credentials::Usm(user) => self.encode_for_user(user, notification)?,
            Credentials::Transport(session) => self.encode_for_session(session, notification)?,
        };
        self.session.tell(octets).await
    }

    /// The IPv4 address that the socket sends from, if known.
    #[must_use]
    pub fn local_ipv4(&self) -> Option<Ipv4Addr> {
        self.session.local_ipv4()
    }

    /// Sends an SNMPv1 trap unchanged, once, without translation.
    ///
    /// # Errors
    /// [`Error::NotInVersion`] in a session of another version, and errors of the path.
    pub async fn trap_v1(&self, trap: TrapV1) -> Result<(), Error> {
        match self.session.credentials() {
            Credentials::Community { version: Version::V1, community } => {
                let message = TrapV1Message { community: community.clone(), trap };
                self.session.tell(message.encode()).await
            }
            other => Err(Error::NotInVersion { kind: PduKind::TrapV1, version: other.version() }),
        }
    }

    /// Sends a last trap, which `sending` does, and closes the session in order (see [`SnmpSession::close`]). Over TLS 1.3 a
    /// receiver looks at our certificate after our handshake has ended, so that only its end of the session shows whether
    /// it refuses us; [`Notifier::trap`] alone waits for a second on a new session.
    ///
    /// # Errors
    /// Those of `sending`.
    pub async fn last(&self, sending: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
        if !self.session.refuses_late() {
            return sending.await;
        }
        // The message is queued before the close: the futures are polled in this order.
        let (sent, ()) = tokio::join!(biased; sending, self.session.close());
        sent
    }

    /// Sends an inform and retries as the options say, until the receiver confirms it. An error-status of the
    /// receiver is in the [`Response`].
    ///
    /// # Errors
    /// As [`SnmpSession::inform`].
    pub async fn inform(&self, notification: &Notification) -> Result<Response, Error> {
        self.session.inform(notification).await
    }

    fn encode_for_user(&self, user: &UsmCredentials, notification: &Notification) -> Result<Vec<u8>, Error> {
        let engine = self.engine.as_ref().ok_or(Error::NoEngine)?;
        let pdu = notification.to_pdu(PduKind::TrapV2, self.session.next_id());
        let (name, level, context) = (user.name(), user.level(), &user.context);
        let mut octets = Vec::new();
        let now = Instant::now();
        let message =
            engine.encode_notification(name, level, context, &pdu, MAX_MESSAGE_SIZE, now, &mut octets)?;
        Ok(cut(octets, message))
    }

    /// A connection below the level carries nothing, so this level holds for whichever connection carries the
    /// message.
    fn encode_for_session(
        &self,
        TsmCredentials { level, context, .. }: &TsmCredentials,
        notification: &Notification,
    ) -> Result<Vec<u8>, Error> {
        let engine = self.engine.as_ref().ok_or(Error::NoEngine)?;
        let pdu = notification.to_pdu(PduKind::TrapV2, self.session.next_id());
        let over = any_session(*level);
        let (mut octets, counters) = (Vec::new(), Counters::default());
        let message = engine.encode_notification_over(
            &over,
            *level,
            context,
            &pdu,
            MAX_MESSAGE_SIZE,
            &counters,
            &mut octets,
        )?;
        Ok(cut(octets, message))
    }
}

/// A session of this level: messages contain neither its transport nor its peer.
#[expect(clippy::expect_used, reason = "a name has 1 to 32 octets")]
fn any_session(level: SecurityLevel) -> TransportState {
    let name = SecurityName::new(b"receiver").expect("8 octets");
    TransportState::new(TransportDomain::Tls, name, level, 0)
}

/// The trap of SNMPv1 (RFC 3584 section 3.2). What its field enterprise says is not repeated among the bindings, as in
/// Net-SNMP.
fn of_ours(notification: &Notification, address: Ipv4Addr) -> Result<TrapV1, TranslationError> {
    let mut trap = notification.to_trap_v1(address.octets())?;
    let enterprise = Bound::Value(Value::ObjectIdentifier(trap.enterprise.clone()));
    trap.bindings.retain(|binding| *binding.name != SNMP_TRAP_ENTERPRISE || binding.value != enterprise);
    Ok(trap)
}

/// The message, from a buffer that was written backwards.
fn cut(mut octets: Vec<u8>, message: Range<usize>) -> Vec<u8> {
    octets.truncate(message.end);
    octets.drain(..message.start);
    octets
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::Oid;
    use trunkline_snmp::wire::VarBind;

    #[test]
    fn a_trap_of_version_1_names_its_enterprise_once() {
        let (linux, other) =
            (Oid::from([1, 3, 6, 1, 4, 1, 8072, 3, 2, 10]), Oid::from([1, 3, 6, 1, 4, 1, 9]));
        let enterprise =
            |oid: &Oid| VarBind::new(Oid::from(SNMP_TRAP_ENTERPRISE), Value::ObjectIdentifier(oid.clone()));
        let notification = |trap_oid: &str, bindings| Notification {
            uptime: 1,
            trap_oid: trap_oid.parse().unwrap(),
            bindings,
        };
        let cold_start = notification("1.3.6.1.6.3.1.1.5.1", vec![enterprise(&linux)]);
        let trap = of_ours(&cold_start, Ipv4Addr::LOCALHOST).unwrap();
        assert_eq!((&trap.enterprise, trap.agent_addr, trap.bindings.len()), (&linux, [127, 0, 0, 1], 0));
        // Of an enterprise's own notification the OID decides.
        let own = notification("1.3.6.1.4.1.8072.4.0.2", vec![enterprise(&other)]);
        assert_eq!(of_ours(&own, Ipv4Addr::LOCALHOST).unwrap().bindings, own.bindings);
    }
}
