//! What the recommended way needs of the agent, and what to say without one.

use trunkline_labkit::protocol::{Protocol, SnmpVersion};
use trunkline_labkit::transport::Transport;

use super::answer::{Plans, list, time};
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

/// Whether messages of SNMPv1 or v2c go in a session that proves who the peers are.
pub(super) fn is_community_in_session(protocol: Protocol) -> bool {
    protocol.is_in_session() && matches!(protocol.version, SnmpVersion::V1 | SnmpVersion::V2c)
}

/// What was to be measured and was not.
pub(super) fn left_out(what: &[&str]) -> Option<String> {
    (!what.is_empty()).then(|| format!("Not measured: {}; the warnings say why.", list(what, "and")))
}

#[cfg(test)]
mod tests {
    use trunkline_labkit::protocol::{Level, Mode};

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
    fn what_was_left_out_is_named() {
        assert_eq!(left_out(&[]), None);
        assert_eq!(left_out(&["a", "b", "c"]).unwrap(), "Not measured: a, b and c; the warnings say why.");
    }
}
