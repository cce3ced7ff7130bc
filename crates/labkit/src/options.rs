//! Options shared by several experiments, and the checks of their values. An experiment declares which of these it
//! uses, beside its own.

use std::path::PathBuf;

use clap::Args;

use crate::error::Error;

/// Options of every experiment.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Measurement")]
pub struct CommonOptions {
    /// Fewer repetitions and smaller sizes: a minute or two, longer on a slow link
    #[arg(long)]
    pub quick: bool,
    /// Repeat each measurement this many times
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub repeat: Option<u32>,
    /// Path to trunklined [default: next to this program, then PATH]
    #[arg(long, value_name = "FILE")]
    pub trunklined: Option<PathBuf>,
    /// Where the samples and the report go [default: lab-report/EXPERIMENT]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of everything random: the order of measurements, losses, the traffic on interfaces, the resampling
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Print the tables and every warning, not only the findings
    #[arg(long = "tables", conflicts_with = "json")]
    pub print_tables: bool,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
    /// Analyse the samples of this directory again and write its report again, without measuring
    #[arg(long, value_name = "DIR")]
    pub analyse: Option<PathBuf>,
}

/// Options of experiments whose tables can be requested one by one.
#[derive(Debug, Clone, Default, Args)]
pub struct TableOptions {
    /// The tables and figures to measure [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// The same as naming the tables and figures: --only figure-11,figure-12
    #[arg(long, value_name = "TABLE,TABLE", value_delimiter = ',')]
    pub only: Vec<String>,
}

/// Option of experiments that start the laboratory's own agent.
#[derive(Debug, Clone, Default, Args)]
pub struct LabAgentOptions {
    /// Path to trunklined-lab, the agent with the laboratory's switches [default: next to this program]
    #[arg(long, value_name = "FILE")]
    pub trunklined_lab: Option<PathBuf>,
}

/// The tables to measure, and how often: checked options.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The tables by their ids, in the experiment's order.
    pub tables: Vec<String>,
    /// The options of every experiment.
    pub common: CommonOptions,
}

impl Choice {
    /// The named tables, or all tables if none is named.
    ///
    /// # Errors
    /// A name that is not `known`, or an invalid number of repetitions.
    pub fn of(
        experiment: &str,
        known: &[&str],
        named: &TableOptions,
        common: &CommonOptions,
    ) -> Result<Choice, Error> {
        let named: Vec<&String> = named.tables.iter().chain(&named.only).collect();
        for &table in &named {
            if !known.contains(&table.as_str()) {
                let expected = known.join(", ");
                return Err(Error::UnknownTable { found: table.clone(), expected });
            }
        }
        if let Some(repeat) = common.repeat {
            numbers("repeat", &[repeat], 1, 1_000_000)?;
        }
        let asked = |table: &&&str| named.is_empty() || named.iter().any(|it| it.as_str() == **table);
        let tables = known.iter().filter(asked).map(|table| format!("{experiment}/{table}")).collect();
        Ok(Choice { tables, common: common.clone() })
    }

    /// Whether a table was requested; `table` is its id without the experiment.
    pub fn has(&self, table: &str) -> bool {
        self.tables.iter().any(|id| id.ends_with(&format!("/{table}")))
    }

    /// The number of rounds: as requested, otherwise by whether the run is quick.
    pub fn rounds(&self, full: u32, quick: u32) -> u32 {
        self.common.repeat.unwrap_or(if self.common.quick { quick } else { full })
    }

    /// The sizes: as given, otherwise by whether the run is quick.
    pub fn sizes(&self, given: &[u32], full: &[u32], quick: &[u32]) -> Vec<u32> {
        match given {
            [] if self.common.quick => quick.to_vec(),
            [] => full.to_vec(),
            _ => given.to_vec(),
        }
    }

    /// Checks that a given option is used by one of the requested tables.
    ///
    /// # Errors
    /// It is used by none of them.
    pub fn uses(&self, option: &'static str, is_given: bool, tables: &[&'static str]) -> Result<(), Error> {
        if !is_given || tables.iter().any(|table| self.has(table)) {
            return Ok(());
        }
        Err(Error::Unused { option, tables: tables.join(", ") })
    }
}

/// The numbers of an option, ascending, each once.
///
/// # Errors
/// One of them is out of range.
pub fn numbers(option: &'static str, given: &[u32], least: u32, most: u32) -> Result<Vec<u32>, Error> {
    if let Some(&found) = given.iter().find(|number| !(least..=most).contains(number)) {
        return Err(Error::Range { option, found, least, most });
    }
    let mut numbers = given.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// The numbers of an option, ascending, each once, with the reason for its greatest.
///
/// # Errors
/// One of them is out of range.
pub fn bounded(
    option: &'static str,
    given: &[u32],
    (least, most): (u32, u32),
    reason: &'static str,
) -> Result<Vec<u32>, Error> {
    match given.iter().find(|number| **number > most) {
        Some(&found) => Err(Error::TooMany { option, found, most, reason }),
        None => numbers(option, given, least, most),
    }
}

/// Checks that so many sessions can be open at once, each with a descriptor here and in the agent.
///
/// # Errors
/// A user's limit, the loopback's ports or the memory do not suffice.
pub fn open_sessions(given: &[u32]) -> Result<Vec<u32>, Error> {
    let sessions = bounded(
        "sessions",
        given,
        (0, MOST_SESSIONS),
        "each needs a port of its own at the loopback, and Linux gives out 28,231",
    )?;
    let most = memory_for_sessions().unwrap_or(MOST_SESSIONS);
    bounded(
        "sessions",
        &sessions,
        (0, most),
        "the machine has no more memory free: about 0.3 MB for each, at both ends",
    )
}

/// The number of sessions that the free memory suffices for.
fn memory_for_sessions() -> Option<u32> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    u32::try_from(kilobytes / SESSION_KB).ok()
}

/// Ports that the kernel chooses from (`ip_local_port_range`), less some for everything else.
const MOST_SESSIONS: u32 = 28_000;
/// Memory of a session at both ends, amply: SSH has most.
const SESSION_KB: u64 = 300;
/// More objects fit into no message.
pub const MOST_OBJECTS: u32 = 20_000;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        tables: TableOptions,
        #[command(flatten)]
        common: CommonOptions,
    }

    fn choice(words: &str) -> Result<Choice, Error> {
        let words = std::iter::once("lab").chain(words.split_whitespace());
        let program = Program::try_parse_from(words).unwrap();
        Choice::of("x", &["table-1", "table-2"], &program.tables, &program.common)
    }

    #[test]
    fn tables_are_chosen_by_name() {
        for words in ["table-2 --quick --repeat 3", "--only table-2 --quick --repeat 3"] {
            let choice = choice(words).unwrap();
            assert_eq!(choice.tables, ["x/table-2"]);
            assert!(choice.has("table-2") && !choice.has("table-1"));
            assert_eq!((choice.rounds(100, 10), choice.sizes(&[7], &[1], &[2])), (3, vec![7]));
            assert_eq!(choice.sizes(&[], &[1], &[2]), [2]);
        }
        let all = choice("").unwrap();
        assert_eq!((all.tables.len(), all.rounds(100, 10), all.sizes(&[], &[1], &[2])), (2, 100, vec![1]));
    }

    #[test]
    fn invalid_values_are_refused_by_name() {
        assert!(matches!(choice("--repeat 0"), Err(Error::Range { option: "repeat", .. })));
        let unknown = choice("--only table-9").unwrap_err();
        assert!(unknown.to_string().contains("expected table-1, table-2"), "{unknown}");
        let error = bounded("rows", &[100_000], (1, 5000), "each takes memory").unwrap_err();
        assert_eq!(error.to_string(), "--rows: 100000 is more than 5000: each takes memory");
        assert_eq!(error.exit_status(), 2);
        let error = open_sessions(&[10, 50_000]).unwrap_err();
        assert!(error.to_string().starts_with("--sessions: 50000 is more than 28000: "), "{error}");
        assert_eq!(open_sessions(&[10, 0]).unwrap(), [0, 10]);
        let error = numbers("n", &[5, 0], 1, 9).unwrap_err();
        assert_eq!(error.to_string(), "--n: 0 is not between 1 and 9");
        assert_eq!(numbers("n", &[5, 1, 5], 1, 9).unwrap(), [1, 5]);
    }

    #[test]
    fn an_option_of_another_table_is_an_error() {
        let choice = choice("table-2").unwrap();
        assert!(choice.uses("idle", true, &["table-2", "table-3"]).is_ok());
        assert!(choice.uses("idle", false, &["table-1"]).is_ok());
        let error = choice.uses("idle", true, &["table-1"]).unwrap_err();
        assert_eq!(error.to_string(), "--idle is used only by table-1, not by the requested tables");
    }
}
