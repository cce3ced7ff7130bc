//! The library of XML security, behind a trait.

use bergshamra_c14n::C14nMode;
use bergshamra_dsig::{DsigContext, VerifyResult, verify};
use bergshamra_keys::KeysManager;
use bergshamra_xml::NodeSet;
use kryptering::{EcCurve, HashAlgorithm, SignatureAlgorithm};

use crate::algorithm::SignatureMethod;
use crate::keyring::Found;

/// Verifies documents whose form was checked before.
pub(crate) trait SignedDocuments {
    /// The canonical octets that the document's one signature covers, if it is valid by this key and this method.
    fn signed_octets(&self, document: &str, method: SignatureMethod, key: &Found) -> Option<Vec<u8>>;
}

/// `bergshamra`.
pub(crate) struct Bergshamra;

impl SignedDocuments for Bergshamra {
    fn signed_octets(&self, document: &str, method: SignatureMethod, key: &Found) -> Option<Vec<u8>> {
        // No key is known to the library, which so cannot choose one: it calls back with what is to be verified.
        let verifier = Box::new(OneKey { key: key.clone(), method });
        let context = DsigContext::new(KeysManager::new()).with_hsm_verifier(verifier);
        let parsed = uppsala::parse(document).ok()?;
        let result = verify::verify_document_with_source(&context, &parsed, Some(document)).ok()?;
        let VerifyResult::Valid { signature_node, .. } = result else { return None };
        let whole = NodeSet::all_without_comments(&parsed);
        let covered = whole.subtract(&NodeSet::tree_without_comments(signature_node, &parsed));
        let prefixes: [&str; 0] = [];
        bergshamra_c14n::canonicalize_doc(&parsed, C14nMode::Exclusive, Some(&covered), &prefixes).ok()
    }
}

/// One key, for one method.
struct OneKey {
    key: Found,
    method: SignatureMethod,
}

impl kryptering::Verifier for OneKey {
    fn algorithm(&self) -> SignatureAlgorithm {
        match self.method {
            SignatureMethod::HmacSha1 => SignatureAlgorithm::Hmac(HashAlgorithm::Sha1),
            SignatureMethod::HmacSha256 => SignatureAlgorithm::Hmac(HashAlgorithm::Sha256),
            SignatureMethod::RsaSha256 => SignatureAlgorithm::RsaPkcs1v15(HashAlgorithm::Sha256),
            SignatureMethod::EcdsaSha256 => SignatureAlgorithm::Ecdsa(EcCurve::P256, HashAlgorithm::Sha256),
        }
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> kryptering::Result<bool> {
        Ok(self.key.verify(self.method, data, signature))
    }
}
