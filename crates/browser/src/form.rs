//! What a form posts: `application/x-www-form-urlencoded` (WHATWG URL, section 5.1).

use std::fmt;

use zeroize::Zeroizing;

/// The form of the login.
#[derive(PartialEq, Eq)]
pub struct Login {
    /// The claimed name.
    pub name: String,
    /// The secret.
    pub password: Zeroizing<String>,
}

/// Why it cannot be read. What was posted is not repeated: it may be somebody's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// More octets than any valid one.
    #[error("a login has at most {LONGEST} octets")]
    TooLong,
    /// A name or password that is missing, is there twice, is empty or has control characters, or octets that are not UTF-8.
    #[error("a login has one name and one password, in UTF-8 without control characters")]
    Fields,
}

impl Login {
    /// Reads the body of a form.
    ///
    /// # Errors
    /// [`FormError`]
    pub fn read(body: &[u8]) -> Result<Login, FormError> {
        if body.len() > LONGEST {
            return Err(FormError::TooLong);
        }
        let (mut name, mut password) = (None, None);
        for pair in body.split(|octet| *octet == b'&').filter(|pair| !pair.is_empty()) {
            let at = pair.iter().position(|octet| *octet == b'=').unwrap_or(pair.len());
            let value = decoded(pair.get(at + 1..).unwrap_or_default())?;
            let field = match &**decoded(&pair[..at])? {
                "name" => &mut name,
                "password" => &mut password,
                _ => return Err(FormError::Fields),
            };
            if field.replace(value).is_some() {
                return Err(FormError::Fields);
            }
        }
        match (name, password) {
            (Some(name), Some(password)) if is_text(&name) && is_text(&password) => {
                Ok(Login { name: name.to_string(), password })
            }
            _ => Err(FormError::Fields),
        }
    }
}

/// Without the password.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({:?})", self.name)
    }
}

fn is_text(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

/// A plus is a space, and an escape is an octet; one that is cut off is what it is.
fn decoded(octets: &[u8]) -> Result<Zeroizing<String>, FormError> {
    let mut out = Zeroizing::new(Vec::with_capacity(octets.len()));
    let mut at = 0;
    while let Some(octet) = octets.get(at) {
        let digit = |at: usize| octets.get(at).and_then(|octet| char::from(*octet).to_digit(16));
        match (octet, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) => out.push(b' '),
            _ => out.push(*octet),
        }
        at += 1;
    }
    let text = std::str::from_utf8(&out).map_err(|_| FormError::Fields)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Octets of the longest form that is read: a name and a password, each of which may be escaped.
pub const LONGEST: usize = 4_096;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(body: &str) -> Result<(String, String), FormError> {
        Login::read(body.as_bytes()).map(|login| (login.name, login.password.to_string()))
    }

    #[test]
    fn names_and_passwords_are_read_as_browsers_write_them() {
        let pair = |name: &str, password: &str| Ok((name.to_owned(), password.to_owned()));
        assert_eq!(said("name=max&password=maple+syrup"), pair("max", "maple syrup"));
        assert_eq!(said("password=%2B%26%3D%C3%A9&name=a%25b&"), pair("a%b", "+&=\u{e9}"));
        assert_eq!(said("name=a&password=%4"), pair("a", "%4"));
        assert_eq!(said("name=a&password=b=c%zz"), pair("a", "b=c%zz"));
    }

    #[test]
    fn what_is_not_a_login_is_refused_without_being_repeated() {
        for body in [
            "",
            "name=max",
            "password=x",
            "name=&password=x",
            "name=a&password=",
            "name=a&name=b&password=x",
            "name=a&password=x&password=y",
            "name=a&password=x&more=1",
            "name=a%00&password=x",
            "name=a&password=x%0a",
            "name=%ff&password=x",
            "name&password",
        ] {
            assert_eq!(said(body), Err(FormError::Fields), "{body}");
        }
        assert_eq!(said(&"a".repeat(LONGEST + 1)), Err(FormError::TooLong));
        let login = Login::read(b"name=max&password=maple").unwrap();
        assert_eq!(format!("{login:?}"), "Login(\"max\")");
    }

    proptest! {
        #[test]
        fn every_login_comes_back(name in "\\PC{1,20}", password in "\\PC{1,40}") {
            let escaped = |text: &str| text.bytes().map(|octet| format!("%{octet:02x}")).collect::<String>();
            let body = format!("name={}&password={}", escaped(&name), escaped(&password));
            prop_assert_eq!(said(&body), Ok((name, password)));
        }

        #[test]
        fn octets_of_any_kind_do_no_harm(octets: Vec<u8>) {
            let _ = Login::read(&octets);
        }
    }
}
