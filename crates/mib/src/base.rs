//! The top of the tree, on which every module builds (SNMPv2-SMI, RFC 2578 section 2).

use trunkline_smi::module;
use trunkline_smi::schema::{Module, Node};

use crate::catalog::{Catalog, Read};

impl Catalog {
    /// The root labels alone: what remains when no module at all is wanted.
    pub fn roots() -> Self {
        let mut catalog = Catalog::new();
        // In this order Net-SNMP has them.
        catalog.add(&Read { module: &ROOTS, names: vec!["iso", "ccitt", "joint-iso-ccitt"] });
        catalog
    }

    /// Those, and the top of the tree.
    pub fn top() -> Self {
        let mut catalog = Catalog::roots();
        catalog.add_top();
        catalog
    }

    /// Adds the top of the tree, if it is not there.
    pub fn add_top(&mut self) {
        if !self.has_module(SMI.name) {
            self.add(&Read::built_in(&SMI));
        }
    }

    /// Adds the built-in modules, each behind those that are there.
    pub fn add_built_in(&mut self) {
        self.reserve(module::ALL.iter().map(|module| names(module)).sum());
        for module in module::ALL {
            match self.has_module(module.name) {
                true => self.complete(module),
                false => self.add(&Read::built_in(module)),
            }
        }
    }
}

/// How many names a module has, at least.
fn names(module: &Module) -> usize {
    let Module { nodes, scalars, tables, notifications, .. } = module;
    let in_tables: usize = tables.iter().map(|table| table.columns.len() + 2).sum();
    nodes.len() + scalars.len() + in_tables + notifications.len()
}

/// The root labels alone.
const ROOTS: Module = Module {
    name: "",
    reference: "ITU-T X.660",
    nodes: &[
        Node { name: "ccitt", oid: &[0] },
        Node { name: "iso", oid: &[1] },
        Node { name: "joint-iso-ccitt", oid: &[2] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

/// SNMPv2-SMI: names only, the macros and types are the language itself.
pub(crate) const SMI: Module = Module {
    name: "SNMPv2-SMI",
    reference: "RFC 2578",
    nodes: &[
        Node { name: "zeroDotZero", oid: &[0, 0] },
        Node { name: "org", oid: &[1, 3] },
        Node { name: "dod", oid: &[1, 3, 6] },
        Node { name: "internet", oid: &[1, 3, 6, 1] },
        Node { name: "directory", oid: &[1, 3, 6, 1, 1] },
        Node { name: "mgmt", oid: &[1, 3, 6, 1, 2] },
        Node { name: "mib-2", oid: &[1, 3, 6, 1, 2, 1] },
        Node { name: "transmission", oid: &[1, 3, 6, 1, 2, 1, 10] },
        Node { name: "experimental", oid: &[1, 3, 6, 1, 3] },
        Node { name: "private", oid: &[1, 3, 6, 1, 4] },
        Node { name: "enterprises", oid: &[1, 3, 6, 1, 4, 1] },
        Node { name: "security", oid: &[1, 3, 6, 1, 5] },
        Node { name: "snmpV2", oid: &[1, 3, 6, 1, 6] },
        Node { name: "snmpDomains", oid: &[1, 3, 6, 1, 6, 1] },
        Node { name: "snmpProxys", oid: &[1, 3, 6, 1, 6, 2] },
        Node { name: "snmpModules", oid: &[1, 3, 6, 1, 6, 3] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};
