//! `snmpusm`: an agent's users, created, changed and deleted by rows of usmUserTable.

use std::io::Write;

use trunkline_accounts::{Action, KeyChange, UserRow};
use trunkline_client::{Secret, UsmCredentials};
use trunkline_smi::Oid;
use trunkline_snmp::usm::{EngineId, LocalKey, MIN_PASSWORD, User};
use trunkline_snmp::wire::VarBind;

use super::choices::UsmChoices;
use super::ended::Ended;
use super::session::{self, Agent, refusal};
use super::settings::Settings;
use super::tool::Tool;
use trunkline_login::own_engine::random;
use trunkline_show::print::Printer;

/// What a command line wants.
enum Command<'w> {
    Create { user: &'w str, from: Option<&'w str> },
    CloneFrom { user: &'w str, from: &'w str },
    Act { user: &'w str, action: Action, done: &'static str },
    Passwd { old: &'w str, new: &'w str, user: Option<&'w str> },
}

/// Runs the tool.
pub async fn run(settings: &Settings, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
    let (host, words) = session::operands(settings)?;
    let command = command(words)?;
    if let Command::Passwd { old, new, .. } = &command {
        check_length("New", new)?;
        check_length("Old", old)?;
    }
    let agent = Agent::open(settings, host).await?;
    let engine = engine(settings, &agent).await?;
    let row =
        |user: &str| UserRow::at(&engine, user.as_bytes()).map_err(|fault| Ended::failed(fault.to_string()));
    let usm = &settings.choices.usm;
    let public = |row: &UserRow| usm.public.as_ref().map(|text| row.public(text.as_bytes()));
    let (bindings, done) = match command {
        Command::Create { user, from } => {
            let (row, from) = (row(user)?, from.map(row).transpose()?);
            let action = if usm.inactive { Action::CreateInactive } else { Action::Create };
            let mut bindings = row.create(action, from.as_ref());
            bindings.extend(public(&row));
            (bindings, "User successfully created.")
        }
        Command::CloneFrom { user, from } => {
            let (row, from) = (row(user)?, row(from)?);
            let bindings = std::iter::once(row.clone_from(&from)).chain(public(&row)).collect();
            (bindings, "User successfully cloned.")
        }
        Command::Act { user, action, done } => (vec![row(user)?.act(action)], done),
        Command::Passwd { old, new, user } => {
            let name = user.or(settings.session.v3.protocols().0).unwrap_or_default();
            let engine =
                EngineId::new(&engine).map_err(|fault| Ended::failed(format!("snmpusm: {fault}")))?;
            let change = change(settings, usm, [old, new], &engine)?;
            (row(name)?.change_keys(&change, user.is_none()), "SNMPv3 Key(s) successfully changed.")
        }
    };
    set(settings, &agent, &bindings, done, printer).await
}

/// Sends the Set, and prints `done` or why it is refused.
pub async fn set(
    settings: &Settings,
    agent: &Agent,
    bindings: &[VarBind],
    done: &str,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let answer = agent.session.set(bindings).await.map_err(|fault| agent.failed(&fault))?;
    if answer.error_status != 0 {
        let asked: Vec<Oid> = bindings.iter().map(|binding| binding.name.clone()).collect();
        super::messages::tell(&refusal(settings.tool, &answer, &asked, printer));
        return Err(Ended::silent(2));
    }
    // Each goes to the stream of Net-SNMP's tool.
    match settings.tool {
        Tool::Vacm => super::messages::tell(done),
        _ => printer.text(&format!("{done}\n"))?,
    }
    Ok(printer.finish()?)
}

fn command(words: &[String]) -> Result<Command<'_>, Ended> {
    let usage = |words: &str| Err(Ended::usage(words));
    let Some((name, rest)) = words.split_first() else {
        return usage("Please specify an operation to perform.");
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let act = |action, done, what: &str| match rest[..] {
        [user, ..] => Ok(Command::Act { user, action, done }),
        [] => usage(&format!("You must specify the user name to {what}")),
    };
    match name.as_str() {
        "create" => match rest[..] {
            [user] => Ok(Command::Create { user, from: None }),
            [user, from, ..] => Ok(Command::Create { user, from: Some(from) }),
            [] => usage("You must specify the user name to create"),
        },
        "cloneFrom" => match rest[..] {
            [user, from, ..] => Ok(Command::CloneFrom { user, from }),
            [_] => usage("You must specify the user name to clone from"),
            [] => usage("You must specify the user name to operate on"),
        },
        "delete" => act(Action::Delete, "User successfully deleted.", "delete"),
        "activate" => act(Action::Activate, "User successfully activated.", "activate"),
        "deactivate" => act(Action::Deactivate, "User successfully deactivated.", "deactivate"),
        "passwd" => match rest[..] {
            [old, new, ref more @ ..] => Ok(Command::Passwd { old, new, user: more.first().copied() }),
            _ => usage("You must specify the old and the new passphrase"),
        },
        "changekey" => {
            let words = "snmpusm: changekey is not provided: it needs SNMP-USM-DH-OBJECTS-MIB, which neither trunklined \
                         nor Debian's snmpd serves; change the key with passwd";
            Err(Ended::failed(words))
        }
        _ => usage("Unknown command"),
    }
}

fn check_length(which: &str, passphrase: &str) -> Result<(), Ended> {
    if passphrase.len() >= MIN_PASSWORD {
        return Ok(());
    }
    Err(Ended::failed(format!(
        "{which} passphrase must be greater than {MIN_PASSWORD} characters in length."
    )))
}

/// The engine of the rows: `-CE`, `-E`, or the agent's; empty with a community, which agents refuse.
async fn engine(settings: &Settings, agent: &Agent) -> Result<Vec<u8>, Ended> {
    let given = settings.choices.usm.engine.or(settings.session.v3.context_engine());
    if let Some(engine) = given {
        return Ok(engine.as_bytes().to_vec());
    }
    if settings.session.community.is_some() && settings.session.version.as_deref() != Some("3") {
        return Ok(Vec::new());
    }
    let read = agent.session.engine_id().await;
    match (agent.session.discovered_engine(), read) {
        (_, Err(fault)) if fault.is_silence() => Err(agent.failed(&fault)),
        (Some(engine), _) | (None, Ok(engine)) => Ok(engine.as_bytes().to_vec()),
        (None, Err(fault)) => Err(agent.failed(&fault)),
    }
}

/// The change of keys between two passphrases, by the protocols of the session.
fn change(
    settings: &Settings,
    usm: &UsmChoices,
    passphrases: [&str; 2],
    engine: &EngineId,
) -> Result<KeyChange, Ended> {
    let failed = |fault: &dyn std::fmt::Display| Ended::failed(format!("snmpusm: {fault}"));
    let (_, hash, cipher) = settings.session.v3.protocols();
    let user = |text: &str| -> Result<User, Ended> {
        let secret = match usm.localized && text.starts_with("0x") {
            true => Secret::LocalizedKey(LocalKey::from_hex(text).map_err(|fault| failed(&fault))?),
            false => Secret::password(text.as_bytes()),
        };
        // A localized key is of one purpose; the other one is not looked at.
        let (auth, privacy) = match (usm.localized, usm.privacy) {
            (true, true) => (Secret::password(b"not looked at"), Some(secret)),
            (true, false) => (secret, None),
            (false, _) => (secret.clone(), Some(secret)),
        };
        let user = UsmCredentials::new(b"user").map_err(|fault| failed(&fault))?;
        let mut user = user.with_auth(hash, auth).map_err(|fault| failed(&fault))?;
        if let Some(privacy) = privacy {
            user = user.with_privacy(cipher, privacy).map_err(|fault| failed(&fault))?;
        }
        user.user_at(engine).map_err(|fault| failed(&fault))
    };
    if usm.localized && usm.auth == usm.privacy {
        return Err(Ended::usage("-Ck needs either -Ca or -Cx: a localized key has one purpose"));
    }
    let which = if usm.auth == usm.privacy { [true; 2] } else { [usm.auth, usm.privacy] };
    let [old, new] = passphrases;
    let change =
        KeyChange::between(&user(old)?, &user(new)?, which, &random().map_err(|fault| failed(&fault))?);
    change.map_err(|fault| failed(&fault))
}
