//! A number that picks an object of the schema, and a text: what is read as its value is written and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_smi::module::ALL;
use trunkline_smi::schema::Syntax;
use trunkline_yang::lexical;

fuzz_target!(|input: &[u8]| {
    let Some(([high, low], text)) = input.split_first_chunk() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let columns = || ALL.iter().flat_map(|module| module.tables).flat_map(|table| table.columns);
    let at = usize::from(u16::from_be_bytes([*high, *low])) % columns().count();
    let Some(syntax) = columns().nth(at).map(|column| column.syntax) else { return };
    let Some(value) = lexical::read(text, &syntax) else { return };
    let mut written = String::new();
    lexical::write(value.as_value_ref(), &syntax, &mut written);
    // Hints of several numbers need not show where one ends: what they write may read as other octets.
    if is_unambiguous(&syntax) {
        assert_eq!(lexical::read(&written, &syntax).as_ref(), Some(&value), "{written:?} of {text:?}");
    }
});

fn is_unambiguous(syntax: &Syntax) -> bool {
    matches!(syntax.hint, "" | "255a" | "255t" | "1x:" | "d")
}
