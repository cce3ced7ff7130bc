//! `trunkline pki`: from nothing to a session that authenticates both ends, in three commands.

pub mod advice;
mod password;
mod show;

use std::io::Write;

use trunkline_pki::{
    Authority, AuthorityOptions, Directory, LeafOptions, Name, Role, Storing, Token, Validity,
};
use trunkline_smi::{is_hidden, visible};

use crate::arguments::pki::{InitArgs, LeafArgs, PkiArgs, PkiCommand, SshKeyArgs, TokenArgs};
use crate::connect::say;
use crate::error::Error;

/// Runs one of the commands: data to `out`, messages to standard error.
pub fn run(arguments: &PkiArgs, out: &mut impl Write) -> Result<(), Error> {
    // These need no directory.
    match &arguments.command {
        PkiCommand::Password => return password::run(out),
        PkiCommand::Token(options) => return token(options, out),
        _ => {}
    }
    let directory = match &arguments.dir {
        Some(path) => Directory::at(path),
        None => Directory::default_location()?,
    };
    match &arguments.command {
        PkiCommand::Init(options) => init(&directory, options, out),
        PkiCommand::Agent(options) => issue(Role::Agent, &directory, options, out),
        PkiCommand::Manager(options) => issue(Role::Manager, &directory, options, out),
        PkiCommand::Show(options) => show::run(&directory, options, out),
        PkiCommand::Revoke(options) => revoke(&directory, &options.which, out),
        PkiCommand::SshKey(options) => ssh_key(&directory, options, out),
        PkiCommand::Password | PkiCommand::Token(_) => Ok(()), // run above
    }
}

/// Creates a token: the token alone in the first line, so that a script can read it, then the lines for the
/// agent.
fn token(options: &TokenArgs, out: &mut impl Write) -> Result<(), Error> {
    principal(&options.name)?;
    let token = Token::create()?;
    writeln!(out, "{}", token.text())?;
    writeln!(out, "[[snmp.principal]]\nname = {:?}\ntoken-hash = {:?}", options.name.as_str(), token.hash())?;
    say(
        "the first line is the token, which is not stored; add the others and a role to the agent's configuration",
    );
    Ok(())
}

fn init(directory: &Directory, options: &InitArgs, out: &mut impl Write) -> Result<(), Error> {
    let asked = AuthorityOptions {
        name: options.name.clone(),
        key: options.key,
        validity: Some(Validity::days(options.days)?),
    };
    let authority: Authority = directory.init(&asked, options.force)?;
    let place = directory.authority_certificate();
    writeln!(out, "authority    {}", place.display())?;
    writeln!(out, "private key  {}", directory.authority_key().display())?;
    writeln!(out, "fingerprint  {}", authority.certificate().fingerprint())?;
    say("next: `trunkline pki agent HOST` for each agent, `trunkline pki manager NAME` for each manager");
    Ok(())
}

fn issue(role: Role, directory: &Directory, options: &LeafArgs, out: &mut impl Write) -> Result<(), Error> {
    if role == Role::Manager {
        principal(&options.name)?;
    }
    let asked = LeafOptions {
        key: options.key,
        validity: Some(Validity::days(options.days)?),
        hosts: options.hosts.clone(),
        addresses: options.addresses.clone(),
        emails: options.emails.clone(),
        local: options.local,
    };
    let storing =
        Storing { self_signed: options.self_signed, force: options.force, default: options.default };
    let stored = directory.issue(role, &options.name, &asked, storing)?;
    writeln!(out, "certificate  {}", stored.files.certificate.display())?;
    writeln!(out, "private key  {}", stored.files.key.display())?;
    writeln!(out, "fingerprint  {}", stored.certificate.fingerprint())?;
    if stored.default {
        say(&format!("it is the default {}", role.name()));
    }
    next_of(role, options);
    Ok(())
}

/// Refuses what cannot be the name of a principal.
fn principal(name: &Name) -> Result<(), Error> {
    let shown = visible(name.as_str());
    if !name.is_principal() {
        let (octets, most) = (name.as_str().len(), Name::MAX_PRINCIPAL_OCTETS);
        return Err(Error::Usage(format!(
            "the name {shown} has {octets} octets: agents know principals by at most {most} (RFC 3411); choose a shorter one"
        )));
    }
    if name.as_str().chars().any(is_hidden) {
        return Err(Error::Usage(format!(
            "the name {shown} has characters that cannot be seen, such as those that change the direction of writing: nobody could tell it from others"
        )));
    }
    Ok(())
}

/// What to do with a new certificate.
fn next_of(role: Role, options: &LeafArgs) {
    let name = &options.name;
    if options.self_signed {
        say("next: give its fingerprint to the peers that should trust it");
    }
    match role {
        Role::Agent => say("next: in the configuration of trunklined\n  \
             [snmp]\n  listen = [\"udp://127.0.0.1:1161\", \"tls://*:10161\"]"),
        Role::Manager => say(&format!(
            "next: trunkline get snmp+tls://AGENT/sysDescr.0\n  \
             the agent knows it as `{name}`, which may read; [[snmp.principal]] in its configuration \
             gives other rights"
        )),
    }
}

fn revoke(directory: &Directory, which: &str, out: &mut impl Write) -> Result<(), Error> {
    for entry in directory.revoke(which)? {
        writeln!(out, "revoked  {}/{}  {}", entry.role.folder(), entry.name, entry.fingerprint)?;
    }
    say(&format!(
        "next: copy {} to every agent and manager that trusts the authority; agents reload it on SIGHUP",
        directory.revocation_list().display()
    ));
    Ok(())
}

fn ssh_key(directory: &Directory, options: &SshKeyArgs, out: &mut impl Write) -> Result<(), Error> {
    principal(&options.name)?;
    let (key, path) = directory.ssh_key(&options.name, options.force)?;
    writeln!(out, "{}", key.public()?)?;
    say(&format!("the private key is {} ({})", path.display(), key.fingerprint()));
    say(&format!(
        "next: trunkline get snmp+ssh://{}@AGENT/sysDescr.0\n  \
         an agent on this machine finds the key here; on another machine add the line above to its authorized-keys file",
        options.name
    ));
    Ok(())
}
