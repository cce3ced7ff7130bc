//! Why there is no value, and why a value was not set: the words of RFC 3416, which every protocol here has a form of.

use std::fmt;

/// What replaces a value (RFC 3416 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exception {
    /// There is no such object type, or not for this principal.
    NoSuchObject,
    /// The object type has no such instance.
    NoSuchInstance,
    /// Nothing comes after the name.
    EndOfMibView,
}

impl Exception {
    /// Every one.
    pub const ALL: [Exception; 3] = [Self::NoSuchObject, Self::NoSuchInstance, Self::EndOfMibView];

    /// The name of the standard, such as `noSuchObject`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoSuchObject => "noSuchObject",
            Self::NoSuchInstance => "noSuchInstance",
            Self::EndOfMibView => "endOfMibView",
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a set failed (RFC 3416 section 4.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetStatus {
    /// The principal may not write it.
    NoAccess,
    /// The object cannot be written, or does not exist.
    NotWritable,
    /// The value is of another type than the object's.
    WrongType,
    /// The value has a length that can never be assigned.
    WrongLength,
    /// The value can never be assigned.
    WrongValue,
    /// The instance can never be created.
    NoCreation,
    /// The instance cannot be created now.
    InconsistentName,
    /// The value cannot be assigned now.
    InconsistentValue,
    /// A resource is missing.
    ResourceUnavailable,
    /// The second phase failed, and everything was undone.
    CommitFailed,
    /// The second phase failed, and so did undoing it.
    UndoFailed,
}

impl SetStatus {
    /// Every one, in the order of the standard's checks.
    pub const ALL: [SetStatus; 11] = [
        Self::NoAccess,
        Self::NotWritable,
        Self::WrongType,
        Self::WrongLength,
        Self::WrongValue,
        Self::NoCreation,
        Self::InconsistentName,
        Self::InconsistentValue,
        Self::ResourceUnavailable,
        Self::CommitFailed,
        Self::UndoFailed,
    ];

    /// The name of the standard, such as `noAccess`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoAccess => "noAccess",
            Self::NotWritable => "notWritable",
            Self::WrongType => "wrongType",
            Self::WrongLength => "wrongLength",
            Self::WrongValue => "wrongValue",
            Self::NoCreation => "noCreation",
            Self::InconsistentName => "inconsistentName",
            Self::InconsistentValue => "inconsistentValue",
            Self::ResourceUnavailable => "resourceUnavailable",
            Self::CommitFailed => "commitFailed",
            Self::UndoFailed => "undoFailed",
        }
    }
}
