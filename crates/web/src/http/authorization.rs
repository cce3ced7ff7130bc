//! The `Authorization` field: basic (RFC 7617) and bearer (RFC 6750).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use trunkline_transport::http::Claim;
use zeroize::Zeroizing;

/// What is wrong in an `Authorization` field. Its contents are not repeated: they are somebody's secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorizationError {
    /// Another way than basic and bearer.
    #[error("expected basic or bearer authentication")]
    Scheme,
    /// Basic, and not the base64 of UTF-8 with a colon.
    #[error("basic authentication is the base64 of NAME:PASSWORD in UTF-8")]
    Basic,
    /// Bearer, and not one word of visible characters.
    #[error("bearer authentication is one token")]
    Bearer,
    /// Longer than any valid one.
    #[error("authentication with more than {LONGEST} octets")]
    TooLong,
}

/// Reads the value of the field.
///
/// # Errors
/// [`AuthorizationError`].
pub fn parse(value: &[u8]) -> Result<Claim, AuthorizationError> {
    if value.len() > LONGEST {
        return Err(AuthorizationError::TooLong);
    }
    let text = std::str::from_utf8(value).map_err(|_| AuthorizationError::Scheme)?.trim();
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim_start();
    if scheme.eq_ignore_ascii_case("basic") {
        basic(rest).ok_or(AuthorizationError::Basic)
    } else if scheme.eq_ignore_ascii_case("bearer") {
        let is_token = !rest.is_empty() && rest.bytes().all(|octet| octet.is_ascii_graphic());
        let token = || Claim::Token(Zeroizing::new(rest.to_owned()));
        is_token.then(token).ok_or(AuthorizationError::Bearer)
    } else {
        Err(AuthorizationError::Scheme)
    }
}

fn basic(encoded: &str) -> Option<Claim> {
    let octets = Zeroizing::new(STANDARD.decode(encoded).ok()?);
    let text = std::str::from_utf8(&octets).ok()?;
    let (name, password) = text.split_once(':')?;
    // RFC 7617 section 2.
    if text.chars().any(char::is_control) {
        return None;
    }
    Some(Claim::Password { name: name.to_owned(), password: Zeroizing::new(password.to_owned()) })
}

/// A claim without its secret, for messages.
pub(super) struct Shown<'a>(pub &'a Claim);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Claim::Password { name, .. } => write!(f, "{:?}", name.chars().take(32).collect::<String>()),
            Claim::Token(_) => f.write_str("a token"),
        }
    }
}

/// The longest value that is read.
const LONGEST: usize = 4_096;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(value: &str) -> Result<(String, String), AuthorizationError> {
        parse(value.as_bytes()).map(|claim| match claim {
            Claim::Password { name, password } => (name, password.to_string()),
            Claim::Token(token) => (String::new(), token.to_string()),
        })
    }

    #[test]
    fn the_examples_of_the_standards_are_read() {
        let pair = |name: &str, secret: &str| Ok((name.to_owned(), secret.to_owned()));
        // RFC 7617 sections 2 and 2.1.
        assert_eq!(said("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), pair("Aladdin", "open sesame"));
        assert_eq!(said("Basic dGVzdDoxMjPCow=="), pair("test", "123\u{a3}"));
        // RFC 6750 section 2.1.
        assert_eq!(said("Bearer mF_9.B5f-4.1JqM"), pair("", "mF_9.B5f-4.1JqM"));
        assert_eq!(said("bASIC  QTpiOmM="), pair("A", "b:c"));
    }

    #[test]
    fn mistakes_are_reported_without_quoting_the_input() {
        for (value, error) in [
            ("", AuthorizationError::Scheme),
            ("Digest username=\"joe\"", AuthorizationError::Scheme),
            ("Basic", AuthorizationError::Basic),
            ("Basic ====", AuthorizationError::Basic),
            ("Basic bm9jb2xvbg==", AuthorizationError::Basic),
            ("Basic /zo=", AuthorizationError::Basic),
            ("Basic YTpiCg==", AuthorizationError::Basic),
            ("Bearer", AuthorizationError::Bearer),
            ("Bearer two words", AuthorizationError::Bearer),
        ] {
            assert_eq!(said(value), Err(error), "{value}");
        }
        assert_eq!(said(&format!("Bearer {}", "a".repeat(LONGEST))), Err(AuthorizationError::TooLong));
        let claim = parse(b"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==").unwrap_or_else(|_| unreachable!());
        assert_eq!(Shown(&claim).to_string(), "\"Aladdin\"");
    }

    proptest! {
        #[test]
        fn names_and_passwords_come_back(name in "[^:\\p{Cc}]{0,20}", password in "[^\\p{Cc}]{0,40}") {
            let value = format!("Basic {}", STANDARD.encode(format!("{name}:{password}")));
            prop_assert_eq!(said(&value), Ok((name, password)));
        }

        #[test]
        fn octets_of_any_kind_do_no_harm(octets: Vec<u8>) {
            let _ = parse(&octets);
        }
    }
}
