//! The program `trunkline`, the manager: parses the command line, opens a session, runs one command, and reports
//! the result by its exit status (0 success, 1 a fault of the agent or the path, 2 of the command line, 130
//! stopped by Ctrl-C).

mod arguments;
mod command;
mod connect;
mod destination;
mod error;
mod interrupt;
mod many;
mod output_file;
mod print;
mod progress;
mod secure;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::CommandFactory;
use tokio::time::Instant;
use trunkline_client::ensure_descriptors;
use trunkline_jmxclient::JmxTarget;
use trunkline_login::until_closed;
use trunkline_mib::{Configured, Names, Sources};

use crate::arguments::accounts::{AccessCommand, AtAgent, UserCommand};
use crate::arguments::{
    AgentsArgs, Cli, Command, InstallNamesArgs, NamesArgs, OutputArgs, PingArgs, ReadArgs, StatusArgs,
    WatchArgs,
};
use crate::command::jmx::{self, Mbeans, Reading};
use crate::command::program::Program;
use crate::connect::{Connection, say};
use crate::destination::{Asked, Destination};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::many::{Opened, Shared, within};
use crate::print::Printer;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some((tool, rest)) = trunkline_tools::called_as(&words) {
        return trunkline_tools::run(tool, rest, &words);
    }
    if let Some(rest) = trunkline_trapd::called_as(&words) {
        return trunkline_trapd::run(rest, &words);
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
        Command::Lab(arguments) => Err(Program::Lab.run(None, &arguments).into()),
        Command::Sim(arguments) => Err(Program::Lab.run(Some("sim"), &arguments).into()),
        Command::Serve(arguments) => Err(Program::Agent.run(Some("serve"), &arguments).into()),
        Command::As(arguments) => {
            let name = arguments.name;
            let what = match trunkline_tools::is_unprovided(&name) {
                true => "is one of Net-SNMP's tools, but not yet provided here",
                false => "is not one of Net-SNMP's tools",
            };
            Err(Error::Usage(format!("{name} {what}; `trunkline help as` lists those that are provided")))
        }
        Command::InstallNames(arguments) => install_names(&arguments),
        Command::Pki(arguments) => command::pki::run(&arguments, &mut io::stdout().lock()),
        Command::Rbac(arguments) => {
            on_runtime(async move { command::rbac::run(&arguments, &mut io::stdout().lock()).await })
        }
        Command::Manual(arguments) => manual(&arguments.share),
        Command::Subscribe(arguments) => {
            descriptors()?;
            let asking = Asking::new(&arguments.names, &arguments.output, true)?;
            // It handles Ctrl-C itself: it has something to end then.
            let (interrupt, mut printer) = (Interrupt::listen()?, asking.printer());
            let runtime = runtime()?;
            let subscribed = command::subscribe::run(&arguments, &asking.names, &interrupt, &mut printer);
            let ended = runtime.block_on(subscribed);
            interrupt.has_written();
            until_closed(&runtime);
            ended
        }
        Command::Listen(arguments) => {
            descriptors()?;
            let asking = Asking::new(&arguments.names, &arguments.output, true)?;
            // It ends programs and forwarding in order.
            let (interrupt, mut printer) = (Interrupt::listen()?, asking.printer());
            let runtime = receiving_runtime()?;
            let listening = command::listen::run(&arguments, &asking.names, &interrupt, &mut printer);
            let ended = runtime.block_on(listening);
            interrupt.has_written();
            until_closed(&runtime);
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
            until_closed(&runtime);
            ended.and(flushed.map_err(Error::from))
        }
        Command::Ping(arguments) => {
            descriptors()?;
            // What it has found by then is summed up.
            let (interrupt, runtime) = (Interrupt::listen()?, runtime()?);
            let ended = runtime.block_on(ping(arguments, &interrupt));
            interrupt.has_written();
            until_closed(&runtime);
            ended
        }
        Command::User(arguments) => on_runtime(manage_users(&arguments.command)),
        Command::Access(arguments) => on_runtime(manage_access(&arguments.command)),
        asking @ (Command::Status(_) | Command::Df(_) | Command::Netstat(_)) => on_runtime(machines(asking)),
        asking => on_runtime(ask(asking)),
    }
}

/// Writes man pages and completions; the laboratory's program writes its own.
fn manual(share: &Path) -> Result<(), Error> {
    let program = Cli::command().mut_subcommands(|its| match its.get_name() {
        "lab" | "sim" => its.hide(true),
        _ => its,
    });
    let written = trunkline_manual::write(program, 1, share);
    written.map(drop).map_err(|fault| Error::Runtime(format!("{}: {fault}", share.display())))
}

/// Creates the links, and lists them.
fn install_names(arguments: &InstallNamesArgs) -> Result<(), Error> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?,
    };
    let links = trunkline_tools::install(&arguments.folder, &program, &[trunkline_trapd::NAME]);
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
    until_closed(&runtime);
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

/// Connections are received on a second thread: what rules look at and write takes the first one's time.
fn receiving_runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|fault| Error::Runtime(format!("no runtime: {fault}")))
}

/// Asks until all is asked, or until Ctrl-C.
async fn ping(mut arguments: PingArgs, interrupt: &Interrupt) -> Result<(), Error> {
    // Each request counts: one that is lost is not sent again.
    arguments.agents.session.retries.get_or_insert(0);
    let asking = Asking::new(&arguments.agents.names, &arguments.agents.output, true)?;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let one = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
        command::ping::run(&arguments, stopped.clone(), connection, printer).await
    };
    let mut all = std::pin::pin!(asking.machines(&arguments.agents, one));
    tokio::select! {
        ended = &mut all => return ended,
        _ = interrupt.pressed() => {}
    }
    let _ = stop.send(true);
    all.await
}

/// The commands that know their objects, for each machine.
async fn machines(command: Command) -> Result<(), Error> {
    match command {
        Command::Status(StatusArgs { agents }) => {
            let asking = Asking::new(&agents.names, &agents.output, false)?;
            let one = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
                command::status::run(connection, printer).await
            };
            asking.machines(&agents, one).await
        }
        Command::Df(arguments) => {
            let asking = Asking::new(&arguments.agents.names, &arguments.agents.output, false)?;
            let one = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
                command::df::run(&arguments, connection, printer).await
            };
            asking.machines(&arguments.agents, one).await
        }
        Command::Netstat(arguments) => {
            let agents = &arguments.agents;
            let asking = Asking::new(&agents.names, &agents.output, arguments.every.is_some())?;
            let one = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
                command::netstat::run(&arguments, connection, printer).await
            };
            asking.machines(agents, one).await
        }
        _ => Ok(()), // the others have objects
    }
}

/// The commands that query an agent.
async fn ask(command: Command) -> Result<(), Error> {
    use command::read::Question::{Get, Next};
    use command::trap::Manner;
    use command::{read, select, set, table, trap, walk};
    match command {
        Command::Get(arguments) => {
            let asking = Asking::of(&arguments, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                read::run(Get, words, connection, printer).await
            };
            asking.ask(&arguments, Some(Reading::Get), work).await
        }
        Command::Next(arguments) => {
            let asking = Asking::of(&arguments, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                read::run(Next, words, connection, printer).await
            };
            asking.ask(&arguments, None, work).await
        }
        Command::Bulk(arguments) => {
            let asking = Asking::of(&arguments.read, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                read::run_bulk(&arguments.choices, words, connection, printer).await
            };
            asking.ask(&arguments.read, None, work).await
        }
        Command::Set(arguments) => {
            let asking = Asking::new(&arguments.names, &arguments.output, false)?;
            let asked = arguments.targets.read(&arguments.session, &arguments.assignments)?;
            if jmx::are_meant(&asked)? {
                return asking.set_attributes(&asked, arguments.session.deadline).await;
            }
            // Before anything waits for an agent.
            let assignments = set::Assignments::read(&asked.words, &asking.names)?;
            let work = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
                assignments.run(connection, printer).await
            };
            asking.run(&asked, arguments.session.deadline, work).await
        }
        Command::Walk(arguments) => {
            let asking = Asking::of(&arguments.read, true)?;
            walk::check_recordable(&arguments)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                walk::run(&arguments, words, connection, printer).await
            };
            asking.ask(&arguments.read, Some(Reading::Walk(&arguments)), work).await
        }
        Command::Table(arguments) => {
            let asking = Asking::of(&arguments.read, false)?;
            let work = async |words: &[String], connection: &Connection<'_>, printer: &mut Out<'_>| {
                table::run(&arguments, words, connection, printer).await
            };
            asking.ask(&arguments.read, Some(Reading::Table(&arguments)), work).await
        }
        Command::Select(arguments) => {
            let asking = Asking::new(&arguments.names, &arguments.output, false)?;
            let destination = arguments.target.destination(&arguments.session)?;
            if JmxTarget::is_meant(&destination.address) {
                return jmx::select(&arguments, &destination, &mut asking.printer()).await;
            }
            let connection = Connection::open_for_selection(&destination, &asking.names).await?;
            select::run(&arguments, &connection, &mut asking.printer()).await
        }
        Command::Watch(arguments) => watch_one(&arguments).await,
        Command::Invoke(arguments) => {
            let (names, output) = (Names::built_in(), &arguments.output);
            let (style, form, coloured) = (output.style()?, output.form(false), output.is_coloured());
            let asking = Asking { names, style, form, coloured };
            let destination = arguments.target.destination(&arguments.session)?;
            jmx::invoke(&arguments, &destination, &mut asking.printer()).await
        }
        Command::Trap(arguments) => trap::run(Manner::Trap, &arguments, &names(&arguments.names)?).await,
        Command::Inform(arguments) => trap::run(Manner::Inform, &arguments, &names(&arguments.names)?).await,
        _ => Ok(()), // they are run elsewhere
    }
}

/// `watch`: objects of one agent, again and again.
async fn watch_one(arguments: &WatchArgs) -> Result<(), Error> {
    let asking = Asking::new(&arguments.names, &arguments.output, true)?;
    let destination = arguments.target.destination(&arguments.session)?;
    if JmxTarget::is_meant(&destination.address) {
        return jmx::watch(arguments, &destination, &mut asking.printer()).await;
    }
    let connection = Connection::open(&destination, &asking.names).await?;
    command::watch::run(arguments, &connection, &mut asking.printer(), asking.style).await
}

/// `user`: an agent's users are listed or changed.
async fn manage_users(command: &UserCommand) -> Result<(), Error> {
    let work = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
        command::user::run(command, connection, printer).await
    };
    manage(command.at(), work).await
}

/// `access`: an agent's access rights are listed or changed.
async fn manage_access(command: &AccessCommand) -> Result<(), Error> {
    let work = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
        command::access::run(command, connection, printer).await
    };
    manage(command.agent().at(), work).await
}

/// Does `work` at one agent.
async fn manage<F>(at: AtAgent<'_>, work: F) -> Result<(), Error>
where
    F: AsyncFn(&Connection<'_>, &mut Out<'_>) -> Result<(), Error>,
{
    let asking = Asking::new(at.names, at.output, false)?;
    let destination = at.target.destination(at.session)?;
    let connection = Connection::open(&destination, &asking.names).await?;
    work(&connection, &mut asking.printer_to(Shared::stdout())).await
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

    /// Asks the agents of a command for its objects: `work` does it for one of them. JVMs have MBeans in place of objects: what the command
    /// does with these, if it does anything.
    async fn ask<F>(&self, arguments: &ReadArgs, of_mbeans: Option<Reading<'_>>, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&[String], &Connection<'_>, &mut Out<'_>) -> Result<(), Error>,
    {
        let asked = arguments.targets.read(&arguments.session, &arguments.objects)?;
        if let (Some(reading), true) = (of_mbeans, jmx::are_meant(&asked)?) {
            return self.read_mbeans(&asked, arguments, reading).await;
        }
        // Before anything waits for an agent.
        connect::check_objects(&asked.words, &self.names)?;
        let all = async |connection: &Connection<'_>, printer: &mut Out<'_>| {
            work(&asked.words, connection, printer).await?;
            check_missing(printer, arguments)
        };
        self.run(&asked, arguments.session.deadline, all).await
    }

    /// Reads MBeans of JVMs.
    async fn read_mbeans(
        &self,
        asked: &Asked,
        arguments: &ReadArgs,
        reading: Reading<'_>,
    ) -> Result<(), Error> {
        let work = async |mbeans: &Mbeans, printer: &mut Out<'_>| {
            reading.run(&asked.words, mbeans, printer).await?;
            check_missing(printer, arguments)
        };
        self.with_mbeans(asked, arguments.session.deadline, work).await
    }

    /// Sets attributes of MBeans of JVMs.
    async fn set_attributes(&self, asked: &Asked, deadline: Option<Duration>) -> Result<(), Error> {
        // Before anything waits for a JVM.
        let assignments = jmx::assignments(&asked.words)?;
        let work =
            async |mbeans: &Mbeans, printer: &mut Out<'_>| jmx::set(&assignments, mbeans, printer).await;
        self.with_mbeans(asked, deadline, work).await
    }

    /// Does `work` with a session of each JVM.
    async fn with_mbeans<F>(&self, asked: &Asked, deadline: Option<Duration>, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&Mbeans, &mut Out<'_>) -> Result<(), Error>,
    {
        let one = async |destination: &Destination, printer: &mut Out<'_>, _: &Opened| {
            let mbeans = Mbeans::open(destination, asked.are_many).await?;
            let ended = work(&mbeans, printer).await;
            mbeans.close().await;
            ended
        };
        self.for_each(asked, deadline, one).await
    }

    /// Does `work` for each of the agents of a command that knows its objects.
    async fn machines<F>(&self, agents: &AgentsArgs, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&Connection<'_>, &mut Out<'_>) -> Result<(), Error>,
    {
        let asked = agents.targets.read_all(&agents.session, &agents.more)?;
        self.run(&asked, agents.session.deadline, work).await
    }

    /// Does `work` with a session of each of the agents, all within the time of the deadline.
    async fn run<F>(&self, asked: &Asked, deadline: Option<Duration>, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&Connection<'_>, &mut Out<'_>) -> Result<(), Error>,
    {
        let one = async |destination: &Destination, printer: &mut Out<'_>, opened: &Opened| {
            let mut connection = Connection::open(destination, &self.names).await?;
            if !asked.is_one() {
                connection = connection.among_many(destination);
            }
            opened.replace(Some(Arc::clone(&connection.agent)));
            work(&connection, printer).await
        };
        self.for_each(asked, deadline, one).await
    }

    /// Does `work` for each of the agents, all within the time of the deadline.
    async fn for_each<F>(&self, asked: &Asked, deadline: Option<Duration>, work: F) -> Result<(), Error>
    where
        F: AsyncFn(&Destination, &mut Out<'_>, &Opened) -> Result<(), Error>,
    {
        let deadline = deadline.map(|deadline| Instant::now() + deadline);
        match &asked.destinations[..] {
            [one] if asked.is_one() => {
                let mut printer = self.printer_to(Shared::stdout());
                within(deadline, work(one, &mut printer, &Opened::default())).await
            }
            _ => many::run(asked, deadline, self, work).await,
        }
    }
}

/// An error if something was missing, and that is to be one.
fn check_missing(printer: &Out<'_>, arguments: &ReadArgs) -> Result<(), Error> {
    match printer.missing() {
        count if count > 0 && arguments.missing_is_error => Err(Error::Missing { count }),
        _ => Ok(()),
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
