//! Subscriptions to data: requests are read or refused, updates are read as they are, and the update of changes between two
//! configurations is XML, in pieces of any length the same, with an edit for each change; without changes there is none. Input: up to
//! two documents with a NUL between them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_datastore::{changes, read};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::operation::Operation;
use trunkline_netconf::push::changes::{ChangeWriter, Edit, Excluded, edits};
use trunkline_netconf::push::update::{Told, Update};
use trunkline_yang::forest::Forest;
use trunkline_yang::instances::Instances;
use trunkline_yang::own::ALL;

static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

fn write(before: &Instances, after: &Instances, edits: Vec<Edit>, most: usize) -> Vec<u8> {
    let head = b"<n xmlns='urn:n'>".to_vec();
    let mut writer = ChangeWriter::begin(&FOREST, head, (1, 2), (before, after), edits);
    let mut written = Vec::new();
    while writer.fill(most) {
        written.append(writer.octets());
    }
    written.append(writer.octets());
    written.extend_from_slice(b"</n>");
    written
}

fuzz_target!(|input: &[u8]| {
    let documents: Vec<Document> = input
        .splitn(2, |octet| *octet == 0)
        .filter_map(|part| Document::read(part, limits(100_000)).ok())
        .collect();
    for document in &documents {
        let _ = Update::read(document.root()).map(|update| format!("{update:?}"));
        if let Ok(operation) = Operation::read(document.root()) {
            assert!(!operation.name().is_empty());
        }
    }
    let [before, after] = &documents[..] else { return };
    let (Ok(before), Ok(after)) = (read(&FOREST, before.root()), read(&FOREST, after.root())) else { return };
    let differ = !changes(&before, &after).is_empty();
    let (before, after) = (before.instances(), after.instances());
    let found = edits(&FOREST, &before, &after, Excluded::default());
    assert_eq!(differ, !found.is_empty());
    let whole = write(&before, &after, found.clone(), usize::MAX);
    assert_eq!(whole, write(&before, &after, found.clone(), 1 + input.len() % 50));
    let document = Document::read(&whole, limits(1 << 20)).expect("an update is XML");
    let Some(Update { id: Some(1), told: Told::Changes { edits, .. } }) = Update::read(document.root())
    else {
        panic!("{}", String::from_utf8_lossy(&whole));
    };
    assert_eq!(edits.len(), found.len());
});
