//! `--record`: what a walk finds, in the format of snmpsim (`.snmprec`): `OID|TAG|VALUE`, in the order of the names.
//!
//! The tag is the number of the type on the wire; an `x` behind it says that the value is in hexadecimal, and is written
//! where the text could not be read back as it was.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, VarBind};

use crate::error::Error;
use crate::print::Printer;

/// Where it is written.
pub enum Recording {
    /// To a file, beside the usual lines.
    File {
        /// The file's name, for messages.
        name: String,
        /// The file.
        out: BufWriter<File>,
    },
    /// To standard output, in place of the usual lines.
    Output,
}

impl Recording {
    /// Creates the file, whose former content is gone then. `-` is standard output.
    pub fn create(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Ok(Recording::Output);
        }
        let name = path.display().to_string();
        match File::create(path) {
            Ok(file) => Ok(Recording::File { name, out: BufWriter::new(file) }),
            Err(fault) => Err(failed(&name, &fault)),
        }
    }

    /// Whether the usual lines are printed as well.
    pub fn prints_lines(&self) -> bool {
        matches!(self, Recording::File { .. })
    }

    /// Writes a binding. An exception is not an instance, and is left out.
    pub fn write<W: Write>(&mut self, binding: &VarBind, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let Bound::Value(value) = &binding.value else { return Ok(()) };
        let line = line(&binding.name, value);
        match self {
            Recording::File { name, out } => {
                out.write_all(line.as_bytes()).map_err(|fault| failed(name, &fault))
            }
            Recording::Output => Ok(printer.text(&line)?),
        }
    }

    /// Writes what is left.
    pub fn finish(&mut self) -> Result<(), Error> {
        match self {
            Recording::File { name, out } => out.flush().map_err(|fault| failed(name, &fault)),
            Recording::Output => Ok(()),
        }
    }
}

fn failed(name: &str, fault: &std::io::Error) -> Error {
    Error::Runtime(format!("{name}: {fault}"))
}

fn line(name: &Oid, value: &Value) -> String {
    let (tag, text) = match value {
        Value::Integer(number) => ("2", number.to_string()),
        Value::OctetString(octets) if is_plain(octets) => ("4", String::from_utf8_lossy(octets).into_owned()),
        Value::OctetString(_) => ("4x", value.as_value_ref().to_string()),
        Value::ObjectIdentifier(oid) => ("6", oid.to_string()),
        Value::IpAddress(octets) => ("64x", octets.iter().map(|octet| format!("{octet:02x}")).collect()),
        Value::Counter32(number) => ("65", number.to_string()),
        Value::Unsigned32(number) => ("66", number.to_string()),
        Value::TimeTicks(number) => ("67", number.to_string()),
        Value::Opaque(_) => ("68x", value.as_value_ref().to_string()),
        Value::Counter64(number) => ("70", number.to_string()),
    };
    format!("{name}|{tag}|{text}\n")
}

/// Whether the text is read back as it is: visible ASCII without spaces at its ends, which readers cut off.
fn is_plain(octets: &[u8]) -> bool {
    let is_printed = |octet: &u8| octet.is_ascii_graphic() || *octet == b' ';
    octets.iter().all(is_printed) && octets.first() != Some(&b' ') && octets.last() != Some(&b' ')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_type_has_its_tag() {
        let name = Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]);
        for (value, expected) in [
            (Value::Integer(-5), "2|-5"),
            (Value::text("a|b c"), "4|a|b c"),
            (Value::text(""), "4|"),
            (Value::text(" a"), "4x|2061"),
            (Value::text("a\n"), "4x|610a"),
            (Value::OctetString(vec![0, 255]), "4x|00ff"),
            (Value::ObjectIdentifier(Oid::from([1, 3, 6])), "6|1.3.6"),
            (Value::IpAddress([10, 0, 0, 1]), "64x|0a000001"),
            (Value::Counter32(u32::MAX), "65|4294967295"),
            (Value::Unsigned32(7), "66|7"),
            (Value::TimeTicks(8), "67|8"),
            (Value::Opaque(vec![0x9f]), "68x|9f"),
            (Value::Counter64(u64::MAX), "70|18446744073709551615"),
        ] {
            assert_eq!(line(&name, &value), format!("1.3.6.1.2.1.1.5.0|{expected}\n"));
        }
    }

    proptest! {
        #[test]
        fn octets_are_read_back_as_they_were(octets: Vec<u8>) {
            let text = line(&Oid::from([1, 3]), &Value::OctetString(octets.clone()));
            prop_assert_eq!(text.matches('\n').count(), 1);
            // As snmpsim reads a line.
            let fields: Vec<&str> = text.trim().splitn(3, '|').collect();
            let read = match fields[1] {
                "4x" => (0..fields[2].len() / 2).map(|at| u8::from_str_radix(&fields[2][at * 2..at * 2 + 2], 16).unwrap()).collect(),
                _ => fields[2].as_bytes().to_vec(),
            };
            prop_assert_eq!(read, octets);
        }
    }
}
