//! `watch`: attributes of MBeans again and again. Which of them count is not known without their meaning: no rates.

use std::collections::BTreeMap;
use std::io::Write;

use futures_util::TryStreamExt;
use tokio::time::MissedTickBehavior;

use super::{Found, Mbeans, Named, read};
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
    let mut before: Option<BTreeMap<String, String>> = None;
    let mut rounds = 0;
    while arguments.count.is_none_or(|count| rounds < count) {
        ticks.tick().await;
        rounds += 1;
        let looked = match mbeans.take() {
            Some(same) => look(&words, mbeans.insert(same)).await,
            None => match Mbeans::open(destination, false).await {
                Ok(new) => look(&words, mbeans.insert(new)).await,
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
            return Err(Error::Usage("the JVM has no values of the attributes to watch".to_owned()));
        }
        print_round(&now, before.as_ref(), printer)?;
        before = Some(now.into_iter().collect());
    }
    printer.finish()?;
    if let Some(mbeans) = mbeans {
        mbeans.close().await;
    }
    Ok(())
}

async fn look(words: &[String], mbeans: &Mbeans) -> Result<Vec<(String, String)>, Error> {
    let mut all = Vec::new();
    for word in words {
        // MBeans come and go: what a pattern stands for is found anew each time.
        let Named { names, selector } = mbeans.named(word).await?;
        let found: Vec<Vec<Found>> = read::each(&names, selector.as_ref(), mbeans).try_collect().await?;
        let read = found.iter().flatten().filter(|found| found.value.is_ok());
        all.extend(read.flat_map(Found::lines));
    }
    Ok(all)
}
