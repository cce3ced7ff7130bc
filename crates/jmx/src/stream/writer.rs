//! Writes a stream straight into a buffer. The caller writes each object as its class does: the descriptor comes from the
//! allow-list, primitive fields and references in its order.

use super::class::Class;
use super::{FIRST_HANDLE, HEADER, encode_text, encoded_length, token};

/// What follows each class descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotations {
    /// Nothing, as in a `MarshalledObject`.
    None,
    /// The codebase of RMI's MarshalOutputStream, which is null here.
    Codebase,
}

/// A writer of one stream.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    annotations: Annotations,
    classes: Vec<(&'static Class, u32)>,
    proxies: Vec<(&'static [&'static str], u32)>,
    signatures: Vec<(&'static str, u32)>,
    next: u32,
    /// Where in the output the block begins that is open.
    block: Option<usize>,
}

/// The size of a block at which Java's writer begins another.
const BLOCK: usize = 1024;

impl<'o> Writer<'o> {
    /// Begins a stream: writes its header.
    pub fn new(out: &'o mut Vec<u8>, annotations: Annotations) -> Self {
        out.extend(HEADER);
        Writer {
            out,
            annotations,
            classes: Vec::new(),
            proxies: Vec::new(),
            signatures: Vec::new(),
            next: FIRST_HANDLE,
            block: None,
        }
    }

    /// Ends the stream: writes the block that is open.
    pub fn finish(mut self) {
        self.flush();
    }

    /// Adds octets to block data: what `writeInt` and its like write outside of fields.
    pub fn block(&mut self, octets: &[u8]) {
        let mut rest = octets;
        while !rest.is_empty() {
            let start = *self.block.get_or_insert_with(|| {
                self.out.extend([token::BLOCK_DATA, 0]);
                self.out.len()
            });
            let (now, later) = rest.split_at(rest.len().min(start + BLOCK - self.out.len()));
            self.out.extend_from_slice(now);
            rest = later;
            if self.out.len() == start + BLOCK {
                self.flush();
            }
        }
    }

    /// Adds a text in modified UTF-8 with its length to block data (`writeUTF`), at most 65,535 octets.
    pub fn block_text(&mut self, text: &str) {
        let mut octets = Vec::with_capacity(text.len() + 2);
        put_short_text(text, &mut octets);
        self.block(&octets);
    }

    fn flush(&mut self) {
        let Some(start) = self.block.take() else { return };
        let length = self.out.len() - start;
        match u8::try_from(length) {
            Ok(short) => self.out[start - 1] = short,
            Err(_) => {
                let head = [token::BLOCK_DATA_LONG].into_iter().chain((length as u32).to_be_bytes());
                self.out.splice(start - 2..start, head);
            }
        }
    }

    fn token(&mut self, token: u8) {
        self.flush();
        self.out.push(token);
    }

    fn handle(&mut self) -> u32 {
        let handle = self.next;
        self.next += 1;
        handle
    }

    /// null
    pub fn null(&mut self) {
        self.token(token::NULL);
    }

    /// An object that this stream has already.
    pub fn reference(&mut self, handle: u32) {
        self.token(token::REFERENCE);
        self.out.extend(handle.to_be_bytes());
    }

    /// A string, and its handle.
    pub fn string(&mut self, text: &str) -> u32 {
        let length = encoded_length(text);
        if let Ok(short) = u16::try_from(length) {
            self.token(token::STRING);
            self.out.extend(short.to_be_bytes());
        } else {
            self.token(token::LONG_STRING);
            self.out.extend((length as u64).to_be_bytes());
        }
        encode_text(text, self.out);
        self.handle()
    }

    /// A string that nothing refers to.
    pub fn text(&mut self, text: &str) {
        self.string(text);
    }

    /// A string, or null.
    pub fn optional_string(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    /// Begins an object, and returns its handle. Its fields follow, for each class of its lineage, and after those
    /// of a class that writes more that and [`Writer::end`].
    pub fn object(&mut self, class: &'static Class) -> u32 {
        self.token(token::OBJECT);
        self.descriptor(class);
        self.handle()
    }

    /// Begins an object of a dynamic proxy with these interfaces. The field `h` follows.
    pub fn proxy(&mut self, interfaces: &'static [&'static str]) -> u32 {
        self.token(token::OBJECT);
        if let Some((_, handle)) = self.proxies.iter().find(|(known, _)| *known == interfaces) {
            let handle = *handle;
            self.reference(handle);
        } else {
            self.out.push(token::PROXY_CLASS_DESC);
            let handle = self.handle();
            self.proxies.push((interfaces, handle));
            self.out.extend((interfaces.len() as u32).to_be_bytes());
            for interface in interfaces {
                put_short_text(interface, self.out);
            }
            self.annotate();
            self.descriptor(&super::classes::java::PROXY);
        }
        self.handle()
    }

    /// Begins an array of this many elements, which follow.
    pub fn array(&mut self, class: &'static Class, length: usize) -> u32 {
        self.token(token::ARRAY);
        self.descriptor(class);
        self.out.extend((length as u32).to_be_bytes());
        self.handle()
    }

    /// Ends what a class writes beside its fields.
    pub fn end(&mut self) {
        self.token(token::END_BLOCK_DATA);
    }

    fn annotate(&mut self) {
        if self.annotations == Annotations::Codebase {
            self.out.push(token::NULL);
        }
        self.out.push(token::END_BLOCK_DATA);
    }

    fn descriptor(&mut self, class: &'static Class) {
        if let Some((_, handle)) = self.classes.iter().find(|(known, _)| known.is(class)) {
            let handle = *handle;
            return self.reference(handle);
        }
        self.out.push(token::CLASS_DESC);
        put_short_text(class.name, self.out);
        self.out.extend(class.suid.to_be_bytes());
        let handle = self.handle();
        self.classes.push((class, handle));
        self.out.push(class.flags);
        self.out.extend((class.fields.len() as u16).to_be_bytes());
        for field in class.fields {
            self.out.push(field.code());
            put_short_text(field.name, self.out);
            if field.is_reference() {
                self.signature(field.signature);
            }
        }
        self.annotate();
        match class.parent {
            Some(parent) => self.descriptor(parent),
            None => self.out.push(token::NULL),
        }
    }

    /// The type of a field: the same string is written once.
    fn signature(&mut self, signature: &'static str) {
        match self.signatures.iter().find(|(known, _)| *known == signature) {
            Some((_, handle)) => {
                let handle = *handle;
                self.reference(handle);
            }
            None => {
                let handle = self.string(signature);
                self.signatures.push((signature, handle));
            }
        }
    }

    /// A field of type `boolean`.
    pub fn boolean(&mut self, value: bool) {
        self.out.push(u8::from(value));
    }

    /// A field of another primitive type, or elements of an array: octets as they are.
    pub fn octets(&mut self, octets: &[u8]) {
        self.out.extend_from_slice(octets);
    }

    /// A field of type `int`.
    pub fn int(&mut self, value: i32) {
        self.octets(&value.to_be_bytes());
    }

    /// A field of type `long`.
    pub fn long(&mut self, value: i64) {
        self.octets(&value.to_be_bytes());
    }

    /// The elements of an array of primitives, each of as many octets as `to_octets` makes.
    pub fn elements<T: Copy, const N: usize>(&mut self, values: &[T], to_octets: impl Fn(T) -> [u8; N]) {
        let start = self.out.len();
        self.out.resize(start + values.len() * N, 0);
        let (places, _) = self.out[start..].as_chunks_mut::<N>();
        for (place, value) in places.iter_mut().zip(values) {
            *place = to_octets(*value);
        }
    }
}

/// A text with a length of two octets. A longer one is cut, which only names of our own could be, and none is.
fn put_short_text(text: &str, out: &mut Vec<u8>) {
    let length = encoded_length(text).min(usize::from(u16::MAX));
    out.extend((length as u16).to_be_bytes());
    let start = out.len();
    encode_text(text, out);
    out.truncate(start + length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_in_blocks_as_java_writes_them() {
        for (length, heads) in [
            (0, &[][..]),
            (1, &[&[0x77, 1][..]]),
            (255, &[&[0x77, 255]]),
            (256, &[&[0x7a, 0, 0, 1, 0]]),
            (1024, &[&[0x7a, 0, 0, 4, 0]]),
            (1030, &[&[0x7a, 0, 0, 4, 0], &[0x77, 6]]),
        ] {
            let octets: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut expected = [&[9][..], &HEADER].concat();
            for (head, block) in heads.iter().zip(octets.chunks(BLOCK)) {
                expected.extend([*head, block].concat());
            }
            expected.push(token::NULL);
            // At once or in pieces, behind what is there.
            for pieces in [1, 7, 2000] {
                let mut out = vec![9];
                let mut writer = Writer::new(&mut out, Annotations::None);
                octets.chunks(pieces).for_each(|piece| writer.block(piece));
                writer.null();
                writer.finish();
                assert_eq!(out, expected, "{length} in pieces of {pieces}");
            }
        }
    }
}
