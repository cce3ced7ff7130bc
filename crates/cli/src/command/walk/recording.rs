//! `--record`: what a walk finds, in the format of snmpsim (`.snmprec`), in the order of the names.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use trunkline_snmp::snmprec;
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
        let line = snmprec::line(&binding.name, value);
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
