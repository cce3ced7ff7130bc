//! `trunkline get`, `walk` and `watch` of paths of YANG: any data of any server of NETCONF or RESTCONF, each leaf with its path.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Duration;

use serde::Serialize;
use tokio::time::MissedTickBehavior;
use trunkline_client::netconf::NetconfSession;
use trunkline_smi::visible;

use super::watch::{clock, rate_words, unix_time};
use crate::arguments::WatchArgs;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};

/// What is at one path.
#[derive(Default)]
struct Found {
    /// Leaves with their values, in the order of the reply.
    leaves: Vec<(String, String)>,
    /// Whether something of it is below the path.
    is_below: bool,
}

async fn read(path: &str, connection: &Connection<'_>) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut deepest = 0;
    let session = netconf(connection)?;
    let selection = session.leaves(path, |leaf| {
        deepest = deepest.max(leaf.depth);
        found.leaves.push((leaf.path, leaf.value.into_owned()));
    });
    let selection = selection.await.map_err(|fault| connection.failed(&fault))?;
    // An expression has no depth.
    found.is_below = selection.path.is_some_and(|path| deepest > path.steps.len());
    Ok(found)
}

/// The session that has paths.
pub fn netconf<'c>(connection: &'c Connection<'_>) -> Result<&'c NetconfSession, Error> {
    let session = connection.agent.as_netconf();
    session
        .ok_or_else(|| Error::Usage("paths of YANG need a URL of netconf:// or restconf+https://".to_owned()))
}

/// The same; what was printed before an error stays.
async fn read_or_end<W: Write>(
    path: &str,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<Found, Error> {
    let found = read(path, connection).await;
    if found.is_err() {
        printer.finish()?;
    }
    found
}

/// Reads leaves.
pub async fn get<W: Write>(
    paths: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    for path in paths {
        let found = read_or_end(path, connection, printer).await?;
        if found.is_below || found.leaves.is_empty() {
            printer.leaf(path, None)?;
        }
        if found.leaves.is_empty() {
            printer.flush()?;
            printer.count_missing();
            connection.note(&format!("{path}: the agent has nothing there, or nothing that you may read"));
        }
        if found.is_below {
            printer.flush()?;
            connection.note(&format!("{path} is not a leaf; `trunkline walk` reads what is in it"));
            continue;
        }
        found.leaves.iter().try_for_each(|(path, value)| printer.leaf(path, Some(value)))?;
    }
    Ok(printer.finish()?)
}

/// Reads all leaves below paths.
pub async fn walk<W: Write>(
    paths: &[String],
    says_count: bool,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    for path in paths {
        let found = read_or_end(path, connection, printer).await?;
        found.leaves.iter().try_for_each(|(path, value)| printer.leaf(path, Some(value)))?;
        if found.leaves.is_empty() {
            printer.flush()?;
            printer.count_missing();
            connection.note(&format!("{path}: the agent has nothing there, or nothing that you may read"));
        }
    }
    if says_count && printer.form() == Form::Text {
        let count = printer.written();
        printer.text(&format!("Leaves found: {count}\n"))?;
    }
    Ok(printer.finish()?)
}

/// A leaf in a round; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Line<'l> {
    time: f64,
    path: &'l str,
    what: &'static str,
    value: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<&'l str>,
}

const HEADER: [&str; 6] = ["time", "path", "what", "value", "rate", "units"];

/// A leaf as it is now.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Where it is.
    pub path: String,
    /// Its value.
    pub value: String,
    /// If it counts: how it has changed since the round before.
    pub change: Option<Counted>,
}

/// How a counter has changed.
#[derive(Clone, Debug)]
pub struct Counted {
    /// By how much a second; none if it went back.
    pub rate: Option<f64>,
    /// Its unit, or empty.
    pub units: String,
}

/// Reads leaves again and again. Which of them count is not known without their schema: no rates.
pub async fn watch<W: Write>(
    arguments: &WatchArgs,
    paths: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    if arguments.table {
        let words = "--table draws tables of MIB modules; paths of YANG have a line for each leaf";
        return Err(Error::Usage(words.to_owned()));
    }
    let mut ticks = tokio::time::interval(arguments.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut before: Option<BTreeMap<String, String>> = None;
    let mut rounds = 0;
    while arguments.count.is_none_or(|count| rounds < count) {
        ticks.tick().await;
        let now = match look(paths, connection).await {
            // As with objects: a server that is away for a while is worth watching.
            Err(Error::Session { target, words, .. }) if before.is_some() => {
                connection.say(&format!("{target}: {words}"));
                rounds += 1;
                continue;
            }
            other => other?,
        };
        if now.is_empty() && before.is_none() {
            return Err(Error::Usage("the agent has no data at the paths to watch".to_owned()));
        }
        print_round(&now, before.as_ref(), printer)?;
        before = Some(now.into_iter().map(|seen| (seen.path, seen.value)).collect());
        rounds += 1;
    }
    Ok(printer.finish()?)
}

async fn look(paths: &[String], connection: &Connection<'_>) -> Result<Vec<Seen>, Error> {
    let mut all = Vec::new();
    for path in paths {
        let leaves = read(path, connection).await?.leaves;
        all.extend(leaves.into_iter().map(|(path, value)| Seen { path, value, change: None }));
    }
    Ok(all)
}

/// Writes a round: each leaf with its value, or its rate if it counts, and what is new and gone.
pub fn print_round<W: Write>(
    now: &[Seen],
    before: Option<&BTreeMap<String, String>>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let time = unix_time().as_secs_f64();
    for Seen { path, value, change } in now {
        let is_new = before.is_some_and(|before| !before.contains_key(path));
        let what = match change {
            _ if is_new => "new",
            Some(Counted { rate: Some(_), .. }) => "rate",
            Some(Counted { rate: None, .. }) => "reset",
            None => "value",
        };
        let change = change.as_ref().filter(|_| !is_new);
        let rate = change.and_then(|change| change.rate);
        let units = change.map(|change| change.units.as_str()).filter(|units| !units.is_empty());
        print_line(&Line { time, path, what, value: Some(value), rate, units }, printer)?;
    }
    let there: BTreeSet<&String> = now.iter().map(|seen| &seen.path).collect();
    let is_gone = |path: &&String| !there.contains(*path);
    for path in before.into_iter().flat_map(BTreeMap::keys).filter(is_gone) {
        let what = "gone";
        print_line(&Line { time, path, what, value: None, rate: None, units: None }, printer)?;
    }
    Ok(printer.flush()?)
}

fn print_line<W: Write>(line: &Line<'_>, printer: &mut Printer<'_, W>) -> Result<(), Error> {
    let Line { time, path, what, value, rate, units } = line;
    match printer.form() {
        Form::Text => {
            let value = value.map_or_else(|| "gone".into(), visible);
            let text = match (*what, rate, units) {
                ("new", ..) => format!("{value} (new)"),
                ("reset", ..) => "reset (the counter went back)".to_owned(),
                (_, Some(rate), Some(units)) => format!("{} {}/s", rate_words(*rate), visible(units)),
                (_, Some(rate), None) => format!("{}/s", rate_words(*rate)),
                _ => value.into_owned(),
            };
            let clock = clock(Duration::from_secs_f64(*time));
            printer.text(&format!("{clock} {} = {text}\n", visible(path)))?;
        }
        Form::Csv => {
            let rate = rate.map_or_else(String::new, |rate| rate.to_string());
            let [path, value, units] =
                [path, value.unwrap_or_default(), units.unwrap_or_default()].map(str::to_owned);
            printer.row(&HEADER, &[time.to_string(), path, (*what).to_owned(), value, rate, units])?;
        }
        Form::Json | Form::JsonLines => printer.object(line)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_mib::{Names, Style};

    #[test]
    fn a_round_shows_values_and_what_came_and_went() {
        let names = Names::built_in();
        let leaf = |path: &str, value: &str| (path.to_owned(), value.to_owned());
        let before = BTreeMap::from([leaf("/a:x/y", "1"), leaf("/a:x/z", "2")]);
        let seen = |path: &str, value: &str, rate: Option<Option<f64>>| Seen {
            path: path.to_owned(),
            value: value.to_owned(),
            change: rate.map(|rate| Counted { rate, units: "calls".to_owned() }),
        };
        let now = [seen("/a:x/w", "x\ny", None), seen("/a:x/y", "3", None)];
        let shown = |form: Form| {
            let mut out = Vec::new();
            let mut printer = Printer::new(&mut out, &names, Style::default(), form, false);
            print_round(&now, Some(&before), &mut printer).unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = shown(Form::Text);
        let lines: Vec<&str> = text.lines().map(|line| line.split_once(' ').unwrap().1).collect();
        assert_eq!(lines, ["/a:x/w = x\\ny (new)", "/a:x/y = 3", "/a:x/z = gone"]);
        let json = shown(Form::JsonLines);
        let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&last["path"], &last["what"], &last["value"]),
            (&"/a:x/z".into(), &"gone".into(), &().into())
        );
        assert_eq!(shown(Form::Csv).lines().count(), 4);
        let counted = [seen("/a:x/y", "3", Some(Some(1.5))), seen("/a:x/z", "1", Some(None))];
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, &names, Style::default(), Form::Text, false);
        print_round(&counted, Some(&before), &mut printer).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().map(|line| line.split_once(' ').unwrap().1).collect();
        assert_eq!(lines, ["/a:x/y = 1.50 calls/s", "/a:x/z = reset (the counter went back)"]);
    }
}
