//! Which objects of the tree decide who may read and write a node.

use trunkline_smi::Oid;
use trunkline_smi::module::ALL;
use trunkline_tree::{Coverage, View};
use trunkline_yang::forest::{Forest, NodeId, PathOf, Place};

/// What decides about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Governing {
    /// Whoever may read and write all of these.
    Objects(Vec<Object>),
    /// The same to read all of it; a part of it, such as one's own session, is for everybody.
    InPart(Vec<Object>),
    /// Everybody who has any access may read it.
    Everybody,
    /// It is there with what it belongs to: keys of rows, containers.
    Others,
}

/// An object, a table or a column of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// `ifAdminStatus`.
    pub name: &'static str,
    /// Its identifier.
    pub oid: Oid,
    /// Whether it is a scalar: then its only instance decides.
    pub is_scalar: bool,
}

impl Object {
    /// An object by its descriptor.
    fn named(name: &str) -> Option<Object> {
        let scalars = ALL.iter().flat_map(|module| module.scalars);
        let tables = || ALL.iter().flat_map(|module| module.tables);
        if let Some(it) = scalars.clone().find(|it| it.name == name) {
            return Some(Object { name: it.name, oid: Oid::EMPTY.child(it.oid), is_scalar: true });
        }
        if let Some(it) = tables().find(|it| it.name == name) {
            return Some(Object { name: it.name, oid: Oid::EMPTY.child(it.oid), is_scalar: false });
        }
        tables().find_map(|table| {
            let column = table.columns.iter().find(|it| it.name == name)?;
            let oid = Oid::EMPTY.child(table.oid).child(&[1, column.id]);
            Some(Object { name: column.name, oid, is_scalar: false })
        })
    }

    /// The object of an identifier.
    fn of(oid: &[u32]) -> Object {
        let scalars = ALL.iter().flat_map(|module| module.scalars);
        let scalar = scalars.clone().find(|it| it.oid == oid);
        let table = ALL.iter().flat_map(|module| module.tables).find(|it| oid.starts_with(it.oid));
        let column = table.and_then(|table| match &oid[table.oid.len()..] {
            [] => Some(table.name),
            [1, id] => Some(table.column(*id)?.name),
            _ => None,
        });
        let unserved = || UNSERVED.iter().find(|(known, _)| *known == oid).map(|(_, name)| *name);
        let name = scalar.map(|it| it.name).or(column).or_else(unserved).unwrap_or("object");
        Object { name, oid: Oid::EMPTY.child(oid), is_scalar: scalar.is_some() }
    }

    /// How much of it a view has.
    pub fn coverage(&self, view: &View) -> Coverage {
        match self.is_scalar {
            true if view.contains(&self.oid.child(&[0])) => Coverage::All,
            true => Coverage::None,
            false => view.coverage(&self.oid),
        }
    }
}

/// What decides about a node.
pub fn governing(forest: &Forest, node: NodeId) -> Governing {
    let place = &forest[node].place;
    match place {
        Place::Scalar(scalar) => Governing::Objects(vec![Object::of(scalar.oid)]),
        Place::Column(table, column) => {
            Governing::Objects(vec![Object::of(&[table.oid, &[1, column.id]].concat())])
        }
        Place::Container | Place::List(_) | Place::Key(..) => Governing::Others,
        Place::Own { .. } if place.syntax().is_none() => Governing::Others,
        Place::Own { .. } => match place.setting() {
            Some(setting) => Governing::Objects(vec![Object::of(setting.object)]),
            None => of_state(forest, &PathOf(forest, node).to_string()),
        },
    }
}

/// State that the agent makes: the longest path decides.
fn of_state(forest: &Forest, path: &str) -> Governing {
    let is_at = |(known, _): &&(&str, Of)| {
        path.strip_prefix(known).is_some_and(|it| it.is_empty() || it.starts_with('/'))
    };
    let found = STATE.iter().filter(is_at).max_by_key(|(known, _)| known.len());
    let objects = |names: &[&str]| names.iter().filter_map(|name| Object::named(name)).collect();
    match found {
        Some((_, Of::Objects(names))) => Governing::Objects(objects(names)),
        Some((_, Of::InPart(names))) => Governing::InPart(objects(names)),
        Some((_, Of::Everybody)) => Governing::Everybody,
        Some((_, Of::AllIn(names))) => {
            let mut objects = Vec::new();
            let node = names.iter().try_fold(None, |at, name| Some(Some(forest.child(at, name)?))).flatten();
            node.into_iter().for_each(|node| settings_in(forest, node, &mut objects));
            Governing::Objects(objects)
        }
        None => Governing::Others,
    }
}

/// The objects of what can be configured at a node and in it, each once.
fn settings_in(forest: &Forest, node: NodeId, objects: &mut Vec<Object>) {
    let object = forest[node].place.setting().map(|setting| Object::of(setting.object));
    objects.extend(object.filter(|it| !objects.contains(it)));
    forest[node].children.iter().for_each(|child| settings_in(forest, *child, objects));
}

/// Objects of BGP4-MIB (RFC 4273), whose rights are those of BGP's configuration, and which the agent does not serve.
static UNSERVED: [(&[u32], &str); 5] = [
    (&[1, 3, 6, 1, 2, 1, 15, 2], "bgpLocalAs"),
    (&[1, 3, 6, 1, 2, 1, 15, 3, 1, 3], "bgpPeerAdminStatus"),
    (&[1, 3, 6, 1, 2, 1, 15, 4], "bgpIdentifier"),
    (&[1, 3, 6, 1, 2, 1, 15, 6, 1, 3], "bgp4PathAttrIpAddrPrefix"),
    (&[1, 3, 6, 1, 2, 1, 15, 6, 1, 8], "bgp4PathAttrLocalPref"),
];

/// The same as [`Governing`], by descriptors.
enum Of {
    Objects(&'static [&'static str]),
    InPart(&'static [&'static str]),
    Everybody,
    /// All that decide about what is configured at these names and in it.
    AllIn(&'static [&'static str]),
}

/// Who may read VACM's tables may read what they are in NACM's words.
const VACM: Of = Of::Objects(&["vacmSecurityToGroupTable", "vacmAccessTable", "vacmViewTreeFamilyTable"]);

/// The names of users and their groups.
const NAMES: Of = Of::Objects(&["vacmSecurityToGroupTable"]);
/// What a program knows is for those who may read all that is configured there.
const BGP: Of = Of::AllIn(&["bgp"]);
const NEIGHBOR: Of = Of::AllIn(&["bgp", "neighbors", "neighbor", "peer-as"]);

/// State that is made of rows, as it is made.
static STATE: [(&str, Of); 71] = [
    ("/ietf-netconf-acm:nacm", VACM),
    ("/ietf-netconf-monitoring:netconf-state", Of::Everybody),
    ("/ietf-netconf-monitoring:netconf-state/sessions", Of::InPart(&["vacmSecurityToGroupTable"])),
    ("/ietf-restconf-monitoring:restconf-state", Of::Everybody),
    ("/ietf-yang-library:yang-library", Of::Everybody),
    ("/ietf-yang-library:modules-state", Of::Everybody),
    ("/nc-notifications:netconf", Of::Everybody),
    ("/ietf-system:system-state/platform", Of::Objects(&["sysDescr"])),
    ("/ietf-system:system-state/clock", Of::Objects(&["hrSystemDate"])),
    ("/ietf-interfaces:interfaces/interface/admin-status", Of::Objects(&["ifAdminStatus"])),
    ("/ietf-interfaces:interfaces/interface/oper-status", Of::Objects(&["ifOperStatus"])),
    ("/ietf-interfaces:interfaces/interface/last-change", Of::Objects(&["ifLastChange"])),
    ("/ietf-interfaces:interfaces/interface/if-index", Of::Objects(&["ifName"])),
    ("/ietf-interfaces:interfaces/interface/phys-address", Of::Objects(&["ifPhysAddress"])),
    ("/ietf-interfaces:interfaces/interface/speed", Of::Objects(&["ifHighSpeed"])),
    (
        "/ietf-interfaces:interfaces/interface/statistics/discontinuity-time",
        Of::Objects(&["ifCounterDiscontinuityTime"]),
    ),
    ("/ietf-interfaces:interfaces/interface/statistics/in-octets", Of::Objects(&["ifHCInOctets"])),
    ("/ietf-interfaces:interfaces/interface/statistics/in-unicast-pkts", Of::Objects(&["ifHCInUcastPkts"])),
    (
        "/ietf-interfaces:interfaces/interface/statistics/in-broadcast-pkts",
        Of::Objects(&["ifHCInBroadcastPkts"]),
    ),
    (
        "/ietf-interfaces:interfaces/interface/statistics/in-multicast-pkts",
        Of::Objects(&["ifHCInMulticastPkts"]),
    ),
    ("/ietf-interfaces:interfaces/interface/statistics/in-discards", Of::Objects(&["ifInDiscards"])),
    ("/ietf-interfaces:interfaces/interface/statistics/in-errors", Of::Objects(&["ifInErrors"])),
    (
        "/ietf-interfaces:interfaces/interface/statistics/in-unknown-protos",
        Of::Objects(&["ifInUnknownProtos"]),
    ),
    ("/ietf-interfaces:interfaces/interface/statistics/out-octets", Of::Objects(&["ifHCOutOctets"])),
    ("/ietf-interfaces:interfaces/interface/statistics/out-unicast-pkts", Of::Objects(&["ifHCOutUcastPkts"])),
    (
        "/ietf-interfaces:interfaces/interface/statistics/out-broadcast-pkts",
        Of::Objects(&["ifHCOutBroadcastPkts"]),
    ),
    (
        "/ietf-interfaces:interfaces/interface/statistics/out-multicast-pkts",
        Of::Objects(&["ifHCOutMulticastPkts"]),
    ),
    ("/ietf-interfaces:interfaces/interface/statistics/out-discards", Of::Objects(&["ifOutDiscards"])),
    ("/ietf-interfaces:interfaces/interface/statistics/out-errors", Of::Objects(&["ifOutErrors"])),
    ("/ietf-interfaces:interfaces/interface/ietf-ip:ipv4/address/origin", Of::Objects(&["ipAddressIfIndex"])),
    ("/ietf-interfaces:interfaces/interface/ietf-ip:ipv6/address/origin", Of::Objects(&["ipAddressIfIndex"])),
    ("/ietf-interfaces:interfaces/interface/ietf-ip:ipv6/mtu", Of::Objects(&["ifMtu"])),
    ("/ietf-routing:routing/ribs", Of::Objects(&["inetCidrRouteIfIndex"])),
    ("/trunkline-netconf:netconf/network/interfaces/iface/name", Of::Objects(&["ifName"])),
    ("/trunkline-netconf:netconf/network/interfaces/iface/index", Of::Objects(&["ifName"])),
    (
        "/trunkline-netconf:netconf/network/interfaces/iface/mac-address",
        Of::Objects(&["ifName", "ifPhysAddress"]),
    ),
    ("/trunkline-netconf:netconf/network/interfaces/iface/description", Of::Objects(&["ifName", "ifAlias"])),
    ("/trunkline-netconf:netconf/network/interfaces/iface/mtu", Of::Objects(&["ifName", "ifMtu"])),
    (
        "/trunkline-netconf:netconf/network/interfaces/iface/enabled",
        Of::Objects(&["ifName", "ifAdminStatus"]),
    ),
    ("/trunkline-netconf:netconf/network/interfaces/iface/status", Of::Objects(&["ifName", "ifOperStatus"])),
    (
        "/trunkline-netconf:netconf/network/interfaces/iface/in-octets",
        Of::Objects(&["ifName", "ifHCInOctets"]),
    ),
    (
        "/trunkline-netconf:netconf/network/interfaces/iface/out-octets",
        Of::Objects(&["ifName", "ifHCOutOctets"]),
    ),
    (
        "/trunkline-netconf:netconf/network/interfaces/iface/address",
        Of::Objects(&["ifName", "ipAddressIfIndex"]),
    ),
    ("/trunkline-netconf:netconf/network/routes/route", Of::Objects(&["inetCidrRouteIfIndex"])),
    (
        "/trunkline-netconf:netconf/network/routes/route/iface",
        Of::Objects(&["inetCidrRouteIfIndex", "ifName"]),
    ),
    (
        "/trunkline-netconf:netconf/network/routes/route/metric",
        Of::Objects(&["inetCidrRouteIfIndex", "inetCidrRouteMetric1"]),
    ),
    ("/trunkline-netconf:netconf/system/rpm-list/rpm", Of::Objects(&["hrSWInstalledName"])),
    ("/trunkline-bgp:bgp", BGP),
    ("/trunkline-netconf:netconf/routing/bgp/bgprouter/as-number", Of::AllIn(&["bgp", "global", "as"])),
    (
        "/trunkline-netconf:netconf/routing/bgp/bgprouter/identifier",
        Of::AllIn(&["bgp", "global", "identifier"]),
    ),
    ("/trunkline-netconf:netconf/routing/bgp/bgprouter/networks", Of::AllIn(&["bgp", "global", "afi-safis"])),
    ("/trunkline-netconf:netconf/routing/bgp/bgprouter/neighbors", NEIGHBOR),
    ("/trunkline-netconf:netconf/routing/bgp/bgprouter/neighbors/neighbor/state", BGP),
    ("/trunkline-netconf:netconf/routing/bgp/bgprouter/neighbors/neighbor/established-transitions", BGP),
    (
        "/trunkline-netconf:netconf/routing/bgp/bgprouter/neighbors/neighbor/address-families/address-family/prefixes-received",
        BGP,
    ),
    (
        "/trunkline-netconf:netconf/routing/bgp/bgprouter/neighbors/neighbor/address-families/address-family/prefixes-sent",
        BGP,
    ),
    ("/trunkline-netconf:netconf/routing/bgp/filters", Of::AllIn(&["bgp", "policies"])),
    ("/trunkline-netconf:netconf/security/rbac/users", NAMES),
    ("/trunkline-netconf:netconf/security/rbac/roles", NAMES),
    ("/trunkline-netconf:netconf/security/rbac/user-assignements", NAMES),
    ("/trunkline-netconf:netconf/security/rbac/permissions", VACM),
    ("/trunkline-netconf:netconf/security/rbac/permission-assignements", VACM),
    (
        "/ietf-routing:routing/ribs/rib/routes/route/route-preference",
        Of::Objects(&["inetCidrRouteIfIndex", "inetCidrRouteMetric1"]),
    ),
    (
        "/ietf-routing:routing/ribs/rib/routes/route/source-protocol",
        Of::Objects(&["inetCidrRouteIfIndex", "inetCidrRouteProto"]),
    ),
    (
        "/ietf-routing:routing/ribs/rib/routes/route/next-hop/outgoing-interface",
        Of::Objects(&["inetCidrRouteIfIndex", "ifName"]),
    ),
    (
        "/ietf-routing:routing/ribs/rib/routes/route/next-hop/special-next-hop",
        Of::Objects(&["inetCidrRouteIfIndex", "inetCidrRouteType"]),
    ),
    (
        "/ietf-routing:routing/ribs/rib/routes/route/next-hop/next-hop-list/next-hop/outgoing-interface",
        Of::Objects(&["inetCidrRouteIfIndex", "ifName"]),
    ),
    ("/ietf-routing:routing/ribs/rib/routes/route/active", Of::Objects(&["inetCidrRouteIfIndex"])),
    ("/ietf-routing:routing/ribs/rib/name", Of::Objects(&["inetCidrRouteIfIndex"])),
    ("/ietf-routing:routing/ribs/rib/address-family", Of::Objects(&["inetCidrRouteIfIndex"])),
    (
        "/ietf-routing:routing/ribs/rib/routes/route/destination-prefix",
        Of::Objects(&["inetCidrRouteIfIndex"]),
    ),
];

#[cfg(test)]
mod tests {
    use trunkline_yang::own;

    use super::*;
    use crate::testing::forest;

    #[test]
    fn every_name_is_that_of_an_object() {
        for (path, of) in &STATE {
            let (Of::Objects(names) | Of::InPart(names)) = of else { continue };
            for name in *names {
                assert!(Object::named(name).is_some(), "{path}: {name}");
            }
        }
    }

    /// State of these modules has somebody who may read it; a new leaf needs a row above.
    #[test]
    fn every_leaf_of_a_module_that_is_known_here_has_its_objects() {
        let forest = forest();
        let known: Vec<&str> =
            STATE.iter().filter_map(|(path, _)| path[1..].split_once(':').map(|it| it.0)).collect();
        fn check(forest: &Forest, node: NodeId, known: &[&str]) {
            let place = &forest[node].place;
            if matches!(place, Place::Own { .. })
                && place.syntax().is_some()
                && known.contains(&forest.module(node).name)
            {
                assert_ne!(governing(forest, node), Governing::Others, "{}", PathOf(forest, node));
            }
            forest[node].children.iter().for_each(|child| check(forest, *child, known));
        }
        forest.roots().iter().for_each(|root| check(&forest, *root, &known));
        assert!(own::ALL.iter().any(|module| known.contains(&module.name)));
    }

    #[test]
    fn nodes_are_governed_by_what_they_show() {
        let forest = forest();
        let of = |path: &[&str]| {
            let node = path.iter().fold(None, |at, name| Some(forest.child(at, name).unwrap()));
            match governing(&forest, node.unwrap()) {
                Governing::Objects(objects) => {
                    objects.iter().map(|it| format!("{} {}", it.name, it.oid)).collect()
                }
                other => vec![format!("{other:?}")],
            }
        };
        assert_eq!(of(&["interfaces", "interface", "enabled"]), ["ifAdminStatus 1.3.6.1.2.1.2.2.1.7"]);
        assert_eq!(of(&["system", "contact"]), ["sysContact 1.3.6.1.2.1.1.4"]);
        assert_eq!(of(&["IF-MIB", "ifTable", "ifEntry", "ifName"]), ["ifName 1.3.6.1.2.1.31.1.1.1.1"]);
        assert_eq!(of(&["IF-MIB", "ifTable", "ifEntry", "ifIndex"]), ["Others"]);
        assert_eq!(
            of(&["nacm", "groups", "group", "user-name"]),
            ["vacmSecurityToGroupTable 1.3.6.1.6.3.16.1.2"]
        );
        assert_eq!(of(&["yang-library", "content-id"]), ["Everybody"]);
        // What shows the same is governed by the same.
        let router = ["bgp", "global", "as"];
        let paper = forest.child_of(None, "trunkline-netconf", "netconf").unwrap();
        let shown = ["routing", "bgp", "bgprouter", "as-number"];
        let shown = shown.iter().fold(paper, |at, name| forest.child(Some(at), name).unwrap());
        let node = router.iter().fold(None, |at, name| Some(forest.child(at, name).unwrap())).unwrap();
        assert_eq!(governing(&forest, shown), governing(&forest, node));
        assert_eq!(of(&router), ["bgpLocalAs 1.3.6.1.2.1.15.2"]);
        assert_eq!(of(&["bgp", "neighbors", "neighbor", "session-state"]).len(), 5);
    }
}
