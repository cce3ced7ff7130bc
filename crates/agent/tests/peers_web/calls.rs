//! A call of each operation of the WSDL, and whether its result agrees with SNMP.

use trunkline_client::Table;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, Value, ValueKind, index_refs};
use trunkline_snmp::wire::Bound;
use trunkline_soap::catalog::{Catalog, Record, TableVerb, Target};
use trunkline_soap::encoding::{Encoding, Form};
use trunkline_soap::{lexical, namespace};

use super::web::Web;

/// A call of an operation.
pub struct Call {
    pub operation: String,
    pub namespace: String,
    pub arguments: Vec<(String, Argument)>,
    pub expect: Expect,
}

/// An argument, or several under one name.
#[derive(Clone, Debug)]
pub enum Argument {
    Text(String),
    Number(String),
    Boolean(bool),
    Many(Vec<(String, Argument)>),
    List(Vec<Argument>),
    /// A number with an attribute `name`.
    Named(&'static str, &'static str),
}

/// Whose form of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Zeep,
    Node,
}

/// What must come of a call.
#[derive(Clone, Debug)]
pub enum Expect {
    /// These rows of a table (positions among those that SNMP gives), with these fields.
    Rows { table: usize, rows: Vec<Vec<u32>>, fields: Vec<usize> },
    /// The scalars of a group.
    Group(usize),
    /// Objects with these texts in them.
    Objects(Vec<&'static str>),
    /// That it is done, or a typed fault that says why not.
    DoneOrFault,
    /// That it is done.
    Done,
    /// A fault of this kind.
    Fault(&'static str),
}

/// The names of the operations in a WSDL, each once: those of its first port type. Another one has what is sent to subscribers.
pub fn operations(wsdl: &str) -> Vec<String> {
    let port_type = wsdl.split("portType>").next().unwrap_or(wsdl);
    let mut names: Vec<String> = port_type
        .split("operation name=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
        .map(|(name, _)| name.to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A call for each operation, some twice. `community` is in the requests where there is one; it is `private` where
/// something is written.
pub fn calls(web: &Web, with_community: bool) -> Vec<Call> {
    let mut calls = Vec::new();
    for name in &web.operations {
        let target = web.catalog.operation(name);
        let (module, mut arguments, expect) = match target {
            None => generic(name),
            Some(Target::GetGroup(group)) => {
                let found = &web.catalog.groups()[group];
                let expect =
                    if is_here(found.name) { Expect::Group(group) } else { Expect::Fault("noSuchObject") };
                (Some(found.module.name), Vec::new(), expect)
            }
            Some(Target::SetGroup(group)) => {
                let group = &web.catalog.groups()[group];
                // Where nothing is set nothing changes; what can be set is tried with sysContact.
                let is_system = group.name == "system";
                let given =
                    is_system.then(|| ("sysContact".to_owned(), Argument::Text("somebody".to_owned())));
                let expect = if is_system { Expect::Done } else { Expect::DoneOrFault };
                (Some(group.module.name), given.into_iter().collect(), expect)
            }
            Some(Target::Table(verb, table)) => of_table(web, verb, table),
        };
        let community = if name.starts_with("Set") { "private" } else { "public" };
        if with_community {
            arguments.insert(0, ("community".to_owned(), Argument::Text(community.to_owned())));
        }
        let namespace = module.map_or_else(|| namespace::GENERIC.to_owned(), namespace::of_module);
        calls.push(Call { operation: name.clone(), namespace, arguments, expect });
    }
    calls.push(missing_row(with_community));
    calls
}

/// Whether the machine has what a group is about: the first bridge, and whether it filters VLANs.
fn is_here(group: &str) -> bool {
    let number = |path: std::path::PathBuf| {
        std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<u32>().ok())
    };
    let interfaces = std::fs::read_dir("/sys/class/net").unwrap().map(|entry| entry.unwrap().path());
    let bridges = interfaces.filter(|interface| interface.join("bridge").exists());
    let first = bridges.min_by_key(|bridge| number(bridge.join("ifindex")));
    match group {
        "dot1dBase" | "dot1dStp" | "dot1dTp" => first.is_some(),
        "dot1qBase" => first.is_some_and(|bridge| number(bridge.join("bridge/vlan_filtering")) == Some(1)),
        _ => true,
    }
}

fn generic(name: &str) -> (Option<&'static str>, Vec<(String, Argument)>, Expect) {
    let text = |text: &str| Argument::Text(text.to_owned());
    let names =
        |names: &[&str]| ("name".to_owned(), Argument::List(names.iter().map(|name| text(name)).collect()));
    match name {
        "Get" => {
            let expect = Expect::Objects(vec!["SNMPv2-MIB::sysServices.0", "76", "IF-MIB::ifDescr.1"]);
            (None, vec![names(&["sysServices.0", "ifDescr.1"])], expect)
        }
        "GetNext" => {
            let count = ("count".to_owned(), Argument::Number("3".to_owned()));
            let expect = Expect::Objects(vec!["SNMPv2-MIB::sysDescr.0", "SNMPv2-MIB::sysUpTime.0"]);
            (None, vec![names(&["system"]), count], expect)
        }
        "Set" => {
            let object =
                vec![("name".to_owned(), text("sysName.0")), ("text".to_owned(), text("set by others"))];
            (None, vec![("object".to_owned(), Argument::List(vec![Argument::Many(object)]))], Expect::Done)
        }
        other => panic!("the WSDL has {other}, of which nothing is known here"),
    }
}

fn of_table(
    web: &Web,
    verb: TableVerb,
    at: usize,
) -> (Option<&'static str>, Vec<(String, Argument)>, Expect) {
    let served = &web.catalog.tables()[at];
    let record = &served.record;
    let rows: Vec<Vec<u32>> = web.tables[served.table.name].rows.keys().cloned().collect();
    let every: Vec<usize> = (0..record.fields.len()).collect();
    let first = rows.first().map(|index| key_arguments(record, index));
    let given = |rows: &[Vec<u32>], fields: &[usize]| Expect::Rows {
        table: at,
        rows: rows.to_vec(),
        fields: fields.to_vec(),
    };
    let (arguments, expect) = match verb {
        TableVerb::Whole => (Vec::new(), given(&rows, &every)),
        TableVerb::Column => {
            let column = record.fields.first().map_or(record.keys[0].name, |field| field.name);
            let fields: &[usize] = if record.fields.is_empty() { &[] } else { &[0] };
            // If only the key is requested, rows count only if their column has a value.
            (
                vec![("column".to_owned(), Argument::Text(column.to_owned()))],
                given(&with_values(web, at, 0, &rows), fields),
            )
        }
        TableVerb::Row => match &first {
            Some(key) => (key.clone(), given(&rows[..1], &every)),
            None => (any_key(record), Expect::Fault("noSuchRow")),
        },
        TableVerb::NextRows => {
            let count = ("count".to_owned(), Argument::Number("2".to_owned()));
            match &first {
                Some(key) => {
                    let expected = given(&rows[1..rows.len().min(3)], &every);
                    (vec![("after".to_owned(), Argument::Many(key.clone())), count], expected)
                }
                None => (vec![count], given(&[], &every)),
            }
        }
        TableVerb::SetRow => (first.unwrap_or_else(|| any_key(record)), Expect::DoneOrFault),
    };
    (Some(served.module.name), arguments, expect)
}

/// The rows that have a value in this field.
fn with_values(web: &Web, table: usize, field: usize, rows: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let table = &web.tables[web.catalog.tables()[table].table.name];
    rows.iter().filter(|index| table.cell(index, field).is_some()).cloned().collect()
}

/// Calls of the operations that select: all parameters in some, few in others, and an expression that is wrong.
pub fn selections(web: &Web, with_community: bool) -> Vec<Call> {
    let text = |text: &str| Argument::Text(text.to_owned());
    let call = |operation: &str, arguments: Vec<(&str, Argument)>, expect: Expect| {
        let mut arguments: Vec<_> =
            arguments.into_iter().map(|(name, given)| (name.to_owned(), given)).collect();
        if with_community {
            arguments.push(("community".to_owned(), text("public")));
        }
        let namespace = trunkline_soap::expression::message::NAMESPACE.to_owned();
        Call { operation: operation.to_owned(), namespace, arguments, expect }
    };
    let mut calls = Vec::new();
    for operation in &web.selections {
        let (arguments, texts) = match operation.as_str() {
            "SelectSingle" => {
                let given = vec![("path", text("{TCP}")), ("data", text("{tcpRtoMin, tcpRtoMax}"))];
                (given, vec!["TCP-Data", "tcpRtoMin", "200", "120000"])
            }
            "SelectTables" => {
                let given = vec![
                    ("path", text("{Interfaces}")),
                    ("data", text("{ifDescr, ifMtu, ifName}")),
                    ("filter", text("ifMtu > least AND ifMtu < most AND ifDescr = \"lo\"")),
                    (
                        "value",
                        Argument::List(vec![Argument::Named("least", "1"), Argument::Named("most", "70000")]),
                    ),
                    ("encoding", text("typed")),
                    ("explain", Argument::Boolean(true)),
                ];
                (given, vec!["ifTable", "ifXTable", "ifEntry", "ifMtu", "65536", "Interfaces", "searched"])
            }
            "SelectAll" => {
                let given = vec![("path", text("{Root}")), ("encoding", text("lean"))];
                (given, vec!["TCP-Data", "tcpRtoMin", "ifTable", "65536"])
            }
            other => panic!("the WSDL has {other}, of which nothing is known here"),
        };
        calls.push(call(operation, arguments, Expect::Objects(texts)));
        let wrong = vec![("path", text("{Nowhere}"))];
        calls.push(call(operation, wrong, Expect::Fault("wrongExpression")));
    }
    calls
}

fn missing_row(with_community: bool) -> Call {
    let community = ("community".to_owned(), Argument::Text("public".to_owned()));
    let mut arguments = vec![("ifIndex".to_owned(), Argument::Number("999999".to_owned()))];
    if with_community {
        arguments.insert(0, community);
    }
    let namespace = namespace::of_module("IF-MIB");
    Call { operation: "GetIfEntry".to_owned(), namespace, arguments, expect: Expect::Fault("noSuchRow") }
}

fn key_arguments(record: &Record, index: &[u32]) -> Vec<(String, Argument)> {
    let mut octets = Vec::new();
    let part =
        |(part, value): (&trunkline_smi::schema::IndexPart, Result<trunkline_smi::IndexRef<'_>, _>)| {
            let value = value.ok()?.value(part, &mut octets)?.to_value();
            Some((part.name.to_owned(), argument(&part.syntax, &value)))
        };
    record.keys.iter().zip(index_refs(record.keys, index)).filter_map(part).collect()
}

/// A key that fits the types and that no row has.
fn any_key(record: &Record) -> Vec<(String, Argument)> {
    let value = |syntax: &Syntax| match syntax.kind {
        ValueKind::Integer => Value::Integer(i32::try_from(syntax.min.max(2)).unwrap()),
        ValueKind::OctetString => Value::OctetString(vec![b'7'; usize::try_from(syntax.min.max(1)).unwrap()]),
        ValueKind::ObjectIdentifier => Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 9])),
        ValueKind::IpAddress => Value::IpAddress([127, 9, 9, 9]),
        ValueKind::Counter64 => Value::Counter64(7),
        _ => Value::Unsigned32(7),
    };
    record
        .keys
        .iter()
        .map(|part| (part.name.to_owned(), argument(&part.syntax, &value(&part.syntax))))
        .collect()
}

fn argument(syntax: &Syntax, value: &Value) -> Argument {
    match (Form::of(syntax), value) {
        (Form::Int | Form::UnsignedInt | Form::UnsignedLong, value) => {
            Argument::Number(value.as_value_ref().to_string())
        }
        (Form::Text, Value::OctetString(octets)) => {
            Argument::Text(String::from_utf8_lossy(octets).into_owned())
        }
        (_, Value::OctetString(octets) | Value::Opaque(octets)) => {
            Argument::Text(octets.iter().map(|octet| format!("{octet:02X}")).collect())
        }
        (_, value) => Argument::Text(value.as_value_ref().to_string()),
    }
}

impl Call {
    /// As JSON, in the order of the schema.
    pub fn json(&self, script: Script) -> String {
        let arguments = Argument::Many(self.arguments.clone()).json(script);
        format!("{{\"operation\":{:?},\"arguments\":{arguments}}}", self.operation)
    }

    /// As one line of XML.
    pub fn xml(&self) -> String {
        let mut xml = format!("<{} xmlns=\"{}\">", self.operation, self.namespace);
        self.arguments.iter().for_each(|(name, argument)| argument.xml(name, &mut xml));
        xml + &format!("</{}>", self.operation)
    }
}

impl Argument {
    fn json(&self, script: Script) -> String {
        match self {
            Argument::Boolean(value) => value.to_string(),
            Argument::Named(name, number) if script == Script::Zeep => {
                format!("{{\"name\":{name:?},\"_value_1\":{number}}}")
            }
            Argument::Named(name, number) => {
                format!("{{\"attributes\":{{\"name\":{name:?}}},\"$value\":{number}}}")
            }
            Argument::Text(text) => serde_json::to_string(text).unwrap(),
            Argument::Number(number) => number.clone(),
            Argument::List(list) => {
                format!(
                    "[{}]",
                    list.iter().map(|argument| argument.json(script)).collect::<Vec<_>>().join(",")
                )
            }
            Argument::Many(many) => {
                let member =
                    |(name, argument): &(String, Argument)| format!("{name:?}:{}", argument.json(script));
                format!("{{{}}}", many.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    fn xml(&self, name: &str, into: &mut String) {
        match self {
            Argument::List(list) => list.iter().for_each(|argument| argument.xml(name, into)),
            Argument::Boolean(value) => into.push_str(&format!("<{name}>{value}</{name}>")),
            Argument::Named(word, number) => {
                into.push_str(&format!("<{name} name=\"{word}\">{number}</{name}>"));
            }
            Argument::Text(text) | Argument::Number(text) => {
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                into.push_str(&format!("<{name}>{text}</{name}>"));
            }
            Argument::Many(many) => {
                into.push_str(&format!("<{name}>"));
                many.iter().for_each(|(name, argument)| argument.xml(name, into));
                into.push_str(&format!("</{name}>"));
            }
        }
    }
}

/// Whether a cell that others have read equals SNMP's. Counters and clocks advance meanwhile; what concurrent
/// tests do is in the tables about the agent itself.
pub fn same_cell(table: &Table, index: &[u32], field: usize, syntax: &Syntax, found: Option<&str>) -> bool {
    let expected = match table.cell(index, field) {
        Some(Bound::Value(value)) => Some(value),
        _ => None,
    };
    match (expected, found) {
        (None, None) => true,
        // Peers do not distinguish a missing value from an empty text.
        (None, Some(text)) => text.is_empty(),
        (Some(Value::OctetString(octets)), None) => octets.is_empty(),
        (Some(_), None) => false,
        (Some(expected), Some(text)) => {
            let read = lexical::read(syntax, text, Encoding::Typed);
            let moves = !matches!(
                expected.kind(),
                ValueKind::Integer
                    | ValueKind::OctetString
                    | ValueKind::ObjectIdentifier
                    | ValueKind::IpAddress
            );
            read.is_some_and(|read| moves && read.kind() == expected.kind() || read == *expected)
        }
    }
}

/// The catalog's record of a table.
pub fn record(catalog: &Catalog, table: usize) -> &Record {
    &catalog.tables()[table].record
}
