//! Failed authentication between two ends: each kind has one name, the same for TLS and DTLS, at the client and at
//! the server.

use std::fmt;
use std::io;
use std::sync::Arc;

#[cfg(feature = "dtls")]
use openssl::error::ErrorStack;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, ExtendedKeyPurpose, OtherError};
use time::OffsetDateTime;

use super::fingerprint::Fingerprint;

/// What went wrong in a TLS or DTLS handshake.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFault {
    /// We refuse the peer's certificate.
    #[error("the peer's certificate is refused: {0}")]
    Certificate(#[from] CertificateFault),
    /// The peer has no certificate.
    #[error("the peer shows no certificate, and one is needed")]
    NoCertificate,
    /// The peer ended the handshake with an alert.
    #[error("the peer refuses us: {0}")]
    Refused(Alert),
    /// The ends share no version of TLS.
    #[error("the peer offers no version of TLS that is allowed here: 1.2 or newer")]
    Version,
    /// The ends share no cipher suite, key exchange or signature algorithm.
    #[error("the peer and we have {} in common", nothing(.0))]
    NothingInCommon(rustls::PeerIncompatible),
    /// The peer wants to speak other protocols inside TLS (ALPN, RFC 7301).
    #[error("the peer asks for another protocol inside TLS (ALPN) than the one here")]
    OtherProtocol,
    /// The peer does not speak TLS.
    #[error("what the peer sends is not TLS")]
    NotTls,
    /// The peer closed the connection during the handshake.
    #[error(
        "the peer ended the connection in the handshake without a word: perhaps it does not speak TLS here"
    )]
    Gone,
    /// The peer violates the TLS protocol.
    #[error("the peer breaks the protocol: {0}")]
    Protocol(rustls::Error),
    /// The same in DTLS, as reported by OpenSSL.
    #[cfg(feature = "dtls")]
    #[error("the peer breaks the protocol: {0}")]
    Dtls(ErrorStack),
}

/// What the ends do not share.
fn nothing(reason: &rustls::PeerIncompatible) -> &'static str {
    use rustls::PeerIncompatible;
    match reason {
        PeerIncompatible::NoCipherSuitesInCommon => "no cipher suite",
        PeerIncompatible::NoKxGroupsInCommon => "no group for the key exchange",
        PeerIncompatible::NoSignatureSchemesInCommon
        | PeerIncompatible::NoCertificateRequestSignatureSchemesInCommon => "no signature algorithm",
        _ => "no cipher suite, key exchange or signature",
    }
}

impl TlsFault {
    /// Whether one end refuses the other's certificate. One that is not valid yet is not refused for good: more often the
    /// clock is not set yet.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Certificate(fault) => !matches!(fault, CertificateFault::NotYetValid { .. }),
            Self::NoCertificate => true,
            // RFC 8446 section 6.2: those about certificates, and access_denied.
            Self::Refused(Alert(number)) => matches!(number, 41..=46 | 48 | 49 | 116),
            _ => false,
        }
    }

    /// The fault in an error of a TLS stream.
    ///
    /// # Errors
    /// The error itself, if it comes from the underlying connection.
    pub(crate) fn of_stream(error: io::Error) -> Result<Self, io::Error> {
        match error.downcast::<rustls::Error>() {
            Ok(wrong) => Ok(wrong.into()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Self::Gone),
            Err(error) => Err(error),
        }
    }
}

impl From<rustls::Error> for TlsFault {
    fn from(error: rustls::Error) -> Self {
        use rustls::{Error, InvalidMessage, PeerIncompatible};
        match error {
            Error::InvalidCertificate(wrong) => Self::Certificate(wrong.into()),
            Error::NoCertificatesPresented => Self::NoCertificate,
            Error::AlertReceived(AlertDescription::ProtocolVersion) => Self::Version,
            Error::AlertReceived(alert) => Self::Refused(Alert(alert.into())),
            Error::PeerIncompatible(
                PeerIncompatible::Tls12NotOffered
                | PeerIncompatible::Tls12NotOfferedOrEnabled
                | PeerIncompatible::Tls13RequiredForQuic
                | PeerIncompatible::SupportedVersionsExtensionRequired
                | PeerIncompatible::ServerDoesNotSupportTls12Or13
                | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
                // A client of TLS 1.2 or newer sends it (RFC 5246 section 7.4.1.4.1), an older one cannot.
                | PeerIncompatible::SignatureAlgorithmsExtensionRequired,
            ) => Self::Version,
            Error::PeerIncompatible(reason) => Self::NothingInCommon(reason),
            Error::NoApplicationProtocol => Self::OtherProtocol,
            Error::InvalidMessage(
                InvalidMessage::InvalidContentType
                | InvalidMessage::UnknownProtocolVersion
                | InvalidMessage::MessageTooLarge,
            ) => Self::NotTls,
            error => Self::Protocol(error),
        }
    }
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateFault {
    /// It, or that of an authority above it, has expired.
    #[error("it expired at {at}")]
    Expired {
        /// When it expired.
        at: Moment,
    },
    /// It, or that of an authority above it, is not valid yet.
    #[error("it is not valid before {from}: is the clock right?")]
    NotYetValid {
        /// When it becomes valid.
        from: Moment,
    },
    /// It, or an authority above it, is on a revocation list.
    #[error("it is revoked")]
    Revoked,
    /// The revocation list for it is out of date.
    #[error("the revocation list of its authority expired at {at}: get a new one")]
    OldRevocationList {
        /// When the next list was due.
        at: Moment,
    },
    /// It was not issued by a trusted authority, and is not trusted by its fingerprint.
    #[error("no authority that is trusted here has issued it")]
    UnknownAuthority,
    /// It belongs to another name.
    #[error("it is not for `{asked}` but for {}", Names(.has))]
    WrongName {
        /// The name that we wanted.
        asked: String,
        /// Its names: host names and addresses.
        has: Vec<String>,
    },
    /// It is not the expected one.
    #[error("its fingerprint is {has}, and {asked} is expected")]
    WrongFingerprint {
        /// The expected fingerprint.
        asked: Fingerprint,
        /// Its fingerprint, by the same hash function.
        has: Fingerprint,
    },
    /// It must not be used at this end of a connection (extended key usage).
    #[error("it is not for this use: its extended key usage has no {}", if *.server { "serverAuth" } else { "clientAuth" })]
    WrongPurpose {
        /// Whether a server presented it.
        server: bool,
    },
    /// It is an authority's, and no end of a connection.
    #[error("it is the certificate of an authority: issue one to the manager or agent itself")]
    OfAuthority,
    /// The peer's signature is invalid.
    #[error("a signature is wrong")]
    BadSignature,
    /// It cannot be parsed.
    #[error("it is not an X.509 version 3 certificate that can be read")]
    Unreadable,
    /// The name to check is neither a host name nor an address.
    #[error("`{asked}` is neither a host name nor an address, so no certificate can be for it")]
    NoName {
        /// The name.
        asked: String,
    },
    /// Something else.
    #[error("it does not stand the check: {0}")]
    Other(webpki::Error),
    /// Another fault that the TLS library found.
    #[error("it does not stand the check: {0}")]
    Library(CertificateError),
}

impl CertificateFault {
    pub(super) fn of_check(error: webpki::Error, server: bool) -> Self {
        use webpki::Error;
        match error {
            Error::CertExpired { not_after, .. } => Self::Expired { at: Moment(not_after.as_secs()) },
            Error::CertNotValidYet { not_before, .. } => {
                Self::NotYetValid { from: Moment(not_before.as_secs()) }
            }
            Error::CertRevoked => Self::Revoked,
            Error::CaUsedAsEndEntity => Self::OfAuthority,
            Error::CrlExpired { next_update, .. } => {
                Self::OldRevocationList { at: Moment(next_update.as_secs()) }
            }
            // An authority of that name is trusted but has not signed this: another authority has the same name.
            Error::UnknownIssuer | Error::InvalidSignatureForPublicKey => Self::UnknownAuthority,
            Error::RequiredEkuNotFoundContext(_) => Self::WrongPurpose { server },
            Error::BadDer | Error::BadDerTime | Error::UnsupportedCertVersion => Self::Unreadable,
            error => Self::Other(error),
        }
    }
}

/// Converts to the library's own variants where they exist, since they determine the alert.
impl From<CertificateFault> for rustls::Error {
    fn from(fault: CertificateFault) -> Self {
        use CertificateFault as Fault;
        let time = UnixTime::now();
        Self::InvalidCertificate(match fault {
            Fault::Expired { at } => CertificateError::ExpiredContext { time, not_after: at.into() },
            Fault::NotYetValid { from } => {
                CertificateError::NotValidYetContext { time, not_before: from.into() }
            }
            Fault::Revoked => CertificateError::Revoked,
            Fault::OldRevocationList { at } => {
                CertificateError::ExpiredRevocationListContext { time, next_update: at.into() }
            }
            Fault::UnknownAuthority => CertificateError::UnknownIssuer,
            Fault::BadSignature => CertificateError::BadSignature,
            Fault::Unreadable => CertificateError::BadEncoding,
            Fault::Library(error) => error,
            Fault::WrongPurpose { server } => CertificateError::InvalidPurposeContext {
                required: if server {
                    ExtendedKeyPurpose::ServerAuth
                } else {
                    ExtendedKeyPurpose::ClientAuth
                },
                presented: Vec::new(),
            },
            Fault::WrongName { ref asked, ref has } => match ServerName::try_from(asked.clone()) {
                Ok(expected) => CertificateError::NotValidForNameContext { expected, presented: has.clone() },
                Err(_) => CertificateError::Other(OtherError(Arc::new(fault))),
            },
            fault => CertificateError::Other(OtherError(Arc::new(fault))),
        })
    }
}

impl From<CertificateError> for CertificateFault {
    fn from(error: CertificateError) -> Self {
        use CertificateError as Error;
        match error {
            Error::ExpiredContext { not_after, .. } => Self::Expired { at: Moment(not_after.as_secs()) },
            Error::NotValidYetContext { not_before, .. } => {
                Self::NotYetValid { from: Moment(not_before.as_secs()) }
            }
            Error::Revoked => Self::Revoked,
            Error::ExpiredRevocationListContext { next_update, .. } => {
                Self::OldRevocationList { at: Moment(next_update.as_secs()) }
            }
            Error::UnknownIssuer => Self::UnknownAuthority,
            Error::BadSignature => Self::BadSignature,
            Error::BadEncoding => Self::Unreadable,
            Error::InvalidPurposeContext { required, .. } => {
                Self::WrongPurpose { server: required == ExtendedKeyPurpose::ServerAuth }
            }
            Error::NotValidForNameContext { expected, presented } => {
                Self::WrongName { asked: expected.to_str().into_owned(), has: presented }
            }
            Error::Other(ref other) => {
                other.0.downcast_ref::<Self>().cloned().unwrap_or(Self::Library(error))
            }
            error => Self::Library(error),
        }
    }
}

/// Names of a certificate, for an error.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("no host name or address at all"),
            names => f.write_str(&names.join(", ")),
        }
    }
}

/// A time in seconds since 1970, displayed as `2026-11-22 04:40:13 UTC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

impl From<Moment> for UnixTime {
    fn from(moment: Moment) -> Self {
        Self::since_unix_epoch(std::time::Duration::from_secs(moment.0))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = i64::try_from(self.0).ok().and_then(|secs| OffsetDateTime::from_unix_timestamp(secs).ok());
        let Some(time) = time else { return write!(f, "{} s after 1970", self.0) };
        let (date, (hour, minute, second)) = (time.date(), time.to_hms());
        write!(f, "{date} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

/// The alert that ended the handshake, by its number (RFC 8446 section 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alert(pub u8);

impl fmt::Display for Alert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, name) = match self.0 {
            10 => ("it did not expect our message", "unexpected_message"),
            20 => ("a message was changed on its way", "bad_record_mac"),
            40 => ("it accepts nothing of what we offer, or wants a certificate", "handshake_failure"),
            41 => ("it wants a certificate, and we show none", "no_certificate"),
            42 => ("our certificate is damaged, or not for the name it asked for", "bad_certificate"),
            43 => ("our certificate is not for this use", "unsupported_certificate"),
            44 => ("our certificate is revoked", "certificate_revoked"),
            45 => ("our certificate has expired or is not yet valid", "certificate_expired"),
            46 => ("it does not accept our certificate", "certificate_unknown"),
            47 => ("it found a wrong value in our messages", "illegal_parameter"),
            48 => ("it does not trust the authority of our certificate", "unknown_ca"),
            49 => ("our certificate is good, but not allowed in", "access_denied"),
            50 => ("it could not read our message", "decode_error"),
            51 => ("a signature or key of ours was wrong", "decrypt_error"),
            70 => ("it speaks none of our versions of TLS", "protocol_version"),
            71 => ("it wants stronger cipher suites", "insufficient_security"),
            80 => ("it has an internal error", "internal_error"),
            90 => ("somebody there cancelled it", "user_canceled"),
            112 => ("it does not know the host name we asked for", "unrecognized_name"),
            116 => ("it wants a certificate, and we show none", "certificate_required"),
            120 => ("it has none of the protocols that we ask for inside TLS", "no_application_protocol"),
            number => return write!(f, "alert {number}"),
        };
        write!(f, "{words} ({name})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_and_other_protocols_have_plain_reasons() {
        use rustls::{Error, PeerIncompatible};
        let words = |error: Error| TlsFault::from(error).to_string();
        let old = words(Error::PeerIncompatible(PeerIncompatible::SignatureAlgorithmsExtensionRequired));
        assert_eq!(old, "the peer offers no version of TLS that is allowed here: 1.2 or newer");
        let other = words(Error::NoApplicationProtocol);
        assert_eq!(other, "the peer asks for another protocol inside TLS (ALPN) than the one here");
        let group = words(Error::PeerIncompatible(PeerIncompatible::NoKxGroupsInCommon));
        assert_eq!(group, "the peer and we have no group for the key exchange in common");
        let authority = CertificateFault::of_check(webpki::Error::CaUsedAsEndEntity, false).to_string();
        assert!(authority.starts_with("it is the certificate of an authority"), "{authority}");
    }
}
