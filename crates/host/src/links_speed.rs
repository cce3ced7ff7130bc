//! The source of ifSpeed: the kernel's ethtool family, queried only for interfaces whose speed [`crate::links`]
//! does not know (new ones, or with a new carrier).

use std::collections::HashMap;

use crate::interfaces_type::fixed_speed;
use trunkline_source::SourceRoot;
use trunkline_source::netlink::ethtool::{Ethtool, Speed};
use trunkline_source::netlink::link::Link;

/// Reads speeds.
#[derive(Debug)]
pub(crate) struct Speeds {
    root: SourceRoot,
    source: Source,
    asked: usize,
    batch: Option<HashMap<u32, Speed>>,
}

#[derive(Debug)]
enum Source {
    Unopened,
    Ethtool(Ethtool),
    /// A recording, or a kernel without the ethtool family: `/sys/class/net/NAME/speed`.
    Sysfs,
}

/// Above this many single queries in one load, all speeds are requested at once.
const SINGLE_QUESTIONS: usize = 8;

impl Speeds {
    pub(crate) fn new(root: SourceRoot) -> Self {
        let source = if root.is_recording() { Source::Sysfs } else { Source::Unopened };
        Speeds { root, source, asked: 0, batch: None }
    }

    /// Begins a load: nothing read before is used any more.
    pub(crate) fn begin(&mut self) {
        self.asked = 0;
        self.batch = None;
    }

    /// The speed of an interface.
    pub(crate) fn read(&mut self, link: &Link<'_>) -> Speed {
        if let Some(speed) = fixed_speed(link) {
            return Some(speed);
        }
        if let Source::Unopened = self.source {
            self.source = Ethtool::open().map_or_else(
                |error| {
                    tracing::info!(%error, "no ethtool netlink: interface speeds come from /sys");
                    Source::Sysfs
                },
                Source::Ethtool,
            );
        }
        match &mut self.source {
            Source::Ethtool(ethtool) => {
                self.asked += 1;
                if self.asked <= SINGLE_QUESTIONS {
                    return ethtool.one(link.index);
                }
                let batch = self.batch.get_or_insert_with(|| all(ethtool));
                batch.get(&link.index).copied().flatten()
            }
            Source::Unopened | Source::Sysfs => self.read_file(link.name),
        }
    }

    fn read_file(&self, name: &[u8]) -> Speed {
        let name = std::str::from_utf8(name).ok()?;
        let text = std::fs::read_to_string(self.root.path(format!("sys/class/net/{name}/speed"))).ok()?;
        text.trim().parse().ok().filter(|speed| *speed > 0) // -1 is unknown
    }
}

fn all(ethtool: &mut Ethtool) -> HashMap<u32, Speed> {
    let mut speeds = HashMap::new();
    let asked = ethtool.all(|index, speed| {
        speeds.insert(index, speed);
    });
    if let Err(error) = asked {
        tracing::warn!(%error, "cannot read the speeds of interfaces");
    }
    speeds
}
