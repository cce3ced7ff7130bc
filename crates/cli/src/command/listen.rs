//! `trunkline listen`: receives traps and informs, and prints them as they come or does with them what rules say.

mod forms;
mod place;
mod record;
mod refusals;
mod rules;
mod signals;
mod users;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use trunkline_client::{ListenOptions, Listened, Listener, Received};
use trunkline_mib::Names;
use trunkline_receiver::{Dispatcher, Fate, Reports, Rules, Surroundings};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::{Engine, Handlers};

use crate::arguments::ListenArgs;
use crate::connect::say;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::print::{Form, Printer};
use crate::secure;
use forms::Written;
use refusals::Refusals;
use signals::{Asked, Signals};
use trunkline_login::own_engine;
use users::Known;

/// Runs the command until `--count` is reached or it is stopped.
pub async fn run<W: Write>(
    arguments: &ListenArgs,
    names: &Names,
    interrupt: &Interrupt,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let known = Known::gather(arguments)?;
    let written = Written::new(names, printer.style(), arguments.show_community);
    let rules = arguments.rules.as_ref().map(|path| rules::read(path, &written, &known)).transpose()?;
    if arguments.check {
        let count = rules.as_ref().map_or(0, |rules| rules.rules.len());
        say(&format!("{count} rules, {} users: nothing is wrong", known.users.len()));
        return Ok(());
    }
    // From here on, so that none of them ends the program while it starts.
    let signals = Signals::catch(rules.is_some())?;
    let engine = Arc::new(engine(arguments, &known, rules.as_ref().is_some_and(rules::need_engine))?);
    // Over TLS, DTLS and SSH the session authenticates the sender, whatever the version.
    engine.set_community_over_transport(true);
    let listener = listener(arguments, &known, &engine)?;
    let dispatcher = rules.map(|rules| dispatcher(rules, arguments, &known, &engine)).transpose()?;
    for place in listener.places() {
        say(&format!("listening on {place}"));
    }
    if !known.users.is_empty() {
        say(&format!("our engine ID is {}", engine.id()));
    }
    // systemd waits for it; elsewhere nobody does.
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    let left = arguments.count.unwrap_or(u64::MAX);
    let mut receiver = Receiving { listener, dispatcher, signals, left, written };
    let ended = receiver.until_the_end(interrupt, printer).await;
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Stopping]);
    if let Some(dispatcher) = receiver.dispatcher {
        let counts = dispatcher.finish(rules::PATIENCE).await;
        rules::tell_counts(&receiver.listener.counts(), &counts);
    }
    printer.finish()?;
    ended
}

/// What receives, and what is done with it.
struct Receiving<'n> {
    listener: Listener,
    dispatcher: Option<Dispatcher>,
    signals: Signals,
    /// Notifications until the end.
    left: u64,
    written: Written<'n>,
}

impl Receiving<'_> {
    async fn until_the_end<W: Write>(
        &mut self,
        interrupt: &Interrupt,
        printer: &mut Printer<'_, W>,
    ) -> Result<(), Error> {
        let mut refusals = Refusals::default();
        while self.left > 0 {
            tokio::select! {
                biased;
                stopped = interrupt.pressed() => return Err(stopped),
                asked = self.signals.next() => match asked {
                    Asked::End => return Ok(()),
                    Asked::Reopen => self.dispatcher.iter_mut().for_each(Dispatcher::reopen),
                    Asked::Count => {
                        let actions = self.dispatcher.as_ref().map(Dispatcher::counts);
                        rules::tell_counts(&self.listener.counts(), &actions.unwrap_or_default());
                    }
                },
                listened = self.listener.either() => match listened {
                    Some(Listened::Received(received)) => {
                        self.take(&received, printer)?;
                        self.left -= 1;
                    }
                    Some(refused) => refusals.tell(&refused, &self.listener.counts()),
                    None => return Ok(()),
                },
            }
        }
        Ok(())
    }

    fn take<W: Write>(&mut self, received: &Received, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let fate = match &mut self.dispatcher {
            Some(dispatcher) => dispatcher.take(received, &self.written),
            None => Fate::Print,
        };
        if fate == Fate::Print {
            self.written.print(received, printer)?;
        }
        Ok(())
    }
}

impl Written<'_> {
    /// Prints a notification. The user wants to see it at once.
    fn print<W: Write>(&self, received: &Received, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let (names, style) = (self.names, &self.style);
        match printer.form() {
            Form::Text => printer.text(&record::text(received, names, style, self.show_community))?,
            Form::Csv => {
                for row in record::rows(received, names, style) {
                    printer.row(&record::HEADER, &row)?;
                }
            }
            Form::Json | Form::JsonLines => {
                printer.object(&record::record(received, names, style, self.show_community))?;
            }
        }
        Ok(printer.flush()?)
    }
}

fn listener(arguments: &ListenArgs, known: &Known, engine: &Arc<Engine>) -> Result<Listener, Error> {
    let places = place::parse_all(&arguments.addresses)?;
    let options = ListenOptions::default()
        .with_communities(known.communities.clone())
        .with_least(arguments.require.map_or(SecurityLevel::NoAuthNoPriv, |level| level.level()))
        .with_secure(secure::for_listening(&places, &arguments.tls, &arguments.ssh)?);
    let listener = Listener::bind(&places, Arc::clone(engine), options);
    listener.map_err(|fault| Error::Runtime(fault.to_string()))
}

fn dispatcher(
    rules: Rules,
    arguments: &ListenArgs,
    known: &Known,
    engine: &Arc<Engine>,
) -> Result<Dispatcher, Error> {
    let surroundings = Surroundings {
        open: rules::opener(known, &arguments.tls, engine),
        reports: Reports::new(say),
        root: PathBuf::from("/"),
    };
    Dispatcher::open(rules, &surroundings).map_err(Error::Runtime)
}

/// Our engine, which is authoritative for informs, with its users; the same users are known at every engine that
/// sends traps. It is the kept one if it has users, or if it `sends`.
fn engine(arguments: &ListenArgs, known: &Known, sends: bool) -> Result<Engine, Error> {
    let security = &arguments.security;
    if known.users.is_empty() && !sends {
        return Ok(own_engine::passing(Handlers::RECEIVER)?);
    }
    let engine = own_engine::open(security.engine_id, security.engine_boots, Handlers::RECEIVER, say)?;
    let failed = |fault: trunkline_snmp::usm::CredentialsError| Error::Usage(fault.to_string());
    let mut everywhere = Vec::new();
    let mut users = trunkline_snmp::usm::UserTable::new();
    for user in &known.users {
        users.insert(user.user_at(engine.id()).map_err(failed)?);
        everywhere.extend(user.made().map_err(failed)?);
    }
    engine.set_users(users);
    engine.set_credentials(everywhere);
    Ok(engine)
}
