//! What ends a command early, and with which exit status.

mod advice;

use std::io;
use std::process::ExitCode;

use trunkline_accounts::AccountError;
use trunkline_client::Error as ClientError;
use trunkline_client::netconf::NetconfFault;
use trunkline_login::Mistake;
use trunkline_login::own_engine::OwnEngineError;
use trunkline_mib::{LoadError, Names, ResolveError, ValueError};
use trunkline_pki::Error as PkiError;
use trunkline_rbac::Error as RbacError;
use trunkline_smi::visible;
use trunkline_snmp::role::manager::ReportKind;
use trunkline_snmp::wire::ErrorStatus;

use self::advice::Protocol;
use crate::command::pki::advice as pki;
use crate::command::program::ProgramError;
use crate::command::rbac::advice as rbac;
use trunkline_show::record::label;

impl From<AccountError> for Error {
    fn from(fault: AccountError) -> Self {
        Error::Usage(fault.to_string())
    }
}

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
    /// A program that has the command does not run.
    #[error(transparent)]
    Elsewhere(#[from] ProgramError),
    /// No certificate or key could be made.
    #[error("{fault}{}", advice_words(pki::advice(.fault)))]
    Pki {
        /// What is wrong.
        #[from]
        fault: PkiError,
    },
    /// Something of the authority of roles cannot be done.
    #[error("{fault}{}", advice_words(rbac::advice(.fault)))]
    Rbac {
        /// What is wrong.
        #[from]
        fault: RbacError,
    },
    /// The error has been reported already, with another message to standard error.
    #[error("")]
    Told,
    /// A program that was run ended with this status, and has said why.
    #[error("")]
    Program(u8),
    /// Not everything that was requested exists, and that was to be an error.
    #[error("{count} of the objects, subtrees and tables requested {} not exist, or may not be read", if *.count == 1 { "does" } else { "do" })]
    Missing {
        /// How many.
        count: u64,
    },
    /// The time for the whole command is over.
    #[error("the deadline passed before it had answered")]
    Deadline,
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

impl From<OwnEngineError> for Error {
    fn from(fault: OwnEngineError) -> Self {
        match fault {
            OwnEngineError::Usage(words) => Error::Usage(words),
            OwnEngineError::Machine(words) => Error::Runtime(words),
        }
    }
}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        Error::Usage(mistake.0)
    }
}

impl Error {
    /// An error of the session, with object names instead of numbers if they help.
    pub fn session(target: &str, names: &Names, fault: &ClientError) -> Self {
        let protocol = Protocol::of(target);
        let words = match fault {
            ClientError::NotIncreasing { previous, found } => format!(
                "the agent loops: after {} it answered {}, which is not greater",
                label(names, previous),
                label(names, found)
            ),
            ClientError::Status { status, name, .. } => {
                let at = name.as_ref().map(|name| label(names, name));
                let (status, advice) = (*status, advice::of_status(*status));
                return Error::Refused { target: target.to_owned(), status, at, advice };
            }
            ClientError::NotInVersion { .. }
            | ClientError::Target(_)
            | ClientError::Unspecified { .. }
            | ClientError::NotInSchema { .. } => {
                return Error::Usage(format!("{fault}{}", advice_words(advice::advice(fault, protocol))));
            }
            ClientError::Netconf(fault) if matches!(**fault, NetconfFault::UnknownNode(_)) => {
                return Error::Usage(visible(&format!("{target}: {fault}")).into_owned());
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
        let advice = advice::advice(fault, protocol);
        Error::Session { target: target.to_owned(), words, advice, needs_password }
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
            Error::Pki { fault } if pki::is_usage(fault) => ExitCode::from(2),
            Error::Rbac { fault } if rbac::is_usage(fault) => ExitCode::from(2),
            Error::Interrupted => ExitCode::from(INTERRUPTED),
            Error::Program(code) => ExitCode::from(*code),
            _ => ExitCode::from(1),
        }
    }

    /// Whether to print it: a closed output and an error that was already reported need no message.
    pub fn is_silent(&self) -> bool {
        match self {
            Error::Output(fault) => fault.kind() == io::ErrorKind::BrokenPipe,
            Error::Told | Error::Program(_) | Error::Interrupted => true,
            _ => false,
        }
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

    #[test]
    fn advice_is_that_of_the_protocol() {
        let names = Names::built_in();
        let said = |target: &str, fault: &ClientError| Error::session(target, &names, fault).to_string();
        let unknown = ClientError::HttpStatus { status: 401, words: String::new() };
        let silent = ClientError::Timeout { attempts: 1, waited: std::time::Duration::ZERO, ignored: 0 };
        for (target, fault, has, has_not) in [
            ("restconf+https://h:443", &unknown, "TRUNKLINE_HTTP_PASSWORD", "COMMUNITY"),
            ("soap+https://h:443", &unknown, "-c COMMUNITY", "restconf"),
            ("netconf://h:830", &silent, "the server is running", "community"),
            ("restconf+http://h:80", &silent, "the server is running", "community"),
            ("h:161", &silent, "knows the community", "the server"),
        ] {
            let words = said(target, fault);
            assert!(words.contains(has) && !words.contains(has_not), "{target}: {words}");
        }
    }
}
