//! XPath beside libxml2: random expressions on a document have the same values, on all of it and on what `reach` says that they need.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test's helpers fail and speak as tests do"
)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};
use trunkline_testkit::leave_out;
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::selection::{Selection, Wanted, Within};
use trunkline_yang::smiv2::modules;
use trunkline_yang::xpath::{EvaluationError, Evaluator, Namespaces, Value, exact, parse, reach};

/// No prefix is declared.
struct None_;

impl Namespaces for None_ {
    fn resolve(&self, _: &str) -> Option<&str> {
        None
    }
}

/// Three interfaces with a few leaves, and the scalars beside them.
struct World {
    forest: Forest,
    /// Nodes with what is in them, in document order: containers and entries have `None` as their value.
    rows: Vec<[&'static str; 4]>,
}

const LEAVES: [&str; 4] = ["ifIndex", "ifDescr", "ifMtu", "ifName"];

impl World {
    fn new() -> World {
        let rows =
            vec![["1", "lo", "65536", "lo"], ["2", "eth0", "1500", "left"], ["7", "eth1", "1500", "2"]];
        World { forest: Forest::of(&modules()), rows }
    }

    fn find(&self, of: Option<NodeId>, name: &str) -> NodeId {
        *self.forest.children(of).iter().find(|it| self.forest[**it].name == name).expect("a node")
    }

    /// The document, as far as it is wanted, and the number that each instance has in the whole.
    fn document(&self, wanted: &Selection) -> (Instances, Vec<u32>) {
        let mut all = Instances::new();
        let mut numbers = vec![u32::MAX];
        let module = self.find(None, "IF-MIB");
        let Some(of_module) = wanted.of(module) else { return (all, numbers) };
        let within = |wanted: &Wanted, node: NodeId| -> Option<Wanted> {
            let mut found: Option<Wanted> = None;
            match wanted {
                Wanted::All => found = Some(Wanted::All),
                Wanted::Some(alternatives) => {
                    for alternative in alternatives {
                        assert!(alternative.tests.is_empty());
                        match (&alternative.within, found.take()) {
                            (Within::All, _) => found = Some(Wanted::All),
                            (Within::Nodes(nodes), before) => {
                                let mut both = Selection::default();
                                before.into_iter().for_each(|it| both.add(node, it));
                                nodes.of(node).into_iter().for_each(|it| both.add(node, it.clone()));
                                found = both.of(node).cloned();
                            }
                        }
                    }
                }
            }
            found
        };
        all.open(module);
        numbers.push(0);
        let interfaces = self.find(Some(module), "interfaces");
        if let Some(wanted) = within(of_module, interfaces) {
            let number = self.find(Some(interfaces), "ifNumber");
            all.open(interfaces);
            numbers.push(1);
            if within(&wanted, number).is_some() {
                all.leaf(number, "3");
                numbers.push(2);
            }
            all.close();
        }
        let table = self.find(Some(module), "ifTable");
        let entry = self.find(Some(table), "ifEntry");
        if let Some(of_entry) = within(of_module, table).and_then(|wanted| within(&wanted, entry)) {
            all.open(table);
            numbers.push(3);
            for (at, row) in self.rows.iter().enumerate() {
                self.row(entry, &of_entry, at as u32, row, &mut all, &mut numbers);
            }
            all.close();
        }
        all.close();
        (all, numbers)
    }

    fn row(
        &self,
        entry: NodeId,
        wanted: &Wanted,
        at: u32,
        row: &[&str; 4],
        all: &mut Instances,
        numbers: &mut Vec<u32>,
    ) {
        let leaves = LEAVES.map(|name| self.find(Some(entry), name));
        let everything = [trunkline_yang::selection::Alternative { tests: vec![], within: Within::All }];
        let alternatives = match wanted {
            Wanted::All => &everything[..],
            Wanted::Some(alternatives) => alternatives,
        };
        let passed: Vec<_> = alternatives
            .iter()
            .filter(|it| {
                it.tests.iter().all(|test| {
                    let at = leaves.iter().position(|leaf| *leaf == test.leaf);
                    let syntax = self.forest[test.leaf].place.syntax().unwrap();
                    at.and_then(|at| trunkline_yang::lexical::read(row[at], syntax))
                        == Some(test.value.clone())
                })
            })
            .collect();
        if passed.is_empty() {
            return;
        }
        let first = 4 + 5 * at;
        all.open(entry);
        numbers.push(first);
        for (place, leaf) in leaves.into_iter().enumerate() {
            let is_key = matches!(self.forest[leaf].place, Place::Key(..));
            if is_key || passed.iter().any(|it| it.within.of(leaf).is_some()) {
                all.leaf(leaf, row[place]);
                numbers.push(first + 1 + place as u32);
            }
        }
        all.close();
    }

    fn xml(&self) -> String {
        let row = |row: &[&str; 4]| {
            let leaves = LEAVES.iter().zip(row).map(|(name, value)| format!("<{name}>{value}</{name}>"));
            format!("<ifEntry>{}</ifEntry>", leaves.collect::<String>())
        };
        format!(
            "<IF-MIB><interfaces><ifNumber>3</ifNumber></interfaces><ifTable>{}</ifTable></IF-MIB>",
            self.rows.iter().map(row).collect::<String>()
        )
    }

    /// A value in the form of the script.
    fn value(&self, expression: &str, wanted: &Selection) -> Result<Json, EvaluationError> {
        let (instances, numbers) = self.document(wanted);
        // lxml evaluates at the outermost element.
        let at = InstanceId(u32::from(!instances.is_empty()));
        let parsed = parse(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let value = Evaluator::new(&self.forest, &instances, &None_, 10_000_000).evaluate(&parsed, at)?;
        Ok(match value {
            Value::Nodes(nodes) => {
                let kept = nodes.iter().filter(|node| node.instance != InstanceId(0));
                let number = |id: InstanceId| 2 * numbers[id.0 as usize];
                json!({ "nodes": kept.map(|it| number(it.instance) + u32::from(it.is_text)).collect::<Vec<_>>() })
            }
            Value::Boolean(boolean) => json!({ "boolean": boolean }),
            Value::Number(number) => json!({ "number": number.to_string() }),
            Value::Text(text) => json!({ "text": text }),
        })
    }
}

/// Expressions over the document, deeper than people write them.
fn expressions() -> impl Strategy<Value = String> {
    let name = prop::sample::select(
        &["IF-MIB", "interfaces", "ifNumber", "ifTable", "ifEntry", "ifIndex", "ifDescr", "ifMtu", "ifName"]
            [..],
    );
    let axis = prop::sample::select(
        &[
            "child",
            "child",
            "child",
            "descendant",
            "descendant-or-self",
            "parent",
            "ancestor",
            "ancestor-or-self",
            "self",
            "following",
            "following-sibling",
            "preceding",
            "preceding-sibling",
        ][..],
    );
    let test = prop_oneof![
        6 => name.prop_map(str::to_owned),
        1 => Just("*".to_owned()),
        1 => Just("node()".to_owned()),
        1 => Just("text()".to_owned()),
    ];
    let step = (axis, test).prop_map(|(axis, test)| format!("{axis}::{test}"));
    let start = prop::sample::select(
        &["", "/", "//", "/IF-MIB/ifTable/ifEntry/", "//ifEntry/", "/descendant::ifDescr/"][..],
    );
    let path = (start, prop::collection::vec(step, 1..3))
        .prop_map(|(start, steps)| format!("{start}{}", steps.join("/")));
    let literal =
        prop::sample::select(&["'1'", "'lo'", "'eth0'", "'eth'", "''", "1", "2", "3", "1500", "0.5"][..]);
    let leaf = prop_oneof![3 => path, 2 => literal.prop_map(str::to_owned), 1 => Just("position()".into()), 1 => Just("last()".into())];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(&["=", "!=", "<", "<=", ">", ">=", "and", "or", "+", "-", "*", "div", "mod"][..]);
        let one = prop::sample::select(
            &["count(//ifEntry[X])", "not(X)", "boolean(X)", "string(X)", "number(X)", "string-length(X)", "normalize-space(X)", "-(X)", "floor(X)", "round(X)", "ceiling(X)", "local-name(//*[X])", "name(//ifEntry[X]/*)", "sum(//ifMtu[X])"][..],
        );
        let two = prop::sample::select(
            &["concat(X, Y)", "contains(X, Y)", "starts-with(X, Y)", "substring-before(X, Y)", "substring-after(X, Y)", "substring(X, Y)", "translate(X, Y, '12')"][..],
        );
        let filter = prop::sample::select(
            &["//ifEntry[X]", "//ifEntry[X][Y]/ifDescr", "/IF-MIB/ifTable/ifEntry[ifIndex = 2][X]/*", "//ifEntry[ifName = 'lo' and X]/ifIndex", "(//ifIndex | //ifDescr)[X]", "//ifEntry[X]/preceding-sibling::ifEntry[Y]", "//*[X]", "//ifEntry[ifDescr = 'eth0'] | //ifNumber[X]", "//ifEntry[2][X]", "//ifEntry[ifIndex = '7']/../ifEntry[Y]"][..],
        );
        prop_oneof![
            3 => (inner.clone(), operator, inner.clone()).prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            2 => (one, inner.clone()).prop_map(|(form, x)| form.replace('X', &x)),
            1 => (two, inner.clone(), inner.clone()).prop_map(|(form, x, y)| form.replace('X', &x).replace('Y', &y)),
            4 => (filter, inner.clone(), inner).prop_map(|(form, x, y)| form.replace('X', &x).replace('Y', &y)),
        ]
    })
}

/// What libxml2 says; `None` if it is left out.
fn of_libxml2(document: &str, expressions: &[String]) -> Option<Vec<Json>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/peers/python/bin/python");
    if !python.is_file() {
        leave_out("lxml is not installed (cargo xtask setup --peers)");
        return None;
    }
    let mut child = Command::new(python)
        .arg(root.join("peers/python/xpath.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let given = json!({ "document": document, "expressions": expressions }).to_string();
    child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Numbers are compared as numbers.
fn is_same(ours: &Json, theirs: &Json) -> bool {
    let number = |value: &Json| {
        let text = value["number"].as_str()?.replace("nan", "NaN");
        text.parse::<f64>().ok()
    };
    match (number(ours), number(theirs)) {
        (Some(ours), Some(theirs)) => ours == theirs || ours.is_nan() && theirs.is_nan(),
        // libxml2 prints 15 digits of a number, XPath has as many as distinguish it.
        _ => ours == theirs || ours["text"].as_str().is_some_and(|text| text.contains("0.0")),
    }
}

#[test]
fn expressions_have_the_values_of_libxml2() {
    let world = World::new();
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let strategy = expressions();
    let all: Vec<String> = (0..3_000).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    let Some(expected) = of_libxml2(&world.xml(), &all) else { return };
    let (mut compared, mut refused, mut wrong) = (0, 0, Vec::new());
    for (expression, theirs) in all.iter().zip(&expected) {
        // Outside of predicates libxml2 has no position.
        if theirs["error"].as_str().is_some_and(|error| error.starts_with("Invalid context")) {
            continue;
        }
        let everything = Selection::everything(&world.forest);
        let ours = world.value(expression, &everything);
        if theirs.get("error").is_some() || ours == Err(EvaluationError::NotNodes) {
            // Both refuse another value where a set of nodes must be.
            if theirs.get("error").is_some() != ours.is_err() {
                wrong.push(format!("{expression}: {ours:?}, libxml2 {theirs}"));
            }
            continue;
        }
        let ours = ours.unwrap_or_else(|error| panic!("{expression}: {error}"));
        compared += 1;
        if !is_same(&ours, theirs) {
            wrong.push(format!("{expression}: {ours}, libxml2 {theirs}"));
            continue;
        }
        // The same on what it needs.
        let start = Some(world.find(None, "IF-MIB"));
        let needed = match reach(&parse(expression).unwrap(), &world.forest, &None_, start) {
            Ok(needed) => needed,
            Err(EvaluationError::TooMuch) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("{expression}: {error}"),
        };
        let on_less = world.value(expression, &needed).unwrap();
        if !is_same(&on_less, theirs) {
            wrong.push(format!("{expression}: {on_less} on what it needs, libxml2 {theirs}"));
        }
    }
    assert!(compared > 1_500 && refused < 100, "{compared} compared, {refused} refused");
    assert!(
        wrong.is_empty(),
        "{} differ, among them\n{}",
        wrong.len(),
        wrong[..wrong.len().min(10)].join("\n")
    );
}

#[test]
fn keys_become_tests() {
    let world = World::new();
    let needed = |text: &str| reach(&parse(text).unwrap(), &world.forest, &None_, None).unwrap();
    let rows = |text: &str| {
        let (instances, _) = world.document(&needed(text));
        let entry = "ifEntry";
        (1..instances.len() as u32)
            .filter(|at| world.forest[instances.node(InstanceId(*at)).unwrap()].name == entry)
            .count()
    };
    assert_eq!(rows("/IF-MIB/ifTable/ifEntry[ifIndex='2']/ifDescr"), 1);
    assert_eq!(rows("//ifEntry[ifIndex=2 and ifMtu=1500]"), 1);
    assert_eq!(rows("//ifEntry[ifIndex='2'] | //ifEntry[ifDescr='lo']"), 2);
    // Counted among all.
    assert_eq!(rows("//ifEntry[2][ifIndex='2']"), 3);
    assert_eq!(rows("//ifEntry[ifIndex='2']/following-sibling::*"), 3);
    assert_eq!(rows("//ifNumber"), 0);
}

/// Paths that only name nodes, and some that do more.
fn paths() -> impl Strategy<Value = String> {
    let entry = prop::sample::select(
        &["/IF-MIB/ifTable/ifEntry", "//ifEntry", "/*/ifTable/*", "//ifTable/ifEntry", "/IF-MIB/*/ifEntry"][..],
    );
    let test = prop::sample::select(
        &[
            "",
            "",
            "",
            "[ifIndex=2]",
            "[ifIndex='2']",
            "[ifIndex='02']",
            "[2=ifIndex]",
            "[ifDescr='lo']",
            "[ifDescr='no']",
            "[ifMtu=1500 and ifDescr='eth0']",
            "[ifMtu=1500][ifName='left']",
            "[ifName='2']",
            "[ifName=2]",
            "[@n='1']",
            "[ifIndex='none']",
            "[1]",
            "[ifMtu > 2000]",
            "[ifIndex=2 or ifIndex=7]",
            "[ifIndex=2 and position()=1]",
        ][..],
    );
    let leaf = prop::sample::select(&["", "/ifDescr", "/ifName", "/ifIndex", "/*", "//ifMtu", "/text()"][..]);
    let of_entry = (entry, test, leaf).prop_map(|(entry, test, leaf)| format!("{entry}{test}{leaf}"));
    let other =
        prop::sample::select(&["/", "/IF-MIB", "//ifNumber", "/IF-MIB/interfaces", "/nothing", "//*"][..]);
    let path = prop_oneof![5 => of_entry, 1 => other.prop_map(str::to_owned)];
    prop::collection::vec(path, 1..4).prop_map(|all| all.join(" | "))
}

#[test]
fn what_only_names_nodes_is_not_evaluated() {
    let world = World::new();
    let strategy = paths();
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let everything = Selection::everything(&world.forest);
    let (all, numbers) = world.document(&everything);
    let is_leaf = |instances: &Instances, id: InstanceId| {
        instances.node(id).is_some_and(|node| world.forest[node].place.syntax().is_some())
    };
    let mut named = 0;
    for _ in 0..2_000 {
        let text = strategy.new_tree(&mut runner).unwrap().current();
        let expression = parse(&text).unwrap();
        let Some(selection) = exact(&expression, &world.forest, &None_) else { continue };
        named += 1;
        let mut evaluator = Evaluator::new(&world.forest, &all, &None_, 10_000_000);
        let Ok(Value::Nodes(nodes)) = evaluator.evaluate(&expression, InstanceId(0)) else {
            panic!("{text}")
        };
        let kept = all.keep(&world.forest, nodes.into_iter().map(|node| node.instance), None);
        let ids = |instances: &Instances| (0..instances.len() as u32).map(InstanceId).collect::<Vec<_>>();
        let leaves = ids(&all).into_iter().filter(|id| kept[id.0 as usize] && is_leaf(&all, *id));
        let expected: Vec<u32> = leaves.map(|id| numbers[id.0 as usize]).collect();
        let (found, numbers) = world.document(&selection);
        let leaves = ids(&found).into_iter().filter(|id| is_leaf(&found, *id));
        assert_eq!(leaves.map(|id| numbers[id.0 as usize]).collect::<Vec<u32>>(), expected, "{text}");
    }
    assert!((500..1_900).contains(&named), "{named} only name nodes");
}
