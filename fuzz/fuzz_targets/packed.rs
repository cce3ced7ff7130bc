//! Rows of any values as a packed answer: inflated it equals the plain one, octet by octet.
#![no_main]

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::{GzDecoder, ZlibDecoder};
use libfuzzer_sys::fuzz_target;
use trunkline_smi::ValueRef;
use trunkline_soap::catalog::Catalog;
use trunkline_soap::encoding::{self, Encoding, Frame, Packer, Template};
use trunkline_soap::envelope::Version;

static TEMPLATES: LazyLock<Vec<(Encoding, Template)>> = LazyLock::new(|| {
    let catalog = Catalog::complete();
    let tables = catalog.tables().iter().take(8);
    let all = tables
        .flat_map(|table| Encoding::ALL.map(|encoding| (encoding, Template::new(encoding, &table.record))));
    all.collect()
});

/// Values, each from an octet for its kind and the octets that follow.
struct Cells<'i>(&'i [u8]);

impl<'i> Cells<'i> {
    fn take(&mut self, octets: usize) -> &'i [u8] {
        let (taken, rest) = self.0.split_at(octets.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> u32 {
        self.take(4).iter().fold(0, |number, octet| number << 8 | u32::from(*octet))
    }

    fn cell(&mut self) -> Option<ValueRef<'i>> {
        let kind = *self.take(1).first()?;
        Some(match kind % 8 {
            0 => return None,
            1 => ValueRef::Integer(self.number().cast_signed()),
            2 => ValueRef::Counter32(self.number()),
            3 => ValueRef::Unsigned32(u32::from(kind / 8)),
            4 => ValueRef::Counter64(u64::from(self.number()) << (kind / 8)),
            5 => ValueRef::IpAddress([kind, 0, 1, 2]),
            6 => ValueRef::OctetString(self.take(usize::from(kind / 8))),
            _ => ValueRef::OctetString(self.take(usize::from(kind) * 8)),
        })
    }
}

fuzz_target!(|input: &[u8]| {
    let [which, frame, input @ ..] = input else { return };
    let (encoding, template) = &TEMPLATES[usize::from(*which) % TEMPLATES.len()];
    let frame = if frame % 2 == 0 { Frame::Zlib } else { Frame::Gzip };
    let mut plain = Vec::new();
    encoding::begin(&mut plain, Version::V1_2, *encoding, "urn:n", "GetIfTable");
    let mut packer = Packer::new(template, frame);
    let mut rows = template.packed_rows(&mut plain, &mut packer);
    let mut cells = Cells(input);
    while !cells.0.is_empty() {
        let index = [cells.number() % 64, 1];
        let columns = usize::from(cells.take(1).first().copied().unwrap_or(0) % 32);
        let row: Vec<Option<ValueRef<'_>>> = (0..columns).map(|_| cells.cell()).collect();
        let end = rows.end();
        rows.row(&index, row.iter().copied());
        if columns % 5 == 1 {
            rows.back_to(end);
        }
    }
    drop(rows);
    encoding::end(&mut plain, *encoding, "GetIfTable");
    let Some(packed) = packer.finish(&plain) else { return };
    assert!(packed.len() < plain.len());
    let mut inflated = Vec::new();
    let read = match frame {
        Frame::Zlib => ZlibDecoder::new(packed.as_slice()).read_to_end(&mut inflated),
        Frame::Gzip => GzDecoder::new(packed.as_slice()).read_to_end(&mut inflated),
    };
    assert_eq!(read.ok(), Some(plain.len()));
    assert_eq!(inflated, plain);
});
