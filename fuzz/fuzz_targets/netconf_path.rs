//! Paths of data: one that is read is written as an expression that is a path again, and as a subtree filter that is well-formed;
//! expressions declare what they use. The leaves of any document have a path each.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_netconf::document::{Document, Element, limits};
use trunkline_netconf::leaves::Naming;
use trunkline_netconf::modules::Modules;
use trunkline_netconf::path::{Path, declarations};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2::modules;

static FOREST: LazyLock<Forest> =
    LazyLock::new(|| ALL.into_iter().fold(Forest::of(&modules()), Forest::with));

fn count(element: Element<'_>) -> usize {
    element.children().map(|it| if it.has_children() { count(it) } else { 1 }).sum()
}

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let namespace = |prefix: &str| (prefix.len() < 4).then_some("urn:x");
    if let Ok(path) = Path::parse(text) {
        let written = path.xpath();
        let again = Path::parse(&written).expect("a path again");
        assert_eq!(again.xpath(), written);
        if let Ok(Some(filter)) = path.subtree(namespace) {
            // A value may have what XML cannot.
            let _ = Document::read(&filter, limits(1 << 20));
        }
    }
    let _ = declarations(text, namespace);
    let Ok(document) = Document::read(input, limits(100_000)) else { return };
    let mut naming = Naming::new(&FOREST);
    naming.see(document.root());
    let mut found = 0;
    naming.leaves(document.root(), &Modules::default(), None, &mut |leaf| {
        assert!(leaf.path.starts_with('/'));
        found += 1;
    });
    assert_eq!(found, count(document.root()));
});
