//! Replies as a client reads them: what is found has an index of its table and values that are written and read the same.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_netconf::document::limits;
use trunkline_netconf::objects::{DataError, Found, Objects, Wanted};
use trunkline_netconf::reply::{Answers, FromServer};
use trunkline_smi::Oid;
use trunkline_yang::lexical;

static OBJECTS: LazyLock<Objects> = LazyLock::new(Objects::new);

fuzz_target!(|input: &[u8]| {
    let answers = Answers::of(input, 100_000);
    let whole = FromServer::read(input, 100_000);
    if whole.is_ok() {
        assert!(answers.is_ok());
    }
    let _ = OBJECTS.read::<DataError>(input, limits(100_000), |found| {
        match found {
            Found::Scalar(scalar, value) => {
                let mut text = String::new();
                lexical::write(value.as_value_ref(), &scalar.syntax, &mut text);
                assert!(lexical::read(&text, &scalar.syntax).is_some());
                assert!(OBJECTS.of_instance(&Oid::EMPTY.child(scalar.oid).child(&[0])).is_some());
            }
            Found::Row { index, cells, .. } => {
                for (table, column, _) in cells {
                    let Some(leaf) = OBJECTS.column(table, column.id) else { continue };
                    assert!(OBJECTS.is_instance(leaf, index));
                    let mut filter = Vec::new();
                    OBJECTS.write_filter(&[Wanted { leaf, row: Some(index) }], &mut filter);
                    assert!(!filter.is_empty());
                }
            }
        }
        Ok(())
    });
});
