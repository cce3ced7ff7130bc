//! WSDL and schema are well-formed, and list every operation.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use trunkline_soap::catalog::Catalog;
use trunkline_soap::encoding::Encoding;
use trunkline_soap::{wsdl, xsd};
use trunkline_xml::{Event, Limits, Reader};

const WIDE: Limits = Limits { octets: 64 << 20, attributes: 256, namespaces: 256, ..Limits::MESSAGE };

/// How many elements of each local name there are.
fn count(document: &[u8], local: &str) -> usize {
    let mut reader = Reader::new(document, WIDE);
    let mut found = 0;
    loop {
        match reader.next().unwrap() {
            Event::Start(name) if name.local == local => found += 1,
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn a_wsdl_describes_every_operation() {
    let catalog = Catalog::complete();
    for encoding in Encoding::ALL {
        let all = wsdl::document(xsd::Scope::all(&catalog), encoding, "http://[::1]:8080/soap?a&b");
        let text = String::from_utf8(all.clone()).unwrap();
        assert!(text.contains("location=\"http://[::1]:8080/soap?a&amp;b\""));
        let writable = |count: usize, is: bool| if is { count + 1 } else { count };
        let tables: usize = catalog.tables().iter().map(|t| writable(4, t.record.is_writable())).sum();
        let groups: usize = catalog.groups().iter().map(|g| writable(1, g.record.is_writable())).sum();
        assert_eq!(
            count(&all, "message"),
            (3 + tables + groups) * 2 + usize::from(encoding != Encoding::AsInPaper)
        );
        let part =
            wsdl::document(xsd::Scope { catalog: &catalog, module: Some("IF-MIB") }, encoding, "http://h/");
        assert!(part.len() * 5 < all.len());
        assert!(count(&part, "operation") > 20);
    }
}

#[test]
fn every_module_with_operations_has_a_schema() {
    let catalog = Catalog::complete();
    let scope = xsd::Scope::all(&catalog);
    for name in scope.modules().map(|module| module.name).chain(["soap", "lean", "paper"]) {
        let document = xsd::document(scope, name).unwrap();
        assert!(count(&document, "element") > 3, "{name}");
    }
    assert_eq!(xsd::document(scope, "NO-MIB"), None);
}
