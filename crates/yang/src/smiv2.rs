//! The modules of SMIv2 as modules of YANG (RFC 6643), from the schema of what the agent serves.
//!
//! A module is a container of state. In it stands a container for each group of scalars, and one for each table with a list of
//! its rows; a table that AUGMENTS another one adds its columns to the other's list.

use std::collections::BTreeSet;

use trunkline_smi::ValueKind;
use trunkline_smi::module::{ALL, augmented};
use trunkline_smi::schema::{self as smi, Column, Scalar, Syntax, Table};

use crate::convention::{self, Home};
use crate::schema::{
    Augment, Below, Import, Kind, Leaf, List, Module, Narrowed, Node, Origin, Type, Typedef,
};

/// Every module of the schema, and those that only define conventions.
pub fn modules() -> Vec<Module> {
    let mut all: Vec<Module> = ALL.iter().map(|it| translate(it)).collect();
    // These only define conventions.
    let empty =
        smi::Module { name: "", reference: "", nodes: &[], scalars: &[], tables: &[], notifications: &[] };
    all.extend(convention::modules_of_conventions().map(|name| translate(&smi::Module { name, ..empty })));
    // A module without anything that YANG has words for is not worth a file.
    all.retain(|it| !it.nodes.is_empty() || !it.typedefs.is_empty() || !it.augments.is_empty());
    all
}

/// The namespace of a module's translation.
pub fn namespace(module: &str) -> String {
    format!("urn:ietf:params:xml:ns:yang:smiv2:{module}")
}

/// The translation of a module.
pub fn translate(module: &smi::Module) -> Module {
    let reference =
        if module.reference.is_empty() { String::new() } else { format!(" ({})", module.reference) };
    let description =
        format!("{}{reference}, translated by RFC 6643: what this agent serves and uses of it.", module.name);
    let mut maker = Maker { module: module.name, imports: BTreeSet::new() };
    let groups = groups(module).into_iter().map(|(name, oid, scalars)| {
        let leaves = scalars.into_iter().map(|scalar| maker.scalar(scalar)).collect();
        container(name, leaves, Some(Origin { oid, below: Below::Itself, access: None }))
    });
    let mut nodes: Vec<Node> = groups.collect();
    let mut augments = Vec::new();
    for table in module.tables {
        match augmented(table.name) {
            Some(other) => augments.push(maker.augment(table, other)),
            None => nodes.push(maker.table(table)),
        }
    }
    let notifications = module.notifications.iter().map(|it| maker.notification(it)).collect();
    let typedefs = maker.typedefs();
    if !nodes.is_empty() || !augments.is_empty() || typedefs.iter().any(|it| !it.hint.is_empty()) {
        maker.imports.insert(Import { module: "ietf-yang-smiv2".into(), prefix: "smiv2".into() });
    }
    let nodes = if nodes.is_empty() { vec![] } else { vec![state(module.name, nodes)] };
    Module {
        name: module.name,
        namespace: namespace(module.name),
        prefix: prefix(module.name),
        description,
        imports: maker.imports.into_iter().collect(),
        typedefs,
        nodes,
        augments,
        notifications,
    }
}

fn prefix(module: &str) -> String {
    module.to_ascii_lowercase()
}

fn state(name: &str, nodes: Vec<Node>) -> Node {
    Node { name: name.into(), kind: Kind::State(nodes), origin: None }
}

fn container(name: &str, nodes: Vec<Node>, origin: Option<Origin>) -> Node {
    Node { name: name.into(), kind: Kind::Container(nodes), origin }
}

/// The scalars below each node, with the node's name and identifier, in the order of the first of each.
type Group = (&'static str, &'static [u32], Vec<&'static Scalar>);

fn groups(module: &smi::Module) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for scalar in module.scalars {
        let Some((_, parent)) = scalar.oid.split_last() else { continue };
        match groups.iter_mut().find(|(_, oid, _)| *oid == parent) {
            Some((_, _, scalars)) => scalars.push(scalar),
            None => groups.push((name_of(parent).unwrap_or(module.name), parent, vec![scalar])),
        }
    }
    groups
}

/// The name of a node of any module.
fn name_of(oid: &[u32]) -> Option<&'static str> {
    ALL.iter().flat_map(|module| module.nodes).find(|node| node.oid == oid).map(|node| node.name)
}

/// The module and the table of a column, and the column.
fn home_of(column: &str) -> Option<(&'static smi::Module, &'static Table, &'static Column)> {
    let of_table = |module: &'static smi::Module, table: &'static Table| {
        let found = table.columns.iter().find(|it| it.name == column)?;
        Some((module, table, found))
    };
    ALL.iter().find_map(|module| module.tables.iter().find_map(|table| of_table(module, table)))
}

fn table_of(name: &str) -> Option<(&'static smi::Module, &'static Table)> {
    ALL.iter().find_map(|module| Some((*module, module.tables.iter().find(|it| it.name == name)?)))
}

/// What makes the nodes of one module, and notes what they use.
struct Maker {
    module: &'static str,
    imports: BTreeSet<Import>,
}

impl Maker {
    fn table(&mut self, table: &'static Table) -> Node {
        let foreign = table.index.iter().filter(|part| table.columns.iter().all(|it| it.name != part.name));
        let mut nodes: Vec<Node> = foreign.map(|part| self.foreign_key(part)).collect();
        nodes.extend(table.columns.iter().filter(|it| is_data(table, it)).map(|it| self.column(table, it)));
        let implied = table.index.last().filter(|part| {
            matches!(
                part.encoding,
                smi::IndexEncoding::ImpliedOctets | smi::IndexEncoding::ImpliedObjectIdentifier
            )
        });
        let list = List {
            keys: table.index.iter().map(|part| part.name).collect(),
            implied: implied.map(|part| part.name),
            nodes,
        };
        let of = |below| Some(Origin { oid: table.oid, below, access: None });
        let list = Node { name: table.entry.into(), kind: Kind::List(list), origin: of(Below::Entry) };
        container(table.name, vec![list], of(Below::Itself))
    }

    /// A table that AUGMENTS another one: its columns in the other's list.
    fn augment(&mut self, table: &'static Table, other: &str) -> Augment {
        let path = table_of(other).map_or_else(String::new, |(module, other)| self.path(module, other, None));
        Augment {
            path,
            nodes: table
                .columns
                .iter()
                .filter(|it| is_data(table, it))
                .map(|it| self.column(table, it))
                .collect(),
            origin: Some(Origin { oid: table.oid, below: Below::Entry, access: None }),
        }
    }

    /// A key that is a column of another table: the value of that column.
    fn foreign_key(&mut self, part: &smi::IndexPart) -> Node {
        let ty = match home_of(part.name) {
            Some((module, table, column)) => Type::Leafref(self.path(module, table, Some(column))),
            None => self.ty(&part.syntax),
        };
        let leaf = Leaf { ty, syntax: Some(part.syntax), units: "" };
        Node { name: part.name.into(), kind: Kind::Leaf(leaf), origin: None }
    }

    fn scalar(&mut self, scalar: &'static Scalar) -> Node {
        let origin = Origin { oid: scalar.oid, below: Below::Itself, access: Some(scalar.access) };
        self.leaf(scalar.name, scalar.syntax, scalar.units, origin)
    }

    fn column(&mut self, table: &'static Table, column: &'static Column) -> Node {
        let origin = Origin { oid: table.oid, below: Below::Column(column.id), access: Some(column.access) };
        self.leaf(column.name, column.syntax, column.units, origin)
    }

    fn leaf(&mut self, name: &str, syntax: Syntax, units: &'static str, origin: Origin) -> Node {
        let ty = match self.ty(&syntax) {
            Type::Named { name: of, .. } if of == OID && SHORT.contains(&name) => Type::AnyOid,
            ty => ty,
        };
        let leaf = Leaf { ty, syntax: Some(syntax), units };
        Node { name: name.into(), kind: Kind::Leaf(leaf), origin: Some(origin) }
    }

    /// A container for each object, with the keys of its row (RFC 6643 section 9).
    fn notification(&mut self, notification: &'static smi::Notification) -> Node {
        let objects = notification.objects.iter().enumerate().map(|(at, object)| {
            let mut leaves = Vec::new();
            if let Some((module, table, column)) = home_of(object) {
                let is_key = |part: &&smi::IndexPart| part.name != *object;
                leaves.extend(table.index.iter().filter(is_key).map(|part| {
                    let key = table.columns.iter().find(|it| it.name == part.name);
                    let (module, table, column) = match key {
                        Some(key) => (module, table, key),
                        None => home_of(part.name).unwrap_or((module, table, column)),
                    };
                    self.reference(part.name, module, table, column)
                }));
                leaves.push(self.reference(object, module, table, column));
            } else if let Some((module, scalar)) = scalar_of(object) {
                let parent = scalar.oid.split_last().and_then(|(_, parent)| name_of(parent));
                let path = self.steps(module, &[parent.unwrap_or(module.name), scalar.name]);
                leaves.push(leafref(object, path));
            }
            container(&format!("object-{}", at + 1), leaves, None)
        });
        let objects = objects.collect();
        Node {
            name: notification.name.into(),
            kind: Kind::Notification(objects),
            origin: Some(Origin { oid: notification.oid, below: Below::Itself, access: None }),
        }
    }

    fn reference(&mut self, name: &str, module: &smi::Module, table: &Table, column: &Column) -> Node {
        leafref(name, self.path(module, table, Some(column)))
    }

    /// The path of a table's list, or of a column in it.
    fn path(&mut self, module: &smi::Module, table: &Table, column: Option<&Column>) -> String {
        let (place, list) = match augmented(table.name).and_then(table_of) {
            Some((place, list)) => (place, list),
            None => (module, table),
        };
        let mut path = self.steps(place, &[list.name, list.entry]);
        if let Some(column) = column {
            let prefix = self.import(module.name);
            path += &format!("/{prefix}:{}", column.name);
        }
        path
    }

    /// A path below a module's container.
    fn steps(&mut self, module: &smi::Module, names: &[&str]) -> String {
        let prefix = self.import(module.name);
        let all = [module.name].into_iter().chain(names.iter().copied());
        all.map(|name| format!("/{prefix}:{name}")).collect()
    }

    /// The prefix of a module, which is imported unless it is this one.
    fn import(&mut self, module: &str) -> String {
        let prefix = prefix(module);
        if module != self.module {
            self.imports.insert(Import { module: module.into(), prefix: prefix.clone() });
        }
        prefix
    }

    /// The type of an object (RFC 6643 section 2).
    fn ty(&mut self, syntax: &Syntax) -> Type {
        if syntax.convention == "TruthValue" {
            return Type::named("boolean");
        }
        match convention::home(syntax.convention) {
            Some(Home::Yang(name)) => self.of_ietf(name),
            Some(Home::Module(module)) => {
                let prefix = self.import(module);
                let widest = convention::widest(syntax.convention);
                let is_narrower = widest.is_some_and(|it| (it.min, it.max) != (syntax.min, syntax.max));
                let narrowed = is_narrower.then(|| narrowed(syntax)).flatten();
                Type::Named { name: format!("{prefix}:{}", syntax.convention), narrowed }
            }
            None => self.base(syntax),
        }
    }

    /// The type without its convention.
    fn base(&mut self, syntax: &Syntax) -> Type {
        if syntax.bits {
            return Type::Bits(syntax.names);
        }
        match syntax.kind {
            ValueKind::Integer if !syntax.names.is_empty() => Type::Enumeration(syntax.names),
            ValueKind::Integer => Type::Named { name: "int32".into(), narrowed: narrowed(syntax) },
            ValueKind::Unsigned32 if syntax.convention.is_empty() && narrowed(syntax).is_none() => {
                self.of_ietf("yang:gauge32")
            }
            ValueKind::Unsigned32 => Type::Named { name: "uint32".into(), narrowed: narrowed(syntax) },
            ValueKind::OctetString if is_text(syntax) => {
                Type::Named { name: "string".into(), narrowed: narrowed(syntax).filter(|_| by_octet(syntax)) }
            }
            ValueKind::OctetString => Type::Named { name: "binary".into(), narrowed: narrowed(syntax) },
            ValueKind::Opaque => Type::named("binary"),
            ValueKind::ObjectIdentifier => self.of_ietf(OID),
            ValueKind::IpAddress => self.of_ietf("inet:ipv4-address"),
            ValueKind::Counter32 => self.of_ietf("yang:counter32"),
            ValueKind::Counter64 => self.of_ietf("yang:counter64"),
            ValueKind::TimeTicks => self.of_ietf("yang:timeticks"),
        }
    }

    fn of_ietf(&mut self, name: &str) -> Type {
        if let Some((prefix, _)) = name.split_once(':') {
            self.imports.insert(Import { module: format!("ietf-{prefix}-types"), prefix: prefix.into() });
        }
        Type::named(name)
    }

    fn typedefs(&mut self) -> Vec<Typedef> {
        let defined = convention::defined_by(self.module).into_iter();
        defined
            .map(|syntax| Typedef { name: syntax.convention, ty: self.base(&syntax), hint: syntax.hint })
            .collect()
    }
}

/// The type of object identifiers, which have two parts at least.
const OID: &str = "yang:object-identifier-128";
/// Columns whose object identifiers have one part, or none: subtrees of views.
const SHORT: [&str; 1] = ["vacmViewTreeFamilySubtree"];

fn scalar_of(name: &str) -> Option<(&'static smi::Module, &'static Scalar)> {
    ALL.iter().find_map(|module| Some((*module, module.scalars.iter().find(|it| it.name == name)?)))
}

fn leafref(name: &str, path: String) -> Node {
    let leaf = Leaf { ty: Type::Leafref(path), syntax: None, units: "" };
    Node { name: name.into(), kind: Kind::Leaf(leaf), origin: None }
}

/// Whether a column is data of its list: a key, or what can be read.
fn is_data(table: &Table, column: &Column) -> bool {
    column.access.is_readable() || table.index.iter().any(|part| part.name == column.name)
}

/// The limits of a syntax, unless they are those of its base type.
fn narrowed(syntax: &Syntax) -> Option<Narrowed> {
    let (least, most) = (syntax.min, syntax.max);
    match syntax.kind {
        ValueKind::Integer if (least, most) != (i32::MIN.into(), i32::MAX.into()) => {
            Some(Narrowed::Range(least, most))
        }
        ValueKind::Unsigned32 if (least, most) != (0, u32::MAX.into()) => Some(Narrowed::Range(least, most)),
        ValueKind::OctetString if (least, most) != (0, 65535) => Some(Narrowed::Length(least, most)),
        _ => None,
    }
}

/// Whether octets are written as text: if there is a display hint for them.
pub(crate) fn is_text(syntax: &Syntax) -> bool {
    syntax.kind == ValueKind::OctetString && !syntax.bits && !syntax.hint.is_empty()
}

/// Whether each octet is a character of the text, so that their limits are the text's.
fn by_octet(syntax: &Syntax) -> bool {
    matches!(syntax.hint, "255a" | "255t" | "1a")
}
