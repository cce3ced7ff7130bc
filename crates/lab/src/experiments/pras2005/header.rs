//! Section IV.E: what SNMPv3 adds to a message, and the messages that synchronize time before the first one: single
//! interactions in sessions of their own, the messages as the client and the agent encode them, the packets counted on
//! the link.

use trunkline_client::{SessionOptions, SnmpSession, Target};
use trunkline_smi::Oid;

use trunkline_labkit::error::Error;
use trunkline_labkit::exact;
use trunkline_labkit::octets::{LastMessages, value_octets};
use trunkline_labkit::place::link::{Link, LinkSpec};
use trunkline_labkit::protocol::{Level, Protocol, Suite};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::schedule::{ManagerEnd, settled};
use trunkline_labkit::stage::{Role, Secrets, Stand};
use trunkline_labkit::transport::Transport;

use super::{Lab, MESSAGES};

/// SNMPv2c, and SNMPv3 at its three levels, with the algorithms of the paper's time and with ours.
pub(super) const PROTOCOLS: [Protocol; 6] = [
    Protocol::v2c(Transport::Udp),
    Protocol::usm(Transport::Udp, Level::NoAuthNoPriv, Suite::Md5Des),
    Protocol::usm(Transport::Udp, Level::AuthNoPriv, Suite::Md5Des),
    Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Md5Des),
    Protocol::usm(Transport::Udp, Level::AuthNoPriv, Suite::Modern),
    Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern),
];

/// One interaction with each.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    let on_link = lab.stage.stand(Stand::Link)?;
    let stand = if on_link { Stand::Link } else { Stand::Beside };
    if let Some(link) = lab.stage.link().filter(|_| on_link) {
        link.set(LinkSpec::default());
    }
    for protocol in PROTOCOLS {
        let target = lab.stage.target(protocol, Role::Shipped, stand, Secrets::Ready, ManagerEnd::default());
        let read = match target {
            Ok(target) => interaction(lab, protocol, &target)?,
            Err(reason) => Err(reason),
        };
        if let Err(reason) = read {
            lab.missing(MESSAGES, &protocol.to_string(), reason)?;
        }
    }
    lab.stage.stand(Stand::Beside).map(drop)
}

fn interaction(lab: &mut Lab<'_>, protocol: Protocol, target: &Target) -> Result<Result<(), String>, Error> {
    let seen = LastMessages::new();
    let link = lab.stage.link();
    let before = link.map(Link::counts);
    let name = Oid::from(IF_NUMBER);
    let asked = lab.runtime.block_on(async {
        let session = SnmpSession::open(target, SessionOptions::default()).await?;
        session.observe(seen.clone());
        session.get(std::slice::from_ref(&name)).await?.into_bindings()
    });
    let binding = match asked.map(|bindings| bindings.into_iter().next()) {
        Ok(Some(binding)) => binding,
        Ok(None) => return Ok(Err("an empty answer".into())),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let ((request, response), series) = (seen.sizes(), protocol.to_string());
    for (quantity, octets, value) in [
        (Quantity::RequestHeader, request, 0),
        (Quantity::ResponseHeader, response, value_octets(&binding.value)),
    ] {
        let header = octets.saturating_sub(exact::binding_list([(&name[..], value)]));
        lab.note(MESSAGES, &series, 1, quantity, 1, header as f64)?;
    }
    if let Some((link, before)) = link.zip(before) {
        let all = (settled(link, std::time::Duration::ZERO) - before).at_manager();
        let [packets, octets] = of_time([all.packets, all.ip_octets], [request, response]);
        lab.note(MESSAGES, &series, 1, Quantity::TimePackets, 1, packets as f64)?;
        lab.note(MESSAGES, &series, 1, Quantity::TimeIpOctets, 1, octets as f64)?;
    }
    Ok(Ok(()))
}

/// Packets and octets of a session without those of the request and the response.
fn of_time([packets, octets]: [u64; 2], messages: [u64; 2]) -> [u64; 2] {
    let own: u64 = messages.iter().map(|octets| octets + UDP_OVER_IPV4).sum();
    [packets.saturating_sub(2), octets.saturating_sub(own)]
}

/// ifNumber.0
const IF_NUMBER: [u32; 9] = [1, 3, 6, 1, 2, 1, 2, 1, 0];
/// Octets of both headers of a datagram.
const UDP_OVER_IPV4: u64 = 28;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_for_time_are_what_the_interaction_is_not() {
        assert_eq!(of_time([2, 40 + 42 + 56], [40, 42]), [0, 0]);
        assert_eq!(of_time([4, 40 + 42 + 56 + 92 + 116], [40, 42]), [2, 92 + 116]);
    }
}
