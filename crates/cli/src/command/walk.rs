//! `trunkline walk`: everything below an object, as it comes.

mod recording;

use std::future::{Future, poll_fn};
use std::io::Write;
use std::path::Path;
use std::pin::pin;
use std::task::Poll;

use trunkline_client::{Repetitions, WalkOptions};
use trunkline_smi::Oid;
use trunkline_snmp::wire::VarBind;

use self::recording::Recording;
use super::paths;
use super::read::choices;
use crate::arguments::WalkArgs;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};
use crate::progress::Progress;
use trunkline_show::record::label;

/// The default object of a walk: all of MIB-II, as with Net-SNMP.
const MIB_2: [u32; 6] = [1, 3, 6, 1, 2, 1];

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &WalkArgs,
    given: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let (options, says_count) = options(&arguments.choices)?;
    if let Some(paths) = connection.paths(given)? {
        if arguments.record.is_some() {
            let words = "--record writes objects of MIB modules, not paths of YANG";
            return Err(Error::Usage(words.to_owned()));
        }
        return paths::walk(&paths, says_count, connection, printer).await;
    }
    let mut roots =
        if connection.names_objects(given) { connection.objects(given)? } else { vec![Oid::from(MIB_2)] };
    let recording = match &arguments.record {
        Some(path) => {
            // The file has each name once, in order.
            roots.sort();
            roots.dedup_by(|later, earlier| later.starts_with(earlier));
            Some(Recording::create(path)?)
        }
        None => None,
    };
    let mut sink = Sink { connection, printer, recording, found: 0 };
    for root in roots {
        sink.below(root, options.clone()).await?;
    }
    let count = sink.found;
    if says_count && printer.form() == Form::Text {
        printer.text(&format!("Variables found: {count}\n"))?;
    }
    Ok(printer.finish()?)
}

/// A recording is of one agent, and in the order of the names. Before anybody is asked.
pub fn check_recordable(arguments: &WalkArgs) -> Result<(), Error> {
    let Some(path) = &arguments.record else { return Ok(()) };
    let read = &arguments.read;
    let words = if read.targets.read(&read.session, &read.objects)?.are_many {
        "--record writes one agent's instances: give one agent, and run the command once for each"
    } else if arguments.choices.iter().any(|letters| letters.contains('c')) {
        "--record needs names in their order: leave out -Cc"
    } else if path == Path::new("-") && (read.output.json || read.output.csv) {
        "--record - writes its own format to standard output: leave out --json and --csv, or name a file"
    } else {
        return Ok(());
    };
    Err(Error::Usage(words.to_owned()))
}

/// Where what is found goes.
struct Sink<'w, 'c, 'n, W: Write> {
    connection: &'w Connection<'c>,
    printer: &'w mut Printer<'n, W>,
    recording: Option<Recording>,
    /// How many instances there were.
    found: u64,
}

impl<W: Write> Sink<'_, '_, '_, W> {
    /// All below one root.
    async fn below(&mut self, root: Oid, options: WalkOptions) -> Result<(), Error> {
        let before = self.found;
        let ended = self.walk(root.clone(), options).await;
        self.connection.show_octets(self.printer)?;
        let recorded = self.recording.as_mut().map_or(Ok(()), Recording::finish);
        if ended.is_err() {
            // What was found is still useful, and comes before the message about the end.
            self.printer.finish()?;
        }
        ended.and(recorded)?;
        if self.found == before {
            self.printer.flush()?;
            let name = label(self.connection.names, &root);
            self.printer.count_missing();
            self.connection
                .note(&format!("{name}: the agent has nothing there, or nothing that you may read"));
        }
        Ok(())
    }

    async fn walk(&mut self, root: Oid, options: WalkOptions) -> Result<(), Error> {
        let prints_lines = self.recording.as_ref().is_none_or(Recording::prints_lines);
        let is_wanted = !self.connection.quiet && !self.connection.is_of_many();
        let mut progress = Progress::new(is_wanted, prints_lines, self.connection.names);
        let mut walk = self.connection.agent.walk(root, options);
        let mut last = None;
        loop {
            let next = {
                let mut next = pin!(walk.next());
                match poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await {
                    Poll::Ready(next) => next,
                    Poll::Pending => {
                        // The agent is thinking: show what there is.
                        self.connection.show_octets(self.printer)?;
                        self.printer.flush()?;
                        progress.while_waiting(next, self.found, last.as_ref()).await
                    }
                }
            };
            match next {
                None => return Ok(()),
                Some(Ok(binding)) => {
                    self.take(&binding)?;
                    last = Some(binding.name);
                }
                Some(Err(fault)) => return Err(self.connection.failed(&fault)),
            }
        }
    }

    fn take(&mut self, binding: &VarBind) -> Result<(), Error> {
        self.found += 1;
        if let Some(recording) = &mut self.recording {
            recording.write(binding, self.printer)?;
            if !recording.prints_lines() {
                return Ok(());
            }
        }
        Ok(self.printer.binding(binding)?)
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
