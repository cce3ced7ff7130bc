//! What the agent monitors: `monitor`, `notificationEvent`, `defaultMonitors`.
//!
//! Net-SNMP's monitors watch every instance of an object; ours watch one. Scalars have one, and of
//! the tables that the same files fill (prTable and its like) the rows are known.

use crate::collected::{Collected, Event, Monitor};
use crate::oids::{self, Kind};
use crate::source::Directive;

type Done = Result<(), String>;

/// Net-SNMP's default for how often a monitor looks: 600 s.
const EVERY: u64 = 600;

/// `defaultMonitors yes` is exactly this (snmpd.conf(5)).
const DEFAULTS: [&str; 6] = [
    "-o prNames -o prErrMessage \"process table\" prErrorFlag != 0",
    "-o memErrorName -o memSwapErrorMsg \"memory\" memSwapError != 0",
    "-o extNames -o extOutput \"extTable\" extResult != 0",
    "-o dskPath -o dskErrorMsg \"dskTable\" dskErrorFlag != 0",
    "-o laNames -o laErrMessage \"laTable\" laErrorFlag != 0",
    "-o fileName -o fileErrorMsg \"fileTable\" fileErrorFlag != 0",
];

pub(super) fn defaults(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    if !super::yes(directive.words().first()) {
        return Ok(());
    }
    for rest in &DEFAULTS[..5] {
        let one = Directive { rest: (*rest).to_string(), ..directive.clone() };
        monitor(collected, &one)?;
    }
    Ok(())
}

/// Options of `monitor`.
#[derive(Default)]
struct Options {
    delta: bool,
    event: Option<String>,
    instance: bool,
    /// Whether an object is exact (`-i`), and which it is.
    objects: Vec<(bool, String)>,
    every: Option<u64>,
}

/// `monitor [OPTIONS] NAME EXPRESSION`
pub(super) fn monitor(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (options, rest) = options(&words)?;
    let (name, expression) = rest.split_first().filter(|(name, _)| !name.is_empty()).ok_or("has no name")?;
    let (oid, tests) = tests(expression)?;
    let oid = oids::parse(&oid)?;
    let every = options.every.unwrap_or(EVERY).max(1);
    let rows = if options.instance { vec![Vec::new()] } else { rows(&oid, collected)? };
    if rows.is_empty() {
        return Ok(());
    }
    let several = rows.len() * tests.len() > 1;
    let mut number = 0;
    for row in &rows {
        let instance = [&oid[..], row].concat();
        let send: Vec<String> = options
            .objects
            .iter()
            .map(|(exact, object)| send(*exact, object, row))
            .collect::<Result<_, _>>()?;
        for (test, limits) in &tests {
            number += 1;
            // Of two numbers a dot in front makes an object.
            let sample = format!("{}{}", if instance.len() < 3 { "." } else { "" }, dots(&instance));
            let sample = if options.delta || test.delta { format!("delta({sample})") } else { sample };
            let expression = test.form.replace("VALUE", &sample);
            let suffix = if several { format!(" {number}") } else { String::new() };
            let mut name = name.clone();
            while name.len() + suffix.len() > 32 {
                name.pop();
            }
            collected.monitors.push(Monitor {
                name: format!("{name}{suffix}"),
                expression,
                limits: limits.clone(),
                every,
                event: options.event.clone(),
                send: send.clone(),
                origin: directive.origin.clone(),
            });
        }
    }
    Ok(())
}

fn dots(oid: &[u32]) -> String {
    oid.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// An object that is sent along: exact, or of the row that is watched.
fn send(exact: bool, object: &str, row: &[u32]) -> Result<String, String> {
    let oid = oids::parse(object)?;
    let suffix = match (exact, oids::kind(&oid)) {
        (true, _) => &[][..],
        (false, Kind::Scalar) => &[0][..],
        (false, _) => row,
    };
    Ok(dots(&[&oid[..], suffix].concat()))
}

fn options(words: &[String]) -> Result<(Options, &[String]), String> {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1;
        let mut value = || {
            at += 1;
            words.get(at - 1).cloned().ok_or_else(|| format!("{word} lacks its value"))
        };
        match word.as_str() {
            "-D" => options.delta = true,
            "-d" | "-di" => {
                value()?;
                options.delta = true;
            }
            "-e" => options.event = Some(value()?),
            "-I" => options.instance = true,
            "-i" => options.objects.push((true, value()?)),
            "-o" => options.objects.push((false, value()?)),
            "-r" => options.every = Some(frequency(&value()?)?),
            "-u" => drop(value()?),
            "-S" | "-s" => {}
            _ => return Err(format!("{word} is not an option of monitor")),
        }
    }
    Ok((options, &words[at..]))
}

/// Seconds, or a number followed by s, m, h, d or w.
fn frequency(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" | "S" => 1,
        "m" | "M" => 60,
        "h" | "H" => 3600,
        "d" | "D" => 86_400,
        "w" | "W" => 604_800,
        _ => return Err(format!("{text:?} is not a time")),
    };
    let number: u64 = digits.parse().map_err(|_| format!("{text:?} is not a time"))?;
    Ok(number.saturating_mul(unit).min(8760 * 3600))
}

/// How a sample becomes a number that a limit is for.
struct Test {
    form: String,
    delta: bool,
}

type Limits = Vec<(&'static str, String)>;

/// The object, and what is tested of it. Values are integers: `>= 5` is above 4, and `== 5` holds
/// where the square of the distance from 5 is below 1.
fn tests(words: &[String]) -> Result<(String, Vec<(Test, Limits)>), String> {
    let existence =
        "tests of existence and change (OID, ! OID, != OID) are not supported: monitors compare values";
    let number = |text: &String| text.parse::<i64>().map_err(|_| format!("{text:?} is not an integer"));
    let plain = |delta| Test { form: "VALUE".into(), delta };
    match words {
        [] => Err("has no expression".into()),
        [_] => Err(existence.into()),
        [mark, ..] if mark == "!" || mark == "!=" => Err(existence.into()),
        [oid, operator, value] if operator.starts_with(['!', '=', '<', '>']) => {
            let value = number(value)?;
            let square = || {
                let distance = if value < 0 {
                    format!("(VALUE + {})", value.unsigned_abs())
                } else {
                    format!("(VALUE - {value})")
                };
                Test { form: format!("{distance} * {distance}"), delta: false }
            };
            let test = match operator.as_str() {
                ">" => (plain(false), vec![("above", value.to_string())]),
                ">=" => (plain(false), vec![("above", value.saturating_sub(1).to_string())]),
                "<" => (plain(false), vec![("below", value.to_string())]),
                "<=" => (plain(false), vec![("below", value.saturating_add(1).to_string())]),
                "!=" if value == 0 => {
                    (Test { form: "VALUE * VALUE".into(), delta: false }, vec![("above", "0".into())])
                }
                "!=" => (square(), vec![("above", "0".into())]),
                "==" => (square(), vec![("below", "1".into())]),
                _ => return Err(format!("{operator:?} is not a comparison")),
            };
            Ok((oid.clone(), vec![test]))
        }
        [oid, low, high, deltas @ ..] => {
            let mut tests = thresholds(number(low)?, number(high)?, false)?;
            if let [low, high, ..] = deltas {
                tests.extend(thresholds(number(low)?, number(high)?, true)?);
            }
            Ok((oid.clone(), tests))
        }
        [oid, ..] => Err(format!("the test of {oid} is not understood")),
    }
}

/// A rising test that is ready again at the lower limit, and a falling one the other way round
/// (RFC 2981, mteTriggerThresholdTable: the limits themselves count).
fn thresholds(low: i64, high: i64, delta: bool) -> Result<Vec<(Test, Limits)>, String> {
    if low >= high {
        return Err(format!("the lower limit {low} is not below the upper one, {high}"));
    }
    let plain = || Test { form: "VALUE".into(), delta };
    Ok(vec![
        (plain(), vec![("above", high.saturating_sub(1).to_string()), ("clear", low.to_string())]),
        (plain(), vec![("below", low.saturating_add(1).to_string()), ("clear", high.to_string())]),
    ])
}

/// The sub-identifiers after an object's identifier, for each instance.
fn rows(oid: &[u32], collected: &Collected<'_>) -> Result<Vec<Vec<u32>>, String> {
    const UCD: [u32; 7] = [1, 3, 6, 1, 4, 1, 2021];
    match oids::kind(oid) {
        Kind::Scalar => return Ok(vec![vec![0]]),
        // Its end, or an instance already.
        Kind::Node => return Ok(vec![Vec::new()]),
        Kind::Column | Kind::Notification => {}
    }
    let count = match oid.strip_prefix(&UCD) {
        Some([2, ..]) => collected.programs.processes.len(),
        Some([8, ..]) => collected.programs.execs.len(),
        Some([9, ..]) if collected.programs.disks.iter().all(|(path, _, _)| path != "*") => {
            collected.programs.disks.len()
        }
        Some([10, ..]) => 3,
        _ => {
            return Err("monitors every row of a table: write a [[monitor]] for each instance, or one with -I in the old file".into());
        }
    };
    Ok((1..=count as u32).map(|row| vec![row]).collect())
}

/// `notificationEvent NAME NOTIFICATION [-m] [-i OID | -o OID]...`
pub(super) fn event(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [name, notification, rest @ ..] = words.as_slice() else {
        return Err("expected NAME NOTIFICATION".into());
    };
    let notification = dots(&oids::parse(notification)?);
    let mut send = Vec::new();
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-m" | "-n" => {}
            "-i" => send.push(dots(&oids::parse(rest.next().ok_or("-i lacks its object")?)?)),
            "-o" => {
                let oid = oids::parse(rest.next().ok_or("-o lacks its object")?)?;
                match oids::kind(&oid) {
                    Kind::Scalar => send.push(dots(&[&oid[..], &[0]].concat())),
                    _ => {
                        return Err("objects of the monitored row (-o) must be in the monitor line".into());
                    }
                }
            }
            _ => send.push(dots(&oids::parse(word)?)),
        }
    }
    collected.events.insert(name.clone(), Event { notification, send });
    Ok(())
}

/// `setEvent NAME OID = VALUE`
pub(super) fn set_event(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    collected.set_events.extend(directive.words().into_iter().next());
    Err("monitors send notifications; they set nothing".into())
}
