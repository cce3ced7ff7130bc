//! The User-based Security Model without I/O (RFC 3414, 3826, 7860): keys, users and the window of time.
//!
//! | file | what it is | specified by |
//! | --- | --- | --- |
//! | `protocol` | which hash, which cipher: names, numbers, lengths | RFC 3414 section 5, 3826, 7860 |
//! | `engine_id` | the identity of an engine | RFC 3411 section 5 |
//! | `key` | from a password to a master key, and to the key of one engine | RFC 3414 section 2.6 and A.2 |
//! | `key_extension` | a key longer than the hash | draft-blumenthal-aes-usm, draft-reeder-snmpv3-usm-3desede |
//! | `key_change` | a new key sent under the old one | RFC 3414 section 5, KeyChange |
//! | `encryption` | scoped PDUs encrypted while they are signed | |
//! | `auth_key` | whole messages signed and verified | RFC 3414 section 6 and 7, 7860 |
//! | `priv_key` | scoped PDUs encrypted and decrypted | RFC 3414 section 8, 3826 |
//! | `user`, `user_table` | users and their keys; usmUserTable's rows | RFC 3414 section 2.1 and 5 |
//! | `credentials` | a user whose engine is not known yet | RFC 3414 section 2.6 |
//! | `time`, `remote_engine` | timeliness, on both sides | RFC 3414 section 2.2, 2.3 and 3.2 step 7 |
//!
//! In the path of a request: [`UserTable::get`], [`AuthKey::verify`], [`EngineMoment::accept`],
//! [`PrivKey::decrypt`]; and back [`PrivKey::encrypt`], [`AuthKey::sign`]. None of these allocates. Everything
//! slow (a password, a localisation) happens before, when keys are derived.
//!
//! ```
//! use trunkline_snmp::usm::{AuthKey, AuthProtocol, EngineId, MasterKey};
//!
//! let engine: EngineId = "80001f8804746573742d656e67696e65".parse()?;
//! let protocol: AuthProtocol = "SHA-256".parse()?;
//! let key = AuthKey::new(protocol, MasterKey::from_password(protocol, b"maplesyrup")?.localize(&engine))?;
//!
//! let mut message = vec![0x30; 150];
//! let field = 60..60 + protocol.mac_length();
//! key.sign(&mut message, field.clone())?;
//! assert!(key.verify(&message, field.clone()).is_ok());
//! message[149] ^= 1;
//! assert!(key.verify(&message, field).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod auth_key;
mod credentials;
mod encryption;
mod engine_id;
mod error;
mod hexadecimal;
mod key;
mod key_change;
mod key_extension;
mod priv_key;
mod protocol;
mod remote_engine;
mod time;
mod user;
mod user_table;

pub use auth_key::AuthKey;
pub use credentials::{Credentials, CredentialsError};
pub use engine_id::EngineId;
pub use error::{
    AuthenticationError, EngineIdError, KeyChangeError, KeyError, PrivacyError, SealError, UnknownProtocol,
    UserError,
};
pub(crate) use hexadecimal::hexadecimal;
pub use key::{LocalKey, MasterKey};
pub use priv_key::PrivKey;
pub use protocol::{AuthProtocol, MIN_PASSWORD, PrivProtocol, SALT_LENGTH};
pub use remote_engine::{RemoteEngine, RemoteEngines};
pub use time::{EngineBoots, EngineClock, EngineMoment, EngineTime, NotInTimeWindow, TIME_WINDOW};
pub use user::{RowStatus, StorageType, User};
pub use user_table::UserTable;
