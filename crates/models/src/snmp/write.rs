//! The rows that a configuration is, and what is to change for them to be.

use std::collections::BTreeMap;

use trunkline_datastore::{Branch, Step};
use trunkline_netconf::error::Tag;
use trunkline_smi::module::snmp_tls_tm_mib as tls;
use trunkline_smi::{IndexValue, Oid, Value};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{LEVELS, MAP_TYPES, MODELS_OR_ANY};
use trunkline_yang::value_type::{of_binary, of_hex};

use super::build::Look;
use super::form::{Place, mask, subtree_of, wildcard_of};
use super::read::empty;
use super::rows::{index, octets, of};
use super::{RowId, SnmpEdit, SnmpFault, SnmpRow, SnmpRows, SnmpScalar, SnmpState, root, users};

/// Rows that are wanted, and where each comes from.
#[derive(Default)]
pub(crate) struct Wanted(BTreeMap<RowId, (SnmpRow, Vec<Step>)>);

impl Wanted {
    /// Another row. Two places that want the same row want the same of it.
    pub fn add(
        &mut self,
        table: &'static str,
        values: &[IndexValue],
        row: SnmpRow,
        path: Vec<Step>,
    ) -> Result<(), SnmpFault> {
        let Some(index) = index(table, values) else {
            return Err(fault(path, "no row can have this name"));
        };
        if let Some((other, _)) = self.0.get(&(table, index.clone())) {
            return match *other == row {
                true => Ok(()),
                false => {
                    Err(fault(path, "another entry says something else of the same row of SNMP's tables"))
                }
            };
        }
        self.0.insert((table, index), (row, path));
        Ok(())
    }
}

fn fault(path: Vec<Step>, reason: &str) -> SnmpFault {
    SnmpFault::invalid(path, reason)
}

pub(super) fn edits(
    forest: &Forest,
    state: &SnmpState,
    before: Option<&Branch>,
    after: Option<&Branch>,
    is_new: bool,
) -> Result<(Vec<SnmpEdit>, Vec<SnmpScalar>), SnmpFault> {
    let Some(root) = root(forest) else { return Ok(Default::default()) };
    let nothing = empty();
    let look = |branch: Option<&'_ Branch>| branch.cloned().unwrap_or_else(|| nothing.clone());
    let (before, after) = (look(before), look(after));
    let at = |branch| Look { forest, path: vec![Step::to(root)], branch };
    let (before, after) = (at(&before), at(&after));
    let scalars = scalars(&before, &after)?;
    let edits = differences(state, wanted(state, &before)?, wanted(state, &after)?, is_new)?;
    Ok((edits, scalars))
}

/// What is to change for the rows that are wanted to be others.
pub(crate) fn differences(
    state: &SnmpState,
    old: Wanted,
    new: Wanted,
    is_new: bool,
) -> Result<Vec<SnmpEdit>, SnmpFault> {
    let (old, new) = (old.0, new.0);
    let mut edits = Vec::new();
    for (id, (_, path)) in old.iter().filter(|(id, _)| !new.contains_key(*id)) {
        let (row, path) = (id.clone(), path.clone());
        edits.push(SnmpEdit { row, cells: None, secrets: Vec::new(), path });
    }
    for (id, (row, path)) in new {
        let known = old.get(&id).map(|(row, _)| row);
        if known == Some(&row) {
            continue;
        }
        match state.rows.get(&id) {
            Some(there) if there.is_fixed => {
                let fault = fault(path, "the agent's configuration file has it: change it there");
                return Err(SnmpFault { tag: Tag::AccessDenied, ..fault });
            }
            Some(_) if known.is_none() && is_new => {
                let reason = format!(
                    "{} has such a row, with what this model cannot show: remove it there first",
                    id.0
                );
                return Err(SnmpFault { path, reason, tag: Tag::DataExists });
            }
            _ => {}
        }
        edits.push(edit(id, known, row, path));
    }
    Ok(edits)
}

/// What differs of a row.
fn edit(id: RowId, known: Option<&SnmpRow>, row: SnmpRow, path: Vec<Step>) -> SnmpEdit {
    let differs = |column: &str, value: &Value| known.is_none_or(|it| it.cells.get(column) != Some(value));
    let cells = row.cells.into_iter().filter(|(column, value)| differs(column, value)).collect();
    let lost = known.into_iter().flat_map(|it| it.secrets.keys());
    let lost = lost.filter(|name| !row.secrets.contains_key(*name)).map(|name| (*name, None));
    let mut secrets: Vec<_> = lost.collect();
    secrets.extend(row.secrets.into_iter().map(|(name, secret)| (name, Some(secret))));
    SnmpEdit { row: id, cells: Some(cells), secrets, path }
}

/// The scalars that change; of the rest of the engine nothing can.
fn scalars(before: &Look<'_>, after: &Look<'_>) -> Result<Vec<SnmpScalar>, SnmpFault> {
    let mut scalars = Vec::new();
    for (container, leaf) in [("engine", "enable-authen-traps"), ("tsm", "use-prefix")] {
        let (old, new) = (before.within(container), after.within(container));
        let value = |of: &Option<Look<'_>>| of.as_ref().and_then(|it| it.leaf(leaf)).map(str::to_owned);
        if value(&old) != value(&new) {
            let of = new.as_ref().or(old.as_ref());
            let path = of.map(|it| it.place(leaf)).unwrap_or_default();
            scalars.push(SnmpScalar { path, value: value(&new).as_deref() == Some("true") });
        }
    }
    let engine = |of: &Look<'_>| {
        let engine = of.within("engine");
        let mut branch = engine.as_ref().map(|it| it.branch.clone()).unwrap_or_default();
        if let Some(step) = engine.and_then(|it| it.place("enable-authen-traps").pop()) {
            branch.remove(&step);
        }
        branch
    };
    let (old, new) = (engine(before), engine(after));
    if old != new {
        let differs = |(step, item): &(&Step, _)| old.get(step) != Some(*item);
        let step = new.iter().find(differs).or_else(|| old.iter().find(|(step, _)| new.get(step).is_none()));
        let at = after.within("engine").or_else(|| before.within("engine"));
        let mut path = at.map(|it| it.path).unwrap_or_default();
        path.extend(step.map(|(step, _)| step.clone()));
        return Err(fault(
            path,
            "the agent's configuration file says where SNMP listens, and which engine ID and versions it has: change it there, in [snmp] and [agent]",
        ));
    }
    Ok(scalars)
}

/// The rows that a configuration is.
fn wanted(state: &SnmpState, root: &Look<'_>) -> Result<Wanted, SnmpFault> {
    let mut wanted = Wanted::default();
    root.entries("target").try_for_each(|it| target(&it, &mut wanted))?;
    root.entries("target-params").try_for_each(|it| params(&it, &mut wanted))?;
    for notify in root.entries("notify") {
        let kind = if notify.leaf_or_default("type") == "inform" { 2 } else { 1 };
        let cells = [("snmpNotifyTag", text(notify.leaf("tag"))), ("snmpNotifyType", Value::Integer(kind))];
        wanted.add("snmpNotifyTable", &name(&notify), row(cells), notify.path)?;
    }
    let filters = Families {
        table: "snmpNotifyFilterTable",
        mask: "snmpNotifyFilterMask",
        kind: "snmpNotifyFilterType",
    };
    root.entries("notify-filter-profile").try_for_each(|it| filters.wanted(&state.rows, &it, &mut wanted))?;
    for community in root.entries("community") {
        let named = |leaf| community.leaf(leaf);
        let binary = || named("binary-name").and_then(of_binary);
        // RFC 7407: without a name it is the security name.
        let community_name = named("text-name").map(|it| it.as_bytes().to_vec()).or_else(binary);
        let community_name =
            community_name.unwrap_or_else(|| named("security-name").unwrap_or_default().into());
        let cells = [
            ("snmpCommunityName", Value::OctetString(community_name)),
            ("snmpCommunitySecurityName", text(named("security-name"))),
            ("snmpCommunityContextName", text(named("context"))),
            ("snmpCommunityTransportTag", text(named("target-tag"))),
        ];
        let index = [octets(named("index").unwrap_or_default())];
        wanted.add("snmpCommunityTable", &index, row(cells), community.path.clone())?;
    }
    if let Some(usm) = root.within("usm") {
        users::wanted(&state.engine, &usm, &mut wanted)?;
    }
    if let Some(vacm) = root.within("vacm") {
        vacm.entries("group").try_for_each(|it| group(&it, &mut wanted))?;
        let views = Families {
            table: "vacmViewTreeFamilyTable",
            mask: "vacmViewTreeFamilyMask",
            kind: "vacmViewTreeFamilyType",
        };
        vacm.entries("view").try_for_each(|it| views.wanted(&state.rows, &it, &mut wanted))?;
    }
    if let Some(tlstm) = root.within("tlstm") {
        tlstm.entries("cert-to-name").try_for_each(|it| certificate(&it, &mut wanted))?;
    }
    Ok(wanted)
}

fn row<const N: usize>(cells: [(&'static str, Value); N]) -> SnmpRow {
    SnmpRow { cells: cells.into(), ..SnmpRow::default() }
}

fn text(value: Option<&str>) -> Value {
    Value::OctetString(value.unwrap_or_default().as_bytes().to_vec())
}

/// The index of a row whose entry has its name.
fn name(entry: &Look<'_>) -> [IndexValue; 1] {
    [octets(entry.leaf("name").unwrap_or_default())]
}

fn target(target: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let found = ["udp", "tls", "dtls", "ssh"].into_iter().find_map(|it| Some((it, target.within(it)?)));
    let Some((transport, at)) = found else {
        return Err(fault(target.path.clone(), "a target has a transport"));
    };
    let host = at.leaf("ip").unwrap_or_default().to_owned();
    let port = u16::try_from(at.number("port")).unwrap_or_default();
    let user = (transport == "ssh").then(|| at.leaf("username").map(str::to_owned)).flatten();
    let place = Place { transport, host, port, user };
    let Some((domain, address)) = place.address() else {
        return Err(fault(at.path, "there is no such address"));
    };
    let mut masked = Vec::new();
    if transport == "udp"
        && let Some(length) = at.leaf("prefix-length").and_then(|it| it.parse::<usize>().ok())
    {
        if place.host.contains('%') || length > (address.len() - 2) * 8 {
            return Err(fault(at.place("prefix-length"), "the address has no prefix of this length"));
        }
        masked = mask(length, address.len());
    }
    let tags: Vec<&str> = target.values("tag").map(|(tag, _)| tag).collect();
    if let Some((_, path)) = target.values("tag").find(|(tag, _)| tag.is_empty()) {
        return Err(fault(path, "a target cannot have an empty tag"));
    }
    let octets_of = |it: &str| if it == "unknown" { 0 } else { it.parse().unwrap_or_default() };
    let cells = [
        ("snmpTargetAddrTDomain", Value::ObjectIdentifier(Oid::EMPTY.child(domain))),
        ("snmpTargetAddrTAddress", Value::OctetString(address)),
        ("snmpTargetAddrTimeout", Value::Integer(target.number("timeout"))),
        ("snmpTargetAddrRetryCount", Value::Integer(target.number("retries"))),
        ("snmpTargetAddrTagList", Value::OctetString(tags.join(" ").into_bytes())),
        ("snmpTargetAddrParams", text(target.leaf("target-params"))),
        ("snmpTargetAddrTMask", Value::OctetString(masked)),
        ("snmpTargetAddrMMS", Value::Integer(octets_of(target.leaf_or_default("mms")))),
    ];
    wanted.add("snmpTargetAddrTable", &name(target), row(cells), target.path.clone())?;
    if !matches!(transport, "tls" | "dtls") {
        return Ok(());
    }
    let hex = |leaf| Value::OctetString(at.leaf(leaf).and_then(of_hex).unwrap_or_default());
    if at.leaf("server-fingerprint").is_some() || at.leaf("server-identity").is_some() {
        let cells = [
            ("snmpTlstmAddrServerFingerprint", hex("server-fingerprint")),
            ("snmpTlstmAddrServerIdentity", text(at.leaf("server-identity"))),
        ];
        wanted.add("snmpTlstmAddrTable", &name(target), row(cells), at.path.clone())?;
    }
    if at.leaf("client-fingerprint").is_some() {
        let cells = [("snmpTlstmParamsClientFingerprint", hex("client-fingerprint"))];
        let index = [octets(target.leaf("target-params").unwrap_or_default())];
        wanted.add("snmpTlstmParamsTable", &index, row(cells), at.place("client-fingerprint"))?;
    }
    Ok(())
}

fn params(params: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let found = [("v1", 0, 1), ("v2c", 1, 2), ("usm", 3, 3), ("tsm", 3, 4)]
        .into_iter()
        .find_map(|(case, version, model)| Some((params.within(case)?, version, model)));
    let Some((case, version, model)) = found else {
        return Err(fault(
            params.path.clone(),
            "parameters without v1, v2c, usm or tsm cannot be kept: give one of them",
        ));
    };
    let user = case.leaf(if model == 3 { "user-name" } else { "security-name" });
    let level = match version {
        3 => number_of(&LEVELS, case.leaf("security-level").unwrap_or_default()),
        _ => 1,
    };
    let cells = [
        ("snmpTargetParamsMPModel", Value::Integer(version)),
        ("snmpTargetParamsSecurityModel", Value::Integer(model)),
        ("snmpTargetParamsSecurityName", text(user)),
        ("snmpTargetParamsSecurityLevel", Value::Integer(level)),
    ];
    wanted.add("snmpTargetParamsTable", &name(params), row(cells), params.path.clone())?;
    if let Some(profile) = params.leaf("notify-filter-profile") {
        let cells = [("snmpNotifyFilterProfileName", text(Some(profile)))];
        let path = params.place("notify-filter-profile");
        wanted.add("snmpNotifyFilterProfileTable", &name(params), row(cells), path)?;
    }
    Ok(())
}

/// The number of a name, from 1.
fn number_of(names: &[&str], name: &str) -> i32 {
    let at = names.iter().position(|it| *it == name);
    at.and_then(|at| i32::try_from(at + 1).ok()).unwrap_or_default()
}

/// A table of subtrees: filters or views.
struct Families {
    table: &'static str,
    mask: &'static str,
    kind: &'static str,
}

impl Families {
    fn wanted(&self, rows: &SnmpRows, entry: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
        let named = entry.leaf("name").unwrap_or_default();
        let mut is_any = false;
        for (leaf, kind) in [("include", 1), ("exclude", 2)] {
            for (value, path) in entry.values(leaf) {
                is_any = true;
                let Some((subtree, mask)) = subtree_of(value) else {
                    return Err(fault(path, "a wildcard may stand among the first 128 numbers"));
                };
                let of = |subtree: &[u32]| {
                    [octets(named), IndexValue::ObjectIdentifier(Oid::EMPTY.child(subtree))]
                };
                let cells = |mask: &[u8]| {
                    row([(self.mask, Value::OctetString(mask.to_vec())), (self.kind, Value::Integer(kind))])
                };
                // Where a manager has written another number for a wildcard, or another mask that means the same, it stays.
                let there = self.there(rows, named, value);
                if there.is_empty() {
                    wanted.add(self.table, &of(&subtree), cells(&mask), path.clone())?;
                }
                for (subtree, mask) in there {
                    wanted.add(self.table, &of(&subtree), cells(&mask), path.clone())?;
                }
            }
        }
        match is_any {
            true => Ok(()),
            false => Err(fault(
                entry.path.clone(),
                "it cannot be kept without include and exclude: give it a subtree, or leave it out",
            )),
        }
    }

    /// The subtrees and masks of rows that the model shows as this value.
    fn there(&self, rows: &SnmpRows, named: &str, value: &str) -> Vec<(Oid, Vec<u8>)> {
        let its = of(rows, self.table).filter_map(|(values, row)| match &values[..] {
            [IndexValue::Octets(name), IndexValue::ObjectIdentifier(subtree)]
                if name == named.as_bytes() && wildcard_of(subtree, row.octets(self.mask)) == value =>
            {
                Some((subtree.clone(), row.octets(self.mask).to_vec()))
            }
            _ => None,
        });
        its.collect()
    }
}

fn group(group: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let named = group.leaf("name").unwrap_or_default();
    let mut is_any = false;
    for member in group.entries("member") {
        let user = member.leaf("security-name").unwrap_or_default();
        for (model, path) in member.values("security-model") {
            is_any = true;
            let index = [IndexValue::Integer(model_number(model)), octets(user)];
            let cells = [("vacmGroupName", text(Some(named)))];
            wanted.add("vacmSecurityToGroupTable", &index, row(cells), path)?;
        }
    }
    for access in group.entries("access") {
        is_any = true;
        let leaf = |name| access.leaf(name).unwrap_or_default();
        let level = u32::try_from(number_of(&LEVELS, leaf("security-level"))).unwrap_or_default();
        let index = [
            octets(named),
            octets(leaf("context")),
            IndexValue::Integer(model_number(leaf("security-model"))),
            IndexValue::Integer(level),
        ];
        let kind = if access.leaf_or_default("context-match") == "prefix" { 2 } else { 1 };
        let cells = [
            ("vacmAccessContextMatch", Value::Integer(kind)),
            ("vacmAccessReadViewName", text(access.leaf("read-view"))),
            ("vacmAccessWriteViewName", text(access.leaf("write-view"))),
            ("vacmAccessNotifyViewName", text(access.leaf("notify-view"))),
        ];
        wanted.add("vacmAccessTable", &index, row(cells), access.path.clone())?;
    }
    match is_any {
        true => Ok(()),
        false => Err(fault(
            group.path.clone(),
            "a group without members and access cannot be kept: give it some, or leave it out",
        )),
    }
}

/// The number of a security model.
fn model_number(model: &str) -> u32 {
    let named = MODELS_OR_ANY.iter().find(|(name, _)| *name == model).map(|(_, number)| *number);
    named.or_else(|| model.parse().ok()).unwrap_or_default()
}

fn certificate(entry: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let kind = entry.leaf("map-type").unwrap_or_default();
    let kind = kind.rsplit(':').next().unwrap_or_default();
    let named = entry.leaf("name");
    if (kind == MAP_TYPES[0]) != named.is_some() {
        let reason = "a name belongs to the type specified, and to no other";
        return Err(fault(entry.place("name"), reason));
    }
    let number = u32::try_from(number_of(&MAP_TYPES, kind)).unwrap_or_default();
    let kinds = tls::SNMP_TLSTM_CERT_SPECIFIED;
    let oid = Oid::EMPTY.child(&kinds[..kinds.len() - 1]).child(&[number]);
    let fingerprint = entry.leaf("fingerprint").and_then(of_hex).unwrap_or_default();
    let cells = [
        ("snmpTlstmCertToTSNFingerprint", Value::OctetString(fingerprint)),
        ("snmpTlstmCertToTSNMapType", Value::ObjectIdentifier(oid)),
        ("snmpTlstmCertToTSNData", text(named)),
    ];
    let id = entry.leaf("id").and_then(|it| it.parse().ok()).unwrap_or_default();
    wanted.add("snmpTlstmCertToTSNTable", &[IndexValue::Integer(id)], row(cells), entry.path.clone())
}
