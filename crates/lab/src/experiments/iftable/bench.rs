//! A subject on the bench: its sessions, its meters and what its ifTable holds.

use std::io;
use std::time::{Duration, Instant};

use trunkline_client::{Error as ClientError, Target};
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::{Oid, ValueRef, module::snmpv2_mib};
use trunkline_snmp::wire::Bound;

use crate::kit::error::Error;
use crate::kit::if_table::Link;
use crate::kit::meter::cpu::CpuMeter;
use crate::kit::meter::memory;
use crate::kit::subject::Subject;
use crate::run::Desk;
use crate::samples::{MemoryMoment, MemoryRecord, Record, SubjectRecord, TableRecord, Transport};
use crate::warning::Warning;

/// A subject that is ready to be measured.
pub(super) struct Bench {
    pub name: String,
    pid: Option<u32>,
    cpu: Option<CpuMeter>,
    pub links: Vec<Link>,
    /// The instances of its ifTable, in order.
    pub instances: Vec<Oid>,
}

impl Bench {
    /// Opens a subject's sessions, reads its idle memory, walks its ifTable, and writes down what was found. `None`, with
    /// the doubt written, when it does not answer.
    pub(super) async fn set_up(subject: &Subject, desk: &mut Desk) -> Result<Option<Bench>, Error> {
        let mut bench = Bench {
            name: subject.name.clone(),
            pid: subject.pid(),
            cpu: None,
            links: Vec::new(),
            instances: Vec::new(),
        };
        bench.set_up_cpu(desk)?;
        bench.write_memory(MemoryMoment::Idle, desk)?;
        bench.open_links(subject, desk).await?;
        let Some(link) = bench.links.first() else {
            let reason = "it answers over no transport".into();
            desk.doubt(Warning::SubjectLeftOut { subject: bench.name, reason })?;
            return Ok(None);
        };
        let parts = [subject.version.clone(), description(link).await];
        let description = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        match walk_twice_read(link, desk).await {
            Ok(found) if !found.is_empty() => {
                desk.write(&Record::Subject(SubjectRecord {
                    subject: bench.name.clone(),
                    kind: subject.kind,
                    description,
                    program: subject.program.clone(),
                }))?;
                desk.write(&Record::Table(table_record(&bench.name, &found)))?;
                bench.instances = found.into_iter().map(|(name, _)| name).collect();
                Ok(Some(bench))
            }
            walked => {
                let reason = walked.map_or_else(|error| error.to_string(), |_| "its ifTable is empty".into());
                desk.doubt(Warning::SubjectLeftOut { subject: bench.name, reason })?;
                Ok(None)
            }
        }
    }

    fn set_up_cpu(&mut self, desk: &mut Desk) -> Result<(), Error> {
        let Some(pid) = self.pid else { return Ok(()) };
        match CpuMeter::new(pid) {
            Ok(meter) => self.cpu = Some(meter),
            Err(error) => {
                let reason = error.to_string();
                desk.doubt(Warning::NoCpuTime { subject: self.name.clone(), reason })?;
            }
        }
        Ok(())
    }

    async fn open_links(&mut self, subject: &Subject, desk: &mut Desk) -> Result<(), Error> {
        for (transport, target) in &subject.targets {
            match open_and_try(*transport, target).await {
                Ok(link) => {
                    self.doubts_about(&link, desk)?;
                    self.links.push(link);
                }
                Err(reason) => {
                    let (subject, transport) = (self.name.clone(), *transport);
                    desk.doubt(Warning::TransportLeftOut { subject, transport, reason })?;
                }
            }
        }
        Ok(())
    }

    fn doubts_about(&self, link: &Link, desk: &mut Desk) -> Result<(), Error> {
        let subject = self.name.clone();
        if let (mtu, true) = link.mtu
            && link.transport == Transport::Udp
        {
            desk.doubt(Warning::AssumedMtu { subject: subject.clone(), mtu })?;
        }
        if let Some(Err(error)) = &link.tcp {
            desk.doubt(Warning::NoTcpCount { subject, reason: error.to_string() })?;
        }
        Ok(())
    }

    /// The CPU time used so far; `None` for an agent elsewhere.
    pub(super) fn cpu(&self) -> Option<u64> {
        self.cpu.as_ref().and_then(|meter| meter.read().ok())
    }

    /// Reads and writes down the memory of a child.
    pub(super) fn write_memory(&self, when: MemoryMoment, desk: &mut Desk) -> Result<(), Error> {
        let Some(pid) = self.pid else { return Ok(()) };
        let read: io::Result<memory::Memory> = memory::read(pid);
        match read {
            Ok(memory::Memory { rss, pss, instructions, data, constants }) => {
                let subject = self.name.clone();
                let record = MemoryRecord { subject, when, rss, pss, instructions, data, constants };
                desk.write(&Record::Memory(record))
            }
            Err(error) => {
                let reason = error.to_string();
                desk.doubt(Warning::NoMemory { subject: self.name.clone(), reason })
            }
        }
    }
}

/// Opens a session and asks for something every agent has, so that a closed port shows here and not in a cell.
async fn open_and_try(transport: Transport, target: &Target) -> Result<Link, String> {
    let link = Link::open(transport, target).await.map_err(|error| error.to_string())?;
    let first = link.session.next(&[Oid::EMPTY.child(IF_TABLE.oid)]).await;
    first.map(|_| link).map_err(|error| error.to_string())
}

/// Walks ifTable as it is when the agent has read its counters twice. Net-SNMP's agent works out ifInUcastPkts from one
/// reading to the next, which come seconds apart; until then the column is zero, and its messages are shorter than they
/// will be. An agent that has it from the start, or whose interfaces received nothing, is not waited for.
async fn walk_twice_read(link: &Link, desk: &Desk) -> Result<Vec<(Oid, Bound)>, ClientError> {
    let start = Instant::now();
    loop {
        let found = link.walk().await?;
        let zero = table_record("", &found).zero_columns;
        let unread = zero.contains(&IN_UNICAST) && !zero.contains(&IN_OCTETS);
        if !unread || start.elapsed() > SECOND_READING || desk.is_interrupted() {
            return Ok(found);
        }
        desk.progress.set_message("second reading");
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// What the agent calls itself (sysDescr.0), on one line.
async fn description(link: &Link) -> String {
    let name = Oid::EMPTY.child(snmpv2_mib::SYS_DESCR.oid).child(&[0]);
    let Ok(response) = link.session.get(&[name]).await else { return String::new() };
    let text = response.bindings.first().and_then(|binding| match &binding.value {
        Bound::Value(value) => match value.as_value_ref() {
            ValueRef::OctetString(octets) => Some(String::from_utf8_lossy(octets).replace(['\r', '\n'], " ")),
            _ => None,
        },
        _ => None,
    });
    text.unwrap_or_default()
}

fn table_record(subject: &str, found: &[(Oid, Bound)]) -> TableRecord {
    let column_at = IF_TABLE.oid.len() + 1;
    let mut columns: Vec<u32> = found.iter().filter_map(|(name, _)| name.get(column_at).copied()).collect();
    columns.dedup();
    let of_column = |column: u32| found.iter().filter(move |(name, _)| name.get(column_at) == Some(&column));
    let is_zero = |bound: &Bound| match bound {
        Bound::Value(value) => matches!(value.as_value_ref(), ValueRef::Counter32(0)),
        _ => false,
    };
    let all_zero = |column: &u32| of_column(*column).all(|(_, value)| is_zero(value));
    TableRecord {
        subject: subject.to_owned(),
        rows: columns.first().map_or(0, |&column| of_column(column).count() as u32),
        zero_columns: columns.iter().copied().filter(all_zero).collect(),
        instances: found.len() as u32,
        columns,
    }
}

/// ifInOctets and ifInUcastPkts.
const IN_OCTETS: u32 = 10;
const IN_UNICAST: u32 = 11;
/// How long a second reading is waited for. Net-SNMP's agent makes it after 3 seconds.
const SECOND_READING: Duration = Duration::from_secs(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::Value;

    #[test]
    fn a_table_is_described() {
        let instance = |column, row| Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column, row]);
        let counter = |number| Bound::Value(Value::Counter32(number));
        let found = [
            (instance(1, 1), Bound::Value(Value::Integer(1))),
            (instance(1, 7), Bound::Value(Value::Integer(7))),
            (instance(10, 1), counter(0)),
            (instance(10, 7), counter(5)),
            (instance(13, 1), counter(0)),
            (instance(13, 7), counter(0)),
        ];
        let record = table_record("s", &found);
        assert_eq!((record.rows, record.instances), (2, 6));
        assert_eq!(record.columns, [1, 10, 13]);
        assert_eq!(record.zero_columns, [13]);
        assert_eq!(table_record("s", &[]).rows, 0);
    }
}
