//! `trunkline walk`: everything below an object, as it comes.

use std::future::{Future, poll_fn};
use std::io::Write;
use std::pin::pin;
use std::task::Poll;

use trunkline_client::{Repetitions, WalkOptions};
use trunkline_smi::Oid;

use super::paths;
use super::read::choices;
use crate::arguments::WalkArgs;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};
use crate::record::label;

/// The default object of a walk: all of MIB-II, as with Net-SNMP.
const MIB_2: [u32; 6] = [1, 3, 6, 1, 2, 1];

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &WalkArgs,
    given: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    if let Some(paths) = connection.paths(given)? {
        let (_, says_count) = options(&arguments.choices)?;
        return paths::walk(&paths, says_count, connection, printer).await;
    }
    let roots =
        if connection.names_objects(given) { connection.objects(given)? } else { vec![Oid::from(MIB_2)] };
    let (options, says_count) = options(&arguments.choices)?;
    for root in roots {
        let before = printer.written();
        let ended = one(root.clone(), options.clone(), connection, printer).await;
        connection.show_octets(printer)?;
        if ended.is_err() {
            // What was found is still useful, and comes before the message about the end.
            printer.finish()?;
        }
        ended?;
        if printer.written() == before {
            printer.flush()?;
            let name = label(connection.names, &root);
            printer.count_missing();
            connection.note(&format!("{name}: the agent has nothing there, or nothing that you may read"));
        }
    }
    if says_count && printer.form() == Form::Text {
        let count = printer.written();
        printer.text(&format!("Variables found: {count}\n"))?;
    }
    Ok(printer.finish()?)
}

async fn one<W: Write>(
    root: Oid,
    options: WalkOptions,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mut found = connection.agent.walk(root, options);
    loop {
        let next = {
            let mut next = pin!(found.next());
            match poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await {
                Poll::Ready(next) => next,
                Poll::Pending => {
                    // The agent is thinking: show what there is.
                    connection.show_octets(printer)?;
                    printer.flush()?;
                    next.await
                }
            }
        };
        match next {
            None => return Ok(()),
            Some(Ok(binding)) => printer.binding(&binding)?,
            Some(Err(fault)) => return Err(connection.failed(&fault)),
        }
    }
}

/// The letters of `-C`, and whether to print the count.
fn options(given: &[String]) -> Result<(WalkOptions, bool), Error> {
    let mut options = WalkOptions::default();
    let mut says_count = false;
    for choice in choices(given)? {
        match choice {
            ('c', None) => options.check_order = false,
            ('I', None) => options.get_root_if_empty = false,
            ('p', None) => says_count = true,
            ('r', Some(repetitions)) if repetitions > 0 => {
                options.repetitions = Repetitions::Fixed(repetitions)
            }
            ('r', _) => return Err(Error::Usage("-Cr needs a number from 1, as in -Cr25".to_owned())),
            (letter, _) => {
                return Err(Error::Usage(format!("-C has no letter {letter:?} here; it has c, I, p and r")));
            }
        }
    }
    Ok((options, says_count))
}
