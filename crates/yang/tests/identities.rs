//! Identities by what their prefixes mean, in expressions; and the table of them beside the texts of the modules.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail and speak as tests do")]

use std::collections::BTreeSet;
use std::path::Path;

use trunkline_testkit::leave_out;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;
use trunkline_yang::own::identities::IDENTITIES;
use trunkline_yang::own::{ALL, texts};
use trunkline_yang::xpath::{EvaluationError, Evaluator, Namespaces, Value, exact, parse};

/// Prefixes of a client, which are not those of the modules.
struct Theirs;

impl Namespaces for Theirs {
    fn resolve(&self, prefix: &str) -> Option<&str> {
        Some(match prefix {
            "i" => "urn:ietf:params:xml:ns:yang:ietf-interfaces",
            "t" | "ianaift" => "urn:ietf:params:xml:ns:yang:iana-if-type",
            "r" => "urn:ietf:params:xml:ns:yang:ietf-routing",
            "four" => "urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing",
            "own" => "urn:trunkline:yang:routing",
            // The server's prefix of another module.
            "v4ur" => "urn:ietf:params:xml:ns:yang:ietf-ipv6-unicast-routing",
            _ => return None,
        })
    }
}

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&[]), Forest::with)
}

/// Two interfaces and a RIB with two routes, as they are kept.
fn document(forest: &Forest) -> Instances {
    let mut all = Instances::new();
    let child = |of: Option<NodeId>, name: &str| forest.child(of, name).unwrap();
    let interfaces = child(None, "interfaces");
    let interface = child(Some(interfaces), "interface");
    all.open(interfaces);
    for (name, kind) in [("lo", "softwareLoopback"), ("eth0", "ethernetCsmacd")] {
        all.open(interface);
        all.leaf(child(Some(interface), "name"), name);
        all.leaf(child(Some(interface), "type"), &format!("ianaift:{kind}"));
        all.close();
    }
    all.close();
    let mut at = None;
    for name in ["routing", "ribs", "rib"] {
        at = Some(child(at, name));
        all.open(at.unwrap());
    }
    all.leaf(child(at, "name"), "main");
    all.leaf(child(at, "address-family"), "v4ur:ipv4-unicast");
    let routes = child(at, "routes");
    let route = child(Some(routes), "route");
    all.open(routes);
    for source in ["static", "tlr:bgp"] {
        all.open(route);
        all.leaf(child(Some(route), "source-protocol"), source);
        all.close();
    }
    for _ in 0..4 {
        all.close();
    }
    all
}

#[test]
fn identities_are_the_same_with_any_prefix() {
    let forest = forest();
    let all = document(&forest);
    let value = |text: &str| {
        let expression = parse(text).unwrap();
        Evaluator::new(&forest, &all, &Theirs, 100_000).evaluate(&expression, Instances::ROOT)
    };
    for (expression, count) in [
        ("//interface[type = 't:ethernetCsmacd']", 1.0),
        ("//interface['t:ethernetCsmacd' = type]", 1.0),
        ("//interface[type/text() = 't:ethernetCsmacd']", 1.0),
        ("//interface[type != 't:ethernetCsmacd']", 1.0),
        ("//interface[type = 'i:ethernetCsmacd']", 0.0),
        ("//interface[type = 'nobody:ethernetCsmacd']", 0.0),
        ("//interface[type = 'ianaift:ethernetCsmacd']", 1.0),
        // A name is a text, not an identity.
        ("//interface[name = 't:lo']", 0.0),
        ("//rib[address-family = 'four:ipv4-unicast']", 1.0),
        ("//rib[address-family = 'v4ur:ipv4-unicast']", 0.0),
        ("//route[source-protocol = 'r:static']", 1.0),
        ("//route[source-protocol = 'static']", 1.0),
        ("//route[source-protocol = 'own:bgp']", 1.0),
        ("//route[source-protocol = 'bgp']", 1.0),
        ("//interface[type = 'ethernetCsmacd']", 1.0),
        ("//interface[type = 'nothing']", 0.0),
        ("//route[source-protocol = 'own:static']", 0.0),
        ("//interface[derived-from(type, 'i:interface-type')]", 2.0),
        ("//interface[derived-from(type, 't:iana-interface-type')]", 2.0),
        ("//interface[derived-from(type, 't:ethernetCsmacd')]", 0.0),
        ("//interface[derived-from-or-self(type, 't:ethernetCsmacd')]", 1.0),
        ("//interface[derived-from-or-self(type, 'ethernetCsmacd')]", 1.0),
        ("//interface[derived-from-or-self(type, 'i:ethernetCsmacd')]", 0.0),
        ("//interface[derived-from-or-self(name, 'lo')]", 0.0),
        ("//rib[derived-from(address-family, 'r:ipv4')]", 1.0),
        ("//rib[derived-from(address-family, 'r:address-family')]", 1.0),
        ("//rib[derived-from(address-family, 'r:ipv6')]", 0.0),
        ("//route[derived-from(source-protocol, 'r:control-plane-protocol')]", 2.0),
        ("//nothing[derived-from(type, 'i:interface-type')]", 0.0),
    ] {
        assert_eq!(value(&format!("count({expression})")), Ok(Value::Number(count)), "{expression}");
    }
    // Where nothing need be evaluated the same is selected.
    let selected = |text: &str| exact(&parse(text).unwrap(), &forest, &Theirs);
    let ethernet = selected("/interfaces/interface[type='ianaift:ethernetCsmacd']/name");
    assert!(ethernet.is_some());
    assert_eq!(selected("/interfaces/interface[type='t:ethernetCsmacd']/name"), ethernet);
    assert_ne!(selected("/interfaces/interface[type='i:ethernetCsmacd']/name"), ethernet);
    assert_eq!(
        selected("//route[source-protocol='r:static']"),
        selected("//route[source-protocol='static']")
    );
    let prefix = EvaluationError::Prefix("nobody".into());
    assert_eq!(value("//interface[derived-from(type, 'nobody:x')]"), Err(prefix));
    let arguments = EvaluationError::Arguments("derived-from".into());
    assert_eq!(value("//interface[derived-from(type)]"), Err(arguments));
    assert_eq!(value("derived-from('a', 'b')"), Err(EvaluationError::NotNodes));
}

/// The identities of a text: name and base, both with the names of modules.
fn identities(text: &str) -> Vec<((String, String), (String, String))> {
    let text = text.replace(['"', '\''], "");
    let mut words = text.lines().map(|line| line.trim().trim_end_matches([';', '{']).trim_end());
    let module = words.find_map(|line| line.strip_prefix("module ")).unwrap().to_owned();
    // Prefixes of what is imported: `import` is followed by `prefix`, and the module's own has none of it before.
    let (mut prefixes, mut imported) = (Vec::new(), module.clone());
    let (mut found, mut last) = (Vec::new(), String::new());
    for line in words {
        // All in one line.
        if let Some((of, prefix)) = line.strip_prefix("import ").and_then(|it| it.split_once('{')) {
            let prefix = prefix.trim().trim_start_matches("prefix ").trim_end_matches(['}', ' ', ';']);
            prefixes.push((prefix.to_owned(), of.trim().to_owned()));
        } else if let Some(of) = line.strip_prefix("import ") {
            imported = of.trim().to_owned();
        } else if let Some(prefix) = line.strip_prefix("prefix ") {
            prefixes.push((prefix.to_owned(), std::mem::replace(&mut imported, module.clone())));
        } else if line.starts_with("typedef ") {
            // What has no base ends without one.
            last.clear();
        } else if let Some(name) = line.strip_prefix("identity ") {
            last = name.to_owned();
        } else if let Some(base) = line.strip_prefix("base ").filter(|_| !last.is_empty()) {
            let (of, base) = match base.split_once(':') {
                Some((prefix, base)) => {
                    (prefixes.iter().find(|(it, _)| it == prefix).unwrap().1.clone(), base)
                }
                None => (module.clone(), base),
            };
            found.push(((module.clone(), std::mem::take(&mut last)), (of, base.to_owned())));
        }
    }
    found
}

#[test]
fn the_identities_are_those_of_the_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/python/share/yang/modules");
    if !folder.is_dir() {
        leave_out("pyang, which has the IETF's modules, is not installed (cargo xtask setup --peers)");
        return;
    }
    let modules: BTreeSet<&str> = IDENTITIES.iter().map(|it| it.0).collect();
    let mut written = Vec::new();
    for module in modules {
        let own = texts().find(|(own, _)| own.name == module).map(|(_, text)| text.to_owned());
        let read =
            |part: &str| std::fs::read_to_string(folder.join(part).join(format!("{module}.yang"))).ok();
        let text = own.or_else(|| read("ietf")).or_else(|| read("iana"));
        written.extend(identities(&text.unwrap_or_else(|| panic!("no text of {module}"))));
    }
    let bases: BTreeSet<(&str, &str)> = IDENTITIES.iter().map(|it| it.2).collect();
    let ours: BTreeSet<String> = IDENTITIES
        .iter()
        .flat_map(|(module, names, base)| names.iter().map(move |name| format!("{module}:{name} {base:?}")))
        .collect();
    let theirs: BTreeSet<String> = written
        .iter()
        .filter(|(_, (module, base))| bases.contains(&(module.as_str(), base.as_str())))
        .map(|((module, name), (of, base))| format!("{module}:{name} {:?}", (of.as_str(), base.as_str())))
        .collect();
    assert_eq!(ours, theirs);
}
