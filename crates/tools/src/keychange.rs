//! `encode_keychange`: the value for usmUserAuthKeyChange and its siblings, from two passphrases (RFC 3414 section 5).

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use trunkline_accounts::key_change_of_passwords;
use trunkline_client::command_line;
use trunkline_login::user::private_file;
use trunkline_snmp::usm::{AuthProtocol, EngineId, MIN_PASSWORD};
use zeroize::Zeroizing;

use super::ended::Ended;
use super::getopt::{Item, Options};
use trunkline_login::own_engine::random;

type Passphrase = Zeroizing<String>;

/// What the command line says.
#[derive(Default)]
struct Given {
    hash: Option<AuthProtocol>,
    engine: Option<EngineId>,
    old: Option<Passphrase>,
    new: Option<Passphrase>,
    from_input: bool,
    without_prompt: bool,
    echoes: bool,
    verbose: bool,
}

/// Runs the tool. `all` are the arguments of the process, in which passphrases are overwritten.
pub fn run(words: &[String], all: &[String]) -> Result<(), Ended> {
    let given = read(words)?;
    let secrets: Vec<&str> =
        [&given.old, &given.new].into_iter().flatten().map(|text| text.as_str()).collect();
    let _ = command_line::wipe(all, &secrets);
    let hash = given.hash.ok_or_else(|| Ended::usage("The -t option is mandatory."))?;
    if given.verbose {
        // Net-SNMP's shows both passphrases too.
        super::messages::tell(&format!("Hash:\t\t{}", protocol_name(hash)));
    }
    let engine = given.engine.ok_or_else(|| {
        let words = "encode_keychange: the engine ID of the agent is missing: -E 0x..., as `trunkline get AGENT snmpEngineID.0` shows it";
        Ended::failed(words)
    })?;
    let (old, new) = passphrases(&given)?;
    for (which, passphrase) in [("Old", &old), ("New", &new)] {
        if passphrase.len() < MIN_PASSWORD {
            let words = format!("{which} passphrase must be at least {MIN_PASSWORD} characters in length.");
            return Err(Ended::failed(words));
        }
    }
    let failed = |fault: &dyn std::fmt::Display| Ended::failed(format!("encode_keychange: {fault}"));
    let octets = random().map_err(|fault| failed(&fault))?;
    let change = key_change_of_passwords(hash, [old.as_bytes(), new.as_bytes()], &engine, &octets);
    let digits: String =
        change.map_err(|fault| failed(&fault))?.iter().map(|octet| format!("{octet:02x}")).collect();
    let front = if given.verbose { "KeyChange string:\t" } else { "" };
    Ok(writeln!(io::stdout().lock(), "{front}{digits}")?)
}

fn read(words: &[String]) -> Result<Given, Ended> {
    let mut line = Options::new(words, "fhPvVE:N:O:t:", true);
    let mut given = Given::default();
    while let Some(item) = line.next().map_err(|fault| Ended::usage(fault.to_string()))? {
        let Item::Letter(letter, text) = item else { return Err(Ended::usage("")) };
        match letter {
            't' => given.hash = Some(hash(&text)?),
            'E' => given.engine = Some(engine(&text)?),
            'O' => given.old = Some(Zeroizing::new(text)),
            'N' => given.new = Some(Zeroizing::new(text)),
            'f' => given.from_input = true,
            'P' => given.without_prompt = true,
            'V' => given.echoes = true,
            'v' => given.verbose = true,
            _ => return Err(Ended::usage("")),
        }
    }
    Ok(given)
}

/// The hash as Net-SNMP calls it.
fn protocol_name(hash: AuthProtocol) -> &'static str {
    match hash {
        AuthProtocol::Md5 => "usmHMACMD5AuthProtocol",
        AuthProtocol::Sha1 => "usmHMACSHA1AuthProtocol",
        AuthProtocol::Sha224 => "usmHMAC128SHA224AuthProtocol",
        AuthProtocol::Sha256 => "usmHMAC192SHA256AuthProtocol",
        AuthProtocol::Sha384 => "usmHMAC256SHA384AuthProtocol",
        AuthProtocol::Sha512 => "usmHMAC384SHA512AuthProtocol",
    }
}

/// `md5`, `sha1`, and what else a name of a protocol begins with, in Net-SNMP's fashion.
fn hash(text: &str) -> Result<AuthProtocol, Ended> {
    let name = if text.eq_ignore_ascii_case("sha1") { "SHA" } else { text };
    name.parse().map_err(|_| Ended::usage(format!("Unrecognized hash transform: {text:?}.")))
}

/// Hexadecimal digits after `0x`, otherwise the text of an engine ID of Net-SNMP.
fn engine(text: &str) -> Result<EngineId, Ended> {
    let engine = match text.starts_with("0x") {
        true => EngineId::from_hex(text),
        false => EngineId::new(&[b"\x80\x00\x1f\x88\x04", text.as_bytes()].concat()),
    };
    engine.map_err(|fault| Ended::failed(format!("encode_keychange: -E {text}: {fault}")))
}

/// The old one and the new one: from the command line, else from the file, else from standard input.
fn passphrases(given: &Given) -> Result<(Passphrase, Passphrase), Ended> {
    if let (Some(old), Some(new), false) = (&given.old, &given.new, given.from_input) {
        return Ok((old.clone(), new.clone()));
    }
    let file = std::env::var("HOME").ok().map(|home| Path::new(&home).join(".snmp/passphrase.ek"));
    let (mut old, mut new) = (None, None);
    if let Some(file) = file.filter(|file| !given.from_input && file.exists()) {
        let text = Zeroizing::new(private_file(&file).map_err(|fault| Ended::failed(fault.to_string()))?);
        let mut lines = text.lines().map_while(Result::ok).map(Zeroizing::new);
        (old, new) = (lines.next(), lines.next());
        if new.is_none() {
            return Err(Ended::failed(format!(
                "{}: the old and the new passphrase are missing",
                file.display()
            )));
        }
    }
    let from = if given.from_input { (&None, &None) } else { (&given.old, &given.new) };
    let one = |given_one: &Option<Passphrase>, of_file: Option<Passphrase>, prompt: &str| {
        given_one.clone().or(of_file).map_or_else(|| typed(given, prompt), Ok)
    };
    Ok((one(from.0, old, "Old passphrase: ")?, one(from.1, new, "New passphrase: ")?))
}

/// A line of standard input; on a terminal it is not shown, except with `-V`.
fn typed(given: &Given, prompt: &str) -> Result<Passphrase, Ended> {
    let prompt = if given.without_prompt { "" } else { prompt };
    if io::stdin().is_terminal() && !given.echoes {
        return Ok(Zeroizing::new(rpassword::prompt_password(prompt)?));
    }
    write!(io::stderr().lock(), "{prompt}")?;
    let mut line = Zeroizing::new(String::new());
    io::stdin().lock().read_line(&mut line)?;
    Ok(Zeroizing::new(line.trim_end_matches(['\r', '\n']).to_owned()))
}
