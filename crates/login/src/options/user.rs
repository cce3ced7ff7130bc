//! The options of SNMP: its version, and the user and protection of SNMPv3.

use clap::{Args, ValueEnum};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{AuthProtocol, EngineId, EngineMoment, PrivProtocol};

/// The options for an SNMPv3 user. A password on the command line is overwritten once it is read, and visible in
/// the list of processes until then: the variables and files avoid that. No `Debug` output: it contains secrets.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "SNMPv3")]
pub struct SecurityArgs {
    /// The SNMPv3 user, unless the target URL has one; implies version 3.
    #[arg(short = 'u', long, value_name = "NAME")]
    pub user: Option<String>,
    /// The security level: noAuthNoPriv, authNoPriv or authPriv [default: the highest that the secrets allow].
    #[arg(short = 'l', long, value_name = "LEVEL", hide_possible_values = true, ignore_case = true)]
    pub level: Option<LevelArg>,
    /// The authentication protocol: MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512 [default: SHA-256].
    #[arg(short = 'a', long, value_name = "PROTOCOL")]
    pub auth_protocol: Option<AuthProtocol>,
    /// The authentication password; also the variable TRUNKLINE_AUTH_PASSWORD, which other users cannot see.
    #[arg(short = 'A', long, value_name = "PASSWORD")]
    pub auth_password: Option<String>,
    /// A file with the authentication password, readable only by its owner.
    #[arg(long, value_name = "FILE", conflicts_with = "auth_password")]
    pub auth_password_file: Option<std::path::PathBuf>,
    /// The privacy protocol: DES, AES, AES-192, AES-256, AES-192-C or AES-256-C [default: AES].
    #[arg(short = 'x', long, value_name = "PROTOCOL")]
    pub priv_protocol: Option<PrivProtocol>,
    /// The privacy password; also the variable TRUNKLINE_PRIV_PASSWORD, which other users cannot see.
    #[arg(short = 'X', long, value_name = "PASSWORD")]
    pub priv_password: Option<String>,
    /// A file with the privacy password, readable only by its owner.
    #[arg(long, value_name = "FILE", conflicts_with = "priv_password")]
    pub priv_password_file: Option<std::path::PathBuf>,
    /// The context, unless the target URL has one.
    #[arg(short = 'n', long, value_name = "NAME")]
    pub context: Option<String>,
    /// The authoritative engine ID (the agent's; for traps the sender's), in hexadecimal digits [default: discovered].
    #[arg(short = 'e', long, value_name = "HEX", value_parser = EngineId::from_hex)]
    pub engine_id: Option<EngineId>,
    /// The context engine ID [default: the agent's].
    #[arg(short = 'E', long, value_name = "HEX", value_parser = EngineId::from_hex)]
    pub context_engine_id: Option<EngineId>,
    /// Use this snmpEngineBoots and snmpEngineTime instead of discovering them.
    #[arg(short = 'Z', long, value_name = "BOOTS,TIME", value_parser = parse_moment)]
    pub engine_boots: Option<EngineMoment>,
    /// The authentication master key instead of a password (Net-SNMP's -3m), in hexadecimal digits.
    #[arg(long, value_name = "HEX")]
    pub auth_master_key: Option<String>,
    /// The privacy master key (-3M).
    #[arg(long, value_name = "HEX")]
    pub priv_master_key: Option<String>,
    /// The authentication key localized to this agent (-3k).
    #[arg(long, value_name = "HEX")]
    pub auth_localized_key: Option<String>,
    /// The privacy key localized to this agent (-3K).
    #[arg(long, value_name = "HEX")]
    pub priv_localized_key: Option<String>,
}

impl std::fmt::Debug for SecurityArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecurityArgs").field("user", &self.user).finish_non_exhaustive()
    }
}

/// The supported versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VersionArg {
    /// SNMPv1.
    #[value(name = "1", alias = "v1")]
    V1,
    /// SNMPv2c.
    #[value(name = "2c", aliases = ["2", "v2c"])]
    V2c,
    /// SNMPv3.
    #[value(name = "3", alias = "v3")]
    V3,
}

/// The levels, by all the names that people have for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelArg {
    /// Neither authenticated nor encrypted.
    #[value(name = "noAuthNoPriv", aliases = ["noAuth", "nanp"])]
    NoAuthNoPriv,
    /// Authenticated.
    #[value(name = "authNoPriv", aliases = ["auth", "anp"])]
    AuthNoPriv,
    /// Authenticated and encrypted.
    #[value(name = "authPriv", aliases = ["priv", "ap"])]
    AuthPriv,
}

impl VersionArg {
    /// As `-v` has it.
    pub const fn name(self) -> &'static str {
        match self {
            VersionArg::V1 => "1",
            VersionArg::V2c => "2c",
            VersionArg::V3 => "3",
        }
    }
}

impl LevelArg {
    /// As `-l` has it.
    pub const fn name(self) -> &'static str {
        match self {
            LevelArg::NoAuthNoPriv => "noAuthNoPriv",
            LevelArg::AuthNoPriv => "authNoPriv",
            LevelArg::AuthPriv => "authPriv",
        }
    }

    /// The level.
    pub const fn level(self) -> SecurityLevel {
        match self {
            LevelArg::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
            LevelArg::AuthNoPriv => SecurityLevel::AuthNoPriv,
            LevelArg::AuthPriv => SecurityLevel::AuthPriv,
        }
    }
}

/// Net-SNMP's two-letter options `-3m`, `-3M`, `-3k` and `-3K`, spelled out for the parser.
pub fn spelled_out(words: impl IntoIterator<Item = String>) -> Vec<String> {
    const KEYS: [(&str, &str); 4] = [
        ("-3m", "--auth-master-key"),
        ("-3M", "--priv-master-key"),
        ("-3k", "--auth-localized-key"),
        ("-3K", "--priv-localized-key"),
    ];
    let mut are_options = true;
    let spelled = words.into_iter().map(|word| {
        are_options &= word != "--";
        let key = KEYS.iter().find_map(|(short, long)| Some((long, word.strip_prefix(short)?)));
        match key.filter(|_| are_options) {
            Some((long, "")) => (*long).to_owned(),
            Some((long, attached)) => format!("{long}={attached}"),
            None => word,
        }
    });
    spelled.collect()
}

/// `BOOTS,TIME`.
fn parse_moment(text: &str) -> Result<EngineMoment, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let parts = text.split_once(',').and_then(|(boots, time)| Some((number(boots)?, number(time)?)));
    let moment = parts.and_then(|(boots, time)| EngineMoment::new(boots, time));
    moment.ok_or_else(|| "expected two numbers from 0 to 2147483647, such as 5,3600".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spelled_out() {
        let words = ["trunkline", "-3m", "0xab", "-3Kcd", "-3", "--", "-3m"].map(str::to_owned);
        assert_eq!(
            spelled_out(words),
            ["trunkline", "--auth-master-key", "0xab", "--priv-localized-key=cd", "-3", "--", "-3m"]
        );
    }

    #[test]
    fn moments() {
        assert_eq!(parse_moment("5, 60"), Ok(EngineMoment::new(5, 60).unwrap()));
        for wrong in ["", "5", "5,", "5,x", "5,2147483648", "-1,0"] {
            assert!(parse_moment(wrong).is_err(), "{wrong}");
        }
    }
}
