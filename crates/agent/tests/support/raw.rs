//! Messages octet by octet, for what no encoder writes.

/// An element with the shortest length.
pub fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let mut octets = vec![tag];
    match length {
        0..=0x7f => octets.push(length as u8),
        0x80..=0xff => octets.extend([0x81, length as u8]),
        _ => octets.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    octets.extend(contents);
    octets
}

/// The parts of a message, each a whole element; a Get of sysUpTime.0 unless changed.
pub struct Parts {
    pub version: Vec<u8>,
    pub community: Vec<u8>,
    pub pdu: u8,
    pub request_id: Vec<u8>,
    pub error_status: Vec<u8>,
    pub error_index: Vec<u8>,
    pub name: Vec<u8>,
    pub value: Vec<u8>,
}

impl Default for Parts {
    fn default() -> Self {
        Parts {
            version: element(2, &[1]),
            community: element(4, b"public"),
            pdu: 0xa0,
            request_id: element(2, &[1]),
            error_status: element(2, &[0]),
            error_index: element(2, &[0]),
            name: element(6, &[0x2b, 6, 1, 2, 1, 1, 3, 0]),
            value: element(5, &[]),
        }
    }
}

impl Parts {
    pub fn octets(&self) -> Vec<u8> {
        self.with_list(&element(0x30, &[&self.name[..], &self.value].concat()))
    }

    /// With another content of the list of bindings.
    pub fn with_list(&self, bindings: &[u8]) -> Vec<u8> {
        let list = element(0x30, bindings);
        let pdu = [&self.request_id[..], &self.error_status, &self.error_index, &list].concat();
        element(0x30, &[&self.version[..], &self.community, &element(self.pdu, &pdu)].concat())
    }
}

/// The contents octets of an object identifier whose first number is given as encoded.
pub fn name(first: u64, rest: &[u64]) -> Vec<u8> {
    let mut octets = Vec::new();
    for number in std::iter::once(&first).chain(rest) {
        let groups = (64 - number.leading_zeros()).div_ceil(7).max(1);
        for group in (0..groups).rev() {
            let more = if group == 0 { 0 } else { 0x80 };
            octets.push((number >> (7 * group)) as u8 & 0x7f | more);
        }
    }
    element(6, &octets)
}
