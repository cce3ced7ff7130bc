//! What the modules say is served, against what is: the texts of the RFCs with the features that are announced and our deviations, as
//! libyang reads them, have the nodes of the forest, and no others.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_testkit::{has, leave_out};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{ALL, DEVIATIONS, OwnModule, texts};
use trunkline_yang::value_type::ValueType;

/// Modules with data, operations or events whose texts are the IETF's. The streams of RFC 5277 have none, and libyang 2.1.30 cannot
/// print a tree of ietf-netconf.
const COMPARED: [&str; 17] = [
    "ietf-netconf-monitoring",
    "ietf-netconf-acm",
    "ietf-restconf-monitoring",
    "ietf-yang-library",
    "ietf-system",
    "ietf-interfaces",
    "ietf-ip",
    "ietf-netconf-notifications",
    "ietf-subscribed-notifications",
    "ietf-yang-push",
    "ietf-routing",
    "ietf-ipv4-unicast-routing",
    "ietf-ipv6-unicast-routing",
    "ietf-hardware",
    "ietf-x509-cert-to-name",
    "ietf-snmp",
    "trunkline-bgp",
];

/// The operations of those that the agent answers, and events that its sessions may receive. Those of which the reason does not come up
/// here, such as another YANG library in a running agent, are among them.
const OPERATIONS: [&str; 20] = [
    "ietf-netconf-monitoring rpc get-schema",
    "ietf-netconf-notifications notification netconf-capability-change",
    "ietf-netconf-notifications notification netconf-config-change",
    "ietf-netconf-notifications notification netconf-confirmed-commit",
    "ietf-netconf-notifications notification netconf-session-end",
    "ietf-netconf-notifications notification netconf-session-start",
    "ietf-subscribed-notifications notification replay-completed",
    "ietf-subscribed-notifications notification subscription-modified",
    "ietf-subscribed-notifications notification subscription-resumed",
    "ietf-subscribed-notifications notification subscription-suspended",
    "ietf-subscribed-notifications notification subscription-terminated",
    "ietf-subscribed-notifications rpc delete-subscription",
    "ietf-subscribed-notifications rpc establish-subscription",
    "ietf-subscribed-notifications rpc kill-subscription",
    "ietf-subscribed-notifications rpc modify-subscription",
    "ietf-yang-library notification yang-library-change",
    "ietf-yang-library notification yang-library-update",
    "ietf-yang-push notification push-change-update",
    "ietf-yang-push notification push-update",
    "ietf-yang-push rpc resync-subscription",
];

/// Where the IETF's texts are.
fn ietf() -> Option<PathBuf> {
    if !has("yanglint", "libyang-tools") {
        return None;
    }
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/python/share/yang/modules/ietf");
    if !folder.is_dir() {
        leave_out("pyang, which has the IETF's modules, is not installed (cargo xtask setup --peers)");
        return None;
    }
    Some(folder)
}

fn module(name: &str) -> &'static OwnModule {
    ALL.into_iter().find(|module| module.name == name).unwrap()
}

/// [`COMPARED`] as libyang prints them with deviations and without features that are not announced: as `tree` (RFC 8340), or as `info`,
/// which has what each node is in the end.
fn printed(ietf: &Path, form: &str) -> String {
    let folder = std::env::temp_dir().join(format!("trunkline-yang-served-{form}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (module, text) in texts() {
        std::fs::write(folder.join(format!("{}.yang", module.name)), text).unwrap();
    }
    let file = |name: &str| match name.starts_with("trunkline-") {
        true => folder.join(format!("{name}.yang")),
        false => ietf.join(format!("{name}.yang")),
    };
    let mut command = Command::new("yanglint");
    command.args(["-f", form, "-p"]).arg(ietf).arg("-p").arg(ietf.join("../iana")).arg("-p").arg(&folder);
    for name in COMPARED {
        command.arg("-F").arg(format!("{name}:{}", module(name).features.join(",")));
    }
    command.args(COMPARED.map(file)).args(DEVIATIONS.map(|(module, _)| file(module.name)));
    let output = command.current_dir(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The nodes of trees: `/module:a/module:b list [key] ro`; and operations and events: `module rpc name`.
#[derive(Default)]
struct Read {
    nodes: BTreeSet<String>,
    operations: BTreeSet<String>,
}

impl Read {
    fn of(trees: &str) -> Read {
        let mut read = Read::default();
        let (mut module, mut is_data) = ("", false);
        // Names of data nodes from the root on, with their columns; a choice and a case have none.
        let mut path: Vec<(usize, String)> = Vec::new();
        for line in trees.lines() {
            if let Some(name) = line.strip_prefix("module: ") {
                (module, is_data) = (name, true);
                path.clear();
                continue;
            }
            is_data &= !line.is_empty();
            let Some(at) = line.find("--") else { continue };
            let (column, rest) = (at - 1, &line[at + 2..]);
            path.retain(|(of, _)| *of < column);
            if rest.starts_with(':') {
                continue;
            }
            let (flags, rest) = rest.split_at(2);
            let rest = rest.trim_start();
            let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let kind = match flags {
                "-x" => "rpc",
                "-n" => "notification",
                _ => "",
            };
            if !kind.is_empty() {
                assert!(!is_data, "actions are not served: {line}");
                read.operations.insert(format!("{module} {kind} {name}"));
            } else if is_data && !name.starts_with('(') {
                read.node(&mut path, module, column, flags, (name, rest.trim_start()));
            }
        }
        read
    }

    fn node(
        &mut self,
        path: &mut Vec<(usize, String)>,
        module: &str,
        column: usize,
        flags: &str,
        (name, rest): (&str, &str),
    ) {
        // A list has keys in brackets, or nothing; a leaf and a leaf-list have a type.
        let has_type = !rest.is_empty() && !rest.starts_with(['[', '{']);
        let plain = name.trim_end_matches(['?', '!', '*']);
        let keys = rest.split_once(']').map_or("", |(keys, _)| keys.trim_start_matches('['));
        let kind = match (has_type, &name[plain.len()..]) {
            (true, "*") => "leaf-list".to_owned(),
            (true, _) => "leaf".to_owned(),
            (false, "*") => format!("list [{keys}]"),
            (false, "!") => "presence".to_owned(),
            (false, _) => "container".to_owned(),
        };
        let qualified = match plain.split_once(':') {
            Some((prefix, name)) => match ALL.iter().find(|module| module.prefix == prefix) {
                Some(of) => format!("{}:{name}", of.name),
                // Of a module that is imported only.
                None => return,
            },
            None => format!("{module}:{plain}"),
        };
        path.push((column, qualified));
        let path: String = path.iter().map(|(_, name)| format!("/{name}")).collect();
        self.nodes.insert(format!("{path} {kind} {flags}"));
    }
}

/// The nodes of the forest in the same form.
fn served() -> BTreeSet<String> {
    fn add(forest: &Forest, node: NodeId, above: &str, served: &mut BTreeSet<String>) {
        let place = &forest[node].place;
        let path = format!("{above}/{}:{}", forest.module(node).name, forest[node].name);
        let keys: Vec<&str> = forest.keys(node).map(|key| &*forest[key].name).collect();
        let kind = match place.syntax() {
            Some(_) if place.is_leaf_list() => "leaf-list".to_owned(),
            Some(_) => "leaf".to_owned(),
            None if place.is_list() => format!("list [{}]", keys.join(" ")),
            None if place.is_plain_container() => "container".to_owned(),
            None => "presence".to_owned(),
        };
        let flags = if place.is_configuration() { "rw" } else { "ro" };
        served.insert(format!("{path} {kind} {flags}"));
        forest[node].children.iter().for_each(|child| add(forest, *child, &path, served));
    }
    let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
    let mut served = BTreeSet::new();
    let is_compared = |node: &&NodeId| COMPARED.contains(&forest.module(**node).name);
    forest.roots().iter().filter(is_compared).for_each(|root| add(&forest, *root, "", &mut served));
    served
}

#[test]
fn texts_with_deviations_have_what_is_served_and_nothing_else() {
    let Some(ietf) = ietf() else { return };
    let announced = Read::of(&printed(&ietf, "tree"));
    let served = served();
    let only = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
        these.difference(those).map(|it| format!("  {it}\n")).collect::<String>()
    };
    let (missing, more) = (only(&announced.nodes, &served), only(&served, &announced.nodes));
    assert!(
        missing.is_empty() && more.is_empty(),
        "announced and not served:\n{missing}served and not announced:\n{more}"
    );
    assert_eq!(announced.operations, OPERATIONS.map(str::to_owned).into());
}

/// Leaves that are mandatory here, and not by their own statement in the texts, and the reverse: a leaf with a condition (`when`), which the
/// rows of its table decide about.
const ELSEWHERE: [(&str, bool); 1] = [("/snmp/tlstm/cert-to-name/name", false)];

/// What a leaf of configuration demands.
#[derive(Debug, Clone, Default, PartialEq)]
struct Demands {
    is_mandatory: bool,
    default: Option<String>,
    /// The names of an enumeration.
    names: Vec<String>,
}

/// What the leaves of `info` demand, by the names of nodes from the root on.
fn demanded(info: &str) -> BTreeMap<String, Demands> {
    let mut demanded: BTreeMap<String, Demands> = BTreeMap::new();
    // Blocks that are open: a keyword and an argument.
    let mut open: Vec<(&str, &str)> = Vec::new();
    for line in info.lines().map(str::trim) {
        if line == "}" {
            open.pop();
            continue;
        }
        let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
        let argument = rest.trim_end_matches(['{', ';', ' ']).trim_matches('"');
        let nodes = || {
            open.iter().filter(|(keyword, _)| ["container", "list", "leaf", "leaf-list"].contains(keyword))
        };
        let path = nodes().map(|(_, name)| format!("/{name}")).collect::<String>();
        let is_data = open.iter().all(|(keyword, _)| !["rpc", "action", "notification"].contains(keyword));
        let is_leaf = open.iter().any(|(keyword, _)| *keyword == "leaf") && is_data;
        match (keyword, open.last()) {
            ("mandatory", Some(("leaf", _))) if is_data => {
                demanded.entry(path).or_default().is_mandatory = argument == "true";
            }
            ("default", Some(("leaf", _))) if is_data => {
                demanded.entry(path).or_default().default = Some(argument.to_owned());
            }
            // Not those that are a part of a union.
            ("enum", Some(("type", "enumeration")))
                if is_leaf && open.iter().filter(|it| it.0 == "type").count() == 1 =>
            {
                demanded.entry(path).or_default().names.push(argument.to_owned());
            }
            _ => {}
        }
        if line.ends_with('{') {
            open.push((keyword, argument));
        }
    }
    demanded
}

#[test]
fn leaves_of_configuration_demand_what_their_texts_say() {
    fn compare(
        forest: &Forest,
        node: NodeId,
        above: &str,
        texts: &BTreeMap<String, Demands>,
        compared: &mut usize,
    ) {
        let path = format!("{above}/{}", forest[node].name);
        let place = &forest[node].place;
        if let Some(setting) = place.setting().filter(|_| !place.is_key() && !place.is_leaf_list()) {
            let names: &[&str] = match setting.value {
                ValueType::Enumeration(names) => names,
                _ => &[],
            };
            let ours = Demands {
                is_mandatory: setting.is_mandatory,
                default: setting.default.map(str::to_owned),
                names: names.iter().map(|name| (*name).to_owned()).collect(),
            };
            let mut theirs = texts.get(&path).cloned().unwrap_or_default();
            if let Some((_, is_mandatory)) = ELSEWHERE.iter().find(|(of, _)| *of == path) {
                assert_ne!(theirs.is_mandatory, *is_mandatory, "{path}");
                theirs.is_mandatory = *is_mandatory;
            }
            assert_eq!(ours, theirs, "{path}");
            *compared += 1;
        }
        forest[node].children.iter().for_each(|child| compare(forest, *child, &path, texts, compared));
    }
    let Some(ietf) = ietf() else { return };
    let texts = demanded(&printed(&ietf, "info"));
    let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
    let is_compared = |node: &&NodeId| COMPARED.contains(&forest.module(**node).name);
    let mut compared = 0;
    forest
        .roots()
        .iter()
        .filter(is_compared)
        .for_each(|root| compare(&forest, *root, "", &texts, &mut compared));
    assert!(compared > 80, "{compared}");
}

#[test]
fn announced_revisions_prefixes_and_features_are_those_of_the_texts() {
    let Some(ietf) = ietf() else { return };
    for module in ALL {
        let file = ietf.join(format!("{}.yang", module.name));
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let text = text.replace(['"', '\''], "");
        let has = |statement: &str| {
            text.lines().any(|line| line.trim().trim_end_matches(['{', ';']).trim_end() == statement)
        };
        let OwnModule { name, namespace, prefix, revision, .. } = module;
        assert!(has(&format!("prefix {prefix}")), "{name}: {prefix}");
        assert!(text.contains(namespace), "{name}: {namespace}");
        assert!(text.contains(&format!("revision {revision}")), "{name}: {revision}");
        let parts = std::fs::read_dir(&ietf).unwrap().map(|entry| entry.unwrap().path());
        let of_submodules: String = parts
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{name}-")))
            .map(|path| std::fs::read_to_string(path).unwrap())
            .collect();
        for feature in module.features {
            let statement = format!("feature {feature} {{");
            assert!(text.contains(&statement) || of_submodules.contains(&statement), "{name}: {feature}");
        }
    }
}
