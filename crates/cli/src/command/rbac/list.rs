//! What the authority of roles knows, listed. Nothing here is secret.

use std::io::Write;

use serde::Serialize;
use trunkline_client::netconf::security::Time;
use trunkline_rbac::{Authority, Content, Directory, Name};
use trunkline_smi::visible;

use crate::connect::say;
use crate::error::Error;

/// A role; docs/json.md describes the fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RoleRecord {
    role: String,
    epoch: u32,
    /// Older epochs that are accepted still.
    expiring: Vec<Expiring>,
    members: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Expiring {
    epoch: u32,
    expires: String,
}

/// A device.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeviceRecord {
    device: String,
    address: String,
    state: &'static str,
    /// How many roles and users it lacks, or has otherwise.
    behind: usize,
    /// How many epochs that are over it has still.
    over: usize,
}

#[derive(Serialize)]
struct Status {
    roles: Vec<RoleRecord>,
    devices: Vec<DeviceRecord>,
}

/// `rbac role list`.
pub fn roles(directory: &Directory, as_json: bool, now: Time, out: &mut impl Write) -> Result<(), Error> {
    let records = role_records(&directory.authority()?, now);
    if as_json { json(&records, out) } else { Ok(write_roles(&records, out)?) }
}

/// `rbac device list`.
pub fn devices(directory: &Directory, as_json: bool, now: Time, out: &mut impl Write) -> Result<(), Error> {
    let records = device_records(directory, &directory.authority()?, now)?;
    if as_json { json(&records, out) } else { Ok(write_devices(&records, out)?) }
}

/// `rbac status`.
pub fn status(directory: &Directory, as_json: bool, now: Time, out: &mut impl Write) -> Result<(), Error> {
    let authority = directory.authority()?;
    let (roles, devices) = (role_records(&authority, now), device_records(directory, &authority, now)?);
    if as_json {
        return json(&Status { roles, devices }, out);
    }
    write_roles(&roles, out)?;
    writeln!(out)?;
    write_devices(&devices, out)?;
    let behind = devices.iter().filter(|device| device.behind > 0).count();
    writeln!(out, "\n{behind} of {} devices behind", devices.len())?;
    let over = devices.iter().filter(|device| device.over > 0).count();
    if over > 0 {
        say(&format!("{over} of them have keys whose grace is over: `trunkline rbac deploy` deletes them"));
    }
    Ok(())
}

fn role_records(authority: &Authority, now: Time) -> Vec<RoleRecord> {
    let one = |(name, role): (&Name, &trunkline_rbac::Role)| {
        let valid = role.epochs.iter().filter(|(_, epoch)| epoch.is_valid(now));
        let expiring = valid.filter_map(|(number, epoch)| {
            Some(Expiring { epoch: *number, expires: epoch.expires?.to_string() })
        });
        let members = authority.members().filter(|(_, role)| *role == name).map(|(user, _)| user.to_string());
        RoleRecord {
            role: name.to_string(),
            epoch: role.newest,
            expiring: expiring.collect(),
            members: members.collect(),
        }
    };
    authority.roles.iter().map(one).collect()
}

fn device_records(
    directory: &Directory,
    authority: &Authority,
    now: Time,
) -> Result<Vec<DeviceRecord>, Error> {
    let content = Content::of(authority, now);
    let one = |(name, address): (&Name, &String)| {
        let has = directory.acknowledged(name)?;
        let (behind, over) = (content.behind(&has), content.over(&has));
        let state = if behind == 0 { "current" } else { "pending" };
        Ok(DeviceRecord { device: name.to_string(), address: address.clone(), state, behind, over })
    };
    authority.devices.iter().map(one).collect()
}

fn write_roles(records: &[RoleRecord], out: &mut impl Write) -> std::io::Result<()> {
    let width = records.iter().map(|record| record.role.len()).max().unwrap_or(0).max(4);
    writeln!(out, "{:width$}  EPOCH  MEMBERS", "ROLE")?;
    for record in records {
        let mut lines = wrapped(&record.members, COLUMNS.saturating_sub(width + 9)).into_iter();
        let first = lines.next().unwrap_or_else(|| "-".to_owned());
        writeln!(out, "{:width$}  {:<5}  {first}", record.role, record.epoch)?;
        lines.try_for_each(|line| writeln!(out, "{:width$}         {line}", ""))?;
        for Expiring { epoch, expires } in &record.expiring {
            writeln!(out, "{:width$}  {epoch:<5}  until {expires}", "")?;
        }
    }
    Ok(())
}

/// Words in lines of at most so many columns.
fn wrapped(words: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= columns) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.clone()),
        }
    }
    lines
}

/// Of a line with members.
const COLUMNS: usize = 80;

fn write_devices(records: &[DeviceRecord], out: &mut impl Write) -> std::io::Result<()> {
    let width = records.iter().map(|record| record.device.len()).max().unwrap_or(0).max(6);
    writeln!(out, "{:width$}  STATE    ADDRESS", "DEVICE")?;
    records.iter().try_for_each(|record| {
        writeln!(out, "{:width$}  {}  {}", record.device, record.state, visible(&record.address))
    })
}

/// Writes JSON.
pub fn json(value: &impl Serialize, out: &mut impl Write) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|fault| Error::Runtime(format!("this cannot be JSON: {fault}")))?;
    Ok(writeln!(out, "{text}")?)
}
