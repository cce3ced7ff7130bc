//! Texts of modules: one is read or refused, and a path is looked up in what is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_yang::text::{Statement, Texts};

fuzz_target!(|text: &str| {
    let Ok(module) = Statement::read(text) else { return };
    let mut texts = Texts::default();
    texts.add(text).expect("it has been read");
    let mut names = Vec::new();
    let mut at = &module;
    while let Some(child) = at.children.last() {
        names.push(child.argument.as_str());
        at = child;
    }
    let _ = texts.look_up(&module.argument, &names, true);
    let _ = texts.look_up(&module.argument, &names, false);
});
