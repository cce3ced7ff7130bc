//! What went wrong, typed: for the sender's program the kind and the guilty name, row and position; for people a
//! sentence.

mod read;
mod write;

use trunkline_smi::SetStatus;
use trunkline_xml::XmlError;

pub use read::read;

/// A fault: the answer to a request that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The same for people.
    pub reason: String,
    /// Its subject.
    pub subject: Box<Subject>,
}

/// The subject of a fault, if it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The name as the request has it, or the object's: `IF-MIB::ifDescr.2`, `ifColour`.
    pub name: Option<String>,
    /// The object identifier, dotted.
    pub oid: Option<String>,
    /// The row's index, dotted.
    pub row: Option<String>,
    /// Which of the request's names or values, counted from 1.
    pub position: Option<usize>,
    /// Similar names.
    pub near: Vec<String>,
}

/// Which side must change something before a retry (SOAP 1.2 part 1 section 5.4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The envelope's namespace.
    VersionMismatch,
    /// A header block.
    MustUnderstand,
    /// The request: `Client` in SOAP 1.1.
    Sender,
    /// Not the request: `Server` in SOAP 1.1.
    Receiver,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An envelope of no known version.
    VersionMismatch,
    /// A header block that must be understood and is not.
    MustUnderstand {
        /// The block's namespace.
        namespace: String,
        /// Its local name.
        local: String,
    },
    /// Not XML, not an envelope, or invalid by the operation's schema.
    Malformed,
    /// Content type or SOAPAction do not fit the message.
    WrongAction,
    /// No such operation.
    UnknownOperation,
    /// A name that names nothing.
    UnknownName,
    /// An expression that cannot be read or means nothing here; the position is that of the character.
    WrongExpression,
    /// An index object that is missing or no value for it.
    WrongKey,
    /// More names, values or rows than one request may have.
    TooMany,
    /// The answer would be longer than is allowed.
    TooBig,
    /// The sender is not authenticated.
    Unauthorized,
    /// The sender has no access here.
    Forbidden,
    /// A community together with a principal.
    TwoIdentities,
    /// No such object, or no access to it.
    NoSuchObject,
    /// The object has no such instance, or no access to it.
    NoSuchInstance,
    /// The table has no such row, or no access to it.
    NoSuchRow,
    /// A value was not set.
    NotSet(SetStatus),
    /// The source of the data cannot be read.
    SourceFailed,
    /// From a peer with other kinds of fault.
    Other(String),
}

impl Fault {
    /// A fault about nothing in particular.
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Fault { kind, reason: reason.into(), subject: Box::default() }
    }

    /// The fault of a source of data that fails, or of a region that does not answer; why is for the reader.
    #[must_use]
    pub fn source_failed(why: impl ToString) -> Self {
        Fault::new(FaultKind::SourceFailed, why.to_string())
    }

    /// The same about this name.
    #[must_use]
    pub fn about(mut self, name: impl Into<String>) -> Self {
        self.subject.name = Some(name.into());
        self
    }

    /// The same about this object identifier.
    #[must_use]
    pub fn oid(mut self, oid: impl ToString) -> Self {
        self.subject.oid = Some(oid.to_string());
        self
    }

    /// The same about this row.
    #[must_use]
    pub fn row(mut self, index: impl ToString) -> Self {
        self.subject.row = Some(index.to_string());
        self
    }

    /// The same about this position, counted from 0 here and from 1 in the fault.
    #[must_use]
    pub fn at(mut self, position: usize) -> Self {
        self.subject.position = Some(position + 1);
        self
    }

    /// The same with similar names.
    #[must_use]
    pub fn near(mut self, near: Vec<String>) -> Self {
        self.subject.near = near;
        self
    }
}

impl From<XmlError> for Fault {
    fn from(error: XmlError) -> Self {
        let kind = match error.kind {
            trunkline_xml::XmlErrorKind::Limit { .. } => FaultKind::TooMany,
            _ => FaultKind::Malformed,
        };
        Fault::new(kind, error.to_string())
    }
}

impl FaultKind {
    /// Which side must change something.
    pub fn code(&self) -> Code {
        match self {
            FaultKind::VersionMismatch => Code::VersionMismatch,
            FaultKind::MustUnderstand { .. } => Code::MustUnderstand,
            FaultKind::NotSet(
                SetStatus::ResourceUnavailable | SetStatus::CommitFailed | SetStatus::UndoFailed,
            )
            | FaultKind::SourceFailed => Code::Receiver,
            _ => Code::Sender,
        }
    }

    /// Its name in the fault's detail, and SOAP 1.2's subcode.
    pub fn word(&self) -> &str {
        match self {
            FaultKind::Other(word) => word,
            known => KINDS.iter().find(|(_, kind)| kind == known).map_or("mustUnderstand", |(word, _)| word),
        }
    }

    /// From a name.
    pub fn of_word(word: &str) -> Self {
        let known = KINDS.iter().find(|(known, _)| *known == word);
        known.map_or_else(|| FaultKind::Other(word.to_owned()), |(_, kind)| kind.clone())
    }

    /// Every name, for the schema.
    pub fn words() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(word, _)| *word)
    }
}

const KINDS: &[(&str, FaultKind)] = &[
    ("versionMismatch", FaultKind::VersionMismatch),
    ("malformed", FaultKind::Malformed),
    ("wrongAction", FaultKind::WrongAction),
    ("unknownOperation", FaultKind::UnknownOperation),
    ("unknownName", FaultKind::UnknownName),
    ("wrongExpression", FaultKind::WrongExpression),
    ("wrongKey", FaultKind::WrongKey),
    ("tooMany", FaultKind::TooMany),
    ("tooBig", FaultKind::TooBig),
    ("unauthorized", FaultKind::Unauthorized),
    ("forbidden", FaultKind::Forbidden),
    ("twoIdentities", FaultKind::TwoIdentities),
    ("noSuchObject", FaultKind::NoSuchObject),
    ("noSuchInstance", FaultKind::NoSuchInstance),
    ("noSuchRow", FaultKind::NoSuchRow),
    ("noAccess", FaultKind::NotSet(SetStatus::NoAccess)),
    ("notWritable", FaultKind::NotSet(SetStatus::NotWritable)),
    ("wrongType", FaultKind::NotSet(SetStatus::WrongType)),
    ("wrongLength", FaultKind::NotSet(SetStatus::WrongLength)),
    ("wrongValue", FaultKind::NotSet(SetStatus::WrongValue)),
    ("noCreation", FaultKind::NotSet(SetStatus::NoCreation)),
    ("inconsistentName", FaultKind::NotSet(SetStatus::InconsistentName)),
    ("inconsistentValue", FaultKind::NotSet(SetStatus::InconsistentValue)),
    ("resourceUnavailable", FaultKind::NotSet(SetStatus::ResourceUnavailable)),
    ("commitFailed", FaultKind::NotSet(SetStatus::CommitFailed)),
    ("undoFailed", FaultKind::NotSet(SetStatus::UndoFailed)),
    ("sourceFailed", FaultKind::SourceFailed),
];
