//! Table 3 and figures 6 and 7: the browser.

use crate::experiments::ma2005::browser::{FOOTPRINT, Way};
use crate::experiments::ma2005::{FRONT, paper};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::{DOMAINS, SPREAD, distribution, latency_ms, of_ours, of_paper, picked};

/// Table 3.
pub(super) fn table_3(trials: &Trials) -> Sheet {
    let title = "what a browser needs for one get of sysContact, with the page there already and in a browser that was just started";
    let mut sheet = Sheet::new(FRONT, title, &SPREAD);
    sheet.note = "The paper's browser (Mozilla) had a Java applet that spoke SOAP with a servlet (Apache, Tomcat, Axis), which asked \
                  Net-SNMP's agent on the same host; ours (Chromium without a window) has the page of `trunklined`, which answers itself. \
                  An initial load begins with a browser that was just started, logged in and at an empty page, and ends when the \
                  page shows sysContact among all else that it shows; a transaction ends when the value stands in the page. \
                  `HTTP alone` is the part between the start of the (first) request and the end of the (last) answer, as the browser \
                  reports it; the rest is the browser's own. Packets and octets are those of IP on the link, both directions, \
                  acknowledgements that follow later included; the paper counted frames on a hub, and its latency was that of packets. The login, \
                  which the paper did not have, is not included. HTTPS is ours alone."
        .into();
    for is_https in [false, true] {
        for way in Way::ALL {
            let series = way.series(is_https);
            let read = |quantity| trials.read(FRONT, &series, 1, quantity);
            let then = match (way, is_https) {
                (Way::Initial, false) => Some(paper::INITIAL),
                (Way::Soap, false) => Some(paper::PRELOADED),
                _ => None,
            };
            let then = |of: fn(&paper::Front) -> paper::Spread| match &then {
                Some(front) => of_paper(of(front)).to_vec(),
                None => vec![],
            };
            let rows = [
                ("packets", then(|it| it.packets), of_ours(&read(Quantity::Packets).0)),
                ("octets", then(|it| it.octets), of_ours(&read(Quantity::IpOctets).0)),
                ("latency (ms)", then(|it| it.latency), of_ours(&read(Quantity::DelayNs).in_ms())),
                ("HTTP alone (ms)", vec![], of_ours(&read(Quantity::HttpNs).in_ms())),
            ];
            for (what, printed, ours) in rows {
                sheet.with_ratios = !what.ends_with("(ms)");
                sheet.estimates(format!("{series}: {what}"), &printed, &ours);
            }
        }
    }
    sheet.with_ratios = false;
    let mega = |quantity| trials.read(FRONT, FOOTPRINT, 1, quantity).median().map(|octets| octets / 1e6);
    let then: f64 = paper::FOOTPRINT_MB.iter().map(|(_, mega)| mega).sum();
    let in_avg = |figure: Option<f64>| [None, None, figure.map(Estimate::exact), None];
    sheet.estimates(
        "the server's side, as files (MB)",
        &[None, None, Some(then), None],
        &in_avg(mega(Quantity::FileOctets)),
    );
    sheet.estimates("the server's side, resident (MB)", &[], &in_avg(mega(Quantity::Resident)));
    sheet
}

/// Latencies of a series, milliseconds.
fn latencies(trials: &Trials, way: Way, is_https: bool) -> Vec<f64> {
    trials.read(FRONT, &way.series(is_https), 1, Quantity::DelayNs).in_ms()
}

/// Figure 6: transactions, with those of the HTTP domain of table 1.
pub(super) fn figure_6(trials: &Trials) -> Sheet {
    let series = vec![
        ("SOAP in the browser", paper::PRELOADED.latency, latencies(trials, Way::Soap, false)),
        ("RESTCONF in the browser", paper::PRELOADED.latency, latencies(trials, Way::Restconf, false)),
        ("HTTP", paper::DOMAINS[2].latency, picked(trials, DOMAINS[2]).iter().map(latency_ms).collect()),
    ];
    let mut sheet = distribution("ma2005/figure-6", "latency of a transaction (ms)", series);
    sheet.note = "The transactions of table 3 in their order. The paper's plot has a trend at its lower edge with many stray points above it, \
                  and the HTTP domain of table 1 (a command that connects, asks and closes) at the zero line. Both of our ways stand beside the \
                  paper's one; the HTTP domain is there if table-1 was measured in the same run."
        .into();
    sheet
}

/// Figure 7: initial loads.
pub(super) fn figure_7(trials: &Trials) -> Sheet {
    let series = vec![
        ("initial load", paper::INITIAL.latency, latencies(trials, Way::Initial, false)),
        ("SOAP in the browser", paper::PRELOADED.latency, latencies(trials, Way::Soap, false)),
    ];
    let mut sheet = distribution("ma2005/figure-7", "latency of an initial load (ms)", series);
    sheet.note = "The initial loads of table 3, with the transactions of a page that is there. In the paper an initial load transfers little more than twice \
                  the octets of a transaction and takes 13 times as long, which its authors put down to processing."
        .into();
    sheet
}
