//! `trunkline watch`: looks again and again, and shows counters as rates per second.
//!
//! The path of a round: `sample` requests (sysUpTime and the discontinuity times in the same answers),
//! [`trunkline_show::rate`] compares with the previous round, `print` writes.

mod grid;
mod sample;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::time::MissedTickBehavior;
use trunkline_mib::{Names, Style};
use trunkline_smi::{Oid, visible};

use super::paths;
use super::table::width;
use crate::arguments::WatchArgs;
use crate::connect::{Connection, say};
use crate::error::Error;
use crate::print::{Form, Printer};
use grid::grids;
use sample::{Watched, plan};
use trunkline_show::rate::{Change, Sample, bit_words, change};
use trunkline_show::record::plain;

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &WatchArgs,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
    style: Style,
) -> Result<(), Error> {
    if let Some(paths) = connection.paths(&arguments.objects)? {
        return paths::watch(arguments, &paths, connection, printer).await;
    }
    let watched = plan(&connection.objects(&arguments.objects)?, connection).await?;
    let began = Instant::now();
    let mut ticks = tokio::time::interval(arguments.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut before: Option<BTreeMap<Oid, Sample>> = None;
    let mut rounds = 0;
    while arguments.count.is_none_or(|count| rounds < count) {
        ticks.tick().await;
        let now = match look(&watched, connection, printer, began).await {
            // An agent that is silent for a while is worth watching: report it and continue.
            Err(Error::Session { target, words, .. }) if before.is_some() => {
                say(&format!("{target}: {words}"));
                rounds += 1;
                continue;
            }
            other => other?,
        };
        if now.is_empty() && before.is_none() {
            return Err(Error::Usage("the agent has no instance of the objects to watch".to_owned()));
        }
        if let Some(before) = &before {
            let (names, time) = (connection.names, unix_time());
            let (in_tables, width) = (arguments.table, width(arguments.width));
            let round = Round { names, style, before, now: &now, time, in_tables, width };
            round.print(printer)?;
            rounds += 1;
        }
        before = Some(now);
    }
    Ok(printer.finish()?)
}

async fn look<W: Write>(
    watched: &[Watched],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
    began: Instant,
) -> Result<BTreeMap<Oid, Sample>, Error> {
    let mut samples = BTreeMap::new();
    for part in watched {
        let found = part.sample(connection, began).await;
        connection.show_octets(printer)?;
        samples.extend(found?);
    }
    Ok(samples)
}

/// Two looks at the same instances.
struct Round<'r> {
    names: &'r Names,
    style: Style,
    before: &'r BTreeMap<Oid, Sample>,
    now: &'r BTreeMap<Oid, Sample>,
    time: Duration,
    /// Whether the rows of tables are drawn, and how wide.
    in_tables: bool,
    width: Option<usize>,
}

/// The output for an instance; `docs/json.md` describes the fields.
#[derive(Debug, Serialize)]
struct Line {
    time: f64,
    seconds: Option<f64>,
    oid: String,
    name: String,
    what: &'static str,
    rate: Option<f64>,
    value: serde_json::Value,
    text: String,
    units: Option<String>,
}

const HEADER: [&str; 9] = ["time", "seconds", "oid", "name", "what", "rate", "value", "text", "units"];

impl Round<'_> {
    fn print<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let gone = self.before.keys().filter(|oid| !self.now.contains_key(*oid));
        let gone = gone.map(|oid| (oid.clone(), self.line(oid, None)));
        let now = self.now.iter().map(|(oid, sample)| (oid.clone(), self.line(oid, Some(sample))));
        let lines: Vec<(Oid, Line)> = now.chain(gone).collect();
        if printer.form() == Form::Text && self.in_tables {
            printer.text(&self.drawn(&lines))?;
            return Ok(printer.flush()?);
        }
        for (_, line) in lines {
            match printer.form() {
                Form::Text => printer.text(&line.words(self.time))?,
                Form::Csv => printer.row(&HEADER, &line.cells())?,
                Form::Json | Form::JsonLines => printer.object(&line)?,
            }
        }
        Ok(printer.flush()?)
    }

    fn drawn(&self, lines: &[(Oid, Line)]) -> String {
        let (grids, others) = grids(lines, self.names);
        let mut out: String = others.iter().map(|line| line.words(self.time)).collect();
        for grid in grids {
            out.push_str(&format!("{}\n{}\n", clock(self.time), grid.draw(self.width)));
        }
        out
    }

    fn line(&self, oid: &Oid, now: Option<&Sample>) -> Line {
        let before = self.before.get(oid);
        let seconds = before.zip(now).map(|(before, now)| now.at.saturating_sub(before.at).as_secs_f64());
        let units = self.names.units(oid);
        let mut line = Line {
            time: self.time.as_secs_f64(),
            seconds,
            oid: oid.to_string(),
            name: self.names.format_oid(oid, &self.style),
            what: "gone",
            rate: None,
            value: now.map_or(serde_json::Value::Null, |now| plain(&now.value)),
            text: "gone".to_owned(),
            units: (!units.is_empty()).then(|| units.to_owned()),
        };
        let Some(now) = now else { return line };
        let text = self.names.text(oid, now.value.as_value_ref());
        (line.what, line.text) = match before.map(|before| change(before, now)) {
            None => ("new", text),
            Some(Change::Level) => ("value", text),
            Some(Change::Reset(reason)) => ("reset", format!("reset ({})", reason.words())),
            Some(Change::Rate(rate)) => {
                line.rate = Some(rate);
                line.units = Some(format!("{units}/s"));
                ("rate", rate_words(rate))
            }
        };
        line
    }
}

impl Line {
    fn words(&self, time: Duration) -> String {
        let units = match (self.what, &self.units) {
            ("rate" | "value" | "new", Some(units)) if units.starts_with('/') => units.clone(),
            ("rate" | "value" | "new", Some(units)) => format!(" {units}"),
            _ => String::new(),
        };
        let bits = match (self.rate, self.units.as_deref()) {
            (Some(rate), Some("octets/s")) => format!(" ({})", bit_words(rate * 8.0)),
            _ => String::new(),
        };
        let new = if self.what == "new" { " (new)" } else { "" };
        let (name, text) = (&self.name, visible(&self.text));
        let clock = clock(time);
        format!("{clock} {name} = {text}{units}{bits}{new}\n")
    }

    fn cells(&self) -> [String; 9] {
        let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
        let value = match &self.value {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        [
            self.time.to_string(),
            number(self.seconds),
            self.oid.clone(),
            self.name.clone(),
            self.what.to_owned(),
            number(self.rate),
            value,
            self.text.clone(),
            self.units.clone().unwrap_or_default(),
        ]
    }
}

/// The time of day in UTC.
pub fn clock(time: Duration) -> String {
    let second = time.as_secs() % 86_400;
    format!("{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

/// Two digits after the point are enough for people; whole numbers need none.
pub fn rate_words(rate: f64) -> String {
    if rate.fract() == 0.0 { format!("{rate:.0}") } else { format!("{rate:.2}") }
}

pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::Value;

    fn sample(value: Value, at: u64) -> Sample {
        Sample { value, uptime: Some(at as u32 * 100), discontinuity: None, at: Duration::from_secs(at) }
    }

    #[test]
    fn a_round_shows_rates_values_resets_and_new_and_removed_rows() {
        let names = Names::built_in();
        let at = |name: &str| names.resolve(name).unwrap();
        let map = |samples: Vec<(&str, Sample)>| {
            samples.into_iter().map(|(name, sample)| (at(name), sample)).collect()
        };
        let before: BTreeMap<Oid, Sample> = map(vec![
            ("ifInOctets.1", sample(Value::Counter32(100), 1)),
            ("ifInOctets.2", sample(Value::Counter32(4_000_000), 1)),
            ("ifInUcastPkts.1", sample(Value::Counter32(0), 1)),
            ("ifOperStatus.1", sample(Value::Integer(2), 1)),
            ("ifOperStatus.9", sample(Value::Integer(1), 1)),
        ]);
        let now: BTreeMap<Oid, Sample> = map(vec![
            ("ifInOctets.1", sample(Value::Counter32(2600), 2)),
            ("ifInOctets.2", sample(Value::Counter32(5), 2)),
            ("ifInUcastPkts.1", sample(Value::Counter32(7), 2)),
            ("ifOperStatus.1", sample(Value::Integer(1), 2)),
            ("ifSpeed.3", sample(Value::Unsigned32(5), 2)),
        ]);
        let time = Duration::from_secs(86_400 + 3600 + 61);
        let (in_tables, width) = (false, None);
        let mut round = Round {
            names: &names,
            style: Style::default(),
            before: &before,
            now: &now,
            time,
            in_tables,
            width,
        };
        let mut out = Vec::new();
        round.print(&mut Printer::new(&mut out, &names, Style::default(), Form::Text, false)).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\
01:01:01Z IF-MIB::ifSpeed.3 = 5 bits per second (new)
01:01:01Z IF-MIB::ifOperStatus.1 = up
01:01:01Z IF-MIB::ifInOctets.1 = 2500 octets/s (20.00 kbit/s)
01:01:01Z IF-MIB::ifInOctets.2 = reset (the counter went back)
01:01:01Z IF-MIB::ifInUcastPkts.1 = 7 packets/s
01:01:01Z IF-MIB::ifOperStatus.9 = gone
"
        );
        round.in_tables = true;
        let mut out = Vec::new();
        round.print(&mut Printer::new(&mut out, &names, Style::default(), Form::Text, false)).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\
01:01:01Z
ifIndex  ifSpeed  ifOperStatus    ifInOctets  ifInUcastPkts
-------- -------- ------------- ------------- --------------
      1        -  up            20.00 kbit/s            7/s
      2        -  -                    reset              -
      3        5  -                        -              -
      9        -  gone                     -              -

"
        );
        let mut out = Vec::new();
        round.print(&mut Printer::new(&mut out, &names, Style::default(), Form::JsonLines, false)).unwrap();
        let out = String::from_utf8(out).unwrap();
        let rate: serde_json::Value = serde_json::from_str(out.lines().nth(2).unwrap()).unwrap();
        assert_eq!(
            (&rate["what"], &rate["rate"], &rate["units"]),
            (&"rate".into(), &2500.0.into(), &"octets/s".into())
        );
    }
}
