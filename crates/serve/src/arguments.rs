//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use trunkline_login::LoginArgs;

/// `serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeArguments {
    /// The devices, each a URL, Net-SNMP's form (see `trunkline --help`), the name of a target of --config, or @GROUP.
    #[arg(value_name = "TARGET", required_unless_present = "hosts")]
    pub targets: Vec<String>,
    /// The devices of this file as well: a line has a target and, if wanted, a name for it; `#` begins a comment.
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,
    /// Where to listen, http:// or https://, once or more.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub listen: Vec<String>,
    /// The certificate for https://, in PEM [default: agent.pem in the folder of --pki, which `trunkline pki agent` makes].
    #[arg(long, value_name = "FILE")]
    pub listen_certificate: Option<PathBuf>,
    /// Its key [default: the file beside it that ends in .key].
    #[arg(long, value_name = "FILE")]
    pub listen_key: Option<PathBuf>,
    /// Receive the traps and informs of these devices there, udp:// or tcp://, once or more: udp://0.0.0.0:162 [default: none].
    #[arg(long, value_name = "URL")]
    pub traps: Vec<String>,
    /// Who logs in.
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub name: String,
    /// The file with the password of the login, which only its owner may read [default: one is made up, and printed].
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Let the one who logs in set objects of the devices, as far as these permit it [default: they are read].
    #[arg(long)]
    pub write: bool,
    /// The file with named targets; also the variable TRUNKLINE_CONFIG [default: ~/.config/trunkline/config.toml].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How long to wait for an answer, in seconds [default: 2].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// How many times a request is sent again [default: 2].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=20))]
    pub retries: Option<u32>,
    /// As whom the devices are asked.
    #[command(flatten)]
    pub login: LoginArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number of seconds from 0.01 to 600".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if (0.01..=600.0).contains(&seconds) { Ok(Duration::from_secs_f64(seconds)) } else { Err(wrong()) }
}
