//! An event as text, as JSON and as CSV: in the format of `listen`.

use std::io::Write;
use std::time::UNIX_EPOCH;

use chrono::{DateTime, Local, SecondsFormat};
use serde::Serialize;
use trunkline_client::eventing::{EventReceived, Notification};
use trunkline_mib::Names;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::role::originator::SYS_UP_TIME;
use trunkline_snmp::wire::VarBind;

use crate::print::{Form, Printer};
use trunkline_show::record::{Record, line};

/// What `--json` writes; `docs/json.md` describes the fields.
#[derive(Debug, Serialize)]
struct EventRecord {
    /// When it came: seconds since 1970.
    time: f64,
    from: String,
    /// The address of the source, a service or the agent, as the message names it.
    source: Option<String>,
    transport: &'static str,
    kind: &'static str,
    /// Everyone who can reach the address can post there.
    authenticated: bool,
    /// Hundredths of a second.
    uptime: u32,
    oid: String,
    name: String,
    bindings: Vec<Record>,
}

/// Writes it, in the printer's form.
pub fn write<W: Write>(
    received: &EventReceived,
    told: &Notification,
    names: &Names,
    printer: &mut Printer<'_, W>,
) -> std::io::Result<()> {
    match printer.form() {
        Form::Text => printer.text(&text(received, told, names, printer)),
        Form::Csv => {
            for row in rows(received, told, names, printer) {
                printer.row(&HEADER, &row)?;
            }
            Ok(())
        }
        Form::Json | Form::JsonLines => printer.object(&record(received, told, names, printer)),
    }
}

fn record(
    received: &EventReceived,
    told: &Notification,
    names: &Names,
    printer: &Printer<'_, impl Write>,
) -> EventRecord {
    EventRecord {
        time: received.at.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64()),
        from: received.peer.to_string(),
        source: received.source.clone(),
        transport: "http",
        kind: "event",
        authenticated: false,
        uptime: told.uptime,
        oid: told.oid.to_string(),
        name: printer.name(&told.oid),
        bindings: bindings(told).map(|binding| Record::new(names, printer.style(), &binding)).collect(),
    }
}

/// A line about the sender, one about what happened, and one for each object.
fn text(
    received: &EventReceived,
    told: &Notification,
    names: &Names,
    printer: &Printer<'_, impl Write>,
) -> String {
    let uptime = VarBind::new(Oid::from(SYS_UP_TIME), Value::TimeTicks(told.uptime));
    let lines = std::iter::once(uptime)
        .chain(bindings(told))
        .map(|binding| format!("    {}\n", line(names, printer.style(), &binding)));
    let lines: String = lines.collect();
    let head = format!("{} event from {}, NOT AUTHENTICATED", time(received), received.peer);
    format!("{head}\n  {}\n{lines}", printer.name(&told.oid))
}

/// The columns of `--csv`: a line for each object.
const HEADER: [&str; 7] = ["time", "from", "authenticated", "notification", "oid", "name", "value"];

fn rows(
    received: &EventReceived,
    told: &Notification,
    names: &Names,
    printer: &Printer<'_, impl Write>,
) -> Vec<Vec<String>> {
    let start = [time(received), received.peer.to_string(), false.to_string(), printer.name(&told.oid)];
    let cells = |rest: [String; 3]| start.iter().cloned().chain(rest).collect();
    if told.objects.is_empty() {
        return vec![cells(Default::default())];
    }
    let record = |binding: VarBind| {
        let record = Record::new(names, printer.style(), &binding);
        cells([record.oid, record.name, record.text])
    };
    bindings(told).map(record).collect()
}

fn bindings(told: &Notification) -> impl Iterator<Item = VarBind> {
    told.objects.iter().map(|(oid, value)| VarBind::new(oid.clone(), value.clone()))
}

fn time(received: &EventReceived) -> String {
    DateTime::<Local>::from(received.at).to_rfc3339_opts(SecondsFormat::Millis, false)
}
