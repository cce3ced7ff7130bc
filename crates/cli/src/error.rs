//! What ends a command early, and with which exit status.

use std::io;
use std::process::ExitCode;
use trunkline_smi::SetStatus;

use trunkline_client::netconf::NetconfFault;
use trunkline_client::soap::FaultKind;
use trunkline_client::ssh::SshFailure;
use trunkline_client::tls::{CertificateFault, TlsFault};
use trunkline_client::{Error as ClientError, TransportError};
use trunkline_login::Mistake;
use trunkline_mib::{LoadError, Names, ResolveError, ValueError};
use trunkline_pki::Error as PkiError;
use trunkline_smi::visible;
use trunkline_snmp::role::manager::ReportKind;
use trunkline_snmp::wire::ErrorStatus;

use crate::command::lab::LabError;
use crate::command::pki::advice;
use crate::record::label;

/// The exit status after Ctrl-C: 128 and the number of SIGINT, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line requests something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// An object name that cannot be resolved.
    #[error("{fault}{}", advice_words(.advice))]
    Name {
        /// What is wrong with it.
        fault: ResolveError,
        /// What to do about it, or empty.
        advice: &'static str,
    },
    /// A value that does not fit its object.
    #[error("{object}: {fault}")]
    Value {
        /// The object as typed.
        object: String,
        /// What is wrong.
        fault: ValueError,
    },
    /// Requested MIB texts that cannot be read.
    #[error("{0}")]
    Mibs(#[from] LoadError),
    /// No answer, or no valid answer, arrived.
    #[error("{target}: {words}{}", advice_words(.advice))]
    Session {
        /// The agent, without the community.
        target: String,
        /// What went wrong, with object names.
        words: String,
        /// What to do about it, or empty.
        advice: &'static str,
        /// Whether the agent requires a higher level of the user.
        needs_password: bool,
    },
    /// The agent answered that it will not.
    #[error("{target} refused: {}{}{}", status_name(*.status), at_words(.at), advice_words(.advice))]
    Refused {
        /// The agent.
        target: String,
        /// error-status.
        status: i32,
        /// The object that error-index points to.
        at: Option<String>,
        /// What to do about it, or empty.
        advice: &'static str,
    },
    /// The laboratory's program does not run.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// No certificate or key could be made.
    #[error("{fault}{}", advice_words(advice::advice(.fault)))]
    Pki {
        /// What is wrong.
        #[from]
        fault: PkiError,
    },
    /// The error has been reported already, with another message to standard error.
    #[error("")]
    Told,
    /// The user stopped it.
    #[error("stopped")]
    Interrupted,
    /// Standard output cannot be written; if it is gone (`| head`), no message is needed.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// The program's own machinery.
    #[error("{0}")]
    Runtime(String),
}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        Error::Usage(mistake.0)
    }
}

impl Error {
    /// An error of the session, with object names instead of numbers if they help.
    pub fn session(target: &str, names: &Names, fault: &ClientError) -> Self {
        let words = match fault {
            ClientError::NotIncreasing { previous, found } => format!(
                "the agent loops: after {} it answered {}, which is not greater",
                label(names, previous),
                label(names, found)
            ),
            ClientError::Status { status, name, .. } => {
                let at = name.as_ref().map(|name| label(names, name));
                let (status, advice) = (*status, status_advice(*status));
                return Error::Refused { target: target.to_owned(), status, at, advice };
            }
            ClientError::NotInVersion { .. }
            | ClientError::Target(_)
            | ClientError::Unspecified { .. }
            | ClientError::NotInSchema { .. } => {
                return Error::Usage(format!("{fault}{}", advice_words(advice(fault))));
            }
            ClientError::Netconf(fault)
                if matches!(**fault, NetconfFault::NoObject { .. } | NetconfFault::ReadOnly) =>
            {
                return Error::Usage(fault.to_string());
            }
            // It may hold the agent's text, which must not begin a line.
            other => visible(&other.to_string()).into_owned(),
        };
        let needs_password =
            matches!(fault, ClientError::Report { report: ReportKind::UnsupportedSecLevels });
        Error::Session { target: target.to_owned(), words, advice: advice(fault), needs_password }
    }

    /// The same where a user was named without a password: then that is what an agent without patience means.
    pub fn without_password(mut self) -> Self {
        const NO_PASSWORD: &str = "no password was given, so the user is not authenticated: set TRUNKLINE_AUTH_PASSWORD, \
             --auth-password-file or -A";
        match &mut self {
            Error::Refused { status, advice, .. } if *status == ErrorStatus::AuthorizationError.code() => {
                *advice = NO_PASSWORD;
            }
            Error::Session { needs_password: true, advice, .. } => *advice = NO_PASSWORD,
            _ => {}
        }
        self
    }

    /// 1 for the agent's or the path's fault, 2 for the command line's.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Error::Output(fault) if fault.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Error::Usage(_) | Error::Name { .. } | Error::Value { .. } | Error::Mibs(_) => ExitCode::from(2),
            Error::Pki { fault } if advice::is_usage(fault) => ExitCode::from(2),
            Error::Interrupted => ExitCode::from(INTERRUPTED),
            _ => ExitCode::from(1),
        }
    }

    /// Whether to print it: a closed output and an error that was already reported need no message.
    pub fn is_silent(&self) -> bool {
        match self {
            Error::Output(fault) => fault.kind() == io::ErrorKind::BrokenPipe,
            Error::Told | Error::Interrupted => true,
            _ => false,
        }
    }
}

fn advice(fault: &ClientError) -> &'static str {
    match fault.cause() {
        ClientError::Timeout { .. } => {
            "Check that the agent is running, that it knows the community or user and takes it over this transport, and that \
             no firewall is in the way. Use -t or -r to wait longer."
        }
        ClientError::Unreachable { .. } => "is the agent running, and is the port right?",
        ClientError::NotIncreasing { .. } => "this is a fault of the agent; -Cc continues anyway",
        ClientError::NotInVersion { .. } => "use -v2c",
        ClientError::Report { report } => report_advice(report),
        ClientError::Tls(fault) => tls_advice(fault),
        ClientError::Transport(fault) => match &**fault {
            TransportError::Tls { fault, .. } => tls_advice(fault),
            TransportError::Ssh { failure, .. } => ssh_advice(failure),
            _ => "",
        },
        ClientError::TableTooLong { .. } => {
            "--max-rows and --max-memory of `trunkline table` raise the limit; `trunkline walk` has none"
        }
        ClientError::OutcomeUnknown { .. } => "read the objects before setting them again",
        ClientError::Protection { .. } => "-l requests a lower level",
        ClientError::Fault { fault } => fault_advice(&fault.kind),
        ClientError::Netconf(fault) if matches!(**fault, NetconfFault::NoModule { .. }) => {
            "`trunkline netconf capabilities` lists what it announces; `trunkline netconf get` reads anything by its path in YANG"
        }
        ClientError::HttpStatus { status: 401, .. } => WHO_ASKS,
        ClientError::HttpStatus { status: 404, .. } => "does an agent with web services listen on this port?",
        _ => "",
    }
}

impl From<ResolveError> for Error {
    fn from(fault: ResolveError) -> Self {
        let is_unknown = matches!(
            fault,
            ResolveError::UnknownModule { .. }
                | ResolveError::UnknownName { .. }
                | ResolveError::UnknownChild { .. }
        );
        let is_empty = std::env::var_os("MIBS").is_some_and(|modules| modules.is_empty());
        let advice = match is_unknown && is_empty {
            true => {
                "the variable MIBS is set and empty, so no MIB file is read: unset it, or name modules with -m"
            }
            false => "",
        };
        Error::Name { fault, advice }
    }
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
fn tls_advice(fault: &TlsFault) -> &'static str {
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
        TlsFault::NotTls | TlsFault::Gone => "is the port right? agents have TLS and DTLS on 10161",
        _ => "",
    }
}

/// What to check if there is no SSH session.
fn ssh_advice(failure: &SshFailure) -> &'static str {
    match failure {
        SshFailure::UnknownHost { .. } => {
            "if the fingerprint is the agent's, --accept-new-host records it; --fingerprint trusts this key alone"
        }
        SshFailure::NotAuthenticated { .. } => {
            "is the user right (snmp+ssh://USER@HOST, --ssh-user), and does the agent have the key (--ssh-key)?"
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

fn status_advice(status: i32) -> &'static str {
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

fn status_name(status: i32) -> String {
    ErrorStatus::from_code(status)
        .map_or_else(|| format!("error {status}"), |status| status.name().to_owned())
}

fn at_words(at: &Option<String>) -> String {
    at.as_ref().map_or_else(String::new, |at| format!(" at {at}"))
}

fn advice_words(advice: &str) -> String {
    if advice.is_empty() { String::new() } else { format!("\n  {advice}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_of_a_user_without_a_password_is_explained() {
        let names = Names::built_in();
        let refused =
            |status| Error::session("a", &names, &ClientError::Status { status, index: 0, name: None });
        let authorization = ErrorStatus::AuthorizationError.code();
        assert!(refused(authorization).to_string().contains("access denied"));
        let words = refused(authorization).without_password().to_string();
        assert!(words.contains("authorizationError") && words.contains("no password was given"), "{words}");
        let report = ClientError::Report { report: ReportKind::UnsupportedSecLevels };
        let words = Error::session("a", &names, &report).without_password().to_string();
        assert!(words.contains("no password was given"), "{words}");
        let other = refused(ErrorStatus::GenErr.code()).without_password().to_string();
        assert!(!other.contains("no password was given"), "{other}");
    }

    #[test]
    fn an_agents_text_begins_no_line() {
        let names = Names::built_in();
        let fault = ClientError::HttpStatus { status: 500, words: "x\ntrunkline: y\r\u{202e}".to_owned() };
        let words = Error::session("a", &names, &fault).to_string();
        assert!(words.contains("x\\ntrunkline: y\\r\\u{202E}") && words.lines().count() == 1, "{words}");
    }
}
