//! Changes of interfaces, checked here, applied to the kernel in the commit, taken back in the undo: sets of ifAdminStatus and
//! ifAlias, and the settings that a configuration has.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::IpAddr;

use rustix::io::Errno;
use rustix::thread::CapabilitySet;
use trunkline_smi::ValueRef;
use trunkline_tree::{SetCheck, SetError, SetItem, SetTransaction, SourceError};

use crate::HostOptions;
use crate::interfaces_type::if_type;
use crate::links::Links;
use crate::lost::Lost;
use crate::steps::{Done, Steps};
use trunkline_source::SourceRoot;
use trunkline_source::netlink::address;
use trunkline_source::netlink::link::{self, IFF_UP, Link, MOST_NAME};
use trunkline_source::netlink::{Dump, Netlink};

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
    let mut steps = Vec::with_capacity(wanted.len());
    for Wanted { binding, interface, state } in wanted {
        let found = netlink
            .link(interface, &[], Present::of)
            .map_err(|error| refusal(first, SetCheck::ResourceUnavailable, error.to_string()))?;
        let present = found.ok_or_else(|| {
            refusal(binding, SetCheck::NoCreation, format!("there is no interface with index {interface}"))
        })?;
        steps.push(step(binding, state, &present));
    }
    Ok(Box::new(Transaction::new(netlink, links, steps)))
}

/// What an interface is to have; what is `None` or empty stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceSettings {
    /// Its name.
    pub name: String,
    /// IANAifType that it must have already.
    pub kind: Option<i32>,
    /// Whether it is up.
    pub up: Option<bool>,
    /// ifAlias; empty for none.
    pub alias: Option<String>,
    /// The longest packet, in octets.
    pub mtu: Option<u32>,
    /// Addresses that it has no longer, with the lengths of their prefixes.
    pub gone: Vec<(IpAddr, u8)>,
    /// Addresses that it has from now on.
    pub new: Vec<(IpAddr, u8)>,
    /// Addresses that it should have already; what is there costs nothing.
    pub kept: Vec<(IpAddr, u8)>,
}

/// An interface as it is, before somebody configures it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceState {
    /// Its name.
    pub name: String,
    /// Whether it is up.
    pub up: bool,
    /// ifAlias.
    pub alias: String,
    /// The longest packet, in octets.
    pub mtu: u32,
    /// Its addresses, with the lengths of their prefixes.
    pub addresses: Vec<(IpAddr, u8)>,
}

impl HostOptions {
    /// Interfaces as they are, as far as they are there.
    ///
    /// # Errors
    /// The kernel does not say.
    pub fn interface_states(&self, names: &[String]) -> Result<Vec<InterfaceState>, SourceError> {
        let mut netlink = self.root.netlink();
        let mut found: HashMap<u32, InterfaceState> = HashMap::new();
        for name in names {
            if let Some(now) = netlink.link(0, name.as_bytes(), Present::of)? {
                let alias = String::from_utf8_lossy(&now.alias).into_owned();
                let Present { interface, up, mtu, .. } = now;
                let state = InterfaceState { name: name.clone(), up, alias, mtu, addresses: Vec::new() };
                found.insert(interface, state);
            }
        }
        if !found.is_empty() {
            let mut addresses: Vec<_> = present_addresses(&mut netlink)?.into_iter().collect();
            addresses.sort_unstable();
            for (interface, address, length) in addresses {
                if let Some(state) = found.get_mut(&interface) {
                    state.addresses.push((address, length));
                }
            }
        }
        let mut found: Vec<InterfaceState> = found.into_values().collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// Prepares a change of interfaces; errors name the position of one of them. An interface that is not there is left out. `None`: nothing
    /// is to be changed.
    ///
    /// # Errors
    /// An interface is of another type, no interface can have a name, or the process may not change them.
    pub fn prepare_interfaces(
        &self,
        wanted: &[InterfaceSettings],
    ) -> Result<Option<Box<dyn SetTransaction>>, SetError> {
        permitted().map_err(|reason| refusal(0, SetCheck::ResourceUnavailable, reason))?;
        let mut netlink = self.root.netlink();
        let unread = |error: SourceError| refusal(0, SetCheck::ResourceUnavailable, error.to_string());
        let all = match wanted.len() > FEW {
            true => Some(Present::all(&mut netlink).map_err(unread)?),
            false => None,
        };
        let addresses = match wanted.iter().map(|it| it.kept.len()).sum::<usize>() > FEW {
            true => Some(present_addresses(&mut netlink).map_err(unread)?),
            false => None,
        };
        let mut steps = Vec::new();
        for (at, wanted) in wanted.iter().enumerate() {
            let found = match &all {
                Some(all) => all.get(wanted.name.as_bytes()).cloned(),
                None => netlink
                    .link(0, wanted.name.as_bytes(), Present::of)
                    .map_err(|error| refusal(at, SetCheck::ResourceUnavailable, error.to_string()))?,
            };
            let Some(present) = found else {
                if wanted.kind.is_some() && !can_be_name(&wanted.name) {
                    let reason = format!("no interface of Linux can have the name {:?}", wanted.name);
                    return Err(refusal(at, SetCheck::WrongValue, reason));
                }
                continue;
            };
            if let Some(kind) = wanted.kind.filter(|kind| *kind != present.kind) {
                let reason = format!("{} is of type {}, not {kind} (IANAifType)", wanted.name, present.kind);
                return Err(refusal(at, SetCheck::WrongValue, reason));
            }
            let mut add = |state| steps.push(step(at, state, &present));
            let address = |present| move |&(address, length)| Setting::Address { address, length, present };
            // An address of another prefix is another one, but the kernel knows them by themselves: first those that go.
            wanted.gone.iter().map(address(false)).for_each(&mut add);
            wanted.mtu.map(Setting::Mtu).into_iter().for_each(&mut add);
            let alias = wanted.alias.as_ref().map(|alias| Setting::Alias(alias.as_bytes().to_vec()));
            alias.into_iter().for_each(&mut add);
            wanted.new.iter().map(address(true)).for_each(&mut add);
            let is_there = |&(address, length): &(IpAddr, u8)| {
                addresses.as_ref().is_some_and(|all| all.contains(&(present.interface, address, length)))
            };
            wanted.kept.iter().filter(|it| !is_there(it)).map(address(true)).for_each(&mut add);
            wanted.up.map(Setting::Up).into_iter().for_each(&mut add);
        }
        steps.retain(|step| step.before != step.after);
        if steps.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(Transaction::new(netlink, &self.links, steps))))
    }

    /// The name of an interface; `None`: there is none of this index, or the kernel does not say.
    #[must_use]
    pub fn interface_name(&self, index: u32) -> Option<String> {
        let name = |link: &Link<'_>| String::from_utf8_lossy(link.name).into_owned();
        self.root.netlink().link(index, &[], name).ok().flatten().filter(|_| index > 0)
    }
}

/// Whether an interface can have a name, as the kernel's `dev_valid_name` has it.
pub(crate) fn can_be_name(name: &str) -> bool {
    let is_wrong = |octet: u8| matches!(octet, b'/' | b':' | b' ' | b'\t'..=b'\r' | 0 | 0xa0);
    (1..=MOST_NAME).contains(&name.len()) && name != "." && name != ".." && !name.bytes().any(is_wrong)
}

/// Reading more of them one by one costs more than reading all.
const FEW: usize = 32;

/// The addresses that there are, with the index of their interface and the length of their prefix.
fn present_addresses(netlink: &mut Netlink) -> Result<HashSet<(u32, IpAddr, u8)>, SourceError> {
    netlink.collect(Dump::Addresses, HashSet::new, |all, message| {
        all.extend(address::Address::parse(message).map(|it| (it.interface, it.local, it.prefix_length)));
    })
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
    Mtu(u32),
    Address { address: IpAddr, length: u8, present: bool },
}

#[derive(Debug)]
struct Step {
    binding: usize,
    interface: u32,
    before: Setting,
    after: Setting,
}

/// An interface as it is.
#[derive(Clone)]
struct Present {
    interface: u32,
    kind: i32,
    up: bool,
    alias: Vec<u8>,
    mtu: u32,
}

struct Transaction {
    netlink: Netlink,
    links: Links,
    steps: Steps<Step>,
    /// What interfaces that went down have lost.
    lost: Lost,
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

fn step(binding: usize, state: Setting, present: &Present) -> Step {
    let before = match state {
        Setting::Up(_) => Setting::Up(present.up),
        Setting::Alias(_) => Setting::Alias(present.alias.clone()),
        Setting::Mtu(_) => Setting::Mtu(present.mtu),
        // The kernel says whether that is so.
        Setting::Address { address, length, present } => {
            Setting::Address { address, length, present: !present }
        }
    };
    Step { binding, interface: present.interface, before, after: state }
}

impl Present {
    /// All that there are, by their names.
    fn all(netlink: &mut Netlink) -> Result<HashMap<Vec<u8>, Present>, SourceError> {
        netlink.collect(Dump::Links, HashMap::new, |all, message| {
            all.extend(Link::parse(message).map(|link| (link.name.to_vec(), Present::of(&link))));
        })
    }

    fn of(link: &Link<'_>) -> Present {
        Present {
            interface: link.index,
            kind: if_type(link),
            up: link.flags & IFF_UP != 0,
            alias: link.alias.to_vec(),
            mtu: link.mtu,
        }
    }
}

/// Whether this thread may change interfaces and routes; otherwise the missing right.
pub(crate) fn permitted() -> Result<(), String> {
    let has = rustix::thread::capabilities(None)
        .is_ok_and(|sets| sets.effective.contains(CapabilitySet::NET_ADMIN));
    has.then_some(()).ok_or_else(|| {
        "the agent's process has no CAP_NET_ADMIN, so it may not change interfaces and routes".into()
    })
}

pub(crate) fn refusal(binding: usize, check: SetCheck, reason: String) -> SetError {
    SetError { binding, check, reason }
}

impl Step {
    fn apply(&self, netlink: &mut Netlink, links: &Links, undo: bool) -> Result<Done, SetError> {
        let Step { binding, interface, before, after } = self;
        let (kind, body) = match if undo { before } else { after } {
            Setting::Up(up) => (link::RTM_NEWLINK, link::set_up_body(*interface, *up)),
            Setting::Alias(alias) => (link::RTM_NEWLINK, link::set_alias_body(*interface, alias)),
            Setting::Mtu(mtu) => (link::RTM_NEWLINK, link::set_mtu_body(*interface, *mtu)),
            Setting::Address { address, length, present } => {
                let kind = if *present { address::RTM_NEWADDR } else { address::RTM_DELADDR };
                (kind, address::body(*interface, *address, *length))
            }
        };
        let changed = netlink.change(kind, &body);
        links.lock().doubt();
        // The kernel itself takes addresses away, those of IPv6 from an interface that goes down.
        let is_so = |error: &io::Error| match (kind, error.raw_os_error()) {
            (address::RTM_DELADDR, Some(number)) => number == Errno::ADDRNOTAVAIL.raw_os_error(),
            (address::RTM_NEWADDR, Some(number)) => number == Errno::EXIST.raw_os_error(),
            _ => false,
        };
        match changed {
            Ok(()) => Ok(Done::Changed),
            Err(error) if is_so(&error) => Ok(Done::WasSo),
            Err(error) => {
                let reason = format!("interface {interface}: {}", explain(&error));
                Err(refusal(*binding, SetCheck::CommitFailed, reason))
            }
        }
    }
}

impl Transaction {
    fn new(netlink: Netlink, links: &Links, steps: Vec<Step>) -> Transaction {
        Transaction { netlink, links: links.clone(), steps: Steps::new(steps), lost: Lost::default() }
    }
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        let Transaction { netlink, links, steps, lost } = self;
        for step in steps.all() {
            if (&step.before, &step.after) == (&Setting::Up(true), &Setting::Up(false)) {
                let unread = |error: SourceError| {
                    refusal(step.binding, SetCheck::CommitFailed, format!("nothing is changed: {error}"))
                };
                lost.add(Lost::of(netlink, step.interface).map_err(unread)?);
            }
        }
        steps.commit(|step| step.apply(netlink, links, false))
    }

    fn undo(&mut self) -> Result<(), SetError> {
        let Transaction { netlink, links, steps, lost } = self;
        let undone = steps.undo(|step| step.apply(netlink, links, true));
        lost.put_back(netlink);
        undone
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
