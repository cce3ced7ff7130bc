//! Why a message is not sealed or not opened.

use thiserror::Error;
use trunkline_xml::XmlError;

use crate::name::KeyName;

/// Why a message was not sealed: what its maker did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SealError {
    /// The header breaks a rule.
    #[error("{0}")]
    Header(&'static str),
    /// The keys do not fit the protection.
    #[error("{0}")]
    Keys(&'static str),
    /// The library failed to encrypt or to sign.
    #[error("the message could not be encrypted or signed")]
    Failed,
}

/// Why a message was not opened. All variants are for the log; who sent it learns only that it was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// It has more octets than are accepted.
    #[error("a protected message has at most {limit} octets, this one has {found}")]
    TooBig {
        /// Its octets.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// It has another form than the one that is accepted.
    #[error("not a protected message: {0}")]
    Malformed(#[from] Malformed),
    /// The key that it names is not known, is not valid any more, or may not be used so.
    #[error("no key is called {0} for this protection")]
    UnknownKey(KeyName),
    /// A signature, a digest, a ciphertext or its padding is wrong. There is one error for all of them.
    #[error("the message is not authentic")]
    Refused,
}

/// How a message differs from the one form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// It is not XML, or other XML.
    #[error("{0}")]
    Xml(#[from] XmlError),
    /// It has markup that is not accepted anywhere in a message.
    #[error("{0} is not accepted")]
    Markup(&'static str),
    /// The header breaks a rule.
    #[error("{0}")]
    Header(&'static str),
    /// The names of the keys do not fit the algorithms.
    #[error("{0}")]
    Keys(&'static str),
}
