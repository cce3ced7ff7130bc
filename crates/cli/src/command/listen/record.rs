//! A notification as text, as JSON and as CSV.

use std::fmt::Write as _;
use std::time::UNIX_EPOCH;

use chrono::{DateTime, Local, SecondsFormat};
use serde::Serialize;
use trunkline_client::Received;
use trunkline_mib::{Names, Style};
use trunkline_smi::{Oid, Value, visible};
use trunkline_snmp::role::originator::SYS_UP_TIME;
use trunkline_snmp::wire::{PduKind, VarBind};

use trunkline_show::record::{Record, line};

/// What `--json` writes of a notification; `docs/json.md` describes the fields.
#[derive(Debug, Serialize)]
pub struct NotificationRecord {
    /// When it came: seconds since 1970.
    time: f64,
    /// Address and port of the sender.
    from: String,
    transport: &'static str,
    version: &'static str,
    kind: &'static str,
    /// Whether its sender is authenticated.
    authenticated: bool,
    level: &'static str,
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    community: Option<String>,
    context: String,
    /// The authoritative engine (the sender's for traps, ours for informs), in hexadecimal digits, or null.
    engine: Option<String>,
    /// The engine whose data it is about, or null.
    context_engine: Option<String>,
    /// Hundredths of a second.
    uptime: u32,
    oid: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    v1: Option<TrapV1Record>,
    bindings: Vec<Record>,
}

/// What only a trap of SNMPv1 has.
#[derive(Debug, Serialize)]
struct TrapV1Record {
    enterprise: String,
    agent_address: String,
    generic: i32,
    specific: i32,
}

/// The record of a notification.
pub fn record(received: &Received, names: &Names, style: &Style, show_community: bool) -> NotificationRecord {
    let notification = &received.notification;
    let engine = |id: &[u8]| (!id.is_empty()).then(|| hexadecimal(id));
    NotificationRecord {
        time: received.at.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64()),
        from: received.peer.to_string(),
        transport: received.transport.name(),
        version: received.version.name(),
        kind: kind(received),
        authenticated: received.is_authenticated(),
        level: received.level.name(),
        user: received.user.as_deref().map(text_of),
        community: received.community.as_deref().filter(|_| show_community).map(text_of),
        context: text_of(&received.context_name),
        engine: engine(&received.engine_id),
        context_engine: engine(&received.context_engine_id),
        uptime: notification.uptime,
        oid: notification.trap_oid.to_string(),
        name: names.format_oid(&notification.trap_oid, style),
        v1: received.trap_v1.as_ref().map(|trap| TrapV1Record {
            enterprise: trap.enterprise.to_string(),
            agent_address: std::net::Ipv4Addr::from(trap.agent_addr).to_string(),
            generic: trap.generic,
            specific: trap.specific,
        }),
        bindings: notification.bindings.iter().map(|binding| Record::new(names, style, binding)).collect(),
    }
}

/// For people: a line about the sender, one about what happened, and one for each binding.
pub fn text(received: &Received, names: &Names, style: &Style, show_community: bool) -> String {
    let mut out = String::new();
    let notification = &received.notification;
    let uptime = VarBind::new(Oid::from(SYS_UP_TIME), Value::TimeTicks(notification.uptime));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{} {}", time(received), sender(received, show_community));
    let _ = writeln!(out, "  {}", names.format_oid(&notification.trap_oid, style));
    if let Some(trap) = &received.trap_v1 {
        let address = std::net::Ipv4Addr::from(trap.agent_addr);
        let enterprise = names.format_oid(&trap.enterprise, style);
        let _ = writeln!(
            out,
            "    enterprise {enterprise}, agent address {address}, generic {}, specific {}",
            trap.generic, trap.specific
        );
    }
    for binding in std::iter::once(&uptime).chain(&notification.bindings) {
        let _ = writeln!(out, "    {}", line(names, style, binding));
    }
    out
}

/// The kind of the notification, and who sent it and how that is known.
pub fn sender(received: &Received, show_community: bool) -> String {
    let (version, transport, peer) = (received.version.name(), received.transport.name(), received.peer);
    let who = match (&received.user, &received.community) {
        (Some(user), _) => format!("user {}", shown(user)),
        (None, Some(community)) if show_community => format!("community {}", shown(community)),
        (None, _) => "a community".to_owned(),
    };
    let proof = if received.is_authenticated() { received.level.name() } else { "NOT AUTHENTICATED" };
    let context = match &received.context_name[..] {
        [] => String::new(),
        name => format!(", context {}", shown(name)),
    };
    format!("{} from {transport}://{peer} {version}, {who}, {proof}{context}", kind(received))
}

/// The columns of `--csv`: a line for each binding.
pub const HEADER: [&str; 10] =
    ["time", "from", "version", "kind", "authenticated", "user", "notification", "oid", "name", "value"];

/// The lines of `--csv`.
pub fn rows(received: &Received, names: &Names, style: &Style) -> Vec<Vec<String>> {
    let notification = &received.notification;
    let start = [
        time(received),
        received.peer.to_string(),
        received.version.name().to_owned(),
        kind(received).to_owned(),
        received.is_authenticated().to_string(),
        received.user.as_deref().map(text_of).unwrap_or_default(),
        names.format_oid(&notification.trap_oid, style),
    ];
    let cells = |record: Option<Record>| {
        let rest = record.map(|record| [record.oid, record.name, record.text]).unwrap_or_default();
        start.iter().cloned().chain(rest).collect()
    };
    if notification.bindings.is_empty() {
        return vec![cells(None)];
    }
    let records = notification.bindings.iter().map(|binding| Record::new(names, style, binding));
    records.map(|record| cells(Some(record))).collect()
}

fn time(received: &Received) -> String {
    DateTime::<Local>::from(received.at).to_rfc3339_opts(SecondsFormat::Millis, false)
}

fn kind(received: &Received) -> &'static str {
    if received.kind == PduKind::Inform { "inform" } else { "trap" }
}

/// A stranger's octets within a line: a plain word as it is, everything else quoted, so that a name like `x,
/// authPriv` is recognizable as a name.
fn shown(octets: &[u8]) -> String {
    let text = text_of(octets);
    let is_plain = |c: char| c.is_alphanumeric() || "._-@:/".contains(c);
    if text.chars().all(is_plain) {
        return text;
    }
    format!("\"{}\"", visible(&text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A stranger's octets: as text with escapes, or in hexadecimal digits.
fn text_of(octets: &[u8]) -> String {
    match std::str::from_utf8(octets) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => format!("0x{}", hexadecimal(octets)),
    }
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}
