//! `/netconf/routing/bgp`: the router of `/trunkline-bgp:bgp`, configuration and state, by the names of the prototype behind the
//! deliverable.

use trunkline_yang::forest::Forest;
use trunkline_yang::instances::{InstanceId, Instances};

use crate::made::Made;

/// Makes what is in `/netconf` of instances of `/trunkline-bgp:bgp`, as its reader may see them.
pub fn bgp(forest: &Forest, of: &Instances, made: &mut Made<'_>) {
    let document = At { forest, of, id: Instances::ROOT };
    let Some(bgp) = document.child("bgp") else { return };
    made.within("routing", |made| {
        made.within("bgp", |made| {
            let (global, neighbors) = (bgp.child("global"), bgp.child("neighbors"));
            if global.is_some() || neighbors.is_some() {
                made.within("bgprouter", |made| router(global, neighbors, made));
            }
            if let Some(policies) = bgp.child("policies") {
                made.within("filters", |made| {
                    policies.all("policy").for_each(|it| made.within("route-map", |made| policy(it, made)));
                });
            }
        });
    });
}

fn router(global: Option<At<'_>>, neighbors: Option<At<'_>>, made: &mut Made<'_>) {
    if let Some(global) = global {
        global.copy("as", "as-number", made);
        global.copy("identifier", "identifier", made);
        let families = global.child("afi-safis").into_iter().flat_map(|it| it.all("afi-safi"));
        let networks: Vec<&str> = families
            .filter(|family| family.or_default("enabled") != Some("false"))
            .flat_map(|family| family.all("network"))
            .filter_map(|network| network.value("prefix"))
            .collect();
        if !networks.is_empty() {
            made.within("networks", |made| networks.iter().for_each(|it| made.leaf("network", it)));
        }
    }
    if let Some(neighbors) = neighbors {
        made.within("neighbors", |made| {
            for it in neighbors.all("neighbor") {
                made.within("neighbor", |made| neighbor(it, made));
            }
        });
    }
}

fn neighbor(of: At<'_>, made: &mut Made<'_>) {
    of.copy("remote-address", "ip-address", made);
    of.copy("peer-as", "remote-as", made);
    of.copy("description", "description", made);
    // Only what is configured has defaults; of others nothing but their state is known.
    if of.value("peer-as").is_some() {
        of.copy_or_default("enabled", "enabled", made);
        let timers = of.child("timers");
        for leaf in ["hold-time", "keepalive"] {
            let value = match timers {
                Some(timers) => timers.or_default(leaf),
                None => of.default_in("timers", leaf),
            };
            value.into_iter().for_each(|value| made.leaf(leaf, value));
        }
    }
    of.copy("session-state", "state", made);
    of.copy("established-transitions", "established-transitions", made);
    if let Some(families) = of.child("afi-safis") {
        made.within("address-families", |made| {
            for family in families.all("afi-safi") {
                made.within("address-family", |made| {
                    family.copy("name", "name", made);
                    if let Some(prefixes) = family.child("prefixes") {
                        prefixes.copy("received", "prefixes-received", made);
                        prefixes.copy("sent", "prefixes-sent", made);
                    }
                });
            }
        });
    }
    if let Some(policies) = of.child("apply-policy") {
        made.within("bind-filters", |made| {
            for (leaf, direct) in [("import-policy", "in"), ("export-policy", "out")] {
                for policy in policies.all(leaf) {
                    made.within("route-map", |made| {
                        made.leaf("name", policy.text());
                        made.leaf("direct", direct);
                    });
                }
            }
        });
    }
}

fn policy(of: At<'_>, made: &mut Made<'_>) {
    of.copy("name", "map-tag", made);
    for (place, statement) in of.all("statement").enumerate() {
        made.within("sequences", |made| {
            made.leaf("seq-number", &(place + 1).to_string());
            statement.copy("name", "name", made);
            let actions = statement.child("actions");
            let result = match actions {
                Some(actions) => actions.or_default("policy-result"),
                None => statement.default_in("actions", "policy-result"),
            };
            if let Some(result) = result {
                made.leaf("state", if result == "accept-route" { "permit" } else { "deny" });
            }
            if let Some(conditions) = statement.child("conditions") {
                made.within("match", |made| conditions.copy("match-prefix", "prefix", made));
            }
            let sets = |it: &At<'_>| SETS.iter().any(|(leaf, _)| it.value(leaf).is_some());
            if let Some(actions) = actions.filter(sets) {
                made.within("set", |made| SETS.iter().for_each(|(leaf, to)| actions.copy(leaf, to, made)));
            }
        });
    }
}

/// An instance of the data that is shown.
#[derive(Clone, Copy)]
struct At<'i> {
    forest: &'i Forest,
    of: &'i Instances,
    id: InstanceId,
}

impl<'i> At<'i> {
    /// Its entries, values or the one child of this name.
    fn all(self, name: &str) -> impl Iterator<Item = At<'i>> {
        let is_it = move |id: &InstanceId| self.of.node(*id).is_some_and(|it| self.forest[it].name == name);
        self.of.children(self.id).filter(is_it).map(move |id| At { id, ..self })
    }

    fn child(self, name: &str) -> Option<At<'i>> {
        self.all(name).next()
    }

    fn text(self) -> &'i str {
        self.of.value(self.id)
    }

    fn value(self, name: &str) -> Option<&'i str> {
        self.child(name).map(At::text)
    }

    fn or_default(self, name: &str) -> Option<&'i str> {
        self.value(name).or_else(|| {
            let leaf = self.forest.child(self.of.node(self.id), name)?;
            self.forest[leaf].place.setting()?.default
        })
    }

    /// The default of a leaf in a container that is not there.
    fn default_in(self, container: &str, name: &str) -> Option<&'static str> {
        let container = self.forest.child(self.of.node(self.id), container)?;
        let leaf = self.forest.child(Some(container), name)?;
        self.forest[leaf].place.setting()?.default
    }

    fn copy(self, name: &str, to: &str, made: &mut Made<'_>) {
        self.value(name).into_iter().for_each(|value| made.leaf(to, value));
    }

    fn copy_or_default(self, name: &str, to: &str, made: &mut Made<'_>) {
        self.or_default(name).into_iter().for_each(|value| made.leaf(to, value));
    }
}

/// What routes get.
const SETS: [(&str, &str); 2] = [("set-local-pref", "local-preference"), ("set-med", "metric")];

#[cfg(test)]
mod tests {
    use trunkline_datastore::read;
    use trunkline_netconf::data::{Shown, config_document};
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::{ALL, BGP, PAPER};
    use trunkline_yang::selection::Wanted;

    use super::*;

    /// What the paper's document shows of a configuration.
    fn shown(content: &str) -> String {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let text = format!("<config><bgp xmlns='{}'>{content}</bgp></config>", BGP.namespace);
        let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
        let instances = read(&forest, document.root()).unwrap().instances();
        let root = forest.child_of(None, PAPER.name, "netconf").unwrap();
        let mut made = Made::begin(&forest, root, &Wanted::All);
        bgp(&forest, &instances, &mut made);
        let text = String::from_utf8(config_document(&forest, &made.end(), Shown::default())).unwrap();
        let (_, rest) = text.split_once("<bgp>").unwrap_or_default();
        rest.split_once("</bgp>").unwrap_or_default().0.to_owned()
    }

    #[test]
    fn a_router_has_the_papers_names() {
        let global = "<global><as>65001</as><afi-safis><afi-safi><name>ipv4-unicast</name><network><prefix>198.51.100.0/24</prefix></network>\
                      </afi-safi><afi-safi><name>ipv6-unicast</name><enabled>false</enabled><network><prefix>2001:db8::/32</prefix>\
                      </network></afi-safi></afi-safis></global>";
        let neighbor = "<neighbors><neighbor><remote-address>192.0.2.2</remote-address><peer-as>65002</peer-as>\
                        <timers><hold-time>9</hold-time></timers><apply-policy><import-policy>p</import-policy>\
                        <export-policy>q</export-policy><export-policy>p</export-policy></apply-policy></neighbor></neighbors>";
        let policies = "<policies><policy><name>p</name><statement><name>b</name><conditions><match-prefix>192.0.2.0/24</match-prefix>\
                        </conditions><actions><policy-result>accept-route</policy-result><set-med>7</set-med></actions></statement>\
                        <statement><name>a</name></statement></policy><policy><name>q</name><statement><name>x</name></statement>\
                        </policy></policies>";
        let route_map = |name: &str, direct: &str| {
            format!("<route-map><name>{name}</name><direct>{direct}</direct></route-map>")
        };
        let router = format!(
            "<bgprouter><as-number>65001</as-number><networks><network>198.51.100.0/24</network></networks><neighbors><neighbor>\
             <ip-address>192.0.2.2</ip-address><remote-as>65002</remote-as><enabled>true</enabled><hold-time>9</hold-time>\
             <keepalive>30</keepalive><bind-filters>{}{}{}</bind-filters></neighbor></neighbors></bgprouter>",
            route_map("p", "in"),
            route_map("q", "out"),
            route_map("p", "out")
        );
        let deny = |number: u8, name: &str| {
            format!(
                "<sequences><seq-number>{number}</seq-number><name>{name}</name><state>deny</state></sequences>"
            )
        };
        let filters = format!(
            "<filters><route-map><map-tag>p</map-tag><sequences><seq-number>1</seq-number><name>b</name><state>permit</state>\
             <match><prefix>192.0.2.0/24</prefix></match><set><metric>7</metric></set></sequences>{}</route-map>\
             <route-map><map-tag>q</map-tag>{}</route-map></filters>",
            deny(2, "a"),
            deny(1, "x")
        );
        assert_eq!(shown(&format!("{global}{neighbor}{policies}")), format!("{router}{filters}"));
    }
}
