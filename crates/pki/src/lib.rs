//! Certificates and keys for agents and managers: what `trunkline pki` does, and what tests and the
//! laboratory need to open sessions over TLS, DTLS and SSH.
//!
//! An [`Authority`] is a value in memory: it signs [`Issued`] certificates and revocation lists. A [`Directory`]
//! is the same on disk, with an index of what was signed; its layout is in `docs/pki.md`. [`Certificate`]
//! describes a certificate's contents, whoever made it.
//!
//! ```
//! use trunkline_pki::{Authority, AuthorityOptions, LeafOptions, Name};
//!
//! let authority = Authority::create(&AuthorityOptions::default())?;
//! let agent = authority.agent(&Name::new("localhost")?, &LeafOptions::default())?;
//! assert_eq!(agent.chain_der().len(), 2);
//! # Ok::<(), trunkline_pki::Error>(())
//! ```

mod authority;
mod certificate;
mod directory;
mod error;
mod files;
mod fingerprint;
mod index;
mod key;
mod leaf;
mod name;
mod revocation;
mod ssh;
mod token;
mod validity;

pub use authority::{Authority, AuthorityOptions};
pub use certificate::{AlternativeName, Certificate};
pub use directory::{Directory, Files, Stored, Storing};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use index::Entry;
pub use key::{KeyKind, random};
pub use leaf::{Issued, LeafOptions, Role};
pub use name::Name;
pub use revocation::Revoked;
pub use ssh::SshKey;
pub use token::Token;
pub use validity::Validity;
