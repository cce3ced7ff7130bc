//! Answers to the standard output: text, JSON or CSV, one writer for all commands.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use trunkline_mib::{Names, Quick, Style};
use trunkline_snmp::wire::VarBind;

use crate::arguments::{Colour, OutputArgs};
use crate::error::Error;
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

impl OutputArgs {
    /// The form, for a command that gives all at once or (`streams`) one by one.
    pub fn form(&self, streams: bool) -> Form {
        match (self.json, self.csv, streams) {
            (true, _, false) => Form::Json,
            (true, _, true) => Form::JsonLines,
            (false, true, _) => Form::Csv,
            (false, false, _) => Form::Text,
        }
    }

    /// The style of names and values.
    pub fn style(&self) -> Result<Style, Error> {
        let mut style = Style::default();
        for letters in &self.letters {
            style.apply(letters).map_err(|fault| Error::Usage(fault.to_string()))?;
        }
        Ok(style)
    }

    /// Whether to colour the standard output.
    pub fn is_coloured(&self) -> bool {
        match self.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }
}

/// Writes answers. Call [`Printer::finish`] at the end.
pub struct Printer<'n, W: Write> {
    out: W,
    names: &'n Names,
    style: Style,
    form: Form,
    coloured: bool,
    written: u64,
}

impl<'n, W: Write> Printer<'n, W> {
    /// A printer; colour is only for [`Form::Text`].
    pub fn new(out: W, names: &'n Names, style: Style, form: Form, coloured: bool) -> Self {
        Printer { out, names, style, form, coloured, written: 0 }
    }

    /// Writes one binding.
    pub fn binding(&mut self, binding: &VarBind) -> io::Result<()> {
        match self.form {
            Form::Text => {
                let text = line(self.names, &self.style, binding);
                let text = if self.coloured { self.colour(&text) } else { text };
                self.written += 1;
                writeln!(self.out, "{text}")
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

    /// Writes one JSON object, as an element of the array or as a line.
    pub fn object(&mut self, object: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(object)?;
        let before = match (self.form, self.written) {
            (Form::Json, 0) => "[\n",
            (Form::Json, _) => ",\n",
            _ => "",
        };
        let after = if self.form == Form::Json { "" } else { "\n" };
        self.written += 1;
        write!(self.out, "{before}{text}{after}")
    }

    /// Writes one line of CSV, before the first one the header.
    pub fn row(&mut self, header: &[impl AsRef<str>], cells: &[String]) -> io::Result<()> {
        let mut csv = csv::WriterBuilder::new().from_writer(&mut self.out);
        if self.written == 0 {
            csv.write_record(header.iter().map(AsRef::as_ref))?;
        }
        self.written += 1;
        csv.write_record(cells)?;
        csv.flush()
    }

    /// Writes a text as it is.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// How names and values are written.
    pub fn style(&self) -> &Style {
        &self.style
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

    /// Sends what was written on its way.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the document.
    pub fn finish(&mut self) -> io::Result<()> {
        match (self.form, self.written) {
            (Form::Json, 0) => self.out.write_all(b"[]\n")?,
            (Form::Json, _) => self.out.write_all(b"\n]\n")?,
            _ => {}
        }
        self.out.flush()
    }

    /// The name dimmed, so that the value stands out; the line reads the same without.
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
}
