//! Whose data is read: this machine's, or a device's that the agent reads on behalf of others.

use std::sync::Arc;
use std::time::Instant;

use trunkline_core::{Admission, Caller, DataQuery, OwnData, Served};
use trunkline_devices::Device;
use trunkline_restconf::refusal::Refusal;
use trunkline_smi::visible;
use trunkline_tree::Access;
use trunkline_tree::policy::{Principal, ViewType};

use super::Netconf;

/// Whose data.
#[derive(Clone, Default)]
pub(super) enum Origin {
    /// This machine's.
    #[default]
    Here,
    /// That of a device, whose name is the context.
    Device(Arc<Device>),
}

/// A tree, and what somebody may read there.
pub(super) struct Readable {
    served: Arc<Served>,
    access: Arc<Access>,
}

impl Origin {
    /// The refusal of what is missing since the device does not answer.
    pub fn failure(&self) -> Option<Refusal> {
        let Origin::Device(device) = self else { return None };
        let words = format!("{} does not answer: {}", device.name(), visible(&device.failure()?));
        Some(Refusal::new(502, &words))
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
                Some(Readable { served: device.served().clone(), access })
            }
        }
    }
}

impl Readable {
    /// A retrieval that begins now.
    pub fn query<'q>(&'q self, door: &'q Netconf, own: &'q dyn OwnData) -> DataQuery<'q> {
        let (served, access, forest) = (&*self.served, &*self.access, &door.models().forest);
        DataQuery { served, access, forest, own, arrived: Instant::now(), page: None }
    }
}
