//! Rules for places in YANG's data, and the subtrees of objects that they stand for on this machine.

use trunkline_commit::{Interfaces, PathOfPermission, paths};
use trunkline_config::{ConfigError, Plan, Source, WrongConfig};
use trunkline_tree::Family;

/// The plan of a configuration, with the subtrees of its paths.
///
/// # Errors
/// A file that cannot be read, with invalid settings, or with paths that have no subtrees.
pub fn load(source: &Source) -> Result<Plan, ConfigError> {
    paths::load(source, index_of)
}

/// Finds the subtrees of all paths, as interfaces are numbered now.
///
/// # Errors
/// Paths that have none.
pub fn set(plan: &mut Plan) -> Result<(), WrongConfig> {
    paths::set(plan, index_of)
}

/// What the paths of a plan stand for, a line for each.
#[must_use]
pub fn lines(plan: &Plan) -> Vec<String> {
    paths::lines(plan, index_of)
}

/// The subtrees of permissions that are data.
pub(crate) fn find(all: &[PathOfPermission], interfaces: Interfaces) -> Vec<Result<Vec<Family>, String>> {
    paths::find(all, interfaces, index_of)
}

/// ifIndex of an interface.
pub(crate) fn index_of(name: &str) -> Option<u32> {
    let socket =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::DGRAM, None).ok()?;
    rustix::net::netdevice::name_to_index(&socket, name).ok()
}
