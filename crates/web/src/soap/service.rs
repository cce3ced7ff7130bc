//! What SOAP derives from a tree: the operations for what it serves, and where in the tree their objects are.

use trunkline_smi::OidList;
use trunkline_soap::catalog::Catalog;
use trunkline_soap::encoding::Templates;
use trunkline_tree::{LeafId, LeafKind, TableId, Tree};

use super::documents::Documents;

/// Made once for each tree.
pub struct Service {
    /// The operations.
    pub catalog: Catalog,
    /// The tags of their answers.
    pub templates: Templates,
    /// What describes them.
    pub documents: Documents,
    tables: Vec<Option<Place>>,
    groups: Vec<OidList>,
}

/// A table of the catalog in the tree.
pub struct Place {
    /// The table.
    pub id: TableId,
    /// The leaves of the record's fields, in their order.
    pub leaves: Vec<LeafId>,
    /// All leaves, those of index objects too.
    pub all: Vec<LeafId>,
}

impl Service {
    /// Of a tree.
    pub fn new(tree: &Tree) -> Self {
        let is_served = |oid: &[u32]| {
            let leaf = tree.leaf_of(oid);
            leaf.is_some_and(|leaf| leaf.oid() == oid && !matches!(leaf.kind(), LeafKind::Region { .. }))
        };
        let catalog = Catalog::new(trunkline_smi::module::ALL, is_served);
        let place = |table: &trunkline_soap::catalog::ServedTable| {
            let served = tree.table_named(table.table.name)?;
            let leaves =
                table.record.fields.iter().map(|field| served.leaf(field.id)).collect::<Option<_>>()?;
            let all = served.columns().map(|(_, leaf)| leaf).collect();
            Some(Place { id: served.id(), leaves, all })
        };
        let tables = catalog.tables().iter().map(place).collect();
        let names = |group: &trunkline_soap::catalog::ServedGroup| {
            let mut names = OidList::new();
            for scalar in &group.scalars {
                scalar.oid.iter().chain(&[0]).for_each(|sub_id| names.push_sub_id(*sub_id));
                names.finish();
            }
            names
        };
        let groups = catalog.groups().iter().map(names).collect();
        let templates = Templates::new(&catalog);
        Service { catalog, templates, documents: Documents::default(), tables, groups }
    }

    /// Where a table of the catalog is.
    pub fn place(&self, table: usize) -> Option<&Place> {
        self.tables.get(table)?.as_ref()
    }

    /// The instances of a group's scalars, in the order of its record.
    pub fn instances(&self, group: usize) -> &OidList {
        &self.groups[group]
    }
}
