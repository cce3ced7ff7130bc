//! What the agent samples, and what happens then: `monitor`, `notificationEvent`, `setEvent`, `defaultMonitors`, and by whose
//! rights.

use trunkline_smi::module;

use crate::collected::{Collected, Event, Monitor, Test};
use crate::oids::{self, Kind};
use crate::source::Directive;

type Done = Result<(), String>;

/// Net-SNMP's default for how often a monitor looks: 600 s.
const EVERY: u64 = 600;

/// The longest name that Net-SNMP keeps.
const LONGEST_NAME: usize = 30;

/// `defaultMonitors yes` is exactly this. fileTable and snmperrs are in numbers, since not every agent has them.
const DEFAULTS: [&str; 7] = [
    "-o prNames -o prErrMessage \"process table\" prErrorFlag != 0",
    "-o memErrorName -o memSwapErrorMsg \"memory\" memSwapError != 0",
    "-o extNames -o extOutput \"extTable\" extResult != 0",
    "-o dskPath -o dskErrorMsg \"dskTable\" dskErrorFlag != 0",
    "-o laNames -o laErrMessage \"laTable\" laErrorFlag != 0",
    "-o .1.3.6.1.4.1.2021.15.1.2 -o .1.3.6.1.4.1.2021.15.1.101 \"fileTable\" .1.3.6.1.4.1.2021.15.1.100 != 0",
    "-o .1.3.6.1.4.1.2021.101.101 \"snmperrs\" .1.3.6.1.4.1.2021.101.100 != 0",
];

pub(super) fn defaults(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    if !super::yes(directive.words().first()) {
        return Ok(());
    }
    for rest in DEFAULTS {
        let one = Directive { rest: rest.to_string(), ..directive.clone() };
        monitor(collected, &one)?;
    }
    Ok(())
}

/// `iquerySecName NAME`, `agentSecName NAME`
pub(super) fn user(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let name = directive.words().into_iter().next().ok_or("names no user")?;
    let user = (user_named(&name)?, directive.origin.clone());
    if let Some((_, earlier)) = collected.monitor_user.replace(user) {
        let why = format!("{} sets it again, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}

fn user_named(name: &str) -> Result<String, String> {
    match name.len() {
        1..=32 => Ok(name.to_owned()),
        _ => Err(format!("{name:?} is not a user: a user's name has 1 to 32 octets")),
    }
}

/// `strictDisman yes`
pub(super) fn strict(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let is_strict = super::yes(directive.words().first());
    if !is_strict {
        collected.unneeded(&directive.origin, &directive.name, "that is the default");
    }
    let earlier = std::mem::replace(&mut collected.strict_order, is_strict.then(|| directive.origin.clone()));
    if let Some(earlier) = earlier {
        let why = format!("{} says it again, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}

/// Options of `monitor`.
#[derive(Default)]
struct Options {
    delta: bool,
    /// Whether the marker is exact (`-di`), and which it is.
    discontinuity: Option<(bool, String)>,
    event: Option<String>,
    instance: bool,
    no_startup: bool,
    /// Whether an object is exact (`-i`), and which it is.
    objects: Vec<(bool, String)>,
    every: Option<u64>,
    user: Option<String>,
}

/// `monitor [OPTIONS] NAME EXPRESSION`; options may also stand behind the name.
pub(super) fn monitor(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let mut options = Options::default();
    let rest = take_options(&words, &mut options)?;
    let (name, rest) = rest.split_first().filter(|(name, _)| !name.is_empty()).ok_or("has no name")?;
    let expression = take_options(rest, &mut options)?;
    let (oid, test) = test(expression, !options.no_startup)?;
    let wildcard = !options.instance;
    let written = |(exact, object): &(bool, String)| object_of(object, wildcard && !exact);
    let differs_twice = test.pairs.iter().any(|pair| pair.starts_with("delta-"));
    if differs_twice && options.delta {
        return Err("the limits DMIN and DMAX are of differences already: leave out -D".into());
    }
    collected.monitors.push(Monitor {
        name: short(name),
        object: with_instance(&oids::parse(&oid)?, wildcard),
        test,
        delta: options.delta,
        discontinuity: options.discontinuity.as_ref().map(written).transpose()?,
        objects: options.objects.iter().map(written).collect::<Result<_, _>>()?,
        every: options.every.unwrap_or(EVERY).max(1),
        event: options.event.as_deref().map(short),
        user: options.user.as_deref().map(user_named).transpose()?,
        origin: directive.origin.clone(),
    });
    Ok(())
}

fn dots(oid: &[u32]) -> String {
    oid.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// An object as the configuration has it: with `.*` where the instance is put that is sampled.
fn with_instance(oid: &[u32], wildcard: bool) -> String {
    // Of two numbers a dot in front makes an object.
    let start = if oid.len() < 3 { "." } else { "" };
    format!("{start}{}{}", dots(oid), if wildcard { ".*" } else { "" })
}

/// An object beside the sampled one. A scalar has one instance, whichever instance of a table is sampled.
fn object_of(object: &str, wildcard: bool) -> Result<String, String> {
    let oid = oids::parse(object)?;
    Ok(match oids::kind(&oid) {
        Kind::Scalar => with_instance(&[&oid[..], &[0]].concat(), false),
        _ => with_instance(&oid, wildcard),
    })
}

fn take_options<'w>(words: &'w [String], options: &mut Options) -> Result<&'w [String], String> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1;
        let has_value = words.get(at).is_some_and(|next| !next.starts_with('-'));
        let mut value = || {
            at += 1;
            words.get(at - 1).cloned().ok_or_else(|| format!("{word} lacks its value"))
        };
        match word.as_str() {
            "-D" => options.delta = true,
            "-d" | "-di" => {
                options.discontinuity = Some((word == "-di", value()?));
                options.delta = true;
            }
            "-e" => options.event = Some(value()?),
            "-I" => options.instance = true,
            // Without an object it is the old form of -I.
            "-i" if !has_value => options.instance = true,
            "-i" => options.objects.push((true, value()?)),
            "-o" => options.objects.push((false, value()?)),
            "-r" => options.every = Some(frequency(&value()?)?),
            "-u" => options.user = Some(value()?),
            "-S" => options.no_startup = true,
            "-s" => options.no_startup = false,
            "-t" => {}
            _ => return Err(format!("{word} is not an option of monitor")),
        }
    }
    Ok(&words[at..])
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

/// The object, and what is tested of it.
fn test(words: &[String], startup: bool) -> Result<(String, Test), String> {
    let existence = |oid: &String, test: &str| {
        let mut pairs = vec![format!("test = [\"{test}\"]")];
        if !startup {
            pairs.push("startup = []".into());
        }
        Ok((oid.clone(), Test { key: "existence", pairs }))
    };
    match words {
        [] => Err("has no expression".into()),
        [mark] if mark.starts_with('!') => Err(format!("{mark} lacks its object")),
        [mark, oid, ..] if mark.starts_with("!=") => existence(oid, "changed"),
        [mark, oid, ..] if mark.starts_with('!') => existence(oid, "absent"),
        [oid] => existence(oid, "present"),
        [oid, operator, rest @ ..] if operator.starts_with(['!', '=', '<', '>']) => {
            let comparison = match operator.as_str() {
                "=" => "==",
                known @ ("!=" | "==" | "<" | "<=" | ">" | ">=") => known,
                _ => return Err(format!("{operator:?} is not a comparison")),
            };
            let value = number(rest.first().ok_or_else(|| format!("{operator} lacks its value"))?)?;
            let mut pairs = vec![format!("comparison = \"{comparison}\""), format!("value = {value}")];
            if !startup {
                pairs.push("startup = false".into());
            }
            Ok((oid.clone(), Test { key: "boolean", pairs }))
        }
        [oid, low, high, deltas @ ..] => {
            let (low, high) = limits(low, high)?;
            let mut pairs = vec![format!("rising = {high}"), format!("falling = {low}")];
            if let [low, high, ..] = deltas {
                let (low, high) = limits(low, high)?;
                pairs.extend([format!("delta-rising = {high}"), format!("delta-falling = {low}")]);
            }
            if !startup {
                pairs.push("startup = \"none\"".into());
            }
            Ok((oid.clone(), Test { key: "threshold", pairs }))
        }
        [oid, ..] => Err(format!("the test of {oid} is not understood")),
    }
}

fn number(text: &String) -> Result<i32, String> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.as_str()), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => digits.parse::<i64>().ok(),
    };
    let number = number.and_then(|number| i32::try_from(sign * number).ok());
    number.ok_or_else(|| format!("{text:?} is not an integer of 32 bits"))
}

fn limits(low: &String, high: &String) -> Result<(i32, i32), String> {
    let (low, high) = (number(low)?, number(high)?);
    match low <= high {
        true => Ok((low, high)),
        false => Err(format!("the lower limit {low} is not below the upper one, {high}")),
    }
}

/// A name as long as Net-SNMP keeps it.
fn short(name: &str) -> String {
    let mut short = name.to_owned();
    while short.len() > LONGEST_NAME {
        short.pop();
    }
    short
}

fn event_named<'c>(
    collected: &'c mut Collected<'_>,
    name: &str,
    directive: &Directive,
) -> Result<&'c mut Event, String> {
    if name.is_empty() || name.starts_with('_') {
        return Err(format!(
            "no monitor can name the event {name:?}: names with _ are those of built-in events"
        ));
    }
    let origin = directive.origin.clone();
    Ok(collected.events.entry(short(name)).or_insert_with(|| Event { notification: None, set: None, origin }))
}

/// `notificationEvent NAME NOTIFICATION [-m] [[-i | -w | -o] OID]...`
pub(super) fn event(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [name, notification, rest @ ..] = words.as_slice() else {
        return Err("expected NAME NOTIFICATION".into());
    };
    let notification = oids::parse(notification)?;
    let mut objects = Vec::new();
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{word} lacks its object"));
        match word.as_str() {
            "-m" => objects.extend(own_objects(&notification)?),
            "-n" => {}
            "-i" | "-w" => objects.push(object_of(value()?, false)?),
            "-o" => objects.push(object_of(value()?, true)?),
            _ => objects.push(object_of(word, true)?),
        }
    }
    let event = event_named(collected, name, directive)?;
    if event.notification.is_some() {
        return Err(format!(
            "the event {name} is already defined at {}, which takes precedence",
            event.origin
        ));
    }
    event.notification = Some((dots(&notification), objects));
    Ok(())
}

/// The objects of a notification by its definition.
fn own_objects(notification: &[u32]) -> Result<Vec<String>, String> {
    let all = || module::ALL.iter().flat_map(|module| module.notifications);
    let known = all().find(|known| known.oid == notification);
    let known = known.ok_or("-m: the objects of this notification are not known here; list them with -o")?;
    // Those of DISMAN-EVENT-MIB say which trigger fired, and come with the notification.
    let is_hot = |name: &&&str| name.starts_with("mteHot");
    known.objects.iter().filter(|name| !is_hot(name)).map(|name| object_of(name, true)).collect()
}

/// `setEvent NAME [-I] OID = VALUE`
pub(super) fn set_event(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (name, rest) = words.split_first().ok_or("expected NAME OID = VALUE")?;
    let (exact, rest) = match rest {
        [option, rest @ ..] if option == "-I" => (true, rest),
        rest => (false, rest),
    };
    let (oid, value) = match rest {
        [oid, equals, value, ..] if equals == "=" => (oid, value),
        [oid, value] => (oid, value),
        _ => return Err("expected NAME OID = VALUE".into()),
    };
    let set = (object_of(oid, !exact)?, number(value)?);
    let event = event_named(collected, name, directive)?;
    if event.set.is_some() {
        return Err(format!(
            "the event {name} is already defined at {}, which takes precedence",
            event.origin
        ));
    }
    event.set = Some(set);
    Ok(())
}
