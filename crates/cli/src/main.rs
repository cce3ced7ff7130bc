//! The program `trunkline`, the manager: parses the command line, opens a session, runs one command, and reports
//! the result by its exit status (0 success, 1 a fault of the agent or the path, 2 of the command line, 130
//! stopped by Ctrl-C).

mod arguments;
mod closing;
mod command;
mod connect;
mod destination;
mod draw;
mod error;
mod interrupt;
mod many;
mod netsnmp;
mod octets;
mod own_engine;
mod print;
mod rate;
mod record;
mod secure;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory;
use tokio::time::Instant;
use trunkline_client::ensure_descriptors;
use trunkline_mib::{Configured, Names, Sources};

use crate::arguments::{Cli, Command, InstallNamesArgs, NamesArgs, OutputArgs, ReadArgs};
use crate::connect::{Connection, say};
use crate::destination::Asked;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::many::{Shared, within};
use crate::print::Printer;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some((tool, rest)) = netsnmp::called_as(&words) {
        return netsnmp::run(tool, rest, &words);
    }
    match run(arguments::read(&words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            if !fault.is_silent() {
                say(&fault.to_string());
            }
            fault.exit_code()
        }
    }
}

fn run(cli: Cli) -> Result<(), Error> {
    match cli.command {
        Command::Translate(arguments) => {
            let names = names(&arguments.names)?;
            command::translate::run(&arguments, &names, BufWriter::new(io::stdout().lock()))
        }
        Command::Targets(arguments) => {
            let names = Names::built_in();
            let (form, coloured) = (arguments.output.form(false), arguments.output.is_coloured());
            let out = BufWriter::new(io::stdout().lock());
            let mut printer = Printer::new(out, &names, arguments.output.style()?, form, coloured);
            command::targets::run(&arguments, &mut printer)
        }
        Command::Lab(arguments) => Err(command::lab::run(&arguments).into()),
        Command::As(arguments) => {
            let name = arguments.name;
            let what = match netsnmp::is_unprovided(&name) {
                true => "is one of Net-SNMP's tools, but not yet provided here",
                false => "is not one of Net-SNMP's tools",
            };
            Err(Error::Usage(format!("{name} {what}; `trunkline help as` lists those that are provided")))
        }
        Command::InstallNames(arguments) => install_names(&arguments),
        Command::Pki(arguments) => command::pki::run(&arguments, &mut io::stdout().lock()),
        Command::Manual(arguments) => {
            // The laboratory's program writes its own.
            let program = Cli::command().mut_subcommand("lab", |lab| lab.hide(true));
            let share = &arguments.share;
            let written = trunkline_manual::write(program, 1, share);
            written.map(drop).map_err(|fault| Error::Runtime(format!("{}: {fault}", share.display())))
        }
        Command::Subscribe(arguments) => {
            descriptors()?;
            let asking = Asking::new(&arguments.names, &arguments.output, true)?;
            // It handles Ctrl-C itself: it has something to end then.
            let (interrupt, mut printer) = (Interrupt::listen()?, asking.printer());
            let runtime = runtime()?;
            let subscribed = command::subscribe::run(&arguments, &asking.names, &interrupt, &mut printer);
            let ended = runtime.block_on(subscribed);
            interrupt.has_written();
            closing::until_closed(&runtime);
            ended
        }
        Command::Listen(arguments) => {
            descriptors()?;
            let asking = Asking::new(&arguments.names, &arguments.output, true)?;
            // It ends programs and forwarding in order.
            let (interrupt, mut printer) = (Interrupt::listen()?, asking.printer());
            let runtime = runtime()?;
            let listening = command::listen::run(&arguments, &asking.names, &interrupt, &mut printer);
            let ended = runtime.block_on(listening);
            interrupt.has_written();
            closing::until_closed(&runtime);
            // A look-up of a name may still wait for a server.
            runtime.shutdown_background();
            ended
        }
        Command::Netconf(arguments) => {
            let (interrupt, runtime) = (Interrupt::listen()?, runtime()?);
            let mut out = BufWriter::new(io::stdout().lock());
            let ended = runtime.block_on(command::netconf::run(&arguments, &interrupt, &mut out));
            let flushed = out.flush();
            interrupt.has_written();
            closing::until_closed(&runtime);
            ended.and(flushed.map_err(Error::from))
        }
        asking => on_runtime(ask(asking)),
    }
}

/// Creates the links, and lists them.
fn install_names(arguments: &InstallNamesArgs) -> Result<(), Error> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?,
    };
    let links = netsnmp::install(&arguments.folder, &program);
    let links = links.map_err(|fault| Error::Usage(fault.to_string()))?;
    let mut out = io::stdout().lock();
    Ok(links.iter().try_for_each(|link| writeln!(out, "{}", link.display()))?)
}

/// Runs a command on one thread, until it ends or Ctrl-C stops it.
fn on_runtime(work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    descriptors()?;
    let (interrupt, runtime) = (Interrupt::listen()?, runtime()?);
    let ended = runtime.block_on(interrupt.stops(work));
    interrupt.has_written();
    closing::until_closed(&runtime);
    ended
}

/// What a command opens at least: two runtimes, what they are woken by, and a session.
const DESCRIPTORS: usize = 16;

fn descriptors() -> Result<(), Error> {
    ensure_descriptors(DESCRIPTORS).map_err(|fault| Error::Runtime(fault.to_string()))
}

fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|fault| Error::Runtime(format!("no runtime: {fault}")))
}

/// The commands that query an agent.
async fn ask(command: Command) -> Result<(), Error> {
    use command::read::Question::{Get, Next};
    use command::trap::Manner;
    use command::{read, select, set, table, trap, walk, watch};
    match command {
        Command::Get(arguments) => {
            let asking = Asking::of(&arguments, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                read::run(Get, words, connection, printer).await
            };
            asking.ask(&arguments, work).await
        }
        Command::Next(arguments) => {
            let asking = Asking::of(&arguments, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                read::run(Next, words, connection, printer).await
            };
            asking.ask(&arguments, work).await
        }
        Command::Bulk(arguments) => {
            let asking = Asking::of(&arguments.read, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                read::run_bulk(&arguments.choices, words, connection, printer).await
            };
            asking.ask(&arguments.read, work).await
        }
        Command::Set(arguments) => {
            let asking = Asking::new(&arguments.names, &arguments.output, false)?;
            let asked = arguments.targets.read(&arguments.session, &arguments.assignments)?;
            // Before anything waits for an agent.
            let assignments = set::Assignments::read(&asked.words, &asking.names)?;
            let work = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
                assignments.run(connection, printer).await
            };
            asking.run(&asked, arguments.session.deadline, work).await
        }
        Command::Walk(arguments) => {
            let asking = Asking::of(&arguments.read, true)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                walk::run(&arguments, words, connection, printer).await
            };
            asking.ask(&arguments.read, work).await
        }
        Command::Table(arguments) => {
            let asking = Asking::of(&arguments.read, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                table::run(&arguments, words, connection, printer).await
            };
            asking.ask(&arguments.read, work).await
        }
        Command::Select(arguments) => {
            let asking = Asking::new(&arguments.names, &arguments.output, false)?;
            let destination = arguments.target.destination(&arguments.session)?;
            let connection = Connection::open_for_selection(&destination, &asking.names).await?;
            select::run(&arguments, &connection, &mut asking.printer()).await
        }
        Command::Watch(arguments) => {
            let asking = Asking::new(&arguments.names, &arguments.output, true)?;
            let destination = arguments.target.destination(&arguments.session)?;
            let connection = Connection::open(&destination, &asking.names).await?;
            watch::run(&arguments, &connection, &mut asking.printer(), asking.style).await
        }
        Command::Trap(arguments) => trap::run(Manner::Trap, &arguments, &names(&arguments.names)?).await,
        Command::Inform(arguments) => trap::run(Manner::Inform, &arguments, &names(&arguments.names)?).await,
        Command::Translate(_)
        | Command::Listen(_)
        | Command::Targets(_)
        | Command::Subscribe(_)
        | Command::Netconf(_)
        | Command::Lab(_)
        | Command::As(_)
        | Command::InstallNames(_)
        | Command::Pki(_)
        | Command::Manual(_) => Ok(()), // they are run elsewhere
    }
}

/// The printer of a command that may have many agents.
type Out<'n> = Printer<'n, Shared>;

/// What every asking command has: names, and how to print.
struct Asking {
    names: Names,
    style: trunkline_mib::Style,
    form: print::Form,
    coloured: bool,
}

impl Asking {
    fn of(arguments: &ReadArgs, streams: bool) -> Result<Self, Error> {
        Asking::new(&arguments.names, &arguments.output, streams)
    }

    fn new(names_from: &NamesArgs, output: &OutputArgs, streams: bool) -> Result<Self, Error> {
        let (style, form, coloured) = (output.style()?, output.form(streams), output.is_coloured());
        Ok(Asking { names: names(names_from)?, style, form, coloured })
    }

    fn printer(&self) -> Printer<'_, impl Write> {
        self.printer_to(BufWriter::new(io::stdout()))
    }

    /// A printer that writes there.
    fn printer_to<W: Write>(&self, out: W) -> Printer<'_, W> {
        Printer::new(out, &self.names, self.style, self.form, self.coloured)
    }

    /// Asks the agents of a command for its objects: `work` does it for one of them.
    async fn ask<F>(&self, arguments: &ReadArgs, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&[String], &Connection<'_>, &mut Out<'_>) -> Result<(), Error>,
    {
        let asked = arguments.targets.read(&arguments.session, &arguments.objects)?;
        // Before anything waits for an agent.
        connect::check_objects(&asked.words, &self.names)?;
        let all = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
            work(&asked.words, connection, printer).await?;
            match printer.missing() {
                count if count > 0 && arguments.missing_is_error => Err(Error::Missing { count }),
                _ => Ok(()),
            }
        };
        self.run(&asked, arguments.session.deadline, all).await
    }

    /// Does `work` for each of the agents, all within the time of the deadline.
    async fn run<F>(&self, asked: &Asked, deadline: Option<Duration>, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&Connection<'_>, &mut Out<'_>) -> Result<(), Error>,
    {
        let deadline = deadline.map(|deadline| Instant::now() + deadline);
        let one = match &asked.destinations[..] {
            [one] if !asked.are_many => one,
            _ => return many::run(asked, deadline, self, work).await,
        };
        let alone = async {
            let connection = Connection::open(one, &self.names).await?;
            work(&connection, &mut self.printer_to(Shared::stdout())).await
        };
        within(deadline, alone).await
    }
}

/// The names that the options, the variables and Net-SNMP's configuration select, in this order.
fn names(arguments: &NamesArgs) -> Result<Names, Error> {
    let variable = |name| std::env::var(name).ok();
    let home = variable("HOME");
    let configured = Configured::read(variable("SNMPCONFPATH").as_deref(), home.as_deref());
    let asked = arguments.modules.clone().or_else(|| variable("MIBS"));
    let folders = arguments.folders.clone().or_else(|| variable("MIBDIRS")).or(configured.folders);
    let sources = |modules: Option<&str>| {
        let sources = Sources::net_snmp(modules, folders.as_deref(), home.as_deref());
        sources.with_skipped(|skipped| say(&skipped.to_string()))
    };
    match (asked, configured.modules) {
        (None, Some(modules)) => Names::new(sources(Some(&modules))).or_else(|fault| {
            // It was not requested explicitly: a stale configuration must not stop the command.
            say(&format!("snmp.conf: {fault}"));
            Ok(Names::new(sources(None))?)
        }),
        (asked, _) => Ok(Names::new(sources(asked.as_deref()))?),
    }
}
