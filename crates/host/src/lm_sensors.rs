//! LM-SENSORS-MIB, from the sensors of /sys/class/hwmon and the thermal zones without a chip. Rows are numbered from 1 in each table, in the
//! order of the chips and their channels.

use trunkline_smi::module::lm_sensors_mib::{
    LM_FAN_SENSORS_TABLE, LM_MISC_SENSORS_TABLE, LM_TEMP_SENSORS_TABLE, LM_VOLT_SENSORS_TABLE,
};
use trunkline_smi::schema::Table;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::cut;
use trunkline_source::sysfs::{Measure, parts};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

static GROUP: Group = Group {
    name: "lm-sensors",
    scalars: &[],
    tables: &[&LM_TEMP_SENSORS_TABLE, &LM_FAN_SENSORS_TABLE, &LM_VOLT_SENSORS_TABLE, &LM_MISC_SENSORS_TABLE],
};

/// Serves the group `lm-sensors`.
#[derive(Debug)]
pub(crate) struct LmSensors(pub SourceRoot);

impl Provider for LmSensors {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let sensors: Vec<_> = parts(&self.0).into_iter().filter_map(|part| part.sensor).collect();
        let mut snapshot = Snapshot::builder(&GROUP);
        for (table, is_in) in TABLES {
            let rows = snapshot.table(table);
            let readings = sensors.iter().filter(|sensor| is_in(sensor.measure()));
            // A sensor that is broken or does not answer has no row, and its number stays free.
            for (index, sensor) in (1..=MOST).zip(readings) {
                if let Some(value) = sensor.raw(&self.0) {
                    let mut row = rows.row(&[index]);
                    // Below zero as Net-SNMP has it.
                    row.integer(1, index.cast_signed())
                        .octets(2, cut(sensor.label.as_bytes(), 255))
                        .unsigned32(3, value.clamp(i64::from(i32::MIN), i64::from(u32::MAX)) as u32);
                }
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

type IsIn = fn(Measure) -> bool;

static TABLES: [(&Table, IsIn); 4] = [
    (&LM_TEMP_SENSORS_TABLE, |measure| matches!(measure, Measure::Temperature)),
    (&LM_FAN_SENSORS_TABLE, |measure| matches!(measure, Measure::Fan)),
    (&LM_VOLT_SENSORS_TABLE, |measure| matches!(measure, Measure::Voltage)),
    (&LM_MISC_SENSORS_TABLE, |measure| matches!(measure, Measure::Other)),
];

/// The largest index.
const MOST: u32 = 65_535;
