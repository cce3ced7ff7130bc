//! Opens messages: verify first, decrypt after.

use crate::algorithm::Protection;
use crate::direct::{self, Direct};
use crate::error::{Malformed, OpenError};
use crate::form::{Body, Form, Signature};
use crate::general;
use crate::header::Header;
use crate::keyring::{Found, Keys};
use crate::name::{KeyName, RoleName};
use crate::provider::{Bergshamra, SignedDocuments};
use crate::step::{Step, Steps};
use crate::template::PROTECTED;
use crate::values;

/// What is accepted of a stranger's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Octets of the whole message.
    pub octets: usize,
}

impl Limits {
    /// For a message of a management protocol.
    pub const MESSAGE: Self = Self { octets: 4 * 1024 * 1024 };
}

/// An authentic message.
#[derive(Clone, PartialEq, Eq)]
pub struct Opened {
    /// What it says of itself. Whether it is a replay is for [`crate::Replay`] or [`crate::StoredReplay`] to say.
    pub header: Header,
    /// Who sealed it.
    pub key: KeyName,
    /// How it was protected.
    pub protection: Protection,
    /// Its content, decrypted, and still compressed if the header says so. A content that was not encrypted is in exclusive
    /// canonical form, which is what was signed: declarations of namespaces that nothing uses are not in it. One with declarations
    /// that only values use is refused.
    pub content: Vec<u8>,
}

impl Opened {
    /// On behalf of which role it is: that of the key, or that of the header.
    pub fn role(&self) -> Option<&RoleName> {
        self.key.role().or(self.header.role.as_ref())
    }
}

impl std::fmt::Debug for Opened {
    /// Without the content, which was perhaps secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Opened")
            .field("header", &self.header)
            .field("key", &self.key)
            .field("protection", &self.protection)
            .field("octets", &self.content.len())
            .finish_non_exhaustive()
    }
}

/// Whether a message claims to protect itself: the namespace is in its first tag, behind a declaration of XML perhaps. [`open`] says whether it does.
pub fn is_protected(message: &[u8]) -> bool {
    let head = &message[..message.len().min(HEAD)];
    head.windows(PROTECTED.len()).any(|it| it == PROTECTED.as_bytes())
}

/// Verifies a message, and then decrypts its content.
///
/// # Errors
///
/// It has another form, too many octets or an unknown key, or it is not authentic.
pub fn open(message: &[u8], limits: &Limits, keys: &dyn Keys) -> Result<Opened, OpenError> {
    open_in_steps(message, limits, keys, &|_| ())
}

/// The same, and calls `steps` as each step begins: [`Step::Verify`], and [`Step::Decrypt`] if there is something to decrypt.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_in_steps(
    message: &[u8],
    limits: &Limits,
    keys: &dyn Keys,
    steps: Steps<'_>,
) -> Result<Opened, OpenError> {
    steps(Step::Verify);
    check_length(message, limits)?;
    match direct::read(message) {
        Some(direct) => open_direct(direct, keys, steps),
        None => open_general(message, keys, &Bergshamra, steps),
    }
}

/// The same, always by `bergshamra` and never by the reader of our own spelling: the result does not differ, only the time.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_by_library(message: &[u8], limits: &Limits, keys: &dyn Keys) -> Result<Opened, OpenError> {
    check_length(message, limits)?;
    open_general(message, keys, &Bergshamra, &|_| ())
}

/// What a message says of itself, before anything of it is believed: for whoever passes it on.
///
/// # Errors
///
/// It has another form, or too many octets.
pub fn claimed(message: &[u8], limits: &Limits) -> Result<Header, OpenError> {
    check_length(message, limits)?;
    match direct::read(message) {
        Some(direct) => Ok(direct.form.header),
        None => Ok(general::read(message)?.0.header),
    }
}

fn check_length(message: &[u8], limits: &Limits) -> Result<(), OpenError> {
    if message.len() > limits.octets {
        return Err(OpenError::TooBig { found: message.len(), limit: limits.octets });
    }
    Ok(())
}

fn open_direct(direct: Direct<'_>, keys: &dyn Keys, steps: Steps<'_>) -> Result<Opened, OpenError> {
    let Direct { form, signature, digested, signed } = direct;
    let key = find(keys, &form, &signature)?;
    if !key.verify(signature.method, &signed, &signature.value) {
        return Err(OpenError::Refused);
    }
    if signature.method.digest(&digested).as_ref() != signature.digest {
        return Err(OpenError::Refused);
    }
    finish(form, signature, &key, keys, steps)
}

fn open_general(
    message: &[u8],
    keys: &dyn Keys,
    library: &dyn SignedDocuments,
    steps: Steps<'_>,
) -> Result<Opened, OpenError> {
    let (form, signature) = general::read(message)?;
    let key = find(keys, &form, &signature)?;
    let text = std::str::from_utf8(message).map_err(|_| OpenError::Refused)?;
    let text = values::normalized(text);
    let signed = library.signed_octets(&text, signature.method, &key).ok_or(OpenError::Refused)?;
    // From here on only the octets count that were verified just now: the message is read again from them, so that it does not
    // matter whether two readers of XML agree on it.
    if signature.method.digest(&[&signed]).as_ref() != signature.digest {
        return Err(OpenError::Refused);
    }
    let verified = general::read_signed(&signed, &signature).map_err(|_| OpenError::Refused)?;
    if verified.protection(&signature) != form.protection(&signature) {
        return Err(OpenError::Refused);
    }
    if let Body::Element(element) = verified.body
        && !values::mean_the_same(text.as_bytes(), element)?
    {
        return Err(Malformed::Markup(UNSIGNED).into());
    }
    finish(verified, signature, &key, keys, steps)
}

fn find(keys: &dyn Keys, form: &Form<'_>, signature: &Signature) -> Result<Found, OpenError> {
    let unknown = || OpenError::UnknownKey(signature.key.clone());
    keys.find(&signature.key, &form.protection(signature)).ok_or_else(unknown)
}

/// The content of a form that is authentic.
fn finish(
    form: Form<'_>,
    signature: Signature,
    key: &Found,
    keys: &dyn Keys,
    steps: Steps<'_>,
) -> Result<Opened, OpenError> {
    let protection = form.protection(&signature);
    let content = match form.body {
        Body::Element(element) => element.to_vec(),
        Body::Octets(octets) => octets,
        Body::Encrypted { cipher, key: name, value } => {
            steps(Step::Decrypt);
            let found = if name == signature.key { Some(key.clone()) } else { keys.find(&name, &protection) };
            let Some(Found::Shared(keys)) = found else { return Err(OpenError::UnknownKey(name)) };
            let key = keys.cipher(cipher).ok_or(OpenError::Refused)?;
            key.decrypt(value).map_err(|_| OpenError::Refused)?
        }
    };
    Ok(Opened { header: form.header, key: signature.key, protection, content })
}

impl From<trunkline_xml::XmlError> for OpenError {
    fn from(error: trunkline_xml::XmlError) -> Self {
        Self::Malformed(Malformed::Xml(error))
    }
}

/// What exclusive canonical form leaves out, so that it is not signed.
const UNSIGNED: &str = "a signed content with values whose namespaces no element or attribute has, unless it is in base64 or encrypted,";

/// Octets in which the root of a message begins.
const HEAD: usize = 1024;

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::{OpenError, open_general};
    use crate::algorithm::{Protection, SignatureMethod};
    use crate::keyring::Found;
    use crate::provider::{Bergshamra, SignedDocuments};
    use crate::tests::{ring, usual};

    /// A library that reads another document than we do, and finds its signature valid.
    struct Other(Vec<u8>);

    impl SignedDocuments for Other {
        fn signed_octets(&self, _: &str, _: SignatureMethod, _: &Found) -> Option<Vec<u8>> {
            Some(self.0.clone())
        }
    }

    /// A message without its signature, and its digest.
    fn unsigned(message: &str) -> (Vec<u8>, String) {
        let octets =
            format!("{}</message>", &message[..message.find("<ds:Signature ").unwrap()]).into_bytes();
        let digest = STANDARD.encode(SignatureMethod::HmacSha256.digest(&[&octets]));
        (octets, digest)
    }

    #[test]
    fn readers_of_xml_that_disagree_open_nothing() {
        let message = usual(Protection::default());
        let (octets, digest) = unsigned(&message);
        let opened = |message: &str, octets: &[u8]| {
            open_general(message.as_bytes(), ring(), &Other(octets.to_vec()), &|_| ())
        };
        assert_eq!(opened(&message, &octets), open_general(message.as_bytes(), ring(), &Bergshamra, &|_| ()));
        // it has verified other octets than those of the digest
        let (other, _) = unsigned(&message.replace(">12<", ">13<"));
        assert_eq!(opened(&message, &other), Err(OpenError::Refused));
        // it has verified these octets, and they are protected otherwise, or are no message
        let (signed_only, of_it) = unsigned(&usual(Protection { cipher: None, ..Protection::default() }));
        assert_eq!(opened(&message.replace(&digest, &of_it), &signed_only), Err(OpenError::Refused));
        let (none, of_it) = unsigned("<message><ds:Signature ");
        assert_eq!(opened(&message.replace(&digest, &of_it), &none), Err(OpenError::Refused));
    }
}
