//! Secrets on the command line are overwritten in the memory that others can read.

use clap::ArgMatches;
use trunkline_client::command_line;

/// Overwrites the secrets among the arguments of this process, and the credentials in URLs. Where the system does not
/// allow it they stay as they were given: variables and files are there for that.
pub fn wipe(words: &[String], matches: &ArgMatches) {
    let mut secrets = Vec::new();
    gather(matches, &mut secrets);
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    if let Err(fault) = command_line::wipe(words, &secrets) {
        tracing::debug!(%fault, "the arguments cannot be overwritten");
    }
}

/// The options whose values are secrets.
pub const SECRETS: [&str; 7] = [
    "community",
    "auth_password",
    "priv_password",
    "auth_master_key",
    "priv_master_key",
    "auth_localized_key",
    "priv_localized_key",
];

fn gather(matches: &ArgMatches, secrets: &mut Vec<String>) {
    for name in SECRETS {
        // A command that does not have the option is not a mistake.
        let values = matches.try_get_raw(name).ok().flatten().into_iter().flatten();
        secrets.extend(values.map(|value| value.to_string_lossy().into_owned()));
    }
    if let Some((_, matches)) = matches.subcommand() {
        gather(matches, secrets);
    }
}
