//! Sets of ifAdminStatus and ifAlias: checked here, applied to the kernel in
//! the commit, taken back in the undo.

use std::collections::HashMap;
use std::io;

use rustix::thread::CapabilitySet;
use trunkline_smi::ValueRef;
use trunkline_tree::{SetCheck, SetError, SetItem, SetTransaction};

use crate::links::Links;
use crate::source::SourceRoot;
use crate::source::netlink::link::{self, IFF_UP, Link};
use crate::source::netlink::{Dump, Netlink};

/// First phase: every item must name an existing interface and a value that the kernel can accept, and the
/// process must be allowed to make the change.
pub(crate) fn prepare(
    root: &SourceRoot,
    links: &Links,
    items: &[SetItem<'_>],
) -> Result<Box<dyn SetTransaction>, SetError> {
    let wanted = items.iter().map(wanted).collect::<Result<Vec<_>, _>>()?;
    let first = items.first().map_or(0, |item| item.binding);
    if !root.is_recording() {
        permitted().map_err(|reason| refusal(first, SetCheck::ResourceUnavailable, reason))?;
    }
    let mut netlink = root.netlink();
    let present = present(&mut netlink)
        .map_err(|error| refusal(first, SetCheck::ResourceUnavailable, error.to_string()))?;
    let steps = wanted.into_iter().map(|wanted| step(wanted, &present)).collect::<Result<_, _>>()?;
    Ok(Box::new(Transaction { netlink, links: links.clone(), steps, applied: 0 }))
}

struct Wanted {
    binding: usize,
    interface: u32,
    state: Setting,
}

/// What can be set on an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Setting {
    Up(bool),
    Alias(Vec<u8>),
}

#[derive(Debug)]
struct Step {
    binding: usize,
    interface: u32,
    before: Setting,
    after: Setting,
}

struct Present {
    up: bool,
    alias: Vec<u8>,
}

struct Transaction {
    netlink: Netlink,
    links: Links,
    steps: Vec<Step>,
    applied: usize,
}

fn wanted(item: &SetItem<'_>) -> Result<Wanted, SetError> {
    let refuse = |check, reason: &str| Err(refusal(item.binding, check, reason.to_owned()));
    let &[interface] = item.index else {
        return refuse(SetCheck::NoCreation, "an ifIndex is one number");
    };
    let state = match (item.name, item.value) {
        ("ifAdminStatus", ValueRef::Integer(1)) => Setting::Up(true),
        ("ifAdminStatus", ValueRef::Integer(2)) => Setting::Up(false),
        ("ifAdminStatus", _) => return refuse(SetCheck::WrongValue, "Linux interfaces have no test state"),
        ("ifAlias", ValueRef::OctetString(alias)) if alias.contains(&0) => {
            return refuse(SetCheck::WrongValue, "the kernel ends an alias at a NUL");
        }
        ("ifAlias", ValueRef::OctetString(alias)) => Setting::Alias(alias.to_vec()),
        _ => return refuse(SetCheck::NotWritable, "only ifAdminStatus and ifAlias can be set"),
    };
    Ok(Wanted { binding: item.binding, interface, state })
}

fn step(wanted: Wanted, present: &HashMap<u32, Present>) -> Result<Step, SetError> {
    let Wanted { binding, interface, state } = wanted;
    let now = present.get(&interface).ok_or_else(|| {
        refusal(binding, SetCheck::NoCreation, format!("there is no interface with index {interface}"))
    })?;
    let before = match state {
        Setting::Up(_) => Setting::Up(now.up),
        Setting::Alias(_) => Setting::Alias(now.alias.clone()),
    };
    Ok(Step { binding, interface, before, after: state })
}

fn present(netlink: &mut Netlink) -> Result<HashMap<u32, Present>, trunkline_tree::SourceError> {
    netlink.collect(Dump::Links, HashMap::new, |present, message| {
        if let Some(link) = Link::parse(message) {
            let state = Present { up: link.flags & IFF_UP != 0, alias: link.alias.to_vec() };
            present.insert(link.index, state);
        }
    })
}

/// Whether this thread may change interfaces; otherwise the missing right.
fn permitted() -> Result<(), String> {
    let has = rustix::thread::capabilities(None)
        .is_ok_and(|sets| sets.effective.contains(CapabilitySet::NET_ADMIN));
    has.then_some(())
        .ok_or_else(|| "the agent's process has no CAP_NET_ADMIN, so it may not change interfaces".into())
}

fn refusal(binding: usize, check: SetCheck, reason: String) -> SetError {
    SetError { binding, check, reason }
}

impl Transaction {
    fn apply(&mut self, at: usize, undo: bool) -> Result<(), SetError> {
        let Step { binding, interface, before, after } = &self.steps[at];
        let body = match if undo { before } else { after } {
            Setting::Up(up) => link::set_up_body(*interface, *up),
            Setting::Alias(alias) => link::set_alias_body(*interface, alias),
        };
        let changed = self.netlink.change(link::RTM_NEWLINK, &body);
        self.links.lock().doubt();
        changed.map_err(|error| {
            refusal(*binding, SetCheck::CommitFailed, format!("interface {interface}: {}", explain(&error)))
        })
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        for at in 0..self.steps.len() {
            self.apply(at, false)?;
            self.applied = at + 1;
        }
        Ok(())
    }

    /// Undoes every step that was applied, the last first, despite any failures.
    fn undo(&mut self) -> Result<(), SetError> {
        let mut outcome = Ok(());
        for at in (0..std::mem::take(&mut self.applied)).rev() {
            outcome = self.apply(at, true).and(outcome);
        }
        outcome
    }
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("{error}: changing interfaces of this namespace needs CAP_NET_ADMIN")
        }
        _ => error.to_string(),
    }
}
