//! What to do about a fault, in the words of the protocol that is spoken.

use trunkline_client::netconf::NetconfFault;
use trunkline_client::netconf::protocol::error::{Info, RpcError, Tag};
use trunkline_client::soap::FaultKind;
use trunkline_client::ssh::SshFailure;
use trunkline_client::tls::{CertificateFault, TlsFault};
use trunkline_client::{Error as ClientError, TransportError};
use trunkline_smi::SetStatus;
use trunkline_snmp::role::manager::ReportKind;
use trunkline_snmp::wire::ErrorStatus;

/// What is spoken with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SNMP.
    Snmp,
    /// The operations of the SOAP service.
    Soap,
    /// NETCONF.
    Netconf,
    /// RESTCONF.
    Restconf,
}

impl Protocol {
    /// That of a URL.
    pub fn of(target: &str) -> Protocol {
        match target.split(['+', ':']).next() {
            Some("netconf") => Protocol::Netconf,
            Some("restconf") => Protocol::Restconf,
            Some("soap") => Protocol::Soap,
            _ => Protocol::Snmp,
        }
    }
}

/// What to do about a fault of a session; empty if there is nothing to say.
pub fn advice(fault: &ClientError, protocol: Protocol) -> &'static str {
    let is_snmp = matches!(protocol, Protocol::Snmp | Protocol::Soap);
    match fault.cause() {
        ClientError::Timeout { .. } if !is_snmp => {
            "Check that the server is running, and that no firewall is in the way. Use -t to wait longer."
        }
        ClientError::Timeout { .. } => {
            "Check that the agent is running, that it knows the community or user and takes it over this transport, and that \
             no firewall is in the way. Use -t or -r to wait longer."
        }
        ClientError::Unreachable { .. } => "is the agent running, and is the port right?",
        ClientError::NotIncreasing { .. } => "this is a fault of the agent; -Cc continues anyway",
        ClientError::NotInVersion { .. } => "use -v2c",
        ClientError::Report { report } => report_advice(report),
        ClientError::Tls(fault) => tls_advice(fault, protocol),
        ClientError::Transport(fault) => match &**fault {
            TransportError::Tls { fault, .. } => tls_advice(fault, protocol),
            TransportError::Ssh { failure, .. } => ssh_advice(failure, protocol),
            _ => "",
        },
        ClientError::TableTooLong { .. } => {
            "The agent is faulty if it never ends. Otherwise --max-rows and --max-memory of `trunkline table` raise the \
             limit; `trunkline walk` has none."
        }
        ClientError::OutcomeUnknown { .. } if !is_snmp => "read the configuration before changing it again",
        ClientError::OutcomeUnknown { .. } => "read the objects before setting them again",
        ClientError::Protection { .. } => "-l requests a lower level",
        ClientError::Fault { fault } => fault_advice(&fault.kind),
        ClientError::Netconf(fault) => netconf_advice(fault),
        ClientError::HttpStatus { status: 401, .. } if protocol == Protocol::Restconf => {
            "authenticate with a user and a password (restconf+https://USER@HOST or --http-user, and TRUNKLINE_HTTP_PASSWORD or \
             --http-password-file), --http-token-file, or over https with a certificate"
        }
        ClientError::HttpStatus { status: 401, .. } => WHO_ASKS,
        ClientError::HttpStatus { status: 404, .. } if protocol == Protocol::Restconf => {
            "does a server of RESTCONF listen on this port?"
        }
        ClientError::HttpStatus { status: 404, .. } => "does an agent with web services listen on this port?",
        _ => "",
    }
}

/// What to do about a fault of NETCONF.
fn netconf_advice(fault: &NetconfFault) -> &'static str {
    match fault {
        NetconfFault::NoModule { .. } => {
            "`trunkline netconf capabilities` lists what it announces; `trunkline netconf get` reads anything by its path in YANG"
        }
        NetconfFault::Lent { .. } => {
            "`trunkline netconf lock` has lent it; without the variable TRUNKLINE_NETCONF_SESSION another session is made"
        }
        NetconfFault::Refused(errors) if errors.iter().any(is_locked) => {
            "`trunkline netconf lock` lends its session, with the lock, to commands that it runs and that have the same URL; \
             `trunkline netconf kill` ends a session by its number"
        }
        _ => "",
    }
}

/// Whether another session holds a lock; 0 is none.
fn is_locked(error: &RpcError) -> bool {
    let is_session = |it: &Info| matches!(it, Info::SessionId(number) if *number > 0);
    error.tag == Tag::LockDenied && error.info.iter().any(is_session)
}

/// What to do about a fault of SOAP.
fn fault_advice(kind: &FaultKind) -> &'static str {
    match kind {
        FaultKind::Unauthorized => WHO_ASKS,
        FaultKind::Forbidden | FaultKind::NotSet(SetStatus::NoAccess) => {
            "access denied for this community, user or certificate"
        }
        FaultKind::TwoIdentities => "give a community or an HTTP user, not both",
        FaultKind::NotSet(SetStatus::NotWritable) => "it cannot be written, or you only have read access",
        FaultKind::TooBig | FaultKind::TooMany => "request less at a time",
        _ => "",
    }
}

/// A client that the agent does not know.
const WHO_ASKS: &str =
    "authenticate with -c COMMUNITY, --http-user, --http-token-file, or over https with a certificate";

/// What to look at when one end of TLS or DTLS does not believe the other.
fn tls_advice(fault: &TlsFault, protocol: Protocol) -> &'static str {
    match fault {
        TlsFault::Certificate(CertificateFault::UnknownAuthority | CertificateFault::BadSignature) => {
            "is --authorities (ca.pem) that of the agent's authority? --fingerprint trusts one certificate alone"
        }
        TlsFault::Certificate(CertificateFault::WrongName { .. }) => {
            "use a name that its certificate has, or give the expected name with --server-name"
        }
        TlsFault::Certificate(CertificateFault::WrongFingerprint { .. }) => {
            "the agent has a new certificate, or somebody else is answering; `trunkline pki show FILE` prints its \
             fingerprint"
        }
        TlsFault::Certificate(CertificateFault::Expired { .. }) => "the agent needs a new certificate",
        TlsFault::Certificate(CertificateFault::Revoked) => {
            "the agent's certificate has been revoked: it needs a new one"
        }
        TlsFault::Refused(_) => {
            "does the agent trust the authority of our certificate (--certificate), and map it to a name? its log says more"
        }
        TlsFault::Version | TlsFault::NothingInCommon(_) => "see --tls-version",
        TlsFault::NotTls | TlsFault::Gone => match protocol {
            Protocol::Netconf => "is the port right? servers have NETCONF over TLS on 6513",
            Protocol::Restconf | Protocol::Soap => "is the port right? servers have HTTPS on 443",
            Protocol::Snmp => "is the port right? agents have TLS and DTLS on 10161",
        },
        _ => "",
    }
}

/// What to check if there is no SSH session.
fn ssh_advice(failure: &SshFailure, protocol: Protocol) -> &'static str {
    match failure {
        SshFailure::UnknownHost { .. } => {
            "if the fingerprint is the agent's, --accept-new-host records it; --fingerprint trusts this key alone"
        }
        SshFailure::NotAuthenticated { .. } if protocol == Protocol::Netconf => {
            "is the user right (netconf://USER@HOST, --ssh-user), and does the server have the key (--ssh-key)?"
        }
        SshFailure::NotAuthenticated { .. } => {
            "is the user right (snmp+ssh://USER@HOST, --ssh-user), and does the agent have the key (--ssh-key)?"
        }
        SshFailure::NoSubsystem { .. } if protocol == Protocol::Netconf => {
            "is the port right? servers have NETCONF over SSH on 830"
        }
        SshFailure::NoSubsystem { .. } => "is the port right? agents have SSH on 5161",
        _ => "",
    }
}

/// What to look at when an agent reports instead of answering.
fn report_advice(report: &ReportKind) -> &'static str {
    match report {
        ReportKind::UnknownUserNames => "is the user's name right (-u), and does the agent know it?",
        ReportKind::WrongDigests => {
            "do the password and the authentication protocol match the agent's for this user \
             (-A or TRUNKLINE_AUTH_PASSWORD, -a)?"
        }
        ReportKind::DecryptionErrors => {
            "do the password and the privacy protocol match the agent's for this user \
             (-X or TRUNKLINE_PRIV_PASSWORD, -x)?"
        }
        ReportKind::UnsupportedSecLevels => "try a lower level (-l), or give the user keys at the agent",
        ReportKind::UnknownEngineIds => "was the agent reinstalled? without -e the engine ID is discovered",
        ReportKind::NotInTimeWindows => "is -Z right? without it the engine's clock is discovered",
        ReportKind::UnknownContexts | ReportKind::UnavailableContexts => "is the context right (-n)?",
        ReportKind::UnknownPduHandlers => "is the context engine ID right (-E)?",
        _ => "",
    }
}

/// What to do about an error-status of SNMP.
pub fn of_status(status: i32) -> &'static str {
    match ErrorStatus::from_code(status) {
        Some(ErrorStatus::NoSuchName) => {
            "there is no such object, or it may not be read or written (SNMPv1 does not say which)"
        }
        Some(ErrorStatus::NoAccess | ErrorStatus::AuthorizationError) => {
            "access denied for this community or user, or at this security level (-l)"
        }
        Some(ErrorStatus::NotWritable | ErrorStatus::ReadOnly) => {
            "it cannot be written, or the community or user may only read"
        }
        Some(ErrorStatus::WrongType) => {
            "the object has another type: OBJECT=VALUE uses the type in the MIB module"
        }
        Some(ErrorStatus::TooBig) => {
            "the answer does not fit a message: request less at a time; read a single long value over TCP, or by SNMPv3 \
             with a password (trunklined answers others over UDP with max-unproved-answer octets at most)"
        }
        Some(ErrorStatus::GenErr) => "the agent had an internal error: its log may say why",
        _ => "",
    }
}
