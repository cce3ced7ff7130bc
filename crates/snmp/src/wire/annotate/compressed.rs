//! Messages with compressed names or a compressed PDU (docs/wire/oid-compression.md).

use trunkline_smi::display_oid;

use super::Annotator;
use crate::wire::compression::{Compression, NameReader, how, kind_of_prefixed};
use crate::wire::reader::{Found, Reader};
use crate::wire::{PduKind, Version, tag};
use crate::{DecodeError, Element};

impl Annotator {
    /// A PDU whose type marks it as compressed.
    pub(super) fn compressed(
        &mut self,
        pdu: &Found<'_>,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let mut contents = pdu.contents;
        match how(pdu) {
            Compression::Zlib => {
                let detail = format!("[42], {} octets of DEFLATE (zlib)", contents.rest().len());
                self.field(pdu, depth, "CompressedPDU", detail);
                Ok(())
            }
            Compression::Odc => {
                self.container(pdu, depth, "CompressedPDU", "[42]");
                let result = self.pdu_with(Compression::Odc, &mut contents, version, depth + 1);
                self.close(result, contents, Element::Pdu, depth + 1);
                Ok(())
            }
            Compression::Opc => {
                let kind = PduKind::from_tag(kind_of_prefixed(pdu.tag));
                self.container(pdu, depth, kind.map_or("PDU", PduKind::name), "PDU with OPC names");
                self.names = Some(NameReader::new(Compression::Opc));
                let kind = kind.unwrap_or(PduKind::Get);
                let result = self.pdu_contents(&mut contents, kind, version, depth + 1);
                self.names = None;
                self.close(result, contents, Element::Bindings, depth + 1);
                Ok(())
            }
        }
    }

    /// A standard PDU with names of that kind inside. A compressed one has no place there.
    fn pdu_with(
        &mut self,
        how: Compression,
        reader: &mut Reader<'_>,
        version: Version,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let inside = reader.any(Element::Pdu)?;
        let Some(kind) = PduKind::from_tag(inside.tag).filter(|kind| *kind != PduKind::TrapV1) else {
            let detail = DecodeError::UnknownPdu { offset: inside.offset, found: inside.tag }.to_string();
            self.wrong(inside.offset, inside.header() + inside.contents.rest().len(), depth, detail);
            return Ok(());
        };
        self.container(&inside, depth, kind.name(), "PDU");
        self.names = Some(NameReader::new(how));
        let mut contents = inside.contents;
        let result = self.pdu_contents(&mut contents, kind, version, depth + 1);
        self.names = None;
        self.close(result, contents, Element::Bindings, depth + 1);
        Ok(())
    }

    /// A name as encoded, and the whole name that it stands for.
    pub(super) fn compressed_name(&mut self, found: &Found<'_>, depth: usize) {
        let Some(names) = &mut self.names else { return };
        let read = names.read(found).map(|name| display_oid(name).to_string());
        match (read, found.tag) {
            (Ok(name), tag::OBJECT_IDENTIFIER) => {
                self.field(found, depth, "name", format!("OBJECT IDENTIFIER {name}"));
            }
            (Ok(name), tag) => {
                self.field(found, depth, "name", format!("compressed name ({tag:#04x}) {name}"))
            }
            (Err(error), _) => self.wrong_field(found, depth, "name", &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_smi::Oid;

    use crate::wire::compression::{Compression, compress, expand};
    use crate::wire::{Message, Pdu, PduKind, Version, annotate};

    fn message(names: &[Oid]) -> Vec<u8> {
        let pdu = Pdu::read(PduKind::Get, 77, names);
        Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode()
    }

    fn compressed(octets: &[u8], how: Compression) -> Vec<u8> {
        let mut packed = Vec::new();
        compress(octets, how, &mut packed).unwrap();
        packed
    }

    /// The names that the fields of a message show.
    fn names_in(octets: &[u8]) -> Vec<String> {
        let fields = annotate(octets);
        assert!(fields.iter().all(|field| !field.wrong), "{fields:?}");
        let covered: usize = fields.iter().map(|field| field.len).sum();
        assert_eq!(covered, octets.len(), "not all octets are in a field");
        let names = fields.iter().filter(|field| field.name == "name");
        names.map(|field| field.detail.rsplit(' ').next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn compressed_names_are_shown_whole() {
        let names =
            [Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 1]), Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 4, 1])];
        let plain = message(&names);
        for how in [Compression::Opc, Compression::Odc] {
            let packed = compressed(&plain, how);
            assert_eq!(names_in(&packed), names_in(&plain), "{how}");
            let shown: Vec<String> =
                annotate(&packed).iter().map(|f| format!("{} {}", f.name, f.detail)).collect();
            assert!(shown.iter().any(|line| line.starts_with("GetRequest PDU")), "{shown:?}");
            assert!(shown.iter().any(|line| line.starts_with("name compressed name (0x")), "{shown:?}");
        }
        let packed = compressed(&plain, Compression::Zlib);
        assert_eq!(names_in(&packed), [""; 0]);
        let last = annotate(&packed).pop().unwrap();
        assert!(last.name == "CompressedPDU" && last.detail.contains("DEFLATE"), "{last:?}");
    }

    proptest! {
        #[test]
        fn any_names_are_annotated_and_any_octets_are_covered(
            tails in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..20), 1..8),
            broken in any::<Option<(u16, u8)>>(),
        ) {
            let names: Vec<Oid> = tails.iter().map(|tail| Oid::from([1, 3, 6]).child(tail)).collect();
            let plain = message(&names);
            for how in [Compression::Opc, Compression::Odc, Compression::Zlib] {
                let mut packed = compressed(&plain, how);
                if how != Compression::Zlib {
                    prop_assert_eq!(names_in(&packed), names_in(&plain));
                }
                if let Some((at, octet)) = broken {
                    let at = usize::from(at) % packed.len();
                    packed[at] = octet;
                    let covered: usize = annotate(&packed).iter().map(|field| field.len).sum();
                    prop_assert_eq!(covered, packed.len());
                    let _ = expand(&packed, &mut Vec::new());
                }
            }
        }
    }
}
