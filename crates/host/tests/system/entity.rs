//! ENTITY-MIB and ENTITY-SENSOR-MIB of a machine that is made up.

use std::fs;
use std::path::Path;
use std::time::Instant;

use trunkline_host::{HostOptions, SourceRoot};
use trunkline_smi::module::entity_mib as mib;
use trunkline_smi::module::lm_sensors_mib::{
    LM_FAN_SENSORS_TABLE, LM_MISC_SENSORS_TABLE, LM_TEMP_SENSORS_TABLE, LM_VOLT_SENSORS_TABLE,
};
use trunkline_smi::schema::Table;

use crate::flat::{load_group, table_lines};

fn machine(root: &Path) {
    for (file, text) in [
        ("proc/cpuinfo", "processor\t: 0\nvendor_id\t: Maker\nmodel name\t: Fast 1\n\nprocessor\t: 1\n"),
        ("sys/class/dmi/id/sys_vendor", "Acme\n"),
        ("sys/class/dmi/id/product_name", "Box 9\n"),
        ("sys/class/dmi/id/product_version", "Not Specified\n"),
        ("sys/class/dmi/id/product_serial", "S-1\n"),
        ("sys/class/dmi/id/product_uuid", "03000200-0400-0500-0006-000700080009\n"),
        ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
        ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n"),
        ("sys/devices/system/cpu/cpufreq/x", "0\n"),
        ("sys/block/sda/device/model", "Disk\n"),
        ("sys/block/sda/device/rev", "2.5\n"),
        ("sys/block/sda/removable", "1\n"),
        ("sys/block/loop0/size", "1\n"),
        ("sys/class/net/eth0/device/vendor", "0x1\n"),
        ("sys/class/net/lo/mtu", "1\n"),
        ("sys/class/power_supply/BAT0/type", "Battery\n"),
        ("sys/class/hwmon/hwmon0/name", "chip\n"),
        ("sys/class/hwmon/hwmon0/temp1_input", "-41500\n"),
        ("sys/class/hwmon/hwmon0/temp1_label", "inlet\n"),
        ("sys/class/hwmon/hwmon0/temp2_input", "1\n"),
        ("sys/class/hwmon/hwmon0/temp2_fault", "1\n"),
        ("sys/class/hwmon/hwmon0/fan1_input", "900\n"),
        ("sys/class/hwmon/hwmon0/power1_input", "4000000000\n"),
        ("sys/class/hwmon/hwmon0/in0_input", "\n"),
        ("sys/class/hwmon/hwmon0/pwm1", "9\n"),
        ("sys/class/thermal/thermal_zone0/temp", "30000\n"),
        ("sys/class/thermal/thermal_zone0/type", "acpitz\n"),
        ("sys/class/thermal/thermal_zone1/temp", "1\n"),
        ("sys/class/thermal/thermal_zone1/hwmon0/name", "chip\n"),
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_machine_is_its_parts_and_what_they_measure() {
    let folder = tempfile::tempdir().unwrap();
    machine(folder.path());
    let options = HostOptions::new(SourceRoot::recording(folder.path()), Instant::now());
    let parts = table_lines(&load_group(&options, "entities"), &mib::ENT_PHYSICAL_TABLE);
    let names = [
        "chassis",
        "cpu0",
        "sda",
        "eth0",
        "BAT0",
        "hwmon0-fan1-fan",
        "hwmon0-fan1",
        "hwmon0-in0",
        "hwmon0-power1",
        "hwmon0-temp1",
        "hwmon0-temp2",
        "thermal_zone0",
    ];
    assert_eq!(parts.len(), names.len(), "{parts:#?}");
    for (line, name) in parts.iter().zip(names) {
        assert!(line.contains(name), "{name}: {line}");
    }
    for (at, part) in [(0, "Acme Box 9"), (0, "S-1"), (1, "Fast 1"), (2, "2.5"), (9, "chip inlet")] {
        assert!(parts[at].contains(part), "{part}: {}", parts[at]);
    }
    let within = table_lines(&load_group(&options, "entities"), &mib::ENT_PHYSICAL_CONTAINS_TABLE);
    assert_eq!(within.len(), names.len() - 1, "{within:#?}");
    let sensors = table_lines(&load_group(&options, "entity-sensors"), &mib::ENT_PHY_SENSOR_TABLE);
    assert_eq!(sensors.len(), 6, "{sensors:#?}");
    // LM-SENSORS-MIB has the same sensors, as Net-SNMP words them. One that is broken or says nothing has no row.
    let shown = |table: &Table| table_lines(&load_group(&options, "lm-sensors"), table);
    let temperatures = [r#"1 1 "inlet" 4294925796"#, r#"3 3 "acpitz" 30000"#];
    assert_eq!(shown(&LM_TEMP_SENSORS_TABLE), temperatures);
    assert_eq!(shown(&LM_FAN_SENSORS_TABLE), [r#"1 1 "fan1" 900"#]);
    assert_eq!(shown(&LM_VOLT_SENSORS_TABLE), [""; 0]);
    assert_eq!(shown(&LM_MISC_SENSORS_TABLE), [r#"1 1 "power1" 4000000000"#]);
    // A machine that shows nothing is a chassis.
    let empty = tempfile::tempdir().unwrap();
    let options = HostOptions::new(SourceRoot::recording(empty.path()), Instant::now());
    assert_eq!(table_lines(&load_group(&options, "entities"), &mib::ENT_PHYSICAL_TABLE).len(), 1);
    assert_eq!(table_lines(&load_group(&options, "entity-sensors"), &mib::ENT_PHY_SENSOR_TABLE).len(), 0);
}
