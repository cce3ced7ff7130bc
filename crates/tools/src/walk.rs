//! `snmpwalk` and `snmpbulkwalk`: everything below an object, request by request, as Net-SNMP does. `trunkline
//! walk` is faster; users of these names compare.

use std::io::Write;
use std::time::{Duration, Instant};

use trunkline_client::{Error as ClientError, Response};
use trunkline_smi::Oid;
use trunkline_snmp::wire::{Bound, ErrorStatus, VarBind, Version};

use super::ended::Ended;
use super::names::Dictionary;
use super::session::{self, Agent, refusal};
use super::settings::Settings;
use super::tool::Tool;
use trunkline_show::print::Printer;

/// The default object of a walk: MIB-II.
const MIB_2: [u32; 6] = [1, 3, 6, 1, 2, 1];

/// Runs the tool.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, objects) = session::operands(settings)?;
    let choices = &settings.choices;
    let root = objects.first().map_or_else(|| Ok(Oid::from(MIB_2)), |word| dictionary.object(word))?;
    session::expressible(settings.tool, [&root])?;
    let end = choices.end.as_ref().map(|word| dictionary.object(word)).transpose()?;
    let agent = Agent::open(settings, host).await?;
    let began = Instant::now();
    let mut walk = Walk { settings, agent: &agent, printer, end, root, found: 0, status: 0 };
    if choices.includes_root {
        walk.root_itself().await?;
    }
    walk.below().await?;
    let Walk { found, status, .. } = walk;
    if choices.says_count {
        printer.text(&format!("Variables found: {found}\n"))?;
    }
    printer.finish()?;
    if choices.says_time {
        super::messages::tell(&format!(
            "Total traversal time = {:.6} seconds",
            began.elapsed().as_secs_f64()
        ));
    }
    if status == 0 { Ok(()) } else { Err(Ended::silent(status)) }
}

/// A walk under way.
struct Walk<'w, 'n, W: Write> {
    settings: &'w Settings,
    agent: &'w Agent,
    printer: &'w mut Printer<'n, W>,
    root: Oid,
    /// The first name after the walk; by default the end of the subtree.
    end: Option<Oid>,
    /// Variables printed.
    found: u64,
    /// The exit status.
    status: u8,
}

impl<W: Write> Walk<'_, '_, W> {
    async fn below(&mut self) -> Result<(), Ended> {
        let mut at = self.root.clone();
        let mut goes_on = true;
        let mut was_answered = true;
        while goes_on {
            let asked = Instant::now();
            let answer = match self.ask(&at).await {
                Ok(answer) => answer,
                Err(fault) => {
                    self.failed(&fault)?;
                    was_answered = false;
                    break;
                }
            };
            if answer.error_status != 0 {
                self.refused(&answer, &at)?;
                break;
            }
            // An agent that answers nothing has nothing more.
            goes_on = !answer.bindings.is_empty();
            let took = asked.elapsed();
            for binding in &answer.bindings {
                if !self.take(binding, took, &mut at)? {
                    goes_on = false;
                    break;
                }
            }
            // The next answer may be long in coming: what there is can be read meanwhile.
            self.printer.flush()?;
        }
        // The object may be an instance, which has nothing below it.
        if self.found == 0 && was_answered && !self.settings.choices.skips_get {
            self.root_itself().await?;
        }
        Ok(())
    }

    async fn ask(&self, at: &Oid) -> Result<Response, ClientError> {
        let (session, choices) = (&self.agent.session, &self.settings.choices);
        let asked = std::slice::from_ref(at);
        match self.settings.tool {
            Tool::BulkWalk => session.bulk(choices.non_repeaters, choices.repetitions, asked).await,
            _ => session.next(asked).await,
        }
    }

    /// Prints a binding if it belongs to the walk. Returns whether to continue after it.
    fn take(&mut self, binding: &VarBind, took: Duration, at: &mut Oid) -> Result<bool, Ended> {
        if self.is_behind(&binding.name) {
            return Ok(false);
        }
        self.found += 1;
        if self.settings.choices.times_answers {
            self.printer.text(&format!("{:.6} s: ", took.as_secs_f64()))?;
        }
        self.printer.binding(binding)?;
        if matches!(binding.value, Bound::Exception(_)) {
            return Ok(false);
        }
        if !self.settings.choices.any_order && binding.name <= *at {
            self.printer.flush()?;
            let (before, after) = (self.printer.name(at), self.printer.name(&binding.name));
            super::messages::tell(&format!("Error: OID not increasing: {before}\n >= {after}\n\n"));
            self.status = 1;
            return Ok(false);
        }
        *at = binding.name.clone();
        Ok(true)
    }

    /// `snmpwalk` continues to the object next to the root, whatever comes before the root; `snmpbulkwalk`
    /// continues while names begin with it.
    fn is_behind(&self, name: &Oid) -> bool {
        match (&self.end, self.settings.tool) {
            (Some(end), _) => name >= end,
            (None, Tool::BulkWalk) => !name.starts_with(&self.root),
            (None, _) => name > &self.root && !name.starts_with(&self.root),
        }
    }

    /// Gets the root, and prints it if it is there. A refusal is not reported: nothing is there.
    async fn root_itself(&mut self) -> Result<(), Ended> {
        let answer = self.agent.session.get(std::slice::from_ref(&self.root)).await;
        for binding in
            answer.iter().filter(|answer| answer.error_status == 0).flat_map(|answer| &answer.bindings)
        {
            self.found += 1;
            self.printer.binding(binding)?;
        }
        Ok(())
    }

    fn failed(&mut self, fault: &ClientError) -> Result<(), Ended> {
        self.printer.flush()?;
        let _ = self.agent.failed(fault).tell(self.settings.tool);
        self.status = 1;
        Ok(())
    }

    fn refused(&mut self, answer: &Response, at: &Oid) -> Result<(), Ended> {
        let is_end = answer.error_status == ErrorStatus::NoSuchName.code();
        if is_end && self.agent.session.version() == Version::V1 {
            return Ok(self.printer.text("End of MIB\n")?);
        }
        self.printer.flush()?;
        super::messages::tell(&refusal(self.settings.tool, answer, std::slice::from_ref(at), self.printer));
        self.status = 2;
        Ok(())
    }
}
