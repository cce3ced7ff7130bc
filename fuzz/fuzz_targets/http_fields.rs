//! Request fields that are parsed here and not by the library: credentials, and accepted compressions. Nothing
//! that is sent does harm, and an accepted coding was in the input.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_transport::http::Claim;
use trunkline_transport::http::coding::accepted_in;
use trunkline_web::http::authorization;

fuzz_target!(|octets: &[u8]| {
    match authorization::parse(octets) {
        Ok(Claim::Password { name, .. }) => assert!(!name.contains([':', '\n', '\0'])),
        Ok(Claim::Token(token)) => assert!(!token.is_empty() && !token.contains(' ')),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let fields = octets.split(|octet| *octet == b'\n');
    if accepted_in(fields).coding.is_some() {
        let text = String::from_utf8_lossy(octets).to_ascii_lowercase();
        assert!(["gzip", "deflate", "*"].iter().any(|name| text.contains(name)));
    }
});
