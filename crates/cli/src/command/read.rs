//! `trunkline get`, `next`, `bulk`: one question, its answer.

use std::io::Write;

use trunkline_mib::ObjectKind;
use trunkline_snmp::wire::{Bound, Exception, VarBind};

use super::paths;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::Printer;

/// Which of the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Get.
    Get,
    /// GetNext.
    Next,
}

/// Runs `get` or `next`.
pub async fn run<W: Write>(
    question: Question,
    given: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    if question == Question::Get
        && let Some(paths) = connection.paths(given)?
    {
        return paths::get(&paths, connection, printer).await;
    }
    let mut asked = connection.objects(given)?;
    let mut refused = false;
    loop {
        let answer = match question {
            Question::Get => connection.agent.get(&asked).await,
            Question::Next => connection.agent.next(&asked).await,
        };
        connection.show_octets(printer)?;
        let fault = match answer {
            Ok(answer) => {
                print(&answer.bindings, connection, printer)?;
                break;
            }
            Err(fault) => fault,
        };
        // SNMPv1 refuses the whole request because of one object: leave that one out and request the others.
        let missing = connection.missing_in_v1(&fault, asked.len()).filter(|_| asked.len() > 1);
        let missing = missing.ok_or_else(|| connection.failed(&fault))?;
        connection.say(&connection.failed(&fault).to_string());
        refused = true;
        asked.remove(missing);
    }
    printer.finish()?;
    if refused { Err(Error::Told) } else { Ok(()) }
}

/// Runs `bulk`.
pub async fn run_bulk<W: Write>(
    letters: &[String],
    given: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let asked = connection.objects(given)?;
    let (mut once, mut repetitions) = (0, 10);
    for (letter, number) in choices(letters)? {
        match (letter, number) {
            ('n', Some(number)) => once = number,
            ('r', Some(number)) => repetitions = number,
            ('n' | 'r', None) => {
                return Err(Error::Usage(format!("-C{letter} needs a number, as in -C{letter}5")));
            }
            (other, _) => {
                return Err(Error::Usage(format!("-C has no letter {other:?} here; it has n and r")));
            }
        }
    }
    let answer = connection.agent.bulk(once, repetitions, &asked).await;
    connection.show_octets(printer)?;
    let answer = answer.map_err(|fault| connection.failed(&fault))?;
    print(&answer.bindings, connection, printer)?;
    Ok(printer.finish()?)
}

/// The letters of `-C` with their numbers: `n1r10` is n with 1 and r with 10.
pub fn choices(given: &[String]) -> Result<Vec<(char, Option<u32>)>, Error> {
    let mut choices = Vec::new();
    for text in given {
        let mut rest = text.as_str();
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, after) = rest.split_at(digits);
            let too_large = |_| Error::Usage(format!("-C{letter}{number}: the number is too large"));
            let number = if number.is_empty() { None } else { Some(number.parse().map_err(too_large)?) };
            choices.push((letter, number));
            rest = after;
        }
    }
    Ok(choices)
}

fn print<W: Write>(
    bindings: &[VarBind],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    for binding in bindings {
        printer.binding(binding)?;
        if let Some(words) = hint(binding, connection) {
            printer.flush()?;
            connection.note(&words);
        }
    }
    Ok(())
}

/// A suggestion if an object was named instead of its instance.
fn hint(binding: &VarBind, connection: &Connection<'_>) -> Option<String> {
    let Bound::Exception(Exception::NoSuchObject | Exception::NoSuchInstance) = binding.value else {
        return None;
    };
    let description = connection.names.describe(&binding.name);
    if description.named != binding.name.len() {
        return None;
    }
    let name = description.name;
    match description.object?.kind {
        ObjectKind::Scalar => Some(format!("{name} is an object; its only instance is {name}.0")),
        ObjectKind::Column => Some(format!("{name} is a column; `trunkline walk` reads its instances")),
        ObjectKind::Table | ObjectKind::Entry => {
            Some(format!("{name} is a table; `trunkline table` or `trunkline walk` reads it"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_letters_with_numbers() {
        let of = |text: &str| choices(&[text.to_owned()]).unwrap();
        assert_eq!(of("n1r10"), [('n', Some(1)), ('r', Some(10))]);
        assert_eq!(of("c"), [('c', None)]);
        assert!(choices(&["r99999999999".to_owned()]).is_err());
    }
}
