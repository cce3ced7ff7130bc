//! What a form posts: `application/x-www-form-urlencoded` (WHATWG URL, section 5.1).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use zeroize::Zeroizing;

use crate::object::Octets;

/// The form of the login.
#[derive(PartialEq, Eq)]
pub struct Login {
    /// The claimed name.
    pub name: String,
    /// The secret.
    pub password: Zeroizing<String>,
}

/// The form that sets an object.
#[derive(PartialEq, Eq)]
pub struct Change {
    /// What the value was when the form was made, as RESTCONF writes it; `None`: there was none that could be read.
    pub old: Option<String>,
    /// What it is to be.
    pub new: String,
    /// How octets of it are written.
    pub octets: Octets,
    /// Whether the difference has been shown, and it is to be set now.
    pub is_confirmed: bool,
}

/// A form with a field for each leaf of an entry: `v.NAME` has its text, and `o.NAME` how octets of it are written.
#[derive(Default, PartialEq, Eq)]
pub struct Fields {
    /// What the resource was when the form was made, as an entity tag.
    pub tag: Option<String>,
    /// What is to be done.
    pub step: Step,
    values: BTreeMap<String, String>,
}

/// What a form without scripts is posted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// The difference is to be shown.
    #[default]
    Review,
    /// It has been shown, and is to be applied.
    Apply,
    /// That something would be removed is to be shown.
    Remove,
    /// It has been shown, and is to be removed.
    ApplyRemoval,
}

/// Why it cannot be read. What was posted is not repeated: it may be somebody's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// More octets than any valid one.
    #[error("the form is too long")]
    TooLong,
    /// A field of a change that is missing, is there twice or is unknown, or octets that are not UTF-8.
    #[error("a change has a new value and perhaps an old one, in UTF-8")]
    Change,
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
        for pair in pairs(body) {
            let (key, value) = pair?;
            let field = match key.as_str() {
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

impl Change {
    /// Reads the body of a form.
    ///
    /// # Errors
    /// [`FormError`]
    pub fn read(body: &[u8]) -> Result<Change, FormError> {
        if body.len() > LONGEST_CHANGE {
            return Err(FormError::TooLong);
        }
        let [mut token, mut old, mut new, mut octets, mut step] = [const { None }; 5];
        for pair in pairs(body) {
            let (name, value) = pair.map_err(|_| FormError::Change)?;
            let field = match name.as_str() {
                "token" => &mut token,
                "old" => &mut old,
                "new" => &mut new,
                "octets" => &mut octets,
                "step" => &mut step,
                _ => return Err(FormError::Change),
            };
            if field.replace(value.to_string()).is_some() {
                return Err(FormError::Change);
            }
        }
        let octets = match octets.as_deref() {
            None | Some("text") => Octets::Text,
            Some("hex") => Octets::Hex,
            Some(_) => return Err(FormError::Change),
        };
        let is_confirmed = match step.as_deref() {
            None | Some("review") => false,
            Some("apply") => true,
            Some(_) => return Err(FormError::Change),
        };
        let new = new.ok_or(FormError::Change)?;
        Ok(Change { old, new, octets, is_confirmed })
    }

    /// Whether the value is still the one of the form. Browsers send CR LF for every end of a line (WHATWG HTML section 4.10.22.4).
    pub fn is_of(&self, now: Option<&str>) -> bool {
        let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
        self.old.as_deref().map(plain) == now.map(plain)
    }
}

impl Fields {
    /// Reads the body of a form.
    ///
    /// # Errors
    /// [`FormError`]
    pub fn read(body: &[u8]) -> Result<Fields, FormError> {
        if body.len() > LONGEST_CHANGE {
            return Err(FormError::TooLong);
        }
        let mut fields = Fields::default();
        let mut known = BTreeSet::new();
        for pair in pairs(body) {
            let (name, value) = pair.map_err(|_| FormError::Change)?;
            if !known.insert(name.clone()) {
                return Err(FormError::Change);
            }
            match (name.as_str(), value.as_str()) {
                ("token", _) => {}
                ("tag", tag) => fields.tag = Some(tag.to_owned()),
                ("step", "review") => fields.step = Step::Review,
                ("step", "apply") => fields.step = Step::Apply,
                ("step", "remove") => fields.step = Step::Remove,
                ("step", "apply-removal") => fields.step = Step::ApplyRemoval,
                (name, value) if name.starts_with("v.") || name.starts_with("o.") => {
                    fields.values.insert(name.to_owned(), value.to_owned());
                }
                _ => return Err(FormError::Change),
            }
        }
        Ok(fields)
    }

    /// The text of a leaf.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(&format!("v.{name}")).map(String::as_str)
    }

    /// The fields of leaves that are not among these, in the order of their names.
    pub fn others(&self, known: &[String]) -> Vec<String> {
        let names: BTreeSet<&str> = self.values.keys().map(|name| &name["v.".len()..]).collect();
        names.into_iter().filter(|name| !known.iter().any(|it| it == name)).map(str::to_owned).collect()
    }

    /// How octets of a leaf are written.
    pub fn octets(&self, name: &str) -> Octets {
        match self.values.get(&format!("o.{name}")).map(String::as_str) {
            Some("hex") => Octets::Hex,
            _ => Octets::Text,
        }
    }
}

/// Values may be secrets.
impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fields")
    }
}

/// The token of any form.
pub fn token(body: &[u8]) -> Option<String> {
    if body.len() > LONGEST_CHANGE {
        return None;
    }
    let mut tokens = pairs(body).filter_map(|pair| pair.ok().filter(|(name, _)| name == "token"));
    let (_, token) = tokens.next()?;
    tokens.next().is_none().then(|| token.to_string())
}

/// Values may be secrets.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Change")
    }
}

/// The names and values of a form.
pub(crate) fn pairs(body: &[u8]) -> impl Iterator<Item = Result<(String, Zeroizing<String>), FormError>> {
    let pairs = body.split(|octet| *octet == b'&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let at = pair.iter().position(|octet| *octet == b'=').unwrap_or(pair.len());
        Ok((decoded(&pair[..at])?.to_string(), decoded(pair.get(at + 1..).unwrap_or_default())?))
    })
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

/// Octets of the longest form that changes a value: one of 65,535 octets, each of which may be escaped.
pub const LONGEST_CHANGE: usize = 512 << 10;
/// Octets of the longest login that is read: a name and a password, each of which may be escaped.
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

    #[test]
    fn a_change_has_what_was_and_what_is_to_be() {
        let change = Change::read(b"token=t&old=a+b&new=c%0D%0Ad&step=apply").unwrap();
        assert_eq!((change.old.as_deref(), &*change.new), (Some("a b"), "c\r\nd"));
        assert!(change.is_confirmed && change.octets == Octets::Text);
        assert_eq!(token(b"token=t&old=a"), Some("t".into()));
        assert_eq!(
            (token(b"token=t&token=t"), token(b"old=a"), token(&[b'a'; LONGEST_CHANGE + 1])),
            (None, None, None)
        );
        assert!(change.is_of(Some("a b")) && !change.is_of(Some("a")) && !change.is_of(None));
        let lines = Change::read(b"old=a%0D%0Ab&new=").unwrap();
        assert!(lines.is_of(Some("a\nb")) && lines.new.is_empty() && !lines.is_confirmed);
        let none = Change::read(b"new=1&octets=hex").unwrap();
        assert!(none.is_of(None) && !none.is_of(Some("")) && none.octets == Octets::Hex);
        for body in ["", "old=1", "new=1&new=2", "new=%ff", "new=1&x=2", "new=1&octets=x", "new=1&step=x"] {
            assert_eq!(Change::read(body.as_bytes()), Err(FormError::Change), "{body}");
        }
        let long = vec![b'a'; LONGEST_CHANGE + 1];
        assert_eq!(Change::read(&long), Err(FormError::TooLong));
        assert_eq!(format!("{change:?}"), "Change");
    }

    #[test]
    fn an_entry_has_its_leaves() {
        let fields = Fields::read(b"token=t&tag=%22a%22&v.name=a+b&o.key=hex&v.key=00&step=apply").unwrap();
        assert_eq!((fields.get("name"), fields.get("key"), fields.get("x")), (Some("a b"), Some("00"), None));
        assert_eq!((fields.octets("key"), fields.octets("name")), (Octets::Hex, Octets::Text));
        assert_eq!((fields.tag.as_deref(), fields.step), (Some("\"a\""), Step::Apply));
        assert_eq!(fields.others(&["name".into()]), ["key"]);
        assert!(fields.others(&["name".into(), "key".into()]).is_empty());
        assert_eq!(Fields::read(b"").unwrap().step, Step::Review);
        assert_eq!(Fields::read(b"step=remove").unwrap().step, Step::Remove);
        assert_eq!(Fields::read(b"step=apply-removal").unwrap().step, Step::ApplyRemoval);
        for body in ["v.a=1&v.a=2", "a=1", "step=x", "v.a=%ff"] {
            assert_eq!(Fields::read(body.as_bytes()), Err(FormError::Change), "{body}");
        }
        assert_eq!(Fields::read(&vec![b'a'; LONGEST_CHANGE + 1]), Err(FormError::TooLong));
        assert_eq!(format!("{fields:?}"), "Fields");
    }

    proptest! {
        #[test]
        fn every_entry_comes_back(name in "[a-z]{1,8}", value in "\\PC{0,40}") {
            let escaped: String = value.bytes().map(|octet| format!("%{octet:02x}")).collect();
            let fields = Fields::read(format!("v.{name}={escaped}").as_bytes()).unwrap();
            prop_assert_eq!(fields.get(&name), Some(value.as_str()));
        }

        #[test]
        fn every_change_comes_back(old in "\\PC{0,20}", new in "\\PC{0,40}") {
            let escaped = |text: &str| text.bytes().map(|octet| format!("%{octet:02x}")).collect::<String>();
            let body = format!("new={}&old={}", escaped(&new), escaped(&old));
            let change = Change::read(body.as_bytes()).unwrap();
            prop_assert_eq!((change.old, change.new), (Some(old), new));
        }

        #[test]
        fn every_login_comes_back(name in "\\PC{1,20}", password in "\\PC{1,40}") {
            let escaped = |text: &str| text.bytes().map(|octet| format!("%{octet:02x}")).collect::<String>();
            let body = format!("name={}&password={}", escaped(&name), escaped(&password));
            prop_assert_eq!(said(&body), Ok((name, password)));
        }

        #[test]
        fn octets_of_any_kind_do_no_harm(octets: Vec<u8>) {
            let _ = (Login::read(&octets), Change::read(&octets), Fields::read(&octets), token(&octets));
        }
    }
}
