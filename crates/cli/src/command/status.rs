//! `trunkline status`: what a machine is and how it is, from the objects that most agents have.

use std::io::Write;

use serde::Serialize;
use trunkline_client::{Error as ClientError, Session, TableLimit};
use trunkline_smi::Value;
use trunkline_smi::module::host_resources_mib::{HR_SYSTEM_NUM_USERS, HR_SYSTEM_PROCESSES, HR_SYSTEM_UPTIME};
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::module::ip_mib::{IP_IN_RECEIVES, IP_OUT_REQUESTS};
use trunkline_smi::module::snmpv2_mib::{SYS_CONTACT, SYS_DESCR, SYS_LOCATION, SYS_NAME, SYS_UP_TIME};
use trunkline_smi::module::ucd_snmp_mib::LA_TABLE;

use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::figures::storage::{host_resources, memory, short};
use trunkline_show::figures::{cell, number, scalars, text};
use trunkline_show::record::cells_of;

/// What is known of a machine; `docs/json.md` describes the fields.
#[derive(Debug, Default, Serialize)]
struct Status {
    name: Option<String>,
    description: Option<String>,
    location: Option<String>,
    contact: Option<String>,
    /// Hundredths of a second.
    agent_uptime: Option<u64>,
    system_uptime: Option<u64>,
    interfaces: usize,
    interfaces_up: usize,
    /// The names of those that should be up and are not.
    interfaces_failed: Vec<String>,
    octets_in: u64,
    octets_out: u64,
    ip_in: Option<u64>,
    ip_out: Option<u64>,
    load: Vec<String>,
    memory_size: Option<u64>,
    memory_used: Option<u64>,
    processes: Option<u64>,
    users: Option<u64>,
}

/// The fields in order, for CSV.
const HEADER: [&str; 18] = [
    "name",
    "description",
    "location",
    "contact",
    "agent_uptime",
    "system_uptime",
    "interfaces",
    "interfaces_up",
    "interfaces_failed",
    "octets_in",
    "octets_out",
    "ip_in",
    "ip_out",
    "load",
    "memory_size",
    "memory_used",
    "processes",
    "users",
];

/// Runs the command.
pub async fn run<W: Write>(connection: &Connection<'_>, printer: &mut Printer<'_, W>) -> Result<(), Error> {
    let status = Status::read(&*connection.agent).await;
    connection.show_octets(printer)?;
    let status = status.map_err(|fault| connection.failed(&fault))?;
    match printer.form() {
        Form::Text => printer.block(&status.words(connection))?,
        Form::Csv => status.row(printer)?,
        Form::Json | Form::JsonLines => printer.object(&status)?,
    }
    Ok(printer.finish()?)
}

/// Values of ifAdminStatus and ifOperStatus.
const UP: u64 = 1;

impl Status {
    async fn read(session: &dyn Session) -> Result<Self, ClientError> {
        let objects = [
            SYS_NAME.oid,
            SYS_DESCR.oid,
            SYS_LOCATION.oid,
            SYS_CONTACT.oid,
            SYS_UP_TIME.oid,
            HR_SYSTEM_UPTIME.oid,
            IP_IN_RECEIVES.oid,
            IP_OUT_REQUESTS.oid,
            HR_SYSTEM_PROCESSES.oid,
            HR_SYSTEM_NUM_USERS.oid,
        ];
        let values = scalars(session, &objects).await?;
        let words = |at: usize| values[at].as_ref().and_then(text).filter(|text| !text.is_empty());
        let count = |at: usize| values[at].as_ref().and_then(number);
        let mut status = Status {
            name: words(0),
            description: words(1),
            location: words(2),
            contact: words(3),
            agent_uptime: count(4),
            system_uptime: count(5),
            ip_in: count(6),
            ip_out: count(7),
            processes: count(8),
            users: count(9),
            ..Status::default()
        };
        status.read_interfaces(session).await?;
        let load = session.table(&LA_TABLE, &[3], TableLimit::default()).await?;
        status.load = load.rows.keys().filter_map(|index| text(cell(&load, index, 0)?)).collect();
        let areas = host_resources(session).await?;
        (status.memory_size, status.memory_used) = memory(&areas).unzip();
        Ok(status)
    }

    async fn read_interfaces(&mut self, session: &dyn Session) -> Result<(), ClientError> {
        // ifDescr, ifAdminStatus, ifOperStatus, ifInOctets, ifOutOctets.
        let table = session.table(&IF_TABLE, &[2, 7, 8, 10, 16], TableLimit::default()).await?;
        self.interfaces = table.rows.len();
        for index in table.rows.keys() {
            let count = |column| cell(&table, index, column).and_then(number);
            self.octets_in = self.octets_in.saturating_add(count(3).unwrap_or(0));
            self.octets_out = self.octets_out.saturating_add(count(4).unwrap_or(0));
            if count(2) == Some(UP) {
                self.interfaces_up += 1;
            } else if count(1) == Some(UP) {
                let name = cell(&table, index, 0).and_then(text);
                self.interfaces_failed.push(name.unwrap_or_else(|| format!("{index:?}")));
            }
        }
        Ok(())
    }

    /// A line for each thing that is known.
    fn words(&self, connection: &Connection<'_>) -> String {
        let clock = |ticks: u64| {
            let ticks = Value::TimeTicks(u32::try_from(ticks).unwrap_or(u32::MAX));
            connection.names.text(SYS_UP_TIME.oid, ticks.as_value_ref())
        };
        let pair = |one: Option<u64>, other: Option<u64>| Some((one?, other?));
        let failed = match self.interfaces_failed.len() {
            0 => String::new(),
            count => format!(
                "; {count} should be up and {} not: {}",
                if count == 1 { "is" } else { "are" },
                self.interfaces_failed.join(" ")
            ),
        };
        let lines = [
            ("name", self.name.clone()),
            ("system", self.description.clone()),
            ("location", self.location.clone()),
            ("contact", self.contact.clone()),
            ("up", self.system_uptime.map(clock)),
            ("agent up", self.agent_uptime.map(clock)),
            ("interfaces", Some(format!("{}, {} up{failed}", self.interfaces, self.interfaces_up))),
            ("traffic", Some(format!("{} in, {} out", short(self.octets_in), short(self.octets_out)))),
            (
                "IP",
                pair(self.ip_in, self.ip_out)
                    .map(|(received, sent)| format!("{received} received, {sent} sent")),
            ),
            ("load", (!self.load.is_empty()).then(|| self.load.join(" "))),
            ("memory", self.memory()),
            ("processes", self.processes.map(|count| count.to_string())),
            ("users", self.users.map(|count| count.to_string())),
        ];
        let known = lines.into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.map(|(name, value)| format!("{name:<10}  {}\n", trunkline_smi::visible(&value))).collect()
    }

    fn memory(&self) -> Option<String> {
        let (size, used) = (self.memory_size?, self.memory_used?);
        let percent = u128::from(used) * 100 / u128::from(size.max(1));
        Some(format!("{} of {} in use ({percent} %)", short(used), short(size)))
    }

    /// The fields in order.
    fn row<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let cells = cells_of(self, &HEADER).map_err(std::io::Error::from)?;
        Ok(printer.row(&HEADER, &cells)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_every_field() {
        let fields = serde_json::to_value(Status::default()).unwrap();
        let fields = fields.as_object().unwrap();
        assert_eq!(fields.len(), HEADER.len());
        assert!(HEADER.iter().all(|name| fields.contains_key(*name)));
    }
}
