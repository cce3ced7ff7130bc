//! The configuration of an agent that serves devices to a browser.

use std::path::Path;

use rustix::rand::{GetRandomFlags, getrandom};
use toml::Value;
use trunkline_login::Mistake;
use trunkline_transport::ssh::{PasswordHash, Secret};
use zeroize::Zeroizing;

use crate::{ServeArguments, listener};

/// The context of all devices in the access policy.
pub(crate) const CONTEXT: &str = "devices";

/// The text: the one who logs in reads this machine and the devices.
pub(crate) fn of(
    arguments: &ServeArguments,
    password: &Zeroizing<String>,
    folder: &Path,
) -> Result<String, Mistake> {
    let hash = PasswordHash::make(&Secret::new(password.clone()));
    let hash = hash.map_err(|fault| Mistake(format!("the password cannot be kept: {fault}")))?;
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let mut all = format!(
        "[agent]\nstate = {}\n[snmp]\nlisten = []\n[http]\n{}\
         [[snmp.principal]]\nname = {}\nrole = \"serve\"\npassword-hash = {}\n[[role]]\nname = \"serve\"\nread = [\"1\"]\n",
        text(&folder.join("state").display().to_string()),
        listener::of(arguments)?,
        text(&arguments.name),
        text(&hash.to_phc()),
    );
    all += &format!("[[role.access]]\ncontext = \"{CONTEXT}\"\nread = [\"1\"]\nnotify = [\"1\"]\n");
    if arguments.write {
        all += "write = [\"1\"]\n";
    }
    Ok(all)
}

/// A password that nobody guesses: 20 letters of 5 bits each.
pub(crate) fn password() -> Result<Zeroizing<String>, Mistake> {
    let mut octets = Zeroizing::new([0; 20]);
    let failed = |fault: rustix::io::Errno| Mistake(format!("no random numbers for a password: {fault}"));
    let got = getrandom(&mut octets[..], GetRandomFlags::empty()).map_err(failed)?;
    if got < octets.len() {
        return Err(Mistake("no random numbers for a password".into()));
    }
    Ok(Zeroizing::new(octets.iter().map(|octet| char::from(LETTERS[usize::from(octet % 32)])).collect()))
}

/// Without those that look like others.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
