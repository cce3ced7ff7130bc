//! What happens here that SNMPv2-MIB and IF-MIB have a notification for.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use trunkline_config::TrapStyle;
use trunkline_host::{LinkEvent, LinkStatus};
use trunkline_smi::module::{if_mib, net_snmp_mib, snmpv2_mib};
use trunkline_smi::schema::Notification;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::role::originator::SNMP_TRAP_ENTERPRISE;
use trunkline_transport::LogLimit;

use trunkline_tree::Event;

/// The agent has started, and may be configured otherwise than before (RFC 3418).
pub fn cold_start() -> Event {
    event(&snmpv2_mib::COLD_START, Vec::new())
}

/// The agent has restarted with an unchanged configuration (RFC 3418).
pub fn warm_start() -> Event {
    event(&snmpv2_mib::WARM_START, Vec::new())
}

/// The configuration was loaded again, and is the same or another one.
pub fn reloaded(style: TrapStyle, unchanged: bool) -> Event {
    match (style, unchanged) {
        (TrapStyle::NetSnmp, _) => event(&net_snmp_mib::NS_NOTIFY_RESTART, Vec::new()),
        (TrapStyle::Standard, true) => warm_start(),
        (TrapStyle::Standard, false) => cold_start(),
    }
}

/// The agent is about to end (NET-SNMP-AGENT-MIB; no standard notification says so).
pub fn ending() -> Event {
    event(&net_snmp_mib::NS_NOTIFY_SHUTDOWN, Vec::new())
}

/// The event with snmpTrapEnterprise.0 as Net-SNMP's agent adds it to the notifications of SNMPv2-MIB and IF-MIB, and
/// to its own. Those of triggers have none.
pub(crate) fn with_enterprise(mut event: Event) -> Event {
    let enterprise: &[u32] = match &*event.oid {
        oid if GENERIC.iter().any(|notification| oid == notification.oid) => &LINUX_AGENT,
        oid if oid.starts_with(&NOTIFICATIONS) => &NOTIFICATIONS[..8],
        _ => return event,
    };
    event.objects.push((SNMP_TRAP_ENTERPRISE.into(), Value::ObjectIdentifier(Oid::EMPTY.child(enterprise))));
    event
}

/// Those that Net-SNMP's agent sends, of the generic ones.
const GENERIC: [&Notification; 4] =
    [&snmpv2_mib::COLD_START, &snmpv2_mib::AUTHENTICATION_FAILURE, &if_mib::LINK_DOWN, &if_mib::LINK_UP];

/// netSnmpAgentOIDs.10, which is sysObjectID too.
const LINUX_AGENT: [u32; 10] = [1, 3, 6, 1, 4, 1, 8072, 3, 2, 10];

/// netSnmpNotifications.
const NOTIFICATIONS: [u32; 9] = [1, 3, 6, 1, 4, 1, 8072, 4, 0];

/// linkDown and linkUp (RFC 2863 section 3.1.15): the interface has left or entered the states in which it can be
/// used. lowerLayerDown counts as down: that is what Linux calls a cable that was drawn, or the other end of a
/// pair that went down.
pub fn link(change: &LinkEvent) -> Option<Event> {
    let (before, after) = (change.before?, change.after?);
    let notification = match (is_down(before), is_down(after)) {
        (false, true) if before.oper != NOT_PRESENT => &if_mib::LINK_DOWN,
        (true, false) if after.oper != NOT_PRESENT => &if_mib::LINK_UP,
        _ => return None,
    };
    let number = i32::try_from(change.index).ok()?;
    let objects = [(1, number), (7, after.admin), (8, after.oper)];
    let object = |(column, value)| (if_entry(column, change.index), Value::Integer(value));
    Some(event(notification, objects.map(object).to_vec()))
}

const DOWN: i32 = 2;
const NOT_PRESENT: i32 = 6;
const LOWER_LAYER_DOWN: i32 = 7;

fn is_down(status: LinkStatus) -> bool {
    matches!(status.oper, DOWN | LOWER_LAYER_DOWN)
}

fn if_entry(column: u32, index: u32) -> Oid {
    Oid::EMPTY.child(if_mib::IF_TABLE.oid).child(&[1, column, index])
}

fn event(notification: &Notification, objects: Vec<(Oid, Value)>) -> Event {
    Event::new(Oid::EMPTY.child(notification.oid), objects)
}

/// authenticationFailure, at most once a second: somebody who guesses communities must not make us flood the
/// targets.
#[derive(Debug)]
pub struct FailedAuthentication {
    last: Mutex<Option<Instant>>,
    lines: LogLimit,
}

impl Default for FailedAuthentication {
    fn default() -> Self {
        Self { last: Mutex::default(), lines: LogLimit::for_strangers() }
    }
}

const ONCE_IN: Duration = Duration::from_secs(1);

impl FailedAuthentication {
    /// A message from this address was not properly authenticated (RFC 3418). The log has the address. The notification
    /// has not: snmpTrapAddress and agent-addr are the agent's own (RFC 3584 section 3.1).
    pub fn event(&self, peer: SocketAddr, now: Instant) -> Option<Event> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| now.saturating_duration_since(last) < ONCE_IN) {
            return None;
        }
        *last = Some(now);
        if let Some(left_out) = self.lines.admit() {
            tracing::info!(peer = %peer.ip(), left_out, "a message was not properly authenticated");
        }
        Some(event(&snmpv2_mib::AUTHENTICATION_FAILURE, Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enterprise_is_that_of_snmpd() {
        let enterprise = |event| match with_enterprise(event).objects.as_slice() {
            [] => String::new(),
            [.., (name, Value::ObjectIdentifier(enterprise))] => {
                assert_eq!(name.to_string(), "1.3.6.1.6.3.1.1.4.3.0");
                enterprise.to_string()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(enterprise(cold_start()), "1.3.6.1.4.1.8072.3.2.10");
        assert_eq!(enterprise(ending()), "1.3.6.1.4.1.8072.4");
        assert_eq!(enterprise(reloaded(TrapStyle::NetSnmp, true)), "1.3.6.1.4.1.8072.4");
        // Recorded from snmpd 5.9.3, whose own triggers send them: linkUpDownNotifications.
        assert_eq!(enterprise(event(&if_mib::LINK_UP, Vec::new())), "1.3.6.1.4.1.8072.3.2.10");
        assert_eq!(enterprise(event(&if_mib::LINK_DOWN, Vec::new())), "1.3.6.1.4.1.8072.3.2.10");
        assert_eq!(
            enterprise(event(&trunkline_smi::module::disman_event_mib::MTE_TRIGGER_FIRED, Vec::new())),
            ""
        );
        assert_eq!(reloaded(TrapStyle::Standard, true), warm_start());
        assert_eq!(reloaded(TrapStyle::Standard, false), cold_start());
    }

    fn check(before: i32, after: i32) -> Option<u32> {
        let status = |oper| Some(LinkStatus { admin: 1, oper });
        let (was, is) = (status(before), status(after));
        let change = LinkEvent { index: 7, name: "v".into(), before: was, after: is, appeared: false };
        let event = link(&change)?;
        assert_eq!(event.objects.len(), 3);
        assert_eq!(event.objects[2], (if_entry(8, 7), Value::Integer(after)));
        event.oid.last().copied()
    }

    #[test]
    fn link_notifications_follow_changes_of_usability() {
        let (link_down, link_up) = (Some(3), Some(4));
        for (before, after, told) in [
            (1, 2, link_down),
            (1, 7, link_down),
            (4, 2, link_down),
            (2, 1, link_up),
            (7, 1, link_up),
            (2, 5, link_up),
            (2, 7, None),
            (7, 2, None),
            (6, 2, None),
            (2, 6, None),
            (1, 6, None),
            (1, 5, None),
        ] {
            assert_eq!(check(before, after), told, "{before} to {after}");
        }
    }

    #[test]
    fn failed_authentication_is_notified_once_a_second() {
        let (failed, start) = (FailedAuthentication::default(), Instant::now());
        let peer = "[::ffff:192.0.2.1]:7".parse().unwrap();
        let event = failed.event(peer, start).unwrap();
        assert!(event.objects.is_empty(), "the sender's address is not the agent's: {event:?}");
        assert_eq!(failed.event(peer, start + Duration::from_millis(999)), None);
        assert!(failed.event(peer, start + ONCE_IN).is_some());
    }
}
