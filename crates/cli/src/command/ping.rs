//! `trunkline ping`: does an agent answer, and how fast?

use std::io::Write;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep_until};
use trunkline_client::Error as ClientError;
use trunkline_smi::module::snmpv2_mib::SYS_UP_TIME;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, VarBind};

use crate::arguments::PingArgs;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};

/// One request; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Record {
    sequence: u64,
    milliseconds: Option<f64>,
    uptime: Option<u32>,
    error: Option<String>,
}

/// All of them.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Summary {
    sent: u64,
    answered: u64,
    loss: f64,
    minimum: Option<f64>,
    average: Option<f64>,
    maximum: Option<f64>,
    deviation: Option<f64>,
}

/// Runs the command. It ends early once `stopped` is true.
pub async fn run<W: Write>(
    arguments: &PingArgs,
    mut stopped: Receiver<bool>,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let (mut sent, mut times) = (0, Vec::new());
    let name = Oid::EMPTY.child(SYS_UP_TIME.oid).child(&[0]);
    while arguments.count == 0 || sent < arguments.count {
        let due = Instant::now() + arguments.interval;
        let names = [name.clone()];
        let answer = tokio::select! {
            answer = connection.agent.get(&names) => answer,
            _ = stopped.wait_for(|is_stopped| *is_stopped) => break,
        };
        sent += 1;
        connection.show_octets(printer)?;
        let record = record(sent, answer, connection);
        times.extend(record.milliseconds);
        print(&record, connection, printer)?;
        printer.flush()?;
        if arguments.count != 0 && sent >= arguments.count {
            break;
        }
        tokio::select! {
            () = sleep_until(due) => {}
            _ = stopped.wait_for(|is_stopped| *is_stopped) => break,
        }
    }
    let summary = Summary::of(sent, &times);
    match printer.form() {
        Form::Text => printer.text(&summary.words())?,
        Form::Csv => {}
        Form::Json | Form::JsonLines => printer.object(&summary)?,
    }
    printer.finish()?;
    if times.is_empty() { Err(Error::Told) } else { Ok(()) }
}

/// A refusal is an answer: the agent is there.
fn record(
    sequence: u64,
    answer: Result<trunkline_client::Answer, ClientError>,
    connection: &Connection<'_>,
) -> Record {
    match answer {
        Ok(answer) => {
            let uptime = match answer.bindings.first() {
                Some(VarBind { value: Bound::Value(Value::TimeTicks(ticks)), .. }) => Some(*ticks),
                _ => None,
            };
            Record { sequence, milliseconds: Some(milliseconds(answer.cost.delay)), uptime, error: None }
        }
        Err(fault) => {
            let words = connection.failed(&fault).to_string();
            let words = words.lines().next().unwrap_or_default();
            let error = words.strip_prefix(&format!("{}: ", connection.label)).unwrap_or(words);
            Record { sequence, milliseconds: None, uptime: None, error: Some(error.to_owned()) }
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    // Whole microseconds.
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

fn print<W: Write>(
    record: &Record,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let up = record.uptime.map(|ticks| {
        let ticks = Value::TimeTicks(ticks);
        connection.names.text(SYS_UP_TIME.oid, ticks.as_value_ref())
    });
    match printer.form() {
        Form::Text => {
            let (sequence, error) = (record.sequence, record.error.as_deref().unwrap_or_default());
            let line = match (record.milliseconds, up) {
                (Some(time), Some(up)) => format!("{sequence}: {time:.3} ms, up {up}\n"),
                (Some(time), None) => format!("{sequence}: {time:.3} ms, without sysUpTime\n"),
                (None, _) => format!("{sequence}: {error}\n"),
            };
            Ok(printer.text(&line)?)
        }
        Form::Csv => {
            let cells = [
                record.sequence.to_string(),
                record.milliseconds.map(|time| format!("{time:.3}")).unwrap_or_default(),
                record.uptime.map(|ticks| ticks.to_string()).unwrap_or_default(),
                record.error.clone().unwrap_or_default(),
            ];
            Ok(printer.row(&["sequence", "milliseconds", "uptime", "error"], &cells)?)
        }
        Form::Json | Form::JsonLines => Ok(printer.object(record)?),
    }
}

impl Summary {
    #[allow(clippy::cast_precision_loss, reason = "nobody sends 2^53 requests")]
    fn of(sent: u64, times: &[f64]) -> Self {
        let count = times.len() as f64;
        let lost = sent - (times.len() as u64).min(sent);
        let loss = if sent == 0 { 0.0 } else { lost as f64 * 100.0 / sent as f64 };
        let rounded = |time: f64| (time * 1000.0).round() / 1000.0;
        let average = times.iter().sum::<f64>() / count;
        let deviation = (times.iter().map(|time| (time - average).powi(2)).sum::<f64>() / count).sqrt();
        let some = |time: f64| (!times.is_empty()).then(|| rounded(time));
        Summary {
            sent,
            answered: times.len() as u64,
            loss: (loss * 10.0).round() / 10.0,
            minimum: some(times.iter().copied().fold(f64::INFINITY, f64::min)),
            average: some(average),
            maximum: some(times.iter().copied().fold(0.0, f64::max)),
            deviation: some(deviation),
        }
    }

    fn words(&self) -> String {
        let Summary { sent, answered, loss, .. } = self;
        let counts = format!("{sent} sent, {answered} answered, {loss} % lost");
        match (self.minimum, self.average, self.maximum, self.deviation) {
            (Some(minimum), Some(average), Some(maximum), Some(deviation)) => format!(
                "{counts}; min/avg/max/stddev {minimum:.3}/{average:.3}/{maximum:.3}/{deviation:.3} ms\n"
            ),
            _ => format!("{counts}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_of_what_was_answered() {
        let summary = Summary::of(3, &[1.0, 3.0]);
        assert_eq!(
            summary.words(),
            "3 sent, 2 answered, 33.3 % lost; min/avg/max/stddev 1.000/2.000/3.000/1.000 ms\n"
        );
        assert_eq!(Summary::of(2, &[]).words(), "2 sent, 0 answered, 100 % lost\n");
        assert_eq!(Summary::of(0, &[]), Summary::default());
    }
}
