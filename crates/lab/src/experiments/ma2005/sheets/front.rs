//! Table 3 and figures 6 and 7: the browser.

use crate::experiments::ma2005::browser::{FOOTPRINT, Way, resident};
use crate::experiments::ma2005::{FRONT, paper};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::trial::Trials;

use super::{DOMAINS, SPREAD, distribution, latency_ms, of_ours, of_paper, picked};

/// Table 3.
pub(super) fn table_3(trials: &Trials) -> Sheet {
    let title = "what a browser needs for one get of sysContact, with the page there already and in a browser that was just started";
    let mut sheet = Sheet::new(FRONT, title, &SPREAD);
    sheet.note = "The paper's browser (Mozilla) had a Java applet that spoke SOAP with a servlet (Apache, Tomcat, Axis), which asked \
                  Net-SNMP's agent on the same host; ours (Chromium without a window) has the page of `trunklined`, which answers itself. \
                  An initial load begins with a browser that was just started, logged in and at an empty page, and ends when the \
                  page shows sysContact; a transaction ends when the value stands in the page. \
                  Latency is from the first packet on the link to the last that carries data, which is the paper's: of packets, without the client. \
                  `page's clock` is from going there, or from the script's call, until the value is shown, and `HTTP alone` the part of it from \
                  the start of the (first) request to the end of the last answer that was there by then; of an initial load others follow, such as those about the machine, \
                  which latency, packets and octets include. Both are the browser's own, in steps of 0.1 ms. Packets and octets are those of IP on the link, both directions, \
                  with the set-up of connections and acknowledgements that follow later, until nothing passed for 60 ms, after an initial load for 300 ms; without their end, \
                  which comes with the browser's (some 18 packets of an initial load over HTTP, 4 over HTTPS). The paper counted frames on a hub. The login, \
                  which the paper did not have, is not included. HTTPS is ours alone; it has fewer octets because the browser speaks HTTP/2 there, whose heads are compressed, and HTTP/1.1 without \
                  TLS. Of an initial load over HTTPS Chromium opens up to four connections and uses one: the set-up of all of them is included. \
                  The server's file is that of the agent without symbols and debug information, as it is installed; its resident memory is read after each round of transactions, and readings that follow one another \
                  have no interval."
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
                ("latency (ms)", then(|it| it.latency), of_ours(&read(Quantity::WireNs).in_ms())),
                ("page's clock (ms)", vec![], of_ours(&read(Quantity::DelayNs).in_ms())),
                ("HTTP alone (ms)", vec![], of_ours(&read(Quantity::HttpNs).in_ms())),
            ];
            for (what, printed, ours) in rows {
                sheet.with_ratios = !what.ends_with("(ms)");
                sheet.estimates(format!("{series}: {what}"), &printed, &ours);
            }
        }
    }
    sheet.with_ratios = false;
    let file = trials.read(FRONT, FOOTPRINT, 1, Quantity::FileOctets).median().map(|octets| octets / 1e6);
    let then: f64 = paper::FOOTPRINT_MB.iter().map(|(_, mega)| mega).sum();
    sheet.row(
        "the server's side, as stripped files (MB)",
        &[None, None, Some(then), None],
        &[None, None, file, None],
        usize::from(file.is_some()),
    );
    for is_https in [false, true] {
        let octets = trials.read(FRONT, &resident(is_https), 1, Quantity::Resident).0;
        let mega = Readings(octets.into_iter().map(|octets| octets / 1e6).collect());
        let mean = mega.mean_estimate().map(|it| it.value());
        let transport = if is_https { "HTTPS" } else { "HTTP" };
        let label = format!("the server's side, resident after {transport} (MB)");
        sheet.row(label, &[], &[mega.least(), mega.greatest(), mean, mega.median()], mega.count());
    }
    sheet
}

/// Latencies over HTTP, milliseconds.
fn over_http(trials: &Trials, way: Way, quantity: Quantity) -> Vec<f64> {
    trials.read(FRONT, &way.series(false), 1, quantity).in_ms()
}

/// Figure 6: transactions, with those of the HTTP domain of table 1.
pub(super) fn figure_6(trials: &Trials) -> Sheet {
    let series = vec![
        (
            "SOAP in the browser",
            Some(paper::PRELOADED.latency),
            over_http(trials, Way::Soap, Quantity::WireNs),
        ),
        ("RESTCONF in the browser", None, over_http(trials, Way::Restconf, Quantity::WireNs)),
        (
            "HTTP",
            Some(paper::DOMAINS[2].latency),
            picked(trials, DOMAINS[2]).iter().map(latency_ms).collect(),
        ),
        ("SOAP, by the page's clock", None, over_http(trials, Way::Soap, Quantity::DelayNs)),
        ("RESTCONF, by the page's clock", None, over_http(trials, Way::Restconf, Quantity::DelayNs)),
    ];
    let mut sheet = distribution("ma2005/figure-6", "latency of a transaction (ms)", series);
    sheet.note = "The transactions of table 3 in their order. The paper's plot has a trend at its lower edge with many stray points above it, \
                  and the HTTP domain of table 1 (a command that connects, asks and closes) at the zero line. As in the paper, latency is that of packets (see table 3); what \
                  the page's clock shows is a series of its own, and compares with neither. The HTTP domain is there if table-1 was measured in the same run."
        .into();
    sheet
}

/// Figure 7: initial loads.
pub(super) fn figure_7(trials: &Trials) -> Sheet {
    let series = vec![
        ("initial load", Some(paper::INITIAL.latency), over_http(trials, Way::Initial, Quantity::WireNs)),
        (
            "SOAP in the browser",
            Some(paper::PRELOADED.latency),
            over_http(trials, Way::Soap, Quantity::WireNs),
        ),
        ("initial load, by the page's clock", None, over_http(trials, Way::Initial, Quantity::DelayNs)),
        ("SOAP, by the page's clock", None, over_http(trials, Way::Soap, Quantity::DelayNs)),
    ];
    let mut sheet = distribution("ma2005/figure-7", "latency of an initial load (ms)", series);
    sheet.note = "The initial loads of table 3, with the transactions of a page that is there. In the paper an initial load transfers little more than twice \
                  the octets of a transaction and takes 13 times as long, which its authors put down to processing."
        .into();
    sheet
}
