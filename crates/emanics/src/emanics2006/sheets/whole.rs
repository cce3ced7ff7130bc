//! Selection in five places, and by the filters of NETCONF (section 5).

use std::collections::BTreeSet;

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::picked::over;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::lines::{Series, drawing};
use super::{MS, WHOLE, mean, median};
use crate::emanics2006::whole::{FINISHED, Place, SELECTED, SUBTREE, XPATH};

/// What a selection takes in each place, by the size of the table.
pub(super) fn sheets(trials: &Trials) -> Vec<Sheet> {
    let title = "delay of a selection, by rows of the table (ms; section 5)";
    let mut delays = by_size(trials, WHOLE, title, Quantity::DelayNs, MS);
    let (selected, texts) = (selected(trials), texts());
    delays.note = format!(
        "The interfaces of local routes of inetCidrRouteTable{selected}; rows are all of the table, static routes and those of the place. In kept sessions without protection: SNMPv2c over UDP, SOAP over HTTP (the whole table in lists of values, what is \
                   selected at the agent as typed elements), NETCONF over TCP. Selected at the agent: SelectTables of section 5, by its filter. XPath over the finished SOAP body: the agent writes the answer to GetInetCidrRouteTable whole, libxml2 reads \
                   its text and evaluates the expression, and the selected elements are sent. Sizes one after another, the places in turn. The \
                   deliverable has no figures here: it says that selecting before the SOAP body is made beats XPath over the finished one. {texts}"
    );
    let sizes = trials.places(WHOLE, Quantity::DelayNs);
    let line = |place: Place| {
        Series::estimated(place.name(), &sizes, &row(trials, place, &sizes, Quantity::DelayNs, MS))
    };
    delays.drawings.extend(drawing("The delay of a selection.", "rows", "ms", Place::ALL.map(line).into()));
    let title = "octets on the link, with the headers of IP (section 5)";
    let mut octets = by_size(trials, "emanics2006/selected-octets", title, Quantity::IpOctets, 1.0);
    octets.note =
        "Of request and answer together: medians, as a repeated request is in the octets of its repetition."
            .into();
    let title = "processor time of the agent (ms; section 5)";
    let mut cpu = by_size(trials, "emanics2006/selected-cpu", title, Quantity::AgentCpuNs, MS);
    cpu.note = "Of the whole process, so that what it does beside is in it.".into();
    let title = "memory that the agent takes meanwhile (KB; section 5)";
    let mut memory = by_size(trials, "emanics2006/selected-memory", title, Quantity::Dynamic, 1024.0);
    memory.note = "The most that trunklined-lab's allocator has given out during the selection, to libxml2 too, beyond what it had before.".into();
    vec![delays, octets, cpu, memory]
}

/// How many rows are selected, at every size.
fn selected(trials: &Trials) -> String {
    let sizes = trials.places(WHOLE, Quantity::Instances).into_iter();
    let counts: BTreeSet<u64> = sizes
        .flat_map(|size| {
            Place::ALL.map(|place| trials.read(WHOLE, place.name(), size, Quantity::Instances).mean())
        })
        .flatten()
        .map(|count| count as u64)
        .collect();
    match (counts.first(), counts.last()) {
        (Some(least), Some(most)) if least == most => format!(", {least} at every size"),
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        _ => String::new(),
    }
}

/// What selects, as it is sent.
fn texts() -> String {
    let xpath = FINISHED.trim_start_matches("/soap?xpath=").replace("%5B", "[").replace("%5D", "]");
    format!(
        "Filter of SelectTables: `{SELECTED}`. XPath over the finished body: `{xpath}`. NETCONF: `{SUBTREE}` and `{XPATH}`; the latter has contains() so that it is \
         evaluated over all rows, while a path with an equality is read as what the subtree filter asks."
    )
}

/// `of 10035 rows, 35 selected`: the largest table.
pub(super) fn largest(trials: &Trials) -> Option<String> {
    let most = *trials.places(WHOLE, Quantity::Instances).last()?;
    let wanted = trials.read(WHOLE, Place::Agent.name(), most, Quantity::Instances).mean()?;
    Some(format!("of {most} rows, {wanted:.0} of them selected"))
}

fn row(trials: &Trials, place: Place, sizes: &[u32], quantity: Quantity, unit: f64) -> Vec<Option<Estimate>> {
    let middle = if quantity == Quantity::IpOctets { median } else { mean };
    sizes.iter().map(|&size| middle(trials, WHOLE, place.name(), size, quantity, unit)).collect()
}

fn by_size(trials: &Trials, id: &str, title: &str, quantity: Quantity, unit: f64) -> Sheet {
    let sizes = trials.places(WHOLE, Quantity::DelayNs);
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size} rows")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, title, &columns);
    for place in Place::ALL {
        sheet.estimates(place.name(), &[], &row(trials, place, &sizes, quantity, unit));
    }
    sheet
}

/// A figure of XPath over the finished body as a multiple of that of selection before it is made, of the largest table.
pub(super) fn document_over_agent(trials: &Trials, quantity: Quantity) -> Option<Estimate> {
    let most = *trials.places(WHOLE, quantity).last()?;
    let of = |place: Place| mean(trials, WHOLE, place.name(), most, quantity, 1.0);
    over(of(Place::Document).as_ref(), of(Place::Agent).as_ref())
}
