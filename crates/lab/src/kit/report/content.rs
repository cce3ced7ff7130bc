//! What the report says: its tables and figures, made from the analysis once for all forms.

use crate::analysis::{Analysis, CellResult};
use crate::experiments::pras2005::paper as pras2005;
use crate::samples::{MemoryMoment, Operation, Transport};

use super::table::{Row, RowKind, Table, Topic, ratio, three_digits};

/// A figure that stands for a run: the first subject's, and the others' beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// What is compared.
    pub title: String,
    /// The first subject's figure with its unit.
    pub value: String,
    /// The other subjects' figures with their ratios.
    pub beside: Vec<String>,
}

/// All tables, in the order of their topics.
pub fn tables(analysis: &Analysis) -> Vec<Table> {
    let mut tables = vec![
        octets(analysis),
        delays(analysis),
        cpu(analysis, &Transport::PLAIN),
        table_2(analysis, &pras2005::TABLE_2, Width::Page),
        ip_level(analysis),
        memory(analysis),
        details(analysis),
    ];
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The tables of the terminal: the same content, shorter.
pub fn short_tables(analysis: &Analysis) -> Vec<Table> {
    let mut paper = pras2005::TABLE_2.to_vec();
    paper.retain(|line| ["WS", "WS-Comp", "SNMP-1", "SNMP-10", "SNMP-16"].contains(&line.agent));
    let mut tables = vec![
        delays(analysis),
        cpu(analysis, &[Transport::Udp]),
        octets(analysis),
        table_2(analysis, &paper, Width::Terminal),
        memory(analysis),
    ];
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The figures at the head of the page.
pub fn headlines(analysis: &Analysis) -> Vec<Headline> {
    let objects = &analysis.run.objects;
    let (Some(&first), Some(&typical)) = (objects.first(), objects.get(objects.len() / 2)) else {
        return vec![];
    };
    let of_cells = |title: String, operation, count, figure: fn(&CellResult) -> Option<f64>| {
        let of = |subject: &str| figure(analysis.cell(subject, operation, Transport::Udp, count)?);
        headline(analysis, title, " µs", |subject| Some(of(subject)? / 1e3))
    };
    let delay: fn(&CellResult) -> Option<f64> = |result| Some(result.delay_ns.median);
    let cpu: fn(&CellResult) -> Option<f64> = |result| Some(result.cpu_ns?.median);
    let all = [
        of_cells(format!("Delay, Get of {first}"), Operation::Get, first, delay),
        of_cells(format!("Delay, GetBulk of {typical}"), Operation::GetBulk, typical, delay),
        of_cells(format!("CPU time, GetBulk of {typical}"), Operation::GetBulk, typical, cpu),
        headline(analysis, "Resident memory, idle".into(), " MB", |subject| {
            let mut records = analysis.memory.iter();
            let found = records.find(|it| it.subject == subject && it.when == MemoryMoment::Idle)?;
            Some(found.rss as f64 / 1e6)
        }),
    ];
    all.into_iter().flatten().collect()
}

fn headline(
    analysis: &Analysis,
    title: String,
    unit: &str,
    figure: impl Fn(&str) -> Option<f64>,
) -> Option<Headline> {
    let mut subjects = analysis.subjects.iter().map(|subject| subject.subject.as_str());
    let ours = figure(subjects.next()?)?;
    let beside = subjects.filter_map(|subject| {
        let theirs = figure(subject)?;
        Some(format!("{subject} {}{unit}, {}", three_digits(theirs), ratio(theirs / ours)))
    });
    Some(Headline { title, value: format!("{}{unit}", three_digits(ours)), beside: beside.collect() })
}

/// How much room a table has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Page,
    Terminal,
}

/// Table II of the paper beside this run.
fn table_2(analysis: &Analysis, paper: &[pras2005::DelayLine], width: Width) -> Table {
    let objects = &analysis.run.objects;
    let milliseconds = |subject: &str, figure: &dyn Fn(&CellResult) -> f64| -> Vec<Option<f64>> {
        let of = |&count| {
            let result = analysis.cell(subject, Operation::GetBulk, Transport::Udp, count)?;
            Some(figure(result) / 1e6)
        };
        objects.iter().map(of).collect()
    };
    let mut rows = Vec::new();
    for subject in &analysis.subjects {
        let row = |name: &str, cells: Vec<String>| {
            let name = format!("{}, {name}", subject.subject);
            Row { kind: RowKind::Measured, cells: [name].into_iter().chain(cells).collect() }
        };
        let figures = |figure: &dyn Fn(&CellResult) -> f64| milliseconds(&subject.subject, figure);
        let texts = |figures: Vec<Option<f64>>| {
            figures.into_iter().map(|value| value.map_or(String::new(), three_digits)).collect()
        };
        rows.push(row("min of 10", texts(figures(&|it| it.least_of_ten_ns))));
        rows.push(row("median", texts(figures(&|it| it.delay_ns.median))));
        if width == Width::Terminal {
            continue;
        }
        let low = figures(&|it| it.delay_ns.median_interval.low);
        let high = figures(&|it| it.delay_ns.median_interval.high);
        let interval = low.into_iter().zip(high).map(|pair| match pair {
            (Some(low), Some(high)) => format!("{}\u{2013}{}", three_digits(low), three_digits(high)),
            _ => String::new(),
        });
        rows.push(row("95 % of median", interval.collect()));
    }
    let reference = analysis.subjects.first();
    let ours = reference.map(|it| milliseconds(&it.subject, &|it| it.least_of_ten_ns)).unwrap_or_default();
    for line in paper {
        let cells = objects.iter().zip(&ours).map(|(&count, ours)| {
            let column = pras2005::TABLE_2_OBJECTS.iter().position(|&it| it == u64::from(count));
            let printed = column.and_then(|column| line.milliseconds[column]);
            match (printed, ours) {
                (Some(printed), Some(ours)) => format!("{printed:.1} ({})", ratio(printed / ours)),
                (Some(printed), None) => format!("{printed:.1}"),
                (None, _) => String::new(),
            }
        });
        let name = format!("paper: {}", line.agent);
        rows.push(Row { kind: RowKind::Paper, cells: [name].into_iter().chain(cells).collect() });
    }
    let name = reference.map_or("", |subject| &subject.subject);
    Table {
        topic: Topic::Paper,
        title: "Table II of the paper and this run: round trip delay (ms)".into(),
        note: format!(
            "One GetBulk over UDP that brings so many objects. The paper printed the least of 10 measurements (Get where an \
             agent had no GetBulk) of the agents of its time over Ethernet; what this run calls min of 10 is the median over its rounds \
             of the least of 10. In brackets: the paper's figure over that of {name}."
        ),
        heads: with_objects(&["Agent"], objects),
        names: 1,
        rows,
    }
}

/// Median delays of all cells.
fn delays(analysis: &Analysis) -> Table {
    by_operation(
        analysis,
        Topic::Delay,
        "Round trip delay, median (µs)",
        "Microseconds from handing the request to the socket to having the whole response; the figures' whiskers and the \
         table of details give the 95 % interval of each median.",
        &Transport::PLAIN,
        |result| Some(result.delay_ns.median / 1e3),
    )
}

/// Median CPU time of the subject.
fn cpu(analysis: &Analysis, transports: &[Transport]) -> Table {
    by_operation(
        analysis,
        Topic::Cpu,
        "CPU time of the agent for one request, median (µs)",
        "User and system time of the subject's process from the kernel's scheduler accounting over blocks of requests, \
         divided by their number. Over the loopback it holds the delivery of the response into the manager's socket, \
         for all subjects alike.",
        transports,
        |result| Some(result.cpu_ns?.median / 1e3),
    )
}

/// A table with a row for each operation, transport and subject, and the others' ratios to the first subject.
fn by_operation(
    analysis: &Analysis,
    topic: Topic,
    title: &str,
    note: &str,
    transports: &[Transport],
    figure: fn(&CellResult) -> Option<f64>,
) -> Table {
    let objects = &analysis.run.objects;
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        for &transport in transports {
            let of = |subject: &str| -> Vec<Option<f64>> {
                let of = |&count| figure(analysis.cell(subject, operation, transport, count)?);
                objects.iter().map(of).collect()
            };
            let mut reference: Option<(&str, Vec<Option<f64>>)> = None;
            for subject in &analysis.subjects {
                let figures = of(&subject.subject);
                if figures.iter().all(Option::is_none) {
                    continue;
                }
                let name = |first: String, second: String| [first, second].into_iter();
                let cells = figures.iter().map(|it| it.map_or(String::new(), three_digits));
                let names = name(format!("{operation} {transport}"), subject.subject.clone());
                rows.push(Row { kind: RowKind::Measured, cells: names.chain(cells).collect() });
                if let Some((first, ours)) = &reference {
                    let cells = ours.iter().zip(&figures).map(|pair| match pair {
                        (Some(ours), Some(theirs)) => ratio(theirs / ours),
                        _ => String::new(),
                    });
                    let names = name(String::new(), format!("vs {first}"));
                    rows.push(Row { kind: RowKind::Ratio, cells: names.chain(cells).collect() });
                } else {
                    reference = Some((&subject.subject, figures));
                }
            }
        }
    }
    Table {
        topic,
        title: title.into(),
        note: note.into(),
        heads: with_objects(&["Operation", "Agent"], objects),
        names: 2,
        rows,
    }
}

/// Octets at application level beside figure 6's bounds.
fn octets(analysis: &Analysis) -> Table {
    let objects = &analysis.run.objects;
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        let mut bounds = None;
        for subject in &analysis.subjects {
            let points: Vec<_> = objects
                .iter()
                .map(|&count| {
                    analysis.octets.iter().find(|point| {
                        let cell = &point.measured.cell;
                        cell.subject == subject.subject
                            && cell.operation == operation
                            && cell.objects == count
                    })
                })
                .collect();
            if points.iter().all(Option::is_none) {
                continue;
            }
            let figures = points.iter().map(|point| point.map_or(String::new(), |it| it.total.to_string()));
            let names = [operation.to_string(), subject.subject.clone()];
            rows.push(Row { kind: RowKind::Measured, cells: names.into_iter().chain(figures).collect() });
            bounds = bounds.or(Some(points));
        }
        if let Some(points) = bounds {
            let ranges = points
                .iter()
                .map(|point| point.map_or(String::new(), |it| format!("{}\u{2013}{}", it.low, it.high)));
            let formula = if operation == Operation::GetBulk { "formula (14)" } else { "formula (13)" };
            let names = [String::new(), formula.to_owned()];
            rows.push(Row { kind: RowKind::Paper, cells: names.into_iter().chain(ranges).collect() });
        }
    }
    Table {
        topic: Topic::Bandwidth,
        title: "Octets of request and response (SNMP messages)".into(),
        note: "Application level: both messages from their first to their last octet (agents started here have the community \"public\"). The paper's \
               bounds are for values of 1 to 6 octets and a header of 25."
            .into(),
        heads: with_objects(&["Operation", "Agent"], objects),
        names: 2,
        rows,
    }
}

/// Octets and packets at IP level.
fn ip_level(analysis: &Analysis) -> Table {
    let objects = &analysis.run.objects;
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        for transport in Transport::PLAIN {
            for subject in &analysis.subjects {
                let results: Vec<Option<&CellResult>> = objects
                    .iter()
                    .map(|&count| analysis.cell(&subject.subject, operation, transport, count))
                    .collect();
                let figures: Vec<String> = results
                    .into_iter()
                    .map(|result| {
                        let found = result.and_then(|result| result.ip_octets.zip(result.ip_packets));
                        found
                            .map_or(String::new(), |(octets, packets)| format!("{octets:.0} in {packets:.1}"))
                    })
                    .collect();
                if figures.iter().any(|figure| !figure.is_empty()) {
                    let names = [format!("{operation} {transport}"), subject.subject.clone()];
                    let cells = names.into_iter().chain(figures).collect();
                    rows.push(Row { kind: RowKind::Measured, cells });
                }
            }
        }
    }
    Table {
        topic: Topic::IpLevel,
        title: "Octets in packets of one interaction at IP level".into(),
        note: format!(
            "UDP: an IP and a UDP header for each datagram, fragments counted ({} octets above the messages when none is \
             cut, as the paper says). TCP: an open connection; segments with their headers as the kernel counted them, \
             acknowledgements included; the paper's set-up and release of {} octets is not in it.",
            pras2005::IP_LEVEL_EXTRA,
            pras2005::TCP_SETUP_OCTETS
        ),
        heads: with_objects(&["Operation", "Agent"], objects),
        names: 2,
        rows,
    }
}

/// Memory beside the paper's table I.
fn memory(analysis: &Analysis) -> Table {
    let kilobytes = |octets: u64| format!("{:.0}", octets as f64 / 1e3);
    let mut rows: Vec<Row> = analysis
        .memory
        .iter()
        .map(|record| {
            let when = match record.when {
                MemoryMoment::Idle => "idle",
                MemoryMoment::AfterLoad => "after",
            };
            let figures = [record.instructions, record.data, record.constants, record.rss, record.pss];
            let names = [record.subject.clone(), when.to_owned()];
            let cells = names.into_iter().chain(figures.map(kilobytes)).collect();
            Row { kind: RowKind::Measured, cells }
        })
        .collect();
    if !rows.is_empty() {
        rows.extend(pras2005::TABLE_1.iter().map(|line| {
            let (low, high) = line.dynamic_data;
            let dynamic = if low == high { format!("{low}") } else { format!("{low} to {high}") };
            let data = format!("{} + {dynamic}", line.static_data);
            let name = format!("paper: {}", line.program);
            let cells = [name, String::new(), line.instructions.to_string(), data];
            let cells = cells.into_iter().chain([const { String::new() }; 3]).collect();
            Row { kind: RowKind::Paper, cells }
        }));
    }
    Table {
        topic: Topic::Memory,
        title: "Memory (kB), beside table I of the paper".into(),
        note: "Resident pages of the process by what they may be used for, from /proc: executable ones hold instructions, \
               writable ones data; Pss counts shared pages by share. The paper counted instructions, static data and dynamic \
               data for one request (Net-SNMP 5.0.9 stripped to the ifTable)."
            .into(),
        heads: ["Agent", "When", "Instr.", "Data", "Const.", "Rss", "Pss"].map(String::from).into(),
        names: 2,
        rows,
    }
}

/// Every cell with all its figures.
fn details(analysis: &Analysis) -> Table {
    let us = |value: f64| three_digits(value / 1e3);
    let rows = analysis.cells.iter().map(|result| {
        let (cell, delay) = (&result.cell, &result.delay_ns);
        let interval = format!("{} to {}", us(delay.median_interval.low), us(delay.median_interval.high));
        let cpu = result.cpu_ns.map_or(String::new(), |cpu| us(cpu.median));
        let figures = [
            cell.subject.clone(),
            format!("{} {}", cell.operation, cell.transport),
            cell.objects.to_string(),
            delay.count.to_string(),
            us(delay.min),
            us(delay.q1),
            us(delay.median),
            interval,
            us(delay.q3),
            us(delay.p99),
            us(delay.max),
            us(delay.mean),
            us(delay.sd),
            cpu,
        ];
        Row { kind: RowKind::Measured, cells: figures.into() }
    });
    let heads = [
        "Agent",
        "Operation",
        "Objects",
        "n",
        "min",
        "q1",
        "median",
        "95 %",
        "q3",
        "p99",
        "max",
        "mean",
        "sd",
        "CPU",
    ];
    Table {
        topic: Topic::Details,
        title: "All cells: delay and CPU time (µs)".into(),
        note: "Quantiles by linear interpolation (Hyndman and Fan's definition 7). The interval of the median is a bootstrap \
               over whole rounds."
            .into(),
        heads: heads.map(String::from).into(),
        names: 2,
        rows: rows.collect(),
    }
}

fn with_objects(names: &[&str], objects: &[u32]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).chain(objects.iter().map(u32::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::known_run;

    fn analysis() -> Analysis {
        Analysis::of(&known_run()).unwrap()
    }

    #[test]
    fn every_row_is_as_wide_as_its_head() {
        for table in tables(&analysis()).iter().chain(&short_tables(&analysis())) {
            assert!(table.rows.iter().all(|row| row.cells.len() == table.heads.len()), "{}", table.title);
        }
        assert_eq!(tables(&analysis()).len(), 7);
    }

    #[test]
    fn table_2_has_all_lines_and_ratios() {
        let table = table_2(&analysis(), &pras2005::TABLE_2, Width::Page);
        assert_eq!(table.rows.len(), 2 * 3 + 25);
        // trunklined's least of ten for 66 objects is 66 + 1 us; SNMP-1 printed 3.9 ms
        assert_eq!(table.rows[0].cells[3], "0.0670");
        let snmp_1 = table.rows.iter().find(|row| row.cells[0] == "paper: SNMP-1").unwrap();
        assert_eq!(snmp_1.cells[3], "3.9 (58x)");
    }

    #[test]
    fn delays_show_ratios_to_the_first_subject() {
        let table = delays(&analysis());
        assert_eq!(table.rows.len(), 3 * 2 * 3);
        // medians for 270 objects: 275.5 and 1085.5 us
        assert_eq!(table.rows[2].cells, ["", "vs trunklined", "1.5x", "3.4x", "3.8x", "3.9x"]);
    }

    #[test]
    fn octets_stand_beside_the_formulas() {
        let table = octets(&analysis());
        let bulk: Vec<_> = table.rows.iter().rev().take(3).rev().map(|row| row.cells.clone()).collect();
        assert_eq!(bulk[0], ["GetBulk", "trunklined", "89", "488", "1324", "5200"]);
        assert_eq!(bulk[2], ["", "formula (14)", "87–92", "444–554", "1192–1522", "4660–6010"]);
    }

    #[test]
    fn ip_level_of_both_transports() {
        let table = ip_level(&analysis());
        assert_eq!(table.rows[0].cells[2], format!("{} in 2.0", 43 + 46 + 56));
        assert_eq!(table.rows[2].cells[..3], ["Get TCP", "trunklined", "193 in 2.0"].map(String::from));
    }

    #[test]
    fn headlines_compare() {
        let all = headlines(&analysis());
        assert_eq!(all.len(), 4);
        assert_eq!(all[1].value, "71.5 µs");
        assert_eq!(all[1].beside, ["snmpd 270 µs, 3.8x"]);
        assert_eq!(all[3].value, "4.19 MB");
    }
}
