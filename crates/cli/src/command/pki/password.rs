//! `trunkline pki password`: a password to its hash.

use std::io::{self, BufRead, IsTerminal, Write};

use argon2::{Argon2, PasswordHasher};

use crate::error::Error;

/// The most octets of a password line: anything longer is not a password.
const LONGEST: usize = 1024;

/// Reads a password, and prints its hash in the PHC form (argon2id).
pub fn run(out: &mut impl Write) -> Result<(), Error> {
    let password = if io::stdin().is_terminal() { from_terminal()? } else { from_input(io::stdin().lock())? };
    if password.is_empty() {
        return Err(Error::Usage("the password is empty".to_owned()));
    }
    let hash: argon2::password_hash::phc::PasswordHash = Argon2::default()
        .hash_password(password.as_bytes())
        .map_err(|fault| Error::Runtime(format!("cannot hash the password: {fault}")))?;
    Ok(writeln!(out, "{hash}")?)
}

fn from_terminal() -> Result<String, Error> {
    let ask = |words: &str| {
        rpassword::prompt_password(words)
            .map_err(|fault| Error::Runtime(format!("cannot read the password from the terminal: {fault}")))
    };
    let password = ask("Password: ")?;
    if ask("The same again: ")? != password {
        return Err(Error::Usage("the two passwords differ".to_owned()));
    }
    Ok(password)
}

/// The first line.
fn from_input(input: impl BufRead) -> Result<String, Error> {
    let mut line = Vec::new();
    let limit = u64::try_from(LONGEST + 2).unwrap_or(u64::MAX);
    let read = io::Read::take(input, limit).read_until(b'\n', &mut line);
    read.map_err(|fault| Error::Runtime(format!("cannot read the password: {fault}")))?;
    let line = String::from_utf8(line).map_err(|_| Error::Usage("the password is not UTF-8".to_owned()))?;
    let password =
        line.strip_suffix('\n').map_or(line.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    if password.len() > LONGEST {
        return Err(Error::Usage(format!("the password has more than {LONGEST} octets")));
    }
    Ok(password.to_owned())
}
