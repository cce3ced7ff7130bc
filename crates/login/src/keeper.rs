//! Where a secret of the file of targets comes from, and reading it: once, however many agents have it.

use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use trunkline_client::Secret;
use zeroize::Zeroizing;

use crate::conf::Token;
use crate::mistake::Mistake;
use crate::private::secret_of_file;

/// A secret of the file, or where it is.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretOf {
    /// The file has it.
    Text(Zeroizing<String>),
    /// The first line of a file that only its owner may read.
    File(PathBuf),
    /// A variable of the environment.
    Variable(String),
    /// The first line that a program prints, such as a keyring's.
    Command(Vec<String>),
}

/// The origin of a secret, in words for people: it never contains the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SecretOf {
    /// Where it comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        Origin(match self {
            SecretOf::Text(_) => "config".to_owned(),
            SecretOf::File(path) => format!("file {}", path.display()),
            SecretOf::Variable(name) => format!("variable {name}"),
            // The program's arguments may say more than others should read.
            SecretOf::Command(words) => format!("command {}", words.first().map_or("", String::as_str)),
        })
    }

    fn read(&self) -> Result<String, Mistake> {
        match self {
            SecretOf::Text(text) => Ok(text.as_str().to_owned()),
            SecretOf::File(path) => text(secret_of_file(path)?, &path.display()),
            SecretOf::Variable(name) => {
                let value = std::env::var(name).ok().filter(|value| !value.is_empty());
                value.ok_or_else(|| Mistake(format!("the variable {name}, which holds a secret, is not set")))
            }
            SecretOf::Command(words) => printed(words),
        }
    }
}

impl fmt::Debug for SecretOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretOf({})", self.origin())
    }
}

/// The longest output of a program that prints a secret.
const LONGEST: u64 = 64 * 1024;

/// The first line that a program prints. It may ask on the terminal, as the programs of keyrings do.
fn printed(words: &[String]) -> Result<String, Mistake> {
    let Some((program, arguments)) = words.split_first() else { return Ok(String::new()) };
    let failed =
        |why: &dyn fmt::Display| Mistake(format!("the command {program}, which prints a secret: {why}"));
    let started = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn();
    let mut child = started.map_err(|fault| failed(&fault))?;
    let mut octets = Zeroizing::new(Vec::new());
    let read = child.stdout.take().map(|out| out.take(LONGEST).read_to_end(&mut octets));
    let status = child.wait().map_err(|fault| failed(&fault))?;
    read.transpose().map_err(|fault| failed(&fault))?;
    if !status.success() {
        return Err(failed(&status));
    }
    let line = octets.split(|octet| matches!(octet, b'\n' | b'\r')).next().unwrap_or_default();
    if line.is_empty() {
        return Err(failed(&"it prints nothing"));
    }
    text(line.to_vec(), &program)
}

fn text(octets: Vec<u8>, from: &dyn fmt::Display) -> Result<String, Mistake> {
    String::from_utf8(octets).map_err(|_| Mistake(format!("{from}: the secret is not text")))
}

/// Keeps what has been read while a command runs, so that many agents with the same secret cost one look and one
/// derivation of a key. Clones share it.
#[derive(Clone, Default)]
pub struct Keeper {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    texts: Vec<(SecretOf, Zeroizing<String>)>,
    passwords: Vec<(Zeroizing<Vec<u8>>, Secret)>,
}

impl Keeper {
    /// The secret.
    ///
    /// # Errors
    /// It cannot be read where it should be.
    pub fn read(&self, of: &SecretOf) -> Result<String, Mistake> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = kept.texts.iter().find(|(known, _)| known == of) {
            return Ok(text.as_str().to_owned());
        }
        let text = of.read()?;
        kept.texts.push((of.clone(), Zeroizing::new(text.clone())));
        Ok(text)
    }

    /// The password, whose key is derived once for all agents (RFC 3414 appendix A.2).
    pub(crate) fn password(&self, octets: &[u8]) -> Secret {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, password)) = kept.passwords.iter().find(|(known, _)| known.as_slice() == octets) {
            return password.clone();
        }
        let password = Secret::password(octets);
        kept.passwords.push((Zeroizing::new(octets.to_vec()), password.clone()));
        password
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keeper")
    }
}

/// What `[defaults]` sets, for the places where options and variables set nothing.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The lines of `snmp.conf` that say the same.
    pub(crate) tokens: Vec<Token>,
    pub(crate) community: Option<SecretOf>,
    pub(crate) auth: Option<SecretOf>,
    pub(crate) privacy: Option<SecretOf>,
    pub(crate) keeper: Keeper,
}
