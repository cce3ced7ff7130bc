//! HOST-RESOURCES-MIB (RFC 2790): groups are separated by cost, so that a request for the processor load does not
//! pay for the list of packages.

mod date;
pub(crate) mod devices;
mod processors;
mod software_installed;
mod software_running;
mod storage;
mod system;

pub(crate) use date::c_time;
pub use date::date_and_time;

use std::sync::Arc;

use trunkline_tree::Provider;

use crate::HostOptions;
use trunkline_source::procfs::sampler::Sampler;
use trunkline_source::procfs::volumes::Volumes;

use devices::{DeviceNumbers, Devices};
use processors::Processors;
use software_installed::SoftwareInstalled;
use software_running::SoftwareRunning;
use storage::Storage;
use system::System;

/// ProductID of an unregistered product: 0.0.
const UNKNOWN_PRODUCT: &[u32] = &[0, 0];
/// The DateAndTime of an event that never happened, or at an unknown time.
const NO_DATE: [u8; 8] = [0, 0, 1, 1, 0, 0, 0, 0];

/// The groups hr-system, hr-storage, hr-processors, hr-devices, hr-software-running and
/// hr-software-installed.
pub(crate) fn providers(
    options: &HostOptions,
    sampler: &Arc<Sampler>,
    volumes: &Arc<Volumes>,
) -> Vec<Arc<dyn Provider>> {
    let root = &options.root;
    let numbers = Arc::new(DeviceNumbers::default());
    vec![
        Arc::new(System::new(root.clone(), Arc::clone(&numbers))),
        Arc::new(Storage::new(options, Arc::clone(volumes))),
        Arc::new(Processors::new(Arc::clone(sampler))),
        Arc::new(Devices::new(root.clone(), numbers, Arc::clone(volumes))),
        Arc::new(SoftwareRunning::new(root.clone())),
        Arc::new(SoftwareInstalled::new(root.clone(), options.started)),
    ]
}

/// KBytes of a number of octets, at most 2^31-1 (2 TiB).
fn kbytes(octets: u128) -> i32 {
    i32::try_from(octets / 1024).unwrap_or(i32::MAX)
}
