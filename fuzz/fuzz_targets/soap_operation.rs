//! A SOAP message as a request: a valid one is encoded and decoded again the same; an invalid one has a fault.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_soap::catalog::Catalog;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{self, Operation, RequestLimits};

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::complete);

fuzz_target!(|input: &[u8]| {
    match operation::read(&CATALOG, input, &RequestLimits::DEFAULT) {
        Ok(request) => {
            if matches!(request.operation, Operation::Set(_)) {
                return; // Encoded in the generic form, whatever form it had.
            }
            let mut written = Vec::new();
            operation::write(&CATALOG, &request, &mut written);
            let again = operation::read(&CATALOG, &written, &RequestLimits::DEFAULT);
            assert_eq!(again.map(|again| again.operation), Ok(request.operation));
        }
        Err(rejected) => {
            let mut out = Vec::new();
            rejected.fault.write(rejected.version.unwrap_or(Version::V1_1), &mut out);
            assert!(std::str::from_utf8(&out).is_ok());
        }
    }
});
