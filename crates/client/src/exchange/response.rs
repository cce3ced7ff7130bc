//! An answer of the agent, and what a good one must have.

use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_snmp::wire::{ErrorStatus, VarBind};

use crate::error::{Error, position_of};

/// What a good answer has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Exactly these names (Get and Set).
    Names(Vec<Oid>),
    /// So many bindings (GetNext).
    Count(usize),
    /// So many bindings at most (GetBulk).
    AtMost(usize),
}

/// An answer of the agent, be it a result or an error of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The bindings of the answer.
    pub bindings: Vec<VarBind>,
    /// error-status, 0 for none; [`Response::status`] has its name.
    pub error_status: i32,
    /// error-index, counted from 1; 0 for none.
    pub error_index: i32,
    /// Octets of the request message.
    pub request_octets: usize,
    /// Octets of the response message.
    pub response_octets: usize,
    /// From the first sending to the answer.
    pub delay: Duration,
    /// How often the request was sent, 1 or more.
    pub attempts: u32,
}

impl Response {
    /// Of a message that nobody answers: it was sent.
    pub(crate) fn of_told(octets: usize) -> Self {
        Response {
            bindings: Vec::new(),
            error_status: 0,
            error_index: 0,
            request_octets: octets,
            response_octets: 0,
            delay: Duration::ZERO,
            attempts: 1,
        }
    }

    /// Whether the agent answered noError.
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        self.error_status == 0
    }

    /// error-status by name; `None` for a number that no RFC knows.
    #[must_use]
    pub fn status(&self) -> Option<ErrorStatus> {
        ErrorStatus::from_code(self.error_status)
    }

    /// The bindings, or the agent's error as [`Error::Status`].
    ///
    /// # Errors
    /// [`Error::Status`] for any error-status but noError.
    pub fn into_bindings(self) -> Result<Vec<VarBind>, Error> {
        if self.is_ok() {
            return Ok(self.bindings);
        }
        let name = position_of(self.error_index)
            .and_then(|at| self.bindings.get(at))
            .map(|binding| binding.name.clone());
        Err(Error::Status { status: self.error_status, index: self.error_index, name })
    }
}

/// Compares a result with what was asked. An agent's error needs no check: what
/// bindings come with it differs from version to version.
pub(super) fn check(expect: &Expect, bindings: &[VarBind]) -> Result<(), Error> {
    let found = bindings.len();
    let (expected, fits) = match expect {
        Expect::Names(names) => (names.len(), found == names.len()),
        Expect::Count(count) => (*count, found == *count),
        Expect::AtMost(count) => (*count, found <= *count),
    };
    if !fits {
        return Err(Error::BindingCount { expected, found });
    }
    let Expect::Names(names) = expect else { return Ok(()) };
    match names.iter().zip(bindings).position(|(name, binding)| *name != binding.name) {
        None => Ok(()),
        Some(at) => Err(Error::WrongName {
            position: at + 1,
            expected: names[at].clone(),
            found: bindings[at].name.clone(),
        }),
    }
}
