//! One end of a session without sockets: datagrams in, messages out, and vice versa.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openssl::error::ErrorStack;
use openssl::ssl::{ErrorCode, Ssl, SslStream};

use super::context::{Check, check_of};
use super::ffi;
use super::limits::MAX_MESSAGE;
use crate::session::Protection;
use crate::tls::{Alert, TlsFault};

/// Stands in for the network: OpenSSL reads one whole datagram at a time from it, and each write is one.
#[derive(Default)]
pub(super) struct Wire {
    arrived: Option<Vec<u8>>,
    leaving: Vec<Vec<u8>>,
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let datagram = self.arrived.take().ok_or(io::ErrorKind::WouldBlock)?;
        // Anything longer than the longest record is not a record.
        let octets = datagram.len().min(buffer.len());
        buffer[..octets].copy_from_slice(&datagram[..octets]);
        Ok(octets)
    }
}

impl Write for Wire {
    fn write(&mut self, datagram: &[u8]) -> io::Result<usize> {
        self.leaving.push(datagram.to_vec());
        Ok(datagram.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One end of a session. It has neither socket nor clock: its owner passes in the datagrams that arrive, and sends
/// those that are [leaving](Self::leaving) after each call.
pub struct Machine(SslStream<Wire>);

/// The content of a datagram.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// A message.
    Message(Vec<u8>),
    /// Nothing more; also if it was damaged, or a repetition.
    Nothing,
    /// The peer's close_notify.
    End,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("state", &self.0.ssl().state_string_long()).finish_non_exhaustive()
    }
}

impl Machine {
    pub(super) fn new(ssl: Ssl) -> Result<Self, ErrorStack> {
        SslStream::new(ssl, Wire::default()).map(Self)
    }

    /// Accepts a datagram; its content must be read before the next one.
    pub fn feed(&mut self, datagram: Vec<u8>) {
        self.0.get_mut().arrived = Some(datagram);
    }

    /// The datagrams that are to be sent.
    #[must_use]
    pub fn leaving(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.0.get_mut().leaving)
    }

    /// Whether the accepted datagram begins a handshake with a valid cookie of `peer`. If not, the machine stores
    /// nothing of it; what leaves, if anything, requests the cookie.
    pub fn listen(&mut self, peer: SocketAddr) -> bool {
        if let Some(check) = self.check() {
            check.visited_by(peer);
        }
        let good = ffi::listen(self.0.ssl());
        self.0.get_mut().arrived = None;
        good
    }

    /// Continues the handshake as far as possible; true when it is done.
    ///
    /// # Errors
    /// [`TlsFault`]: why there is no session.
    pub fn shake(&mut self) -> Result<bool, TlsFault> {
        drop(ErrorStack::get());
        match self.0.do_handshake() {
            Ok(()) => Ok(true),
            Err(error) => match error.code() {
                ErrorCode::WANT_READ | ErrorCode::WANT_WRITE => Ok(false),
                ErrorCode::ZERO_RETURN => Err(TlsFault::Gone),
                _ => Err(self.fault(error.ssl_error().cloned().unwrap_or_else(ErrorStack::get))),
            },
        }
    }

    fn fault(&self, errors: ErrorStack) -> TlsFault {
        let refused = self.check().and_then(|check| match &*lock(&check.outcome) {
            Some(Err(fault)) => Some(fault.clone()),
            _ => None,
        });
        refused.map_or_else(|| of_openssl(errors), TlsFault::Certificate)
    }

    fn check(&self) -> Option<&Check> {
        check_of(self.0.ssl())
    }

    /// The chain that the peer has proved to own.
    ///
    /// # Errors
    /// [`TlsFault::NoCertificate`] before the handshake is done, and the fault of a chain that was refused.
    pub fn proof(&self) -> Result<Arc<[Vec<u8>]>, TlsFault> {
        let outcome = self.check().and_then(|check| lock(&check.outcome).clone());
        Ok(outcome.ok_or(TlsFault::NoCertificate)??)
    }

    pub(super) fn protection(&self) -> Protection {
        match self.0.ssl().current_cipher() {
            Some(cipher) if cipher.bits().secret == 0 => Protection::Integrity,
            _ => Protection::Encrypted,
        }
    }

    /// The next message of the accepted datagram. Read through the stack, so that an idle session holds no buffer.
    ///
    /// # Errors
    /// [`TlsFault`] if the session is over.
    pub fn read(&mut self) -> Result<Content, TlsFault> {
        drop(ErrorStack::get());
        let mut buffer = [0; MAX_MESSAGE];
        match self.0.ssl_read(&mut buffer) {
            Ok(octets) => Ok(Content::Message(buffer[..octets].to_vec())),
            Err(error) => match error.code() {
                ErrorCode::WANT_READ | ErrorCode::WANT_WRITE => Ok(Content::Nothing),
                ErrorCode::ZERO_RETURN => Ok(Content::End),
                _ => Err(of_openssl(error.ssl_error().cloned().unwrap_or_else(ErrorStack::get))),
            },
        }
    }

    /// Encodes a message of at most `MAX_MESSAGE` octets as one datagram.
    ///
    /// # Errors
    /// [`TlsFault`] if it is longer, or there is no session.
    pub fn write(&mut self, message: &[u8]) -> Result<(), TlsFault> {
        drop(ErrorStack::get());
        match self.0.ssl_write(message) {
            Ok(_) => Ok(()),
            Err(error) => Err(of_openssl(error.ssl_error().cloned().unwrap_or_else(ErrorStack::get))),
        }
    }

    /// Creates the close_notify.
    pub fn close(&mut self) {
        drop(ErrorStack::get());
        // The peer's own close_notify is not awaited.
        let _ = self.0.shutdown();
    }

    /// How long until [`Machine::on_timer`] must be called, if at all.
    pub(super) fn time_left(&self) -> Option<Duration> {
        ffi::time_left(self.0.ssl())
    }

    /// Creates the last flight again.
    pub(super) fn on_timer(&mut self) -> Result<(), TlsFault> {
        ffi::on_timer(self.0.ssl()).map_err(of_openssl)
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// OpenSSL's errors as ours.
fn of_openssl(errors: ErrorStack) -> TlsFault {
    let reason = errors.errors().iter().map(openssl::error::Error::reason_code).find(|code| *code != 0);
    match reason {
        Some(NO_CERTIFICATE) => TlsFault::NoCertificate,
        Some(NO_SHARED_CIPHER) => TlsFault::NothingInCommon(rustls::PeerIncompatible::NoCipherSuitesInCommon),
        Some(UNSUPPORTED_PROTOCOL | WRONG_VERSION) => TlsFault::Version,
        Some(alert @ 1_000..1_256) => match u8::try_from(alert - 1_000) {
            Ok(PROTOCOL_VERSION) => TlsFault::Version,
            Ok(number) => TlsFault::Refused(Alert(number)),
            Err(_) => TlsFault::Dtls(errors),
        },
        _ => TlsFault::Dtls(errors),
    }
}

/// Reasons of OpenSSL (`sslerr.h`): those from 1000 on are the peer's alerts.
const NO_SHARED_CIPHER: i32 = 193;
const NO_CERTIFICATE: i32 = 199;
const UNSUPPORTED_PROTOCOL: i32 = 258;
const WRONG_VERSION: i32 = 267;

/// The alert `protocol_version`.
const PROTOCOL_VERSION: u8 = 70;
