//! From the samples to the tables: each cell's delays and CPU time, each interaction's octets beside the paper's
//! bounds, and disagreements as doubts.

use std::ops::RangeInclusive;

use crate::experiments::pras2005::paper::{self as pras2005, TABLE_1, TABLE_2, TABLE_2_OBJECTS};
use trunkline_labkit::block::Operation;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::{Findings, Headline, Sheet, Shown};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::text::{ratio, three_digits};
use trunkline_labkit::statistics::Interval;
use trunkline_labkit::subject::SubjectKind;
use trunkline_labkit::transport::{self, Transport};
use trunkline_labkit::trial::Trials;

use super::cells::{CellResult, Cells};
use super::{DELAY, MEMORY, OCTETS, Setting, drawings};

/// All tables.
pub(super) fn findings(trials: &Trials) -> Findings {
    let cells = Cells::of(trials);
    let interactions = interactions(trials);
    let objects = trials.setting::<Setting>().map(|it| it.objects).unwrap_or_default();
    let all = Found { trials, cells, interactions, objects };
    let sheets = [
        all.delay(),
        all.first(),
        all.cpu(),
        all.octets(),
        all.table_2(),
        all.ip_level(),
        all.memory(),
        all.details(),
    ];
    let mut findings = Findings { headlines: all.headlines(), answer: all.answer(), ..Findings::default() };
    findings.sheets = sheets.into_iter().filter(|sheet| sheet.rows.iter().any(has_ours)).collect();
    findings.doubt_all(trials.doubts());
    findings.doubt_all(all.cells.all.iter().flat_map(doubts_about_cell));
    findings.doubt_all(all.interactions.iter().flat_map(Interaction::doubts));
    findings.doubt_all(doubts_about_columns(trials));
    findings
}

fn has_ours(row: &trunkline_labkit::findings::SheetRow) -> bool {
    row.ours.iter().any(Option::is_some)
}

/// A figure that every cell has.
type Time = fn(&CellResult) -> &Estimate;
/// A figure that some cells have.
type Figure = fn(&CellResult) -> Option<Estimate>;

/// The source of the tables.
pub(super) struct Found<'a> {
    trials: &'a Trials,
    pub cells: Cells,
    pub interactions: Vec<Interaction>,
    objects: Vec<u32>,
}

/// The octets of one interaction, and their expected values from the paper.
pub(super) struct Interaction {
    pub subject: String,
    pub operation: Operation,
    pub objects: u32,
    /// Octets of request and response.
    measured: (u64, u64),
    /// The same by formulas (1) to (6) without simplifications; `None` where they do not apply.
    exact: Option<(u64, u64)>,
    longest_value: u64,
}

fn interactions(trials: &Trials) -> Vec<Interaction> {
    let mut all = Vec::new();
    for subject in trials.subjects().map(|it| &it.subject) {
        for operation in Operation::ALL {
            let series = format!("{subject}, {operation}");
            for &objects in &trials.places(OCTETS, Quantity::RequestOctets) {
                let of = |quantity| Some(trials.read(OCTETS, &series, objects, quantity).median()? as u64);
                let found = || {
                    Some(Interaction {
                        subject: subject.clone(),
                        operation,
                        objects,
                        measured: (of(Quantity::RequestOctets)?, of(Quantity::ResponseOctets)?),
                        exact: of(Quantity::ExactRequestOctets).zip(of(Quantity::ExactResponseOctets)),
                        longest_value: of(Quantity::LongestValue)?,
                    })
                };
                all.extend(found());
            }
        }
    }
    all
}

impl Interaction {
    /// Octets of both messages.
    pub(super) fn total(&self) -> u64 {
        pras2005::operation(self.measured.0, self.measured.1)
    }

    /// Figure 6's bounds.
    fn bounds(&self) -> RangeInclusive<u64> {
        pras2005::figure6(kind_of(self.operation), u64::from(self.objects))
    }

    /// Whether figure 6 is about such messages: of SNMPv1 and SNMPv2c, outside HTTP.
    pub(super) fn is_bounded(&self) -> bool {
        self.exact.is_some()
    }

    pub(super) fn is_inside(&self) -> bool {
        self.bounds().contains(&self.total())
    }

    fn doubts(&self) -> impl Iterator<Item = Doubt> {
        let (table, what) =
            (OCTETS.to_owned(), format!("{} of {} from {}", self.operation, self.objects, self.subject));
        let outside = (self.is_bounded() && !self.is_inside()).then(|| Doubt::OutsideBounds {
            table: table.clone(),
            what: what.clone(),
            octets: self.total(),
            low: *self.bounds().start(),
            high: *self.bounds().end(),
            longest_value: self.longest_value,
        });
        let measured = self.measured;
        let not_exact = self.exact.filter(|exact| measured != *exact);
        let not_exact = not_exact.map(|exact| Doubt::NotAsExact { table, what, measured, exact });
        outside.into_iter().chain(not_exact)
    }
}

fn kind_of(operation: Operation) -> pras2005::Operation {
    match operation {
        Operation::Get | Operation::GetNext => pras2005::Operation::Get,
        Operation::GetBulk => pras2005::Operation::Bulk,
    }
}

impl Found<'_> {
    fn sheet(&self, id: &str, title: &str, note: &str) -> Sheet {
        Sheet { note: note.into(), ..Sheet::by_objects(id, title, &self.objects) }
    }

    /// A figure of a subject's cells, per number of objects.
    fn row(
        &self,
        subject: &str,
        operation: Operation,
        transport: Transport,
        figure: impl Fn(&CellResult) -> Option<Estimate>,
    ) -> Vec<Option<Estimate>> {
        let of = |&count| figure(self.cells.get(subject, operation, transport, count)?);
        self.objects.iter().map(of).collect()
    }

    /// Median delays of all cells.
    fn delay(&self) -> Sheet {
        let mut sheet = self.sheet(
            DELAY,
            "round trip delay in bursts of ten requests, median (µs)",
            "From handing the request to the socket to having the whole response, over whole rounds: ten requests follow one another, so \
             that nine of them find the agent's processor and caches just used; `first` has the others. `cells` has the ends of each \
             interval, as have the figure's whiskers. Agents answer from what they keep of the interfaces, as their own defaults have it; refreshing it \
             falls into some of the requests.",
        );
        self.by_operation(&mut sheet, |result| Some(&result.delay_ns / 1e3));
        sheet.drawings.extend(drawings::delay(&self.cells));
        sheet
    }

    /// Median delays of the first request of each block.
    fn first(&self) -> Sheet {
        let mut sheet = self.sheet(
            "iftable/first",
            "round trip delay of the first request of each ten, median (µs)",
            "As `delay`, of those requests before which the agent slept, as it does between two polls: what they take longer than in `delay` is \
             mostly the wake-up of a processor, which costs each agent the same.",
        );
        sheet.shown = Shown::OnPage;
        self.by_operation(&mut sheet, |result| Some(&result.first_ns / 1e3));
        sheet
    }

    /// Median CPU time of the subject.
    fn cpu(&self) -> Sheet {
        let mut sheet = self.sheet(
            "iftable/cpu",
            "CPU time of the agent for one request, median (µs)",
            "User and system time of the agent's process from the kernel's scheduler accounting over blocks of requests, divided by \
             their number. Over the loopback it includes the delivery of the response into the manager's socket, for all agents alike.",
        );
        self.by_operation(&mut sheet, |result| Some(result.cpu_ns.as_ref()? / 1e3));
        sheet.drawings.extend(drawings::cpu(&self.cells));
        sheet
    }

    /// A row per operation, transport and subject, and the others' ratios to the first subject.
    fn by_operation(&self, sheet: &mut Sheet, figure: Figure) {
        for operation in Operation::ALL {
            for transport in transport::ALL {
                let mut first: Option<(&str, Vec<Option<Estimate>>)> = None;
                for subject in &self.cells.subjects {
                    let figures = self.row(subject, operation, transport, figure);
                    if figures.iter().all(Option::is_none) {
                        continue;
                    }
                    let label = format!("{operation} {transport}: {subject}");
                    sheet.estimates(&label, &[], &figures);
                    match &first {
                        None => first = Some((subject, figures)),
                        Some((name, ours)) => {
                            let ratios = figures.iter().zip(ours);
                            let ratios = ratios.map(|(it, ours)| Some(it.as_ref()? / ours.as_ref()?));
                            sheet.estimates(format!("{label} / {name}"), &[], &ratios.collect::<Vec<_>>());
                        }
                    }
                }
            }
        }
    }

    /// Octets at application level compared with figure 6's bounds.
    fn octets(&self) -> Sheet {
        let mut sheet = self.sheet(
            OCTETS,
            "octets of request and response (SNMP messages), compared with figure 6's bounds",
            "Application level: both messages from their first to their last octet (agents started here have the community \
             \"public\"), over HTTP those of HTTP with its heads. The paper's bounds are for values of 1 to 6 octets and a header of 25. Formula (12) is used with 59 where the \
             paper prints 54, which is what its own parts and formula (14) give.",
        );
        for operation in Operation::ALL {
            for subject in &self.cells.subjects {
                let of = |count: &u32| {
                    let mut all = self.interactions.iter();
                    let found = all.find(|it| {
                        it.subject == *subject && it.operation == operation && it.objects == *count
                    });
                    Some(found?.total() as f64)
                };
                let octets: Vec<Option<f64>> = self.objects.iter().map(of).collect();
                if octets.iter().any(Option::is_some) {
                    sheet.row(format!("{operation}: {subject}"), &[], &octets, 1);
                }
            }
            let formula = if operation == Operation::GetBulk { "formula (14)" } else { "formula (13)" };
            for (octets, end) in [
                ("1 octet", RangeInclusive::start as fn(&RangeInclusive<u64>) -> &u64),
                ("6 octets", RangeInclusive::end),
            ] {
                let bound =
                    |&n: &u32| Some(*end(&pras2005::figure6(kind_of(operation), u64::from(n))) as f64);
                let bounds: Vec<Option<f64>> = self.objects.iter().map(bound).collect();
                sheet.row(format!("paper: {operation}, {formula}, values of {octets}"), &bounds, &[], 0);
            }
        }
        sheet.drawings = drawings::octets(self);
        sheet
    }

    /// Table II of the paper beside this run.
    fn table_2(&self) -> Sheet {
        let note = "One GetBulk over UDP that brings so many objects. The paper printed the minimum of 10 measurements (Get where an agent \
                    had no GetBulk) of the agents of its time over Ethernet; the minimum of 10 of this run is the median over its rounds.";
        let mut sheet = self
            .sheet("iftable/table-2", "round trip delay (ms) compared with the paper's table II", note)
            .without_ratios();
        for subject in &self.cells.subjects {
            let lines: [(&str, Time); 2] =
                [("least of 10", |it| &it.least_of_ten_ns), ("median", |it| &it.delay_ns)];
            for (what, figure) in lines {
                let row = self.row(subject, Operation::GetBulk, Transport::Udp, |it| Some(figure(it) / 1e6));
                sheet.estimates(format!("{subject}, {what}"), &[], &row);
            }
        }
        for line in TABLE_2 {
            let printed = |&count: &u32| {
                let column = TABLE_2_OBJECTS.iter().position(|&it| it == u64::from(count));
                column.and_then(|column| line.milliseconds[column])
            };
            let printed: Vec<Option<f64>> = self.objects.iter().map(printed).collect();
            sheet.row(format!("paper: {}", line.agent), &printed, &[], 0);
        }
        sheet.drawings.extend(drawings::table_2(&self.cells));
        sheet
    }

    /// Octets and packets at IP level.
    fn ip_level(&self) -> Sheet {
        let note = format!(
            "UDP: an IP and a UDP header for each datagram, fragments counted ({} octets above the messages when none is cut, as the \
             paper says; the loopback's MTU of 65,536 octets cuts none). Means over all requests, whose counters grow meanwhile. TCP: an \
             open connection; segments with their headers as the kernel counted them, acknowledgements included, which travel with the next \
             request of a burst; \
             the paper's set-up and release of {} octets is not included.",
            pras2005::IP_LEVEL_EXTRA,
            pras2005::TCP_SETUP_OCTETS
        );
        let mut sheet =
            self.sheet("iftable/ip-level", "octets and packets of one interaction at IP level", &note);
        sheet.shown = Shown::OnPage;
        for operation in Operation::ALL {
            for transport in transport::ALL {
                for subject in &self.cells.subjects {
                    let label = format!("{operation} {transport}: {subject}");
                    let figures: [(&str, Figure); 2] = [
                        ("octets", |it| it.ip_octets.map(Estimate::exact)),
                        ("packets", |it| it.ip_packets.map(Estimate::exact)),
                    ];
                    for (unit, figure) in figures {
                        let figures = self.row(subject, operation, transport, figure);
                        if figures.iter().any(Option::is_some) {
                            sheet.estimates(format!("{label}, {unit}"), &[], &figures);
                        }
                    }
                }
            }
        }
        sheet
    }

    /// Memory beside the paper's table I.
    fn memory(&self) -> Sheet {
        let columns = ["instructions", "data", "constants", "Rss", "Pss"];
        let mut sheet = Sheet::new(MEMORY, "memory (kB), compared with table I of the paper", &columns);
        sheet.note = "Resident pages of the process by what they may be used for, from /proc: executable ones hold instructions, writable \
                      ones data; Pss counts shared pages by share. The paper counted instructions, static data and dynamic data for one \
                      request (Net-SNMP 5.0.9 stripped to the ifTable); of the last the least and the most. trunklined unmaps the code of its start once it \
                      is over, which stays in the page cache (decision 0049); snmpd keeps such code mapped. Data is what only the process itself can use."
            .into();
        for series in self.trials.series(MEMORY, Quantity::Resident) {
            let of = |quantity| Some(self.trials.read(MEMORY, &series, 0, quantity).median()? / 1e3);
            let figures = [
                Quantity::Instructions,
                Quantity::Writable,
                Quantity::Constants,
                Quantity::Resident,
                Quantity::Proportional,
            ];
            sheet.row(&series, &[], &figures.map(of), 1);
        }
        for line in TABLE_1 {
            let (least, most) = line.dynamic_data;
            let mut row = |name: String, dynamic: f64| {
                sheet.row(name, &[Some(line.instructions), Some(line.static_data + dynamic)], &[], 0);
            };
            if least == most {
                row(format!("paper: {}", line.program), least);
            } else {
                row(format!("paper: {}, 1 object", line.program), least);
                row(format!("paper: {}, 270 objects", line.program), most);
            }
        }
        sheet
    }

    /// Every cell with all its figures.
    fn details(&self) -> Sheet {
        let columns =
            ["min", "q1", "median", "95 % from", "95 % to", "q3", "p99", "max", "mean", "sd", "CPU time"];
        let mut sheet = Sheet::new("iftable/cells", "delay and CPU time of every cell (µs)", &columns);
        sheet.shown = Shown::Folded;
        sheet.note = "Quantiles by linear interpolation (Hyndman and Fan's definition 7). The interval of the median is a bootstrap over \
                      whole rounds."
            .into();
        for result in &self.cells.all {
            let delay = &result.delays_ns;
            let interval = result.delay_ns.interval();
            let figures = [
                Some(delay.min),
                Some(delay.q1),
                Some(delay.median),
                interval.map(|it| it.low),
                interval.map(|it| it.high),
                Some(delay.q3),
                Some(delay.p99),
                Some(delay.max),
                Some(delay.mean),
                Some(delay.sd),
                result.cpu_ns.as_ref().map(Estimate::value),
            ];
            sheet.row(result.cell.to_string(), &[], &figures.map(|it| Some(it? / 1e3)), delay.count);
        }
        sheet
    }

    /// The quickest way to fetch most objects from the first subject.
    fn answer(&self) -> Vec<String> {
        let (Some(subject), Some(&most)) = (self.cells.subjects.first(), self.objects.last()) else {
            return vec![];
        };
        let of_it = |it: &&CellResult| it.cell.subject == *subject && it.cell.objects == most;
        let mut ways: Vec<&CellResult> = self.cells.all.iter().filter(of_it).collect();
        ways.sort_by(|one, other| one.delay_ns.value().total_cmp(&other.delay_ns.value()));
        let [best, second, ..] = ways[..] else { return vec![] };
        let name = |it: &CellResult| format!("{} over {}", it.cell.operation, it.cell.transport);
        let than = |it: &CellResult| &it.delay_ns / &best.delay_ns;
        let micros = three_digits(best.delay_ns.value() / 1e3);
        let mut said = format!(
            "The fastest way to fetch {most} {} of ifTable from {subject} is {}: {micros} \u{b5}s.",
            if most == 1 { "object" } else { "objects" },
            name(best)
        );
        let takes = |it: &CellResult| match than(it).against(1.0) {
            Some(_) => format!(" {} takes {} times as long.", name(it), three_digits(than(it).value())),
            None => format!(" The samples do not tell {} from it.", name(it)),
        };
        said += &takes(second);
        if let Some(slowest) = ways.get(2..).and_then(<[_]>::last) {
            said += &takes(slowest);
        }
        vec![said]
    }

    /// The figures at the head of the page: the first subject's, and the others' beside it.
    fn headlines(&self) -> Vec<Headline> {
        let (Some(&first), Some(&typical)) = (self.objects.first(), self.objects.get(self.objects.len() / 2))
        else {
            return vec![];
        };
        let of_cells = |title: String, operation, count, figure: Figure| {
            let of = |subject: &str| figure(self.cells.get(subject, operation, Transport::Udp, count)?);
            self.headline(title, " µs", |subject| Some(&of(subject)? / 1e3))
        };
        let delay: Figure = |result| Some(result.delay_ns.clone());
        let cpu: Figure = |result| result.cpu_ns.clone();
        let all = [
            of_cells(format!("Delay in a burst, Get of {first}"), Operation::Get, first, delay),
            of_cells(format!("Delay in a burst, GetBulk of {typical}"), Operation::GetBulk, typical, delay),
            of_cells(format!("CPU time, GetBulk of {typical}"), Operation::GetBulk, typical, cpu),
            self.headline("Resident memory, idle".into(), " MB", |subject| {
                let series = format!("{subject}, idle");
                let octets = self.trials.read(MEMORY, &series, 0, Quantity::Resident).median()?;
                Some(Estimate::exact(octets / 1e6))
            }),
        ];
        all.into_iter().flatten().collect()
    }

    fn headline(
        &self,
        title: String,
        unit: &str,
        figure: impl Fn(&str) -> Option<Estimate>,
    ) -> Option<Headline> {
        let mut subjects = self.cells.subjects.iter();
        let ours = figure(subjects.next()?)?;
        let beside = subjects.filter_map(|subject| {
            let theirs = figure(subject)?;
            let times = times(&(&theirs / &ours));
            Some(format!("{subject} {}{unit}, {times}", three_digits(theirs.value())))
        });
        Some(Headline {
            title,
            value: format!("{}{unit}", three_digits(ours.value())),
            beside: beside.collect(),
        })
    }
}

/// A ratio with its interval, or that the samples do not tell it from 1.
fn times(figure: &Estimate) -> String {
    let value = ratio(figure.value());
    match figure.interval() {
        None if figure.repetitions().is_none() => value,
        Some(Interval { low, high }) if low == high => value,
        Some(Interval { low, high }) if figure.against(1.0).is_some() => {
            format!("{value} ({} to {})", ratio(low), ratio(high))
        }
        // An interval needs more rounds than there were.
        None => format!("{value} (its interval is not known)"),
        _ => "no significant difference".into(),
    }
}

fn doubts_about_cell(result: &CellResult) -> Option<Doubt> {
    let (table, what) = (DELAY.to_owned(), result.cell.to_string());
    (result.retried > 0).then_some(Doubt::SentAgain { table, what, requests: result.retried })
}

/// Counter columns that are zero in every row: their values have the minimum length.
fn doubts_about_columns(trials: &Trials) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for subject in trials.subjects() {
        let name = &subject.subject;
        // The system of a remote agent is unknown.
        let on_linux = subject.kind != SubjectKind::Remote;
        let of = |column, quantity| trials.read(OCTETS, name, column, quantity).median().unwrap_or(0.0);
        let is_zero = |&column: &u32| {
            let instances = of(column, Quantity::Instances);
            instances > 0.0 && of(column, Quantity::ZeroCounters) == instances
        };
        let zero = trials.places(OCTETS, Quantity::Instances).into_iter().filter(is_zero);
        let (uncounted, moved): (Vec<u32>, Vec<u32>) =
            zero.partition(|column| on_linux && NOT_COUNTED_BY_LINUX.contains(column));
        let mut doubt = |text: String| doubts.push(Doubt::Condition { table: OCTETS.into(), text });
        if !moved.is_empty() {
            let columns = column_names(&moved);
            doubt(format!("zero in every row of {name}'s ifTable, so shortest on the wire: {columns}"));
        }
        if !uncounted.is_empty() {
            let columns = column_names(&uncounted);
            doubt(format!(
                "zero in every row of {name}'s ifTable whatever the traffic, so shortest on the wire: {columns}; Linux counts no \
                 multicast that an interface sends, and frames of unknown protocols among the discards"
            ));
        }
    }
    doubts
}

fn column_names(numbers: &[u32]) -> String {
    let columns = trunkline_smi::module::if_mib::IF_TABLE.columns;
    let name = |number: &u32| {
        let column = columns.iter().find(|column| column.id == *number);
        column.map_or_else(|| format!("column {number}"), |column| column.name.to_owned())
    };
    numbers.iter().map(name).collect::<Vec<String>>().join(", ")
}

/// ifInUnknownProtos and ifOutNUcastPkts. The closest counter to the first, frames without a handler, moves only
/// for inactive members of a bond or team; for sent multicast there is none.
const NOT_COUNTED_BY_LINUX: [u32; 2] = [15, 18];

#[cfg(test)]
mod tests {
    use super::super::cells::tests::known_run;
    use super::*;
    use trunkline_labkit::trial::Entry;

    fn sheet(id: &str) -> Sheet {
        let findings = findings(&known_run());
        findings.sheet(&format!("iftable/{id}")).unwrap().clone()
    }

    fn ours(sheet: &Sheet, label: &str) -> Vec<f64> {
        let row = sheet.find(label).unwrap_or_else(|| panic!("no {label}"));
        row.ours.iter().flatten().copied().collect()
    }

    #[test]
    fn all_tables_and_figures_of_a_known_run() {
        let found = findings(&known_run());
        assert_eq!(found.sheets.len(), 8);
        let drawings: Vec<usize> = found.sheets.iter().map(|sheet| sheet.drawings.len()).collect();
        assert_eq!(drawings, [1, 0, 1, 2, 1, 0, 0, 0]);
        let drawn: Vec<_> = found.sheets.iter().flat_map(|sheet| &sheet.drawings).collect();
        assert!(drawn.iter().all(|(figure, _)| figure.to_html().contains("<svg")));
        assert!(drawn[0].0.panels.len() == 3 && drawn[0].0.panels.iter().all(|panel| panel.lines.len() == 4));
        assert!(drawn[2].1.contains("24 of 24"), "{}", drawn[2].1);
        assert_eq!(drawn[4].0.panels[0].lines.len(), 25 + 2);
    }

    #[test]
    fn nothing_measured_gives_no_table() {
        let mut trials = known_run();
        trials.entries.retain(|entry| matches!(entry, Entry::End(_)));
        let found = findings(&trials);
        assert!(found.sheets.is_empty() && found.headlines.is_empty() && found.answer.is_empty());
    }

    #[test]
    fn the_answer_is_the_fastest_way() {
        let said = findings(&known_run()).answer;
        assert!(
            said[0].starts_with("The fastest way to fetch 270 objects of ifTable from trunklined is "),
            "{said:?}"
        );
    }

    #[test]
    fn delays_show_ratios_to_the_first_subject() {
        let sheet = sheet("delay");
        assert_eq!(sheet.rows.len(), 3 * 2 * 3);
        // medians for 270 objects: 275.5 and 1085.5 us
        assert_eq!(ours(&sheet, "Get UDP: trunklined")[3], 275.5);
        assert_eq!(ours(&sheet, "Get UDP: snmpd / trunklined")[3], 1085.5 / 275.5);
        assert_eq!(sheet.rows[0].samples, 6);
        assert_eq!(sheet.rows[0].interval[3], Some([275.5; 2]));
    }

    #[test]
    fn octets_stand_beside_the_formulas() {
        let sheet = sheet("octets");
        assert_eq!(ours(&sheet, "GetBulk: trunklined"), [89.0, 488.0, 1324.0, 5200.0]);
        let bound = |octets: &str| {
            let row = sheet.find(&format!("paper: GetBulk, formula (14), values of {octets}")).unwrap();
            row.paper.iter().flatten().copied().collect::<Vec<f64>>()
        };
        assert_eq!(bound("1 octet"), [87.0, 444.0, 1192.0, 4660.0]);
        assert_eq!(bound("6 octets"), [92.0, 554.0, 1522.0, 6010.0]);
    }

    #[test]
    fn table_2_has_all_lines() {
        let sheet = sheet("table-2");
        assert_eq!(sheet.rows.len(), 2 * 2 + 25);
        // trunklined's minimum of ten for 66 objects is 66 + 1 us; SNMP-1 printed 3.9 ms
        assert_eq!(ours(&sheet, "trunklined, least of 10")[2], 0.067);
        let snmp_1 = sheet.find("paper: SNMP-1").unwrap();
        // Milliseconds of machines twenty years apart have no ratio.
        assert_eq!((snmp_1.paper[2], snmp_1.ratio[2]), (Some(3.9), None));
    }

    #[test]
    fn ip_level_of_both_transports() {
        let sheet = sheet("ip-level");
        assert_eq!(ours(&sheet, "Get UDP: trunklined, octets")[0], f64::from(43 + 46 + 56));
        assert_eq!(ours(&sheet, "Get TCP: trunklined, packets")[0], 2.0);
        assert_eq!(ours(&sheet, "Get TCP: trunklined, octets")[0], 193.0);
    }

    #[test]
    fn headlines_compare() {
        let all = findings(&known_run()).headlines;
        assert_eq!(all.len(), 4);
        assert_eq!(all[1].value, "71.5 µs");
        assert_eq!(all[1].beside, ["snmpd 270 µs, 3.8x"]);
        assert_eq!(all[3].value, "4.19 MB");
        let near = Estimate::mean(&[0.9, 1.1, 1.0, 1.2, 0.8, 1.0, 1.1, 0.9]).unwrap();
        assert_eq!(times(&near), "no significant difference");
        assert!(times(&(&near * 4.0)).starts_with("4.0x (3."), "{}", times(&(&near * 4.0)));
        let once = Estimate::mean(&[1.3]).unwrap();
        assert_eq!(times(&once), "1.3x (its interval is not known)");
    }

    #[test]
    fn memory_stands_beside_table_1() {
        let sheet = sheet("memory");
        assert_eq!(sheet.rows[0].label, "trunklined, idle");
        assert!((sheet.rows[0].ours[3].unwrap() - 4194.304).abs() < 1e-9);
        assert_eq!(sheet.find("paper: SNMP, 1 object").unwrap().paper[1], Some(199.0));
    }

    fn doubts_after(change: impl FnOnce(&mut Vec<Entry>)) -> Vec<String> {
        let mut trials = known_run();
        change(&mut trials.entries);
        findings(&trials).with_noise().doubts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn columns_without_a_count_are_reported() {
        let as_is = doubts_after(|_| {});
        assert_eq!(as_is.len(), 2, "{as_is:?}");
        assert!(
            as_is[0].contains("trunklined's ifTable") && as_is[0].ends_with(": ifInDiscards"),
            "{as_is:?}"
        );
        let zero = |kind: SubjectKind| {
            doubts_after(|entries| {
                for entry in entries {
                    match entry {
                        Entry::Reading(it) if it.quantity == Quantity::ZeroCounters => {
                            it.figure = if [15, 18, 20].contains(&it.at) { 13.0 } else { 0.0 };
                        }
                        Entry::Subject(subject) => subject.kind = kind,
                        _ => {}
                    }
                }
            })
        };
        let here = zero(SubjectKind::Snmpd);
        assert!(here.iter().any(|it| it.contains("ifInUnknownProtos, ifOutNUcastPkts; Linux")), "{here:?}");
        assert!(here.iter().any(|it| it.ends_with("wire: ifOutErrors")), "{here:?}");
        let elsewhere = zero(SubjectKind::Remote);
        assert!(elsewhere.iter().any(|it| it.ends_with("ifOutNUcastPkts, ifOutErrors")), "{elsewhere:?}");
    }

    #[test]
    fn every_doubt_can_arise() {
        let cut_off = doubts_after(|entries| drop(entries.pop()));
        assert!(cut_off.iter().any(|it| it.contains("ended before its end")), "{cut_off:?}");
        let octets = doubts_after(|entries| {
            let found = entries.iter_mut().find_map(|entry| match entry {
                Entry::Reading(it) if it.quantity == Quantity::ResponseOctets => Some(it),
                _ => None,
            });
            found.unwrap().figure += 40.0;
        });
        assert!(
            octets.iter().any(|it| it.contains("takes 129 octets, outside figure 6's bounds of 87 to 92"))
        );
        assert!(octets.iter().any(|it| it.contains("messages of 43 and 86 octets")), "{octets:?}");
        let wavering = doubts_after(|entries| {
            for entry in entries {
                let Entry::Block(block) = entry else { continue };
                for request in &mut block.requests {
                    request.delay_ns *= u64::from(block.round).pow(3);
                    request.attempts = block.round;
                }
            }
        });
        assert!(wavering.iter().any(|it| it.contains(": uncertain by")), "{wavering:?}");
        assert!(wavering.iter().any(|it| it.contains("50 requests were sent again")), "{wavering:?}");
    }
}
