//! Every group of this machine: it loads, its values fit their schema, its indexes are indexes.

use std::time::Instant;

use trunkline_host::{HostOptions, providers};
use trunkline_smi::decode_index;

use crate::flat::{instances, load};

#[test]
fn every_group_fits_its_schema() {
    for provider in providers(&HostOptions::host(Instant::now())) {
        let group = provider.group();
        let snapshot = load(&*provider);
        let values = instances(group, &snapshot);
        for table in group.tables {
            let data = snapshot.table(table).unwrap();
            let mut previous: Option<&[u32]> = None;
            for index in data.index().iter() {
                assert!(previous < Some(index), "{}: {previous:?} before {index:?}", table.name);
                previous = Some(index);
                let decoded = decode_index(table.index, index);
                assert!(decoded.is_ok(), "{} {index:?}: {decoded:?}", table.name);
            }
        }
        let syntax_of = |name: &[u32]| {
            let scalar = group.scalars.iter().find(|scalar| name[..name.len() - 1] == *scalar.oid);
            let column = || {
                let table = group.tables.iter().find(|table| name.starts_with(table.oid))?;
                table.column(*name.get(table.oid.len() + 1)?)
            };
            scalar.map(|scalar| scalar.syntax).or_else(|| column().map(|column| column.syntax)).unwrap()
        };
        for (name, value) in &values {
            let fits = syntax_of(name).check(value.as_value_ref());
            assert!(fits.is_ok(), "{}: {name} is {value:?}: {fits:?}", group.name);
        }
    }
}

#[test]
fn groups_of_a_machine_without_files_fail_with_the_name_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = HostOptions::new(trunkline_host::SourceRoot::recording(folder.path()), Instant::now());
    let mut failed = Vec::new();
    for provider in providers(&options) {
        if let Err(error) = provider.load(None) {
            assert!(error.source_name.contains("/proc"), "{}: {error}", provider.group().name);
            failed.push(provider.group().name);
        }
    }
    for name in
        ["tcp", "udp-endpoints", "hr-system", "hr-storage", "hr-software-running", "ucd-memory", "ucd-disk"]
    {
        assert!(failed.contains(&name), "{name} is served from nothing; failed: {failed:?}");
    }
}
