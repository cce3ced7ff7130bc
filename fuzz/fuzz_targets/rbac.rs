//! The access policy as data, and permissions for paths: any document is a policy or refused, and any path has subtrees within what it permits, or none.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_datastore::read;
use trunkline_nacm::{Permission, Rbac, subtrees};
use trunkline_netconf::document::{Document, limits};
use trunkline_tree::policy::ViewType;
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2::modules;

static FOREST: LazyLock<Forest> =
    LazyLock::new(|| ALL.into_iter().fold(Forest::of(&modules()), Forest::with));

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for to in [ViewType::Read, ViewType::Write, ViewType::Notify] {
        for permits in [true, false] {
            let permission = Permission { path: text, permits, to };
            if let Ok(found) = subtrees(&FOREST, permission, &|_| Some(2)) {
                assert!(found.families.iter().all(|family| family.included == permits));
                assert!(!found.families.is_empty() || found.missing.is_some());
            }
        }
    }
    let document = format!("<config><rbac xmlns='urn:trunkline:yang:rbac'>{text}</rbac></config>");
    let Ok(document) = Document::read(document.as_bytes(), limits(100_000)) else { return };
    let Ok(config) = read(&FOREST, document.root()) else { return };
    let _ = Rbac::read(&FOREST, &config);
});
