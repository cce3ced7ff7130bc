//! Messages that protect themselves (section 3 of the EMANICS deliverable): signed by XML Signature, encrypted by XML Encryption,
//! in one form. Octets in, octets out; time and entropy are arguments.
//!
//! [`seal`] writes a message, straight into a buffer, canonical as it stands. [`open`] verifies one and then decrypts its content.
//! [`Replay`] and [`StoredReplay`] refuse what comes again or at the wrong time. The form, octet by octet, is in docs/wire/protected.md.
//!
//! ```text
//! octets -> direct (our own spelling) ----------------------------> verify -> decrypt -> Opened
//!        -> general (any spelling) -> provider (bergshamra) -> canonical octets, read again
//! ```
//!
//! ```
//! use trunkline_xmlsec::{
//!     Direction, Found, Header, KeyName, Keys, Limits, Nonce, Place, Protection, RoleKeys, SealKeys, Time, UserKeys, open, seal,
//! };
//!
//! struct One(KeyName, UserKeys);
//!
//! impl Keys for One {
//!     fn find(&self, name: &KeyName, _: &Protection) -> Option<Found> {
//!         (*name == self.0).then(|| Found::Shared(self.1.clone()))
//!     }
//! }
//!
//! let name: KeyName = "operator/3/alice".parse()?;
//! let keys = RoleKeys::new(&[1; 16], &[2; 16])?.of_user(name.user());
//! let header = Header {
//!     direction: Direction::Request,
//!     place: Place::Session(Nonce([7; 16])),
//!     number: 1,
//!     in_reply_to: None,
//!     time: "2026-11-28T07:50:00.123Z".parse()?,
//!     expires: None,
//!     compression: None,
//!     role: None,
//! };
//! let mut message = Vec::new();
//! let entropy = [9; 16]; // random octets
//! seal(&header, b"<hello></hello>", &SealKeys::shared(&name, &keys), Protection::default(), &entropy, &mut message)?;
//! let opened = open(&message, &Limits::MESSAGE, &One(name, keys))?;
//! assert_eq!(opened.content, b"<hello></hello>");
//! assert_eq!(opened.header, header);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algorithm;
mod canonical;
mod crypt;
mod direct;
mod error;
mod form;
mod general;
mod header;
mod keyring;
mod keys;
mod name;
mod number;
mod open;
mod provider;
mod public;
mod replay;
mod seal;
mod step;
mod stored;
mod template;
mod time;
mod values;

#[cfg(test)]
mod tests;

pub use algorithm::{Cipher, Protection, SignatureMethod, UnknownAlgorithm};
pub use error::{Malformed, OpenError, SealError};
pub use header::{Compression, Direction, Header, Nonce, Place};
pub use keyring::{Found, Keys, SealKeys};
pub use keys::{RoleKeys, ShortKey, UserKeys};
pub use name::{DeviceName, KeyName, NameError, RoleName, UserName};
pub use open::{Limits, Opened, claimed, is_protected, open, open_by_library, open_in_steps};
pub use public::{KeyError, Signer, Verifier};
pub use replay::{Replay, ReplayError};
pub use seal::{seal, seal_in_steps};
pub use step::{Step, Steps};
pub use stored::{NotStored, StoredLimits, StoredReplay};
pub use template::PROTECTED;
pub use time::{NotATime, Time};
