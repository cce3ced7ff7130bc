//! Other devices as trees. What a device answers, in whatever protocol, is read on demand into snapshots, a group for each
//! table of the schema and for the scalars of each module; so a door reads a device as it reads this machine, under the
//! one policy, with the device's name as the context.
//!
//! ```text
//! door -> Device: access in its context, Served -> Tree -> Remote (a provider for each group) -> Link -> client::Session
//! ```
//!
//! What devices tell on their own comes to [`Happenings`]: traps and informs by [`Traps`], events of NETCONF and RESTCONF while somebody
//! watches ([`Device::watch`]).
//!
//! Nothing is asked before somebody wants it, and a session is opened on first use and again after a failure.

mod device;
mod devices;
mod follow;
mod groups;
mod happenings;
mod link;
mod memory;
mod remote;
mod set;
mod traps;

pub use device::Device;
pub use devices::{Devices, is_name};
pub use follow::Watch;
pub use happenings::{Happening, Happenings, Told};
pub use link::{IsStill, Opener, Opening};
pub use set::{NotSet, Refused};
pub use traps::Traps;
