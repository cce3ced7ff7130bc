//! From stored records to results: a pure function, so that the same samples always give the same report.
//!
//! Here each cell's samples become a summary, each interaction's octets are set against the paper's bounds, and what does
//! not agree becomes a [`Warning`].

use std::collections::BTreeMap;

use serde::Serialize;

use crate::experiments::pras2005::paper as pras2005;
use crate::kit::statistics::{Summary, median};
use crate::samples::{
    BlockRecord, Cell, EndRecord, MemoryRecord, OctetsRecord, Operation, Record, RequestRecord, Run,
    SubjectKind, SubjectRecord, TableRecord, TcpDelta, Transport,
};
use crate::warning::Warning;

/// Everything that a report shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// How and where the run was made.
    pub run: Run,
    /// Rounds that were measured.
    pub rounds: u32,
    /// How long measuring took, seconds; absent when the run was cut off.
    pub seconds: Option<f64>,
    /// The agents, in the order they were measured.
    pub subjects: Vec<SubjectRecord>,
    /// Their ifTables.
    pub tables: Vec<TableRecord>,
    /// Their memory.
    pub memory: Vec<MemoryRecord>,
    /// The results, by subject (in their order), operation, transport, objects.
    pub cells: Vec<CellResult>,
    /// Octets of single interactions against figure 6's bounds.
    pub octets: Vec<OctetsPoint>,
    /// Doubts.
    pub warnings: Vec<Warning>,
}

/// What was found of one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellResult {
    /// Which.
    #[serde(flatten)]
    pub cell: Cell,
    /// Delay of one request, nanoseconds.
    pub delay_ns: Summary,
    /// The paper's estimator: the least of the ten delays of a round, nanoseconds; the median of the rounds.
    pub least_of_ten_ns: f64,
    /// CPU time of the subject for one request, nanoseconds, a sample for each block; absent for a remote subject.
    pub cpu_ns: Option<Summary>,
    /// Octets of the request message, median.
    pub sent: f64,
    /// Octets of the response message, median.
    pub received: f64,
    /// Packets at IP level for one interaction, both directions, mean.
    pub ip_packets: Option<f64>,
    /// Octets at IP level for one interaction, both directions, mean.
    pub ip_octets: Option<f64>,
    /// Requests that were sent more than once.
    pub retried: u32,
}

/// One interaction's octets, and what the paper says they should be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OctetsPoint {
    /// What was measured.
    #[serde(flatten)]
    pub measured: OctetsRecord,
    /// Octets of both messages.
    pub total: u64,
    /// Figure 6's lower bound.
    pub low: u64,
    /// Figure 6's upper bound.
    pub high: u64,
}

impl Analysis {
    /// Analyses records. `None` when the first is not the record of a run.
    pub fn of(records: &[Record]) -> Option<Analysis> {
        let Some(Record::Run(run)) = records.first() else { return None };
        let mut sorted = Sorted::default();
        records.iter().for_each(|record| sorted.add(record));
        let names: Vec<&str> = sorted.subjects.iter().map(|subject| subject.subject.as_str()).collect();
        let mut cells: Vec<CellResult> =
            sorted.cells.iter().filter_map(|(cell, samples)| samples.result(cell, run.seed)).collect();
        cells.sort_by_key(|result| {
            let Cell { subject, operation, transport, objects } = &result.cell;
            let place = names.iter().position(|name| name == subject);
            (place, *operation, *transport, *objects)
        });
        let octets: Vec<OctetsPoint> = sorted.octets.iter().map(OctetsPoint::of).collect();
        let rounds = sorted.rounds;
        let mut warnings = sorted.warnings;
        warnings.extend(doubts_about_cells(&cells));
        warnings.extend(octets.iter().flat_map(OctetsPoint::doubts));
        warnings.extend(doubts_about_tables(&sorted.tables, &sorted.subjects));
        warnings.extend(doubts_about_run(run, rounds, sorted.end.as_ref()));
        Some(Analysis {
            run: run.clone(),
            rounds,
            seconds: sorted.end.map(|end| end.seconds),
            subjects: sorted.subjects,
            tables: sorted.tables,
            memory: sorted.memory,
            cells,
            octets,
            warnings,
        })
    }

    /// The result of a cell, if it was measured.
    pub fn cell(
        &self,
        subject: &str,
        operation: Operation,
        transport: Transport,
        objects: u32,
    ) -> Option<&CellResult> {
        let cell = Cell { subject: subject.to_owned(), transport, operation, objects };
        self.cells.iter().find(|result| result.cell == cell)
    }
}

/// The records by what they are about.
#[derive(Debug, Default)]
struct Sorted {
    subjects: Vec<SubjectRecord>,
    tables: Vec<TableRecord>,
    memory: Vec<MemoryRecord>,
    octets: Vec<OctetsRecord>,
    cells: BTreeMap<Cell, CellSamples>,
    warnings: Vec<Warning>,
    rounds: u32,
    end: Option<EndRecord>,
}

impl Sorted {
    fn add(&mut self, record: &Record) {
        match record {
            Record::Run(_) => {}
            Record::Subject(subject) => self.subjects.push(subject.clone()),
            Record::Table(table) => self.tables.push(table.clone()),
            Record::Octets(octets) => self.octets.push(octets.clone()),
            Record::Request(request) if request.round == 0 => {}
            Record::Request(request) => {
                self.rounds = self.rounds.max(request.round);
                self.cells.entry(request.cell.clone()).or_default().requests.push(request.clone());
            }
            Record::Block(block) => {
                self.cells.entry(block.cell.clone()).or_default().blocks.push(block.clone());
            }
            Record::Memory(memory) => self.memory.push(memory.clone()),
            Record::Warning(record) => self.warnings.push(record.warning.clone()),
            Record::End(end) => self.end = Some(end.clone()),
        }
    }
}

/// The samples of one cell.
#[derive(Debug, Default)]
struct CellSamples {
    requests: Vec<RequestRecord>,
    blocks: Vec<BlockRecord>,
}

impl CellSamples {
    fn result(&self, cell: &Cell, seed: u64) -> Option<CellResult> {
        let rounds = self.by_round();
        let least: Vec<f64> = rounds.iter().filter_map(|delays| least(delays)).collect();
        let of_requests = |octets: fn(&RequestRecord) -> u64| -> Vec<f64> {
            self.requests.iter().map(|request| octets(request) as f64).collect()
        };
        let (ip_packets, ip_octets) = self.ip_level().unzip();
        Some(CellResult {
            cell: cell.clone(),
            delay_ns: Summary::of_groups(&rounds, seed)?,
            least_of_ten_ns: median(&least)?,
            cpu_ns: Summary::of(&self.cpu_per_request(), seed),
            sent: median(&of_requests(|request| request.sent))?,
            received: median(&of_requests(|request| request.received))?,
            ip_packets,
            ip_octets,
            retried: self.requests.iter().filter(|request| request.attempts > 1).count() as u32,
        })
    }

    /// The delays, a group for each round.
    fn by_round(&self) -> Vec<Vec<f64>> {
        let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for request in &self.requests {
            rounds.entry(request.round).or_default().push(request.delay_ns as f64);
        }
        rounds.into_values().collect()
    }

    fn cpu_per_request(&self) -> Vec<f64> {
        let of_block = |block: &BlockRecord| Some(block.cpu_ns? as f64 / f64::from(block.requests.max(1)));
        self.blocks.iter().filter_map(of_block).collect()
    }

    /// Packets and octets at IP level for one interaction: from the datagrams, or from what the kernel counted on the
    /// connection during all blocks.
    fn ip_level(&self) -> Option<(f64, f64)> {
        let datagrams: Vec<(u64, u64)> =
            self.requests.iter().filter_map(|request| request.ip_packets.zip(request.ip_octets)).collect();
        if !datagrams.is_empty() {
            let count = datagrams.len() as f64;
            let (packets, octets) =
                datagrams.iter().fold((0, 0), |(p, o), (packets, octets)| (p + packets, o + octets));
            return Some((packets as f64 / count, octets as f64 / count));
        }
        let counted: Vec<(u32, TcpDelta)> =
            self.blocks.iter().filter_map(|block| Some((block.requests, block.tcp?))).collect();
        let requests: u64 = counted.iter().map(|(requests, _)| u64::from(*requests)).sum();
        let segments: u64 = counted.iter().map(|(_, tcp)| tcp.segments_out + tcp.segments_in).sum();
        let octets: u64 = counted.iter().map(|(_, tcp)| tcp.ip_octets()).sum();
        (requests > 0).then(|| (segments as f64 / requests as f64, octets as f64 / requests as f64))
    }
}

fn least(samples: &[f64]) -> Option<f64> {
    samples.iter().copied().min_by(f64::total_cmp)
}

impl OctetsPoint {
    fn of(measured: &OctetsRecord) -> OctetsPoint {
        let operation = match measured.cell.operation {
            Operation::Get | Operation::GetNext => pras2005::Operation::Get,
            Operation::GetBulk => pras2005::Operation::Bulk,
        };
        let bounds = pras2005::figure6(operation, u64::from(measured.cell.objects));
        OctetsPoint {
            total: pras2005::operation(measured.sent, measured.received),
            low: *bounds.start(),
            high: *bounds.end(),
            measured: measured.clone(),
        }
    }

    /// Whether the point lies inside figure 6's bounds.
    pub fn is_inside(&self) -> bool {
        (self.low..=self.high).contains(&self.total)
    }

    fn doubts(&self) -> impl Iterator<Item = Warning> {
        let OctetsRecord { cell, sent, received, exact, longest_value, .. } = self.measured.clone();
        let outside = (!self.is_inside()).then(|| Warning::OutsideBounds {
            cell: cell.clone(),
            octets: self.total,
            low: self.low,
            high: self.high,
            longest_value,
        });
        let measured = (sent, received);
        let not_exact = (measured != exact).then_some(Warning::NotAsExact { cell, measured, exact });
        outside.into_iter().chain(not_exact)
    }
}

fn doubts_about_cells(cells: &[CellResult]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for result in cells {
        let cell = result.cell.clone();
        let interval = result.delay_ns.median_interval;
        let share = (interval.high - interval.low) / 2.0 / result.delay_ns.median;
        if share > NOISY {
            warnings.push(Warning::Noisy { cell: cell.clone(), share });
        }
        if result.retried > 0 {
            warnings.push(Warning::Retried { cell, requests: result.retried });
        }
    }
    warnings
}

fn doubts_about_tables(tables: &[TableRecord], subjects: &[SubjectRecord]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for table in tables {
        let subject = &table.subject;
        // What agents elsewhere run on is unknown.
        let on_linux = subjects.iter().any(|it| it.subject == *subject && it.kind != SubjectKind::Remote);
        let (uncounted, moved): (Vec<u32>, Vec<u32>) =
            table.zero_columns.iter().partition(|column| on_linux && NOT_COUNTED_BY_LINUX.contains(column));
        if !moved.is_empty() {
            let columns = column_names(&moved);
            warnings.push(Warning::ZeroColumns { subject: subject.clone(), columns });
        }
        if !uncounted.is_empty() {
            let columns = column_names(&uncounted);
            warnings.push(Warning::UncountedColumns { subject: subject.clone(), columns });
        }
    }
    warnings
}

fn column_names(numbers: &[u32]) -> Vec<String> {
    let columns = trunkline_smi::module::if_mib::IF_TABLE.columns;
    let name = |number: &u32| {
        let column = columns.iter().find(|column| column.id == *number);
        column.map_or_else(|| format!("column {number}"), |column| column.name.to_owned())
    };
    numbers.iter().map(name).collect()
}

fn doubts_about_run(run: &Run, rounds: u32, end: Option<&EndRecord>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if end.is_none() {
        warnings.push(Warning::Incomplete { rounds });
    }
    let processors = run.machine.processors;
    if run.machine.load > BUSY * f64::from(processors.max(1)) {
        warnings.push(Warning::BusyMachine { load: run.machine.load, processors });
    }
    warnings
}

/// ifInUnknownProtos and ifOutNUcastPkts. The count nearest to the first, frames without a handler, moves for inactive
/// members of a bond or team only; of sent multicast there is none.
const NOT_COUNTED_BY_LINUX: [u32; 2] = [15, 18];
/// Half the width of a median's interval, as a share of the median, above which a cell is called noisy.
const NOISY: f64 = 0.2;
/// Load for each processor above which the machine is called busy.
const BUSY: f64 = 0.5;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kit::machine::Machine;
    use crate::samples::{FORMAT, MemoryMoment, PlaceRecord, WarningRecord};

    /// A run with known samples: two subjects, all operations and transports; the delay of a cell is
    /// `base * objects + request` microseconds, so that every figure can be told in advance.
    pub(crate) fn known_run() -> Vec<Record> {
        let objects = vec![1, 22, 66, 270];
        let mut records = vec![Record::Run(Run {
            format: FORMAT,
            lab_version: "0.1.0".into(),
            command: "trunkline lab --quick".into(),
            started: "2026-11-21T21:00:00Z".into(),
            seed: 1,
            objects: objects.clone(),
            rounds: 3,
            requests_per_block: 10,
            place: PlaceRecord::Namespace { interfaces: 13, datagrams: 2048 },
            machine: Machine {
                cpu: "Test & <Processor>".into(),
                processors: 2,
                memory: 1 << 34,
                kernel: "Linux 6.1 x86_64".into(),
                distribution: "Debian".into(),
                load: 0.1,
            },
        })];
        for (name, kind, base) in
            [("trunklined", SubjectKind::Trunklined, 1u64), ("snmpd", SubjectKind::Snmpd, 4)]
        {
            records.extend(of_subject(name, kind, base, &objects));
        }
        records.push(Record::End(EndRecord { rounds: 3, seconds: 12.5 }));
        records
    }

    fn of_subject(name: &str, kind: SubjectKind, base: u64, objects: &[u32]) -> Vec<Record> {
        let subject = name.to_owned();
        let mut records = vec![
            Record::Subject(SubjectRecord {
                subject: subject.clone(),
                kind,
                description: format!("{name} 1"),
                program: Some(format!("/usr/bin/{name}").into()),
            }),
            Record::Table(TableRecord {
                subject: subject.clone(),
                rows: 13,
                columns: (1..=22).collect(),
                instances: 286,
                zero_columns: vec![13],
            }),
            Record::Memory(MemoryRecord {
                subject: subject.clone(),
                when: MemoryMoment::Idle,
                rss: base << 22,
                pss: base << 21,
                instructions: base << 20,
                data: base << 19,
                constants: base << 18,
            }),
        ];
        for operation in Operation::ALL {
            for &count in objects {
                let cell =
                    Cell { subject: subject.clone(), transport: Transport::Udp, operation, objects: count };
                let n = u64::from(count);
                let bulk = operation == Operation::GetBulk;
                let sent = if bulk { 43 } else { 27 + 16 * n };
                let received = 27 + 19 * n;
                records.push(Record::Octets(OctetsRecord {
                    cell: cell.clone(),
                    sent,
                    received,
                    exact: (sent, received),
                    value_octets: 3 * n,
                    longest_value: 6,
                }));
                for transport in Transport::PLAIN {
                    records.extend(of_cell(&Cell { transport, ..cell.clone() }, base, (sent, received)));
                }
            }
        }
        records
    }

    fn of_cell(cell: &Cell, base: u64, (sent, received): (u64, u64)) -> Vec<Record> {
        let udp = cell.transport == Transport::Udp;
        let mut records = Vec::new();
        for round in 0..=3 {
            for request in 1..=10 {
                records.push(Record::Request(RequestRecord {
                    cell: cell.clone(),
                    round,
                    request,
                    sent,
                    received,
                    ip_packets: udp.then_some(2),
                    ip_octets: udp.then_some(sent + received + 56),
                    // the warm-up is far off, so that using it would show
                    delay_ns: if round == 0 {
                        1_000_000_000
                    } else {
                        1000 * (base * u64::from(cell.objects) + u64::from(request))
                    },
                    bindings: cell.objects,
                    attempts: 1,
                }));
            }
            if round > 0 {
                let tcp = TcpDelta {
                    segments_out: 10,
                    segments_in: 10,
                    payload_out: 10 * sent,
                    payload_in: 10 * received,
                    headers_per_segment: 52,
                };
                records.push(Record::Block(BlockRecord {
                    cell: cell.clone(),
                    round,
                    requests: 10,
                    cpu_ns: Some(10_000 * base),
                    tcp: (!udp).then_some(tcp),
                }));
            }
        }
        records
    }

    #[test]
    fn known_samples_give_known_results() {
        let analysis = Analysis::of(&known_run()).unwrap();
        assert_eq!(analysis.cells.len(), 2 * 3 * 2 * 4);
        assert_eq!((analysis.rounds, analysis.seconds), (3, Some(12.5)));
        let result = analysis.cell("snmpd", Operation::GetBulk, Transport::Udp, 66).unwrap();
        // 3 rounds of 10 delays: 4 * 66 + (1 to 10) microseconds
        assert_eq!(result.delay_ns.count, 30);
        assert_eq!((result.delay_ns.min, result.delay_ns.max), (265_000.0, 274_000.0));
        assert_eq!(result.delay_ns.median, 269_500.0);
        assert_eq!(result.least_of_ten_ns, 265_000.0);
        assert_eq!(result.cpu_ns.unwrap().median, 4_000.0);
        assert_eq!((result.sent, result.received), (43.0, 27.0 + 19.0 * 66.0));
        assert_eq!(
            (result.ip_packets, result.ip_octets),
            (Some(2.0), Some(43.0 + 27.0 + 19.0 * 66.0 + 56.0))
        );
        let tcp = analysis.cell("snmpd", Operation::GetBulk, Transport::Tcp, 66).unwrap();
        assert_eq!((tcp.ip_packets, tcp.ip_octets), (Some(2.0), Some(43.0 + 27.0 + 19.0 * 66.0 + 104.0)));
        assert!(analysis.octets.iter().all(OctetsPoint::is_inside));
    }

    #[test]
    fn order_is_subject_operation_transport_objects() {
        let analysis = Analysis::of(&known_run()).unwrap();
        let first: Vec<String> =
            analysis.cells.iter().take(5).map(|result| result.cell.to_string()).collect();
        assert_eq!(first[0], "Get of 1 over UDP from trunklined");
        assert_eq!(first[3], "Get of 270 over UDP from trunklined");
        assert_eq!(first[4], "Get of 1 over TCP from trunklined");
        assert_eq!(analysis.cells[24].cell.subject, "snmpd");
    }

    #[test]
    fn the_same_records_give_the_same_analysis() {
        assert_eq!(Analysis::of(&known_run()), Analysis::of(&known_run()));
        assert_eq!(Analysis::of(&[]), None);
        assert_eq!(Analysis::of(&known_run()[1..]), None);
    }

    fn warnings_after(change: impl FnOnce(&mut Vec<Record>)) -> Vec<Warning> {
        let mut records = known_run();
        change(&mut records);
        Analysis::of(&records).unwrap().warnings
    }

    #[test]
    fn zero_columns_are_named() {
        let warnings = warnings_after(|_| {});
        let of_trunklined =
            Warning::ZeroColumns { subject: "trunklined".into(), columns: vec!["ifInDiscards".into()] };
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings.contains(&of_trunklined));
    }

    #[test]
    fn columns_that_linux_does_not_count_are_named_apart() {
        let with = |change: fn(&mut SubjectKind)| {
            warnings_after(|records| {
                for record in records {
                    match record {
                        Record::Table(table) => table.zero_columns = vec![15, 18, 20],
                        Record::Subject(subject) => change(&mut subject.kind),
                        _ => {}
                    }
                }
            })
        };
        let subject = || "snmpd".to_owned();
        let uncounted = ["ifInUnknownProtos", "ifOutNUcastPkts"].map(String::from).to_vec();
        let here = with(|_| {});
        assert!(here.contains(&Warning::UncountedColumns { subject: subject(), columns: uncounted.clone() }));
        assert!(
            here.contains(&Warning::ZeroColumns { subject: subject(), columns: vec!["ifOutErrors".into()] })
        );
        let elsewhere = with(|kind| *kind = SubjectKind::Remote);
        let all = [&uncounted[..], &["ifOutErrors".into()]].concat();
        assert!(elsewhere.contains(&Warning::ZeroColumns { subject: subject(), columns: all }));
    }

    #[test]
    fn every_doubt_can_arise() {
        let cut_off = warnings_after(|records| {
            records.pop();
        });
        assert!(cut_off.contains(&Warning::Incomplete { rounds: 3 }));

        let busy = warnings_after(|records| {
            if let Record::Run(run) = &mut records[0] {
                run.machine.load = 1.5;
            }
        });
        assert!(busy.contains(&Warning::BusyMachine { load: 1.5, processors: 2 }));

        let stored = Warning::SubjectLeftOut { subject: "x".into(), reason: "y".into() };
        let kept = warnings_after(|records| {
            records.push(Record::Warning(WarningRecord { warning: stored.clone() }))
        });
        assert!(kept.contains(&stored));

        let octets = warnings_after(|records| {
            let found = records.iter_mut().find_map(|record| match record {
                Record::Octets(octets) => Some(octets),
                _ => None,
            });
            let octets = found.unwrap();
            octets.received += 40;
            octets.longest_value = 44;
        });
        assert!(
            octets
                .iter()
                .any(|it| matches!(it, Warning::OutsideBounds { octets: 129, low: 87, high: 92, .. }))
        );
        assert!(
            octets
                .iter()
                .any(|it| matches!(it, Warning::NotAsExact { measured: (43, 86), exact: (43, 46), .. }))
        );

        let wavering = warnings_after(|records| {
            for record in records {
                if let Record::Request(request) = record {
                    request.delay_ns *= u64::from(request.round).pow(3);
                    request.attempts = request.round;
                }
            }
        });
        assert!(wavering.iter().any(|it| matches!(it, Warning::Noisy { .. })));
        assert!(wavering.iter().any(|it| matches!(it, Warning::Retried { requests: 20, .. })));
    }
}
