//! Section IV.E: the header of SNMPv3, and its messages for time.

use crate::experiments::pras2005::header::PROTOCOLS;
use crate::experiments::pras2005::paper::{HEADER_ESTIMATE, HEADER_V3};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::super::MESSAGES;

/// What SNMPv3 adds.
pub(super) fn snmpv3(trials: &Trials) -> Sheet {
    let columns = [
        "header of the request (octets)",
        "header of the response (octets)",
        "messages for time",
        "their octets at IP level",
    ];
    let mut sheet = Sheet::new(
        "pras2005/snmpv3",
        "the header of SNMPv3, and its messages for time (section IV.E)",
        &columns,
    );
    sheet.note = "A Get of ifNumber in a session of its own. Header: what a message has without its list of variable bindings; of encrypted \
                  ones their padding too. Messages for time: those before the request, by which the manager learns the agent's engine, \
                  its boots and its clock; a session of SNMPv2c has none. Counted on the link. A user's name and an engine's identifier \
                  may take 32 octets each, so that the header depends on them; the paper gives 42 to 143 octets without saying of what."
        .into();
    for protocol in PROTOCOLS {
        let ours = [
            header(trials, protocol, Quantity::RequestHeader),
            header(trials, protocol, Quantity::ResponseHeader),
            header(trials, protocol, Quantity::TimePackets),
            header(trials, protocol, Quantity::TimeIpOctets),
        ];
        let is_first = protocol == PROTOCOLS[0];
        let paper = if is_first { vec![Some(HEADER_ESTIMATE as f64); 2] } else { vec![] };
        sheet.row(protocol.to_string(), &paper, &ours, 1);
    }
    let bounds = [("least", HEADER_V3.start()), ("most", HEADER_V3.end())];
    for (which, octets) in bounds {
        sheet.row(format!("paper: SNMPv3, {which}"), &[Some(*octets as f64); 2], &[], 0);
    }
    sheet
}

/// A figure of a protocol.
pub(super) fn header(trials: &Trials, protocol: Protocol, quantity: Quantity) -> Option<f64> {
    trials.read(MESSAGES, &protocol.to_string(), 1, quantity).median()
}
