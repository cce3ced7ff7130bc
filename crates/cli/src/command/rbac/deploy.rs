//! `trunkline rbac deploy` and `trunkline rbac revoke`: keys to devices.

use std::io::Write;

use serde::Serialize;
use tokio::time::Instant;
use trunkline_client::NetconfTarget;
use trunkline_client::ensure_descriptors;
use trunkline_login::HttpLoginArgs;
use trunkline_login::targets::{Keeper, Targets};
use trunkline_rbac::{
    Authority, Checked, Content, Device, Directory, Error as RbacError, Held, Name, Options, Outcome,
    Revocation, Totals, check as check_devices, deploy,
};
use trunkline_smi::visible;

use super::list::json;
use super::{hold, now, seconds, unprotected};
use crate::arguments::rbac::{DeployArgs, MemberArgs, ReachArgs, RenewArgs, RevokeArgs};
use crate::connect::say;
use crate::error::Error;

/// A deployment; docs/json.md describes the fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u32>,
    devices: Vec<Line>,
    acknowledged: usize,
    current: usize,
    pending: usize,
    /// To the last acknowledgement.
    seconds: f64,
    messages: usize,
    octets: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    device: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Sends devices what they lack.
pub async fn run(directory: &Directory, options: &DeployArgs, out: &mut impl Write) -> Result<(), Error> {
    let began = Instant::now();
    let held = hold(directory)?;
    let authority = directory.authority()?;
    held.complete(&authority)?;
    let unknown = options.devices.iter().find(|name| !authority.devices.contains_key(name));
    if let Some(name) = unknown {
        return Err(RbacError::Unknown { what: "device", name: name.to_string() }.into());
    }
    let is_wanted = |name: &Name| options.devices.is_empty() || options.devices.contains(name);
    let work =
        Work { held: &held, authority: &authority, reach: &options.reach, whole: options.all, epoch: None };
    work.send(began, &is_wanted, out).await
}

/// Takes a role from a user, and sends the new keys to all devices.
pub async fn revoke(directory: &Directory, options: &RevokeArgs, out: &mut impl Write) -> Result<(), Error> {
    let began = Instant::now();
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    let MemberArgs { user, role } = &options.member;
    let revoked = authority.revoke(user, role, options.grace, now(), Held::secrets()?);
    let epoch = match revoked {
        Ok(revoked) => {
            held.save(&authority)?;
            tell(&revoked, user, role, directory, options.reach.json, out)?;
            Some(revoked.new)
        }
        // An earlier command may have been killed before it had reached all devices.
        Err(fault @ RbacError::NotMember { .. }) => {
            if authority.end_grace(user, role, options.grace, now()) {
                held.save(&authority)?;
                say(&format!("the grace of the keys that {user} had of {role} is made shorter"));
            } else {
                say(&format!("{fault}: nothing is revoked; devices that are behind are served"));
                held.complete(&authority)?;
            }
            None
        }
        Err(fault) => return Err(fault.into()),
    };
    if let Some(end) = authority.grace(user, role, now()) {
        say(&format!(
            "devices accept the old keys of {role} until {end}: `trunkline rbac revoke {user} {role}` without --grace ends that"
        ));
    }
    warn_of_policy(&authority, [user], role);
    let work = Work { held: &held, authority: &authority, reach: &options.reach, whole: false, epoch };
    work.send(began, &|_| true, out).await
}

/// Warns if the policy that devices are sent still gives a role to users from whom it was taken.
pub fn warn_of_policy<'n>(authority: &Authority, users: impl IntoIterator<Item = &'n Name>, role: &Name) {
    let given = authority.users_by_policy(role.as_str());
    for user in users.into_iter().filter(|user| given.contains(user.as_str())) {
        say(&format!(
            "warning: the policy still gives {user} the role {role}, who acts in it by an SSH key, a certificate or a public key: \
             only the keys of the role are taken away. Next: trunkline rbac policy FILE, with that membership as nc:operation=\"remove\""
        ));
    }
}

/// Makes a new epoch of a role for all its members, and sends it to all devices.
pub async fn renew(directory: &Directory, options: &RenewArgs, out: &mut impl Write) -> Result<(), Error> {
    let began = Instant::now();
    let held = hold(directory)?;
    let mut authority = directory.authority()?;
    let RenewArgs { role, above, reach } = options;
    let Revocation { old, new, members, .. } = authority.renew(role, *above, now(), Held::secrets()?)?;
    held.save(&authority)?;
    if !reach.json {
        writeln!(out, "{role}: epoch {old} -> {new}, new tokens of {members} members")?;
    }
    tell_tokens(members, role, directory);
    let work = Work { held: &held, authority: &authority, reach, whole: false, epoch: Some(new) };
    work.send(began, &|_| true, out).await
}

fn tell_tokens(members: usize, role: &Name, directory: &Directory) {
    if members > 0 {
        let tokens = directory.path().join("tokens").join(role.as_str());
        say(&format!("next: give the members their new tokens of {}", tokens.display()));
    }
}

fn tell(
    revoked: &Revocation,
    user: &Name,
    role: &Name,
    directory: &Directory,
    is_json: bool,
    out: &mut impl Write,
) -> Result<(), Error> {
    if !is_json {
        let Revocation { old, new, members, .. } = revoked;
        writeln!(out, "{role}: epoch {old} -> {new} without {user}, new tokens of {members} other members")?;
    }
    tell_tokens(revoked.members, role, directory);
    if revoked.has_public_keys {
        say(&format!(
            "warning: {user} has public keys and other roles: take {role} from {user} in the devices' access policy as well"
        ));
    }
    Ok(())
}

/// A deployment.
struct Work<'w> {
    held: &'w Held,
    authority: &'w Authority,
    reach: &'w ReachArgs,
    whole: bool,
    epoch: Option<u32>,
}

impl Work<'_> {
    async fn send(
        &self,
        began: Instant,
        is_wanted: &dyn Fn(&Name) -> bool,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let content = Content::of(self.authority, now());
        let devices = devices(self.authority, self.reach, is_wanted)?;
        let options = options(self.reach, devices.len(), self.whole);
        let (is_json, mut lines, mut broken) = (self.reach.json, Vec::new(), None);
        let report = |outcome: &Outcome| {
            let line = Line::of(outcome);
            line.notes.iter().for_each(|note| say(&format!("{}: {}", line.device, visible(note))));
            if is_json {
                lines.push(line);
            } else if let Err(fault) = line.write(out) {
                // Devices are served, whoever reads.
                broken.get_or_insert(fault);
            }
        };
        let totals = deploy(self.held, &content, devices, options, began, report).await?;
        let Totals { acknowledged, current, pending, after, messages, octets } = totals;
        if is_json {
            let (epoch, seconds) = (self.epoch, after.as_secs_f64());
            let report =
                Report { epoch, devices: lines, acknowledged, current, pending, seconds, messages, octets };
            json(&report, out)?;
        } else {
            broken.map_or(Ok(()), Err)?;
            let last = match acknowledged {
                0 => String::new(),
                _ => format!(", the last after {}", seconds(after)),
            };
            let served = match messages {
                0 => last,
                _ => format!("{last}: {messages} messages, {octets} octets"),
            };
            writeln!(out, "{} acknowledged{served}", count_of(acknowledged))?;
            if current > 0 {
                writeln!(out, "{current} had everything")?;
            }
        }
        if pending > 0 {
            say(&format!("{} behind: `trunkline rbac deploy` serves what answers", count_of(pending)));
            return Err(Error::Told);
        }
        Ok(())
    }
}

/// Asks the devices whether they have what they acknowledged; whether all have.
pub async fn check(directory: &Directory, reach: &ReachArgs) -> Result<bool, Error> {
    let held = hold(directory)?;
    let authority = directory.authority()?;
    let devices = devices(&authority, reach, &|_| true)?;
    let options = options(reach, devices.len(), false);
    let mut is_good = true;
    let report = |Checked { name, found, shows_nothing }: &Checked| {
        match found {
            Ok(differences) if differences.is_empty() => return,
            Ok(differences) => {
                if *shows_nothing {
                    say(&format!(
                        "{name} shows no keys at all: it has none, or does not let you read /trunkline-keys:keys"
                    ));
                }
                differences.iter().for_each(|difference| say(&format!("{name}: {difference}")));
            }
            Err(words) => {
                let words = visible(words.lines().next().unwrap_or_default()).to_string();
                say(&format!("{name} cannot be checked: {words}"));
            }
        }
        is_good = false;
    };
    check_devices(&held, &authority, devices, options, report).await?;
    Ok(is_good)
}

fn options(reach: &ReachArgs, devices: usize, whole: bool) -> Options {
    let timeout = reach.timeout;
    let (parallel, deadline) = (most(reach.parallel.min(devices)), Options::whole_time(timeout));
    Options { parallel, timeout, deadline, whole }
}

fn devices(
    authority: &Authority,
    reach: &ReachArgs,
    is_wanted: &dyn Fn(&Name) -> bool,
) -> Result<Vec<Device>, Error> {
    let targets = Targets::read(reach.config.as_deref())?;
    let keeper = Keeper::default();
    let wanted = authority.devices.iter().filter(|(name, _)| is_wanted(name));
    let one = |(name, address): (&Name, &String)| Device {
        name: name.clone(),
        address: address.clone(),
        target: target(address, reach, &targets, &keeper),
    };
    Ok(wanted.map(one).collect())
}

/// Where a device is, with what authenticates both ends.
fn target(
    address: &str,
    reach: &ReachArgs,
    targets: &Targets,
    keeper: &Keeper,
) -> Result<NetconfTarget, String> {
    let http = HttpLoginArgs::default();
    let target = targets.netconf(address, &reach.ends, &http, keeper).map_err(|fault| fault.to_string())?;
    match unprotected(&target) {
        Some(words) => Err(words.to_owned()),
        None => Ok(target),
    }
}

impl Line {
    fn of(outcome: &Outcome) -> Self {
        let (device, notes) = (outcome.name.to_string(), outcome.notes.clone());
        match &outcome.ended {
            Ok(Some(done)) => {
                let seconds = Some(done.after.as_secs_f64());
                Line { device, state: "acknowledged", seconds, error: None, notes }
            }
            Ok(None) => Line { device, state: "current", seconds: None, error: None, notes },
            Err(words) => {
                let words = words.lines().next().unwrap_or_default().to_owned();
                Line { device, state: "pending", seconds: None, error: Some(words), notes }
            }
        }
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Line { device, state, seconds, error, .. } = self;
        match (seconds, error) {
            (Some(after), _) => writeln!(out, "{device}  {state} after {after:.3} s"),
            (_, Some(words)) => writeln!(out, "{device}  {state}: {}", visible(words)),
            _ => Ok(()),
        }
    }
}

fn count_of(count: usize) -> String {
    if count == 1 { "1 device".to_owned() } else { format!("{count} devices") }
}

/// What the command opens beside its sessions, and some to spare.
const DESCRIPTORS: usize = 32;

/// How many devices may be served at once: each takes a descriptor or two.
fn most(wanted: usize) -> usize {
    let mut most = wanted.max(1);
    while most > 1 && ensure_descriptors(DESCRIPTORS + most * 2).is_err() {
        most /= 2;
    }
    most
}
