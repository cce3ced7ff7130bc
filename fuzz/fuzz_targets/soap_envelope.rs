//! A SOAP message as an answer: its rows, objects and faults, in every encoding.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_soap::answer::{self, AnswerError};
use trunkline_soap::catalog::Catalog;
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_xml::Limits;

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::complete);

fuzz_target!(|input: &[u8]| {
    let syntax_of = |name: &str| {
        let name = CATALOG.object_name(name).ok()?;
        CATALOG.object_of(&name.oid).map(|(_, _, syntax, _)| syntax)
    };
    for encoding in Encoding::ALL {
        for table in ["ifTable", "ipAddressTable", "vacmAccessTable"] {
            let record = &CATALOG.table(table).expect("a table of ours").record;
            let _ = answer::read_rows(input, Limits::MESSAGE, encoding, record);
        }
        let _ = answer::read_objects(input, Limits::MESSAGE, encoding, syntax_of);
        if let Err(AnswerError::Fault(fault)) = answer::read_done(input, Limits::MESSAGE, encoding) {
            for version in [Version::V1_1, Version::V1_2] {
                let mut out = Vec::new();
                fault.write(version, &mut out);
                let again = answer::read_done(&out, Limits::MESSAGE, encoding);
                assert!(matches!(again, Err(AnswerError::Fault(_))), "{again:?}");
            }
        }
    }
});
