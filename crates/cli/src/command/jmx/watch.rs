//! `watch`: attributes of MBeans again and again. Which of them count is not known without their meaning: no rates.

use std::collections::BTreeMap;
use std::io::Write;

use tokio::time::MissedTickBehavior;

use super::{Mbeans, Named, read};
use crate::arguments::WatchArgs;
use crate::command::paths::print_round;
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
    let mbeans = Mbeans::open(destination, false).await?;
    let words = mbeans.words(&arguments.objects);
    if words.is_empty() {
        let expected =
            "nothing is watched: name MBeans or attributes, as in java.lang:type=Memory/HeapMemoryUsage.used";
        return Err(Error::Usage(expected.to_owned()));
    }
    let mut ticks = tokio::time::interval(arguments.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut before: Option<BTreeMap<String, String>> = None;
    let mut rounds = 0;
    while arguments.count.is_none_or(|count| rounds < count) {
        ticks.tick().await;
        rounds += 1;
        let now = match look(&words, &mbeans).await {
            // A JVM that is silent for a while is worth watching.
            Err(Error::Session { target, words, .. }) if before.is_some() => {
                say(&format!("{target}: {words}"));
                continue;
            }
            other => other?,
        };
        if now.is_empty() && before.is_none() {
            return Err(Error::Usage("the JVM has no values of the attributes to watch".to_owned()));
        }
        print_round(&now, before.as_ref(), printer)?;
        before = Some(now.into_iter().collect());
    }
    printer.finish()?;
    mbeans.close().await;
    Ok(())
}

async fn look(words: &[&str], mbeans: &Mbeans) -> Result<Vec<(String, String)>, Error> {
    let mut all = Vec::new();
    for word in words {
        // MBeans come and go: what a pattern stands for is found anew each time.
        let Named { names, selector } = mbeans.named(word).await?;
        for name in &names {
            let found = match &selector {
                Some(selector) => read::read(name, selector, mbeans).await?,
                None => read::every(name, mbeans).await?,
            };
            all.extend(found.iter().filter(|found| found.value.is_ok()).flat_map(|found| found.lines()));
        }
    }
    Ok(all)
}
