//! `select`: services, their data, and what rows must be like.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{NamesArgs, OutputArgs, SessionArgs, TargetArg};

/// `select`.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// The agent.
    #[command(flatten)]
    pub target: TargetArg,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// Which services: '{start, least level, greatest level, pattern}', as in '{Root, 2, 2, contains.contains}'; over JMX which MBeans:
    /// 'java.lang:type=MemoryPool,*'.
    #[arg(value_name = "PATH", default_value = "{Root}", help_heading = "Arguments")]
    pub path: String,
    /// Which of their data, or over JMX which attributes: '{tcpInSegs, ifEntry[2-5]}' [default: all].
    #[arg(long, value_name = "SELECTION", help_heading = "Selection")]
    pub data: Option<String>,
    /// Which rows, or over JMX which MBeans: '{tcpConnLocalPort = 22 OR tcpConnLocalPort = 80}' [default: all].
    #[arg(long, value_name = "FILTER", help_heading = "Selection")]
    pub filter: Option<String>,
    /// Only single-instance data, or only tables.
    #[arg(long, value_enum, value_name = "VIEW", default_value_t = ViewArg::All, help_heading = "Selection")]
    pub view: ViewArg,
    /// Define a word used in the filter, such as --let thres_value=1000.
    #[arg(long = "let", value_name = "WORD=NUMBER", value_parser = parse_let, help_heading = "Selection")]
    pub values: Vec<(String, i128)>,
    /// A file of services and relations as in the agent's configuration, for agents queried over SNMP.
    #[arg(long, value_name = "FILE", help_heading = "Selection")]
    pub services: Option<PathBuf>,
    /// Show what each step selected, and the octets saved.
    #[arg(long, help_heading = "Selection")]
    pub explain: bool,
    /// Draw tables for this width [default: the terminal's].
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    pub width: Option<u16>,
    /// Where names come from.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The three views of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// Single-instance data.
    Single,
    /// Tables.
    Tables,
    /// All of it.
    All,
}

fn parse_let(text: &str) -> Result<(String, i128), String> {
    let wrong = || format!("expected WORD=NUMBER, found {text:?}");
    let (word, number) = text.split_once('=').ok_or_else(wrong)?;
    let number = number.trim().parse().map_err(|_| wrong())?;
    Ok((word.trim().to_owned(), number))
}
