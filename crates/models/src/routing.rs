//! `/routing` (RFC 8349): the static routes of the configuration, and a RIB for each version of IP, which is the kernel's main table.

use trunkline_datastore::Branch;
use trunkline_yang::own::{IPV4_ROUTING, IPV6_ROUTING, OwnModule, ROUTING};

use crate::made::Made;
use crate::model::{Model, Part};
use crate::routes::{self, Hop, hops};
use crate::rows::Rows;

pub(crate) static MODEL: Model = Model {
    module: &ROUTING,
    root: "routing",
    parts: &[Part { path: &["ribs"], reads: &routes::READS }],
    make,
};

fn make(rows: &Rows, config: Option<&Branch>, made: &mut Made<'_>) {
    // What is configured of routing are static routes.
    config.into_iter().for_each(|config| made.copy(config));
    let mut all: Vec<Hop> = hops(rows).collect();
    made.within("ribs", |made| {
        for (name, module, family) in [
            ("ipv4-main", &IPV4_ROUTING, "v4ur:ipv4-unicast"),
            ("ipv6-main", &IPV6_ROUTING, "v6ur:ipv6-unicast"),
        ] {
            // Rows are in the order of their destinations, those of IPv4 first.
            let rest = match module.name == IPV4_ROUTING.name {
                true => all.split_off(all.partition_point(|hop| hop.destination.is_ipv4())),
                false => Vec::new(),
            };
            let hops = std::mem::replace(&mut all, rest);
            if hops.is_empty() {
                continue;
            }
            made.within("rib", |made| {
                made.leaf("name", name);
                made.leaf("address-family", family);
                made.within("routes", |made| {
                    hops.chunk_by(Hop::has_destination_of).for_each(|hops| to_one(hops, module, made));
                });
            });
        }
    });
}

/// The routes to one destination. Hops by way of routers at the same price are one route.
fn to_one(hops: &[Hop], module: &'static OwnModule, made: &mut Made<'_>) {
    let best = hops.iter().map(|hop| hop.metric).min();
    let is_one = |one: &Hop, other: &Hop| {
        (one.metric, one.protocol) == (other.metric, other.protocol)
            && one.gateway.is_some()
            && other.gateway.is_some()
    };
    for hops in hops.chunk_by(is_one) {
        let [hop, ..] = hops else { continue };
        made.within("route", |made| {
            if let Some(metric) = hop.metric {
                made.leaf("route-preference", &metric.to_string());
            }
            made.within("next-hop", |made| match (special(hop), hops) {
                (Some(special), _) => made.leaf("special-next-hop", special),
                (None, [hop]) => next_hop(hop, "next-hop-address", module, made),
                (None, hops) => made.within("next-hop-list", |made| {
                    for hop in hops {
                        made.within("next-hop", |made| next_hop(hop, "address", module, made));
                    }
                }),
            });
            made.leaf("source-protocol", source(hop.protocol));
            if Some(hop.metric) == best {
                made.leaf("active", "");
            }
            made.leaf_in(module, "destination-prefix", &format!("{}/{}", hop.destination, hop.prefix_length));
        });
    }
}

fn next_hop(hop: &Hop, address: &str, module: &'static OwnModule, made: &mut Made<'_>) {
    if let Some(interface) = &hop.interface {
        made.leaf("outgoing-interface", interface);
    }
    // The model has no room for a router of the other version of IP.
    if let Some(gateway) = hop.gateway.filter(|it| it.is_ipv4() == hop.destination.is_ipv4()) {
        made.leaf_in(module, address, &gateway.to_string());
    }
}

/// By inetCidrRouteType, which does not tell what is unreachable from what is prohibited.
const fn special(hop: &Hop) -> Option<&'static str> {
    match hop.kind {
        Some(2) => Some("unreachable"),
        Some(5) => Some("blackhole"),
        _ => None,
    }
}

/// The identity of an IANAipRouteProtocol.
const fn source(protocol: Option<i32>) -> &'static str {
    match protocol {
        Some(2) => "direct",
        Some(3) => "static",
        Some(4) => "tlr:icmp",
        Some(8) => "tlr:rip",
        Some(9) => "tlr:is-is",
        Some(13) => "tlr:ospf",
        Some(14) => "tlr:bgp",
        Some(16) => "tlr:eigrp",
        Some(17) => "tlr:dvmrp",
        Some(19) => "tlr:dhcp",
        _ => "tlr:other",
    }
}

#[cfg(test)]
mod tests {
    use trunkline_yang::forest::Forest;
    use trunkline_yang::instances::{InstanceId, Instances};
    use trunkline_yang::own::ALL;
    use trunkline_yang::selection::Wanted;

    use super::*;

    fn hop(gateway: Option<&str>, interface: &str, metric: u64) -> Hop {
        Hop {
            destination: "198.51.100.0".parse().unwrap(),
            prefix_length: 24,
            gateway: gateway.map(|it| it.parse().unwrap()),
            interface: Some(interface.into()),
            kind: Some(4),
            protocol: Some(3),
            metric: Some(metric),
        }
    }

    /// The leaves of each route.
    fn routes(hops: &[Hop]) -> Vec<String> {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let root = forest.child(None, "routing").unwrap();
        let mut made = Made::begin(&forest, root, &Wanted::All);
        made.within("ribs", |made| {
            made.within("rib", |made| made.within("routes", |made| to_one(hops, &IPV4_ROUTING, made)));
        });
        let made = made.end();
        let is_route = |id: &InstanceId| made.node(*id).is_some_and(|node| forest[node].name == "route");
        let leaf = |id: InstanceId| {
            let node = made.node(id).unwrap();
            forest[node].place.syntax().map(|_| format!("{}={}", forest[node].name, made.value(id)))
        };
        let text = |id| made.below(id).filter_map(leaf).collect::<Vec<_>>().join(" ");
        made.below(Instances::ROOT).filter(is_route).map(text).collect()
    }

    #[test]
    fn hops_of_one_price_are_one_route() {
        let found = routes(&[
            hop(Some("192.0.2.1"), "a", 5),
            hop(Some("192.0.2.2"), "b", 5),
            hop(None, "c", 5),
            hop(Some("192.0.2.1"), "a", 9),
        ]);
        let end = "source-protocol=static";
        let to = "destination-prefix=198.51.100.0/24";
        assert_eq!(
            found,
            [
                format!(
                    "route-preference=5 outgoing-interface=a address=192.0.2.1 outgoing-interface=b address=192.0.2.2 {end} active= {to}"
                ),
                format!("route-preference=5 outgoing-interface=c {end} active= {to}"),
                format!("route-preference=9 outgoing-interface=a next-hop-address=192.0.2.1 {end} {to}"),
            ]
        );
        let nowhere = Hop { kind: Some(5), interface: None, protocol: Some(14), ..hop(None, "", 0) };
        assert_eq!(
            routes(&[nowhere]),
            [format!("route-preference=0 special-next-hop=blackhole source-protocol=tlr:bgp active= {to}")]
        );
    }
}
