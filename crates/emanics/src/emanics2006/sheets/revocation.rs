//! Revocations by the number of devices (section 3.1).

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::lines::{Series, drawing};
use super::{MS, REVOCATION, mean, median};
use crate::emanics2006::revocation::{END, FIRST_REFUSAL, LAST_ACKNOWLEDGEMENT, LAST_REFUSAL};

/// The time, the messages and the octets of a revocation.
pub(super) fn sheets(trials: &Trials) -> Vec<Sheet> {
    vec![times(trials), sent(trials)]
}

fn times(trials: &Trials) -> Sheet {
    let columns = [
        "last refusal (ms)",
        "median",
        "first refusal (ms)",
        "last acknowledgement (ms)",
        "median",
        "end of the command (ms)",
    ];
    let title = "from the start of a revocation, by the number of devices (ms; section 3.1)";
    let mut sheet = Sheet::new(REVOCATION, title, &columns).without_ratios();
    sheet.note = "trunkline rbac revoke without a grace: a new epoch of the role's keys is on the disk, and then on all devices, over TLS, 50 at a time. \
                  Until then a session of the user who loses the role is open with each device of a sample; its next message is refused. \
                  Acknowledgements are timed by the command itself, the rest from its start as a process, which takes some milliseconds more: the columns have different zeros. A refusal is seen with the next message of its session, \
                  and so up to the time between two messages too late, which is in no interval: of few devices it may lie after the last acknowledgement. \
                  Of several devices in a process the first one decides when it refuses; the last one acknowledges later. The deliverable has no figures here: \
                  it says that the exchange of keys must be fast, above all for the revocation of a role."
        .into();
    let sizes = trials.places(REVOCATION, Quantity::ElapsedNs);
    let of = |series, size| mean(trials, REVOCATION, series, size, Quantity::ElapsedNs, MS);
    let middle = |series, size| median(trials, REVOCATION, series, size, Quantity::ElapsedNs, MS);
    for &size in &sizes {
        let ours = [
            of(LAST_REFUSAL, size),
            middle(LAST_REFUSAL, size),
            of(FIRST_REFUSAL, size),
            of(LAST_ACKNOWLEDGEMENT, size),
            middle(LAST_ACKNOWLEDGEMENT, size),
            of(END, size),
        ];
        sheet.estimates(label(size), &[], &ours);
    }
    let line = |series: &'static str| {
        let row: Vec<Option<Estimate>> = sizes.iter().map(|&size| of(series, size)).collect();
        Series::estimated(series, &sizes, &row)
    };
    let lines = [LAST_REFUSAL, LAST_ACKNOWLEDGEMENT].map(line).into();
    sheet.drawings.extend(drawing("The time of a revocation.", "devices", "ms", lines));
    sheet
}

fn sent(trials: &Trials) -> Sheet {
    let columns = ["messages", "octets", "messages per device", "octets per device"];
    let title = "what a revocation sends, by the number of devices (section 3.1)";
    let mut sheet = Sheet::new("emanics2006/revocation-sent", title, &columns).without_ratios();
    sheet.note =
        "Edits and their replies as they are framed, without hellos and without the transport.".into();
    for size in trials.places(REVOCATION, Quantity::ElapsedNs) {
        let of = |quantity, unit| mean(trials, REVOCATION, "sent", size, quantity, unit);
        let each = f64::from(size);
        let ours = [
            of(Quantity::Messages, 1.0),
            of(Quantity::MessageOctets, 1.0),
            of(Quantity::Messages, each),
            of(Quantity::MessageOctets, each),
        ];
        sheet.estimates(label(size), &[], &ours);
    }
    sheet
}

fn label(size: u32) -> String {
    if size == 1 { "1 device".into() } else { format!("{size} devices") }
}

/// The time until the last refusal or acknowledgement of so many devices, seconds.
pub(super) fn until(trials: &Trials, series: &str, size: u32) -> Option<Estimate> {
    mean(trials, REVOCATION, series, size, Quantity::ElapsedNs, MS * 1000.0)
}
