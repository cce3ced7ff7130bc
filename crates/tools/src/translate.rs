//! `snmptranslate`: names to numbers and back, definitions, and lists of everything known.

use std::io::Write;

use trunkline_show::definitions::{detail, report, tree};
use trunkline_smi::Oid;

use super::ended::Ended;
use super::names::{Dictionary, unknown};
use super::settings::Settings;
use trunkline_show::print::Printer;

/// Characters per line by default: no line is broken.
const NO_WIDTH: usize = 1_000_000;

/// Runs the tool.
pub fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (words, wanted) = (&settings.operands, &settings.report);
    if words.is_empty() && wanted.is_empty() {
        return Err(Ended::usage(""));
    }
    if wanted.contains('B') || settings.input.best_match {
        return matches(settings, dictionary, printer);
    }
    let names = &dictionary.names;
    let width = settings.width.unwrap_or(NO_WIDTH);
    if words.is_empty() {
        names.read_folders();
        for list in wanted.chars().filter_map(report::Report::of) {
            printer.text(&list.write(names))?;
        }
        if wanted.contains('p') {
            let root = Oid::from([1]);
            printer.text(&tree::write(names, &root, width))?;
        }
    }
    for (number, word) in words.iter().enumerate() {
        let oid = dictionary.find_named(word).map_err(|detail| match settings.input.random_access {
            true => Ended::with_status(format!("Unknown object identifier: {word}"), 2),
            false => Ended::with_status(unknown(word, &detail), 2),
        })?;
        if wanted.contains('p') {
            printer.text(&tree::write(dictionary.names_for(word), &oid, width))?;
        } else {
            printer.text(&format!("{}\n", printer.name(&oid)))?;
            if wanted.contains('d') {
                printer.text(&detail::write(dictionary.names_for(word), &oid, width))?;
            }
        }
        if number + 1 < words.len() {
            printer.text("\n")?;
        }
    }
    Ok(printer.finish()?)
}

/// The objects whose names fit an expression: all of them (`-TB`), or the best (`-Ib`).
fn matches(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let word = settings.operands.first().map_or("", String::as_str);
    let found = match settings.report.contains('B') {
        true => dictionary.matching(word),
        false => dictionary.find(word).map(|oid| vec![oid]),
    };
    let found = found.ok().filter(|found| !found.is_empty());
    let missing = || Ended::failed(format!("Unable to find a matching object identifier for \"{word}\""));
    for oid in found.ok_or_else(missing)? {
        printer.text(&format!("{}\n", printer.name(&oid)))?;
    }
    Ok(printer.finish()?)
}
