//! What can go wrong between a call and its return, by where the fault lies.

use std::sync::Arc;
use std::time::Duration;

use trunkline_jmx::model::{Exception, NameError};
use trunkline_jmx::stream::classes::exceptions;
use trunkline_transport::TransportError;

use crate::target::TargetError;

/// Why there is no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text does not name a JVM.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A text is not the name of an MBean.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Our environment: no such host, no route, no connection, no trust.
    #[error(transparent)]
    Transport(Arc<TransportError>),
    /// The port speaks another protocol.
    #[error(
        "{at} does not speak RMI: it answered with octet {found:#04x}; give the port of the RMI registry (com.sun.management.jmxremote.port)"
    )]
    NotRmi {
        /// Host and port.
        at: String,
        /// The first octet of the answer.
        found: u8,
    },
    /// The port speaks TLS.
    #[error("{at} requires TLS: use jmx+tls:// in place of jmx://")]
    TlsNeeded {
        /// Host and port.
        at: String,
    },
    /// The connection was closed at once.
    #[error(
        "{at} closed the connection before it answered: it does not speak RMI, or it requires TLS (jmx+tls://), or it accepts only other clients"
    )]
    NoAnswer {
        /// Host and port.
        at: String,
    },
    /// The connection was closed after the handshake of TLS.
    #[error(
        "{at} closed the connection before it answered: it does not accept our certificate, or requires one (--certificate and --key; beside a user, that of trunkline pki is not shown), or it is not an RMI registry"
    )]
    NotAccepted {
        /// Host and port.
        at: String,
    },
    /// The registry does not have the name.
    #[error("the registry at {at} has no {name:?}; it has {}", listed(.bound))]
    NotBound {
        /// Host and port.
        at: String,
        /// The name.
        name: String,
        /// The names that it has.
        bound: Vec<String>,
    },
    /// The stub names an address that cannot be reached.
    #[error(
        "the server's stub names {named}, which cannot be reached from here ({fault}): start the server with -Djava.rmi.server.hostname=NAME, or give --jmx-stay to stay on {asked}"
    )]
    StubUnreachable {
        /// What the stub names.
        named: String,
        /// The host that was asked.
        asked: String,
        /// Why it cannot be reached.
        fault: Arc<TransportError>,
    },
    /// The stub names another port of the host, which cannot be reached.
    #[error(
        "the server's connector at {at} cannot be reached ({fault}): without com.sun.management.jmxremote.rmi.port its port is a random one, which firewalls do not let through"
    )]
    ConnectorUnreachable {
        /// Host and port.
        at: String,
        /// Why it cannot be reached.
        fault: Arc<TransportError>,
    },
    /// The stub of another machine's server names this machine.
    #[error(
        "the server's stub names {named}, which is this machine and not {asked}: start the server with -Djava.rmi.server.hostname=NAME, or give --jmx-stay to stay on {asked}"
    )]
    StubIsHere {
        /// What the stub names.
        named: String,
        /// The host that was asked.
        asked: String,
    },
    /// The stub names nothing that can be connected to.
    #[error("the server's stub names {host:?} and port {port}: no place to connect to")]
    Stub {
        /// Its host.
        host: String,
        /// Its port.
        port: i32,
    },
    /// The stub wants no TLS, but the URL does.
    #[error(
        "the server's stub names {named} without TLS, and jmx+tls:// requires it: nothing was sent there; jmx:// accepts it"
    )]
    Unprotected {
        /// What the stub names.
        named: String,
    },
    /// The stub wants TLS, and nothing is known to trust.
    #[error("{at} requires TLS, and no certificate is trusted: give --authorities FILE or --fingerprint")]
    NoTrust {
        /// Host and port.
        at: String,
    },
    /// The server refuses user and password, or their absence.
    #[error("the server refuses {}: {words}", if *.is_anonymous { "a session without a user" } else { "the user or the password" })]
    Denied {
        /// What it says.
        words: String,
        /// Whether no user was given.
        is_anonymous: bool,
    },
    /// The call ended in an exception of the server.
    #[error("the server answers {0}")]
    Exception(Box<Exception>),
    /// The call ended in an exception of a class that is not read.
    #[error("the server answers with an exception that cannot be read: {0}")]
    Thrown(trunkline_jmx::Error),
    /// The server's octets are not those of RMI, or have a class that is not read.
    #[error("the server's answer cannot be read: {0}")]
    Malformed(#[from] trunkline_jmx::Error),
    /// The result is of another kind than the method's.
    #[error("the server returned something else than a result of {method}")]
    Unexpected {
        /// The method.
        method: &'static str,
    },
    /// No answer arrived.
    #[error("no answer to {method} within {waited:.1?}")]
    Timeout {
        /// What was called.
        method: &'static str,
        /// How long was waited.
        waited: Duration,
    },
    /// Nothing arrived, not even the greeting of RMI.
    #[error(
        "{at} says nothing within {waited:.1?}: it is slow, or the port is not that of an RMI registry (com.sun.management.jmxremote.port)"
    )]
    Silent {
        /// Host and port.
        at: String,
        /// How long was waited.
        waited: Duration,
    },
    /// The connection broke.
    #[error("the server closed the connection before it answered {method}")]
    Lost {
        /// What was called.
        method: &'static str,
    },
    /// The connection broke during a call that changes something, which is not repeated.
    #[error(
        "the connection broke before {method} was answered: whether the server has carried it out is not known"
    )]
    OutcomeUnknown {
        /// What was called.
        method: &'static str,
    },
    /// The session was closed.
    #[error("the session is closed")]
    Closed,
}

impl Error {
    /// The exception, if the server answered with one.
    #[must_use]
    pub fn exception(&self) -> Option<&Exception> {
        match self {
            Error::Exception(exception) => Some(exception),
            _ => None,
        }
    }

    /// Whether the server says that there is no such MBean.
    #[must_use]
    pub fn is_no_mbean(&self) -> bool {
        self.exception().is_some_and(|it| it.class.is(&exceptions::INSTANCE_NOT_FOUND_EXCEPTION))
    }

    /// Whether the server answered with an exception, also with one that is not read.
    #[must_use]
    pub fn has_thrown(&self) -> bool {
        matches!(self, Error::Exception(_) | Error::Thrown(_))
    }

    /// Whether the server says that there is no such MBean, or no such attribute.
    #[must_use]
    pub fn is_not_there(&self) -> bool {
        let is_missing = |it: &Exception| it.class.is(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION);
        self.is_no_mbean() || self.exception().is_some_and(is_missing)
    }

    /// Whether the server does not know the session any more: it was started anew, or has ended it.
    #[must_use]
    pub fn is_session_over(&self) -> bool {
        let is_over = |exception: &Exception| {
            exception.class.is(&exceptions::NO_SUCH_OBJECT_EXCEPTION)
                || exception.class.is(&exceptions::IO_EXCEPTION)
        };
        self.exception().is_some_and(is_over)
    }

    /// Whether the answer has more than is read.
    #[must_use]
    pub const fn is_too_long(&self) -> bool {
        matches!(self, Error::Malformed(trunkline_jmx::Error::Limit { .. }))
    }

    /// Whether the answer has a class that is not read: other attributes of the MBean may be readable.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Error::Malformed(_) | Error::Thrown(_))
            || self.exception().is_some_and(is_of_marshalling)
    }
}

/// Whether an exception is about what was sent rather than about what was requested. The connection is over then.
pub(crate) fn is_of_marshalling(exception: &Exception) -> bool {
    let of = [
        &exceptions::MARSHAL_EXCEPTION,
        &exceptions::UNMARSHAL_EXCEPTION,
        &exceptions::NOT_SERIALIZABLE_EXCEPTION,
        &exceptions::SERVER_EXCEPTION,
        &exceptions::SERVER_ERROR,
    ];
    of.iter().any(|class| exception.class.is(class))
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Error::Transport(Arc::new(error))
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "no names".to_owned(),
        names => names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", "),
    }
}
