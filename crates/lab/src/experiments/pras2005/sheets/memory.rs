//! Table I: memory.

use crate::experiments::pras2005::memory::{MANY, SINGLE, SNMPD};
use crate::experiments::pras2005::paper::{TABLE_1, told};
use crate::kit::findings::Sheet;
use crate::kit::reading::Quantity;
use crate::kit::trial::Trials;

use super::super::{MEMORY, OURS};

/// Table I.
pub(super) fn table_1(trials: &Trials) -> Sheet {
    let columns = [
        "instructions in the file (kB)",
        "instructions resident (kB)",
        "static data (kB)",
        "dynamic, 1 object (kB)",
        "dynamic, 270 objects (kB)",
    ];
    let mut sheet = Sheet::new("pras2005/table-1", "memory requirements", &columns);
    sheet.note = "kB of 1000 octets. Instructions in the file: what the program has (shared libraries not, which Net-SNMP's agent keeps \
                  nearly all of its instructions in); resident: what of all of it was in memory. Static: resident pages that may be \
                  written, before the load of other parts. Dynamic: what the agent's allocator gave out for a request beyond what is \
                  kept from one to the next (trunklined-lab); of others it is not known. One process of ours speaks SNMP and SOAP. Of \
                  compression the paper says that it adds more than 300 kB to the memory of an operation. trunklined unmaps the code of its \
                  start once it is over (decision 0049), others keep such code resident."
        .into();
    let kilo = |figure: Option<f64>| figure.map(|octets| octets / 1000.0);
    let of =
        |series: &str, at: u32, quantity: Quantity| kilo(trials.read(MEMORY, series, at, quantity).median());
    let line = |program: &str, dynamic: &str| {
        [
            of(program, 0, Quantity::Text),
            of(program, 0, Quantity::Instructions),
            of(program, 0, Quantity::Static),
            of(dynamic, SINGLE, Quantity::Dynamic),
            of(dynamic, MANY, Quantity::Dynamic),
        ]
    };
    let [snmp, services] = TABLE_1;
    let of_paper = |it: crate::experiments::pras2005::paper::MemoryLine| {
        [Some(it.instructions), None, Some(it.static_data), Some(it.dynamic_data.0), Some(it.dynamic_data.1)]
    };
    sheet.row("SNMP: trunklined", &of_paper(snmp), &line(OURS, OURS), 1);
    sheet.row("SNMP: snmpd", &of_paper(snmp), &line(SNMPD, SNMPD), 1);
    let web: Vec<String> = trials
        .series(MEMORY, Quantity::Dynamic)
        .into_iter()
        .filter(|series| series.starts_with("WS "))
        .collect();
    for series in &web {
        sheet.row(format!("{series}: trunklined"), &of_paper(services), &line(OURS, series), 1);
    }
    if web.is_empty() {
        sheet.row("WS: trunklined", &of_paper(services), &line(OURS, "WS"), 1);
    }
    if trials.series(MEMORY, Quantity::Text).iter().any(|series| series == GSOAP) {
        sheet.row("WS: gSOAP", &of_paper(services), &line(GSOAP, GSOAP), 1);
    }
    // Next to the plain answer of the same form.
    for compressed in web.iter().filter(|series| series.ends_with(ZLIB)) {
        let plain = compressed.trim_end_matches(ZLIB);
        let more = |at| {
            let [with, without] = [compressed, plain].map(|series| of(series, at, Quantity::Dynamic));
            Some(with? - without?)
        };
        let paper = Some(told::COMPRESSION_MEMORY);
        let label = format!("{compressed}: what compression adds");
        sheet.row(label, &[None, None, None, paper, paper], &[None, None, None, more(SINGLE), more(MANY)], 1);
    }
    sheet
}

/// The suffix of a compressed answer's series.
const ZLIB: &str = ", zlib";
/// gSOAP's server among the series.
pub(super) const GSOAP: &str = "gSOAP";
