//! The groups of every device: of the schema that this program knows.

use std::sync::OnceLock;

use trunkline_smi::module::ALL;
use trunkline_smi::schema::{Scalar, Table};
use trunkline_tree::Group;

/// A group for the scalars of each module, and one for each table. They are made once, and live as long as the program.
pub(crate) fn all() -> &'static [Group] {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut groups = Vec::new();
        for module in ALL {
            if !module.scalars.is_empty() {
                let scalars: Vec<&'static Scalar> = module.scalars.iter().collect();
                groups.push(Group { name: module.name, scalars: scalars.leak(), tables: &[] });
            }
            for table in module.tables {
                let tables: Vec<&'static Table> = vec![table];
                groups.push(Group { name: table.name, scalars: &[], tables: tables.leak() });
            }
        }
        groups
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_object_is_in_one_group_and_each_group_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = all().iter().map(|group| group.name).collect();
        assert_eq!(names.len(), all().len());
        let tables: usize = ALL.iter().map(|module| module.tables.len()).sum();
        assert_eq!(all().iter().map(|group| group.tables.len()).sum::<usize>(), tables);
        let scalars: usize = ALL.iter().map(|module| module.scalars.len()).sum();
        assert_eq!(all().iter().map(|group| group.scalars.len()).sum::<usize>(), scalars);
    }
}
