//! `trunkline netstat`: the network of a machine: its sockets, or its routes, interfaces or statistics.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::time::MissedTickBehavior;

use super::table::width;
use super::watch::{clock, unix_time};
use crate::arguments::NetstatArgs;
use crate::connect::{Connection, say};
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::figures::inet::{Family, passes};
use trunkline_show::figures::interfaces::{Interface, Interfaces, addresses, interfaces};
use trunkline_show::figures::protocols::statistics;
use trunkline_show::figures::routes::routes;
use trunkline_show::figures::sockets::{Tables, tcp, udp};
use trunkline_show::netstat::{
    self, InterfaceRecord, RateRecord, RouteRecord, SocketRecord, StatisticRecord,
};
use trunkline_show::record::cells_of;

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &NetstatArgs,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let view = View { arguments, connection };
    if arguments.every.is_some() {
        view.rates(printer).await?;
    } else if arguments.interfaces || arguments.interface.is_some() {
        view.interfaces(printer).await?;
    } else if arguments.routes {
        view.routes(printer).await?;
    } else if arguments.statistics {
        view.statistics(printer).await?;
    } else {
        view.sockets(printer).await?;
    }
    printer.finish()?;
    match printer.missing() {
        count if count > 0 && arguments.missing_is_error => Err(Error::Missing { count }),
        _ => Ok(()),
    }
}

struct View<'v, 'n> {
    arguments: &'v NetstatArgs,
    connection: &'v Connection<'n>,
}

impl View<'_, '_> {
    fn family(&self) -> Option<Family> {
        match (self.arguments.ipv4, self.arguments.ipv6) {
            (true, _) => Some(Family::V4),
            (_, true) => Some(Family::V6),
            _ => None,
        }
    }

    fn tables(&self) -> Tables {
        if self.arguments.old_tables { Tables::Old } else { Tables::Present }
    }

    fn wants(&self, protocol: &str) -> bool {
        self.arguments.protocol.is_empty() || self.arguments.protocol.iter().any(|wanted| wanted == protocol)
    }

    fn width(&self) -> Option<usize> {
        width(self.arguments.width)
    }

    async fn sockets<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let agent = &*self.connection.agent;
        let mut all = Vec::new();
        for protocol in ["tcp", "udp"].into_iter().filter(|protocol| self.wants(protocol)) {
            let read = if protocol == "tcp" {
                tcp(agent, self.tables()).await
            } else {
                udp(agent, self.tables()).await
            };
            self.connection.show_octets(printer)?;
            all.extend(read.map_err(|fault| self.connection.failed(&fault))?.all);
        }
        all.retain(|socket| passes(self.family(), socket.family()));
        all.retain(|socket| !self.arguments.listening || socket.is_listener());
        let records: Vec<SocketRecord> = all.iter().map(SocketRecord::new).collect();
        let drawn = || netstat::sockets(&all, self.width());
        self.print(printer, &SocketRecord::HEADER, &records, "sockets", drawn)
    }

    async fn routes<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let agent = &*self.connection.agent;
        let read = async {
            let names = interfaces(agent).await?.all.into_iter();
            let names = names.map(|interface| (u64::from(interface.index), interface.name));
            Ok((routes(agent, self.tables()).await?, names.collect::<BTreeMap<u64, String>>()))
        };
        let read = read.await;
        self.connection.show_octets(printer)?;
        let (routes, names) = read.map_err(|fault| self.connection.failed(&fault))?;
        let passing = routes.all.iter().filter(|route| passes(self.family(), Some(route.family())));
        let records: Vec<RouteRecord> = passing.map(|route| RouteRecord::new(route, &names)).collect();
        let drawn = || netstat::routes(&records, self.width());
        self.print(printer, &RouteRecord::HEADER, &records, "routes", drawn)
    }

    async fn read_interfaces<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<Interfaces, Error> {
        let read = interfaces(&*self.connection.agent).await;
        self.connection.show_octets(printer)?;
        let mut read = read.map_err(|fault| self.connection.failed(&fault))?;
        if let Some(name) = &self.arguments.interface {
            read.all.retain(|interface| interface.name == *name);
        }
        Ok(read)
    }

    async fn interfaces<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let read = self.read_interfaces(printer).await?;
        let addresses = addresses(&*self.connection.agent, self.tables()).await;
        self.connection.show_octets(printer)?;
        let addresses = addresses.map_err(|fault| self.connection.failed(&fault))?;
        let record = |interface: &Interface| {
            let index = u64::from(interface.index);
            InterfaceRecord::new(
                interface,
                addresses.get(&index).map_or(&[][..], Vec::as_slice),
                self.family(),
            )
        };
        let records: Vec<InterfaceRecord> = read.all.iter().map(record).collect();
        let drawn = || netstat::interfaces(&records, self.width());
        self.print(printer, &InterfaceRecord::HEADER, &records, "interfaces", drawn)
    }

    async fn statistics<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let family = self.family();
        let wants = |protocol: &str| {
            let of = if protocol.ends_with('6') { Family::V6 } else { Family::V4 };
            self.wants(protocol) && (matches!(protocol, "tcp" | "udp") || passes(family, Some(of)))
        };
        let read = statistics(&*self.connection.agent, self.tables(), wants).await;
        self.connection.show_octets(printer)?;
        let all = read.map_err(|fault| self.connection.failed(&fault))?;
        let records: Vec<StatisticRecord> = all.iter().flat_map(StatisticRecord::all).collect();
        self.print(printer, &StatisticRecord::HEADER, &records, "statistics", || netstat::statistics(&all))
    }

    /// Looks again and again, until it has looked often enough.
    async fn rates<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let every = self.arguments.every.unwrap_or(Duration::from_secs(1));
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut before: Option<(Interfaces, Instant)> = None;
        let mut rounds = 0;
        while self.arguments.count.is_none_or(|count| rounds < count) {
            ticks.tick().await;
            let now = match self.read_interfaces(printer).await {
                // An agent that is silent for a while is worth watching: report it and continue.
                Err(Error::Session { target, words, .. }) if before.is_some() => {
                    say(&format!("{target}: {words}"));
                    rounds += 1;
                    continue;
                }
                other => (other?, Instant::now()),
            };
            if now.0.all.is_empty() && before.is_none() {
                return self.print(
                    printer,
                    &RateRecord::HEADER,
                    &[] as &[RateRecord],
                    "interfaces",
                    String::new,
                );
            }
            if let Some((earlier, at)) = &before {
                let (seconds, time) = (now.1.duration_since(*at).as_secs_f64(), unix_time());
                let records = netstat::rates(earlier, &now.0, seconds, time.as_secs_f64());
                let table = || format!("{}\n{}\n", clock(time), netstat::rate_table(&records, self.width()));
                self.print(printer, &RateRecord::HEADER, &records, "interfaces", table)?;
                printer.flush()?;
                rounds += 1;
            }
            before = Some(now);
        }
        Ok(())
    }

    /// Prints what was found, or says that there is nothing.
    fn print<W: Write, T: Serialize>(
        &self,
        printer: &mut Printer<'_, W>,
        header: &[&str],
        records: &[T],
        what: &str,
        text: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        if records.is_empty() {
            printer.count_missing();
            self.connection.note(&format!("the agent lists no such {what}, or none that you may read"));
        }
        match printer.form() {
            Form::Text if records.is_empty() => Ok(()),
            Form::Text => Ok(printer.block(&text())?),
            Form::Csv => {
                let row = |record: &T| {
                    let cells = cells_of(record, header).map_err(std::io::Error::from)?;
                    printer.row(header, &cells)
                };
                Ok(records.iter().try_for_each(row)?)
            }
            Form::Json | Form::JsonLines => {
                Ok(records.iter().try_for_each(|record| printer.object(record))?)
            }
        }
    }
}
