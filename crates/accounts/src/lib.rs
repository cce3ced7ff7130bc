//! An agent's users and access rights as a manager changes them: rows of usmUserTable (RFC 3414 section 5) and of VACM's tables
//! (RFC 3415 section 4) as variable bindings, and changes of keys. The manager's own commands and those by Net-SNMP's names
//! share it.
//!
//! ```text
//! UserRow, KeyChange, AccessRow -> bindings of a Set -> session
//! account() <- a row of a table <- walk
//! ```

mod access;
mod arguments;
mod change;
mod error;
mod listing;
mod row;
mod snmpvacm;
mod user;
pub mod user_arguments;

pub use access::{AccessRow, Scope, mask, mask_text};
pub use arguments::{AccessArgs, AccessCommand, AccessWork, RowChange};
pub use change::{KeyChange, KeyChangeFault, key_change_of_passwords};
pub use error::AccountError;
pub use listing::Listing;
pub use row::{Action, Cells};
pub use snmpvacm::{VacmChange, VacmMistake, snmpvacm};
pub use user::{ACCOUNT_HEADER, Account, UserRow, account, account_columns, locked, spin_lock};
