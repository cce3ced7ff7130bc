//! `--octets`: each message of the session, octet by octet and field by field, as in
//! figures 1 to 3 of Pras 2005.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use trunkline_client::{Credentials, Observer, UsmCredentials};
use trunkline_mib::{Names, Style};
use trunkline_smi::Oid;
use trunkline_snmp::usm::EngineId;
use trunkline_snmp::wire::compression::{Compression, expand};
use trunkline_snmp::wire::{Field, MsgData, ScopedPduData, ScopedPduRef, V3Message, V3MessageRef, annotate};

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
    /// Whose keys open what is encrypted.
    user: Option<Arc<UsmCredentials>>,
}

/// Both ends, for a session as these.
pub fn tap(show_community: bool, credentials: &Credentials) -> (Tap, Dump) {
    let (sender, passed) = channel();
    let user = match credentials {
        Credentials::Usm(user) => Some(Arc::clone(user)),
        Credentials::Community { .. } | Credentials::Transport(_) => None,
    };
    (Tap(sender), Dump { passed, began: Instant::now(), show_community, user })
}

impl Observer for Tap {
    fn sent(&self, octets: &[u8], at: Instant) {
        // The receiver is gone when the command has ended: that is not a loss.
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
            if let Some(inflated) = inflated(&octets) {
                let words = format!("without compression, {} octets\n", inflated.len());
                out.write_all((words + &describe(&inflated, names, self.show_community)).as_bytes())?;
            }
            let opened = self.user.as_ref().and_then(|user| opened(&octets, user));
            if let Some(opened) = opened {
                out.write_all(describe_opened(&opened, names).as_bytes())?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Octets a line.
const WIDTH: usize = 12;

/// A message whose PDU is deflated as it would be without that; `None` for any other, and for a broken one.
fn inflated(octets: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let expanded = expand(octets, &mut plain).ok()??;
    (expanded.how == Compression::Zlib).then_some(plain)
}

/// An encrypted message as it would be without encryption; `None` for any other, and where our user's keys do
/// not open it.
fn opened(octets: &[u8], user: &UsmCredentials) -> Option<Vec<u8>> {
    let read = V3MessageRef::decode(octets).ok()?;
    let MsgData::Encrypted(data) = read.data else { return None };
    let usm = read.usm().ok()?;
    let user = user.user_at(&EngineId::new(usm.engine_id).ok()?).ok()?;
    let mut plain = data.to_vec();
    user.privacy()?.decrypt(usm.moment, usm.privacy, &mut plain).ok()?;
    // DES pads with up to 7 octets (RFC 3414 section 8.1.1.2).
    let scoped = ScopedPduRef::decode(&plain, 7).ok()?.to_owned_pdu().ok()?;
    let message = V3Message::decode(octets).ok()?;
    Some(V3Message { data: ScopedPduData::Plain(scoped), ..message }.encode())
}

/// What was encrypted, in lines: offsets are those in the scoped PDU.
fn describe_opened(octets: &[u8], names: &Names) -> String {
    let fields = annotate(octets);
    let start = fields.iter().position(|field| field.name == "scopedPDU").unwrap_or(fields.len());
    let begin = fields.get(start).map_or(octets.len(), |field| field.offset);
    let inside = fields.into_iter().skip(start);
    let inside = inside.map(|field| Field { offset: field.offset - begin, ..field });
    format!("decrypted\n{}", describe_fields(&octets[begin..], inside, names, true))
}

/// The message in lines: offset, octets, and their meaning.
fn describe(octets: &[u8], names: &Names, show_community: bool) -> String {
    describe_fields(octets, annotate(octets), names, show_community)
}

fn describe_fields(
    octets: &[u8],
    fields: impl IntoIterator<Item = Field>,
    names: &Names,
    show_community: bool,
) -> String {
    let mut out = String::new();
    for field in fields {
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

/// The object's name after its number.
fn named(detail: &str, names: &Names) -> String {
    let number = detail.rsplit(' ').next().and_then(|last| last.parse::<Oid>().ok());
    number.map_or_else(String::new, |oid| format!(" ({})", names.format_oid(&oid, &Style::default())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_snmp::wire::compression::compress;
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
    fn compressed_messages_are_read_and_their_community_is_not_shown() {
        let names = Names::built_in();
        let asked = ["ifDescr.1", "ifMtu.1"].map(|name| names.resolve(name).unwrap());
        let pdu = Pdu::read(PduKind::Get, 77, &asked);
        let plain = Message { version: Version::V2c, community: b"secret".to_vec(), pdu }.encode();
        for how in Compression::ALL {
            let mut octets = Vec::new();
            compress(&plain, how, &mut octets).unwrap();
            let (tap, dump) = tap(false, &Credentials::community(Version::V2c, b"secret"));
            tap.sent(&octets, Instant::now());
            let mut out = Vec::new();
            dump.write(&names, &mut out).unwrap();
            let shown = String::from_utf8(out).unwrap();
            assert!(
                shown.contains("IF-MIB::ifDescr.1") && shown.contains("IF-MIB::ifMtu.1"),
                "{how}: {shown}"
            );
            assert!(!shown.contains("WRONG") && !shown.contains("secret"), "{how}: {shown}");
        }
    }

    #[test]
    fn the_community_is_not_shown() {
        let shown = describe(&request(), &Names::built_in(), false);
        assert!(!shown.contains("secret") && !shown.contains("73 65 63"), "{shown}");
        assert!(shown.contains("04 06 ** ** ** ** ** **"), "{shown}");
    }
}
