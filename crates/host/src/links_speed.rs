//! The source of ifSpeed and dot3StatsDuplexStatus: the kernel's ethtool family, queried only for interfaces whose settings [`crate::links`]
//! does not know (new ones, or with a new carrier).

use std::collections::HashMap;

use crate::interfaces_type::fixed_speed;
use trunkline_source::SourceRoot;
use trunkline_source::netlink::ethtool::{Duplex, Ethtool, Settings};
use trunkline_source::netlink::link::Link;

/// Reads speeds.
#[derive(Debug)]
pub(crate) struct Speeds {
    root: SourceRoot,
    source: Source,
    asked: usize,
    batch: Option<HashMap<u32, Settings>>,
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

    /// The settings of an interface.
    pub(crate) fn read(&mut self, link: &Link<'_>) -> Settings {
        if let Some(speed) = fixed_speed(link) {
            return Settings { speed: Some(speed), ..Settings::default() };
        }
        if let Source::Unopened = self.source {
            self.source = Ethtool::open().map_or_else(
                |error| {
                    tracing::info!(%error, "no ethtool netlink: speeds of interfaces come from /sys");
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
                batch.get(&link.index).copied().unwrap_or_default()
            }
            Source::Unopened | Source::Sysfs => self.read_files(link.name),
        }
    }

    fn read_files(&self, name: &[u8]) -> Settings {
        let Ok(name) = std::str::from_utf8(name) else { return Settings::default() };
        let text = |file: &str| {
            let text = std::fs::read_to_string(self.root.path(format!("sys/class/net/{name}/{file}")));
            text.unwrap_or_default()
        };
        let speed = text("speed").trim().parse().ok().filter(|speed| *speed > 0); // -1 is unknown
        let duplex = match text("duplex").trim() {
            "half" => Duplex::Half,
            "full" => Duplex::Full,
            _ => Duplex::Unknown,
        };
        Settings { speed, duplex }
    }
}

fn all(ethtool: &mut Ethtool) -> HashMap<u32, Settings> {
    let mut settings = HashMap::new();
    let asked = ethtool.all(|index, found| {
        settings.insert(index, found);
    });
    if let Err(error) = asked {
        tracing::warn!(%error, "cannot read the link settings of interfaces");
    }
    settings
}
