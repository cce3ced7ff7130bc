//! Answers to standard output: text, JSON or CSV, one writer for all commands.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;

use serde::Serialize;
use trunkline_mib::{Names, Quick, Style};
use trunkline_smi::{visible, visible_lines};
use trunkline_snmp::wire::{Bound, VarBind};

use crate::record::{HEADER, Record, line};

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people, as Net-SNMP writes.
    Text,
    /// One JSON array.
    Json,
    /// One JSON object a line, each when it comes.
    JsonLines,
    /// CSV with a header.
    Csv,
}

/// A leaf of YANG data; `docs/json.md` describes the fields.
#[derive(Debug, Serialize)]
struct LeafRecord<'r> {
    path: &'r str,
    value: Option<&'r str>,
}

/// Writes answers. Call [`Printer::finish`] at the end.
pub struct Printer<'n, W: Write> {
    out: W,
    names: &'n Names,
    style: Style,
    form: Form,
    coloured: bool,
    written: u64,
    /// How many of the requested things the agent does not have.
    missing: u64,
    tag: Option<Tag>,
}

/// Of which agent answers are, where several printers write one document.
#[derive(Clone, Debug, Default)]
pub struct Tag {
    /// What output calls the agent; nothing for the printer that ends the document.
    pub target: Option<String>,
    /// How many records all printers have written.
    pub written: Rc<Cell<u64>>,
}

/// A record with its agent.
#[derive(Serialize)]
struct Tagged<'r, T: Serialize> {
    target: &'r str,
    #[serde(flatten)]
    record: &'r T,
}

impl<'n, W: Write> Printer<'n, W> {
    /// A printer; colour is only for [`Form::Text`].
    pub fn new(out: W, names: &'n Names, style: Style, form: Form, coloured: bool) -> Self {
        Printer { out, names, style, form, coloured, written: 0, missing: 0, tag: None }
    }

    /// The same for one of many agents.
    pub fn with_tag(self, tag: Tag) -> Self {
        Printer { tag: Some(tag), ..self }
    }

    /// The agent, in front of each line of text.
    fn front(&self) -> String {
        let label = self.tag.as_ref().and_then(|tag| tag.target.as_deref());
        label.map_or_else(String::new, |label| match self.coloured {
            true => format!("\x1b[1m{}\x1b[0m: ", visible(label)),
            false => format!("{}: ", visible(label)),
        })
    }

    /// Counts a record; returns how many the document had before.
    fn count(&mut self) -> u64 {
        let before = self.tag.as_ref().map_or(self.written, |tag| tag.written.replace(tag.written.get() + 1));
        self.written += 1;
        before
    }

    /// Counts something that the agent does not have.
    pub fn count_missing(&mut self) {
        self.missing += 1;
    }

    /// How many of the requested things the agent does not have.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Writes one binding.
    pub fn binding(&mut self, binding: &VarBind) -> io::Result<()> {
        self.missing += u64::from(matches!(binding.value, Bound::Exception(_)));
        match self.form {
            Form::Text => {
                let text = line(self.names, &self.style, binding);
                let text = if self.coloured { self.colour(&text) } else { text };
                self.count();
                let front = self.front();
                writeln!(self.out, "{front}{text}")
            }
            Form::Csv => {
                let record = Record::new(self.names, &self.style, binding);
                self.row(&HEADER, &record.cells())
            }
            Form::Json | Form::JsonLines => {
                let record = Record::new(self.names, &self.style, binding);
                self.object(&record)
            }
        }
    }

    /// Writes a leaf of YANG data; nothing if there is no value.
    pub fn leaf(&mut self, path: &str, value: Option<&str>) -> io::Result<()> {
        match self.form {
            Form::Text => {
                let value = value.unwrap_or("no such data, or none that you may read");
                let text = format!("{} = {}", visible(path), visible(value));
                let text = if self.coloured { self.colour(&text) } else { text };
                self.count();
                let front = self.front();
                writeln!(self.out, "{front}{text}")
            }
            Form::Csv => {
                self.row(&["path", "value"], &[path.to_owned(), value.unwrap_or_default().to_owned()])
            }
            Form::Json | Form::JsonLines => self.object(&LeafRecord { path, value }),
        }
    }

    /// Writes one JSON object, as an element of the array or as a line.
    pub fn object(&mut self, object: &impl Serialize) -> io::Result<()> {
        let label = self.tag.as_ref().and_then(|tag| tag.target.as_deref());
        let text = match label {
            Some(target) => serde_json::to_string(&Tagged { target, record: object })?,
            None => serde_json::to_string(object)?,
        };
        let before = match (self.form, self.count()) {
            (Form::Json, 0) => "[\n",
            (Form::Json, _) => ",\n",
            _ => "",
        };
        let after = if self.form == Form::Json { "" } else { "\n" };
        write!(self.out, "{before}{text}{after}")
    }

    /// Writes one line of CSV, before the first one the header. No cell makes a spreadsheet compute.
    pub fn row(&mut self, header: &[impl AsRef<str>], cells: &[String]) -> io::Result<()> {
        let before = self.count();
        let label = self.tag.as_ref().and_then(|tag| tag.target.clone());
        let mut csv = csv::WriterBuilder::new().from_writer(&mut self.out);
        if before == 0 {
            let target = label.iter().map(|_| "target");
            csv.write_record(target.chain(header.iter().map(AsRef::as_ref)))?;
        }
        csv.write_record(label.iter().chain(cells).map(|cell| safe(cell).into_owned()))?;
        csv.flush()
    }

    /// Prints our own lines. Strangers' text in it has been made visible before, so that it ends no line;
    /// anything else that would control a terminal is escaped here.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        let front = self.front();
        if front.is_empty() {
            return self.out.write_all(visible_lines(text).as_bytes());
        }
        visible_lines(text).lines().try_for_each(|line| writeln!(self.out, "{front}{line}"))
    }

    /// The same for lines that belong together: of many agents they are below the agent's name.
    pub fn block(&mut self, text: &str) -> io::Result<()> {
        let front = self.front();
        if !front.is_empty() {
            writeln!(self.out, "{}", front.trim_end())?;
        }
        self.out.write_all(visible_lines(text).as_bytes())?;
        if front.is_empty() { Ok(()) } else { writeln!(self.out) }
    }

    /// How names and values are written.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// Changes whether values stand alone, without their types (Net-SNMP's quick printing).
    pub fn set_quick(&mut self, quick: Quick) {
        self.style.quick = quick;
    }

    /// An object's name as this printer writes names.
    pub fn name(&self, oid: &[u32]) -> String {
        self.names.format_oid(oid, &self.style)
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// How many answers were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the document.
    pub fn finish(&mut self) -> io::Result<()> {
        let written = match &self.tag {
            // Others write to the same document.
            Some(Tag { target: Some(_), .. }) => return self.out.flush(),
            Some(tag) => tag.written.get(),
            None => self.written,
        };
        match (self.form, written) {
            (Form::Json, 0) => self.out.write_all(b"[]\n")?,
            (Form::Json, _) => self.out.write_all(b"\n]\n")?,
            _ => {}
        }
        self.out.flush()
    }

    /// The name dimmed, so that the value is prominent; the line reads the same without colour.
    fn colour(&self, text: &str) -> String {
        let separator = if self.style.quick == Quick::Space { " " } else { " = " };
        match text.split_once(separator) {
            Some((name, value)) if !self.style.value_only => {
                format!("\x1b[36m{name}\x1b[0m{separator}{value}")
            }
            _ => text.to_owned(),
        }
    }
}

/// A cell of CSV as it is written: on one line, and, unless it is a number, with an apostrophe before a first
/// character that makes spreadsheets compute (OWASP, "CSV Injection").
fn safe(cell: &str) -> Cow<'_, str> {
    let text = visible(cell);
    let computes = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    // A lone `-` is ours: the agent has no value there.
    if !computes || text == "-" || is_number(&text) { text } else { format!("'{text}").into() }
}

/// `-5`, `+1.5`, `-2e9`: digits, and nothing else that a spreadsheet or Rust may parse as a number.
fn is_number(text: &str) -> bool {
    text.bytes().all(|octet| octet.is_ascii_digit() || b"+-.eE".contains(&octet))
        && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::Value;

    fn printed(form: Form, count: u32) -> String {
        let names = Names::built_in();
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, &names, Style::default(), form, false);
        for index in 1..=count {
            let name = names.resolve("ifDescr").unwrap().child(&[index]);
            printer.binding(&VarBind::new(name, Value::text("a,b"))).unwrap();
        }
        printer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_form_is_one_sound_document() {
        for count in 0..3u32 {
            let document: serde_json::Value = serde_json::from_str(&printed(Form::Json, count)).unwrap();
            assert_eq!(document.as_array().unwrap().len(), count as usize);
            let lines = printed(Form::JsonLines, count);
            assert_eq!(lines.lines().count(), count as usize);
            assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
        }
        assert_eq!(
            printed(Form::Csv, 1),
            "oid,name,type,value,text,units\n1.3.6.1.2.1.2.2.1.2.1,IF-MIB::ifDescr.1,OCTET STRING,612c62,\"a,b\",\n"
        );
        assert_eq!(printed(Form::Text, 1), "IF-MIB::ifDescr.1 = STRING: a,b\n");
    }

    #[test]
    fn cells_are_never_formulas_and_numbers_stay_numbers() {
        for (cell, expected) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
            ("-1+1", "'-1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1", "'＝1"),
            ("\t=1", "\\t=1"),
            ("-5", "-5"),
            ("+1.5", "+1.5"),
            ("-", "-"),
            ("-inf", "'-inf"),
            ("a=b\nc", "a=b\\nc"),
            ("eth0", "eth0"),
        ] {
            assert_eq!(safe(cell), expected, "{cell:?}");
        }
    }
}
