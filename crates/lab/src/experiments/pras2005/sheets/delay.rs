//! Table II: round trip delay, beside all of the paper's agents.

use crate::experiments::pras2005::paper::{TABLE_2, TABLE_2_OBJECTS};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::report::figure::{Figure, Scale};
use trunkline_labkit::trial::Trials;

use super::super::{DELAY, OURS};
use super::lines::{self, Series, drawing};

/// Table II: ours beside the paper's best and its web services; then the paper's agents as printed.
pub(super) fn table_2(trials: &Trials) -> Sheet {
    let mut sheet = Sheet::by_objects(
        "pras2005/table-2",
        "round trip delay (ms), the minimum of ten, and the median",
        &objects(),
    )
    .without_ratios();
    sheet.note = "SNMP: one GetBulk. Web services: the same number of objects over a connection that is there, from the first octet sent to \
                  the last received. The minimum of ten, as in the paper: of every ten the minimum, of which the median is taken. Ours by the \
                  agent's loopback, the paper's over Ethernet; of its 23 SNMP agents SNMP-1 is compared with ours, all are listed below. Of the \
                  paper's WS much is delayed acknowledgement: an answer of several segments waited for one, up to 40 ms on Linux, \
                  before the last could go (Nagle's algorithm). Our agent sends without delay, so that no segment waits. With zlib ours \
                  compresses at level 1, gSOAP's server at level 6. gSOAP's server, if it was built, answers for 270 objects alone, with \
                  rows made at its start: it retrieves nothing and checks no access, so its delay is less than that of the paper's. The \
                  paper's web services are compared with its own encoding."
        .into();
    let paper = |name: &str| -> Vec<Option<f64>> {
        TABLE_2.iter().find(|line| line.agent == name).map_or(vec![], |line| line.milliseconds.to_vec())
    };
    for series in all(trials) {
        let beside = beside(&series);
        let label = beside.map_or_else(|| series.clone(), |name| format!("{series} (paper: {name})"));
        let paper = beside.map_or_else(Vec::new, paper);
        sheet.estimates(&label, &paper, &row(trials, &series, Quantity::DelayNs, Readings::least_of_ten));
        let medians = row(trials, &series, Quantity::DelayNs, Readings::median_of_tens);
        sheet.estimates(format!("{label}, median"), &[], &medians);
    }
    sheet.drawings.extend(drawn(trials));
    for line in TABLE_2 {
        sheet.row(format!("paper: {}", line.agent), &line.milliseconds, &[], 0);
    }
    sheet
}

/// Our delays and those of the paper's best agent and web services.
fn drawn(trials: &Trials) -> Option<(Figure, String)> {
    let series = all(trials).into_iter().filter(|series| !series.contains("zlib"));
    let ours = series.map(|series| {
        let least = row(trials, &series, Quantity::DelayNs, Readings::least_of_ten);
        Series::estimated(series, &objects(), &least)
    });
    let papers = [("SNMP-1", "SNMP-1"), ("WS", "web services")].into_iter().filter_map(|(agent, name)| {
        let line = TABLE_2.iter().find(|line| line.agent == agent)?;
        let points = objects().into_iter().zip(line.milliseconds).filter_map(|(at, ms)| Some((at, ms?)));
        Some(Series::told(name, points))
    });
    let caption =
        "Round trip delay, the minimum of ten, without compression. Grey: the paper's, over Ethernet.";
    drawing(caption, lines::OBJECTS, ("round trip delay (ms)", Scale::Log), ours.chain(papers).collect())
}

/// Section VI: "the first SNMP measurement often takes considerable more time than subsequent measurements".
pub(super) fn first(trials: &Trials) -> Sheet {
    let mut sheet = Sheet::by_objects(
        "pras2005/first",
        "the first request of a session, by the median of the ten after it (section VI)",
        &objects(),
    );
    sheet.note = "The paper says that the first measurement often takes considerably more time, without a figure. Here each session has \
                  eleven requests, of which table II has the last ten; the agents run all the time, so that what is first is the \
                  session's request, not the agent's."
        .into();
    for series in all(trials) {
        sheet.estimates(&series, &[], &first_over_others(trials, &series));
    }
    sheet
}

/// The first delay of a session by the median of the others, for each number of objects.
pub(super) fn first_over_others(trials: &Trials, series: &str) -> Vec<Option<Estimate>> {
    let first = row(trials, series, Quantity::FirstDelayNs, Readings::median_estimate);
    let others = row(trials, series, Quantity::DelayNs, Readings::median_of_tens);
    super::coding::over(&first, &others)
}

/// Estimates in milliseconds, for each number of objects of table II.
pub(super) fn row(
    trials: &Trials,
    series: &str,
    quantity: Quantity,
    estimate: fn(&Readings) -> Option<Estimate>,
) -> Vec<Option<Estimate>> {
    let of = |&count: &u32| Some(&estimate(&trials.read(DELAY, series, count, quantity))? / 1e6);
    objects().iter().map(of).collect()
}

fn objects() -> [u32; 4] {
    TABLE_2_OBJECTS.map(|it| it as u32)
}

/// The series in the order of the table: they were measured in an order that was drawn.
fn all(trials: &Trials) -> Vec<String> {
    let mut all = trials.series(DELAY, Quantity::DelayNs);
    all.sort_by_key(|series| (series != OURS, series.starts_with("gSOAP"), is_web(series), series.clone()));
    all
}

/// The paper's agent that a series stands beside: its web services beside its own encoding.
fn beside(series: &str) -> Option<&'static str> {
    match (is_web(series), series.contains("as-in-paper") || series.starts_with("gSOAP")) {
        (false, _) => Some("SNMP-1"),
        (true, false) => None,
        (true, true) if series.ends_with("zlib") => Some("WS-Comp"),
        (true, true) => Some("WS"),
    }
}

fn is_web(series: &str) -> bool {
    series.starts_with("WS") || series.starts_with("gSOAP")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_web_services_stand_beside_its_own_encoding_only() {
        let all = ["trunklined", "WS as-in-paper", "WS typed, zlib", "gSOAP, zlib"].map(beside);
        assert_eq!(all, [Some("SNMP-1"), Some("WS"), None, Some("WS-Comp")]);
    }
}
