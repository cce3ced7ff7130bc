//! ENTITY-MIB and ENTITY-SENSOR-MIB, from /sys. The index of a part stays as long as the agent runs. Nothing is held between requests but
//! the names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::entity_mib as mib;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use crate::last_change::LastChange;
use crate::options::HostOptions;
use trunkline_source::SourceRoot;
use trunkline_source::sysfs::{Part, parts};

static PARTS: Group = Group {
    name: "entities",
    scalars: &[&mib::ENT_LAST_CHANGE_TIME],
    tables: &[&mib::ENT_PHYSICAL_TABLE, &mib::ENT_PHYSICAL_CONTAINS_TABLE],
};

static SENSORS: Group = Group { name: "entity-sensors", scalars: &[], tables: &[&mib::ENT_PHY_SENSOR_TABLE] };

/// Both groups.
pub(crate) fn providers(options: &HostOptions) -> [Arc<dyn Provider>; 2] {
    let known = Arc::new(Known::default());
    let (root, started) = (options.root.clone(), options.started);
    let sensors = Sensors { root: root.clone(), known: known.clone(), started };
    [Arc::new(Entities { root, known, started }), Arc::new(sensors)]
}

/// The indexes that parts have.
#[derive(Debug, Default)]
struct Known {
    numbers: Mutex<HashMap<String, u32>>,
    changed: Mutex<LastChange<Vec<String>>>,
}

impl Known {
    /// The parts with the index of each, ascending.
    fn number(&self, parts: Vec<Part>) -> Vec<(u32, Part)> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            let next = u32::try_from(numbers.len() + 1).unwrap_or(u32::MAX);
            all.push((*numbers.entry(part.name.clone()).or_insert(next), part));
        }
        all.sort_by_key(|(number, _)| *number);
        all
    }
}

/// Serves the group `entities`.
#[derive(Debug)]
struct Entities {
    root: SourceRoot,
    known: Arc<Known>,
    started: Instant,
}

impl Provider for Entities {
    fn group(&self) -> &'static Group {
        &PARTS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let all = self.known.number(parts(&self.root));
        let names = all.iter().map(|(_, part)| part.name.clone()).collect();
        let changed =
            self.known.changed.lock().unwrap_or_else(PoisonError::into_inner).see(names, now(self.started));
        let mut snapshot = Snapshot::builder(&PARTS);
        snapshot.scalar(&mib::ENT_LAST_CHANGE_TIME, Value::TimeTicks(changed));
        let numbers: HashMap<&str, u32> = all.iter().map(|(number, part)| (&*part.name, *number)).collect();
        let mut places: HashMap<u32, i32> = HashMap::new();
        let mut contains = Vec::new();
        let table = snapshot.table(&mib::ENT_PHYSICAL_TABLE);
        for (number, part) in &all {
            let within = numbers.get(&*part.within).copied().unwrap_or(0);
            let place = places.entry(within).or_insert(-1);
            // What is in nothing has no place in it.
            *place += i32::from(within != 0);
            if within != 0 {
                contains.push((within, *number));
            }
            let [hardware, firmware] = &part.revisions;
            table
                .row(&[*number])
                .text(2, &part.description)
                .oid(3, &[0, 0])
                .integer(4, within.cast_signed())
                .integer(5, part.class)
                .integer(6, *place)
                .text(7, &part.name)
                .text(8, hardware)
                .text(9, firmware)
                .text(10, "")
                .text(11, &part.serial)
                .text(12, &part.maker)
                .text(13, &part.model)
                .text(14, "")
                .text(15, &part.asset)
                .truth(16, part.is_replaceable)
                .octets(19, &part.uuid);
        }
        contains.sort_unstable();
        let table = snapshot.table(&mib::ENT_PHYSICAL_CONTAINS_TABLE);
        for (within, number) in contains {
            table.row(&[within, number]).integer(1, number.cast_signed());
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// Serves the group `entity-sensors`.
#[derive(Debug)]
struct Sensors {
    root: SourceRoot,
    known: Arc<Known>,
    started: Instant,
}

impl Provider for Sensors {
    fn group(&self) -> &'static Group {
        &SENSORS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&SENSORS);
        let table = snapshot.table(&mib::ENT_PHY_SENSOR_TABLE);
        for (number, part) in self.known.number(parts(&self.root)) {
            let Some(sensor) = part.sensor else { continue };
            let (value, scale, status) = match sensor.read(&self.root) {
                Ok((value, scale)) => (value, scale, OK),
                Err(status) => (0, sensor.scale, status),
            };
            let units = UNITS.iter().find(|(kind, _)| *kind == sensor.kind).map_or("", |(_, units)| units);
            table
                .row(&[number])
                .integer(1, sensor.kind)
                .integer(2, scale)
                .integer(3, 0)
                .integer(4, value)
                .integer(5, status)
                .text(6, units)
                .time_ticks(7, now(self.started))
                // Read when somebody asks.
                .unsigned32(8, 0);
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// sysUpTime.
fn now(started: Instant) -> u32 {
    // It wraps after 497 days, as TimeTicks do.
    (started.elapsed().as_millis() / 10) as u32
}

const OK: i32 = 1;
/// By EntitySensorDataType.
const UNITS: [(i32, &str); 6] =
    [(4, "volts"), (5, "amperes"), (6, "watts"), (8, "degrees Celsius"), (9, "percent"), (10, "rpm")];
