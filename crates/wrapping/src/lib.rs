//! How messages of NETCONF are wrapped in a session of the agent: framed, compressed if both ends have that, and protected by keys if the client
//! wants that (docs/wire/protected.md).

mod guard;
mod stored;
mod wrapping;

pub use guard::{
    Guard, NotOpened, Sealing, StoredMessage, capability, capability_of_stored, nonce, open_stored,
};
pub use stored::{carried, needs_session, not_accepted};
pub use wrapping::{Deflaters, Proved, Received, Shared, Unusable, Wrapping, refused};
