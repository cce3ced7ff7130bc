//! Subtree filters: what a filter selects are nodes of the forest, each once and in the node that it is in, and tests are of
//! leaves there, with values that are written and read the same.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::subtree;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::lexical;
use trunkline_yang::selection::{Selection, Wanted, Within};
use trunkline_yang::smiv2::modules;

static FOREST: LazyLock<Forest> = LazyLock::new(|| Forest::of(&modules()));

fn check(selection: &Selection, parent: Option<NodeId>) {
    assert!(selection.nodes.windows(2).all(|pair| pair[0].node < pair[1].node));
    for selected in &selection.nodes {
        assert!(FOREST.children(parent).contains(&selected.node));
        let Wanted::Some(alternatives) = &selected.wanted else { continue };
        assert!(!alternatives.is_empty());
        for alternative in alternatives {
            for test in &alternative.tests {
                assert_eq!(FOREST[test.leaf].parent, Some(selected.node));
                let syntax = FOREST[test.leaf].place.syntax().expect("a leaf");
                let mut text = String::new();
                lexical::write(test.value.as_value_ref(), syntax, &mut text);
                let _ = lexical::read(&text, syntax);
            }
            if let Within::Nodes(nodes) = &alternative.within {
                check(nodes, Some(selected.node));
            }
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Ok(document) = Document::read(input, limits(100_000)) else { return };
    if let Ok(selection) = subtree::compile(document.root(), &FOREST) {
        check(&selection, None);
    }
});
