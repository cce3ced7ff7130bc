//! How a notification is written: the formats of snmptrapd(8) "FORMAT SPECIFICATIONS", and the ones it uses by default.

use std::fmt::Write as _;
use std::net::Ipv4Addr;

use chrono::{DateTime, Local, Utc};
use trunkline_client::{Notification, PduKind, Received, Value, VarBind, Version};
use trunkline_mib::{Names, Quick, Style};
use trunkline_receiver::{Form, Forms, addresses, bindings};
use trunkline_show::record::{line, value};
use trunkline_smi::{Oid, visible, visible_lines};
use trunkline_snmp::role::originator::{SNMP_TRAP_ENTERPRISE, SYS_UP_TIME};
use trunkline_snmp::wire::TrapV1;

/// A parsed format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Format(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// `%V`: what stands between objects from here on.
    Separator(String),
    Field(Field),
}

/// A letter with what is before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Field {
    letter: char,
    left: bool,
    zeros: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

/// More characters than this are not a column.
const MOST_WIDTH: usize = 1000;

impl Format {
    /// Parses a format; what is not a sequence stands for itself.
    pub fn parse(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => plain.push_str(&escaped(chars.next())),
                '%' => {
                    let field = field(&mut chars);
                    if !plain.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    }
                    match field {
                        None => {}
                        Some(Field { letter: 'V', .. }) => {
                            let mut between = String::new();
                            while let Some(c) = chars.next_if(|c| *c != '%') {
                                match c {
                                    '\\' => between.push_str(&escaped(chars.next())),
                                    c => between.push(c),
                                }
                            }
                            pieces.push(Piece::Separator(between));
                        }
                        Some(field) if LETTERS.contains(field.letter) => pieces.push(Piece::Field(field)),
                        Some(field) => plain.push(field.letter),
                    }
                }
                c => plain.push(c),
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Format(pieces)
    }
}

/// The letters of fields.
const LETTERS: &str = "aAbBEhHjJkKlLmMNPqsStTuvwWyY";

fn escaped(c: Option<char>) -> String {
    match c {
        Some('n') => "\n".to_owned(),
        Some('t') => "\t".to_owned(),
        Some('r') => "\r".to_owned(),
        Some(c @ ('\\' | '"' | '%')) => c.to_string(),
        Some(c) => format!("\\{c}"),
        None => "\\".to_owned(),
    }
}

/// What follows a `%`; nothing at the end of the text.
fn field(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Field> {
    let mut field = Field::default();
    while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '0' | '#')) {
        match flag {
            '-' => field.left = true,
            '0' => field.zeros = true,
            _ => field.alternate = true,
        }
    }
    let mut number = || {
        let mut number: Option<usize> = None;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            chars.next();
            number = Some((number.unwrap_or(0) * 10 + digit as usize).min(MOST_WIDTH));
        }
        number
    };
    field.width = number().unwrap_or(0);
    if chars.next_if_eq(&'.').is_some() {
        let mut digits = 0;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            chars.next();
            digits = (digits * 10 + digit as usize).min(MOST_WIDTH);
        }
        field.precision = Some(digits);
    }
    field.letter = chars.next()?;
    Some(field)
}

/// The formats of the file and of `-F`: for traps of SNMPv1, and for everything else.
#[derive(Clone, Debug, Default)]
pub struct Formats {
    /// For what `-L` names.
    pub print: [Option<Format>; 2],
    /// For syslog without `-L`.
    pub syslog: [Option<Format>; 2],
    /// For programs.
    pub execute: [Option<Format>; 2],
}

impl Formats {
    /// `format DESTINATION FORMAT`. False if there is no such destination.
    pub fn set(&mut self, destination: &str, text: &str) -> bool {
        let (name, versions) = match destination.strip_suffix(['1', '2']) {
            Some(name) if destination.ends_with('1') => (name, 0..1),
            Some(name) => (name, 1..2),
            None => (destination, 0..2),
        };
        let place = match name {
            "print" => &mut self.print,
            "syslog" => &mut self.syslog,
            "execute" => &mut self.execute,
            _ => return false,
        };
        place[versions].fill(Some(Format::parse(text)));
        true
    }
}

/// A notification to be written, with the names of its addresses.
pub struct Scene<'s> {
    /// The notification.
    pub received: &'s Received,
    /// Names of objects.
    pub names: &'s Names,
    /// How they are written.
    pub style: Style,
    /// The formats.
    pub formats: &'s Formats,
    /// The name of the sender.
    pub host: &'s str,
}

impl Scene<'_> {
    fn is_v1(&self) -> bool {
        self.received.trap_v1.is_some()
    }

    fn of<'f>(&self, formats: &'f [Option<Format>; 2]) -> Option<&'f Format> {
        formats[usize::from(!self.is_v1())].as_ref()
    }

    /// For what `-L` names.
    pub fn print(&self) -> String {
        if let Some(format) = self.of(&self.formats.print) {
            return self.write(format, &self.style, &self.objects());
        }
        let time = DateTime::<Local>::from(self.received.at).format("%Y-%m-%d %H:%M:%S");
        let from = addresses(self.received);
        let objects: Vec<String> =
            self.objects().iter().map(|binding| line(self.names, &self.style, binding)).collect();
        let Some(trap) = &self.received.trap_v1 else {
            return format!("{time} {} [{from}]:\n{}\n", self.host, objects.join("\t"));
        };
        let agent = agent_address(trap);
        let mut out = format!("{time} {agent} [{agent}] (via {from}) {}\n", self.about());
        let (enterprise, what) = (self.names.format_oid(&trap.enterprise, &self.style), what(trap.generic));
        let uptime = self.uptime(trap.time_stamp);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\t{enterprise} {what} Trap ({}) Uptime: {uptime}", trap.specific);
        for object in objects {
            let _ = write!(out, "\t{object}");
        }
        out + "\n"
    }

    /// For syslog without `-L`, on one line.
    pub fn syslog(&self) -> String {
        let objects = self.objects();
        let text = match (self.of(&self.formats.syslog), &self.received.trap_v1) {
            (Some(format), _) => self.write(format, &self.style, &objects),
            (None, Some(trap)) => {
                let (address, what, specific) = (agent_address(trap), what(trap.generic), trap.specific);
                let dot = if trap.generic == 6 { "." } else { "" };
                let uptime = self.uptime(trap.time_stamp);
                format!("{address}: {what} Trap ({dot}{specific}) Uptime: {uptime}{}", self.listed(&objects))
            }
            (None, None) => {
                format!("{} [{}]: Trap {}", self.host, addresses(self.received), self.listed(&objects))
            }
        };
        visible_lines(text.trim_end()).replace('\n', " ")
    }

    /// For programs: as SNMPv2 has it, with values alone. A format of the file writes the objects of the message.
    pub fn execute(&self) -> String {
        let mut style = self.style;
        style.quick = Quick::Space;
        style.hex_line = 0;
        if let Some(format) = self.of(&self.formats.execute) {
            return self.write(format, &style, &self.objects());
        }
        let mut out = format!("{}\n{}\n", self.host, addresses(self.received));
        for binding in &bindings(self.received) {
            let _ = writeln!(out, "{}", visible(&line(self.names, &style, binding)));
        }
        out
    }

    /// The objects as they are logged: those of the message.
    fn objects(&self) -> Vec<VarBind> {
        match &self.received.trap_v1 {
            Some(trap) => trap.bindings.clone(),
            None => self.received.notification.to_bindings(),
        }
    }

    fn listed(&self, objects: &[VarBind]) -> String {
        objects.iter().map(|binding| format!(", {}", line(self.names, &self.style, binding))).collect()
    }

    fn uptime(&self, ticks: u32) -> String {
        let ticks = Value::TimeTicks(ticks);
        match self.style.quick {
            Quick::No => self.names.text(&SYS_UP_TIME, ticks.as_value_ref()),
            _ => self.names.format_value(&SYS_UP_TIME, ticks.as_value_ref(), &self.style),
        }
    }

    /// `TRAP, SNMP v1, community public`.
    fn about(&self) -> String {
        let Received { version, kind, community, user, context_name, .. } = self.received;
        let kind = match kind {
            PduKind::Inform => "INFORM",
            _ if self.is_v1() => "TRAP",
            _ => "TRAP2",
        };
        let who = match (version, user, community) {
            (Version::V3, user, _) => {
                format!("user {}, context {}", shown(user.as_deref()), shown(Some(context_name)))
            }
            (_, Some(user), _) => format!("user {}", shown(Some(user))),
            (_, None, community) => format!("community {}", shown(community.as_deref())),
        };
        format!("{kind}, SNMP {}, {who}", version.name())
    }

    fn write(&self, format: &Format, style: &Style, objects: &[VarBind]) -> String {
        let mut out = String::new();
        let mut between = "\t";
        let trap = self.trap();
        for piece in &format.0 {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Separator(text) => between = text,
                Piece::Field(field) if field.letter == 'v' => {
                    let lines = objects.iter().map(|binding| line(self.names, style, binding));
                    let text = match field.alternate {
                        true => lines.map(|line| format!(", {line}")).collect(),
                        false => lines.collect::<Vec<_>>().join(between),
                    };
                    out.push_str(&field.padded(text));
                }
                Piece::Field(field) => out.push_str(&field.padded(self.field(field, style, &trap))),
            }
        }
        out
    }

    /// The text of a field, before it is padded.
    fn field(&self, field: &Field, style: &Style, trap: &TrapV1) -> String {
        let received = self.received;
        let cut = |text: String| field.cut(text);
        let digits = |number: i64| field.digits(number);
        match field.letter {
            // snmptrapd looks no name up for it, whatever its manual says.
            'a' | 'A' => cut(agent_address(trap).to_string()),
            'b' => cut(addresses(received)),
            'B' => cut(self.host.to_owned()),
            'E' => received.context_engine_id.iter().map(|octet| format!("{octet:02X} ")).collect(),
            'N' => cut(self.names.format_oid(&trap.enterprise, style)),
            'P' => self.about(),
            // An enterprise's own trap has a dot, as the last part of its name.
            'q' if trap.generic == 6 => cut(format!(".{}", trap.specific)),
            'q' => digits(i64::from(trap.specific)),
            's' => digits(match received.version {
                Version::V1 => 0,
                Version::V2c => 1,
                Version::V3 => 3,
            }),
            'S' => digits(match (received.version, received.transport.is_secure()) {
                (_, true) => 4,
                (Version::V1, _) => 1,
                (Version::V2c, _) => 2,
                (Version::V3, _) => 3,
            }),
            't' => digits(DateTime::<Utc>::from(received.at).timestamp()),
            'T' if field.alternate => cut(self.uptime(trap.time_stamp)),
            'T' => digits(i64::from(trap.time_stamp)),
            'u' => cut(shown(received.user.as_deref().or(received.community.as_deref()))),
            'w' => digits(i64::from(trap.generic)),
            'W' => cut(what(trap.generic).to_owned()),
            letter => digits(self.clock(letter, field.alternate)),
        }
    }

    /// The time of its arrival, also with the letters that the manual has for its sender's: here, or at Greenwich.
    fn clock(&self, letter: char, at_greenwich: bool) -> i64 {
        let code = match letter.to_ascii_lowercase() {
            'h' => "%H",
            'j' => "%M",
            'k' => "%S",
            'l' => "%d",
            'm' => "%m",
            _ => "%Y",
        };
        let text = match at_greenwich {
            true => DateTime::<Utc>::from(self.received.at).format(code).to_string(),
            false => DateTime::<Local>::from(self.received.at).format(code).to_string(),
        };
        text.parse().unwrap_or(0)
    }

    /// The trap of SNMPv1, or what one would say of the notification (RFC 3584 section 3.2).
    fn trap(&self) -> TrapV1 {
        if let Some(trap) = &self.received.trap_v1 {
            return trap.clone();
        }
        let Notification { uptime, trap_oid, bindings } = &self.received.notification;
        // Other objects may have types that SNMPv1 has not.
        let is_enterprise = |binding: &&VarBind| *binding.name == SNMP_TRAP_ENTERPRISE;
        let bindings = bindings.iter().filter(is_enterprise).cloned().collect();
        let (uptime, trap_oid) = (*uptime, trap_oid.clone());
        let notification = Notification { uptime, trap_oid, bindings };
        notification.to_trap_v1([0; 4]).unwrap_or(TrapV1 {
            enterprise: Oid::EMPTY,
            agent_addr: [0; 4],
            generic: 6,
            specific: 0,
            time_stamp: uptime,
            bindings: Vec::new(),
        })
    }
}

impl Forms for Scene<'_> {
    fn write(&self, _form: Form, _received: &Received) -> String {
        self.execute()
    }

    fn line(&self, _received: &Received) -> String {
        self.syslog()
    }

    fn value(&self, binding: &VarBind) -> String {
        value(self.names, binding)
    }

    fn oid(&self, name: &str) -> Result<Oid, String> {
        self.names.resolve(name).map_err(|fault| fault.to_string())
    }
}

impl Field {
    /// At most as many characters as the precision.
    fn cut(&self, text: String) -> String {
        match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        }
    }

    /// At least as many digits as the precision.
    fn digits(&self, number: i64) -> String {
        format!("{number:0width$}", width = self.precision.unwrap_or(0))
    }

    fn padded(&self, text: String) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        let pad = |c: char| c.to_string().repeat(missing);
        match (self.left, self.zeros) {
            (true, _) => text + &pad(' '),
            (false, true) => pad('0') + &text,
            (false, false) => pad(' ') + &text,
        }
    }
}

fn agent_address(trap: &TrapV1) -> Ipv4Addr {
    Ipv4Addr::from(trap.agent_addr)
}

/// The name of generic-trap.
fn what(generic: i32) -> &'static str {
    match generic {
        0 => "Cold Start",
        1 => "Warm Start",
        2 => "Link Down",
        3 => "Link Up",
        4 => "Authentication Failure",
        5 => "EGP Neighbor Loss",
        _ => "Enterprise Specific",
    }
}

/// A stranger's octets, which end no line.
fn shown(octets: Option<&[u8]>) -> String {
    visible(&String::from_utf8_lossy(octets.unwrap_or_default())).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use trunkline_client::Transport;
    use trunkline_snmp::SecurityLevel;

    use super::*;

    /// A notification, as a trap of SNMPv1 or of SNMPv2c.
    fn received(is_v1: bool) -> Received {
        let bindings = vec![VarBind::new("1.3.6.1.2.1.1.4.0".parse().unwrap(), Value::text("a\nb"))];
        let trap = TrapV1 {
            enterprise: "1.3.6.1.4.1.9".parse().unwrap(),
            agent_addr: [192, 0, 2, 7],
            generic: 6,
            specific: 2,
            time_stamp: 55,
            bindings,
        };
        Received {
            at: UNIX_EPOCH,
            peer: ([127, 0, 0, 1], 5000).into(),
            local: Some(([127, 0, 0, 1], 162).into()),
            transport: Transport::Udp,
            version: if is_v1 { Version::V1 } else { Version::V2c },
            kind: if is_v1 { PduKind::TrapV1 } else { PduKind::TrapV2 },
            level: SecurityLevel::NoAuthNoPriv,
            user: None,
            community: Some(b"pub\nlic".to_vec()),
            engine_id: Vec::new(),
            context_engine_id: Vec::new(),
            context_name: Vec::new(),
            notification: Notification::from_trap_v1(&trap).unwrap(),
            trap_v1: is_v1.then_some(trap),
        }
    }

    fn check(formats: &Formats, is_v1: bool, written: fn(&Scene<'_>) -> String, expected: &str) {
        let (received, names) = (received(is_v1), Names::built_in());
        let mut style = Style::default();
        style.names = trunkline_mib::NameForm::Numeric;
        let scene = Scene { received: &received, names: &names, style, formats, host: "host" };
        assert_eq!(written(&scene), expected);
    }

    /// As snmptrapd 5.9.3 writes them to /dev/log.
    #[test]
    fn lines_of_syslog_are_those_of_snmptrapd() {
        let mut formats = Formats::default();
        let of_v1 =
            "192.0.2.7: Enterprise Specific Trap (.2) Uptime: 0:00:00.55, .1.3.6.1.2.1.1.4.0 = STRING: a\\nb";
        let of_v2 = "host [UDP: [127.0.0.1]:5000->[127.0.0.1]:162]: Trap , .1.3.6.1.2.1.1.3.0 = Timeticks: (55) 0:00:00.55, \
                     .1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.4.1.9.0.2, .1.3.6.1.2.1.1.4.0 = STRING: a\\nb";
        check(&formats, true, |scene| scene.syslog(), of_v1);
        check(&formats, false, |scene| scene.syslog(), of_v2);
        assert!(formats.set("syslog", "%u\\n%W\\n"));
        check(&formats, true, |scene| scene.syslog(), "pub\\nlic Enterprise Specific");
        assert!(!formats.set("paper", "%u") && !formats.set("print3", "%u"));
    }

    #[test]
    fn what_is_not_a_sequence_stands_for_itself() {
        for (format, expected) in [
            ("%", ""),
            ("%5", ""),
            ("%z%-%y", "z%y"),
            ("100%%", "100%"),
            ("\\", "\\"),
            ("a\\tb\\q", "a\tb\\q"),
            ("%3w|%-3w|%03w|%.3w|%5.2a|%#b", "  6|6  |006|006|   19|UDP: [127.0.0.1]:5000->[127.0.0.1]:162"),
            ("%99999999999999999999999w", &format!("{}6", " ".repeat(999))),
        ] {
            let mut formats = Formats::default();
            formats.set("print", format);
            check(&formats, true, |scene| scene.print(), expected);
        }
    }
}
