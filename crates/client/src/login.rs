//! HTTP authentication in the `Authorization` field: Basic (RFC 7617) or Bearer (RFC 6750).

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// HTTP credentials. `Debug` shows no secret.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpLogin {
    kind: Kind,
    /// The field's value.
    authorization: Zeroizing<String>,
}

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Basic { user: String },
    Bearer,
}

/// Why the field cannot carry a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpLoginError {
    /// HTTP splits name and password at the first colon.
    #[error("a user's name in HTTP has no colon")]
    Colon,
    /// Name and password form one text.
    #[error("a user's name and password in HTTP have no control characters")]
    Control,
    /// RFC 6750 section 2.1 defines a token's characters.
    #[error("a bearer token has letters, digits and -._~+/ only, with = at its end, and is not empty")]
    Token,
}

impl HttpLogin {
    /// A user with a password.
    ///
    /// # Errors
    /// [`HttpLoginError::Colon`] and [`HttpLoginError::Control`] (RFC 7617 section 2).
    pub fn basic(user: &str, password: &str) -> Result<Self, HttpLoginError> {
        if user.contains(':') {
            return Err(HttpLoginError::Colon);
        }
        if user.chars().chain(password.chars()).any(char::is_control) {
            return Err(HttpLoginError::Control);
        }
        let pair = Zeroizing::new(format!("{user}:{password}"));
        let mut authorization = Zeroizing::new("Basic ".to_owned());
        STANDARD.encode_string(pair.as_bytes(), &mut authorization);
        Ok(HttpLogin { kind: Kind::Basic { user: user.to_owned() }, authorization })
    }

    /// The holder of this token.
    ///
    /// # Errors
    /// [`HttpLoginError::Token`].
    pub fn bearer(token: &str) -> Result<Self, HttpLoginError> {
        let letters = token.trim_end_matches('=');
        let fits = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~+/".contains(&octet);
        if letters.is_empty() || !letters.bytes().all(fits) {
            return Err(HttpLoginError::Token);
        }
        Ok(HttpLogin { kind: Kind::Bearer, authorization: Zeroizing::new(format!("Bearer {token}")) })
    }

    /// The value of the field `Authorization`: a secret.
    #[must_use]
    pub fn authorization(&self) -> &str {
        &self.authorization
    }
}

impl fmt::Debug for HttpLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Basic { user } => write!(f, "Basic({user}, password hidden)"),
            Kind::Bearer => f.write_str("Bearer(token hidden)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_standards() {
        // The examples of RFC 7617 sections 2 and 2.1 and of RFC 6750 section 2.1.
        let basic = HttpLogin::basic("Aladdin", "open sesame").unwrap();
        assert_eq!(basic.authorization(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert_eq!(HttpLogin::basic("test", "123£").unwrap().authorization(), "Basic dGVzdDoxMjPCow==");
        assert_eq!(HttpLogin::bearer("mF_9.B5f-4.1JqM").unwrap().authorization(), "Bearer mF_9.B5f-4.1JqM");
    }

    #[test]
    fn invalid_credentials_are_refused_without_showing_secrets() {
        assert_eq!(HttpLogin::basic("a:b", "c"), Err(HttpLoginError::Colon));
        assert_eq!(HttpLogin::basic("a", "c\r\nX: y"), Err(HttpLoginError::Control));
        for token in ["", "==", "a b", "a=b", "a\n"] {
            assert_eq!(HttpLogin::bearer(token), Err(HttpLoginError::Token), "{token:?}");
        }
        let shown = format!(
            "{:?} {:?}",
            HttpLogin::basic("ann", "geheim").unwrap(),
            HttpLogin::bearer("geheim").unwrap()
        );
        assert!(shown.contains("ann") && !shown.contains("geheim"), "{shown}");
    }
}
