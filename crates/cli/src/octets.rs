//! `--octets`: each message of the session, octet by octet and field by field, as in
//! figures 1 to 3 of Pras 2005.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use trunkline_client::Observer;
use trunkline_mib::{Names, Style};
use trunkline_smi::Oid;
use trunkline_snmp::wire::{Field, annotate};

/// A message that passed.
struct Passed {
    sent: bool,
    octets: Vec<u8>,
    at: Instant,
}

/// Sees the messages on the session's task and hands them on.
pub struct Tap(Sender<Passed>);

/// Writes what the [`Tap`] saw.
pub struct Dump {
    passed: Receiver<Passed>,
    began: Instant,
    show_community: bool,
}

/// Both ends.
pub fn tap(show_community: bool) -> (Tap, Dump) {
    let (sender, passed) = channel();
    (Tap(sender), Dump { passed, began: Instant::now(), show_community })
}

impl Observer for Tap {
    fn sent(&self, octets: &[u8], at: Instant) {
        // Nobody listens any more when the command has ended: that is no loss.
        let _ = self.0.send(Passed { sent: true, octets: octets.to_vec(), at });
    }

    fn received(&self, octets: &[u8], at: Instant) {
        let _ = self.0.send(Passed { sent: false, octets: octets.to_vec(), at });
    }
}

impl Dump {
    /// Writes the messages that passed since the last time.
    pub fn write(&self, names: &Names, out: &mut impl Write) -> io::Result<()> {
        while let Ok(Passed { sent, octets, at }) = self.passed.try_recv() {
            let direction = if sent { "sent" } else { "received" };
            let after = at.saturating_duration_since(self.began).as_secs_f64() * 1000.0;
            writeln!(out, "{direction} {} octets after {after:.3} ms", octets.len())?;
            out.write_all(describe(&octets, names, self.show_community).as_bytes())?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Octets a line.
const WIDTH: usize = 12;

/// The message in lines: offset, octets, and what they are.
fn describe(octets: &[u8], names: &Names, show_community: bool) -> String {
    let mut out = String::new();
    for field in annotate(octets) {
        let hidden = field.name == "community" && !show_community;
        let meaning = meaning(&field, hidden, names);
        let own = &octets[field.offset..(field.offset + field.len).min(octets.len())];
        for (position, line) in own.chunks(WIDTH).enumerate() {
            let at = field.offset + position * WIDTH;
            let header = field.offset + field.header;
            let digits: Vec<String> = line
                .iter()
                .enumerate()
                .map(
                    |(i, octet)| {
                        if hidden && at + i >= header { "**".to_owned() } else { format!("{octet:02x}") }
                    },
                )
                .collect();
            let text = if position == 0 { meaning.as_str() } else { "" };
            let digits = digits.join(" ");
            let padded = format!("{at:6}  {digits:<width$}  {text}", width = WIDTH * 3 - 1);
            let _ = writeln!(out, "{}", padded.trim_end()); // writing to a String cannot fail
        }
    }
    out
}

fn meaning(field: &Field, hidden: bool, names: &Names) -> String {
    let indent = "  ".repeat(field.depth);
    let mark = if field.wrong { "WRONG: " } else { "" };
    let detail = match hidden {
        true => format!("OCTET STRING, {} octets not shown (--show-community)", field.len - field.header),
        false => field.detail.clone(),
    };
    let name = if field.name == "name" { named(&detail, names) } else { String::new() };
    format!("{indent}{mark}{} {detail}{name}", field.name)
}

/// The object's name behind its number.
fn named(detail: &str, names: &Names) -> String {
    let number = detail.rsplit(' ').next().and_then(|last| last.parse::<Oid>().ok());
    number.map_or_else(String::new, |oid| format!(" ({})", names.format_oid(&oid, &Style::default())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_snmp::wire::{Message, Pdu, PduKind, Version};

    fn request() -> Vec<u8> {
        let name = Names::built_in().resolve("ifDescr.2").unwrap();
        let pdu = Pdu::read(PduKind::Get, 77, [&name]);
        Message { version: Version::V2c, community: b"secret".to_vec(), pdu }.encode()
    }

    #[test]
    fn every_octet_has_its_line_and_names_are_known() {
        let octets = request();
        let shown = describe(&octets, &Names::built_in(), true);
        assert!(shown.contains("IF-MIB::ifDescr.2") && shown.contains("GetRequest"), "{shown}");
        let digits = |line: &str| line.get(8..8 + WIDTH * 3).unwrap_or(&line[8..]).split_whitespace().count();
        assert_eq!(shown.lines().map(digits).sum::<usize>(), octets.len(), "{shown}");
    }

    #[test]
    fn the_community_is_not_shown() {
        let shown = describe(&request(), &Names::built_in(), false);
        assert!(!shown.contains("secret") && !shown.contains("73 65 63"), "{shown}");
        assert!(shown.contains("04 06 ** ** ** ** ** **"), "{shown}");
    }
}
