//! The octets of a message around what differs between messages, in exclusive canonical form as they stand: so the writer needs to
//! canonicalise nothing, and a reader that finds exactly them needs it neither.

use crate::algorithm::{Cipher, SignatureMethod};

/// The namespace of a message.
pub const PROTECTED: &str = "urn:trunkline:params:xml:ns:protected:1.0";

/// The namespace of XML Signature.
pub(crate) const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";

/// The namespace of XML Encryption.
pub(crate) const XENC: &str = "http://www.w3.org/2001/04/xmlenc#";

/// Exclusive canonicalisation without comments.
pub(crate) const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// The transform that leaves out the signature itself.
pub(crate) const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/// The type of an encrypted element.
pub(crate) const ELEMENT: &str = "http://www.w3.org/2001/04/xmlenc#Element";

pub(crate) const BEGIN: &str =
    "<message xmlns=\"urn:trunkline:params:xml:ns:protected:1.0\"><header><direction>";
pub(crate) const SESSION: (&str, &str) = ("<session>", "</session>");
pub(crate) const DEVICE: (&str, &str) = ("<device>", "</device>");
pub(crate) const NUMBER: (&str, &str) = ("<number>", "</number>");
pub(crate) const IN_REPLY_TO: (&str, &str) = ("<in-reply-to>", "</in-reply-to>");
pub(crate) const TIME: (&str, &str) = ("<time>", "</time>");
pub(crate) const EXPIRES: (&str, &str) = ("<expires>", "</expires>");
pub(crate) const COMPRESSION: (&str, &str) = ("<compression>", "</compression>");
pub(crate) const ROLE: (&str, &str) = ("<role>", "</role>");
pub(crate) const DIRECTION_END: &str = "</direction>";
pub(crate) const HEADER_END: &str = "</header>";
pub(crate) const CONTENT: (&str, &str) = ("<content>", "</content>");

pub(crate) const ENCRYPTED_DATA: &str = "<xenc:EncryptedData xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\"><xenc:EncryptionMethod Algorithm=\"";
pub(crate) const ENCRYPTION_KEY: &str =
    "\"></xenc:EncryptionMethod><ds:KeyInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:KeyName>";
pub(crate) const CIPHER_VALUE: &str = "</ds:KeyName></ds:KeyInfo><xenc:CipherData><xenc:CipherValue>";
pub(crate) const ENCRYPTED_DATA_END: &str = "</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>";

pub(crate) const SIGNATURE: &str =
    "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:SignedInfo>";
pub(crate) const SIGNED_INFO_END: &str = "</ds:DigestValue></ds:Reference></ds:SignedInfo>";
pub(crate) const SIGNATURE_VALUE: (&str, &str) = ("<ds:SignatureValue>", "</ds:SignatureValue>");
pub(crate) const SIGNATURE_KEY: (&str, &str) =
    ("<ds:KeyInfo><ds:KeyName>", "</ds:KeyName></ds:KeyInfo></ds:Signature>");
pub(crate) const END: &str = "</message>";

/// The start tag of SignedInfo alone: in exclusive canonical form it declares its own prefix.
pub(crate) const SIGNED_INFO_ALONE: &str = "<ds:SignedInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">";

/// What is between the start tags of SignedInfo and DigestValue and their contents.
pub(crate) fn signed_info(method: SignatureMethod) -> &'static str {
    macro_rules! text {
        ($method:literal, $digest:literal) => {
            concat!(
                "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:CanonicalizationMethod>",
                "<ds:SignatureMethod Algorithm=\"",
                $method,
                "\"></ds:SignatureMethod><ds:Reference URI=\"\"><ds:Transforms>",
                "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform>",
                "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:Transform>",
                "</ds:Transforms><ds:DigestMethod Algorithm=\"",
                $digest,
                "\"></ds:DigestMethod><ds:DigestValue>"
            )
        };
    }
    match method {
        SignatureMethod::HmacSha1 => {
            text!("http://www.w3.org/2000/09/xmldsig#hmac-sha1", "http://www.w3.org/2000/09/xmldsig#sha1")
        }
        SignatureMethod::HmacSha256 => text!(
            "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
            "http://www.w3.org/2001/04/xmlenc#sha256"
        ),
        SignatureMethod::RsaSha256 => {
            text!(
                "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
                "http://www.w3.org/2001/04/xmlenc#sha256"
            )
        }
        SignatureMethod::EcdsaSha256 => text!(
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
            "http://www.w3.org/2001/04/xmlenc#sha256"
        ),
    }
}

/// The octets that are signed, from the digest in base64.
pub(crate) fn signed_octets(method: SignatureMethod, digest: &[u8]) -> Vec<u8> {
    let pieces =
        [SIGNED_INFO_ALONE.as_bytes(), signed_info(method).as_bytes(), digest, SIGNED_INFO_END.as_bytes()];
    pieces.concat()
}

/// What precedes the name of the key of an encrypted content.
pub(crate) fn encryption(cipher: Cipher) -> [&'static str; 3] {
    [ENCRYPTED_DATA, cipher.uri(), ENCRYPTION_KEY]
}

#[cfg(test)]
mod tests {
    use super::{
        DSIG, ELEMENT, ENCRYPTED_DATA, ENVELOPED, EXCLUSIVE, PROTECTED, SIGNATURE, XENC, signed_info,
    };
    use crate::algorithm::SignatureMethod;

    #[test]
    fn templates_have_the_names() {
        assert!(
            super::BEGIN.contains(PROTECTED) && SIGNATURE.contains(DSIG) && ENCRYPTED_DATA.contains(XENC)
        );
        assert!(ELEMENT.starts_with(XENC));
        for method in SignatureMethod::ALL {
            let text = signed_info(method);
            for uri in [method.uri(), method.digest_uri(), ENVELOPED, EXCLUSIVE] {
                assert!(text.contains(&format!("\"{uri}\"")), "{method}");
            }
        }
    }
}
