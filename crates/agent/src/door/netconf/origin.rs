//! Whose data is read: this machine's, or a device's that the agent reads on behalf of others.

use std::sync::Arc;
use std::time::Instant;

use trunkline_core::{Admission, Caller, DataQuery, OwnData, Served};
use trunkline_devices::{Device, Devices};
use trunkline_netconf::nmda::Store;
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::target::Target;
use trunkline_smi::visible;
use trunkline_tree::Access;
use trunkline_tree::policy::{Principal, ViewType};

use super::Netconf;

/// Whose data.
#[derive(Clone)]
pub(super) enum Origin {
    /// This machine's.
    Here,
    /// That of a device.
    Device(Arc<Device>),
}

/// A tree, and what somebody may read there.
pub(super) struct Readable {
    served: Arc<Served>,
    access: Arc<Access>,
}

impl Origin {
    /// The device of a name, or without one this machine.
    ///
    /// # Errors
    /// There is no such device, which looks like one that may not be read.
    pub fn of(device: Option<&str>, devices: &Devices) -> Result<Self, Refusal> {
        match device.map(|name| devices.find(name)) {
            None => Ok(Origin::Here),
            Some(Some(device)) => Ok(Origin::Device(device)),
            Some(None) => Err(unreadable()),
        }
    }

    /// Whether the data of a datastore can be read there.
    ///
    /// # Errors
    /// Of a device that may not be read, or that has no datastores here.
    pub fn check(
        &self,
        door: &Netconf,
        principal: Principal<'_>,
        store: Option<Store>,
    ) -> Result<(), Refusal> {
        match self {
            Origin::Device(_) if self.readable(door, principal).is_none() => Err(unreadable()),
            Origin::Device(_) if store.is_some() => {
                Err(Refusal::nothing("a device has no datastores here: its data is below /restconf/data"))
            }
            _ => Ok(()),
        }
    }

    /// The refusal of what is missing since the device does not answer.
    pub fn failure(&self) -> Option<Refusal> {
        let Origin::Device(device) = self else { return None };
        let words = format!("{} does not answer: {}", device.name(), visible(&device.failure()?));
        Some(Refusal::new(502, &words))
    }

    /// Of a device that does not answer, a root without anything would look like a device that has nothing.
    ///
    /// # Errors
    /// It is the root of a device whose last request had no answer.
    pub fn answered(&self, target: &Target) -> Result<(), Refusal> {
        self.failure().filter(|_| target.steps.is_empty()).map_or(Ok(()), Err)
    }

    /// What a principal may read there; `None`: nothing.
    pub fn readable(&self, door: &Netconf, principal: Principal<'_>) -> Option<Readable> {
        let settings = door.core.settings();
        match self {
            Origin::Here => {
                let caller = Caller::of_default_context(principal);
                match settings.admit(&caller, ViewType::Read) {
                    Ok(Admission::Tree(access)) => {
                        Some(Readable { served: settings.served().clone(), access: access.clone() })
                    }
                    _ => None,
                }
            }
            Origin::Device(device) => {
                let access = device.access(&principal, settings.guard().policy(), ViewType::Read).ok()?;
                Some(Readable { served: device.served(), access })
            }
        }
    }
}

/// Of a device that is not there, and of one that may not be read: strangers learn no names.
fn unreadable() -> Refusal {
    Refusal::new(403, "there is no right to read anything of this device")
}

impl Readable {
    /// A retrieval that begins now.
    pub fn query<'q>(&'q self, door: &'q Netconf, own: &'q dyn OwnData) -> DataQuery<'q> {
        let (served, access, forest) = (&*self.served, &*self.access, &door.models().forest);
        DataQuery { served, access, forest, own, arrived: Instant::now(), page: None }
    }
}
