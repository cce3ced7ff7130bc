//! Notifications as text for programs, files and logs.

use std::fmt::Write as _;

use trunkline_client::{Notification, Received, Transport, VarBind};
use trunkline_mib::{Names, Quick, Style};
use trunkline_receiver::{Form, Forms};
use trunkline_smi::{Oid, Value, visible};
use trunkline_snmp::role::originator::{SNMP_TRAP_OID, SYS_UP_TIME};
use trunkline_snmp::wire::Bound;

use super::record;
use crate::record::line;

/// Names, and how they are written.
pub struct Written<'n> {
    pub(super) names: &'n Names,
    pub(super) style: Style,
    /// As Net-SNMP writes for programs.
    quick: Style,
    pub(super) show_community: bool,
}

impl<'n> Written<'n> {
    /// Names and values in this style.
    pub fn new(names: &'n Names, style: &Style, show_community: bool) -> Self {
        let mut quick = *style;
        quick.quick = Quick::Space;
        quick.hex_line = 0;
        Written { names, style: *style, quick, show_community }
    }

    /// The address line and the objects.
    fn traphandle(&self, received: &Received) -> String {
        let mut out = addresses(received) + "\n";
        for binding in bindings(received) {
            let _ = writeln!(out, "{}", visible(&line(self.names, &self.quick, &binding)));
        }
        out
    }
}

impl Forms for Written<'_> {
    fn write(&self, form: Form, received: &Received) -> String {
        match form {
            Form::Traphandle => self.traphandle(received),
            Form::Json => {
                let record = record::record(received, self.names, &self.style, self.show_community);
                // A record is made of texts and numbers.
                serde_json::to_string(&record).unwrap_or_default() + "\n"
            }
            Form::Text => record::text(received, self.names, &self.style, self.show_community),
        }
    }

    fn line(&self, received: &Received) -> String {
        let mut out = record::sender(received, self.show_community);
        let _ = write!(out, ": {}", self.names.format_oid(&received.notification.trap_oid, &self.style));
        for binding in &received.notification.bindings {
            let _ = write!(out, ", {}", line(self.names, &self.style, binding));
        }
        let out = visible(&out).into_owned();
        if out.len() <= MOST_OF_A_LINE {
            return out;
        }
        let end = (0..=MOST_OF_A_LINE).rev().find(|end| out.is_char_boundary(*end)).unwrap_or(0);
        format!("{}...", &out[..end])
    }

    fn value(&self, binding: &VarBind) -> String {
        match &binding.value {
            Bound::Value(value) => self.names.text(&binding.name, value.as_value_ref()),
            _ => String::new(),
        }
    }

    fn oid(&self, name: &str) -> Result<Oid, String> {
        self.names.resolve(name).map_err(|fault| fault.to_string())
    }
}

/// Octets of a line in a log: /dev/log and the journal take longer ones, but those who read them do not.
const MOST_OF_A_LINE: usize = 4000;

/// All objects, with sysUpTime.0 and snmpTrapOID.0 first; a trap of SNMPv1 as SNMPv2 has it (RFC 3584 section 3.1).
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
