//! User authentication: keys and passwords against the configuration, off the serving threads.

use std::net::SocketAddr;
use std::sync::Arc;

use russh::keys::{Algorithm, HashAlg, PublicKey};
use russh::{MethodKind, MethodSet};
use tokio::task::spawn_blocking;

use super::Shared;
use crate::files::read_text;
use crate::ssh::fault::quoted;
use crate::ssh::{SshFault, SshOptions, SshServerOptions, authorized_keys};
use trunkline_password::{Question, Unproved};

/// The authentication state of one connection.
pub(super) struct Admission {
    shared: Arc<Shared>,
    peer: SocketAddr,
    /// The key accepted for this user, before the user has proved to have it.
    offered: Option<(String, PublicKey)>,
}

impl Admission {
    pub(super) const fn new(shared: Arc<Shared>, peer: SocketAddr) -> Self {
        Self { shared, peer, offered: None }
    }

    pub(super) fn options(&self) -> &SshOptions {
        &self.shared.options.ssh
    }

    pub(super) fn limits(&self) -> &SshServerOptions {
        &self.shared.options
    }

    /// The methods that may be tried; the same for every name, known or not.
    pub(super) fn methods(&self) -> MethodSet {
        let mut methods = MethodSet::from(&[MethodKind::PublicKey][..]);
        if self.shared.users().have_passwords() {
            methods.push(MethodKind::Password);
        }
        methods
    }

    /// Whether the key is one of the user's.
    pub(super) async fn key(
        &mut self,
        name: &str,
        key: &PublicKey,
        algorithm: &Algorithm,
    ) -> Result<(), SshFault> {
        let is_offered =
            |(user, offered): &(String, PublicKey)| user == name && offered.key_data() == key.key_data();
        let wrong = || SshFault::WrongKey {
            user: quoted(name),
            fingerprint: key.fingerprint(HashAlg::Sha256).to_string(),
        };
        // A signature with SHA-1.
        if matches!(algorithm, Algorithm::Rsa { hash: None }) {
            return Err(wrong());
        }
        if self.offered.as_ref().is_some_and(is_offered) {
            return Ok(());
        }
        self.offered = None;
        let users = self.shared.users();
        let user = users.get(name).ok_or_else(|| SshFault::UnknownUser { user: quoted(name) })?;
        let path = user.authorized_keys.clone().ok_or_else(wrong)?;
        let text = spawn_blocking({
            let path = path.clone();
            move || read_text(&path, authorized_keys::LONGEST_FILE)
        });
        let text = text.await.unwrap_or_else(|lost| Err(std::io::Error::other(lost)));
        let text = text.map_err(|source| SshFault::KeysUnreadable { user: quoted(name), path, source })?;
        for (line, fault) in authorized_keys::lines(&text).filter_map(|(n, line)| Some((n, line.err()?))) {
            tracing::debug!(user = name, line, %fault, "a line of the authorized keys is ignored");
        }
        if !authorized_keys::admit(&text, key, self.peer.ip()) {
            return Err(wrong());
        }
        self.offered = Some((name.to_owned(), key.clone()));
        Ok(())
    }

    /// Whether the password is the user's. Takes as long for an unknown name.
    pub(super) async fn password(&self, name: &str, password: &str) -> Result<(), SshFault> {
        let users = self.shared.users();
        let user = users.get(name);
        let question = Question {
            peer: self.peer.ip(),
            name,
            password,
            theirs: user.and_then(|user| user.password.as_ref()),
            anybodys: users.any_password(),
        };
        self.shared.passwords.check(question).await.map_err(|error| match (error, user) {
            (Unproved::Wrong, Some(_)) => SshFault::WrongPassword { user: quoted(name) },
            (Unproved::Wrong, None) => SshFault::UnknownUser { user: quoted(name) },
            (source, _) => SshFault::NotChecked { user: quoted(name), source },
        })
    }
}
