//! Notifications as Net-SNMP's programs see them: where from, and which objects.

use trunkline_client::{Notification, Received, Transport, VarBind};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::role::originator::{SNMP_TRAP_OID, SYS_UP_TIME};

/// All objects of a notification, with sysUpTime.0 and snmpTrapOID.0 first; a trap of SNMPv1 as SNMPv2 has it (RFC 3584 section 3.1).
pub fn bindings(received: &Received) -> Vec<VarBind> {
    let translated = received.trap_v1.as_ref().and_then(|trap| {
        let community = received.community.as_deref().unwrap_or_default();
        Notification::forwarded_from_trap_v1(trap, community).ok()
    });
    let notification = translated.as_ref().unwrap_or(&received.notification);
    let first = [
        VarBind::new(Oid::from(SYS_UP_TIME), Value::TimeTicks(notification.uptime)),
        VarBind::new(Oid::from(SNMP_TRAP_OID), Value::ObjectIdentifier(notification.trap_oid.clone())),
    ];
    first.into_iter().chain(notification.bindings.iter().cloned()).collect()
}

/// `UDP: [192.0.2.1]:50000->[192.0.2.9]:162`, and over IPv6 without what it was sent to, as Net-SNMP writes it.
pub fn addresses(received: &Received) -> String {
    let (ip, port) = (received.peer.ip().to_canonical(), received.peer.port());
    let name = match received.transport {
        Transport::Udp => "UDP",
        Transport::Tcp => "TCP",
        Transport::Tls => "TLSTCP",
        Transport::Dtls => "DTLSUDP",
        Transport::Ssh => "SSH",
        Transport::Http => "HTTP",
        Transport::Https => "HTTPS",
    };
    match (ip, received.local) {
        (ip, _) if ip.is_ipv6() => format!("{name}/IPv6: [{ip}]:{port}"),
        (ip, Some(local)) => {
            format!("{name}: [{ip}]:{port}->[{}]:{}", local.ip().to_canonical(), local.port())
        }
        (ip, None) => format!("{name}: [{ip}]:{port}->[0.0.0.0]:0"),
    }
}
