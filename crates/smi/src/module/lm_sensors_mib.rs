//! LM-SENSORS-MIB of Net-SNMP: temperatures, fans, voltages and other readings of the machine's sensors.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Syntax, Table};

/// LM-SENSORS-MIB.
pub static MODULE: Module = Module {
    name: "LM-SENSORS-MIB",
    reference: "Net-SNMP",
    nodes: &[
        Node { name: "lmSensors", oid: &[1, 3, 6, 1, 4, 1, 2021, 13, 16] },
        Node { name: "lmSensorsMIB", oid: &[1, 3, 6, 1, 4, 1, 2021, 13, 16, 1] },
    ],
    scalars: &[],
    tables: &[LM_TEMP_SENSORS_TABLE, LM_FAN_SENSORS_TABLE, LM_VOLT_SENSORS_TABLE, LM_MISC_SENSORS_TABLE],
    notifications: &[],
};

const SENSOR_INDEX: Syntax = Syntax::integer(0, 65535);

macro_rules! sensors {
    ($(#[$doc:meta])* $constant:ident, $name:literal, $number:literal) => {
        $(#[$doc])*
        pub const $constant: Table = Table {
            name: concat!($name, "Table"),
            entry: concat!($name, "Entry"),
            oid: &[1, 3, 6, 1, 4, 1, 2021, 13, 16, $number],
            index: &[IndexPart::new(concat!($name, "Index"), IndexEncoding::Integer, SENSOR_INDEX)],
            columns: &[
                Column::new(1, concat!($name, "Index"), ReadOnly, SENSOR_INDEX),
                Column::new(2, concat!($name, "Device"), ReadOnly, Syntax::DISPLAY_STRING),
                Column::new(3, concat!($name, "Value"), ReadOnly, Syntax::GAUGE32),
            ],
        };
    };
}

sensors!(
    /// lmTempSensorsTable: temperatures in thousandths of a degree Celsius; one below zero is 2^32 less what is missing to zero.
    LM_TEMP_SENSORS_TABLE,
    "lmTempSensors",
    2
);
sensors!(
    /// lmFanSensorsTable: speeds of fans in revolutions per minute.
    LM_FAN_SENSORS_TABLE,
    "lmFanSensors",
    3
);
sensors!(
    /// lmVoltSensorsTable: voltages in thousandths of a volt.
    LM_VOLT_SENSORS_TABLE,
    "lmVoltSensors",
    4
);
sensors!(
    /// lmMiscSensorsTable: what other sensors measure, such as currents and powers.
    LM_MISC_SENSORS_TABLE,
    "lmMiscSensors",
    5
);
