//! Which MBeans there are, and their names both ways.
//!
//! ```text
//! trunkline:type=system                       the scalars below a node
//! trunkline:type=ifEntry,ifIndex=2            a row
//! trunkline:type=ifTable                      a table, by columns
//! trunkline:type=notifications                where notifications come from
//! JMImplementation:type=MBeanServerDelegate   what every agent has
//! ```

use trunkline_jmx::model::{ObjectName, quote, unquote};
use trunkline_smi::module::ALL;
use trunkline_smi::schema::{Column, IndexPart, MaxAccess, Module, Scalar, Syntax, Table};
use trunkline_smi::{IndexRef, IndexValue, Oid, OidBuf, Value, ValueKind, encode_index, index_refs};

use crate::changes::CHANGES;
use crate::names::{DOMAIN, class};
use crate::{delegate, text};

/// The MBeans of an agent that serves some of the schema.
#[derive(Debug)]
pub struct Catalog {
    groups: Vec<Group>,
    tables: Vec<TableBean>,
}

/// The scalars below a node.
#[derive(Debug)]
pub struct Group {
    /// The name of the node.
    pub name: &'static str,
    /// Each with the module that it is from.
    pub attributes: Vec<Attribute>,
    oid: &'static [u32],
}

/// A table, and its rows.
#[derive(Debug)]
pub struct TableBean {
    /// The table.
    pub table: &'static Table,
    /// The parts of the index, and then the columns that are served and are no such part.
    pub attributes: Vec<Attribute>,
}

/// An attribute of a group or of a row; of a table, an array.
#[derive(Debug)]
pub struct Attribute {
    /// Its name: the descriptor of the object.
    pub name: &'static str,
    /// What values it may have.
    pub syntax: Syntax,
    /// UNITS, or empty.
    pub units: &'static str,
    /// What a manager may do with it at most.
    pub access: MaxAccess,
    /// Where it comes from.
    pub source: Source,
    /// The module of the object.
    pub module: &'static Module,
}

/// Where the value of an attribute comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// This part of the index.
    Key(usize),
    /// The column of this last sub-identifier.
    Column(u32),
    /// A scalar.
    Scalar(&'static Scalar),
}

/// An MBean.
#[derive(Clone, Debug)]
pub enum Bean<'c> {
    /// What every agent has.
    Delegate,
    /// Where notifications come from.
    Notifications,
    /// Scalars.
    Group(&'c Group),
    /// A table.
    Table(&'c TableBean),
    /// The row of this index, if there is one.
    Row(&'c TableBean, Oid),
}

/// MBeans of which some may match a pattern.
#[derive(Clone, Debug)]
pub enum Match<'c> {
    /// One that is there.
    Bean(Bean<'c>),
    /// All rows.
    Rows(&'c TableBean),
}

impl Attribute {
    /// The object's identifier, without an instance; `None` for a part of an index that is not a column of the table.
    #[must_use]
    pub fn oid(&self, of: Option<&Table>) -> Option<Vec<u32>> {
        match (self.source, of) {
            (Source::Scalar(scalar), _) => Some(scalar.oid.to_vec()),
            (Source::Column(id), Some(table)) => Some([table.oid, &[1, id]].concat()),
            (Source::Key(_), Some(table)) => {
                let column = table.columns.iter().find(|column| column.name == self.name)?;
                Some([table.oid, &[1, column.id]].concat())
            }
            (Source::Column(_) | Source::Key(_), None) => None,
        }
    }
}

impl Catalog {
    /// Of the objects that are served.
    #[must_use]
    pub fn new(is_served: impl Fn(&[u32]) -> bool) -> Self {
        let mut catalog = Catalog { groups: Vec::new(), tables: Vec::new() };
        for module in ALL {
            for scalar in module.scalars.iter().filter(|it| it.access.is_readable() && is_served(it.oid)) {
                catalog.add_scalar(module, scalar);
            }
            let tables = module.tables.iter().map(|table| TableBean::new(module, table, &is_served));
            let has_columns = |bean: &TableBean| bean.attributes.iter().any(|it| it.access.is_readable());
            catalog.tables.extend(tables.filter(has_columns));
        }
        catalog
    }

    fn add_scalar(&mut self, module: &'static Module, scalar: &'static Scalar) {
        let Some((_, parent)) = scalar.oid.split_last() else { return };
        let attribute = Attribute {
            name: scalar.name,
            syntax: scalar.syntax,
            units: scalar.units,
            access: scalar.access,
            source: Source::Scalar(scalar),
            module,
        };
        match self.groups.iter_mut().find(|group| group.oid == parent) {
            Some(group) => group.attributes.push(attribute),
            None => {
                let nodes = || ALL.iter().flat_map(|module| module.nodes);
                let node = nodes().find(|node| node.oid == parent);
                let name = node.map_or(module.name, |node| node.name);
                self.groups.push(Group { name, attributes: vec![attribute], oid: parent });
            }
        }
    }

    /// The name of the MBean that notifications come from.
    #[must_use]
    pub fn notifications() -> Option<ObjectName> {
        of_type(NOTIFICATIONS)
    }

    /// The scalars, by the nodes that they are below.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The tables, in the order of the modules.
    #[must_use]
    pub fn tables(&self) -> &[TableBean] {
        &self.tables
    }

    /// The MBean and the attribute of an instance.
    #[must_use]
    pub fn place_of(&self, instance: &[u32]) -> Option<(ObjectName, &'static str)> {
        let table = self.tables.iter().find(|bean| instance.starts_with(bean.table.oid));
        if let Some(bean) = table {
            let (&[1, id], index) = instance.get(bean.table.oid.len()..)?.split_first_chunk()? else {
                return None;
            };
            let column = bean.table.column(id)?;
            let has_it = bean.attributes.iter().any(|attribute| attribute.name == column.name);
            return if has_it { Some((bean.name_of(index)?, column.name)) } else { None };
        }
        let (0, object) = instance.split_last()? else { return None };
        let found = self.groups.iter().find_map(|group| {
            let is_it = |it: &&Attribute| it.oid(None).is_some_and(|oid| oid == object);
            group.attributes.iter().find(is_it).map(|attribute| (group.name, attribute.name))
        });
        found.and_then(|(group, attribute)| Some((of_type(group)?, attribute)))
    }

    /// The MBean of a name; a row may not be there.
    #[must_use]
    pub fn resolve(&self, name: &ObjectName) -> Option<Bean<'_>> {
        if name.domain() == delegate::DOMAIN && *name == delegate::name() {
            return Some(Bean::Delegate);
        }
        let kind = name.property("type")?;
        if !(name.domain() == DOMAIN || name.domain().is_empty()) || name.is_pattern() {
            return None;
        }
        if let Some(bean) = self.tables.iter().find(|bean| bean.table.entry == kind) {
            return bean.index_of(name).map(|index| Bean::Row(bean, index));
        }
        if name.properties().count() != 1 {
            return None;
        }
        let group = || self.groups.iter().find(|group| group.name == kind).map(Bean::Group);
        let table = || self.tables.iter().find(|bean| bean.table.name == kind).map(Bean::Table);
        if kind == NOTIFICATIONS { Some(Bean::Notifications) } else { group().or_else(table) }
    }

    /// The MBeans that a pattern may stand for, no more rows than need be. All without one.
    #[must_use]
    pub fn matches(&self, pattern: Option<&ObjectName>) -> Vec<Match<'_>> {
        if let Some(name) = pattern
            && !name.is_pattern()
        {
            return self.resolve(name).map(Match::Bean).into_iter().collect();
        }
        let pattern = pattern.map(|pattern| pattern.clone().or_domain(DOMAIN));
        let matcher = pattern.as_ref().map(ObjectName::matcher);
        let is_it = |name: &ObjectName| matcher.as_ref().is_none_or(|matcher| matcher.matches(name));
        let singles = [Bean::Delegate, Bean::Notifications].into_iter();
        let singles = singles.chain(self.groups.iter().map(Bean::Group));
        let singles = singles.chain(self.tables.iter().map(Bean::Table));
        let singles = singles.filter(|bean| bean.name().is_some_and(|name| is_it(&name))).map(Match::Bean);
        let rows = self.tables.iter().filter_map(|bean| match &pattern {
            Some(pattern) => bean.rows_matching(pattern),
            None => Some(Match::Rows(bean)),
        });
        singles.chain(rows).collect()
    }
}

impl TableBean {
    fn new(module: &'static Module, table: &'static Table, is_served: &impl Fn(&[u32]) -> bool) -> Self {
        let is_column = |column: &&Column| {
            let oid = [table.oid, &[1, column.id]].concat();
            column.access.is_readable() && is_served(&oid)
        };
        let columns: Vec<&'static Column> = table.columns.iter().filter(is_column).collect();
        let key = |(part, of): (usize, &'static IndexPart)| {
            let column = columns.iter().find(|column| column.name == of.name);
            Attribute {
                name: of.name,
                syntax: of.syntax,
                units: column.map_or("", |column| column.units),
                access: column.map_or(MaxAccess::NotAccessible, |_| MaxAccess::ReadOnly),
                source: Source::Key(part),
                module,
            }
        };
        let is_key = |column: &&&'static Column| table.index.iter().any(|part| part.name == column.name);
        let column = |column: &&'static Column| Attribute {
            name: column.name,
            syntax: column.syntax,
            units: column.units,
            access: column.access,
            source: Source::Column(column.id),
            module,
        };
        let keys = table.index.iter().enumerate().map(key);
        let attributes = keys.chain(columns.iter().filter(|it| !is_key(it)).map(column)).collect();
        TableBean { table, attributes }
    }

    /// The name of a row; `None` if the index is not one of the table.
    #[must_use]
    pub fn name_of(&self, index: &[u32]) -> Option<ObjectName> {
        let mut octets = Vec::new();
        let mut values = Vec::with_capacity(self.table.index.len());
        let mut refs = index_refs(self.table.index, index);
        for part in self.table.index {
            values.push(write_key(refs.next()?.ok()?, part, &mut octets)?);
        }
        if refs.next().is_some() {
            return None;
        }
        let keys = self.table.index.iter().zip(&values).map(|(part, value)| (part.name, value.as_str()));
        ObjectName::new(DOMAIN, std::iter::once(("type", self.table.entry)).chain(keys)).ok()
    }

    /// The index of the row whose parts of the index have these values; `None`: no row has them.
    #[must_use]
    pub fn index_with(&self, parts: impl Iterator<Item = Value>) -> Option<Oid> {
        let values = parts.map(IndexValue::of).collect::<Option<Vec<IndexValue>>>()?;
        let mut index = OidBuf::new();
        encode_index(self.table.index, &values, &mut index).ok()?;
        Oid::new(&index).ok()
    }

    /// The index in a name; `None` unless it is exactly the name of a row.
    fn index_of(&self, name: &ObjectName) -> Option<Oid> {
        let value = |part: &IndexPart| read_key(name.property(part.name)?, part);
        let values = self.table.index.iter().map(value).collect::<Option<Vec<Value>>>()?;
        let index = self.index_with(values.into_iter())?;
        if self.is_name_of(name, &index)? { Some(index) } else { None }
    }

    /// Whether [`TableBean::name_of`] gives this name, which is not made for that: each call for a row has one.
    fn is_name_of(&self, name: &ObjectName, index: &[u32]) -> Option<bool> {
        let mut octets = Vec::new();
        let mut refs = index_refs(self.table.index, index);
        for part in self.table.index {
            let value = write_key(refs.next()?.ok()?, part, &mut octets)?;
            if name.property(part.name) != Some(value.as_str()) {
                return Some(false);
            }
        }
        let has_all = name.property("type") == Some(self.table.entry)
            && name.properties().count() == 1 + self.table.index.len();
        let is_here = name.domain().is_empty() || name.domain() == DOMAIN;
        Some(refs.next().is_none() && has_all && is_here && !name.is_open())
    }

    /// What of the rows a pattern may stand for.
    fn rows_matching(&self, pattern: &ObjectName) -> Option<Match<'_>> {
        let keys = || std::iter::once("type").chain(self.table.index.iter().map(|part| part.name));
        let has_all = keys().all(|key| pattern.property(key).is_some());
        let fits = pattern.properties().all(|(key, _)| keys().any(|known| known == key));
        if !fits || !(has_all || pattern.is_open()) {
            return None;
        }
        let a_row = ObjectName::new(DOMAIN, [("type", self.table.entry)]).ok()?;
        let kind = pattern.property("type").unwrap_or("*");
        let of_type = ObjectName::new(pattern.domain(), [("type", kind)]).ok()?;
        if !(of_type == a_row || of_type.matches(&a_row)) {
            return None;
        }
        // It stands for one row if no key is a pattern.
        let values =
            self.table.index.iter().filter_map(|part| Some((part.name, pattern.property(part.name)?)));
        let named = ObjectName::new(DOMAIN, std::iter::once(("type", self.table.entry)).chain(values));
        match named {
            Ok(name) if has_all && !name.is_pattern() => {
                self.index_of(&name).map(|index| Match::Bean(Bean::Row(self, index)))
            }
            _ => Some(Match::Rows(self)),
        }
    }
}

impl Bean<'_> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<ObjectName> {
        match self {
            Bean::Delegate => Some(delegate::name()),
            Bean::Notifications => of_type(NOTIFICATIONS),
            Bean::Group(group) => of_type(group.name),
            Bean::Table(bean) => of_type(bean.table.name),
            Bean::Row(bean, index) => bean.name_of(index),
        }
    }

    /// The name of its class.
    #[must_use]
    pub fn class_name(&self) -> String {
        match self {
            Bean::Delegate => delegate::CLASS.to_owned(),
            Bean::Notifications => class(NOTIFICATIONS),
            Bean::Group(group) => class(group.name),
            Bean::Table(bean) => class(bean.table.name),
            Bean::Row(bean, _) => class(bean.table.entry),
        }
    }

    /// Whether it sends notifications: those that are about no one object, and rows and scalars that have a state whose changes are
    /// notifications, or that managers may change.
    #[must_use]
    pub fn notifies(&self) -> bool {
        match self {
            Bean::Delegate | Bean::Notifications => true,
            Bean::Row(bean, _) => {
                CHANGES.iter().any(|change| change.table == bean.table.name) || self.is_changeable()
            }
            Bean::Group(_) => self.is_changeable(),
            Bean::Table(_) => false,
        }
    }

    /// Whether its class is or extends another.
    #[must_use]
    pub fn is_instance_of(&self, class: &str) -> bool {
        match class {
            "java.lang.Object" | "javax.management.DynamicMBean" => true,
            "javax.management.NotificationBroadcaster" | "javax.management.NotificationEmitter" => {
                self.notifies()
            }
            other => other == self.class_name(),
        }
    }
}

fn of_type(name: &str) -> Option<ObjectName> {
    ObjectName::new(DOMAIN, [("type", name)]).ok()
}

/// Texts are quoted, since they may have any character; numbers and names of numbers are not.
fn is_quoted(part: &IndexPart) -> bool {
    part.syntax.kind == ValueKind::OctetString && !part.syntax.bits
}

fn write_key(value: IndexRef<'_>, part: &IndexPart, octets: &mut Vec<u8>) -> Option<String> {
    let text = text::write(value.value(part, octets)?, &part.syntax);
    Some(if is_quoted(part) { quote(&text) } else { text })
}

fn read_key(value: &str, part: &IndexPart) -> Option<Value> {
    if is_quoted(part) { text::read(&unquote(value)?, &part.syntax) } else { text::read(value, &part.syntax) }
}

/// The MBean that notifications come from.
const NOTIFICATIONS: &str = "notifications";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all() -> Catalog {
        Catalog::new(|_| true)
    }

    fn name(text: &str) -> ObjectName {
        text.parse().unwrap()
    }

    fn row(text: &str) -> Option<Vec<u32>> {
        match all().resolve(&name(text)) {
            Some(Bean::Row(_, index)) => Some(index.to_vec()),
            _ => None,
        }
    }

    fn table(name: &str) -> usize {
        all().tables.iter().position(|bean| bean.table.entry == name).unwrap()
    }

    #[test]
    fn each_mbean_has_a_name_of_its_own() {
        let catalog = all();
        let mut types: Vec<&str> = vec![NOTIFICATIONS];
        types.extend(catalog.groups.iter().map(|group| group.name));
        types.extend(catalog.tables.iter().flat_map(|bean| [bean.table.name, bean.table.entry]));
        let different: BTreeSet<&str> = types.iter().copied().collect();
        assert_eq!(different.len(), types.len(), "{types:?}");
        for bean in &catalog.tables {
            let names: BTreeSet<&str> = bean.attributes.iter().map(|it| it.name).collect();
            assert_eq!(names.len(), bean.attributes.len(), "{}", bean.table.name);
            assert!(bean.table.index.iter().all(|part| part.name != "type"));
        }
        assert!(catalog.groups.len() > 10 && catalog.tables.len() > 30);
    }

    #[test]
    fn what_is_not_served_has_no_mbean() {
        let catalog = Catalog::new(|oid| oid.starts_with(&[1, 3, 6, 1, 2, 1, 1]));
        assert_eq!(catalog.groups.len(), 1);
        let names: Vec<&str> = catalog.tables.iter().map(|bean| bean.table.name).collect();
        assert_eq!(names, ["sysORTable"]);
        // Its index is not accessible, and an attribute all the same.
        let attributes: Vec<&str> = catalog.tables[0].attributes.iter().map(|it| it.name).collect();
        assert_eq!(attributes, ["sysORIndex", "sysORID", "sysORDescr", "sysORUpTime"]);
        assert!(catalog.resolve(&name("trunkline:type=ifTable")).is_none());
    }

    #[test]
    fn names_of_rows_are_quoted_rightly_both_ways() {
        for (entry, index, expected) in [
            ("ifEntry", &[2][..], "trunkline:type=ifEntry,ifIndex=2"),
            (
                "ipAddressEntry",
                &[1, 4, 192, 0, 2, 1],
                r#"trunkline:type=ipAddressEntry,ipAddressAddrType=ipv4,ipAddressAddr="192.0.2.1""#,
            ),
            (
                "ipAddressEntry",
                &[16, 3, 97, 42, 10],
                r#"trunkline:type=ipAddressEntry,ipAddressAddrType=dns,ipAddressAddr="0x612a0a""#,
            ),
            (
                "snmpTargetAddrEntry",
                &[97, 42, 34, 63, 92, 44],
                r#"trunkline:type=snmpTargetAddrEntry,snmpTargetAddrName="a\*\"\?\\,""#,
            ),
            (
                "snmpTargetAddrEntry",
                &[0x30, 0x78],
                r#"trunkline:type=snmpTargetAddrEntry,snmpTargetAddrName="0x3078""#,
            ),
        ] {
            let catalog = all();
            let bean = &catalog.tables[table(entry)];
            let name = bean.name_of(index).unwrap();
            assert_eq!(name.to_text(), expected);
            assert_eq!(row(expected).as_deref(), Some(index), "{expected}");
        }
        assert_eq!(row("trunkline:ifIndex=2,type=ifEntry"), Some(vec![2]));
        assert_eq!(row(":type=ifEntry,ifIndex=2"), Some(vec![2]));
        for other in [
            "trunkline:type=ifEntry,ifIndex=02",
            "trunkline:type=ifEntry,ifIndex=\"2\"",
            "trunkline:type=ifEntry,ifIndex=2,more=1",
            "trunkline:type=ifEntry",
            "trunkline:type=ifEntry,ifIndex=*",
            "other:type=ifEntry,ifIndex=2",
            "trunkline:type=ipAddressEntry,ipAddressAddrType=ipv4,ipAddressAddr=192.0.2.1",
        ] {
            assert_eq!(row(other), None, "{other}");
        }
    }

    fn matched(pattern: Option<&str>) -> (Vec<String>, Vec<&'static str>) {
        let catalog = all();
        let pattern = pattern.map(name);
        let (mut beans, mut rows) = (Vec::new(), Vec::new());
        for found in catalog.matches(pattern.as_ref()) {
            match found {
                Match::Bean(bean) => beans.push(bean.name().unwrap().to_text()),
                Match::Rows(of) => rows.push(of.table.entry),
            }
        }
        (beans, rows)
    }

    #[test]
    fn patterns_lead_to_the_mbeans_that_they_may_stand_for() {
        let (beans, rows) = matched(None);
        assert_eq!(rows.len(), all().tables.len());
        assert_eq!(beans.len(), 2 + all().groups.len() + all().tables.len());
        assert_eq!(matched(Some("*:*")), (beans, rows));
        let only = |pattern: &str| {
            let (beans, rows) = matched(Some(pattern));
            (beans.join(" "), rows.join(" "))
        };
        let (none, of_rows) = (String::new, |rows: &str| (String::new(), rows.to_owned()));
        let bean = |name: &str| (name.to_owned(), String::new());
        assert_eq!(only("trunkline:type=ifEntry,*"), of_rows("ifEntry"));
        assert_eq!(only("trunk*:type=ifEntry,ifIndex=*"), of_rows("ifEntry"));
        assert_eq!(only("trunkline:type=if*Entry,ifIndex=*"), of_rows("ifEntry ifXEntry"));
        assert_eq!(only("other:type=ifEntry,*"), (none(), none()));
        assert_eq!(only("trunkline:type=*"), {
            let (beans, _) = matched(Some("trunkline:*"));
            (beans.join(" "), none())
        });
        assert_eq!(only("trunkline:type=ifEntry,ifIndex=7,*"), bean("trunkline:type=ifEntry,ifIndex=7"));
        assert_eq!(only("trunkline:type=ifEntry,ifIndex=seven,*"), (none(), none()));
        assert_eq!(only("trunkline:type=ifTable"), bean("trunkline:type=ifTable"));
        assert_eq!(only("JM*:*"), bean("JMImplementation:type=MBeanServerDelegate"));
        // Of those that have the key.
        let (beans, rows) = only("trunkline:ipAddressAddrType=ipv4,*");
        assert_eq!((beans.as_str(), rows.as_str()), ("", "ipAddressEntry"));
    }

    #[test]
    fn instances_are_attributes_of_mbeans() {
        let place = |instance: &[u32]| {
            all().place_of(instance).map(|(name, attribute)| format!("{} {attribute}", name.to_text()))
        };
        let mtu = [1, 3, 6, 1, 2, 1, 2, 2, 1, 4, 7];
        assert_eq!(place(&mtu).as_deref(), Some("trunkline:type=ifEntry,ifIndex=7 ifMtu"));
        let contact = [1, 3, 6, 1, 2, 1, 1, 4, 0];
        assert_eq!(place(&contact).as_deref(), Some("trunkline:type=system sysContact"));
        for other in [&mtu[..10], &mtu[..8], &contact[..8], &[1, 3], &[]] {
            assert_eq!(place(other), None, "{other:?}");
        }
    }

    #[test]
    fn classes_are_those_of_the_schema() {
        let catalog = all();
        let bean = catalog.resolve(&name("trunkline:type=ifEntry,ifIndex=1")).unwrap();
        assert_eq!(bean.class_name(), "trunkline.ifEntry");
        assert!(bean.is_instance_of("trunkline.ifEntry") && bean.is_instance_of("java.lang.Object"));
        assert!(bean.is_instance_of("javax.management.NotificationBroadcaster"));
        for (other, notifies) in [
            ("trunkline:type=system", true),
            ("trunkline:type=interfaces", false),
            ("trunkline:type=ifTable", false),
            ("trunkline:type=sysOREntry,sysORIndex=1", false),
            ("trunkline:type=ifXEntry,ifIndex=1", true),
            ("JMImplementation:type=MBeanServerDelegate", true),
        ] {
            let bean = catalog.resolve(&name(other)).unwrap();
            assert_eq!(bean.is_instance_of("javax.management.NotificationBroadcaster"), notifies, "{other}");
        }
    }
}
