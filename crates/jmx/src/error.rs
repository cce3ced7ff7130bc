//! What is wrong with what a peer sent.

/// Why octets of a peer are refused. A connection that had one is over: where the next message begins is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A stream does not begin as one.
    #[error("a stream begins with {found:02x?}, not with ac ed 00 05")]
    Magic {
        /// Its first octets.
        found: [u8; 4],
    },
    /// An octet stands where another must.
    #[error("octet {found:#04x} where {expected} must be")]
    Token {
        /// The octet.
        found: u8,
        /// What must be there.
        expected: &'static str,
    },
    /// A class that is not on the list.
    #[error("class {name} is not on the list of classes that are read")]
    UnknownClass {
        /// Its name.
        name: String,
    },
    /// A class of the list with another descriptor.
    #[error("class {class} has another {part} than expected")]
    Descriptor {
        /// Its name.
        class: &'static str,
        /// What differs.
        part: &'static str,
    },
    /// A back-reference to nothing.
    #[error("reference {found:#x} to nothing that the stream had")]
    Handle {
        /// Its number.
        found: u32,
    },
    /// More than is read.
    #[error("more than {limit} {what}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
    /// A length below zero.
    #[error("a length of {found}")]
    Length {
        /// The length.
        found: i64,
    },
    /// Not modified UTF-8.
    #[error("octet {found:#04x} at {at} of a text is not modified UTF-8")]
    Text {
        /// The octet.
        found: u8,
        /// Where it stands in the text.
        at: usize,
    },
    /// A value that holds itself.
    #[error("a value of class {class} holds itself")]
    Cycle {
        /// Its class.
        class: String,
    },
    /// A value of another class or kind than must be there.
    #[error("{found} where {expected} must be")]
    Type {
        /// What must be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A value that its class does not have.
    #[error("{what} is not valid")]
    Value {
        /// What.
        what: &'static str,
    },
    /// An argument that can be read, and that the method does not take: null, most of all.
    #[error("{what}")]
    Argument {
        /// What is wrong with it.
        what: &'static str,
        /// Whose method it is.
        callee: Callee,
    },
    /// The peer broke off its own stream.
    #[error("the peer gave up writing: {class}: {message}")]
    Aborted {
        /// The class of the exception that it wrote.
        class: String,
        /// Its message.
        message: String,
    },
    /// Octets after the end.
    #[error("{octets} octets after the end")]
    Trailing {
        /// How many.
        octets: usize,
    },
    /// Octets end before the value.
    #[error("octets end within a value")]
    Cut,
    /// A protocol of JRMP that is not spoken here.
    #[error("protocol {found:#04x} of JRMP is not supported")]
    Protocol {
        /// Its number.
        found: u8,
    },
    /// A message does not begin as one of JRMP.
    #[error("message {found:#04x} is unknown in JRMP")]
    Message {
        /// Its first octet.
        found: u8,
    },
    /// A method that the object does not have.
    #[error("method {hash:#018x} (operation {operation}) is unknown")]
    Method {
        /// The operation number.
        operation: i32,
        /// The hash of the method, or of the interface.
        hash: i64,
    },
}

/// Whose method was called: the exception for an argument that it does not take depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// The MBean server behind a connection: `RuntimeOperationsException` around `IllegalArgumentException`.
    MBeanServer,
    /// The connection: `IllegalArgumentException`.
    Connection,
    /// The registry: `NullPointerException`.
    Registry,
}

impl Error {
    /// That a value is of another kind.
    pub(crate) fn kind(expected: &'static str, found: &str) -> Self {
        Error::Type { expected, found: found.to_owned() }
    }
}
