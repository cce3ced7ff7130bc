//! The options of the experiments whose unit is a session: as given, and as checked ([`Choice`]).

use std::path::PathBuf;

use trunkline_client::Target;

use super::LabOptions;
use crate::kit::error::Error;
use crate::kit::place::link::LinkSpec;

/// What `trunkline lab` does: with a name the experiment of that name, without one the experiment of Pras et al.
#[derive(Debug, Clone, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_value_name = "EXPERIMENT")]
#[command(subcommand_help_heading = "Experiments")]
pub struct LabArguments {
    /// Which experiment.
    #[command(subcommand)]
    pub experiment: Option<ExperimentCommand>,
    /// Of the experiment without a name.
    #[command(flatten)]
    pub options: LabOptions,
}

/// The experiments with a name.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum ExperimentCommand {
    /// What a session over TLS costs, beside the tables of Du, Shayman and Rozenblit (2001).
    #[command(after_help = "\
Tables: table-1 to table-6; the model is fitted with table-2.

Examples:
  trunkline lab du2001 --quick
  trunkline lab du2001 table-2 table-6 --json")]
    Du2001(PaperOptions),
    /// What a session over SSH costs, beside the tables and figures of Marinov and Schönwälder (2006).
    #[command(after_help = "\
Tables: table-2, section-4, figure-3, figure-4, table-3, figure-5, figure-6.

Examples:
  trunkline lab marinov2006 --quick
  trunkline lab marinov2006 figure-3 --messages 22,220,2354")]
    Marinov2006(PaperOptions),
    /// SNMP beside web services: octets, CPU time, memory and delay, beside Pras, Drevers, van de Meent and Quartel (2005).
    #[command(after_help = "\
Tables: figure-4 to figure-7, figure-11 to figure-14, table-1, table-2.

Examples:
  trunkline lab pras2005 --quick
  trunkline lab pras2005 --only figure-11,figure-12 --objects 1,18,270,540
  trunkline lab pras2005 figure-4 figure-5 --agent snmp://public@router")]
    Pras2005(PaperOptions),
    /// SNMP inside SOAP over HTTP and HTTPS: packets, octets, latency, instructions and jitter, beside Ma and Bartos (2005).
    #[command(after_help = "\
Tables: table-1, table-2, figure-3, figure-4, figure-5, jitter, size; the last two are ours.

Examples:
  trunkline lab ma2005 --quick
  trunkline lab ma2005 table-1 jitter --json")]
    Ma2005(PaperOptions),
    /// Which protocol, transport and security level for so many devices behind such a link.
    #[command(after_help = "\
Examples:
  trunkline lab compare --link 64k,200ms,0.5% --devices 500 --objects 66 --every 60s
  trunkline lab compare --link 10M,20ms --quick --json")]
    Compare(CompareOptions),
}

/// What the experiments with a name have in common.
#[derive(Debug, Clone, clap::Args)]
pub struct TrialOptions {
    /// Fewer repetitions and smaller sizes: half a minute to a minute and a half
    #[arg(long)]
    pub quick: bool,
    /// Repeat each kind of session this many times
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,
    /// Path to trunklined [default: next to this program, then PATH]
    #[arg(long, value_name = "FILE")]
    pub trunklined: Option<PathBuf>,
    /// Path to trunklined-lab, the agent with the laboratory's switches [default: next to this program]
    #[arg(long, value_name = "FILE")]
    pub trunklined_lab: Option<PathBuf>,
    /// Where the samples and the report go [default: lab-report/EXPERIMENT]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of everything random: the order of measurements, losses, the traffic on interfaces
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print the results as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Analyse the samples of this directory again and write its report anew, without measuring
    #[arg(long, value_name = "DIR")]
    pub analyse: Option<PathBuf>,
}

/// The options of the experiments after a paper.
#[derive(Debug, Clone, clap::Args)]
pub struct PaperOptions {
    /// The tables and figures to measure [default: all]
    #[arg(value_name = "TABLE")]
    pub tables: Vec<String>,
    /// What the experiments have in common.
    #[command(flatten)]
    pub common: TrialOptions,
    /// The sizes of sessions, in messages, where a table has a row or column for each
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub messages: Vec<u32>,
    /// How many sessions to open at a time, where memory is read (marinov2006 figure-6)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub sessions: Vec<u32>,
    /// Seconds from one session to the next in light traffic (du2001 table-3) [default: 300, with --quick 3]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub idle: Option<f64>,
    /// The same as naming the tables and figures: --only figure-11,figure-12
    #[arg(long, value_name = "TABLE,TABLE", value_delimiter = ',')]
    pub only: Vec<String>,
    /// How many objects an interaction retrieves, where a figure has a column for each (pras2005)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub objects: Vec<u32>,
    /// Measure this agent too (SNMPv1 or SNMPv2c), such as snmp://public@router: the sizes of its names, values and messages,
    /// and its delays (pras2005; may be repeated)
    #[arg(long, value_name = "URL")]
    pub agent: Vec<String>,
    /// Path to snmpd [default: from PATH, then /usr/sbin] (pras2005)
    #[arg(long, value_name = "FILE")]
    pub snmpd: Option<PathBuf>,
    /// Path to the trunkline whose commands are measured [default: this program] (ma2005 table-2)
    #[arg(long, value_name = "FILE")]
    pub trunkline: Option<PathBuf>,
    /// Path to a gSOAP server of ifTable, called with the port to listen on [default: the one of peers/gsoap] (pras2005
    /// table-1, table-2)
    #[arg(long, value_name = "FILE")]
    pub gsoap: Option<PathBuf>,
}

/// The options of the comparison.
#[derive(Debug, Clone, clap::Args)]
pub struct CompareOptions {
    /// The link: RATE,ROUND-TRIP,LOSS, then `key=value` settings (jitter, reorder, queue, seed)
    #[arg(long, value_name = "SPEC", default_value = "64k,200ms,0.5%")]
    pub link: LinkSpec,
    /// How many devices
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub devices: u32,
    /// How many ifTable objects to fetch from each device in a round
    #[arg(long, value_name = "N", default_value_t = 66)]
    pub objects: u32,
    /// The interval between rounds: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = seconds)]
    pub every: f64,
    /// What the experiments have in common.
    #[command(flatten)]
    pub common: TrialOptions,
}

/// What is to be measured: checked options.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The tables by their ids, in the experiment's order.
    pub tables: Vec<String>,
    /// What the experiments have in common.
    pub common: TrialOptions,
    /// `--messages`, ascending, each once; may be empty.
    pub messages: Vec<u32>,
    /// `--sessions`, ascending, each once; may be empty.
    pub sessions: Vec<u32>,
    /// `--idle`.
    pub idle: Option<f64>,
    /// `--objects`, ascending, each once; may be empty.
    pub objects: Vec<u32>,
    /// Agents that are there already.
    pub agents: Vec<Target>,
    /// Programs of others, and ours for commands.
    pub programs: Programs,
    /// The comparison's own.
    pub compare: Option<CompareOptions>,
    /// The command that repeats the run.
    pub command: String,
}

/// Programs that an experiment starts beside the agents, where they were named.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// Net-SNMP's agent.
    pub snmpd: Option<PathBuf>,
    /// Ours, for commands.
    pub trunkline: Option<PathBuf>,
    /// A server made with gSOAP.
    pub gsoap: Option<PathBuf>,
}

impl Choice {
    /// Whether a table was asked for; its id without the experiment.
    pub fn has(&self, table: &str) -> bool {
        self.tables.iter().any(|id| id.ends_with(&format!("/{table}")))
    }

    /// How often: what was asked for, else by whether it is quick.
    pub fn rounds(&self, full: u32, quick: u32) -> u32 {
        self.common.repeat.unwrap_or(if self.common.quick { quick } else { full })
    }

    /// The sizes: what was asked for, else by whether it is quick.
    pub fn sizes(&self, full: &[u32], quick: &[u32]) -> Vec<u32> {
        match self.messages[..] {
            [] if self.common.quick => quick.to_vec(),
            [] => full.to_vec(),
            _ => self.messages.clone(),
        }
    }
}

impl PaperOptions {
    /// Checks them for the experiment of this name, which has these tables.
    pub fn choose(&self, experiment: &str, known: &[&str]) -> Result<Choice, Error> {
        let named: Vec<&String> = self.tables.iter().chain(&self.only).collect();
        for &table in &named {
            if !known.contains(&table.as_str()) {
                let expected = known.join(", ");
                return Err(Error::UnknownTable { found: table.clone(), expected });
            }
        }
        let asked = |table: &&&str| named.is_empty() || named.iter().any(|it| it.as_str() == **table);
        let tables = known.iter().filter(asked).map(|table| format!("{experiment}/{table}")).collect();
        let messages = numbers("messages", &self.messages, 1, 1_000_000)?;
        let sessions = numbers("sessions", &self.sessions, 0, 50_000)?;
        let objects = numbers("objects", &self.objects, 1, MOST_OBJECTS)?;
        let agents =
            self.agent.iter().map(|text| super::subject("agent", text)).collect::<Result<Vec<_>, _>>()?;
        if let Some(idle) = self.idle.filter(|idle| !(0.0..=86_400.0).contains(idle)) {
            let (expected, found) = ("seconds from 0 to 86400", idle.to_string());
            return Err(Error::Option { option: "idle", expected, found });
        }
        check_repeat(&self.common)?;
        let mut words = vec![format!("trunkline lab {experiment}")];
        words.extend(named.iter().map(|&table| table.clone()));
        words.extend(self.common.words());
        words.extend(list("objects", &objects));
        // A target is shown without its community.
        words.extend(agents.iter().map(|target| format!("--agent {target}")));
        for (option, path) in [("snmpd", &self.snmpd), ("trunkline", &self.trunkline), ("gsoap", &self.gsoap)]
        {
            words.extend(path.as_ref().map(|path| format!("--{option} {}", path.display())));
        }
        words.extend(list("messages", &messages));
        words.extend(list("sessions", &sessions));
        words.extend(self.idle.map(|idle| format!("--idle {idle}")));
        Ok(Choice {
            tables,
            common: self.common.clone(),
            messages,
            sessions,
            idle: self.idle,
            objects,
            agents,
            programs: Programs {
                snmpd: self.snmpd.clone(),
                trunkline: self.trunkline.clone(),
                gsoap: self.gsoap.clone(),
            },
            compare: None,
            command: words.join(" "),
        })
    }
}

impl CompareOptions {
    /// Checks them.
    pub fn choose(&self, known: &[&str]) -> Result<Choice, Error> {
        for (option, found, most) in [("devices", self.devices, 10_000_000), ("objects", self.objects, 2000)]
        {
            numbers(option, &[found], 1, most)?;
        }
        check_repeat(&self.common)?;
        let Self { link, devices, objects, every, .. } = self;
        let mut words = vec![format!(
            "trunkline lab compare --link {link} --devices {devices} --objects {objects} --every {every}s"
        )];
        words.extend(self.common.words());
        Ok(Choice {
            tables: known.iter().map(|table| format!("compare/{table}")).collect(),
            common: self.common.clone(),
            messages: vec![],
            sessions: vec![],
            idle: None,
            objects: vec![],
            agents: vec![],
            programs: Programs::default(),
            compare: Some(self.clone()),
            command: words.join(" "),
        })
    }
}

impl TrialOptions {
    /// As they would be typed again.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.quick {
            words.push("--quick".into());
        }
        words.extend(self.repeat.map(|repeat| format!("--repeat {repeat}")));
        words.extend(self.trunklined.as_ref().map(|path| format!("--trunklined {}", path.display())));
        words.extend(self.trunklined_lab.as_ref().map(|path| format!("--trunklined-lab {}", path.display())));
        if self.seed != 1 {
            words.push(format!("--seed {}", self.seed));
        }
        words
    }
}

fn check_repeat(common: &TrialOptions) -> Result<(), Error> {
    match common.repeat {
        Some(found @ (0 | 100_001..)) => {
            let expected = "a number from 1 to 100000";
            Err(Error::Option { option: "repeat", expected, found: found.to_string() })
        }
        _ => Ok(()),
    }
}

fn numbers(option: &'static str, given: &[u32], least: u32, most: u32) -> Result<Vec<u32>, Error> {
    if let Some(found) = given.iter().find(|number| !(least..=most).contains(number)) {
        let (expected, found) =
            ("numbers in the range of the option", format!("{found} ({least} to {most})"));
        return Err(Error::Option { option, expected, found });
    }
    let mut numbers = given.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn list(option: &str, numbers: &[u32]) -> Option<String> {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    (!texts.is_empty()).then(|| format!("--{option} {}", texts.join(",")))
}

/// `30s`, `5m`, `1h`, `500ms` or a number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("expected a time such as 30s, 5m or 1h, found {text}");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = number * factor;
    if (0.001..=31_536_000.0).contains(&seconds) { Ok(seconds) } else { Err(wrong()) }
}

/// More do not fit any message.
const MOST_OBJECTS: u32 = 20_000;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        lab: LabArguments,
    }

    fn parse(words: &str) -> Option<ExperimentCommand> {
        let words = std::iter::once("lab").chain(words.split_whitespace());
        Program::try_parse_from(words).unwrap().lab.experiment
    }

    const KNOWN: [&str; 2] = ["table-1", "table-2"];

    #[test]
    fn without_a_name_it_is_the_experiment_of_before() {
        assert!(parse("--quick --objects 1,22").is_none());
        let both = Program::try_parse_from(["lab", "--rows", "3", "du2001"]);
        assert!(both.is_err());
    }

    #[test]
    fn tables_are_chosen_by_name() {
        let Some(ExperimentCommand::Du2001(options)) =
            parse("du2001 table-2 --quick --repeat 3 --messages 20,5,5")
        else {
            panic!()
        };
        let choice = options.choose("du2001", &KNOWN).unwrap();
        assert_eq!(choice.tables, ["du2001/table-2"]);
        assert!(choice.has("table-2") && !choice.has("table-1"));
        assert_eq!((choice.rounds(100, 10), choice.sizes(&[1], &[2])), (3, vec![5, 20]));
        assert_eq!(choice.command, "trunkline lab du2001 table-2 --quick --repeat 3 --messages 5,20");
        let Some(ExperimentCommand::Pras2005(options)) =
            parse("pras2005 --only table-2 --objects 66,1 --agent snmp://secret@router")
        else {
            panic!()
        };
        let choice = options.choose("pras2005", &KNOWN).unwrap();
        assert_eq!((choice.tables.len(), choice.objects.as_slice()), (1, &[1, 66][..]));
        assert_eq!(choice.command, "trunkline lab pras2005 table-2 --objects 1,66 --agent snmp://router:161");
        let Some(ExperimentCommand::Marinov2006(options)) = parse("marinov2006") else { panic!() };
        let choice = options.choose("marinov2006", &KNOWN).unwrap();
        assert_eq!(choice.tables.len(), 2);
        assert_eq!((choice.rounds(100, 10), choice.sizes(&[1], &[2])), (100, vec![1]));
    }

    #[test]
    fn a_comparison_has_a_link_and_a_fleet() {
        let Some(ExperimentCommand::Compare(options)) =
            parse("compare --link 64k,200ms,0.5% --devices 500 --objects 66 --every 5m")
        else {
            panic!()
        };
        assert_eq!((options.devices, options.objects, options.every), (500, 66, 300.0));
        let choice = options.choose(&["ranks"]).unwrap();
        assert_eq!(choice.tables, ["compare/ranks"]);
        assert!(choice.command.contains("--devices 500"), "{}", choice.command);
    }

    #[test]
    fn senseless_options_are_refused_by_name() {
        let check = |words: &str, name: &str| {
            let Some(ExperimentCommand::Du2001(options)) = parse(words) else { panic!() };
            match options.choose("du2001", &KNOWN) {
                Err(Error::Option { option, .. }) => assert_eq!(option, name, "{words}"),
                Err(Error::UnknownTable { expected, .. }) => assert_eq!(name, expected),
                other => panic!("{words}: {other:?}"),
            }
        };
        check("du2001 --repeat 0", "repeat");
        check("du2001 --messages 0,5", "messages");
        check("du2001 --idle -1", "idle");
        check("du2001 --objects 0", "objects");
        check("du2001 --agent ftp://x", "agent");
        check("du2001 --only table-9", "table-1, table-2");
        check("du2001 table-9", "table-1, table-2");
        for words in ["compare --every soon", "compare --every 0s", "compare --link fast"] {
            let words = std::iter::once("lab").chain(words.split_whitespace());
            assert!(Program::try_parse_from(words).is_err());
        }
        let none = CompareOptions { devices: 0, ..of("compare") };
        assert!(matches!(none.choose(&["ranks"]), Err(Error::Option { option: "devices", .. })));
    }

    fn of(words: &str) -> CompareOptions {
        let Some(ExperimentCommand::Compare(options)) = parse(words) else { panic!() };
        options
    }
}
