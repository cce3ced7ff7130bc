//! A new key goes over the wire so that only who has the old one can read it (RFC 3414 section 5, KeyChange).

use zeroize::Zeroizing;

use super::{AuthProtocol, KeyChangeError, LocalKey};

impl LocalKey {
    /// The value that a manager writes to usmUserAuthKeyChange and its three siblings: `random` and delta, each
    /// as long as the key. `hash` is the user's authentication protocol, for privacy keys too. A privacy key must
    /// have its cipher's length: see [`LocalKey::for_privacy`].
    ///
    /// # Errors
    /// The new key or `random` is not as long as this key.
    pub fn key_change(
        &self,
        hash: AuthProtocol,
        new: &LocalKey,
        random: &[u8],
    ) -> Result<Vec<u8>, KeyChangeError> {
        let expected = self.0.len();
        if new.0.len() != expected {
            return Err(KeyChangeError::NewKey { expected, found: new.0.len() });
        }
        if random.len() != expected {
            return Err(KeyChangeError::Random { expected, found: random.len() });
        }
        let mut change = Vec::with_capacity(2 * expected);
        change.extend_from_slice(random);
        change.extend_from_slice(&new.0);
        mask(hash, &self.0, random, &mut change[expected..]);
        Ok(change)
    }

    /// The key that this one becomes by a `change` that a manager wrote.
    ///
    /// # Errors
    /// `change` is not twice as long as this key.
    pub fn changed(&self, hash: AuthProtocol, change: &[u8]) -> Result<LocalKey, KeyChangeError> {
        let length = self.0.len();
        if change.len() != 2 * length {
            return Err(KeyChangeError::Length { expected: 2 * length, found: change.len() });
        }
        let (random, delta) = change.split_at(length);
        let mut new = LocalKey(Zeroizing::new(delta.to_vec()));
        mask(hash, &self.0, random, &mut new.0);
        Ok(new)
    }
}

/// Masks `octets` with digests of the old key and the random component, a digest for each of its lengths: of
/// key and random first, of the digest before and random from then on. Doing it twice undoes it.
fn mask(hash: AuthProtocol, old: &[u8], random: &[u8], octets: &mut [u8]) {
    let mut temp = Zeroizing::new(old.to_vec());
    for part in octets.chunks_mut(hash.key_length()) {
        temp = hash.hash(&[&temp, random]);
        part.iter_mut().zip(temp.iter()).for_each(|(octet, mask)| *octet ^= mask);
    }
}
