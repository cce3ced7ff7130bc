//! The objects that an agent may have, in the order of their identifiers, each with where JMX has it.

use std::sync::LazyLock;

use trunkline_beans::{Attribute, Catalog, Group, Source, TableBean};
use trunkline_smi::Oid;
use trunkline_smi::schema::Table;

/// An object that can be read.
#[derive(Debug)]
pub(super) struct Object {
    /// Without an instance.
    pub oid: Oid,
    pub kind: Kind,
}

/// Where it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Scalar(&'static Group, &'static Attribute),
    Column(&'static TableBean, &'static Attribute),
}

impl Object {
    /// The `type` of its MBean.
    pub fn bean(&self) -> &'static str {
        match self.kind {
            Kind::Scalar(group, _) => group.name,
            Kind::Column(table, _) => table.table.name,
        }
    }
}

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::new(|_| true));

static OBJECTS: LazyLock<Vec<Object>> = LazyLock::new(|| {
    let catalog: &'static Catalog = &CATALOG;
    let mut objects = Vec::new();
    for group in catalog.groups() {
        for attribute in &group.attributes {
            if let Source::Scalar(scalar) = attribute.source {
                let oid = Oid::EMPTY.child(scalar.oid);
                objects.push(Object { oid, kind: Kind::Scalar(group, attribute) });
            }
        }
    }
    for bean in catalog.tables() {
        for column in bean.table.columns.iter().filter(|column| column.access.is_readable()) {
            if let Some(attribute) = attribute(bean, column.id) {
                let oid = Oid::EMPTY.child(bean.table.oid).child(&[1, column.id]);
                objects.push(Object { oid, kind: Kind::Column(bean, attribute) });
            }
        }
    }
    objects.sort_by(|one, other| one.oid.cmp(&other.oid));
    objects.dedup_by(|later, earlier| later.oid == earlier.oid);
    objects
});

/// All of them.
pub(super) fn all() -> &'static [Object] {
    &OBJECTS
}

/// The object that a name is or is within, and what follows its identifier there.
pub(super) fn find(name: &Oid) -> Option<(&'static Object, &[u32])> {
    let object = all().get(behind(name).checked_sub(1)?)?;
    Some((object, name.strip_prefix(&*object.oid)?))
}

/// The position of the first object behind a name.
pub(super) fn behind(name: &Oid) -> usize {
    all().partition_point(|object| object.oid <= *name)
}

/// The MBean of a table.
pub(super) fn table(schema: &Table) -> Option<&'static TableBean> {
    let catalog: &'static Catalog = &CATALOG;
    catalog.tables().iter().find(|bean| bean.table.oid == schema.oid)
}

/// The attribute of a column.
pub(super) fn attribute(bean: &'static TableBean, column: u32) -> Option<&'static Attribute> {
    let name = bean.table.column(column)?.name;
    bean.attributes.iter().find(|attribute| attribute.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_objects_and_what_follows_them() {
        let found = |name: &str| {
            let name: Oid = name.parse().unwrap();
            find(&name).map(|(object, index)| (object.bean(), object.oid.to_string(), index.to_vec()))
        };
        let object = |bean, oid: &str, index: &[u32]| Some((bean, oid.to_owned(), index.to_vec()));
        assert_eq!(found("1.3.6.1.2.1.1.5.0"), object("system", "1.3.6.1.2.1.1.5", &[0]));
        assert_eq!(found("1.3.6.1.2.1.2.2.1.10.7"), object("ifTable", "1.3.6.1.2.1.2.2.1.10", &[7]));
        assert_eq!(found("1.3.6.1.2.1.2.2.1.10"), object("ifTable", "1.3.6.1.2.1.2.2.1.10", &[]));
        for none in ["1.3", "1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.2.2.1.99.1", "1.3.6.1.99"] {
            assert_eq!(found(none), None, "{none}");
        }
        let next = &all()[behind(&"1.3.6.1.2.1.2.2".parse().unwrap())];
        assert_eq!(next.oid.to_string(), "1.3.6.1.2.1.2.2.1.1");
        assert!(all().windows(2).all(|pair| pair[0].oid < pair[1].oid));
    }
}
