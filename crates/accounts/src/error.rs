//! What cannot be asked of an agent.

use trunkline_smi::visible;
use trunkline_snmp::usm::KeyChangeError;

/// Why there are no bindings for what was wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// A name that is too short or too long.
    #[error("{what} {:?} has {found} octets, and {expected} are allowed", visible(.name))]
    Name {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
        /// Its octets.
        found: usize,
        /// How many it may have.
        expected: &'static str,
    },
    /// An index that does not fit into an object identifier.
    #[error("the index of the row of {table} does not fit into an object identifier: shorten the names")]
    Index {
        /// The table.
        table: &'static str,
    },
    /// A mask that cannot be read.
    #[error("the mask {:?} is not one: write 1 to 16 octets in hexadecimal digits, such as FF:A0", visible(.found))]
    Mask {
        /// The text.
        found: String,
    },
    /// A key that the user does not have.
    #[error("the user has no key for {purpose}: its protocol for {purpose} is none")]
    NoKey {
        /// `authentication` or `privacy`.
        purpose: &'static str,
    },
    /// Keys of different lengths.
    #[error("the change of the key for {purpose}: {fault}")]
    Key {
        /// `authentication` or `privacy`.
        purpose: &'static str,
        /// What is wrong.
        fault: KeyChangeError,
    },
}
