//! `snmpdelta`: how much values change from one look to the next, until it is stopped.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use trunkline_show::delta::{Change, Track};
use trunkline_show::print::Printer;
use trunkline_smi::module::snmpv2_mib::SYS_UP_TIME;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::Bound;

use super::choices::DeltaChoices;
use super::ended::Ended;
use super::messages::tell;
use super::names::Dictionary;
use super::session::{self, Agent, refusal, status_words};
use super::settings::Settings;

/// Runs the tool.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, words) = session::operands(settings)?;
    let choices = &settings.choices.delta;
    let mut objects = choices.objects()?;
    objects.extend(words.iter().cloned());
    if objects.is_empty() {
        return Err(Ended::usage("Missing object name"));
    }
    let asked = dictionary.objects(&objects)?;
    session::expressible(settings.tool, &asked)?;
    let agent = Agent::open(settings, host).await?;
    let tracks = asked.iter().map(|oid| Track::new(printer.name(oid))).collect();
    let mut delta = Delta { settings, choices, agent: &agent, host, asked, tracks, uptime: None };
    if choices.layout.table && !choices.to_files {
        printer.text(&delta.heading())?;
    }
    let mut ticks = tokio::time::interval(Duration::from_secs(u64::from(choices.layout.period)));
    loop {
        ticks.tick().await;
        let values = delta.look(printer).await?;
        let changes = delta.changes(values);
        delta.print(&changes, printer)?;
        printer.flush()?;
    }
}

struct Delta<'d> {
    settings: &'d Settings,
    choices: &'d DeltaChoices,
    agent: &'d Agent,
    host: &'d str,
    asked: Vec<Oid>,
    tracks: Vec<Track>,
    /// The agent's clock at the look before, if it counts.
    uptime: Option<u32>,
}

/// The values of a look, and the agent's clock.
type Look = (BTreeMap<Oid, Value>, Option<u32>);

impl Delta<'_> {
    /// Asks for everything, as much in a message as it may have. What is missing is reported, and left out from then on.
    async fn look(&mut self, printer: &Printer<'_, impl Write>) -> Result<Look, Ended> {
        let (mut values, mut uptime) = (BTreeMap::new(), None);
        let clock = Oid::EMPTY.child(SYS_UP_TIME.oid).child(&[0]);
        let mut rest = self.asked.clone();
        while !rest.is_empty() {
            let mut part: Vec<Oid> = rest.drain(..rest.len().min(self.choices.at_once)).collect();
            if self.choices.layout.by_agent {
                part.insert(0, clock.clone());
            }
            let answer = self.agent.session.get(&part).await.map_err(|fault| self.agent.failed(&fault))?;
            if answer.error_status != 0 {
                let position =
                    usize::try_from(answer.error_index).ok().and_then(|index| index.checked_sub(1));
                let refused = position.and_then(|position| part.get(position).cloned());
                if self.choices.no_fix || refused.is_none() || refused.as_ref() == Some(&clock) {
                    tell(&refusal(self.settings.tool, &answer, &part, printer));
                    return Err(Ended::silent(2));
                }
                let refused = refused.unwrap_or_default();
                self.leave_out(&refused, status_words(answer.error_status), printer)?;
                part.retain(|oid| *oid != refused && *oid != clock);
                rest.splice(..0, part);
                continue;
            }
            for binding in answer.bindings {
                match binding.value {
                    Bound::Value(Value::TimeTicks(ticks))
                        if binding.name == clock && self.choices.layout.by_agent =>
                    {
                        uptime = uptime.or(Some(ticks));
                    }
                    Bound::Value(value) => drop(values.insert(binding.name, value)),
                    Bound::Exception(exception) => {
                        let why = trunkline_show::record::exception_words(exception);
                        self.leave_out(&binding.name, why, printer)?;
                    }
                    Bound::Unspecified => self.leave_out(&binding.name, "no value", printer)?,
                }
            }
        }
        Ok((values, uptime))
    }

    fn leave_out(&mut self, oid: &Oid, why: &str, printer: &Printer<'_, impl Write>) -> Result<(), Ended> {
        tell(&format!("{}: {why}", printer.name(oid)));
        let Some(at) = self.asked.iter().position(|asked| asked == oid) else { return Ok(()) };
        self.asked.remove(at);
        self.tracks.remove(at);
        if self.asked.is_empty() { Err(Ended::silent(1)) } else { Ok(()) }
    }

    /// The changes that are due for a line.
    fn changes(&mut self, (values, uptime): Look) -> Vec<(String, Change)> {
        let before = std::mem::replace(&mut self.uptime, uptime);
        let seconds = before.zip(uptime).map(|(before, now)| f64::from(now.wrapping_sub(before)) / 100.0);
        // A clock that has not moved counts as one hundredth.
        let seconds = seconds.map(|seconds| seconds.max(0.01));
        let mut changes = Vec::new();
        for (oid, track) in self.asked.iter().zip(&mut self.tracks) {
            let Some(value) = values.get(oid) else { continue };
            let change = track.look(value.clone(), seconds, self.choices.layout.peaks);
            changes.extend(change.map(|change| (track.name.clone(), change)));
        }
        changes
    }

    fn heading(&self) -> String {
        let front = if self.choices.time { self.host } else { "" };
        let names: String = self.tracks.iter().map(|track| format!("\t{}", track.name)).collect();
        format!("{}{names}\n", trunkline_smi::visible(front))
    }

    fn print(
        &self,
        changes: &[(String, Change)],
        printer: &mut Printer<'_, impl Write>,
    ) -> Result<(), Ended> {
        if changes.is_empty() {
            return Ok(());
        }
        let layout = &self.choices.layout;
        let time = if self.choices.time { self.choices.clock() } else { String::new() };
        let sum =
            changes.iter().fold(Change { amount: 0.0, peak: 0.0, max: 0.0 }, |sum, (_, change)| Change {
                amount: sum.amount + change.amount,
                peak: sum.peak + change.peak,
                max: sum.max + change.max,
            });
        let sum_name = self.choices.sum_name.as_deref().unwrap_or("Sum");
        if layout.table && !self.choices.to_files {
            let mut cells: Vec<String> = changes.iter().map(|(_, change)| layout.cell(change)).collect();
            cells.extend(layout.sum.then(|| layout.cell(&sum)));
            return Ok(printer.text(&format!("{time}\t{}\n", cells.join("\t")))?);
        }
        let front = if time.is_empty() { time } else { format!("{time} ") };
        let sum = layout.sum.then_some((sum_name, &sum));
        for (name, change) in changes.iter().map(|(name, change)| (name.as_str(), change)).chain(sum) {
            let line = format!("{front}{}", layout.line(name, change));
            if self.choices.to_files {
                self.append(name, &line)?;
            } else {
                printer.text(&line)?;
            }
        }
        Ok(())
    }

    /// Appends a line to the file of a value, `HOST-NAME`.
    fn append(&self, name: &str, line: &str) -> Result<(), Ended> {
        let file = format!("{}-{name}", self.host).replace('/', "_");
        let opened = OpenOptions::new().append(true).create(true).open(&file);
        let written = opened.and_then(|mut out| out.write_all(trunkline_smi::visible_lines(line).as_bytes()));
        written.map_err(|fault| Ended::failed(format!("snmpdelta: {file}: {fault}")))
    }
}
