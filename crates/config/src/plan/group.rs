//! Groups of other agents that this one reads, as a mid-level manager: `[[group]]`.

mod aggregate;
mod member;
mod range;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_smi::Oid;
use trunkline_smi::module::ALL;
use trunkline_transport::{ListenUrl, Transport};

pub use self::aggregate::{AggregatePlan, FilterEquals, FilterPlan, FunctionPlan, OverPlan};
use self::member::Members;
pub use self::member::{MemberPlan, MemberWay, MembersFile};
use super::user::UserPlan;
use super::value::{self, Checked};
use crate::Place;
use crate::raw::{Secret, group as raw};

/// A group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupPlan {
    /// Its name: 1 to 32 octets.
    pub name: String,
    /// How important it is: 1 is more than 2.
    pub importance: u32,
    /// How often members are read.
    pub interval: Duration,
    /// How long a member may take.
    pub deadline: Duration,
    /// Values that are older are not there any more.
    pub max_age: Duration,
    /// Instances that are read.
    pub objects: Vec<Oid>,
    /// Columns that are read, those of a table together.
    pub tables: Vec<Vec<Oid>>,
    /// The file that more of its members are in.
    pub members_file: Option<MembersFile>,
    /// Its own members.
    pub members: Vec<MemberPlan>,
    /// Groups of this agent that are members.
    pub groups: Vec<String>,
    /// What is computed.
    pub aggregates: Vec<AggregatePlan>,
    /// The agent that has the same group.
    pub peer: Option<GroupPeerPlan>,
}

impl GroupPlan {
    /// The contexts of its members and whose they are: `GROUP/MEMBER`, where a context may have a name of this length.
    pub fn contexts(&self) -> impl Iterator<Item = (String, &str)> {
        self.names().filter(|(name, _)| is_context(name))
    }

    /// The names of its members' contexts that are too long to be any.
    pub(crate) fn long_contexts(&self) -> impl Iterator<Item = String> {
        self.names().map(|(name, _)| name).filter(|name| !is_context(name))
    }

    fn names(&self) -> impl Iterator<Item = (String, &str)> {
        let read = self.members.iter().filter(|member| !member.is_manager);
        read.map(|member| (format!("{}/{}", self.name, member.name), member.name.as_str()))
    }
}

fn is_context(name: &str) -> bool {
    name.len() <= LONGEST_CONTEXT
}

/// Octets of a context's name (RFC 3415, vacmContextName).
const LONGEST_CONTEXT: usize = 32;

/// Another mid-level manager with the same group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupPeerPlan {
    /// How it is asked.
    pub at: MemberPlan,
    /// Whether it reads the group while it answers.
    pub is_standby: bool,
    /// How often it is asked.
    pub interval: Duration,
    /// After so many missed answers it is lost.
    pub missed: u32,
}

/// What all groups have together: where members' notifications are received, and of whom, and the memory for what is read.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupListenPlan {
    /// Addresses of UDP.
    pub listen: Vec<ListenUrl>,
    /// Communities that are accepted, from the addresses of members.
    pub communities: Vec<MemberCommunity>,
    /// Users of the configuration that are accepted.
    pub users: Vec<String>,
    /// Octets of what is kept of all members.
    pub memory: usize,
}

impl Default for GroupListenPlan {
    fn default() -> Self {
        GroupListenPlan { listen: Vec::new(), communities: Vec::new(), users: Vec::new(), memory: MEMORY }
    }
}

/// Octets of what is kept of all members: a fifth of the unit's `MemoryMax`.
const MEMORY: usize = 96 << 20;

/// A terabyte.
const MOST_MEMORY: i64 = 1 << 40;

/// With less not even a few members can be read.
const LEAST_MEMORY: i64 = 1 << 20;

/// A community: a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct MemberCommunity(pub Vec<u8>);

impl std::fmt::Debug for MemberCommunity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemberCommunity(<secret>)")
    }
}

/// Members of a group at most: each has a state, and its values are kept.
const MOST_MEMBERS: usize = 10_000;

pub(super) fn check_groups(
    list: Vec<raw::Group>,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<Vec<GroupPlan>> {
    let mut seen = BTreeSet::new();
    let spans: BTreeMap<String, _> =
        list.iter().map(|group| (group.name.get_ref().clone(), group.name.span())).collect();
    let groups = value::all(list.into_iter().map(|raw| check_group(raw, users, &mut seen, place)))?;
    for group in &groups {
        let span = || spans.get(&group.name).cloned().unwrap_or(0..0);
        for name in &group.groups {
            if !groups.iter().any(|group| group.name == *name) {
                return Err(
                    place.wrong(span(), format!("there is no group {name:?}, which is to be a member"))
                );
            }
        }
        if let Some(way) = circle(&group.name, &groups) {
            let way = way.join(" > ");
            return Err(place.wrong(span(), format!("the group contains itself: {way}")));
        }
    }
    match same_device(&groups) {
        None => Ok(groups),
        Some((name, [(one, _), (other, _)])) => {
            let span = spans.get(other).cloned().unwrap_or(0..0);
            let message = format!("members of the groups {one:?} and {other:?} are both /devices/{name}");
            Err(place.wrong(span, message))
        }
    }
}

/// A group and its member.
type Whose<'p> = (&'p str, &'p str);

/// Two members with the same name in URLs, `GROUP.MEMBER`: both names may have dots.
fn same_device(groups: &[GroupPlan]) -> Option<(String, [Whose<'_>; 2])> {
    let mut known: BTreeMap<String, Whose<'_>> = BTreeMap::new();
    for group in groups {
        for member in &group.members {
            let (name, whose) =
                (format!("{}.{}", group.name, member.name), (group.name.as_str(), member.name.as_str()));
            if let Some(other) = known.insert(name.clone(), whose) {
                return Some((name, [other, whose]));
            }
        }
    }
    None
}

/// The way from a group back to itself.
fn circle(name: &str, groups: &[GroupPlan]) -> Option<Vec<String>> {
    let mut ways = vec![vec![name.to_owned()]];
    let mut visited = BTreeSet::new();
    while let Some(way) = ways.pop() {
        let group = groups.iter().find(|group| Some(&group.name) == way.last())?;
        for inner in &group.groups {
            let way = [way.as_slice(), std::slice::from_ref(inner)].concat();
            if inner == name {
                return Some(way);
            }
            if visited.insert(inner.clone()) {
                ways.push(way);
            }
        }
    }
    None
}

fn check_group(
    raw: raw::Group,
    users: &[UserPlan],
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<GroupPlan> {
    let name = value::name_in_urls(&raw.name, 32, seen, place)?;
    let importance =
        raw.importance.map(|it| value::number(&it, 1, i64::from(u32::MAX), place)).transpose()?;
    let interval = value::time(raw.interval, Duration::from_secs(60), place)?;
    if interval < LEAST_INTERVAL {
        let message = "the interval is shorter than a second: it would be a burden to the members";
        return Err(place.wrong(raw.name.span(), message.into()));
    }
    let deadline = value::time(raw.deadline.clone(), (interval * 4 / 5).min(LONGEST_CYCLE), place)?;
    if let Some(found) = raw.deadline.filter(|_| deadline > interval) {
        return Err(place.wrong(found.span(), "the deadline is longer than the interval".into()));
    }
    let max_age = value::time(raw.max_age, interval.saturating_mul(3).min(value::LONGEST_TIME), place)?;
    let (mut objects, mut tables) = (Vec::new(), Vec::new());
    for text in &raw.objects {
        match named(text, place)? {
            Named::Instance(oid) => objects.push(oid),
            Named::Column(_) | Named::Table(_) => {
                return Err(
                    place.wrong(text.span(), "expected a scalar; columns are listed in `tables`".into())
                );
            }
        }
    }
    for text in &raw.tables {
        match named(text, place)? {
            Named::Instance(_) => {
                return Err(place.wrong(text.span(), "expected a table or a column, found a scalar".into()));
            }
            Named::Column(column) => add_column(&mut tables, column),
            Named::Table(columns) => columns.into_iter().for_each(|column| add_column(&mut tables, column)),
        }
    }
    let aggregates = aggregate::check(raw.aggregate, &mut objects, &mut tables, place)?;
    let mut members = Members::default();
    members.add(raw.member, users, place)?;
    let file = raw.members_file.as_ref().map(|file| members.add_file(file, users, place)).transpose()?;
    let Members { members, groups, .. } = members;
    // A file that an inventory writes may have none, which is only reported.
    if members.is_empty() && groups.is_empty() && raw.members_file.is_none() {
        return Err(
            place.wrong(raw.name.span(), "the group has no members: expected [[group.member]]".into())
        );
    }
    if members.len() > MOST_MEMBERS {
        let message = format!("{} members, expected at most {MOST_MEMBERS}", members.len());
        return Err(place.wrong(raw.name.span(), message));
    }
    let peer = raw.peer.map(|peer| check_peer(peer, users, place)).transpose()?;
    let importance = importance.unwrap_or(100) as u32;
    Ok(GroupPlan {
        name,
        importance,
        interval,
        deadline,
        max_age,
        objects,
        tables,
        members_file: file,
        members,
        groups,
        aggregates,
        peer,
    })
}

fn check_peer(raw: raw::GroupPeer, users: &[UserPlan], place: Place<'_>) -> Checked<GroupPeerPlan> {
    let span = raw.at.address.span();
    let at = member::check_one(&raw.at, users, place)?;
    let Some(at) = at else {
        return Err(place.wrong(span, "expected the address of another agent".into()));
    };
    let missed = raw.missed.map(|missed| value::number(&missed, 1, 100, place)).transpose()?;
    Ok(GroupPeerPlan {
        at,
        is_standby: raw.standby,
        interval: value::time(raw.interval, Duration::from_secs(5), place)?,
        missed: missed.unwrap_or(3) as u32,
    })
}

pub(super) fn check_listen(
    raw: raw::Groups,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<GroupListenPlan> {
    let listen = |text: &Spanned<String>| match text.get_ref().parse::<ListenUrl>() {
        Ok(url) if url.transport == Transport::Udp => Ok(url),
        _ => Err(place.wrong(text.span(), "expected udp://ADDRESS:PORT".into())),
    };
    let community = |community: &Spanned<Secret>| MemberCommunity(community.get_ref().0.clone().into_bytes());
    let user = |name: Spanned<String>| match users.iter().any(|user| user.name == *name.get_ref()) {
        true => Ok(name.into_inner()),
        false => Err(place.wrong(
            name.span(),
            format!("there is no user {:?}, expected the name of a [[snmp.user]]", name.get_ref()),
        )),
    };
    let memory = raw.memory.map(|it| value::number(&it, LEAST_MEMORY, MOST_MEMORY, place)).transpose()?;
    Ok(GroupListenPlan {
        listen: value::all(raw.listen.iter().map(listen))?,
        communities: raw.community.iter().map(community).collect(),
        users: value::all(raw.user.into_iter().map(user))?,
        memory: memory.unwrap_or(MEMORY),
    })
}

/// What a name or an object identifier stands for.
enum Named {
    Instance(Oid),
    Column(Oid),
    Table(Vec<Oid>),
}

/// A name of a module that is built in, or an object identifier: one that ends in 0 is a scalar's, another one a column's.
fn named(text: &Spanned<String>, place: Place<'_>) -> Checked<Named> {
    let name = text.get_ref().as_str();
    if name.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        let oid = value::oid(text, place)?;
        let is_instance = oid.last() == Some(&0);
        return Ok(if is_instance { Named::Instance(oid) } else { Named::Column(oid) });
    }
    for module in ALL {
        if let Some(scalar) = module.scalars.iter().find(|scalar| scalar.name == name) {
            return Ok(Named::Instance(Oid::EMPTY.child(scalar.oid).child(&[0])));
        }
        for table in module.tables {
            let oid = |id: u32| Oid::EMPTY.child(table.oid).child(&[1, id]);
            if table.name == name {
                let readable = table.columns.iter().filter(|column| column.access.is_readable());
                return Ok(Named::Table(readable.map(|column| oid(column.id)).collect()));
            }
            if let Some(column) = table.columns.iter().find(|column| column.name == name) {
                return Ok(Named::Column(oid(column.id)));
            }
        }
    }
    let message = format!("{name:?} is neither an object identifier nor a name that is built in");
    Err(place.wrong(text.span(), message))
}

/// Adds a column beside those of the same table.
fn add_column(tables: &mut Vec<Vec<Oid>>, column: Oid) {
    let is_same_table = |columns: &&mut Vec<Oid>| {
        columns.first().is_some_and(|first| {
            first.len() == column.len() && first[..first.len() - 1] == column[..column.len() - 1]
        })
    };
    match tables.iter_mut().find(is_same_table) {
        Some(columns) if columns.contains(&column) => {}
        Some(columns) => columns.push(column),
        None => tables.push(vec![column]),
    }
}

const LEAST_INTERVAL: Duration = Duration::from_secs(1);

/// A member that needs longer is slow.
const LONGEST_CYCLE: Duration = Duration::from_secs(30);
