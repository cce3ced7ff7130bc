//! The options of `trunkline lab`, as given ([`LabOptions`]) and as checked ([`Plan`]).

use std::path::PathBuf;
use std::time::Duration;

use trunkline_client::{Target, TargetError};
use trunkline_snmp::wire::Version;

use crate::kit::error::Error;

/// Measures how SNMP fetches ifTable with Get, GetNext and GetBulk over UDP and TCP, from the agents on this machine, beside
/// the figures of Pras et al. (2005). Writes raw samples, then a report.
#[derive(Debug, Clone, clap::Args)]
pub struct LabOptions {
    /// Fewer rounds: at most 20 seconds instead of 90
    #[arg(long)]
    pub quick: bool,
    /// How many ifTable objects one interaction retrieves: the columns of the tables
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [1, 22, 66, 270])]
    pub objects: Vec<u32>,
    /// Measure in a private network namespace with this many interfaces (needs root); by default one is created only when
    /// this host has too few
    #[arg(long, value_name = "N")]
    pub rows: Option<u32>,
    /// Measure this many rounds, without a time limit
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,
    /// Measure this agent too, such as snmp://public@router or snmp+tcp://router (may be repeated)
    #[arg(long, value_name = "URL")]
    pub subject: Vec<String>,
    /// Start no agents here: measure those of --subject only
    #[arg(long, requires = "subject")]
    pub no_local: bool,
    /// Path to trunklined [default: next to this program, then PATH]
    #[arg(long, value_name = "FILE")]
    pub trunklined: Option<PathBuf>,
    /// Path to snmpd [default: from PATH, then /usr/sbin]
    #[arg(long, value_name = "FILE")]
    pub snmpd: Option<PathBuf>,
    /// Where the samples and the report go
    #[arg(long, value_name = "DIR", default_value = "lab-report")]
    pub out: PathBuf,
    /// Seed of everything random: the order of measurements, the traffic on interfaces, the resampling
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print the results as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Analyse the samples of this directory again and write its report anew, without measuring
    #[arg(long, value_name = "DIR")]
    pub analyse: Option<PathBuf>,
}

/// What is to be measured: checked options.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The columns, ascending, each once.
    pub objects: Vec<u32>,
    /// The object counts at which octets are measured for figure 7, ascending.
    pub sweep: Vec<u32>,
    /// Rounds.
    pub rounds: u32,
    /// Requests of a block.
    pub requests_per_block: u32,
    /// How long rounds may go on; the first few are measured in any case.
    pub budget: Option<Duration>,
    /// `--rows`.
    pub rows: Option<u32>,
    /// Agents that are there already.
    pub remote: Vec<Target>,
    /// Whether agents are started here.
    pub local: bool,
    /// The seed.
    pub seed: u64,
    /// The command that repeats the run, without communities.
    pub command: String,
}

impl LabOptions {
    /// Checks the options.
    pub fn plan(&self) -> Result<Plan, Error> {
        let mut objects = self.objects.clone();
        objects.sort_unstable();
        objects.dedup();
        let wrong = |option, expected, found: &dyn std::fmt::Display| {
            Err(Error::Option { option, expected, found: found.to_string() })
        };
        match (objects.first(), objects.last()) {
            (None, _) | (Some(0), _) => return wrong("objects", "numbers of 1 or more", &0),
            (_, Some(&most)) if most > MOST_OBJECTS => {
                return wrong("objects", "numbers of at most 20000", &most);
            }
            _ => {}
        }
        if let Some(rows @ (0 | 100_001..)) = self.rows {
            return wrong("rows", "a number from 1 to 100000", &rows);
        }
        if let Some(rounds @ (0 | 1_000_001..)) = self.repeat {
            return wrong("repeat", "a number from 1 to 1000000", &rounds);
        }
        if self.rows.is_some() && !self.subject.is_empty() {
            let reason = "an agent elsewhere is out of reach from a private network namespace";
            return Err(Error::Conflict { option: "rows", other: "subject", reason });
        }
        let remote = self
            .subject
            .iter()
            .map(|text| subject("subject", text))
            .collect::<Result<Vec<Target>, Error>>()?;
        Ok(Plan {
            sweep: sweep(&objects),
            rounds: self.repeat.unwrap_or(if self.quick { QUICK_ROUNDS } else { ROUNDS }),
            requests_per_block: REQUESTS_PER_BLOCK,
            budget: match self.repeat {
                Some(_) => None,
                None => Some(if self.quick { QUICK_BUDGET } else { BUDGET }),
            },
            rows: self.rows,
            local: !self.no_local,
            seed: self.seed,
            command: self.command(&objects, &remote),
            objects,
            remote,
        })
    }

    /// The command that repeats the run. Communities are secrets and stay out.
    fn command(&self, objects: &[u32], remote: &[Target]) -> String {
        let mut words = vec!["trunkline lab".to_owned()];
        if self.quick {
            words.push("--quick".into());
        }
        if objects != [1, 22, 66, 270] {
            let texts: Vec<String> = objects.iter().map(u32::to_string).collect();
            words.push(format!("--objects {}", texts.join(",")));
        }
        words.extend(self.rows.map(|rows| format!("--rows {rows}")));
        words.extend(self.repeat.map(|rounds| format!("--repeat {rounds}")));
        words.extend(remote.iter().map(|target| format!("--subject {target}")));
        if self.no_local {
            words.push("--no-local".into());
        }
        words.extend(self.trunklined.as_ref().map(|path| format!("--trunklined {}", path.display())));
        words.extend(self.snmpd.as_ref().map(|path| format!("--snmpd {}", path.display())));
        if self.seed != 1 {
            words.push(format!("--seed {}", self.seed));
        }
        words.join(" ")
    }
}

/// The counts of figure 7: all small ones, then about a dozen for each magnitude, and the columns themselves.
fn sweep(objects: &[u32]) -> Vec<u32> {
    let most = objects.last().copied().unwrap_or(1);
    let mut counts: Vec<u32> = objects.to_vec();
    let mut count = 1.0f64;
    while count <= f64::from(most) {
        counts.push(count as u32);
        count = (count * 1.2).max(count + 1.0);
    }
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Rounds that are measured whatever the time.
pub const LEAST_ROUNDS: u32 = 3;
/// As many as the paper measured each figure.
const REQUESTS_PER_BLOCK: u32 = crate::experiments::pras2005::paper::TABLE_2_REPETITIONS as u32;
const ROUNDS: u32 = 200;
const QUICK_ROUNDS: u32 = 25;
const BUDGET: Duration = Duration::from_secs(70);
const QUICK_BUDGET: Duration = Duration::from_secs(11);
/// More do not fit any message.
const MOST_OBJECTS: u32 = 20_000;

/// An agent elsewhere. What the formulas of the paper say is of SNMPv1 and SNMPv2c.
fn subject(option: &'static str, text: &str) -> Result<Target, Error> {
    let wrong = |found| {
        let expected = "a target of SNMPv1 or SNMPv2c such as snmp://public@host:161";
        Error::Option { option, expected, found }
    };
    let target: Target = text.parse().map_err(|error: TargetError| wrong(error.to_string()))?;
    match (target.version(), target.transport.is_secure()) {
        (Version::V3, _) => Err(wrong("SNMPv3".to_owned())),
        (Version::V1 | Version::V2c, true) => Err(wrong(format!("{target}"))),
        (Version::V1 | Version::V2c, false) => Ok(target),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        lab: LabOptions,
    }

    pub(crate) fn options(words: &str) -> LabOptions {
        let words = std::iter::once("lab").chain(words.split_whitespace());
        Program::try_parse_from(words).unwrap().lab
    }

    #[test]
    fn the_default_is_the_papers() {
        let plan = options("").plan().unwrap();
        assert_eq!(plan.objects, [1, 22, 66, 270]);
        assert_eq!((plan.rounds, plan.requests_per_block), (ROUNDS, 10));
        assert_eq!(plan.budget, Some(BUDGET));
        assert_eq!(plan.command, "trunkline lab");
        assert!(plan.local && plan.remote.is_empty());
        assert!(plan.objects.iter().all(|count| plan.sweep.contains(count)));
        assert!((20..60).contains(&plan.sweep.len()), "{:?}", plan.sweep);
    }

    #[test]
    fn options_are_taken() {
        use trunkline_client::Credentials;

        let plan = options(
            "--quick --objects 66,1,66 --repeat 5 --subject snmp://secret@127.0.0.1:1161 --no-local --seed 7",
        );
        let plan = plan.plan().unwrap();
        assert_eq!(plan.objects, [1, 66]);
        assert_eq!((plan.rounds, plan.budget, plan.seed), (5, None, 7));
        assert!(!plan.local);
        let Credentials::Community { community, .. } = &plan.remote[0].credentials else { panic!() };
        assert_eq!(community, b"secret");
        assert!(!plan.command.contains("secret"), "{}", plan.command);
        assert!(plan.command.contains("--subject snmp://127.0.0.1:1161 --no-local --seed 7"));
    }

    #[test]
    fn senseless_options_are_refused_by_name() {
        for (words, name) in [
            ("--objects 0,1", "objects"),
            ("--objects 20001", "objects"),
            ("--rows 0", "rows"),
            ("--repeat 0", "repeat"),
            ("--subject ftp://x", "subject"),
            ("--subject snmp://ann@x?version=3", "subject"),
        ] {
            match options(words).plan() {
                Err(Error::Option { option, .. }) => assert_eq!(option, name, "{words}"),
                other => panic!("{words}: {other:?}"),
            }
        }
        let both = options("--rows 5 --subject snmp://127.0.0.1").plan();
        assert!(matches!(both, Err(Error::Conflict { option: "rows", other: "subject", .. })));
        assert!(Program::try_parse_from(["lab", "--no-local"]).is_err());
    }
}
