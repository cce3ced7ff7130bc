//! The agent's answer, and the checks of a good one.

use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_snmp::wire::{ErrorStatus, VarBind};

use crate::error::{Error, position_of};

/// What a good answer contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Exactly these names (Get and Set).
    Names(Vec<Oid>),
    /// This many bindings (GetNext).
    Count(usize),
    /// At most this many bindings (GetBulk).
    AtMost(usize),
}

/// The agent's answer, whether a result or its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The bindings of the answer.
    pub bindings: Vec<VarBind>,
    /// The request-id of the request and its answer; 0 for a message without an answer.
    pub request_id: i32,
    /// error-status, 0 for none; [`Response::status`] has its name.
    pub error_status: i32,
    /// error-index, counted from 1; 0 for none.
    pub error_index: i32,
    /// Octets of the request message.
    pub request_octets: usize,
    /// Octets of the response message.
    pub response_octets: usize,
    /// From the first transmission to the answer.
    pub delay: Duration,
    /// How many times the request was sent, 1 or more.
    pub attempts: u32,
}

impl Response {
    /// For a message without an answer: it was sent.
    pub(crate) fn of_told(octets: usize) -> Self {
        Response {
            bindings: Vec::new(),
            request_id: 0,
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

    /// error-status by name; `None` for a number that no RFC defines.
    #[must_use]
    pub fn status(&self) -> Option<ErrorStatus> {
        ErrorStatus::from_code(self.error_status)
    }

    /// The bindings, or the agent's error as [`Error::Status`].
    ///
    /// # Errors
    /// [`Error::Status`] for any error-status except noError.
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

/// Compares a result with the request. An agent's error needs no check: the bindings that come with it differ
/// between versions.
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
