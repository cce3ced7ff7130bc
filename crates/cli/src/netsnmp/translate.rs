//! `snmptranslate`: names to numbers and back, definitions, and lists of everything known.

mod detail;
mod report;
mod tree;

use std::io::Write;

use trunkline_smi::Oid;

use super::ended::Ended;
use super::names::{Dictionary, unknown};
use super::settings::Settings;
use crate::print::Printer;

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
        let oid = dictionary.find(word);
        let oid = oid.map_err(|detail| Ended::with_status(unknown(word, &detail), 2))?;
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

/// Words separated by `, `, broken if a line would exceed `width`. `at` is the position of the first one,
/// `next_line` the beginning of a new line and its width.
fn wrapped(out: &mut String, words: &[String], mut at: usize, width: usize, next_line: (&str, usize)) {
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        if at + word.len() + 2 > width {
            out.push('\n');
            out.push_str(next_line.0);
            at = next_line.1;
        }
        out.push_str(word);
        at += word.len() + 2;
    }
}

/// `0..255`, `8 | 11`.
fn ranges(ranges: &[(i64, i64)]) -> String {
    let one = |(low, high): &(i64, i64)| if low == high { low.to_string() } else { format!("{low}..{high}") };
    ranges.iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// `up(1)`.
fn named_numbers(names: &[(i64, String)]) -> Vec<String> {
    names.iter().map(|(number, name)| format!("{name}({number})")).collect()
}
