//! /sys: what the machine is made of. Serial numbers and the UUID of the chassis are for root alone; where they cannot be read they are
//! empty.

use trunkline_smi::module::entity_mib::CLASSES;

use super::SourceRoot;
use super::procfs::block::{disks, folders, word_text};
use super::procfs::lines;

/// A part of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name, by which it is known as long as the agent runs.
    pub name: String,
    /// The name of the part that it is in; empty: of none.
    pub within: String,
    /// IANAPhysicalClass.
    pub class: i32,
    pub description: String,
    pub maker: String,
    pub model: String,
    pub serial: String,
    /// Revisions of hardware and firmware.
    pub revisions: [String; 2],
    pub asset: String,
    pub uuid: Vec<u8>,
    pub is_replaceable: bool,
    /// What it measures, if it is a sensor.
    pub sensor: Option<Sensor>,
}

/// A sensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensor {
    /// EntitySensorDataType.
    pub kind: i32,
    /// EntitySensorDataScale.
    pub scale: i32,
    /// What the chip's driver or the machine's maker calls it; without that, its channel.
    pub label: String,
    /// The file with its value, below the root.
    file: String,
    /// The file that says whether it is broken.
    fault: String,
}

/// The name of the part that all others are in.
pub const CHASSIS: &str = "chassis";

/// All parts, each behind the one that it is in.
pub fn parts(root: &SourceRoot) -> Vec<Part> {
    let mut parts = vec![chassis(root)];
    parts.extend(processors(root));
    parts.extend(disks(root).into_iter().map(|disk| drive(root, &disk.name, disk.removable)));
    parts.extend(folders(&root.path(NET)).iter().filter_map(|name| port(root, name)));
    parts.extend(folders(&root.path(POWER)).iter().filter_map(|name| power(root, name)));
    for folder in folders(&root.path(HWMON)) {
        monitor(root, &folder, &mut parts);
    }
    parts.extend(folders(&root.path(THERMAL)).iter().filter_map(|name| zone(root, name)));
    parts.truncate(MOST_PARTS);
    parts
}

fn text(root: &SourceRoot, file: &str) -> String {
    let mut text = word_text(&root.read_or_empty(file));
    // A table's text has at most 255 octets.
    while text.len() > 255 {
        text.pop();
    }
    // What makers leave blank.
    let is_nothing = ["To Be Filled By O.E.M.", "Default string", "Not Specified", "None"];
    if is_nothing.iter().any(|it| it.eq_ignore_ascii_case(&text)) { String::new() } else { text }
}

fn class(name: &str) -> i32 {
    CLASSES.iter().find(|(_, known)| *known == name).map_or(1, |(number, _)| *number)
}

fn part(class_name: &str, name: String) -> Part {
    Part { name, within: CHASSIS.into(), class: class(class_name), ..Part::default() }
}

fn chassis(root: &SourceRoot) -> Part {
    let of = |file: &str| text(root, &format!("{DMI}/{file}"));
    let uuid: String = of("product_uuid").chars().filter(char::is_ascii_hexdigit).collect();
    let uuid: Vec<u8> =
        (0..uuid.len() / 2).filter_map(|at| u8::from_str_radix(&uuid[2 * at..2 * at + 2], 16).ok()).collect();
    // Without DMI the device tree may name the machine.
    let tree = text(root, "sys/firmware/devicetree/base/model").replace('\0', "");
    let model = Some(of("product_name")).filter(|name| !name.is_empty()).unwrap_or(tree);
    Part {
        within: String::new(),
        description: [of("sys_vendor"), model.clone()].join(" ").trim().to_owned(),
        maker: of("sys_vendor"),
        model,
        serial: of("product_serial"),
        revisions: [of("product_version"), of("bios_version")],
        asset: of("chassis_asset_tag"),
        uuid: if uuid.len() == 16 { uuid } else { Vec::new() },
        ..part("chassis", CHASSIS.into())
    }
}

/// One for each package, which has several processors of the kernel.
fn processors(root: &SourceRoot) -> Vec<Part> {
    let information = root.read_or_empty("proc/cpuinfo");
    let value = |key: &str| {
        let mut found = lines(&information).filter_map(|line| {
            let line = String::from_utf8_lossy(line).into_owned();
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        });
        found.next().unwrap_or_default()
    };
    let is_processor = |name: &&String| name.strip_prefix("cpu").is_some_and(|it| it.parse::<u32>().is_ok());
    let names = folders(&root.path(CPU));
    let package =
        |name: &String| root.read_number(format!("{CPU}/{name}/topology/physical_package_id")).unwrap_or(0);
    let mut packages: Vec<u64> = names.iter().filter(is_processor).map(package).collect();
    packages.sort_unstable();
    packages.dedup();
    let model = value("model name");
    let one = |package: u64| Part {
        description: model.clone(),
        maker: value("vendor_id"),
        model: model.clone(),
        ..part("cpu", format!("cpu{package}"))
    };
    packages.into_iter().map(one).collect()
}

fn drive(root: &SourceRoot, name: &str, is_replaceable: bool) -> Part {
    let of = |file: &str| text(root, &format!("sys/block/{name}/device/{file}"));
    let first = |files: [&str; 2]| files.into_iter().map(of).find(|it| !it.is_empty()).unwrap_or_default();
    Part {
        description: first(["model", "name"]),
        maker: of("vendor"),
        model: first(["model", "name"]),
        serial: of("serial"),
        revisions: [String::new(), first(["firmware_rev", "rev"])],
        is_replaceable,
        ..part("storageDrive", name.to_owned())
    }
}

/// Interfaces that devices stand behind.
fn port(root: &SourceRoot, name: &str) -> Option<Part> {
    let folder = format!("{NET}/{name}");
    root.path(format!("{folder}/device"))
        .exists()
        .then(|| Part { description: format!("network interface {name}"), ..part("port", name.to_owned()) })
}

fn power(root: &SourceRoot, name: &str) -> Option<Part> {
    let of = |file: &str| text(root, &format!("{POWER}/{name}/{file}"));
    let kind = of("type");
    (!kind.is_empty()).then(|| Part {
        description: kind.clone(),
        maker: of("manufacturer"),
        model: of("model_name"),
        serial: of("serial_number"),
        ..part(if kind == "Battery" { "battery" } else { "powerSupply" }, name.to_owned())
    })
}

/// The sensors of a chip, and the fans whose speed it measures.
fn monitor(root: &SourceRoot, folder: &str, parts: &mut Vec<Part>) {
    let chip = format!("{HWMON}/{folder}");
    let name = text(root, &format!("{chip}/name"));
    for file in folders(&root.path(&chip)) {
        let Some(channel) = file.strip_suffix("_input") else { continue };
        let kind = channel.trim_end_matches(|it: char| it.is_ascii_digit());
        let Some((_, kind, scale)) = KINDS.iter().find(|(prefix, ..)| *prefix == kind) else { continue };
        let known = format!("{folder}-{channel}");
        let label = text(root, &format!("{chip}/{channel}_label"));
        let label = if label.is_empty() { channel.to_owned() } else { label };
        let description = [name.as_str(), &label].join(" ");
        let sensor = Sensor {
            label,
            kind: *kind,
            scale: *scale,
            file: format!("{chip}/{file}"),
            fault: format!("{chip}/{channel}_fault"),
        };
        let description = description.trim().to_owned();
        let mut measured = Part { description, sensor: Some(sensor), ..part("sensor", known.clone()) };
        if channel.starts_with("fan") {
            let fan = format!("{known}-fan");
            parts.push(Part { description: measured.description.clone(), ..part("fan", fan.clone()) });
            measured.within = fan;
        }
        parts.push(measured);
    }
}

/// Zones whose sensor does not belong to a chip.
fn zone(root: &SourceRoot, name: &str) -> Option<Part> {
    let folder = format!("{THERMAL}/{name}");
    let is_chip = folders(&root.path(&folder)).iter().any(|it| it.starts_with("hwmon"));
    let has = root.path(format!("{folder}/temp")).exists() && !is_chip;
    let description = text(root, &format!("{folder}/type"));
    let (label, file, fault) = (description.clone(), format!("{folder}/temp"), String::new());
    let sensor = Sensor { kind: CELSIUS, scale: MILLI, label, file, fault };
    has.then(|| Part { description, sensor: Some(sensor), ..part("sensor", name.to_owned()) })
}

/// What sensors are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A temperature, in thousandths of a degree Celsius.
    Temperature,
    /// The speed of a fan, in revolutions per minute.
    Fan,
    /// A voltage, in thousandths of a volt.
    Voltage,
    /// Anything else.
    Other,
}

impl Sensor {
    /// What it is for.
    pub fn measure(&self) -> Measure {
        match self.kind {
            CELSIUS => Measure::Temperature,
            RPM => Measure::Fan,
            VOLTS => Measure::Voltage,
            _ => Measure::Other,
        }
    }

    /// The number in its file now; `None`: it is broken, or cannot be read.
    pub fn raw(&self, root: &SourceRoot) -> Option<i64> {
        let is_broken = root.read_number(&self.fault) == Some(1);
        word_text(&root.read_or_empty(&self.file)).parse().ok().filter(|_| !is_broken)
    }

    /// What it measures now, with the scale of that; or its EntitySensorStatus.
    pub fn read(&self, root: &SourceRoot) -> Result<(i32, i32), i32> {
        if root.read_number(&self.fault) == Some(1) {
            return Err(NONOPERATIONAL);
        }
        let text = word_text(&root.read_or_empty(&self.file));
        let mut value: i64 = text.parse().map_err(|_| UNAVAILABLE)?;
        let mut scale = self.scale;
        // The tables have at most a milliard, and each scale is a thousand of the one before.
        while value.abs() > MOST_VALUE {
            value /= 1000;
            scale += 1;
        }
        i32::try_from(value).map(|value| (value, scale)).map_err(|_| UNAVAILABLE)
    }
}

/// What hwmon's files measure: the beginning of their names, EntitySensorDataType and EntitySensorDataScale.
const KINDS: [(&str, i32, i32); 6] = [
    ("temp", CELSIUS, MILLI),
    ("fan", RPM, UNITS),
    ("in", VOLTS, MILLI),
    ("curr", 5, MILLI),
    ("power", 6, MICRO),
    ("humidity", 9, MILLI),
];
const VOLTS: i32 = 4;
const CELSIUS: i32 = 8;
const RPM: i32 = 10;
const MICRO: i32 = 7;
const MILLI: i32 = 8;
const UNITS: i32 = 9;
/// EntitySensorStatus.
const UNAVAILABLE: i32 = 2;
const NONOPERATIONAL: i32 = 3;
const MOST_VALUE: i64 = 1_000_000_000;
/// Parts of one machine.
const MOST_PARTS: usize = 10_000;

const DMI: &str = "sys/class/dmi/id";
const CPU: &str = "sys/devices/system/cpu";
const NET: &str = "sys/class/net";
const POWER: &str = "sys/class/power_supply";
const HWMON: &str = "sys/class/hwmon";
const THERMAL: &str = "sys/class/thermal";
