//! A cipher's key may be longer than the hash. No RFC says how to extend it; two drafts do, and devices follow
//! either.

use zeroize::Zeroizing;

use super::key::password_to_key;
use super::{AuthProtocol, EngineId, LocalKey, MasterKey, PrivProtocol};

impl LocalKey {
    /// The key for `privacy`: this one, truncated, or extended if it is too short. `hash` is the user's
    /// authentication protocol. If the hash is as long as the key (SHA-256 and AES-256, say), neither extension
    /// changes anything.
    #[must_use]
    pub fn for_privacy(&self, privacy: PrivProtocol, hash: AuthProtocol, engine_id: &EngineId) -> LocalKey {
        let length = privacy.key_length();
        // Room for everything that is appended: a vector that grew would leave its old octets in memory.
        let mut octets = Zeroizing::new(Vec::with_capacity(length + super::protocol::MAX_HASH));
        octets.extend_from_slice(&self.0);
        let mut last = self.0.clone();
        while octets.len() < length && !last.is_empty() {
            last = match privacy {
                PrivProtocol::Aes192C | PrivProtocol::Aes256C => reeder(hash, &last, engine_id),
                _ => hash.hash(&[&octets]),
            };
            octets.extend_from_slice(&last);
        }
        octets.truncate(length);
        LocalKey(octets)
    }
}

/// draft-reeder-snmpv3-usm-3desede section 2.1: the key so far is the password of the next part.
fn reeder(hash: AuthProtocol, last: &[u8], engine_id: &EngineId) -> Zeroizing<Vec<u8>> {
    MasterKey::from_octets(hash, password_to_key(hash, last)).localize(engine_id).0
}
