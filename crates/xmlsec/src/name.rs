//! Names: of keys, and of the roles, users and devices in them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A text that is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// The text is empty or too long.
    #[error("a name has 1 to {LONGEST} characters, this one has {found}")]
    Length {
        /// Octets of the text.
        found: usize,
    },
    /// It contains a character that a name cannot have.
    #[error("{found:?} cannot be part of a name: letters, digits and most punctuation of ASCII can")]
    Character {
        /// The first such character.
        found: char,
    },
    /// A key's name has neither two nor three parts.
    #[error("a key is named ROLE/EPOCH/USER or user/NAME, this one has {found} parts")]
    Parts {
        /// How many parts the text has.
        found: usize,
    },
    /// Of two parts the first is not `user`.
    #[error("a key is named ROLE/EPOCH/USER or user/NAME")]
    NotUser,
    /// A role that is named as the prefix of public keys is.
    #[error("`user` cannot be a role: the names of public keys begin with it")]
    Reserved,
    /// An epoch is not a number as it is printed.
    #[error("an epoch is a number from 0 to 4294967295 without leading zeros")]
    Epoch,
}

macro_rules! names {
    ($($(#[$comment:meta])* $name:ident),+) => {$(
        $(#[$comment])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// The name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                check(text)?;
                Ok(Self(text.into()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, formatter)
            }
        }
    )+};
}

names! {
    /// The name of a role.
    RoleName,
    /// The name of a user.
    UserName,
    /// The name of a device to which messages are stored.
    DeviceName
}

/// Which keys protect a message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyName {
    /// `ROLE/EPOCH/USER`: a user's keys, derived from those of a role in one epoch.
    Role {
        /// The role.
        role: RoleName,
        /// The number of the role's keys; a revocation raises it.
        epoch: u32,
        /// The member of the role.
        user: UserName,
    },
    /// `user/NAME`: a user's own public key.
    User(UserName),
}

impl KeyName {
    /// Whose key it is.
    pub fn user(&self) -> &UserName {
        match self {
            Self::Role { user, .. } | Self::User(user) => user,
        }
    }

    /// `ROLE/EPOCH` of the keys that these are derived from, if any. Whoever has those has the keys of every user of that name.
    pub fn shared(&self) -> Option<String> {
        match self {
            Self::Role { role, epoch, .. } => Some(format!("{role}/{epoch}")),
            Self::User(_) => None,
        }
    }

    /// The role whose keys these are derived from, if any.
    pub fn role(&self) -> Option<&RoleName> {
        match self {
            Self::Role { role, .. } => Some(role),
            Self::User(_) => None,
        }
    }
}

impl FromStr for KeyName {
    type Err = NameError;

    /// Exactly one text is read as each name.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let mut parts = text.split('/');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(USER), Some(name), None, None) => Ok(Self::User(name.parse()?)),
            (Some(_), Some(_), None, None) => Err(NameError::NotUser),
            (Some(USER), Some(_), Some(_), None) => Err(NameError::Reserved),
            (Some(role), Some(epoch), Some(user), None) => {
                Ok(Self::Role { role: role.parse()?, epoch: epoch_of(epoch)?, user: user.parse()? })
            }
            _ => Err(NameError::Parts { found: text.split('/').count() }),
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role { role, epoch, user } => write!(formatter, "{role}/{epoch}/{user}"),
            Self::User(user) => write!(formatter, "{USER}/{user}"),
        }
    }
}

impl fmt::Debug for KeyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{self}\"")
    }
}

fn epoch_of(text: &str) -> Result<u32, NameError> {
    match crate::number::decimal(text) {
        Some(number) => u32::try_from(number).map_err(|_| NameError::Epoch),
        None => Err(NameError::Epoch),
    }
}

fn check(text: &str) -> Result<(), NameError> {
    if !(1..=LONGEST).contains(&text.len()) {
        return Err(NameError::Length { found: text.len() });
    }
    match text.chars().find(|character| !is_of_a_name(*character)) {
        Some(found) => Err(NameError::Character { found }),
        None => Ok(()),
    }
}

/// Each of them is written in XML as it is, and none looks like another one.
fn is_of_a_name(character: char) -> bool {
    character.is_ascii_graphic() && !matches!(character, '/' | '<' | '>' | '&' | '"' | '\'' | '\\' | '`')
}

/// The most octets of a name.
const LONGEST: usize = 64;

/// What the names of public keys begin with.
const USER: &str = "user";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{KeyName, NameError};

    #[test]
    fn names_of_keys() {
        let read = |text: &str| text.parse::<KeyName>();
        for good in
            ["operator/3/alice", "user/bob", "a/0/b", "a/4294967295/user", "x@y.z/1/CN=alice", "role/1/role"]
        {
            assert_eq!(read(good).unwrap().to_string(), good);
        }
        let long = "x".repeat(65);
        let table: &[(&str, NameError)] = &[
            ("", NameError::Parts { found: 1 }),
            ("alice", NameError::Parts { found: 1 }),
            ("operator/3/alice/4", NameError::Parts { found: 4 }),
            ("operator/alice", NameError::NotUser),
            ("User/alice", NameError::NotUser),
            ("user/3/alice", NameError::Reserved),
            ("user/", NameError::Length { found: 0 }),
            ("/3/alice", NameError::Length { found: 0 }),
            ("operator/3/", NameError::Length { found: 0 }),
            ("operator//alice", NameError::Epoch),
            ("operator/03/alice", NameError::Epoch),
            ("operator/+3/alice", NameError::Epoch),
            ("operator/-3/alice", NameError::Epoch),
            ("operator/ 3/alice", NameError::Epoch),
            ("operator/4294967296/alice", NameError::Epoch),
            ("operator/3/al ice", NameError::Character { found: ' ' }),
            ("operator/3/alice\n", NameError::Character { found: '\n' }),
            ("operator\0/3/alice", NameError::Character { found: '\0' }),
            // a Cyrillic letter that looks like another one
            ("operator/3/\u{430}lice", NameError::Character { found: '\u{430}' }),
            ("operator/3/a<b", NameError::Character { found: '<' }),
        ];
        for (bad, error) in table {
            assert_eq!(read(bad), Err(*error), "{bad:?}");
        }
        assert_eq!(read(&format!("user/{long}")), Err(NameError::Length { found: 65 }));
    }

    proptest! {
        #[test]
        fn one_text_for_each_name(text in "(user|role|[!-~]{0,3})/([0-9]{0,3}|[!-~]{0,3})(/[!-~]{0,3})?") {
            if let Ok(name) = text.parse::<KeyName>() {
                prop_assert_eq!(name.to_string(), text);
            }
        }
    }
}
