//! A subject on the bench: its sessions, its meters and the contents of its ifTable.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::{Oid, ValueRef, module::snmpv2_mib};
use trunkline_snmp::wire::Bound;

use trunkline_labkit::conversation::Peer;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::if_table::{Link, WalkError, mistakes};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::meter::cpu::CpuMeter;
use trunkline_labkit::meter::memory;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::subject::Subject;
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{Entry, SubjectRecord};

use super::{DELAY, MEMORY, OCTETS};

/// When memory is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Moment {
    /// Ready, before the first request.
    Idle,
    /// After the last request.
    AfterLoad,
}

/// A subject ready to be measured.
pub(super) struct Bench {
    pub name: String,
    pid: Option<u32>,
    cpu: Option<CpuMeter>,
    pub links: Vec<Link>,
    /// The instances of its ifTable, in order.
    pub instances: Vec<Oid>,
}

impl Bench {
    /// Opens a subject's sessions, reads its idle memory, walks its ifTable, and records the findings. `None`,
    /// with a doubt recorded, if it does not answer.
    pub(super) async fn set_up(subject: &Subject, ledger: &mut Ledger) -> Result<Option<Bench>, Error> {
        let mut bench = Bench {
            name: subject.name.clone(),
            pid: subject.pid(),
            cpu: None,
            links: Vec::new(),
            instances: Vec::new(),
        };
        bench.set_up_cpu(ledger)?;
        bench.write_memory(Moment::Idle, ledger)?;
        bench.open_links(subject, ledger).await?;
        let Some(link) = bench.links.first() else {
            ledger.doubt(left_out(&bench.name, "it answers over no transport".into()))?;
            return Ok(None);
        };
        let parts = [subject.version.clone(), description(link).await];
        let description = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        match walk_twice_read(link, ledger).await {
            Ok(found) if !found.is_empty() => {
                ledger.write(&Entry::Subject(SubjectRecord {
                    subject: bench.name.clone(),
                    kind: subject.kind,
                    description,
                    program: subject.program.clone(),
                }))?;
                if let Some(text) = mistakes(&found) {
                    let text = format!("{}: {text}", bench.name);
                    ledger.doubt(Doubt::Condition { table: DELAY.into(), text })?;
                }
                for (column, found) in columns(&found) {
                    let mut note = |quantity, figure: u32| {
                        ledger.reading(OCTETS, &bench.name, column, quantity, 1, f64::from(figure))
                    };
                    note(Quantity::Instances, found.instances)?;
                    note(Quantity::ZeroCounters, found.zero)?;
                }
                bench.instances = found.into_iter().map(|(name, _)| name).collect();
                Ok(Some(bench))
            }
            walked => {
                let reason = walked.map_or_else(|error| error.to_string(), |_| "its ifTable is empty".into());
                ledger.doubt(left_out(&bench.name, reason))?;
                Ok(None)
            }
        }
    }

    fn set_up_cpu(&mut self, ledger: &mut Ledger) -> Result<(), Error> {
        let Some(pid) = self.pid else { return Ok(()) };
        match CpuMeter::new(pid) {
            Ok(meter) => self.cpu = Some(meter),
            Err(error) => {
                ledger.doubt(left_out(&format!("the CPU time of {}", self.name), error.to_string()))?;
            }
        }
        Ok(())
    }

    async fn open_links(&mut self, subject: &Subject, ledger: &mut Ledger) -> Result<(), Error> {
        for (transport, peer) in &subject.targets {
            match open_and_try(peer).await {
                Ok(link) => {
                    self.doubts_about(&link, ledger)?;
                    self.links.push(link);
                }
                Err(reason) => {
                    let reason = format!("{reason}{}", subject.advice);
                    ledger.doubt(left_out(&format!("{transport} of {}", self.name), reason))?;
                }
            }
        }
        Ok(())
    }

    fn doubts_about(&self, link: &Link, ledger: &mut Ledger) -> Result<(), Error> {
        if let (mtu, true) = link.mtu
            && link.transport == Transport::Udp
        {
            let name = &self.name;
            let text =
                format!("the MTU of the path to {name} is unknown; fragments are counted for {mtu} octets");
            ledger.doubt(Doubt::Condition { table: DELAY.into(), text })?;
        }
        if link.transport == Transport::Dtls {
            let what = format!("the packets and octets at IP level of {}", self.name);
            ledger.doubt(left_out(&what, "no meter counts the datagrams of DTLS".into()))?;
        }
        if let Some(Err(error)) = &link.tcp {
            let what = format!("the count of TCP segments of {}", self.name);
            ledger.doubt(left_out(&what, error.to_string()))?;
        }
        Ok(())
    }

    /// The CPU time used so far; `None` for a remote agent.
    pub(super) fn cpu(&self) -> Option<u64> {
        self.cpu.as_ref().and_then(|meter| meter.read().ok())
    }

    fn series(&self, when: Moment) -> String {
        match when {
            Moment::Idle => format!("{}, idle", self.name),
            Moment::AfterLoad => format!("{}, after", self.name),
        }
    }

    /// Reads and records the memory of a child.
    pub(super) fn write_memory(&self, when: Moment, ledger: &mut Ledger) -> Result<(), Error> {
        let Some(pid) = self.pid else { return Ok(()) };
        let read: io::Result<memory::Memory> = memory::read(pid);
        match read {
            Ok(memory::Memory { rss, pss, instructions, data, constants }) => {
                let series = self.series(when);
                for (quantity, figure) in [
                    (Quantity::Resident, rss),
                    (Quantity::Proportional, pss),
                    (Quantity::Instructions, instructions),
                    (Quantity::Writable, data),
                    (Quantity::Constants, constants),
                ] {
                    ledger.reading(MEMORY, &series, 0, quantity, 1, figure as f64)?;
                }
                Ok(())
            }
            // An ordinary user may not look into a process that guards its secrets, but see its size.
            Err(error) => {
                if let Ok((resident, _)) = memory::sizes(pid) {
                    ledger.reading(MEMORY, &self.series(when), 0, Quantity::Resident, 1, resident as f64)?;
                }
                let what = format!("the parts of the memory of {}", self.name);
                ledger.doubt(left_out(&what, format!("{error}; root may read them")))
            }
        }
    }
}

fn left_out(what: &str, reason: String) -> Doubt {
    Doubt::LeftOut { table: DELAY.into(), what: what.into(), reason }
}

/// Opens a session and requests something that every agent has, so that a closed port shows up here and not in a
/// cell.
async fn open_and_try(peer: &Peer) -> Result<Link, String> {
    let link = Link::open(peer).await.map_err(|error| error.to_string())?;
    let first = link.session.next(&[Oid::EMPTY.child(IF_TABLE.oid)]).await;
    first.map(|_| link).map_err(|error| error.to_string())
}

/// Walks ifTable once the agent has read its counters twice. Net-SNMP's agent computes ifInUcastPkts from
/// successive readings, which are seconds apart; until then the column is zero, and its messages are shorter than
/// later on. There is no wait for an agent that has it from the start, or whose interfaces received nothing.
async fn walk_twice_read(link: &Link, ledger: &Ledger) -> Result<Vec<(Oid, Bound)>, WalkError> {
    let start = Instant::now();
    loop {
        let found = link.walk().await?;
        let columns = columns(&found);
        let is_zero = |column| columns.get(&column).is_some_and(|it| it.zero == it.instances);
        let unread = is_zero(IN_UNICAST) && !is_zero(IN_OCTETS);
        if !unread || start.elapsed() > SECOND_READING || ledger.is_interrupted() {
            return Ok(found);
        }
        ledger.progress.set_message("second reading");
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// The agent's description (sysDescr.0), on one line.
async fn description(link: &Link) -> String {
    let name = Oid::EMPTY.child(snmpv2_mib::SYS_DESCR.oid).child(&[0]);
    let Ok(answer) = link.session.get(&[name]).await else { return String::new() };
    let text = answer.bindings.first().and_then(|binding| match &binding.value {
        Bound::Value(value) => match value.as_value_ref() {
            ValueRef::OctetString(octets) => Some(String::from_utf8_lossy(octets).replace(['\r', '\n'], " ")),
            _ => None,
        },
        _ => None,
    });
    text.unwrap_or_default()
}

/// A column of a subject's ifTable.
#[derive(Debug, Default, PartialEq, Eq)]
struct Column {
    instances: u32,
    /// Counters (RFC 2863: columns 10 to 20) that are zero.
    zero: u32,
}

fn columns(found: &[(Oid, Bound)]) -> BTreeMap<u32, Column> {
    let mut columns: BTreeMap<u32, Column> = BTreeMap::new();
    for (name, bound) in found {
        let Some(&number) = name.get(IF_TABLE.oid.len() + 1) else { continue };
        let column = columns.entry(number).or_default();
        column.instances += 1;
        if let Bound::Value(value) = bound
            && value.as_value_ref() == ValueRef::Counter32(0)
        {
            column.zero += 1;
        }
    }
    columns
}

/// ifInOctets and ifInUcastPkts.
const IN_OCTETS: u32 = 10;
const IN_UNICAST: u32 = 11;
/// The maximum wait for a second reading. Net-SNMP's agent makes it after 3 seconds.
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
        let columns = columns(&found);
        assert_eq!(columns.keys().copied().collect::<Vec<u32>>(), [1, 10, 13]);
        assert_eq!(columns[&1], Column { instances: 2, zero: 0 });
        assert_eq!(columns[&10], Column { instances: 2, zero: 1 });
        assert_eq!(columns[&13], Column { instances: 2, zero: 2 });
        assert!(self::columns(&[]).is_empty());
    }
}
