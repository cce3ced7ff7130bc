//! What the recommended way needs of the agent, and what to say without one.

use trunkline_labkit::protocol::{Level, Protocol, SnmpVersion};
use trunkline_labkit::transport::Transport;

use super::answer::{Plans, time};
use super::fleet::Fleet;
use super::way::Way;

/// Why nothing is recommended.
pub(super) fn nothing(plans: &Plans<'_>) -> Vec<String> {
    if plans.ways.is_empty() {
        return vec!["Nothing was measured, and nothing can be recommended.".into()];
    }
    vec![format!(
        "Nothing that was measured protects messages with at least {}, as --security asks: nothing can be recommended.",
        plans.fleet.security
    )]
}

/// What keeps a session open for longer than our agent, as it ships, leaves it open in silence.
pub(super) fn silence(way: &Way, fleet: &Fleet) -> Option<String> {
    let (limit, section) = match way.protocol.transport {
        Transport::Udp => return None,
        Transport::Http | Transport::Https => (60.0, "http"),
        _ => (300.0, "snmp"),
    };
    (way.kept && fleet.every >= limit).then(|| {
        format!(
            "trunklined closes a session over {} after {} without a message: to keep it for {}, set a longer `idle-timeout` in its \
             [{section}]; other agents have limits of their own.",
            way.protocol.transport,
            time(limit),
            time(fleet.every)
        )
    })
}

/// Communities in sessions that prove who the peers are: few agents take them.
pub(super) fn communities(way: &Way) -> Option<String> {
    (is_community_in_session(way.protocol) && !way.protocol.transport.is_http()).then(|| {
        format!(
            "trunklined takes SNMPv1 and v2c over {} only with `communities-in-sessions = true` in its [snmp]; other agents have \
             SNMPv3 there.",
            way.protocol.transport
        )
    })
}

/// Answers that our agent, as it ships, does not send to whoever has proved nothing: agents of the comparison do.
pub(super) fn unproved(way: &Way) -> Option<String> {
    let is_open = way.protocol.transport == Transport::Udp && way.protocol.version != SnmpVersion::V3;
    let [_, answer] = &way.clean.octets;
    let largest = UNPROVED + HEADERS;
    (is_open && way.subject.is_none() && answer.value() / way.requests.max(1.0) > largest).then(|| {
        format!(
            "trunklined sends answers of more than {UNPROVED} octets over UDP to a community only with a larger \
             `max-unproved-answer` in its [snmp], as it had here; by default it sends what fits, and more requests are needed."
        )
    })
}

/// What protects nothing, and what the best protection takes.
pub(super) fn unprotected(plans: &Plans<'_>, way: &Way) -> Option<String> {
    if way.protocol.level() != Level::NoAuthNoPriv {
        return None;
    }
    let said = "This protects nothing: whoever sees a message can read it, and ask in its name.";
    let best = plans.at_least(Level::AuthPriv).next();
    Some(best.map_or_else(
        || said.to_owned(),
        |best| {
            let needs = time(plans.figures[best].interval);
            format!(
                "{said} With --security authPriv the best is {}, which needs {needs} between rounds.",
                plans.ways[best]
            )
        },
    ))
}

/// Whether messages of SNMPv1 or v2c go in a session that proves who the peers are.
pub(super) fn is_community_in_session(protocol: Protocol) -> bool {
    protocol.is_in_session() && matches!(protocol.version, SnmpVersion::V1 | SnmpVersion::V2c)
}

/// The default of `max-unproved-answer`, octets.
const UNPROVED: f64 = 1472.0;
/// Of IPv4 and UDP.
const HEADERS: f64 = 28.0;

#[cfg(test)]
mod tests {
    use trunkline_labkit::protocol::Mode;

    use super::super::fleet::tests::fleet;
    use super::super::way::tests::way;
    use super::*;

    #[test]
    fn a_silent_session_needs_a_setting() {
        let said = |transport, kept, every| {
            let protocol = Protocol::session(SnmpVersion::V3, transport, Mode::Secure);
            silence(&way(protocol, kept, 100.0, 1.0), &Fleet { every, ..fleet(Level::AuthPriv, 1) })
        };
        assert!(
            said(Transport::Https, true, 60.0).unwrap().contains("set a longer `idle-timeout` in its [http]")
        );
        assert!(
            said(Transport::Tls, true, 300.0).unwrap().contains("after 5 minutes"),
            "{:?}",
            said(Transport::Tls, true, 300.0)
        );
        assert_eq!(said(Transport::Tls, true, 60.0), None);
        assert_eq!(said(Transport::Tls, false, 600.0), None);
    }

    #[test]
    fn a_community_in_a_session_needs_a_setting() {
        let of = |version| {
            communities(&way(Protocol::session(version, Transport::Dtls, Mode::Secure), true, 100.0, 1.0))
        };
        assert!(of(SnmpVersion::V2c).unwrap().contains("`communities-in-sessions = true`"));
        assert_eq!(of(SnmpVersion::V3), None);
    }

    #[test]
    fn a_large_answer_to_a_community_needs_a_setting() {
        let of = |version, octets| {
            unproved(&way(Protocol { version, ..Protocol::v2c(Transport::Udp) }, true, octets, 1.0))
        };
        let usm = Protocol::usm(Transport::Udp, Level::AuthPriv, trunkline_labkit::protocol::Suite::Modern);
        assert_eq!(of(SnmpVersion::V2c, 1500.0), None);
        assert!(of(SnmpVersion::V2c, 1501.0).unwrap().contains("more than 1472 octets"));
        assert!(of(SnmpVersion::V1, 1501.0).is_some());
        assert_eq!(unproved(&way(usm, true, 9000.0, 1.0)), None);
        let tcp = way(Protocol::v2c(Transport::Tcp), true, 9000.0, 1.0);
        assert_eq!(unproved(&tcp), None);
    }
}
