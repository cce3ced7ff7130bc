//! Programs whose output is served: `[[extend]]`, `[[pass]]`, `[[exec]]`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_smi::Oid;

use super::value::{self, Checked};
use crate::{Place, raw};

/// A program in NET-SNMP-EXTEND-MIB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendPlan {
    /// nsExtendToken: 1 to 64 octets, once for each `oid`.
    pub name: String,
    /// The program with its full path and its arguments; with `shell` the line for `/bin/sh -c`, in one or
    /// several parts.
    pub command: Vec<String>,
    /// Whether the shell runs it.
    pub shell: bool,
    /// How long its output is kept; nothing: it runs for each request.
    pub cache: Duration,
    /// A program that runs longer is ended.
    pub timeout: Duration,
    /// The tables' root, if not nsExtendObjects.
    pub oid: Option<Oid>,
}

/// A program that answers for a subtree (pass, pass_persist).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassPlan {
    /// The subtree.
    pub oid: Oid,
    /// The program by its full path and its arguments.
    pub command: Vec<String>,
    /// Whether it keeps running and receives questions line by line.
    pub persistent: bool,
    /// The time limit of an answer.
    pub timeout: Duration,
    /// Of two programs for one subtree, the one with the lower number answers; 127 by default.
    pub priority: u8,
}

/// A program in the extTable of UCD-SNMP-MIB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecPlan {
    /// extNames: 1 to 255 octets.
    pub name: String,
    /// As in [`ExtendPlan`].
    pub command: Vec<String>,
    /// Whether the shell runs it.
    pub shell: bool,
    /// A program that runs longer is ended.
    pub timeout: Duration,
    /// What setting extErrFix to 1 runs.
    pub fix: Option<Vec<String>>,
}

/// Net-SNMP's default for nsExtendCacheTime.
const CACHE: Duration = Duration::from_secs(5);

/// How long a program may run.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for an answer of a pass program.
const PASS_TIMEOUT: Duration = Duration::from_secs(1);

/// The priority of Net-SNMP's registrations.
const PRIORITY: u8 = 127;

type Command = Spanned<Vec<Spanned<String>>>;

fn check_command(command: Command, shell: bool, place: Place<'_>) -> Checked<Vec<String>> {
    match shell {
        true => value::shell_line(command, place),
        false => value::command(command, place),
    }
}

pub(super) fn check_extends(list: Vec<raw::Extend>, place: Place<'_>) -> Checked<Vec<ExtendPlan>> {
    let mut seen = BTreeSet::new();
    let extend = |raw: raw::Extend| {
        let oid = raw.oid.map(|oid| value::oid(&oid, place)).transpose()?;
        let name = value::length(&raw.name, 64, place)?;
        if !seen.insert((oid.clone(), name.clone())) {
            return Err(place.wrong(raw.name.span(), format!("{name:?} is used twice")));
        }
        Ok(ExtendPlan {
            name,
            command: check_command(raw.command, raw.shell, place)?,
            shell: raw.shell,
            cache: check_cache(raw.cache, place)?,
            timeout: value::time(raw.timeout, TIMEOUT, place)?,
            oid,
        })
    };
    value::all(list.into_iter().map(extend))
}

/// A time that may be nothing.
fn check_cache(cache: Option<Spanned<String>>, place: Place<'_>) -> Checked<Duration> {
    let Some(cache) = cache else { return Ok(CACHE) };
    value::duration(cache.get_ref()).ok_or_else(|| {
        let message =
            format!("{:?} is not a time; expected a value such as \"5s\", from 0s to 8760h", cache.get_ref());
        place.wrong(cache.span(), message)
    })
}

pub(super) fn check_passes(list: Vec<raw::Pass>, place: Place<'_>) -> Checked<Vec<PassPlan>> {
    let mut seen = BTreeSet::new();
    let pass = |raw: raw::Pass| {
        let oid = value::oid(&raw.oid, place)?;
        let priority = raw.priority.map(|priority| value::number(&priority, 0, 255, place)).transpose()?;
        let priority = priority.map_or(PRIORITY, |priority| priority as u8);
        if !seen.insert((oid.clone(), priority)) {
            let message = format!("a second program for {oid} with priority {priority}; expected one");
            return Err(place.wrong(raw.oid.span(), message));
        }
        Ok(PassPlan {
            oid,
            command: value::command(raw.command, place)?,
            persistent: raw.persistent,
            timeout: value::time(raw.timeout, PASS_TIMEOUT, place)?,
            priority,
        })
    };
    value::all(list.into_iter().map(pass))
}

pub(super) fn check_execs(list: Vec<raw::Exec>, place: Place<'_>) -> Checked<Vec<ExecPlan>> {
    let mut seen = BTreeSet::new();
    let exec = |raw: raw::Exec| {
        Ok(ExecPlan {
            name: value::name(&raw.name, 255, &mut seen, place)?,
            command: check_command(raw.command, raw.shell, place)?,
            shell: raw.shell,
            timeout: value::time(raw.timeout, TIMEOUT, place)?,
            fix: raw.fix.map(|fix| value::command(fix, place)).transpose()?,
        })
    };
    value::all(list.into_iter().map(exec))
}
