//! `snmpnetstat`: the network of a machine, as `netstat` of BSD lists it.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use trunkline_client::Error as ClientError;
use trunkline_show::figures::inet::{Family, passes};
use trunkline_show::figures::interfaces::{Interface, addresses, interfaces};
use trunkline_show::figures::protocols::statistics;
use trunkline_show::figures::routes::routes;
use trunkline_show::figures::sockets::{Tables, tcp, udp};
use trunkline_show::print::Printer;
use trunkline_show::snmpnetstat::{self, Known, Listing};

use super::choices::{NetstatChoices, NetstatView};
use super::ended::Ended;
use super::session::{self, Agent};
use super::settings::Settings;

/// Lines of the display with an interval after which the headings are printed again.
const PAGE: usize = 21;

/// Runs the tool.
pub async fn run(settings: &Settings, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
    let (host, _) = session::operands(settings)?;
    let choices = &settings.choices.netstat;
    let agent = Agent::open(settings, host).await?;
    let netstat = Netstat { agent: &agent, choices };
    if let Some(every) = choices.interval {
        return netstat.interval(every, printer).await;
    }
    match choices.view() {
        NetstatView::Sockets => netstat.sockets(printer).await?,
        NetstatView::Interfaces => netstat.interfaces(printer).await?,
        NetstatView::Routes => netstat.routes(printer).await?,
        NetstatView::Statistics => netstat.statistics(printer).await?,
    }
    Ok(printer.finish()?)
}

struct Netstat<'n> {
    agent: &'n Agent,
    choices: &'n NetstatChoices,
}

impl Netstat<'_> {
    fn tables(&self) -> Tables {
        if self.choices.old_tables { Tables::Old } else { Tables::Present }
    }

    fn failed(&self, fault: ClientError) -> Ended {
        self.agent.failed(&fault)
    }

    fn wants(&self, protocol: &str) -> bool {
        self.choices.protocol.as_deref().is_none_or(|wanted| wanted == protocol)
    }

    async fn sockets(&self, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
        let known = match self.choices.numbers {
            true => Known::default(),
            // A file that cannot be read knows nobody.
            false => {
                let read = |file| std::fs::read_to_string(file).unwrap_or_default();
                Known::new(&read("/etc/hosts"), &read("/etc/services"))
            }
        };
        let session = &self.agent.session;
        for protocol in ["tcp", "udp"].into_iter().filter(|protocol| self.wants(protocol)) {
            let read = match protocol {
                "tcp" => tcp(session, self.tables()).await,
                _ => udp(session, self.tables()).await,
            };
            let mut found = read.map_err(|fault| self.failed(fault))?;
            found.all.retain(|socket| passes(self.choices.family, socket.family()));
            // An agent without sockets has not said that its tables are old.
            let are_old = found.are_old && (!found.all.is_empty() || self.choices.old_tables);
            let listing = Listing { known: &known, with_listeners: self.choices.all, are_old };
            printer.text(&match protocol {
                "tcp" => listing.tcp(&found.all),
                _ => listing.udp(&found.all),
            })?;
        }
        Ok(())
    }

    async fn interfaces(&self, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
        let session = &self.agent.session;
        let all = interfaces(session).await.map_err(|fault| self.failed(fault))?.all;
        let addresses = addresses(session, Tables::Old).await.map_err(|fault| self.failed(fault))?;
        let one = self.choices.interface.as_deref();
        printer.text(&snmpnetstat::interfaces(&all, &addresses, self.choices.columns, one))?;
        Ok(())
    }

    async fn routes(&self, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
        let session = &self.agent.session;
        let found = routes(session, self.tables()).await.map_err(|fault| self.failed(fault))?;
        let names = interfaces(session).await.map_err(|fault| self.failed(fault))?.all.into_iter();
        let names: BTreeMap<u64, String> =
            names.map(|interface| (u64::from(interface.index), interface.name)).collect();
        let of = |family| {
            let routes = found.all.iter().filter(move |route| route.family() == family);
            routes.filter(|route| passes(self.choices.family, Some(route.family()))).collect::<Vec<_>>()
        };
        let (v4, v6) = (of(Family::V4), of(Family::V6));
        if v4.is_empty() && v6.is_empty() {
            return Err(Ended::failed("Failed to locate any routes."));
        }
        if found.table != "inetCidrRouteTable" {
            return Ok(printer.text(&snmpnetstat::old_routes(&v4, &names, found.table))?);
        }
        let mut parts = Vec::new();
        for (family, routes) in [(Family::V4, v4), (Family::V6, v6)] {
            if !routes.is_empty() {
                parts.push(snmpnetstat::routes(&routes, &names, family, self.choices.numbers));
            }
        }
        Ok(printer.text(&parts.join("\n"))?)
    }

    async fn statistics(&self, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
        let wants = |protocol: &str| self.wants(protocol);
        let all = statistics(&self.agent.session, self.tables(), wants).await;
        let all = all.map_err(|fault| self.failed(fault))?;
        if all.is_empty() {
            return Err(Ended::failed("Failed to locate any statistics."));
        }
        Ok(printer.text(&snmpnetstat::statistics(&all, self.choices.skips_zero))?)
    }

    /// What the interfaces carry from one look to the next, until it is stopped.
    async fn interval(&self, every: Duration, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
        let name = self.choices.interface.as_deref();
        let mut before = self.look(name).await?;
        if before.is_empty() {
            return Err(Ended::failed(match name {
                Some(name) => format!("{name}: unknown interface"),
                None => "Failed to locate any interfaces.".to_owned(),
            }));
        }
        let drops = self.choices.columns.drops;
        let mut lines = 0;
        loop {
            if lines % PAGE == 0 {
                printer.text(&snmpnetstat::interval_header(name, drops))?;
            }
            printer.flush()?;
            tokio::time::sleep(every).await;
            let now = self.look(name).await?;
            printer.text(&snmpnetstat::interval(&before, &now, drops))?;
            (before, lines) = (now, lines + 1);
        }
    }

    async fn look(&self, name: Option<&str>) -> Result<Vec<Interface>, Ended> {
        let mut all = interfaces(&self.agent.session).await.map_err(|fault| self.failed(fault))?.all;
        all.retain(|interface| name.is_none_or(|name| interface.name == name));
        Ok(all)
    }
}
