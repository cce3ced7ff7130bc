//! `watch`: attributes of MBeans again and again; those that count, as their descriptors say, as rates per second.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use futures_util::TryStreamExt;
use tokio::time::MissedTickBehavior;
use trunkline_jmxclient::leaves::{Leaf, elementary};
use trunkline_jmxclient::path::Path;

use super::read::Counter;
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
    /// The counters of each MBean.
    counters: BTreeMap<String, BTreeMap<String, Counter>>,
    /// What they had counted, and when.
    counted: BTreeMap<String, (f64, Instant)>,
    /// How many parts each counter had that has some.
    parts: BTreeMap<String, usize>,
}

impl Memory {
    /// The lines of what was read: with a rate for each number within a counter.
    fn seen(&mut self, mbean: &str, found: &Found, at: Instant) -> Vec<Seen> {
        let counter = self.counters.get(mbean).and_then(|known| counter_of(&found.attribute, known));
        let (Some(counter), Ok(value)) = (counter, &found.value) else {
            let plain = |(path, value)| Seen { path, value, change: None };
            return found.lines().into_iter().map(plain).collect();
        };
        let (place, units, absent) = (found.place(), counter.units.clone(), counter.absent.clone());
        let leaves = elementary(value);
        // Rows that come and go move the others.
        if self.parts.insert(place.clone(), leaves.len()).is_some_and(|before| before != leaves.len()) {
            self.counted.retain(|path, _| !path.starts_with(&place));
        }
        let seen = |leaf: Leaf| {
            let path = format!("{place}{}", leaf.way);
            let change = self.change(&path, &leaf.text, at, units.clone());
            Seen { path, value: leaf.text, change }
        };
        leaves.into_iter().filter(|leaf| Some(&leaf.text) != absent.as_ref()).map(seen).collect()
    }

    fn change(&mut self, path: &str, value: &str, at: Instant, units: String) -> Option<Counted> {
        let now: f64 = value.parse().ok()?;
        let (before, since) = self.counted.insert(path.to_owned(), (now, at))?;
        let seconds = at.duration_since(since).as_secs_f64().max(f64::EPSILON);
        let rate = (now >= before).then(|| (now - before) / seconds);
        Some(Counted { rate, units })
    }
}

/// The counter that an attribute is, or a part of one.
fn counter_of<'c>(attribute: &str, known: &'c BTreeMap<String, Counter>) -> Option<&'c Counter> {
    let is_within = |name: &String| {
        let rest = attribute.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let within = known.iter().filter(|(name, _)| is_within(name));
    within.max_by_key(|(name, _)| name.len()).map(|(_, counter)| counter)
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
            let read = found.iter().filter(|found| found.value.is_ok());
            read.for_each(|found| all.extend(memory.seen(&mbean, found, at)));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trunkline_jmxclient::jmx::model::{Array, Value};

    use super::*;

    /// The paths and rates of two rounds, a second apart.
    fn rates(attribute: &str, rounds: [Value; 2]) -> Vec<(String, Option<f64>)> {
        let counter = Counter { units: "octets".to_owned(), absent: Some("-1".to_owned()) };
        let known = BTreeMap::from([("octets".to_owned(), counter)]);
        let counters = BTreeMap::from([("a:b=c".to_owned(), known)]);
        let mut memory = Memory { counters, ..Memory::default() };
        let begin = Instant::now();
        let mut seen = Vec::new();
        for (round, value) in rounds.into_iter().enumerate() {
            let found = Found::new("a:b=c".to_owned(), attribute.to_owned(), Ok(value));
            seen = memory.seen("a:b=c", &found, begin + Duration::from_secs(round as u64));
        }
        let rate = |seen: Seen| (seen.path, seen.change.and_then(|change| change.rate));
        seen.into_iter().map(rate).collect()
    }

    #[test]
    fn each_number_within_a_counter_has_its_rate() {
        let longs = |longs: &[i64]| Value::Array(Array::Longs(longs.to_vec()));
        let leaf = |way: &str, rate| (format!("a:b=c/{way}"), rate);
        let array = rates("octets", [longs(&[1, -1, 7]), longs(&[4, -1, 9])]);
        assert_eq!(array, [leaf("octets[0]", Some(3.0)), leaf("octets[2]", Some(2.0))]);
        let map = |number| Value::Map(vec![("in".into(), Value::Long(number)), ("name".into(), "x".into())]);
        let expected = [leaf("octets[in]", Some(5.0)), leaf("octets[name]", None)];
        assert_eq!(rates("octets", [map(5), map(10)]), expected);
        let part = rates("octets.in", [Value::Long(5), Value::Long(6)]);
        assert_eq!(part, [leaf("octets.in", Some(1.0))]);
        // What has another row than before, and what does not count.
        let grown = rates("octets", [longs(&[1]), longs(&[4, 5])]);
        assert_eq!(grown, [leaf("octets[0]", None), leaf("octets[1]", None)]);
        assert_eq!(rates("octetsMore", [longs(&[1]), longs(&[2])]), [leaf("octetsMore", None)]);
    }
}
