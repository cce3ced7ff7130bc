//! Edits of a configuration: one that fails changes nothing, what is left is written and read the same, and changes are found in
//! both directions and make one configuration of the other. Input: up to eight edits with a NUL between them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_datastore::{Config, EDIT, changes, check, delta, edit, path, read};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::operation::{DefaultOperation, ErrorOption};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;

static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

fuzz_target!(|input: &[u8]| {
    let mut config = Config::default();
    for part in input.splitn(8, |octet| *octet == 0) {
        let Ok(document) = Document::read(part, limits(100_000)) else { continue };
        let before = config.clone();
        let option = match part.len() % 2 {
            0 => ErrorOption::RollbackOnError,
            _ => ErrorOption::ContinueOnError,
        };
        let default =
            [DefaultOperation::Merge, DefaultOperation::Replace, DefaultOperation::None][part.len() % 3];
        let done = edit(&mut config, &FOREST, document.root(), default, option);
        if done.is_err() && option == ErrorOption::RollbackOnError {
            assert_eq!(config, before);
        }
        let changed = changes(&before, &config);
        assert_eq!(changed.is_empty(), before == config);
        for change in &changed {
            assert!(path(&FOREST, &change.path).text.starts_with('/'));
        }
        let _ = check(&FOREST, &config);
        // What differs, as an edit, makes one of the other.
        let mut difference = format!("<config {EDIT}>").into_bytes();
        delta(&FOREST, &before, &config, &mut difference);
        difference.extend_from_slice(b"</config>");
        let difference = Document::read(&difference, limits(1 << 24)).expect("well-formed");
        let mut made = before.clone();
        let (merge, all) = (DefaultOperation::Merge, ErrorOption::RollbackOnError);
        edit(&mut made, &FOREST, difference.root(), merge, all).expect("a delta");
        assert_eq!(made, config);
        let mut octets = b"<config>".to_vec();
        config.write(&FOREST, &mut octets);
        octets.extend_from_slice(b"</config>");
        let written = Document::read(&octets, limits(1 << 24)).expect("well-formed");
        assert_eq!(read(&FOREST, written.root()).expect("a configuration"), config);
    }
});
