//! `serve`: many devices, whatever they speak, in a browser. A manager's targets become devices of an agent (`trunkline_devices`), and a
//! configuration that serves them and nothing else: one listener, one principal, and a context for each device.

mod arguments;
mod configuration;
mod folder;
mod listener;
mod targets;
mod traps;

pub use arguments::ServeArguments;

use std::path::{Path, PathBuf};

use trunkline_devices::{Opener, Traps};
use trunkline_login::Mistake;
use zeroize::Zeroizing;

use crate::folder::Folder;

/// What is to be served.
pub struct Prepared {
    /// The devices by their names, and how their sessions are opened.
    pub devices: Vec<(String, Opener)>,
    /// What receives their traps, if that is wanted.
    pub traps: Option<Traps>,
    /// Their context in the access policy.
    pub context: &'static str,
    /// The file with the configuration, which nobody else can read.
    pub file: PathBuf,
    /// Who may log in.
    pub user: String,
    /// The password that was made up, if none was given.
    pub password: Option<Zeroizing<String>>,
    /// What is to be said about the file of hosts.
    pub warning: Option<String>,
    /// Keeps the file and the state; both end with it.
    _folder: Folder,
}

/// Reads the targets and makes the configuration; nothing is asked yet.
///
/// # Errors
/// A target is none, a secret is missing, or a file cannot be read or written.
pub fn prepare(arguments: &ServeArguments) -> Result<Prepared, Mistake> {
    let targets::Served { devices, hosts, users, exposed } = targets::devices(arguments)?;
    let traps = traps::of(arguments, hosts, &users)?;
    let failed = |fault: std::io::Error| Mistake(format!("a temporary folder for the state: {fault}"));
    let folder = Folder::new_in(&std::env::temp_dir()).map_err(failed)?;
    let (password, is_made_up) = match &arguments.password_file {
        Some(file) => (first_line(Zeroizing::new(trunkline_login::private_file(file)?), file)?, false),
        None => (configuration::password()?, true),
    };
    let text = configuration::of(arguments, &password, folder.path())?;
    let file = folder.path().join("trunklined.toml");
    trunkline_login::write_private(&file, text.as_bytes())?;
    let password = is_made_up.then_some(password);
    Ok(Prepared {
        devices,
        traps,
        context: configuration::CONTEXT,
        file,
        user: arguments.name.clone(),
        password,
        warning: exposed,
        _folder: folder,
    })
}

fn first_line(octets: Zeroizing<Vec<u8>>, file: &Path) -> Result<Zeroizing<String>, Mistake> {
    let text = std::str::from_utf8(&octets).unwrap_or_default();
    match text.lines().next().map(str::trim).filter(|line| !line.is_empty()) {
        Some(line) => Ok(Zeroizing::new(line.to_owned())),
        None => Err(Mistake(format!("{}: expected a password in UTF-8 on the first line", file.display()))),
    }
}
