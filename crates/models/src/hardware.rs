//! `/hardware` (RFC 8348), from ENTITY-MIB and ENTITY-SENSOR-MIB.

use std::collections::BTreeMap;

use trunkline_datastore::Branch;
use trunkline_yang::own::HARDWARE;
use trunkline_yang::own::identities::HARDWARE_CLASSES;

use crate::made::Made;
use crate::model::{Model, Part};
use crate::rows::{Reads, Row, Rows};

pub(crate) static MODEL: Model = Model {
    module: &HARDWARE,
    root: "hardware",
    parts: &[Part { path: &["component"], reads: &[&PARTS, &SENSORS] }],
    make,
};

fn make(rows: &Rows, _config: Option<&Branch>, made: &mut Made<'_>) {
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    let mut children: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for row in rows.of(&PARTS) {
        // Who may not read the key may not read the entry.
        let (&[index], Some(name)) = (row.index, row.text(NAME)) else { continue };
        names.insert(index, name);
        if let Some(within) = row.number(CONTAINED_IN) {
            children.entry(within).or_default().push(index);
        }
    }
    for row in rows.of(&PARTS) {
        let &[index] = row.index else { continue };
        let Some(name) = names.get(&index) else { continue };
        let parent = row.number(CONTAINED_IN).and_then(|it| names.get(&u32::try_from(it).ok()?));
        made.within("component", |made| {
            made.leaf("name", name);
            made.leaf("class", &format!("ianahw:{}", class(row.integer(CLASS))));
            made.leaf("physical-index", &index.to_string());
            text(row, DESCRIPTION, "description", made);
            if let Some(parent) = parent {
                made.leaf("parent", parent);
                if let Some(place) = row.number(PLACE) {
                    made.leaf("parent-rel-pos", &place.to_string());
                }
            }
            for child in children.get(&index.into()).into_iter().flatten() {
                if let Some(name) = names.get(child) {
                    made.leaf("contains-child", name);
                }
            }
            for (column, leaf) in TEXTS {
                text(row, column, leaf, made);
            }
            if let Some(is_fru) = row.integer(IS_FRU) {
                made.leaf("is-fru", if is_fru == 1 { "true" } else { "false" });
            }
            if let Some(uuid) = row.octets(UUID).and_then(uuid) {
                made.leaf("uuid", &uuid);
            }
            if let Some(sensor) = rows.row(&SENSORS, row.index) {
                made.within("sensor-data", |made| measured(sensor, made));
            }
        });
    }
}

fn text(row: Row<'_>, column: u32, leaf: &str, made: &mut Made<'_>) {
    if let Some(text) = row.text(column).filter(|text| !text.is_empty()) {
        made.leaf(leaf, &text);
    }
}

fn measured(sensor: Row<'_>, made: &mut Made<'_>) {
    let name = |column, names: &'static [&'static str]| {
        let number = sensor.integer(column).and_then(|it| usize::try_from(it).ok()?.checked_sub(1));
        number.and_then(|at| names.get(at)).copied()
    };
    let status = name(STATUS, &STATUSES);
    // What is not measured has no value.
    if let Some(value) = sensor.integer(VALUE).filter(|_| status == Some("ok")) {
        made.leaf("value", &value.to_string());
    }
    for (leaf, name) in [("value-type", name(KIND, &KINDS)), ("value-scale", name(SCALE, &SCALES))] {
        name.into_iter().for_each(|name| made.leaf(leaf, name));
    }
    if let Some(precision) = sensor.integer(PRECISION) {
        made.leaf("value-precision", &precision.to_string());
    }
    status.into_iter().for_each(|status| made.leaf("oper-status", status));
    text(sensor, UNITS, "units-display", made);
    if let Some(rate) = sensor.number(RATE) {
        made.leaf("value-update-rate", &rate.to_string());
    }
}

/// The identity of an IANAPhysicalClass. What RFC 8348 has no class for, such as other(1), is unknown.
fn class(number: Option<i32>) -> &'static str {
    let at = number.and_then(|it| usize::try_from(it).ok()?.checked_sub(2));
    at.and_then(|at| HARDWARE_CLASSES.get(at)).copied().unwrap_or("unknown")
}

fn uuid(octets: &[u8]) -> Option<String> {
    let octets: &[u8; 16] = octets.try_into().ok()?;
    let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
    let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    Some(format!("{a}-{b}-{c}-{d}-{e}"))
}

/// EntitySensorDataType from 1.
const KINDS: [&str; 12] = [
    "other",
    "unknown",
    "volts-AC",
    "volts-DC",
    "amperes",
    "watts",
    "hertz",
    "celsius",
    "percent-RH",
    "rpm",
    "cmm",
    "truth-value",
];
/// EntitySensorDataScale from 1. RFC 8348 has the numbers of `peta` and `exa` the other way round.
const SCALES: [&str; 17] = [
    "yocto", "zepto", "atto", "femto", "pico", "nano", "micro", "milli", "units", "kilo", "mega", "giga",
    "tera", "exa", "peta", "zetta", "yotta",
];
/// EntitySensorStatus from 1.
const STATUSES: [&str; 3] = ["ok", "unavailable", "nonoperational"];

static PARTS: Reads = Reads {
    table: "entPhysicalTable",
    columns: &[
        DESCRIPTION,
        CONTAINED_IN,
        CLASS,
        PLACE,
        NAME,
        HARDWARE_REVISION,
        FIRMWARE_REVISION,
        SERIAL,
        MAKER,
        MODEL_NAME,
        ASSET,
        IS_FRU,
        UUID,
    ],
};
const DESCRIPTION: u32 = 2;
const CONTAINED_IN: u32 = 4;
const CLASS: u32 = 5;
const PLACE: u32 = 6;
const NAME: u32 = 7;
const HARDWARE_REVISION: u32 = 8;
const FIRMWARE_REVISION: u32 = 9;
const SERIAL: u32 = 11;
const MAKER: u32 = 12;
const MODEL_NAME: u32 = 13;
const ASSET: u32 = 15;
const IS_FRU: u32 = 16;
const UUID: u32 = 19;
const TEXTS: [(u32, &str); 6] = [
    (HARDWARE_REVISION, "hardware-rev"),
    (FIRMWARE_REVISION, "firmware-rev"),
    (SERIAL, "serial-num"),
    (MAKER, "mfg-name"),
    (MODEL_NAME, "model-name"),
    (ASSET, "asset-id"),
];

static SENSORS: Reads =
    Reads { table: "entPhySensorTable", columns: &[KIND, SCALE, PRECISION, VALUE, STATUS, UNITS, RATE] };
const KIND: u32 = 1;
const SCALE: u32 = 2;
const PRECISION: u32 = 3;
const VALUE: u32 = 4;
const STATUS: u32 = 5;
const UNITS: u32 = 6;
const RATE: u32 = 8;

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;
    use trunkline_yang::forest::Forest;
    use trunkline_yang::instances::Instances;
    use trunkline_yang::own::ALL;
    use trunkline_yang::selection::Wanted;

    use super::*;

    #[test]
    fn a_sensor_is_in_its_chassis() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let root = forest.child(None, "hardware").unwrap();
        let octets = |octets: &[u8]| Some(Value::OctetString(octets.to_vec()));
        let integer = |number| Some(Value::Integer(number));
        let part = |name: &str, within, class, uuid: &[u8]| {
            let empty = || octets(b"");
            vec![
                octets(b"about"),
                integer(within),
                integer(class),
                integer(0),
                octets(name.as_bytes()),
                empty(),
                empty(),
                octets(b"S1"),
                empty(),
                empty(),
                empty(),
                integer(2),
                octets(uuid),
            ]
        };
        let mut rows = Rows::default();
        let all = [(vec![1], part("chassis", 0, 3, &[0xab; 16])), (vec![2], part("hot", 1, 8, b""))];
        rows.add(&PARTS, all.into());
        let sensor = vec![
            integer(8),
            integer(8),
            integer(0),
            integer(-41_500),
            integer(1),
            octets(b"C"),
            Some(Value::Unsigned32(0)),
        ];
        rows.add(&SENSORS, [(vec![2], sensor)].into());
        let mut made = Made::begin(&forest, root, &Wanted::All);
        make(&rows, None, &mut made);
        let made = made.end();
        let leaf = |id| {
            let node = made.node(id)?;
            forest[node].place.syntax().map(|_| format!("{}={}", forest[node].name, made.value(id)))
        };
        let leaves: Vec<String> = made.below(Instances::ROOT).filter_map(leaf).collect();
        let expected = "name=chassis class=ianahw:chassis physical-index=1 description=about contains-child=hot serial-num=S1 \
                        is-fru=false uuid=abababab-abab-abab-abab-abababababab \
                        name=hot class=ianahw:sensor physical-index=2 description=about parent=chassis parent-rel-pos=0 serial-num=S1 \
                        is-fru=false value=-41500 value-type=celsius value-scale=milli value-precision=0 oper-status=ok \
                        units-display=C value-update-rate=0";
        assert_eq!(leaves.join(" "), expected);
    }
}
