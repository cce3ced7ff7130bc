//! The fate of the sessions that the agent opens to targets: counted, and if a server's certificate was wrong,
//! reported to the other targets (RFC 6353 section 7).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use trunkline_client::{Error, Watch};
use trunkline_snmp::engine::transport::Fingerprint;
use trunkline_transport::ssh::SshFailure;
use trunkline_transport::tls::{CertificateFault, TlsFault};
use trunkline_transport::{Transport, TransportError};
use trunkline_tree::policy::AdminString;

use super::originator::WeakOutbox;
use trunkline_admin::{SessionCounters, server_certificate_unknown, server_invalid_certificate};

/// Counts the sessions with one target.
#[derive(Clone)]
pub(crate) struct SessionWatch {
    /// The name of the target.
    pub name: AdminString,
    pub transport: Transport,
    /// Its required certificate, if any.
    pub expected: Option<Fingerprint>,
    pub counters: Arc<SessionCounters>,
    pub outbox: WeakOutbox,
    /// The others have been notified of its certificate: that may fail because of the same certificate, and is
    /// not repeated until it was a valid one.
    pub is_told: Arc<AtomicBool>,
    /// Why the last attempt failed, if it did: the log has a reason once, until another one comes or something arrives.
    pub logged: Arc<Mutex<Option<String>>>,
}

impl Watch for SessionWatch {
    /// A session is being opened.
    fn opens(&self) {
        match self.transport {
            Transport::Tls | Transport::Dtls => self.counters.tls.opens.add(1),
            Transport::Ssh => self.counters.ssh.opens.add(1),
            Transport::Udp | Transport::Tcp | Transport::Http | Transport::Https => {}
        }
    }

    /// It was not opened, or has broken.
    fn failed(&self, error: &Error) {
        self.log(error);
        match error {
            Error::Transport(error) => match &**error {
                TransportError::Tls { fault, .. } => {
                    self.counters.tls.open_errors.add(1);
                    self.failed_by(fault);
                }
                TransportError::Ssh { failure, .. } => self.failed_ssh(failure),
                _ => {}
            },
            Error::Tls(fault) => self.failed_by(fault),
            _ => {}
        }
    }
}

impl SessionWatch {
    /// A session is left.
    pub(crate) fn closes(&self) {
        match self.transport {
            Transport::Tls | Transport::Dtls => self.counters.tls.client_closes.add(1),
            Transport::Ssh => self.counters.ssh.closes.add(1),
            Transport::Udp | Transport::Tcp | Transport::Http | Transport::Https => {}
        }
    }

    /// The notification has arrived as far as can be known.
    pub(crate) fn is_good(&self) {
        self.is_told.store(false, Ordering::Relaxed);
        *self.logged.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Logs why an attempt failed, unless it has been logged already.
    pub(crate) fn log(&self, error: &Error) {
        let error = error.to_string();
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.as_ref() != Some(&error) {
            tracing::warn!(target = %self.name, error, "an attempt to reach a target failed");
            *logged = Some(error);
        }
    }

    fn failed_by(&self, fault: &TlsFault) {
        let counters = &self.counters.tls;
        let event = match fault {
            TlsFault::Certificate(
                CertificateFault::UnknownAuthority | CertificateFault::WrongFingerprint { .. },
            ) => {
                counters.unknown_server_certificates.add(1);
                server_certificate_unknown(&self.counters)
            }
            TlsFault::Certificate(_) => {
                counters.invalid_server_certificates.add(1);
                server_invalid_certificate(&self.counters, &self.name, self.expected.as_ref())
            }
            _ => return,
        };
        if !self.is_told.swap(true, Ordering::Relaxed) {
            self.outbox.tell(event);
        }
    }

    fn failed_ssh(&self, failure: &SshFailure) {
        let counters = &self.counters.ssh;
        match failure {
            SshFailure::NotAuthenticated { .. } => counters.user_auth_failures.add(1),
            SshFailure::NoChannel(_) => counters.no_channels.add(1),
            SshFailure::NoSubsystem { .. } => counters.no_subsystems.add(1),
            _ => counters.open_errors.add(1),
        }
    }
}
