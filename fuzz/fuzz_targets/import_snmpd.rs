//! Converting Net-SNMP's configuration: any text is read to its end, and the output is a configuration that the
//! agent accepts.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use trunkline_netsnmp::{Surroundings, import_text};

fuzz_target!(|text: &str| {
    let resolve = |_: &str| vec![[192, 0, 2, 1].into()];
    let surroundings =
        Surroundings { resolve: &resolve, extra: Vec::new(), listen: Vec::new(), title: String::new() };
    let imported = import_text("snmpd.conf", text, &surroundings);
    let plan = trunkline_config::parse(Path::new("imported.toml"), &imported.toml);
    assert!(plan.is_ok(), "{:?}\n{}", plan.err(), imported.toml);
});
