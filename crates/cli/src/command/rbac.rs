//! `trunkline rbac`: the authority of roles. Members get tokens, devices get keys, and a revocation is one command.

pub mod advice;
mod deploy;
mod list;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use trunkline_client::netconf::security::Time;
use trunkline_client::transport::files;
use trunkline_client::{Defaults, NetconfTarget, Transport};
use trunkline_login::token::RoleToken;
use trunkline_rbac::{Directory, Error as RbacError, Held, Name};

use crate::arguments::rbac::{
    DeviceCommand, MemberArgs, PublicKeyArgs, RbacArgs, RbacCommand, RoleCommand, StatusArgs, TokenArgs,
};
use crate::connect::say;
use crate::error::Error;
use crate::output_file::may_replace;

/// Runs one of the commands: data to `out`, messages to standard error.
pub async fn run(arguments: &RbacArgs, out: &mut impl Write) -> Result<(), Error> {
    let directory = match &arguments.dir {
        Some(path) => Directory::at(path),
        None => Directory::default_location()?,
    };
    match &arguments.command {
        RbacCommand::Init => init(&directory),
        RbacCommand::Role(options) => match &options.command {
            RoleCommand::Add { role } => add_role(&directory, role),
            RoleCommand::Remove { role } => remove_role(&directory, role),
            RoleCommand::List(options) => list::roles(&directory, options.json, now(), out),
        },
        RbacCommand::Assign(options) => assign(&directory, options),
        RbacCommand::Device(options) => match &options.command {
            DeviceCommand::Add { address, name } => add_device(&directory, address, name.as_ref()),
            DeviceCommand::Remove { device } => remove_device(&directory, device),
            DeviceCommand::List(options) => list::devices(&directory, options.json, now(), out),
        },
        RbacCommand::Token(options) => token(&directory, options, out),
        RbacCommand::PublicKey(options) => public_key(&directory, options),
        RbacCommand::Policy { file } => policy(&directory, file),
        RbacCommand::Deploy(options) => deploy::run(&directory, options, out).await,
        RbacCommand::Revoke(options) => deploy::revoke(&directory, options, out).await,
        RbacCommand::Renew(options) => deploy::renew(&directory, options, out).await,
        RbacCommand::Status(options) => status(&directory, options, out).await,
    }
}

async fn status(directory: &Directory, options: &StatusArgs, out: &mut impl Write) -> Result<(), Error> {
    let is_good = !options.check || deploy::check(directory, &options.reach).await?;
    list::status(directory, options.reach.json, now(), out)?;
    if is_good { Ok(()) } else { Err(Error::Told) }
}

fn init(directory: &Directory) -> Result<(), Error> {
    directory.init()?;
    say(&format!("the authority is in {}: it has all keys of its roles", directory.path().display()));
    say("next: trunkline rbac role add ROLE, with the name of a role of the devices' access policy");
    Ok(())
}

fn add_role(directory: &Directory, role: &Name) -> Result<(), Error> {
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    authority.add_role(role, Held::secrets()?)?;
    Ok(held.save(&authority)?)
}

fn remove_role(directory: &Directory, role: &Name) -> Result<(), Error> {
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    let taken = authority.remove_role(role)?;
    held.save(&authority)?;
    if !taken.is_empty() {
        let members = taken.iter().map(Name::as_str).collect::<Vec<_>>().join(", ");
        say(&format!("{role} is taken from {members}: devices accept their keys until they are served"));
    }
    deploy::warn_of_policy(&authority, &taken, role);
    say("next: trunkline rbac deploy");
    Ok(())
}

fn assign(directory: &Directory, MemberArgs { user, role }: &MemberArgs) -> Result<(), Error> {
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    if !authority.assign(user, role)? {
        say(&format!("{user} has the role {role} already"));
    }
    held.save(&authority)?;
    say(&format!("the token is {}", directory.token(user, role).display()));
    Ok(())
}

fn add_device(directory: &Directory, address: &str, name: Option<&Name>) -> Result<(), Error> {
    let held = hold(directory)?;
    let usual = usual_name(address);
    let name = match (name, usual) {
        (Some(name), Ok(_) | Err(Usual::None(_))) => name.clone(),
        (None, Ok(usual)) => usual,
        (_, Err(Usual::None(fault) | Usual::Address(fault))) => return Err(fault),
    };
    let mut authority = directory.authority()?;
    let is_other = |known: &(&Name, &String)| known.0 != &name && known.1 == address;
    if let Some((known, _)) = authority.devices.iter().find(is_other) {
        return Err(Error::Usage(format!("{known} has this address already")));
    }
    if !authority.add_device(&name, address)? {
        say(&format!("{name} is there already"));
    }
    held.save(&authority)?;
    say(&format!("next: trunkline rbac deploy {name}"));
    Ok(())
}

/// The host and the port of a URL, or the name of a target.
fn usual_name(address: &str) -> Result<Name, Usual> {
    if !address.contains("://") {
        return address.parse().map_err(|fault: RbacError| Usual::None(fault.into()));
    }
    let target = NetconfTarget::parse(address, &Defaults::default());
    let target = target.map_err(|fault| Usual::Address(Error::Usage(fault.to_string())))?;
    if let Some(words) = unprotected(&target) {
        return Err(Usual::Address(Error::Usage(words.to_owned())));
    }
    let is_usual = matches!((target.transport, target.port), (Transport::Ssh, 830) | (Transport::Tls, 6513));
    let text = if is_usual { target.host.clone() } else { format!("{}-{}", target.host, target.port) };
    text.replace(':', "_")
        .parse()
        .map_err(|_| Usual::None(Error::Usage(format!("{text} is not a name: give it one with --name"))))
}

/// Why an address gives no name.
enum Usual {
    /// It can have another one.
    None(Error),
    /// The address is wrong.
    Address(Error),
}

/// What is wrong with a way on which keys could be read.
fn unprotected(target: &NetconfTarget) -> Option<&'static str> {
    let is_protected = matches!(target.transport, Transport::Ssh | Transport::Tls);
    (!is_protected).then_some("keys are sent over SSH or TLS: expected netconf:// or netconf+tls://")
}

fn remove_device(directory: &Directory, device: &Name) -> Result<(), Error> {
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    if authority.devices.remove(device).is_none() {
        return Err(RbacError::Unknown { what: "device", name: device.to_string() }.into());
    }
    held.save(&authority)?;
    say(&format!(
        "{device} keeps the keys that it has: remove /trunkline-keys:keys there if others can reach it"
    ));
    Ok(())
}

fn token(directory: &Directory, options: &TokenArgs, out: &mut impl Write) -> Result<(), Error> {
    let MemberArgs { user, role } = &options.member;
    let held = hold(directory)?;
    let authority = directory.authority()?;
    let token = authority.token(user, role)?;
    held.complete(&authority)?;
    let path = match &options.output {
        Some(path) if path.as_os_str() == "-" => {
            out.write_all(token.text().as_bytes())?;
            say(&format!("its keys are {}", token.name()));
            return Ok(());
        }
        Some(path) => {
            let is_token = |path: &Path| RoleToken::read(path).is_ok();
            may_replace(path, options.force, "a token", &is_token)?;
            token.write(path)?;
            path.clone()
        }
        None => directory.token(user, role),
    };
    writeln!(out, "{}", path.display())?;
    say(&format!("its keys are {}; next: trunkline netconf get --keys {} ...", token.name(), path.display()));
    Ok(())
}

fn public_key(directory: &Directory, options: &PublicKeyArgs) -> Result<(), Error> {
    let PublicKeyArgs { user, file, remove } = options;
    let text = file.as_deref().map(text_of).transpose()?;
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    if *remove {
        match authority.remove_public_keys(user, text.as_deref())? {
            0 => say(&format!("{user} does not have such a key")),
            _ => held.forget_public_keys(&authority, user)?,
        }
    } else if !authority.add_public_key(user, &text.unwrap_or_default())? {
        say(&format!("{user} has this key already"));
    }
    held.save(&authority)?;
    say("next: trunkline rbac deploy");
    Ok(())
}

fn policy(directory: &Directory, file: &Path) -> Result<(), Error> {
    let text = text_of(file)?;
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    if !authority.set_policy(&text)? {
        say("it is the policy already");
    }
    held.save(&authority)?;
    say("next: trunkline rbac deploy");
    Ok(())
}

fn text_of(path: &Path) -> Result<String, Error> {
    files::read_named(path, files::LONGEST)
        .map_err(|fault| Error::Usage(format!("{}: {fault}", path.display())))
}

/// Holds the directory; says so if it has to wait.
fn hold(directory: &Directory) -> Result<Held, Error> {
    let mut waits = || say("another command holds the directory: waiting for its end");
    Ok(directory.hold(&mut waits)?)
}

fn now() -> Time {
    Time::from(SystemTime::now())
}

/// Seconds, for people.
fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}
