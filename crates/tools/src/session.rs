//! From settings to a session with an agent, and failures with Net-SNMP's messages.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use trunkline_client::{
    Defaults, Endurance, Error as ClientError, Inside, Observer, Response, SessionOptions, SnmpSession,
    Target, TargetError,
};
use trunkline_smi::{Oid, RootError, Value, check_root, visible};
use trunkline_snmp::role::manager::ReportKind;
use trunkline_snmp::wire::{Bound, VarBind, Version};

use super::ended::Ended;
use super::settings::{SessionSettings, Settings};
use super::tool::Tool;
use trunkline_show::print::Printer;

/// A session with an agent.
pub struct Agent {
    /// The session.
    pub session: SnmpSession,
    /// The agent as it was named.
    host: String,
    /// The transport and the address, as Net-SNMP prints them.
    peer: String,
    /// Shows the messages, if it is on.
    dump: Arc<Dump>,
    tool: Tool,
}

/// The agent's name and what follows it; the credentials must be given too.
pub fn operands(settings: &Settings) -> Result<(&str, &[String]), Ended> {
    let Some((host, rest)) = settings.operands.split_first() else {
        return Err(Ended::usage("No hostname specified."));
    };
    let session = &settings.session;
    if session.version.as_deref().is_some_and(|version| version != "3") && session.community.is_none() {
        return Err(Ended::usage("No community name specified."));
    }
    Ok((host, rest))
}

impl Agent {
    /// Opens the session.
    pub async fn open(settings: &Settings, host: &str) -> Result<Self, Ended> {
        let tool = settings.tool;
        let target = target(settings, tool, host, Target::parse)?;
        let session = SnmpSession::open(&target, options(&settings.session)).await;
        let session = session.map_err(|fault| failed(tool, host, &fault))?;
        let dump = observe(settings, &target, &session);
        Ok(Agent { session, host: host.to_owned(), peer: peer(&target), dump, tool })
    }

    /// Turns the dump of messages on or off; returns whether it is on then. Only `snmptest` does.
    pub fn toggle_dump(&self) -> bool {
        !self.dump.is_on.fetch_xor(true, Ordering::Relaxed)
    }

    /// Both ends, as Net-SNMP prints them; our end's address and port are left open.
    pub fn peer(&self) -> String {
        format!("{}->[0.0.0.0]:0", self.peer)
    }

    /// A failure of the session.
    pub fn failed(&self, fault: &ClientError) -> Ended {
        // If not even the engine's ID came back, there is no conversation that could time out.
        if fault.is_silence() && self.is_unheard() {
            let words = format!("{}: Timeout", self.tool.name());
            return Ended::with_status(words, self.tool.session_status());
        }
        failed(self.tool, &self.host, fault)
    }

    /// Whether not even the engine ID of an agent came back.
    pub fn is_unheard(&self) -> bool {
        self.session.version() == Version::V3 && self.session.counts().received == 0
    }
}

/// The credentials and the peer: an agent, or with another port a receiver of notifications.
fn target(
    settings: &Settings,
    tool: Tool,
    host: &str,
    parse: fn(&str, &Defaults) -> Result<Target, TargetError>,
) -> Result<Target, Ended> {
    let given = &settings.session;
    let parsed =
        |defaults: &Defaults| parse(host, defaults).map_err(|_| unknown_host(tool, host, "Invalid argument"));
    let defaults = match given.version.as_deref() {
        Some("1") => community(Version::V1, given).with_port(given.port),
        Some("2c") => community(Version::V2c, given).with_port(given.port),
        _ => {
            let session = Defaults::default().with_tsm(given.v3.session()).with_port(given.port);
            // Over TLS, DTLS and SSH no name is needed: the session authenticates.
            let target = parsed(&session)?;
            if target.transport.is_secure() && !given.secure.is_usm {
                return given.secure.equip(target, tool);
            }
            let usm = Some(given.v3.credentials(tool)?);
            session
                .with_version(Version::V3)
                .with_community(Vec::new())
                .with_usm(usm)
                .with_inside(Inside::User)
        }
    };
    given.secure.equip(parsed(&defaults)?, tool)
}

/// A notification receiver.
pub fn receiver(settings: &Settings, tool: Tool, host: &str) -> Result<Target, Ended> {
    target(settings, tool, host, Target::parse_receiver)
}

/// Shows the messages, if requested; `snmptest` may request it later.
pub fn observe(settings: &Settings, target: &Target, session: &SnmpSession) -> Arc<Dump> {
    let dump = Arc::new(Dump { peer: peer(target), is_on: AtomicBool::new(settings.session.dumps) });
    if settings.session.dumps || settings.tool == Tool::Test {
        session.observe(dump.clone());
    }
    dump
}

/// The transport and the address.
fn peer(target: &Target) -> String {
    let transport = format!("{:?}", target.transport).to_ascii_uppercase();
    format!("{transport}: [{}]:{}", target.host, target.port)
}

/// A failure, with Net-SNMP's message.
pub fn failed(tool: Tool, host: &str, fault: &ClientError) -> Ended {
    let failed = |words: &str| Ended::with_status(format!("{}: {words}", tool.name()), tool.session_status());
    match fault.cause() {
        ClientError::Transport(fault) => unknown_host(tool, host, &visible(&fault.to_string())),
        fault if fault.is_silence() => {
            let dot = if matches!(tool, Tool::Get | Tool::GetNext) { "." } else { "" };
            Ended::failed(format!("Timeout: No Response from {host}{dot}"))
        }
        ClientError::NotInVersion { .. } => failed("Cannot send V2 PDU on V1 session"),
        ClientError::Report { report } => failed(report_words(report)),
        // It may hold the agent's text, which must not begin a line.
        other => failed(&visible(&other.to_string())),
    }
}

fn unknown_host(tool: Tool, host: &str, why: &str) -> Ended {
    Ended::failed(format!("{}: Unknown host ({host}) ({why})", tool.name()))
}

/// A community; the default of all other versions has none.
fn community(version: Version, given: &SessionSettings) -> Defaults {
    let community = given.community.clone().unwrap_or_default().into_bytes();
    Defaults::default()
        .with_version(version)
        .with_community(community)
        .with_inside(Inside::Community(version))
}

/// Net-SNMP's message for a Report.
fn report_words(report: &ReportKind) -> &'static str {
    match report {
        ReportKind::UnsupportedSecLevels => "Unsupported security level",
        ReportKind::NotInTimeWindows => "Not in time window",
        ReportKind::UnknownUserNames => "Unknown user name",
        ReportKind::UnknownEngineIds => "Unknown engine ID",
        ReportKind::WrongDigests => "Authentication failure (incorrect password, community or key)",
        ReportKind::DecryptionErrors => "Decryption error",
        ReportKind::UnknownContexts | ReportKind::UnavailableContexts => "Bad context specified",
        // Net-SNMP's message; it means that the agent does not serve the contextEngineID.
        ReportKind::UnknownPduHandlers => "Bad version specified",
        ReportKind::UnknownSecurityModels => "Unknown security model in message",
        ReportKind::InvalidMsgs => "Invalid message (e.g. msgFlags)",
        _ => "Unknown Report message",
    }
}

/// Refuses names that no message can carry. Net-SNMP sends 0.40 and 1.40 as other names; these are refused too.
pub fn expressible<'o>(tool: Tool, names: impl IntoIterator<Item = &'o Oid>) -> Result<(), Ended> {
    let impossible = names.into_iter().any(|name| check_root(name).is_err());
    if impossible { Err(not_built(tool, "Can't build OID for variable")) } else { Ok(()) }
}

/// The same for bindings, whose values may be names too.
pub fn expressible_bindings(tool: Tool, bindings: &[VarBind]) -> Result<(), Ended> {
    for binding in bindings {
        expressible(tool, [&binding.name])?;
        if let Bound::Value(Value::ObjectIdentifier(name)) = &binding.value {
            expressible_value(tool, name)?;
        }
    }
    Ok(())
}

/// The same for a name that is a value.
pub fn expressible_value(tool: Tool, name: &Oid) -> Result<(), Ended> {
    check_root(name).map_err(|fault| match fault {
        RootError::First { .. } => not_built(tool, "build objid: bad first subidentifier"),
        RootError::Second { .. } => not_built(tool, "build objid: bad second subidentifier"),
    })
}

fn not_built(tool: Tool, why: &str) -> Ended {
    let name = tool.name();
    Ended::failed(format!("snmp_build: unknown failure\n{name}: Error building ASN.1 representation ({why})"))
}

/// The session's time-out and retries.
pub fn options(given: &SessionSettings) -> SessionOptions {
    let standard = SessionOptions::default();
    standard
        .with_timeout(given.timeout.unwrap_or(standard.timeout))
        .with_retries(given.retries.unwrap_or(standard.retries))
        // Net-SNMP's sockets hear nothing of a closed port.
        .with_endurance(Endurance::PastRefusals)
}

/// An agent's refusal, and the object of `asked` that it concerns. The lines end with an empty one.
pub fn refusal(tool: Tool, answer: &Response, asked: &[Oid], printer: &Printer<'_, impl Write>) -> String {
    let dot = if tool == Tool::Get { "" } else { "." };
    let mut words = format!("Error in packet{dot}\nReason: {}\n", status_words(answer.error_status));
    if answer.error_index != 0 {
        let at = refused(answer, asked).map_or_else(String::new, |oid| printer.name(oid));
        let _ = writeln!(words, "Failed object: {at}\n"); // writing to a String cannot fail
    }
    words
}

/// The object that error-index points to.
fn refused<'o>(answer: &Response, asked: &'o [Oid]) -> Option<&'o Oid> {
    usize::try_from(answer.error_index).ok()?.checked_sub(1).and_then(|position| asked.get(position))
}

/// Net-SNMP's message for an error-status (RFC 3416 section 3).
pub fn status_words(status: i32) -> &'static str {
    const WORDS: [&str; 19] = [
        "(noError) No Error",
        "(tooBig) Response message would have been too large.",
        "(noSuchName) There is no such variable name in this MIB.",
        "(badValue) The value given has the wrong type or length.",
        "(readOnly) The two parties used do not have access to use the specified SNMP PDU.",
        "(genError) A general failure occured",
        "noAccess",
        "wrongType (The set datatype does not match the data type the agent expects)",
        "wrongLength (The set value has an illegal length from what the agent expects)",
        "wrongEncoding",
        "wrongValue (The set value is illegal or unsupported in some way)",
        "noCreation (That table does not support row creation or that object can not ever be created)",
        "inconsistentValue (The set value is illegal or unsupported in some way)",
        "resourceUnavailable (This is likely a out-of-memory failure within the agent)",
        "commitFailed",
        "undoFailed",
        "authorizationError (access denied to that object)",
        "notWritable (That object does not support modification)",
        "inconsistentName (That object can not currently be created)",
    ];
    usize::try_from(status).ok().and_then(|status| WORDS.get(status)).copied().unwrap_or("Unknown Error")
}

/// Dumps each message (`-d`). The community is in it: that is what was requested.
pub struct Dump {
    peer: String,
    is_on: AtomicBool,
}

impl Observer for Dump {
    fn sent(&self, octets: &[u8], _at: Instant) {
        self.write("Sending", "bytes to", octets);
    }

    fn received(&self, octets: &[u8], _at: Instant) {
        self.write("Received", "byte packet from", octets);
    }
}

impl Dump {
    fn write(&self, what: &str, unit: &str, octets: &[u8]) {
        if !self.is_on.load(Ordering::Relaxed) {
            return;
        }
        let length = octets.len();
        let text = format!("\n{what} {length} {unit} {}->[0.0.0.0]:0\n{}\n", self.peer, hex_dump(octets));
        // If standard error is closed nobody reads it.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Sixteen octets per line, in groups of four, followed by the text.
fn hex_dump(octets: &[u8]) -> String {
    let mut out = String::new();
    for (number, line) in octets.chunks(16).enumerate() {
        let mut digits = String::new();
        for (at, octet) in line.iter().enumerate() {
            let gap = if at % 4 == 3 { "  " } else { " " };
            let _ = write!(digits, "{octet:02X}{gap}"); // writing to a String cannot fail
        }
        let text: String = line
            .iter()
            .map(|octet| if octet.is_ascii_graphic() || *octet == b' ' { char::from(*octet) } else { '.' })
            .collect();
        let _ = writeln!(out, "{:04}: {digits:<52}  {text}", number * 16);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_stand_in_lines_of_sixteen() {
        let octets: Vec<u8> = (0x30..0x42).collect();
        assert_eq!(
            hex_dump(&octets),
            "0000: 30 31 32 33  34 35 36 37  38 39 3A 3B  3C 3D 3E 3F    0123456789:;<=>?\n\
             0016: 40 41                                                 @A\n"
        );
    }
}
