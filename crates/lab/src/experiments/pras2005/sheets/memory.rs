//! Table I: memory.

use crate::experiments::pras2005::memory::{MANY, SINGLE, SNMPD};
use crate::experiments::pras2005::paper::{MemoryLine, TABLE_1, told};
use crate::experiments::pras2005::services::{Form, GSOAP, of_web};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::super::{MEMORY, OURS};
use super::services::of_papers_encoding;

/// Table I.
pub(super) fn table_1(trials: &Trials) -> Sheet {
    let columns = [
        "instructions in the file (kB)",
        "instructions resident (kB)",
        "static data (kB)",
        "dynamic, 1 object (kB)",
        "dynamic, 270 objects (kB)",
        "of these kept (kB)",
    ];
    let mut sheet = Sheet::new("pras2005/table-1", "memory requirements", &columns).without_ratios();
    sheet.note = "kB of 1000 octets. Instructions in the file: what the program has (shared libraries not, which Net-SNMP's agent keeps \
                  nearly all of its instructions in); resident: what of all of it was in memory. Static: resident pages that may be \
                  written, of an agent that has just started and was asked nothing. Dynamic: the most that the allocator had given out \
                  during a request beyond what it had before the first one (trunklined-lab, an agent for each cell): data, buffers, the \
                  answer. Kept: what of that the agent still holds after 270 objects, for the next request; the paper's dynamic memory is released after a response, so that \
                  what compares with it is dynamic memory without what is kept. Of other agents both are not \
                  known. One process of ours speaks SNMP and SOAP. Compression: ours at level 1; the paper says that it adds more than \
                  300 kB to an operation, so 304 stands there. trunklined unmaps the code of its start once it is over (decision \
                  0049), others keep such code resident."
        .into();
    let once = |program: &str, quantity| once(trials, program, quantity);
    let line = |program: &str, way: &str| {
        [
            once(program, Quantity::Text),
            once(program, Quantity::Instructions),
            once(program, Quantity::Static),
            dynamic(trials, way, SINGLE, Quantity::Dynamic),
            dynamic(trials, way, MANY, Quantity::Dynamic),
            dynamic(trials, way, MANY, Quantity::Kept),
        ]
    };
    let [snmp, services] = TABLE_1;
    let of_paper = |it: MemoryLine, more: f64| {
        let (least, most) = it.dynamic_data;
        [Some(it.instructions), None, Some(it.static_data), Some(least + more), Some(most + more)]
    };
    sheet.estimates("SNMP: trunklined", &of_paper(snmp, 0.0), &line(OURS, OURS));
    sheet.estimates("SNMP: snmpd", &of_paper(snmp, 0.0), &line(SNMPD, SNMPD));
    for form in Form::ALL {
        for (zlib, more) in [(false, 0.0), (true, told::COMPRESSION_MEMORY)] {
            let series = of_web(form, zlib);
            let paper = of_papers_encoding(form, of_paper(services, more).into());
            sheet.estimates(format!("{series}: trunklined"), &paper, &line(OURS, &series));
        }
        let paper = of_papers_encoding(
            form,
            vec![None, None, None, Some(told::COMPRESSION_MEMORY), Some(told::COMPRESSION_MEMORY)],
        );
        let label = format!("{}: what compression adds", of_web(form, true));
        sheet.estimates(label, &paper, &added(trials, form));
    }
    if trials.series(MEMORY, Quantity::Text).iter().any(|series| series == GSOAP) {
        sheet.estimates("WS: gSOAP", &of_paper(services, 0.0), &line(GSOAP, GSOAP));
    }
    sheet
}

/// What compression adds to the columns of dynamic memory.
fn added(trials: &Trials, form: Form) -> [Option<Estimate>; 6] {
    let more = |at, quantity| {
        let [with, without] = [true, false].map(|zlib| dynamic(trials, &of_web(form, zlib), at, quantity));
        Some(&with? - &without?)
    };
    let (single, many) = (more(SINGLE, Quantity::Dynamic), more(MANY, Quantity::Dynamic));
    [None, None, None, single, many, more(MANY, Quantity::Kept)]
}

/// Dynamic memory of many objects without what is kept for the next request, kB: what is released after the answer.
pub(super) fn released(trials: &Trials, way: &str) -> Option<Estimate> {
    let [most, kept] = [Quantity::Dynamic, Quantity::Kept].map(|it| dynamic(trials, way, MANY, it));
    Some(&most? - &kept?)
}

/// What a program was measured to have once, kB.
pub(super) fn once(trials: &Trials, program: &str, quantity: Quantity) -> Option<Estimate> {
    let octets = trials.read(MEMORY, program, 0, quantity).median()?;
    Some(Estimate::exact(octets / 1000.0))
}

/// A median of an agent's memory, kB.
fn dynamic(trials: &Trials, series: &str, at: u32, quantity: Quantity) -> Option<Estimate> {
    Some(&trials.read(MEMORY, series, at, quantity).median_estimate()? / 1000.0)
}
