//! `snmptest`: requests that are typed, one after another, at a prompt.
//!
//! ```text
//! line -> command ($G, $N, ...): what requests are from now on
//!      -> object (type, value): the request that is being typed
//!      -> empty: it is sent, or the request before is sent again
//! ```

use std::io::{self, Write};

use trunkline_client::{Error as ClientError, Notification, Notifier, PduKind, Response, Version};
use trunkline_mib::Quick;
use trunkline_smi::Oid;
use trunkline_snmp::wire::{Bound, VarBind};

use super::ended::Ended;
use super::messages::tell;
use super::names::Dictionary;
use super::session::{self, Agent, refusal};
use super::settings::Settings;
use super::trap::{leading_number, own_engine};
use super::value;
use trunkline_show::print::Printer;

/// Runs the tool, until the input ends or requests it.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, _) = session::operands(settings)?;
    let agent = Agent::open(settings, host).await?;
    let quick = if settings.style.quick == Quick::No { Quick::Space } else { settings.style.quick };
    let mut dialogue = Dialogue {
        settings,
        dictionary,
        agent: &agent,
        host,
        printer,
        quick,
        kind: PduKind::Get,
        typed: Request::new(PduKind::Get),
        last: None,
        notifier: None,
    };
    let goodbye = dialogue.until_end().await?;
    printer.text(goodbye)?;
    Ok(printer.finish()?)
}

/// A request as it was typed so far.
struct Request {
    kind: PduKind,
    bindings: Vec<VarBind>,
    /// Of a GetBulk, once the objects that repeat are being typed.
    non_repeaters: Option<usize>,
    repetitions: u32,
}

impl Request {
    fn new(kind: PduKind) -> Self {
        Request { kind, bindings: Vec::new(), non_repeaters: None, repetitions: 0 }
    }

    fn names(&self) -> Vec<Oid> {
        self.bindings.iter().map(|binding| binding.name.clone()).collect()
    }
}

struct Dialogue<'d, 'n, W: Write> {
    settings: &'d Settings,
    dictionary: &'d Dictionary,
    agent: &'d Agent,
    host: &'d str,
    printer: &'d mut Printer<'n, W>,
    /// Quick printing, when it is on.
    quick: Quick,
    /// What the next request will be.
    kind: PduKind,
    typed: Request,
    last: Option<Request>,
    /// Sends traps, once there was one.
    notifier: Option<Notifier>,
}

/// How a line goes on.
enum Next {
    Line,
    End(&'static str),
}

/// Net-SNMP's last words: at `Variable:`, and everywhere else. Programs that read its output know them, as they are spelt.
const AT_VARIABLE: Next = Next::End("Quitting,  Goobye\n");
const ELSEWHERE: Next = Next::End("Quitting,  Goodbye\n");

impl<W: Write> Dialogue<'_, '_, W> {
    /// Reads lines until the end; returns the last words.
    async fn until_end(&mut self) -> Result<&'static str, Ended> {
        loop {
            let next = match self.ask("Variable: ").await? {
                None => AT_VARIABLE,
                Some(line) if line.is_empty() => self.empty_line().await?,
                Some(line) => match line.strip_prefix('$') {
                    Some(command) => self.command(command)?,
                    None => self.object(&line).await?,
                },
            };
            if let Next::End(words) = next {
                return Ok(words);
            }
        }
    }

    /// The next line of the input, without its end; `None` at the end of the input.
    async fn ask(&mut self, prompt: &str) -> Result<Option<String>, Ended> {
        self.printer.text(prompt)?;
        self.printer.flush()?;
        // The session lives on while nothing is typed.
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().read_line(&mut line).map(|octets| (octets > 0).then_some(line))
        });
        let failed = |fault: &dyn std::fmt::Display| {
            Ended::failed(format!("{}: standard input: {fault}", self.settings.tool.name()))
        };
        let line = read.await.map_err(|fault| failed(&fault))?.map_err(|fault| failed(&fault))?;
        Ok(line.map(|line| {
            let line = line.strip_suffix('\n').unwrap_or(&line);
            line.strip_suffix('\r').unwrap_or(line).to_owned()
        }))
    }

    /// What follows a `$`. A second letter has a meaning only after `Q`.
    fn command(&mut self, command: &str) -> Result<Next, Ended> {
        let mut letters = command.chars().map(|letter| letter.to_ascii_uppercase());
        let words = match (letters.next(), letters.next()) {
            (Some('G'), _) => self.switch(PduKind::Get, "Get"),
            (Some('N'), _) => self.switch(PduKind::GetNext, "Getnext"),
            (Some('S'), _) => self.switch(PduKind::Set, "Set"),
            (Some('B'), _) => {
                let words = self.switch(PduKind::GetBulk, "Bulk");
                words
                    + "Enter a blank line to terminate the list of non-repeaters\nand to begin the repeating variables\n"
            }
            (Some('I'), _) => {
                self.switch(PduKind::Inform, "Inform") + "(Are you sending to the right port?)\n"
            }
            (Some('T'), _) => {
                self.switch(PduKind::TrapV2, "SNMPv2 Trap") + "(Are you sending to the right port?)\n"
            }
            (Some('D'), _) => format!("Turned packet dump {}\n", on_or_off(self.agent.toggle_dump())),
            (Some('Q'), None) => return Ok(ELSEWHERE),
            (Some('Q'), Some('P')) => {
                let is_on = self.printer.style().quick == Quick::No;
                self.printer.set_quick(if is_on { self.quick } else { Quick::No });
                format!("Turned quick printing {}\n", on_or_off(is_on))
            }
            (Some('Q'), _) => String::new(),
            _ => "Bad command\n".to_owned(),
        };
        self.printer.text(&words)?;
        Ok(Next::Line)
    }

    /// Requests are of this kind from now on; one that has objects already keeps its own.
    fn switch(&mut self, kind: PduKind, name: &str) -> String {
        self.kind = kind;
        if self.typed.bindings.is_empty() {
            self.typed = Request::new(kind);
        }
        format!("Request type is {name} Request\n")
    }

    /// An object of the request, and where the request carries values its value.
    async fn object(&mut self, word: &str) -> Result<Next, Ended> {
        let name = match self.dictionary.object(word) {
            Ok(name) => name,
            Err(mistake) => {
                mistake.tell(self.settings.tool);
                return Ok(Next::Line);
            }
        };
        let has_value = matches!(self.typed.kind, PduKind::Set | PduKind::Inform | PduKind::TrapV2);
        let value = if has_value { self.value(&name).await? } else { Ok(Bound::Unspecified) };
        match value {
            Ok(value) => self.typed.bindings.push(VarBind { name, value }),
            Err(next) => return Ok(next),
        }
        Ok(Next::Line)
    }

    /// The type and the value of an object. A value of another type is requested again, another letter drops the object.
    async fn value(&mut self, name: &Oid) -> Result<Result<Bound, Next>, Ended> {
        let Some(line) = self.ask("Type [i|u|s|x|d|n|o|t|a]: ").await? else { return Ok(Err(ELSEWHERE)) };
        let kind = line.chars().next().unwrap_or('\n');
        let Some(wanted) = wanted(kind) else {
            self.printer.text(&format!(
                "bad type \"{kind}\", use \"i\", \"u\", \"s\", \"x\", \"d\", \"n\", \"o\", \"t\", or \"a\".\n"
            ))?;
            return Ok(Err(Next::Line));
        };
        loop {
            let Some(line) = self.ask("Value: ").await? else { return Ok(Err(ELSEWHERE)) };
            if let Some(value) = value::typed(name, kind, &line, self.settings, self.dictionary) {
                return Ok(Ok(value));
            }
            self.printer.text(&format!("{wanted}\n"))?;
        }
    }

    /// An empty line goes on to what repeats in a GetBulk, and otherwise sends.
    async fn empty_line(&mut self) -> Result<Next, Ended> {
        if self.typed.kind == PduKind::GetBulk && self.typed.non_repeaters.is_none() {
            self.typed.non_repeaters = Some(self.typed.bindings.len());
            self.printer.text("Now input the repeating variables\n")?;
            return Ok(Next::Line);
        }
        if self.typed.kind == PduKind::GetBulk {
            let Some(line) = self.ask("What repeat count? ").await? else { return Ok(ELSEWHERE) };
            let Ok(repetitions) = u32::try_from(leading_number(&line)) else {
                tell(&format!("{}: Bad value for max-repetitions", self.settings.tool.name()));
                self.typed = Request::new(self.kind);
                return Ok(Next::Line);
            };
            self.typed.repetitions = repetitions;
        }
        let typed = std::mem::replace(&mut self.typed, Request::new(self.kind));
        let request = match (typed.bindings.is_empty(), self.last.take()) {
            (false, _) => typed,
            (true, Some(last)) => {
                self.printer.text("Resending last PDU.\n")?;
                last
            }
            (true, None) => {
                self.printer.text("No PDU to send.\n")?;
                return Ok(Next::Line);
            }
        };
        // What fails is reported, and the next request is typed.
        match self.send(&request).await {
            Ok(Some(answer)) => self.print(&request, &answer)?,
            Ok(None) => {}
            Err(Failure::Session(fault)) if fault.is_silence() && !self.agent.is_unheard() => {
                self.printer.text(&format!("Timeout: No Response from {}\n", self.host))?;
            }
            Err(Failure::Session(fault)) => drop(self.agent.failed(&fault).tell(self.settings.tool)),
            Err(Failure::Ours(ended)) => drop(ended.tell(self.settings.tool)),
        }
        self.last = Some(request);
        Ok(Next::Line)
    }

    /// Sends a request; a trap has no answer.
    async fn send(&mut self, request: &Request) -> Result<Option<Response>, Failure> {
        session::expressible_bindings(self.settings.tool, &request.bindings)?;
        let session = &self.agent.session;
        let (kind, version) = (request.kind, session.version());
        let is_notification = matches!(kind, PduKind::Inform | PduKind::TrapV2);
        if is_notification && version == Version::V1 {
            return Err(ClientError::NotInVersion { kind, version }.into());
        }
        let answer = match kind {
            PduKind::GetNext => session.next(&request.names()).await?,
            PduKind::GetBulk => {
                // No message has more objects than 32 bits can count.
                let non_repeaters = request.non_repeaters.unwrap_or(0) as u32;
                session.bulk(non_repeaters, request.repetitions, &request.names()).await?
            }
            PduKind::Set => session.set(&request.bindings).await?,
            PduKind::Inform => session.inform(&self.notification(request)?).await?,
            PduKind::TrapV2 => {
                let notification = self.notification(request)?;
                self.notifier()?.trap(&notification).await?;
                return Ok(None);
            }
            _ => session.get(&request.names()).await?,
        };
        Ok(Some(answer))
    }

    fn notification(&self, request: &Request) -> Result<Notification, Failure> {
        let read = Notification::from_bindings(request.bindings.clone());
        read.map_err(|fault| Failure::Ours(Ended::failed(format!("{}: {fault}", self.settings.tool.name()))))
    }

    fn notifier(&mut self) -> Result<Notifier, Failure> {
        if let Some(notifier) = &self.notifier {
            return Ok(notifier.clone());
        }
        let session = self.agent.session.clone();
        let engine = own_engine(session.credentials(), self.settings.tool)?;
        Ok(self.notifier.insert(Notifier::over(session, engine)).clone())
    }

    fn print(&mut self, request: &Request, answer: &Response) -> Result<(), Ended> {
        if request.kind == PduKind::Inform && answer.is_ok() {
            return Ok(self.printer.text("Inform Acknowledged\n")?);
        }
        self.printer.text(&format!(
            "Received Get Response from {}\nrequestid 0x{:X} errstat 0x{:X} errindex 0x{:X}\n",
            self.agent.peer(),
            answer.request_id,
            answer.error_status,
            answer.error_index,
        ))?;
        if answer.is_ok() {
            return Ok(answer.bindings.iter().try_for_each(|binding| self.printer.binding(binding))?);
        }
        let words = refusal(self.settings.tool, answer, &request.names(), self.printer);
        Ok(self.printer.text(&words)?)
    }
}

/// Why a request was not sent or not answered.
enum Failure {
    Session(ClientError),
    /// It was not a request that can be sent.
    Ours(Ended),
}

impl From<ClientError> for Failure {
    fn from(fault: ClientError) -> Self {
        Failure::Session(fault)
    }
}

impl From<Ended> for Failure {
    fn from(ended: Ended) -> Self {
        Failure::Ours(ended)
    }
}

/// What a text of this type must be, for one that is not; `None` if there is no such type.
fn wanted(kind: char) -> Option<&'static str> {
    Some(match kind {
        'i' => "Bad value (need an integer, or a name of the object's enumeration)",
        'u' | 't' => "Bad value (need an unsigned integer)",
        'x' => "Bad value (need pairs of hex digits)",
        'd' => "Bad value or no sub-identifier > 255",
        'a' => "Bad value (need an IPv4 address)",
        'o' => "Unrecognised OID value",
        's' | 'n' => "Bad value",
        _ => return None,
    })
}

const fn on_or_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}
