//! A whole message of SNMPv3 around a PDU that owns what it holds: what a
//! manager or a sender of notifications sends. The agent's answers are written
//! in place by [`ResponseWriter`](crate::wire::ResponseWriter).

use super::V3Header;
use crate::usm::PrivacyError;
use crate::wire::Pdu;
use crate::wire::backwards::Backwards;
use crate::wire::writer::{Forwards, element_size};

impl V3Header<'_> {
    /// The octets of the message with this PDU, encrypted and signed as the header says.
    ///
    /// # Errors
    /// The cipher does not take the octets, which it always does.
    pub fn encode(&self, pdu: &Pdu) -> Result<Vec<u8>, PrivacyError> {
        let start = self.most();
        let end = start + element_size(pdu.contents_size());
        let mut octets = vec![0; end + self.most_behind()];
        pdu.write(&mut Forwards::new(&mut octets[start..end]));
        let mut out = Backwards::new(&mut octets, start);
        let end = self.write(&mut out, end)?;
        let start = out.at();
        octets.truncate(end);
        octets.drain(..start);
        Ok(octets)
    }
}
