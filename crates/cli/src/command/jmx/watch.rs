//! `watch`: attributes of MBeans again and again; those that count, as their descriptors say, as rates per second.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use futures_util::TryStreamExt;
use tokio::time::MissedTickBehavior;
use trunkline_jmxclient::path::Path;

use super::{Found, Mbeans, Named, read};
use crate::arguments::WatchArgs;
use crate::command::paths::{Counted, Seen, print_round};
use crate::connect::say;
use crate::destination::Destination;
use crate::error::Error;
use crate::print::Printer;

/// Runs the command.
pub async fn watch<W: Write>(
    arguments: &WatchArgs,
    destination: &Destination,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    if arguments.table {
        let words = "--table draws tables of MIB modules; attributes of MBeans have a line for each value";
        return Err(Error::Usage(words.to_owned()));
    }
    let opened = Mbeans::open(destination, false).await?;
    let words: Vec<String> = opened.words(&arguments.objects).into_iter().map(str::to_owned).collect();
    if words.is_empty() {
        let expected =
            "nothing is watched: name MBeans or attributes, as in java.lang:type=Memory/HeapMemoryUsage.used";
        return Err(Error::Usage(expected.to_owned()));
    }
    let mut ticks = tokio::time::interval(arguments.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut mbeans = Some(opened);
    let mut memory = Memory::default();
    let mut before: Option<BTreeMap<String, String>> = None;
    let mut rounds = 0;
    while arguments.count.is_none_or(|count| rounds < count) {
        ticks.tick().await;
        rounds += 1;
        let looked = match mbeans.take() {
            Some(same) => look(&words, mbeans.insert(same), &mut memory).await,
            None => match Mbeans::open(destination, false).await {
                Ok(new) => look(&words, mbeans.insert(new), &mut memory).await,
                Err(fault) => Err(fault),
            },
        };
        let now = match looked {
            // A JVM that is away for a while is worth watching. One that was started anew does not know the session.
            Err(Error::Session { target, words, .. }) if before.is_some() => {
                say(&format!("{target}: {words}"));
                mbeans = None;
                continue;
            }
            other => other?,
        };
        if now.is_empty() && before.is_none() {
            if !words.iter().any(|word| may_come(word)) {
                return Err(Error::Usage("the JVM has no values of the attributes to watch".to_owned()));
            }
            if let Some(mbeans) = &mbeans {
                mbeans.note("there is nothing to watch yet");
            }
        }
        print_round(&now, before.as_ref(), printer)?;
        before = Some(now.into_iter().map(|seen| (seen.path, seen.value)).collect());
    }
    printer.finish()?;
    if let Some(mbeans) = mbeans {
        mbeans.close().await;
    }
    Ok(())
}

/// Whether MBeans of a pattern may still come.
fn may_come(word: &str) -> bool {
    let readings = Path::readings(word).unwrap_or_default();
    readings.iter().any(|reading| reading.name.is_pattern())
}

/// What is kept between rounds.
#[derive(Default)]
struct Memory {
    /// The counters of each MBean, with their units.
    counters: BTreeMap<String, BTreeMap<String, String>>,
    /// What they had counted, and when.
    counted: BTreeMap<String, (f64, Instant)>,
}

impl Memory {
    fn change(&mut self, path: &str, value: &str, at: Instant, units: String) -> Option<Counted> {
        let now: f64 = value.parse().ok()?;
        let (before, since) = self.counted.insert(path.to_owned(), (now, at))?;
        let seconds = at.duration_since(since).as_secs_f64().max(f64::EPSILON);
        let rate = (now >= before).then(|| (now - before) / seconds);
        Some(Counted { rate, units })
    }
}

async fn look(words: &[String], mbeans: &Mbeans, memory: &mut Memory) -> Result<Vec<Seen>, Error> {
    let mut all = Vec::new();
    for word in words {
        // MBeans come and go: what a pattern stands for is found anew each time.
        let Named { names, selector } = mbeans.named(word).await?;
        let found: Vec<Vec<Found>> = read::each(&names, selector.as_ref(), mbeans).try_collect().await?;
        let at = Instant::now();
        for (name, found) in names.iter().zip(found) {
            let mbean = name.to_text();
            if !memory.counters.contains_key(&mbean) {
                memory.counters.insert(mbean.clone(), read::counters(name, mbeans).await?);
            }
            for found in found.iter().filter(|found| found.value.is_ok()) {
                let counters = memory.counters.get(&mbean);
                let units = counters.and_then(|known| known.get(&found.attribute)).cloned();
                for (path, value) in found.lines() {
                    let change = units.clone().and_then(|units| memory.change(&path, &value, at, units));
                    all.push(Seen { path, value, change });
                }
            }
        }
    }
    Ok(all)
}
