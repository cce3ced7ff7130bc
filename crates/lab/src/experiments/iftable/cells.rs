//! From stored blocks to the results of each cell: a pure function, so that the same samples always give the same
//! report.

use std::collections::BTreeMap;

use trunkline_labkit::block::{BlockRecord, Cell, Operation, RequestRecord, TcpDelta};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::statistics::{Summary, median};
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::Trials;

use super::DELAY;

/// The results of all cells.
pub(super) struct Cells {
    /// The agents, in the order in which they were measured.
    pub subjects: Vec<String>,
    /// By subject (in their order), operation, transport, objects.
    pub all: Vec<CellResult>,
}

/// The results of one cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellResult {
    /// The cell.
    pub cell: Cell,
    /// All delays of its requests, nanoseconds.
    pub delays_ns: Summary,
    /// Their median; delays of one round share their noise.
    pub delay_ns: Estimate,
    /// The paper's estimator: the minimum of the ten delays of a round, nanoseconds; the median over the rounds.
    pub least_of_ten_ns: Estimate,
    /// The delay of the first request of a block, nanoseconds, the median over the blocks.
    pub first_ns: Estimate,
    /// CPU time of the subject per request, nanoseconds, the median over blocks; `None` for a remote subject.
    pub cpu_ns: Option<Estimate>,
    /// Packets at IP level per interaction, both directions, mean.
    pub ip_packets: Option<f64>,
    /// Octets at IP level per interaction, both directions, mean.
    pub ip_octets: Option<f64>,
    /// Requests that were sent more than once.
    pub retried: u32,
}

impl Cells {
    pub(super) fn of(trials: &Trials) -> Cells {
        let subjects: Vec<String> = trials.subjects().map(|it| it.subject.clone()).collect();
        let mut blocks: BTreeMap<&Cell, Vec<&BlockRecord>> = BTreeMap::new();
        for block in trials.blocks(DELAY) {
            blocks.entry(&block.cell).or_default().push(block);
        }
        let mut all: Vec<CellResult> =
            blocks.into_iter().filter_map(|(cell, blocks)| result(cell, &blocks)).collect();
        all.sort_by_key(|result| {
            let Cell { subject, operation, transport, objects } = &result.cell;
            let place = subjects.iter().position(|name| name == subject);
            (place, *operation, *transport, *objects)
        });
        Cells { subjects, all }
    }

    /// The result of a cell, if it was measured.
    pub(super) fn get(
        &self,
        subject: &str,
        operation: Operation,
        transport: Transport,
        objects: u32,
    ) -> Option<&CellResult> {
        let cell = Cell { subject: subject.to_owned(), transport, operation, objects };
        self.all.iter().find(|result| result.cell == cell)
    }
}

fn result(cell: &Cell, blocks: &[&BlockRecord]) -> Option<CellResult> {
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for block in blocks {
        let delays = block.requests.iter().map(|request| request.delay_ns as f64);
        rounds.entry(block.round).or_default().extend(delays);
    }
    let rounds: Vec<Vec<f64>> = rounds.into_values().collect();
    let least = |delays: &Vec<f64>| delays.iter().copied().min_by(f64::total_cmp);
    let least: Vec<f64> = rounds.iter().filter_map(least).collect();
    let cpu = |block: &&BlockRecord| Some(block.cpu_ns? as f64 / block.requests.len().max(1) as f64);
    let cpu: Vec<f64> = blocks.iter().filter_map(cpu).collect();
    let requests: Vec<&RequestRecord> = blocks.iter().flat_map(|block| &block.requests).collect();
    let first = |block: &&BlockRecord| Some(block.requests.first()?.delay_ns as f64);
    let first: Vec<f64> = blocks.iter().filter_map(first).collect();
    let (ip_packets, ip_octets) = ip_level(blocks, &requests).unzip();
    Some(CellResult {
        cell: cell.clone(),
        delays_ns: Summary::of(&rounds.concat())?,
        delay_ns: Estimate::of_groups(&rounds, median)?,
        least_of_ten_ns: Estimate::median(&least)?,
        first_ns: Estimate::median(&first)?,
        cpu_ns: Estimate::median(&cpu),
        ip_packets,
        ip_octets,
        retried: requests.iter().filter(|request| request.attempts > 1).count() as u32,
    })
}

/// Packets and octets at IP level per interaction: from the datagrams, or from what the kernel counted on the
/// connection during all blocks.
fn ip_level(blocks: &[&BlockRecord], requests: &[&RequestRecord]) -> Option<(f64, f64)> {
    let datagrams: Vec<(u64, u64)> =
        requests.iter().filter_map(|request| request.ip_packets.zip(request.ip_octets)).collect();
    if !datagrams.is_empty() {
        let count = datagrams.len() as f64;
        let (packets, octets) =
            datagrams.iter().fold((0, 0), |(p, o), (packets, octets)| (p + packets, o + octets));
        return Some((packets as f64 / count, octets as f64 / count));
    }
    let counted: Vec<(usize, TcpDelta)> =
        blocks.iter().filter_map(|block| Some((block.requests.len(), block.tcp?))).collect();
    let requests: usize = counted.iter().map(|(requests, _)| *requests).sum();
    let segments: u64 = counted.iter().map(|(_, tcp)| tcp.segments_out + tcp.segments_in).sum();
    let octets: u64 = counted.iter().map(|(_, tcp)| tcp.ip_octets()).sum();
    (requests > 0).then(|| (segments as f64 / requests as f64, octets as f64 / requests as f64))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{MEMORY, OCTETS, Setting};
    use super::*;
    use trunkline_labkit::reading::{Quantity, Reading};
    use trunkline_labkit::sample::trial;
    use trunkline_labkit::subject::SubjectKind;
    use trunkline_labkit::transport;
    use trunkline_labkit::trial::{EndRecord, Entry, SubjectRecord};

    /// A run with known samples: two subjects, all operations and transports; the delay of a cell is `base *
    /// objects + request` microseconds, so that every figure can be predicted.
    pub(in super::super) fn known_run() -> Trials {
        let mut trial = trial("iftable");
        let objects = vec![1, 22, 66, 270];
        trial.setting = serde_json::to_value(Setting { objects: objects.clone(), rounds: 6 }).unwrap();
        let mut entries = Vec::new();
        for (name, kind, base) in
            [("trunklined", SubjectKind::Trunklined, 1u64), ("snmpd", SubjectKind::Snmpd, 4)]
        {
            of_subject(name, kind, base, &objects, &mut entries);
        }
        entries.push(Entry::End(EndRecord { seconds: 12.5 }));
        Trials { trial, entries }
    }

    fn of_subject(name: &str, kind: SubjectKind, base: u64, objects: &[u32], entries: &mut Vec<Entry>) {
        let subject = name.to_owned();
        let program = Some(format!("/usr/bin/{name}").into());
        let description = format!("{name} 1");
        entries.push(Entry::Subject(SubjectRecord { subject: subject.clone(), kind, description, program }));
        let mut read = |table: &str, series: &str, at, quantity, figure: u64| {
            let (table, series, figure) = (table.into(), series.into(), figure as f64);
            entries.push(Entry::Reading(Reading { table, series, at, quantity, repetition: 1, figure }));
        };
        for column in 1..=22 {
            read(OCTETS, name, column, Quantity::Instances, 13);
            read(OCTETS, name, column, Quantity::ZeroCounters, if column == 13 { 13 } else { 0 });
        }
        for (at, quantity) in [
            Quantity::Resident,
            Quantity::Proportional,
            Quantity::Instructions,
            Quantity::Writable,
            Quantity::Constants,
        ]
        .into_iter()
        .enumerate()
        {
            read(MEMORY, &format!("{name}, idle"), 0, quantity, base << (22 - at));
        }
        let octets = |operation, n: u64| match operation {
            Operation::GetBulk => (43, 27 + 19 * n),
            _ => (27 + 16 * n, 27 + 19 * n),
        };
        for operation in Operation::ALL {
            for &count in objects {
                let (sent, received) = octets(operation, u64::from(count));
                let series = format!("{name}, {operation}");
                for (quantity, figure) in [
                    (Quantity::RequestOctets, sent),
                    (Quantity::ResponseOctets, received),
                    (Quantity::ExactRequestOctets, sent),
                    (Quantity::ExactResponseOctets, received),
                    (Quantity::ValueOctets, 3 * u64::from(count)),
                    (Quantity::LongestValue, 6),
                ] {
                    read(OCTETS, &series, count, quantity, figure);
                }
            }
        }
        for operation in Operation::ALL {
            for &objects in objects {
                for transport in transport::PLAIN {
                    let cell = Cell { subject: subject.clone(), transport, operation, objects };
                    let octets = octets(operation, u64::from(objects));
                    entries.extend((0..=6).map(|round| Entry::Block(of_cell(&cell, base, round, octets))));
                }
            }
        }
    }

    fn of_cell(cell: &Cell, base: u64, round: u32, (sent, received): (u64, u64)) -> BlockRecord {
        let udp = cell.transport == Transport::Udp;
        // The warm-up is far off, so that using it would be noticed.
        let delay = |request: u64| match round {
            0 => 1_000_000_000,
            _ => 1000 * (base * u64::from(cell.objects) + request),
        };
        let request = |number: u64| RequestRecord {
            sent,
            received,
            ip_packets: udp.then_some(2),
            ip_octets: udp.then_some(sent + received + 56),
            delay_ns: delay(number),
            bindings: cell.objects,
            attempts: 1,
        };
        let tcp = TcpDelta {
            segments_out: 10,
            segments_in: 10,
            payload_out: 10 * sent,
            payload_in: 10 * received,
            headers_per_segment: 52,
        };
        BlockRecord {
            table: DELAY.into(),
            cell: cell.clone(),
            round,
            requests: (1..=10).map(request).collect(),
            cpu_ns: Some(10_000 * base),
            tcp: (!udp).then_some(tcp),
        }
    }

    #[test]
    fn known_samples_give_known_results() {
        let cells = Cells::of(&known_run());
        assert_eq!((cells.all.len(), cells.subjects.len()), (2 * 3 * 2 * 4, 2));
        let result = cells.get("snmpd", Operation::GetBulk, Transport::Udp, 66).unwrap();
        // 6 rounds of 10 delays: 4 * 66 + (1 to 10) microseconds
        assert_eq!((result.delays_ns.count, result.delay_ns.repetitions()), (60, Some(6)));
        assert_eq!((result.delays_ns.min, result.delays_ns.max), (265_000.0, 274_000.0));
        assert_eq!(result.delay_ns.value(), 269_500.0);
        assert!(result.delay_ns.interval().is_some_and(|it| it.low == 269_500.0));
        assert_eq!(result.least_of_ten_ns.value(), 265_000.0);
        assert_eq!(result.cpu_ns.as_ref().unwrap().value(), 4_000.0);
        let whole = 43.0 + 27.0 + 19.0 * 66.0;
        assert_eq!((result.ip_packets, result.ip_octets), (Some(2.0), Some(whole + 56.0)));
        let tcp = cells.get("snmpd", Operation::GetBulk, Transport::Tcp, 66).unwrap();
        assert_eq!((tcp.ip_packets, tcp.ip_octets), (Some(2.0), Some(whole + 104.0)));
    }

    #[test]
    fn order_is_subject_operation_transport_objects() {
        let cells = Cells::of(&known_run());
        let first: Vec<String> = cells.all.iter().take(5).map(|result| result.cell.to_string()).collect();
        assert_eq!(first[0], "Get of 1 over UDP from trunklined");
        assert_eq!(first[3], "Get of 270 over UDP from trunklined");
        assert_eq!(first[4], "Get of 1 over TCP from trunklined");
        assert_eq!(cells.all[24].cell.subject, "snmpd");
    }
}
