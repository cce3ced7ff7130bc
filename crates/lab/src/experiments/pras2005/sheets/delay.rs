//! Table II: round trip delay, beside all of the paper's agents.

use crate::experiments::pras2005::paper::{TABLE_2, TABLE_2_OBJECTS};
use crate::kit::findings::Sheet;
use crate::kit::reading::Quantity;
use crate::kit::trial::Trials;

use super::super::DELAY;

/// Table II: ours beside the paper's best and its web services; then the paper's agents as printed.
pub(super) fn table_2(trials: &Trials) -> Sheet {
    let objects = TABLE_2_OBJECTS.map(|it| it as u32);
    let mut sheet = Sheet::by_objects(
        "pras2005/table-2",
        "round trip delay (ms), the least of ten, and the median",
        &objects,
    );
    sheet.note = "SNMP: one GetBulk. Web services: the same number of objects over a connection that is there, from the first octet sent to \
                  the last received. `least of ten` as in the paper: of every ten the least, of which the median is taken. Ours by the \
                  agent's loopback, the paper's over Ethernet; of its 23 SNMP agents SNMP-1 stands beside ours, all are below. Of the \
                  paper's WS much is delayed acknowledgement: an answer of several segments waited for one, up to 40 ms on Linux, \
                  before the last could go (Nagle's algorithm). Our agent sends without delay, so that no segment waits. gSOAP's server, \
                  where it was asked, answers with rows made at its start, without zlib, and for 270 objects alone."
        .into();
    let paper = |name: &str| -> Vec<Option<f64>> {
        TABLE_2.iter().find(|line| line.agent == name).map_or(vec![], |line| line.milliseconds.to_vec())
    };
    for series in trials.series(DELAY, Quantity::DelayNs) {
        let readings = objects.map(|count| trials.read(DELAY, &series, count, Quantity::DelayNs));
        let samples = readings.iter().map(crate::kit::reading::Readings::count).min().unwrap_or(0);
        let ms = |figure: Option<f64>| figure.map(|ns| ns / 1e6);
        let beside = match (series.starts_with("WS") || series.starts_with("gSOAP"), series.ends_with("zlib"))
        {
            (true, true) => "WS-Comp",
            (true, false) => "WS",
            (false, _) => "SNMP-1",
        };
        let least = readings.each_ref().map(|it| ms(it.least_of_ten()));
        sheet.row(format!("{series} (paper: {beside})"), &paper(beside), &least, samples);
        let label = format!("{series} (paper: {beside}), median");
        sheet.row(label, &[], &readings.each_ref().map(|it| ms(it.median())), samples);
    }
    for line in TABLE_2 {
        sheet.row(format!("paper: {}", line.agent), &line.milliseconds, &[], 0);
    }
    sheet
}
